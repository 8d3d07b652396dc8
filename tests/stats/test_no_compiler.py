"""The statistics and their simulations need no compiler."""

from __future__ import annotations

import subprocess
import sys

MODULES = ("arena.stats", "arena.measure.calibrate.statistics", "arena.measure.calibrate.races")


def test_numba_is_not_imported() -> None:
    code = f"import sys, {', '.join(MODULES)}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
