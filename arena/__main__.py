"""`python -m arena` is the command line."""

from arena.cli import script

if __name__ == "__main__":
    script()
