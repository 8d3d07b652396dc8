"""Hearts."""

from arena.games.hearts.rules import Hearts

__all__ = ["Hearts"]
