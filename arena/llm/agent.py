"""The family `llm`: a language model at the table.

Each decision is one question to a server that speaks OpenAI's chat completions. A reply without a
legal move is answered with what is wrong with it, twice at most; after that the decision is a
fault, never a move of ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from arena.core.agent import Setup, parameter
from arena.core.codec import encode_view
from arena.core.errors import ArenaError
from arena.core.files import own_file, read_text
from arena.core.rules import Action, Outcome, View
from arena.core.seeds import Rng
from arena.llm.answers import Judged, judge
from arena.llm.conversations import REPLIES, Attempt, AttemptKey, Conversations, RequestLimits
from arena.llm.prompt import ANSWER, LegalMoves, Prompter, usual_template
from arena.llm.server import Server, TookTooLong
from arena.process.faults import AgentFault, FaultKind, Unavailable

ATTEMPTS = 3
_PER = 1e6
"""Tokens that a price is for."""
_OURS = ("model", "messages", "n", "stream", "stream_options", "temperature", "max_tokens")
_TEXTS = ("template", "rules")


@dataclass(frozen=True)
class Prices:
    """Prices of tokens, in any currency."""

    prompt_per_million: float = parameter(help="a million tokens of prompts", at_least=0)
    completion_per_million: float = parameter(help="a million tokens of replies", at_least=0)


@dataclass(frozen=True)
class LanguageModel:
    """A language model on a server that speaks OpenAI's chat completions."""

    base_url: str = parameter(help="the server, such as http://localhost:8000/v1")
    model: str = parameter(help="the model, as the server names it")
    api_key_env: str | None = parameter(
        None,
        help="the environment variable with the key; the key itself is never stored",
        affects_play=False,
    )
    legal_moves: LegalMoves = parameter(
        "listed", help="whether the prompt lists the legal moves; if hidden, forced moves are asked"
    )
    template: str | None = parameter(
        None, help="a file with a prompt of one's own, see docs/language-models.md"
    )
    rules: str | None = parameter(None, help="a file with the rules in one's own words")
    temperature: float | None = parameter(None, help="the server's own if not given", at_least=0)
    max_tokens: int | None = parameter(
        4096, help="tokens of a reply, reasoning included", at_least=1
    )
    request: dict[str, Any] | None = parameter(
        None, help="further fields of the request, such as {reasoning_effort: low}"
    )
    seconds_per_decision: float | None = parameter(
        None, help="for all attempts of a decision together; longer is a fault", at_least=0.001
    )
    stream: bool = parameter(False, help="receive the reply as it is written", affects_play=False)
    in_flight: int = parameter(
        8, help="requests at the same time, of all workers of a run", at_least=1, affects_play=False
    )
    timeout_s: float = parameter(
        600.0, help="for one request; then it is asked again", at_least=0.001, affects_play=False
    )
    patience_s: float = parameter(
        600.0,
        help="how long a server may be away or refuse for now; then the run ends",
        at_least=0,
        affects_play=False,
    )
    prices: Prices | None = parameter(None, help="what tokens cost", affects_play=False)
    max_cost: float | None = parameter(
        None, help="what a run may spend on it and its twins", at_least=0, affects_play=False
    )

    reproducible: ClassVar[bool] = False
    asks_server: ClassVar[bool] = True

    _line: _Line = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        template = usual_template() if self.template is None else self.template
        prompter = Prompter(template, self.legal_moves, self.rules)
        server = Server(self.base_url, self.api_key_env, self.timeout_s, self.patience_s)
        for name in self.request or ():
            if name in _OURS:
                raise ArenaError(f"request: {name!r} is set by parameters of the agent")
        if self.max_cost is not None and (self.prices is None or self.most_tokens is None):
            raise ArenaError("max_cost needs prices and max_tokens: what a reply costs at most")
        object.__setattr__(self, "_line", _Line(self, prompter, server))

    # --- its files -----------------------------------------------------------------------

    @classmethod
    def relative_to(cls, folder: Path, values: dict[str, Any]) -> dict[str, Any]:
        """The parameters with the texts of the files that they name, found from `folder`."""
        texts = {
            name: read_text(own_file(folder.absolute(), values[name]))
            for name in _TEXTS
            if values.get(name) is not None
        }
        return {**values, **texts}

    @classmethod
    def own_files(cls, folder: Path, values: Mapping[str, Any]) -> dict[str, Path]:
        """The files that it names in an experiment in `folder`, for the run to keep."""
        names = [values[name] for name in _TEXTS if values.get(name) is not None]
        return {name: own_file(folder, name) for name in names}

    @property
    def model_hash(self) -> str:
        """The hash of the texts around a view: another prompt is another agent."""
        return self._line.prompter.digest

    @property
    def most_tokens(self) -> int | None:
        """How many tokens a reply can have."""
        more = (self.request or {}).get("max_completion_tokens")
        return more if isinstance(more, int) else self.max_tokens

    # --- at the table --------------------------------------------------------------------

    def keep_in(self, folder: Path) -> None:
        """Keep prompts and replies in the folder of a run; refused if no question can be asked."""
        self._line.server.check()
        Conversations(folder / REPLIES).close()  # made by the driver, before all workers open it
        self._line.keep_in(folder)

    def take_seat(self, setup: Setup) -> SeatedModel:
        """Begin a round."""
        return SeatedModel(self._line)

    def act(self, view: View, rng: Rng) -> Action:
        """The model's move."""
        return SeatedModel(self._line).act(view, rng)

    def conversation(self, view: View, rng: Rng, kept: Conversations) -> list[Attempt]:
        """The prompts and replies of a decision of a run."""
        return kept.of_decision(self._line.decision(view, rng))

    def close(self) -> None:
        """Close the connection and the file of replies."""
        self._line.close()


