"""The value of a position with all cards open: for every legal card, under the full score.

`solution` is what Python code calls. `margins` turns questions about a margin into questions of
`alpha_beta`, which searches with the table of `memory`, the positions of `keys` and the `bounds`.
`general` serves games without a score form, by `by_rules` (two sides) and `max_n` (more).
"""
