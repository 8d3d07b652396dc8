"""Results: kept safe while they are made, and read back.

`folder` is a run's folder with its lock, `database` the results file, `records` a
round as it is kept, `reader` what statistics and reports start from, `export` other
formats.
"""

from arena.store.reader import Pairing, Replay, Run, Thinking

__all__ = ["Pairing", "Replay", "Run", "Thinking"]
