"""Figures that can be read: labelled axes, and nothing that covers a name."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from arena.analysis.estimates import Estimate
from arena.analysis.sweeps import Sweep, SweepPoint
from arena.report.figures.strength import draw_strength_and_time, time_ticks
from arena.report.figures.style import figure_style
from arena.report.figures.sweeps import draw_sweeps
from arena.report.labels import FEW, MANY
from arena.report.sections.ladder import LadderAgent
from arena.stats import Rating
from arena.store import Thinking

CASES = [
    (agents, fastest, slowest, seed)
    for agents in (2, 5, 12, 20)
    for fastest, slowest in ((2e-3, 9e-3), (5e-3, 5e-3), (1.4e-6, 0.14))
    for seed in (1, 2)
]


def ladder(agents: int, fastest: float, slowest: float, seed: int) -> list[LadderAgent]:
    """Agents that are stronger the more time they take, on the whole."""
    chance = random.Random(seed)
    found = []
    nothing = Estimate(None, None, None, 0)
    for number in range(agents):
        share = chance.random()
        value = -40 + 80 * share + chance.gauss(0, 10)
        time = fastest * (slowest / fastest) ** share
        found.append(
            LadderAgent(
                name=f"ismcts-{2**number}",
                label=f"ismcts-{2**number}",
                rank=number,
                rank_best=number,
                rank_worst=number,
                within=None,
                letters="a",
                rating=Rating("", value, value - 4, value + 4, 2.0, 10.0),
                elo=None,
                margin=nothing,
                points=nothing,
                win_rate=nothing,
                seconds=Thinking(10, time, time, time, time, time, None, None),
                units=10,
                forfeits=0,
                faults=0,
                sees_all_cards=number == 0,
                reproducible=True,
                own_process=False,
                members=[],
                on_front=False,
                with_others=None,
            )
        )

    def beaten(one: LadderAgent) -> bool:
        return any(
            strength(o) > strength(one) and o.seconds.median <= one.seconds.median for o in found
        )

    return [replace(agent, on_front=not beaten(agent)) for agent in found]


def strength(agent: LadderAgent) -> float:
    assert agent.rating is not None and agent.rating.value is not None
    return agent.rating.value


@pytest.mark.parametrize(("agents", "fastest", "slowest", "seed"), CASES)
def test_strength_and_time_can_be_read(
    agents: int, fastest: float, slowest: float, seed: int
) -> None:
    with figure_style():
        figure = draw_strength_and_time(ladder(agents, fastest, slowest, seed), "deal", "above")
        assert figure is not None
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        renderer = canvas.get_renderer()
        (axes,) = figure.axes
        inside = axes.get_window_extent(renderer)

        legend = axes.get_legend()
        assert legend is not None
        names = [text.get_text() for text in legend.get_texts()]
        named = agents if agents <= MANY else FEW + 1  # the others are one entry
        assert len(set(names)) == named and "(sees all cards)" in names[0]
        outside = legend.get_window_extent(renderer)
        assert not outside.overlaps(inside)
        assert outside.y0 >= 0 and outside.y1 <= figure.bbox.height
        looks = {(line.get_color(), line.get_marker()) for line in axes.lines[1:]}
        assert len(looks - {(color, "None") for color, _ in looks}) >= named

        low, high = axes.get_xlim()
        ticks = [t for t in axes.xaxis.get_ticklabels() if low <= t.get_position()[0] <= high]
        assert 3 <= len(ticks) <= 8
        extents = [tick.get_window_extent(renderer) for tick in ticks]
        assert all(one.x1 < other.x0 for one, other in pairwise(extents))


def test_ticks_at_every_range_of_a_decade_or_more() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        low = 10 ** chance.uniform(-9, 3)
        high = low * 10 ** chance.uniform(1, 12)
        ticks = time_ticks(low, high)
        assert 3 <= len(ticks) <= 8
        assert low <= ticks[0] < ticks[-1] <= high
        assert all(f"{tick:.0e}"[0] in "1235" and float(f"{tick:.0e}") == tick for tick in ticks)


def sweep_of(settings: tuple[str, ...]) -> Sweep:
    points = tuple(
        SweepPoint(f"{line} {x}", line, x, Estimate(x, x - 1, x + 1, 9), best=x == 4.0)
        for line in settings
        for x in (1.0, 2.0, 4.0)
    )
    return Sweep("ismcts", "simulations", "", None, points)


def test_two_numbers_are_a_map_and_other_settings_are_lines() -> None:
    with figure_style():
        figure = draw_sweeps([sweep_of(("c=0.7", "c=5", "c=10"))], "deal")
        (axes, bar) = figure.axes
        assert [tick.get_text() for tick in axes.get_yticklabels()] == ["0.7", "5", "10"]
        assert len(axes.texts) == 9 and axes.texts[2].get_text() == "+4.0\n3.0 to 5.0"
        assert len(axes.patches) == 3 and "score rating" in bar.get_ylabel()
        lines = draw_sweeps([sweep_of(("rollout=rule", "rollout=any", "rollout=x"))], "deal")
        assert len(lines.axes) == 1 and lines.axes[0].get_legend() is not None
