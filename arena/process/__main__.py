"""The process of an isolated agent: `python -m arena.process`.

The first two lines are where the game is found and how to make the agent, pickled by the process
that started this one; the protocol follows.
"""

from __future__ import annotations

import base64
import pickle

from arena.core.registry import GAMES
from arena.process.hiding import look_no_more
from arena.process.serve import serve, standard_streams

if __name__ == "__main__":
    with standard_streams() as (lines, answers):
        look_no_more()
        for name, game in pickle.loads(base64.b64decode(lines.readline())).items():
            GAMES.add(name, game)
        builder = pickle.loads(base64.b64decode(lines.readline()))
        serve(lambda rules: builder.build(), lines, answers)
