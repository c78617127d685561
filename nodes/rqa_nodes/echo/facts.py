"""What was this turn really made of? The facts that every claim is held against.

What the caller passes is all there is: no store is asked, and a client's own transcript counts only if it is passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.resolver import Resolver
from rqa_nodes.echo.types import Answer, Injected
from rqa_nodes.language import detect

__all__ = ["AnsweredItem", "TranscriptRow", "TurnFacts", "names_of"]

TranscriptRow = tuple[str, str] | Mapping[str, Any]
"""(role, text), or a mapping with role and text (or content)."""


class AnsweredItem(NamedTuple):
    """An item of the assistant, and what the user said to it."""

    item: Injected
    answer: Answer
    by: Injected

    @property
    def rows(self) -> tuple[tuple[str, str, str], ...]:
        """The guess and its answer as they were said, one after the other."""
        return ("assistant", "", self.item.text), ("user", "", self.by.text)


def _answered(injected: Sequence[Injected]) -> Iterator[AnsweredItem]:
    """The assistant's items that an item of the user's answers; where both are said, neither is."""
    for item in injected:
        if item.source != "assistant":
            continue
        names = {name for name in (item.handle, item.id) if name}
        yes = next((one for one in injected if one.source == "user" and not names.isdisjoint(one.confirms)), None)
        no = next((one for one in injected if one.source == "user" and not names.isdisjoint(one.denies)), None)
        if yes and not no:
            yield AnsweredItem(item, "confirmed", yes)
        elif no and not yes:
            yield AnsweredItem(item, "denied", no)


@dataclass(frozen=True)
class TurnFacts:
    """The facts of one turn."""

    resolver: Resolver
    rows: tuple[tuple[str, str, str], ...]
    """(role, name, text), oldest first, the message being answered last among the user's."""
    documents: tuple[str, ...]
    user_text: str
    written: frozenset[str]
    """Ids of what was written or planned; {"*"} where the caller only says that something was."""
    asked_lang: str | None
    answered: tuple[AnsweredItem, ...] = ()
    """Items that the user has said yes or no to, with that answer among what was given."""

    @classmethod
    def of(
        cls,
        *,
        injected: Sequence[Injected],
        transcript: Sequence[TranscriptRow],
        written: Sequence[str] | bool,
        known: Any,
        user_text: str | None,
        documents: Sequence[str],
        lang: str | None,
    ) -> TurnFacts:
        """Put the caller's arguments in order."""
        rows = [_row(*_said(row)) for row in transcript]
        answered = tuple(_answered(injected))
        users = [text for role, _, text in rows if role == "user"]
        if user_text is None:
            user_text = users[-1] if users else ""
        elif user_text and (not users or users[-1] != user_text):
            rows.append(("user", "", user_text))
        marks = ({"*"} if written else set()) if isinstance(written, bool) else {str(one) for one in written}
        own = {name for item in injected if item.source == "assistant" for name in (item.id, item.handle) if name}
        return cls(
            resolver=Resolver(tuple(injected), known, _footnotes(documents), _given(injected, rows, documents)),
            rows=(*(row for one in answered for row in one.rows), *rows),
            answered=answered,
            documents=tuple(documents),
            user_text=user_text,
            written=frozenset(marks - own),
            asked_lang=lang,
        )

    def answer_to(self, item: Injected) -> Answer:
        """What the user said to an item; "" for nothing that was given."""
        return next((one.answer for one in self.answered if one.item is item), "")

    @cached_property
    def lang(self) -> str:
        """Language of the reply: the caller's word, else that of the message being answered."""
        return self.asked_lang if self.asked_lang in ("en", "ja", "zh") else detect(self.user_text)

    @property
    def knows_lang(self) -> bool:
        """True if the language does not have to be read off the reply."""
        return bool(self.asked_lang or self.user_text)

    @cached_property
    def base(self) -> str:
        """Language of the reply; "" where it has to be read off the reply."""
        return self.lang if self.knows_lang else ""

    @cached_property
    def own_words(self) -> str:
        """Folded words of the user's message and the documents of this turn, spaces evened."""
        return " ".join(fold("\n".join((self.user_text, *self.documents))).text.split())

    @cached_property
    def names(self) -> frozenset[str]:
        """Folded names of the speakers and authors of this turn."""
        given = [name for _, name, _ in self.rows]
        given += [name for item in self.resolver.injected for name in (item.author, item.locator)]
        return frozenset(fold(name).text for name in given if len(name) > 1)

    @cached_property
    def user_names(self) -> frozenset[str]:
        """Folded names of the users among them."""
        given = [name for role, name, _ in self.rows if role == "user"]
        given += [item.author for item in self.resolver.injected if item.source == "user"]
        return frozenset(fold(name).text for name in given if len(name) > 1)


_FOOTNOTE: Final = lazily(r"\[(\d{1,4})\]")


def names_of(item: Injected) -> frozenset[str]:
    """Folded names under which a reply may quote an item."""
    return frozenset(fold(name).text for name in (item.author, item.locator) if name)


def _footnotes(documents: Sequence[str]) -> frozenset[str]:
    """Numbers in square brackets that belong to the documents: their own footnotes, and their places in the list."""
    own = {number for text in documents for number in _FOOTNOTE.findall(text)}
    return frozenset(own | {str(place) for place in range(1, len(documents) + 1)})


def _given(injected: Sequence[Injected], rows: Sequence[tuple[str, str, str]], documents: Sequence[str]) -> str:
    """What users, items and documents say: an assistant's earlier message is no source of numbers."""
    users = [text for role, _, text in rows if role == "user"]
    return fold("\n".join([*(item.text for item in injected), *users, *documents])).text


_PAIR: Final = 2
_ROW_FORM: Final = "a (role, text) pair or a mapping with role and text (or content)"


def _said(row: Any) -> tuple[str, str]:
    """The role and the words of one row of a transcript, as a caller passes it."""
    if isinstance(row, Mapping):
        pair: Any = (row.get("role"), row.get("text", row.get("content")))
    else:
        pair = tuple(row) if isinstance(row, list | tuple) else ()
    if len(pair) != _PAIR or not all(isinstance(part, str) for part in pair):
        raise TypeError(f"a row of the transcript is {row!r:.80}; it must be {_ROW_FORM}, both strings")
    return pair[0], pair[1]


def _row(role: str, text: str) -> tuple[str, str, str]:
    name, _, author = role.partition(":")
    return name, author, text
