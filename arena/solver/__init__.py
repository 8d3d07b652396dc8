"""The exact value of a position with all cards open: for every legal card, under the full score.

`form` says how the score of a game follows from its tricks, `alpha_beta` searches, `solution`
is what Python code calls.
"""
