"""A stack of steps says nothing to an owner that is going."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand
from shiboken6 import delete

import gui
from gui.session.undo import ReplaceCommand, UndoStack, weak_slot

GUI = Path(gui.__file__).parent


class Owner(QObject):
    def __init__(self, heard: list[int]) -> None:
        super().__init__()
        self.heard = heard

    def hear(self, said: int) -> None:
        self.heard.append(said)


def watched(heard: list[int], signal: str) -> tuple[Owner, UndoStack]:
    owner, stack = Owner(heard), UndoStack()
    getattr(stack, signal).connect(weak_slot(owner, Owner.hear))
    stack.push(QUndoCommand("edit"))
    return owner, stack


@pytest.mark.usefixtures("qapp")
def test_an_owner_that_lives_hears() -> None:
    heard: list[int] = []
    _owner, stack = watched(heard, "cleanChanged")
    stack.setClean()
    assert heard == [False, True]


@pytest.mark.usefixtures("qapp")
def test_an_owner_that_lives_hears_of_each_step() -> None:
    heard: list[int] = []
    _owner, stack = watched(heard, "indexChanged")
    stack.push(QUndoCommand("another"))
    stack.undo()
    assert heard == [1, 2, 1]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("gone", ["deleted", "collected"])
@pytest.mark.parametrize(("signal", "first"), [("cleanChanged", False), ("indexChanged", 1)])
def test_an_owner_that_is_gone_does_not(gone: str, signal: str, first: int) -> None:
    heard: list[int] = []
    owner, stack = watched(heard, signal)
    if gone == "deleted":
        delete(owner)
    del owner
    gc.collect()
    stack.clear()
    assert heard == [first]


def listeners() -> Iterator[tuple[str, ast.expr]]:
    """What is connected to a signal of a stack of steps, anywhere in gui."""
    for path in sorted(GUI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and re.search(
                r"undo_stack\.\w+\.connect$", ast.unparse(node.func)
            ):
                yield f"{path.name}:{node.lineno}", node.args[0]


def test_all_listeners_in_the_program_are_of_that_kind() -> None:
    found = dict(listeners())
    assert len(found) >= 4
    strong = [
        where
        for where, listener in found.items()
        if not ast.unparse(listener).startswith("weak_slot(self, ")
    ]
    assert strong == []


class Model(QObject):
    """A value that refuses negative ones, as a view may whose picture cannot be computed."""

    def __init__(self) -> None:
        super().__init__()
        self.value, self.stack = 0, UndoStack(self)

    def take(self, value: int) -> None:
        self.value = value
        if value < 0:
            raise ValueError(value)

    def put(self, value: int) -> None:
        self.stack.push(ReplaceCommand(self.take, self.value, value, "Edit"))


@pytest.mark.usefixtures("qapp")
def test_an_error_leaves_stack_and_value_as_they_were() -> None:
    model = Model()
    for value in (1, 2):
        model.put(value)
    model.stack.undo()
    for _ in range(3):
        with pytest.raises(ValueError, match="-5"):
            model.put(-5)
        assert (model.value, model.stack.index(), model.stack.count()) == (1, 1, 2)
    model.stack.redo()
    assert model.value == 2
    command = model.stack.command(0)
    assert isinstance(command, ReplaceCommand)
    command.before = -7
    model.stack.undo()
    with pytest.raises(ValueError, match="-7"):
        model.stack.undo()
    assert (model.value, model.stack.index()) == (1, 1)
    model.put(3)
    assert (model.value, model.stack.count()) == (3, 2)
