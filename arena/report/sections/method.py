"""How it was computed, every setting named, and how to cite it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.report.bibliography import ARENA, bibtex, named_in, works
from arena.report.context import ResultsContext
from arena.report.section import Section
from arena.report.words import P_FLOOR
from arena.stats.power import POWER


@dataclass(frozen=True)
class Cited:
    """A publication and what of it is used."""

    key: str
    short: str
    what: str


@dataclass(frozen=True)
class MethodPart:
    """Levels, adjustments and sources."""

    confidence: float
    """Of all intervals, simultaneous or alone."""
    alpha: float
    simultaneous: str
    """How the comparisons of the joint ratings are adjusted."""
    basis: str
    power: float
    """The probability behind `detectable`."""
    p_floor: float
    """Smaller p-values are written as being below it."""
    slow_percentile: int
    settings: dict[str, str]
    """Every setting of the computation, in words."""
    works: tuple[Cited, ...]
    bibtex: str
    """The works as BibTeX."""
    citation: str
    """How to cite the run itself."""


_METHODS = (
    "student1908",
    "stefani1980",
    "pustejovsky2018",
    "hothorn2008",
    "piepho2004",
    "mogstad2024",
    "hotelling1931",
)


class MethodSection(Section[MethodPart]):
    """How it was computed, and how to cite it."""

    name: ClassVar[str] = "method"
    needs_run: ClassVar[bool] = False
    title: ClassVar[str] = "How it was computed, how to cite it"
    short: ClassVar[str] = "Method"

    def make(self, context: ResultsContext) -> MethodPart:
        """From the standings and the manifest."""
        field, units = context.standings, context.units
        about = [context.overview.description or "", *(each.label for each in context.references)]
        repeated = named_in(" ".join(about))
        elo = () if field.elo is None else ("bradley1952",)
        keys = list(dict.fromkeys((ARENA, *repeated, *_METHODS, *elo)))
        level = f"{100 * (1 - field.alpha):.0f}%"
        return MethodPart(
            confidence=1 - field.alpha,
            alpha=field.alpha,
            simultaneous="min-p" if field.joint.basis == "joint" else "Bonferroni",
            basis=field.joint.basis,
            power=POWER,
            p_floor=P_FLOOR,
            slow_percentile=95,
            settings={
                "unit": f"the {field.unit}; its seatings are averaged first",
                "strength": (
                    f"score ratings by least squares over all {units}, errors clustered by "
                    f"{field.unit} (CR2, Satterthwaite)"
                ),
                "comparisons": (
                    f"differences of ratings; {level} intervals and p-values adjusted together "
                    "over the field (min-p)"
                    if field.joint.basis == "joint"
                    else f"direct meetings, because the ratings do not fit; {level} intervals and "
                    "p-values adjusted together (Bonferroni)"
                ),
                "letters and ranks": "from the same comparisons",
                "direct meetings": (
                    f"a description, not a test: the {level} t interval of each pair alone, by "
                    f"{field.unit}"
                ),
                "Elo": (
                    "Bradley-Terry by maximum likelihood, draws as half, errors clustered by "
                    f"{field.unit}; a perfect score has an open limit by profile likelihood"
                ),
                "win rates": f"Wilson's interval, {units} as the unit",
                "forfeits": f"a forfeited {field.unit} counts as lost, margin and win alike",
                "detectable": f"with {100 * POWER:.0f}% probability, adjusted like the test",
            },
            works=tuple(Cited(key, works()[key].short, works()[key].what) for key in keys),
            bibtex=bibtex(keys),
            citation=context.citation,
        )
