"""Klaverjas."""

from arena.games.klaverjas.rules import Klaverjas

__all__ = ["Klaverjas"]
