"""The file in which mishaps are noted: in the user's folder, of bounded size, with a bounded number of old ones."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from gui.errors.crash_report import CrashReport, versions
from gui.session.preferences import home

LARGEST = 256 * 1024  # bytes, after which a new file is begun
KEPT = 3  # old files


def log_file() -> Path:
    """Where mishaps are noted; older ones beside it as errors.1.log and so on."""
    return home() / "log" / "errors.log"


class Log:
    """Notes each mishap in full once, and of its repetitions the 10th, the 100th and so on.

    A disk that refuses is no mishap of its own: nothing is noted then.
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def note(self, mishap: CrashReport) -> None:
        """Write a mishap down, with time and versions."""
        self._seen[mishap.key] += 1
        times = self._seen[mishap.key]
        if times == 1:
            _append(f"{_stamp()}\n{versions()}\nthread {mishap.thread}\n{mishap.text.rstrip()}\n\n")
        elif str(times).rstrip("0") == "1":
            _append(f"{_stamp()}\nfor the {times}th time: {mishap.kind} at {mishap.where}\n\n")

    def note_message(self, text: str) -> None:
        """Write down what Qt complains about; the same complaint once."""
        self._seen["Qt", text] += 1
        if self._seen["Qt", text] == 1:
            _append(f"{_stamp()}\n{versions()}\nQt: {text}\n\n")


def _stamp() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _append(text: str) -> None:
    with suppress(OSError, ValueError):
        file = log_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > LARGEST:
            _rotate(file)
        with file.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(text)


def _rotate(file: Path) -> None:
    """errors.log becomes errors.1.log, that one errors.2.log; the oldest goes."""
    for number in range(KEPT, 0, -1):
        older = file.with_name(f"{file.stem}.{number}{file.suffix}")
        newer = file.with_name(f"{file.stem}.{number - 1}{file.suffix}") if number > 1 else file
        if newer.exists():
            newer.replace(older)
