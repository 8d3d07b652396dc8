"""arena: tournaments and evaluation for trick-taking card-game AI."""

__version__ = "0.1.0"
