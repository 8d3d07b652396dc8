"""One-line summary of the run, and the cautions that apply to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.report import sentences
from arena.report.context import ResultsContext
from arena.report.section import Section
from arena.report.sections.references import ReferencesSection


@dataclass(frozen=True)
class VerdictPart:
    """The summary's sentences, and the agents that they name."""

    headline: str
    details: tuple[str, ...]
    scoring: str
    """Set where fewer points are better."""
    cautions: tuple[str, ...]
    forfeits: tuple[str, ...]
    top: tuple[str, ...]
    """The agents that no other agent is known to be stronger than."""
    basis: str
    """`joint`: from the ratings of all agents together; `direct`: from direct meetings."""

    @property
    def text(self) -> tuple[str, ...]:
        """All of it, in the order in which it is read."""
        said = (self.headline, self.scoring, *self.details, *self.forfeits, *self.cautions)
        return tuple(sentence for sentence in said if sentence)


class VerdictSection(Section[VerdictPart]):
    """The summary at the top of the page."""

    name: ClassVar[str] = "verdict"
    needs_run: ClassVar[bool] = False

    def make(self, context: ResultsContext) -> VerdictPart:
        """From the joint comparison."""
        field, facts = context.standings, facts_of(context)
        forfeits = list(sentences.forfeit_sentences(field, context.played_standings, facts))
        first = [sentence for sentence, leads in forfeits if leads]
        answer = sentences.headline(field, facts)
        references = context.part(ReferencesSection())
        return VerdictPart(
            headline=" ".join((*first, answer)),
            details=(
                *sentences.details(field, facts),
                *(sentences.sweep_sentences(sweep, facts) for sweep in context.sweeps),
                *((references.summary,) if references is not None else ()),
            ),
            scoring=sentences.scoring(facts),
            cautions=tuple(sentences.cautions(field, facts)),
            forfeits=tuple(sentence for sentence, leads in forfeits if not leads),
            top=field.joint.top,
            basis=field.joint.basis,
        )


def facts_of(context: ResultsContext) -> sentences.Facts:
    """The facts of a run that the sentences use."""
    played = context.overview
    sighted = [name for name in context.labels if context.about(name).sees_all_cards]
    marks = {name: f"{context.labels[name]} (sees all cards)" for name in sighted}
    return sentences.Facts(
        unit=played.unit,
        units=played.units,
        higher_wins=played.higher_wins,
        stored=played.units_stored,
        wanted=played.units_wanted,
        labels=context.labels | marks,
        indifferent=played.indifferent,
    )
