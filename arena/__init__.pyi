"""The public names, for type checkers and editors; `__init__.py` imports them when used."""

from arena.api.comparing import AgentComparison as AgentComparison
from arena.api.comparing import compare as compare
from arena.api.experiments import Experiment as Experiment
from arena.api.experiments import merge as merge
from arena.api.experiments import run as run
from arena.api.exploiting import ExploitResult as ExploitResult
from arena.api.exploiting import exploit as exploit
from arena.api.results import RunResults as RunResults
from arena.api.results import load_run as load_run
from arena.api.rounds import PlayedRound as PlayedRound
from arena.api.rounds import agent as agent
from arena.api.rounds import play as play
from arena.api.solving import solve as solve
from arena.api.solving import solve_trumps as solve_trumps
from arena.core.agent import Agent as Agent
from arena.core.agent import Bidder as Bidder
from arena.core.agent import Setup as Setup
from arena.core.agent import parameter as parameter
from arena.core.cards import CardSet as CardSet
from arena.core.deals import Deal as Deal
from arena.core.deals import DealSet as DealSet
from arena.core.errors import ArenaError as ArenaError
from arena.core.rules import Action as Action
from arena.core.rules import View as View
from arena.core.seeds import Rng as Rng

__version__: str
