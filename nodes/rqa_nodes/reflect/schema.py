"""What shape must a model's analysis, and an evaluator's answer, have?

One definition serves three uses: the types of the plain JSON that the state holds, the validation of what the parser
made of a model's words, and the JSON schema for servers that constrain decoding. There is no field in which the model
vouches for itself. Servers differ in how they resolve `$ref`, so the schemas are written out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

__all__ = [
    "ELEMENT_LISTS",
    "LAYERS",
    "MAX_ITEMS",
    "STANCES",
    "Analysis",
    "Candidate",
    "Evaluation",
    "FeatureMap",
    "MemoryTension",
    "SearchDecision",
    "SelfUpdateProposal",
    "ToolRequest",
    "analysis_schema",
    "element_text",
    "evaluation_schema",
    "validate_analysis",
]

MAX_ITEMS: Final = 5
"""Items in any list of an analysis, the candidates excepted."""

LAYERS: Final = ("L3", "L4", "L5", "L7")
"""What a question may target: tension, assumption, frame, next question."""

STANCES: Final = ("claim_skeptic", "frame_skeptic", "steelman")

ELEMENT_LISTS: Final = (
    "surface_terms",
    "claims",
    "evidence",
    "tensions_input_internal",
    "tensions_memory_cross",
    "assumptions",
    "frames",
)
"""The lists of a feature map, in the order in which they are written."""

Texts = Annotated[list[str], Field(max_length=MAX_ITEMS)]


class MemoryTension(TypedDict):
    """A tension between the input and one remembered item."""

    tension: str
    memory_ref: str
    """A handle given this turn; empty where there is none."""
    recorded_at: str
    confidence: Literal["high", "medium", "low"]


class FeatureMap(TypedDict):
    """What the input is made of."""

    surface_terms: Texts
    claims: Texts
    evidence: Texts
    tensions_input_internal: Texts
    tensions_memory_cross: Annotated[list[MemoryTension], Field(max_length=MAX_ITEMS)]
    assumptions: Texts
    frames: Texts


class SearchDecision(TypedDict):
    """Would looking something up help?"""

    search_needed: bool
    reason: str
    queries: Texts


class Candidate(TypedDict):
    """One drafted question. An unknown layer or stance is kept as written here, and dropped by the diversity check."""

    question: str
    target_layer: Annotated[str, Field(json_schema_extra={"enum": list(LAYERS)})]
    target_element: str
    """`list[index]` of the feature map, or the words of an element."""
    stance: Annotated[str, Field(json_schema_extra={"enum": list(STANCES)})]


class SelfUpdateProposal(TypedDict):
    """A change that the generator would like to its own habits; a person decides."""

    allowed_area: str
    update_type: str
    observation: str
    proposed_adjustment: str
    rollback: str


class ToolRequest(TypedDict):
    """A tool that the generator asks for; the controller decides."""

    tool: str
    reason: str
    query: str
    expected_use: str


class Analysis(TypedDict):
    """What the generator returns in one completion."""

    feature_map: FeatureMap
    search_decision: SearchDecision
    question_candidates: list[Candidate]
    self_ranking: list[int]
    self_update_proposal: SelfUpdateProposal | None
    tool_request: ToolRequest | None


class CandidateScore(TypedDict):
    """The evaluator's four integers for one candidate, 0 to 10 each."""

    index: int
    depth: Annotated[int, Field(ge=0, le=10)]
    sharpness: Annotated[int, Field(ge=0, le=10)]
    novelty: Annotated[int, Field(ge=0, le=10)]
    actionability: Annotated[int, Field(ge=0, le=10)]


class Evaluation(TypedDict):
    """What the evaluator returns in one call a round."""

    scores: list[CandidateScore]
    best_index: int
    rationale: str


_ANALYSIS: Final = TypeAdapter(Analysis)
_EVALUATION: Final = TypeAdapter(Evaluation)


def validate_analysis(value: Mapping[str, Any]) -> Analysis:
    """Check the final shape. Raises pydantic's ValidationError; our own parser never lets it come to that."""
    return _ANALYSIS.validate_python(value, strict=True)


def analysis_schema(candidates: int) -> dict[str, Any]:
    """JSON schema of an analysis with exactly `candidates` questions, without references."""
    schema = _written_out(_ANALYSIS)
    schema["properties"]["question_candidates"] |= {"minItems": candidates, "maxItems": candidates}
    schema["properties"]["self_ranking"] |= {"minItems": candidates, "maxItems": candidates}
    return schema


def evaluation_schema(candidates: int) -> dict[str, Any]:
    """JSON schema of an evaluation of `candidates` questions, without references."""
    schema = _written_out(_EVALUATION)
    schema["properties"]["scores"] |= {"minItems": candidates, "maxItems": candidates}
    return schema


def _written_out(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    schema = adapter.json_schema()
    definitions = schema.pop("$defs", {})
    written: dict[str, Any] = _resolve(schema, definitions)
    return written


def _resolve(part: Any, definitions: Mapping[str, Any]) -> Any:
    """The part with references replaced, prose and titles left out, and every object closed."""
    if isinstance(part, list):
        return [_resolve(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _resolve(definitions[part["$ref"].rsplit("/", 1)[1]], definitions)
    if "properties" in part:
        properties = {name: _resolve(value, definitions) for name, value in part["properties"].items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return {key: _resolve(value, definitions) for key, value in part.items() if key not in ("title", "description")}


@cache
def _known_lists() -> frozenset[str]:
    return frozenset(ELEMENT_LISTS)


def element_text(feature_map: FeatureMap, target: str) -> str:
    """The words of the element that `list[index]` names; empty if there is none."""
    name, _, rest = target.partition("[")
    number = rest.split("]", 1)[0]
    if name not in _known_lists() or not (number.isascii() and number.isdigit() and len(number) < 3):
        return ""
    items: Sequence[Any] = feature_map[name]  # type: ignore[literal-required]  # checked against the list of names
    if int(number) >= len(items):
        return ""
    item = items[int(number)]
    return item if isinstance(item, str) else str(item["tension"])
