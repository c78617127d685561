"""How deep does this input go: a fixed reply, an answer, a guided answer or the instrument panel?

Pure rules over text: no model, no memory, no clock. The rules are data (`config/router.yaml`), tried in order, and the
first whose conditions all hold decides; the last one always holds. A greeting followed by a real question is the
question, and a target that was never given is asked for, not guessed.
Input may be two megabytes of anything, so only a bounded window of it is matched, with RE2, whose time is linear. The
command line answers light input from this module alone, hence no framework import.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, cast, get_args

import re2

from rqa_nodes.errors import RouterRulesError
from rqa_nodes.language import Lang, detect

__all__ = ["Budget", "Level", "Mode", "Route", "Router"]

Level = Literal[0, 1, 2, 3]
Mode = Literal["fixed", "clarify", "direct", "guided", "instrument"]
Budget = Literal["quick", "standard", "full"]

T = TypeVar("T")

_LANGS: Final = get_args(Lang)

_WHOLE_CHARS: Final = 400
"""A longer input is never "nothing else than" a greeting or a bare request."""

_MAX_PRELUDES: Final = 4
"""Greetings, thanks and wrappers taken off the front; more of them are content."""

_AUTOMATON_BYTES: Final = 64 << 20
"""What RE2 may keep of one table's automaton at most; little of it is used. With its usual 8 MiB the larger tables do
not fit, and each match falls back to a matcher that is a hundred times slower."""

_FRAGMENT: Final = re.compile(r"\{([a-z_]+)\}")
_INVISIBLE: Final = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u00ad\x00-\x08\x0b-\x1f\x7f]")
_WIDE: Final = re.compile("[\u2e80-\U0003ffff]+")
_OPENERS: Final = " \n\"'(「『“‘"
_BLANKS: Final = re.compile("[ \t]+")


_PRELUDE: Final[Mapping[int, Mapping[Lang, str]]] = {
    2: {
        "en": "Let me look at that.",
        "ja": "少し考えてみます。",
        "zh": "让我想一想。",
    },
    3: {
        "en": "Taking this apart: claims, tensions, assumptions, then one deeper question.",
        "ja": "主張、矛盾と飛躍、前提を順に取り出し、最後に一つ深い問いを立てます。",
        "zh": "先拆出主张、张力和前提，再提出一个更深的问题。",
    },
}
"""What is said at once, so that nobody waits before a blank screen. Never from a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The router's decision."""

    level: Level
    mode: Mode
    reason: str
    """Id of the rule that decided."""
    budget: Budget | None
    """How much reflection is allowed; None at levels 0 and 1."""
    side_question: bool
    """May one side question follow? Only at level 2."""
    lang: Lang
    reply: str = ""
    """What is said at level 0, in `lang`; empty at the other levels."""
    budget_reason: str = ""
    """Id of the budget row that decided, at level 3."""

    @property
    def prelude(self) -> str:
        """What is said while the person waits, in `lang`; empty where nobody waits long."""
        return _PRELUDE[self.level][self.lang] if self.level in _PRELUDE else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What is known of an input besides its text."""

    documents: bool = False
    """It comes with a document: nothing is missing."""
    instrument: bool = False
    """The panel was asked for explicitly."""
    answered: bool = False
    """The conversation already has an answer that "this" may mean."""


class _Look:
    """One input as the rules see it."""

    def __init__(self, text: str, around: _Around, *, head: int, tail: int, preludes: Any) -> None:
        self.around = around
        self.chars = len(text)
        self.lines = sum(1 for line in text[: head + tail].splitlines() if line.strip())
        """Lines with something on them, in the window: a longer text is long enough without its lines."""
        if len(text) > head + tail:
            text = f"{text[:head]}\n{text[-tail:]}"
        folded = _fold(text)
        self.empty = not folded
        self.width = self.chars if folded.isascii() else self.chars + len(folded) - len(_WIDE.sub("", folded))
        """Length in Latin letters: a Japanese or Chinese character says as much as two. A lower bound when cut."""
        short = len(folded) <= _WHOLE_CHARS
        body = _without_preludes(folded, preludes) if short else folded
        self.window = body.encode()
        """What `search` rules match."""
        self.core = _bare(body).encode() if short else b""
        """What `whole` rules match: no greeting before it, no outer punctuation or emoji."""


_CONDITIONS: Final[Mapping[str, Callable[[_Look, int], bool]]] = {
    "documents": lambda look, want: look.around.documents == bool(want),
    "instrument": lambda look, want: look.around.instrument == bool(want),
    "answered": lambda look, want: look.around.answered == bool(want),
    "empty": lambda look, want: look.empty == bool(want),
    "min_width": lambda look, want: look.width >= want,
    "max_width": lambda look, want: look.width <= want,
    "min_chars": lambda look, want: look.chars >= want,
    "min_lines": lambda look, want: look.lines >= want,
    "max_lines": lambda look, want: look.lines <= want,
}
"""Every name that `when` may use, and what it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    """When a row of either table holds."""

    id: str
    tests: tuple[tuple[Callable[[_Look, int], bool], int], ...]
    patterns: Any
    """Compiled RE2, or None if any text will do."""
    also: Any
    whole: bool

    def holds(self, look: _Look) -> bool:
        if not all(test(look, want) for test, want in self.tests):
            return False
        if self.patterns is None:
            return True
        found = self.patterns.fullmatch(look.core) if self.whole else self.patterns.search(look.window)
        return found is not None and (self.also is None or self.also.search(look.window) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    condition: _Condition
    level: Level
    mode: Mode
    side_question: bool
    reply: Mapping[str, str]


class Router:
    """Decides by a table of rules. Immutable; one instance serves every thread."""

    __slots__ = ("_budgets", "_head", "_preludes", "_rules", "_tail")

    def __init__(
        self,
        rules: Sequence[_Rule],
        budgets: Sequence[tuple[_Condition, Budget]],
        *,
        preludes: Any,
        head: int,
        tail: int,
    ) -> None:
        self._rules = tuple(rules)
        self._budgets = tuple(budgets)
        self._preludes = preludes
        self._head = head
        self._tail = tail

    @classmethod
    def from_rules(cls, mapping: Mapping[str, Any]) -> Router:
        """Compile a table of rules, checked as a whole before any input is seen.

        Args:
            mapping: The parsed YAML: `window`, `fragments`, `preludes`, `rules`, `budgets`.

        Raises:
            RouterRulesError: A row is malformed, an id occurs twice, or the last row does not always hold.
        """
        fragments = _expand_fragments(_get(mapping, "fragments", dict))
        window = _get(mapping, "window", dict)
        rules = [_read_rule(row, fragments) for row in _get(mapping, "rules", list)]
        budgets = [_read_budget(row, fragments) for row in _get(mapping, "budgets", list)]
        _check_table("rules", [rule.condition for rule in rules])
        _check_table("budgets", [condition for condition, _ in budgets])
        return cls(
            rules,
            budgets,
            preludes=_compile(_get(mapping, "preludes", list), fragments, "preludes", over=str),
            head=_get(window, "head_chars", int),
            tail=_get(window, "tail_chars", int),
        )

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """Ids of the rules, in the order in which they are tried."""
        return tuple(rule.condition.id for rule in self._rules)

    @property
    def budget_ids(self) -> tuple[str, ...]:
        """Ids of the budget rows, in the order in which they are tried."""
        return tuple(condition.id for condition, _ in self._budgets)

    def route(
        self,
        text: str,
        *,
        has_documents: bool = False,
        instrument: bool = False,
        answered: bool = False,
        lang: str | None = None,
    ) -> Route:
        """Decide how deep an input goes.

        Args:
            text: The user's message: any string, of any length.
            has_documents: True if the message comes with a document (then nothing is missing).
            instrument: True if the panel was asked for explicitly.
            answered: True if the conversation already has an answer: a bare "this" may mean it.
            lang: "en", "ja" or "zh" to set the language of the reply; anything else: the language of the text.

        Returns:
            The decision; the same for the same arguments.
        """
        around = _Around(documents=has_documents, instrument=instrument, answered=answered)
        look = _Look(text, around, head=self._head, tail=self._tail, preludes=self._preludes)
        rule = next(rule for rule in self._rules if rule.condition.holds(look))
        language = cast("Lang", lang) if lang in _LANGS else detect(text)
        budget, budget_reason = self._budget(rule.level, look)
        return Route(
            level=rule.level,
            mode=rule.mode,
            reason=rule.condition.id,
            budget=budget,
            budget_reason=budget_reason,
            side_question=rule.side_question,
            lang=language,
            reply=rule.reply.get(language, ""),
        )

    def _budget(self, level: Level, look: _Look) -> tuple[Budget | None, str]:
        if level < 2:
            return None, ""
        if level == 2:
            return "quick", ""
        return next((budget, condition.id) for condition, budget in self._budgets if condition.holds(look))


def _fold(text: str) -> str:
    """Lower case, half width, no invisible characters, single blanks; line breaks stay."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode())
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _BLANKS.sub(" ", text.lower().replace("\u2019", "'")).strip()


def _bare(text: str) -> str:
    """Without punctuation, symbols and blanks at either end; a text of nothing else stays as it is."""
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return text[start:end] or text


def _without_preludes(text: str, preludes: Any) -> str:
    """Take greetings, thanks and wrappers off the front, but never the last words that are there."""
    for _ in range(_MAX_PRELUDES):
        found = preludes.match(text.lstrip(_OPENERS)) if preludes else None
        rest = text.lstrip(_OPENERS)[found.end() :] if found else ""
        if not any(map(str.isalnum, rest)):
            break
        text = rest
    return text


def _get(mapping: Mapping[str, Any], key: str, kind: type[T]) -> T:
    value = mapping.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RouterRulesError(
            f"`{key}` is {value!r}; a {kind.__name__} was expected.", hint="Compare with the shipped router.yaml."
        )
    return value


def _read_rule(row: Mapping[str, Any], fragments: Mapping[str, str]) -> _Rule:
    condition = _read_condition(row, fragments)
    level, mode, reply = row.get("level"), row.get("mode"), row.get("reply", {})
    if level not in get_args(Level) or mode not in get_args(Mode):
        raise RouterRulesError(
            f"Rule `{condition.id}` has level {level!r} and mode {mode!r}.",
            hint=f"Use a level of {list(get_args(Level))} and a mode of {list(get_args(Mode))}.",
        )
    if (level == 0) != all(reply.get(lang) for lang in _LANGS):
        raise RouterRulesError(
            f"Rule `{condition.id}` of level {level} has replies in {sorted(reply)!r}.",
            hint="Level 0 needs a reply in en, ja and zh; the other levels have none.",
        )
    side = bool(row.get("side_question", True)) and level == 2
    return _Rule(
        condition=condition, level=cast("Level", level), mode=cast("Mode", mode), side_question=side, reply=dict(reply)
    )


def _read_budget(row: Mapping[str, Any], fragments: Mapping[str, str]) -> tuple[_Condition, Budget]:
    condition, budget = _read_condition(row, fragments), row.get("budget")
    if budget not in get_args(Budget):
        raise RouterRulesError(
            f"Budget row `{condition.id}` names {budget!r}.", hint=f"Use one of {list(get_args(Budget))}."
        )
    return condition, cast("Budget", budget)


def _read_condition(row: Mapping[str, Any], fragments: Mapping[str, str]) -> _Condition:
    name = _get(row, "id", str)
    when = row.get("when", {})
    unknown = sorted(set(when) - set(_CONDITIONS))
    if unknown:
        raise RouterRulesError(
            f"Rule `{name}` has the condition {unknown[0]!r}.", hint=f"Use one of {sorted(_CONDITIONS)}."
        )
    return _Condition(
        id=name,
        tests=tuple((_CONDITIONS[key], want) for key, want in when.items()),
        patterns=_compile(_all_languages(row.get("patterns", {})), fragments, name),
        also=_compile(_all_languages(row.get("also", {})), fragments, name),
        whole=row.get("match") == "whole",
    )


def _check_table(name: str, rows: Sequence[_Condition]) -> None:
    ids = [row.id for row in rows]
    twice = sorted({i for i in ids if ids.count(i) > 1})
    if twice:
        raise RouterRulesError(f"`{name}` holds the id {twice[0]!r} more than once.", hint="Ids are unique.")
    if not rows or rows[-1].tests or rows[-1].patterns is not None:
        raise RouterRulesError(
            f"The last row of `{name}` does not always hold.", hint="End with a row without conditions: the default."
        )


def _all_languages(patterns: Mapping[str, Sequence[str]]) -> list[str]:
    """People mix languages in one sentence, so the patterns of all are tried at once."""
    return [pattern for lang in patterns for pattern in patterns[lang]]


def _expand_fragments(fragments: Mapping[str, str]) -> dict[str, str]:
    """Fragments may use earlier ones; each is a group, so that its alternatives stay together."""
    done: dict[str, str] = {}
    for name, pattern in fragments.items():
        done[name] = f"(?:{_expand(pattern, done, name)})"
    return done


def _expand(pattern: str, fragments: Mapping[str, str], where: str) -> str:
    def replace(found: re.Match[str]) -> str:
        if found[1] not in fragments:
            raise RouterRulesError(
                f"`{where}` uses the fragment {found[1]!r}, which is not defined above it.",
                hint=f"Defined are {sorted(fragments)}.",
            )
        return fragments[found[1]]

    return _FRAGMENT.sub(replace, pattern)


def _compile(
    patterns: Iterable[str], fragments: Mapping[str, str], where: str, *, over: type[str] | type[bytes] = bytes
) -> Any:
    """One RE2 expression; None for no patterns. Bytes spare RE2 the offsets in characters, which few rules need."""
    parts = [f"(?:{_expand(pattern, fragments, where)})" for pattern in patterns]
    if not parts:
        return None
    options = re2.Options()
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _AUTOMATON_BYTES
    try:
        joined = "|".join(parts)
        return re2.compile(joined if over is str else joined.encode(), options)
    except re2.error as error:
        raise RouterRulesError(
            f"A pattern of `{where}` is not valid RE2: {error}", hint="RE2 has no look-around and no back-references."
        ) from error
