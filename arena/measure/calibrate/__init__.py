"""Simulations that measure the error rates and the coverage of the statistics."""
