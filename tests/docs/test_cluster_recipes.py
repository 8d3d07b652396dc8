"""The recipes of docs/cluster.md, run: each ends with the run that one machine plays."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml
from helpers.doc_blocks import blocks_of
from helpers.experiments import exported
from helpers.paths import ROOT

from arena.cli import main

PARTS = 3


def recipe(language: str, word: str) -> str:
    """A block of the page, for few parts instead of 100."""
    texts = [each.text for each in blocks_of(ROOT / "docs/cluster.md") if each.language == language]
    (found,) = [text for text in texts if word in text]
    found = found.replace("/100", f"/{PARTS}").replace("101", str(PARTS + 1))
    return found.replace("--jobs 4", "--jobs 1")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an experiment, and the run of it that all parts together must be."""
    experiment = {
        "name": "mine",
        "game": "klaverjas",
        "deals": {"set": "klaverjas-given-1000", "limit": 7},
        "agents": {"random": {"family": "random"}, "rule": {"family": "rule"}},
    }
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(experiment))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert main(["run", "mine.yaml", "--out", "whole", "--no-report", "--quiet"]) == 0
    return tmp_path


def start(command: Sequence[str], **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def check(home: Path, merged: str) -> None:
    assert exported(home / merged, home) == exported(home / "whole", home)


def run_parts(command: Sequence[str], variables: Mapping[int, dict[str, str]]) -> None:
    for each in variables.values():
        process = start(command, **each)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said


@pytest.mark.long
def test_slurm_array(home: Path) -> None:
    (home / "job.sh").write_text(recipe("sh", "SBATCH"))
    tasks = {n: {"SLURM_ARRAY_TASK_ID": str(n)} for n in range(1, PARTS + 1)}
    run_parts(["sh", "job.sh"], tasks)
    assert main(["merge", *map(str, sorted(home.glob("parts/*"))), "--out", "all"]) == 0
    check(home, "all")


@pytest.mark.long
def test_indexed_kubernetes_job(home: Path) -> None:
    job = yaml.safe_load(recipe("yaml", "batch/v1"))
    (container,) = job["spec"]["template"]["spec"]["containers"]
    command = [*container["command"], container["args"][0].replace("/data", str(home))]
    tasks = {n: {"JOB_COMPLETION_INDEX": str(n)} for n in range(PARTS)}
    run_parts(command, tasks)
    assert main(["merge", *map(str, sorted(home.glob("parts/*"))), "--out", "all"]) == 0
    check(home, "all")


@pytest.mark.long
def test_snakemake(home: Path) -> None:
    pytest.importorskip("snakemake", reason="pip install snakemake")
    (home / "Snakefile").write_text(recipe("python", "rule merge"))
    process = start(["snakemake", "--cores", "2"])
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    check(home, "reports/mine")
    assert (home / "reports/mine/report.html").is_file()


@pytest.mark.long
def test_slurm_runner(home: Path) -> None:
    """Four tasks with the variables that srun sets: scheduler, driver, two workers."""
    pytest.importorskip("dask_jobqueue", reason="pip install dask-jobqueue")
    (home / "cluster.py").write_text(recipe("python", "SLURMRunner"))
    job = {"SLURM_NTASKS": "4", "SLURM_JOB_ID": "17"}
    tasks = [start([sys.executable, "cluster.py"], SLURM_PROCID=str(n), **job) for n in range(4)]
    try:
        said, _ = tasks[1].communicate(timeout=300)
        assert tasks[1].returncode == 0, said
        assert "rule" in said
        for task in (tasks[0], *tasks[2:]):
            task.communicate(timeout=60)
    finally:
        for task in tasks:
            task.kill()
    check(home, "reports/mine")
