"""A server that plays the lowest legal card: nothing but Python's standard library.

python3 server.py 8765
arena check-bot http://127.0.0.1:8765
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RANKS = "23456789TJQKA"


def answer_to(message):
    """What is answered to a message; None for nothing. Nothing need be remembered."""
    if message["type"] == "hello":
        return {"type": "ready", "protocol": 1}
    if message["type"] == "act":
        legal = message["view"]["legal"]
        action = min(legal, key=lambda name: RANKS.find(name[-1]))
        numbers = {"deal": message["deal"], "decision": message["decision"]}
        return {"type": "action", **numbers, "action": action}
    return None


class Bot(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection
    disable_nagle_algorithm = True  # else every answer may wait 40 ms

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = answer_to(message)
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(201 if message["type"] == "hello" else 200 if body else 204)
        if message["type"] == "hello":
            self.send_header("Location", "/sessions/any")
        if body:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_DELETE(self):
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        self.do_DELETE()  # there is such a session

    def log_message(self, *words):
        """Say nothing about every request."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Bot).serve_forever()
