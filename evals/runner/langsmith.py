"""How do the rows of a run get to LangSmith? Only where a person asks for it; nothing else of the runner needs it.

A project named like the run's folder gets a run a row, with feedback a scorer. Outputs that are not kept in the rows
(held-out items, data that is not ours) are not sent either.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from evals.runner.errors import EvalError
from evals.runner.run import Finished

__all__ = ["send"]

_KEYS: Final = ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")


def send(finished: Sequence[Finished], folder: Path) -> int:
    """Send all rows; return how many.

    Raises:
        EvalError: No key is set.
    """
    if not any(os.environ.get(name) for name in _KEYS):
        raise EvalError(f"LangSmith takes a key: {_KEYS[0]} is not set", hint="Set it, or leave `--langsmith` away.")
    from langsmith import Client

    client = Client(auto_batch_tracing=False)
    project, now = client.create_project(f"rqa-eval-{folder.name}", upsert=True), datetime.now(UTC)
    rows = [row for one in finished for row in one.rows]
    for row in rows:
        name = uuid.uuid4()
        client.create_run(
            name=f"{row.suite}: {row.arm}",
            inputs={"case": row.case, "trial": row.trial, **row.tags},
            outputs=dict(row.output or {}),
            run_type="chain",
            id=name,
            project_name=project.name,
            start_time=now,
            end_time=now + timedelta(seconds=row.seconds),
        )
        for scorer, score in row.scores.items():
            client.create_feedback(name, key=scorer, **_feedback(score), trace_id=name, session_id=project.id)
    return len(rows)


def _feedback(score: Any) -> dict[str, Any]:
    match score:
        case str():
            return {"value": score}
        case [hits, of]:
            return {"score": hits / of if of else 0.0}
        case _:
            return {"score": float(score)}
