"""The schemas that constrain a server agree with what the parser returns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from rqa_nodes.reflect.schema import (
    LAYERS,
    STANCES,
    analysis_schema,
    element_text,
    evaluation_schema,
    validate_analysis,
)
from tests.support.analyses import parsed, raw


def _objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for part in schema for found in _objects(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [found for part in schema.values() for found in _objects(part)]


@pytest.mark.parametrize("schema", [analysis_schema(4), evaluation_schema(3)])
def test_a_schema_stands_alone_and_every_object_in_it_is_closed(schema: dict[str, Any]) -> None:
    assert "$ref" not in json.dumps(schema)
    assert "$defs" not in schema
    for found in _objects(schema):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


@pytest.mark.parametrize("candidates", [1, 3, 6])
def test_the_schema_asks_for_exactly_k_candidates(candidates: int) -> None:
    drafts = analysis_schema(candidates)["properties"]["question_candidates"]
    assert (drafts["minItems"], drafts["maxItems"]) == (candidates, candidates)


def test_the_schema_names_the_layers_and_stances() -> None:
    draft = analysis_schema(3)["properties"]["question_candidates"]["items"]["properties"]
    assert draft["target_layer"]["enum"] == list(LAYERS)
    assert draft["stance"]["enum"] == list(STANCES)


def test_one_schema_does_not_change_another() -> None:
    before = analysis_schema(2)
    analysis_schema(6)["properties"].clear()
    assert analysis_schema(2) == before


def test_what_the_parser_returns_has_the_shape_of_the_schema() -> None:
    analysis = parsed()
    assert list(analysis_schema(4)["properties"]) == list(analysis)
    assert validate_analysis(analysis) == analysis


def test_a_sixth_claim_is_refused() -> None:
    written = raw()
    written["feature_map"]["claims"] = ["x"] * 6
    with pytest.raises(ValidationError):
        validate_analysis(written)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("claims[0]", "weekly releases raise quality"),
        ("claims[1]", ""),
        ("claims[-1]", ""),
        ("claims[٣]", ""),
        ("claims", ""),
        ("__class__[0]", ""),
        ("", ""),
    ],
)
def test_an_element_is_found_by_its_path_or_not_at_all(target: str, text: str) -> None:
    assert element_text(parsed()["feature_map"], target) == text
