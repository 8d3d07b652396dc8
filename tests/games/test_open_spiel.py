"""Games of OpenSpiel as games of the arena: rules, deals, secrecy, and whole runs."""

from __future__ import annotations

import builtins
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from helpers.commands import arena_main
from scipy import stats

from arena.core.codec import decode_view, encode_view, view_schema
from arena.core.deals import Deal, DealSet, deal_from_record, deal_record
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.core.rules import View, action_name
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.open_spiel import OpenSpielGame, rules
from arena.games.open_spiel.hands import draw_hands
from arena.games.open_spiel.hearts import as_hearts
from arena.games.open_spiel.tables import GAME_FACTS
from arena.llm.prompt import Prompter
from arena.testing import check_agent, check_game

pyspiel = pytest.importorskip(
    "pyspiel", reason="pip install open_spiel (no wheels for Intel Macs and Python 3.15)"
)

GAMES = [*GAME_FACTS, "oh_hell(players=4)", "tarok(players=4)", "hearts(pass_cards=false)"]
SEARCHABLE = [game for game in GAMES if OpenSpielGame(game).draws_possible_rounds]
CHECK = jsonschema.Draft202012Validator(view_schema())


def decisions(game: OpenSpielGame, seed: int) -> Iterator[tuple[Any, View]]:
    """Every decision of a random round: the round, and what the seat in turn knows."""
    rng = Rng(seed)
    table = game.start(game.random_deal(rng, seed))
    while table.turn is not None:
        view = game.view(table, table.turn)
        yield table, view
        game.apply(table, rng.choice(view.legal))


@pytest.mark.parametrize("game", GAMES)
def test_each_game_conforms(game: str) -> None:
    check_game(OpenSpielGame(game), deals=1)


@pytest.mark.parametrize("game", GAMES)
def test_views_are_the_same_after_writing_and_reading(game: str) -> None:
    made = OpenSpielGame(game)
    for number, (table, view) in enumerate(decisions(made, 1)):
        if number % 5:
            continue
        CHECK.validate(json.loads(encode_view(view)))
        assert decode_view(encode_view(view)) == view
        names = [action_name(action, made.bids) for action in view.legal]
        theirs = {made.arena_action(table.state, each) for each in table.state.legal_actions()}
        assert len(set(names)) == len(names) == len(theirs)
        assert view.information is not None
        assert view.information.text.strip() in str(view)
        if game == "spades":
            assert view.information.history and not view.information.tensor
        if game == "skat":
            assert len(view.information.tensor) == 299


