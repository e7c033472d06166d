"""Cells that an edit has just changed shine for a moment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, QVariantAnimation, Signal

from core.base.arrays import Array
from core.document.parts import STAGE_AXES
from gui.painting.matrix import MatrixSpec
from gui.session.state import State
from gui.views.stage.operand_layout import Placed
from gui.views.stage.scene import Scene

MILLISECONDS = 600


class Flash(QObject):
    """Remembers the state before an edit, and how brightly the difference still shines; `frame` whenever it changes."""

    frame = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._before: State | None = None
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0)
        self._fade.valueChanged.connect(self._tick)
        self._fade.finished.connect(self._end)

    @property
    def shines(self) -> bool:
        """Whether anything shines now."""
        return self._before is not None

    def start(self, before: State, now: State) -> None:
        """Let shine what differs from the state before; nothing where nothing may move."""
        self._fade.stop()
        self._before = before if now.moves else None
        if self._before is not None:
            self._fade.setDuration(max(1, round(MILLISECONDS / now.preferences.speed)))
            self._fade.start()

    def stop(self) -> None:
        """Everything at rest at once."""
        self._before = None
        self._fade.stop()

    def pictures(self, scene: Scene) -> tuple[MatrixSpec, ...]:
        """The scene's matrices with their changed cells shining."""
        if self._before is None:
            return tuple(placed.picture for placed in scene.placed)
        alpha = float(self._fade.currentValue())
        before = self._before
        return tuple(
            replace(placed.picture, flash=changed_cells(before, placed), flash_alpha=alpha)
            for placed in scene.placed
        )

    def _tick(self, _value: object) -> None:
        self.frame.emit()

    def _end(self) -> None:
        self._before = None
        self.frame.emit()


def changed_cells(before: State, placed: Placed) -> npt.NDArray[np.bool_] | None:
    """Which cells of a window differ from the state before; None where there was no such matrix of that size."""
    old = _matrix(before, placed)
    if old is None or old.shape != placed.operand.values.shape:
        return None
    rows, columns = placed.rows, placed.columns
    differs: npt.NDArray[np.bool_] = (
        old[rows.start : rows.stop, columns.start : columns.stop] != placed.picture.values
    )
    return differs


def _matrix(state: State, placed: Placed) -> Array | None:
    """The operand's matrix in another state, turned as it is drawn."""
    tensor, head = placed.operand.tensor, placed.operand.head
    if not tensor or head >= state.document.h:
        return None
    if tensor in STAGE_AXES:
        found = state.trace.matrix(tensor, head) if tensor in state.trace else None
    else:
        found = state.document.tensor(tensor, head)
    if found is None:
        return None
    found = found if found.ndim == 2 else found[None, :]
    return found.T if placed.operand.transposed else found
