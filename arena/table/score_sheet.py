"""The score sheet of an evening, as people write it: a row for each round, and the totals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.core.rules import MatchFormat, Outcome, Rules, Standing, side_name
from arena.core.tables import text_table
from arena.report.words import count, interval, plain, signed
from arena.stats.luck import LuckCorrection


@dataclass(frozen=True)
class SheetRow:
    """One round on the sheet."""

    outcome: Outcome
    written: tuple[str, ...]
    """What is written down for each side."""
    totals: tuple[int, ...]
    """The scores of all rounds so far."""


class ScoreSheet:
    """The rounds so far."""

    def __init__(self, rules: Rules, *, is_match: bool = True) -> None:
        """Rounds that stand for themselves are no match: their sheet is never full."""
        self.rules = rules
        self.match = rules.match if is_match else MatchFormat()
        self.rows: list[SheetRow] = []
        self.standing = Standing(0, (0,) * len(rules.sides))

    @property
    def sides(self) -> tuple[str, ...]:
        """The heads of the columns."""
        return tuple(side_name(self.rules, side) for side in range(len(self.rules.sides)))

    @property
    def is_full(self) -> bool:
        """Whether the match is over."""
        return self.match.is_over(self.standing)

    @property
    def goal(self) -> str:
        """How long a match is."""
        if self.match.target is not None:
            return f"to {self.match.target:,} points"
        return f"{self.match.rounds} rounds" if self.match.rounds is not None else ""

    def add(self, outcome: Outcome, declarer: int | None) -> SheetRow:
        """Write down a round; a thrown-in one changes no total and is dealt again."""
        if "redeal" not in outcome.flags:
            self.standing = self.standing.after(outcome.scores)
        row = SheetRow(outcome, self._written(outcome, declarer), self.standing.scores)
        self.rows.append(row)
        return row

    def _written(self, outcome: Outcome, declarer: int | None) -> tuple[str, ...]:
        if "redeal" in outcome.flags:
            return ("thrown in",) * len(self.sides)
        written = []
        for side, score in enumerate(outcome.scores):
            bonus = outcome.bonus[side]
            text = f"{score - bonus}+{bonus}" if 0 < bonus <= score else f"{score}"
            flags = [f for f in outcome.flags if self._owner(f, outcome, declarer) == side]
            written.append(" ".join([text, *(self.rules.labels.get(f, f) for f in flags)]))
        return tuple(written)

    def _owner(self, flag: str, outcome: Outcome, declarer: int | None) -> int | None:
        owner = self.rules.flag_owners.get(flag)
        if owner == "declarer":
            return None if declarer is None else self.rules.side_of(declarer)
        counted = {"points": outcome.points, "tricks": outcome.tricks}.get(owner or "")
        return None if counted is None else counted.index(max(counted))

    def slate(self, side: int) -> tuple[int, ...]:
        """The total of a side as people chalk it: how many strokes of each kind, and the rest.

        Empty in games in which totals are written as numbers.
        """
        left, counts = self.standing.scores[side], list[int]()
        for worth in self.rules.strokes:
            count, left = divmod(left, worth)
            counts.append(count)
        return (*counts, left) if counts else ()

    def _slate_lines(self) -> Iterator[str]:
        for side, name in enumerate(self.sides):
            *counts, rest = self.slate(side)
            strokes = zip(self.rules.strokes, counts, strict=True)
            chalked = (f"{worth} {'|' * count}" for worth, count in strokes if count)
            yield f"{name}: {'  '.join([*chalked, f'+{rest}'])}"

    def __str__(self) -> str:
        """The sheet as text: what each round was worth, and the totals below."""
        rows = [(str(n), *row.written) for n, row in enumerate(self.rows, start=1)]
        totals = ("total", *map(str, self.standing.scores))
        table = text_table(("round", *self.sides), [*rows, totals])
        slate = self._slate_lines() if self.rules.strokes else ()
        return "\n".join([table, *slate, *([self.goal] if self.goal else [])])


def luck_lines(found: LuckCorrection | None) -> Iterator[str]:
    """A person's score of the evening as played, and less the luck of the cards."""
    if found is None:
        return
    for name, score in (("as played", found.plain), ("luck-adjusted", found.corrected)):
        limits = interval(score.low, score.high, show=signed)
        yield f"{name + ':':<15}{signed(score.mean)} points per round ({limits})"
    if found.variance_ratio is not None:
        yield (
            f"adjusted, the variance is {plain(found.variance_ratio, 2)} of that as played: "
            f"{count(found.plain.n)} rounds are worth {count(found.worth_deals)}"
        )
