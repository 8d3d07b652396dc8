"""The games: each folder reads like its rule book."""
