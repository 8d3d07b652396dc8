"""The error that the statistics raise."""

from __future__ import annotations


class StatsError(ValueError):
    """The caller's input cannot be analysed as asked; the message says what to change."""
