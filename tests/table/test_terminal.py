"""`arena play` with typed lines: whole rounds, help, and bad input in one line."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.cli import main
from arena.core.cards import pretty
from arena.core.generate import make_deals
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas

FIRST = "1\n"


def played(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["play", *words, "--seed", "1"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    return out


@pytest.mark.parametrize(
    ("game", "more"),
    [
        ("klaverjas", ()),
        ("klaverjas", ("--option", "bidding=classical")),
        ("schieber", ("--option", "weis=true")),
        ("hearts", ("--option", "passing=left")),
        ("hearts", ("--option", "players=3")),
    ],
)
def test_a_round_of_each_game(
    game: str,
    more: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed = FIRST * 20 + "q\n"
    out = played(typed, monkeypatch, capsys, game, "--with", "random", *more)
    assert "side  tricks  points" in out and "total" in out


def test_hint_undo_claim_sheet_and_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "?\nu\nh\nc\n1\nu\n1\nx9\ns\n" + FIRST * 7 + "z\na\nq\n"
    out = played(typed, monkeypatch, capsys, "klaverjas")
    assert "taken back" in out and "'z': expected a, s, q or nothing" in out
    assert "there is nothing to take back yet" in out
    assert "the adviser would choose" in out
    assert "a claim is looked at in the last 5 tricks" in out
    assert "'x9' is not possible now; " in out
    assert "as far as could be known" in out and "in hindsight" in out


def test_the_same_cards_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deals = make_deals(Klaverjas(), "mine", 2, 5).save(tmp_path / "mine.csv")
    typed = (FIRST * 8 + "\n") * 2
    out = played(typed, monkeypatch, capsys, "--deals", str(deals.path), "--with", "rule", "random")
    assert out.count("on the same cards: you ") == 2
    assert "you against rule on the same cards: " in out and "2 deals)" in out


def test_the_suit_turned_up_and_the_cards_passed_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("klaverjas", "--seat", "N", "--with", "rule", "--option", "bidding=classical")
    assert re.search(r"turned up [♣♦♥♠]   NS 0", played("q\n", monkeypatch, capsys, *words))
    hearts = ("hearts", "--with", "rule", "--option", "passing=left")
    out = played(FIRST * 4 + "q\n", monkeypatch, capsys, *hearts)
    assert re.search(r"to pass on: [♣♦♥♠]\w+\n", out)
    assert len(re.findall(r"you passed on( [♣♦♥♠]\w+){3} and received( [♣♦♥♠]\w+){3}\n", out)) == 1


def test_each_line_is_shown_once_although_weis_is_shown_in_between(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--option", "weis=true", "--option", "bidding=given")
    words = ("schieber", "--with", "rule", *options)
    out = played((FIRST * 9 + "\n") * 4, monkeypatch, capsys, *words)
    tricks = re.findall(r"^ [1-9]  .* takes .*$", out, re.MULTILINE)
    assert len(tricks) == 36 == len(set(tricks))
    shown = re.findall(r"^[NESW] showed .*$", out, re.MULTILINE)
    assert shown and len(shown) == len(set(shown))


def test_an_evening_is_less_the_luck_of_the_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deals = make_deals(Klaverjas(), "mine", 8, 5).save(tmp_path / "mine.csv")
    rounds = (FIRST * 8 + "\n") * 6 + FIRST * 8 + "s\n\n" + FIRST * 8 + "s\nq\n"
    out = played(rounds, monkeypatch, capsys, "--deals", str(deals.path))
    # Not after seven rounds; after eight on request and at the end.
    assert out.count("luck-adjusted: ") == 2
    assert out.count("8 rounds are worth ") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("klaverjass",), "did you mean 'klaverjas'"),
        (("klaverjas", "--with", "rul"), "did you mean 'rule'"),
        (("klaverjas", "--seat", "X"), "unknown seat 'X'"),
        (("hearts", "--seat", "W", "--option", "players=3"), "hearts has 3 seats"),
        (("--deals", "nothing"), "nothing"),
    ],
)
def test_bad_arguments_are_one_line(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *words]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_hidden_cards_stay_hidden(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the first card only the person's own thirteen cards are on the screen."""
    rules = Hearts(passing="none")
    out = played("q\n", monkeypatch, capsys, "hearts", "--option", "passing=none", "--seat", "N")
    (deal,) = make_deals(rules, "table-0", 64, 1).deals[:1]
    on_table = out.partition("on the table:")[2].partition("\n")[0]
    for hand in deal.hands[1:]:
        for card in hand:
            assert pretty(card) not in out.replace(on_table, "")


def test_a_terminal_gets_colours_and_no_codes_of_others(tmp_path: Path) -> None:
    """In a pseudo-terminal: our codes are obeyed, those in the name of an agent are shown."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        "class Bot:\n    def act(self, view, rng):\n        raise ValueError('\\x1b[2J')\n"
    )
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "arena", "play", "klaverjas", "--seed", "1", "--with"]
    with subprocess.Popen(
        [*command, "bot.py:Bot"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path
    ) as process:
        os.close(theirs)
        os.write(ours, b"q\n")
        seen = b""
        with suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                seen += part
    os.close(ours)
    text = seen.decode()
    assert process.returncode == 0
    assert "\x1b[1;31m" in text and "1:♥" in text
    assert "the first legal cards from here on" in " ".join(text.split())  # lines are wrapped
    assert "\x1b[2J" not in text
