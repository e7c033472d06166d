"""What a hall sees of the diagram: whole cards around the current stage, and how many there are beyond."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.compute.trace import run
from core.storage.examples import EXAMPLES, load_example
from gui.export.pictures import picture_state
from gui.painting.text_size import size_in_units
from gui.presentation.slide import panel_rects, unit_for
from gui.session.presented_views import DEFAULT_VIEWS, PresentedViews
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.diagram.geometry import LEGIBLE, strip
from gui.views.diagram.scene import layout_of, visible_crop
from gui.views.diagram.shapes import TOKENS, Rect
from gui.views.diagram.view import DiagramView
from gui.views.diagram.viewport import crop_camera
from gui.views.diagram.viewport_crop import Crop, crop_layout
from tests.gui.presenting_kit import svg_of, text_sizes

SCREENS = ((1024, 768), (1280, 720), (1920, 1080), (3840, 2160))


def room_on(screen: tuple[int, int], choice: PresentedViews) -> tuple[float, float]:
    """The room of the diagram on a screen, in its units."""
    place = panel_rects(QRect(0, 0, *screen), choice, screen[1])[0]
    room = size_in_units(QRect(0, 0, place.width(), place.height()), unit_for("diagram", screen[1]))
    return room.width(), room.height()


def every_part(example: str, room: tuple[float, float]) -> list[tuple[State, Crop]]:
    document = load_example(example)
    states = [
        picture_state(document, stage, "en", shade="light") for stage in run(document).plan.ids
    ]
    return [(state, visible_crop(state, room)) for state in states]


def overlap(first: Rect, other: QRectF) -> float:
    """How much of a rectangle lies in another, as a part of it."""
    both = QRectF(first.x, first.y, first.w, first.h).intersected(other)
    return both.width() * both.height() / (first.w * first.h)


@pytest.mark.parametrize("screen", SCREENS, ids=str)
@pytest.mark.parametrize("choice", [DEFAULT_VIEWS, PresentedViews(("diagram",))], ids=str)
@pytest.mark.parametrize("example", EXAMPLES)
def test_cards_are_seen_whole_or_not_at_all(
    qtbot: QtBot, screen: tuple[int, int], choice: PresentedViews, example: str
) -> None:
    size = room_on(screen, choice)
    room = QRectF(0.0, 0.0, *size)
    for state, seen in every_part(example, size):
        here = state.cursor.stage
        camera = crop_camera(seen, room, here)
        assert camera.scale >= LEGIBLE
        left, top = camera.to_layout(room.topLeft())
        right, bottom = camera.to_layout(room.bottomRight())
        area = QRectF(QPointF(left - 0.01, top - 0.01), QPointF(right + 0.01, bottom + 0.01))
        parts = {box.stage_id: overlap(box.outer, area) for box in seen.layout.boxes}
        assert parts[here] == pytest.approx(1.0)
        assert all(part == 0.0 or part == pytest.approx(1.0) for part in parts.values()), (
            here,
            parts,
        )
        stages = [box for box in seen.layout.boxes if box.stage_id != TOKENS]
        assert seen.before == sum(box.outer.right <= left for box in stages)
        assert seen.after == sum(box.outer.x >= right for box in stages)
        assert sum(part > 0 for part in parts.values()) >= 2  # never the current card alone


def test_an_arrow_still_ends_at_its_cards(qtbot: QtBot) -> None:
    for _, seen in every_part("who-ate-whom", room_on((1024, 768), DEFAULT_VIEWS)):
        assert seen.partial
        for arrow in seen.layout.arrows:
            source, target = (
                seen.layout.box(arrow.source).outer,
                seen.layout.box(arrow.target).outer,
            )
            if not arrow.upright:
                assert source.x <= arrow.points[0][0] <= source.right + 6.0
                assert target.x - 6.0 <= arrow.points[-1][0] <= target.right
            assert all(
                a[0] <= b[0] + 0.01 for a, b in zip(arrow.points, arrow.points[3::3], strict=False)
            )


def test_a_room_that_is_wide_enough_shows_everything(qtbot: QtBot) -> None:
    state = picture_state(load_example("cat-eats-fish"), "scores", "en", shade="light")
    where = layout_of(state, (1240.0, 260.0), strip)
    seen = crop_layout(where, "scores", (1240.0, 260.0))
    assert not seen.partial
    assert seen.layout is where


def test_it_says_how_many_stages_are_not_seen(qtbot: QtBot) -> None:
    state = picture_state(load_example("who-ate-whom"), "scaled", "en", shade="light")
    seen = visible_crop(state, room_on((1024, 768), DEFAULT_VIEWS))
    written = text_sizes(svg_of(state, DEFAULT_VIEWS, (1024, 768)))
    assert seen.before > 0
    assert seen.after > 0
    for count in (seen.before, seen.after):
        assert written[f"+{count}"] >= 768 / 36


@pytest.fixture
def view(qtbot: QtBot) -> DiagramView:
    session = Session(load_example("eight-heads"), Preferences(motion=False), "en", "light")
    session.go_to_stage("weights")
    view = DiagramView(session)
    session.setParent(view)
    session.changed.connect(view.show_state)
    qtbot.addWidget(view)
    view.resize(1000, 280)
    view.magnify(2.4)
    return view


def test_zooming_in_leaves_the_part_and_back_returns_to_it(view: DiagramView) -> None:
    assert view.viewport.crop.partial
    at = view.camera.to_screen(view.layout_now().box("weights").rect).center() * 2.4
    before = view.hit_at(at)
    turned = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, turned)
    assert view.camera.scale == pytest.approx(view.viewport.default_camera.scale * 1.25)
    assert view.hit_at(at) == before  # what lay under the pointer stays there
    view.zoom_out()
    assert view.layout_now() is not view.viewport.picture
    assert view.camera == view.viewport.default_camera


def test_a_part_follows_the_steps(view: DiagramView) -> None:
    session = view._session
    for stage in ("X", "scores", "Y"):
        session.go_to_stage(stage)
        card = view.camera.to_screen(view.layout_now().box(stage).outer)
        assert view._area().contains(card)
