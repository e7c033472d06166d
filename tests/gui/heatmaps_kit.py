"""What the tests of the heatmap panel share."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.document.document import Document, Head, Mask
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.heatmaps.panel import HeatmapPanel

N, D, H, K, V = 5, 6, 3, 2, 4


def example(mask: str = "none", n: int = N) -> Document:
    random = np.random.default_rng(3)

    def made(*shape: int) -> np.ndarray:
        return frozen(random.normal(size=shape))

    names = ("", "grammar", "")
    heads = tuple(Head(name, W_Q=made(D, K), W_K=made(D, K), W_V=made(D, V)) for name in names)
    tokens = tuple(f"t{i}" for i in range(n))
    return Document(tokens=tokens, X=made(n, D), heads=heads, mask=Mask(mask))


def make_panel(
    qtbot: QtBot, document: Document | None = None, **preferences: object
) -> tuple[Session, HeatmapPanel]:
    """A panel on the screen that follows its session."""
    session = Session(document or example(), Preferences(**preferences))  # type: ignore[arg-type]
    panel = HeatmapPanel(session)
    qtbot.addWidget(panel)
    session.changed.connect(panel.show_state)
    panel.show_state(None, session.state)
    panel.resize(560, 400)
    panel.show()
    qtbot.waitUntil(lambda: bool(panel.reading.text() or panel.empty.text))
    return session, panel


def click(qtbot: QtBot, panel: HeatmapPanel, cell: Cell) -> None:
    point = panel.view.point_of(cell).toPoint()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def pixels(panel: HeatmapPanel) -> QImage:
    image: QImage = panel.view.viewport().grab().toImage()
    return image


def colour_in(panel: HeatmapPanel, cell: Cell) -> QColor:
    """The pixel at the left of a cell, away from its digits."""
    here = panel.view.point_of(cell)
    width = (
        panel.view.point_of(Cell("", cell.row, 1, cell.head)).x()
        - panel.view.point_of(Cell("", cell.row, 0, cell.head)).x()
    )
    return pixels(panel).pixelColor((here - QPointF(width * 0.44, 0)).toPoint())
