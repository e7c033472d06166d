"""Heads, positions, mask and scale, driven by keys and the mouse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.document.document import Document, Head, Mask, Positional, Scale
from core.document.edits import allowed
from core.document.resize import with_size
from core.storage.examples import load_example
from gui.painting.text_size import face
from gui.painting.theme import BODY
from gui.session.session import Session
from gui.views.tables.heads import HeadsBar
from gui.views.tables.mask_grid import MaskGrid
from gui.views.tables.mask_section import MaskSection
from gui.views.tables.panel import TOKENS, TablesPanel
from gui.views.tables.positions import PositionalSection
from gui.views.tables.sections import KindBox
from gui.views.tables.setup import PAGES, ScaleSection, SetupPage
from gui.widgets.fields import RealField
from tests.gui.tables_kit import H, K, N, follow, make_document, make_session, undo_name, write

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
EYE = np.eye(3, 2)


def qkv() -> Document:
    head = Head(Q=frozen(EYE), K=frozen(EYE), V=frozen(EYE))
    return Document(tokens=("a", "b", "c"), heads=(head,), source="qkv")


def choose(qtbot: QtBot, combo: QComboBox, index: int) -> None:
    """By keys, as a person does: Home, then down; forbidden kinds are stepped over."""
    combo.setFocus()
    qtbot.keyClick(combo, Key.Key_Home)
    while combo.currentIndex() < index:
        before = combo.currentIndex()
        qtbot.keyClick(combo, Key.Key_Down)
        assert combo.currentIndex() > before


def type_in(qtbot: QtBot, field: RealField, text: str) -> None:
    field.line.setFocus()
    field.line.selectAll()
    qtbot.keyClick(field.line, Key.Key_Delete)
    write(qtbot, field.line, text)
    qtbot.keyClick(field.line, Key.Key_Return)


# Positions


@pytest.mark.parametrize("index", range(5))
def test_every_encoding_can_be_chosen_and_undone(qtbot: QtBot, index: int) -> None:
    kind = ("none", "sinusoidal", "learned", "rotary", "alibi")[index]
    session = make_session(
        make_document(positional=Positional("rotary" if index != 3 else "alibi"))
    )
    section = PositionalSection(session)
    follow(qtbot, session, section)
    section.kind.activated.emit(index)
    assert session.state.document.positional.kind == kind
    session.undo_stack.undo()
    assert session.state.document.positional.kind == ("rotary" if index != 3 else "alibi")
    assert section.kind.currentIndex() == section.kind.kinds.index(
        session.state.document.positional.kind
    )


def test_keys_choose_an_encoding(qtbot: QtBot) -> None:
    session = make_session()
    section = PositionalSection(session)
    follow(qtbot, session, section)
    choose(qtbot, section.kind, 1)
    assert session.state.document.positional.kind == "sinusoidal"
    assert undo_name(session) == "Sinusoidal positions"


def test_the_base_is_asked_where_it_is_used(qtbot: QtBot) -> None:
    session = make_session()
    section = PositionalSection(session)
    follow(qtbot, session, section)
    assert not section.base.isVisible()
    section.kind.activated.emit(3)
    assert section.base.isVisible()
    type_in(qtbot, section.base, "１００")
    assert session.state.document.positional.base == 100
    assert undo_name(session) == "Base of the positions"


@pytest.mark.parametrize("typed", ["abc", "", "0", "-5", "1e400"])
def test_a_base_that_cannot_be_is_refused_at_its_place(qtbot: QtBot, typed: str) -> None:
    session = make_session(make_document(positional=Positional("rotary")))
    section = PositionalSection(session)
    follow(qtbot, session, section)
    before = session.state.document
    type_in(qtbot, section.base, typed)
    assert session.state.document is before
    assert section.base.error.isVisible()
    assert section.base.error.text()
    assert section.base.line.text() == typed
    qtbot.keyClick(section.base.line, Key.Key_Escape)
    assert section.base.line.text() == "10000"
    assert not section.base.error.isVisible()


def test_encodings_of_X_are_impossible_without_X_and_it_says_why(qtbot: QtBot) -> None:
    session = make_session(qkv())
    section = PositionalSection(session)
    follow(qtbot, session, section)
    model = section.kind.model()
    for index, kind in enumerate(section.kind.kinds):
        enabled = bool(model.flags(model.index(index, 0)) & Qt.ItemFlag.ItemIsEnabled)
        reason = section.kind.itemData(index, Qt.ItemDataRole.ToolTipRole)
        assert enabled == (kind not in ("sinusoidal", "learned"))
        assert bool(reason) == (not enabled)
    choose(qtbot, section.kind, 3)
    assert session.state.document.positional.kind == "rotary"


def test_slopes_of_ones_own(qtbot: QtBot) -> None:
    session = make_session(make_document(positional=Positional("alibi")))
    section = PositionalSection(session)
    follow(qtbot, session, section)
    choose(qtbot, section.slope_kind, 1)
    own = session.state.document.positional.slopes
    assert own is not None
    assert own.tolist() == [2 ** (-8 * i / H) for i in (1, 2, 3)]
    assert len(section.slopes.fields) == H
    type_in(qtbot, section.slopes.fields[1], "0,75")
    slopes = session.state.document.positional.slopes
    assert slopes is not None
    assert slopes.tolist() == [own[0], 0.75, own[2]]
    choose(qtbot, section.slope_kind, 0)
    assert session.state.document.positional.slopes is None


# Scale


def test_a_factor_starts_where_the_scale_stood(qtbot: QtBot) -> None:
    session = make_session()
    section = ScaleSection(session)
    follow(qtbot, session, section)
    section.kind.activated.emit(2)
    assert session.state.document.scale == Scale("factor", 1 / np.sqrt(K))
    assert undo_name(session) == "Scale by a factor"
    type_in(qtbot, section.factor, "−0.5")
    assert session.state.document.scale == Scale("factor", -0.5)
    type_in(qtbot, section.factor, "inf")
    assert session.state.document.scale == Scale("factor", -0.5)
    assert "finite" in section.factor.error.text()


def test_a_factor_may_be_any_number_and_what_exceeds_the_largest_is_said(qtbot: QtBot) -> None:
    session = make_session(make_document(scale=Scale("factor", 1.0)))
    failed: list[object] = []
    session.failed.connect(failed.append)
    section = ScaleSection(session)
    follow(qtbot, session, section)
    type_in(qtbot, section.factor, "1e308")
    assert session.state.document.scale.value == 1e308
    assert float(section.factor.line.text()) == 1e308
    assert "largest number" in section._note.text()
    assert np.isfinite(session.state.trace["Y"]).all()
    assert failed == []
    type_in(qtbot, section.factor, "1/sqrt(2)")
    assert session.state.document.scale.value == 1 / np.sqrt(2)
    assert section._note.text() == "The scores are multiplied by 0.71."


def test_a_base_may_be_any_number_above_0(qtbot: QtBot) -> None:
    session = make_session(make_document(positional=Positional("rotary")))
    section = PositionalSection(session)
    follow(qtbot, session, section)
    type_in(qtbot, section.base, "1.5e308")
    assert session.state.document.positional.base == 1.5e308
    assert np.isfinite(session.state.trace["Q_rot"]).all()


def test_of_an_odd_width_the_last_column_is_said_to_stay(qtbot: QtBot) -> None:
    session = make_session(make_document(positional=Positional("rotary")))
    section = PositionalSection(session)
    follow(qtbot, session, section)
    for width in (2, 3):
        session.edit(with_size(session.state.document, "k", width))
        assert ("d_k is odd" in section._note.text()) is (width == 3)


# Mask


def test_every_mask_can_be_chosen(qtbot: QtBot) -> None:
    session = make_session()
    section = MaskSection(session)
    follow(qtbot, session, section)
    causal = np.tril(np.ones((N, N), dtype=bool))
    near = np.abs(np.subtract.outer(range(N), range(N))) <= 1
    for index, allow in ((1, causal), (3, causal), (2, near), (0, np.ones((N, N), dtype=bool))):
        section.choice.kind.activated.emit(index)
        assert session.state.document.mask.kind == section.choice.kind.kinds[index]
        assert (allowed(session.state.document) == allow).all()
        assert section.grid.isVisible() == (index != 0)
    assert session.undo_stack.count() == 4
    assert undo_name(session) == "No mask"


def test_a_window_reaches_as_far_as_is_typed_and_empty_is_no_limit(qtbot: QtBot) -> None:
    session = make_session(make_document(mask=Mask("window", 1, 1)))
    section = MaskSection(session)
    follow(qtbot, session, section)
    type_in(qtbot, section.choice.left, "２")
    type_in(qtbot, section.choice.right, "")
    assert (session.state.document.mask.left, session.state.document.mask.right) == (2, None)
    assert undo_name(session) == "Window size"
    for typed in ("-1", "1.5", "x"):
        type_in(qtbot, section.choice.left, typed)
        assert session.state.document.mask.left == 2
        assert section.choice.left.error.isVisible()


def show_grid(qtbot: QtBot, session: Session) -> MaskGrid:
    grid = MaskGrid(session)
    follow(qtbot, session, grid, 500, 500)
    return grid


def at(grid: MaskGrid, row: int, column: int) -> QPoint:
    return grid.cell(row, column).center().toPoint()


def test_a_click_switches_one_pair(qtbot: QtBot) -> None:
    session = make_session(make_document(mask=Mask("causal")))
    grid = show_grid(qtbot, session)
    qtbot.mouseClick(grid, LEFT, pos=at(grid, 1, 3))
    expected = np.tril(np.ones((N, N), dtype=bool))
    expected[1, 3] = True
    assert session.state.document.mask.kind == "custom"
    assert (allowed(session.state.document) == expected).all()
    assert undo_name(session) == "Change the mask"
    qtbot.mouseClick(grid, LEFT, pos=at(grid, 1, 3))
    assert (allowed(session.state.document) == np.tril(expected)).all()


def test_a_stroke_over_cells_is_one_undo_step(qtbot: QtBot) -> None:
    session = make_session(make_document(mask=Mask("custom", allow=np.ones((N, N), dtype=bool))))
    before = session.state.document
    grid = show_grid(qtbot, session)
    qtbot.mousePress(grid, LEFT, pos=at(grid, 2, 0))
    for column in (1, 2, 3):
        qtbot.mouseMove(grid, at(grid, 2, column))
    qtbot.mouseRelease(grid, LEFT, pos=at(grid, 2, 3))
    assert allowed(session.state.document)[2].tolist() == [False, False, False, False, True]
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert session.state.document is before


def test_arrow_keys_and_space_switch_a_pair(qtbot: QtBot) -> None:
    session = make_session(make_document(mask=Mask("causal")))
    grid = show_grid(qtbot, session)
    for key in (Key.Key_Down, Key.Key_Right, Key.Key_Right, Key.Key_Up, Key.Key_Up, Key.Key_Left):
        qtbot.keyClick(grid, key)
    assert grid.accessibleDescription() == "query the may not attend to key cat"
    qtbot.keyClick(grid, Key.Key_Space)
    assert allowed(session.state.document)[0, 1]
    assert grid.accessibleDescription() == "query the may attend to key cat"


def test_a_row_with_nothing_allowed_is_named(qtbot: QtBot) -> None:
    session = make_session(make_document(mask=Mask("causal")))
    section = MaskSection(session)
    follow(qtbot, session, section)
    qtbot.mouseClick(section.grid, LEFT, pos=at(section.grid, 0, 0))
    assert "Row 1 is fully masked" in section.choice._note.text()
    assert not session.state.trace["weights"][:, 0].any()


def test_a_large_mask_is_a_picture_that_can_be_clicked(qtbot: QtBot) -> None:
    n = 300
    column = frozen(np.linspace(0, 1, n)[:, None])
    document = Document(
        tokens=("w",) * n,
        heads=(Head(Q=column, K=column, V=column),),
        source="qkv",
        mask=Mask("causal"),
    )
    session = make_session(document)
    grid = show_grid(qtbot, session)
    assert grid.sizeHint().width() < 400
    rect = grid.cells()
    qtbot.mouseClick(
        grid, LEFT, pos=QPoint(int(rect.left() + rect.width() * 0.75), int(rect.top() + 10))
    )
    changed = np.argwhere(allowed(session.state.document) != np.tril(np.ones((n, n), dtype=bool)))
    assert len(changed) == 1
    assert changed[0].tolist() == pytest.approx([10 / rect.height() * n, 0.75 * n], abs=2)


# Heads


def show_heads(qtbot: QtBot, session: Session) -> HeadsBar:
    bar = HeadsBar(session)
    follow(qtbot, session, bar)
    return bar


def names(session: Session) -> list[str]:
    return [head.name for head in session.state.document.heads]


def test_a_chip_chooses_a_head_and_its_eye_switches_it(qtbot: QtBot) -> None:
    session = make_session()
    bar = show_heads(qtbot, session)
    qtbot.mouseClick(bar.chips[2].label, LEFT)
    assert session.state.cursor.head == 2
    qtbot.mouseClick(bar.chips[1].power, LEFT)
    assert [head.enabled for head in session.state.document.heads] == [True, False, True]
    assert undo_name(session) == "Switch Head 2: head 1 off"
    assert not session.state.trace["concat"][:, 4:8].any()
    qtbot.mouseClick(bar.chips[1].power, LEFT)
    assert [head.enabled for head in session.state.document.heads] == [True, True, True]
    assert undo_name(session) == "Switch Head 2: head 1 on"


@pytest.mark.parametrize(
    ("button", "chosen", "order", "then"),
    [
        ("add", 0, ["head 0", "head 1", "head 2", ""], 3),
        ("duplicate", 1, ["head 0", "head 1", "head 1", "head 2"], 2),
        ("remove", 1, ["head 0", "head 2"], 1),
        ("earlier", 2, ["head 0", "head 2", "head 1"], 1),
        ("later", 0, ["head 1", "head 0", "head 2"], 1),
    ],
)
def test_heads_are_added_copied_removed_and_moved(
    qtbot: QtBot, button: str, chosen: int, order: list[str], then: int
) -> None:
    session = make_session()
    bar = show_heads(qtbot, session)
    session.select_head(chosen)
    qtbot.mouseClick(getattr(bar, button), LEFT)
    assert names(session) == order
    assert session.state.cursor.head == then
    assert session.undo_stack.count() == 1
    assert len(bar.chips) == len(order)
    session.undo_stack.undo()
    assert names(session) == ["head 0", "head 1", "head 2"]
    assert len(bar.chips) == H


def test_a_head_is_renamed_and_escape_brings_its_name_back(qtbot: QtBot) -> None:
    session = make_session()
    bar = show_heads(qtbot, session)
    session.select_head(1)
    line: QLineEdit = bar.rename
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "meaning")
    qtbot.keyClick(line, Key.Key_Escape)
    assert line.text() == "head 1"
    line.selectAll()
    qtbot.keyClicks(line, "meaning")
    qtbot.keyClick(line, Key.Key_Return)
    assert names(session) == ["head 0", "meaning", "head 2"]
    assert bar.chips[1].label.text() == "Head 2: meaning"


def test_the_field_of_a_heads_name_says_what_its_chip_says(qtbot: QtBot) -> None:
    session = make_session(load_example("apple-released-iphone"))
    bar = show_heads(qtbot, session)
    session.set_language("zh_CN")
    assert bar.chips[0].label.text() == "头 1：语法"
    assert bar.rename.text() == "语法"
    bar.rename.setFocus()
    qtbot.keyClick(bar.rename, Key.Key_Return)
    assert session.state.document.heads[0].name == "grammar", "only what is typed is written"


def test_a_box_that_is_too_narrow_says_that_its_text_goes_on(qtbot: QtBot) -> None:
    box = KindBox(("long",))
    qtbot.addWidget(box)
    box.show_names({"long": "a kind with a long name"})
    box.resize(400, 28)
    assert box.said() == "a kind with a long name"
    box.resize(110, 28)
    assert box.said().endswith("…")
    assert box.grab().toImage() != plain_box(qtbot, "a kind with a long name").grab().toImage()


def plain_box(qtbot: QtBot, text: str) -> QComboBox:
    """Qt's own, as narrow: it cuts without a word."""
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItem(text)
    box.setFont(face(BODY))
    box.resize(110, 28)
    return box


