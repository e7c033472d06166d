"""Measures the program's speed against bare NumPy, PyTorch and pyqtgraph; prints a table and writes JSON.

    python tests/bench/run.py [--quick] [--only NAME …] [--json FILE]

Every figure is a ratio of two things done in turn, in one process or in fresh processes by turns; the median of at
least 7. --quick takes 2 of small sizes, only to see that everything runs. Names: see BENCHES.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.bench.classes import classes
from tests.bench.frames import frames
from tests.bench.measure import Plan, Row, Rows
from tests.bench.models import models
from tests.bench.runs import against_numpy, against_torch, edits
from tests.bench.start import starts, trace_memory
from tests.bench.steps import million, painted_edits, steps

BENCHES: dict[str, Callable[[Plan], Rows]] = {
    "start": starts,
    "steps": steps,
    "painted-edits": painted_edits,
    "million": million,
    "numpy": against_numpy,
    "torch": against_torch,
    "edits": edits,
    "trace-memory": trace_memory,
    "frames": frames,
    "class": classes,
    "model": models,
}
RESULTS = ROOT / "tests" / "bench" / "results"
PACKAGES = ("numpy", "pyqtgraph", "PySide6-Essentials", "torch")
COLUMNS = "{:<47} {:<38} {:<27} {:>12} {:>8}  {:<4} {}"


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for. Always 0: what a machine of its own speed shows is not an error."""
    options = _options(arguments)
    plan = Plan(rounds=2, most=2, warm_up=1, quick=True) if options.quick else Plan()
    print(
        COLUMNS.format("what", "against", "at", "median", "at most", "met", "quartiles, note"),
        flush=True,
    )
    rows: list[Row] = []
    for name in options.only or BENCHES:
        for row in BENCHES[name](plan):
            rows.append(row)
            print(_line(row), flush=True)
    path = options.json or RESULTS / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_report(rows), indent=1), encoding="utf-8")
    print(f"\nwritten: {path}")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the program's speed.")
    parser.add_argument(
        "--quick", action="store_true", help="few rounds of small sizes: only that everything runs"
    )
    parser.add_argument(
        "--only", action="append", choices=list(BENCHES), help="one bench; may be given again"
    )
    parser.add_argument(
        "--json", type=Path, help="where the figures are written; a new file in results/ otherwise"
    )
    return parser.parse_args(arguments)


def _line(row: Row) -> str:
    met = {True: "yes", False: "NO", None: "-"}[row.met]
    spread = "" if row.spread is None else "{:.2f} - {:.2f}".format(*row.spread)
    note = ", ".join(filter(None, (spread, row.note)))
    limit = f"{row.at_most:g} {'×' if row.theirs or not row.ours else row.unit}"
    return COLUMNS.format(row.what, row.against, row.at, _figure(row), limit, met, note).rstrip()


def _figure(row: Row) -> str:
    if row.figure is None:
        return "not measured"
    return f"{row.figure:.2f} ×" if row.theirs else f"{row.figure:.1f} {row.unit}"


def _report(rows: Sequence[Row]) -> dict[str, object]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        },
        "versions": {
            "python": platform.python_version(),
            **{name: _version(name) for name in PACKAGES},
        },
        "rows": [_entry(row) for row in rows],
    }


def _entry(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "what": row.what,
        "against": row.against,
        "at": row.at,
        "unit": row.unit,
        "figure": row.figure,
        "at_most": row.at_most,
        "met": row.met,
        "quartiles": row.spread,
        "ours": median(row.ours) if row.ours else None,
        "theirs": median(row.theirs) if row.theirs else None,
        "samples": len(row.ours),
        "note": row.note,
    }


def _processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
