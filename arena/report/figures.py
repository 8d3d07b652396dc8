"""The figures, drawn from the report's document and from nothing else.

Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart.
Inside the page, ink, paper and lines follow the page's own colours, also in the dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from arena.report.words import MINUS, ROLES, duration, signed

__all__ = ["Picture", "draw"]

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
PALETTE = (BLUE, ORANGE, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#8c7a00", "#7f7f7f")
INK, MUTED, LINE, PAPER = "#1b1f24", "#5b6470", "#dfe3e0", "#fffffe"
_PAGE_COLOURS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    PAPER: "var(--card)",
    BLUE: "var(--good)",
    ORANGE: "var(--bad)",
}
WIDTH = 7.4
DPI = 160
MOST_LINES = 8
"""Agents that a figure with a line for each still shows apart."""


@dataclass(frozen=True)
class Picture:
    """One figure in all its forms."""

    name: str
    caption: str
    png: bytes
    svg: str

    @property
    def inline(self) -> str:
        """The figure for the inside of a page: in its colours, with names of its own."""
        body = self.svg[self.svg.index("<svg") :]
        for colour, variable in _PAGE_COLOURS.items():
            body = body.replace(colour, variable)
        body = re.sub(r"(<svg[^>]*?) (?:width|height)=\"[^\"]*\"", r"\1", body)
        body = re.sub(r"(<svg[^>]*?) (?:width|height)=\"[^\"]*\"", r"\1", body)
        body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
        body = re.sub(r"'DejaVu Sans'[^;\"]*", "sans-serif", body)
        used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", body))
        return re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", body)


def draw(document: dict[str, Any]) -> list[Picture]:
    """All figures that the document has numbers for."""
    found = []
    with _style():
        for name, (make, caption) in _FIGURES.items():
            figure = make(document)
            if figure is not None:
                units = document["run"]
                text = caption.format(unit=units["unit"], units=units["units"])
                found.append(_picture(name, text, figure))
    return found


@contextmanager
def _style() -> Iterator[None]:
    settings: dict[Any, Any] = {
        **sns.axes_style("ticks"),
        **sns.plotting_context("notebook", font_scale=0.82),
        "font.family": ["DejaVu Sans"],
        "text.parse_math": False,  # a name with dollar signs is a name
        "svg.fonttype": "none",
        "savefig.transparent": False,
        "axes.prop_cycle": cycler(color=PALETTE),
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.facecolor": PAPER,
        "figure.facecolor": PAPER,
        "legend.facecolor": PAPER,
        "legend.edgecolor": LINE,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "grid.color": LINE,
        "axes.titlesize": "medium",
        "axes.titleweight": "bold",
    }
    with mpl.rc_context(settings):
        yield


def _picture(name: str, caption: str, figure: Figure) -> Picture:
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(name, caption, png.getvalue(), svg.getvalue())


def _figure(height: float, rows: int = 1, columns: int = 1, **keywords: Any) -> tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **keywords)


def _short(name: str, length: int = 34) -> str:
    return name if len(name) <= length else f"{name[: length - 1]}…"


def _despine(axes: Axes) -> None:
    sns.despine(ax=axes)


def _minus(value: float, _: object = None) -> str:
    return f"{value:g}".replace("-", MINUS)


# --- who beats whom ----------------------------------------------------------------------


def _cross_table(document: dict[str, Any]) -> Figure | None:
    names = [agent["name"] for agent in document["agents"]]
    if len(names) < 2:
        return None
    place = {name: i for i, name in enumerate(names)}
    table = np.full((len(names), len(names)), np.nan)
    marks = np.full(table.shape, "", dtype=object)
    for pair in document["pairs"]:
        i, j = place[pair["first"]], place[pair["second"]]
        if pair["mean"] is None:
            continue
        star = "*" if pair["significant"] else ""
        table[i, j], table[j, i] = pair["mean"], -pair["mean"]
        marks[i, j] = f"{signed(pair['mean'])}{star}"
        marks[j, i] = f"{signed(-pair['mean'])}{star}"
    size = len(names)
    figure, axes = _figure(1.2 + 0.36 * max(size, 4))
    largest = np.nanmax(np.abs(table)) if not np.isnan(table).all() else 1.0
    sns.heatmap(
        table,
        ax=axes,
        annot=marks if size <= 14 else False,
        fmt="",
        vmin=-largest,
        vmax=largest,
        cmap=sns.blend_palette([ORANGE, "#f6f6f4", BLUE], as_cmap=True),
        xticklabels=[_short(name, 18) for name in names],
        yticklabels=[_short(name) for name in names],
        linewidths=1.0,
        linecolor=PAPER,
        annot_kws={"color": "#14181b", "fontsize": 8},
        cbar_kws={"label": f"points per {document['run']['unit']} of the row", "shrink": 0.8},
    )
    axes.tick_params(length=0)
    axes.tick_params(axis="x", rotation=35 if size > 4 else 0)
    axes.tick_params(axis="y", rotation=0)
    axes.collections[0].colorbar.ax.yaxis.set_major_formatter(FuncFormatter(_minus))
    return figure


def _forest(document: dict[str, Any]) -> Figure | None:
    pairs = [pair for pair in document["pairs"] if pair["mean"] is not None]
    if not pairs:
        return None
    pairs.sort(key=lambda pair: pair["mean"])
    figure, axes = _figure(1.1 + 0.27 * len(pairs))
    for row, pair in enumerate(pairs):
        colour = BLUE if pair["significant"] else MUTED
        if pair["low"] is not None:
            axes.plot([pair["low"], pair["high"]], [row, row], color=colour, lw=2.2)
        axes.plot(
            pair["mean"],
            row,
            "o",
            ms=6,
            color=colour if pair["significant"] else PAPER,
            markeredgecolor=colour,
            markeredgewidth=1.5,
        )
    axes.axvline(0, color=INK, lw=0.8)
    labels = [f"{_short(p['first'], 26)} – {_short(p['second'], 26)}" for p in pairs]
    axes.set_yticks(range(len(pairs)), labels)
    axes.set_ylim(-0.7, len(pairs) - 0.3)
    axes.set_xlabel(f"points per {document['run']['unit']} for the one named first")
    axes.xaxis.set_major_formatter(FuncFormatter(_minus))
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    _despine(axes)
    return figure


def _strength_and_time(document: dict[str, Any]) -> Figure | None:
    agents = [a for a in document["agents"] if a["rating"] and a["seconds"]["mean"] > 0]
    if len(agents) < 2:
        return None
    figure, axes = _figure(3.9)
    front = sorted((a for a in agents if a["on_front"]), key=lambda a: a["seconds"]["mean"])
    axes.plot(
        [a["seconds"]["mean"] for a in front],
        [a["rating"]["value"] for a in front],
        color=GREEN,
        lw=1.5,
        ls="--",
        drawstyle="steps-post",
        label="no other is both faster and stronger",
        zorder=1,
    )
    for agent in agents:
        rating, x = agent["rating"], agent["seconds"]["mean"]
        colour = GREEN if agent["on_front"] else MUTED
        if rating["low"] is not None:
            axes.plot([x, x], [rating["low"], rating["high"]], color=colour, lw=2)
        marker = "D" if agent["sees_all_cards"] else "o"
        axes.plot(x, rating["value"], marker, ms=7, color=colour, markeredgecolor=PAPER)
    axes.set_xscale("log")
    times = [a["seconds"]["mean"] for a in agents]
    axes.set_xlim(min(times) / 2, max(times) * 4)
    axes.xaxis.set_major_locator(LogLocator(numticks=8))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: duration(x)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(_minus))
    if len(agents) <= 24:
        _label_points(axes, agents)
    axes.set_xlabel("mean time per decision")
    axes.set_ylabel(f"score rating\n(points per {document['run']['unit']} above the field)")
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.legend(loc="best", frameon=False)
    _despine(axes)
    return figure


def _label_points(axes: Axes, agents: list[dict[str, Any]]) -> None:
    for agent in agents:
        marked = " (sees all cards)" if agent["sees_all_cards"] else ""
        axes.annotate(
            f"{_short(agent['name'], 24)}{marked}",
            (agent["seconds"]["mean"], agent["rating"]["value"]),
            textcoords="offset points",
            xytext=(7, 4),
            fontsize="small",
        )


# --- how the points are spread -----------------------------------------------------------


def _margins(document: dict[str, Any]) -> Figure | None:
    parts = document["distributions"]
    if not parts:
        return None
    columns = 1 if len(parts) == 1 else 2
    rows = -(-len(parts) // columns)
    figure, grid = _figure(0.7 + 1.75 * rows, rows, columns, squeeze=False, sharex=True)
    unit, units = document["run"]["unit"], document["run"]["units"]
    single = "match" if unit == "match" else "round"
    for axes, part in zip(grid.flat, parts, strict=False):
        width = part["width"]
        edges = np.array([*part["centres"], part["centres"][-1] + width]) - width / 2
        shares = pd.DataFrame(
            {
                "margin": [*part["centres"], *part["centres"]],
                "what": [f"{unit} (mean of seatings)"] * len(part["centres"])
                + [f"single {single}"] * len(part["centres"]),
                "share": [*_shares(part["deals"]), *_shares(part["games"])],
            }
        )
        sns.histplot(
            shares,
            x="margin",
            weights="share",
            hue="what",
            bins=edges.tolist(),
            palette=[BLUE, ORANGE],
            element="step",
            alpha=0.25,
            linewidth=1.1,
            legend=False,
            ax=axes,
        )
        versus = f" – {_short(part['second'], 20)}" if part["second"] else " – all others"
        axes.set_title(f"{_short(part['first'], 20)}{versus}", fontsize="small", loc="left")
        axes.set_ylabel("")
        axes.set_xlabel("")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:g}%"))
        axes.yaxis.set_major_locator(MaxNLocator(3))
        axes.xaxis.set_major_formatter(FuncFormatter(_minus))
        axes.axvline(0, color=INK, lw=0.7)
        _despine(axes)
    for axes in list(grid.flat)[len(parts) :]:
        axes.set_visible(False)
    for column in range(columns):
        lowest = [axes for axes in grid[:, column] if axes.get_visible()][-1]
        lowest.tick_params(labelbottom=True)
    keys = [
        Patch(facecolor=to_rgba(colour, 0.25), edgecolor=colour, label=label)
        for colour, label in ((BLUE, f"{unit} (mean of seatings)"), (ORANGE, f"single {single}"))
    ]
    figure.legend(handles=keys, loc="outside upper right", ncols=2, frameon=False, fontsize="small")
    figure.supxlabel("margin in favour of the one named first, in points", fontsize="medium")
    figure.supylabel(f"share of {units} or {single}s", fontsize="medium")
    return figure


def _shares(counts: list[int]) -> list[float]:
    total = sum(counts) or 1
    return [n / total for n in counts]


# --- sweeps ------------------------------------------------------------------------------


def _sweeps(document: dict[str, Any]) -> Figure | None:
    sweeps = document["sweeps"]
    if not sweeps:
        return None
    figure, grid = _figure(3.4 * len(sweeps), len(sweeps), 1, squeeze=False)
    for axes, sweep in zip(grid.flat, sweeps, strict=True):
        lines = list(dict.fromkeys(point["line"] for point in sweep["points"]))
        for number, line in enumerate(lines):
            points = [point for point in sweep["points"] if point["line"] == line]
            xs = [point["x"] for point in points]
            ys = [point["y"]["value"] for point in points]
            colour = PALETTE[number % len(PALETTE)]
            sns.lineplot(
                x=xs,
                y=ys,
                ax=axes,
                color=colour,
                marker="oDs^vPX*"[number % 8],
                markersize=7,
                label=_short(line) or None,
                errorbar=None,
            )
            lows = [p["y"]["low"] if p["y"]["low"] is not None else p["y"]["value"] for p in points]
            highs = [
                p["y"]["high"] if p["y"]["high"] is not None else p["y"]["value"] for p in points
            ]
            axes.vlines(xs, lows, highs, color=colour, lw=1.8)
        every = [point["x"] for point in sweep["points"]]
        if min(every) > 0 and max(every) >= 10 * min(every):
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xticks(sorted(set(every)), [f"{x:,g}" for x in sorted(set(every))])
        axes.set_xlabel(sweep["parameter"])
        unit = document["run"]["unit"]
        against = sweep["against"]
        axes.set_ylabel(
            f"margin against {_short(against, 20)}\n(points per {unit})"
            if against
            else f"score rating\n(points per {unit})"
        )
        axes.set_title(sweep["family"], loc="left")
        axes.yaxis.set_major_formatter(FuncFormatter(_minus))
        axes.grid(axis="y")
        if axes.get_legend() is not None:
            axes.get_legend().set_frame_on(False)
        _despine(axes)
    return figure


# --- how the points were made ------------------------------------------------------------


def _tricks(document: dict[str, Any]) -> Figure | None:
    shown = {agent["name"] for agent in document["agents"][:MOST_LINES]}
    rows = [
        {"agent": agent["name"], "trick": number, **trick}
        for agent in document["makeup"]["agents"]
        if agent["name"] in shown
        for number, trick in enumerate(agent["tricks"], start=1)
        if trick["value"] is not None
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows)
    order = [a["name"] for a in document["agents"] if a["name"] in set(frame["agent"])]
    figure, axes = _figure(3.2)
    spread = 0.5 / max(1, len(order))
    for number, name in enumerate(order):
        mine = frame[frame["agent"] == name]
        x = mine["trick"] + spread * (number - (len(order) - 1) / 2)
        colour = PALETTE[number % len(PALETTE)]
        sns.lineplot(
            x=x,
            y=mine["value"],
            ax=axes,
            color=colour,
            marker="oDs^vPX*"[number % 8],
            markersize=6,
            label=_short(name),
            errorbar=None,
        )
        bounded = mine.dropna(subset=["low", "high"])
        at = bounded["trick"] + spread * (number - (len(order) - 1) / 2)
        axes.vlines(at, bounded["low"], bounded["high"], color=colour, lw=1.4)
    axes.set_xlabel("trick")
    axes.set_ylabel("points taken in it")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=16))
    axes.grid(axis="y")
    axes.legend(frameon=False, fontsize="small", ncols=2 if len(order) > 4 else 1)
    _despine(axes)
    return figure


def _roles(document: dict[str, Any]) -> Figure | None:
    made = {agent["name"]: agent for agent in document["makeup"]["agents"]}
    names = [agent["name"] for agent in document["agents"] if agent["name"] in made][:MOST_LINES]
    roles = document["makeup"]["roles"]
    if not names or not roles:
        return None
    figure, axes = _figure(0.9 + 0.42 * len(roles) + 0.12 * len(roles) * len(names))
    height = 0.78 / len(names)
    for number, name in enumerate(names):
        colour = PALETTE[number % len(PALETTE)]
        for row, role in enumerate(roles):
            found = made[name]["measures"].get(role)
            if found is None or found["value"] is None:
                continue
            y = row + height * (number - (len(names) - 1) / 2)
            if found["low"] is not None:
                axes.plot([found["low"], found["high"]], [y, y], color=colour, lw=2)
            axes.plot(
                found["value"],
                y,
                "oDs^vPX*"[number % 8],
                ms=6,
                color=colour,
                markeredgecolor=PAPER,
                label=_short(name) if row == 0 else None,
            )
    axes.set_yticks(range(len(roles)), [ROLES[role] for role in roles])
    axes.invert_yaxis()
    axes.set_xlabel("mean score of a round")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    _despine(axes)
    return figure


_FIGURES: dict[str, tuple[Callable[[dict[str, Any]], Figure | None], str]] = {
    "cross-table": (
        _cross_table,
        "Mean margin of the agent in the row against the one in the column, in points per {unit}. "
        "* differs beyond chance.",
    ),
    "forest": (
        _forest,
        "Every pair: mean margin with its interval, in points per {unit}. Filled: differs beyond "
        "chance after adjustment for the number of pairs.",
    ),
    "strength-and-time": (
        _strength_and_time,
        "Strength against time per decision, with intervals. The dashed line joins the agents "
        "that no other beats on both.",
    ),
    "margins": (
        _margins,
        "How often which margin occurred: of single games, and of {units} with their seatings "
        "averaged. Spikes are games of all or nothing.",
    ),
    "sweeps": (_sweeps, "Strength along a parameter, with intervals."),
    "roles": (_roles, "Mean score by role, with intervals over {units}."),
    "tricks": (
        _tricks,
        "Points taken in each trick, bonus included, with intervals over {units}.",
    ),
}
