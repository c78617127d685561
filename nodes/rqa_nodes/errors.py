"""What can go wrong in one step of a turn.

RuleError
├── ModelUnavailableError  a model named explicitly cannot be reached or is not there
│   ├── NotAskedError      nothing was sent, and the model is not to blame
│   │   ├── OutOfTimeError    the turn's time is over
│   │   └── CircuitOpenError  it failed before, and somebody else tries it now
│   └── SchemaRefusedError the server takes no schema for its answer
├── ModelOutputError       what the model returned cannot be used (empty, cut off, no object)
├── PromptFormatError      messages that `prompts.render` did not make
├── PromptTooLargeError    the prompt does not fit the model's context; nothing was cut
├── BindingRefusedError    the evaluator binding differs from the approved one
├── ProposalRefusedError   a proposal carries what must not be kept, or may not change what it would
├── BudgetError            a reflection budget cannot be used as it is written
├── ToolError              a tool was refused, failed, or brought nothing in time
├── ForeignTurnError       a turn of one person is gone on with in the name of another
├── ScoreInputError        counts that no answer can have
└── RouterRulesError       a table of router rules cannot be used
"""

from typing import ClassVar

__all__ = [
    "BindingRefusedError",
    "BudgetError",
    "CircuitOpenError",
    "ForeignTurnError",
    "ModelOutputError",
    "ModelUnavailableError",
    "NotAskedError",
    "OutOfTimeError",
    "PromptFormatError",
    "PromptTooLargeError",
    "ProposalRefusedError",
    "RouterRulesError",
    "RuleError",
    "SchemaRefusedError",
    "ScoreInputError",
    "ToolError",
]


class RuleError(Exception):
    """Root of the layer. `code` is stable, `hint` says what to do next."""

    code: ClassVar[str] = "rule"

    def __init__(self, message: str, *, hint: str = "", ja: tuple[str, str] | None = None) -> None:
        """`ja`: message and hint in Japanese, where a person meets this error in the middle of a turn."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.ja = ja

    def said(self, lang: str) -> tuple[str, str]:
        """Message and hint in a language; in English where there is no translation."""
        return self.ja if lang == "ja" and self.ja else (self.message, self.hint)


class ModelUnavailableError(RuleError):
    """A model cannot be reached or is not there."""

    code = "model_unavailable"


class NotAskedError(ModelUnavailableError):
    """Nothing was sent, so this says nothing about the model."""


class OutOfTimeError(NotAskedError):
    """The turn has no time left for a call."""


class CircuitOpenError(NotAskedError):
    """It failed several times in a row, and is left alone for a while, or tried by somebody else."""


class SchemaRefusedError(ModelUnavailableError):
    """The server does not accept a request with a schema."""


class ModelOutputError(RuleError):
    """What the model returned cannot be used.

    `reason` is one of empty_content, not_an_object, cut_off, invalid, thinking.
    """

    code = "model_output"

    def __init__(self, message: str, *, reason: str, hint: str = "", ja: tuple[str, str] | None = None) -> None:
        super().__init__(message, hint=hint, ja=ja)
        self.reason = reason


class PromptFormatError(RuleError):
    """Messages that were not made by our renderer."""

    code = "prompt_format"


class PromptTooLargeError(RuleError):
    """The prompt does not fit the model's context."""

    code = "prompt_too_large"


class BindingRefusedError(RuleError):
    """The evaluator binding is not the approved one."""

    code = "binding_refused"


class ProposalRefusedError(RuleError):
    """A proposal must not be kept. `problem` is a short stable name; the message never repeats hostile words."""

    code = "proposal_refused"

    def __init__(self, message: str, *, problem: str = "refused", hint: str = "") -> None:
        super().__init__(message, hint=hint or "Correct it with `rqa review-queue edit`, or reject it.")
        self.problem = problem


class BudgetError(RuleError):
    """A reflection budget is missing, misspelt or out of range."""

    code = "budget"


class ToolError(RuleError):
    """A tool brought nothing. `reason` is a `tools.status.ToolStatus` by name."""

    code = "tool"

    def __init__(self, message: str, *, reason: str = "refused", hint: str = "", ja: str = "") -> None:
        """`ja`: the message in Japanese; a panel and `/why` show it."""
        super().__init__(message, hint=hint, ja=(ja, hint) if ja else None)
        self.reason = reason


class ForeignTurnError(RuleError):
    """A turn of one person is gone on with in the name of another."""

    code = "foreign_turn"


class RouterRulesError(RuleError):
    """A table of router rules cannot be used."""

    code = "router_rules"


class ScoreInputError(RuleError):
    """Counts from which no score can be computed."""

    code = "score_input"
