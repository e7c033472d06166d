"""The undo command: an immutable snapshot (document, lesson) before and after."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack
from shiboken6 import isValid

from gui.texts.translation import tr_marked

# A command that Python's garbage collector meets is given back to Python and deleted, although its stack still
# holds it: the program dies when the stack goes (measured, PySide6 6.11). So each command is held here until its
# stack has deleted it, and knows who takes its snapshots only weakly.
_held: list[ReplaceCommand] = []


def _let_go() -> None:
    """Hold no command that its stack has deleted, nor the experiments in it."""
    _held[:] = [command for command in _held if isValid(command)]


Owner = TypeVar("Owner", bound=QObject)
Told = TypeVar("Told", bool, int)


def weakly(owner: Owner, listen: Callable[[Owner, Told], None]) -> Callable[[Told], None]:
    """A listener for a stack's signals that is silent once its owner is going.

    A stack that goes still says that it is clean, and at its beginning. Where the garbage collector takes it together
    with its owner, a method of the owner's would be called on what is no object any more, and the program dies
    (measured, PySide6 6.11).
    """
    held = weakref.ref(owner)

    def tell(value: Told) -> None:
        alive = held()
        if alive is not None and isValid(alive):
            listen(alive, value)

    return tell


class UndoStack(QUndoStack):
    """A stack of undo steps that lets their experiments go with them."""

    def clear(self) -> None:
        """No steps."""
        super().clear()
        _let_go()

    def translate(self) -> None:
        """The names of all steps in the current language."""
        for command in map(self.command, range(self.count())):
            if isinstance(command, ReplaceCommand):
                command.translate()


class ReplaceCommand(QUndoCommand):
    """Swap two snapshots by a call of the bound method `take`.

    `text` is marked for translation and takes `values`; commands with the same non-empty `merge`
    that follow each other become one step.
    """

    def __init__(
        self,
        take: Callable[..., None],
        before: Any,
        after: Any,
        text: str,
        merge: str = "",
        /,
        **values: object,
    ) -> None:
        super().__init__()
        self._take = weakref.WeakMethod(take)
        self._before, self._after = before, after
        self._text, self._merge, self._values = text, merge, values
        self.translate()
        _let_go()
        _held.append(self)

    def translate(self) -> None:
        """Its name in the current language."""
        self.setText(tr_marked(self._text, **self._values))

    def id(self) -> int:
        """Commands with an id of −1 are never merged."""
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Folds a drag, or a row of nudges, into one step."""
        if not isinstance(other, ReplaceCommand) or other._merge != self._merge:
            return False
        self._after = other._after
        return True

    def snapshot(self, by: int) -> Any:
        """What is shown after it was undone (−1) or done (1)."""
        return self._before if by < 0 else self._after

    def undo(self) -> None:
        """What was before."""
        self._give(self._before)

    def redo(self) -> None:
        """What was after; also called when the command is pushed."""
        self._give(self._after)

    def _give(self, snapshot: Any) -> None:
        take = self._take()
        if take is not None:
            take(snapshot)
