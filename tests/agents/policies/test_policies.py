"""Policies: what they see, what they learn, and where they are kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.all_rules import situations

from agents.champion import Champion
from agents.policies import model as model_file
from agents.policies.features import TABLES, deck_of, table_size
from agents.policies.model import SHIPPED, PolicyModel, policies_for, read_policy, save_policy
from agents.policies.tables import weigh
from agents.policy import PolicyPlayer
from agents.random_ import Random
from agents.rule import Rule
from agents.training.rounds import Rounds, play_rounds
from agents.training.tables.regression import choices_of, fit_tables, likelihood
from arena.cli import main
from arena.config.model_file import ModelFile
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.layout import HANDS
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.observation import observe
from arena.games.schieber import Schieber

GAMES: list[Rules] = [Klaverjas(), Klaverjas(variant="amsterdam"), Schieber(), Hearts()]
VARIANTS: list[Rules] = [
    *GAMES,
    Klaverjas(variant="amsterdam-official"),
    Klaverjas(bidding="classical"),
    Schieber("given", weis=True, stoeck=True),
    Hearts(passing="left"),
]


def rounds_of(rules: Rules, count: int = 6) -> Rounds:
    return play_rounds(rules, [Random()], 5, range(count))


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_every_card_has_an_entry_in_each_table(rules: Rules) -> None:
    rounds = rounds_of(rules)
    for trump in set(rounds.trump.tolist()):
        choices = choices_of(rounds[rounds.trump == trump])
        game = kernel_game(rules, None if trump < 0 else trump)
        ends = np.asarray(deck_of(game)[257 : 257 + TABLES], dtype=np.int64)
        starts = np.concatenate([[0], ends[:-1]])
        assert (choices.entries >= starts).all()
        assert (choices.entries < ends).all()
        assert choices.size == table_size(deck_of(game)) == ends[-1]


def test_a_round_depends_on_its_number_alone() -> None:
    both, second = rounds_of(Klaverjas(), 2), play_rounds(Klaverjas(), [Random()], 5, range(1, 2))
    assert (both.cards[1] == second.cards[0]).all()


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_policy_never_looks_at_hidden_cards(rules: Rules) -> None:
    rounds = rounds_of(rules)
    for number in range(len(rounds)):
        trump = int(rounds.trump[number])
        game = kernel_game(rules, None if trump < 0 else trump)
        size = table_size(deck_of(game))
        factors = np.exp(np.random.default_rng(number).normal(size=(1, size))).astype(np.float32)
        factors.flags.writeable = False  # as those of models: nothing is compiled twice
        for view, hands in rounds.leads(number):
            root = game.view_state(view)
            voids, cards = observe(game, view).voids, game.mask(view.hand)
            found = []
            for shift in (0, 1):
                others = [seat for seat in range(4) if seat != view.seat]
                for i, seat in enumerate(others):
                    root[int(HANDS) + seat] = game.mask(hands[others[(i + shift) % 3]])
                weights = np.zeros(64)
                weigh(root, game.words, voids, deck_of(game), factors, 0, cards, weights)
                found.append(weights)
            assert (found[0] == found[1]).all()


def test_fitting_finds_how_rounds_were_played() -> None:
    rounds = play_rounds(Klaverjas(), [Rule()], 1, range(150))
    known, unknown = rounds[:120], rounds[120:150]
    weights = fit_tables(choices_of(known), steps=60)
    test = choices_of(unknown)
    nothing = likelihood(np.zeros_like(weights), test)
    assert nothing == pytest.approx(-np.mean(np.log(np.diff(test.starts))))
    assert likelihood(weights, test) > nothing + 0.3
    # Random play cannot be foreseen.
    noise = choices_of(rounds_of(Klaverjas(), 60))
    assert likelihood(weights, noise) < likelihood(np.zeros_like(weights), noise)


def test_few_rounds_do_if_others_play_much_alike() -> None:
    rounds = play_rounds(Klaverjas(), [Rule()], 1, range(150))
    alike = fit_tables(choices_of(rounds[:100]), steps=60)
    few, test = choices_of(rounds[100:105]), choices_of(rounds[105:])
    near = likelihood(fit_tables(few, penalty=10.0, around=alike), test)
    assert near > likelihood(fit_tables(few), test) + 0.2
    assert fit_tables(few, penalty=1e9, around=alike) == pytest.approx(alike, abs=1e-3)


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    model = PolicyModel("klaverjas", ("a", "b"), {"suit": weights}, "by hand")
    save_policy(tmp_path / "m.npz", model)
    found = read_policy(ModelFile.find(str(tmp_path / "m.npz")))
    assert found == model
    assert found.recipe == "by hand"
    assert found.number("b") == 1
    with pytest.raises(ArenaError, match="unknown 'c'"):
        found.number("c")
    with pytest.raises(ArenaError, match="tables of another size"):
        found.factors(kernel_game(Klaverjas(), 0))
    with pytest.raises(ArenaError, match="is for klaverjas, not for hearts"):
        found.check(Hearts())


def test_a_file_that_is_no_model_is_reported(tmp_path: Path) -> None:
    (tmp_path / "m.npz").write_text("cards")
    with pytest.raises(ArenaError, match="not a model that can be read"):
        read_policy(ModelFile.find(str(tmp_path / "m.npz")))


@pytest.mark.parametrize("name", SHIPPED)
def test_models_that_come_along_play_and_are_small(name: str) -> None:
    rules = {"klaverjas": Klaverjas(), "schieber": Schieber(), "hearts": Hearts()}[name]
    model = policies_for(rules, None)
    assert model.types[0] == "search"
    assert "training" in model.recipe
    rounds = play_rounds(rules, [PolicyPlayer(temperature=1.0)], 3, range(2))
    assert len(rounds) == 2
    assert Path(model_file.__file__).with_name(f"{name}.npz").stat().st_size < 3_000_000


def test_temperature_0_plays_the_likeliest_card() -> None:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(3), 0))
    assert state.turn is not None
    view = rules.view(state, state.turn)
    chances = PolicyPlayer().chances(view)
    assert sum(chances.values()) == pytest.approx(1.0)
    assert set(chances) == set(view.legal)
    assert chances[PolicyPlayer().act(view, Rng(0))] == max(chances.values())


TINY = """\
name: tiny
games: [{rounds: 20, name: klaverjas}]
types:
  search: {family: ismcts, simulations: 5}
  rule: {family: rule}
