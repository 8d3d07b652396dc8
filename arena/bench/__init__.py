"""Benchmarks: one module for each topic, each with a function `measure`."""
