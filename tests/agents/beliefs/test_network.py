"""Beliefs by a network: what it is shown, what worlds come of it, and files that are refused."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from helpers.endings import endings, worth_of_cards
from helpers.situations import RULES, WITH_WEIS, situations
from helpers.splits import splits
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from agents.beliefs.hoogenboom import Certain
from agents.beliefs.network import INPUTS, OUTPUTS, NetworkBeliefs, inputs_of
from agents.dmcts import Dmcts
from agents.flat_mc import FlatMC
from agents.ismcts import Ismcts
from agents.networks.dense_network import Network, save_network
from agents.pimc import Pimc
from agents.search.network import INPUTS as JUDGE_INPUTS
from agents.search.network import load_network
from agents.search.worlds import SAMPLED, UNIFORM, deal_world, plan_worlds
from agents.searchers.endings import Endings
from agents.searchers.evaluators import NetworkJudge, Playouts
from arena.config.entrants import AgentSpec, Entrant
from arena.config.model_file import ModelFile
from arena.core.agent import Player
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import HANDS
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.testing import check_agent
from arena.tournament.fingerprint import fingerprint, models_of

GAMES = [Klaverjas(bidding="classical"), Schieber(bidding="schieben"), Hearts(passing="left")]
WITH_TWO = Hearts(players=2)
NOBODY_CHOOSES = Klaverjas(bidding="utrecht")


def called(rules):
    return f"{rules.name}-{rules.players}"


by_name = pytest.mark.parametrize("rules", GAMES, ids=called)


def saying(logits: np.ndarray) -> Network:
    """A network that says the same whatever it is shown; `logits` by relative seat and bit."""
    weights = np.zeros((INPUTS + 1) * OUTPUTS, dtype=np.float32)
    weights[-OUTPUTS:] = logits.reshape(-1)
    return Network(np.array([INPUTS, OUTPUTS]), weights)


def tiny(seed: int = 1, scale: float = 0.3) -> Network:
    """Random weights, one hidden layer."""
    rng = np.random.default_rng(seed)
    weights = scale * rng.normal(size=(INPUTS + 1) * 6 + 7 * OUTPUTS)
    return Network(np.array([INPUTS, 6, OUTPUTS]), weights.astype(np.float32))


def saved(folder: Path, network: Network, name: str = "beliefs.npz") -> NetworkBeliefs:
    """The beliefs of a network."""
    save_network(folder / name, network, "made by hand")
    return in_file(folder / name)


def in_file(path: Path) -> NetworkBeliefs:
    return NetworkBeliefs(ModelFile.find(str(path)))


def of_network(network: Network) -> NetworkBeliefs:
    with TemporaryDirectory() as folder:
        beliefs = saved(Path(folder), network)
        assert beliefs.network.sha256 == network.sha256  # read while the file is there
    return beliefs


# --- what it is shown and what it says ---------------------------------------------------


def shown(rules, state):
    """The inputs, from the rule book's round and not from the kernel's words."""
    bits = kernel_game(rules, state.trump).bits
    seats = [rules.seat_after(state.turn, place) for place in range(rules.players)]
    values = np.zeros(INPUTS)

    def enter(number, cards):
        for card in cards:
            values[64 * number + bits[card]] = 1

    enter(0, cards_of(state.hands[state.turn]))
    for trick in state.tricks:
        for place, card in enumerate(trick.cards):
            enter(1 + seats.index(rules.seat_after(trick.leader, place)), [card])
    for place, card in enumerate(state.table):
        enter(1 + seats.index(rules.seat_after(state.table_leader, place)), [card])
    enter(5, state.table)
    may = InfoSet.of(rules.view(state, state.turn)).may
    for place in range(1, rules.players):
        enter(5 + place, cards_of(may[seats[place]]))
    if state.declarer is not None:
        values[576 + seats.index(state.declarer)] = 1
        values[580] = state.forced
    return values


@pytest.mark.parametrize("rules", [*GAMES, WITH_TWO, NOBODY_CHOOSES], ids=called)
def test_the_inputs_are_what_the_seat_can_see(rules):
    seen = []
    for tricks, cards_played in ((rules.hand_size, 1), (6, 0), (5, 1), (3, rules.players - 1)):
        for state in endings(rules, tricks, count=12, cards_played=cards_played):
            view = rules.view(state, state.turn)
            values = inputs_of(kernel_game(rules, state.trump), view, InfoSet.of(view))
            assert values.shape == (INPUTS,) and values.dtype == np.float32
            assert values.tolist() == shown(rules, state).tolist()
            everything = rules.view(state, state.turn, all_hands=True)
            peeking = inputs_of(kernel_game(rules, state.trump), everything, InfoSet.of(view))
            assert values.tolist() == peeking.tolist()
            seen.append(values)
    has_declarer = rules.name != "hearts"
    assert np.any(seen, axis=0)[576:580].tolist() == [has_declarer] * 4
    forced = {bool(values[580]) for values in seen}
    message = {"utrecht": {True}}
    assert forced == message.get(getattr(rules, "bidding", ""), {False})


@pytest.mark.parametrize("rules", [*GAMES, WITH_TWO], ids=called)
def test_chances_are_a_softmax_over_those_who_may_hold_the_card(rules):
    network = tiny()
    first, last = np.split(network.weights.astype(np.float64), [(INPUTS + 1) * 6])
    for state in endings(rules, tricks=5, count=6, cards_played=1):
        view = rules.view(state, state.turn)
        known, bits = InfoSet.of(view), kernel_game(rules, state.trump).bits
        hidden = first[: INPUTS * 6].reshape(6, INPUTS) @ shown(rules, state) + first[-6:]
        says = last[: 6 * OUTPUTS].reshape(OUTPUTS, 6) @ np.maximum(hidden, 0) + last[-OUTPUTS:]
        expected = [{} for _ in range(rules.players)]
        for card in cards_of(known.unseen):
            powers = {
                seat: math.exp(says[64 * (place - 1) + bits[card]])
                for place in range(1, rules.players)
                if known.may[seat := rules.seat_after(view.seat, place)] >> card & 1
            }
            for seat, power in powers.items():
                expected[seat][card] = power / sum(powers.values())
        table = of_network(network).table(view, known)
        for row, wanted in zip(table, expected, strict=True):
            assert row == pytest.approx(wanted, rel=1e-4)


# --- worlds ------------------------------------------------------------------------------

DRAWS = 20_000


def drawn(rules, state, network) -> Counter:
    """How often each world is drawn, as hands in kernel coordinates."""
    game = kernel_game(rules, state.trump)
    view = rules.view(state, state.turn)
    worlds = plan_worlds(game, view, of_network(network))
    assert worlds.kind == SAMPLED
    root, rng, found = game.view_state(view), rng_array(Rng(5)), Counter()
    first = int(HANDS)
    for _ in range(DRAWS):
        deal_world(worlds, rng, root)
        found[tuple(root[first : first + rules.players].tolist())] += 1
    return found


def all_worlds(rules, state, logits) -> dict[tuple[int, ...], float]:
    """Every world there is, with the product of its weights, by enumeration."""
    game = kernel_game(rules, state.trump)
    view = rules.view(state, state.turn)
    known = InfoSet.of(view)
    sizes = [0 if seat == view.seat else size for seat, size in enumerate(known.sizes)]
    worlds = {}
    for hands in splits(known.unseen, known.may, sizes):
        total = 0.0
        for place in range(1, rules.players):
            for card in cards_of(hands[rules.seat_after(view.seat, place)]):
                total += logits[place - 1, game.bits[card]]
        held = [view.hand if seat == view.seat else hand for seat, hand in enumerate(hands)]
        worlds[tuple(game.masks(held).tolist())] = math.exp(total)
    return worlds


def small_endings(rules, count):
    """Endings with a few dozen worlds, in which the last player's partner has a choice."""
    found = 0
    for state in endings(rules, tricks=3, count=60, cards_played=1):
        if 12 <= len(all_worlds(rules, state, np.zeros((3, 64)))) <= 600:
            yield state
            found += 1
            if found == count:
                return
    raise AssertionError("too few endings with few worlds")


