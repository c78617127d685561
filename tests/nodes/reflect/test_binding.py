"""The judge is the approved one, or there is none."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from rqa_nodes.errors import BindingRefusedError
from rqa_nodes.reflect.binding import Binding, check_approved
from rqa_nodes.reflect.rubric import rubric_hash, rubric_text

CONFIG = Path(__file__).parents[3] / "config"


def _binding(**changed: Any) -> Binding:
    row = {
        "release": "r1",
        "endpoint": "http://127.0.0.1:1/v1",
        "model": "m",
        "key_variable": "",
        "rubric_hash": rubric_hash(),
    }
    return Binding.from_mapping(row | changed)


def _approved(binding: Binding, **changed: Any) -> dict[str, Any]:
    row = {"who": "Mara", "when": "2026-11-30", "hash": binding.fingerprint}
    return {"evaluator_binding": [{"who": "A", "when": "2026-01-01", "hash": "sha256:old"}, row | changed]}


def test_the_shipped_binding_is_the_approved_one_for_the_shipped_rubric() -> None:
    binding = Binding.from_mapping(yaml.safe_load((CONFIG / "evaluator_binding.yaml").read_text(encoding="utf-8")))
    approvals = yaml.safe_load((CONFIG / "approvals.yaml").read_text(encoding="utf-8"))
    check_approved(binding, approvals)


def test_an_approved_binding_passes() -> None:
    check_approved(_binding(), _approved(_binding()))


@pytest.mark.parametrize("field", [field.name for field in fields(Binding) if field.name != "rubric_hash"])
def test_any_changed_field_is_refused(field: str) -> None:
    with pytest.raises(BindingRefusedError) as refused:
        check_approved(_binding(**{field: "other"}), _approved(_binding()))
    assert "rqa evaluator approve" in refused.value.hint


def test_a_changed_rubric_is_refused_though_the_binding_is_the_approved_one() -> None:
    with pytest.raises(BindingRefusedError):
        check_approved(_binding(), _approved(_binding()), rubric=rubric_text() + "Be generous.\n")


def test_a_binding_that_names_another_rubric_is_refused_even_if_approved() -> None:
    binding = _binding(rubric_hash=rubric_hash("another rubric"))
    with pytest.raises(BindingRefusedError):
        check_approved(binding, _approved(binding))


@pytest.mark.parametrize("row", [{"who": ""}, {"when": None}, {"hash": ""}])
def test_an_approval_without_who_when_or_hash_approves_nothing(row: dict[str, Any]) -> None:
    with pytest.raises(BindingRefusedError):
        check_approved(_binding(), _approved(_binding(), **row))


@pytest.mark.parametrize(
    "approvals", [{}, {"evaluator_binding": []}, {"evaluator_binding": "yes"}, {"evaluator_binding": ["x"]}]
)
def test_no_approval_is_no_approval(approvals: dict[str, Any]) -> None:
    with pytest.raises(BindingRefusedError):
        check_approved(_binding(), approvals)


def test_only_the_latest_approval_counts() -> None:
    rows = _approved(_binding())["evaluator_binding"]
    with pytest.raises(BindingRefusedError):
        check_approved(_binding(), {"evaluator_binding": rows[::-1]})


@pytest.mark.parametrize("changed", [{"model": None}, {"release": 5}, {"temperature": "0"}])
def test_a_binding_with_wrong_fields_is_refused_by_name(changed: dict[str, Any]) -> None:
    with pytest.raises(BindingRefusedError) as refused:
        _binding(**changed)
    assert next(iter(changed)) in refused.value.message


def test_line_ends_of_a_checkout_do_not_change_the_rubric_hash() -> None:
    assert rubric_hash(rubric_text().replace("\n", "\r\n")) == rubric_hash()
    assert rubric_hash(rubric_text() + " ") != rubric_hash()
