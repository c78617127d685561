"""What a turn carries from node to node: state, input, output and context of the graph `rqa`.

Plain JSON types only, ids and digests instead of the texts of items: a checkpoint stays small, and it holds no word
that has not been verified. The log holds the texts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, NotRequired, cast
from uuid import UUID, uuid5

from langchain_core.messages import AnyMessage, BaseMessage, RemoveMessage, convert_to_messages
from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict  # pydantic reads no other below Python 3.12

__all__ = [
    "DOCUMENTED",
    "VISIBLE_MESSAGES",
    "Context",
    "DocumentInput",
    "Draft",
    "Input",
    "ItemRef",
    "LateQuestion",
    "Output",
    "RouteFacts",
    "State",
    "ToolRow",
    "TurnFacts",
    "merge_messages",
]

DOCUMENTED: Final[ConfigDict] = ConfigDict(use_attribute_docstrings=True)
"""The schemas that a server shows, and the forms that Studio draws from them, carry the words under the fields."""

VISIBLE_MESSAGES = 16
"""How many messages a thread keeps: this is the visible transcript; the log has all of them."""


_ARRIVALS: Final = UUID("2f4c9a51-7a0b-5c1e-9d43-6f0f9f1f7b60")
"""Namespace of the ids of messages that came without one. Drawn once."""


def merge_messages(left: list[AnyMessage], right: Any) -> list[AnyMessage]:
    """Append messages, replace those whose id is there already, and keep the last `VISIBLE_MESSAGES`.

    Law: an empty right side changes nothing; order of arrival is kept; one batch is two; merging messages with ids
    twice is merging them once. What comes without an id gets one made of what it follows and what it says: LangGraph's
    `add_messages` would mint a random one, and a step that gave them later would write the whole list once more.
    """
    # By id, and what was put there without one by a key of its own: a client may send a conversation of thousands.
    merged: dict[object, AnyMessage] = {message.id or object(): message for message in left}
    for message in convert_to_messages(right if isinstance(right, list) else [right]):
        if isinstance(message, RemoveMessage):
            merged.pop(message.id, None)
            continue
        arrived = message if message.id else _with_id(message, merged)
        merged[arrived.id] = cast("AnyMessage", arrived)
    return list(merged.values())[-VISIBLE_MESSAGES:]


def _with_id(message: BaseMessage, before: dict[object, AnyMessage]) -> BaseMessage:
    """The message with an id of its own, which says that it follows the last of those before it."""
    last = next(reversed(before), "")
    while last in before or not last:
        last = str(uuid5(_ARRIVALS, json.dumps([last, message.type, message.content], default=lambda _: "")))
    return message.model_copy(update={"id": last})


@dataclass(kw_only=True)
class Context:
    """Who asks, and how this one run differs from the settings. Everything has a default."""

    __pydantic_config__: ClassVar[ConfigDict] = DOCUMENTED

    tenant: str = ""
    """Whose store; empty: the tenant of the settings ("local"). A server that knows who asks does not read it."""
    user: str = ""
    """Whose memory; empty: the user of the settings (the login name). A server that knows who asks does not read it."""
    lang: str = ""
    """"en", "ja" or "zh"; empty: the language of the message."""
    model: str = ""
    """"builtin", "ollama:NAME", "groq:NAME" or "openai:NAME"; empty: `models.chat` of the settings."""
    instrument: bool = False
    """Open the instrument panel whatever the input."""
    candidates: int | None = None
    """K, the number of question candidates a round (1 to 12)."""
    depth: int | None = None
    """Rounds of reflection (1 to 5)."""
    evaluator: bool = True
    """False: no evaluator call in this run."""
    agent: str = ""
    """Who wrote the message, where it was another agent and not the person: what it says is remembered as that agent's
    note, never as the person's words."""


@with_config(DOCUMENTED)
class DocumentInput(TypedDict):
    """A document of this turn. `text` comes in; after the first node only its digest and size remain."""

    locator: str
    """Its name, path or URL, as citations will give it."""
    text: NotRequired[str]
    """All of its words."""
    digest: NotRequired[str]
    """Filled in by the graph."""
    size: NotRequired[int]
    """Filled in by the graph."""


class TurnFacts(TypedDict):
    """What is fixed when a turn begins. Minted once; a resumed turn keeps it."""

    turn_id: str
    forked_from: str
    thread: str
    tenant: str
    user: str
    lang: str
    message_id: str
    recorded_at: str
    deadline: str
    """ISO 8601: no model call starts after it, and none may last longer."""
    planned: list[str]
    """Ids of the items that the user's message will leave."""


class RouteFacts(TypedDict):
    """The router's decision."""

    level: int
    mode: str
    reason: str
    budget: str
    side_question: bool


class ItemRef(TypedDict):
    """An item of memory, given to the model this turn or left by it; its text is in the log."""

    id: str
    handle: str
    source: str


class Listing(TypedDict, total=False):
    """The list that the person asks for, open tasks or values, say; empty where they ask for no list."""

    aspect: str
    handles: list[str]
    """What stands on it and was given to the model."""
    total: int
    """How many there are."""


class ToolRow(TypedDict):
    """One request for a tool, and what came of it. The texts are items of memory."""

    tool: str
    query: str
    """As it was run, verified; "" where the controller asked with the person's own words."""
    by: Literal["controller", "model"]
    status: str
    """`tools.status.ToolStatus` by name."""
    detail: str
    """Why it brought nothing, where the status does not say it all."""
    items: list[ItemRef]
    withheld: int
    """Sources that read like instructions, or that must not become memory."""
    leaves: bool
    """True if the query left this machine."""
    seconds: float


