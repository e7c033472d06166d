"""The labs' place in the program: the menu, the window, and what goes between a lab and the experiment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QMenu

from core.json_text import compact
from core.labs import catalogue
from core.labs.lab import Setting
from core.lesson import LESSONS, Demo
from core.problems import Problem
from gui.exporting import ask_path
from gui.files import Files
from gui.language import tr
from gui.lesson_files import LessonFiles
from gui.session import Session
from gui.state import State
from gui.texts.labs import lab_claim, lab_title

if TYPE_CHECKING:
    from gui.labs.window import LabWindow


class LabRoom(QObject):
    """One window for all labs, made when the first is opened. It follows the main window's language and looks."""

    def __init__(self, session: Session, window: QMainWindow, files: Files, lessons: LessonFiles) -> None:
        super().__init__(window)
        self._session, self._main, self._files, self._lessons = session, window, files, lessons
        self.window: LabWindow | None = None
        self._held: dict[str, Setting] = {}  # how labs were left when the window was closed
        self.ask = ask_path
        self._menu: QMenu | None = None

    def fill(self, menu: QMenu) -> None:
        """The menu with an entry for each lab."""
        self._menu = menu
        for lab_id in catalogue.LABS:
            action = menu.addAction("")
            action.setObjectName(f"lab_{lab_id}")
            action.triggered.connect(partial(self.open, lab_id))

    def show_state(self, old: State | None, new: State) -> None:
        """Names in the menu, looks of the window, and the lab that a scene shows."""
        if self._menu is not None and (old is None or old.language != new.language):
            for action, lab_id in zip(self._menu.actions(), catalogue.LABS, strict=True):
                action.setText(lab_title(lab_id))
                action.setToolTip(lab_claim(lab_id))
        if self.window is not None:
            self.window.session.appear(new.shade, new.decimals, new.language)

    def show_scene(self, old: State | None, new: State) -> None:
        """A scene that shows a lab brings it to the front; called while no lecture is on the screen."""
        if old is None or new.shown is None or old.shown is new.shown or new.shown.scene.demo is None:
            return
        setting = new.shown.setting
        assert setting is not None
        self.show_setting(new.shown.scene.demo.lab, setting)

    def open(self, lab_id: str, _checked: bool = False) -> None:
        """A lab as it was left."""
        window = self._ready(lab_id)
        window.session.open(lab_id)
        self._raise(window)

    def open_experiment(self, lab_id: str) -> None:
        """A lab on the experiment of the main window."""
        window = self._ready(lab_id)
        window.session.use(self._session.state.document, lab_id)
        self._raise(window)

    def show_setting(self, lab_id: str, setting: Setting) -> None:
        """A lab that is set in this way."""
        window = self._ready(lab_id)
        window.session.show(lab_id, setting)
        self._raise(window)

    def close(self) -> None:
        """With the main window."""
        if self.window is not None:
            self.window.close()

    def _ready(self, lab_id: str) -> LabWindow:
        if self.window is None:
            from gui.labs.exhibit import Look
            from gui.labs.session import LabSession
            from gui.labs.window import LabWindow

            state = self._session.state
            look = Look(state.shade, state.decimals)
            session = LabSession(lab_id, look, state.language, held=self._held)
            self.window = LabWindow(session)
            self.window.asked.connect(self._asked)
            self.window.left.connect(self._left)
        return self.window

    @staticmethod
    def _raise(window: LabWindow) -> None:
        window.show()
        window.raise_()
        window.activateWindow()

    def _left(self) -> None:
        window, self.window = self.window, None
        if window is not None:
            self._held = window.session.held
            window.deleteLater()

    # What a lab asks of the main window

    def _asked(self, name: str) -> None:
        tasks: dict[str, Callable[[LabWindow], None]] = {
            "lab_hand_over": self._hand_over, "lab_lesson": self._play_lesson, "lab_scene": self._add_scene,
            "lab_picture": self._write_picture, "lab_take": self._take, "lab_lead": self._lead,
        }  # fmt: skip
        if self.window is not None:
            tasks[name](self.window)

    def _hand_over(self, window: LabWindow) -> None:
        """The very experiment on the lab's screen, in the main window."""
        lab, setting = window.session.lab, window.session.state.setting
        document, cursor = lab.document(setting), lab.cursor(setting)
        if document is None or not self._files.maybe_save():
            return
        self._session.open_document(document)
        if cursor is not None:
            self._session.stand_at(cursor)
        self._main.show()
        self._main.raise_()
        self._main.activateWindow()

    def _lead(self, window: LabWindow) -> None:
        """The lab that a button of this one leads to, or its experiment."""
        to = window.session.lab.leads(window.session.state.setting)
        if to is None:
            self._hand_over(window)
            return
        back = lab_title(window.session.state.lab)
        window.session.show(*to)
        window.say(tr("To go back, choose “{title}” at the top.", title=back))

    def _take(self, window: LabWindow) -> None:
        window.session.use(self._session.state.document, window.session.state.lab)

    def _play_lesson(self, window: LabWindow) -> None:
        lesson = f"lab-{window.session.state.lab}"
        if lesson in LESSONS:
            self._lessons.open_shipped(lesson)
        else:
            window.say(tr("There is no lesson for this lab yet."))

    def _add_scene(self, window: LabWindow) -> None:
        state = window.session.state
        self._session.lecture.add_lab_scene(Demo(state.lab, compact(dict(state.setting.values))))
        window.say(tr("Added to the lesson."))

    def _write_picture(self, window: LabWindow) -> None:
        from gui.labs.render import render_lab

        state = window.session.state
        name = self._files.folder() / f"{lab_title(state.lab)}.png"
        path: Path | None = self.ask(window, name, tr("Pictures"), ".png")
        if path is None:
            return
        if not path.suffix:
            path = path.with_suffix(".png")
        try:
            render_lab(state.lab, state.setting, path, (1600, 900), state.language, state.shown.look)
        except Problem as problem:
            window.refuse(problem)
            return
        window.say(tr("Written: {name}", name=str(path)))
