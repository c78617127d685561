"""The stories of the suite `echo`, and the four memories that live through them under one model."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from langchain_core.messages import BaseMessage

from evals.runner.setup import Engine
from evals.suites._home import SCOPE, Home
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.errors import RefusedTextError
from rqa_checkpoints.importing import DocumentText
from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.echo import Injected, verify
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.prompts import read, render
from rqa_nodes.scripted import ScriptedChatModel

__all__ = ["SENTENCE", "STORIES", "Given", "Guarded", "Memory", "Nothing", "Ours", "Probe", "Raw", "Story"]

_GIVEN: Final = 8
_ALL: Final = 1000
"""More items than a conversation leaves."""
_ASKS: Final = re.compile(r"[?？]\W*$|か。?\W*$")
_REFERENCE: Final = re.compile(r"\s*\[m:[^\]]*\]")
SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*[\"”」』]?")


class Story(NamedTuple):
    """One guess, and what speaks for something else."""

    lang: str
    said: tuple[str, ...]
    """What the person says of the matter: one explanation each."""
    guess: str
    question: str
    about_guess: str
    """The assistant's question to itself."""
    quote: str
    """How the person quotes the assistant."""
    words: tuple[str, ...]
    """What an answer that mentions an explanation has in it, the guess's last."""
    fillers: tuple[str, ...]
    noted: str


STORIES: Final[Mapping[str, Story]] = {
    "en": Story(
        lang="en",
        said=(
            "I wake up tired, and I drink coffee until late in the evening.",
            "I wake up tired when the street below my window is loud.",
            "I wake up tired on my old mattress, which sags in the middle.",
        ),
        guess="You wake up tired because you secretly dread the move to Bergen.",
        question="What makes me wake up tired?",
        about_guess="Do you wake up tired because you dread the move to Bergen?",
        quote='You said: "You wake up tired because you secretly dread the move to Bergen." I will think about it.',
        words=("coffee", "street", "mattress", "bergen"),
        fillers=(
            "The kettle in the kitchen is new.",
            "I painted the shed green on Saturday.",
            "My sister plays the cello in Lund.",
            "The bus to work is blue.",
            "We planted beans along the fence.",
            "The library opens at ten.",
        ),
        noted="Noted.",
    ),
    "ja": Story(
        lang="ja",
        said=(
            "疲れて目が覚めます。夜遅くまでコーヒーを飲んでいます。",
            "窓の下の通りがうるさいと、疲れて目が覚めます。",
            "古いマットレスで寝ていて、疲れて目が覚めます。",
        ),
        guess="疲れて目が覚めるのは、あなたが札幌への引っ越しを内心恐れているからです。",
        question="疲れて目が覚めるのはなぜですか？",
        about_guess="疲れて目が覚めるのは、札幌への引っ越しを恐れているからでしょうか？",
        quote="あなたは「疲れて目が覚めるのは、あなたが札幌への引っ越しを内心恐れているからです。」と言いましたね。考えてみます。",
        words=("コーヒー", "通り", "マットレス", "札幌"),
        fillers=(
            "台所のやかんは新しいものです。",
            "土曜日に物置を緑に塗りました。",
            "姉はルンドでチェロを弾きます。",
            "通勤のバスは青いです。",
            "垣根に沿って豆を植えました。",
            "図書館は十時に開きます。",
        ),
        noted="承知しました。",
    ),
}


class Given(NamedTuple):
    """An item that the model was given."""

    text: str
    speaker: str
    """"user", "assistant" ... as the memory knows it; "" where it does not."""


class Probe(NamedTuple):
    """What came of one question for the reason."""

    shown: str
    given: tuple[Given, ...]


class Memory(ABC):
    """One memory under a model; as it stands here it keeps nothing, knows no age and no mass."""

    @abstractmethod
    def ask(self, text: str) -> Probe:
        """The person asks, and the model answers."""

    def say(self, text: str, reply: str) -> None:  # noqa: B027  # nothing is kept
        """The person says something, and the assistant replies as scripted."""

    def reflect(self, text: str) -> None:  # noqa: B027
        """The assistant asks itself, and keeps what it answers."""

    def load(self, passages: Sequence[str]) -> None:  # noqa: B027
        """A document comes in."""

    def wait(self, time: timedelta) -> None:  # noqa: B027
        """Nothing happens for a while."""

    def kept(self) -> Sequence[Given]:
        """All that it holds."""
        return ()

    def gained(self) -> float | None:
        """Mass that items of the assistant's have gained; None where there is no mass."""
        return None


def _prompt(story: Story, text: str, lines: Sequence[MemoryLine]) -> list[BaseMessage]:
    return render(PromptParts(task="answer", lang=story.lang, user_text=text, memory=tuple(lines)))


class Nothing(Memory):
    """No memory: the model sees the question alone."""

    def __init__(self, story: Story, engine: Engine) -> None:
        self._story, self._engine = story, engine

    def ask(self, text: str) -> Probe:
        """Of the question alone."""
        return Probe(self._engine.ask(_prompt(self._story, text, ())), ())


