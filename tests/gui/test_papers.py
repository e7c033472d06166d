"""The dialog for worksheets, and writing papers from the menu: by events, as a person does it."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.create import Sizes, create
from core.document.document import Document
from core.document.orientation import COLUMNS, ROWS
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.export_actions import AskPaper
from gui.app.main_window import MainWindow
from gui.dialogs.worksheet import ReportDialog, WorksheetDialog
from gui.export.worksheets.blocks import Paper, WorksheetOptions
from gui.export.worksheets.files import PageCounter, ReportOptions, report_bytes, worksheet_files
from gui.export.worksheets.printing import PagePiece, PaperLayout
from gui.export.worksheets.worksheet import Worksheet
from gui.session.state import State
from gui.texts.translation import current_language, use_language
from gui.widgets.progress import ProgressDialog
from tests.gui.sheets_kit import by_seed, example

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(qtbot: QtBot) -> WorksheetDialog:
    dialog = WorksheetDialog(example(), COLUMNS, 3, "en")
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_it_opens_with_the_numbers_on_the_screen(dialog: WorksheetDialog) -> None:
    assert dialog.options() == WorksheetOptions(decimals=3, orientation=COLUMNS)
    assert dialog.ending() == ".pdf"


def test_every_choice_is_an_answer(dialog: WorksheetDialog, qtbot: QtBot) -> None:
    for field, text in ((dialog.sheets, "30"), (dialog.seed, "12"), (dialog.decimals, "1")):
        field.selectAll()
        qtbot.keyClicks(field, text)
    for radio in (dialog.keys[1], dialog.languages[2], dialog.formats[1]):
        qtbot.mouseClick(radio, LEFT)
    assert dialog.options() == WorksheetOptions(1, 30, 12, "separate", ("en", "zh_CN"), COLUMNS)
    assert dialog.ending() == ".tex"
    qtbot.mouseClick(dialog.keys[2], LEFT)
    qtbot.mouseClick(dialog.languages[1], LEFT)
    assert dialog.options() == WorksheetOptions(1, 30, 12, "none", ("zh_CN",), COLUMNS)
    qtbot.mouseClick(dialog.save_button, LEFT)
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_stages_points_and_sums_are_chosen(dialog: WorksheetDialog, qtbot: QtBot) -> None:
    first = dialog._page.grab().toImage()
    for stage_id in ("scores", "weights"):
        dialog.stages[stage_id].click()
    dialog.points.selectAll()
    qtbot.keyClicks(dialog.points, "5")
    qtbot.mouseClick(dialog.points_per[1], LEFT)
    qtbot.mouseClick(dialog.sums[2], LEFT)
    options = dialog.options()
    assert options.stages == ("scaled", "exp", "heads", "Y")
    assert (options.points, options.points_per, options.sums) == (5, "cell", "none")
    assert dialog._page.grab().toImage() != first
    for box in dialog.stages.values():
        if box.isChecked():
            box.click()
    assert dialog.options().stages == ("Y",), "the last stage cannot be left out"


def ink(image: QImage) -> set[tuple[int, int]]:
    """The places of dark pixels."""
    return {
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).lightness() < 140
    }


def test_stages_of_a_stack_can_be_told_apart(qtbot: QtBot) -> None:
    dialog = WorksheetDialog(load_example("induction"), ROWS, 2, "en")
    qtbot.addWidget(dialog)
    texts = [box.text() for box in dialog.stages.values()]
    assert len(set(texts)) == len(texts)
    assert {"L1.Q", "L2.Q"} <= set(texts)
    assert all(box.toolTip() for box in dialog.stages.values())


def test_the_preview_is_the_same_in_a_dark_window(window: MainWindow, qtbot: QtBot) -> None:
    pages = []
    for shade in ("light", "dark"):
        window.session.set_shade(shade)
        dialog = WorksheetDialog(example(), ROWS, 2, "en", window)
        qtbot.addWidget(dialog)
        dialog.show()
        image = dialog._page.grab().toImage()
        pages.append(ink(image.copy(4, 4, image.width() - 8, image.height() - 8)))
    assert pages[0] == pages[1]
    assert len(pages[0]) > 1000


def test_a_page_keeps_the_drawings_of_its_layout(qapp: QApplication) -> None:
    part = Worksheet(example(), WorksheetOptions(), 0).questions()
    layout = PaperLayout(2)
    kept = layout.pages(part)
    alone = PaperLayout(2).pages(part)
    gc.collect()
    images = []
    for page in (kept[0], alone[0]):
        image = QImage(700, 1000, QImage.Format.Format_Grayscale8)
        image.fill(255)
        with QPainter(image) as painter:
            for y, piece in page:
                piece.paint(painter, y)
        images.append(image)
    assert images[0] == images[1]


def test_the_first_page_follows_the_choices(dialog: WorksheetDialog, qtbot: QtBot) -> None:
    seen = [dialog.grab().toImage()]
    qtbot.keyClick(dialog.seed, Key.Key_Up)
    seen.append(dialog._page.grab().toImage())
    qtbot.mouseClick(dialog.languages[1], LEFT)
    seen.append(dialog._page.grab().toImage())
    assert seen[0] != seen[1] != seen[2]
    assert dialog._told.text() == "One sheet, seed 1. Counting the pages…"
    qtbot.waitUntil(lambda: dialog._told.text() == "One sheet, seed 1. About 3 pages.")
    qtbot.keyClick(dialog.sheets, Key.Key_Up)
    assert dialog._told.text() == "2 sheets, seeds 1 to 2. About 6 pages."


def test_escape_gives_up_and_all_is_named(dialog: WorksheetDialog, qtbot: QtBot) -> None:
    radios = [*dialog.keys, *dialog.languages, *dialog.formats]
    assert all(
        widget.accessibleName() for widget in (dialog.sheets, dialog.seed, dialog.decimals, *radios)
    )
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected


def test_chinese(qtbot: QtBot) -> None:
    use_language("zh_CN")
    dialog = WorksheetDialog(example(), ROWS, 2, "zh_CN")
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "练习题"
    assert dialog.options().languages == ("zh_CN",)


class Answers(AskPaper):
    """Answers in place of dialogs."""

    def __init__(
        self,
        path: Path | None,
        options: WorksheetOptions | None = None,
        ending: str = ".pdf",
        report: ReportOptions | None = None,
    ) -> None:
        self.path, self.options, self.ending, self.wanted = path, options, ending, report
        self.suggested: list[Path] = []

    def worksheet(self, parent: QWidget, state: State) -> tuple[WorksheetOptions, str] | None:
        return None if self.options is None else (self.options, self.ending)

    def worksheet_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        self.suggested.append(suggestion)
        return self.path

    def report(self, parent: QWidget, state: State) -> ReportOptions | None:
        dialog = ReportDialog(state, parent)
        try:
            return self.wanted or dialog.options()
        finally:
            dialog.deleteLater()

    def report_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        return self.worksheet_path(parent, suggestion)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window)
    return window


def test_worksheets_from_the_menu(window: MainWindow, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    options = WorksheetOptions(sheets=3, seed=1, key="separate")
    window.export_actions.ask = Answers(out, options)
    window.actions_["export_worksheet"].trigger()
    expected = worksheet_files(window.session.state.document, options, out)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == expected
    assert list(by_seed(out.read_bytes())) == [1, 2, 3]
    assert [path.name for path in window.export_actions.ask.suggested] == [
        "Cat eats fish worksheet.pdf"
    ]


@pytest.mark.parametrize("ending", [".pdf", ".html"])
def test_a_report_of_the_focused_cell(window: MainWindow, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out{ending}"
    window.export_actions.ask = Answers(out)
    window.session.set_focus(Cell("weights", 2, 1))
    window.actions_["export_report"].trigger()
    document = window.session.state.document
    assert out.read_bytes() == report_bytes(document, ReportOptions(Cell("weights", 2, 1)), ending)


def test_a_report_in_another_language_with_other_digits(window: MainWindow, tmp_path: Path) -> None:
    dialog = ReportDialog(window.session.state, window)
    assert (dialog.options().language, dialog.options().decimals) == ("en", 2)
    dialog.languages[1].click()
    dialog.decimals.setValue(4)
    wanted = dialog.options()
    dialog.deleteLater()
    assert (wanted.language, wanted.decimals, wanted.focus) == (
        "zh_CN",
        4,
        window.session.state.focus,
    )
    out = tmp_path / "out.html"
    window.export_actions.ask = Answers(out, report=wanted)
    window.actions_["export_report"].trigger()
    text = out.read_text(encoding="utf-8")
    assert "注意力" in text
    first = window.session.state.trace["weights"][0, 0, 0]
    assert f"{first:.4f}" in text
    assert current_language() == "en"


@pytest.mark.parametrize("options", [None, WorksheetOptions()])
def test_giving_up_writes_nothing(window: MainWindow, options: WorksheetOptions | None) -> None:
    window.export_actions.ask = Answers(None, options)
    assert not window.export_actions.worksheet()
    assert not window.export_actions.report()


def problems_of(window: MainWindow) -> list[str]:
    codes: list[str] = []

    def hear(problem: UserError) -> None:
        codes.append(problem.code)

    window.session.failed.connect(hear)
    return codes


def test_what_goes_wrong_is_told(window: MainWindow, tmp_path: Path) -> None:
    codes = problems_of(window)
    window.export_actions.ask = Answers(tmp_path / "no" / "such" / "out.pdf", WorksheetOptions())
    assert not window.export_actions.worksheet()
    assert not window.export_actions.report()
    window.session.open_document(_large())
    assert not window.export_actions.worksheet()
    assert codes == ["file.unwritable", "file.unwritable", "worksheet.too_large"]


def _large() -> Document:
    return create(tuple(f"t{i}" for i in range(70)), "qkv", Sizes())


def test_a_long_run_can_be_stopped(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar appears at once here, and its button is pressed while sheets are written."""
    monkeypatch.setattr("gui.app.export_actions.BAR_AFTER_MS", 0)
    window.show()
    window.export_actions.ask = Answers(tmp_path / "out.pdf", WorksheetOptions(sheets=30, seed=1))
    presser = QTimer(window, singleShot=False, interval=5)
    pressed: list[str] = []

    def press() -> None:
        for bar in window.findChildren(ProgressDialog):
            if bar.isVisible():
                button = bar.findChild(QPushButton)
                assert button is not None
                pressed.append(button.text())
                button.click()
                presser.stop()

    presser.timeout.connect(press)
    presser.start()
    assert not window.export_actions.worksheet()
    presser.stop()
    assert pressed == ["&Cancel"]
    assert list(tmp_path.iterdir()) == []


