"""One question to a server that speaks OpenAI's chat completions, whatever the network does.

What goes wrong on the way (no connection, a rate limit, a server error, a body that is no
completion, a stream that breaks off) is not the model's: the question is asked again, after the
time that `Retry-After` names or after a growing pause. A server that stays away for longer than
`patience_s`, or that refuses the question, ends the run: no agent is at fault.

The key is read from the environment when it is needed. It is sent in one header and nowhere else;
a server that repeats it gets it struck out of everything that is kept or shown.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from arena.core.errors import ArenaError
from arena.core.printable import printable
from arena.process.faults import Unavailable
from arena.process.hiding import hidden_variables

if TYPE_CHECKING:
    import httpx2

LONGEST_BODY = 50_000_000
"""Bytes; a stream has some 250 for each token."""
_LONGEST_PAUSE_S = 60.0
_SHORTEST_KEY = 8
"""Anything shorter could not be struck out of a reply without harm."""
_CONNECT_S = 30.0
_TRY_AGAIN = (408, 409, 425, 429)
_SAID = 300


class Reply(NamedTuple):
    """The reply of a model."""

    text: str
    reasoning: str
    """The reasoning of the model, where the server returns it."""
    finish: str
    """Why it ended: `stop`, `length` or another word of the server's."""
    prompt_tokens: int | None
    completion_tokens: int | None
    served: str
    """The model that answered, and its fingerprint, as the server names them."""
    seconds: float


class TookTooLong(Exception):
    """The model did not answer within the time of a decision."""


class _Trouble(Exception):
    """An error in transport; the question can be asked again."""

    def __init__(self, words: str, after_s: float | None = None) -> None:
        super().__init__(words)
        self.after_s = after_s


