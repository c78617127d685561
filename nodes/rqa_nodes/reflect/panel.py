"""What does the instrument show?

The panel is one plain JSON object, the same for the terminal, `--json` and the API; Markdown is only its rendering. It
is built from verified text and from counters; it holds no question that has not been through the selection, and a
question that no judge scored says so. Sections of which there is nothing (what was looked up, an accepted
self-update proposal) are left out, not left blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.choice import Choice
from rqa_nodes.reflect.degrade import reason_text
from rqa_nodes.reflect.evaluate import AXES
from rqa_nodes.reflect.panel_words import WORDS
from rqa_nodes.reflect.schema import Analysis, FeatureMap
from rqa_nodes.reflect.self_update import rows_of
from rqa_nodes.tools.words import status_words

__all__ = ["Boundary", "panel", "to_markdown"]

_NO_FEATURES: Final = FeatureMap(
    surface_terms=[],
    claims=[],
    evidence=[],
    tensions_input_internal=[],
    tensions_memory_cross=[],
    assumptions=[],
    frames=[],
)
_GATE_WORDS: Final = {"boundary": "boundary_gate"}
"""The word `boundary` is the heading of section 7."""
_MARKDOWN_CHARS: Final = str.maketrans({char: f"\\{char}" for char in "\\`*_<>#|"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """What the governor and the verifier did: section 7 of the panel."""

    stop_reason: str
    budget: Budget
    rounds: int
    """Rounds that ran."""
    injected: int
    """Items of memory given to the generator."""
    violations: Sequence[Mapping[str, Any]] = ()
    """`Violation.to_dict()` each."""
    withheld: Sequence[Mapping[str, str]] = ()
    """`{"handle", "reason"}` of items that the injection filter held back."""
    stripped: Sequence[Mapping[str, Any]] = ()
    """`{"ref", "kind", "reason"}` of memory references that the verifier removed."""
    lookups: Sequence[Mapping[str, Any]] = ()
    """What was looked up (`state.ToolRow` each)."""
    understood: Sequence[str] = ()
    """Elements of the analysis that were not in it before something was found."""
    reading: Sequence[Mapping[str, Any]] = ()
    """What was read of each document (`reading.rows_of`); also `{"evaluator": {"characters", "of"}}` of an excerpt."""


def panel(
    analysis: Analysis | None,
    best: Choice | None,
    runners_up: Sequence[Choice],
    boundary: Boundary,
    *,
    lang: str,
) -> dict[str, Any]:
    """Build the panel.

    Args:
        analysis: The verified analysis of the round that `best` comes from; None if the generator gave none.
        best: The deeper question; None if there is none, or a gate rejected it.
        runners_up: The rest of the shortlist, best first.
        boundary: What was allowed, used, withheld and rejected.
        lang: Language of the headings.
    """
    features = analysis["feature_map"] if analysis else _NO_FEATURES
    proposal = analysis["self_update_proposal"] if analysis and not boundary.violations else None
    shown: dict[str, Any] = {
        "lang": lang,
        "claims": list(features["claims"]),
        "tensions": {
            "input": list(features["tensions_input_internal"]),
            "past": [dict(row) for row in features["tensions_memory_cross"]],
        },
        "assumptions": list(features["assumptions"]),
        "frames": list(features["frames"]),
        "search": dict(analysis["search_decision"]) if analysis else None,
        "question": dict(best) if best and not boundary.violations else None,
        "runners_up": [] if boundary.violations else [dict(row) for row in runners_up],
        "boundary": _boundary(boundary),
    }
    if boundary.reading:
        shown["reading"] = [dict(row) for row in boundary.reading]
    if boundary.lookups:
        shown["lookups"] = [_lookup(row) for row in boundary.lookups]
        shown["understood"] = list(boundary.understood)
    if proposal:
        shown["self_update_proposal"] = dict(proposal)
    return shown


def _lookup(row: Mapping[str, Any]) -> dict[str, Any]:
    handles = [ref["handle"] for ref in row["items"]]
    names = ("tool", "query", "by", "status", "detail", "withheld", "leaves", "seconds")
    return {name: row[name] for name in names} | {"found": handles}


def _boundary(boundary: Boundary) -> dict[str, Any]:
    return {
        "violations": [dict(row) for row in boundary.violations],
        "withheld": [dict(row) for row in boundary.withheld],
        "stripped": [dict(row) for row in boundary.stripped],
        "injected": boundary.injected,
        "rounds": boundary.rounds,
        "stop_reason": boundary.stop_reason,
        "budget": {
            "name": boundary.budget.name,
            "candidates": boundary.budget.candidates,
            "rounds": boundary.budget.rounds,
            "fragments": boundary.budget.fragments,
        },
    }


def to_markdown(shown: Mapping[str, Any], *, brief: bool = False) -> str:
    """Render a panel in its own language; with `brief` the question, the runners-up and one status line."""
    words = WORDS["ja" if shown["lang"] == "ja" else "en"]
    if brief:
        blocks = [_question(shown["question"], shown, words), *_runners(shown, words), _status(shown, words)]
        cut = [row for row in shown.get("reading", []) if row.get("unread") or "evaluator" in row]
        return "\n\n".join([*blocks, *(["\n".join(_reading(cut, words))] if cut else [])])
    read = _reading(shown.get("reading", []), words)
    blocks = [
        *([f"### {words['reading']}\n\n" + "\n".join(read)] if read else []),
        _list_block(words["claims"], shown["claims"], words),
        _tensions(shown["tensions"], words),
        _list_block(words["assumptions"], shown["assumptions"], words),
        _list_block(words["frames"], shown["frames"], words),
        _search(shown["search"], words),
        f"### {words['question']}\n\n{_question(shown['question'], shown, words)}",
        *(f"### {words['runners_up']}\n\n{block}" for block in _runners(shown, words)),
        *_optional(shown, words),
        f"### {words['boundary']}\n\n{_boundary_lines(shown['boundary'], words)}",
    ]
    return "\n\n".join(blocks)


def _reading(rows: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> list[str]:
    return [f"- {_read_row(row, words)}" for row in rows]


def _read_row(row: Mapping[str, Any], words: Mapping[str, str]) -> str:
    if "evaluator" in row:
        return words["read_by_evaluator"].format(**row["evaluator"])
    name = _plain(row["locator"]) or words["read_input"]
    if "words" in row:
        return words["read_words"].format(name=name, characters=row["characters"], words=row["words"])
    if row["parts"] == 1 and not row["unread"]:
        return words["read_whole"].format(name=name, characters=row["characters"])
    lists = {key: _ranges(row[key]) or words["none"] for key in ("read", "unread")}
    return words["read_parts"].format(name=name, characters=row["characters"], parts=row["parts"], **lists)


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 5 as "1-3, 5"."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)


def _plain(text: str) -> str:
    """Words of a model or a person as text: nothing in them becomes markup or another line."""
    return " ".join(text.split()).translate(_MARKDOWN_CHARS)


def _bullets(items: Sequence[str], words: Mapping[str, str]) -> str:
    return "\n".join(f"- {_plain(item)}" for item in items) or f"- {words['none']}"


def _list_block(heading: str, items: Sequence[str], words: Mapping[str, str]) -> str:
    return f"### {heading}\n\n{_bullets(items, words)}"


def _tensions(tensions: Mapping[str, Any], words: Mapping[str, str]) -> str:
    block = _list_block(words["tensions"], tensions["input"], words)
    rows = [_past(row, words) for row in tensions["past"]]
    return block + (f"\n\n{words['past']}\n\n" + "\n".join(rows) if rows else "")


def _past(row: Mapping[str, str], words: Mapping[str, str]) -> str:
    reference = (
        f"[m:{row['memory_ref'].removeprefix('[m:').removesuffix(']')}]" if row["memory_ref"] else words["no_ref"]
    )
    confidence = words["confidence"].format(level=words[row["confidence"]])
    notes = ", ".join(part for part in (reference, _plain(row["recorded_at"]), confidence) if part)
    return f"- {_plain(row['tension'])} ({notes})"


def _search(search: Mapping[str, Any] | None, words: Mapping[str, str]) -> str:
    if search is None:
        return f"### {words['search']}\n\n- {words['none']}"
    said = words["search_yes"] if search["search_needed"] else words["search_no"]
    texts = ([search["reason"]] if search["reason"] else []) + list(search["queries"])
    return f"### {words['search']}\n\n" + _under(said, texts)


def _under(said: str, texts: Sequence[str]) -> str:
    """Words of ours, and below them, a line each, words that are not: on one line they would read as one sentence."""
    return "\n".join([f"- {said}", *(f"  - {_plain(text)}" for text in texts)])


def _question(best: Mapping[str, Any] | None, shown: Mapping[str, Any], words: Mapping[str, str]) -> str:
    if best is None:
        return words["no_question"].format(reason=words[shown["boundary"]["stop_reason"]])
    layer = f"{best['layer']} {words[best['layer']]}"
    lines = [
        f"**{_plain(best['question'])}**",
        "",
        _under(words["place"].format(layer=layer, stance=words[best["stance"]]), [best["target_text"]]),
        f"- {_score(best, shown['lang'], words)}",
    ]
    if best["rationale"]:
        lines.append(_under(words["rationale"], [best["rationale"]]))
    return "\n".join(lines)


def _score(row: Mapping[str, Any], lang: str, words: Mapping[str, str]) -> str:
    if row["score"] is None:
        return words["degraded"].format(reason=reason_text(row["degraded_reason"], lang))
    parts = ", ".join(f"{words[axis]} {row['scores'][axis]}" for axis in AXES)
    return words["score"].format(score=row["score"], parts=parts)


def _runners(shown: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    rows = [
        f"- {_plain(row['question'])} ({row['layer']}, {words[row['stance']]}, "
        f"{words['unscored'] if row['score'] is None else words['of_forty'].format(score=row['score'])})"
        for row in shown["runners_up"]
    ]
    return ["\n".join(rows)] if rows else []


def _optional(shown: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    blocks = []
    if "lookups" in shown:
        rows = [_lookup_row(row, shown["lang"], words) for row in shown["lookups"]]
        rows += [_under(words["understood"], shown["understood"])] if shown["understood"] else []
        blocks.append(f"### {words['understanding']}\n\n" + "\n".join(rows))
    if "self_update_proposal" in shown:
        rows = rows_of(shown["self_update_proposal"], shown["lang"])
        blocks.append(_list_block(words["self_update_proposal"], rows, words))
    return blocks


def _lookup_row(row: Mapping[str, Any], lang: str, words: Mapping[str, str]) -> str:
    """One lookup. What was found is cited, so that a reader can open it; its words stay where they are."""
    said = status_words(row["status"], lang)
    texts = [text for text in (row["query"], row["detail"]) if text]
    if row["found"]:
        texts.append(" ".join(f"[m:{handle}]" for handle in row["found"]))
    if row["withheld"]:
        texts.append(words["lookup_withheld"].format(count=row["withheld"]))
    return _under(words["lookup"].format(tool=_plain(row["tool"]), said=said), texts)


def _status(shown: Mapping[str, Any], words: Mapping[str, str]) -> str:
    boundary = shown["boundary"]
    return words["status"].format(
        stop=words[boundary["stop_reason"]],
        rounds=boundary["rounds"],
        of=boundary["budget"]["rounds"],
        budget=boundary["budget"]["name"],
        injected=boundary["injected"],
        withheld=len(boundary["withheld"]),
        stripped=len(boundary["stripped"]),
        violations=len(boundary["violations"]),
    )


def _boundary_lines(boundary: Mapping[str, Any], words: Mapping[str, str]) -> str:
    budget = boundary["budget"]
    lines = [
        words["line_violations"].format(rows=_violations(boundary["violations"], words)),
        words["line_withheld"].format(
            count=len(boundary["withheld"]), rows=_counted(boundary["withheld"], "reason", words)
        ),
        words["line_stripped"].format(
            count=len(boundary["stripped"]), rows=_counted(boundary["stripped"], "kind", words)
        ),
        words["line_injected"].format(count=boundary["injected"], of=budget["fragments"]),
        words["line_rounds"].format(count=boundary["rounds"], of=budget["rounds"]),
        words["line_stop"].format(reason=words[boundary["stop_reason"]]),
        words["line_budget"].format(name=budget["name"], candidates=budget["candidates"]),
    ]
    return "\n".join(f"- {line}" for line in lines)


def _counted(rows: Sequence[Mapping[str, Any]], name: str, words: Mapping[str, str]) -> str:
    """How many for which reason. The handles stay in the JSON: in text they would read as citations."""
    counts = Counter(str(row[name]) for row in rows)
    return "; ".join(f"{words.get(key, key)} × {count}" for key, count in counts.items()) or words["none"]


def _violations(rows: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> str:
    shown = [
        f"{row['gate']} {words[_GATE_WORDS.get(row['name'], row['name'])]}: {words[row['reason']]}"
        + (f" ({_plain(row['detail'])})" if row["detail"] else "")
        for row in rows
    ]
    return "; ".join(shown) or words["none"]
