"""The windows beside the main one: the guide, the class and the labs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from core.base.errors import UserError
from core.base.json_text import compact
from core.lesson.lesson import LESSONS, LabReference, LessonScene, LocalizedText
from core.lesson.resolve import lab_setting
from gui.app.export_actions import ask_path
from gui.session.session import Session
from gui.session.state import State
from gui.session.undo import weak_slot
from gui.storage.experiment_files import ExperimentFiles
from gui.storage.lesson_files import LessonFiles
from gui.texts.labs import lab_claim, lab_title
from gui.texts.translation import languages, spoken, tr

if TYPE_CHECKING:
    from core.document.document import Document
    from core.labs.lab import Setting
    from gui.classroom.window import ClassWindow
    from gui.labs.window import LabWindow
    from gui.model_window.window import ModelWindow
    from gui.presentation.lab_presentation import LabPresentation
    from gui.views.guide.window import GuideWindow


class WindowController(QObject):
    """One window beside the main one: `window` while it is open."""

    window: QWidget | None = None

    def close(self) -> None:
        """Close the window."""
        if self.window is not None:
            self.window.close()

    def _left(self) -> None:
        window, self.window = self.window, None
        if window is not None:
            window.deleteLater()


class GuideController(WindowController):
    """Open the guide window; it follows language and theme. `show_keys` shows the keys over it."""

    window: GuideWindow | None

    def __init__(self, session: Session, show_keys: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._show_keys = session, show_keys

    def open(self) -> None:
        """Open the guide or bring it to the front."""
        if self.window is None:
            from gui.views.guide.window import GuideWindow

            state = self._session.state
            self.window = GuideWindow(state.language, state.shade)
            self.window.left.connect(self._left)
            self.window.asked_keys.connect(self._show_keys)
        bring_to_front(self.window)

    def show_state(self, old: State | None, new: State) -> None:
        """Follow language, theme and text size."""
        if self.window is not None and (old is None or _looks(old) != _looks(new)):
            self.window.appear(new.language, new.shade)

    def in_front(self) -> GuideWindow | None:
        """The guide window if it is active."""
        return self.window if self.window is not None and self.window.isActiveWindow() else None


class ClassController(WindowController):
    """Open the window of a class; it follows experiment, language and theme."""

    window: ClassWindow | None

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    def open(self) -> None:
        """Open the window or bring it to the front."""
        if self.window is None:
            from gui.classroom.window import ClassWindow

            self.window = ClassWindow(self._session.state)
            self.window.left.connect(self._left)
        bring_to_front(self.window)

    def show_state(self, old: State | None, new: State) -> None:
        """Follow what the window shows of the main one."""
        if self.window is not None and (old is None or _for_class(old) != _for_class(new)):
            self.window.appear(new)


def _for_class(state: State) -> tuple[object, ...]:
    return id(state.document), state.given, state.decimals, state.orientation, *_looks(state)


def _looks(state: State) -> tuple[str, str, int]:
    return state.language, state.shade, state.preferences.text_size


class LabController(WindowController):
    """Open the lab window, one for all labs; it follows language and theme.

    `tried(lab, setting)`: the user has changed something in a lab.
    """

    tried = Signal(str, object)
    window: LabWindow | None

    def __init__(
        self,
        session: Session,
        window: QMainWindow,
        files: ExperimentFiles,
        lessons: LessonFiles,
        perform: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._perform = perform
        self._session, self._main, self._files, self._lessons = session, window, files, lessons
        self.room: LabPresentation | None = None
        self._held: dict[str, Setting] = {}  # settings of labs when the window was closed
        self.ask = ask_path

    def show_state(self, old: State | None, new: State) -> None:
        """Update the looks of the window."""
        if self.window is not None:
            self.window.session.appear(new.shade, new.decimals, new.language)
            self.window.show_lesson(old, new)

    def show_scene(self, old: State | None, new: State) -> None:
        """Show the lab of a scene; not called during a presentation."""
        if old is None or new.scene is None or old.scene is new.scene:
            return
        if new.scene.scene.demo is None:
            self._step_aside()
            return
        setting = new.scene.setting
        assert setting is not None
        self.show_setting(new.scene.scene.demo.lab, setting)

    def catch_up(self, state: State) -> None:
        """Show the lab of the current scene after a presentation, if the window is open."""
        if (
            self.window is not None
            and state.scene is not None
            and state.scene.scene.demo is not None
        ):
            setting = state.scene.setting
            assert setting is not None
            self.window.session.show(state.scene.scene.demo.lab, setting)

    def _step_aside(self) -> None:
        """Go on presenting in the main window where a scene shows that."""
        if self.room is not None and self.room.is_running:
            self.room.stop()
            bring_to_front(self._main)
            self._perform("present")

    def open(self, lab_id: str) -> None:
        """Open a lab with its last settings."""
        window = self._ready(lab_id)
        window.session.open(lab_id)
        bring_to_front(window)

    def open_on(self, lab_id: str, document: Document, values: Mapping[str, object]) -> None:
        """Open a lab on an experiment, with some controls set. Raises UserError "lab.unfit"."""
        from core.labs.lab import find_lab

        self.show_setting(lab_id, find_lab(lab_id).start(document, values))

    def show_setting(self, lab_id: str, setting: Setting) -> None:
        """Open a lab with the given settings."""
        window = self._ready(lab_id)
        window.session.show(lab_id, setting)
        bring_to_front(window)

    def present(self) -> None:
        """Show the open lab on the full screen."""
        if self.room is not None:
            self.room.start()

    def _ready(self, lab_id: str) -> LabWindow:
        if self.window is None:
            from gui.labs.exhibit import LabAppearance
            from gui.labs.session import LabSession
            from gui.labs.window import LabWindow
            from gui.presentation.lab_presentation import LabPresentation

            state = self._session.state
            look = LabAppearance(state.shade, state.decimals, live=True)
            session = LabSession(lab_id, look, state.language, held=self._held)
            session.undo_stack.indexChanged.connect(weak_slot(self, LabController._on_changes))
            self.window = LabWindow(session)
            self.window.show_lesson(None, state)
            self.window.asked.connect(self._asked)
            self.window.left.connect(self._left)
            self.room = LabPresentation(self.window, self._main, self._session)
        return self.window

    def _left(self) -> None:
        if self.window is not None:
            self._held = self.window.session.held
        self.room = None
        super()._left()

    def _on_changes(self, count: int) -> None:
        if count and self.window is not None:
            state = self.window.session.state
            self.tried.emit(state.lab, state.setting)

    # Requests of the lab window

    def _asked(self, name: str) -> None:
        tasks: dict[str, Callable[[LabWindow], None]] = {
            "lab_hand_over": self._hand_over,
            "lab_lesson": self._play_lesson,
            "lab_scene": self._add_scene,
            "lab_picture": self._write_picture,
            "lab_take": self._take,
            "lab_lead": self._lead,
            "lab_forward": partial(self._step, 1),
            "lab_back": partial(self._step, -1),
            "lab_close": self._close_lesson,
            "lab_play": self._play,
            "lab_present": self._present,
            "lab_help": partial(self._ask_main, "help"),
            "lab_quit": partial(self._ask_main, "quit"),
        }
        if self.window is not None:
            tasks[name](self.window)

    def _hand_over(self, window: LabWindow) -> None:
        """Open the lab's experiment in the main window."""
        lab, setting = window.session.lab, window.session.state.setting
        document, cursor = lab.document(setting), lab.cursor(setting)
        if document is None or not self._files.maybe_save():
            return
        if not self._session.attempt(partial(self._session.open_document, document)):
            return
        if cursor is not None:
            self._session.go_to(cursor)
        bring_to_front(self._main)

    def _lead(self, window: LabWindow) -> None:
        """Go to the lab that this one links to, or hand over the experiment."""
        to = window.session.lab.leads(window.session.state.setting)
        if to is None:
            self._hand_over(window)
            return
        back = lab_title(window.session.state.lab)
        window.session.show(*to)
        window.say(tr("To go back, choose “{title}” at the top.", title=back))

    def _present(self, window: LabWindow) -> None:
        """F5: present the lab with its controls, in a lesson with the scene; or stop."""
        if self.room is not None:
            self.room.toggle()
        else:
            window.present(False)

    def _step(self, by: int, window: LabWindow) -> None:
        """Keys of a clicker: a scene of the lesson if it is shown here, else a step of the clock."""
        scene, player = self._session.state.scene, self._session.lesson_player
        if scene is None or scene.scene.demo is None:
            window.session.step_clock(by)
            return
        presenting = window.isFullScreen()  # then the presentation goes on in the main window
        (player.forward if by > 0 else player.back)()
        scene = self._session.state.scene
        elsewhere = scene is not None and scene.scene.demo is None
        if elsewhere and not presenting:
            bring_to_front(self._main)  # the next scene is shown there

    def _close_lesson(self, _window: LabWindow) -> None:
        self._lessons.close()

    @staticmethod
    def _play(window: LabWindow) -> None:
        window.session.toggle_clock()

    def _ask_main(self, action: str, _window: LabWindow) -> None:
        self._perform(action)

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
        demo = LabReference(state.lab, compact(dict(state.setting.values)))
        try:
            lab_setting(demo)  # the lab's own experiment may be too small for these values
        except UserError as problem:
            window.refuse(problem)
            return
        title, claim = _words(lab_title, state.lab), _words(lab_claim, state.lab)
        self._session.lesson_player.add_lab_scene(LessonScene(demo=demo, title=title, say=claim))
        window.say(tr("Added to the lesson."))

    def _write_picture(self, window: LabWindow) -> None:
        from gui.export.pictures import render_lab

        state = window.session.state
        look = state.shown.appearance
        name = self._files.folder() / f"{lab_title(state.lab)}.png"
        chosen = self.ask(window, name, tr("Pictures") + " (*.png)")
        write_picture(
            window,
            self._files,
            chosen,
            lambda path: render_lab(
                state.lab, state.setting, path, (1600, 900), state.language, look
            ),
        )


def write_picture(
    window: LabWindow | ModelWindow,
    files: ExperimentFiles,
    chosen: Path | None,
    write: Callable[[Path], None],
) -> None:
    """Write a picture to the chosen path, a .png without an ending; the window says the result."""
    if chosen is None:
        return
    completed = chosen if chosen.suffix else chosen.with_suffix(".png")
    path = files.ask.confirmed(window, chosen, completed)
    if path is None:
        return
    try:
        write(path)
    except UserError as problem:
        window.refuse(problem)
        return
    window.say(tr("Written: {name}", name=str(path)))


def bring_to_front(window: QWidget) -> None:
    """Show a window in front of the others."""
    window.show()
    window.raise_()
    window.activateWindow()


def _words(say: Callable[[str], str], lab_id: str) -> LocalizedText:
    """A text of a lab in every language."""
    texts = {}
    for language in languages():
        with spoken(language):
            texts[language] = say(lab_id)
    return LocalizedText(texts)
