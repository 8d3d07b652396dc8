"""Policies: the probability of each legal card, given what a seat knows.

A policy is compiled and called from compiled code: by samplers that ask what a play says about
a hand, by trees and playouts in which others play as people do, and by an agent of its own.
It looks at the hand of the seat in turn and at what all have seen, never at the other
hands.

| module | what |
|---|---|
| `features` | what a policy sees of a card: an entry in each of a few small tables |
| `tables` | log-linear policies: the product of what these entries say |
| `card_inputs`, `card_values` | what a network is shown of a round, and its values of cards |
| `kinds` | what all policies have in common; how compiled code asks those without tables |
| `network`, `by_rule` | networks and rule players as policies |
| `model` | policies in files |
| `advice` | what a policy says to a view |
| `pool`, `inference` | worlds weighted by what was played, by a policy |
"""
