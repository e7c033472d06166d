"""Marks the cells of the stage view that an edit has changed, for a moment."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import (
    QObject,
    QVariantAnimation,
    Signal,
)

from core.base.arrays import Array, BoolArray
from core.document.parts import is_stage
from gui.painting.matrix import MatrixSpec
from gui.session.state import State
from gui.views.stage.operand_layout import PlacedOperand
from gui.views.stage.operation import Operand
from gui.views.stage.scene import StageScene

FLASH_MS = 600


class ChangeFlash(QObject):
    """Lets cells that an edit has changed flash.

    `frame` reports every change of their brightness.
    """

    frame = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._before: State | None = None
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0)
        self._fade.valueChanged.connect(lambda _alpha: self.frame.emit())
        self._fade.finished.connect(self._end)

    def start(self, before: State, now: State) -> None:
        """Flash what differs from the state before, unless motion is off."""
        self._fade.stop()
        self._before = before if now.motion else None
        if self._before is not None:
            self._fade.setDuration(max(1, round(FLASH_MS / now.preferences.speed)))
            self._fade.start()

    def stop(self) -> None:
        """End the flash at once."""
        self._before = None
        self._fade.stop()

    def matrices(self, scene: StageScene) -> tuple[MatrixSpec, ...]:
        """The matrices of a scene with their flashing cells."""
        before = self._before
        if before is None:
            return tuple(placed.matrix for placed in scene.placed)
        alpha = float(self._fade.currentValue())
        return tuple(
            replace(placed.matrix, flash=changed_cells(before, placed), flash_alpha=alpha)
            for placed in scene.placed
        )

    def _end(self) -> None:
        self._before = None
        self.frame.emit()


def changed_cells(before: State, placed: PlacedOperand) -> BoolArray | None:
    """Which visible cells differ from the state before.

    None where it has no such matrix of that shape.
    """
    old = _operand_values(before, placed.operand)
    if old is None or old.shape != placed.operand.values.shape:
        return None
    rows, columns = placed.rows, placed.columns
    changed: BoolArray = (
        old[rows.start : rows.stop, columns.start : columns.stop] != placed.matrix.values
    )
    return changed


def _operand_values(state: State, operand: Operand) -> Array | None:
    """The operand's matrix in another state, transposed as it is drawn."""
    tensor, head = operand.tensor, operand.head
    if tensor not in (*state.trace.plan.ids, *state.document.inputs):
        return None
    if head >= max(1, state.document.scope(tensor).h):
        return None
    if is_stage(tensor):
        found = state.trace.matrix(tensor, head) if tensor in state.trace else None
    else:
        found = state.document.tensor(tensor, head)
    if found is None:
        return None
    found = found if found.ndim == 2 else found[None, :]
    return found.T if operand.transposed else found
