"""Positions, mask, scale and softmax: which kind, and the numbers that the kind uses."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.document import SCALE_KINDS, Scale
from core.edits import with_scale
from core.numbers import show
from core.trace import scale_factor
from gui.language import mark, tr
from gui.session import Session
from gui.state import State
from gui.tables.fields import RealField
from gui.tables.masking import MaskSection
from gui.tables.positions import PositionalSection
from gui.tables.rows import Choice, Section
from gui.tables.softmax import SoftmaxSection
from gui.theme import colours


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
        if old is None or old.dark != new.dark:
            self.factor.paint_in(colours(new.dark))
            self.paint_in(colours(new.dark))
        if old is None or old.language != new.language:
            self.name(tr("Scale"), "", tr("Scores are"), tr("Factor"))
            self.kind.show_names({"sqrt_dk": "÷ √dₖ", "none": tr("Not scaled"), "factor": tr("× a factor")})
        scale = new.document.scale
        self.kind.show_kind(scale.kind)
        self.factor.show_value(scale.value)
        self.show_row(self.factor, scale.kind == "factor")
        factor = show(scale_factor(new.document), max(new.decimals, 2))
        self.explain(tr("The scores are multiplied with {factor}.", factor=factor) if scale.kind != "none" else "")

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


class SwitchesPanel(QWidget):
    """The switches under each other."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.positional = PositionalSection(session, self)
        self.masking = MaskSection(session, self)
        self.scale = ScaleSection(session, self)
        self.softmax = SoftmaxSection(session, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(18)
        for section in (self.positional, self.masking, self.scale, self.softmax):
            column.addWidget(section)

    def show_state(self, old: State | None, new: State) -> None:
        """What is in force."""
        for section in (self.positional, self.masking, self.scale, self.softmax):
            section.show_state(old, new)
