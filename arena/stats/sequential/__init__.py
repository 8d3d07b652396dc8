"""Sequential statistics: tests that stop when they can decide, and estimates that allow for it.

`likelihood` has the ratios, `sprt` the test that walks between its bounds, `stopping` the estimate
after it; `brownian` and `walk` are the mathematics of a motion between bounds that both rest on,
in continuous time and from look to look. `confidence_sequence` is the interval that holds at
every look at once.
"""
