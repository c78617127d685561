"""Why there was no judge, in words."""

from __future__ import annotations

import pytest

from rqa_nodes.errors import (
    BindingRefusedError,
    ModelOutputError,
    ModelUnavailableError,
    PromptTooLargeError,
    RuleError,
)
from rqa_nodes.reflect.degrade import DegradeReason, reason_of, reason_text


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (BindingRefusedError("x"), "binding_refused"),
        (ModelUnavailableError("429"), "unavailable"),
        (ModelOutputError("x", reason="invalid"), "bad_answer"),
        (PromptTooLargeError("x"), "prompt_too_large"),
        (RuleError("x"), "failed"),
        ("no_key", "no_key"),
        ("circuit_open", "circuit_open"),
        ("script_over", "failed"),
    ],
)
def test_every_failure_has_one_reason_of_a_closed_set(cause: RuleError | str, reason: str) -> None:
    assert reason_of(cause) == reason


@pytest.mark.parametrize("reason", list(DegradeReason))
def test_every_reason_is_said_in_each_language(reason: DegradeReason) -> None:
    said = [reason_text(reason, lang) for lang in ("en", "ja", "zh")]
    assert len(set(said)) == 3
    assert said[0].isascii()


def test_an_unknown_reason_is_shown_as_it_is() -> None:
    assert reason_text("the server said 418", "ja") == "the server said 418"
