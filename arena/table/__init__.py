"""Tables at which people play with agents: in the terminal and in the browser.

`session` is a round at a table, without input and output; `sitting` is an evening of rounds with
its score sheet. Each seat is given its `View` and nothing else, people and agents alike.
"""
