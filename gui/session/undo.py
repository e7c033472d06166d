"""The undo command: an immutable snapshot (document, lesson) before and after."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack
from shiboken6 import isValid

from gui.texts.translation import tr, tr_marked

# Python's garbage collector deletes a command that it meets, although the stack still owns it; the
# program then crashes
# when the stack is deleted (measured, PySide6 6.11). So every command is referenced here until its
# stack has deleted it.
_commands: list[ReplaceCommand] = []


def _drop_deleted() -> None:
    """Drop references to commands that their stacks have deleted, and so their snapshots."""
    _commands[:] = [command for command in _commands if isValid(command)]


Owner = TypeVar("Owner", bound=QObject)
Argument = TypeVar("Argument", bool, int)


def weak_slot(
    owner: Owner, method: Callable[[Owner, Argument], None]
) -> Callable[[Argument], None]:
    """A slot for a stack's signals that does nothing once its owner is being deleted.

    A stack emits `cleanChanged` and `indexChanged` while it is deleted. Calling a method of an
    owner that the garbage collector deletes together with the stack crashes the program (measured,
    PySide6 6.11).
    """
    reference = weakref.ref(owner)

    def slot(value: Argument) -> None:
        alive = reference()
        if alive is not None and isValid(alive):
            method(alive, value)

    return slot


class UndoStack(QUndoStack):
    """A stack of ReplaceCommands that frees their snapshots when it is cleared.

    It takes a snapshot before Qt moves its index: an exception then leaves stack and snapshot as
    they were. Raised inside a command's `redo`, it would end the process at the next push.
    """

    def push(self, command: QUndoCommand) -> None:
        """Apply a command and put it on the stack. Raises what applying it raises."""
        if isinstance(command, ReplaceCommand):
            command.swap(command.before, command.after)
        super().push(command)

    def undo(self) -> None:
        """Undo the last command. Raises what applying its snapshot raises."""
        if self.canUndo():
            command = self.command(self.index() - 1)
            if isinstance(command, ReplaceCommand):
                command.swap(command.after, command.before)
            super().undo()

    def redo(self) -> None:
        """Redo the next command. Raises what applying its snapshot raises."""
        if self.canRedo():
            command = self.command(self.index())
            if isinstance(command, ReplaceCommand):
                command.swap(command.before, command.after)
            super().redo()

    def setIndex(self, index: int) -> None:
        """Undo or redo up to an index."""
        while self.index() > max(index, 0):
            self.undo()
        while self.index() < min(index, self.count()):
            self.redo()

    def clear(self) -> None:
        """Delete all commands."""
        super().clear()
        _drop_deleted()

    def snapshot(self, by: int = 0) -> Any:
        """The snapshot in force (0), after an undo (−1) or after a redo (1); None where there is
        none.
        """
        number = self.index() + by
        if not self.count() or not 0 <= number <= self.count():
            return None
        command = self.command(max(number - 1, 0))
        assert isinstance(command, ReplaceCommand)
        return command.after if number else command.before

    def notice(self, by: int) -> str:
        """What to say after an undo (−1) or a redo (1); ask before it. "" where there is none."""
        what = self.undoText() if by < 0 else self.redoText()
        if not what:
            return ""
        return tr("Undone: {what}", what=what) if by < 0 else tr("Redone: {what}", what=what)

    def translate(self) -> None:
        """Name all commands in the current language."""
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
        self._set = weakref.WeakMethod(take)
        self.before, self.after = before, after
        self._text, self._merge, self._values = text, merge, values
        self.translate()
        _drop_deleted()
        _commands.append(self)

    def translate(self) -> None:
        """Name the command in the current language."""
        self.setText(tr_marked(self._text, **self._values))

    def id(self) -> int:
        """Commands with an id of −1 are never merged."""
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Merge a drag, or repeated nudges, into one step."""
        if not isinstance(other, ReplaceCommand) or other._merge != self._merge:
            return False
        self.after = other.after
        return True

    def swap(self, current: Any, snapshot: Any) -> None:
        """Take a snapshot; take the current one again before raising where that fails."""
        take = self._set()
        if take is None:
            return
        try:
            take(snapshot)
        except BaseException:
            take(current)
            raise
