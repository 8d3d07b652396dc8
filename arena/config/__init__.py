"""Experiments, declared in YAML."""

from arena.config.strict_yaml import ConfigError
from arena.config.load import load

__all__ = ["ConfigError", "load"]