class Draft(TypedDict):
    """Verified text on its way to the only node that publishes."""

    part: Literal["fixed", "answer", "question", "held"]
    """`held` is a question that came too late for its turn: nothing is published."""
    text: str
    released: int
    """Code points already shown on the custom channel."""
    author: str
    """The model that wrote it."""
    items: list[dict[str, str]] | None
    """What it leaves in memory, as `{"text", "kind"}`; None: its sentences by rule."""
    notes: list[str]
    """Sentences in it that the program wrote, not the author: they leave nothing in memory."""
    report: dict[str, Any]
    """What the node that wrote it found and removed; empty where nothing was checked yet."""
    proposals: NotRequired[list[dict[str, Any]]]
    """What it leaves for a person to decide (`Proposal` each)."""


class LateQuestion(TypedDict):
    """A side question that was earned and lost only to the clock; the next answer may bring it."""

    turn: TurnFacts
    """The turn that it belongs to."""
    question: str
    """Verified text."""
    target_text: str
    author: str
    injected: list[ItemRef]
    """What it may refer to."""


@with_config(DOCUMENTED)
class Input(TypedDict):
    """What a run is given."""

    messages: Annotated[
        list[AnyMessage],
        Field(examples=[[{"role": "user", "content": "What do you know about my bees?"}]]),
        merge_messages,
    ]
    """The new message, as LangChain messages or `{"role", "content"}`; the thread has the earlier ones."""
    documents: NotRequired[
        Annotated[list[DocumentInput], Field(examples=[[{"locator": "note.md", "text": "The mill stands dry."}]])]
    ]
    """Documents that the message is about: `{"locator", "text"}`."""
    cacheable: NotRequired[bool]
    """May a verified answer of before be given? Default: no. Holds for this message alone, as do the next two."""
    domain: NotRequired[Annotated[str, Field(examples=["docs"])]]
    """To which domain of the cache's policies the question belongs."""
    jurisdiction: NotRequired[Annotated[str, Field(examples=["JP", "US-NY"])]]
    """Which law or place the question is about, as ISO 3166 has it."""


@with_config(DOCUMENTED)
class Output(TypedDict):
    """What a run returns."""

    messages: Annotated[list[AnyMessage], merge_messages]
    """The visible transcript; the last one is the reply."""
    report: dict[str, Any]
    """What the verifier found: `counts`, `cited`, and of each claim what was done with it."""
    question: str | None
    """The side question, if one was earned."""
    stop_reason: str
    """Why reflection ended; empty where there was none."""
    degraded: bool
    """True if the evaluator could not be asked."""


class State(TypedDict, total=False):
    """Everything, turn-scoped unless said; the first node of a turn resets what is."""

    messages: Annotated[list[AnyMessage], merge_messages]
    documents: list[DocumentInput]
    cacheable: bool
    domain: str
    jurisdiction: str
    cache_request: dict[str, str]
    """Domain and jurisdiction of a question that the cache may answer; empty for any other."""
    cached: dict[str, Any]
    """What the look-up in the cache came to; empty where none was made."""
    deliberated: dict[str, Any]
    """What a deliberation came to: status, reason and ids, and its sources by locator and hash; empty for none."""
    turn: TurnFacts
    route: RouteFacts
    injected: list[ItemRef]
    withheld: list[dict[str, str]]
    recall_mode: str
    listing: Listing
    tools: list[ToolRow]
    """What was looked up; the limits a turn count these rows."""
    training_delta: dict[str, Any]
    """`planned`, the gain of mass by handle that a citation would bring, and `cache_hit`."""
    applied: dict[str, float]
    """What use has brought, by id; apart from what was planned, so that a checkpoint does not repeat that."""
    draft: Draft | None
    engine: str
    notice: str
    analysis: dict[str, Any]
    shortlist: list[int]
    evaluation: dict[str, Any]
    best: dict[str, Any]
    """The best question so far (`reflect.choice.Choice`)."""
    best_analysis: dict[str, Any]
    """The verified analysis of the round that `best` comes from."""
    runners_up: list[dict[str, Any]]
    round: int
    """Rounds of reflection begun; no model output can reach it."""
    reflection_started: str
    """When a side reflection was allowed; empty where the turn itself is the reflection."""
    rounds: list[dict[str, Any]]
    """One row a round of reflection: telemetry."""
    reading: dict[str, Any]
    """What was read of the documents (`reflect.reading.rows_of`), and the digest of the notes where it was in parts."""
    panel: dict[str, Any] | None
    report: dict[str, Any]
    question: str | None
    question_reason: str
    stop_reason: str
    degraded: bool
    degraded_reason: str
    stored: bool
    """False: the turn could not be written; what was shown says so."""
    cited: list[str]
    written: list[ItemRef]
    question_budget: int | None
    """Thread-scoped: side questions left; None is unlimited, 0 after "stop asking"."""
    closed_topics: list[str]
    """Thread-scoped: topics that the user has answered."""
    late: LateQuestion | None
    """Thread-scoped: a side question that waits for the next answer."""
    asked: list[str]
    """Thread-scoped: words of the side question that waits for an answer; the next message closes its topic."""
