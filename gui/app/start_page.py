"""Show the start page over the window, and carry out what is chosen on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from core.base.files import exists, read_bytes
from core.labs.lab import LABS
from core.lesson.lesson import COURSE, LESSONS, lesson_path, loads
from core.quiz.topics import card_count
from core.storage.examples import in_language
from gui.app.actions import Action, Actions, Menus
from gui.app.message_bar import MessageBar
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.state import State
from gui.storage.experiment_files import ExperimentFiles
from gui.storage.lesson_files import LessonFiles
from gui.storage.progress import QUIZ, LastExperiment, ProgressKeeper, open_last
from gui.texts.labs import lab_title
from gui.texts.names import STAGE_SYMBOLS
from gui.texts.translation import language_folder, tr, tr_marked

if TYPE_CHECKING:
    from gui.views.start.bands import Count, RecentFile
    from gui.views.start.doors import LessonDoor
    from gui.views.start.page import StartContent, StartPage

# Actions of other menus concern the experiment behind the page, and so close it.
STAYING = {
    "file",
    "recent",
    "examples",
    "models",
    "lessons",
    "help",
    "labs",
    "language",
    "theme",
    "text_size",
}
MOST_RECENT = 3
# A change of these closes the page: something else is to be seen.
EXPERIMENT = ("document", "path", "lesson", "scene", "cursor", "predict")
LOOK = ("language", "shade", "preferences")
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
MOVING = {
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.LayoutRequest,
    QEvent.Type.ZOrderChange,
}


@dataclass(frozen=True, slots=True)
class WindowParts:
    """What the page needs of its window. `focus` gives the keyboard back to the experiment."""

    session: Session
    actions: Actions
    menus: Menus
    files: ExperimentFiles
    lesson_files: LessonFiles
    progress: ProgressKeeper
    message_bar: MessageBar
    focus: Callable[[], None]


class StartPageController(QObject):
    """Show and hide the start page. What lies behind it is disabled meanwhile."""

    def __init__(self, window: QMainWindow, parts: WindowParts) -> None:
        super().__init__(window)
        self._window, self._parts = window, parts
        self.page: StartPage | None = None
        parts.actions.performing.connect(self._on_action)
        parts.progress.changed.connect(self._rebuild)
        for part in (window, parts.message_bar, *window.findChildren(QDockWidget)):
            part.installEventFilter(self)

    def show(self) -> None:
        """Show the page, or build it again."""
        first = self.page is None
        self._build()
        if first:
            self._enable(False)
        assert self.page is not None
        self.page.begin()

    def hide(self) -> None:
        """Leave the page: the experiment has the keyboard."""
        if self.page is None:
            return
        page, self.page = self.page, None
        page.hide()
        page.deleteLater()
        self._enable(True)
        self._parts.focus()

    def show_state(self, old: State | None, new: State) -> None:
        """Close for another experiment or step; follow language and theme."""
        if self.page is None or old is None:
            return
        another = any(getattr(old, name) is not getattr(new, name) for name in EXPERIMENT)
        if another and old.language == new.language:  # not an example in other words
            self.hide()
        elif any(getattr(old, name) != getattr(new, name) for name in LOOK):
            self._rebuild()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay below menus and messages, and over the docks."""
        if self.page is not None and event.type() in MOVING:
            QTimer.singleShot(0, self, self._place)
        return False

    # Inside

    def _on_action(self, record: Action[Any]) -> None:
        if record.menu not in STAYING and record.id != "preferences":
            self.hide()

    def _enable(self, on: bool) -> None:
        """Enable what the page covers: disabled, it takes no keys and a reader skips it."""
        window = self._window
        above = (
            self.page,
            window.menuBar(),
            self._parts.message_bar,
            self._parts.message_bar.toast,
        )
        for part in self._stacked():
            if part not in above:
                part.setEnabled(on)

    def _rebuild(self) -> None:
        """Show the page with new contents; field and focus stay."""
        old = self.page
        if old is None:
            return
        focused, text = self._window.focusWidget(), old.sentence.line.text()
        name = focused.objectName() if focused is not None else ""
        self._build()
        assert self.page is not None
        self.page.sentence.line.setText(text)
        again = self.page.findChild(QObject, name) if name else None
        if again is not None and again.isWidgetType():
            again.setFocus()  # type: ignore[attr-defined]

    def _build(self) -> None:
        from gui.views.start.page import StartPage

        window, session, old = self._window, self._parts.session, self.page
        self.page = page = StartPage(colours(session.state.shade), self._content(), window)
        page.asked.connect(self._parts.actions.perform)
        page.lesson_wanted.connect(self._parts.lesson_files.open_shipped)
        page.example_wanted.connect(self._open_example)
        page.recent_wanted.connect(self._open_recent)
        page.sentence_entered.connect(self._ask_sentence)
        page.menu_wanted.connect(self._pop_up)
        page.at_start_chosen.connect(self._choose_start)
        page.left.connect(self.hide)
        if old is not None:
            old.hide()
            old.deleteLater()
        self._place()
        page.show()

    def _place(self) -> None:
        """Fill the window below the menu bar and the message bar."""
        if self.page is None:
            return
        window = self._window
        room = window.rect()
        bars = [window.menuBar()] + [self._parts.message_bar] * self._parts.message_bar.isVisible()
        room.setTop(max(bar.geometry().bottom() + 1 for bar in bars))
        self.page.setGeometry(room)
        toast = self._parts.message_bar.toast
        if self._stacked()[-2:] != [self.page, toast]:  # a dock that is laid out again is raised
            self.page.raise_()
            toast.raise_()

    def _stacked(self) -> list[QWidget]:
        """The parts of the window, the uppermost last."""
        parts = self._window.findChildren(QWidget, options=DIRECT)
        return [part for part in parts if not part.isWindow()]

    def _ask_sentence(self, sentence: str) -> None:
        from gui.dialogs.new import ask_new_document

        self._parts.files.new(lambda parent: ask_new_document(parent, sentence))

    def _open_example(self, example: str) -> None:
        if self._parts.files.open_example(example):
            self.hide()  # also where it was open already

    def _open_recent(self, path: str) -> None:
        if self._parts.files.open_recent(path) if path else self.open_last():
            self.hide()

    def open_last(self) -> bool:
        """Open the last experiment where it stood; False where that is not possible."""
        last = self._parts.progress.progress.last
        if last is None or not self._parts.files.maybe_save():
            return False
        if last.path:
            opened = self._parts.files.open(last.path)
        else:
            opened = self._parts.session.attempt(partial(self._open_copy, last))
        if opened and last.stand.cursor is not None:
            self._parts.session.go_to(last.stand.cursor)
        return opened

    def _open_copy(self, last: LastExperiment) -> None:
        document = open_last(last)
        if document is not None:
            self._parts.session.open_document(in_language(document, language_folder()))

    def _pop_up(self, menu: str, place: QPoint) -> None:
        self._parts.menus[menu].popup(place)

    def _choose_start(self, on: bool) -> None:
        self._parts.session.set_preferences(at_start="page" if on else "last")

    # Contents

    def _content(self) -> StartContent:
        from gui.views.start.bands import Count
        from gui.views.start.page import StartContent

        state, progress = self._parts.session.state, self._parts.progress.progress
        recent, labs, cards = self._recent(), len(LABS) - 1, card_count()
        counts: list[Count] = [
            Count(tr("Lessons"), len(progress.lessons), len(LESSONS)),
            Count(tr("Labs"), len(progress.labs), labs),
            Count(tr("Quiz"), len(progress.quiz), cards),
        ]
        return StartContent(
            language=state.language,
            lesson=self._lesson(),
            labs=labs,
            cards=cards,
            recent=recent,
            counts=counts,
            advice=self._advice(),
            at_start=state.preferences.at_start == "page",
            begun=bool(recent) or not progress.is_empty,
        )

    def _lesson(self) -> LessonDoor:
        """The lesson that was begun, else the next one of the course."""
        from gui.views.start.doors import LessonDoor

        progress, language = self._parts.progress.progress, self._parts.session.state.language
        begun = [lesson for lesson in COURSE if lesson in progress.scenes]
        ahead = [lesson for lesson in COURSE if lesson not in progress.lessons]
        lesson = (*begun, *ahead, *progress.scenes, COURSE[0])[0]
        loaded = loads(read_bytes(lesson_path(lesson)))
        count = len(loaded.scenes)
        scene = min(progress.scenes.get(lesson, 0), count - 1)
        return LessonDoor(lesson, loaded.title.of(language), scene, count, lesson == COURSE[0])

    def _recent(self) -> list[RecentFile]:
        """The experiment that was open last, and the recent files."""
        from gui.views.start.bands import RecentFile
        from gui.views.start.texts import when

        last, state = self._parts.progress.progress.last, self._parts.session.state
        found = []
        if last is not None:
            stage = STAGE_SYMBOLS.get(last.stand.stage, "")
            name = tr_marked(last.title) if last.title else tr("Untitled")
            time = when(last.time, state.language)
            path = last.path if last.path in state.preferences.recent else ""
            found.append(RecentFile("", name, stage, time, not exists(last.file)))
        else:
            path = ""
        for file in state.preferences.recent:
            if file != path:
                time, there = "", exists(file)
                with suppress(OSError):
                    time = when(Path(file).stat().st_mtime, state.language)
                found.append(
                    RecentFile(file, Path(file).name, Path(file).parent.name, time, not there)
                )
        return found[:MOST_RECENT]

    def _advice(self) -> tuple[str, str]:
        """What has not been tried yet, and its action."""
        progress = self._parts.progress.progress
        for lab in LABS:
            if lab not in progress.labs and lab != QUIZ:
                return tr("Not tried yet: the lab “{lab}”", lab=lab_title(lab)), f"lab_{lab}"
        return tr("Answer a question of the quiz"), "lab_quiz"