class SeatedModel:
    """A model in one seat; its time is that of the model, without waiting for a turn."""

    def __init__(self, line: _Line) -> None:
        self._line = line
        self.nanoseconds: float = 0.0

    def act(self, view: View, rng: Rng) -> Action:
        """The model's move; an `AgentFault` after so many replies without a legal one."""
        self.nanoseconds = 0.0
        if len(view.legal) == 1 and self._line.agent.legal_moves == "listed":
            return view.legal[0]
        line, limit_s = self._line, self._line.agent.seconds_per_decision
        messages = [{"role": "user", "content": line.prompter.prompt(view)}]
        decision = line.decision(view, rng)
        wrong: list[Judged] = []
        for number in range(ATTEMPTS):
            left_s = None if limit_s is None else limit_s - self.nanoseconds / 1e9
            try:
                attempt = line.ask(messages, decision, number, left_s, view)
            except TookTooLong:
                self.nanoseconds = 1e9 * (limit_s or 0.0)
                raise AgentFault("overtime", f"thought longer than {limit_s:g} s") from None
            self.nanoseconds += 1e9 * attempt.seconds
            if limit_s is not None and self.nanoseconds > 1e9 * limit_s:
                raise AgentFault("overtime", f"thought longer than {limit_s:g} s")
            judged = judge(attempt.reply, attempt.finish, view)
            if not judged.problem and judged.action is not None:
                return judged.action
            wrong.append(judged)
            messages += [
                {"role": "assistant", "content": attempt.reply or "(no text)"},
                {"role": "user", "content": _what_was_wrong(judged)},
            ]
        problems = ", ".join(each.problem for each in wrong)
        kind: FaultKind = "illegal" if wrong[-1].problem == "illegal" else "protocol"
        raise AgentFault(
            kind, f"gave no legal move in {ATTEMPTS} answers ({problems}): {wrong[-1].words}"
        )

    def end_deal(self, outcome: Outcome | None) -> None:
        """No-op: a model remembers no round."""


def _what_was_wrong(judged: Judged) -> str:
    said = judged.words[0].upper() + judged.words[1:]
    return f"That is no move: {judged.problem}. {said}. {ANSWER}"


class _Line:
    """The connection of an agent with its model: prompts, server, replies."""

    def __init__(self, agent: LanguageModel, prompter: Prompter, server: Server) -> None:
        self.agent, self.prompter, self.server = agent, prompter, server
        self._folder: Path | None = None
        self._kept: Conversations | None = None
        played = {
            item.name: getattr(agent, item.name)
            for item in fields(agent)
            if item.init and item.name not in _TEXTS and item.metadata.get("affects_play", True)
        }
        self.digest = _hash(played, prompter.digest)

    def keep_in(self, folder: Path) -> None:
        self._folder = folder

    def close(self) -> None:
        self.server.close()
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def decision(self, view: View, rng: Rng) -> str:
        """The key of a decision's replies."""
        return _hash(self.digest, encode_view(view), f"{rng.state:016x}")

    def ask(
        self,
        messages: list[dict[str, str]],
        decision: str,
        number: int,
        limit_s: float | None,
        view: View,
    ) -> Attempt:
        """The reply to a question: the one that is kept, or a new one."""
        agent, kept = self.agent, self._kept
        if kept is None:
            if self.server.closed:
                raise Unavailable(f"{agent.base_url}: the run is over")
            kept = Conversations(None if self._folder is None else self._folder / REPLIES)
            self._kept = kept
        body = {"model": agent.model, "messages": messages, **self._fields()}
        question = AttemptKey(_hash(decision, body), decision, number, self.digest)
        most = self._most(messages)
        limits = RequestLimits(self.digest, agent.in_flight, most, agent.max_cost)
        with kept.turn(question.key, limits) as found:
            if found is not None:
                return found
            if agent.stream:
                body |= {"stream": True, "stream_options": {"include_usage": True}}
            reply = self.server.ask(body, limit_s)
            attempt = Attempt(
                messages=tuple(messages),
                reply=reply.text,
                reasoning=reply.reasoning,
                finish=reply.finish,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                served=reply.served,
                seconds=reply.seconds,
                problem=judge(reply.text, reply.finish, view).problem,
                cost=self._cost(reply.prompt_tokens, reply.completion_tokens, most),
            )
            kept.add(question, attempt)
        return attempt

    def _fields(self) -> dict[str, Any]:
        named = {"temperature": self.agent.temperature, "max_tokens": self.agent.max_tokens}
        return {k: v for k, v in named.items() if v is not None} | (self.agent.request or {})

    def _most(self, messages: list[dict[str, str]]) -> float:
        """The highest cost of a request: a token has a byte at least; a message has some more."""
        prices = self.agent.prices
        if prices is None:
            return 0.0
        size = sum(len(message["content"].encode()) + _AROUND for message in messages)
        replies = (self.agent.most_tokens or 0) * prices.completion_per_million
        return (size * prices.prompt_per_million + replies) / _PER

    def _cost(self, prompt: int | None, completion: int | None, most: float) -> float | None:
        """The cost of a reply; the highest possible where the server does not count tokens."""
        prices = self.agent.prices
        if prices is None:
            return None
        if prompt is None or completion is None:
            return most
        return (
            prompt * prices.prompt_per_million + completion * prices.completion_per_million
        ) / _PER


_AROUND = 32
"""Tokens that a server may put around each message."""


def _hash(*parts: object) -> str:
    def plain(value: object) -> object:
        return vars(value) if isinstance(value, Prices) else str(value)

    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=plain)
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
