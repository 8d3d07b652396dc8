"""The terminal session in the README: real commands, run now, drawn as an SVG.

python docs/recording.py
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

SVG = Path(__file__).parent / "terminal.svg"
COMMANDS = (
    "arena new agent greedy",
    "arena run greedy.yaml --no-report",
    "arena run greedy.yaml --set deals.limit=100 --no-report",
    "arena compare greedy greedy random",
)
WIDTH = 118
MOST_LINES = 14
"""Of each command; what is cut off is marked."""


def main() -> None:
    """Run the commands in an empty folder and write the SVG."""
    # Our own look: letters that every system has, nothing fetched from other sites.
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    form = form.replace("Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace")
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        tempfile.TemporaryDirectory() as folder,
    ):
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            for line in _output(command, folder):
                console.print(Text(line), soft_wrap=False)
            console.print()
        svg = console.export_svg(
            title="arena", theme=MONOKAI, code_format=form, unique_id="terminal"
        )
    SVG.write_text(svg, encoding="utf-8")


def _output(command: str, folder: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": str(WIDTH)},
    )
    if done.returncode:
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stdout}")
    lines = done.stdout.replace(str(Path(folder).resolve()), "~").rstrip().splitlines()
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "..."]


if __name__ == "__main__":
    main()
