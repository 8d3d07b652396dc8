"""Rules, views and actions as JSON: one encoding for every reader and writer of positions.

A process that plays, a page that shows, a row to learn from and a stored position all hold
the same thing: the `View`, written as here. Cards are written `"H7"`, seats `"N"`, suits and
trumps `"H"`, actions by the names that the game gives them; sets of cards are lists in
ascending order, and what is not known (or does not exist in a game) is null. A view says the
game with its options, so it can be read by itself. `View` describes its fields; here each has its
kind of value: a reader, a writer and a schema.

A `ViewCodec` keeps what it wrote last, and its reader what it read: nearly all of a view is
the same as in the view before, and tricks are added to those there were.

>>> import json
>>> from arena.games.klaverjas import Klaverjas
>>> from arena.core.seeds import Rng
>>> rules = Klaverjas()
>>> state = rules.start(rules.random_deal(Rng(1), 0))
>>> view = rules.view(state, state.turn)
>>> written = encode_view(view)
>>> json.loads(written)["hand"][:3]
['CT', 'CQ', 'DA']
>>> decode_view(written) == view
True
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import lru_cache, reduce
from operator import index, or_
from typing import Any, NamedTuple, cast, get_args

from arena.core.cards import CARD_NAMES, SEATS, SUITS, TRUMPS, cards_of
from arena.core.errors import ArenaError, did_you_mean
from arena.core.registry import GAMES
from arena.core.rules import (
    ACTION_NAMES,
    OWN_BIDS,
    Action,
    Bid,
    Information,
    Phase,
    Rules,
    Standing,
    Trick,
    View,
    field_docs,
)

FORMAT = 1
"""Version of the encoding; raised when readers of the previous version cannot read it."""


class CodecError(ArenaError):
    """JSON that should have been a view, an action or a choice of rules."""


# --- kinds of values ---------------------------------------------------------------------


class Kind(NamedTuple):
    """How one kind of value is written and read, and what the schema says of it."""

    write: Callable[[Any], str]
    """A value as JSON text."""
    read: Callable[[Any], Any]
    """The value, from what JSON text was parsed to."""
    schema: Mapping[str, Any]
    item: Kind | None = None
    """What a list is a list of."""


def _word_of(names: Iterable[str], schema: Mapping[str, Any]) -> Kind:
    """An index into `names`, written as the name."""
    listed = tuple(names)
    quoted = tuple(map(json.dumps, listed))
    return Kind(quoted.__getitem__, {name: i for i, name in enumerate(listed)}.__getitem__, schema)


def _or_null(kind: Kind) -> Kind:
    write, read = kind.write, kind.read
    return Kind(
        lambda value: "null" if value is None else write(value),
        lambda value: None if value is None else read(value),
        {"anyOf": [kind.schema, {"type": "null"}]},
    )


def _list_of(kind: Kind) -> Kind:
    write, read = kind.write, kind.read
    return Kind(
        lambda values: f"[{','.join(map(write, values))}]",
        lambda values: tuple(map(read, _a(list, values))),
        {"type": "array", "items": kind.schema},
        kind,
    )


def _a(wanted: type, value: Any) -> Any:
    if value.__class__ is not wanted:
        raise TypeError(f"expected {wanted.__name__}")
    return value


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_SEAT = _word_of(SEATS, _ref("seat"))
_TRUMP = _word_of(TRUMPS, _ref("trump"))
_SUIT = _word_of(SUITS, _ref("suit"))
_CARD = _word_of(CARD_NAMES, _ref("card"))
_CARDS = _list_of(_CARD)
_NUMBER = Kind(str, index, {"type": "integer"})
_NUMBERS = _list_of(_NUMBER)
_FLAG = Kind(["false", "true"].__getitem__, lambda value: _a(bool, value), {"type": "boolean"})
_BIT_OF = {name: 1 << card for card, name in enumerate(CARD_NAMES)}
_CARD_SET = Kind(
    lru_cache(maxsize=1024)(lambda mask: _CARDS.write(tuple(cards_of(mask)))),
    lambda names: reduce(or_, map(_BIT_OF.__getitem__, _a(list, names)), 0),
    {**_CARDS.schema, "uniqueItems": True},
)
_PHASE = Kind(
    {phase: json.dumps(phase) for phase in get_args(Phase)}.__getitem__,
    {phase: phase for phase in get_args(Phase)}.__getitem__,
    {"enum": list(get_args(Phase))},
)


def _record(make: Callable[..., Any], **kinds: Kind) -> Kind:
    """A tuple with names, written as an object with a field of each kind."""
    template = "{" + ",".join(f'"{name}":%s' for name in kinds) + "}"
    writers = [kind.write for kind in kinds.values()]
    readers = [(name, kind.read) for name, kind in kinds.items()]

    def written(values: Any) -> str:
        return template % tuple([write(x) for write, x in zip(writers, values, strict=True)])

    return Kind(
        written,
        lambda data: make(*[read(data[name]) for name, read in readers]),
        _object(**{name: kind.schema for name, kind in kinds.items()}),
    )


_FINISHED = _record(Trick, leader=_SEAT, cards=_CARDS, winner=_SEAT, points=_NUMBER, bonus=_NUMBER)
_TRICK = Kind(lru_cache(maxsize=1024)(_FINISHED.write), _FINISHED.read, _ref("trick"))
_TEXT = Kind(json.dumps, lambda value: _a(str, value), {"type": "string"})
_REAL = Kind(json.dumps, lambda value: _a(float, value), {"type": "number"})
_INFORMATION = _record(Information, text=_TEXT, history=_NUMBERS, tensor=_list_of(_REAL))
_STANDING = _record(Standing, round_number=_NUMBER, scores=_NUMBERS)
_SHOWN = _record(lambda *shown: shown, seat=_SEAT, cards=_CARD_SET)


def _action_kind(rules: Rules | None) -> Kind:
    return _word_of(action_names(rules), _ref("action"))


def action_names(rules: Rules | None) -> tuple[str, ...]:
    """What the actions of a game are called, by their number."""
    bids = () if rules is None else rules.bids
    if not bids:
        return ACTION_NAMES
    unused = (f"unused-{action}" for action in range(len(ACTION_NAMES), OWN_BIDS))
    return (*ACTION_NAMES, *unused, *bids)


# --- the fields of a view ----------------------------------------------------------------


def _kinds(action: Kind, has_tricks: bool = False) -> dict[str, Kind]:
    """The kind of each field of a view after its rules, given that of the game's actions.

    Views of games with tricks leave out `information`.
    """
    kinds = {
        "seat": _SEAT,
        "phase": _PHASE,
        "legal": _list_of(action),
        "hand": _CARD_SET,
        "dealt_hand": _CARDS,
        "dealer": _or_null(_SEAT),
        "leader": _or_null(_SEAT),
        "trump": _or_null(_TRUMP),
        "declarer": _or_null(_SEAT),
        "forced": _FLAG,
        "turn_ups": _list_of(_SUIT),
        "bids": _list_of(_record(Bid, seat=_SEAT, action=action)),
        "tricks": _list_of(_TRICK),
        "table": _CARDS,
        "table_leader": _or_null(_SEAT),
        "opened": _FLAG,
        "points": _NUMBERS,
        "bonus": _NUMBERS,
        "standing": _STANDING,
        "passed": _CARDS,
        "received": _CARDS,
        "shown": _list_of(_SHOWN),
        "all_hands": _or_null(_list_of(_CARD_SET)),
        "passing": _NUMBER,
    }
    return kinds if has_tricks else {**kinds, "information": _or_null(_INFORMATION)}


_HEAD = ("format", "rules")
_UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What the readers of fields raise for values of another kind."""
_NOTHING = object()
"""Sentinel that is equal to no value of a field."""


