"""The File menu: files, import, export, lessons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMenu

from core.lesson.lesson import COURSE, LESSONS, shipped_title
from core.storage.examples import EXAMPLES, load_example
from gui.app.actions import Action, Records, Submenu
from gui.app.main_window import MainWindow
from gui.texts.translation import mark, tr, tr_marked


def _list_recent(window: MainWindow, menu: QMenu) -> None:
    paths = window.session.state.preferences.recent
    for path in paths:
        menu.addAction(Path(path).name).triggered.connect(partial(window.files.open_recent, path))
    if not paths:
        menu.addAction(tr("No recent files")).setEnabled(False)


def _list_examples(window: MainWindow, menu: QMenu) -> None:
    for example in EXAMPLES:
        title = tr_marked(load_example(example).title)
        menu.addAction(title).triggered.connect(partial(window.files.open_example, example))


def _list_lessons(window: MainWindow, menu: QMenu) -> None:
    _add_lessons(window, menu, COURSE)
    _add_lessons(window, menu.addMenu(tr("Lessons of the &labs")), LESSONS[len(COURSE) :])


def _add_lessons(window: MainWindow, menu: QMenu, lessons: Sequence[str]) -> None:
    for lesson in lessons:
        title = shipped_title(lesson).of(window.session.state.language)
        menu.addAction(title).triggered.connect(partial(window.lesson_files.open_shipped, lesson))


def _has_lesson(window: MainWindow) -> bool:
    return window.session.state.lesson is not None


def _export_visual(name: str, window: MainWindow) -> None:
    window.message_bar.hide_outdated()
    window.export_actions.visual(name)


def _export_data(name: str, window: MainWindow) -> None:
    window.message_bar.hide_outdated()
    window.export_actions.data(name)


def _export_worksheet(window: MainWindow) -> None:
    window.message_bar.hide_outdated()
    window.export_actions.worksheet()


def _export_report(window: MainWindow) -> None:
    window.message_bar.hide_outdated()
    window.export_actions.report()


def _visual(action_id: str, text: str, name: str, keys: tuple[str, ...] = ()) -> Action[MainWindow]:
    picture = "export" if keys else ""
    return Action(action_id, text, partial(_export_visual, name), "export", keys, picture)


def _data(
    name: str, text: str, keys: tuple[str, ...] = (), *, line: bool = False
) -> Action[MainWindow]:
    return Action(f"export_{name}", text, partial(_export_data, name), "export", keys, line=line)


FILE_MENU: Records[MainWindow] = (
    Submenu("file", mark("&File")),
    Action("new", mark("&New…"), lambda w: w.files.new(), "file", ("Ctrl+N",), "new"),
    Action(
        "from_text",
        mark("New from te&xt…"),
        lambda w: w.import_actions.from_text(),
        "file",
        ("Ctrl+Alt+N",),
        "new",
    ),
    Action("open", mark("&Open…"), lambda w: w.files.open(), "file", ("Ctrl+O",), "open"),
    Action(
        "import", mark("&Import…"), lambda w: w.import_actions.open(), "file", ("Ctrl+I",), "table"
    ),
    Submenu("models", mark("Open &model"), "file", lambda w, menu: w.models.fill_menu(menu)),
    Action(
        "open_model",
        mark("Trained &models"),
        lambda w: w.models.open(),
        "models",
        ("Ctrl+Shift+M",),
        "heatmap",
    ),
    Action("open_code", mark("Open &code…"), lambda w: w.code_actions.ask_and_open(), "file"),
    Submenu("recent", mark("Open &recent"), "file", _list_recent),
    Submenu("examples", mark("&Examples"), "file", _list_examples),
    Submenu("lessons", mark("&Lessons"), "file", _list_lessons),
    Action(
        "lesson_new",
        mark("&New lesson"),
        lambda w: w.lesson_files.new(),
        "lessons",
        icon="new",
        line=True,
    ),
    Action(
        "lesson_open",
        mark("&Open lesson…"),
        lambda w: w.lesson_files.open(),
        "lessons",
        icon="open",
    ),
    Action(
        "lesson_save",
        mark("&Save lesson"),
        lambda w: w.lesson_files.save(),
        "lessons",
        icon="save",
        enabled=_has_lesson,
    ),
    Action(
        "lesson_save_as",
        mark("Save lesson &as…"),
        lambda w: w.lesson_files.save_as(),
        "lessons",
        icon="save_as",
        enabled=_has_lesson,
    ),
    Action(
        "lesson_close",
        mark("&Close lesson"),
        lambda w: w.lesson_files.close(),
        "lessons",
        icon="close",
        enabled=_has_lesson,
    ),
    Action(
        "save",
        mark("&Save"),
        lambda w: w.lesson_files.save_changed(),
        "file",
        ("Ctrl+S",),
        "save",
        line=True,
    ),
    Action(
        "save_as",
        mark("Save &as…"),
        lambda w: w.files.save_as(),
        "file",
        ("Ctrl+Shift+S",),
        "save_as",
    ),
    Submenu("export", mark("Expor&t"), "file", line=True),
    _visual("export_picture", mark("&Picture…"), "png", ("Ctrl+E",)),
    _visual("export_film", mark("&Animation…"), "gif"),
    _visual("export_slides", mark("&Slides…"), "pptx"),
    _visual("export_page", mark("&Web page…"), "html"),
    Action("export_worksheet", mark("Wor&ksheets…"), _export_worksheet, "export", line=True),
    Action("export_report", mark("&Report…"), _export_report, "export"),
    Action(
        "save_answers",
        mark("&My answers…"),
        lambda w: w.answer_actions.save(),
        "export",
        enabled=lambda w: bool(w.session.state.entries),
        tip=lambda _: tr("The numbers that you entered in Check, for a lecturer"),
    ),
    Action(
        "copy_code",
        mark("Copy as co&de"),
        lambda w: w.code_actions.copy(),
        "export",
        tip=lambda _: tr("A text to paste into the page or the program"),
    ),
    Action("qr_code", mark("&QR code…"), lambda w: w.code_actions.show_qr(), "export"),
    _data("xlsx", mark("&Excel workbook with formulas…"), ("Ctrl+Shift+E",), line=True),
    _data("py", mark("&NumPy script…")),
    _data("torch", mark("Py&Torch script…")),
    _data("ipynb", mark("&Jupyter notebook…")),
    _data("tex", mark("&LaTeX document…")),
    _data("npz", mark("NumPy arra&ys…")),
    _data("json", mark("JS&ON…")),
    _data("csv", mark("&Folder of CSV files…")),
    Action(
        "copy_picture",
        mark("&Copy picture"),
        lambda w: w.export_actions.copy_picture(),
        "export",
        ("Ctrl+Shift+C",),
        "copy",
        line=True,
    ),
    Action("quit", mark("&Quit"), lambda w: w.close(), "file", ("Ctrl+Q",), line=True),
)