def check_frequencies(rules, state, logits):
    expected = all_worlds(rules, state, logits)
    seen = drawn(rules, state, saying(logits))
    assert not set(seen) - set(expected)
    chances = DRAWS * np.array(list(expected.values())) / sum(expected.values())
    common = chances >= 5
    observed = [*np.array([seen[world] for world in expected])[common]]
    wanted = [*chances[common]]
    if not common.all():
        observed.append(DRAWS - sum(observed))
        wanted.append(DRAWS - sum(wanted))
    assert len(observed) > 5
    assert chisquare(observed, wanted).pvalue > 1e-3


@by_name
def test_equal_logits_draw_all_worlds_equally_often(rules):
    for state in small_endings(rules, 3):
        check_frequencies(rules, state, np.full((3, 64), 1.7))


@by_name
@pytest.mark.parametrize("odds", [4.0, 0.1])
def test_odds_for_one_card_give_the_chances_that_enumeration_gives(rules, odds):
    for state in small_endings(rules, 3):
        game = kernel_game(rules, state.trump)
        view = rules.view(state, state.turn)
        known = InfoSet.of(view)
        partner = rules.seat_after(view.seat, 2)
        others = [seat for seat in range(4) if seat not in (view.seat, partner)]
        shared = known.may[partner] & (known.may[others[0]] | known.may[others[1]])
        logits = np.zeros((3, 64))
        logits[1, game.bits[cards_of(shared)[0]]] = math.log(odds)
        check_frequencies(rules, state, logits)
        weights = set(all_worlds(rules, state, logits).values())
        assert {round(weight, 9) for weight in weights} == {1.0, round(odds, 9)}


