"""The heatmap panel: keyboard, controls, the difference, odd data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.document.document import Context, Document, Head, Mask
from core.document.edits import with_cell, with_head_enabled, with_mask
from core.storage.examples import load_example
from gui.painting import text_size
from gui.painting.color_scale import stage_levels, value_colour
from gui.painting.theme import colours
from gui.session.session import Session
from gui.views.heatmaps.panel import HeatmapPanel
from tests.gui.heatmaps_kit import D, H, N, click, colour_in, example, make_panel, pixels

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
Make = Callable[..., tuple[Session, HeatmapPanel]]


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    """Makes panels with a document and preferences."""
    return partial(make_panel, qtbot)


def test_all_controls_stand_in_one_line_of_the_usual_panel(make: Make) -> None:
    """As wide as the panel is in a window of 1280 pixels; what is followed can be read in full there."""
    _, panel = make()
    panel.resize(458, 330)
    panel.layout().activate()
    middles = {
        widget.geometry().center().y() for widget in (panel.views, panel.stages, panel.levels)
    }
    assert max(middles) - min(middles) <= 1
    assert panel.stages.said() == panel.stages.currentText() == "Follow the steps"


class TestKeyboard:
    def test_enter_brings_the_focus_here(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="weights")
        session.set_focus(Cell("X", 3, 2))
        panel.view.setFocus()
        qtbot.keyClick(panel.view, Key.Key_Return)
        assert session.state.focus.tensor == "weights"

    def test_the_keys_of_stepping_are_left_to_the_window(self, make: Make) -> None:
        _, panel = make(heatmap_stage="weights")
        for key in (
            Key.Key_Left,
            Key.Key_Right,
            Key.Key_Home,
            Key.Key_End,
            Key.Key_PageDown,
            Key.Key_Space,
        ):
            event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
            panel.view.keyPressEvent(event)
            assert not event.isAccepted()

    def test_enter_presses_a_segment(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make()
        panel.views.buttons["heads"].setFocus()
        qtbot.keyClick(panel.views.buttons["heads"], Key.Key_Return)
        assert session.state.preferences.heatmap_view == "heads"

    def test_a_stage_is_chosen_with_keys(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make()
        qtbot.keyClick(panel.stages, Key.Key_Down)
        qtbot.keyClick(panel.stages, Key.Key_Down)
        assert session.state.preferences.heatmap_stage == "Q"

    def test_a_frame_shows_where_the_keyboard_is(self, qtbot: QtBot, make: Make) -> None:
        _, panel = make(heatmap_stage="weights")
        panel.activateWindow()
        panel.stages.setFocus()
        surface, edge = QColor(colours("light").surface), QPoint(panel.view.width() // 2, 1)
        assert pixels(panel).pixelColor(edge) == surface
        panel.view.setFocus()
        qtbot.waitUntil(panel.view.hasFocus)
        assert pixels(panel).pixelColor(edge) != surface

    def test_everything_focusable_has_a_name(self, make: Make) -> None:
        _, panel = make()
        for widget in panel.findChildren(QWidget):
            if (
                widget.focusPolicy() & Qt.FocusPolicy.TabFocus
                and not isinstance(widget, QLabel)
                and not widget.focusProxy()
            ):
                interface = QAccessible.queryAccessibleInterface(widget)
                assert interface.text(QAccessible.Text.Name), widget


class TestControls:
    def test_segments_choose_the_view(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="scores")
        for view, count in (("heads", H), ("one", 1)):
            qtbot.mouseClick(panel.views.buttons[view], LEFT)
            assert session.state.preferences.heatmap_view == view
            assert len(panel.view.images) == count

    def test_the_box_lists_the_plan_and_follows_it(self, make: Make) -> None:
        session, panel = make()
        items = [panel.stages.itemData(i) for i in range(panel.stages.count())]
        assert items == ["", *session.state.trace.plan.ids]
        session.change(with_mask, Mask("causal"), text="Edit")
        assert panel.stages.findData("masked") > 0

    def test_the_scale_is_chosen_in_its_menu(self, make: Make) -> None:
        session, panel = make(heatmap_stage="scores")
        for levels, action in panel.levels.level_actions.items():
            action.trigger()
            assert session.state.preferences.heatmap_levels == levels
            assert action.isChecked()
            assert panel.levels.toolTip() == action.text()

    def test_a_step_moves_the_mark_and_leaves_the_image(self, make: Make) -> None:
        session, panel = make(heatmap_stage="weights")
        session.go_to_stage("weights")
        image = panel.view.images[0].image
        session.move_focus(1, 2)
        session.go_to_stage("heads")
        assert panel.view.images[0].image is image
        session.change(with_cell, Cell("X", 0, 0), 5.0, text="Edit")
        assert panel.view.images[0].image is not image

    def test_a_head_that_is_off_says_so_and_pales(self, make: Make) -> None:
        session, panel = make(heatmap_stage="V", heatmap_view="heads")
        before = colour_in(panel, Cell("", 0, 0, 1))
        session.change(with_head_enabled, 1, False, text="Edit")
        assert colour_in(panel, Cell("", 0, 0, 1)) != before
        assert colour_in(panel, Cell("", 0, 0, 2)) == value_colour(
            colours("light"),
            stage_levels(session.state.trace, "V"),
            float(session.state.trace["V"][2, 0, 0]),
        )

    def test_language_and_theme_change_while_it_stands(self, make: Make) -> None:
        session, panel = make(heatmap_stage="weights")
        session.set_focus(Cell("weights", 1, 2, 0))
        session.set_language("zh_CN")
        assert panel.views.buttons["heads"].text() == "全部头"
        assert panel.reading.text().startswith("注意力权重 · 头 1 · 查询 t1 · 键 t2 =\u00a0")
        assert panel.stages.currentText() == "注意力权重"
        session.set_shade("dark")
        assert pixels(panel).pixelColor(QPoint(1, 1)).name().upper() == colours("dark").surface


class TestDifference:
    def test_pin_change_and_read(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(
            load_example("cat-eats-fish"), heatmap_view="difference", heatmap_stage="weights"
        )
        assert "Pin this run" in panel.empty.text
        qtbot.mouseClick(panel.empty.pin, LEFT)
        assert session.state.compared is session.state.trace
        assert panel.reading.text().startswith("Nothing has changed")
        session.change(with_cell, Cell("Q", 1, 0, 0), 3.0, text="Edit")
        now, then = session.state.trace["weights"][0], session.state.compared["weights"][0]
        change = now - then
        row, column = max(np.ndindex(3, 3), key=lambda place: abs(change[place]))
        tokens = session.state.document.tokens
        first = panel.reading.text().splitlines()[0]
        assert (
            first
            == f"Largest change {change[row, column]:+.2f} at query {tokens[row]} · key {tokens[column]}".replace(
                "-", "−"
            )
        )
        click(qtbot, panel, Cell("weights", 1, 0, 0))
        assert session.state.focus == Cell("weights", 1, 0, 0)
        # With two decimals 0.33 → 0.15 would be changed by −0.19, which does not add up.
        said = f"{then[1, 0]:.4f} → {now[1, 0]:.4f}, changed by {change[1, 0]:+.4f}".replace(
            "-", "−"
        )
        assert said in panel.reading.text()

    def test_another_size_or_a_missing_stage_explains_itself(self, make: Make) -> None:
        session, panel = make(heatmap_view="difference", heatmap_stage="weights")
        session.compare_with_current()
        session.open_document(example(n=4))
        session.set_preferences(
            heatmap_stage="weights"
        )  # the stage that was chosen ended with the other experiment
        session.compare_with_current()
        session.edit(example(n=6))
        assert "3 × 4 × 4" in panel.empty.text
        assert "3 × 6 × 6" in panel.empty.text
        session.edit(example("causal", n=4))
        session.set_preferences(heatmap_stage="masked")
        assert "Masked scores" in panel.empty.text
        assert panel.empty.isVisibleTo(panel)

    def test_a_change_of_the_mask_alone_is_named(self, make: Make) -> None:
        session, panel = make(example("causal"), heatmap_view="difference", heatmap_stage="masked")
        session.compare_with_current()
        session.change(with_mask, Mask("window", left=None, right=1), text="Edit")
        session.set_focus(Cell("masked", 0, 1, 0))
        first, second = panel.reading.text().splitlines()
        assert first == "Only the mask has changed here."
        assert second.startswith("query t0 · key t1: −∞ → ")

    def test_unpin(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make()
        assert panel.unpin.isHidden()
        qtbot.mouseClick(panel.pin, LEFT)
        qtbot.mouseClick(panel.unpin, LEFT)
        assert session.state.compared is None
        assert panel.unpin.isHidden()


class TestOddData:
    @pytest.mark.parametrize("view", ["one", "heads", "difference"])
    def test_one_token_one_column_an_emoji_and_an_empty_token(self, make: Make, view: str) -> None:
        head = Head(Q=frozen([[1.0]]), K=frozen([[0.0]]), V=frozen([[1e300]]))
        for token in ("👩‍🚀", "", "شكرا"):
            document = Document(tokens=(token,), source="qkv", heads=(head,))
            session, panel = make(document, heatmap_view=view, heatmap_stage="V")
            session.compare_with_current()
            session.set_focus(Cell("V", 0, 0, 0))
            assert not pixels(panel).isNull()
            assert panel.reading.text()

    def test_repainting_costs_no_reference_to_none(self, make: Make) -> None:
        """PySide6 6.12.0 lost one at each repaint of a view of pyqtgraph, until the process fell.

        From Python 3.12 on None is immortal, and what libraries count above its floor may fall back to that once: it
        is lost at each repaint if it is lost in every round.
        """
        session, panel = make(heatmap_stage="scores", heatmap_view="heads")
        pixels(panel)
        changes = []
        for _ in range(3):
            before = sys.getrefcount(None)
            for index in range(300):
                session.set_focus(Cell("scores", index % N, index % 3, index % H))
                panel.view.viewport().repaint()
            changes.append(abs(sys.getrefcount(None) - before))
        assert min(changes) < 100, changes


@pytest.mark.parametrize("size", [(300, 420), (340, 380), (560, 400)])
def test_the_layout_depends_on_what_is_shown_and_not_on_what_was_shown_before(
    qtbot: QtBot, size: tuple[int, int]
) -> None:
    def places(*way: str) -> dict[str, list[QRect]]:
        session, panel = make_panel(qtbot, heatmap_view="heads")
        panel.resize(*size)
        found: dict[str, list[QRect]] = {}
        for stage in way:
            session.go_to_stage(stage)
            for _ in range(3):
                QApplication.processEvents()
            found[stage] = [
                widget.geometry() for widget in (panel.view, panel.reading, panel.pin, panel.stages)
            ]
            assert panel.reading.height() >= panel.reading.heightForWidth(panel.reading.width())
        return found

    stages = ("X", "Q", "scores", "weights", "heads", "concat")
    there, back = places(*stages), places(*reversed(stages))
    assert there == back
    for stage in stages[::2]:
        assert places(stage)[stage] == there[stage]


def test_more_heads_and_more_rows_come_at_once_at_a_large_text_size(
    qtbot: QtBot, make: Make
) -> None:
    """The least height grows with the rows, and the view is laid out meanwhile."""
    text_size.use_percent(200)
    context = Context(tuple("abcdefghij"), frozen(np.ones((10, D))))
    session, panel = make(replace(example(n=2), context=context), heatmap_view="heads")
    panel.resize(400, 200)
    low = panel.view.height()
    session.go_to_stage("K")
    assert panel.view.height() > low
    assert len(panel.view.images) == H
