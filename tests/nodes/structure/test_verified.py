"""What the built-in engine writes passes the verifier word for word: it claims nothing that was not given."""

from __future__ import annotations

import pytest

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.echo import Injected, verify, verify_fields
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.structure.analyse import analyse
from rqa_nodes.structure.answer import reply
from tests.support.engine_inputs import INPUTS

MEMORY = {
    "en": (
        MemoryLine(handle="k3v9xq", source=SourceClass.user, text="My locker is 41.", date="2026-05-02"),
        MemoryLine(handle="a1b2c3", source=SourceClass.assistant, text="You sleep badly because of coffee."),
        MemoryLine(handle="q1w2e3", source=SourceClass.user, text="When does the ferry leave?", kind="question"),
        MemoryLine(handle="x9x9x9", source=SourceClass.external, text="Ferries leave at 8:15.", locator="a.pdf"),
    ),
    "ja": (
        MemoryLine(handle="k3v9xq", source=SourceClass.user, text="ロッカーは41番です。", date="2026-05-02"),
        MemoryLine(handle="a1b2c3", source=SourceClass.assistant, text="眠りが浅いのはコーヒーのせいです。"),
        MemoryLine(handle="q1w2e3", source=SourceClass.user, text="フェリーは誰が運航していますか？", kind="question"),
        MemoryLine(handle="x9x9x9", source=SourceClass.external, text="フェリーは8時15分に出る。", locator="a.pdf"),
    ),
}
QUESTIONS = {
    "en": (
        "What is my locker number?",
        "Where do I live now?",
        "Why do I sleep badly?",
        "What do you know about me?",
        "What have we been discussing so far?",
        "Do you remember what I concluded earlier?",
        "Remind me what we decided last time.",
        "My locker is now 52.",
        "Please remember that I swim on Fridays.",
        "Translate this into French: good day",
    ),
    "ja": (
        "ロッカーは何番ですか？",
        "私は今どこに住んでいますか？",
        "なぜ私は眠りが浅いのですか？",
        "私について何を知っていますか？",
        "私たちはこれまで何について話してきましたか",
        "前回の私の結論は正しかったと思いますか",
        "以前のあなたの提案はうまくいきましたか",
        "ロッカーは52番に変わりました。",
        "金曜に泳ぐことを覚えておいてください。",
        "これを英語に訳してください",
    ),
}
CASES = [
    (lang, text, remembers)
    for lang in ("en", "ja")
    for text in (*QUESTIONS[lang], *(row.text for row in INPUTS if row.lang == lang))
    for remembers in (False, True)
]


def injected(memory: tuple[MemoryLine, ...]) -> list[Injected]:
    return [
        Injected(handle=m.handle, source=m.source.value, text=m.text, date=m.date, locator=m.locator) for m in memory
    ]


@pytest.mark.parametrize(("lang", "text", "remembers"), CASES)
def test_an_answer_passes_unchanged(lang: str, text: str, remembers: bool) -> None:
    memory = MEMORY[lang] if remembers else ()
    answer = "".join(reply(PromptParts(task="answer", lang=lang, user_text=text, memory=memory)))
    assert verify(answer, injected=injected(memory), transcript=[("user", text)], lang=lang).text == answer


@pytest.mark.parametrize(("lang", "text", "remembers"), CASES)
def test_an_analysis_passes_unchanged(lang: str, text: str, remembers: bool) -> None:
    memory = MEMORY[lang] if remembers else ()
    analysis = analyse(PromptParts(task="analyse", lang=lang, user_text=text, memory=memory, candidates=6))
    checked, _ = verify_fields(analysis, injected=injected(memory), transcript=[("user", text)], lang=lang)
    assert checked == analysis
