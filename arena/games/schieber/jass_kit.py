"""Schieber as jass-kit writes it: observations, answers and logs (format "V0.2").

Source: the package jass-kit 2.0.5 (`jass.game.game_observation`, `jass.logs`). Its seats are ours
(N E S W are 0 to 3, play runs 0 3 2 1), its trumps D H S C, obe-abe, une-ufe are 0 to 5, a push is
10, a ten is written `H10`. Its points are those of cards and the last trick: 157 in a round.
It plays by the option `undertrump: jasskit`, without Weis, Stöck, match bonus or multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.core.cards import SEATS, card_name, cards_of, parse_card, parse_trump
from arena.core.deals import Deal, DealError, check_cards
from arena.core.errors import ArenaError
from arena.core.rules import PUSH, Action, View, action_name, choose_trump, chosen_trump
from arena.games.schieber.rules import Schieber

VERSION = "V0.2"
RULES = Schieber(undertrump="jasskit")
"""What jass-kit plays."""
_TRUMPS = tuple(map(parse_trump, "DHSCOU"))
_PUSH = 10
_UNKNOWN = -1


class JassKitError(ArenaError):
    """What is not as jass-kit writes it."""


# --- cards and trumps --------------------------------------------------------------------


def write_card(card: int) -> str:
    """A card as jass-kit writes it.

    >>> write_card(parse_card("HT")), write_card(parse_card("H9"))
    ('H10', 'H9')
    """
    name = card_name(card)
    return f"{name[0]}10" if name[1] == "T" else name


def read_card(text: Any) -> int:
    """The card that jass-kit writes like this."""
    if not isinstance(text, str) or "T" in text:
        raise JassKitError(f"expected a card such as H10, found {str(text)[:20]!r}")
    card = parse_card(text.replace("10", "T"))
    if not RULES.deck >> card & 1:
        raise JassKitError(f"{text} is no card of Schieber")
    return card


def write_answer(action: Action) -> dict[str, Any]:
    """What a player service answers for an action."""
    if action == PUSH:
        return {"trump": _PUSH}
    trump = chosen_trump(action)
    return {"card": write_card(action)} if trump is None else {"trump": _TRUMPS.index(trump)}


def read_answer(view: View, answer: Any) -> str:
    """The name of the action that a player service has answered; whatever it is, as text."""
    key = "card" if view.phase == "play" else "trump"
    if not isinstance(answer, Mapping) or key not in answer:
        raise JassKitError(f"expected an object with {key!r}")
    said = answer[key]
    try:
        return action_name(read_card(said) if key == "card" else _read_trump_action(said))
    except ArenaError:
        return str(said)


def _read_trump_action(said: Any) -> Action:
    number = int(said) if isinstance(said, str) and said.isdecimal() else said
    if number == _PUSH and type(number) is int:
        return PUSH
    return choose_trump(_read_trump(number))


def _read_trump(number: Any) -> int:
    if type(number) is not int or not 0 <= number < len(_TRUMPS):
        raise JassKitError(f"trump: expected 0 to {len(_TRUMPS) - 1}, found {number!r}")
    return _TRUMPS[number]


# --- views -------------------------------------------------------------------------------


def write_observation(view: View) -> dict[str, Any]:
    """What jass-kit sends to the player who has the turn."""
    tricks: list[dict[str, Any]] = [
        {
            "cards": [write_card(card) for card in trick.cards],
            "points": trick.points,
            "win": trick.winner,
            "first": trick.leader,
        }
        for trick in view.tricks
    ]
    if view.phase == "play":
        begun = {"cards": [write_card(card) for card in view.table]} if view.table else {}
        tricks.append({**begun, "first": view.table_leader})
    hands: list[dict[str, Any]] = [{"hand": []} for _ in SEATS]
    hands[view.seat] = {"hand": [write_card(card) for card in _by_index(view.hand)]}
    pushed = any(bid.action == PUSH for bid in view.bids)
    return {
        "version": VERSION,
        "trump": _UNKNOWN if view.trump is None else _TRUMPS.index(view.trump),
        "dealer": view.dealer,
        "currentPlayer": view.seat,
        "playerView": view.seat,
        "forehand": 0 if pushed else _UNKNOWN if view.trump is None else 1,
        "tricks": tricks,
        "player": hands,
        "jassTyp": "SCHIEBER",
    }


def _by_index(hand: int) -> Sequence[int]:
    """The cards of a hand in jass-kit's order: by its order of suits, from the ace down."""
    return sorted(cards_of(hand), key=lambda card: ("DHSC".index(card_name(card)[0]), -card))


