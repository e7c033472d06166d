"""Feeds one input to a reader and keeps what is wrong with what came of it."""

from __future__ import annotations

import hashlib
import resource
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.file_kinds import Kind
from tests.soak.opening import fault_of

PATIENCE = 2.0  # seconds of the processor
MOST_MEMORY = 500 << 20  # bytes more than when everything was loaded


@dataclass(slots=True)
class Judge:
    """`faults` are what went wrong by where it did. Inputs that show them go to `kept`; `folder` is for scratch."""

    kind: Kind
    folder: Path
    kept: Path
    faults: dict[str, str] = field(default_factory=dict)
    count: int = 0
    slowest: float = 0.0
    memory: int = 0
    _resting: int = 0

    def warm_up(self) -> None:
        """Open whole files: they are right, and what is loaded late is loaded then."""
        for data in self.kind.seeds():
            path = self.folder / f"input{self.kind.suffix}"
            path.write_bytes(data)
            with suppress(Exception):  # what is wrong with it is told when it is fed
                self.kind.open(path)
        self.rest()

    def rest(self) -> None:
        """What is held now is the program's own."""
        self._resting = _peak()

    def try_(self, data: bytes, within: AbstractContextManager[object] | None = None) -> None:
        """Write the input to a file and open it."""
        path = self.folder / f"input{self.kind.suffix}"
        path.write_bytes(data)
        self.count += 1
        started = time.process_time()
        with within or nullcontext():
            fault = fault_of(self.kind, path)
        took = time.process_time() - started
        self.slowest = max(self.slowest, took)
        self.memory = max(self.memory, _peak() - self._resting) if self._resting else 0
        if not fault and took > PATIENCE and within is None:
            fault = f"{took:.1f} s for {len(data)} bytes"
        if not fault and self.memory > MOST_MEMORY:
            fault = f"{self.memory >> 20} MB for {len(data)} bytes"
            self.rest()
        if fault:
            self._keep(data, fault)

    def _keep(self, data: bytes, fault: str) -> None:
        key = _where(fault)
        if key not in self.faults:
            name = (
                f"{self.kind.name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}{self.kind.suffix}"
            )
            kept = self.kept / name
            kept.write_bytes(data)
            self.faults[key] = f"{self.kind.name}: {kept}\n{fault[-1500:]}"


def _where(fault: str) -> str:
    """The last place in a file that a fault names, and the kind of what was raised there."""
    lines = fault.strip().splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return f"{places[-1] if places else ''} {lines[-1].partition(':')[0]:.60}"


def _peak() -> int:
    """Bytes that the process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
