"""Experiments, declared in YAML."""

from arena.config.loader import load
from arena.config.strict_yaml import ConfigError

__all__ = ["ConfigError", "load"]