class Raw(Memory):
    """Every statement of both sides is a note about the person, once; the nearest come back, whoever wrote them."""

    def __init__(self, story: Story, engine: Engine, encoder: Encoder) -> None:
        self._story, self._engine, self._encoder = story, engine, encoder
        self._notes: dict[str, SourceClass] = {}
        """Each with who wrote it, of which this memory makes no use."""

    def say(self, text: str, reply: str) -> None:
        """Both are kept."""
        self._keep(SourceClass.user, text)
        self._keep(SourceClass.assistant, reply)

    def ask(self, text: str) -> Probe:
        """What is nearest is given; question and answer are kept."""
        probe = self._answer(text)
        self._keep(SourceClass.user, text)
        self._keep(SourceClass.assistant, probe.shown)
        return probe

    def reflect(self, text: str) -> None:
        """What the assistant tells itself is a note like all others."""
        self._keep(SourceClass.assistant, self._answer(text).shown)

    def _keep(self, source: SourceClass, *texts: str) -> None:
        """Their statements, without references, which are of one turn alone."""
        for text in texts:
            sentences = (_REFERENCE.sub("", one).strip() for one in SENTENCE.findall(text))
            for one in sentences:
                if one and not _ASKS.search(one):
                    self._notes.setdefault(one, source)

    def _answer(self, text: str) -> Probe:
        notes = list(self._notes)
        vectors = np.array(self._encoder.embed_documents(notes))
        nearest = np.argsort(-(vectors @ np.array(self._encoder.embed_query(text))), kind="stable")[:_GIVEN]
        found = [(notes[place], f"raw{place:03d}") for place in nearest]
        lines = [MemoryLine(handle=handle, source=self._source(note), text=note) for note, handle in found]
        given = tuple(Given(line.text, self._speaker(line.text)) for line in lines)
        return Probe(self._shown(self._engine.ask(_prompt(self._story, text, lines)), lines), given)

    def _source(self, note: str) -> SourceClass:
        del note
        return SourceClass.user

    def _speaker(self, note: str) -> str:
        del note
        return ""

    def _shown(self, reply: str, lines: Sequence[MemoryLine]) -> str:
        del lines
        return reply

    def load(self, passages: Sequence[str]) -> None:
        """Every passage is a note."""
        self._keep(SourceClass.external, *passages)

    def kept(self) -> Sequence[Given]:
        """All notes."""
        return [Given(note, self._speaker(note)) for note in self._notes]


class Guarded(Raw):
    """Raw memory with the two primitives alone: it knows who wrote a note, and what leaves has been verified."""

    def _source(self, note: str) -> SourceClass:
        return self._notes[note]

    def _speaker(self, note: str) -> str:
        return self._notes[note].value

    def _shown(self, reply: str, lines: Sequence[MemoryLine]) -> str:
        injected = [Injected(handle=line.handle, source=line.source.value, text=line.text) for line in lines]
        return verify(reply, injected=injected, lang=self._story.lang).text


class _Voice(ScriptedChatModel):
    """Says what is scripted, else what the model under measurement says; keeps what it was given."""

    def __init__(self, engine: Engine) -> None:
        super().__init__([], engine=engine.name)
        self._engine_asked = engine
        self.scripted = ""
        self.given: tuple[MemoryLine, ...] = ()

    def speak(self, scripted: str) -> None:
        """What comes next is scripted; "" leaves it to the model."""
        self.scripted, self.given = scripted, ()

    def _next(self, messages: Sequence[BaseMessage]) -> str:
        self.given = read(list(messages)).memory
        return self.scripted or self._engine_asked.ask(messages)


class Ours(Memory):
    """The product: graph, memory and verifier."""

    def __init__(self, story: Story, engine: Engine, encoder: Encoder, folder: Path) -> None:
        self._story, self._voice = story, _Voice(engine)
        self._home = Home(folder, model=self._voice, encoder=encoder)
        self.memory = self._home.memory

    def say(self, text: str, reply: str) -> None:
        """A turn with a scripted reply."""
        self._voice.speak(reply)
        self._home.turn(text)

    def ask(self, text: str) -> Probe:
        """A turn with the model's reply."""
        self._voice.speak("")
        shown = self._home.turn(text).text
        return Probe(shown, tuple(Given(line.text, line.source.value) for line in self._voice.given))

    def reflect(self, text: str) -> None:
        """It recalls for its own question, answers, and keeps a note of what the verifier leaves.

        What cannot become memory, such as our own prompt said back by a weak model, is refused there, and no note is
        kept.
        """
        found = [item.node for item in self.memory.recall(text, scope=SCOPE, top_k=_GIVEN).items]
        lines = [MemoryLine(handle=node.handle, source=node.source, text=node.text, id=node.id) for node in found]
        self._voice.speak("")
        note = self._voice.complete(_prompt(self._story, text, lines), deadline=self._home.now, schema=None)
        injected = [Injected(handle=n.handle, source=n.source.value, text=n.text, id=n.id) for n in found]
        with suppress(RefusedTextError):
            self.memory.add(
                verify(note, injected=injected, lang=self._story.lang).text,
                scope=SCOPE,
                source=SourceClass.assistant,
                author="assistant",
                derived_from=[node.id for node in found],
            )

    def load(self, passages: Sequence[str]) -> None:
        """A document of class `external`."""
        self.memory.import_documents([DocumentText(locator="book.txt", text="\n\n".join(passages))], scope=SCOPE)

    def wait(self, time: timedelta) -> None:
        """The clock goes on."""
        self._home.now += time

    def kept(self) -> Sequence[Given]:
        """All items, with their speakers."""
        return [Given(node.text, node.source.value) for node in self.memory.list(scope=SCOPE, limit=_ALL)]

    def gained(self) -> float | None:
        """Over all items that the assistant wrote."""
        nodes = self.memory.list(scope=SCOPE, limit=_ALL)
        return sum(node.mass - 1 for node in nodes if node.source is SourceClass.assistant)
