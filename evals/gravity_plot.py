"""How heavy does the assistant's guess become by being recalled? Drawn from the committed result (extra `plots`).

Run: python -m evals.gravity_plot
"""

from __future__ import annotations

import json

from evals.suite import RESULTS

__all__ = ["main"]


def main() -> None:
    """Write `evals/results/gravity.svg`."""
    import matplotlib as mpl  # an extra

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "rqa"  # else every drawing has other ids
    from matplotlib import pyplot as plt

    result = json.loads((RESULTS / "gravity.json").read_text("utf-8"))["result"]
    figure, axes = plt.subplots(figsize=(7, 3.2))
    for name, masses in result["guess_mass"].items():
        step = result["interactions"] / len(masses)
        axes.plot([step * n for n in range(len(masses))], masses, label=name)
    axes.set(xlabel="recalls of its own guess by the assistant", ylabel="mass of the guess")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(RESULTS / "gravity.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