def test_the_rules_of_hearts_agree_card_by_card() -> None:
    game, moons, passing = OpenSpielGame("hearts"), 0, set()
    for seed in range(40):
        rng = Rng(seed)
        table = game.start(game.random_deal(rng, seed))
        ours, other = as_hearts(table.state)
        passing.add(ours.passing)
        while table.turn is not None:
            assert other.turn == table.turn
            assert other.legal == table.legal
            action = rng.choice(table.legal)
            if seed % 3:  # one seat tries to take all points, and the others let it
                high = max(table.legal, key=lambda card: card % 13)
                low = min(table.legal, key=lambda card: (card // 13 != 2, card % 13))
                action = high if table.turn == 0 else low
            game.apply(table, action)
            ours.apply(other, action)
        outcome = ours.outcome(other)
        assert [26 - score for score in outcome.scores] == list(game.outcome(table).scores)
        moons += "moon" in outcome.flags
    assert passing == {"none", "left", "right", "across"}
    assert moons


# --- deals -------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_deals_follow_from_a_seed_and_survive_a_file(game: str, tmp_path: Path) -> None:
    made = OpenSpielGame(game)
    deals = make_deals(made, "some", 3, seed=5)
    assert deals.deals == make_deals(made, "some", 3, seed=5).deals
    assert deals.deals != make_deals(made, "some", 3, seed=6).deals
    assert DealSet.load(deals.save(tmp_path / "some.csv").path or Path()).deals == deals.deals
    for deal in deals:
        assert deal_from_record({"id": deal.id, **deal_record(deal)}) == deal
        assert made.drawing(made.start(deal)) == made.drawing(made.start(deal))


@pytest.mark.parametrize(
    ("game", "chance", "said"),
    [
        ("euchre", (), "the chance outcomes are missing"),
        ("euchre", (0, 18), "2 outcomes are too few"),
        ("euchre", (0, 18, 18), "outcome 3 cannot be 18 in euchre"),
        ("hearts(pass_cards=false)", (1, *range(52)), "outcome 1 cannot be 1"),
        ("tarok", (1, 2), "expected one number below"),
        ("bridge", (*range(52), 0), "1 outcomes too many"),
    ],
)
def test_deals_that_cannot_be_are_refused(game: str, chance: tuple[int, ...], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        OpenSpielGame(game).check_deal(Deal("x", (), chance=chance))


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("tarock", "unknown 'tarock'; did you mean 'tarok'"),
        ("oh_hell(plyers=4)", "Unknown parameter 'plyers'"),
        ("oh_hell(players=", "Missing closing bracket"),
    ],
)
def test_unknown_games_and_parameters_are_refused(game: str, said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        OpenSpielGame(game)


def test_without_open_spiel_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pyspiel":
            raise ImportError(name)
        return importing(name, *args, **kwargs)

    rules.load.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    for words in (["demo", "--game", "open-spiel"], ["list", "games"], ["list", "agents"]):
        done = arena_main(words)
        assert done.code == (2 if words[0] == "demo" else 0)
        if words[1] != "agents":
            assert "needs OpenSpiel: pip install 'arena-tricks[envs]'" in done.err
    assert "klaverjas" in arena_main(["list", "games"]).out


# --- what a seat holds possible ----------------------------------------------------------


def known(state: Any, seat: int) -> str:
    kind = state.get_game().get_type()
    by_string = kind.provides_information_state_string
    text: str = (state.information_state_string if by_string else state.observation_string)(seat)
    return text


def replayed(game: Any, history: list[int]) -> Any:
    """The state after these actions; None if one is not legal."""
    state = game.new_initial_state()
    for action in history:
        if state.is_terminal() or action not in state.legal_actions():
            return None
        state.apply_action(action)
    return state


@pytest.mark.parametrize("game", SEARCHABLE)
def test_a_possible_round_is_legal_looks_the_same_and_tells_no_secret(game: str) -> None:
    """Two rounds that differ in hidden cards only have the same views, possible round included."""
    made, rng = OpenSpielGame(game), random.Random(game)
    others = exchanged = 0
    for seed in range(4):
        for table, view in decisions(made, seed):
            state, seat = table.state, view.seat
            assert view.information is not None
            again = replayed(state.get_game(), list(view.information.history))
            assert again is not None
            assert known(again, seat) == known(state, seat)
            assert again.legal_actions() == state.legal_actions()
            others += again.history() != state.history()
            # The same round with two cards exchanged, if this seat cannot see that.
            steps = [(step.player, step.action) for step in state.full_history()]
            one, two = rng.sample([a for player, a in steps if player < 0], 2)
            swap = {one: two, two: one}
            history = [a if player == seat else swap.get(a, a) for player, a in steps]
            other = replayed(state.get_game(), history)
            if other is None or other.current_player() != seat:
                continue
            if known(other, seat) == known(state, seat):
                assert made._information(other, seat) == view.information
                exchanged += 1
    assert others > 20
    assert exchanged > 10


def test_language_models_are_asked_in_the_words_of_the_game() -> None:
    _, view = next(decisions(OpenSpielGame("skat"), 1))
    assert view.information is not None
    prompt = Prompter.usual().prompt(view)
    assert view.information.text.strip() in prompt
    assert "unknown/pass" in prompt and "trick 1" not in prompt


def test_only_games_whose_samplers_are_sound_give_possible_rounds() -> None:
    without = {game for game in GAMES if game not in SEARCHABLE}
    assert without == {"skat", "tarok", "tarok(players=4)"}
    assert not OpenSpielGame("hearts(jd_bonus=true)").draws_possible_rounds


def test_hands_are_drawn_uniformly() -> None:
    # Cards 0 to 5 for hands of 2, 1 and 1, two are left over. The first hand has no card
    # below 2, the second none above 3.
    may, sizes = (0b111100, 0b001111, 0b111111), (2, 1, 1, 2)
    drawn: Counter[tuple[int, ...]] = Counter()
    rng = Rng(3)
    for _ in range(3000):
        drawn[tuple(draw_hands(0b111111, may, sizes, rng))] += 1
    worlds = {
        (a, b, c, 63 & ~(a | b | c))
        for a in range(64)
        for b in range(64)
        for c in range(64)
        if [m.bit_count() for m in (a, b, c)] == [2, 1, 1]
        and not (a & ~may[0] or b & ~may[1] or a & b or a & c or b & c)
    }
    assert set(drawn) == worlds
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-3


# --- in tournaments ----------------------------------------------------------------------

BOT = '''
from arena import Action, Rng, View


class First:
    """Needs nothing but the names of what it may do, and what OpenSpiel lets it know."""

    def act(self, view: View, rng: Rng) -> Action:
        assert "Dealer" in view.information.text
        return view.legal[0]
'''

EXPERIMENT = """
name: euchre
game: {name: open-spiel, game: euchre}
deals: {file: euchre.csv}
agents:
  random: {family: random}
  mcts: {family: open-spiel-bot, simulations: 10, worlds: 2}
  first: {family: "./bot.py:First"}
schedule: {type: round-robin}
seed: 1
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("euchre")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("bot.py").write_text(BOT, encoding="utf-8")
        Path("euchre.yaml").write_text(EXPERIMENT, encoding="utf-8")
        made = [
            "deals",
            "make",
            "--game",
            "open-spiel",
            "--option",
            "game=euchre",
            "--count",
            "4",
            "--seed",
            "1",
        ]
        assert arena_main([*made, "--out", "euchre.csv"]).code == 0
        for out in ("one", "two"):
            words = ["run", "euchre.yaml", "--out", out, "--backend", "sequential", "--quiet"]
            assert arena_main([*words, *(["--no-report"] if out == "two" else [])]).code == 0
    return folder


def test_a_run_is_verified_exported_and_repeated(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played)
    done = arena_main(["verify", "one"])
    assert done.code == 0
    manifest = json.loads(Path("one/manifest.json").read_text(encoding="utf-8"))
    assert manifest["versions"]["open_spiel"].startswith("2.")
    assert "24 rounds" in done.out and "0 mismatches" in done.out
    for out in ("one", "two"):
        words = ["export", out, "--format", "jsonl", "--no-times", "--out", f"{out}.jsonl"]
        assert arena_main(words).code == 0
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    done = arena_main(["verify", "one.jsonl"])
    assert done.code == 0 and "0 mismatches" in done.out
    record = json.loads(Path("one.jsonl").read_text(encoding="utf-8").splitlines()[0])
    record["actions"][-1]["action"] = "Alone"
    Path("wrong.jsonl").write_text(json.dumps(record), encoding="utf-8")
    assert arena_main(["verify", "wrong.jsonl"]).code == 1


def test_deals_and_rounds_are_shown(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played)
    shown = arena_main(["deals", "show", "euchre.csv", "2"]).out
    assert "Dealer:" in shown and "Upcard:" in shown
    replay = arena_main(["replay", "one", "2"]).out
    assert "Upcard:" in replay and "side  score" in replay
    decision = arena_main(["replay", "one", "2", "--at", "1"]).out
    assert "and knows:" in decision and "may do" in decision
    page = Path("one/report.html").read_text(encoding="utf-8")
    assert '"drawing": "Dealer:' in page or '"drawing":"Dealer:' in page
    assert "How the points were made" not in page


def test_what_needs_cards_says_so(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played)
    for words, said in (
        (["audit", "one"], "cannot be audited"),
        (["play", "open-spiel"], "no hands and tricks"),
        (["solve", "euchre.csv"], "not described by cards and tricks"),
    ):
        done = arena_main(words)
        assert (done.code, said in done.err) == (2, True), done.err


def test_agents_are_checked_in_these_games() -> None:
    check_agent("random", game=OpenSpielGame("tarok"), deals=1)
    assert Hearts(variant="openspiel_default").has_tricks
