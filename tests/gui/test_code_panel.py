"""The panel “Code”, driven by keys and the mouse: the line follows the step, and the step the line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_cell
from core.explain.timeline import Cursor, Grain, Reach
from core.stages.dialect import variable
from core.storage.examples import load_example
from gui.painting.color_scale import contrast
from gui.painting.theme import DARK, LIGHT, Colours
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.code.code_list import SOFT, mixed
from gui.views.code.panel import CodePanel
from gui.views.code.rows import is_ahead
from gui.widgets.code import piece_colour
from tests.core.documents import make

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def make_panel(
    qtbot: QtBot, document: Document | str = "cat-eats-fish", language: str = "en", **wishes: object
) -> tuple[Session, CodePanel]:
    document = load_example(document) if isinstance(document, str) else document
    session = Session(document, Preferences(**wishes), language)  # type: ignore[arg-type]
    panel = CodePanel(session)
    qtbot.addWidget(panel)
    session.changed.connect(panel.show_state)
    panel.show_state(None, session.state)
    panel.resize(460, 320)
    panel.show()
    qtbot.waitExposed(panel)
    panel.list.setFocus()
    return session, panel


def texts(panel: CodePanel) -> list[str]:
    return [str(panel.model.data(panel.model.index(row))) for row in range(panel.model.rowCount())]


def row_of(panel: CodePanel, start: str) -> int:
    return next(row for row, text in enumerate(texts(panel)) if text.startswith(start))


def place(panel: CodePanel, row: int) -> QPoint:
    panel.list.show_around(row)
    return panel.list.visualRect(panel.model.index(row)).center()


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def test_the_line_moves_with_the_step_and_can_be_seen(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    passed: list[str] = []
    for stage in session.state.trace.plan:
        session.go_to_stage(stage.id)
        row = panel.list.currentIndex().row()
        assert panel.model.rows[row].code.startswith(f"{variable(stage.id)} = ")
        rect = panel.list.visualRect(panel.model.index(row))
        assert panel.list.viewport().rect().contains(rect), stage.id
        later = {
            other.id for other in session.state.trace.plan if other.id not in (*passed, stage.id)
        }
        assert {
            r.stage for i, r in enumerate(panel.model.rows) if is_ahead(panel.model.state, r)
        } == later
        passed.append(stage.id)


def test_the_sub_step_of_a_row_has_a_line_of_its_own(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    session.go_to(Cursor("weights", row=1, reach=Reach.LEAD))
    assert panel.model.rows[panel.model.current].code == "total = exp.sum(axis=-1, keepdims=True)"
    session.step(1, Grain.ROW)
    assert panel.model.rows[panel.model.current].code == "weights = exp / total"


def test_a_click_on_a_line_goes_to_its_stage(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    row = row_of(panel, "scaled =")
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=place(panel, row))
    assert session.state.cursor.stage == "scaled"
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=place(panel, 0))
    assert session.state.cursor.stage == "scaled"  # the import belongs to no stage


def test_up_and_down_move_and_enter_goes_there(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    start = panel.list.currentIndex().row()
    for _ in range(3):
        qtbot.keyClick(panel.list, Key.Key_Down)
    qtbot.keyClick(panel.list, Key.Key_Up)
    assert panel.list.currentIndex().row() == start + 2
    assert session.state.cursor.stage == "Q"
    qtbot.keyClick(panel.list, Key.Key_Return)
    assert session.state.cursor.stage == "V"


def test_the_pages_are_a_preference(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    session.go_to_stage("scores")
    qtbot.mouseClick(panel.pages.buttons["torch"], LEFT)
    assert session.state.preferences.code == "torch"
    assert "scores = Q @ K.transpose(1, 2)  # (1, 3, 2) @ (1, 2, 3) → (1, 3, 3)" in texts(panel)
    qtbot.mouseClick(panel.pages.buttons["latex"], LEFT)
    assert panel.model.rows[panel.list.currentIndex().row()].stage == "scores"
    assert r"S_{ij} = \sum_{p=1}^{d_k} Q_{ip}\, K_{jp}" in texts(panel)
    assert panel.pages.buttons["latex"].isChecked()
    assert not panel.pages.buttons["torch"].isChecked()


@pytest.mark.parametrize("page", ["numpy", "latex"])
def test_what_is_ahead_is_muted_and_the_step_stands_out(qtbot: QtBot, page: str) -> None:
    session, panel = make_panel(qtbot, code=page)
    session.go_to_stage("scores")
    panel.list.clearFocus()
    ahead, now = row_of(panel, panel.model.rows[panel.model.current + 1].code), panel.model.current
    accents = {}
    for row in (ahead, now):
        place(panel, row)
        rect = panel.list.visualRect(panel.model.index(row))
        image = panel.list.viewport().grab(rect).toImage()
        colours = {
            image.pixelColor(x, y).name()
            for x in range(image.width())
            for y in range(image.height())
        }
        accents[row] = {
            QColor(LIGHT.accent).name(),
            mixed(LIGHT.accent_soft, LIGHT.surface, SOFT).name(),
        } & colours
    assert accents == {ahead: set(), now: accents[now]}
    assert len(accents[now]) == 2


def test_ctrl_c_copies_the_line_with_every_digit(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot, make(2, output=True))
    session.go_to_stage("X")
    shown = texts(panel)[panel.list.currentIndex().row()]
    assert "…" in shown
    qtbot.keyClick(panel.list, Key.Key_C, CONTROL)
    copied = clipboard()
    assert "…" not in copied
    numbers = np.array([float(number) for number in re.findall(r"-?\d+\.\d+", copied)]).reshape(
        5, 6
    )
    np.testing.assert_array_equal(numbers, session.state.document.X)
    session.go_to_stage("scores")
    qtbot.mouseClick(panel.copy_row, LEFT)
    assert clipboard() == "scores = Q @ K.transpose(0, 2, 1)  # (3, 5, 2) @ (3, 2, 5) → (3, 5, 5)"


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_all_that_is_copied_runs_and_gives_the_trace(
    qtbot: QtBot, tmp_path: Path, language: str, columns: bool
) -> None:
    document = make(
        2, positional="sinusoidal", mask="causal", biases=True, output=True, off=(1,), pins=4
    )
    _, panel = make_panel(qtbot, document, language, columns=columns)
    qtbot.mouseClick(panel.copy_all, LEFT)
    script = tmp_path / "run.py"
    script.write_text(
        clipboard() + f"\nnp.save({str(tmp_path / 'Y.npy')!r}, Y)\n", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "Y.npy"), run(document)["Y"], rtol=1e-12)


def test_formulas_are_copied_as_displayed_mathematics(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot, code="latex")
    qtbot.mouseClick(panel.copy_all, LEFT)
    assert clipboard().count(r"\[") == len(session.state.trace.plan) == clipboard().count(r"\]")
    session.go_to_stage("scaled")
    qtbot.mouseClick(panel.copy_row, LEFT)
    assert clipboard() == r"\frac{QK^{\top}}{\sqrt{d_k}} = \frac{QK^{\top}}{\sqrt{2}}"


def test_code_keeps_tokens_as_rows_and_says_so(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot, columns=True)
    assert texts(panel)[0] == "# Tokens are rows in code; the panels show them as columns."
    assert any(text.startswith("scores = Q @ K.transpose(0, 2, 1)") for text in texts(panel))
    qtbot.keyClick(panel.list, Key.Key_C, CONTROL)
    assert clipboard().startswith("Q = np.array(")
    session.set_preferences(columns=False)
    assert texts(panel)[0] == "import numpy as np"


def test_the_program_follows_an_edit_and_the_language(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot, "four-words-causal")
    session.edit(with_cell(session.state.document, Cell("X", 1, 0), 7.25))
    assert any("7.25" in text for text in texts(panel))
    session.set_language("zh_CN")
    assert any(text.endswith("# (4, 4) · 查询（行）能否关注键（列）？") for text in texts(panel))
    assert panel.copy_all.text() == "复制全部"


def test_screen_readers_hear_the_line_and_where_it_stands(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    session.go_to_stage("scores")
    view = QAccessible.queryAccessibleInterface(panel.list)
    names = [view.child(row).text(QAccessible.Text.Name) for row in range(view.childCount())]
    scores = "scores = Q @ K.transpose(0, 2, 1)  # (1, 3, 2) @ (1, 2, 3) → (1, 3, 3)"
    assert f"{scores} — Scores, current step" in names
    assert "scaled = scores / d_k**0.5  # (1, 3, 3) — Scaled scores, not reached yet" in names
    assert panel.list.accessibleName() == "Code, NumPy"


def test_a_hidden_panel_catches_up_when_it_is_shown(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot)
    panel.hide()
    session.open_document(load_example("four-words-causal"))
    session.go_to_stage("masked")
    assert not any(text.startswith("masked") for text in texts(panel))
    panel.show()
    assert panel.list.currentIndex().row() == row_of(panel, "masked")


@pytest.mark.parametrize("width", [260, 460, 900])
def test_no_line_is_wider_than_the_list(qtbot: QtBot, width: int) -> None:
    _, panel = make_panel(
        qtbot, make(5, positional="rotary", mask="custom", biases=True, output=True)
    )
    panel.resize(width, 320)
    qtbot.wait(10)
    for row in range(panel.model.rowCount()):
        rect = panel.list.visualRect(panel.model.index(row))
        assert rect.width() <= panel.list.viewport().width()
    assert not panel.list.horizontalScrollBar().maximum()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_colour_can_be_read_also_on_the_current_line(theme: Colours) -> None:
    back = mixed(theme.accent_soft, theme.surface, SOFT).name()
    for role in ("plain", "comment", "call", "keyword", "query", "key", "value", "weights"):
        for ground in (theme.surface, back, theme.sunken):
            assert contrast(QColor(piece_colour(theme, role)), QColor(ground)) >= 4.5, (
                role,
                ground,
            )


def test_a_line_is_copied_as_it_is_seen_even_a_state_late(qtbot: QtBot) -> None:
    """The last line of a long program, while a shorter one is opened that the panel has not been told of."""
    session, panel = make_panel(qtbot, "translation")
    last = panel.model.rowCount() - 1
    panel.list.setCurrentIndex(panel.model.index(last))
    line = texts(panel)[last]
    session.changed.disconnect(panel.show_state)
    session.open_document(load_example("cat-eats-fish"))
    assert len(session.state.trace.plan) < panel.model.rowCount()
    qtbot.mouseClick(panel.copy_row, LEFT)
    assert clipboard().split(" = ")[0] == line.split(" = ")[0]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("wide", [1.5, 1.0, 0.7])
def test_where_the_bar_has_no_room_its_buttons_stand_below(
    qtbot: QtBot, language: str, wide: float
) -> None:
    """None is cut; with room enough all stand in one line, the buttons at its right end."""
    _, panel = make_panel(qtbot, language=language)
    copies = panel.copy_all.parentWidget()
    parts = (panel.pages, copies)
    needed = sum(part.sizeHint().width() for part in parts)
    panel.resize(round(needed * wide) + 16, 320)
    QApplication.processEvents()
    assert panel.width() == round(needed * wide) + 16, "it can be as narrow"
    for part in parts:
        assert panel.rect().contains(part.geometry())
        assert part.width() >= part.sizeHint().width()
        assert part.geometry().bottom() < panel.list.y()
    middles = {part.geometry().center().y() for part in parts}
    assert (max(middles) - min(middles) < 3) == (wide == 1.5)
    if wide == 1.5:
        assert copies.geometry().right() == panel.list.geometry().right()
