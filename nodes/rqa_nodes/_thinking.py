"""Which part of a model's words is its answer, and which is thinking that leaked into it?

Invariant: thinking marked in one of the known ways never comes out, however the chunks fall, and where only its end is
marked it is at least known for what it was (`leaked`); all other text comes out unchanged, so that a reply may speak
about such marks within a line, in backticks or in a code block.
The outside facts: thinking is switched off at the server, but servers without a parser for a model's marks send it
inline; some chat templates open the thinking in the prompt, so that only its end is in the answer; and a server that
drops special tokens leaves of gpt-oss's channels the bare words "analysis" and "assistantfinal".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["AnswerOnly"]

_TAGS: Final = (
    *("think", "thinking", "thought", "thoughts", "reasoning", "seed:think"),
    *("思考", "思考過程", "推論", "推論過程", "思考过程", "推理", "推理过程"),
)
_PAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"<{tag}>": (f"</{tag}>",) for tag in _TAGS},
    **{f"＜{tag}＞": (f"＜/{tag}＞", f"＜／{tag}＞") for tag in _TAGS},
    "[think]": ("[/think]",),
    "◁think▷": ("◁/think▷",),
    "<|begin_of_thought|>": ("<|end_of_thought|>",),
    "<|channel>thought": ("<channel|>",),
    "<unused94>thought": ("<unused95>",),
    "【思考】": ("【/思考】", "【回答】", "【答え】", "【最終回答】", "【最终回答】"),
    "【思考過程】": ("【/思考過程】", "【回答】", "【答え】", "【最終回答】"),
    "【思考过程】": ("【/思考过程】", "【回答】", "【最终回答】"),
}
"""How a thinking part opens and closes, in lower case: Qwen and DeepSeek, Seed, Magistral, Kimi, Sky-T1, Gemma 4,
MedGemma, and tags as Japanese and Chinese fine-tunes write them."""
_OPENINGS: Final = tuple(_PAIRS)
_CLOSINGS: Final = tuple(closing for closings in _PAIRS.values() for closing in closings if closing[1] in "/／")
_HARMONY: Final = ("<|channel|>", "<|start|>assistant")
"""How a message of gpt-oss begins; its channels are analysis, commentary and final, and only the last is an answer."""
_BARE: Final = "analysis"
_BARE_END: Final = "assistantfinal"
_LONGEST: Final = max(map(len, (*_OPENINGS, *_HARMONY, *_CLOSINGS)))
_FENCE: Final = "```"
_MARK_START: Final = re.compile(r"[<＜\[◁【]")
_BARE_START: Final = re.compile("analysis[A-Z\u3040-\u30ff\u3400-\u9fff]")
_TOKEN_CHARACTERS: Final = 24


class AnswerOnly:
    """Feed it chunks; it returns the words of the answer. Linear in the text."""

    def __init__(self, *, whole: bool = False) -> None:
        """`whole`: give nothing out before the end, so that thinking of which only the end is marked can be dropped."""
        self._reader: _Marked | _Channels | _Bare | None = None
        self._held = ""
        self._whole = whole
        self._kept: list[str] = []
        self.leaked = False
        """True once what was given out has turned out to be thinking."""

    def feed(self, chunk: str) -> str:
        """The part of the answer that is certain by now; white space before it is dropped."""
        if self._reader is None:
            self._held = (self._held + chunk).lstrip()
            self._reader = _reader_for(self._held)
            if self._reader is None:
                return ""
            chunk, self._held = self._held, ""
        return self._passed(self._reader.feed(chunk))

    def finish(self) -> str:
        """What is left at the end: nothing if the thinking never ended."""
        if self._reader is None:
            self._reader, held = _Marked(), self._held
            self._kept.append(self._passed(self._reader.feed(held)))
        last = self._passed(self._reader.finish())
        return "".join([*self._kept, last]).lstrip() if self._kept else last

    def _passed(self, text: str) -> str:
        """Take over where another reader is due, and hold back what is wanted whole."""
        reader = self._reader
        if isinstance(reader, _Marked) and reader.thinking_ended:
            reader.thinking_ended = False
            self._kept, self.leaked = [], self.leaked or not self._whole
            if reader.channels:
                self._reader = _Channels()
                text = self._reader.feed(reader.after)
        if not self._whole:
            return text
        self._kept.append(text)
        return ""


def _reader_for(text: str) -> _Marked | _Channels | _Bare | None:
    """Who reads a text that begins so; None until that is decided."""
    if any(text.startswith(mark) for mark in _HARMONY):
        return _Channels()
    if _BARE_START.match(text):
        return _Bare()
    if any(mark.startswith(text) for mark in (*_HARMONY, _BARE)):
        return None
    return _Marked()


class _Marked:
    """Reads text in which thinking stands between an opening and a closing mark, at the beginning of a line."""

    def __init__(self) -> None:
        self._held = ""
        self._closings: tuple[str, ...] = ()
        self._line_starts = True
        self._blank = True
        self._fenced = False
        self._tail = ""
        self.thinking_ended = False
        """A closing mark came without an opening one: all before it was thinking."""
        self.after = ""
        """Where channels took over: their first words."""
        self.channels = False

    def feed(self, chunk: str) -> str:
        self._held += chunk
        out: list[str] = []
        while self._held and self._step(out):
            pass
        return "".join(out)

    def finish(self) -> str:
        held, self._held = self._held, ""
        if self._closings:
            return ""
        if self._blank:
            held = held.lstrip()
        out = [held]
        self._look_for_end(held, out)
        return "".join(out)

    def _step(self, out: list[str]) -> bool:
        """Take one part off what is held; False if more must come first."""
        if self._closings:
            return self._skip_thinking()
        if self._line_starts and not self._begin_line():
            return False
        return bool(self._closings) or self._pass_line(out)

    def _skip_thinking(self) -> bool:
        low = self._held.lower()
        found = [(at, len(mark)) for mark in self._closings if (at := low.find(mark)) >= 0]
        if not found:
            self._held = self._held[-_LONGEST:]
            return False
        at, size = min(found)
        self._held, self._closings, self._line_starts = self._held[at + size :], (), True
        self._blank = True
        return True

    def _begin_line(self) -> bool:
        """Does the line open thinking or a code block? False while that cannot be said."""
        if self._blank:
            self._held = self._held.lstrip()
        text = self._held.lstrip(" \t")
        low = text[:_LONGEST].lower()
        if not low or (not self._fenced and any(mark.startswith(low) for mark in _OPENINGS if mark != low)):
            return False
        opened = [mark for mark in _OPENINGS if low.startswith(mark)]
        if opened and not self._fenced:
            mark = max(opened, key=len)
            self._closings, self._held = _PAIRS[mark], text[len(mark) :]
            return True
        if len(low) < len(_FENCE) and _FENCE.startswith(low):
            return False
        self._fenced ^= low.startswith(_FENCE)
        self._line_starts = self._blank = False
        return True

    def _pass_line(self, out: list[str]) -> bool:
        line, newline, rest = self._held.partition("\n")
        if not self._fenced and (at := _first_of(line, _HARMONY)) >= 0 and line[at - 1 : at] != "`":
            self.thinking_ended = self.channels = True
            self.after, self._held = self._held[at:], ""
            return False
        if not newline:
            keep = len(line) if self._fenced else _open_end(line)
            self._note(line[:keep], out)
            self._held = line[keep:]
            return False
        opening = next((o for o in _OPENINGS if line.rstrip().lower().endswith(o)), "")
        if opening and not self._fenced and not line.rstrip()[: -len(opening)].endswith("`"):
            self._note(line.rstrip()[: -len(opening)], out)
            self._closings, self._held = _PAIRS[opening], rest
            return True
        self._note(line + newline, out)
        self._look_for_end("", out)
        self._tail, self._held, self._line_starts = "", rest, True
        return True

    def _note(self, text: str, out: list[str]) -> None:
        out.append(text)
        self._tail = (self._tail + text)[-2 * _LONGEST :]

    def _look_for_end(self, last: str, out: list[str]) -> None:
        """A closing mark at the end of a line, without its opening one in it: only its end was marked."""
        line = (self._tail + last).rstrip().lower()
        mark = next((mark for mark in _CLOSINGS if line.endswith(mark)), "")
        before = line[: -len(mark)] if mark else "`"
        opening = mark.replace("/", "").replace("／", "")
        if not self._fenced and not before.endswith("`") and opening not in before:
            self.thinking_ended = self._blank = True
            out.clear()


def _first_of(text: str, marks: tuple[str, ...]) -> int:
    return min((at for mark in marks if (at := text.find(mark)) >= 0), default=-1)


def _open_end(line: str) -> int:
    """Where the end of a line begins that may still become a mark; its length if nothing may."""
    start = max(0, len(line) - _LONGEST)
    for found in _MARK_START.finditer(line[start:]):
        end = line[start + int(found.start()) :].lower()
        if any(mark.startswith(end.rstrip()) for mark in (*_OPENINGS, *_HARMONY)):
            return start + int(found.start())
    return len(line)


class _Channels:
    """Reads gpt-oss's messages; only what is in the channel "final", or in none, is the answer."""

    def __init__(self) -> None:
        self._held = ""
        self._channel: str | None = None
        self._reads_name = False
        self._is_answer = False

    def feed(self, chunk: str) -> str:
        self._held += chunk
        out: list[str] = []
        while self._held:
            before, mark, rest = self._held.partition("<|")
            if not mark:
                keep = len(before) - before.endswith("<")
                self._take(before[:keep], out)
                self._held = before[keep:]
                break
            name, closed, after = rest.partition("|>")
            if not closed and len(rest) <= _TOKEN_CHARACTERS:
                self._take(before, out)
                self._held = mark + rest
                break
            self._take(before, out)
            self._held = after if closed else rest
            self._mark(name if closed else "")
        return "".join(out)

    def finish(self) -> str:
        held, self._held = self._held, ""
        out: list[str] = []
        self._take(held if not held.startswith("<|") else "", out)
        return "".join(out)

    def _take(self, text: str, out: list[str]) -> None:
        if self._is_answer:
            out.append(text)
        elif self._reads_name:
            self._channel = (self._channel or "") + text

    def _mark(self, name: str) -> None:
        if name == "channel":
            self._channel, self._reads_name, self._is_answer = "", True, False
        elif name == "message":
            spoken = None if self._channel is None else self._channel.split()[:1]
            self._reads_name, self._is_answer = False, spoken in (None, ["final"])
        elif name in {"start", "end", "return", "call"}:
            self._channel, self._reads_name, self._is_answer = None, False, False
        else:
            self._reads_name = False


class _Bare:
    """Reads what is left of gpt-oss's channels where the special tokens were dropped."""

    def __init__(self) -> None:
        self._held = ""
        self._answers = False

    def feed(self, chunk: str) -> str:
        if self._answers:
            return chunk
        self._held += chunk
        _, end, after = self._held.partition(_BARE_END)
        if not end:
            self._held = self._held[-len(_BARE_END) :]
            return ""
        self._answers = True
        return after.lstrip()

    def finish(self) -> str:
        return ""
