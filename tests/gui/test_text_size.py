"""Text from 100 % to 200 %: chosen, kept, in force everywhere at once, and nothing clipped by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import ziafont
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QFontInfo, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QToolButton
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.orientation import ROWS
from core.explain.derivation import derive
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.app.panels import LazyPanel
from gui.dialogs.export import ExportDialog
from gui.dialogs.help import AboutDialog, KeysDialog
from gui.dialogs.import_dialog import ImportDialog
from gui.dialogs.new import NewDialog
from gui.dialogs.preferences import PreferencesDialog
from gui.dialogs.worksheet import WorksheetDialog
from gui.painting import text_size
from gui.painting.matrix import digit_size
from gui.session.preferences import load_preferences, save_preferences
from gui.session.state import Preferences
from gui.views.diagram import scene
from gui.views.diagram.geometry import strip, unit_for_digits
from gui.views.diagram.shapes import DiagramLayout
from gui.views.heatmaps.painting import smallest_digits
from gui.views.stage.dialogs import NotesDialog, TermsDialog
from gui.views.tables.panel import COMPUTED, GIVEN, SETUP, tables_of
from gui.widgets.forms import Dialog, Message, MessageButton
from tests.gui.fits_kit import misfits

SIZES = ((1280, 720), (1920, 1080))
BOTH = pytest.mark.parametrize("language", ["en", "zh_CN"])


def window_of(
    qtbot: QtBot, size: tuple[int, int], language: str, percent: int, example: str
) -> MainWindow:
    window = build_window(example=example, language=language)
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    window.session.set_preferences(text_size=percent, motion=False)
    settle()
    return window


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def seen(window: MainWindow) -> list[str]:
    settle()
    return misfits(window)


def everything(window: MainWindow) -> Iterator[str]:
    """Brings each panel, each of its pages to the front."""
    yield "as it starts"
    for stage in ("Q", "weights", "Y"):
        window.session.go_to_stage(stage)
        yield stage
    for dock in window.docks.values():
        dock.show()
        dock.raise_()
        yield dock.objectName()
    for view in ("heads", "difference", "one"):
        window.docks["heatmap"].raise_()
        window.session.set_preferences(heatmap_view=view)
        yield view
    window.docks["tables"].raise_()
    for group in (GIVEN, COMPUTED, SETUP):
        for table in tables_of(window.session.state, group):
            window.tables._group = group
            window.tables.show_page(table)
            yield table
    window.docks["code"].raise_()
    for page in ("torch", "latex", "numpy"):
        window.session.set_preferences(code=page)
        yield page


def checking(window: MainWindow) -> Iterator[str]:
    """The panels in which there is more to read: predicting, a lesson, the banner."""
    window.docks["check"].raise_()
    window.session.go_first()
    window.session.answers.set_predicting(True)
    window.session.step(1)
    yield "predicting"
    window.session.answers.set_predicting(False)
    window.lesson_files.open_shipped("first-steps")
    window.docks["lesson"].show()
    window.docks["lesson"].raise_()
    yield "a lesson"
    window.message_bar.warn(
        "A sentence that is long enough to need more than one line of a small window. " * 2
    )
    yield "the banner"


@pytest.mark.parametrize(
    ("size", "percent"), [(SIZES[0], 100), (SIZES[0], 200), (SIZES[1], 200)], ids=str
)
@BOTH
def test_no_word_of_the_window_is_clipped(
    qtbot: QtBot, size: tuple[int, int], language: str, percent: int
) -> None:
    window = window_of(qtbot, size, language, percent, "eight-heads")
    found = {}
    for step in chain(everything(window), checking(window)):
        found[step] = seen(window)
        assert (window.width(), window.height()) == size, step
    assert {step: wrong for step, wrong in found.items() if wrong} == {}


@BOTH
def test_no_word_of_the_window_is_clipped_in_another_font(
    qtbot: QtBot, qapp: QApplication, language: str
) -> None:
    """DejaVu Sans, a tenth wider than the program's own, which a library brings along."""
    file = Path(ziafont.__file__).parent / "fonts" / "DejaVuSans.ttf"
    (family,) = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(file)))
    window = window_of(qtbot, SIZES[0], language, 100, "eight-heads")
    window.session.set_preferences(font_family=family)
    QApplication.processEvents()
    assert QFontInfo(window.font()).family() == family
    found = {step: seen(window) for step in chain(everything(window), checking(window))}
    assert {step: wrong for step, wrong in found.items() if wrong} == {}


