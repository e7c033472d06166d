"""Typeset the formulas of the examples into resources/formulas, so that a start need not load the typesetter."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from core.document.orientation import COLUMNS, ROWS
from core.stages import plan
from core.storage.examples import EXAMPLES, load_example
from gui.painting.formulas import SHIPPED_SIZE, formula, typeset

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "formulas"


def wanted() -> dict[str, str]:
    """A file for every formula that the examples show."""
    return {
        latex: f"{zlib.crc32(latex.encode('utf-8')):08x}.svg"
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
    assert len(set(formulas.values())) == len(formulas), "two formulas share a file"
    for path in FOLDER.glob("*.svg"):
        if path.name not in formulas.values():
            path.unlink()
    for latex, name in formulas.items():
        (FOLDER / name).write_bytes(typeset(latex, "currentColor", SHIPPED_SIZE))
    (FOLDER / "index.json").write_text(
        json.dumps(formulas, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
