"""Benchmarks of our agents, for `arena bench`."""
