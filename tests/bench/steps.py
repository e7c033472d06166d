"""A step and an edit in the program's window, until painted, against the same images set and repainted bare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_cell
from tests.bench.experiments import Straight, experiment
from tests.bench.measure import Plan, Row, Rows, in_turn, milliseconds, timed
from tests.bench.windows import BareWindow, begin, program_window, settle

TOKENS = (4, 16, 64, 256, 512)
D, HEADS = 64, 8
# Forward and back between stages of the same shape, whose images the bare window can show as well.
WALK = (1, 1, 1, -1, -1, -1)
FIRST = "scores"
SHOWN = ("scaled", "exp", "weights", "exp", "scaled", "scores")


def steps(plan: Plan) -> Rows:
    """One step at each size, between stages seen before and right after an edit, when nothing kept is of any use; and
    how the cost beside the images grows."""
    beside: dict[int, float] = {}
    with TemporaryDirectory() as folder, closing(_Pair(Path(folder))) as pair:
        for n in _tokens(plan):
            pair.open(experiment(n, D, HEADS))
            ours, theirs = in_turn(plan, timed(pair.step, 0.0), timed(pair.show, 0.0))
            yield Row(
                "steps", "one step until painted", "the images bare", _at(n), 1.5, ours, theirs
            )
            new, theirs = in_turn(plan, pair.new_step, timed(pair.show, 0.0))
            # Of a step that finds nothing: one that finds what it has painted costs less than the images.
            beside[n] = median(a - b for a, b in zip(new, theirs, strict=True))
            yield Row(
                "steps",
                "one step in a new run until painted",
                "the images bare",
                _at(n),
                1.5,
                new,
                theirs,
            )
    few, many = min(beside), max(beside)
    cost = (beside[many],), (beside[few],)
    yield Row(
        "steps",
        "a step in a new run apart from its images",
        f"the same at n {few}",
        _at(many),
        1.25,
        *cost,
    )


def painted_edits(plan: Plan) -> Rows:
    """One edited cell of X until everything is painted."""
    with TemporaryDirectory() as folder, closing(_Pair(Path(folder))) as pair:
        for n in _tokens(plan):
            pair.open(experiment(n, D, HEADS))
            ours, theirs = in_turn(plan, timed(pair.edit, 0.0), timed(pair.compute_and_show, 0.0))
            what, against = "one edited cell until painted", "NumPy + the images bare"
            yield Row("painted edits", what, against, _at(n), 1.5, ours, theirs)


class _Pair:
    """Both windows on the same experiment."""

    def __init__(self, folder: Path) -> None:
        self._app: Any = begin(folder)
        self._window = program_window(self._app)
        self._window.session.prefer(heatmap_view="heads", motion=False)
        self._bare = BareWindow(self._app, HEADS)
        settle(self._app)

    def close(self) -> None:
        """Nothing is written into the folder any more, also beside the window: it can go."""
        self._window.recovery.finish()

    def open(self, document: Document) -> None:
        """Show an experiment in both, at the first of the stages that are walked."""
        session = self._window.session
        session.open_document(document)
        session.jump(FIRST)
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

    def new_step(self) -> float:
        """Milliseconds of a step in a run of which nothing was seen but its first stage."""
        self.edit()
        return milliseconds(self.step)

    def show(self) -> None:
        """The images of one step, bare."""
        self._bare.show(next(self._shown))

    def edit(self) -> None:
        """Another number in one cell of X."""
        self._value = math.fmod(self._value + 0.37, 1.0)
        self._window.session.change(
            with_cell, Cell("X", 1, 2), self._value, text="Edit", merge="bench"
        )
        settle(self._app)

    def compute_and_show(self) -> None:
        """The same number, computed by NumPy alone and shown bare."""
        X = self._straight.X.copy()
        X[1, 2] = self._value
        self._straight.X = X
        self._bare.show(tuple(self._straight()["scores"]))


def _tokens(plan: Plan) -> tuple[int, ...]:
    return TOKENS[:2] if plan.quick else TOKENS


def _at(n: int) -> str:
    return f"n {n}, d {D}, h {HEADS}"
