"""What the tests of the stage view share."""

from __future__ import annotations

import re
from collections import Counter

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from core.explain.timeline import Cursor, Reach
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.stage.operand_layout import PlacedOperand
from gui.views.stage.picture import paint_stage
from gui.views.stage.scene import StageScene
from gui.views.stage.view import StageView
from tests.gui import svg_kit

NUMBER = re.compile(r"−?\d+\.\d{2}")


def session_at(
    document: Document | str,
    stage: str,
    row: int = 1,
    column: int = 1,
    reach: Reach = Reach.WHOLE,
    *,
    head: int = 0,
    language: str = "en",
    shade: str = "light",
) -> Session:
    """A session that stands at a place of an experiment."""
    document = load_example(document) if isinstance(document, str) else document
    session = Session(document, Preferences(), language, shade)
    session.go_to(Cursor(stage, head, row, column, reach))
    return session


def make_view(qtbot: QtBot, session: Session, width: int = 780, height: int = 330) -> StageView:
    """A stage view on the screen that follows its session, its formula typeset."""
    view = StageView(session)
    qtbot.addWidget(view)
    session.changed.connect(view.show_state)
    view.show_state(None, session.state)
    view.resize(width, height)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(lambda: bool(view.scene().header.latex) or not view.isVisible())
    return view


def svg_of(state: State, width: int = 780, height: int = 330) -> str:
    """The stage as an SVG file."""
    return svg_kit.svg_of(lambda painter, room: paint_stage(painter, room, state), (width, height))


def numbers(found: list[str]) -> Counter[str]:
    """Those texts that are a number with two decimals."""
    return Counter(text for text in found if NUMBER.fullmatch(text))


def card_numbers(scene: StageScene) -> Counter[str]:
    """The numbers that the card writes, each a piece of its own."""
    pieces = [span.text.strip() for row, _ in scene.card.rows for span in row.spans]
    return numbers(pieces)


def image_of(state: State, width: int = 780, height: int = 330) -> QImage:
    """The stage as an image on white or black."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("black" if state.shade else "white"))
    painter = QPainter(image)
    paint_stage(painter, QRectF(0, 0, width, height), state)
    painter.end()
    return image


def operand(scene: StageScene, tensor: str, head: int | None = None) -> PlacedOperand:
    """The matrix of a tensor in a scene."""
    return next(
        placed
        for placed in scene.placed
        if placed.operand.tensor == tensor and head in (None, placed.operand.head)
    )


def centre(scene: StageScene, cell: Cell) -> tuple[float, float]:
    """The middle of a cell on the picture."""
    placed = operand(scene, cell.tensor, cell.head)
    row, column = (cell.column, cell.row) if placed.operand.transposed else (cell.row, cell.column)
    width, height = (
        placed.rect.width() / placed.columns.count,
        placed.rect.height() / placed.rows.count,
    )
    x = placed.rect.x() + (column - placed.columns.start + 0.5) * width
    y = placed.rect.y() + (row - placed.rows.start + 0.5) * height
    return x, y