seed: 1
measured: 2
deals: 4
"""


def test_training_from_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY)
    command = ["train", "policy", str(tmp_path / "tiny.yaml"), "--out", str(tmp_path / "m.npz")]
    assert main([*command, "--keep"]) == 0
    output = capsys.readouterr().out
    assert "nats gained" in output
    model = read_policy(ModelFile.find(str(tmp_path / "m.npz")))
    assert model.types == ("search", "rule")
    figures = json.loads(model.recipe)["figures"]
    assert figures["search/against itself"]["deals"] == 4
    assert "rule/against itself" not in figures  # it is `rule`, whom all tables meet
    # By play, as the arena says: the tables of `search` against `rule`, points per deal.
    mean, low, high = (figures["search/against rule"][key] for key in ("mean", "low", "high"))
    assert low < mean < high
    assert f"search, tables at play: {mean:+.1f} points per deal against rule" in output
    # Once more: the rounds are there already, and the model is the same. Now nothing is kept.
    assert main(command) == 0
    assert "of 20 rounds" not in capsys.readouterr().out
    assert not list(tmp_path.glob("m-*"))
    assert PolicyPlayer(model=ModelFile.find(str(tmp_path / "m.npz"))).model_hash == model.sha256


def test_a_learner_plays_by_what_was_learnt_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("recipes").mkdir()
    config = Path("recipes/tiny.yaml")
    command = ["train", "policy", str(config), "--out", "tiny.npz", "--keep"]
    config.write_text(
        TINY + "learners: {champion: {family: champion, simulations: 5, worlds: 5}}\n"
    )
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "champion: 20 of 20 rounds" in output
    assert "champion, nats gained" in output
    model = read_policy(ModelFile.find(str(tmp_path / "tiny.npz")))
    assert model.types == ("search", "rule", "champion")
    # The others are as they are without it, and are what it played by.
    (kept,) = tmp_path.glob("tiny-*/types.npz")
    before = read_policy(ModelFile.find(str(kept)))
    assert (before.weights["suit"] == model.weights["suit"][:2]).all()
    with np.load(next(kept.parent.glob("champion-0-*.npz"))) as columns:
        played = Rounds(Klaverjas(), **columns)
    champion = Champion(simulations=5, worlds=5, model=ModelFile.find(str(kept)))
    again = play_rounds(Klaverjas(), [champion], 1, range(len(played)))
    assert (again.cards == played.cards).all()
    assert model.shares == ({"search": 1.0}, {"search": 1.0})
    # What is expected of others is said in the model; the rounds stay the same.
    shares = "shares: {search: 3, rule: 1}\npartner_shares: {champion: 1}\n"
    config.write_text(config.read_text() + shares)
    assert main(command) == 0
    assert "of 20 rounds" not in capsys.readouterr().out
    model = read_policy(ModelFile.find(str(tmp_path / "tiny.npz")))
    assert model.shares == ({"search": 0.75, "rule": 0.25}, {"champion": 1.0})
    # A learner may begin at the tables of the first type, and stay there.
    learners = "learners: {champion: {family: champion, simulations: 5, worlds: 5}}\n"
    config.write_text(TINY + learners + "learner_penalty: 1000000000\n")
    assert main(command) == 0
    weights = read_policy(ModelFile.find(str(tmp_path / "tiny.npz"))).weights["suit"]
    assert weights[2] == pytest.approx(weights[0], abs=1e-3)
    assert weights[2] != pytest.approx(weights[1], abs=1e-3)
    config.write_text(TINY + "shares: {serch: 1}\n")
    assert main(command) == 2
    assert "shares.serch: there is no type of this name" in capsys.readouterr().err
    config.write_text(TINY + "learners: {rule: {family: champion}}\n")
    assert main(command) == 2
    assert "there already is a type of this name" in capsys.readouterr().err


RECORDED = """\
name: recorded
game: {name: klaverjas}
deals: {set: klaverjas-given-1000, limit: 12}
agents: {one: {family: rule}, other: {family: semi-random}}
seed: 1
"""


def test_training_from_what_was_recorded_several_files_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    Path("recorded.yaml").write_text(RECORDED)
    assert main(["record", "recorded.yaml", "--out", "games"]) == 0
    recorded = TINY.replace("{family: ismcts, simulations: 5}", "{recording: games}")
    Path("a.yaml").write_text(recorded)
    Path("b.yaml").write_text(recorded.replace("seed: 1", "seed: 2"))
    assert main(["train", "policy", "a.yaml", "b.yaml"]) == 0
    assert "search: 20 rounds recorded" in capsys.readouterr().out
    # What is played depends on the seed, what was recorded does not.
    a, b = (read_policy(ModelFile.find(f"{name}.npz")).weights["suit"] for name in "ab")
    assert (a[0] == b[0]).all()
    assert (a[1] != b[1]).any()
    assert main(["train", "policy", "a.yaml", "b.yaml", "--out", "m.npz"]) == 2
    assert "--out names one model" in capsys.readouterr().err
    Path("a.yaml").write_text(recorded.replace("rounds: 20", "rounds: 30"))
    assert main(["train", "policy", "a.yaml"]) == 2
    assert "games: 24 rounds, fewer than the 30 asked for" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("name: tiny\n", "games: missing"),
        (TINY.replace("ismcts", "ismct"), "ismcts"),
        (TINY.replace("rounds: 20", "rounds: 2"), "games[0].rounds: expected a number from 20"),
        (TINY + "wrkers: 2\n", "wrkers: unknown key"),
        (
            TINY.replace("simulations: 5", "simulation: 5"),
            "yaml:4: types.search.simulation: unknown",
        ),
        (
            TINY.replace("simulations: 5", "grid: {simulations: [5, 6]}"),
            "types.search: expected one",
        ),
        (
            TINY + "learners: {w: {family: semi-random}}\n",
            "yaml:9: learners.w.family: does not play",
        ),
        (TINY + "learners: {w: {family: champion, wrlds: 3}}\n", "learners.w.wrlds: unknown"),
    ],
)
def test_mistakes_in_a_recipe_of_tables_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, message: str
) -> None:
    (tmp_path / "tiny.yaml").write_text(wrong)
    assert main(["train", "policy", str(tmp_path / "tiny.yaml")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_the_player_asks_the_policy_as_it_is_asked_by_steps(rules: Rules) -> None:
    model = policies_for(rules, None)
    for kind in model.types:
        likeliest, drawing = PolicyPlayer(type=kind), PolicyPlayer(type=kind, temperature=0.7)
        for number, (table, _) in enumerate(situations(rules, 40, 6)):
            if table.phase != "play" or len(table.legal) == 1:
                continue
            view = rules.view(table, table.turn)
            game, weights = kernel_game(rules, view.trump), np.empty(64)
            cards = game.mask(sum(1 << card for card in view.legal))
            voids = observe(game, view).voids
            total = weigh(
                game.view_state(view), game.words, voids, deck_of(game),
                model.factors(game), model.number(kind), cards, weights,
            )  # fmt: skip
            expected = {
                game.cards[bit]: float(weights[place] / total)
                for place, bit in enumerate(cards_of(int(cards)))
            }
            chances = likeliest.chances(view)
            assert list(chances.items()) == list(expected.items())
            assert likeliest.act(view, Rng(0)) == max(expected, key=lambda card: expected[card])
            # The first card up to which the chances, made sharper, come to what was drawn.
            powers = [chance ** (1 / 0.7) for chance in expected.values()]
            goal = Rng(number).random() * sum(powers)
            upto = [sum(powers[: place + 1]) for place in range(len(powers))]
            drawn = next(card for card, sum_ in zip(expected, upto, strict=True) if sum_ > goal)
            assert drawing.act(view, Rng(number)) == drawn