Maker = Callable[[MainWindow, Path], QDialog]


def _import(window: MainWindow, folder: Path) -> QDialog:
    path = folder / "scores.csv"
    path.write_text("0.5,0.25,1.125\n1,2,3\n4,5,6\n", encoding="utf-8")
    return ImportDialog(window.session, path, window)


def _terms(window: MainWindow, _folder: Path) -> QDialog:
    state = window.session.state
    return TermsDialog(
        state, derive(state.document, state.trace, Cell("scores", 0, 0)), "QKᵀ", window
    )


def _message(window: MainWindow, _folder: Path) -> QDialog:
    choices = (
        MessageButton("save", "&Save", default=True),
        MessageButton("discard", "&Discard"),
        MessageButton("cancel", "&Cancel"),
    )
    return Message(window, "Save the changes?", "Otherwise they are lost. " * 6, choices)


def _worksheet(window: MainWindow, _folder: Path) -> QDialog:
    state = window.session.state
    return WorksheetDialog(state.document, state.orientation, 2, state.language, window)


DIALOGS: dict[str, Maker] = {
    "preferences": lambda window, _: PreferencesDialog(window.session, window),
    "keys": lambda window, _: KeysDialog(window),
    "about": lambda window, _: AboutDialog(window),
    "new": lambda window, _: NewDialog(window),
    "export": lambda window, _: ExportDialog(window.session.state, "gif", lambda *_: None, window),
    "worksheet": _worksheet,
    "import": _import,
    "notes": lambda window, _: NotesDialog(window.session, window),
    "terms": _terms,
    "message": _message,
}


@pytest.mark.parametrize("percent", [100, 200])
@BOTH
def test_no_word_of_a_dialog_is_clipped_and_none_is_larger_than_a_small_screen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str, percent: int
) -> None:
    window = window_of(qtbot, SIZES[0], language, percent, "cat-eats-fish")
    for kind in (Dialog, NotesDialog, TermsDialog):
        monkeypatch.setattr(kind, "screen", lambda _self: SmallScreen())
    found = {name: wrong_with(make(window, tmp_path), qtbot) for name, make in DIALOGS.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def wrong_with(dialog: QDialog, qtbot: QtBot) -> list[str]:
    qtbot.addWidget(dialog)
    dialog.show()
    settle()
    if isinstance(dialog, ImportDialog):
        qtbot.waitUntil(dialog.go.isEnabled)
        settle()
    fits = dialog.width() <= SIZES[0][0] and dialog.height() <= SIZES[0][1]
    wrong = misfits(dialog) + ([] if fits else [f"{dialog.width()} × {dialog.height()}"])
    dialog.close()
    return wrong


class SmallScreen:
    """A screen as low as screens are."""

    @staticmethod
    def availableSize() -> QSize:
        """All of it."""
        return QSize(*SIZES[0])


# What is chosen, kept and in force


def test_keys_and_menu_make_text_larger_step_by_step(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[0], "en", 100, "cat-eats-fish")
    sizes = []
    for _ in range(6):
        qtbot.keyClick(window, Qt.Key.Key_Equal, Qt.KeyboardModifier.AltModifier)
        sizes.append(window.session.state.preferences.text_size)
    assert sizes == [125, 150, 175, 200, 200, 200]
    assert not window.actions_["text_larger"].isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.AltModifier)
    assert window.session.state.preferences.text_size == 175
    qtbot.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.AltModifier)
    assert window.session.state.preferences.text_size == 100
    assert not window.actions_["text_normal"].isEnabled()
    assert not window.actions_["text_smaller"].isEnabled()


def test_zoom_keys_still_zoom_the_diagram(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[0], "en", 100, "cat-eats-fish")
    before = window.diagram.camera.scale
    qtbot.keyClick(window, Qt.Key.Key_Equal, Qt.KeyboardModifier.ControlModifier)
    assert window.diagram.camera.scale > before
    assert window.session.state.preferences.text_size == 100


