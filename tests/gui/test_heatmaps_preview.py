"""The first picture of the heatmap, painted without pyqtgraph: the same picture, until somebody wants more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.document.edits import with_head_enabled
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.heatmaps.panel import HeatmapPanel
from tests.gui.heatmaps_kit import example


def fresh(qtbot: QtBot, **preferences: object) -> tuple[Session, HeatmapPanel]:
    """A panel as a start shows it: nothing has happened since."""
    document = with_head_enabled(example("causal"), 1, False)
    session = Session(document, Preferences(heatmap_stage="weights", **preferences))  # type: ignore[arg-type]
    panel = HeatmapPanel(session)
    qtbot.addWidget(panel)
    panel.show_state(None, session.state)
    panel.resize(560, 400)
    panel.show()
    qtbot.waitExposed(panel)
    return session, panel


def pixels(widget: QWidget) -> npt.NDArray[np.int_]:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].astype(int)


@pytest.mark.parametrize("view", ["one", "heads"])
def test_the_preview_looks_as_the_canvas(qtbot: QtBot, view: str) -> None:
    _, panel = fresh(qtbot, heatmap_view=view)
    assert panel.preview.isVisible()
    before = pixels(panel.preview)
    assert before.std() > 10
    canvas = panel.view
    assert canvas.isVisible()
    assert not panel.preview.isVisible()
    after = pixels(canvas.viewport())
    assert after.shape == before.shape
    far = np.abs(after - before) > 40
    assert far.mean() < 0.004  # edges of cells, which an image and a painter round otherwise


def test_a_state_that_changes_brings_the_canvas(qtbot: QtBot) -> None:
    session, panel = fresh(qtbot)
    session.changed.connect(panel.show_state)
    session.move_focus(1, 0)
    assert not panel.preview.isVisible()
    assert panel.view.isVisible()


def test_the_keyboard_goes_on_to_the_canvas(qtbot: QtBot) -> None:
    _, panel = fresh(qtbot)
    name = panel.preview.accessibleName()
    panel.activateWindow()
    panel.preview.setFocus()
    qtbot.waitUntil(lambda: panel.view.hasFocus())
    assert panel.view.accessibleName() == name != ""
    assert panel.view.accessibleDescription() == panel.preview.accessibleDescription() != ""
