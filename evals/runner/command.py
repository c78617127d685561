"""What does `rqa eval` do? Finds the suites, runs them, and leaves a report."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from evals import suites as shipped
from evals.runner.compare import compare
from evals.runner.declare import Suite
from evals.runner.errors import EvalError, UnknownSuiteError
from evals.runner.plots import plot
from evals.runner.report import dump, write_report
from evals.runner.rows import read_run
from evals.runner.run import Finished, Options, environment, run_suites
from evals.runner.setup import STRUCTURAL
from evals.suite import RESULTS, revision

__all__ = ["compare", "default_folder", "find_suite", "names", "run", "shipped_suites", "write_results"]

_OUT: Final = "eval-runs"


def names() -> list[str]:
    """The suites that come with the project."""
    return sorted(module.name for module in pkgutil.iter_modules(shipped.__path__) if not module.name.startswith("_"))


def shipped_suites() -> dict[str, Suite]:
    """All of them, by name."""
    return {name: find_suite(name)[0] for name in names()}


def find_suite(name: str) -> list[Suite]:
    """The suites of a name, or of a Python file with a `SUITE` or `SUITES`.

    Raises:
        UnknownSuiteError: There are none.
    """
    if name in names():
        return [importlib.import_module(f"{shipped.__name__}.{name}").SUITE]
    path = Path(name)
    if path.suffix != ".py" or not path.is_file():
        raise UnknownSuiteError(name, ", ".join(names()))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [*getattr(module, "SUITES", ()), *([module.SUITE] if hasattr(module, "SUITE") else [])]
    if not found:
        raise UnknownSuiteError(name, ", ".join(names()))
    return found


def default_folder() -> Path:
    """A new folder below the current one."""
    return Path(_OUT) / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def run(wanted: Sequence[str], folder: Path, options: Options, *, quiet: bool = False) -> list[Finished]:
    """Run suites by name or file into a folder and write their report. Raises EvalError."""
    suites = [suite for name in wanted for suite in find_suite(name)]
    twice = {suite.name for suite in suites if sum(other.name == suite.name for other in suites) > 1}
    if twice:
        raise EvalError(f"two suites are called {min(twice)!r}", hint="Give one of them another name.")
    finished = run_suites(suites, folder, options, quiet=quiet)
    write_report(read_run(folder)[0], finished, folder)
    return finished


def _engine_suffix(engine: str) -> str:
    """What tells the result of another model from that of the built-in engine: its own name."""
    return "" if engine == STRUCTURAL else "_" + re.sub(r"\W+", "-", engine.partition("@")[0].rpartition(":")[2])


def write_results(finished: Sequence[Finished], options: Options, folder: Path = RESULTS) -> list[Path]:
    """Write what the README's tables are made of: `evals/results/SUITE.json`, or `SUITE_MODEL.json`."""
    paths = []
    measured = revision()  # before the first file that is written makes the tree another one
    for one in finished:
        name = one.suite.name + _engine_suffix(options.engine)
        flags = "".join(
            f" {words}"
            for words, is_set in (
                (f"--engine {options.engine}", options.engine != Options().engine),
                ("--data FOLDER", options.data is not None),
                ("--full", options.full),
                (f"--seed {options.seed}", options.seed != Options().seed),
                *((f"--judge {name}", True) for name in options.judges),
            )
            if is_set
        )
        found: Mapping[str, Any] = {
            "command": f"rqa eval {one.suite.name}{flags} --write",
            "revision": measured,
            **environment(options),
            "result": {"suite": name, **one.summary},
        }
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(dump(found), "utf-8")
        if one.plan.plot is not None:
            plot(one, folder, name=name)
    return paths