def test_every_word_of_the_window_is_twice_as_large_at_once_and_comes_back(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[1], "en", 100, "eight-heads")
    words = [
        window.tables.note,
        window.tables.view,
        window.heatmaps.reading,
        window.bar._buttons[6],
        window.menuBar(),
    ]
    before = [word.fontInfo().pixelSize() for word in words]
    buttons = window.findChildren(QToolButton)
    icons = [button.iconSize().width() for button in buttons]
    rows = window.tables.view.rowHeight(0)
    window.session.set_preferences(text_size=200)
    assert [word.fontInfo().pixelSize() for word in words] == [2 * size for size in before]
    assert window.tables.view.rowHeight(0) == 2 * rows
    window.session.set_preferences(text_size=100)
    assert [word.fontInfo().pixelSize() for word in words] == before
    assert [button.iconSize().width() for button in buttons] == icons


def test_widgets_that_are_made_later_are_as_large(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[1], "en", 150, "cat-eats-fish")
    dialog = PreferencesDialog(window.session, window)
    qtbot.addWidget(dialog)
    assert dialog.language.fontInfo().pixelSize() == round(13 * 1.5)
    dialog.text_size.setCurrentIndex(dialog.text_size.findData(200))
    dialog.text_size.activated.emit(dialog.text_size.currentIndex())
    assert window.session.state.preferences.text_size == 200
    assert dialog.language.fontInfo().pixelSize() == 26


def test_painted_views_are_magnified_and_clicks_still_meet_their_cells(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[1], "en", 200, "cat-eats-fish")
    window.session.go_to_stage("weights")
    QApplication.processEvents()
    view = window.heatmaps.view
    point = view.point_of(Cell("", 2, 1)) * 2.0
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert (window.session.state.focus.row, window.session.state.focus.column) == (2, 1)
    grid = window.tables.setup.masking.grid
    assert grid.sizeHint().width() > 2 * grid.cells().right() - 2


def test_the_text_size_is_kept_between_starts_and_nonsense_is_not(qtbot: QtBot) -> None:
    save_preferences(Preferences(text_size=175))
    assert load_preferences().text_size == 175
    window = build_window(language="en")
    qtbot.addWidget(window)
    assert window.menuBar().fontInfo().pixelSize() == round(13 * 1.75)
    save_preferences(Preferences(text_size=130))
    assert load_preferences().text_size == 100


@pytest.mark.parametrize(
    ("percent", "by", "after"), [(100, 1, 125), (100, -1, 100), (200, 1, 200), (175, -1, 150)]
)
def test_steps_between_sizes(percent: int, by: int, after: int) -> None:
    assert text_size.next_percent(percent, by) == after


@pytest.mark.parametrize("start", [100, 150])
def test_another_text_size_lays_the_diagram_out_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, start: int
) -> None:
    save_preferences(Preferences(text_size=start))
    window = build_window(example="who-ate-whom", language="en")
    qtbot.addWidget(window)
    window.resize(1280, 900)
    window.show()
    window.session.set_preferences(motion=False)
    settle()
    rooms: list[tuple[float, float]] = []

    def counted(*arguments: Any) -> DiagramLayout:
        rooms.append(arguments[3])
        return strip(*arguments)

    monkeypatch.setattr(scene, "_last", [])
    monkeypatch.setattr(scene, "strip", counted)
    for percent in (125, 150):
        rooms.clear()
        window.session.set_preferences(text_size=percent)
        settle()
        view = window.diagram
        assert rooms == [(view._area().width(), view._area().height())]
        corner = view._corner
        assert corner.height() == pytest.approx(24 * percent / 100, abs=2)
        assert view.rect().contains(corner.geometry()) or not corner.isVisible()


def test_panels_that_move_are_not_made_before_anybody_sees_them(qtbot: QtBot) -> None:
    window = window_of(qtbot, (1280, 900), "en", 100, "who-ate-whom")
    panels = window.findChildren(LazyPanel)
    before = [panel._panel is not None for panel in panels]
    assert not all(before)
    window.session.set_preferences(
        text_size=200
    )  # the window is low now: its panels stand on one another
    settle()
    assert [panel._panel is not None for panel in panels] == before


