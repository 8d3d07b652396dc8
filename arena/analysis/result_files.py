"""Paired results from elsewhere: a CSV or Parquet file as `Results`, as if we had played it.

    long    a row per unit and agent: the columns of the unit, the agent and its score
    pairs   with a column of opponents, a row per unit and pair: the score is the agent's margin
    wide    a row per unit, and a column of scores for each agent

Two agents are compared on the units that both have: what a unit (a deal, a task, a prompt) does
to both cancels. Nothing is filled in for a missing score, and a unit that comes twice is refused
unless a column distinguishes its repetitions (seeds, epochs); those are averaged first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arena.analysis.results import FloatArray, Meeting, Results
from arena.core.errors import ArenaError, did_you_mean, located
from arena.core.files import read_bytes

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".parquet")
_UNITS, _AGENT, _SCORE = ("unit", "deal"), "agent", "score"
_MOST_CELLS = 50_000_000
_LARGEST = 1e50
"""Squares of differences are summed: these must be numbers, too."""
_UNNAMED_INDEX = "__index_level_"
MOST_AGENTS = 200
"""More columns of a wide file than this are hardly agents."""


def is_result_file(path: Path | str) -> bool:
    """Whether a name is that of a file with results, not of a run."""
    return Path(path).suffix.lower() in SUFFIXES


@dataclass(frozen=True)
class ResultColumns:
    """The columns of a file; those left out are looked for by their usual names."""

    unit: str | None = None
    agent: str | None = None
    opponent: str | None = None
    score: str | None = None
    repeat: str | None = None
    percent: bool = False
    """Whether scores are shares, to be counted in percentage points."""
    lower_is_better: bool = False


@dataclass(frozen=True, eq=False)
class ResultFile:
    """A file of results, read and checked."""

    path: Path
    digest: str
    """The sha256 of the file."""
    columns: ResultColumns
    """As found."""
    rows: int
    missing: dict[str, int]
    """Agents that lack units which others have, and how many; empty for results of pairs."""
    results: Results

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on agents that lack units."""
        return tuple(
            f"{name} has no score for {lacks:,} of {len(self.results.units):,} units; it is "
            "compared on those that it has."
            for name, lacks in self.missing.items()
        )


def read_result_file(path: Path, wanted: ResultColumns | None = None) -> ResultFile:
    """Read a file of paired results; `ArenaError` says in one line what is wrong with it."""
    wanted = wanted or ResultColumns()
    data = read_bytes(path)
    frame = _frame(path, data)
    found = _columns(path, frame, wanted)
    unit = found.unit or ""
    long = frame if found.agent is not None else _melted(path, frame, unit)
    rows = _scores(path, long, found)
    pairs = _pairs_met(path, rows) if found.opponent is not None else _pairs_made(path, rows)
    missing = {} if found.opponent is not None else _missing(rows)
    agents = dict.fromkeys(rows["agent"])
    if found.opponent is not None:
        agents |= dict.fromkeys(rows["opponent"])
    results = Results(tuple(agents), pairs, unit, "", 0, (str(path),))
    return ResultFile(path, sha256(data).hexdigest(), found, len(frame), missing, results)


def _frame(path: Path, data: bytes) -> pd.DataFrame:
    """All cells of a CSV file as text, those of a Parquet file as they are."""
    import pandas as pd  # here, so that light commands start fast

    try:
        if path.suffix.lower() == ".parquet":
            frame = _from_parquet(path, data)
        else:
            frame = pd.read_csv(
                BytesIO(data), dtype=str, keep_default_na=False, encoding="utf-8-sig"
            )
    except ImportError as error:
        raise ArenaError(f"{path}: Parquet needs: pip install 'arena-tricks[parquet]'") from error
    except (ValueError, OSError, NotImplementedError, LookupError) as error:  # of their parsers
        words = " ".join(str(error).split())
        raise ArenaError(f"{path}: not a table: {words}") from error
    if not isinstance(frame.index, pd.RangeIndex):  # pandas takes the first cells for an index
        raise ArenaError(located(path, 2, "more cells than the header has columns"))
    frame.columns = frame.columns.map(str)
    if not len(frame):
        raise ArenaError(f"{path}: no rows")
    return frame


