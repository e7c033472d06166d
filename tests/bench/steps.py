"""A step and an edit in the program's window until painted, alone and against the same images shown bare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_cell
from tests.bench.experiments import Straight, experiment
from tests.bench.measure import Plan, Row, Rows, in_turn, milliseconds, timed
from tests.bench.windows import BareImageView, BareWindow, begin, program_window, settle

FRAME_MS = 16.7  # of a screen that shows 60 pictures a second
FEW, MANY = (4, 16, 64, 128), (256, 512, 1024)
D, HEADS = 64, 8
MILLION = 1000  # tokens of one head, whose scores have a million cells
OPENINGS = 5  # experiments that are opened to edit each once
# Forward and back between stages of the same shape, whose images the bare window can show as well.
WALK = (1, 1, 1, -1, -1, -1)
FIRST = "scores"
SHOWN = ("scaled", "exp", "weights", "exp", "scaled", "scores")


def steps(plan: Plan) -> Rows:
    """One step between stages seen before, and the first step after an edit."""
    with TemporaryDirectory() as folder, closing(_Pair(Path(folder))) as pair:
        for n in FEW[1:2] if plan.quick else FEW:
            pair.open(experiment(n, D, HEADS))
            for what, step in (
                ("one step until painted", timed(pair.step, 0.0)),
                ("one step after an edit until painted", pair.step_after_edit),
            ):
                ours, _ = in_turn(plan, step, timed(pair.show, 0.0))
                yield Row("steps", what, "one frame", _at(n), FRAME_MS, ours)


def painted_edits(plan: Plan) -> Rows:
    """One edited cell of X until everything is painted."""
    what, against = "one edited cell until painted", "NumPy + the images bare"
    with TemporaryDirectory() as folder, closing(_Pair(Path(folder))) as pair:
        for n in FEW[1:2] if plan.quick else FEW:
            pair.open(experiment(n, D, HEADS))
            ours, _ = in_turn(plan, timed(pair.edit, 0.0), timed(pair.compute_and_show, 0.0))
            yield Row("painted edits", what, "one frame", _at(n), FRAME_MS, ours)
        for n in FEW[-1:] if plan.quick else MANY:
            first = tuple(
                pair.first_edit(experiment(n, D, HEADS, seed)) for seed in range(OPENINGS)
            )
            ours, theirs = in_turn(plan, timed(pair.edit, 0.0), timed(pair.compute_and_show, 0.0))
            yield Row("painted edits", what, against, _at(n), 1.5, ours, theirs)
            bare = tuple(sorted(theirs)[len(theirs) // 2] for _ in first)
            yield Row(
                "painted edits", "the first edit after opening", against, _at(n), 3.0, first, bare
            )


def million(plan: Plan) -> Rows:
    """One step between stages of a million cells, against a bare ImageView that shows the same images."""
    n = FEW[-1] if plan.quick else MILLION
    with TemporaryDirectory() as folder, closing(_Pair(Path(folder))) as pair:
        pair.open(experiment(n, D, 1))
        ours, theirs = in_turn(plan, timed(pair.step, 0.0), timed(pair.show_view, 0.0))
        yield Row(
            "million",
            "one step until painted",
            "a bare ImageView",
            f"n {n}, d {D}, h 1",
            2.0,
            ours,
            theirs,
        )


class _Pair:
    """The program's window and bare ones on the same experiment."""

    def __init__(self, folder: Path) -> None:
        self._app: Any = begin(folder)
        self._window = program_window(self._app)
        self._window.session.set_preferences(heatmap_view="heads", motion=False)
        self._bare, self._view = BareWindow(self._app, HEADS), BareImageView(self._app)
        settle(self._app)

    def close(self) -> None:
        """Wait for what is written into the folder beside the window; delete the windows."""
        self._window.recovery.finish()
        # A window that Python's garbage collector deletes loses its attributes before its slots.
        for window in (self._window, self._bare.widget, self._view.widget):
            window.hide()
            window.deleteLater()
        settle(self._app)

    def open(self, document: Document) -> None:
        """Show an experiment, at the first of the stages that are walked."""
        session = self._window.session
        session.open_document(document)
        session.go_to_stage(FIRST)
        self._walk: Iterator[int] = cycle(WALK)
        trace = session.state.trace
        self._shown: Iterator[Sequence[Array]] = cycle([tuple(trace[name]) for name in SHOWN])
        self._straight = Straight(document)
        self._value = 0.0
        settle(self._app)

    def step(self) -> None:
        """One step in the program."""
        self._window.session.step(next(self._walk))
        settle(self._app)

    def step_after_edit(self) -> float:
        """Milliseconds of a step in a run of which only its first stage was shown before."""
        self.edit()
        return milliseconds(self.step)

    def show(self) -> None:
        """The images of one step, bare."""
        self._bare.show(next(self._shown))

    def show_view(self) -> None:
        """The image of one step of one head in an ImageView."""
        self._view.show(next(self._shown)[0])

    def edit(self) -> None:
        """Another number in one cell of X."""
        self._value = math.fmod(self._value + 0.37, 1.0)
        self._window.session.change(
            with_cell, Cell("X", 1, 2), self._value, text="Edit", merge="bench"
        )
        settle(self._app)

    def first_edit(self, document: Document) -> float:
        """Milliseconds of the first edit of an experiment that has just been opened."""
        self.open(document)
        return milliseconds(self.edit)

    def compute_and_show(self) -> None:
        """The same number, computed by NumPy alone and shown bare."""
        X = self._straight.X.copy()
        X[1, 2] = self._value
        self._straight.X = X
        self._bare.show(tuple(self._straight()["scores"]))


def _at(n: int) -> str:
    return f"n {n}, d {D}, h {HEADS}"
