"""A bot that behaves, or misbehaves in the way that its first argument names.

Only the standard library, and started with `python -I -S`, so that it starts fast.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time


def say(text, end="\n"):
    sys.stdout.write(text + end)
    sys.stdout.flush()


def misbehave(message, what):
    """What is said instead of the answer."""
    answer = {"type": "action", "deal": message["deal"], "decision": message["decision"]}
    answer["action"] = message["view"]["legal"][0]
    if what == "illegal":
        hand, legal = message["view"]["hand"], message["view"]["legal"]
        answer["action"] = next((card for card in ("C2", "C6", *hand) if card not in legal), "C2")
    elif what == "forgets-nothing":
        answer["action"] = message["view"]["legal"][message["deal"] % len(message["view"]["legal"])]
    elif what == "chance":
        answer["action"] = random.choice(message["view"]["legal"])
    elif what == "unknown-action":
        answer["action"] = "H77"
    elif what == "wrong-deal":
        answer["deal"] += 1
    elif what == "wrong-decision":
        answer["decision"] += 1
    elif what == "sleep":
        time.sleep(1000)
    elif what == "late":
        time.sleep(0.6)
    elif what == "lies-about-time":
        time.sleep(0.6)
        answer["seconds"] = 0.0
    elif what == "garbage":
        return "Hello, I am thinking!"
    elif what == "number":
        return "3"
    elif what == "half":
        say('{"type": "act', end="")
        time.sleep(1000)
    elif what == "half-and-end":
        say('{"type": "act', end="")
        sys.exit(0)
    elif what == "100MB":
        for _ in range(100):
            say("x" * 1_000_000, end="")
    elif what == "100MB-of-notes":
        for _ in range(100):
            sys.stderr.write("x" * 1_000_000)
    elif what == "talks-too-much":
        return json.dumps(answer) + "\n" + json.dumps(answer)
    elif what == "exit":
        sys.exit(3)
    elif what == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "closes-output":
        os.close(1)
        time.sleep(1000)
    elif what == "eats-memory":
        hoard = []
        while True:
            hoard.append(bytearray(os.urandom(1 << 20)))
    elif what == "forks":
        subprocess.Popen(["sleep", "1000"])
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        time.sleep(1000)
    elif what == "forks-and-plays":
        subprocess.Popen(["sleep", "1000"], start_new_session=True, stdout=2)
    return json.dumps(answer)


def main(what="", at_deal="1"):
    if what == "at-start":
        sys.exit("no licence found")
    if what == "never-reads":
        time.sleep(1000)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            ready = {"type": "ready", "protocol": 2 if what == "other-protocol" else 1}
            say(json.dumps({"type": "hi"} if what == "not-ready" else ready))
        elif message["type"] == "act":
            if what and message["deal"] >= int(at_deal):
                say(misbehave(message, what))
            else:
                legal = message["view"]["legal"]
                answer = {key: message[key] for key in ("deal", "decision")}
                say(json.dumps({"type": "action", **answer, "action": legal[0]}))
        elif message["type"] == "quit":
            if what == "at-quit":
                os.kill(os.getpid(), signal.SIGSEGV)
            if what == "ignores-quit":
                time.sleep(1000)
            sys.exit(0)
    if what == "ignores-quit":
        time.sleep(1000)


if __name__ == "__main__":
    main(*sys.argv[1:])
