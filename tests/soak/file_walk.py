"""Corrupted files of every kind, drawn by chance from a seed."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from core.storage import archive
from core.storage.examples import EXAMPLES, load_example
from tests.soak.corrupting import corrupted
from tests.soak.file_kinds import KINDS, Kind
from tests.soak.opening import fault_of

PATIENCE = 2.0  # seconds after which a small file has hung


@dataclass(slots=True)
class FileWalk:
    """`opened` counts files; `faults` are what went wrong, by its last line, with the file that shows it."""

    folder: Path
    seed: int
    opened: Counter[str] = field(default_factory=Counter)
    faults: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0

    def walk(self, kind: Kind, times: int, *, timed: bool = False) -> None:
        """So many corrupted files of a kind, each grown from whole ones and from corrupted ones before it."""
        chance = Random(f"{self.seed} {kind.name}")
        (self.folder / "near.attn.json").write_bytes(archive.dumps(load_example(EXAMPLES[0])))
        pool = kind.seeds()
        for data in pool:  # whole files open; and what is imported on the way is imported now
            self._whole(kind, data)
        for number in range(times):
            data = corrupted(chance.choice(pool), pool, chance)
            if len(data) > 200_000:
                continue
            self._open(kind, data, number, timed)
            if chance.random() < 0.1:  # what is wrong already, with more wrong on top
                pool = [*pool[-40:], data, *kind.seeds()[:3]] if number % 50 == 0 else [*pool, data]

    def _whole(self, kind: Kind, data: bytes) -> None:
        kind.open(kind.place(self.folder, "whole", data))

    def _open(self, kind: Kind, data: bytes, number: int, timed: bool) -> None:
        path = kind.place(self.folder, "corrupted", data)
        before = time.perf_counter()
        fault = fault_of(kind, path)
        took = time.perf_counter() - before
        self.slowest = max(self.slowest, took)
        self.opened[kind.name] += 1
        if timed and took > PATIENCE and not fault:
            fault = f"{kind.name}: {took:.1f} s for {len(data)} bytes"
        if fault:
            key = f"{kind.name}: {fault.strip().splitlines()[-1]:.120}"
            if key not in self.faults:
                kept = kind.place(self.folder, f"fault-{kind.name}-{number}", data)
                self.faults[key] = f"{kept}\n{fault}"


def walk_all(walk: FileWalk, times: int, *, timed: bool = False) -> None:
    """Every kind in turn."""
    for kind in KINDS.values():
        walk.walk(kind, times, timed=timed)
