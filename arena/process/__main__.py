"""The process of an isolated agent: `python -m arena.process`.

The first line is how to make the agent, pickled by the process that started this one; the
protocol follows.
"""

from __future__ import annotations

import base64
import pickle

from arena.process.serve import serve, standard_streams

if __name__ == "__main__":
    with standard_streams() as (lines, answers):
        recipe = pickle.loads(base64.b64decode(lines.readline()))
        serve(lambda rules: recipe.build(), lines, answers)
