"""What a language model reads: the rules and a view in plain words, put together by a template.

The template is a text with placeholders (`$rules`, `$position` and so on, see `PLACES`), as
`string.Template` has them: it can name values, and do nothing else.

The rules of a game are the page that `docs/rules` has for it, the docstring at the top of its rule
book, which is exact, and its options; a game from outside has the last two.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal, TypeAlias

from arena.core.cards import (
    DECK,
    RANKS,
    SEATS,
    SUITS,
    TRUMPS,
    card_name,
    cards_of,
    rank_of,
    write_cards,
)
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import find_shipped, read_text
from arena.core.rules import Rules, View, action_name, bid_names, chosen_trump, side_name

LegalMoves: TypeAlias = Literal["listed", "hidden"]

PLACES: dict[str, str] = {
    "rules": "the rules of the game and its options",
    "notation": "how cards and seats are written",
    "position": "the seats, the hand, the auction, the score",
    "history": "the tricks so far and the one in progress",
    "legal": "the legal moves; empty if they are hidden",
    "answer": "how to answer",
}
"""The placeholders of a template. The position, the history and legal moves that are listed must be
in it; a model that knows the game needs no more."""
_OPTIONAL = ("rules", "notation", "answer")

_SUIT_WORDS = dict(zip(SUITS, ("clubs", "diamonds", "hearts", "spades"), strict=True))
_TRUMP_WORDS = {**_SUIT_WORDS, "O": "obe-abe", "U": "une-ufe"}
_RANK_WORDS = {"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}

ANSWER = (
    "Answer with your move. You may reason first; end with one JSON object that has the key "
    '"move" and, as its value, the move as it is written above: {"move": "..."}. The last such '
    "object in your answer is your move; nothing else in it is read."
)


@dataclass(frozen=True)
class Prompter:
    """Makes prompts from views."""

    template: str
    legal_moves: LegalMoves = "listed"
    rules_text: str | None = None
    """The rules in the words of the user; None: ours."""

    def __post_init__(self) -> None:
        check_template(self.template, self.legal_moves)

    @classmethod
    def usual(cls, legal_moves: LegalMoves = "listed") -> Prompter:
        """The prompts that are made if nothing else is asked for."""
        return cls(usual_template(), legal_moves)

    @classmethod
    def from_files(
        cls, template: Path | None, rules: Path | None, legal_moves: LegalMoves
    ) -> Prompter:
        """With a template and rules of the user's, where there are any."""
        text = usual_template() if template is None else read_text(template)
        return cls(text, legal_moves, None if rules is None else read_text(rules))

    @property
    def digest(self) -> str:
        """The hash of the texts that make up a prompt."""
        return sha256(repr((self.template, self.rules_text)).encode()).hexdigest()

    def prompt(self, view: View) -> str:
        """The whole question for a decision."""
        rules = view.rules
        text = Template(self.template).substitute(
            rules=rules_words(rules) if self.rules_text is None else self.rules_text.strip(),
            notation=notation(rules),
            position="\n".join(_position(view)),
            history="\n".join(_history(view)),
            legal=legal_words(view, self.legal_moves),
            answer=ANSWER,
        )
        return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@lru_cache(maxsize=1)
def usual_template() -> str:
    """The template that comes with arena."""
    return files("arena.llm").joinpath("prompt.txt").read_text(encoding="utf-8")


def check_template(text: str, legal_moves: LegalMoves) -> None:
    """Raise `ArenaError` for a template that cannot be filled in, or that lacks what is needed."""
    template = Template(text)
    if not template.is_valid():
        raise ArenaError("template: a '$' that names nothing; write '$$' for a dollar sign")
    named = template.get_identifiers()
    for name in named:
        if name not in PLACES:
            raise ArenaError(f"template: unknown '${name}'; {did_you_mean(name, PLACES)}")
    for name in PLACES:
        optional = name in _OPTIONAL or (name == "legal" and legal_moves == "hidden")
        if name not in named and not optional:
            raise ArenaError(f"template: '${name}' is missing ({PLACES[name]})")


# --- the rules ---------------------------------------------------------------------------

_END = "<!-- prompts end here -->"
_GLOSSARY = "Words in *italics* are in the glossary."
_EMPHASIS = re.compile(r"\*(\w[^*\n]*)\*")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@lru_cache(maxsize=16)
def rules_words(rules: Rules) -> str:
    """The rules of a game, and the options that are played."""
    module = sys.modules.get(type(rules).__module__)
    exact = inspect.cleandoc(getattr(module, "__doc__", None) or type(rules).__doc__ or "")
    page = _page(rules)
    exact = f"## The exact rules\n\n{exact}" if page and exact else exact
    return "\n\n".join(filter(None, (page, exact, "\n".join(_options(rules)))))


def _page(rules: Rules) -> str:
    try:
        page = find_shipped("docs/rules", rules.name, ".md")
    except ArenaError:
        return ""
    text = _LINK.sub(r"\1", page.read_text(encoding="utf-8").partition(_END)[0])
    return _EMPHASIS.sub(r"\1", text.replace(_GLOSSARY, "")).strip()


