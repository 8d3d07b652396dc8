"""Experiments with language models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from helpers.commands import Done, arena_main


def experiment(folder: Path, agents: dict[str, Any], deals: int = 2, **more: Any) -> Path:
    """An experiment in Klaverjas, as a file."""
    path = folder / "talk.yaml"
    content = {
        "name": "talk",
        "game": {"name": "klaverjas"},
        "deals": {"set": "klaverjas-given-1000", "limit": deals},
        "agents": agents,
        **more,
    }
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def model(server: str, name: str = "plain", **more: Any) -> dict[str, Any]:
    """An agent that asks the server of `llm_server`; `name` says how it behaves."""
    return {"family": "llm", "base_url": server, "model": name, **more}


def play(path: Path, *words: str) -> Done:
    """Run an experiment; without other words into the folder `run` next to it."""
    folder = [] if "--out" in words else ["--out", str(path.parent / "run")]
    return arena_main(["run", str(path), *folder, "--no-report", *words])