def test_suggestions_stand_beside_the_file(window: MainWindow, tmp_path: Path) -> None:
    ask = window.export_actions.ask = Answers(None, WorksheetOptions(), ".tex")
    window.session.mark_saved(tmp_path / "mine.attn.json")
    window.export_actions.worksheet()
    window.export_actions.report()
    assert ask.suggested == [
        tmp_path / "Cat eats fish worksheet.tex",
        tmp_path / "Cat eats fish report.pdf",
    ]
    assert QApplication.activeModalWidget() is None


def test_without_a_folder_for_documents_the_first_suggestion_is_at_home(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "gui.storage.experiment_files.QStandardPaths.writableLocation",
        lambda kind: str(tmp_path / "none"),
    )
    monkeypatch.setattr("gui.storage.experiment_files.Path.home", lambda: tmp_path)
    ask = window.export_actions.ask = Answers(None)
    window.export_actions.report()
    assert [path.parent for path in ask.suggested] == [tmp_path]


@pytest.mark.parametrize("action", ["export_worksheet", "export_report"])
def test_the_banner_names_the_paper_that_was_written_last(
    window: MainWindow, tmp_path: Path, action: str
) -> None:
    for name in ("first.pdf", "second.pdf"):
        window.export_actions.ask = Answers(tmp_path / name, WorksheetOptions(key="separate"))
        window.actions_[action].trigger()
        assert not window.message_bar.isHidden()
        assert window.message_bar._text.text() == f"Written: {tmp_path / name}"
    window.export_actions.ask = Answers(None, WorksheetOptions())
    window.actions_[action].trigger()
    assert window.message_bar.isHidden(), "what was said of an older export is gone"


