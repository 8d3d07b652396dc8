"""Bidders: they choose trump, or pass."""
