"""Policies in files: plain arrays with the recipe they were made by; nothing is unpickled.

A model is a `.npz` file for one game. It has `types` (names of the ways to play that it knows),
for each mode of the game `weights_<mode>` (float32, a row of tables for each type), where players
bid `dealt_<mode>` (the same, for `dealt`), perhaps `expected` (how likely each type is, of others
and of partners), and `recipe` (text). A mode is what changes the order of the cards: a trump suit,
no trump, or another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.policies.bid_evidence import dealt_size, has_bids
from agents.policies.by_rule import ENCODING as RULE
from agents.policies.by_rule import read_rule_policy
from agents.policies.card_inputs import ENCODING as CARDS
from agents.policies.features import deck_of, table_size
from agents.policies.kinds import Policy, Shares, Style
from agents.policies.network import read_card_network
from agents.policies.tables import Factors
from arena.config.model_file import ModelFile
from arena.core.cards import SUITS
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.core.rules import Rules
from arena.games.kernel.spec import KernelGame
from arena.games.observation import Observation

_WEIGHTS, _DEALT, _EXPECTED = "weights_", "dealt_", "expected"
SHIPPED = ("klaverjas", "schieber", "hearts")
"""The games with a bundled model, `<game>.npz` in this folder."""
VERSION = 2
"""Of the features: tables made for others are refused."""


def mode_of(trump: int | None) -> str:
    """What a trump means for the order of the cards.

    >>> mode_of(2), mode_of(None)
    ('suit', 'none')
    """
    if trump is None or trump < 0:
        return "none"
    return "suit" if trump < len(SUITS) else f"trump{trump}"


@dataclass(frozen=True, eq=False)
class PolicyModel(Policy):
    """Policies for a game: a way to play for each type, by tables."""

    game: str
    types: tuple[str, ...]
    weights: dict[str, NDArray[np.float32]]
    """By mode, a row for each type."""
    recipe: str = ""
    dealt: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """Evidence of bids about hands: by mode, a row for each type. Empty in games without bids."""
    expected: NDArray[np.float64] | None = None
    """How likely each type is, of others and, in a second row, of partners; else the first is."""

    @property
    def shares(self) -> tuple[Shares, Shares]:
        """How likely each type is, of others and of partners, where nothing else is said."""
        if self.expected is None:
            return super().shares
        others, partners = (
            {name: share for name, share in zip(self.types, row, strict=True) if share > 0.0}
            for row in self.expected.tolist()
        )
        return others, partners

    @cached_property
    def sha256(self) -> str:
        """The hash of the model, for the fingerprint."""
        digest = hashlib.sha256("/".join((self.game, *self.types)).encode())
        for mode in sorted(self.weights):
            digest.update(mode.encode() + self.weights[mode].tobytes())
        for mode in sorted(self.dealt):
            digest.update(b"dealt" + mode.encode() + self.dealt[mode].tobytes())
        if self.expected is not None:
            digest.update(b"expected" + self.expected.tobytes())
        return digest.hexdigest()

    @property
    def games(self) -> tuple[str, ...]:
        """Its game."""
        return (self.game,)

    def factors(self, game: KernelGame, sharpness: float = 1.0) -> Factors:
        """The tables of all types, a row each, raised to a power."""
        return _factors(self, game, sharpness)

    def dealt_factors(self, game: KernelGame) -> NDArray[np.float32] | None:
        """What bids tell, a row for each type; None if the model does not know."""
        return _dealt_factors(self, game)

    def style(self, observed: Observation, sharpness: float = 1.0) -> Style | None:
        """By its tables."""
        return None


@lru_cache(maxsize=256)
def _factors(model: PolicyModel, game: KernelGame, sharpness: float) -> Factors:
    model.check(game.rules)
    mode = mode_of(game.trump)
    if mode not in model.weights:
        raise ArenaError(f"the policy knows no {mode}; it knows {', '.join(sorted(model.weights))}")
    weights = model.weights[mode]
    if weights.shape != (len(model.types), table_size(deck_of(game))):
        raise ArenaError(f"the policy for {mode} has tables of another size")
    factors: Factors = np.exp(np.float32(sharpness) * weights)
    factors.flags.writeable = False
    return factors


@lru_cache(maxsize=256)
def _dealt_factors(model: PolicyModel, game: KernelGame) -> NDArray[np.float32] | None:
    weights = model.dealt.get(mode_of(game.trump))
    if weights is None or not has_bids(game.rules):
        return None
    if weights.shape != (len(model.types), dealt_size(game)):
        raise ArenaError("what the policy knows of bids has tables of another size")
    factors: NDArray[np.float32] = np.exp(weights)
    return factors


def save_policy(path: Path, model: PolicyModel) -> None:
    """Write a model, all or nothing."""
    arrays: dict[str, NDArray[np.floating]] = {
        start + mode: weights.astype(np.float32)
        for start, tables in ((_WEIGHTS, model.weights), (_DEALT, model.dealt))
        for mode, weights in tables.items()
    }
    if model.expected is not None:
        arrays[_EXPECTED] = model.expected
    content = BytesIO()
    np.savez_compressed(
        content,
        game=np.array(model.game),
        version=np.array(VERSION),
        types=np.array(model.types),
        recipe=np.array(model.recipe),
        **arrays,  # type: ignore[arg-type]  # none of them is called allow_pickle
    )
    write_atomically(path, content.getvalue())


@lru_cache(maxsize=16)
def read_policy(model_file: ModelFile) -> Policy:
    """Read a model of any kind; `ArenaError` says what is wrong with it."""
    kind = str(model_file.arrays().get("encoding", "")).partition(" ")[0]
    reader = _READERS.get(kind, _read_tables)
    return reader(model_file)


def _read_tables(model_file: ModelFile) -> PolicyModel:
    path = model_file.path
    file = model_file.arrays()
    try:
        if int(file["version"]) != VERSION:
            raise ArenaError(f"{path}: tables of version {int(file['version'])}, not {VERSION}")
        weights, dealt = (
            {
                name.removeprefix(start): np.ascontiguousarray(values, np.float32)
                for name, values in file.items()
                if name.startswith(start)
            }
            for start in (_WEIGHTS, _DEALT)
        )
        model = PolicyModel(
            str(file["game"]),
            tuple(str(name) for name in file["types"]),
            weights,
            str(file["recipe"]),
            dealt,
            file.get(_EXPECTED),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ArenaError(f"{path}: not a policy: {error or type(error).__name__}") from error
    tables = [*model.weights.values(), *model.dealt.values()]
    if not model.weights or not all(np.isfinite(rows).all() for rows in tables):
        raise ArenaError(f"{path}: not a policy: no weights, or some that are not finite")
    shares = model.expected
    if shares is not None and (
        shares.shape != (2, len(model.types))
        or not (shares >= 0.0).all()
        or not shares.any(1).all()
    ):
        raise ArenaError(f"{path}: not a policy: no shares of its types in `expected`")
    return model


_READERS: dict[str, Callable[[ModelFile], Policy]] = {
    CARDS: read_card_network,
    RULE: read_rule_policy,
}
"""By what models say of themselves; tables say nothing."""


def policies_for(rules: Rules, model_file: ModelFile | None) -> Policy:
    """The policies in a file, or the bundled ones of the game if no file is named."""
    model = read_policy(model_file or shipped(rules.name))
    model.check(rules)
    return model


def hash_of(model_file: ModelFile | None) -> str:
    """The hash of the policies in a file, or of all bundled ones if no file is named."""
    files = [model_file] if model_file else [shipped(game) for game in SHIPPED]
    return "+".join(read_policy(file).sha256 for file in files)


@cache
def shipped(game: str) -> ModelFile:
    """The file with the bundled policies of a game."""
    return ModelFile.find(str(Path(__file__).with_name(f"{game}.npz")))