def test_an_offer_outlives_an_export_that_was_given_up(window: MainWindow) -> None:
    window.message_bar.warn("Not saved.", ("Restore", lambda: None))
    window.export_actions.ask = Answers(None)
    window.actions_["export_report"].trigger()
    assert not window.message_bar.isHidden()


def test_a_report_has_the_fractions_of_the_window(window: MainWindow, tmp_path: Path) -> None:
    window.export_actions.ask = Answers(tmp_path / "out.html")
    document = window.session.state.document
    for fractions in (True, False):
        window.session.set_preferences(fractions=fractions)
        window.actions_["export_report"].trigger()
        options = ReportOptions(window.session.state.focus, fractions=fractions)
        assert (tmp_path / "out.html").read_bytes() == report_bytes(document, options, ".html")


def test_the_dialog_says_how_many_pages_and_warns_of_very_many(qtbot: QtBot) -> None:
    dialog = WorksheetDialog(load_example("eight-heads"), COLUMNS, 3, "en")
    qtbot.addWidget(dialog)
    assert dialog._told.text() == "One sheet, seed 0. Counting the pages…"
    dialog.sums[1].click()
    qtbot.waitUntil(lambda: "About" in dialog._told.text(), timeout=120_000)
    assert re.search(r"About \d,\d00 pages! Without answer keys: 160\.", dialog._told.text())
    dialog.keys[2].click()
    assert dialog._told.text() == "One sheet, seed 0. About 160 pages."


