"""`arena study`: from the file to the report, with scripted people in terminal and browser."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.paths import ROOT
from helpers.tables import FAST, Browser

from arena.cli import main
from arena.cli.commands.schema import SCHEMAS
from arena.core.agent import Player
from arena.core.cards import SEATS
from arena.core.errors import ArenaError
from arena.store import Run
from arena.table.browser.host import TableHost
from arena.table.session import FirstLegal
from arena.table.study import StudyRun, StudySitting
from arena.table.study_file import load_study

ROUND = "1\n" * 8 + "\n"
SMALL = """\
name: small
game: klaverjas
agents:
  rule: {family: rule}
  random: {family: random}
opponents: [rule, random]
partner: rule
alongside: [rule]
participants: 4
rounds: 2
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(SMALL, encoding="utf-8")
    return file


def command(study: Path, *words: str, typed: str = "", code: int = 0) -> None:
    """`arena study` on this file, with these typed lines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(typed))
        assert main(["study", str(study), "--out", str(study.with_name("run")), *words]) == code


def test_an_evening_from_the_file_to_the_report(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_folder = study.with_name("run")
    command(study, "--names", "Ann", typed=ROUND * 2 + "q\n")
    assert "Ann: round 1 of 4" in (out := capsys.readouterr().out) and "2 rounds left" in out
    command(study, "--names", "Ann", typed=ROUND * 2)
    assert "Ann: round 3 of 4" in (out := capsys.readouterr().out)
    assert "all rounds are played" in out
    command(study, "--names", "Ann")
    assert capsys.readouterr().out == "Ann: all played\n"
    command(study, "--alongside")
    assert "4 deals to play" in capsys.readouterr().out
    command(study, "--names", "Ben", typed=ROUND * 4)
    # Of Ben's rounds the agents have played none: he meets the others on each deal.
    assert "on the same cards" not in capsys.readouterr().out
    command(study, "--status")
    out = capsys.readouterr().out
    assert "2 of 4 participants have sat down" in out and "alongside: 4 deals left" in out
    command(study, "--alongside")
    with Run(run_folder) as run:
        assert run.people == ["Ann+rule", "Ben+rule"] and run.manifest.seatings == ("ABAB", "BABA")
        by_pair = {
            pairing[:2]: [(r.record.deal, r.record.seating) for r in run.replays(pairing)]
            for pairing in run.pairings
        }
    ann = by_pair["Ann+rule", "rule"] + by_pair["Ann+rule", "random"]
    ben = by_pair["Ben+rule", "rule"] + by_pair["Ben+rule", "random"]
    # The same deals, each person in one seat, and each deal against the other opponent.
    assert {deal for deal, _ in ann} == {deal for deal, _ in ben} and len(ann) == len(ben) == 4
    assert {seat for _, seat in ann} == {0} and {seat for _, seat in ben} == {1}
    assert not {*by_pair["Ann+rule", "rule"]} & {(d, 0) for d, _ in by_pair["Ben+rule", "rule"]}
    capsys.readouterr()
    assert main(["verify", str(run_folder)]) == 0
    assert "24 rounds" in (out := capsys.readouterr().out) and "0 mismatches" in out
    assert main(["status", str(run_folder)]) == 0
    assert "small: complete" in capsys.readouterr().out
    assert main(["report", str(run_folder)]) == 0
    people = json.loads((run_folder / "report.json").read_text("utf-8"))["people"]["people"]
    found = [(each["person"], each["agent"]) for each in people["same_cards"]]
    assert found == [("Ann+rule", "rule+rule"), ("Ben+rule", "rule+rule")]
    assert [each["difference"]["n"] for each in people["same_cards"]] == [4, 4]
    assert main(["compare", str(run_folder), "Ann+rule", "rule"]) == 0


def test_people_and_agents_alongside_meet_the_same_cards_and_opponents(study: Path) -> None:
    """An agent that plays as the person did has the same scores."""
    text = SMALL.replace("random: {family: random}", "first: ./first.py:First")
    text = text.replace("first: ./first.py:First", "first: {family: './first.py:First'}")
    text = text.replace("random]", "first]").replace("alongside: [rule]", "alongside: [first]")
    study.write_text(text, encoding="utf-8")
    study.with_name("first.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass First:\n"
        '    """The first legal card."""\n\n'
        "    def act(self, view, rng):\n        return view.legal[0]\n",
        encoding="utf-8",
    )
    command(study, "--trust", "--names", "Ann", typed=ROUND * 4)
    command(study, "--trust", "--alongside")
    assert main(["report", str(study.with_name("run"))]) == 0
    report = study.with_name("run") / "report.json"
    (same,) = json.loads(report.read_text(encoding="utf-8"))["people"]["people"]["same_cards"]
    assert same["agent"] == "first+rule" and same["difference"]["value"] == 0


def test_participants_in_browsers_have_a_table_each(study: Path) -> None:
    checked = load_study(study)

    async def evening(table: StudyRun) -> list[dict[str, Any]]:
        playing = [table.progress.participant(name) for name in table.progress.names]
        hosts = [
            TableHost(
                StudySitting(table, each),
                lambda: Player(FirstLegal()),
                lambda: Player(FirstLegal()),
                FAST,
                {each.seat: each.name},
            )
            for each in playing
        ]
        running = [asyncio.create_task(host.run()) for host in hosts]
        pages = [Browser(host, each.seat) for host, each in zip(hosts, playing, strict=True)]
        over: list[dict[str, Any]] = []
        for number in range(1, checked.design.rounds + 1):
            over += await asyncio.gather(*(page.play_round(number) for page in pages))
            for page in pages:
                await page.ask("next")
        await asyncio.gather(*running)
        return over

    with StudyRun(checked, study.with_name("run"), ["Ann", "Ben"]) as table:
        over = asyncio.run(evening(table))
        command(study, "--status")  # while the tables are open
        assert all(not table.progress.participant(name).left for name in table.progress.names)
        seats = {name: table.progress.participant(name).seat for name in table.progress.names}
    names = {over[i]["chairs"][SEATS[seats[name]]]["name"] for i, name in enumerate(seats)}
    assert names == {"Ann", "Ben"}
    with Run(study.with_name("run")) as run:
        assert sum(map(run.units_stored, run.pairings)) == 8


def test_the_same_seed_gives_the_same_design_and_another_one_another(study: Path) -> None:
    def orders(seed: int) -> list[str]:
        study.write_text(SMALL + f"seed: {seed}\n", encoding="utf-8")
        return [each.name for each in load_study(study).opponents]

    assert orders(3) == orders(3)
    assert len({tuple(orders(seed)) for seed in range(8)}) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("opponents: [rule, random]", "opponents: [rule, randon]", "did you mean 'random'"),
        ("opponents: [rule, random]", "opponents: [rule]", "agents.random: does not play"),
        ("opponents: [rule, random]", "opponents: [rule, rule]", "'rule' is there twice"),
        ("partner: rule\n", "", "partner: klaverjas needs"),
        ("rounds: 2", "rouds: 2", "did you mean 'rounds'"),
        ("rounds: 2", "rounds: 0", "rounds: "),
        ("participants: 4", "participants: [Ann, Ann]", "participants[1]: 'Ann' is there twice"),
        ("participants: 4", "participants: [A+B]", "participants[0]: "),
        ("game: klaverjas", "game: hearts", "partner: hearts is played without partners"),
        ("rounds: 2", "rounds: 2\ndeals: {set: klaverjas-given-1000, limit: 3}", "need 4"),
        ("{family: random}", "{family: randon}", "did you mean 'random'"),
        ("name: small", "name: small\nschedule: {}", "is an experiment, no study"),
    ],
)
def test_a_bad_file_is_answered_with_place_and_reason(
    old: str, new: str, said: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write_text(SMALL.replace(old, new), encoding="utf-8")
    command(study, "--status", code=2)
    err = capsys.readouterr().err
    assert said in err and str(study) in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give --names, --status or --alongside (participants: Ann; at most 4)"),
        (("--names", "Ben", "Cas"), "several need --browser"),
        (("--names", "Ben", "Ben", "--browser"), "a name is there twice"),
        (("--names", "rule"), "an agent is called that"),
        (("--names", "x" * 30), "expected 1 to 24 printable characters"),
    ],
)
def test_bad_options_are_one_line(
    words: tuple[str, ...], said: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(study, "--names", "Ann", typed="q\n")
    capsys.readouterr()
    command(study, *words, code=2)
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_no_more_participants_than_the_file_says(study: Path) -> None:
    study.write_text(SMALL.replace("participants: 4", "participants: 1"), encoding="utf-8")
    command(study, "--names", "Ann", typed="q\n")
    with pytest.raises(ArenaError, match="all 1 participants have sat down"):
        StudyRun(load_study(study), study.with_name("run"), ["Ben"])
    study.write_text(SMALL.replace("participants: 4", "participants: [Ann, Ben]"), "utf-8")
    with pytest.raises(ArenaError, match="did you mean 'Ben'"):
        StudyRun(load_study(study), study.with_name("run"), ["Bon"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rounds: 2", "rounds: 3", "has 4 deals, made for fewer rounds"),
        ("game: klaverjas", "game: {name: klaverjas, four_jacks: 100}", "another configuration"),
        ("rounds: 2", "rounds: 2\nseed: 9", "another configuration"),
    ],
)
def test_a_study_that_has_begun_stays_as_it_is(
    old: str, new: str, said: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(study, "--names", "Ann", typed="q\n")
    study.write_text(SMALL.replace(old, new), encoding="utf-8")
    capsys.readouterr()
    command(study, "--names", "Ann", code=2)
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_the_bundled_study_is_sound_and_its_schema_is_published() -> None:
    checked = load_study(ROOT / "configs" / "studies" / "club-evening.study.yaml")
    assert checked.design.rounds == 12 and checked.participants % checked.design.full_size == 0
    stored = json.loads((ROOT / "configs" / "study.schema.json").read_text(encoding="utf-8"))
    assert stored == SCHEMAS["study"](), "arena schema study > configs/study.schema.json"
