"""make soak: long walks through session, window and files, power cuts, extreme numbers, and no network.

python tests/soak/run.py --actions 2000 --seed 1 --part window     a table, results/soak.json, exit 1 where a part fails
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"  # as main.py does

Result = dict[str, Any]
MOST_GROWTH = 0.02


def window(options: argparse.Namespace, folder: Path) -> Result:
    """Actions through the real window; what they cost is compared between the first and last third after warm-up."""
    from PySide6.QtWidgets import QApplication

    from tests.soak.measuring import growth
    from tests.soak.visiting import visit_all
    from tests.soak.window_walk import ROUND, Walk

    application = QApplication.instance() or QApplication([])
    walk, until = Walk(options.seed, folder), time.monotonic() + 60 * (options.minutes or 60)
    visit_all(walk)
    done, started = 0, time.process_time()
    while done < options.actions and time.monotonic() < until:
        step = min(ROUND, options.actions - done)
        walk.walk(step)
        done += step
    rate = done / (time.process_time() - started)
    walk.close()
    application.processEvents()
    grown = growth(walk.costs)
    caches = grown.pop("cached", 0.0)  # each of which has a bound
    failed = [
        *walk.faults.values(),
        *(f"{name} grew by {by:.1%}" for name, by in grown.items() if by > MOST_GROWTH),
    ]
    did = f"{done} actions, {rate:.0f} a second of the processor, memory {caches:+.1%} with what caches hold"
    return {"did": did, "faults": failed, "growth": grown, "kinds": dict(walk.counts)}


def session(options: argparse.Namespace, folder: Path) -> Result:
    """Hypothesis over the session; as many examples as a hundredth of the actions."""
    from hypothesis import HealthCheck, Phase, seed, settings
    from hypothesis.stateful import run_state_machine_as_test
    from PySide6.QtCore import QCoreApplication

    from tests.soak.session_walk import SessionWalk

    application = QCoreApplication.instance() or QCoreApplication([])
    many = max(20, options.actions // 100)
    chosen = settings(
        max_examples=many,
        stateful_step_count=50,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    try:
        run_state_machine_as_test(seed(options.seed)(SessionWalk), settings=chosen)
    except Exception as error:
        return {"did": f"{many} walks", "faults": [repr(error)]}
    application.processEvents()
    return {"did": f"{many} walks of 50 steps", "faults": []}


def files(options: argparse.Namespace, folder: Path) -> Result:
    """Corrupted files of every kind, and every bomb."""
    from tests.soak.bombs import BOMBS, open_all
    from tests.soak.file_walk import FileWalk, walk_all

    walk = FileWalk(folder, options.seed)
    walk_all(walk, max(100, options.actions // 50), timed=True)
    told = open_all(tuple(BOMBS), folder)
    faults = [
        *walk.faults.values(),
        *(f"{name}: {one['fault']}" for name, one in told.items() if one["fault"]),
    ]
    faults += [
        f"{name}: {one['memory'] >> 20} MB"
        for name, one in told.items()
        if one["memory"] > 500 << 20
    ]
    most = max(one["memory"] for one in told.values()) >> 20
    did = f"{sum(walk.opened.values())} files, {len(told)} bombs, {walk.slowest:.2f} s, {most} MB at most"
    return {"did": did, "faults": faults, "bombs": told}


def models(options: argparse.Namespace, folder: Path) -> Result:
    """Corrupted files of trained models, and every bomb among them."""
    from resource import RUSAGE_SELF, getrusage

    from tests.soak.bombs import open_all
    from tests.soak.file_walk import FileWalk
    from tests.soak.model_kinds import MODEL_BOMBS, MODEL_KINDS

    walk, before = FileWalk(folder, options.seed), getrusage(RUSAGE_SELF).ru_maxrss
    for kind in MODEL_KINDS.values():  # 3,400 files with the usual number of actions
        walk.walk(kind, max(40, options.actions // 10), timed=True)
    grown = (getrusage(RUSAGE_SELF).ru_maxrss - before) >> 10  # of kB
    told = open_all(tuple(MODEL_BOMBS), folder, MODEL_BOMBS)
    most = max(one["memory"] for one in told.values()) >> 20
    slowest = max(walk.slowest, *(one["seconds"] for one in told.values()))
    faults = [
        *walk.faults.values(),
        *(f"{name}: {one['fault']}" for name, one in told.items() if one["fault"]),
        *(f"{grown} MB more in the walk" for _ in range(grown > 500)),
    ]
    faults += [f"{name}: {one}" for name, one in told.items() if one["memory"] > 500 << 20]
    faults += [f"{name}: {one}" for name, one in told.items() if one["seconds"] > 2]
    did = f"{walk.opened.total()} files, {len(told)} bombs, {slowest:.2f} s, {max(most, grown)} MB at most"
    return {"did": did, "faults": faults, "bombs": told}


def power(options: argparse.Namespace, folder: Path) -> Result:
    """kill −9 at two hundred moments."""
    program = Path(__file__).with_name("power.py")
    ran = subprocess.run(
        [sys.executable, str(program), "200", str(options.seed), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        return {"did": "0 cuts", "faults": [ran.stderr[-800:]]}
    told = json.loads(ran.stdout)
    did = (
        f"{told['kills']} cuts: {told['old']} old, {told['new']} new, {told['came back']} came back"
    )
    return {"did": did, "faults": told["faults"]}


def numbers(options: argparse.Namespace, folder: Path) -> Result:
    """Experiments at the ends of the doubles against exact arithmetic."""
    from core.compute.trace import run
    from tests.soak.exact_reference import stage_faults
    from tests.soak.extremes import experiments
    from tests.soak.laws import broken_numbers, broken_sums

    faults, count = [], 0
    for name, document in experiments():
        trace, count = run(document), count + 1
        wrong = [
            *stage_faults(document, trace),
            *broken_numbers(trace),
            *broken_sums(document, trace),
        ]
        faults += [f"{name}: {text}" for text in wrong]
    return {"did": f"{count} experiments", "faults": faults}


def network(options: argparse.Namespace, folder: Path) -> Result:
    """A whole session under strace."""
    from tests.soak.network import opened_sockets

    told = opened_sockets(folder, trace=True)
    sockets = told["sockets"]
    assert isinstance(sockets, list)
    faults = [*sockets, *([str(told["died"])] if told["died"] else [])]
    return {"did": f"one session, by {told['by']}, {told['calls']} calls", "faults": faults}


def fuzz(options: argparse.Namespace, folder: Path) -> Result:
    """Every reader under a coverage-guided fuzzer."""
    from tests.soak.fuzz import fuzz_all

    told = fuzz_all(60 * (options.minutes or 10), options.seed)
    faults = [fault for one in told.values() for fault in one["faults"].values()]
    did = f"{sum(one['count'] for one in told.values())} inputs, {max(one['slowest'] for one in told.values()):.2f} s"
    return {
        "did": f"{did}, {max(one['memory'] for one in told.values()) >> 20} MB at most",
        "faults": faults,
    } | told


PARTS: dict[str, Callable[[argparse.Namespace, Path], Result]] = {
    "numbers": numbers,
    "session": session,
    "files": files,
    "models": models,
    "power": power,
    "network": network,
    "fuzz": fuzz,
    "window": window,
}


def main() -> int:
    """Run the parts that were asked for, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--actions", type=int, default=2000, help="through the window; the other parts follow it"
    )
    parser.add_argument(
        "--minutes", type=float, help="after which the window's walk ends (60), and the fuzzer (10)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--part", action="append", choices=PARTS, help="one part alone; may be repeated"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "tests/output/soak.json")
    options = parser.parse_args()
    results = {name: _run(name, options) for name in options.part or PARTS}
    told = {
        "machine": platform.platform(),
        "python": platform.python_version(),
        "seed": options.seed,
        "parts": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")
    print(f"\n{options.output}")
    return int(any(result["faults"] for result in results.values()))


def _run(name: str, options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ATTENTION_STEPPER_HOME"] = f"{folder}/home"
        started = time.monotonic()
        result = PARTS[name](options, Path(folder))
        result["seconds"] = round(time.monotonic() - started, 1)
    verdict = f"{len(result['faults'])} FAULTS" if result["faults"] else "ok"
    print(f"{name:9} {verdict:9} {result['seconds']:7.1f} s  {result['did']}", flush=True)
    for fault in result["faults"][:5]:
        print("    " + fault.replace("\n", "\n    ")[-1500:], flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
