"""Replaying what was played, and comparing everything that is claimed about it.

`records` replays recorded rounds (JSONL), `run` the rounds of a run's folder.
"""

from arena.verify.records import Checked, check_file, check_record
from arena.verify.run import check_run

__all__ = ["Checked", "check_file", "check_record", "check_run"]
