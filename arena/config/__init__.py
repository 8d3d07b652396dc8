"""Experiments, declared in YAML."""

from arena.config.document import ConfigError
from arena.config.experiment import load

__all__ = ["ConfigError", "load"]
