"""What an edit paints: only what shows numbers; and on the screen stands what views made afresh would show."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document, Softmax
from core.document.edits import with_cell, with_pin, with_softmax
from core.document.resize import with_token_added
from core.storage.examples import load_example
from gui.painting import formulas
from gui.painting.pixmap_cache import CACHE
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.diagram.view import DiagramView
from gui.views.heatmaps.panel import HeatmapPanel
from gui.views.stage.header import FORMULA, formula_colour
from gui.views.stage.view import StageView
from gui.views.timeline import TimelineBar
from tests.bench.experiments import experiment


class Board(QWidget):
    """The views that a step and an edit change, on the screen, as they follow a session."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.stage, self.diagram = StageView(session, self), DiagramView(session, self)
        self.heatmaps, self.timeline = HeatmapPanel(session, self), TimelineBar(session, self)
        column = QVBoxLayout(self)
        for view, stretch in (
            (self.timeline, 0),
            (self.diagram, 3),
            (self.stage, 4),
            (self.heatmaps, 4),
        ):
            column.addWidget(view, stretch)
            session.changed.connect(view.show_state)
            view.show_state(None, session.state)


class Painted(QObject):
    """Counts the widgets that are painted, by class."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.of: Counter[str] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            self.of[type(watched).__name__] += 1
        return False


def settle() -> None:
    for _ in range(4):
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def board(qtbot: QtBot, session: Session) -> Board:
    made = Board(session)
    qtbot.addWidget(made)
    made.resize(900, 1000)
    made.show()
    qtbot.waitExposed(made)
    assert (
        made.heatmaps.view is not None
    )  # the canvas is there, not the picture that stands in for it
    typeset(qtbot, made)
    settle()
    return made


def typeset(qtbot: QtBot, shown: Board) -> None:
    """Wait until the formula is there that the stage has now."""
    colour = formula_colour(shown.stage._state)
    qtbot.waitUntil(lambda: formulas.is_ready(shown.stage._latex(), colour, FORMULA))


def session_on(document: Document, **preferences: object) -> Session:
    return Session(document, Preferences(motion=False, **preferences))  # type: ignore[arg-type]


def on_screen(shown: QWidget) -> QImage:
    """What was painted so far, without painting anything anew but for the ring of the keyboard's place."""
    if shown.focusWidget() is not None:
        shown.focusWidget().clearFocus()
    settle()
    image: QImage = QApplication.primaryScreen().grabWindow(shown.winId()).toImage()
    return image


def edited(session: Session, value: float) -> None:
    document = session.state.document
    session.edit(with_cell(document, Cell(document.inputs[0], 1, 1), value))


def painted_by(qapp: QApplication, wish: object, *args: object) -> Counter[str]:
    painted = Painted(qapp)
    qapp.installEventFilter(painted)
    wish(*args)  # type: ignore[operator]
    settle()
    qapp.removeEventFilter(painted)
    return painted.of


def test_an_edit_paints_what_shows_numbers_and_nothing_else(
    qtbot: QtBot, qapp: QApplication
) -> None:
    session = session_on(experiment(9, 6, 3), heatmap_view="heads")
    session.go_to_stage("scores")
    shown = board(qtbot, session)  # alive to the end
    for value in (0.1, 0.2):
        edited(session, value)
        settle()
    painted = painted_by(qapp, edited, session, 0.3)
    assert painted["StageView"] == painted["DiagramView"] == 1
    assert not painted.keys() & {
        "TimelineBar",
        "HeatmapPanel",
        "LevelsButton",
    }
    assert painted_by(qapp, session.step)["TimelineBar"] == 1
    assert shown.isVisible()


def test_the_timeline_follows_another_number_of_tokens_and_another_name(
    qtbot: QtBot, qapp: QApplication
) -> None:
    session = session_on(load_example("cat-eats-fish"))
    session.go_to_stage("weights")
    shown, document = board(qtbot, session), session.state.document
    assert painted_by(qapp, session.edit, with_token_added(document, 1, "ni"))["TimelineBar"] == 1
    other = with_softmax(session.state.document, Softmax("2"))
    assert painted_by(qapp, session.edit, other)["TimelineBar"] == 1
    assert shown.timeline.isVisible()


@pytest.mark.parametrize("name", ["cat-eats-fish", "eight-heads"])
@pytest.mark.parametrize(
    ("shade", "preferences"),
    [
        ("light", {"heatmap_view": "heads"}),
        ("dark", {"labels": "both", "columns": True}),
        ("light", {"decimals": 4}),
    ],
)
def test_after_steps_and_edits_the_screen_shows_what_fresh_views_show(
    qtbot: QtBot, name: str, shade: str, preferences: dict[str, object]
) -> None:
    session = session_on(load_example(name), **preferences)
    session.set_shade(shade)
    shown = board(qtbot, session)
    for value, stage in (
        (0.31, "Q"),
        (-4.5, "scores"),
        (12.25, "weights"),
        (0.5, "weights"),
        (0.5, "heads"),
    ):
        session.go_to_stage(stage)
        typeset(qtbot, shown)
        edited(session, value)
        if value == 12.25:
            session.edit(with_pin(session.state.document, Cell("weights", 1, 0), 0.25))
        fresh_session = session_on(session.state.document, **preferences)
        fresh_session.set_shade(shade)
        fresh_session.go_to(session.state.cursor)
        fresh_session.set_focus(session.state.focus)
        seen = on_screen(shown)
        CACHE.clear()
        fresh = board(qtbot, fresh_session)
        assert seen == on_screen(fresh), stage
        session.step(1)
        settle()
        session.step(-1)
        assert on_screen(shown) == on_screen(fresh), stage
