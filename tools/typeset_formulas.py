"""Typeset the formulas of the examples into resources/formulas, so that a start need not load the typesetter."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from core.examples import EXAMPLES, load_example
from core.orientation import COLUMNS, ROWS
from core.plan import plan
from gui.formulas import SHIPPED_SIZE, formula, shipped_name, typeset

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "formulas"


def wanted() -> dict[str, str]:
    """Every formula that the examples show, by its file."""
    return {
        shipped_name(latex): latex
        for document in map(load_example, EXAMPLES)
        for stage in plan(document)
        for flat in (False, True)
        for orientation in (ROWS, COLUMNS)
        for latex in (formula(document, stage.id, flat=flat, orientation=orientation),)
    }


def main() -> None:
    """Write what is wanted and remove everything else."""
    FOLDER.mkdir(exist_ok=True)
    formulas = wanted()
    for path in FOLDER.glob("*.svg"):
        if path.name not in formulas:
            path.unlink()
    for name, latex in formulas.items():
        (FOLDER / name).write_bytes(typeset(latex, "currentColor", SHIPPED_SIZE))


if __name__ == "__main__":
    main()
