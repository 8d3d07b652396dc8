"""Tables and figures next to a forest.

`accuracy` is tables 3 and 4 of Hordijk 2022 in one, on held-out deals; `importances` is its
figure 3 or 6.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from agents.training.forests.growing import Accuracy
from arena.core.files import write_atomically
from arena.report.figures.style import BLUE, ORANGE, figure_style, new_figure

_FOREST, _RULE = "forest", "rule agent"


def write_findings(
    folder: Path, accuracy: Sequence[Accuracy], importances: Mapping[str, float]
) -> None:
    """Write `accuracy` and `importances`, each as `.csv` and `.svg`."""
    table = [
        [one.legal_cards or "all", one.decisions, _share(one.forest), _share(one.rule)]
        for one in accuracy
    ]
    head = ["legal_cards", "decisions", "forest", "rule"]
    write_atomically(folder / "accuracy.csv", _csv([head, *table]))
    rows = [[name, f"{share:.5f}"] for name, share in importances.items()]
    write_atomically(folder / "importances.csv", _csv([["feature", "importance"], *rows]))
    with figure_style():
        write_atomically(folder / "accuracy.svg", _svg(_accuracy(accuracy), "accuracy"))
        write_atomically(folder / "importances.svg", _svg(_importances(importances), "importances"))


def _accuracy(found: Sequence[Accuracy]) -> Figure:
    """The share of right decisions by number of legal cards, of the forest and the rule agent."""
    import seaborn as sns  # here: it takes longer to import than all of ours

    figure, axes = new_figure(3.2)
    bars: dict[str, list[object]] = {"legal cards": [], "right": [], "by": []}
    for one in found:
        for by, share in ((_FOREST, one.forest), (_RULE, one.rule)):
            if share is not None:
                bars["legal cards"].append(str(one.legal_cards or "all"))
                bars["right"].append(share)
                bars["by"].append(by)
    colours = {_FOREST: BLUE, _RULE: ORANGE}
    sns.barplot(bars, x="legal cards", y="right", hue="by", palette=colours, ax=axes)
    axes.set_ylabel("right, on held-out deals")
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1.0))
    axes.legend(title=None, loc="upper right")
    return figure


def _importances(importances: Mapping[str, float]) -> Figure:
    """A bar for the importance of each feature."""
    import seaborn as sns  # as above

    figure, axes = new_figure(0.6 + 0.16 * len(importances))
    sns.barplot(x=list(importances.values()), y=list(importances), color=BLUE, ax=axes)
    axes.set_xlabel("mean decrease in impurity")
    axes.tick_params(axis="y", labelsize=7)
    return figure


def _svg(figure: Figure, name: str) -> str:
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.4f}"