def _options(rules: Rules) -> Iterator[str]:
    if not is_dataclass(rules) or not fields(rules):
        return
    yield "The game is played with these options:"
    for item in fields(rules):
        value = getattr(rules, item.name)
        about = rules.options_help.get(item.name, "")
        yield f"- {item.name}: {_word(value)}" + (f" ({about})" if about else "")


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def notation(rules: Rules) -> str:
    """How cards, seats and sides are written."""
    suits = ", ".join(f"{letter} {word}" for letter, word in _SUIT_WORDS.items())
    cards = cards_of(rules.deck or DECK)  # games without tricks name no deck
    held = sorted({RANKS[rank_of(card)] for card in cards}, key=RANKS.index)
    ranks = ", ".join(f"{r} {_RANK_WORDS[r]}" if r in _RANK_WORDS else r for r in held)
    seats = ", ".join(SEATS[: rules.players])
    first = card_name(cards[0])
    return (
        f"Cards are written as a letter for the suit ({suits}) and a rank ({ranks}): {first} is "
        f"the {_card_words(first)}. The players sit in the seats {seats}."
    )


def _card_words(name: str) -> str:
    return f"{_RANK_WORDS.get(name[1], name[1])} of {_SUIT_WORDS[name[0]]}"


# --- the view ----------------------------------------------------------------------------


def _position(view: View) -> Iterator[str]:
    rules, bids = view.rules, view.rules.bids
    yield f"You sit in seat {SEATS[view.seat]}. {_sides(view)}"
    turns = " ".join(SEATS[rules.seat_after(view.seat, n)] for n in range(rules.players))
    yield f"Turns go in the order {turns}."
    if view.information is not None:
        yield f"You know:\n{view.information.text.strip()}"
        return
    if view.standing.scores and view.standing.round_number:
        scores = _by_side(rules, view.standing.scores)
        yield f"This is round {view.standing.round_number + 1} of a match; so far: {scores}."
    if view.dealer is not None:
        yield f"Dealer: {SEATS[view.dealer]}."
    if view.turn_ups:
        turned = ", ".join(_SUIT_WORDS[SUITS[suit]] for suit in view.turn_ups)
        yield f"Suits turned up for the auction: {turned}."
    if view.bids:
        calls = ", ".join(f"{SEATS[b.seat]} {action_name(b.action, bids)}" for b in view.bids)
        yield f"Calls: {calls}."
    if view.trump is not None:
        yield f"Trump: {_TRUMP_WORDS[TRUMPS[view.trump]]}."
    if view.declarer is not None:
        forced = ", who had no choice" if view.forced else ""
        yield f"Declarer: {SEATS[view.declarer]}{forced}."
    for seat, cards in view.shown:
        yield f"{SEATS[seat]} showed {write_cards(cards_of(cards))}."
    if view.passed:
        yield f"You passed on {write_cards(view.passed)}."
    if view.received:
        yield f"You received {write_cards(view.received)}."
    yield f"Your hand: {write_cards(cards_of(view.hand))}."
    unseen = cards_of(view.unseen)
    yield f"Cards that you have not seen: {write_cards(unseen) or 'none'}."
    if any(view.points) or any(view.bonus):
        bonus = f"; bonus: {_by_side(rules, view.bonus)}" if any(view.bonus) else ""
        yield f"Card points taken in this round: {_by_side(rules, view.points)}{bonus}."
    if view.opened:
        yield "The suit that may not be led at first has been broken."


def _sides(view: View) -> str:
    rules = view.rules
    own = rules.side_of(view.seat)
    partners = [SEATS[seat] for seat in rules.sides[own] if seat != view.seat]
    if not partners:
        return "Every player plays alone."
    others = " and ".join(
        SEATS[seat] for n, side in enumerate(rules.sides) if n != own for seat in side
    )
    return f"Your partner is {' and '.join(partners)}; {others} play against you."


def _by_side(rules: Rules, values: tuple[int, ...]) -> str:
    return ", ".join(f"{side_name(rules, side)} {value}" for side, value in enumerate(values))


def _history(view: View) -> Iterator[str]:
    rules = view.rules
    for number, trick in enumerate(view.tricks, start=1):
        cards = _in_order(rules, trick.leader, trick.cards)
        bonus = f" and {trick.bonus} bonus" if trick.bonus else ""
        winner = SEATS[trick.winner]
        yield f"Trick {number}: {cards}; {winner} took it ({trick.points} points{bonus})."
    if view.information is not None:
        yield "It is your turn."
    elif view.phase == "bid":
        yield "It is your turn to bid."
    elif view.phase == "pass":
        to = SEATS[rules.seat_after(view.seat, view.passing)]
        yield f"Choose card {len(view.passed) + 1} of those that you pass on to {to}."
    elif view.table_leader is not None and view.table:
        cards = _in_order(rules, view.table_leader, view.table)
        yield f"Trick {len(view.tricks) + 1}, in progress: {cards}; it is your turn."
    else:
        yield f"You lead to trick {len(view.tricks) + 1}."


def _in_order(rules: Rules, leader: int, cards: tuple[int, ...]) -> str:
    seats = (SEATS[rules.seat_after(leader, place)] for place in range(len(cards)))
    return ", ".join(f"{seat} {card_name(card)}" for seat, card in zip(seats, cards, strict=True))


def legal_words(view: View, legal_moves: LegalMoves) -> str:
    """The legal moves, or nothing; the words of an auction are said in either case."""
    bids = view.rules.bids
    named = (_about(action_name(action, bids), action) for action in view.legal)
    if legal_moves == "listed":
        return f"Legal moves: {', '.join(named)}."
    if view.phase == "bid":
        return f"A call is one of these words, if it is legal: {', '.join(bid_names(bids))}."
    return ""


def _about(name: str, action: int) -> str:
    trump = chosen_trump(action)
    return name if trump is None else f"{name} ({_TRUMP_WORDS[TRUMPS[trump]]})"
