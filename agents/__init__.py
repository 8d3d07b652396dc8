"""The agents that come with arena: its first plug-in, registered like any other."""
