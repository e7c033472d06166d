"""The state of a session, and what its parts (answers, lesson player, playback) may ask of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document
from core.explain.timeline import Grain
from core.lesson.lesson import Resolved
from gui.session.state import State
from gui.session.undo import UndoStack


class StateHolder(QObject):
    """Hold a frozen state and replace it, with an undo stack.

    `changed(old, new)` is the only state signal; `failed(problem)` reports what was refused,
    `told(sentence)` what was undone.
    """

    changed = Signal(object, object)
    failed = Signal(object)
    told = Signal(str)

    def __init__(self, state: Any) -> None:
        super().__init__()
        self._state = state
        self._queue: deque[tuple[Any, Any]] = deque()
        self.undo_stack = UndoStack(self)

    def update(self, **changes: Any) -> None:
        """Replace fields of the state and emit `changed`, unless every field keeps its value."""
        old = self._state
        if all(
            getattr(old, name) is value or _equal(getattr(old, name), value)
            for name, value in changes.items()
        ):
            return
        self._state = replace(old, **changes)
        self._queue.append((old, self._state))
        if len(self._queue) > 1:
            return  # called by a view during `changed`: every view gets the states in order
        while self._queue:
            self.changed.emit(*self._queue[0])
            self._queue.popleft()

    def attempt(self, action: Callable[[], object]) -> bool:
        """Call `action`; emit `failed` and return False where it raises a UserError."""
        try:
            action()
        except UserError as problem:
            self.failed.emit(problem)
            return False
        return True


class SessionBase(StateHolder):
    """The state of the main window, and what the parts of its session may ask of it."""

    _state: State

    @property
    def state(self) -> State:
        """The current state."""
        return self._state

    def change(
        self,
        function: Callable[..., Document],
        *args: Any,
        text: str,
        merge: str = "",
        **values: object,
    ) -> bool:
        """Edit the document by a pure function, as one undo step. False where it was refused."""
        raise NotImplementedError

    def step(self, by: int = 1, grain: Grain | None = None) -> None:
        """Step forward, or back if negative."""
        raise NotImplementedError

    def set_focus(self, cell: Cell) -> None:
        """Move the focus."""
        raise NotImplementedError

    def set_scene(self, scene: Resolved, steps: int, document: Document, **changes: Any) -> None:
        """Show a scene of a lesson after some of its steps."""
        raise NotImplementedError


def _equal(a: object, b: object) -> bool:
    """Compare values by value; documents and traces define no equality and compare by identity."""
    return type(a) is type(b) and a == b
