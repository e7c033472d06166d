"""Compute traces for the session: small ones at once, large ones in the background while the window
waits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from core.base.errors import UserError
from core.compute.trace import Trace, Watch, require_memory, run
from core.document.document import Document
from core.explain.derivation import work as products
from gui.texts.translation import mark

LARGE = 1 << 18  # scores from which a run takes longer than a frame

LARGE_STACK = 1 << 25  # products in all stages of a stack from which it does

T = TypeVar("T")
Work = Callable[[Watch], T]


def is_large(document: Document) -> bool:
    """Whether a run takes longer than a frame; in a stack the layers count together."""
    heads = sum(scope.h for scope in document.scopes or (document,))
    if heads * document.n * document.m >= LARGE:
        return True
    return document.is_stack and products(document) >= LARGE_STACK


class TraceRunner:
    """Run one task at a time. `wait` runs long tasks; a window replaces it by one that keeps the
    window responsive.
    """

    def __init__(self) -> None:
        self.wait: Callable[[Work[Any], str], Any] = run_at_once
        self._waiting = False

    def trace(
        self, document: Document, previous: Trace | None, prepare: Callable[[Trace], object]
    ) -> Trace:
        """Compute a trace. For a large one `prepare` fills the caches of the views in the
        background, too.

        Raises UserError "memory", "memory.short", and what `run_blocking` raises.
        """
        if not is_large(document):
            return compute_trace(document, previous)
        require_memory(document)

        def work(watch: Watch) -> Trace:
            trace = compute_trace(document, previous, watch)
            watch(1, 1)
            prepare(trace)
            return trace

        return self.run_blocking(work, mark("Computing…"))

    def prefetch(self, document: Document, prepare: Callable[[], object]) -> None:
        """Fill the caches of the views for a large trace in the background, unless another task is
        running.
        """
        if self._waiting or not is_large(document):
            return
        with suppress(UserError):
            self.run_blocking(lambda _watch: prepare(), mark("Computing…"))

    def run_blocking(self, work: Work[T], text: str) -> T:
        """Return the result of a long task; `text` is marked and names it.

        Raises the task's UserError, "given_up" where the user cancelled it, and "busy" while
        another one is running.
        """
        if self._waiting:
            raise UserError("busy")
        self._waiting = True
        try:
            result: T = self.wait(work, text)
        finally:
            self._waiting = False
        return result


def compute_trace(document: Document, previous: Trace | None, watch: Watch | None = None) -> Trace:
    """Compute a trace. Raises UserError "memory" where there is too little."""
    try:
        return run(document, previous, watch)
    except MemoryError as error:
        raise UserError("memory") from error


def run_at_once(work: Work[T], _text: str) -> T:
    """Do the work in this thread: the `wait` of a session without a window."""
    return work(lambda _done, _of: None)
