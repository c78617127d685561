"""`rqa review-queue`, `rqa self` and `rqa evaluator` as a person uses them, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rqa_checkpoints.home import Home
from rqa_checkpoints.provenance import Proposal, Scope
from rqa_graph.clock import utc_now
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings
from tests.support.cli import Cli
from tests.support.graphs import analysis, evaluation
from tests.support.model_servers import OllamaServer, Reply
from tests.support.turns import LEVELS
from tests.support.wishes import WISH

pytestmark = pytest.mark.thinned

both = pytest.mark.parametrize("lang", ["en", "ja"])
_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龯]")
_AREA = "question_generation_bias"
_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["製粉所は上流で何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流ですか？"],
}


@pytest.fixture
def mara(cli: Cli) -> Cli:
    cli.set(RQA_MEMORY__USER="mara", RQA_MEMORY__EMBEDDER="hash")
    return cli


def _queue(home: Path, lang: str, **changed: str) -> str:
    """An item as a turn would leave it."""
    payload = WISH[lang] | changed
    proposal = Proposal(kind="self_update", payload=payload, requester="scripted", key=str(sorted(payload.items())))
    with open_memory_of(Settings.load(home=home)) as memory:
        at = utc_now().isoformat(timespec="seconds")
        return memory.queue.put(proposal, scope=Scope("local", "mara"), at=at).id


def _in(lang: str, text: str) -> bool:
    return bool(_JAPANESE.search(text)) == (lang == "ja")


@both
def test_what_waits_is_listed_shown_edited_approved_and_stands(lang: str, mara: Cli) -> None:
    assert _in(lang, mara("review-queue", "list", "--lang", lang).out)
    item = _queue(mara.home, lang)
    listed = mara("review-queue", "list", "--lang", lang)
    assert (listed.code, item in listed.out) == (0, True)
    shown = mara("review-queue", "show", item, "--lang", lang)
    assert f"+ {WISH[lang]['proposed_adjustment']}" in shown.out
    line = {"en": "Ask when before asking why.", "ja": "理由より先に時期を問う。"}[lang]
    edited = mara("review-queue", "edit", item, "--set", f"proposed_adjustment={line}", "--lang", lang)
    assert (edited.code, f"+ {line}" in edited.out) == (0, True)
    stale = mara("review-queue", "approve", item, "--version", "1", "--lang", lang)
    assert (stale.code, stale.out, _in(lang, stale.err)) == (4, "", True)
    done = mara("self", "approve", item, "--version", "2", "--note", "so", "--lang", lang)
    assert (done.code, _in(lang, done.out)) == (0, True)
    twice = mara("review-queue", "approve", item, "--lang", lang, "--json")
    assert (twice.code, twice.json["error"]["code"], twice.json["ok"]) == (4, "already_decided", False)
    assert _in(lang, twice.json["error"]["message"])
    stands = mara("self", "show", "--lang", lang)
    assert line in stands.out
    history = mara("self", "show", _AREA, "--lang", lang)
    assert f"+ {line}" in history.out
    assert "mara" in history.out
    back = mara("self", "rollback", _AREA, "--lang", lang)
    assert (back.code, _in(lang, back.out)) == (0, True)
    assert line not in mara("self", "show", "--lang", lang).out
    assert f"- {line}" in mara("self", "show", _AREA, "--lang", lang).out
    mara.state()


@both
def test_a_rejection_is_final_and_changes_nothing(lang: str, mara: Cli) -> None:
    item = _queue(mara.home, lang)
    done = mara("review-queue", "reject", item, "--note", "too vague", "--lang", lang)
    assert (done.code, _in(lang, done.out)) == (0, True)
    assert mara("review-queue", "list", "--json").json["items"] == []
    (row,) = mara("review-queue", "list", "--all", "--json").json["items"]
    assert (row["status"], row["decided_by"], row["note"]) == ("rejected", "mara", "too vague")
    assert mara("self", "show", "--json").json["areas"] == []
    assert mara("self", "approve", item).code == 4


def test_every_command_answers_in_one_json_object(mara: Cli) -> None:
    item = _queue(mara.home, "en")
    listed = mara("review-queue", "list", "--json").json
    assert (listed["schema"], [row["id"] for row in listed["items"]]) == ("rqa.review-queue.list/1", [item])
    assert mara("review-queue", "show", item, "--json").json["payload"] == WISH["en"]
    edited = mara("review-queue", "edit", item, "--set", "rollback=Take it out.", "--json").json
    assert (edited["outcome"], edited["version"]) == ("edited", 2)
    done = mara("review-queue", "approve", item, "--json").json
    assert (done["outcome"], done["status"], done["schema"]) == ("approved", "approved", "rqa.review-queue.approve/1")
    shown = mara("self", "show", _AREA, "--json").json
    assert [row["diff"] for row in shown["versions"]] == [[f"+ {WISH['en']['proposed_adjustment']}"]]
    assert mara("self", "rollback", _AREA, "--json").json["restores"] == 0
    assert mara("self", "show", "--json").json["pending"] == []


@both
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("review-queue", "show", "q0"), 2),
        (("review-queue", "approve", "q0"), 2),
        (("review-queue", "list", "--kind", "nothing"), 2),
        (("self", "show", "evaluator_criteria"), 2),
        (("self", "rollback", "evaluator_binding"), 2),
        (("self", "rollback", _AREA), 2),
        (("evaluator", "propose", "--endpoint", "ftp://x"), 2),
        (("evaluator", "propose", "--endpoint", "https://x.example/v1", "--key-variable", "HOME"), 2),
        (("evaluator", "approve", "q0"), 2),
    ],
)
def test_what_cannot_be_is_said_with_what_to_do(args: tuple[str, ...], code: int, lang: str, mara: Cli) -> None:
    ran = mara(*args, "--lang", lang)
    assert (ran.code, ran.out) == (code, "")
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) >= 2
    assert _in(lang, ran.err.splitlines()[0])


@both
def test_an_edit_with_nothing_or_with_what_must_not_be_kept_changes_nothing(lang: str, mara: Cli) -> None:
    item = _queue(mara.home, lang)
    for given in ((), ("--set", "nonsense"), ("--set", "area=x"), ("--set", "observation=password: hunter2")):
        ran = mara("review-queue", "edit", item, *given, "--lang", lang)
        assert (ran.code, ran.out) == (2, "")
        assert _in(lang, ran.err.splitlines()[0])
        assert given[-1:] != ("observation=password: hunter2",) or "hunter2" not in ran.err
    assert mara("review-queue", "show", item, "--json").json["version"] == 1


@both
def test_sources_of_what_has_none_are_refused_in_words(lang: str, mara: Cli) -> None:
    item = _queue(mara.home, lang)
    with mara.unchanged():
        done = mara("review-queue", "edit", item, "--add-source", "manual/x.md", "--lang", lang)
    assert (done.code, done.out) == (2, "")
    assert "--remove-source" not in done.err
    assert {"en": "no sources to change", "ja": "変更できる出典はありません"}[lang] in done.err


def test_another_person_sees_nothing_of_it(mara: Cli) -> None:
    item = _queue(mara.home, "en")
    assert mara("review-queue", "list", "--user", "juno", "--json").json["items"] == []
    assert mara("review-queue", "approve", item, "--user", "juno").code == 2


def test_looking_works_beside_another_process_and_deciding_says_who_holds_the_home(mara: Cli) -> None:
    item = _queue(mara.home, "en")
    with Home(mara.home).acquire(clock=utc_now, command="rqa chat"):
        assert mara("review-queue", "show", item).code == 0
        assert mara("self", "show").code == 0
        assert mara("evaluator", "show").code == 0
        ran = mara("review-queue", "approve", item)
    assert (ran.code, "rqa chat" in ran.err) == (6, True)


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer(models=("m:1b",)) as running:
        yield running


@both
def test_an_offline_person_gets_side_questions_after_approving_a_local_judge(
    lang: str, mara: Cli, ollama: OllamaServer
) -> None:
    before = mara("evaluator", "show", "--lang", lang)
    assert (before.code, _in(lang, before.out)) == (0, True)
    proposed = mara("evaluator", "propose", "--endpoint", ollama.url, "--model", "m:1b", "--json").json
    assert mara("evaluator", "show", "--json").json["binding"]["model"] != "m:1b"
    assert proposed["id"] in mara("evaluator", "show", "--lang", lang).out
    approved = mara("evaluator", "approve", proposed["id"], "--lang", lang)
    assert (approved.code, _in(lang, approved.out), ollama.chats) == (0, True, [])
    shown: dict[str, Any] = mara("evaluator", "show", "--json").json
    assert (shown["is_local"], shown["problem"], shown["approval"]["who"]) == (True, "", "mara")
    assert "m:1b" in mara("check").out
    mara.set(RQA_MODELS__CHAT="ollama:m:1b", RQA_MODELS__OLLAMA_URL=ollama.url)
    answer = {"en": "Both can work.", "ja": "どちらにも利点があります。"}[lang]
    ollama.then(Reply(text=answer), Reply(text=analysis(_QUESTIONS[lang])), Reply(text=evaluation(*[(9, 9, 8, 9)] * 3)))
    asked = mara("ask", LEVELS[lang][2], "--json").json
    assert (asked["question"], asked["degraded"]) == (_QUESTIONS[lang][0], False)


def test_an_approved_judge_that_a_file_contradicts_does_not_judge_and_says_so(mara: Cli, ollama: OllamaServer) -> None:
    (mara.home / "config").mkdir(parents=True)
    (mara.home / "config" / "evaluator_binding.yaml").write_text("model: another\n", "utf-8")
    item = mara("evaluator", "propose", "--endpoint", ollama.url, "--model", "m:1b", "--json").json["id"]
    ran = mara("evaluator", "approve", item, "--json")
    assert (ran.code, ran.json["ok"], ran.json["problem"]) == (4, False, "binding_refused")


def test_without_options_the_binding_of_the_settings_is_proposed(mara: Cli) -> None:
    (mara.home / "config").mkdir(parents=True)
    (mara.home / "config" / "evaluator_binding.yaml").write_text("model: another\n", "utf-8")
    assert mara("evaluator", "show", "--json").json["problem"] == "binding_refused"
    item = mara("evaluator", "propose", "--json").json
    assert item["payload"]["model"] == "another"
    assert mara("evaluator", "approve", item["id"], "--json").json["problem"] == "no_key"
