"""Results: kept safe while they are made, and read back.

`folder` is a run's folder with its lock, `manifest` the description of the run,
`database` the results file, `records` a round as it is kept, `reader` what statistics
and reports start from, `export` other formats.
"""

from arena.store.manifest import Manifest, Pairing
from arena.store.reader import Replay, Run
from arena.store.thinking import Thinking

__all__ = ["Manifest", "Pairing", "Replay", "Run", "Thinking"]