class ViewCodec:
    """Writes and reads the views and actions of one choice of rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._rules = encode_rules(rules)
        self._action = _action_kind(rules)
        self._names = action_names(rules)
        kinds = _kinds(self._action, rules.has_tricks)
        self._kinds = list(kinds.values())
        self._readers = [(name, kind.read) for name, kind in kinds.items()]
        head = f'{{"format":{FORMAT},"rules":{json.dumps(self._rules, separators=(",", ":"))},'
        names = ",".join(f'"{name}":%s' for name in kinds)
        self._template = head.replace("%", "%%") + names + "}"
        self._keys = len(_HEAD) + len(kinds)
        self._written: list[tuple[Any, str]] = [(_NOTHING, "")] * len(kinds)

    def encode(self, view: View) -> str:
        """A view as one line of JSON."""
        written = self._written
        texts = []
        value: Any
        for number, value in enumerate(view[1 : len(written) + 1]):
            before, text = written[number]
            if value is not before:
                kind = self._kinds[number]
                if before and kind.item is not None and value[:-1] == before:
                    text = f"{text[:-1]},{kind.item.write(value[-1])}]"
                else:
                    text = kind.write(value)
                written[number] = value, text  # at once: threads may share a codec
            texts.append(text)
        return self._template % tuple(texts)

    def decode(self, data: Mapping[str, Any]) -> View:
        """The view that `encode` wrote, from parsed JSON; equal to the original."""
        return self.reader()(data)

    def reader(self) -> Callable[[Mapping[str, Any]], View]:
        """`decode` for successive views of a round: reads and appends only what is new.

        It keeps what it was given, so that must not change afterwards.
        """
        kept: list[tuple[Any, Any]] = [(_NOTHING, None)] * len(self._readers)

        def read_next(data: Mapping[str, Any]) -> View:
            values = []
            try:
                is_ours = data["format"] == FORMAT and data["rules"] == self._rules
                if not is_ours or len(data) != self._keys:
                    raise ValueError
                for number, (name, read) in enumerate(self._readers):
                    found = data[name]
                    before, value = kept[number]
                    if found != before:
                        item = self._kinds[number].item
                        if before and item is not None and found[:-1] == before:
                            value = (*value, item.read(found[-1]))
                        else:
                            value = read(found)
                        kept[number] = found, value
                    values.append(value)
            except _UNREADABLE:
                raise CodecError(self._explained(data)) from None
            return View(self.rules, *values)

        return read_next

    def write_action(self, action: Action) -> str:
        """The name of an action."""
        return self._names[action]

    def read_action(self, name: Any) -> Action:
        """The action of this name."""
        try:
            action: Action = self._action.read(name)
        except (KeyError, TypeError):
            raise CodecError(f"no action of {self.rules.name} is called {name!r}") from None
        return action

    def _explained(self, data: Any) -> str:
        if not isinstance(data, Mapping):
            return f"a view: expected an object, found {_shown(data)}"
        if data.get("format") != FORMAT:
            return f"a view: format is {_shown(data.get('format'))}, this version reads {FORMAT}"
        names = [*_HEAD, *(name for name, _ in self._readers)]
        for name in names:
            if name not in data:
                return f"a view: {name!r} is missing"
        for name in data:
            if name not in names:
                return f"a view: unknown field {name!r}; {did_you_mean(str(name), names)}"
        if data["rules"] != self._rules:
            return f"a view: it is of {data['rules']}, expected {self._rules}"
        for name, read in self._readers:
            try:
                read(data[name])
            except _UNREADABLE as error:
                return f"a view: {name}: cannot be read ({error}), found {_shown(data[name])}"
        return "a view: cannot be read"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 80 else text[:77] + "..."


@lru_cache(maxsize=64)
def codec_for(rules: Rules) -> ViewCodec:
    """The codec for these rules."""
    return ViewCodec(rules)


def encode_view(view: View) -> str:
    """A view as one line of JSON, complete with its rules."""
    return codec_for(view.rules).encode(view)


def decode_view(written: Any) -> View:
    """The view that `encode_view` wrote: from its text, or from what the text was parsed to."""
    try:
        data = json.loads(written) if isinstance(written, str | bytes) else written
    except ValueError as error:
        raise CodecError(f"a view: not JSON: {error}") from error
    rules = data.get("rules") if isinstance(data, Mapping) else None
    if rules is None:
        raise CodecError("a view: expected an object with 'rules'")
    return codec_for(decode_rules(rules)).decode(data)


# --- rules -------------------------------------------------------------------------------


def encode_rules(rules: Rules) -> dict[str, Any]:
    """A game with its options as plain data."""
    # Every game is a dataclass (`check_game` looks); a protocol cannot say so.
    options = {each.name: getattr(rules, each.name) for each in fields(cast(Any, rules))}
    return {"game": rules.name, "options": json.loads(json.dumps(options))}


def decode_rules(data: Any) -> Rules:
    """The rules that `encode_rules` wrote."""
    try:
        return _rules(json.dumps(data, sort_keys=True))
    except (KeyError, TypeError, ValueError) as error:
        raise CodecError(
            f"rules: expected a game and its options, found {_shown(data)} ({error})"
        ) from error


@lru_cache(maxsize=64)
def _rules(text: str) -> Rules:
    data = json.loads(text)
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data["options"].items()
    }
    rules: Rules = GAMES.get(data["game"])(**options)
    return rules


# --- the schema --------------------------------------------------------------------------

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def definitions() -> dict[str, Any]:
    """What the schemas of views and of messages refer to."""
    return {
        "seat": {"enum": list(SEATS), "description": "A seat, clockwise from North."},
        "suit": {"enum": list(SUITS), "description": "Clubs, diamonds, hearts, spades."},
        "trump": {"enum": list(TRUMPS), "description": "A suit, obe-abe (O) or une-ufe (U)."},
        "card": {"enum": list(CARD_NAMES), "description": "Suit and rank; T is the ten."},
        "action": {
            "type": "string",
            "minLength": 1,
            "description": "A card to play or to pass on, or a bid by its name.",
        },
        "trick": _FINISHED.schema,
        "rules": _object(game={"type": "string"}, options={"type": "object"}),
        "view": _view_definition(),
    }


def _view_definition() -> dict[str, Any]:
    docs = field_docs(View)
    kinds = _kinds(_action_kind(None)).items()
    found = _object(
        format={"const": FORMAT, "description": "The version of this encoding."},
        rules={**_ref("rules"), "description": docs["rules"]},
        **{name: {**kind.schema, "description": docs[name]} for name, kind in kinds},
    )
    found["required"].remove("information")  # only games without tricks have it
    return found


def view_schema() -> dict[str, Any]:
    """The JSON Schema of a view."""
    return {"$schema": DIALECT, **_ref("view"), "$defs": definitions()}