def test_a_presentation_keeps_its_own_sizes(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[0], "en", 100, "cat-eats-fish")
    window.session.set_preferences(text_size=200)
    window.presentation.start()
    board = window.presentation.audience
    assert board is not None
    screen = QGuiApplication.primaryScreen().size().height()
    assert board.strip.timeline._unit < 4 * screen / 720
    window.presentation.stop()


@pytest.mark.parametrize(
    ("percent", "size"),
    [(150, (1600, 900)), (150, (1920, 1080)), (200, (1280, 720))],
)
def test_numbers_stay_in_diagram_and_heatmap_when_text_is_larger(
    qtbot: QtBot, percent: int, size: tuple[int, int]
) -> None:
    window = window_of(qtbot, size, "zh_CN", percent, "who-ate-whom")
    settle()
    assert window.diagram.layout_now().digits
    unit = window.diagram._unit
    assert 1.0 <= unit <= percent / 100
    smallest = min(
        min(box.cell_size) * window.diagram.camera.scale * unit
        for box in window.diagram.layout_now().boxes
    )
    assert smallest >= 10.8  # pixels of the lowest row, in which digits can still be read
    assert smallest_digits(percent / 100) * percent / 100 >= 10


@pytest.mark.parametrize(
    ("percent", "size"), [(100, (1280, 720)), (125, (1280, 720)), (150, (1600, 900))]
)
@pytest.mark.parametrize("stage_id", ["scores", "weights", "Y"])
def test_the_diagram_yields_before_the_worked_sum_is_cut(
    qtbot: QtBot, percent: int, size: tuple[int, int], stage_id: str
) -> None:
    window = window_of(qtbot, size, "en", percent, "cat-eats-fish")
    window.session.go_to_stage(stage_id)
    settle()
    stage = window.stage
    assert stage.visibleRegion().boundingRect().height() == stage.height()
    assert stage.scene().card_rect.bottom() * stage._unit <= stage.height()


@pytest.mark.parametrize("example", ["cat-eats-fish", "eight-heads"])
def test_a_small_experiment_grows_with_its_panel_and_keeps_its_size_from_step_to_step(
    qtbot: QtBot, example: str
) -> None:
    window = window_of(qtbot, (1280, 720), "en", 100, example)
    assert window.stage._unit == 1.0
    window.resize(1920, 1080)
    settle()
    units = set()
    for stage in window.session.state.trace.plan:
        window.session.go_to_stage(stage.id)
        settle()
        units.add(window.stage._unit)
    assert units == ({1.25} if example == "cat-eats-fish" else {1.0})


@pytest.mark.parametrize(
    ("height", "wanted", "unit"),
    [(1000, 2.0, 2.0), (100, 2.0, 2.0), (183.0, 2.0, 2.0), (270, 1.0, 1.0), (257.656, 2.0, 1.4)],
)
def test_the_diagram_gives_up_size_for_digits_only_where_that_helps(
    height: float, wanted: float, unit: float
) -> None:
    document = load_example(
        "who-ate-whom"
    )  # n = 3: cards of 54 + 6 units, three of them, at a scale of 0.86
    assert unit_for_digits(document, ROWS, height, wanted) == pytest.approx(unit)


def test_a_heatmap_scrolls_before_its_digits_have_no_room(qtbot: QtBot) -> None:
    window = window_of(qtbot, (1280, 720), "en", 100, "apple-released-iphone")
    assert window.heatmaps.view.minimumHeight() == 90
    window.session.set_preferences(text_size=200)
    window.session.go_to_stage("weights")
    window.docks["heatmap"].raise_()
    settle()
    view = window.heatmaps.view
    matrix = view.current_layout.matrices[0]
    state = window.session.state
    values = state.trace.matrix("weights", state.cursor.head)
    rows, columns = values.shape
    assert (rows, columns) == (5, 5)
    size = digit_size(values, 2, matrix.width() / columns, matrix.height() / rows)
    assert size >= smallest_digits(2.0)  # units of two pixels
