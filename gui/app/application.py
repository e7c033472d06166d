"""Start the application: preferences, language, theme, exception hooks, main window."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QObject, Qt, QTimer, QTranslator
from PySide6.QtWidgets import QApplication

from core.base.errors import UserError
from core.classroom.answer_file import is_answer_file
from core.document.document import Document
from core.lesson.lesson import is_lesson
from core.lesson.lesson import load as load_lesson
from core.storage.archive import load
from core.storage.examples import EXAMPLES, load_example
from gui.app.actions import Records
from gui.app.edit_menu import EDIT_MENU
from gui.app.file_menu import FILE_MENU
from gui.app.main_window import MainWindow
from gui.app.step_menu import EXPERIMENT_MENU, STEP_MENU
from gui.app.view_menu import view_menu
from gui.errors.error_dialog import ErrorReporter
from gui.errors.excepthook import ExceptionHooks, guard_overrides
from gui.painting import text_size, theme
from gui.painting.fonts import use_family
from gui.painting.icons import app_icon
from gui.session.preferences import load_preferences, resolve_language, resolve_shade
from gui.session.reduced_motion import query_desktop
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import SOURCE, language_folder, mark, tr_marked
from gui.widgets.font_coverage import ask_fonts
from gui.widgets.shortcut_filter import ShortcutFilter

if TYPE_CHECKING:
    from core.labs.lab import Setting


# By Qt's context and source text; arrows are the same in every language.
_WORDS = {
    ("QFileDialog", "&Look in:"): mark("&Look in:"),
    ("QFileDialog", "Files of &type:"): mark("Files of &type:"),
    ("QShortcut", "Left"): "←",
    ("QShortcut", "Right"): "→",
    ("QShortcut", "Up"): "↑",
    ("QShortcut", "Down"): "↓",
}


class QtTranslations(QTranslator):
    """Translate what Qt's own translations leave out. Install it last: Qt asks the last one first."""

    def isEmpty(self) -> bool:
        """Tell Qt to ask this translator."""
        return False

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, n: int = -1
    ) -> str:
        """Return the text in the current language, or None to leave it to other translators."""
        word = _WORDS.get((context, text))
        return tr_marked(word) if word is not None else None  # type: ignore[return-value]


LARGE_FILE = 1_000_000  # bytes


class Appearance(QObject):
    """Resolve language and theme against the system and apply them to the application.

    It gets a change before the window does, so that views measure text in its final font.
    """

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._translator, self._own_words = QTranslator(self), QtTranslations(self)
        session.changed.connect(self.show_state)
        _application().styleHints().colorSchemeChanged.connect(self._system_changed)
        self._translate_qt(session.state.language)

    def show_state(self, old: State, new: State) -> None:
        """Apply changed preferences."""
        if old.preferences.language != new.preferences.language:
            self._session.set_language(resolve_language(new.preferences.language))
        if old.preferences.theme != new.preferences.theme:
            self._system_changed()
        if _look_of(old) != _look_of(new):
            apply_appearance(_application(), new)
        if old.language != new.language:
            self._translate_qt(new.language)

    def _system_changed(self) -> None:
        self._session.set_shade(
            resolve_shade(self._session.state.preferences.theme, _application())
        )

    def _translate_qt(self, language: str) -> None:
        app = _application()
        for translator in (self._translator, self._own_words):
            app.removeTranslator(translator)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if language == SOURCE:
            return
        if self._translator.load(f"qtbase_{language}", folder):
            app.installTranslator(self._translator)
        app.installTranslator(self._own_words)


def _look_of(state: State) -> tuple[object, ...]:
    return state.shade, state.preferences.text_size, state.preferences.font_family


def apply_appearance(app: QApplication, state: State) -> None:
    """Apply theme, text size and font of a state to the application."""
    if use_family(state.preferences.font_family):
        text_size.refresh()
    text_size.use_percent(state.preferences.text_size)
    theme.apply(app, state.shade, text_size.factor())


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication), "a QApplication must exist"
    return app


