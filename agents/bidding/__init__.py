"""Bidders: who makes trump, on which suit, and who passes."""
