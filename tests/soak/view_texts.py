"""Everything that a window says: what it paints, its tables, its descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QWidget

from core.document.parts import STAGE_AXES
from gui.app.main_window import MainWindow
from tests.gui.svg_kit import svg_of, texts

ROOM = (1920, 1080)  # larger than any widget that is read
# NaN in any spelling, and an infinity that no mask has put there.
WRONG = re.compile(r"\bnan\b|\binf(?:inity)?\b|(?<![−-])∞", re.IGNORECASE)


def painted(widget: QWidget) -> str:
    """What a widget and its children paint, as a vector picture has it."""
    found = _vectors(lambda painter: widget.render(painter, QPoint()))
    return re.sub("−\\s*\n", "−", found)  # a sign may be painted apart from its number


def _vectors(paint: Callable[[QPainter], object]) -> str:
    return "\n".join(texts(svg_of(lambda painter, _room: paint(painter), ROOM)))


def said(window: MainWindow) -> list[str]:
    """Painted texts, labels, what screen readers hear, and every cell of the table in front."""
    panels = (window.diagram, window.stage, window.heatmaps, window.tables, window.bar)
    texts = [painted(panel) for panel in panels]
    for panel in panels:
        for widget in (panel, *panel.findChildren(QWidget)):
            texts += [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
            texts += [widget.text()] if isinstance(widget, QLabel) else []
    return [*texts, *_cells(window)]


def _cells(window: MainWindow) -> list[str]:
    model, found = window.tables.view.model(), []
    for row in range(model.rowCount(QModelIndex())):
        for column in range(model.columnCount(QModelIndex())):
            index = model.index(row, column)
            roles = (
                Qt.ItemDataRole.DisplayRole,
                Qt.ItemDataRole.ToolTipRole,
                Qt.ItemDataRole.AccessibleTextRole,
            )
            found += [str(model.data(index, role) or "") for role in roles]
    return found


def wrong_texts(window: MainWindow) -> list[str]:
    """What no view may say, at every stage of the plan and its last cell."""
    found = []
    for stage in window.session.state.trace.plan.ids:
        window.session.go_to_stage(stage)
        rows, columns = window.session.state.trace[stage].shape[-2:]
        assert stage in STAGE_AXES
        window.session.move_focus(rows, columns)
        for text in said(window):
            found += [
                f"{stage}: {text[max(0, m.start() - 60) : m.end() + 20]}"
                for m in WRONG.finditer(text)
            ]
    return found
