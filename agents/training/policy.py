"""`arena train policy`: the key `kind` of the recipe says which kind of policy it makes."""

from __future__ import annotations

from typing import ClassVar

from agents.training.networks.card_network import CardNetworkRecipe
from agents.training.tables.recipe import TablesRecipe
from agents.training.trainer import TrainingRecipe


class PolicyRecipes:
    """The recipes of policies; tables unless a file says otherwise."""

    kinds: ClassVar[dict[str, type[TrainingRecipe]]] = {
        "tables": TablesRecipe,
        "network": CardNetworkRecipe,
    }
