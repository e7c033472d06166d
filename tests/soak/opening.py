"""Opens a file as the program does, and says what was wrong with how it was opened or refused."""

from __future__ import annotations

import os
import sys
import traceback
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.base.errors import UserError
from gui.texts.errors import error_message
from gui.texts.translation import current_language, languages, use_language
from tests.soak.file_kinds import Kind

# What Python tells an audit hook of that reading a file has no business with.
FORBIDDEN = (
    "exec",
    "marshal.loads",
    "pickle.find_class",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "subprocess.Popen",
    "socket.",
    "ctypes.dlopen",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.chmod",
    "shutil.",
    "urllib.Request",
)


class Audit:
    """Hears everything that Python does, while it is on. Audit hooks cannot be taken away again: one for all."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.found: list[str] = []
        sys.addaudithook(self._hear)

    @contextmanager
    def over(self, folder: Path) -> Iterator[None]:
        """Only reading in this folder, and in the program's and Python's own, is right."""
        self.folder = folder.resolve()
        try:
            yield
        finally:
            self.folder = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What the test itself does on the way is not heard."""
        folder, self.folder = self.folder, None
        try:
            yield
        finally:
            self.folder = folder

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if self.folder is None:
            return
        if event.startswith(FORBIDDEN) and not _imports():
            self.found.append(f"{event} {args!r:.200}\n{''.join(traceback.format_stack(limit=8))}")
        elif (
            event == "open"
            and isinstance(args[0], str | bytes)
            and not self._may_open(os.fsdecode(args[0]), args[1])
        ):
            self.found.append(f"{event} {args!r:.200}")

    def _may_open(self, path: str, mode: object) -> bool:
        whole = Path(path).resolve()
        if whole.is_relative_to(self.folder or ""):
            return mode in (None, "r", "rb")
        return any(whole.is_relative_to(place) for place in _OWN)


_OWN = [Path(place).resolve() for place in (sys.prefix, sys.base_prefix, Path(__file__).parents[2])]


def _imports() -> bool:
    """Whether Python is at importing a module of its own, or at what the annotations of one mean."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_back is not None:
        if "importlib" in frame.f_code.co_filename or frame.f_code.co_filename == typing.__file__:
            return True
        frame = frame.f_back
    return False


AUDIT: Audit | None = None


def audit() -> Audit:
    """The one audit hook of this process."""
    global AUDIT
    AUDIT = AUDIT or Audit()
    return AUDIT


def fault_of(kind: Kind, path: Path) -> str:
    """Open the file; "" if it was opened, or refused with a whole sentence in every language."""
    listening = audit()
    listening.found.clear()
    try:
        with listening.over(path.parent):
            kind.open(path)
    except UserError as problem:
        return "\n".join(filter(None, (unsaid(problem), *listening.found[:3])))
    except MemoryError:
        return "MemoryError\n" + traceback.format_exc()
    except Exception:
        return traceback.format_exc()
    return "\n".join(listening.found)


def unsaid(problem: UserError) -> str:
    """What is wrong with what people are told; "" if nothing is."""
    before = current_language()
    try:
        for language in languages():
            use_language(language)
            text = error_message(problem)
            if not text.strip() or len(text) > 2000:
                return f"{problem}: {language} says {text!r:.300}"
    except Exception:
        return f"{problem!r:.300}\n{traceback.format_exc()}"
    finally:
        use_language(before)
    return ""
