"""How strong tables are, by play: they meet `rule` and those they were learnt from.

They play the likeliest card, in the arena, on deals of their own, every deal with seats
exchanged. All bid alike, so that cards make the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.policies.dealt import has_bids
from arena.analysis.results import read
from arena.config.entrants import AgentSpec, BidderSpec, Entrant
from arena.config.experiment import Experiment
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.core.registry import AGENTS
from arena.core.rules import Rules
from arena.games.needs import why_not
from arena.stats.paired import MeanDifference, mean_difference
from arena.store import Run
from arena.tournament.run import RunOptions, run
from arena.tournament.tally import Tally


@dataclass
class _Tenths:
    """Tells of every tenth of the deals."""

    tell: Callable[[str], None]
    told: int = field(default=0, init=False)

    def say(self, line: str) -> None:
        """Something happened."""
        self.tell(line)

    def update(self, tally: Tally) -> None:
        """More deals are played."""
        if (tenth := 10 * tally.done // tally.total) > self.told:
            self.told = tenth
            self.tell(f"strength: {tally.done:,} of {tally.total:,} deals")


def strength_of(
    model: Path,
    types: Mapping[str, AgentSpec | None],
    rules: Rules,
    deals: int,
    seed: int,
    workers: int,
    tell: Callable[[str], None],
    folder: Path,
) -> dict[tuple[str, str], MeanDifference]:
    """By how much the tables of each type win a deal against `rule`, and against the type itself.

    `types` are the players that were learnt from; None is one who was recorded. What they name
    is looked for in `folder`. Keys are a type and whom its tables met: `rule` (where that does
    not play the game, `random`) or, if it is somebody else, `itself`.
    """
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
    experiment = Experiment(
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
    with TemporaryDirectory() as results:
        finished = run(experiment, Path(results) / "run", RunOptions(workers), _Tenths(tell))
        if finished.stopped:
            raise ArenaError(f"strength: {finished.stopped}")
        with Run(finished.path) as played:
            found = read([played])
    return {
        meeting: mean_difference(found.pair(*pair).margins) for meeting, pair in meetings.items()
    }
