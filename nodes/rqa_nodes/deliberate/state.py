"""What does a deliberation carry from step to step?

Plain JSON. Texts of candidates are verified before they enter it; sources are documents that a person put on the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, Literal, NotRequired

from langchain_core.messages import AnyMessage
from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict  # pydantic reads no other below Python 3.12

from rqa_checkpoints.provenance import Ask, Scope
from rqa_nodes.deliberate.ports import Found
from rqa_nodes.state import DOCUMENTED, merge_messages

__all__ = [
    "Candidate",
    "DeliberationContext",
    "DeliberationInput",
    "DeliberationOutput",
    "DeliberationState",
    "Outcome",
    "Prior",
    "Run",
    "Verdict",
    "ask_of",
    "found_of",
    "merge_candidates",
    "row_of",
]

Outcome = Literal["accept", "review", "abstain"]


class Prior(TypedDict):
    """An answer that was kept for a question like this one: shown as a guess of ours, never as a source."""

    entry: str
    question: str
    answer: str


class Candidate(TypedDict):
    """What one engine answered."""

    engine: str
    family: str
    round: int
    text: str
    """Verified; "" where it failed."""
    failure: str
    seconds: float


class Verdict(TypedDict):
    """What the reviewer said, as far as it can be used."""

    reviewer: str
    """Name of the model; "" where none could be asked."""
    family: str
    scores: dict[str, int]
    """Thousandths by engine."""
    vetoes: list[str]
    """Engines whose answer must not be given."""
    contradiction: bool
    failure: str


class Run(TypedDict):
    """What is fixed when a deliberation begins. Minted once; a resumed one keeps it."""

    id: str
    at: str
    deadline: str
    lang: str
    round: int


@dataclass(kw_only=True)
class DeliberationContext:
    """Who asks. Everything has a default."""

    __pydantic_config__: ClassVar[ConfigDict] = DOCUMENTED

    tenant: str = ""
    """Whose library; empty: the tenant of the settings ("local"). A server that knows who asks does not read it."""
    user: str = ""
    """Who asks; empty: the user of the settings. A server that knows who asks does not read it."""
    lang: str = ""
    """"en" or "ja"; empty: the language of the question."""


@with_config(DOCUMENTED)
class DeliberationInput(TypedDict):
    """What a run is given."""

    question: Annotated[str, Field(examples=["Which port does the server listen on?"])]
    """One question that stands by itself."""
    domain: Annotated[str, Field(examples=["docs"])]
    """Whose sources and policies apply: a domain of `config/cache_policies.yaml`."""
    locale: NotRequired[str]
    """Language of the answer, "en" or "ja". Empty: the language of the question."""
    jurisdiction: NotRequired[Annotated[str, Field(examples=["JP", "US-NY"])]]
    """Which law or place the question is about, as ISO 3166 has it."""
    cacheable: NotRequired[bool]
    """May question and answer be kept? Default: no."""
    no_store: NotRequired[bool]
    """Keep nothing of this run."""
    tighten: NotRequired[dict[str, int]]
    """Thresholds to raise, in thousandths."""
    prior: NotRequired[Prior | None]
    """An answer that was kept for a question like this one."""
    revalidates: NotRequired[bool]
    """Is `prior` the answer to this very question, which is looked at again?"""


@with_config(DOCUMENTED)
class DeliberationOutput(TypedDict):
    """What a run returns."""

    messages: Annotated[list[AnyMessage], merge_messages]
    """The answer, or why there is none, as verified text."""
    result: dict[str, Any]
    """The same with score, sources and how long it holds."""


def merge_candidates(left: list[Candidate], right: list[Candidate]) -> list[Candidate]:
    """Add candidates; one engine has one candidate a round, the first that came.

    Law: an empty right side changes nothing; the result is sorted by round and engine, so it does not depend on which
    engine was faster; merging the same again changes nothing.
    """
    merged = {(row["round"], row["engine"]): row for row in (*right, *left)}
    return [merged[key] for key in sorted(merged)]


class DeliberationState(TypedDict, total=False):
    """Everything."""

    question: str
    domain: str
    locale: str
    jurisdiction: str
    cacheable: bool
    no_store: bool
    tighten: dict[str, int]
    prior: Prior | None
    revalidates: bool
    run: Run
    sources: list[dict[str, Any]]
    withheld: int
    """Sources that read like orders to an assistant."""
    candidates: Annotated[list[Candidate], merge_candidates]
    verdict: Verdict
    chosen: dict[str, Any]
    """`engine`, `text` and the `spans` of each source that carry it."""
    counted: dict[str, int]
    gi: int
    caps: list[str]
    outcome: Outcome
    reason: str
    importance: int
    item: str
    """Id in the review queue; "" for none."""
    entry: str
    """Id in the library; "" while nothing is attested."""
    kept: dict[str, Any]
    """`Kept` as JSON; empty where nothing was kept."""
    refused: str
    """Why nothing was kept."""
    messages: Annotated[list[AnyMessage], merge_messages]
    result: dict[str, Any]


def ask_of(state: DeliberationState, scope: Scope, *, lang: str) -> Ask:
    """The request of a run as the library takes it."""
    return Ask(
        question=state["question"],
        tenant=scope.tenant,
        domain=state["domain"],
        locale=state.get("locale") or lang,
        jurisdiction=state.get("jurisdiction", ""),
        cacheable=state.get("cacheable", False),
        no_store=state.get("no_store", False),
        tighten=state.get("tighten", {}),
    )


def row_of(found: Found) -> dict[str, Any]:
    """A source as JSON."""
    return asdict(found)


def found_of(row: Mapping[str, Any]) -> Found:
    """A source from the state."""
    return Found(**row)
