"""The longest time for which the window does not answer while something large is opened, scrolled and zoomed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from core.storage import archive
from tests.bench.experiments import experiment
from tests.bench.measure import Plan, Row, Rows
from tests.bench.windows import begin, program_window, settle

if TYPE_CHECKING:
    from gui.app.main_window import MainWindow

FRAME_MS = 100.0
PAUSE_MS = 25  # between two actions: about as fast as a wheel turns
BUSY_MS = 8  # a block after which more is to come
STARTED_MS = 1500  # after which nothing of the start is left to do

Action = Callable[[], object]


def frames(plan: Plan) -> Rows:
    """The longest block of the event loop in each course of actions."""
    n, d, h = (200, 64, 2) if plan.quick else (2000, 64, 2)
    with TemporaryDirectory() as folder:
        app = begin(Path(folder))
        window = program_window(app)
        _rest(app, STARTED_MS)
        path = Path(folder) / "large.attn.json"
        archive.save(experiment(n, d, h), path)
        for what, actions in _courses(window, path):
            blocks = _Watchdog(app).blocks(list(actions))
            note = f"{len(blocks)} actions" if len(blocks) > 1 else ""
            at = f"n {n}, d {d}, h {h}"
            yield Row("frames", what, "one frame", at, FRAME_MS, blocks, note=note, largest=True)
        settle(app)


def _courses(window: MainWindow, path: Path) -> Iterator[tuple[str, Iterator[Action]]]:
    session, step = window.session, window.perform
    yield "opening the file", iter([partial(window.files.open, path)])
    yield "stepping through every stage", iter([partial(step, "stage_forward")] * 12)
    yield "scrolling a table of weights", _scrolls(window)
    yield (
        "zooming the diagram",
        iter([partial(step, "zoom_in")] * 6 + [partial(step, "zoom_out")] * 6),
    )
    yield (
        "looking at another head",
        iter([partial(session.select_head, 1), partial(session.select_head, 0)]),
    )
    yield "tokens as columns and back", iter([partial(step, "toggle_columns")] * 2)
    yield (
        "another theme and back",
        iter([partial(step, "theme_dark"), partial(step, "theme_light")]),
    )
    yield (
        "larger words and back",
        iter([partial(step, "text_larger"), partial(step, "text_normal")]),
    )
    yield (
        "a mask, and steps behind it",
        iter(
            [
                partial(step, "toggle_mask"),
                *[partial(step, "stage_back")] * 6,
                partial(step, "toggle_mask"),
            ]
        ),
    )
    yield "an edit of one number", iter([partial(_edit, session)])
    yield "taking it back", iter([partial(step, "undo")])
    yield "copying the weights", iter([partial(_copy, window)])
    yield "saving", iter([window.files.save])


def _scrolls(window: MainWindow) -> Iterator[Action]:
    """The table of weights brought forward, then scrolled page by page, down and across."""
    yield partial(_show_table, window, "weights")
    table = window.tables.view
    for bar in (table.verticalScrollBar(), table.horizontalScrollBar()):
        for _ in range(10):
            yield partial(_scroll, bar)


def _show_table(window: MainWindow, tensor: str) -> None:
    window.tables.show_table(tensor)
    dock = window.docks["tables"]
    dock.show()
    dock.raise_()


def _scroll(bar: Any) -> None:
    bar.setValue(bar.value() + bar.pageStep())


def _edit(session: Any) -> None:
    from core.base.cell import Cell
    from core.document.edits import with_cell

    session.change(with_cell, Cell("X", 1, 2), 0.5, text="Edit")


def _copy(window: MainWindow) -> None:
    from core.base.cell import Cell

    window.session.set_focus(Cell("weights", 0, 0))
    window.perform("copy_as_tsv")


def _rest(app: Any, milliseconds: float) -> None:
    end = perf_counter() + milliseconds / 1000
    while perf_counter() < end:
        app.processEvents()


class _Watchdog:
    """A timer that wants to tick all the time; the longest gap between two ticks is the longest block."""

    def __init__(self, app: Any) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._app = app
        self._timer = QTimer(interval=0, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._last = self._longest = self._busy = 0.0

    def _tick(self) -> None:
        now = perf_counter()
        block, self._last = now - self._last, now
        self._longest = max(self._longest, block)
        if block > BUSY_MS / 1000:
            self._busy = now

    def blocks(self, actions: list[Action]) -> tuple[float, ...]:
        """The longest block of each action in ms, until everything is painted and quiet."""
        return tuple(map(self._block, actions))

    def _block(self, action: Action) -> float:
        from PySide6.QtCore import QEvent, QTimer

        self._longest, self._last = 0.0, perf_counter()
        self._busy = self._last
        self._timer.start()
        QTimer.singleShot(0, action)
        while perf_counter() - self._busy < PAUSE_MS / 1000:
            self._app.processEvents()
            self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._timer.stop()
        return 1000 * self._longest
