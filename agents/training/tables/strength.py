"""How strong tables play: they meet `rule` and the players that they were fitted to.

The tables play the likeliest card, on deals that no round was played on, each in both seatings.
All bid alike, so that only the cards make the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.policies.bid_evidence import has_bids
from agents.training.margins import MarginInterval
from arena.analysis.played import played_results
from arena.config.entrants import AgentSpec, BidderSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.config.model_file import ModelFile
from arena.config.recipe import TrainingOrder
from arena.core.generate import make_deals
from arena.core.registry import AGENTS
from arena.core.rules import Rules
from arena.games.needs import why_not
from arena.tournament.tally import Tally


@dataclass
class _TenthsWatcher:
    """Reports every tenth of the deals."""

    say: Callable[[str], None]
    tenths: int = field(default=0, init=False)

    def update(self, tally: Tally) -> None:
        """Called when more deals are played."""
        if (tenths := 10 * tally.done // tally.total) > self.tenths:
            self.tenths = tenths
            self.say(f"strength: {tally.done:,} of {tally.total:,} deals")


def strength_of(
    model: Path,
    types: Mapping[str, AgentSpec | None],
    rules: Rules,
    deals: int,
    seed: int,
    order: TrainingOrder,
) -> dict[tuple[str, str], MarginInterval]:
    """By how much the tables of each type win a deal against `rule`, and against the type itself.

    `types` are the players that the tables were fitted to; None was recorded. Keys are a type and
    the opponent of its tables: `rule` (where that does not play the game, `random`) or, if the
    type is another player, `itself`.
    """
    folder = order.folder
    ruler = "rule" if why_not(AGENTS.get("rule"), rules) is None else "random"
    met = {ruler: AgentSpec(ruler)}
    meetings: dict[tuple[str, str], tuple[str, str]] = {}
    for name, player in types.items():
        tables, itself = f"{name}-tables", f"{name}-itself"
        met[tables] = AgentSpec("policy", {"model": ModelFile.find(str(model)), "type": name})
        meetings[name, ruler] = tables, ruler
        if player is not None and player.build(folder) != met[ruler].build():
            met[itself] = player
            meetings[name, "itself"] = tables, itself
    if has_bids(rules):
        bidder = BidderSpec(rules.usual_bidder or "monte-carlo")
        met = {name: replace(player, bidder=bidder) for name, player in met.items()}
    dealt = make_deals(rules, "strength", deals, seed)
    experiment = ResolvedExperiment(
        name="strength",
        rules=rules,
        deals=dealt.deals,
        deal_set=dealt.name,
        deals_sha256=dealt.sha256,
        entrants=tuple(Entrant(name, (player,)) for name, player in met.items()),
        pairings=tuple(meetings.values()),
        placements="alternating",
        seed=seed,
        folder=folder,
    )
    found = played_results(experiment, "strength", _TenthsWatcher(order.say), order.jobs)
    return {
        meeting: MarginInterval.of(found.pair(*pair).margins) for meeting, pair in meetings.items()
    }
