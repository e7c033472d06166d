"""A process that opens one window, says when it stands complete and what memory it takes, and ends.

    python -m tests.bench.child program | bare | trace N D H

Complete is the moment of the last painting before nothing has been painted for a while: what a window builds after it
is first seen counts. Written as one line of JSON: the seconds that passed after that moment, and the memory in MB.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

QUIET = 0.4  # seconds without a painting, after which nothing more is to come


def main(kind: str, *sizes: str) -> None:
    """Do what is asked, say it, and leave without tidying up."""
    if kind == "trace":
        told: dict[str, float] = _trace(*map(int, sizes))
    else:
        told = _window(kind)
    print(json.dumps(told), flush=True)
    os._exit(0)


def _window(kind: str) -> dict[str, float]:
    told: dict[str, float] = {}

    def run(*_: object) -> int:
        last = _last_painting()
        _finish_loading()
        told.update(after=time.perf_counter() - last, memory=resident())
        return 0

    if kind == "bare":
        _bare(run)
    else:
        from main import main as program

        sys.argv = [
            "main.py"
        ]  # what stands above it came before Qt: `python main.py` does it in that order, too
        from PySide6.QtWidgets import QApplication

        QApplication.exec = run  # type: ignore[method-assign]
        program()
    return told


def _bare(run: Any) -> None:
    import numpy as np
    import pyqtgraph as pg

    app = pg.mkQApp()
    widget = pg.GraphicsLayoutWidget()
    box = widget.addViewBox(lockAspect=True, invertY=True)
    box.addItem(pg.ImageItem(np.random.default_rng(7).random((3, 3)), axisOrder="row-major"))
    width, height = app.primaryScreen().availableSize().toTuple()
    widget.resize(round(width * 0.9), round(height * 0.9))
    widget.show()
    run()


def _last_painting() -> float:
    """Run the application until it is quiet; when it last painted anything."""
    from PySide6.QtCore import QEvent, QObject
    from PySide6.QtWidgets import QApplication

    class Watch(QObject):
        painted = False

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                self.painted = True
            return False

    watch, app = Watch(), QApplication.instance()
    assert app is not None
    app.installEventFilter(watch)
    last = time.perf_counter()
    while time.perf_counter() - last < QUIET:
        watch.painted = False
        app.processEvents()
        if watch.painted:
            last = time.perf_counter()
        time.sleep(0.001)
    return last


def _finish_loading() -> None:
    """What is loaded beside the window is part of the memory that it takes at rest."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(5)


def _trace(n: int, d: int, h: int) -> dict[str, float]:
    """What a run takes while it works and what it keeps, in MB, as the system counts it.

    Python's own count knows nothing of memory that is mapped, as that of large stages is.
    """
    from core.compute.trace import run
    from tests.bench.experiments import experiment

    run(experiment(64, 64, 8))  # libraries take their own room first
    document = experiment(n, d, h)
    before = resident()
    trace = run(document)
    kept, peak = resident() - before, peak_resident() - before
    arrays = sum(array.nbytes for array in trace.arrays.values()) / 1e6
    return {"arrays": arrays, "kept": kept, "peak": peak}


def resident() -> float:
    """The memory that this process has now, in MB; 0 where the system does not say."""
    return _status("VmRSS")


def peak_resident() -> float:
    """The most that it ever had."""
    return _status("VmHWM")


def _status(field: str) -> float:
    try:
        with open("/proc/self/status", encoding="ascii") as lines:  # noqa: PTH123
            return (
                next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024 / 1e6
            )
    except (OSError, StopIteration):
        return 0.0


if __name__ == "__main__":
    main(*sys.argv[1:])
