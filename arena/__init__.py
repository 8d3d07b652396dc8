"""arena: tournaments and evaluation for trick-taking card-game AI.

`dir(arena)` lists the public names. Each is imported when it is first used, so that
`import arena` costs nothing.
"""

# No import statements for the public names: this file is part of the cache key of all
# compiled code, together with every module that it imports. Types are in `__init__.pyi`.
import importlib as _importlib

__version__ = "0.2.0"

_HOMES = {
    "Action": "arena.core.rules",
    "Agent": "arena.core.agent",
    "AgentComparison": "arena.api.comparing",
    "ArenaError": "arena.core.errors",
    "Bidder": "arena.core.agent",
    "CardSet": "arena.core.cards",
    "Deal": "arena.core.deals",
    "DealSet": "arena.core.deals",
    "Experiment": "arena.api.experiments",
    "ExploitResult": "arena.api.exploiting",
    "PlayedRound": "arena.api.rounds",
    "Rng": "arena.core.seeds",
    "RunResults": "arena.api.results",
    "Setup": "arena.core.agent",
    "View": "arena.core.rules",
    "agent": "arena.api.rounds",
    "compare": "arena.api.comparing",
    "exploit": "arena.api.exploiting",
    "load_run": "arena.api.results",
    "merge": "arena.api.experiments",
    "parameter": "arena.core.agent",
    "play": "arena.api.rounds",
    "run": "arena.api.experiments",
    "solve": "arena.api.solving",
    "solve_trumps": "arena.api.solving",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    found = getattr(_importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return ["__version__", *_HOMES]
