"""Where compiled code is kept: a module of its own, because editing it compiles everything anew."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled code is kept; one folder inside for each state of the sources."""
    if chosen := os.environ.get("ARENA_CACHE_DIR"):
        return Path(chosen) / "kernels"
    if home := os.environ.get("XDG_CACHE_HOME"):
        return Path(home) / "arena" / "kernels"
    try:
        return Path.home() / ".cache" / "arena" / "kernels"
    except RuntimeError:  # a user without a home: a place where nothing can be kept
        return Path(os.devnull) / "arena" / "kernels"
