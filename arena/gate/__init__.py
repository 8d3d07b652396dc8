"""A strength gate: did a change make an agent weaker? Answered by a sequential test.

`config` says what a gate file may contain, `plays` plays prefixes of the deals until the test
decides, `tests` are the tests, `baseline` is what a stored baseline holds and when it is void,
`ledger` counts the attempts, `judge` puts it together and `verdict` says it: a line, a block for
a pull request, JSON, JUnit and Markdown.
"""
