"""The presentation: opens the hall's screen and the lecturer's, and does what keys ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from gui.presentation.chooser import choosing_menu
from gui.presentation.ink import Ink
from gui.presentation.key_forwarding import EarlyKeys
from gui.presentation.key_handler import handled
from gui.presentation.keys import command_of
from gui.presentation.next_action import answer_waits, at_the_end, chosen_by_hand, following
from gui.presentation.numbers import Number
from gui.presentation.overlay import PEN
from gui.presentation.screens import ListScreens, all_screens, assigned, fill
from gui.presentation.wording import choice_name, plays, step_count
from gui.session.presented import PresentedViews, after, choice_for, chosen_here, with_choice
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr

if TYPE_CHECKING:  # the two windows are loaded when a lecture begins
    from gui.presentation.audience_view import AudienceView
    from gui.presentation.notes import NotesView

MODIFIERS = range(0x01000020, 0x01000027)  # Shift, Ctrl, Meta, Alt and the locks
END = 2000  # milliseconds for which it is said that a lesson ends


class Presentation(QObject):
    """Full screen over the window, which stays as it is. `perform` does what is an action of the window.

    `told` hears whether it is on.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        perform: Callable[[str], None],
        told: Callable[[bool], None],
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._perform, self._told = window, session, perform, told
        self._ink = Ink()
        self._own: dict[int, PresentedViews] = {}
        self._swapped, self._answered = False, False
        self._chosen = False  # whether the marked cell was chosen by hand since the last step
        self.screens: ListScreens = all_screens
        self.now: Callable[[], datetime] = datetime.now
        self.board: AudienceView | None = None
        self.notes: NotesView | None = None
        self.number = Number(session, self)
        self._early = EarlyKeys(window, self._press, self)
        self._commands = self._table()

    @property
    def on(self) -> bool:
        """Whether it is on."""
        return self.board is not None

    # Beginning and end

    def start(self) -> None:
        """From the current step."""
        from gui.presentation.audience_view import AudienceView

        if self.on:
            return
        self.board = AudienceView(self._session, self._ink, self._window)
        self.board.asked.connect(self._choose_view)
        self.board.closed.connect(self.stop)
        self.board.overlaid.connect(self._show_over)
        self.board.installEventFilter(self)
        self.number.words = self.board.note
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._take_screens)
        app.screenRemoved.connect(self._take_screens)
        self._early.begin()
        self._take_screens()
        self._show(None, self._session.state)
        self._told(True)

    def stop(self) -> None:
        """Everything back as it was."""
        if self.board is None:
            return
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.disconnect(self._take_screens)
        app.screenRemoved.disconnect(self._take_screens)
        self._early.end()
        self.number.forget()
        self.number.words = None
        self._answered = False
        board, self.board = self.board, None
        self._close_notes()
        board.end()
        self._window.activateWindow()
        self._told(False)

    def _take_screens(self, *_changed: object) -> None:
        """The hall's window on its screen; the lecturer's on the other, while there is one."""
        if self.board is None:
            return
        hall, own = assigned(self.screens(), self._window.geometry(), swapped=self._swapped)
        fill(self.board, hall)
        if own is None:
            self._close_notes()
        else:
            self._open_notes().begin(self.board.width() / max(1, self.board.height()))
            fill(self._open_notes(), own)
        self.board.activateWindow()
        self.board.setFocus()
        self._show_notes()

    def _open_notes(self) -> NotesView:
        from gui.presentation.notes import NotesView

        if self.notes is None:
            self.notes = NotesView(self._window, self.now)
            self.notes.closed.connect(self.stop)
            self.notes.installEventFilter(self)
            here, pointer = self.notes.here, self._hall.pointer
            here.pointed.connect(pointer.move_to)
            here.pressed.connect(pointer.press)
            here.released.connect(pointer.release)
            here.left.connect(pointer.leave)
        return self.notes

    def _close_notes(self) -> None:
        if self.notes is not None:
            self.notes.end()
            self.notes = None

    # What is shown

    def show_state(self, old: State | None, new: State) -> None:
        """The hall follows the steps, the lecturer's screen too."""
        if old is not None and (old.lesson is not new.lesson):
            self._own.clear()
        if old is not None and old.scene is not new.scene:
            self._answered = False
        self._chosen = old is not None and chosen_by_hand(old, new, self._chosen)
        self._show(old, new)

    def _show(self, old: State | None, new: State) -> None:
        if self.board is not None:
            self.board.show_state(old, new, self.choice, self._answered)
            self._show_notes()

    def _show_notes(self) -> None:
        if self.notes is None:
            return
        state = self._session.state
        waits = answer_waits(state, self._answered)
        ahead = state if waits else following(self._session)
        coming = None if ahead is None else (ahead, choice_for(ahead, self._own), waits)
        self.notes.show_step((state, self.choice, self._answered), coming)
        self._show_over()

    def _show_over(self) -> None:
        """The lecturer sees too what lies over the hall's picture."""
        if self.notes is not None and self.board is not None:
            self.notes.show_over(self.board.over())

    @property
    def choice(self) -> PresentedViews:
        """What is shown at this step."""
        return choice_for(self._session.state, self._own)

    def choose(self, choice: PresentedViews) -> None:
        """Show something else at this step: a stage remembers it, a scene only while the lesson is open."""
        state = self._session.state
        if state.scene_index is not None:
            self._own[state.scene_index] = choice
            self._show(state, state)
        else:
            kept = (
                state.preferences
                if chosen_here(state)
                else replace(state.preferences, presented=())
            )
            presented = with_choice(kept, state.cursor.stage, choice)
            self._session.prefer(presented=presented, presented_for=str(state.path or ""))

    # Keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Every key of both windows."""
        if event.type() is QEvent.Type.WindowActivate:
            self._early.arrived = True
        if (
            event.type() is QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and self.board is not None
        ):
            self._press(event)
            return True
        return False

    def _press(self, event: QKeyEvent) -> None:
        if self.board is None:
            return
        command = command_of(event)
        if command == "stop" and event.isAutoRepeat():  # F5 that is still held down
            return
        if command not in ("", "help", "leave"):
            self.board.page.away()
        if (
            self.board.curtain.colour
            and event.key() not in MODIFIERS
            and command not in ("black", "white", "swap")
        ):
            self.board.curtain.lift()
        elif command.startswith("digit:"):
            self.number.type(command[-1])
        elif command == "drop_live_edits" and self.number.typed:  # Backspace
            self.number.rub_out()
        elif command:
            self._do(command)

    def _do(self, command: str) -> None:
        if command not in ("enter", "leave"):
            self.number.forget()
        if command in self._commands:
            self._commands[command]()
        elif not handled(self._hall, command):
            self._perform(command)

    def _table(self) -> dict[str, Callable[[], object]]:
        return {
            "on": self._on,
            "back": self._back,
            "go_first": self._first,
            "go_last": self._last,
            "enter": self._enter,
            "leave": self._leave,
            "stop": self.stop,
            "answer": self._answer,
            "cover": self._cover,
            "edit": self._edit,
            "view": self._next_view,
            "choose": self._choose_here,
            "swap": self._swap,
            "undo": self._undo,
        }

    def _on(self) -> None:
        """What is covered first, then the answer to a question; a clicker has no keys of its own for them."""
        state = self._session.state
        if state.hidden is not None:
            self._session.answers.reveal()
        elif not plays(state):
            self._session.step(1)
        elif answer_waits(state, self._answered):
            self._answer()
        elif at_the_end(state):
            self._hall.note.say(tr("End of the lesson"), "", state.shade, END)
        else:
            self._session.lesson_player.forward()

    def _back(self) -> None:
        if not plays(self._session.state):
            self._session.step(-1)
        elif self._answered:
            self._answer()
        else:
            self._session.lesson_player.back()

    def _first(self) -> None:
        if plays(self._session.state):
            self._session.lesson_player.go(0)
        else:
            self._session.go_first()

    def _last(self) -> None:
        state = self._session.state
        if plays(state):
            self._session.lesson_player.go(step_count(state) - 1)
        else:
            self._session.go_last()

    def _enter(self) -> None:
        """With a number typed, there; on a cell that was chosen by hand, another number for it; else on."""
        if self.number.go():
            return
        if self._chosen:
            self._edit()
        else:
            self._on()

    def _edit(self) -> None:
        self._chosen = False
        self._hall.edit(self._session.state.focus)

    def _cover(self) -> None:
        """The step's results away, or back again."""
        state = self._session.state
        if not self._session.answers.cover():
            self._hall.note.say("", tr("Nothing is worked out at this step"), state.shade)

    def _leave(self) -> None:
        """What is on top first: a number half typed, the page of keys, a tool; then the presentation."""
        if not (self.number.forget() or self._hall.page.away() or self._hall.pointer.put_down()):
            self.stop()

    @property
    def _hall(self) -> AudienceView:
        assert self.board is not None, "the presentation must be on"
        return self.board

    def _undo(self) -> None:
        """With the pen in hand, the last stroke."""
        if self._hall.pointer.tool == PEN:
            self._hall.pointer.take_back()
        else:
            self._perform("undo")

    def _answer(self) -> None:
        self._answered = not self._answered
        self._show(self._session.state, self._session.state)

    # What is shown, and where

    def _next_view(self) -> None:
        choice = after(self.choice)
        self.choose(choice)
        self._hall.note.say(choice_name(choice), "", self._session.state.shade, aside=True)

    def _choose_here(self) -> None:
        hall = self._hall
        self._choose_view(hall.mapToGlobal(hall.rect().center()))

    def _choose_view(self, at: QPoint) -> None:
        menu: QMenu = choosing_menu(self._hall, self.choice, self.choose)
        menu.aboutToHide.connect(menu.deleteLater)
        self._hall.arrow.left()
        menu.popup(at)

    def _swap(self) -> None:
        self._swapped = not self._swapped
        self._take_screens()
