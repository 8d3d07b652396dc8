"""Spades, a plug-in for arena: rule book, bidder, semi-random play and compiled kernel."""