def test_pages_are_counted_piece_by_piece_between_what_else_happens(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of no piece more than a block of questions or a stage of the key; another choice ends the count of the first."""
    made: list[str] = []
    pieces = PaperLayout.pieces
    blocks: list[int] = []

    def watched(self: PaperLayout, part: Paper) -> list[PagePiece]:
        blocks.append(len(part.blocks))
        return pieces(self, part)

    step = PageCounter.step

    def counted(self: PageCounter) -> int | None:
        made.append(self.options.key)
        if len(made) == 3:
            QTimer.singleShot(0, choices.keys[2], choices.keys[2].click)
        return step(self)

    monkeypatch.setattr(PaperLayout, "pieces", watched)
    monkeypatch.setattr(PageCounter, "step", counted)
    choices = WorksheetDialog(example(), COLUMNS, 3, "en")
    qtbot.addWidget(choices)
    assert made == []
    assert blocks == []
    qtbot.waitUntil(lambda: "About" in choices._told.text())
    first = made.index("none")
    assert 3 <= first < 6
    assert set(made[first:]) == {"none"}
    assert len(made) - first > 12
    assert max(blocks) == 1
    choices.keys[1].click()
    qtbot.waitUntil(lambda: made[-1] == "separate")
    qtbot.keyClick(choices, Key.Key_Escape)
    told = len(made)
    qtbot.wait(30)
    assert len(made) == told
    assert current_language() == "en"


def test_the_first_page_is_laid_out_once_however_often_it_is_painted(
    dialog: WorksheetDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    qtbot.waitUntil(lambda: "About" in dialog._told.text())
    before = dialog._page.grab().toImage()
    monkeypatch.setattr(PaperLayout, "pieces", lambda *_: pytest.fail("laid out again"))
    assert dialog._page.grab().toImage() == before
