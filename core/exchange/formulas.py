"""What each stage is, as a formula in LaTeX."""

from __future__ import annotations

from core.document.document import Document
from core.stages import SPECS, Stage


def symbol(stage_id: str) -> str:
    """The letter under which later formulas speak of a stage, or an entered tensor by its name."""
    return SPECS[stage_id].latex if stage_id in SPECS else stage_id


def formula(document: Document, stage: Stage) -> str:
    """How the stage comes about, such as S' = S / \\sqrt{d_k}; the letter alone for what was entered."""
    names = [symbol(name) for name in stage.reads]
    right = stage.kind.latex(document, stage, names)
    letter = symbol(stage.id)
    left = f"{letter}_{{ij}}" if stage.kind.by_entry else letter
    return f"{left} = {right}" if right else letter
