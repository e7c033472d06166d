"""Every reader of the program under a coverage-guided fuzzer, each in a process of its own.

The corpus grows from run to run in tests/output/fuzz/corpus; delete it to begin anew. Inputs that show a fault are kept
beside it in faults. What is found becomes an ordinary test, with a small input written out.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.soak.fuzz_readers import READERS

PROGRAM = Path(__file__).with_name("fuzz_child.py")
OUTPUT = Path(__file__).resolve().parents[2] / "tests/output/fuzz"
SCRATCH = Path("/dev/shm")  # a disk would take most of the time
ATHERIS = importlib.util.find_spec("atheris") is not None

Told = dict[str, Any]


def fuzz_all(seconds: float, seed: int, names: tuple[str, ...] = tuple(READERS)) -> dict[str, Told]:
    """Every reader in turn, each for its share of the time; what came of it by name."""
    if not ATHERIS:
        print(
            "atheris is not installed (pip install atheris): the project's own, slower fuzzer is used",
            flush=True,
        )
    told = {}
    for name in names:
        with tempfile.TemporaryDirectory(dir=SCRATCH if SCRATCH.is_dir() else None) as folder:
            told[name] = one = fuzz(name, seconds / len(names), seed, Path(folder))
        print(
            f"    {name:10} {one['count']:8} inputs, {one['reached']} of {one['lines']} lines, "
            f"{one['slowest']:.2f} s, {one['memory'] >> 20} MB, {len(one['faults'])} faults",
            flush=True,
        )
    return told


def fuzz(name: str, seconds: float, seed: int, folder: Path) -> Told:
    """One reader: its process is started anew where an input has killed it."""
    corpus, faults, own = OUTPUT / "corpus" / name, OUTPUT / "faults", folder / name
    for place in (corpus, faults, own):
        place.mkdir(parents=True, exist_ok=True)
    until, total = (
        time.monotonic() + seconds,
        Told(count=0, faults={}, slowest=0.0, memory=0, features=0),
    )
    while (left := until - time.monotonic()) > 1 or not total["count"]:
        told, ended = _run(name, max(left, 1.0), seed + total["count"], corpus, faults, own)
        total["count"] += told["count"]
        died = _died(ended, faults)
        total["faults"] |= told["faults"] | died
        total["slowest"], total["memory"] = (
            max(total[key], told[key]) for key in ("slowest", "memory")
        )
        total["features"] = max(total["features"], _features(ended.stderr))
        if ended.returncode and not died:
            total["faults"][f"{name} ended"] = (
                f"{name} ended with {ended.returncode}\n{ended.stderr[-1500:]}"
            )
            break
    reached, _ = _run(name, 0.0, seed, corpus, faults, own, FUZZ_REPLAY="1")
    return total | {key: reached[key] for key in ("reached", "lines", "missed")}


def _run(
    name: str,
    seconds: float,
    seed: int,
    corpus: Path,
    faults: Path,
    folder: Path,
    **environment: str,
) -> tuple[Told, subprocess.CompletedProcess[str]]:
    home = {"ATTENTION_STEPPER_HOME": str(folder / "home"), "QT_QPA_PLATFORM": "offscreen"}
    ended = subprocess.run(
        [
            sys.executable,
            str(PROGRAM),
            name,
            str(seconds),
            str(seed),
            str(corpus),
            str(faults),
            str(folder),
        ],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, **home, **environment},
    )
    file = folder / "told.json"
    nothing = Told(count=0, faults={}, slowest=0.0, memory=0, reached=0, lines=0, missed=[])
    told = json.loads(file.read_text(encoding="utf-8")) if file.exists() else nothing
    file.unlink(missing_ok=True)
    done = re.search(r"stat::number_of_executed_units:\s*(\d+)", ended.stderr)
    return told | ({"count": int(done[1])} if done else {}), ended


def _died(ended: subprocess.CompletedProcess[str], folder: Path) -> dict[str, str]:
    """Inputs that libFuzzer stopped at: a hang, memory without end, a crash of the interpreter."""
    found = [
        path.rename(folder / f"kept-{time.time_ns()}-{path.name}") for path in folder.glob("died-*")
    ]
    return {path.name: f"{path}\n{ended.stderr[-1500:]}" for path in found}


def _features(log: str) -> int:
    found = re.findall(r" ft: (\d+) ", log)
    return int(found[-1]) if found else 0
