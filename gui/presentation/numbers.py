"""Numbers typed in the lecture room: with Enter they go to a step or a scene, a digit alone chooses a head."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from gui.presentation.blank_screen import Words
from gui.presentation.wording import plays, step_count, step_name
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr

# Milliseconds: from a lone digit to the head that it chooses; how long a number waits for Enter; how long it is said
# that there is no such step.
WAIT, STAYS, SAID = 1200, 6000, 2500


class Number(QObject):
    """Digits typed one after another; they stay on the screen until Enter or Esc, or are given up after a while.

    `words` is where they are shown, None while there is no screen. `head(number)`: that head was chosen, from 1.
    """

    head = Signal(int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.words: Words | None = None
        self.typed = ""
        self.wait = QTimer(self, singleShot=True, interval=WAIT)
        self.wait.timeout.connect(self._alone)
        self.stays = QTimer(self, singleShot=True, interval=STAYS)
        self.stays.timeout.connect(self.forget)

    def type(self, digit: str) -> None:
        """One more digit."""
        self._take((self.typed + digit)[-4:])

    def rub_out(self) -> None:
        """The last digit away."""
        self._take(self.typed[:-1])

    def forget(self) -> bool:
        """Away with it; whether there was one."""
        typed = self._end()
        if typed and self.words is not None:
            self.words.end()
        return bool(typed)

    def go(self) -> bool:
        """To the step or scene with the number, or say that there is none; False where no number was typed."""
        typed, state = self._end(), self._session.state
        if not typed:
            return False
        number = int(typed)
        if not step_name(state, number):
            self._say(typed, how_many(state), SAID)
            return True
        if self.words is not None:
            self.words.end()
        if plays(state):
            self._session.lesson_player.go(number - 1)
        else:
            self._session.jump(state.trace.plan.stages[number - 1].id)
        return True

    def _take(self, typed: str) -> None:
        if not typed:
            self.forget()
            return
        self.typed = typed
        self.stays.start()
        if len(typed) == 1:
            self.wait.start()
        else:
            self.wait.stop()
        state = self._session.state
        self._say(typed, step_name(state, int(typed)) or how_many(state), STAYS)

    def _end(self) -> str:
        typed, self.typed = self.typed, ""
        self.wait.stop()
        self.stays.stop()
        return typed

    def _alone(self) -> None:
        """A head, where there are so many. The number still waits for Enter, and makes room for the picture."""
        number, state = int(self.typed), self._session.state
        if not 1 <= number <= state.document.h or state.document.h == 1:
            return
        self._session.choose_head(number - 1)
        name = step_name(state, number) or how_many(state)
        self._say(
            self.typed,
            tr("Head {number} · Enter: {step}", number=number, step=name),
            STAYS - WAIT,
            aside=True,
        )
        self.head.emit(number)

    def _say(self, large: str, small: str, moment: int, *, aside: bool = False) -> None:
        if self.words is not None:
            self.words.say(large, small, self._session.state.shade, moment, aside=aside)


def how_many(state: State) -> str:
    """What is said to a number that is too high: how many scenes or steps there are."""
    count = step_count(state)
    if not plays(state):
        return tr("There are {count} steps", count=count)
    return tr("There is one scene") if count == 1 else tr("There are {count} scenes", count=count)
