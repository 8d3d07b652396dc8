"""The inputs of forests for a view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.forests.features import rows_of
from agents.training.forests.decisions import TeacherDecision
from arena.core.rules import View


def features_of(view: View, features: str = "ours") -> NDArray[np.float32]:
    """A row for each card, legal ones or all of the hand, in ascending order of the cards."""
    decision = TeacherDecision.of("", view, view.legal[0])
    return rows_of(decision.position, decision.game, features)
