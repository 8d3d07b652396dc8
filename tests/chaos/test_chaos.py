"""A short kill campaign; `make chaos` runs a long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_whatever_is_killed_nothing_is_lost_and_nothing_changes() -> None:
    """A trial at the start of a run, and one while it plays."""
    command = [sys.executable, str(Path(__file__).with_name("campaign.py")), "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("2 trials, 0 failed\n")
