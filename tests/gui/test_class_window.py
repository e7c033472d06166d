"""The window Class: reads and watches a folder, counts, hides names, shows in the hall, writes reports."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QTableView, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.classroom.marking import ClassResult
from core.storage.examples import load_example
from gui.app.main_window import MainWindow
from gui.classroom.error_diagram import percent
from gui.classroom.window import ClassWindow
from gui.painting.theme import THEMES
from gui.session.preferences import load_layout
from gui.texts.translation import use_language
from gui.widgets.ask import Ask
from tests.core.class_kit import PLANTED, answer_text, planted_class
from tests.core.stacks import make_stack
from tests.gui.window_kit import open_window

CAT = "cat-eats-fish"
ROWS = [[["0.74", "0.44", "0.32"], ["0.50", None, "0.50"], ["0.18", "0.58", "0.99"]]]


def write(path: Path, name: str, example: str = CAT) -> Path:
    text = answer_text(load_example(example), name, {"scores": ROWS})
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def main(qtbot: QtBot) -> MainWindow:
    return open_window(qtbot, CAT)


@pytest.fixture
def window(qtbot: QtBot, main: MainWindow) -> ClassWindow:
    """The window of a class as the action opens it, 1280 × 720."""
    main.perform("class_window")
    found = main.classroom.window
    assert found is not None
    found.resize(1280, 720)
    qtbot.waitUntil(found.isActiveWindow)
    return found


def read(qtbot: QtBot, window: ClassWindow, *paths: Path) -> ClassResult:
    with qtbot.waitSignal(window.folder.read):
        window.read(paths)
    return window.result


def lines(window: ClassWindow) -> dict[str, int]:
    return {row.text: len(row.students) for row in window.mistakes.rows.rows}


def shown(table: QTableView, column: int) -> list[str]:
    model = table.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def test_without_answers_it_says_how_they_get_here(window: ClassWindow) -> None:
    assert "*.answers.json" in window.empty.text()
    assert window.empty.isVisible()
    assert not window.report.isEnabled()
    assert not window.present_button.isEnabled()
    window.present()
    window.save_report()
    assert window.presentation is None


def test_a_folder_is_read_and_every_planted_mistake_shown(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    planted_class(tmp_path)
    window.ask_folder = lambda _parent: tmp_path
    with qtbot.waitSignal(window.folder.read):
        qtbot.mouseClick(window.open_folder, Qt.MouseButton.LeftButton)
    counts = list(lines(window).values())
    assert counts == [*sorted((count for name, count, _ in PLANTED if name), reverse=True), 8]
    assert "The scores were divided by dₖ = 2 instead of √dₖ." in lines(window)
    assert "30 read" in window.status.text()
    assert not window.refused.isVisible()
    assert window.students.students.rowCount() == 30


def test_new_changed_and_deleted_files_are_noticed(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    write(tmp_path / "a.answers.json", "Ada")
    read(qtbot, window, tmp_path)
    inner = tmp_path / "Bo_2"
    inner.mkdir()
    qtbot.waitUntil(lambda: str(inner) in window.folder.watched)
    write(inner / "b.answers.json", "Bo")
    qtbot.waitUntil(lambda: len(window.result.students) == 2)
    (inner / "b.answers.json").write_text("{", encoding="utf-8")
    qtbot.waitUntil(lambda: len(window.result.refused) == 1)
    (tmp_path / "a.answers.json").unlink()
    qtbot.waitUntil(lambda: not window.result.students)
    assert window.empty.isVisible()
    assert window.refused.isVisible()


def test_names_are_hidden_until_they_are_asked_for(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    write(tmp_path / "secret.answers.json", "Ada")
    (tmp_path / "other.answers.json").write_text("[]", encoding="utf-8")
    read(qtbot, window, tmp_path)
    assert shown(window.students, 0) == ["1"]
    assert "other" not in window.files.text()
    window.hide_names.click()
    assert shown(window.students, 0) == ["Ada"]
    assert "other.answers.json" in window.files.text()


def test_markup_in_a_name_is_text(qtbot: QtBot, window: ClassWindow, tmp_path: Path) -> None:
    write(tmp_path / "a.answers.json", "<h1>Ada</h1>")
    read(qtbot, window, tmp_path)
    window.hide_names.click()
    assert shown(window.students, 0) == ["<h1>Ada</h1>"]
    model = window.students.students
    tips = (
        model.index(0, column).data(Qt.ItemDataRole.ToolTipRole)
        for column in range(model.columnCount())
    )
    assert not any("<h1>" in str(tip) for tip in tips)
    out = tmp_path / "report.html"
    window.ask_report = lambda *_: out
    window.save_report()
    page = out.read_text(encoding="utf-8")
    assert "&lt;h1&gt;Ada&lt;/h1&gt;" in page
    assert page.count("<h1>") == 1


def test_files_that_do_not_count_are_listed(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    write(tmp_path / "a.answers.json", "Ada")
    write(tmp_path / "b.answers.json", "ada")
    write(tmp_path / "c.answers.json", "Cy", "translation")
    read(qtbot, window, tmp_path)
    assert window.refused.text() == "refused: 1, duplicates: 1"
    qtbot.mouseClick(window.refused, Qt.MouseButton.LeftButton)
    assert window.files.isVisible()
    assert "belong to another experiment" in window.files.text()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.files.isVisible()


def test_choosing_a_mistake_marks_its_stage_and_puts_its_students_first(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    planted_class(tmp_path)
    read(qtbot, window, tmp_path)
    assert window.picture.stage == "scaled"
    assert shown(window.students, 0)[:7] == [f"{number:02}" for number in range(9, 16)]
    window.mistakes.setFocus()
    qtbot.keyClick(window.mistakes, Qt.Key.Key_Down)
    assert window.picture.stage == "weights"
    assert len(window.students.students.chosen) == 4
    window.orders.buttons["name"].click()
    assert shown(window.students, 0)[:3] == ["01", "02", "03"]


def test_numbers_are_chosen_by_keys_and_mouse_and_said(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    planted_class(tmp_path)
    read(qtbot, window, tmp_path)
    diagram = window.diagram
    diagram.setFocus()
    for key in (Qt.Key.Key_PageUp, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(diagram, key)
    assert diagram.picture.cell == Cell("scores", 1, 1, 0)
    assert diagram.spoken() == "QKᵀ(eats, eats): 0 of 30 wrong"
    assert window.point.text() == diagram.spoken() == diagram.accessibleDescription()
    qtbot.keyClick(diagram, Qt.Key.Key_PageDown)
    assert diagram.spoken() == "÷√d_k(cat, cat): 10 of 30 wrong".replace("d_k", "dₖ")
    spots = (
        QPointF(x, y) for x in range(0, diagram.width(), 6) for y in range(0, diagram.height(), 6)
    )
    spot = next(spot for spot in spots if diagram.cell_at(spot) == Cell("Y", 2, 1))
    qtbot.mouseClick(diagram, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert diagram.spoken() == "Y(fish, y₂): 3 of 30 wrong"
    window.verdicts.buttons["right"].click()
    assert window.picture.verdict == "right"


def test_the_colours_on_the_diagram_follow_the_counts(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    planted_class(tmp_path)
    read(qtbot, window, tmp_path)
    image = window.diagram.grab().toImage()
    scale = image.width() / window.diagram.width()
    found = {}
    for x in range(0, window.diagram.width(), 2):
        for y in range(0, window.diagram.height(), 2):
            cell = window.diagram.cell_at(QPointF(x, y))
            if cell is not None:
                pixel = image.pixelColor(round(x * scale), round(y * scale)).name()
                found.setdefault(cell, []).append(pixel)
    usual = {cell: max(set(pixels), key=pixels.count) for cell, pixels in found.items()}
    assert usual[Cell("scaled", 0, 0)].upper() == THEMES["light"].low  # the largest count
    assert usual[Cell("scores", 0, 0)].upper() == THEMES["light"].zero
    assert usual[Cell("weights", 0, 1)] == usual[Cell("weights", 2, 2)]


def test_regions_are_reached_by_f6(qtbot: QtBot, window: ClassWindow, tmp_path: Path) -> None:
    write(tmp_path / "a.answers.json", "Ada")
    read(qtbot, window, tmp_path)
    for widget in (window.diagram, window.mistakes, window.students, window.diagram):
        qtbot.keyClick(window, Qt.Key.Key_F6)
        assert window.focusWidget() is widget
    qtbot.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.focusWidget() is window.students


def test_everything_has_a_name_for_screen_readers(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    planted_class(tmp_path)
    read(qtbot, window, tmp_path)
    named = (window.diagram, window.mistakes, window.students, window.scale, window.marks)
    assert all(widget.accessibleName() for widget in named)
    rows = window.mistakes.rows
    spoken = rows.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith("7 of 30 students")
    pattern = window.students.students.index(0, 2)
    assert pattern.data(Qt.ItemDataRole.AccessibleTextRole) == "9 wrong"


def test_the_hall_shows_mistake_after_mistake_and_no_names(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    planted_class(tmp_path)
    read(qtbot, window, tmp_path)
    window.hide_names.click()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    hall = window.presentation
    assert hall is not None
    qtbot.waitUntil(hall.isVisible)
    assert hall.row is not None
    assert hall.row.text.startswith("The scores were divided by dₖ")
    assert "7 answered 0.370" in hall.sentences()
    assert not hall.shows_sum
    qtbot.keyClick(hall, Qt.Key.Key_Space)
    assert hall.shows_sum
    qtbot.keyClick(hall, Qt.Key.Key_Right)
    assert "4 answered" in hall.accessibleDescription()
    qtbot.keyClick(hall, Qt.Key.Key_Left)
    qtbot.keyClick(hall, Qt.Key.Key_Left)
    assert "7 answered 0.370" in hall.sentences()
    assert "student" not in hall.accessibleDescription().lower()
    qtbot.keyClick(hall, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.presentation is None)
    assert window.isVisible()


def test_reports_hold_the_counts(qtbot: QtBot, window: ClassWindow, tmp_path: Path) -> None:
    planted_class(tmp_path)
    read(qtbot, window, tmp_path)
    for ending in (".html", ".pdf", ".csv"):
        out = tmp_path / f"report{ending}"
        window.ask_report = lambda *_, out=out: out
        window.save_report()
        assert out.exists(), ending
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "7 × The scores were divided by" in page
    assert "student 09" not in page
    text = "".join(one.extract_text() for one in PdfReader(tmp_path / "report.pdf").pages)
    assert "7×Thescoresweredividedby" in "".join(text.split("\t")).replace("\n", "")
    assert "10" in text
    assert "−" not in text
    rows = list(csv.reader((tmp_path / "report.csv").read_text("utf-8-sig").splitlines()))
    assert len(rows) == 31
    assert rows[9][0] == "09"


def test_a_report_whose_ending_is_completed_asks_before_it_replaces_a_file(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    typed = (str(tmp_path / "report.2"), "Table (*.csv)")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: typed)
    asked: list[str] = []

    class Keeping(Ask):
        def overwrite(self, _parent: QWidget, name: str) -> bool:
            asked.append(name)
            return False

    completed = tmp_path / "report.2.csv"
    assert Keeping().class_report_path(window, "Class") == completed
    completed.touch()
    assert Keeping().class_report_path(window, "Class") is None
    assert asked == ["report.2.csv"]


def test_it_follows_the_experiment_of_the_main_window(
    qtbot: QtBot, main: MainWindow, window: ClassWindow, tmp_path: Path
) -> None:
    write(tmp_path / "a.answers.json", "Ada")
    read(qtbot, window, tmp_path)
    with qtbot.waitSignal(window.folder.read):
        main.files.open_example("four-words-causal")
    assert window.result.students == ()
    assert len(window.result.refused) == 1
    with qtbot.waitSignal(window.folder.read):
        main.files.open_example(CAT)
    assert len(window.result.students) == 1
    main.session.set_preferences(language="zh_CN")
    assert window.title.text() == "班级"
    main.session.set_preferences(language="en")
    use_language("en")


def test_folders_and_files_can_be_dropped(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.answers.json", "Ada")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(QPoint(5, 5)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    with qtbot.waitSignal(window.folder.read):
        window.dropEvent(event)
    assert len(window.result.students) == 1


def test_the_size_is_remembered(main: MainWindow, window: ClassWindow) -> None:
    window.resize(760, 640)
    window.close()
    assert "class" in load_layout()
    assert main.classroom.window is None
    main.perform("class_window")
    again = main.classroom.window
    assert again is not None
    assert (again.width(), again.height()) == (760, 640)


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_and_a_stack_of_layers_are_painted(
    theme: str, qtbot: QtBot, main: MainWindow, window: ClassWindow, tmp_path: Path
) -> None:
    document = make_stack(3)
    main.session.open_document(document)
    main.session.set_preferences(theme=theme)
    stage = "L2.scores"
    shape = document.stage_shape(stage)
    values = [[[1.5] * shape[2]] * shape[1]] * shape[0]
    path = tmp_path / "a.answers.json"
    path.write_text(answer_text(document, "Ada", {stage: values}), encoding="utf-8")
    result = read(qtbot, window, path)
    assert list(result.counts) == [stage]
    window.diagram.setFocus()
    qtbot.keyClick(window.diagram, Qt.Key.Key_PageDown)
    assert window.diagram.picture.cell == Cell(stage, 0, 0, 0)
    assert not window.grab().isNull()
    assert window.heads.isVisible()
    window.present()
    assert window.presentation is not None
    assert not window.presentation.grab().isNull()


def test_shares_are_whole_per_cent_and_never_round_to_all_or_none() -> None:
    assert [percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0 %",
        "1 %",
        "50 %",
        "99 %",
        "100 %",
    ]


def test_the_hall_counts_only_those_who_were_wrong_in_the_cell(
    qtbot: QtBot, window: ClassWindow, tmp_path: Path
) -> None:
    for number, (row, column) in enumerate([(0, 1), (0, 1), (2, 0)]):
        rows = [["0.74", "0.44", "0.32"], ["0.50", "0.50", "0.50"], ["0.18", "0.58", "0.74"]]
        rows[row][column] = "-" + rows[row][column]
        text = answer_text(load_example(CAT), str(number), {"scores": [rows]})
        (tmp_path / f"{number}.answers.json").write_text(text, encoding="utf-8")
    result = read(qtbot, window, tmp_path)
    assert [(one.id, len(one.students)) for one in result.mistakes] == [("cell.sign", 3)]
    window.present()
    assert window.presentation is not None
    assert "2 answered -0.44" in window.presentation.sentences()