def _from_parquet(path: Path, data: bytes) -> pd.DataFrame:
    import pyarrow
    from pyarrow import parquet

    file = parquet.ParquetFile(pyarrow.BufferReader(data))
    cells = file.metadata.num_rows * file.metadata.num_columns
    if cells > _MOST_CELLS:  # a few bytes may stand for a billion equal cells
        raise ArenaError(f"{path}: {cells:,} cells; at most {_MOST_CELLS:,} are read")
    # What pandas has noted about the table is not needed, and may be damaged.
    frame: pd.DataFrame = file.read().to_pandas(ignore_metadata=True)
    return frame.drop(columns=[name for name in frame if str(name).startswith(_UNNAMED_INDEX)])


def _columns(path: Path, frame: pd.DataFrame, wanted: ResultColumns) -> ResultColumns:
    names = list(frame.columns)
    for option in ("unit", "agent", "opponent", "score", "repeat"):
        name = getattr(wanted, option)
        if name is not None and name not in names:
            near = did_you_mean(name, names)
            raise ArenaError(f"{path}: no column {name!r} (--{option}); {near}")
    unit = wanted.unit or next((name for name in _UNITS if name in names), None)
    if unit is None:
        listed = ", ".join(names[:20])
        raise ArenaError(f"{path}: which column is the unit? say --unit (columns: {listed})")
    agent = wanted.agent or (_AGENT if _AGENT in names else None)
    score = wanted.score or (_SCORE if _SCORE in names else None)
    if (agent is None) != (score is None):
        lacks = "agent" if agent is None else "score"
        listed = ", ".join(names[:20])
        raise ArenaError(f"{path}: which column is the {lacks}? say --{lacks} (columns: {listed})")
    if agent is None and (wanted.opponent is not None or wanted.repeat is not None):
        raise ArenaError(f"{path}: --opponent and --repeat need --agent and --score")
    used = [x for x in (unit, agent, wanted.opponent, score, wanted.repeat) if x is not None]
    if len(set(used)) < len(used):
        raise ArenaError(f"{path}: one column cannot be two things: {', '.join(used)}")
    return replace(wanted, unit=unit, agent=agent, score=score)


def _melted(path: Path, frame: pd.DataFrame, unit: str) -> pd.DataFrame:
    """A wide file as a long one, in the order of the file."""
    import pandas as pd  # here, so that light commands start fast

    agents = [name for name in frame.columns if name != unit]
    if len(agents) > MOST_AGENTS:
        raise ArenaError(
            f"{path}: {len(agents)} columns besides {unit!r} are too many agents (at most "
            f"{MOST_AGENTS}); is it a long file? say --agent and --score"
        )
    parts = [
        pd.DataFrame({unit: frame[unit], "agent": name, "score": frame[name]}) for name in agents
    ]
    return pd.concat(parts) if parts else frame


def _scores(path: Path, long: pd.DataFrame, columns: ResultColumns) -> pd.DataFrame:
    """One score per unit and agent (or pair); repetitions are averaged."""
    import pandas as pd  # here, so that light commands start fast

    agent, score = columns.agent or "agent", columns.score or "score"
    rows = pd.DataFrame(
        {
            "unit": _text(long[columns.unit]),
            "agent": _text(long[agent]),
            **({"opponent": _text(long[columns.opponent])} if columns.opponent else {}),
            **({"repeat": _text(long[columns.repeat])} if columns.repeat else {}),
            "score": pd.to_numeric(long[score].replace("", None), errors="coerce"),
            "given": long[score],
        }
    )
    keys = [key for key in rows.columns if key not in ("score", "given")]
    for key in keys:
        _refuse(path, rows, rows[key] == "", lambda row, key=key: f"no {key}")
    empty = rows["given"].isna() | (rows["given"].astype(str).str.strip() == "")
    is_bad = ~empty & ~np.isfinite(rows["score"].astype(float))
    _refuse(path, rows, is_bad, lambda row: f"score {row['given']!r} is not a finite number")
    is_huge = ~empty & (rows["score"].astype(float).abs() > _LARGEST)
    _refuse(path, rows, is_huge, lambda row: f"score {row['given']!r}: at most ±{_LARGEST:g}")
    rows = rows[~empty]
    twice = rows.duplicated(keys)
    hint = "" if columns.repeat else "; --repeat COLUMN distinguishes repetitions"
    _refuse(
        path, rows, twice, lambda row: f"{' '.join(str(row[k]) for k in keys)} comes twice{hint}"
    )
    scale = 100.0 if columns.percent else 1.0
    if columns.lower_is_better and columns.opponent:
        scale = -scale
    rows = rows.assign(score=scale * rows["score"].astype(float))
    by = [key for key in keys if key != "repeat"]
    means = rows.groupby(by, sort=False)[["score"]].mean().reset_index()
    return means.assign(sign=-1.0 if columns.lower_is_better else 1.0)


