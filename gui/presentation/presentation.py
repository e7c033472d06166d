"""The presentation: opens both windows and carries out what keys ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QGuiApplication, QKeyEvent, QScreen
from PySide6.QtWidgets import QWidget

from core.lesson.lesson import Lesson
from gui.painting.text_size import PERCENTS, next_percent
from gui.presentation.keys import KeyForwarder, command_for
from gui.presentation.navigation import (
    NumberEntry,
    OpenedOrder,
    countdown_seconds,
    is_answer_pending,
    is_at_lesson_end,
    is_cell_chosen,
    next_state,
    plays_lesson,
    step_count,
    view_name,
)
from gui.session.presented_views import (
    PresentedViews,
    chosen_views,
    is_chosen_here,
    next_views,
    presented_views,
    split_of,
    with_split_moved,
    with_stage_views,
)
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr

if TYPE_CHECKING:
    from gui.presentation.audience_view import AudienceView
    from gui.presentation.overlay import Strokes
    from gui.presentation.speaker_view import SpeakerView


class Screen(Protocol):
    """A screen, real or in a test."""

    def geometry(self) -> QRect:
        """Its rectangle on the desktop."""


ListScreens = Callable[[], Sequence[Screen]]


def assign_screens(
    screens: Sequence[Screen], home: QRect, *, swapped: bool
) -> tuple[Screen, Screen | None]:
    """The audience's screen, and the speaker's (that of the window), None if there is one."""
    if len(screens) < 2:
        return screens[0], None
    speaker_screen = next(
        (screen for screen in screens if screen.geometry().contains(home.center())), screens[0]
    )
    other = next(screen for screen in screens if screen is not speaker_screen)
    return (speaker_screen, other) if swapped else (other, speaker_screen)


def fill_screen(window: QWidget, screen: Screen) -> None:
    """Show a window full screen."""
    window.setGeometry(screen.geometry())
    if isinstance(screen, QScreen):
        window.setScreen(screen)
        window.showFullScreen()
    else:
        window.show()
    window.raise_()


MODIFIERS = range(0x01000020, 0x01000027)  # Shift, Ctrl, Meta, Alt and the locks
LESSON_END_TIME = 2000  # milliseconds of the message at the end of a lesson


class Presentation(QObject):
    """Presents the session full screen; the main window stays as it is.

    `perform` triggers an action of the window; `on_toggled` is called at start and end.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        perform: Callable[[str], None],
        on_toggled: Callable[[bool], None],
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._perform, self._on_toggled = (
            window,
            session,
            perform,
            on_toggled,
        )
        self._strokes: Strokes = {}
        self._scene_views: dict[int, PresentedViews] = {}
        self._swapped, self._answered = False, False
        self._opened = OpenedOrder()
        self._chosen = False  # whether the marked cell was chosen by hand since the last step
        self.screens: ListScreens = QGuiApplication.screens
        self.now: Callable[[], datetime] = datetime.now
        self.audience: AudienceView | None = None
        self.speaker: SpeakerView | None = None
        self.number_entry = NumberEntry(session, self)
        self._key_forwarder = KeyForwarder(window, self._press, self)
        self._commands = self._table()
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._take_screens)
        app.screenRemoved.connect(self._take_screens)

    @property
    def is_running(self) -> bool:
        """Whether the presentation is on."""
        return self.audience is not None

    # Beginning and end

    def start(self) -> None:
        """Start at the current step."""
        from gui.presentation.audience_view import AudienceView

        if self.is_running:
            return
        self.audience = AudienceView(self._session, self._strokes, self._window)
        self.audience.view_menu_requested.connect(self._choose_view)
        self.audience.closed.connect(self.stop)
        self.audience.split_dragged.connect(self._set_split)
        self.audience.overlay_changed.connect(self._show_overlay)
        self.audience.installEventFilter(self)
        self.number_entry.message_layer = self.audience.message_layer
        self._key_forwarder.begin()
        self._take_screens()
        self._show(None, self._session.state)
        self._on_toggled(True)

    def stop(self) -> None:
        """Close both windows."""
        if self.audience is None:
            return
        self._key_forwarder.end()
        self.number_entry.cancel()
        self.number_entry.message_layer = None
        self._answered = False
        audience, self.audience = self.audience, None
        self._close_notes()
        audience.end()
        self._window.activateWindow()
        self._on_toggled(False)

    def _take_screens(self, *_changed: object) -> None:
        """Place the audience's window, and the speaker's if there is a second screen."""
        if self.audience is None:
            return
        screen, speaker_screen = assign_screens(
            self.screens(), self._window.geometry(), swapped=self._swapped
        )
        fill_screen(self.audience, screen)
        if speaker_screen is None:
            self._close_notes()
        else:
            self._open_notes().begin(self.audience.width() / max(1, self.audience.height()))
            fill_screen(self._open_notes(), speaker_screen)
        self.audience.activateWindow()
        self.audience.setFocus()
        self._show_notes()

    def _open_notes(self) -> SpeakerView:
        from gui.presentation.speaker_view import SpeakerView

        if self.speaker is None:
            self.speaker = SpeakerView(self._window, self.now)
            self.speaker.closed.connect(self.stop)
            self.speaker.installEventFilter(self)
            preview, pointer = self.speaker.current, self._shown_audience.pointer
            preview.pointed.connect(pointer.move_to)
            preview.pressed.connect(pointer.press)
            preview.released.connect(pointer.release)
            preview.left.connect(pointer.leave)
        return self.speaker

    def _close_notes(self) -> None:
        if self.speaker is not None:
            self.speaker.end()
            self.speaker = None

    # What is shown

    def show_state(self, old: State | None, new: State) -> None:
        """Update both windows."""
        if old is not None and not _is_same_lesson(old.lesson, new.lesson):
            self._scene_views.clear()
        if old is not None and not _is_same_scene(old, new):
            self._answered = False
        self._chosen = old is not None and is_cell_chosen(old, new, self._chosen)
        self._show(old, new)

    def _show(self, old: State | None, new: State) -> None:
        if self.audience is not None:
            self.audience.show_state(old, new, self.choice, self._answered)
            self._show_notes()

    def _show_notes(self) -> None:
        if self.speaker is None:
            return
        state = self._session.state
        waits = is_answer_pending(state, self._answered)
        ahead = state if waits else next_state(self._session)
        coming = (
            None if ahead is None else (ahead, presented_views(ahead, self._scene_views), waits)
        )
        self.speaker.show_step((state, self.choice, self._answered), coming)
        self._show_overlay()

    def _show_overlay(self) -> None:
        """Repeat the overlay in the speaker's preview."""
        if self.speaker is not None and self.audience is not None:
            self.speaker.show_overlay(self.audience.overlay())

    @property
    def choice(self) -> PresentedViews:
        """The view of this step."""
        return presented_views(self._session.state, self._scene_views)

    def choose(self, choice: PresentedViews) -> None:
        """Change the view: remembered by the stage, in a lesson only until it is closed.

        Another split of a scene's own panels is written into the lesson.
        """
        state = self._session.state
        if state.scene_index is not None and choice.panels == self.choice.panels == state.view:
            self._scene_views.pop(state.scene_index, None)
            self._session.lesson_player.edit_scene(
                state.scene_index, f"split {state.scene_index}", split=split_of(choice)
            )
            self._show(state, self._session.state)
        elif state.scene_index is not None:
            self._scene_views[state.scene_index] = choice
            self._show(state, state)
        else:
            kept = (
                state.preferences
                if is_chosen_here(state)
                else replace(state.preferences, presented=())
            )
            presented = with_stage_views(kept, state.cursor.stage, choice)
            self._session.set_preferences(presented=presented, presented_for=str(state.path or ""))

    # Keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle every key of both windows."""
        if event.type() is QEvent.Type.WindowActivate:
            self._key_forwarder.is_done = True
        if (
            event.type() is QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and self.audience is not None
        ):
            self._press(event)
            return True
        return False

    def _press(self, event: QKeyEvent) -> None:
        if self.audience is None:
            return
        command = command_for(event)
        if command == "stop" and event.isAutoRepeat():  # F5 that is still held down
            return
        if command not in ("", "help", "leave", "black", "white"):
            self.audience.key_help.hide_page()
        if (
            self.audience.blank_screen.colour
            and event.key() not in MODIFIERS
            and command not in ("black", "white", "swap")
        ):
            self.audience.blank_screen.uncover()
        elif command.startswith("digit:"):
            self.number_entry.type(command[-1])
        elif command == "drop_live_edits" and self.number_entry.typed:  # Backspace
            self.number_entry.backspace()
        elif command:
            self._do(command)

    def _do(self, command: str) -> None:
        self._note_opened()
        if command not in ("enter", "leave", "countdown"):
            self.number_entry.cancel()
        if command in self._commands:
            self._commands[command]()
        elif not self._shown_audience.do_command(command):
            self._perform(command)
        self._note_opened()

    def _table(self) -> dict[str, Callable[[], object]]:
        return {
            "on": self._on,
            "back": self._back,
            "go_first": lambda: self._to_end(self._session.go_first, 0),
            "go_last": lambda: self._to_end(self._session.go_last, -1),
            "enter": self._enter,
            "leave": self._leave,
            "stop": self.stop,
            "answer": self._answer,
            "cover": self._cover,
            "edit": self._edit,
            "view": self._next_view,
            "sum": self._toggle_sum,
            "text_larger": lambda: self._resize_text(1),
            "text_smaller": lambda: self._resize_text(-1),
            "text_normal": lambda: self._resize_text(0),
            "countdown": self._count_down,
            "choose": self._choose_view,
            "first_smaller": lambda: self._move_split(-1),
            "first_larger": lambda: self._move_split(1),
            "swap": self._swap,
            "undo": self._undo,
            "controls": lambda: None,  # of a lab alone
        }

    def _on(self) -> None:
        """Reveal what is hidden, else show the answer, else go to the next step."""
        state = self._session.state
        if state.hidden is not None:
            self._session.answers.reveal()
        elif not plays_lesson(state):
            self._session.step(1)
        elif is_answer_pending(state, self._answered):
            self._answer()
        elif is_at_lesson_end(state):
            self._shown_audience.message_layer.show_message(
                tr("End of the lesson"), "", state.shade, LESSON_END_TIME
            )
        else:
            self._session.lesson_player.forward()

    def _back(self) -> None:
        if not plays_lesson(self._session.state):
            self._session.step(-1)
        elif self._answered:
            self._answer()
        else:
            self._session.lesson_player.back()

    def _to_end(self, go: Callable[[], object], scene: int) -> None:
        """Go to the first or the last step, or to that scene of a lesson."""
        if plays_lesson(self._session.state):
            self._session.lesson_player.go_to(scene % step_count(self._session.state))
        else:
            go()

    def _enter(self) -> None:
        """Jump to a typed number, else edit a chosen cell, else go on."""
        if self.number_entry.accept():
            return
        if self._chosen:
            self._edit()
        else:
            self._on()

    def _edit(self) -> None:
        self._chosen = False
        self._shown_audience.edit(self._session.state.focus)

    def _cover(self) -> None:
        """Hide the results of the step, or show them."""
        state = self._session.state
        if not self._session.answers.toggle_hidden():
            self._shown_audience.message_layer.show_message(
                "", tr("This step has no results to hide"), state.shade
            )

    def _leave(self) -> None:
        """Dismiss what came last; stop where nothing is left."""
        if not self._opened.dismiss_last(self._dismissals()):
            self.stop()

    def _dismissals(self) -> dict[str, tuple[bool, Callable[[], object]]]:
        """Whether each thing that Esc dismisses is there, and how it goes."""
        screen, state = self._shown_audience, self._session.state
        typed = bool(self.number_entry.typed)
        message = screen.message_layer
        covered = state.hidden is not None and not state.predict
        return {
            "answer": (self._answered, self._answer),
            "cover": (covered, self._session.answers.reveal),
            "countdown": (screen.countdown.is_running, screen.countdown.stop),
            "tool": (bool(screen.pointer.tool), screen.pointer.drop_tool),
            "help": (not screen.key_help.isHidden(), screen.key_help.hide_page),
            "message": (not typed and not message.isHidden(), message.dismiss),
            "number": (typed, self.number_entry.cancel),
        }

    def _note_opened(self) -> None:
        """Note what has come and gone, in the order in which it came."""
        self._opened.note({} if self.audience is None else self._dismissals())

    @property
    def _shown_audience(self) -> AudienceView:
        assert self.audience is not None, "the presentation must be on"
        return self.audience

    def _undo(self) -> None:
        """Undo what was done last: an edit, or a stroke while the pen is active."""
        if self._shown_audience.pointer.undo_stroke():
            self.tell(tr("Undone: {what}", what=tr("pen stroke")))
        else:
            self._perform("undo")

    def tell(self, sentence: str) -> None:
        """Show a short notice in the corner."""
        self._shown_audience.message_layer.show_message(
            "", sentence, self._session.state.shade, aside=True
        )

    def _answer(self) -> None:
        self._answered = not self._answered
        self._show(self._session.state, self._session.state)

    # What is shown, and where

    def _next_view(self) -> None:
        self.choose(next_views(chosen_views(self._session.state, self._scene_views)))
        self._name_view()

    def _toggle_sum(self) -> None:
        """Show the worked sum at every step, or no longer."""
        on = not self._session.state.preferences.presented_sum
        self._session.set_preferences(presented_sum=on)
        self._name_view()

    def _move_split(self, by: int) -> None:
        """Make the first of two panels larger or smaller."""
        if len(self.choice.panels) == 2:
            screen = self._shown_audience.rect()
            self.choose(with_split_moved(self.choice, by, screen.width() / max(1, screen.height())))

    def _set_split(self, percent: int) -> None:
        """Take the share of the first panel from a dragged split."""
        self.choose(replace(self.choice, percent=percent))

    def _resize_text(self, by: int) -> None:
        """Make the audience's text larger or smaller; 0 makes it normal."""
        percent = self._session.state.preferences.presented_text
        percent = next_percent(percent, by) if by else PERCENTS[0]
        self._session.set_preferences(presented_text=percent)
        self.tell(tr("Text size {percent} %", percent=percent))

    def _count_down(self) -> None:
        """Start a countdown of the typed number: minutes below 10, else seconds; or stop it."""
        typed, countdown = self.number_entry.typed, self._shown_audience.countdown
        self.number_entry.cancel()
        if countdown.is_running and not typed:
            countdown.stop()
        else:
            countdown.start(countdown_seconds(typed), self.now, self._session.state.shade)

    def _name_view(self) -> None:
        self._shown_audience.message_layer.show_message(
            view_name(self.choice), "", self._session.state.shade, aside=True
        )

    def _choose_view(self, at: QPoint | None = None) -> None:
        """Open the menu of views at a point of the desktop, or in the middle."""
        from gui.presentation.audience_view import choosing_menu

        screen = self._shown_audience
        middle = screen.mapToGlobal(screen.rect().center())
        menu = choosing_menu(
            screen, chosen_views(self._session.state, self._scene_views), self.choose
        )
        menu.addSeparator()
        always = menu.addAction(tr("Always the worked sum") + "\tD")
        always.setCheckable(True)
        always.setChecked(self._session.state.preferences.presented_sum)
        always.triggered.connect(self._toggle_sum)
        screen.open_view_menu(menu, middle if at is None else at)

    def _swap(self) -> None:
        self._swapped = not self._swapped
        self._take_screens()


def _is_same_lesson(old: Lesson | None, new: Lesson | None) -> bool:
    """Whether the scenes still show the same panels in the same order."""
    if old is None or new is None:
        return old is new
    return [scene.view for scene in old.scenes] == [scene.view for scene in new.scenes]


def _is_same_scene(old: State, new: State) -> bool:
    """Whether the same question is asked; another split of its panels is no other scene."""
    if old.scene is None or new.scene is None or old.scene_index != new.scene_index:
        return old.scene is new.scene
    return (
        old.scene is new.scene
        or replace(old.scene.scene, split=new.scene.scene.split) == new.scene.scene
    )
