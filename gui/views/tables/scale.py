"""What the scores are multiplied by."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from core.arithmetic.stable_sum import LARGEST
from core.base.number_format import show
from core.compute.trace import scale_factor
from core.document.document import SCALE_KINDS, Scale
from core.document.edits import with_scale
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import mark, tr
from gui.views.tables.rows import Choice, Section
from gui.widgets.fields import RealField


class ScaleSection(Section):
    """÷√d_k, none, or a factor."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.kind = Choice(SCALE_KINDS, self)
        self.factor = RealField(parent=self)
        self.add_row(self.kind)
        self.add_row(self.factor)
        self.kind.activated.connect(self._choose)
        self.factor.entered.connect(self._choose_factor)

    def show_state(self, old: State | None, new: State) -> None:
        """The scale in force."""
        if old is None or old.shade != new.shade:
            self.factor.paint_in(colours(new.shade))
            self.paint_in(colours(new.shade))
        if old is None or old.language != new.language:
            self.name(tr("Scale"), "", tr("Scores are"), tr("Factor"))
            self.kind.show_names(
                {"sqrt_dk": "÷ √dₖ", "none": tr("Not scaled"), "factor": tr("× a factor")}
            )
        scale = new.document.scale
        self.kind.show_kind(scale.kind)
        self.factor.show_value(scale.value)
        self.show_row(self.factor, scale.kind == "factor")
        if old is None or _told_by(old) != _told_by(new):
            self.explain(_effect(new))

    def _choose(self, index: int) -> None:
        kind = SCALE_KINDS[index]
        now = self._session.state.document
        if kind != now.scale.kind:
            value = scale_factor(now) if kind == "factor" else 1.0
            self._session.change(with_scale, Scale(kind, value), text=_STEPS[kind])

    def _choose_factor(self, value: float) -> None:
        self._session.change(with_scale, Scale("factor", value), text=mark("Factor of the scores"))


_STEPS = {
    "sqrt_dk": mark("Scale by √d_k"),
    "none": mark("No scale"),
    "factor": mark("Scale by a factor"),
}


def _told_by(state: State) -> tuple[object, ...]:
    """What the caption depends on; traces compare by identity."""
    return id(state.trace), state.decimals, state.language


def _effect(state: State) -> str:
    """By how much, and whether that is too much for some score."""
    if state.document.scale.kind == "none":
        return ""
    factor = scale_factor(state.document)
    said = tr("The scores are multiplied by {factor}.", factor=show(factor, max(state.decimals, 2)))
    if abs(factor) > 1 and (np.abs(state.trace["scaled"]) == LARGEST).any():
        said += " " + tr(
            "Some exceed the largest number that can be stored, about 1.8×10³⁰⁸, and stay at it."
        )
    return said