@dataclass
class Server:
    """A server, and how patient its clients are."""

    base_url: str
    key_variable: str | None = None
    """The environment variable with the key."""
    timeout_s: float = 600.0
    patience_s: float = 600.0
    closed: bool = False
    """Whether it is asked no more: a run that ends does not wait for its threads."""
    _client: httpx2.Client | None = field(default=None, repr=False)
    _asking: int = field(default=0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        check_url(self.base_url)
        if self.key_variable is not None:
            if not re.fullmatch("[A-Z][A-Z0-9_]*_API_KEY", self.key_variable):
                # It may be the key itself, so it is not shown. Other names hold other secrets.
                raise ArenaError(
                    "api_key_env: expected the name of an environment variable that ends in "
                    "_API_KEY, such as OPENAI_API_KEY; the key itself is never written into an "
                    "experiment, and no other variable is sent to a server"
                )
            hidden_variables.add(self.key_variable)

    @property
    def key(self) -> str | None:
        """The key; `ArenaError` if there should be one."""
        if self.key_variable is None:
            return None
        found = os.environ.get(self.key_variable, "").strip()
        if not found:
            raise ArenaError(
                f"api_key_env: the environment variable {self.key_variable} is not set: it must "
                f"hold the key for {self.base_url}"
            )
        if len(found) < _SHORTEST_KEY or not (found.isascii() and found.isprintable()):
            raise ArenaError(
                f"api_key_env: {self.key_variable} holds no key: expected at least "
                f"{_SHORTEST_KEY} printable ASCII characters"
            )
        return found

    def check(self) -> None:
        """Raise `ArenaError` if no question can be asked: before a run, rather than in it."""
        _httpx2()
        _ = self.key

    def ask(self, body: dict[str, Any], limit_s: float | None = None) -> Reply:
        """The reply to a question; `TookTooLong` after `limit_s`, without pauses and retries."""
        with self._lock:
            self._asking += 1
        try:
            return self._ask_until_answered(body, limit_s)
        finally:
            with self._lock:
                self._asking -= 1
            if self.closed:  # meanwhile, by another thread
                self.close()

    def _ask_until_answered(self, body: dict[str, Any], limit_s: float | None) -> Reply:
        troubled_since, tries = 0.0, 0
        while True:
            try:
                return self._ask_once(body, limit_s)
            except _Trouble as trouble:
                now = time.monotonic()
                troubled_since = troubled_since or now
                # Clients that were turned away together do not come back together.
                spread = 0.75 + 0.25 * (hash((os.getpid(), now)) % 1000) / 1000
                pause = min(_LONGEST_PAUSE_S, 2.0 ** min(tries, 10)) * spread
                pause = pause if trouble.after_s is None else trouble.after_s
                tries += 1
                if now + pause - troubled_since > self.patience_s:
                    raise Unavailable(
                        f"{self.base_url}: {trouble}; asked {tries} times, and patience_s "
                        f"({self.patience_s:g}) leaves no time to ask again. No agent is at "
                        "fault; replies and finished deals are kept, the same command goes on"
                    ) from None
                time.sleep(pause)

    def close(self) -> None:
        """Close the connections, for good; a question in flight is answered first."""
        with self._lock:
            self.closed = True
            if self._client is not None and not self._asking:
                self._client.close()
                self._client = None

    # --- one try -------------------------------------------------------------------------

    def _ask_once(self, body: dict[str, Any], limit_s: float | None) -> Reply:
        httpx2 = _httpx2()
        if self.closed:
            raise Unavailable(f"{self.base_url}: the run is over")
        if self._client is None:
            self._client = httpx2.Client()
        key = self.key
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        most = self.timeout_s if limit_s is None else min(self.timeout_s, limit_s)
        timeout = httpx2.Timeout(most, connect=min(most, _CONNECT_S))
        started = time.monotonic()
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        try:
            with self._client.stream(
                "POST", url, json=body, headers=headers, timeout=timeout
            ) as response:
                if response.status_code != 200:
                    raise self._refused(response, started + most)
                kind = response.headers.get("content-type", "")
                parts = _limited(response.iter_bytes(), started + most)
                if kind.partition(";")[0].strip() == "text/event-stream":
                    found = _from_events(_lines(parts))
                else:
                    found = _from_json(b"".join(parts), kind)
        except (httpx2.TimeoutException, _OutOfTime):
            if limit_s is not None and time.monotonic() - started >= limit_s:
                raise TookTooLong from None
            raise _Trouble(f"no whole answer within {most:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _Trouble(self._shown(f"{type(error).__name__}: {error}")) from None
        seconds = time.monotonic() - started
        return Reply._make((*(_struck(value, key) for value in found), seconds))

    def _refused(self, response: httpx2.Response, until: float) -> Exception:
        """The error for a status other than success."""
        status = response.status_code
        raw = b""
        with suppress(_OutOfTime, _Trouble):
            for part in _limited(response.iter_bytes(), until):
                raw += part
        said = _error_text(raw)
        words = self._shown(f"HTTP {status} {response.reason_phrase}".rstrip())
        words += f": {self._shown(said)}" if said else ""
        if status in _TRY_AGAIN or status >= 500:
            return _Trouble(words, _retry_after(response.headers.get("retry-after")))
        why = ""
        if status in (401, 403):
            why = f" (the key comes from {self.key_variable or 'nowhere: see api_key_env'})"
        return Unavailable(
            f"{self.base_url}: {words}{why}. The server refuses the question; no agent is at "
            "fault, and what was finished is kept"
        )

    def _shown(self, text: str) -> str:
        """Text of a server's as it can be shown: without the key, in one line, not long."""
        text = " ".join(printable(str(_struck(text, self.key))).split())
        return text if len(text) <= _SAID else f"{text[: _SAID - 4]} ..."


def check_url(url: str) -> None:
    """Raise `ArenaError` unless this is where a server can be."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname)
        secrets = parts.username or parts.password or parts.query or parts.fragment
        _ = parts.port
    except ValueError:
        fine, secrets, parts = False, None, urlsplit("")
    if secrets:  # not shown: it may be a key
        raise ArenaError(
            "base_url: expected an address without a user, a password or a query; a key comes "
            "from the environment variable that api_key_env names"
        )
    if not fine:
        raise ArenaError(
            f"base_url: {printable(url)!r} is no address of a server, such as "
            "http://localhost:8000/v1"
        )
    if parts.path.rstrip("/").endswith("/chat/completions"):
        raise ArenaError("base_url: leave out /chat/completions, which is added")


# --- reading -----------------------------------------------------------------------------


class _OutOfTime(Exception):
    """A body that does not end in time."""


def _limited(parts: Iterator[bytes], until: float) -> Iterator[bytes]:
    """The parts of a body while there is time, and while it has a sensible size."""
    total = 0
    for part in parts:
        total += len(part)
        if total > LONGEST_BODY:
            raise _Trouble(f"an answer of more than {LONGEST_BODY:,} bytes")
        if time.monotonic() > until:
            raise _OutOfTime
        yield part


def _lines(parts: Iterator[bytes]) -> Iterator[str]:
    """The lines of a body; what comes after the last end of a line is none."""
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace").rstrip("\r")


_Found = tuple[str, str, str, int | None, int | None, str]


def _from_json(raw: bytes, kind: str) -> _Found:
    try:
        data = json.loads(raw)
        (choice, *_) = data["choices"]
        message = choice["message"]
        usage = data.get("usage") or {}
        return (
            _text(message.get("content")),
            _text(message.get("reasoning_content") or message.get("reasoning")),
            str(choice.get("finish_reason") or ""),
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
            _served(data),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        what = printable(kind.partition(";")[0].strip())[:40] or "a body without a type"
        raise _Trouble(f"the answer is no chat completion ({what}, {len(raw):,} bytes)") from None


def _from_events(lines: Iterator[str]) -> _Found:
    """The reply that the events of a stream add up to."""
    text, reasoning, finish, served = "", "", "", ""
    usage: dict[str, Any] = {}
    ended = False
    try:
        for line in lines:
            name, _, value = line.partition(":")
            if name != "data":
                continue
            if value.strip() == "[DONE]":
                ended = True
                break
            event = json.loads(value)
            if event.get("error"):
                raise _Trouble(f"an error in the stream: {_error_text(value.encode())[:_SAID]}")
            served = _served(event) or served
            usage = event.get("usage") or usage
            for choice in event.get("choices") or ():
                delta = choice.get("delta") or {}
                text += _text(delta.get("content"))
                reasoning += _text(delta.get("reasoning_content") or delta.get("reasoning"))
                finish = str(choice.get("finish_reason") or finish)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _Trouble("an event of the stream is no part of a chat completion") from None
    if not finish and not ended:
        raise _Trouble("the stream broke off")
    tokens = (_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))
    return text, reasoning, finish, *tokens, served


def _text(content: Any) -> str:
    if isinstance(content, list):  # parts, of which the texts count
        content = "".join(str(part.get("text") or "") for part in content)
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 2**53 else None


def _served(data: dict[str, Any]) -> str:
    words = (data.get("model"), data.get("system_fingerprint"))
    return " ".join(str(word) for word in words if word)


def _error_text(raw: bytes) -> str:
    """The server's description of an error: its message, or the beginning of the body."""
    text = raw.decode(errors="replace")
    with suppress(ValueError, AttributeError, RecursionError):
        error = json.loads(text).get("error")
        message = error.get("message") if isinstance(error, dict) else error
        return str(message or text)
    return text


def _retry_after(value: str | None) -> float | None:
    """The pause that a header asks for, in seconds: a number, or a date."""
    if value is None:
        return None
    with suppress(ValueError):
        seconds = float(value)
        return seconds if 0 <= seconds < 1e9 else None
    with suppress(ValueError, TypeError):
        at = parsedate_to_datetime(value)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    return None


def _struck(value: Any, key: str | None) -> Any:
    """Text without the key, and without halves of characters, which no request can repeat."""
    if not isinstance(value, str):
        return value
    text = value.replace(key, "[key]") if key else value
    return text.encode(errors="replace").decode()


def _httpx2() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise ArenaError(
            "language models need an HTTP client: pip install 'arena-tricks[llm]'"
        ) from error
    return httpx2
