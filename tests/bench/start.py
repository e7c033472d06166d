"""Start and memory: fresh processes in turn, the program's window and a bare one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.bench.measure import Plan, Row, Rows, in_turn
from tests.bench.windows import offscreen

ROOT = Path(__file__).resolve().parents[2]
BARE = "a bare pyqtgraph window with one image"


def starts(plan: Plan) -> Rows:
    """From the start of the process to the first complete painted window, and the memory that it has then."""
    memory: dict[str, list[float]] = {"program": [], "bare": []}
    with TemporaryDirectory() as folder:
        # As every start but the first: Python finds bytecode; the warm-up has written it.
        bytecode = {
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode"),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        environment = offscreen(Path(folder)) | bytecode

        def start(kind: str) -> float:
            begin = perf_counter()
            told = _child(environment, kind)
            memory[kind].append(told["memory"])
            return 1000 * (perf_counter() - begin - told["after"])

        ours, theirs = in_turn(plan, lambda: start("program"), lambda: start("bare"))
    at = "the default example"
    yield Row("start", "start to first complete painted window", BARE, at, 1.5, ours, theirs)
    ours, theirs = (tuple(memory[kind][plan.warm_up :]) for kind in ("program", "bare"))
    if min(theirs) > 0:
        yield Row("memory", "process memory at rest", BARE, at, 1.4, ours, theirs, unit="MB")


def trace_memory(plan: Plan) -> Rows:
    """What a run keeps, and what it takes while it works, to the sum of its arrays."""
    n, d, h = (256, 64, 8) if plan.quick else (2048, 512, 8)
    told = [
        _child(dict(os.environ), "trace", str(n), str(d), str(h))
        for _ in range(1 if plan.quick else 3)
    ]
    arrays = tuple(one["arrays"] for one in told)
    for key, what in (
        ("kept", "memory of a trace, as the system counts it"),
        ("peak", "the most during the run, as the system counts it"),
    ):
        kept = tuple(one[key] for one in told)
        if any(kept):
            at = f"n {n}, d {d}, h {h}"
            yield Row(
                "trace memory", what, "the sum of its arrays", at, 1.2, kept, arrays, unit="MB"
            )


def _child(environment: dict[str, str], *arguments: str) -> dict[str, float]:
    """What a process of tests.bench.child says; the moment of its last word is this one's."""
    command = [sys.executable, "-m", "tests.bench.child", *arguments]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    told: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return told
