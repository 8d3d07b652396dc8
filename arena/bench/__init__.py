"""Benchmarks: one module for each topic, each with a function `measure`.

Topics about agents come with the agents: classes with a method `measure`, registered under
`arena.benches`.
"""

from __future__ import annotations

from typing import Any

from arena.registry import Registry

__all__ = ["BENCHES"]

BENCHES: Registry[Any] = Registry("topic", "arena.benches")
