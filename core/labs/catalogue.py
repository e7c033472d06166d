"""Which labs there are; each is imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from core.base.errors import UserError

if TYPE_CHECKING:
    from core.labs.lab import Lab

# In the order of the menu. The module core.labs.<id>, with _ for -, holds it as LAB.
LABS: tuple[str, ...] = (
    "roles",
    "plane",
    "softmax",
    "sqrt-dk",
    "order",
    "positions",
    "heads",
    "context",
    "sequence",
    "sparse",
    "cross",
    "decode",
    "patches",
    "backward",
    "learn",
    "caution",
    "complexity",
    "quiz",
)


@cache
def lab(lab_id: str) -> Lab:
    """A lab by its id. Raises UserError "lab.absent" (lab, known)."""
    if lab_id not in LABS:
        raise UserError("lab.absent", lab=lab_id, known=LABS)
    package = "core.quiz" if lab_id == "quiz" else "core.labs"
    found: Lab = import_module(f"{package}.{lab_id.replace('-', '_')}").LAB
    return found
