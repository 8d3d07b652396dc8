"""Captions and notes of the report, each made in one place and tested.

Sentences about strength are in `sentences`; these explain how to read the numbers. Templates,
tables and figures have no prose of their own, so no sentence can contradict another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.report.labels import FEW, MANY
from arena.report.words import above, count, percent

if TYPE_CHECKING:
    from arena.audit.honesty import Honesty
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class Explanations:
    """The notes of one report."""

    unit: str
    units: str
    singles: str
    higher_wins: bool
    confidence: float
    alpha: float
    power: float
    basis: str
    """What the comparisons rest on: `joint` or `direct`."""

    @classmethod
    def of(cls, document: ReportDocument) -> Explanations:
        """The notes that fit a document."""
        run, method = document.parts["run"], document.parts["method"]
        return cls(
            unit=run.unit,
            units=run.units,
            singles=run.singles,
            higher_wins=run.higher_wins,
            confidence=method.confidence,
            alpha=method.alpha,
            power=method.power,
            basis=method.basis,
        )

    @property
    def _level(self) -> str:
        return percent(self.confidence, 0)

    @property
    def _fewer(self) -> str:
        return "" if self.higher_wins else " Fewer points are better."

    # --- the verdict and the leaderboard -------------------------------------------------

    def rating_picture(self) -> str:
        """Below the picture of the ratings."""
        better = above(self.higher_wins)
        return (
            f"Score rating: points per {self.unit} {better} the field, with the {self._level} "
            "interval of each agent alone. The comparisons, not these intervals, tell who is "
            "stronger."
        )

    def ladder_caption(self) -> str:
        """What the intervals of the leaderboard are."""
        return (
            f"All agents, the best first. Intervals are {self._level}, of each number alone, over "
            f"{self.units}.{self._fewer}"
        )

    def ladder_note(self) -> str:
        """Explains the columns of the leaderboard."""
        field = f"{above(self.higher_wins)} the field"
        fewer = "" if self.higher_wins else " (fewer points are better)"
        return (
            f"Score rating: points per {self.unit} {field}{fewer}. Agents that share a letter in "
            "“group” are not distinguishable; the small numbers next to a rank are the ranks that "
            "cannot be excluded. Both come from the simultaneous comparisons below. "
            f"“{self.singles.capitalize()} won” counts a draw as half; time is the median by the "
            "clock."
        )

    def other_partners(self) -> str:
        """The column of cross-play."""
        return (
            f"“With other partners”: points per {self.unit} with a partner other than itself, "
            "against opponents with the same partner."
        )

    def processes(self, isolated: Sequence[str]) -> str:
        """Explains the marks next to agent names; empty if no agent has one."""
        if not isolated:
            return ""
        return (
            "“Own process”: the agent played in a process of its own and was sent nothing but its "
            "view. The others ran as trusted code in ours. Its time is what it says it took, "
            "without the way there and back; its CPU time is not known."
        )

    # --- who is stronger -----------------------------------------------------------------

    def comparisons(self) -> str:
        """The quantity that the comparisons are about."""
        if self.basis == "joint":
            return (
                "Differences of the score ratings, which use all results of all agents together, "
                "so that agents that never met are compared through their opponents."
            )
        return (
            "The ratings do not fit this field, so these are direct meetings; agents that never "
            "met are not compared."
        )

    def results_graph(self) -> str:
        """The graph of known results."""
        return (
            "Who beats whom in direct meetings, beyond chance: an arrow points to the agent that "
            "is behind. Thick: agents that beat each other in a circle."
        )

    def strength_map(self) -> str:
        """What a cell of the map of comparisons says."""
        return (
            f"Points per {self.unit} by which the agent in the row is stronger than the one in the "
            "column, with the adjusted p. Coloured and marked *: beyond chance."
        )

    def comparisons_caption(self) -> str:
        """That intervals and p-values belong together."""
        return (
            f"Simultaneous {self._level} intervals and p-values are adjusted together over the "
            f"field: an interval excludes 0 exactly where p is below {self.alpha:g}."
        )

    def comparisons_note(self) -> str:
        """What the marks and the last columns mean."""
        return (
            "* differs beyond chance. “Detectable”: the difference that is found with "
            f"{percent(self.power, 0)} probability, adjusted like the test. “Interval alone”: the "
            f"plain {self._level} interval, as if this were the only comparison."
        )

    # --- direct meetings -----------------------------------------------------------------

    def pairs_note(self) -> str:
        """What direct meetings say, and what they do not."""
        said = "from all results together" if self.basis == "joint" else "from the same results"
        return (
            "What each pair did when it met: a description, not a test. Who is stronger is said "
            f"above, {said}."
        )

    def pairs_map(self) -> str:
        """What a cell of the map of meetings says."""
        return (
            f"Points per {self.unit} of the agent in the row against the one in the column, in "
            "their direct meetings."
        )

    def pairs_caption(self) -> str:
        """What the intervals are."""
        return (
            f"Every pair that met, with the one named first ahead. “Alone”: the {self._level} "
            "interval of this pair by itself. Among many pairs some such intervals exclude 0 by "
            f"chance. {self.units.capitalize()} are won by their margin over all seatings; "
            f"“{self.singles} won” counts every seating, a draw as half."
        )

    def saved(self) -> str:
        """How many deals the exchange of seats saved."""
        return (
            f"“{self.units.capitalize()} saved”: how many more would have been needed had every "
            "seating been dealt fresh cards."
        )

    # --- the rest ------------------------------------------------------------------------

    def sweeps_note(self) -> str:
        """How settings are compared."""
        return (
            "The verdict compares settings by the joint comparison, through their common opponents "
            "where they never met."
        )

    def forfeits_caption(self) -> str:
        """Explains the two ratings of the table of forfeits."""
        return (
            f"Score ratings with forfeited {self.units}, each counted as lost, and on those that "
            f"no agent forfeited, with the {self._level} interval of each number alone."
        )

    def faults_caption(self, number: int, shown: int) -> str:
        """The number of faults, and whether all are listed."""
        what = f"{count(number)} fault{'s' if number != 1 else ''}"
        return f"{what}, the first {count(shown)} of them" if number > shown else what

    def points_caption(self) -> str:
        """Explains the means and the rates."""
        return (
            "Means per round with the intervals of each alone; rates are of the rounds in which it "
            f"could happen.{self._fewer}"
        )

    def points_note(self, replayed: int) -> str:
        """The number of rounds behind the points by trick."""
        return f"Points by trick are from {count(replayed)} rounds spread over the run."

    def no_points(self) -> str:
        """Shown if no round was finished."""
        return "No round was finished."

    def audit_note(self) -> str:
        """What the two kinds of loss are."""
        return (
            "“Could be known”: the mean loss over worlds that the player could expect, all cards "
            "valued on the same worlds. “Hindsight”: with the true cards open, exactly. Only what "
            "could be known is ever called a mistake. Both assume open cards from the next card "
            f"on; intervals are {self._level}, over {self.units}."
        )

    def audit_grades(self) -> str:
        """From when on a loss is a mistake."""
        return (
            "Grades are by points lost as far as could be known, if that is more than three "
            "standard errors."
        )

    def audited(self, decisions: int, rounds: int, units: int, missing: int) -> str:
        """How much was audited."""
        later = f" {count(missing)} more rounds are not audited yet." if missing else ""
        return (
            f"{count(decisions)} decisions in {count(rounds)} rounds of {count(units)} "
            f"{self.units if units != 1 else self.unit} were valued by the solver.{later}"
        )

    def losses_caption(self) -> str:
        """The order of the agents."""
        return (
            f"Points lost per decision, the least first, with {self._level} intervals over "
            f"{self.units}."
        )

    def too_good(self, name: str, found: Honesty) -> str:
        """That an agent agrees with the open-card solution more than it can know."""
        if found.agrees is None or found.possible is None or found.excess is None:
            return ""
        low, high = found.excess.low, found.excess.high
        limits = "" if low is None or high is None else f" ({percent(low)} to {percent(high)})"
        return (
            f"{name} plays the card that is best with all cards open more often than a player can "
            f"who knows its own cards only: in {percent(found.agrees.value)} of its decisions; "
            f"{percent(found.possible.value)} could be reached. The excess is "
            f"{percent(found.excess.value)}{limits}, over {count(found.excess.n)} {self.units}."
        )

    def losses_figure(self, what: str) -> str:
        """Points lost, by what they are grouped by."""
        return (
            f"Points lost per decision as far as could be known, by {what}, with {self._level} "
            f"intervals over {self.units}."
        )

    def references_caption(self) -> str:
        """Defines z."""
        return "z is the difference, counted in standard errors of both values together."

    def swings(self) -> str:
        """What the replay shows."""
        return (
            "Large swings of every pair, or of the strongest pairs if there are many; the largest "
            "first: with the same cards, one side of the table did better than the other. Both "
            "seatings are shown side by side; what each search computed at the first step that "
            "differs is below."
        )

    def swings_caption(self) -> str:
        """The sign of the margins."""
        return f"Margins, in points per {self.unit}, are in favour of the agent named first."

    # --- figures -------------------------------------------------------------------------

    def time_figure(self) -> str:
        """Strength against time."""
        return (
            f"Strength against the median time of a decision, with {self._level} intervals. The "
            "dashed line joins the agents that no other agent beats on both."
        )

    def columns(self, numbered: bool) -> str:
        """What heads the columns of a map, if not names."""
        return " Columns have the numbers of the rows." if numbered else ""

    def few_of(self, agents: int, few: int = FEW, many: int = MANY) -> str:
        """What a figure leaves out if there are many agents."""
        return f" The best {few} of {count(agents)} agents." if agents > many else ""

    def cross_table_figure(self) -> str:
        """The map of direct meetings."""
        return f"Direct meetings. {self.pairs_map()}"

    def forest_figure(self) -> str:
        """The list of direct meetings."""
        return (
            f"Direct meetings: mean margin in points per {self.unit}, with the {self._level} "
            "interval of each pair alone."
        )

    def margins_figure(self) -> str:
        """How margins are spread."""
        return (
            f"How often which margin occurred: of single {self.singles}, and of {self.units} with "
            "their seatings averaged. Heights are shares, on one scale for all rows. Spikes are "
            "games of all or nothing."
        )

    def roles_figure(self) -> str:
        """Scores by role."""
        return f"Mean score by role, with {self._level} intervals over {self.units}."

    def tricks_figure(self, has_limits: bool) -> str:
        """Points by trick, as lines."""
        limits = f", with {self._level} intervals over {self.units}" if has_limits else ""
        return f"Points taken in each trick, bonus included{limits}."

    def tricks_map(self) -> str:
        """Points by trick, as a map."""
        return (
            "Points taken in each trick, bonus included. The colour shows how far an agent lies "
            "above or below the mean of the agents shown; intervals are in tables/tricks.csv."
        )

    def sweeps_figure(self) -> str:
        """Strength along a parameter."""
        return (
            f"Strength along a parameter, with the {self._level} interval of each point alone. "
            "Filled (in a map: framed) where no setting of the sweep is known to be better."
        )
