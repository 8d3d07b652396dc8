"""Trick games of OpenSpiel as games of the arena."""

from arena.games.open_spiel.rules import OpenSpielGame

__all__ = ["OpenSpielGame"]
