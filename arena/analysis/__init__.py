"""From the stored rounds of a run to results of `arena.stats`.

`results` reads and pools runs; `comparison` compares two agents, `standings` all of them;
`points_breakdown`, `distributions`, `swings` and `sweeps` show where the points came from;
`references` compares with published values, `changes` compares two runs. The commands and the
report start here; neither computes a statistic of its own.
"""