def test_the_only_head_cannot_be_removed(qtbot: QtBot) -> None:
    session = make_session(qkv())
    bar = show_heads(qtbot, session)
    assert not bar.remove.isEnabled()
    assert not bar.later.isEnabled()


# All together


@pytest.mark.parametrize("make", [make_document, qkv])
def test_switches_follow_another_document_and_language(
    qtbot: QtBot, make: Callable[[], Document]
) -> None:
    session = make_session()
    panel = SetupPage(session)
    follow(qtbot, session, panel, 500, 900)
    session.open_document(make())
    english = panel.positional.kind.itemText(0)
    session.set_language("zh_CN")
    assert panel.positional.kind.itemText(0) != english
    session.set_shade("dark")
    assert panel.scale.kind.currentIndex() == 0


@pytest.mark.parametrize("page", list(PAGES))
def test_each_page_fits_a_low_panel(qtbot: QtBot, page: str) -> None:
    session = make_session(
        make_document(mask=Mask("window", 1, 1), positional=Positional("rotary"))
    )
    panel = TablesPanel(session)
    follow(qtbot, session, panel, 430, 270)
    panel.show_setup()
    click_page(qtbot, panel, page)
    area = panel.setup.currentWidget()
    assert isinstance(area, QScrollArea)
    QApplication.processEvents()
    assert area.verticalScrollBar().maximum() == 0
    assert area.horizontalScrollBar().maximum() == 0


