"""Agents in processes of their own, and a list of the processes that are still there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from arena.games.klaverjas import Klaverjas
from arena.process.builder import Builder
from arena.process.client import Isolated, ProcessAgent, Program
from arena.process.limits import Limits
from arena.process.reaper import MARK
from helpers.experiments import make_deals

RULES = Klaverjas()
DEALS = make_deals(RULES, 60)
BOT = Path(__file__).with_name("misbehaving_bot.py")


def isolated(agent: Any, **limits: Any) -> ProcessAgent:
    return ProcessAgent(Isolated(Builder("agent", type(agent), vars(agent))), Limits(**limits))


def bot(*words: str, **limits: Any) -> ProcessAgent:
    return ProcessAgent(Program([sys.executable, "-I", "-S", str(BOT), *words]), Limits(**limits))


def processes(of: int = 0) -> list[str]:
    """The command lines of the agents' processes that one process (this one) has started."""
    found = []
    mark = f"{MARK}={of or os.getpid()}-".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended meanwhile
    return [command for command in found if command]
