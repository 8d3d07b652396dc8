"""Base classes of searching players, above the compiled searches of `agents.search`."""