def build_window(
    path: str | Path | None = None,
    example: str | None = None,
    language: str | None = None,
    theme_name: str | None = None,
    labels: str | None = None,
) -> MainWindow:
    """Build the main window with a file, an example, or the first example. Needs a QApplication.

    `language`, `theme_name` and `labels` hold for this start; without them the preferences decide.
    Raises UserError for a file or an example that cannot be opened.
    """
    app = _application()
    guard_overrides()
    lesson = load_lesson(path) if path is not None and is_lesson(path) else None
    preferences = replace(load_preferences(), heatmap_stage="")  # of the experiment open last
    if not preferences.presented_for:  # so are these, unless they belong to a file
        preferences = replace(preferences, presented=())
    if (
        preferences.heatmap_view == "difference"
    ):  # nothing is pinned yet that a run could differ from
        preferences = replace(preferences, heatmap_view="one")
    if labels is not None:
        preferences = replace(preferences, labels=labels)
    tongue = language or resolve_language(preferences.language)
    document = _document(path if lesson is None else None, example, tongue)
    shade = resolve_shade(theme_name or preferences.theme, app)
    session = Session(document, preferences, tongue, shade)
    apply_appearance(app, session.state)
    ask_fonts()
    Appearance(session, session)
    window = MainWindow(session, action_records())
    session.setParent(window)
    ShortcutFilter(app, window, partial(session.play, False), window.focus_diagram)
    if path is not None and lesson is not None:
        window.lesson_files.adopt(lesson, Path(path).absolute())
    elif path is not None:
        window.files.adopt(path)
    window.answers.restore()
    return window


def action_records() -> Records[MainWindow]:
    """The records of all menus, in the order of the menu bar."""
    return (*FILE_MENU, *EDIT_MENU, *STEP_MENU, *EXPERIMENT_MENU, *view_menu())


def _document(path: str | Path | None, example: str | None, language: str) -> Document:
    if path is not None:
        return load(path)
    return load_example(example or EXAMPLES[0], language_folder(language))


def _is_large(path: str | Path) -> bool:
    """Whether a file is so large that it is opened when the window is shown, with a progress bar."""
    with suppress(OSError):
        return Path(path).stat().st_size > LARGE_FILE
    return False


def _require_screen() -> None:
    """Raise UserError where there is no screen; Qt would end the process."""
    if sys.platform.startswith("linux") and "QT_QPA_PLATFORM" not in os.environ:
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise UserError("screen.absent")


def run_window(
    path: str | Path | None = None,
    example: str | None = None,
    stage: str | None = None,
    language: str | None = None,
    theme: str | None = None,
    present: bool = False,
    labels: str | None = None,
    lab: tuple[str, Setting] | None = None,
) -> int:
    """Open the window and run until it is closed; return the exit status. Raises UserError for bad
    input.
    """
    _require_screen()
    query_desktop()
    QApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("attention-stepper")
    app.setDesktopFileName(
        "attention-stepper"
    )  # so that docks and menus know the window as that of the entry
    app.setWindowIcon(app_icon())
    hooks = ExceptionHooks(app)
    hooks.install()
    later = path is not None and (_is_large(path) or is_answer_file(path))
    large = Path(path) if path is not None and later else None
    try:
        window = build_window(None if large else path, example, language, theme, labels)
        asked = present or any(each is not None for each in (path, example, stage, lab))
        return _run(app, hooks, window, large, stage, present, lab, asked)
    finally:
        hooks.remove()


def _run(
    app: QApplication,
    hooks: ExceptionHooks,
    window: MainWindow,
    large: Path | None,
    stage: str | None,
    present: bool,
    lab: tuple[str, Setting] | None,
    asked: bool,
) -> int:
    """Show the window at the requested stage or lab and run the event loop."""
    ErrorReporter(
        hooks, window.message_bar.warn, window.save_copies, window.recovery.save_now, window
    )
    if large is not None:
        window.show()
        window.files.open(large)
    if stage is not None:
        if stage not in window.session.state.trace:
            raise UserError("stage.absent", stage=stage, known=window.session.state.trace.plan.ids)
        window.session.go_to_stage(stage)
    at_start = window.session.state.preferences.at_start
    if not asked and at_start == "page":
        window.start_page.show()
    window.show()
    window.offer_recovery()
    if not asked and at_start == "last":
        window.start_page.open_last()
    if lab is not None:
        window.labs.show_setting(*lab)
    if present and lab is not None:
        window.labs.present()
    elif present:
        window.present()

    def end(status: int) -> None:
        window.keep_all()
        app.exit(status)

    handle_signals(window, end)
    return app.exec()


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows lacks the last
WAKE_MS = 200


def handle_signals(parent: QObject, end: Callable[[int], None]) -> None:
    """Call `end` with the exit status, 128 + signal, when a signal asks the program to end.

    Python runs its handlers between two of its own instructions; Qt's event loop has none, so that a
    timer gives it some.
    """
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, lambda got, _frame: end(128 + got))
    timer = QTimer(parent)
    timer.timeout.connect(lambda: None)
    timer.start(WAKE_MS)
