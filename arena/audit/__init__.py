"""Where points were lost: every decision of a run valued by the solver.

`knowable` values one decision, `rounds` a whole round, `campaign` a run; `tables` and `mistakes`
say what came of it, `suites` keeps positions as tests.
"""
