"""Known answers for the statistics, and margins as duplicate play gives them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from helpers.paths import DATA
from numpy.typing import NDArray

from arena.measure.calibrate.statistics import MarginModel

VECTORS = DATA / "stat_vectors.json"


@pytest.fixture(scope="session")
def vectors() -> dict[str, dict[str, Any]]:
    """All known answers by id."""
    loaded = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]
    return {vector["id"]: vector for vector in loaded}


@pytest.fixture
def margins() -> NDArray[np.float64]:
    """300 margins with zeros, spikes and an edge of 5 points."""
    return MarginModel(edge=5.0).draw(np.random.default_rng(7), (1, 300))[0]
