"""People: their scores less the luck of the cards, and agents on the same cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.card_luck import FEWEST_DEALS
from arena.analysis.estimates import Estimate
from arena.analysis.people import People, people_of
from arena.report.context import Context
from arena.report.section import Section
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import DASH, count, interval, plain, signed

if TYPE_CHECKING:
    from arena.report.document import ReportDocument

_NOTE = (
    "Points per round by which each person's side did better than the others, as played and "
    "less what the cards are worth when the same player sits in all seats (a control variate, "
    f"its weight learnt on other rounds; from {FEWEST_DEALS} rounds on). “Variance”: that of the "
    "adjusted rounds, in that as played; “worth”: how many rounds as played are as precise."
)
_SAME_CARDS = (
    "People and agents on the same cards, in the same seats and against the same opponents: points "
    "per deal by which the person did better."
)


@dataclass(frozen=True)
class PeoplePart:
    """The people of the run."""

    note: str
    same_cards_note: str
    people: People


class PeopleSection(Section[PeoplePart]):
    """Only in runs in which people played."""

    name: ClassVar[str] = "people"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "People"

    def make(self, context: Context) -> PeoplePart | None:
        """From the rounds of people."""
        found = people_of(context.run, context.results)
        return None if found is None else PeoplePart(_NOTE, _SAME_CARDS, found)

    def csv(self, part: PeoplePart) -> Mapping[str, Rows]:
        return {
            "people": [flat(asdict(each)) for each in part.people.scores],
            "people_same_cards": [flat(asdict(each)) for each in part.people.same_cards],
        }

    def tables(self, part: PeoplePart, document: ReportDocument) -> Iterable[TextTable]:
        columns = (
            Column("person", words=True, key=True),
            *map(Column, ("rounds", "as played", "95% interval", "luck-adjusted")),
            *map(Column, ("95% interval", "variance", "worth")),
        )
        cells = tuple(
            (
                each.person,
                count(each.played.n),
                *_cells(each.played),
                *_cells(each.adjusted),
                plain(each.variance_ratio, 2),
                DASH if each.worth is None else count(each.worth),
            )
            for each in part.people.scores
        )
        yield TextTable("people", part.note, columns, cells)
        if part.people.same_cards:
            heads = (Column("person", words=True, key=True), Column("agent", words=True))
            rows = tuple(
                (each.person, each.agent, count(each.difference.n), *_cells(each.difference))
                for each in part.people.same_cards
            )
            numbers = map(Column, ("deals", "person less agent", "95% interval"))
            yield TextTable("same_cards", part.same_cards_note, (*heads, *numbers), rows)


def _cells(found: Estimate | None) -> tuple[str, str]:
    if found is None:
        return DASH, DASH
    return signed(found.value), interval(found.low, found.high, show=signed)
