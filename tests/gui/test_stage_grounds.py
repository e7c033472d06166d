"""The ground of the stage view: kept while only numbers change, and never another's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_cell
from core.document.resize import with_token_named
from core.explain.timeline import Cursor, Reach
from core.storage.examples import load_example
from gui.painting.pixmap_cache import Hashed
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.stage import panel, picture
from gui.views.stage.background_key import ground_key
from gui.views.stage.picture import paint_ground
from gui.views.stage.scene import Scene, build_scene
from tests.gui.stage_kit import make_view, session_at

ROOM = QRectF(0, 0, 620, 330)


def edited(session: Session, value: float) -> None:
    session.edit(
        with_cell(session.state.document, Cell(session.state.document.inputs[0], 0, 0), value)
    )


def states(name: str, language: str, shade: str) -> Iterator[State]:
    """Every stage of an experiment at two places, with numbers of two runs, and other wordings of one of them."""
    session = Session(load_example(name), Preferences(), language, shade)
    for value in (0.25, 0.75):
        edited(session, value)
        for stage in session.state.trace.plan:
            for row, reach in ((0, Reach.WHOLE), (1, Reach.CELL)):
                session.stand_at(Cursor(stage.id, 0, row, 1, reach))
                yield session.state
    for wish in ({"decimals": 1}, {"labels": "both"}, {"columns": True}):
        session.prefer(**wish)
        yield session.state


def painted(scene: Scene) -> bytes:
    image = QImage(ROOM.size().toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    paint_ground(painter, scene)
    painter.end()
    return bytes(image.constBits())


def test_equal_keys_are_equal_grounds(qapp: object) -> None:
    found: dict[Hashed, bytes] = {}
    again = 0
    seen = (
        ("cat-eats-fish", "en", "light"),
        ("cat-eats-fish", "zh_CN", "dark"),
        ("translation", "en", "light"),
    )
    for state in (state for one in seen for state in states(*one)):
        scene = build_scene(state, ROOM)
        key, ground = ground_key(scene), painted(scene)
        again += key in found
        assert ground == found.setdefault(key, ground)
    assert again > len(found) / 3  # another run of the same stages


def test_another_place_is_another_ground(qapp: object) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 1)
    first = ground_key(build_scene(session.state, ROOM))
    for cell in (Cell("scores", 2, 1), Cell("scores", 1, 2)):
        session.focus_on(cell)
        assert ground_key(build_scene(session.state, ROOM)) != first


@pytest.mark.parametrize("stage", ["scores", "weights", "heads"])
def test_a_view_over_its_kept_ground_is_the_view_painted_whole(qtbot: QtBot, stage: str) -> None:
    session = session_at("cat-eats-fish", stage, 1, 2)
    session.prefer(motion=False)
    view = make_view(qtbot, session)
    for value in (0.2, 0.4, 0.6):
        edited(session, value)
        over_the_kept = view.grab().toImage()
    fresh = make_view(qtbot, session)
    fresh.clearFocus()
    assert over_the_kept == fresh.grab().toImage()
    assert view._panels.painted[1] == ["stage"]
    assert fresh._panels.painted[1] == []


def test_a_ground_is_painted_for_the_second_run_and_no_more(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    session.prefer(motion=False)
    view = make_view(qtbot, session)
    told: list[str] = []
    monkeypatch.setattr(
        "gui.views.stage.panel.paint_ground", lambda painter, scene: told.append(scene.target.stage)
    )
    for value in (0.2, 0.4, 0.6, 0.8):
        edited(session, value)
        view.repaint()
    assert len(told) <= 1


def test_the_ring_covers_nothing_while_cells_shine_on_a_ground_that_is_new(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores")
    view = make_view(qtbot, session)
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    document = with_token_named(session.state.document, 0, "dog")
    session.edit(with_cell(document, Cell(document.inputs[0], 0, 0), 0.35))
    assert view.flash.shines
    image = view.grab().toImage()
    middle = {
        image.pixelColor(x, image.height() // 2).name() for x in range(20, image.width() - 20)
    }
    assert len(middle) > 10


def test_a_sum_that_stays_is_painted_for_the_second_run_and_one_that_changes_each_time(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    session.prefer(motion=False)
    view = make_view(qtbot, session)
    told: list[str] = []
    alone, within = panel.paint_sum, picture.paint_sum
    monkeypatch.setattr(panel, "paint_sum", lambda *args: (told.append("kept"), alone(*args)))
    monkeypatch.setattr(picture, "paint_sum", lambda *args: (told.append("anew"), within(*args)))
    found: list[tuple[str, ...]] = []
    for value, row in enumerate((0, 0, 0, 1, 1, 0, 0), start=2):
        session.edit(
            with_cell(
                session.state.document, Cell(session.state.document.inputs[0], row, 0), value / 8
            )
        )
        told.clear()
        shown = view.grab().toImage()
        found.append(tuple(told))
        fresh = make_view(qtbot, session)
        fresh.clearFocus()
        assert shown == fresh.grab().toImage()
    assert found == [("anew",), ("kept",), (), ("anew",), ("anew",), ("kept",), ()]
