"""What players that search have in common, above the compiled searches of `agents.search`."""
