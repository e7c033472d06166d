"""The page of heads, switches and sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gui.session import Session
from gui.state import State
from gui.tables.heads import HeadsBar
from gui.tables.sizes import SizesPanel
from gui.tables.switches import SwitchesPanel


class SetupPage(QScrollArea):
    """Scrolls where the room is small."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget(self)
        self.heads, self.switches, self.sizes = (
            HeadsBar(session, inside), SwitchesPanel(session, inside), SizesPanel(session, inside),
        )  # fmt: skip
        column = QVBoxLayout(inside)
        column.setContentsMargins(2, 4, 8, 8)
        column.setSpacing(18)
        for part in (self.heads, self.switches, self.sizes):
            column.addWidget(part)
        column.addStretch(1)
        self.setWidget(inside)
        for surface in (self.viewport(), inside):
            surface.setAutoFillBackground(False)

    def show_state(self, old: State | None, new: State) -> None:
        """Every part."""
        for part in (self.heads, self.switches, self.sizes):
            part.show_state(old, new)
