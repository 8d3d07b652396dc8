"""The commands of `arena`, one module each."""
