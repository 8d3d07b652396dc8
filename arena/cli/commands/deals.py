"""Make, show, check and import sets of deals.

A set is a CSV (one deal a row) with a JSON file of the same name that records the game,
how the set was made, and the SHA-256 of the CSV. SET is a file, or the name of a
set that comes with arena (see 'arena list deals').

Examples:
  arena deals make --game klaverjas --count 200 --seed 5 --out mine.csv
  arena deals show klaverjas-given-1000 17
  arena deals check mine.csv
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from arena.cli.options import add_game_options, deal_of, find_set, report_left_out, rules_from_args
from arena.config.games import make_rules
from arena.core.cards import mask_of
from arena.core.deals import Deal, DealError, DealSet, deal_from_record, read_csv, sidecar_of
from arena.core.errors import ArenaError, located
from arena.core.generate import Filter, make_deals
from arena.core.registry import GAMES
from arena.core.seeds import rng_for
from arena.core.transcript import deal_notes, deal_text
from arena.verify.records import read_records, rules_named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    make = actions.add_parser("make", help="make a set of random deals")
    make.add_argument("--out", type=Path, required=True, metavar="SET.csv")
    make.add_argument("--count", type=int, default=1000, help="how many deals (default 1000)")
    make.add_argument("--seed", type=int, required=True, help="the same seed makes the same set")
    make.add_argument(
        "--filter",
        action="append",
        default=[],
        metavar="COND",
        help="keep only deals with, say, 'leader-trump-points>=25'; may be repeated",
    )
    make.add_argument("--force", action="store_true", help="overwrite an existing set")
    add_game_options(make)

    show = actions.add_parser("show", help="a deal as a hand diagram")
    show.add_argument("set", metavar="SET")
    show.add_argument(
        "id", metavar="ID", nargs="?", help="the deal's id, or its number (default: the first)"
    )

    check = actions.add_parser("check", help="check the hash, the cards and every field")
    check.add_argument("set", metavar="SET")
    add_game_options(check, required=False)

    bring = actions.add_parser(
        "import", help="make a set from .kvj, .jsonl(.gz), .csv files, or logs of jass-kit (.txt)"
    )
    bring.add_argument("files", nargs="+", type=Path, metavar="FILE")
    bring.add_argument("--out", type=Path, required=True, metavar="SET.csv")
    bring.add_argument("--seed", type=int, default=0, help="for turn-ups that a .kvj leaves open")
    bring.add_argument("--force", action="store_true", help="overwrite an existing set")
    add_game_options(bring, required=False)


def run(args: argparse.Namespace) -> int:
    {"make": _make, "show": _show, "check": _check, "import": _import}[args.action](args)
    return 0


def _make(args: argparse.Namespace) -> None:
    out = _new_set(args)
    rules = rules_from_args(args)
    filters = [Filter.parse(text, rules.measures) for text in args.filter]
    made = make_deals(rules, out.stem, args.count, args.seed, filters).save(out)
    print(f"{out}: {len(made)} deals of {rules.name}, sha256 {made.sha256}")


def _show(args: argparse.Namespace) -> None:
    deals = DealSet.load(find_set(args.set))
    deal = deal_of(deals, args.id)
    rules = make_rules(deals.game, deals.meta.get("options", {}))
    print(deal_text(rules, deal, deal_notes(deal), colour=sys.stdout.isatty()))
    if deal.played:
        print(f"already played: {len(deal.played)} cards")


def _check(args: argparse.Namespace) -> None:
    deals = DealSet.load(find_set(args.set))
    rules = rules_from_args(args, deals)
    _check_all(deals, rules)
    print(f"{deals.path}: {len(deals)} deals of {deals.game}, all in order, sha256 {deals.sha256}")


def _check_all(deals: DealSet, rules: Any) -> None:
    for index, deal in enumerate(deals):
        try:
            rules.check_deal(deal)
        except ArenaError as error:
            raise DealError(located(deals.path or "", deals.line_of(index), str(error))) from error


def _import(args: argparse.Namespace) -> None:
    out = _new_set(args)
    found: list[tuple[Deal, str, str]] = []
    for path in args.files:
        found += _read(path, args)
    ids: dict[str, str] = {}
    games = {game for _, game, _ in found}
    if not found:
        raise DealError(f"{', '.join(map(str, args.files))}: no deals")
    if len(games) > 1:
        raise DealError(f"the files are of different games: {', '.join(sorted(games))}")
    for deal, _, place in found:
        if deal.id in ids:
            raise DealError(f"{place}: the id {deal.id!r} is used by {ids[deal.id]} too")
        ids[deal.id] = place
    meta = {
        "game": next(iter(games)),
        "generator": "import",
        "seed": args.seed,
        "filter": [],
        "from": [path.name for path in args.files],
    }
    made = DealSet(out.stem, tuple(deal for deal, _, _ in found), meta).save(out)
    print(f"{out}: {len(made)} deals of {made.game}, sha256 {made.sha256}")


def _read(path: Path, args: argparse.Namespace) -> list[tuple[Deal, str, str]]:
    """Deals with their game and where they stand, each checked against the rules."""
    name = path.name.lower()
    if name.endswith(".kvj"):
        from arena.games.klaverjas.kvj import read_kvj

        return [(read_kvj(path, rng_for(args.seed, "kvj", path.stem)), "klaverjas", str(path))]
    if name.endswith((".jsonl", ".jsonl.gz", ".json", ".json.gz", ".txt")):
        return _read_records(path, args)
    if name.endswith(".csv"):
        meta = DealSet.load(path) if sidecar_of(path).exists() else None
        rules = rules_from_args(args, meta)
        rows = enumerate(read_csv(path), start=2)
        return [_checked(deal, rules, f"{path}:{line}") for line, deal in rows]
    raise DealError(f"{path}: expected a .kvj, .jsonl, .jsonl.gz, .csv or .txt file")


def _read_records(path: Path, args: argparse.Namespace) -> list[tuple[Deal, str, str]]:
    deals = []
    for line, record in read_records(path):
        place = f"{path}:{line}"
        try:
            deal = deal_from_record(record)
            rules = rules_from_args(args) if args.game else _rules_of(record, deal)
        except ArenaError as error:
            raise DealError(f"{place}: {error}") from error
        deals.append(_checked(deal, rules, place))
    if not deals:
        raise DealError(f"{path}: no deals; expected one JSON object a line")
    return deals


def _rules_of(record: dict[str, Any], deal: Deal) -> Any:
    """The rules that a record names, else those of the game with this deck."""
    if (rules := rules_named(record, report_left_out)) is not None:
        return rules
    dealt = mask_of(card for hand in deal.hands for card in hand)
    for game in GAMES.loaded(report_left_out).values():
        if game.deck == dealt:
            return game()
    raise DealError("the cards fit no game; say --game")


def _checked(deal: Deal, rules: Any, place: str) -> tuple[Deal, str, str]:
    try:
        rules.check_deal(deal)
    except ArenaError as error:
        raise DealError(f"{place}: {error}") from error
    return deal, rules.name, place


def _new_set(args: argparse.Namespace) -> Path:
    out: Path = args.out
    if out.suffix != ".csv":
        raise DealError(f"{out}: expected a name that ends in .csv")
    if out.exists() and not args.force:
        raise DealError(f"{out}: exists already (--force overwrites it)")
    return out
