"""The pages of the setup: heads, positions, mask, scale and softmax, sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import mark
from gui.views.tables.heads import HeadsBar
from gui.views.tables.masking import MaskSection
from gui.views.tables.positions import PositionalSection
from gui.views.tables.scale import ScaleSection
from gui.views.tables.sizes import SizesPanel
from gui.views.tables.softmax import SoftmaxSection
from gui.widgets.side_by_side import SideBySide

# The pages in their order, with their names.
PAGES = {
    "setup_heads": mark("Heads"),
    "setup_positions": mark("Positions"),
    "setup_mask": mark("Mask"),
    "setup_scale": mark("Scale, softmax"),
    "setup_sizes": mark("Sizes"),
}
MARGINS = (2, 6, 8, 4)


class SetupPage(QStackedWidget):
    """One page at a time; each scrolls where the room is small."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heads, self.positional = HeadsBar(session), PositionalSection(session)
        self.masking, self.sizes = MaskSection(session), SizesPanel(session)
        self.scale, self.softmax = ScaleSection(session), SoftmaxSection(session)
        scores = SideBySide()
        scores.hold(self.scale, self.softmax, 180, 1)
        for page in (self.heads, self.positional, self.masking, scores, self.sizes):
            self.addWidget(_scrolling(page))

    def show_page(self, name: str) -> None:
        """Bring one of PAGES to the front."""
        self.setCurrentIndex(list(PAGES).index(name))

    def show_state(self, old: State | None, new: State) -> None:
        """Every part."""
        for part in (
            self.heads,
            self.positional,
            self.masking,
            self.scale,
            self.softmax,
            self.sizes,
        ):
            part.show_state(old, new)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The mask is as large as the room."""
        super().resizeEvent(event)
        self.masking.fit(self.height() - MARGINS[1] - MARGINS[3])


def _scrolling(page: QWidget) -> QScrollArea:
    area, inside = QScrollArea(), QWidget()
    column = QVBoxLayout(inside)
    column.setContentsMargins(*MARGINS)
    column.setSpacing(0)
    column.addWidget(page)
    column.addStretch(1)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    for surface in (area.viewport(), inside):
        surface.setAutoFillBackground(False)
    return area