def read_observation(data: Any) -> View:
    """The view of the player that jass-kit asks; `JassKitError` if it is none."""
    if not isinstance(data, Mapping) or data.get("version") != VERSION:
        found = data.get("version") if isinstance(data, Mapping) else data
        raise JassKitError(f"version: expected {VERSION!r}, found {str(found)[:20]!r}")
    try:
        return _view(data)
    except (ArenaError, RecursionError) as error:
        raise JassKitError(str(error)) from error
    except (AttributeError, KeyError, LookupError, TypeError, ValueError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise JassKitError(f"no observation of {VERSION}: {said[:100]}") from error


def _view(data: Mapping[str, Any]) -> View:
    seat, dealer = _seat(data["playerView"]), _seat(data["dealer"])
    if _seat(data["currentPlayer"]) != seat:
        raise JassKitError("currentPlayer: expected the player of playerView, who is asked")
    hands = [list(map(read_card, player.get("hand", []))) for player in data["player"]]
    if len(hands) != len(SEATS):
        raise JassKitError(f"player: expected {len(SEATS)} hands")
    plays = [play for trick in data["tricks"] for play in _plays(trick)]
    state = RULES.start(_deal(dealer, hands[seat], seat, plays))
    for bid in _bids(data):
        RULES.apply(state, bid)
    for player, card in plays:
        if state.turn != player:
            raise JassKitError(f"tricks: {write_card(card)} is played by the wrong player")
        # What the others held is made up, so that it says nothing about what they might play.
        RULES.play_card(state, player, card)
    if state.turn != seat:
        raise JassKitError("currentPlayer: it is not this player's turn")
    for number, (said, trick) in enumerate(zip(data["tricks"], state.tricks, strict=False)):
        for key, found in (("points", trick.points), ("win", trick.winner)):
            if said.get(key, found) != found:
                raise JassKitError(f"trick {number}: {key} is {said[key]}, by the rules {found}")
    return RULES.view(state, seat)


def _deal(dealer: int, hand: list[int], seat: int, plays: Sequence[tuple[int, int]]) -> Deal:
    """A deal that can have led to this hand and these plays; all else of it is made up."""
    held = [[card for player, card in plays if player == each] for each in range(len(SEATS))]
    held[seat] += hand
    rest = [card for card in cards_of(RULES.deck) if all(card not in cards for cards in held)]
    for cards in held[:seat] + held[seat + 1 :]:
        missing = RULES.hand_size - len(cards)
        cards += rest[:missing]
        del rest[:missing]
    deal = Deal("", tuple(tuple(sorted(cards)) for cards in held), dealer=dealer)
    check_cards(deal, RULES.deck, RULES.players, RULES.hand_size)
    return deal


def _plays(trick: Mapping[str, Any]) -> list[tuple[int, int]]:
    first, cards = trick.get("first"), trick.get("cards", [])
    if not cards:
        return []
    return [
        (RULES.seat_after(_seat(first), place), read_card(card)) for place, card in enumerate(cards)
    ]


def _bids(data: Mapping[str, Any]) -> list[Action]:
    """The calls so far. Logs of older versions say `tss`, and leave out what is unknown."""
    said = data.get("trump", _UNKNOWN)
    trump = [] if said == _UNKNOWN else [choose_trump(_read_trump(said))]
    known = 1 if trump else _UNKNOWN
    forehand = data.get("forehand", 0 if data.get("tss") == 1 else known)
    fits = {0: True, 1: bool(trump), _UNKNOWN: not trump}
    if not fits.get(forehand, False):
        raise JassKitError(f"forehand: {forehand!r} does not fit the trump {said!r}")
    return [PUSH, *trump] if forehand == 0 else trump


def _seat(number: Any) -> int:
    if type(number) is not int or not 0 <= number < len(SEATS):
        raise JassKitError(f"expected a player from 0 to {len(SEATS) - 1}, found {number!r}")
    return number


# --- logs --------------------------------------------------------------------------------


def is_log(record: Mapping[str, Any]) -> bool:
    """Whether an object is a line of a log of jass-kit's."""
    game = record.get("game", record.get("obs"))
    return isinstance(game, Mapping) and "tricks" in game


def read_log(entry: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A game of a log as a record of ours, called `name`."""
    if "game" not in entry:
        raise DealError("a log of observations and actions holds no whole games")
    game = entry["game"]
    try:
        plays = [play for trick in game["tricks"] for play in _plays(trick)]
        dealer, bids = _seat(game["dealer"]), _bids(game)
    except (AttributeError, KeyError, LookupError, TypeError, ValueError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise DealError(f"no game of jass-kit {VERSION}: {said[:100]}") from error
    if len(plays) < RULES.deck.bit_count():
        raise DealError(f"a game of jass-kit that is not over: {len(plays)} cards were played")
    hands = {name: [card_name(c) for s, c in plays if SEATS[s] == name] for name in SEATS}
    record = {
        "id": name,
        "game": RULES.name,
        "options": {"undertrump": RULES.undertrump},
        "hands": hands,
        "dealer": SEATS[dealer],
        "bids": [{"action": action_name(bid)} for bid in bids],
        "plays": [{"seat": SEATS[seat], "card": card_name(card)} for seat, card in plays],
    }
    if all("win" in trick and "points" in trick for trick in game["tricks"]):
        record["tricks"] = [
            {"winner": SEATS[_seat(trick["win"])], "points": trick["points"]}
            for trick in game["tricks"]
        ]
    return record
