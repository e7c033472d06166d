"""Whether there is room for a trace. Linux promises memory that it has not got and then ends the program."""

from __future__ import annotations

from contextlib import suppress
from math import prod
from pathlib import Path

from core.base.errors import UserError
from core.document.document import Document
from core.stages import plan

WORTH_ASKING = 1 << 28  # bytes; for less nobody need look
MEMINFO = Path("/proc/meminfo")


def needed(document: Document) -> int:
    """Bytes of all stages of its trace, each an array of doubles."""
    return 8 * sum(prod(document.stage_shape(stage.id)) for stage in plan(document))


def available() -> int | None:
    """Bytes that can be had without ending somebody else's program; None where the system does not tell."""
    with suppress(OSError, ValueError):
        for line in MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def require_room(document: Document) -> None:
    """Raises UserError "memory.short" (MiB) where its trace is larger than what is left of this computer's memory."""
    size = needed(document)
    if size < WORTH_ASKING:
        return
    there = available()
    if there is not None and size > there:
        raise UserError("memory.short", needed=size >> 20, available=there >> 20)
