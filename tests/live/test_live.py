"""The page of a run: true numbers, for this machine only, and in the end the report."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.cli import main
from arena.core.errors import ArenaError
from arena.live import LivePage
from arena.store import Run
from arena.tournament.tally import Tally


def fetch(url: str, **headers: str) -> str:
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        text: str = answer.read().decode()
        return text


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_what_it_shows(tmp_path: Path) -> None:
    tally = Tally((("a", "b"), ("a", "c")), 40)
    margins = [3.0, -1.0, 4.0, 1.0, -5.0]
    for margin in margins:
        tally.add_margin(0, margin)
    with LivePage("a run", "deals", tmp_path) as page:
        assert json.loads(fetch(page.url + "state.json"))["done"] == 0
        page.update(tally)
        shown = json.loads(fetch(page.url + "state.json"))
        assert "a run: running" in fetch(page.url)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            fetch(page.url + "report")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            fetch(page.url + "../results.sqlite")
        (tmp_path / "report.html").write_text("the report")
        page._over = True  # as in the end, when whoever watches takes the report with them
        assert fetch(page.url + "report") == "the report"
    assert (shown["done"], shown["total"]) == (5, 40)
    first = shown["pairs"][0]
    assert first["mean"] == pytest.approx(np.mean(margins))
    assert first["reach"] == pytest.approx(1.96 * np.std(margins, ddof=1) / np.sqrt(5))
    assert [row["agent"] for row in shown["agents"]] == ["a", "b"]
    assert shown["labels"] == {"a": "a", "b": "b", "c": "c"}
    with pytest.raises(OSError, match=r"."):
        fetch(page.url)


def test_no_plain_mean_is_shown_where_results_decide_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.live.server._GOODBYE_S", 0.0)
    tally = Tally((("a", "b"),), 40, sequential=True, tests=["in the race: a, b"])
    for margin in (3.0, -1.0, 4.0):
        tally.add_margin(0, margin)
    with LivePage("a race", "deals", tmp_path) as page:
        page.update(tally)
        shown = json.loads(fetch(page.url + "state.json"))
    assert shown["sequential"] and shown["tests"] == ["in the race: a, b"] and shown["done"] == 3
    assert shown["agents"] == shown["pairs"] == [] == tally.standings()


def test_only_this_machine_reads_it(tmp_path: Path) -> None:
    with LivePage("x", "deals", tmp_path) as page:
        assert page.url.startswith("http://127.0.0.1:")
        port = page.url.rpartition(":")[2].rstrip("/")
        for headers in (
            {"Host": f"elsewhere.example:{port}"},
            {"Host": "127.0.0.1:1"},
            {"Origin": "http://elsewhere.example"},
            {"Origin": "null"},
        ):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                fetch(page.url, **headers)
        assert fetch(page.url, Host=f"localhost:{port}", Origin=f"http://localhost:{port}")


def test_connections_are_few_and_do_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.live.server._Handler.timeout", 0.3)
    with LivePage("a run", "deals", tmp_path) as page, ExitStack() as stack:
        address = ("127.0.0.1", page._server.server_port)
        silent = [stack.enter_context(socket.create_connection(address, 10)) for _ in range(40)]
        assert [connection.recv(1) for connection in silent] == [b""] * 40, "each is closed"
        assert "a run: running" in fetch(page.url)


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ArenaError, match=f"--serve {port}: "):
            LivePage("x", "deals", tmp_path, port)
    with pytest.raises(ArenaError, match="--serve 99999: "):
        LivePage("x", "deals", tmp_path, 99999)


def test_a_run_is_watched_until_the_report_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    port, seen, reports = free_port(), list[Any](), list[str]()

    def browser() -> None:
        while not reports:
            try:
                seen.append(json.loads(fetch(f"http://127.0.0.1:{port}/state.json")))
                if seen[-1]["over"]:
                    reports.append(fetch(f"http://127.0.0.1:{port}/report"))
            except urllib.error.URLError:
                pass  # not there yet
            time.sleep(0.05)

    watching = threading.Thread(target=browser, daemon=True)
    watching.start()
    command = ["run", "quickstart", "--set", "schedule.only=[random, rule]", "--jobs", "1"]
    command += ["--set", "deals.limit=6", "--quiet", "--serve", str(port)]
    assert main(command) == 0
    watching.join(30)
    assert reports == [Path("reports/quickstart/report.html").read_text(encoding="utf-8")]
    with Run("reports/quickstart") as run:
        mean = run.deals()["margin"].mean()
    assert seen[-1]["done"] == 6
    assert seen[-1]["pairs"][0]["mean"] == pytest.approx(mean)
