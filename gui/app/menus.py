"""The menu bar: which action stands where."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QMenuBar

from core.lesson.lesson import COURSE, LESSONS, shipped_title
from core.storage.examples import EXAMPLES, load_example
from gui.app.actions import COPY_HEADS, COPY_MATRIX, Actions
from gui.app.data_export_actions import DATA
from gui.app.edit_actions import EditActions
from gui.app.lab_controller import LabController
from gui.session.state import State
from gui.storage.experiment_files import ExperimentFiles
from gui.storage.lesson_files import LessonFiles
from gui.texts.translation import languages, mark, tr, tr_marked

Entry = str | None  # an action's id, or a line between groups

EXPORTS: tuple[Entry, ...] = (
    "export_picture",
    "export_film",
    "export_slides",
    "export_page",
    None,
    "export_worksheet",
    "export_report",
    None,
    *DATA,
    None,
    "copy_picture",
)

LESSON_FILES: tuple[Entry, ...] = (
    None,
    "lesson_new",
    "lesson_open",
    "lesson_save",
    "lesson_save_as",
    "lesson_close",
)
LESSON_STEPS = (
    "scene_forward",
    "scene_back",
    "group_forward",
    "group_back",
    None,
    "add_scene",
    "drop_live_edits",
    "live_edits",
)

MENUS: tuple[tuple[str, str, tuple[Entry, ...]], ...] = (
    (
        "edit",
        mark("&Edit"),
        (
            "undo",
            "redo",
            None,
            "clip_copy",
            "clip_paste",
            "clip_whole",
            "select_all",
            None,
            "copy_sum_text",
            "copy_sum_latex",
            None,
            "nudge_up",
            "nudge_down",
            "unpin_all",
            None,
            "preferences",
        ),
    ),
    (
        "step",
        mark("&Step"),
        (
            "step_forward",
            "step_back",
            "stage_forward",
            "stage_back",
            "go_first",
            "go_last",
            None,
            "play",
            None,
            "grain_stage",
            "grain_row",
            "grain_cell",
            None,
            "predict",
            None,
            "focus_up",
            "focus_down",
            "focus_left",
            "focus_right",
        ),
    ),
    (
        "experiment",
        mark("E&xperiment"),
        (
            "toggle_positional",
            "toggle_mask",
            "toggle_scale",
            None,
            "toggle_head",
            "add_head",
            "duplicate_head",
            "remove_head",
            None,
            "pin_run",
            "unpin_run",
        ),
    ),
    (
        "view",
        mark("&View"),
        (
            "present",
            "check",
            "code_panel",
            "lesson_panel",
            "notes",
            None,
            "zoom_in",
            "zoom_out",
            "fit",
            None,
            "more_decimals",
            "fewer_decimals",
            "toggle_columns",
            "code_line",
            "motion",
            None,
        ),
    ),
    ("help", mark("&Help"), ("help", "keys", None, "about")),
)


class Menus:
    """Builds the menus once and renames them when the language changes."""

    def __init__(
        self,
        window: QMainWindow,
        actions: Actions,
        files: ExperimentFiles,
        lessons: LessonFiles,
        docks: Sequence[QDockWidget],
        labs: LabController,
        clipping: EditActions,
    ) -> None:
        self._actions, self._files, self._lesson_files = actions, files, lessons
        self._state: State | None = None
        bar = window.menuBar()
        self._file = self._file_menu(bar.addMenu(""))
        self._menus = {"file": (self._file, mark("&File"))}
        for menu_id, title, entries in MENUS:
            menu = bar.addMenu("")
            self._fill(menu, entries)
            self._menus[menu_id] = (menu, title)
        self._insert_labs(bar, labs)
        self._menus["edit"][0].aboutToShow.connect(clipping.offer)
        self._copy_submenus()
        self._speed = self._submenu(
            "step", ("speed_0.5", "speed_1.0", "speed_2.0", "speed_4.0"), mark("S&peed")
        )
        self._lesson = self._submenu("step", LESSON_STEPS, mark("&Lesson"))
        self._language = self._submenu(
            "view",
            ("language_system", *(f"language_{code}" for code in languages())),
            mark("&Language"),
        )
        self._fill(self._language, (None, "toggle_labels"))
        self._theme = self._submenu(
            "view",
            ("theme_system", "theme_light", "theme_dark", "theme_contrast", "theme_chalkboard"),
            mark("&Theme"),
        )
        self._text = self._submenu(
            "view", ("text_larger", "text_smaller", "text_normal"), mark("Te&xt size")
        )
        view = self._menus["view"][0]
        view.addSeparator()
        for dock in docks:
            view.addAction(dock.toggleViewAction())
        view.addAction(actions["reset_layout"])

    def _insert_labs(self, bar: QMenuBar, labs: LabController) -> None:
        """The menu of labs, before Help."""
        menu = QMenu(bar)
        menu.setToolTipsVisible(True)
        bar.insertMenu(self._menus["help"][0].menuAction(), menu)
        labs.fill(menu)
        self._menus["labs"] = (menu, mark("La&bs"))

    def _fill(self, menu: QMenu, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry is None:
                menu.addSeparator()
            else:
                menu.addAction(self._actions[entry])

    def _submenu(self, parent: str, entries: Sequence[Entry], title: str) -> QMenu:
        menu = self._menus[parent][0].addMenu("")
        self._fill(menu, entries)
        self._menus[title] = (menu, title)
        return menu

    def _copy_submenus(self) -> None:
        """The forms of a copy, before the copies of the sum."""
        edit, before = self._menus["edit"][0], self._actions["copy_sum_text"]
        for entries, title in (
            (tuple(COPY_MATRIX), mark("&Copy matrix as")),
            (tuple(COPY_HEADS), mark("Copy all &heads as")),
        ):
            menu = self._submenu("edit", entries, title)
            edit.insertMenu(before, menu)

    def _file_menu(self, menu: QMenu) -> QMenu:
        self._fill(menu, ("new", "open", "import"))
        self._recent = menu.addMenu("")
        self._recent.aboutToShow.connect(self._list_recent)
        self._examples = menu.addMenu("")
        self._examples.aboutToShow.connect(self._list_examples)
        self._lessons = menu.addMenu("")
        self._lessons.aboutToShow.connect(self._list_lessons)
        self._fill(menu, (None, "save", "save_as", None))
        self._export = menu.addMenu("")
        self._fill(self._export, EXPORTS)
        self._fill(menu, (None, "quit"))
        return menu

    def _list_recent(self) -> None:
        self._recent.clear()
        paths = self._state.preferences.recent if self._state else ()
        for path in paths:
            self._recent.addAction(Path(path).name).triggered.connect(
                partial(self._files.open_recent, path)
            )
        if not paths:
            self._recent.addAction(tr("Nothing opened yet")).setEnabled(False)

    def _list_examples(self) -> None:
        self._examples.clear()
        for example in EXAMPLES:
            title = tr_marked(load_example(example).title)
            self._examples.addAction(title).triggered.connect(
                partial(self._files.open_example, example)
            )

    def _list_lessons(self) -> None:
        self._lessons.clear()
        self._add_lessons(self._lessons, COURSE)
        self._add_lessons(self._lessons.addMenu(tr("Lessons of the &labs")), LESSONS[len(COURSE) :])
        self._fill(self._lessons, LESSON_FILES)

    def _add_lessons(self, menu: QMenu, lessons: Sequence[str]) -> None:
        language = self._state.language if self._state else "en"
        for lesson in lessons:
            title = shipped_title(lesson).of(language)
            menu.addAction(title).triggered.connect(
                partial(self._lesson_files.open_shipped, lesson)
            )

    def show_state(self, old: State | None, new: State) -> None:
        """Titles in the current language."""
        self._state = new
        if old is not None and old.language == new.language:
            return
        for menu, title in self._menus.values():
            menu.setTitle(tr_marked(title))
        self._recent.setTitle(tr("Open &recent"))
        self._examples.setTitle(tr("&Examples"))
        self._lessons.setTitle(tr("&Lessons"))
        self._export.setTitle(tr("Expor&t"))
