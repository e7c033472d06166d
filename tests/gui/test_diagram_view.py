"""The diagram driven by mouse and keys: clicks are wishes to the session, zoom and pan keep what they promise."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_cell, with_head_enabled
from core.explain.timeline import Grain, Reach
from core.storage.examples import EXAMPLES, load_example
from gui.painting.pixmap_cache import CACHE
from gui.painting.theme import colours
from gui.texts.translation import language_folder
from gui.views.diagram.picture import label_rect
from gui.views.diagram.view import DiagramView
from gui.views.diagram.viewport import LARGEST_CELL, fitting
from tests.gui.diagram_kit import cell_on_screen, diagram, make, on_screen, session_of

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")


def header(view: DiagramView, stage_id: str) -> QPoint:
    rect = view.layout_now().box(stage_id).rect
    return on_screen(view, rect, 0.1, 0.06)


@pytest.fixture
def cat(qtbot: QtBot) -> DiagramView:
    return diagram(qtbot, session_of(load_example("cat-eats-fish")))


def test_a_click_on_a_heading_or_a_ghost_jumps_there(cat: DiagramView, qtbot: QtBot) -> None:
    qtbot.mouseClick(cat, LEFT, pos=header(cat, "weights"))
    assert cat._session.state.cursor.stage == "weights"
    qtbot.mouseClick(cat, LEFT, pos=cell_on_screen(cat, "Y", 1, 1))
    assert (cat._session.state.cursor.stage, cat._session.state.cursor.reach) == ("Y", Reach.WHOLE)
    qtbot.mouseClick(cat, LEFT, pos=header(cat, "K"))
    assert cat._session.state.cursor.stage == "K"


@pytest.mark.parametrize(
    "cell", [Cell("scores", 1, 2), Cell("Q", 2, 0), Cell("V", 0, 1), Cell("weights", 2, 1)]
)
def test_a_click_on_a_cell_that_stands_focuses_it(
    cat: DiagramView, qtbot: QtBot, cell: Cell
) -> None:
    cat._session.go_to_stage("weights")
    qtbot.mouseClick(cat, LEFT, pos=cell_on_screen(cat, cell.tensor, cell.row, cell.column))
    assert cat._session.state.focus == cell
    assert cat._session.state.cursor.stage == "weights"


def test_a_cell_that_is_not_there_yet_completes_its_stage(cat: DiagramView, qtbot: QtBot) -> None:
    cat._session.go_to_stage("V")
    cat._session.step(4, Grain.CELL)
    qtbot.mouseClick(cat, LEFT, pos=cell_on_screen(cat, "scores", 2, 2))
    assert (cat._session.state.cursor.stage, cat._session.state.cursor.reach) == (
        "scores",
        Reach.WHOLE,
    )


def test_a_double_click_jumps_even_from_a_cell(cat: DiagramView, qtbot: QtBot) -> None:
    cat._session.go_to_stage("Y")
    qtbot.mouseDClick(cat, LEFT, pos=cell_on_screen(cat, "scores", 1, 1))
    assert cat._session.state.cursor.stage == "scores"


def test_the_edge_of_a_head_behind_brings_it_to_the_front(qtbot: QtBot) -> None:
    view = diagram(qtbot, session_of(load_example("eight-heads")))
    view._session.go_to_stage("Y")
    box = view.layout_now().box("heads")
    second = on_screen(view, box.edge(2))
    right_edge = on_screen(view, box.edge(2), 1.0)
    qtbot.mouseClick(view, LEFT, pos=QPoint(right_edge.x() - 1, second.y()))
    assert view._session.state.cursor.head == 2
    qtbot.mouseClick(view, LEFT, pos=QPoint(right_edge.x() - 1, second.y()))
    assert view._session.state.cursor.head == 4


def test_a_click_on_the_name_of_weights_focuses_them(qtbot: QtBot) -> None:
    view = diagram(qtbot, session_of(load_example("i-love-this-apple")))
    arrow = next(arrow for arrow in view.layout_now().arrows if arrow.target == "K")
    middle = label_rect(view._state, arrow, view.camera.scale).center()
    at = QPointF(view.camera.dx, view.camera.dy) + middle * view.camera.scale
    qtbot.mouseClick(view, LEFT, pos=at.toPoint())
    assert view._session.state.focus == Cell("W_K", 0, 0, 0)


def test_clicks_beside_everything_do_nothing(cat: DiagramView, qtbot: QtBot) -> None:
    before = cat._session.state
    qtbot.mouseClick(cat, LEFT, pos=QPoint(2, 2))
    qtbot.mouseClick(cat, LEFT, pos=on_screen(cat, cat.layout_now().box("tokens").rect))
    assert cat._session.state is before


def test_the_pointer_shows_what_can_be_clicked(cat: DiagramView, qtbot: QtBot) -> None:
    qtbot.mouseMove(cat, header(cat, "Y"))
    qtbot.waitUntil(lambda: cat.cursor().shape() is Qt.CursorShape.PointingHandCursor)
    qtbot.mouseMove(cat, QPoint(2, 2))
    qtbot.waitUntil(lambda: cat.cursor().shape() is Qt.CursorShape.ArrowCursor)


def wheel(view: DiagramView, at: QPointF, turns: int, modifiers: Qt.KeyboardModifier) -> bool:
    event = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * turns),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)
    return event.isAccepted()


def test_ctrl_and_wheel_zoom_at_the_pointer(cat: DiagramView) -> None:
    at = QPointF(cell_on_screen(cat, "scores", 1, 1))
    before, scale = cat.camera.to_layout(at), cat.camera.scale
    assert wheel(cat, at, 3, Qt.KeyboardModifier.ControlModifier)
    assert cat.camera.scale > 1.8 * scale
    assert cat.camera.to_layout(at) == pytest.approx(before)
    wheel(cat, at, -9, Qt.KeyboardModifier.ControlModifier)
    assert cat.camera.scale == pytest.approx(scale)


def test_the_wheel_alone_moves_only_what_is_enlarged(cat: DiagramView) -> None:
    at = QPointF(400, 100)
    assert not wheel(cat, at, -1, Qt.KeyboardModifier.NoModifier)
    for _ in range(4):
        cat.zoom_in()
    before = cat.camera
    assert wheel(cat, at, -1, Qt.KeyboardModifier.NoModifier)
    assert cat.camera.dy < before.dy
    assert cat.camera.dx == before.dx


def test_zoom_has_a_smallest_and_a_largest_scale(cat: DiagramView) -> None:
    fit = cat.camera
    cat.zoom_out()
    assert cat.camera == fit
    for _ in range(60):
        cat.zoom_in()
    widest = min(box.matrix.w / box.columns for box in cat.layout_now().boxes)
    assert widest * cat.camera.scale >= LARGEST_CELL * 0.999
    largest = cat.camera.scale
    cat.zoom_in()
    assert cat.camera.scale == largest
    cat.fit()
    assert cat.camera == fit


@pytest.mark.parametrize("stage_id", ["Q", "weights", "Y"])
def test_zooming_by_key_keeps_the_current_stage_in_view(cat: DiagramView, stage_id: str) -> None:
    cat._session.go_to_stage(stage_id)
    for _ in range(5):
        cat.zoom_in()
        card = cat.camera.to_screen(cat.layout_now().box(stage_id).outer)
        seen = card.intersected(QRectF(cat.rect()))
        whole = min(card.width(), cat.width()) * min(card.height(), cat.height())
        assert seen.width() * seen.height() > 0.8 * whole


def test_the_corner_has_buttons_for_it(cat: DiagramView, qtbot: QtBot) -> None:
    corner = cat._corner
    fit = cat.camera.scale
    assert not corner.fit.isEnabled()
    qtbot.mouseClick(corner.zoom_in, LEFT)
    qtbot.mouseClick(corner.zoom_in, LEFT)
    assert cat.camera.scale == pytest.approx(fit * 1.25**2)
    qtbot.mouseClick(corner.zoom_out, LEFT)
    assert cat.camera.scale == pytest.approx(fit * 1.25)
    qtbot.mouseClick(corner.fit, LEFT)
    assert cat.camera.scale == fit
    assert all(button.accessibleName() for button in (corner.zoom_in, corner.zoom_out, corner.fit))


# Words that stand whole, or many rows in a low panel, leave no room for the buttons: they hide, menu and wheel do the same.
FULL = {
    *(("translation", (width, 294)) for width in (1027, 1276, 1362)),
    ("four-words-causal", (1240, 235)),
    ("which-apple-pronoun", (1240, 235)),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("size", [(1276, 294), (1362, 294), (1240, 235), (1027, 294), (1916, 350)])
def test_the_buttons_lie_over_no_card(qtbot: QtBot, name: str, size: tuple[int, int]) -> None:
    view = diagram(qtbot, session_of(load_example(name)), *size)
    view._session.go_last()
    corner = view._corner
    assert corner.isVisible() == ((name, size) not in FULL)
    assert view.rect().contains(corner.geometry())
    for box in view.layout_now().boxes if corner.isVisible() else ():
        assert not view.camera.to_screen(box.outer).intersects(QRectF(corner.geometry())), (
            box.stage_id
        )


def test_the_buttons_have_a_ground_of_their_own(cat: DiagramView) -> None:
    for _ in range(12):
        cat.zoom_in()
    image, corner = cat.grab().toImage(), cat._corner.geometry()
    assert image.pixelColor(corner.left() + 6, corner.top() + 3) == QColor(colours("light").surface)


def test_panning_never_leaves_an_empty_view(cat: DiagramView, qtbot: QtBot) -> None:
    """However far it is dragged and zoomed, a third of a card stays in view."""
    cat._session.go_last()
    generator = random.Random(3)
    for _ in range(120):
        if generator.random() < 0.3:
            wheel(
                cat,
                QPointF(generator.uniform(0, 1240), generator.uniform(0, 260)),
                generator.choice((4, -1)),
                CTRL,
            )
        start = QPoint(620, 130)
        by = QPoint(generator.randint(-400, 400), generator.randint(-120, 120))
        qtbot.mousePress(cat, LEFT, pos=start)
        qtbot.mouseMove(cat, start + by)
        qtbot.mouseRelease(cat, LEFT, pos=start + by)
        room = QRectF(cat.rect())
        parts = [seen_part(cat.camera.to_screen(box.outer), room) for box in cat.layout_now().boxes]
        assert max(parts) >= 1 / 3 - 1e-6


def seen_part(card: QRectF, room: QRectF) -> float:
    """How much of a card is seen in either direction, as a part of what could be."""
    seen = card.intersected(room)
    return min(
        seen.width() / min(card.width(), room.width()),
        seen.height() / min(card.height(), room.height()),
    )


@pytest.mark.parametrize("name", ["cat-eats-fish", "who-ate-whom", "apple-released-iphone"])
def test_a_size_has_one_picture_whatever_came_before(qtbot: QtBot, name: str) -> None:
    """Other sizes, zoom, documents and languages on the way: back at the same size stands the same picture."""
    session = session_of(load_example(name, language_folder()))
    view = diagram(qtbot, session, 1276, 294)
    session.go_last()
    view.clearFocus()
    first = view.grab().toImage()
    for size in ((1916, 350), (700, 200), (1027, 294), (1276, 600), (1277, 294)):
        view.resize(*size)
        view.zoom_in()
        view.repaint()
        view.fit()
        view.repaint()
    session.set_language("zh_CN")
    session.set_preferences(columns=True, decimals=4)
    view.repaint()
    session.set_preferences(columns=False, decimals=2)
    session.set_language("en")
    view.resize(1276, 294)
    assert view.grab().toImage() == first


def test_a_larger_window_ends_an_enlargement_that_it_outgrows(cat: DiagramView) -> None:
    cat.zoom_in()
    assert cat._corner.fit.isEnabled()
    cat.resize(1880, 600)
    assert cat.camera == fitting(cat.layout_now(), QRectF(0, 0, 1880, 600))
    assert not cat._corner.fit.isEnabled()


def test_a_drag_moves_the_picture_and_clicks_nothing(cat: DiagramView, qtbot: QtBot) -> None:
    for _ in range(5):
        cat.zoom_in()
    before, state = cat.camera, cat._session.state
    start = QPoint(600, 130)
    qtbot.mousePress(cat, LEFT, pos=start)
    qtbot.mouseMove(cat, start + QPoint(30, 10))
    qtbot.mouseMove(cat, start + QPoint(60, 20))
    qtbot.mouseRelease(cat, LEFT, pos=start + QPoint(60, 20))
    assert (cat.camera.dx - before.dx, cat.camera.dy - before.dy) == (60, 20)
    assert cat._session.state is state


def test_an_enlarged_picture_cannot_be_lost(cat: DiagramView, qtbot: QtBot) -> None:
    cat.zoom_in()
    for _ in range(20):
        qtbot.mousePress(cat, LEFT, pos=QPoint(900, 130))
        qtbot.mouseMove(cat, QPoint(100, 130))
        qtbot.mouseRelease(cat, LEFT, pos=QPoint(100, 130))
    right = cat.camera.dx + cat.layout_now().width * cat.camera.scale
    assert right >= cat.width() - 40


def test_fitting_follows_the_window_until_it_is_zoomed(cat: DiagramView) -> None:
    small = cat.camera.scale
    cat.resize(1880, 400)
    assert cat.camera.scale > 1.3 * small
    where = cat.layout_now()
    assert where.width * cat.camera.scale <= 1880.001
    assert where.height * cat.camera.scale <= 400.001
    cat.zoom_in()
    enlarged = cat.camera.scale
    cat.resize(1700, 380)
    assert cat.camera.scale == enlarged


def test_an_enlarged_picture_follows_the_steps(cat: DiagramView) -> None:
    for _ in range(6):
        cat.zoom_in()
    cat._session.go_last()
    for stage in cat._session.state.trace.plan:
        cat._session.go_to_stage(stage.id)
        seen = cat.camera.to_screen(cat.layout_now().box(stage.id).rect)
        assert 0 <= seen.center().x() <= cat.width(), stage.id


def test_stepping_keys_are_left_to_the_window(cat: DiagramView) -> None:
    for key in (
        Qt.Key.Key_Right,
        Qt.Key.Key_Left,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_Space,
        Qt.Key.Key_1,
    ):
        event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(cat, event)
        assert not event.isAccepted(), key


def test_a_card_over_its_kept_case_is_the_card_painted_whole(
    cat: DiagramView, qtbot: QtBot
) -> None:
    session = cat._session
    session.go_to_stage("weights")
    for value in (0.9, 0.7, 0.5):
        session.edit(with_cell(session.state.document, Cell("V", 0, 0), value))
        over_the_kept = cat.grab().toImage()
        CACHE.clear()
        fresh = diagram(qtbot, session)
        fresh.clearFocus()
        cat.clearFocus()
        assert over_the_kept == fresh.grab().toImage()


@pytest.mark.parametrize("size", [(1000, 260), (1240, 330)])
def test_the_label_of_a_kept_arrow_gives_way_to_the_ring_of_the_card_that_it_leaves(
    qtbot: QtBot, size: tuple[int, int]
) -> None:
    session = session_of(make(9, 6, 3, 4, 5, bias=True))
    session.go_to_stage("Q")
    view = diagram(qtbot, session, *size)
    for stage in ("K", "scores"):
        view.grab()
        session.go_to_stage(stage)
        view._player.cut()
        grabbed = view.grab().toImage()
        CACHE.clear()
        assert grabbed == diagram(qtbot, session, *size).grab().toImage()


def test_the_same_state_gives_the_same_pixels_whatever_came_before(
    cat: DiagramView, qtbot: QtBot
) -> None:
    session = cat._session
    images = []
    for _ in range(2):
        session.go_to_stage("weights")
        session.set_focus(Cell("weights", 1, 1))
        images.append(cat.grab().toImage())
        session.go_last()
        session.step(-3, Grain.CELL)
        cat.zoom_in()
        cat.repaint()
        cat.fit()
    fresh = diagram(qtbot, session)
    session.go_to_stage("weights")
    session.set_focus(Cell("weights", 1, 1))
    assert images[0] == images[1]
    fresh.clearFocus()
    cat.clearFocus()
    assert fresh.grab().toImage() == cat.grab().toImage()


def test_language_theme_and_head_switch_while_it_stands(qtbot: QtBot) -> None:
    session = session_of(load_example("apple-released-iphone"))
    view = diagram(qtbot, session)
    session.go_last()
    pictures = [view.grab().toImage()]
    for change in (
        lambda: session.set_language("zh_CN"),
        lambda: session.set_shade("dark"),
        lambda: session.select_head(1),
        lambda: session.edit(with_head_enabled(session.state.document, 1, False)),
        lambda: session.set_preferences(decimals=4),
    ):
        change()
        pictures.append(view.grab().toImage())
    assert all(a != b for a, b in itertools.pairwise(pictures))
    assert view._corner.fit.accessibleName() == "适应窗口"


def test_it_says_where_we_stand_and_what_is_focused(cat: DiagramView) -> None:
    cat._session.go_to_stage("scores")
    cat._session.set_focus(Cell("scores", 1, 2))
    assert cat.accessibleName() == "Diagram"
    assert cat.accessibleDescription() == "QKᵀ Scores, 3×3. Focused: Scores, query 吃, key 鱼, 0.50"
    cat._session.set_language("zh_CN")
    assert "得分" in cat.accessibleDescription()
    assert "查询 吃，键 鱼" in cat.accessibleDescription()


def test_keyboard_focus_can_be_seen(cat: DiagramView, qtbot: QtBot) -> None:
    cat.clearFocus()
    without = cat.grab().toImage()
    cat.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(cat.hasFocus)
    assert cat.grab().toImage() != without


def test_two_thousand_tokens_are_walked_and_zoomed(qtbot: QtBot) -> None:
    document = make(2000, h=1, k=3, output=False, mask="causal")
    session = session_of(replace(document, title="many"))
    view = diagram(qtbot, session)
    session.go_last()
    view.repaint()
    for _ in range(30):
        view.zoom_in()
    view.repaint()
    assert view.camera.scale > 100
    session.step(-5, Grain.CELL)
    view.fit()
    assert not view.grab().isNull()
