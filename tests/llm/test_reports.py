"""What reports, replays and merged runs say of language models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.browsers import NEEDS_CHROMIUM, launched_chromium
from helpers.commands import arena_main
from helpers.llm_runs import experiment, model, play
from helpers.llm_server import serving, stats

from arena.analysis.model_plays import model_plays
from arena.llm.answers import judge
from arena.llm.conversations import REPLIES
from arena.store import Run
from arena.tournament.conversations import RunConversations


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model twice, one that errs at first, and one that never answers."""
    path = tmp_path_factory.mktemp("models")
    with serving() as url:
        prices = {"prompt_per_million": 1.0, "completion_per_million": 2.0}
        agents = {
            "gpt": model(url, "random", replicate=2, prices=prices),
            "clumsy": model(url, "illegal:first", temperature=0.0),
            "rude": model(url, "prose:always", legal_moves="hidden"),
            "random": {"family": "random"},
        }
        written = experiment(path, agents, deals=2, on_fault="forfeit")
        done = arena_main(["run", str(written), "--out", str(path / "run"), "--quiet"])
        assert done.code == 0, done.err
        asked = stats(url)["asked"]
        (path / "asked.json").write_text(json.dumps(asked))
    return path


def test_legality_is_counted_apart_from_strength(folder):
    with Run(folder / "run") as run:
        plays = {each.name: each for each in model_plays(run, RunConversations(run))}
    assert list(plays) == ["gpt-1", "gpt-2", "clumsy", "rude"]
    gpt, clumsy, rude = plays["gpt-1"], plays["clumsy"], plays["rude"]
    assert (gpt.legal_at_once.value, gpt.illegal, gpt.none) == (1.0, 0, 0)
    assert clumsy.legal_at_once.value == 0.0
    assert clumsy.second == clumsy.illegal == clumsy.decisions > 0
    # Rude has a fault in each seating of each deal, against four opponents: 3 answers each.
    assert (rude.none, rude.unparsable, rude.decisions) == (16, 48, 16)
    assert gpt.served == ("random-2026 fp_1",)
    assert gpt.cost == pytest.approx(
        gpt.decisions * (gpt.prompt_tokens * 1e-6 + gpt.completion_tokens * 2e-6)
    )


def test_every_move_that_was_played_is_the_answer_that_is_stored(folder):
    """The conversation that is found for a decision is its own: it says what was played."""
    found = 0
    with Run(folder / "run") as run:
        talks = RunConversations(run)
        for pairing in run.pairings:
            for replay in run.replays(pairing):
                state = run.rules.start(replay.deal, replay.standing)
                asked = {each.at: each for each in talks.of_round(replay)}
                for at, action in enumerate(replay.record.actions):
                    name = replay.seats[state.turn]
                    forced = len(state.legal) == 1
                    assert (at in asked) == (name not in ("random", "rude") and not forced)
                    if at in asked:
                        last = asked[at].attempts[-1]
                        view = run.rules.view(state, state.turn)
                        assert judge(last.reply, last.finish, view).action == action
                        assert f"seat {'NESW'[state.turn]}." in last.messages[0]["content"]
                        found += 1
                    run.rules.apply(state, action)
                if replay.record.fault:
                    assert len(asked[len(replay.record.actions)].attempts) == 3
    assert found > 300


def test_replies_are_shared_where_nothing_differs(folder):
    """The same seat with the same cards and draws is asked once, whoever the opponents are."""
    asked = json.loads((folder / "asked.json").read_text())
    with Run(folder / "run") as run:
        plays = {each.name: each for each in model_plays(run, RunConversations(run))}
    assert asked["illegal:first"] < 2 * plays["clumsy"].decisions


def test_the_report_says_what_the_models_did(folder):
    report = json.loads((folder / "run" / "report.json").read_text())
    assert [each["name"] for each in report["models"]["agents"]] == [
        "gpt-1", "gpt-2", "clumsy", "rude",
    ]  # fmt: skip
    assert report["models"]["spent"] > 0
    (twins,) = report["twins"]["pairs"]
    assert {twins["first"], twins["second"]} == {"gpt-1", "gpt-2"}
    assert twins["margin"]["n"] == 2
    page = (folder / "run" / "report.html").read_text()
    assert "Legality, separate from strength" in page and "Noise floor" in page
    assert page.count("not reproducible") >= 4
    text = (folder / "run" / "report.md").read_text()
    assert "legal at once" in text and "the same agent twice" in text


def test_the_replay_shows_prompt_and_reply(folder):
    run = str(folder / "run")
    words = ["--pair", "clumsy", "random", "--at", "0"]
    done = arena_main(["replay", run, "klaverjas-given-0000", *words])
    seating_of_clumsy = done if "asked (" in done.out else None
    if seating_of_clumsy is None:
        words += ["--seating", "1"]
        done = arena_main(["replay", run, "klaverjas-given-0000", *words])
    assert done.code == 0
    assert "  | You play a card game." in done.out
    assert "That is no move: illegal." in done.out
    assert "answered (finish reason: stop, illegal):" in done.out


@NEEDS_CHROMIUM
def test_the_page_shows_prompt_and_reply_to_who_may_see_them(folder):
    with launched_chromium() as browser:
        page = browser.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((folder / "run" / "report.html").as_uri())
        deals = page.locator("#replay select").nth(0)
        label = next(
            t for t in deals.locator("option").all_inner_texts() if "rude" in t and "random" in t
        )
        deals.select_option(label=label)
        talk = page.locator("#replay details", has_text="was asked and answered").first
        for _ in range(4):
            if talk.count():
                break
            page.get_by_label("one step on").click()
        talk.locator("summary").first.click()
        shown = talk.inner_text()
        assert "unparsable, unparsable, unparsable" in shown
        assert "Your hand:" in shown and "I play H7." in shown and "tokens asked" in shown
        seat = shown.partition(" was asked")[0].split()[-1]
        other = "NESW"[("NESW".index(seat) + 1) % 4]
        page.locator("#replay select").nth(1).select_option(label=f"what {other} could see")
        assert not page.get_by_text(f"what {seat} was asked and answered").count()
        assert complaints == []


def test_merged_parts_have_the_conversations_of_all(tmp_path):
    with serving() as url:
        agents = {"gpt": model(url, "random"), "random": {"family": "random"}}
        path = experiment(tmp_path, agents, deals=4)
        parts = [str(tmp_path / f"part{n}") for n in (1, 2)]
        for number, part in enumerate(parts, 1):
            words = ["--part", f"{number}/2", "--out", part, "--quiet"]
            assert arena_main(["run", str(path), *words]).code == 0
        done = arena_main(["merge", *parts, "--out", str(tmp_path / "whole")])
        assert done.code == 0, done.err
        before = stats(url)["asked"]["random"]
        assert play(path, "--out", str(tmp_path / "whole")).code == 0
        assert stats(url)["asked"]["random"] == before
    assert (tmp_path / "whole" / REPLIES).exists()
    with Run(tmp_path / "whole") as run:
        (gpt,) = model_plays(run, RunConversations(run))
        assert gpt.decisions > 60
