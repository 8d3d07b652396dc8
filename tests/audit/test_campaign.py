"""The audit of a run: resumable, the same whatever the workers, refused in a line."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.audits import FEW
from helpers.commands import arena_main
from helpers.experiments import entrant, make_experiment, play

from arena.audit.campaign import Audit, AuditOptions, audit_run, pairings_of, stored_audit
from arena.audit.ledger import AuditLedger
from arena.cli import main
from arena.core.errors import ArenaError
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.store import Run
from arena.store.folder import AUDIT


def test_an_audit_is_stored_and_computed_once(
    klaverjas_run: Path, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.audit.campaign._audit_one", None)  # would fail if it were called
    with Run(klaverjas_run) as run:
        again = audit_run(run, FEW)
        assert again.rounds == audit.rounds
        assert stored_audit(run) == audit


def test_an_audit_that_was_stopped_goes_on(
    klaverjas_run: Path, audit: Audit, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(klaverjas_run, folder)
    with sqlite3.connect(folder / AUDIT) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM rounds ORDER BY key")]
        database.executemany("DELETE FROM rounds WHERE key = ?", [(key,) for key in keys[:2]])
    message: list[tuple[int, int]] = []
    with Run(folder) as run:
        assert stored_audit(run).missing == 2
        again = audit_run(run, FEW, lambda done, total: message.append((done, total)))
    assert message == [(0, 2), (1, 2), (2, 2)]
    assert again.rounds == audit.rounds


def test_a_folder_that_may_only_be_read(
    klaverjas_run: Path, audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit that is there is shown."""
    new = shutil.copytree(klaverjas_run, tmp_path / "run")
    (new / AUDIT).unlink()

    connect = sqlite3.connect

    def read_only(path: Path | str, **options: Any) -> sqlite3.Connection:
        if isinstance(path, Path):  # the audit; the results are read as they are
            return connect(f"{path.as_uri()}?mode=ro", uri=True, **options)
        return connect(path, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with Run(klaverjas_run) as results:
        assert audit_run(results, FEW) == audit
    refused = pytest.raises(ArenaError, match=r"sqlite: cannot be written \(unable to open")
    with Run(new) as results, refused:
        audit_run(results, FEW)


def test_a_changed_value_is_refused(klaverjas_run: Path, audit: Audit, tmp_path: Path) -> None:
    shutil.copytree(klaverjas_run, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / AUDIT) as database:
        database.execute("UPDATE rounds SET audit = replace(audit, '1', '2')")
    with pytest.raises(ArenaError, match="delete it and audit again"):
        AuditLedger(tmp_path / "run").read()
    (tmp_path / "run" / AUDIT).write_bytes(b"no database at all")
    with pytest.raises(ArenaError, match="delete it and audit again"):
        AuditLedger(tmp_path / "run").read()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda decision: decision.update(card=51, legal=[0]), "not a value for each legal card"),
        (lambda decision: decision.update(exact=[]), "not a value for each legal card"),
        (lambda decision: decision["exact"].__setitem__(0, float("nan")), "is no number"),
        (lambda decision: decision["exact"].__setitem__(0, {}), "valid number"),
        (lambda decision: decision.update(line=[99]), "no card"),
        (lambda decision: decision.update(seat=7), "no seat"),
        (lambda decision: decision.update(kind="x"), "'lead'"),
        (lambda decision: decision.clear(), "at: "),
    ],
)
def test_a_forged_audit_is_refused(
    change: Callable[[dict[str, Any]], object], said: str, audit: Audit, tmp_path: Path
) -> None:
    data = json.loads(json.dumps(audit.rounds[0].audit.to_json()))
    ledger = AuditLedger(tmp_path)
    assert ledger.decode(json.dumps(data)).decisions
    change(data["decisions"][0])
    with pytest.raises(ArenaError, match=f"cannot be read .*{said}"):
        ledger.decode(json.dumps(data))
    with pytest.raises(ArenaError, match="cannot be read"):
        ledger.decode("[" * 100_000)


def test_agents_choose_the_pairings(tmp_path: Path) -> None:
    names = [entrant(name, "random") for name in ("a", "b", "c")]
    play(make_experiment(1, tuple(names)), tmp_path)
    with Run(tmp_path) as run:
        assert len(pairings_of(run, ())) == 3
        assert len(pairings_of(run, ("a",))) == 2
        assert len(pairings_of(run, ("a", "b"))) == 1
        with pytest.raises(ArenaError, match="no entrant 'd'"):
            pairings_of(run, ("d",))


def test_fewer_worlds_are_drawn_where_many_cards_are_left() -> None:
    settings, rules = AuditOptions().settings, Schieber()
    assert [settings.worlds_at(rules, left) for left in (1, 6, 7, 8, 9)] == [64, 64, 32, 8, 0]
    assert [settings.worlds_at(Klaverjas(), left) for left in (6, 7, 8)] == [64, 64, 32]
    assert replace(settings, worlds=0).worlds_at(rules, 1) == 0
    assert settings.worlds_at(Hearts(), 13) == 64


def test_the_command_prints_tables_and_the_worst_mistakes(
    klaverjas_run: Path, audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["audit", str(klaverjas_run), "--deals", "3", "--worlds", "8", "--jobs", "1"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "in 6 rounds of 3 deals" in text
    assert "by trick" in text and "by legal cards" in text
    assert f"arena replay {klaverjas_run}" in text
    line = next(line for line in text.splitlines() if "arena replay" in line).split()
    assert main(line[1:]) == 0
    assert "to play, and knows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--deals", "0"], "--deals: must be at least 1, found 0"),
        (["--worlds", "1"], "--worlds: must be at least 4, found 1"),
        (["--agents", "ruel"], "no entrant 'ruel'; did you mean 'rule'"),
    ],
)
def test_mistakes_are_one_line(
    klaverjas_run: Path,
    arguments: list[str],
    said: str,
) -> None:
    done = arena_main(["audit", str(klaverjas_run), *arguments])
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_game_without_an_open_card_score_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(make_experiment(1, None, Klaverjas(variant="rotterdam-2017")), tmp_path)
    assert main(["audit", str(tmp_path)]) == 2
    assert "klaverjas cannot be audited" in capsys.readouterr().err
