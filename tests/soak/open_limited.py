"""Opens one file within limits of memory and time, and tells how it went as JSON.

python tests/soak/open_limited.py KIND=FILE…     a line of JSON for each
"""

from __future__ import annotations

import json
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.soak.file_kinds import KINDS
from tests.soak.model_kinds import MODEL_KINDS
from tests.soak.opening import fault_of

ADDRESSES = 6 << 30  # bytes that may be reserved, so that a bomb hits nobody else
EVERY = {**KINDS, **MODEL_KINDS}
SECONDS = 60  # of the processor


def main() -> None:
    """Open the files and print {"fault", "memory" (bytes more than before), "seconds" (of the processor)} of each."""
    files = [argument.partition("=")[::2] for argument in sys.argv[1:]]
    _warm_up(Path(files[0][1]).parent, {kind for kind, _ in files})
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS * len(files), SECONDS * len(files)))
    for kind, path in files:
        before, started = _memory(), time.process_time()
        fault = fault_of(EVERY[kind], Path(path))
        told = {
            "fault": fault,
            "memory": _peak() - before,
            "seconds": time.process_time() - started,
        }
        print(json.dumps(told), flush=True)


def _warm_up(folder: Path, names: set[str]) -> None:
    """What is imported on the way is imported before anything is measured or listened to."""
    for kind in (*KINDS.values(), *(MODEL_KINDS[name] for name in names & {*MODEL_KINDS})):
        if kind.name != "lesson":
            fault_of(kind, kind.place(folder, "whole", kind.seeds()[0]))
    lesson = folder / "whole.lesson.json"
    lesson.write_bytes(KINDS["lesson"].seeds()[0])
    KINDS["lesson"].open(lesson)


def _memory() -> int:
    """Bytes in use; the peak begins anew here. 0 where the system is not Linux."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS:")


def _peak() -> int:
    return _status("VmHWM:")


def _status(name: str) -> int:
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
    return 0


if __name__ == "__main__":
    main()
