"""Language models: how often their answers were legal moves, and what these took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.model_plays import ModelPlay, model_plays
from arena.report.context import Context
from arena.report.section import Section
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import count, interval, percent, plain

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class ModelsPart:
    """Every language model of the run."""

    agents: tuple[ModelPlay, ...]
    spent: float | None
    """The cost of all replies, each counted once; null without prices."""
    note: str
    """The meaning of the numbers."""


class ModelsSection(Section[ModelsPart]):
    """Only in runs with language models."""

    name: ClassVar[str] = "models"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Language models"
    short: ClassVar[str] = "Models"

    def make(self, context: Context) -> ModelsPart | None:
        """From the conversations of all rounds."""
        agents = tuple(model_plays(context.run, context.conversations))
        if not agents:
            return None
        priced = any(agent.cost is not None for agent in agents)
        spent = context.conversations.spent if priced else None
        return ModelsPart(agents, spent, _note(agents, spent))

    def csv(self, part: ModelsPart) -> Mapping[str, Rows]:
        return {"models": [flat(asdict(agent)) for agent in part.agents]}

    def tables(self, part: ModelsPart, document: ReportDocument) -> Iterable[TextTable]:
        columns = (
            Column("model", words=True, key=True),
            *map(Column, ("asked", "legal at once", "95% interval", "2nd", "3rd", "never")),
            *map(Column, ("unparsable", "illegal", "cut off")),
            *map(Column, ("prompt tokens", "reply tokens", "seconds", "cost")),
        )
        yield TextTable("models", part.note, columns, tuple(map(_cells, part.agents)))


def _cells(agent: ModelPlay) -> tuple[str, ...]:
    at_once = agent.legal_at_once
    return (
        agent.name,
        count(agent.decisions),
        percent(at_once.value),
        interval(at_once.low, at_once.high, show=percent),
        *map(count, (agent.second, agent.third, agent.none)),
        *map(count, (agent.unparsable, agent.illegal, agent.cut_off)),
        plain(agent.prompt_tokens, 0),
        plain(agent.completion_tokens, 0),
        plain(agent.seconds.value, 2),
        plain(agent.cost, 4),
    )


def _note(agents: tuple[ModelPlay, ...], spent: float | None) -> str:
    note = (
        "Legality, separate from strength: decisions for which the model was asked, and the share "
        "of them in which the first answer was a legal move, with its 95% interval over deals; how "
        "many had one only at the second or third answer, or never, which is a fault. Unparsable, "
        "illegal and cut-off answers are counted over all attempts. Tokens (of prompts and of "
        "replies) and seconds are per decision."
    )
    if spent is not None:
        cost = plain(spent, 4)
        note += f" All replies together cost {cost}; one that several pairs share counts once."
    changed = [agent.name for agent in agents if len(agent.served) > 1]
    if changed:
        note += (
            f" The server says that more than one model answered for {', '.join(changed)}: these "
            "results mix them."
        )
    return note
