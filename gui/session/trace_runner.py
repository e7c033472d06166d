"""Runs of experiments for the session: at once where they are small, else with patience."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from core.base.errors import UserError
from core.compute.memory import require_room
from core.compute.trace import Trace, Watch, run
from core.document.document import Document
from gui.texts.translation import mark

LARGE = 1 << 18  # scores from which a run takes longer than a frame

T = TypeVar("T")
Work = Callable[[Watch], T]


class TraceRunner:
    """One work at a time. `wait` does what takes long; a window puts its own there, which stays alive meanwhile."""

    def __init__(self) -> None:
        self.wait: Callable[[Work[Any], str], Any] = run_at_once
        self._waiting = False

    def trace(
        self, document: Document, previous: Trace | None, prepare: Callable[[Trace], object]
    ) -> Trace:
        """Its trace; of a large one `prepare` makes, still beside the window, what the views will ask first.

        Raises UserError "memory", "memory.short", and what `run_blocking` raises.
        """
        if document.h * document.n * document.m < LARGE:
            return traced(document, previous)
        require_room(document)

        def work(watch: Watch) -> Trace:
            trace = traced(document, previous, watch)
            watch(1, 1)
            prepare(trace)
            return trace

        return self.run_blocking(work, mark("Computing…"))

    def prepared(self, document: Document, prepare: Callable[[], object]) -> None:
        """What the views will ask next of a large run, made beside the window. Where other work is waited for, or this
        is stopped, they make it themselves."""
        if self._waiting or document.h * document.n * document.m < LARGE:
            return
        with suppress(UserError):
            self.run_blocking(lambda _watch: prepare(), mark("Computing…"))

    def run_blocking(self, work: Work[T], text: str) -> T:
        """The result of work that takes long; `text` is marked and says what is done.

        Raises what the work raises as a UserError, "given_up" where the user has stopped it, and "busy" where other work
        is being waited for.
        """
        if self._waiting:
            raise UserError("busy")
        self._waiting = True
        try:
            result: T = self.wait(work, text)
        finally:
            self._waiting = False
        return result


def traced(document: Document, previous: Trace | None, watch: Watch | None = None) -> Trace:
    """Its trace. Raises UserError "memory" where there is too little."""
    try:
        return run(document, previous, watch)
    except MemoryError as error:
        raise UserError("memory") from error


def run_at_once(work: Work[T], _text: str) -> T:
    """Do the work in this thread: the `wait` of a session without a window."""
    return work(lambda _done, _of: None)
