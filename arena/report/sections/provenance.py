"""How it was run, and all that is needed to run it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import yaml

from arena.report.context import Context
from arena.report.section import Section
from arena.store.manifest import CONFIG


@dataclass(frozen=True)
class MachinePart:
    """The machine, as far as it matters for times; the manifest has the rest."""

    processor: str
    cores: int | None
    system: str


@dataclass(frozen=True)
class ProvenancePart:
    """Everything needed to repeat the run."""

    config: str
    """Everything filled in, as YAML."""
    config_sha256: str
    deal_set: str
    deals: int
    deals_sha256: str
    rules_version: int
    seed: int
    seatings: tuple[str, ...]
    versions: dict[str, str]
    git_commit: str | None
    machine: MachinePart
    started: str
    ended: str | None
    sessions: int
    jobs: int
    cpu_seconds: float
    fingerprints: dict[str, str]
    command: str


class ProvenanceSection(Section[ProvenancePart]):
    """How it was run."""

    name: ClassVar[str] = "provenance"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "How it was run"
    short: ClassVar[str] = "Run"

    def make(self, context: Context) -> ProvenancePart:
        run, manifest = context.run, context.run.manifest
        machine = manifest.machine
        return ProvenancePart(
            config=yaml.safe_dump(run.config, sort_keys=False, allow_unicode=True, width=100),
            config_sha256=manifest.config_sha256,
            deal_set=manifest.deal_set,
            deals=manifest.deals,
            deals_sha256=manifest.deals_sha256,
            rules_version=manifest.rules.version,
            seed=manifest.seed,
            seatings=manifest.seatings,
            versions=manifest.versions,
            git_commit=manifest.git_commit,
            machine=MachinePart(
                machine.processor, machine.cores, machine.platform.partition("-")[0]
            ),
            started=manifest.started,
            ended=manifest.ended,
            sessions=len(manifest.sessions),
            jobs=manifest.sessions[-1].jobs,
            cpu_seconds=round(manifest.cpu_s, 3),
            fingerprints={name: e.fingerprint for name, e in manifest.entrants.items()},
            command=f"arena run {CONFIG} --out again",
        )
