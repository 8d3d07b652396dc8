"""Whole rounds in a real terminal: typed, and read from its screen, as over ssh."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE_S = 240
WIDTH = 80
PROMPTS = ("bid>", "pass>", "play>")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


class Screen:
    """One session of a tmux server of its own."""

    def __init__(self, socket: Path, command: list[str], term: str) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        typed = shlex.join(["env", f"TERM={term}", *command])
        size = ["-x", str(WIDTH), "-y", "24"]
        self._do("new-session", "-d", *size, f"{typed}; echo END; sleep {PATIENCE_S}")

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            [*self._tmux, *words], capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout

    def lines(self) -> list[str]:
        """All lines so far, those that have been scrolled away included."""
        return self._do("capture-pane", "-p", "-S", "-2000").rstrip().splitlines()

    def type(self, text: str) -> None:
        """Type a line."""
        self._do("send-keys", text, "Enter")

    def wait_for(self, *ends: str, lines: int = 0) -> list[str]:
        """The screen, once it has more lines than that and the last one ends in one of these."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            seen = self.lines()
            last = seen[-1].rstrip() if len(seen) > lines else ""
            if last.endswith(ends):
                return seen
            if last == "END":
                break
            time.sleep(0.1)
        raise AssertionError("\n".join(self.lines()))

    def close(self) -> None:
        """End the server, and all that runs in it."""
        self._do("kill-server")


@pytest.fixture
def screens(tmp_path: Path) -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for each in opened:
        each.close()


@pytest.mark.parametrize(
    ("game", "option", "term", "said"),
    [
        ("klaverjas", "bidding=classical", "xterm", "turned up "),
        ("schieber", "weis=true", "screen", "trump "),
        ("hearts", "passing=left", "dumb", "you passed on "),
    ],
)
def test_a_round_in_a_terminal(
    game: str, option: str, term: str, said: str, tmp_path: Path, screens: list[Screen]
) -> None:
    words = ["play", game, "--option", option, "--with", "rule", "--seed", "4"]
    command = [sys.executable, "-m", "arena", *words]
    screen = Screen(tmp_path / "tmux", command, term)
    screens.append(screen)
    seen = screen.wait_for(*PROMPTS)
    while seen[-1].rstrip().endswith(PROMPTS):
        screen.type("2" if seen[-1].rstrip().endswith("bid>") else "1")
        seen = screen.wait_for(*PROMPTS, "quit>", lines=len(seen))
    text = "\n".join(seen)
    assert "side  tricks  points" in text and said in text
    # Nothing is wrapped by the terminal, no code is left on the screen.
    assert max(map(len, seen)) < WIDTH and "\x1b" not in text and "[0m" not in text
    tricks = [line for line in seen if " takes " in line]
    assert len(tricks) == len(set(tricks)) == {"klaverjas": 8, "schieber": 9, "hearts": 13}[game]
    screen.type("s")
    seen = screen.wait_for("quit>", lines=len(seen))
    screen.type("q")
    assert "seed 4" in screen.wait_for("END", lines=len(seen))[-2]
