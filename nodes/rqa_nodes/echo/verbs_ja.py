"""In which forms does a Japanese verb say that something was done?

The lexicon lists verbs as a dictionary does; the past, the state that lasts ("has said") and the forms of respect and
of modesty follow from the class of the verb. Who acts is told by the form: respect speaks of the reader, modesty of
the writer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import any_of

__all__ = ["Verbs", "deed"]

_GODAN: Final = {
    "う": ("っ", "い", "わ"), "つ": ("っ", "ち", "た"), "る": ("っ", "り", "ら"), "す": ("し", "し", "さ"),
    "く": ("い", "き", "か"), "ぐ": ("い", "ぎ", "が"), "む": ("ん", "み", "ま"), "ぶ": ("ん", "び", "ば"),
    "ぬ": ("ん", "に", "な"),
}  # fmt: skip
"""Before the past ending, before "-masu", before the passive, by the last kana of a verb of five grades."""
_VOICED: Final = frozenset("ぐむぶぬ")

_TA: Final = r"た(?![らり])"
_GIVEN: Final = r"(?:いただ[いき]|頂[いき]|頂戴し|くださ[いっ]|下さ[いっ]|たまわ[りっ]|賜[りっ])"
_TAIL: Final = rf"(?:て(?:い|おり|お|き)?)?(?:まし)?(?:{_TA}|(?<=い)ます|(?<=おり)ます|(?<=てい)る)"
"""What ends a form of respect."""


def _te(ta: str, te: str) -> str:
    """The past ending and what is built on the "-te" form."""
    helps = (
        r"(?:い|おり|お|おられ|いらっしゃ[いっ]|いらし|あ[りっ]|き|いただ[いき]|頂[いき]|くださ[いっ]|下さ[いっ]|くれ|"
        r"もら[いっ]|もろう?|しま[いっ]|おき|おい|は[りっ])"
    )
    lasting = rf"(?:{helps}て)?(?:い|おり|お|あり|あ|いらっしゃい|おられ)?(?:ます(?![のが])|る(?![かな]))"
    return rf"(?:{ta}(?![らり])|{te}(?:(?:{helps}て?){{0,3}}(?:まし)?{_TA}|{lasting}))"


_MASU: Final = rf"まし{_TA}"
_PASSIVE: Final = rf"れ(?:て(?:い|おり|お|き)?)?(?:まし)?(?:{_TA}|(?<=て)ます|(?<=い)ます|(?<=おり)ます|(?<=い)る)"


class Verbs(NamedTuple):
    """Verbs by class, in the form of the dictionary; verbs of "suru" without it."""

    godan: tuple[str, ...] = ()
    ichidan: tuple[str, ...] = ()
    suru: tuple[str, ...] = ()

    @classmethod
    def of(cls, *groups: Mapping[str, Iterable[str]]) -> Verbs:
        """All verbs of some groups of the lexicon."""
        return cls(*(tuple(verb for group in groups for verb in group.get(name, ())) for name in cls._fields))

    def roots(self) -> list[str]:
        """What stays the same in all forms."""
        return [*(verb[:-1] for verb in (*self.godan, *self.ichidan)), *self.suru]

    def past(self) -> str:
        """A pattern for the past and for the state that lasts, without respect and modesty."""
        forms = []
        for kana, (te, masu, passive) in _GODAN.items():
            roots = [verb[:-1] for verb in self.godan if verb.endswith(kana)]
            if roots:
                end = _te("だ", "で") if kana in _VOICED else _te("た", "て")
                te = f"[{te}う]" if kana == "う" else te  # as in Kansai
                forms.append(rf"(?:{any_of(roots)})(?:{te}{end}|{masu}{_MASU}|{passive}{_PASSIVE})")
        roots = [verb[:-1] for verb in self.ichidan]
        forms.append(rf"(?:{any_of(roots)})(?:{_te('た', 'て')}|{_MASU}|ら{_PASSIVE})")
        done = rf"し(?:合[いっ])?(?:{_te('た', 'て')}|{_MASU})|さ{_PASSIVE}"
        forms.append(
            rf"(?:{any_of(self.suru)})(?:を|も|は)?(?:{done}|を(?:行|交わ|重ね|続け|繰り返)[いっし]?{_TA}|済み)"
        )
        return "|".join(forms)

    def promised(self) -> str:
        """A pattern for what the speaker has just done, or is about to do, once and for all."""
        kept = (
            r"(?:おき(?:ます|ました)|おく|おいた|あります|いま(?:す|した)|おりま(?:す|した)|しまいました|あげた|"
            r"差し上げました)"
        )
        forms = []
        for kana, (te, masu, _) in _GODAN.items():
            roots = [verb[:-1] for verb in self.godan if verb.endswith(kana)]
            if roots:
                ta, join, to = ("だ", "で", "ど") if kana in _VOICED else ("た", "て", "と")
                forms.append(
                    rf"(?:{any_of(roots)})(?:{te}(?:{ta}|{join}{kept}|{to}(?:き(?:ます|ました)|く|いた))|{masu}ま(?:す|した))"
                )
        short = rf"(?:た|て{kept}|と(?:き(?:ます|ました)|く|いた)|ま(?:す|した)|させていただきま(?:す|した))"
        if self.ichidan:
            forms.append(rf"(?:{any_of([verb[:-1] for verb in self.ichidan])}){short}")
        over = r"できました|(?:済み|ずみ|完了)(?:です|しました)?|が完了しました"
        done = rf"(?:し|いたし|致し){short}|させていただきま(?:す|した)|{over}"
        forms.append(rf"(?:{any_of(self.suru)})(?:を|に残)?(?:{done})")
        return "|".join(forms)

    def _asked(self) -> str:
        """Asked back with a denial: "did you not say"."""
        roots = [verb[:-1] + _GODAN[verb[-1]][0] + ("で" if verb[-1] in _VOICED else "て") for verb in self.godan]
        roots += [f"{verb[:-1]}て" for verb in self.ichidan] + [f"{verb}して" for verb in self.suru]
        return rf"(?:{any_of([*roots, 'おっしゃって', '仰って'])})い?(?:ません(?:でした)?|なかった)(?:です)?(?:か|っけ)"

    def _masu(self) -> str:
        """What stands between "o-" and a helping verb of respect."""
        return any_of(
            [*(verb[:-1] + _GODAN[verb[-1]][1] for verb in self.godan), *(verb[:-1] for verb in self.ichidan)]
        )

    def _polite(self) -> str:
        return rf"(?:お(?:{self._masu()})|[ごお]?(?:{any_of(self.suru)})(?:し|を|も)?)"


_FIRST: Final = frozenset("おご仰伺う承拝申")
"""With what respect, modesty and hearing begin."""


def deed(verbs: Verbs) -> str:
    """A pattern for the past of these verbs, with the groups `yours`, `mine`, `heard`, `asked` and `plain`."""
    polite = verbs._polite()
    yours = (
        rf"{polite}なさ(?:っ{_TAIL}|い{_MASU})|(?:おっしゃ|仰)(?:い{_MASU}|られ{_TAIL}|せ{_TAIL}|{_te('った', 'って')})"
        rf"|{polite}(?:に(?:なっ|なり|なられ)|{_GIVEN}){_TAIL}|[ご](?:{any_of(verbs.suru)})の(?:あった|ありました)"
        rf"|(?:お(?:{verbs._masu()})|ご(?:{any_of(verbs.suru)}))の"
    )
    heard = (
        rf"(?:伺|うかが)(?:い{_MASU}|{_te('った', 'って')})|承(?:り{_MASU}|{_te('った', 'って')})|"
        rf"お聞き(?:し|いたし|致し){_TAIL}|(?:拝聴|拝見|拝読)し{_TAIL}"
    )
    mine = (
        rf"申し(?:上げ)?(?:{_te('た', 'て')}|{_MASU})|"
        rf"(?:お(?:{verbs._masu()})|ご(?:{any_of(verbs.suru)})|お話|お約束|お返事|お電話)"
        rf"(?:し|いたし|致し|申し上げ|差し上げ){_TAIL}"
    )
    asked, plain = verbs._asked(), verbs.past()
    first = "".join(sorted({word[0] for word in verbs.roots()} | _FIRST))  # tells most places at once
    every = rf"(?P<heard>{heard})|(?P<yours>{yours})|(?P<mine>{mine})|(?P<asked>{asked})|(?P<plain>{plain})"
    return rf"(?=[{first}])(?:{every})"
