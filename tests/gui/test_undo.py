"""A stack of steps says nothing to an owner that is going."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand
from shiboken6 import delete

from gui.undo import Steps, weakly


class Owner(QObject):
    def __init__(self, heard: list[bool]) -> None:
        super().__init__()
        self.heard = heard

    def hear(self, clean: bool) -> None:
        self.heard.append(clean)


def watched(heard: list[bool]) -> tuple[Owner, Steps]:
    owner, stack = Owner(heard), Steps()
    stack.cleanChanged.connect(weakly(owner, Owner.hear))
    stack.push(QUndoCommand("edit"))
    return owner, stack


@pytest.mark.usefixtures("qapp")
def test_an_owner_that_lives_hears() -> None:
    heard: list[bool] = []
    _owner, stack = watched(heard)
    stack.setClean()
    assert heard == [False, True]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("gone", ["deleted", "collected"])
def test_an_owner_that_is_gone_does_not(gone: str) -> None:
    heard: list[bool] = []
    owner, stack = watched(heard)
    if gone == "deleted":
        delete(owner)
    del owner
    gc.collect()
    stack.clear()
    assert heard == [False]
