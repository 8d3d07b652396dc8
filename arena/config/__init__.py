"""Experiments declared in YAML, and the agents that they describe.

`loader.load` reads an experiment file; `entrants` builds its agents.
"""
