"""A server that speaks OpenAI's chat completions: as they should be, and in every wrong way.

It runs as a process of its own (`python llm_server.py`) and prints its port. The name of the
model says how it behaves; `GET /stats` tells what was asked.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TROUBLES = (
    "500", "429", "429-date", "503", "garbage", "html", "empty", "no-choices", "reset", "half",
)  # fmt: skip

_lock = threading.Lock()
_asked: Counter[str] = Counter()
_same: Counter[str] = Counter()
_in_flight = 0
_most_in_flight = 0


def legal_in(prompt: str) -> list[str]:
    """The legal moves that a prompt lists."""
    found = re.search(r"Legal moves: (.*)\.\n", prompt)
    return [re.sub(r" \(.*", "", word) for word in found[1].split(", ")] if found else []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        with _lock:
            stats = {"asked": dict(_asked), "most_in_flight": _most_in_flight}
        self._send(200, json.dumps(stats).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        with _lock:
            _asked[body["model"]] += 1
            _same[digest] += 1
            seen = _same[digest]
        self._answer(body, digest, seen)

    def _answer(self, body: dict[str, Any], digest: str, seen: int) -> None:
        model, messages = body["model"], body["messages"]
        key = self.headers.get("Authorization", "")
        legal = legal_in(messages[0]["content"])
        move = legal[int(digest[:8], 16) % len(legal)] if legal else "H7"
        text, finish = f'I think it is time. {{"move": "{move}"}}', "stop"
        first = len(messages) == 1
        kind, _, when = model.partition(":")
        wrong = when == "always" or (when == "first" and first)
        if kind == "troubled" and seen <= len(TROUBLES):
            return self._trouble(TROUBLES[seen - 1], text, body)
        if kind == "down":
            return self._send(503, b"later", headers={"Retry-After": when or "0"})
        if kind == "refuses":
            said = {"error": {"message": f"bad key {key.removeprefix('Bearer ')}"}}
            return self._send(401, json.dumps(said).encode())
        if kind == "echoes":
            text = f"{key} {text}"
        if kind == "halves":
            text = "\ud800 half a character" if first else text
        if kind == "random":
            text = f'{{"move": "{random.choice(legal)}"}}'
        if kind == "last":
            text = f'{{"move": "ZZ"}} no: {{"move": {{"x": 1}}}} so {text} {{"note": "done"}}'
        if kind == "illegal" and wrong:
            text = '{"move": "C2"}' if "C2" not in legal else '{"move": "SA"}'
        if kind == "prose" and wrong:
            text = f"I play {move}."
        if kind == "cut" and wrong:
            finish = "length"
        if kind == "slow":
            self._think(float(when))
        self._complete(body, text, finish, drip=float(when) if kind == "drips" else 0.0)
        return None

    def _think(self, seconds: float) -> None:
        """Take time; a request is in flight until its reply is on the way, and no longer."""
        global _in_flight, _most_in_flight
        with _lock:
            _in_flight += 1
            _most_in_flight = max(_most_in_flight, _in_flight)
        time.sleep(seconds)
        with _lock:
            _in_flight -= 1

    def _complete(self, body: dict[str, Any], text: str, finish: str, drip: float = 0.0) -> None:
        size = sum(len(message["content"]) for message in body["messages"])
        usage = {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4}
        about = {"id": "1", "model": f"{body['model']}-2026", "system_fingerprint": "fp_1"}
        if not body.get("stream"):
            choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
            return self._send(
                200, json.dumps({**about, "choices": [choice], "usage": usage}).encode(), drip=drip
            )
        events = [{**about, "choices": [{"delta": {"role": "assistant"}, "finish_reason": None}]}]
        events += [
            {**about, "choices": [{"delta": {"content": text[i : i + 7]}, "finish_reason": None}]}
            for i in range(0, len(text), 7)
        ]
        events += [{**about, "choices": [{"delta": {}, "finish_reason": finish}]}]
        events += [{**about, "choices": [], "usage": usage}]
        lines = [f"data: {json.dumps(event)}\n\n" for event in events] + ["data: [DONE]\n\n"]
        self._send(200, "".join(lines).encode(), "text/event-stream", drip=drip)
        return None

    def _trouble(self, kind: str, text: str, body: dict[str, Any]) -> None:
        if kind == "429":
            self._send(429, b'{"error": {"message": "slow down"}}', headers={"Retry-After": "0"})
        elif kind == "429-date":
            self._send(429, b"slow down", headers={"Retry-After": formatdate(usegmt=True)})
        elif kind.isdecimal():
            self._send(int(kind), b"oops", headers={"Retry-After": "0.01"})
        elif kind == "garbage":
            self._send(200, bytes(range(256)))
        elif kind == "html":
            self._send(200, b"<html>sign in</html>", "text/html")
        elif kind == "empty":
            self._send(200, b"", "")
        elif kind == "no-choices":
            self._send(200, b'{"choices": []}')
        elif kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.close_connection = True
            self.connection.close()
        elif kind == "half":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"message"')
            self.close_connection = True

    def _send(
        self,
        status: int,
        body: bytes,
        kind: str = "application/json",
        headers: dict[str, str] | None = None,
        drip: float = 0.0,
    ) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not drip:
            self.wfile.write(body)
            return
        for byte in body:
            try:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
            except OSError:
                return
            time.sleep(drip)


@contextmanager
def serving() -> Iterator[str]:
    """A server in a process of its own: its address."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def stats(url: str) -> dict[str, Any]:
    """What was asked so far."""
    with urllib.request.urlopen(f"{url}/stats") as response:
        found: dict[str, Any] = json.load(response)
        return found


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
