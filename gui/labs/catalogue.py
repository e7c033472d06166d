"""The exhibit of each lab, imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from core.labs.catalogue import lab
from gui.labs.exhibit import Exhibit


@cache
def exhibit(lab_id: str) -> Exhibit:
    """Words and picture of a lab. Raises UserError "lab.absent" (lab, known)."""
    lab(lab_id)  # refuses what is no lab
    found: Exhibit = import_module(f"gui.labs.{lab_id.replace('-', '_')}").EXHIBIT
    return found
