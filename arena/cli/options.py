"""Options that several commands share: which run, game, options, deals and agents."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.config.games import make_rules
from arena.config.strict_yaml import parse
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.files import find_shipped, run_folder
from arena.core.registry import GAMES

if TYPE_CHECKING:
    from arena.analysis.result_files import ResultFile
    from arena.llm.prompt import Prompter


def add_run(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """The positional argument RUN, as `run` (optional with "?"), or several of them as `runs`."""
    parser.add_argument(
        "run" if nargs in (None, "?") else "runs",
        nargs=nargs,
        type=run_folder,
        metavar="RUN",
        help="a run: its folder, or its name in reports/",
    )


def add_result_columns(parser: argparse.ArgumentParser) -> None:
    """The columns of a file with results from elsewhere."""
    group = parser.add_argument_group("results from elsewhere, in a CSV or Parquet file")
    group.add_argument("--unit", metavar="COLUMN", help="deal, task or prompt (default: unit)")
    group.add_argument(
        "--agent", metavar="COLUMN", help="default: agent; without one, each column is an agent"
    )
    group.add_argument("--score", metavar="COLUMN", help="default: score")
    group.add_argument(
        "--opponent", metavar="COLUMN", help="rows are of pairs: the score is the agent's margin"
    )
    group.add_argument(
        "--repeat", metavar="COLUMN", help="distinguishes repetitions of a unit; they are averaged"
    )
    group.add_argument(
        "--percent", action="store_true", help="scores are shares: counted in percentage points"
    )
    group.add_argument("--lower-is-better", action="store_true", help="fewer points are better")


_COLUMN_OPTIONS = ("unit", "agent", "opponent", "score", "repeat", "percent", "lower_is_better")


def result_file(path: Path, args: argparse.Namespace) -> ResultFile | None:
    """The results from elsewhere that a command is about; None if it is about a run."""
    from arena.analysis.result_files import ResultColumns, is_result_file, read_result_file

    columns = {name: getattr(args, name) for name in _COLUMN_OPTIONS}
    if is_result_file(path) and not path.is_dir():
        return read_result_file(path, ResultColumns(**columns))
    for name, value in columns.items():
        if value:
            raise ArenaError(f"{path}: --{name.replace('_', '-')} is for CSV and Parquet files")
    return None


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help="every number, as JSON")


def print_json(found: Any) -> None:
    """Print plain data, as `--json` asks for."""
    print(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))


def number(
    kind: type[int] | type[float],
    at_least: float | None = None,
    between: tuple[float, float] | None = None,
    at_most: float = inf,
) -> Callable[[str], Any]:
    """A type for `add_argument`: a number in a range; `between` excludes both ends."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            what = "a whole number" if kind is int else "a number"
            start = "" if at_least is None else f" from {at_least:g}"
            raise argparse.ArgumentTypeError(f"expected {what}{start}, found {text!r}") from None
        if at_least is not None and not at_least <= value:
            raise argparse.ArgumentTypeError(f"must be at least {at_least:g}, found {text}")
        if value > at_most:
            raise argparse.ArgumentTypeError(f"must be at most {at_most:,.0f}, found {text[:20]}")
        if between is not None and not between[0] < value < between[1]:
            low, high = between
            limits = f"above {low:g}" if high == inf else f"between {low:g} and {high:g}"
            raise argparse.ArgumentTypeError(f"must be {limits}, found {text}")
        return value

    return read


def add_experiment_options(parser: argparse.ArgumentParser, trust: str) -> None:
    """`--set KEY=VALUE` and `--trust`; `trust` says what the latter does here."""
    add_overrides(parser)
    parser.add_argument("--trust", action="store_true", help=trust)


def add_overrides(parser: argparse.ArgumentParser, example: str = "agents.mc.playouts=500") -> None:
    """`--set KEY=VALUE`, as `overrides`."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="KEY=VALUE",
        help=f"change a key, such as {example}; may be repeated",
    )


def add_jobs(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """`--jobs N`: all cores by default, or so many."""
    usual = "all cores" if default is None else default
    parser.add_argument(
        "--jobs",
        type=number(int, 1),
        default=default,
        metavar="N",
        help=f"workers (default: {usual})",
    )


def add_game_options(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """`--game NAME` and `--option KEY=VALUE`."""
    parser.add_argument("--game", required=required, metavar="NAME", help="see 'arena list games'")
    add_option(parser)


def add_option(parser: argparse.ArgumentParser) -> None:
    """`--option KEY=VALUE`."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the game, such as bidding=classical; may be repeated",
    )


def rules_from_args(args: argparse.Namespace, deals: DealSet | None = None) -> Any:
    """The rules that the options ask for; without `--game`, those that the set was made for."""
    name, options = args.game, {}
    if deals is not None:
        if name is not None and name != deals.game:
            raise ArenaError(f"{deals.path}: these are deals for {deals.game}, not {name}")
        name = deals.game
        options = dict(deals.meta.get("options", {}))
    if name is None:
        raise ArenaError(f"which game? say --game ({', '.join(GAMES.names())})")
    for text in args.option:
        key, sign, value = text.partition("=")
        if not sign:
            raise ArenaError(f"--option {text!r}: expected KEY=VALUE")
        options[key] = parse(value, f"--option {text}").data
    return make_rules(name, options, "--option" if args.option else "")


def find_set(name: str) -> Path:
    """The CSV that `name` means: a file if there is one, else a set that we ship."""
    path = Path(name)
    if path.suffix == ".csv" or path.exists():
        return path
    return find_shipped("deals", name, ".csv")


def deal_of(deals: DealSet, text: str | None) -> Deal:
    """The deal of a set that DEAL means; the first one if it is not given."""
    if not deals.deals:
        raise ArenaError(f"{deals.path}: holds no deals")
    return deals.find(deal_named(text, (deal.id for deal in deals))) if text else deals.deals[0]


def report_left_out(line: str) -> None:
    """Say that a plug-in is left out of a listing, where it does not disturb the listing."""
    print(f"arena: left out: {line}", file=sys.stderr)


def add_out(parser: argparse.ArgumentParser, metavar: str, help: str) -> None:
    """`--out`, where the result goes; `--output`, as some commands called it, still does."""
    parser.add_argument("--out", type=Path, metavar=metavar, help=help)
    parser.add_argument("--output", type=Path, dest="out", help=argparse.SUPPRESS)


def add_prompt_options(parser: argparse.ArgumentParser) -> None:
    """Options of prompts for language models; see `prompter_from`."""
    parser.add_argument(
        "--legal-moves",
        choices=("listed", "hidden"),
        default="listed",
        help="whether prompts list the legal moves (default: listed)",
    )
    parser.add_argument("--template", type=Path, metavar="FILE", help="a prompt of one's own")


def prompter_from(args: argparse.Namespace) -> Prompter:
    """The prompter that the options ask for."""
    from arena.llm.prompt import Prompter  # here: most commands need no prompts

    return Prompter.from_files(args.template, None, args.legal_moves)


def deal_named(text: str, ids: Iterable[str]) -> str:
    """The deal that DEAL means: an id, or the number at the end of one.

    >>> deal_named("17", ["given-0016", "given-0017", "given-0117"])
    'given-0017'
    """
    if not text.isdigit():
        return text
    found = [each for each in ids if each == text or _number_of(each) == int(text)]
    return found[0] if len(found) == 1 else text


def _number_of(deal: str) -> int | None:
    digits = deal[len(deal.rstrip("0123456789")) :]
    return int(digits) if digits else None