def click_page(qtbot: QtBot, panel: TablesPanel, page: str) -> None:
    index = (TOKENS, *PAGES).index(page)
    qtbot.mouseClick(panel.tabs, LEFT, pos=panel.tabs.tabRect(index).center())
    assert panel.page_id == page


def test_tokens_are_a_page_of_the_setup_too(qtbot: QtBot) -> None:
    panel = TablesPanel(make_session())
    follow(qtbot, panel._session, panel)
    panel.show_setup()
    click_page(qtbot, panel, TOKENS)
    assert panel.stack.currentWidget() is panel.tokens
    assert panel.groups.currentIndex() == 2


def turn(widget: QWidget) -> bool:
    """The wheel towards the user, over the middle of a widget; whether that takes it from the page."""
    at = QPointF(widget.rect().center())
    place = QPointF(widget.mapToGlobal(widget.rect().center()))
    none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        at, place, QPoint(), QPoint(0, -120), *none, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_the_wheel_is_left_to_the_page_and_changes_no_choice(qtbot: QtBot) -> None:
    session = make_session(make_document(positional=Positional("alibi")))
    before = session.state.document
    panel = TablesPanel(session)
    follow(qtbot, session, panel, 430, 190)
    panel.show_setup()
    for page in PAGES:
        click_page(qtbot, panel, page)
        for widget in (
            *panel.setup.findChildren(QComboBox),
            *panel.setup.findChildren(QAbstractSpinBox),
        ):
            assert (
                not widget.focusPolicy() & ~Qt.FocusPolicy.StrongFocus
            )  # the wheel gives no focus
            if widget.isVisible():
                assert not turn(widget)
    assert session.state.document is before
    assert panel.setup.sizes.wanted() == {}


def test_the_wheel_turns_what_has_the_keyboard(qtbot: QtBot) -> None:
    session = make_session()
    panel = TablesPanel(session)
    follow(qtbot, session, panel, 430, 400)
    panel.show_setup()
    click_page(qtbot, panel, "setup_sizes")
    field = panel.setup.sizes.fields["k"]
    field.setFocus()
    assert turn(field)
    assert panel.setup.sizes.wanted() == {"k": K - 1}