@by_name
def test_a_logit_for_every_card_gives_worlds_by_the_product_of_weights(rules):
    rng = np.random.default_rng(7)
    for state in small_endings(rules, 3):
        check_frequencies(rules, state, rng.normal(size=(3, 64)).astype(np.float32))


@settings(max_examples=150, deadline=None)
@given(
    situations([*RULES, *WITH_WEIS]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.3, 3.0, 300.0]),
)
def test_no_network_deals_a_card_to_who_cannot_hold_it(situation, seed, scale):
    view = situation.view
    assume(view.phase == "play")
    game, known = kernel_game(view.rules, view.trump), InfoSet.of(view)
    worlds = plan_worlds(game, view, of_network(tiny(seed, scale)))
    root, rng, first = game.view_state(view), rng_array(Rng(seed)), int(HANDS)
    for _ in range(10):
        deal_world(worlds, rng, root)
        hands = [game.card_mask(hand) for hand in root[first : first + view.rules.players]]
        assert known.agrees(hands)


@by_name
def test_a_network_that_leaves_no_world_is_not_believed(rules):
    """All cards with the partner: that are more than they hold."""
    logits = np.zeros((3, 64), dtype=np.float32)
    logits[1] = 1e6
    state = next(endings(rules, rules.hand_size, count=1, cards_played=1))
    game, view = kernel_game(rules, state.trump), rules.view(state, state.turn)
    fallen_back = plan_worlds(game, view, of_network(saying(logits)))
    certain = plan_worlds(game, view, Certain())
    assert fallen_back.kind == certain.kind == UNIFORM
    assert fallen_back.first.tolist() == certain.first.tolist()


def test_a_network_that_overflows_is_reported():
    weights = np.full((INPUTS + 1) * OUTPUTS, 3e38, dtype=np.float32)
    rules = Klaverjas()
    state = next(endings(rules, tricks=5, count=1))
    with pytest.raises(ArenaError, match="not a number"):
        of_network(Network(np.array([INPUTS, OUTPUTS]), weights)).of(rules.view(state, state.turn))


# --- in searches -------------------------------------------------------------------------


def round_played(rules, agent, seed):
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, seed))
    actions = []
    while state.turn is not None:
        actions.append(agent.act(rules.view(state, state.turn), rng))
        rules.apply(state, actions[-1])
    return actions


@pytest.mark.parametrize("rules", [*GAMES, WITH_TWO], ids=called)
def test_rounds_are_played_and_the_same_for_the_same_seed(rules, tmp_path):
    agent = Ismcts(simulations=30, beliefs=saved(tmp_path, tiny()))
    assert round_played(rules, agent, 3) == round_played(rules, agent, 3)
    check_agent(lambda: agent, game=rules, deals=1, other_process=False)


def knows(rules, state) -> Network:
    """A network that happens to be right about this one position."""
    game = kernel_game(rules, state.trump)
    logits = np.zeros((3, 64), dtype=np.float32)
    for place in range(1, rules.players):
        for card in cards_of(state.hands[rules.seat_after(state.turn, place)]):
            logits[place - 1, game.bits[card]] = 60.0
    return saying(logits)


def test_who_believes_the_truth_plays_as_if_the_cards_were_open(tmp_path):
    rules = Klaverjas(bidding="classical")
    for number, state in enumerate(endings(rules, tricks=3, count=5)):
        beliefs = saved(tmp_path, knows(rules, state), f"{number}.npz")
        view = rules.view(state, state.turn)
        solved = Pimc(endings=Endings(worlds=3), beliefs=beliefs).explain(view, Rng(1))
        exact = worth_of_cards(rules, state)
        assert {card: found.value for card, found in solved.items()} == pytest.approx(exact)
        best = {card for card in exact if exact[card] == max(exact.values())}
        for agent in (
            Ismcts(simulations=5000, beliefs=beliefs, final="value"),
            Dmcts(worlds=2, iterations=2500, beliefs=beliefs),
        ):
            assert agent.act(view, Rng(1)) in best

        flat = {"playouts": 5000, "rollout": "random", "roem_punishment": False}
        guessing = FlatMC(beliefs=beliefs, **flat).estimates(view, Rng(1))
        open_view = rules.view(state, state.turn, all_hands=True)
        seeing = FlatMC(sees="all", **flat).estimates(open_view, Rng(2))
        for one, other in zip(guessing, seeing, strict=True):
            assert one.mean == pytest.approx(other.mean, abs=4.5 * (one.se + other.se) + 1e-9)


