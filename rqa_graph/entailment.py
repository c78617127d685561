"""Which model judges, beside the rules, whether two statements exclude each other?

None unless a person names one (`memory.nli`): a cross-encoder of the sentence-transformers library that was trained on
natural language inference. The rules find figures, values and opposite signs; a model finds what only the sense of the
words tells, and now and then sees a contradiction where none is. It can add a finding, and never takes one away.
"""

from __future__ import annotations

import logging
import math
from typing import Any, Final

from rqa_graph.errors import ConfigError, MissingExtraError
from rqa_nodes.contradiction import Entailment

__all__ = ["CrossEncoderEntailment", "entailment_for_turns", "open_entailment"]

_logger = logging.getLogger(__name__)

_KIND: Final = "sentence-transformers"
_SOUGHT: Final = "contradiction"
_CHARACTERS: Final = 1000
"""Of each statement; these models read 512 tokens of both together."""


class CrossEncoderEntailment:
    """A cross-encoder with a class for contradictions, by name or folder."""

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import CrossEncoder  # type: ignore[import-not-found]  # an extra
        except ImportError:
            raise MissingExtraError(
                f"the model `{_KIND}:{model}` needs an extra that is not installed",
                hint="pip install 'rqa-graph[sentence-transformers]'",
            ) from None
        try:
            self._model: Any = CrossEncoder(model)
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"`memory.nli` names {model!r}, which cannot be loaded: {str(error)[:200]}",
                hint="Give the name or folder of a cross-encoder for natural language inference.",
            ) from error
        labels = {str(name).lower(): int(place) for place, name in self._model.model.config.id2label.items()}
        if _SOUGHT not in labels:
            raise ConfigError(
                f"`memory.nli` names {model!r}, whose classes are {', '.join(sorted(labels))}",
                hint="A model for natural language inference has the classes contradiction, entailment and neutral.",
            )
        self._place = labels[_SOUGHT]

    def contradiction(self, premise: str, hypothesis: str) -> float:
        """Probability that both cannot hold, asked in both directions: a premise says more than a hypothesis."""
        pairs = [(premise[:_CHARACTERS], hypothesis[:_CHARACTERS]), (hypothesis[:_CHARACTERS], premise[:_CHARACTERS])]
        rows = self._model.predict(pairs, apply_softmax=True, show_progress_bar=False)
        found = float(rows[:, self._place].max())
        return found if math.isfinite(found) else 0.0  # a broken model finds nothing


def open_entailment(spec: str) -> Entailment | None:
    """The model that `memory.nli` names; None for none.

    Raises:
        ConfigError: another kind, or no model for natural language inference.
        MissingExtraError: the extra `sentence-transformers` is not installed.
    """
    kind, _, model = spec.partition(":")
    if not spec:
        return None
    if kind != _KIND or not model:
        raise ConfigError(f"`memory.nli` is {spec!r}", hint=f"Write {_KIND}:MODEL_OR_FOLDER, or leave it empty.")
    return CrossEncoderEntailment(model)


def entailment_for_turns(spec: str) -> Entailment | None:
    """The same for a turn, which goes on by the rules alone where the model cannot be had, and says so in the log."""
    try:
        return open_entailment(spec)
    except (ConfigError, MissingExtraError) as error:
        _logger.warning("contradictions are found by rules alone: %s %s", error.message, error.hint)
        return None
