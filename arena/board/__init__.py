"""A leaderboard over runs: all stored results of a game under the same rules and on the same deals.

`runs` finds the runs and says who is who, `ratings` computes what is new since the last time,
`site` writes the pages.
"""

from arena.board.ratings import Board, Moment, boards
from arena.board.runs import find_runs
from arena.board.site import build

__all__ = ["Board", "Moment", "boards", "build", "find_runs"]
