"""How the tests audit."""

from __future__ import annotations

from arena.audit.campaign import AuditOptions
from arena.audit.rounds import AuditSettings

FEW = AuditOptions(deals=3, settings=AuditSettings(8), jobs=1)
"""Few worlds, in this process."""