def _text(cells: pd.Series[str]) -> pd.Series[str]:
    return cells.astype(object).where(cells.notna(), "").map(str).str.strip()


def _refuse(path: Path, rows: pd.DataFrame, bad: pd.Series[bool], said: object) -> None:
    """Raise for the first bad row, with its line (the first is the head)."""
    if bad.any():
        place = int(np.flatnonzero(bad.to_numpy())[0])
        line = int(rows.index[place]) + 2
        words = said(rows.iloc[place])  # type: ignore[operator]  # lambdas with defaults
        raise ArenaError(f"{path}:{line}: {words}")


def _pairs_made(path: Path, rows: pd.DataFrame) -> tuple[Meeting, ...]:
    """Every two agents on the units that both have."""
    table = rows.pivot(index="unit", columns="agent", values="score").sort_index()
    agents = list(dict.fromkeys(rows["agent"]))
    if len(agents) < 2:
        raise ArenaError(f"{path}: only one agent, {', '.join(agents)}: two are needed")
    sign = float(rows["sign"].iloc[0])
    found = []
    for first, second in combinations(agents, 2):
        both = table[[first, second]].dropna()
        if len(both):
            scores = both.to_numpy(dtype=float)
            margins = sign * (scores[:, 0] - scores[:, 1])
            found.append(_meeting(first, second, both.index, margins, scores))
    if not found:
        raise ArenaError(f"{path}: no two agents have a unit in common, so nothing is paired")
    return tuple(found)


def _pairs_met(path: Path, rows: pd.DataFrame) -> tuple[Meeting, ...]:
    """Every pair of the file, seen from the agent that is named first."""
    _refuse(path, rows, rows["agent"] == rows["opponent"], lambda row: f"{row['agent']} met itself")
    met: dict[tuple[str, str], dict[str, float]] = {}
    for unit, first, second, margin in zip(
        rows["unit"], rows["agent"], rows["opponent"], rows["score"], strict=True
    ):
        swapped = (second, first) in met
        by_unit = met.setdefault((second, first) if swapped else (first, second), {})
        if unit in by_unit:
            raise ArenaError(f"{path}: {first} and {second} meet twice in unit {unit}")
        by_unit[unit] = -margin if swapped else margin
    return tuple(
        _meeting(first, second, units, np.array([by_unit[unit] for unit in units]), None)
        for (first, second), by_unit in met.items()
        for units in [sorted(by_unit)]
    )


def _meeting(
    first: str, second: str, units: Iterable[str], margins: FloatArray, scores: FloatArray | None
) -> Meeting:
    if scores is None:
        scores = np.full((len(margins), 2), np.nan)
    won, drawn = (margins > 0).astype(float), (margins == 0).astype(float)
    games = margins[:, None]
    return Meeting(first, second, tuple(units), margins, games, scores, won, drawn, (0, 0))


def _missing(rows: pd.DataFrame) -> dict[str, int]:
    units = rows["unit"].nunique()
    have = rows.groupby("agent", sort=False)["unit"].nunique()
    counts: Sequence[tuple[str, int]] = [(str(k), units - int(n)) for k, n in have.items()]
    return {name: lacks for name, lacks in counts if lacks}
