"""No network, ever: a whole session under strace where there is one, and under Python's audit hook everywhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("whole_session.py")


def opened_sockets(folder: Path, *, trace: bool) -> dict[str, object]:
    """What a whole session has opened: {"by": strace or audit, "sockets": internet sockets, "died": why it ended}."""
    strace = shutil.which("strace") if trace else None
    log = folder / "calls.txt"
    before = [strace, "-f", "-qq", "-e", "trace=socket,connect", "-o", str(log)] if strace else []
    ran = subprocess.run(
        [*before, sys.executable, str(PROGRAM), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = (ran.stdout.strip().splitlines() or [""])[-1]
    sockets = json.loads(last) if last.startswith("[") else []
    calls = log.read_text().splitlines() if log.exists() else []
    sockets += [line for line in calls if "AF_INET" in line]
    died = "" if ran.returncode == 0 and last.startswith("[") else ran.stderr[-800:]
    return {
        "by": "strace" if strace else "audit hook",
        "calls": len(calls),
        "sockets": sockets,
        "died": died,
    }
