"""What a terminal would obey is shown as escapes, wherever it comes from."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from arena.cli import main
from arena.core.printable import printable

ESCAPE = "\x1b]0;owned\x07"


@pytest.mark.parametrize(
    "words",
    [
        ["validate", f"{ESCAPE}.yaml"],
        ["run", f"no-{ESCAPE}"],
        ["status", f"no-{ESCAPE}"],
        [f"verify{ESCAPE}"],
        ["list", ESCAPE],
        ["run", "quickstart", "--set", f"agents.{ESCAPE}.x=1"],
    ],
)
def test_arguments(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):  # argparse's way to stop
        assert main(words) == 2
    message = "".join(capsys.readouterr())
    assert "\x1b" not in message
    assert "\x07" not in message
    assert r"\x1b]0;owned\x07" in message


def test_names_and_ids_in_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "x.yaml"
    config.write_text('name: "\\e[2J"\ngame: "\\e[2J"\nagents: {"\\e[2J": {family: "\\x9b2J"}}\n')
    assert main(["validate", str(config)]) == 2
    deals = tmp_path / "x.csv"
    deals.write_text(f"id,N,E,S,W\n{ESCAPE},C7,C8,C9,CX\n")
    out = str(tmp_path / "y.csv")
    assert main(["deals", "import", str(deals), "--game", "klaverjas", "--out", out]) == 2
    records = tmp_path / "x.jsonl"
    records.write_text('{"id": "\\u001b[2J", "game": "\\u001b[2J"}\n')
    assert main(["verify", str(records)]) == 2
    message = "".join(capsys.readouterr())
    assert not any(character in message for character in "\x1b\x9b\x07")


@pytest.mark.parametrize("text", ["\x00", "\r", "\x08", "\x7f", "\x9b", "\u202e", "\u2066"])
def test_everything_that_moves_or_turns_text(text: str) -> None:
    assert printable(f"a{text}b") == f"a{text.encode('unicode_escape').decode()}b"


def test_what_people_write_stays() -> None:
    assert printable("Stöck – ♥ 7\n\tJass 日本") == "Stöck – ♥ 7\n\tJass 日本"
