#!/usr/bin/env python3
"""A bot with nothing but Python's standard library: it takes a trick as cheaply as it can.

It keeps nothing between two decisions: the view it is sent is complete. Where it has no
opinion it draws from the seed that comes with every decision, so that it always does the
same when it is asked the same.
"""

import json
import random
import sys

RANKS = "23456789TJQKA"


def choose(view, rng):
    """One of the legal actions."""
    cards = [action for action in view["legal"] if is_card(action)]
    if view["phase"] != "play" or not cards:
        return rng.choice(view["legal"])
    if not view["table"]:
        return rng.choice(cards)
    led = view["table"][0][0]
    best = max(strength(card, led, view["trump"]) for card in view["table"])
    winning = [card for card in cards if strength(card, led, view["trump"]) > best]
    pool = winning or cards
    return min(pool, key=lambda card: (card[0] == view["trump"], RANKS.index(card[1])))


def is_card(action):
    return len(action) == 2 and action[1] in RANKS


def strength(card, led, trump):
    """Higher takes the trick; a rough measure, the same for every game."""
    suit, rank = card
    return (suit == trump, suit == led, RANKS.index(rank))


def main():
    for line in sys.stdin:
        message = json.loads(line)
        answer = None
        if message["type"] == "hello":
            answer = {"type": "ready", "protocol": 1, "name": "careful"}
        elif message["type"] == "act":
            rng = random.Random(int(message["seed"]))
            answer = {
                "type": "action",
                "deal": message["deal"],
                "decision": message["decision"],
                "action": choose(message["view"], rng),
            }
        elif message["type"] == "quit":
            return
        if answer is not None:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
