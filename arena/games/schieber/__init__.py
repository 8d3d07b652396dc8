"""Schieber, the Swiss partnership Jass."""

from arena.games.schieber.rules import Schieber

__all__ = ["Schieber"]
