"""The code blocks of a page of documentation, and running them in their order.

A page is run in a folder of its own. What a block is, its language says:

* `sh`: commands, one a line; each must end with exit code 0, or as a comment at its end says
  (`# exit 2`). Only `arena` is run; other commands need a mark (below).
* `python`: run in one namespace for the whole page.
* `yaml`: an experiment (or a gate, which has a candidate, or a study) is written to `NAME.yaml`
  and must be valid; a part of one (`agents:`, say) must be valid in place of that part of a small
  experiment.
* `toml`, `json`: must be well-formed.
* `text`, or no language: something to look at, such as what a command prints.

A comment in front of a block changes that:

    <!-- not run: why -->            the reason, for those who maintain the page
    <!-- file: bot.py -->            written to that file
    <!-- first: arena run ... -->    a command that the reader has given earlier
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from arena.config.loader import load
from arena.gate.config import load_gate
from arena.table.study_file import load_study
from helpers.commands import arena_main

_BLOCK = re.compile(
    r"(?P<marks>(?:^[ ]*<!--[^>]*-->[ ]*\n)*)"
    r"^(?P<indent>[ ]*)```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"<!--\s*(?P<key>not run|file|first):\s*(?P<value>.*?)\s*-->", re.DOTALL)
_EXIT = re.compile(r"#\s*exit (\d+)\s*$")
_INDENTED = re.compile(r"^(?:\n|\A) {4}(?:arena|make|pip|git) ", re.MULTILINE)

BASE: dict[str, Any] = {
    "name": "part",
    "game": {"name": "klaverjas"},
    "deals": {"set": "klaverjas-given-1000", "limit": 4},
    "agents": {"random": {"family": "random"}, "rule": {"family": "rule"}},
}
"""What a part of an experiment is tried in."""


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    line: int
    marks: dict[str, str] = field(default_factory=dict)


def blocks_of(page: Path) -> Iterator[Block]:
    """All fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        indent = len(found["indent"])
        content = "".join(line[indent:] for line in found["text"].splitlines(keepends=True))
        marks = {mark["key"]: mark["value"] for mark in _MARK.finditer(found["marks"])}
        line = text.count("\n", 0, found.start("text"))
        yield Block(found["language"], content, line, marks)


def unfenced_commands(page: Path) -> list[str]:
    """Indented commands, which nobody would run."""
    return [found.group().strip() for found in _INDENTED.finditer(page.read_text("utf-8"))]


class Page:
    """Runs the blocks of one page in a folder."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def run(self) -> int:
        """Run all blocks; how many were run."""
        count = 0
        for block in blocks_of(self.page):
            if "not run" in block.marks:
                assert block.marks["not run"], f"{self.page.name}:{block.line}: say why"
                continue
            for command in filter(None, [block.marks.get("first")]):
                self._command(command, block.line)
            if "file" in block.marks:
                path = self.folder / block.marks["file"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            run = getattr(self, f"_{block.language or 'text'}", None)
            assert run is not None, f"{self.page.name}:{block.line}: unknown {block.language!r}"
            run(block)
            count += 1
        return count

    def _text(self, block: Block) -> None:
        pass

    def _json(self, block: Block) -> None:
        json.loads(block.text)

    def _toml(self, block: Block) -> None:
        tomllib.loads(block.text)

    def _python(self, block: Block) -> None:
        # With its real line numbers, so that a failure points into the page.
        code = compile("\n" * block.line + block.text, str(self.page), "exec")
        if "file" not in block.marks:
            exec(code, self._names)

    def _yaml(self, block: Block) -> None:
        data = yaml.safe_load(block.text)
        if "name" not in data:
            agents = {**BASE["agents"], **data.get("agents", {})}
            data = {**BASE, **data, "agents": agents if "game" not in data else data["agents"]}
        path = self.folder / block.marks.get("file", f"{data['name']}.yaml")
        if not path.exists():
            path.write_text(block.text if "name:" in block.text else yaml.safe_dump(data))
        if "participants" in data:
            load_study(path)
        elif "candidate" in data:
            load_gate(path)
        else:
            load(path)

    def _sh(self, block: Block) -> None:
        for number, line in enumerate(block.text.splitlines(), start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                self._command(line, block.line + number)

    def _command(self, line: str, number: int) -> None:
        wanted = int(found.group(1)) if (found := _EXIT.search(line)) else 0
        command, _, target = line.partition(" > ")
        words = shlex.split(command, comments=True)
        place = f"{self.page.name}:{number}: {line.strip()}"
        assert words[0] == "arena", f"{place}: only arena is run; mark the block 'not run: why'"
        done = arena_main(words[1:])
        assert done.code == wanted, f"{place}\n{done.out}{done.err}"
        if target:
            (self.folder / shlex.split(target, comments=True)[0]).write_text(done.out)
