"""In steps of rows and cells the heatmap gives nothing away that is not reached yet."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_pin
from core.explain.timeline import Cursor, Grain, Reach
from gui.session.session import Session
from gui.views.heatmaps.panel import HeatmapPanel
from tests.gui.heatmaps_kit import N, example, make_panel, pixels

ROW = 2  # the rows before it are reached
SECRET = 777.25  # a score larger than all others
VIEWS = ("one", "heads", "difference")


def with_last_token(document: Document, value: float) -> Document:
    """Another X for the last token: rows before it keep their queries, its own row changes."""
    x = np.array(document.X)
    x[-1] = value
    return Document(**{**_fields(document), "X": frozen(x)})


def _fields(document: Document) -> dict[str, object]:
    return {"tokens": document.tokens, "heads": document.heads, "mask": document.mask}


def at_row(
    qtbot: QtBot, document: Document, stage: str, **preferences: object
) -> tuple[Session, HeatmapPanel]:
    session, panel = make_panel(qtbot, document, grain=Grain.ROW, **preferences)
    session.compare_with_current()
    session.go_to(Cursor(stage, row=ROW, reach=Reach.ROW))
    return session, panel


def tip(panel: HeatmapPanel, cell: Cell) -> str:
    at = panel.view.point_of(cell).toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, at, panel.view.viewport().mapToGlobal(at))
    QToolTip.hideText()
    QApplication.sendEvent(panel.view.viewport(), event)
    return QToolTip.text()


@pytest.mark.parametrize("n", [N, 40])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("columns", [False, True])
def test_runs_that_differ_further_on_look_and_read_the_same(
    qtbot: QtBot, n: int, view: str, columns: bool
) -> None:
    """The last token has other numbers, and much larger ones: colours, scale and texts agree."""
    looks: list[tuple[QImage, str, str]] = []
    for value in (0.25, SECRET):
        document = with_last_token(example(n=n), value)
        _, panel = at_row(qtbot, document, "Q", heatmap_view=view, columns=columns)
        looks.append((pixels(panel), panel.reading.text(), panel.view.accessibleDescription()))
    assert looks[0] == looks[1]


@pytest.mark.parametrize("levels", ["heads", "stage", "weights"])
def test_no_scale_reaches_as_far_as_a_hidden_number(qtbot: QtBot, levels: str) -> None:
    document = with_last_token(example(), SECRET)
    _, panel = at_row(qtbot, document, "Q", heatmap_levels=levels)
    assert panel.view.spec is not None
    x = np.abs(document.X).max() if levels == "weights" else 0.0
    seen = max(x, max(np.abs(document.X[: ROW + 1] @ head.W_Q).max() for head in document.heads))
    assert panel.view.spec.panes[0].levels.high <= seen + 1e-12


def test_a_hidden_number_is_in_no_text(qtbot: QtBot) -> None:
    session, panel = at_row(qtbot, example(), "scores")
    last = Cell("scores", N - 1, 1, 0)
    number = f"{abs(session.state.trace.value(last)):.2f}"
    session.set_focus(last)
    texts = panel.reading.text(), panel.view.accessibleDescription(), tip(panel, last)
    assert not any(number in text for text in texts)
    assert all("not reached yet" in text for text in texts)
    session.set_focus(Cell("scores", ROW, 1, 0))
    shown = f"{abs(session.state.trace.value(session.state.focus)):.2f}"
    assert shown in panel.reading.text()


@pytest.mark.parametrize("change", [{"grain": Grain.STAGE}, {"show_ahead": True}])
def test_whole_stages_and_the_preference_show_all(qtbot: QtBot, change: dict[str, object]) -> None:
    session, panel = at_row(qtbot, example(), "scores")
    blank = pixels(panel)
    session.set_preferences(**change)
    session.go_to(Cursor("scores", reach=Reach.WHOLE))
    session.set_focus(Cell("scores", N - 1, 1, 0))
    assert f"{session.state.trace.value(session.state.focus):.2f}".lstrip("-") in (
        panel.reading.text()
    )
    assert pixels(panel) != blank


def test_a_number_ahead_can_be_pinned_and_is_seen_then(qtbot: QtBot) -> None:
    session, panel = at_row(qtbot, example(), "scores")
    cell = Cell("scores", N - 1, 1, 0)
    wanted: list[Cell] = []
    panel.edit_wanted.connect(wanted.append)
    panel.view.cell_doubled.emit(Cell("", cell.row, cell.column, 0))
    assert wanted == [cell]
    before = pixels(panel)
    session.change(with_pin, cell, 0.375, text="Pin")
    session.set_focus(cell)
    assert "0.38" in panel.reading.text() or "0.37" in panel.reading.text()
    assert pixels(panel) != before


def test_a_step_inside_a_stage_keeps_what_was_coloured(qtbot: QtBot) -> None:
    session, panel = at_row(qtbot, example(n=40), "weights")
    assert panel.view.spec is not None
    panes = panel.view.spec.panes
    session.step(1)
    assert all(one is other for one, other in zip(panes, panel.view.spec.panes, strict=True))