# --- names, files, fingerprints ----------------------------------------------------------


def bad_file(path: Path, what: str) -> None:
    """Something that is no model of beliefs."""
    layers = np.array([INPUTS, OUTPUTS])
    size = (INPUTS + 1) * OUTPUTS
    if what == "text":
        path.write_text("no model")
    elif what == "folder":
        path.mkdir()
    elif what == "cut off":
        save_network(path, tiny(), "")
        path.write_bytes(path.read_bytes()[:2000])
    elif what == "damaged":
        save_network(path, tiny(), "")
        content = bytearray(path.read_bytes())
        content[3000] ^= 255
        path.write_bytes(content)
    elif what == "one array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    elif what == "no weights":
        with path.open("wb") as file:
            np.savez(file, sizes=layers)
    elif what == "objects":
        with path.open("wb") as file:
            np.savez(file, sizes=layers, weights=np.array([{}], dtype=object))
    elif what == "sizes":
        save_network(path, Network(layers + 0.5, np.zeros(size, dtype=np.float32)), "")
    elif what == "layers":
        save_network(path, Network(np.array([INPUTS, 0, OUTPUTS]), np.zeros(OUTPUTS)), "")
    elif what == "shape":
        save_network(path, Network(layers, np.zeros(size - 1, dtype=np.float32)), "")
    elif what == "infinite":
        save_network(path, Network(layers, np.full(size, np.inf, dtype=np.float32)), "")
    elif what == "too large":
        text = np.array("")
        with path.open("wb") as file:
            np.savez(file, sizes=layers, weights=np.full(size, 1e300), recipe=text, encoding=text)
    elif what == "judge":
        judge = Network(np.array([JUDGE_INPUTS, 1]), np.zeros(JUDGE_INPUTS + 1, dtype=np.float32))
        save_network(path, judge, "")
        assert load_network(ModelFile.find(str(path))).sha256 == judge.sha256


@pytest.mark.parametrize(
    "what",
    ["missing", "text", "folder", "cut off", "damaged", "one array", "no weights", "objects",
     "sizes", "layers", "shape", "infinite", "too large", "judge"],
)  # fmt: skip
def test_bad_files_are_named(tmp_path, what):
    path = tmp_path / "bad.npz"
    bad_file(path, what)
    rules = Klaverjas()
    state = next(endings(rules, tricks=4, count=1))
    for family in (Ismcts, FlatMC):
        with pytest.raises(ArenaError, match=r"bad\.npz: .+") as message:
            assert family(beliefs=in_file(path)).model_hash
        assert "\n" not in str(message.value)
        with pytest.raises(ArenaError, match=r"bad\.npz: .+"):
            family(beliefs=in_file(path)).act(rules.view(state, state.turn), Rng(1))


def test_beliefs_do_not_judge(tmp_path):
    path = tmp_path / "beliefs.npz"
    save_network(path, tiny(), "")
    assert in_file(path).network.sha256 == tiny().sha256
    with pytest.raises(
        ArenaError, match=rf"beliefs\.npz: .*judges has {JUDGE_INPUTS} or .*, \.\.\., 1"
    ):
        assert Ismcts(evaluator=NetworkJudge(ModelFile.find(str(path)))).model_hash


def test_a_fingerprint_knows_the_model_of_beliefs_and_the_judge(tmp_path):
    beliefs = [saved(tmp_path, tiny(seed), f"{seed}.npz") for seed in (1, 2)]
    judges = []
    for value in (1.0, 2.0):
        weights = np.full(JUDGE_INPUTS + 1, value, dtype=np.float32)
        path = tmp_path / f"judge-{value}.npz"
        save_network(path, Network(np.array([JUDGE_INPUTS, 1]), weights), "")
        judges.append(NetworkJudge(ModelFile.find(str(path))))

    def of(agent) -> str:
        # The same parameters and the same play, so that only the models differ.
        entrant = Entrant("name", (AgentSpec("family", {}, None),))
        return fingerprint(entrant, [""], [models_of(Player(agent))])

    agents = [
        Ismcts(beliefs=belief, evaluator=judge)
        for belief in (Certain(), *beliefs)
        for judge in (Playouts(), *judges)
    ]
    assert len({of(agent) for agent in agents}) == len(agents)
    assert Ismcts(beliefs=beliefs[0]).model_hash == tiny(1).sha256
    assert len({of(FlatMC(beliefs=belief)) for belief in (Certain(), *beliefs)}) == 3
    assert Ismcts().model_hash is None and FlatMC().model_hash is None
