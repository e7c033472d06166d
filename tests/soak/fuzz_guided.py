"""A small coverage-guided fuzzer on nothing but Python's own tracing: what reaches a new line is kept and grown on.

It is slow beside atheris (see fuzz_child.py), and the same for the same seed. The tracer also tells, for either of
them, which lines a corpus reaches.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

from tests.soak.corrupting import corrupted
from tests.soak.file_kinds import Kind
from tests.soak.fuzz_judge import Judge
from tests.soak.fuzz_readers import small_seeds, words

LARGEST = 16_384  # bytes of an input; beyond, a change is seldom a new one
LONG = 200  # bytes that are repeated until an input is full
Line = tuple[str, int]


class Lines:
    """Hears, while it is on, which lines run in files under some folders, until a function has none that are new."""

    def __init__(self, *folders: Path) -> None:
        self._folders = tuple(f"{folder}/" for folder in folders)
        self._missing: dict[CodeType, set[int]] = {}
        self.reached: set[Line] = set()

    def __enter__(self) -> Lines:
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        missing = self._missing.get(code)
        if missing is None:
            ours = code.co_filename.startswith(self._folders)
            missing = self._missing[code] = (
                {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
                if ours
                else set()
            )
        return self._line if missing else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self.reached.add((frame.f_code.co_filename, frame.f_lineno))
            self._missing[frame.f_code].discard(frame.f_lineno)
        return self._line


@dataclass(slots=True)
class Guided:
    """Feeds one reader. `corpus` grows by what reaches lines that nothing before it has reached."""

    kind: Kind
    judge: Judge
    chance: Random
    corpus: list[bytes] = field(default_factory=list)
    lines: Lines = field(
        default_factory=lambda: Lines(
            *(Path(__file__).parents[2] / name for name in ("core", "gui"))
        )
    )

    def begin(self, kept: Iterable[bytes] = ()) -> None:
        """Whole files, and what an earlier run has kept."""
        self.corpus = small_seeds(self.kind, LARGEST)
        for data in (*self.corpus, *kept):
            self._feed(data)

    def go_on(self, times: int, until: float = float("inf")) -> None:
        """So many inputs more, or as many as fit until a moment of time.monotonic()."""
        known = words(self.corpus)
        for _ in range(times):
            if time.monotonic() > until:
                return
            parent = self.chance.choice(
                self.corpus[-self.chance.choice((4, 40, len(self.corpus))) :]
            )
            data = corrupted(parent, self.corpus, self.chance)
            if known and self.chance.random() < 0.3:
                at = self.chance.randrange(len(data) + 1)
                data = data[:at] + self.chance.choice(known) + data[at:]
            if self.chance.random() < 0.05:
                data = swollen(data, self.chance)
            if self._feed(data[:LARGEST]):
                self.corpus.append(data[:LARGEST])

    def _feed(self, data: bytes) -> bool:
        """Whether the input reaches something new."""
        before = len(self.lines.reached)
        self.judge.try_(data, within=self.lines)
        return len(self.lines.reached) > before


def swollen(data: bytes, chance: Random) -> bytes:
    """The data with a part of it repeated until it is as long as may be: whoever goes over it twice is slow."""
    at = chance.randrange(len(data) + 1)
    part = data[at : at + chance.choice((1, 1, 2, 3, 5, 12, LONG))] or b" "
    return data[:at] + part * ((LARGEST - len(data)) // len(part)) + data[at:]


def lines_of(modules: Iterable[str]) -> set[Line]:
    """Every line of the functions in some modules."""
    found: set[Line] = set()
    for name in modules:
        path = import_module(name).__file__
        assert path is not None
        code = compile(Path(path).read_bytes(), path, "exec")
        open_ = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        while open_:
            code = open_.pop()
            open_ += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
            if code.co_flags & 0x2:  # a function, not the body of a class
                found |= {
                    (path, line)
                    for _, _, line in code.co_lines()
                    if line and line != code.co_firstlineno
                }
    return found
