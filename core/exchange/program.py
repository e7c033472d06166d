"""The short program of a run: what the scripts compute, statement by statement, each with the shapes it deals with.

program(document, "numpy")              for the eye: long arrays are cut short with …
program(document, "numpy", whole=True)  to run: the same statements with every digit
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from core.document.document import Document
from core.stages import Stage, plan
from core.stages.dialect import (
    NUMPY,
    TORCH,
    Dialect,
    literal,
    pin_lines,
    shown_shape,
    sizes,
    tensor_shape,
    variable,
)

WIDEST = 72  # characters of an array that is shown whole
FEW = 4  # numbers of one that is cut short
MOST = 40  # numbers beyond which an array is never written out to see how wide it is
CUT = "…"

LIBRARIES: dict[str, Dialect] = {"numpy": NUMPY, "torch": TORCH}
IMPORTS = {"numpy": "import numpy as np", "torch": "import torch"}
LEADS = {"max": "highest", "sum": "total"}  # what the sub-step of a row is called in code


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `stage` is "" before the first stage; `result` says that it makes the stage's array, `lead` that
    it is the sub-step that opens each row. `shapes` and `note` (English) follow as a comment.
    """

    stage: str
    code: str
    shapes: str = ""
    note: str = ""
    result: bool = False
    lead: bool = False


class _Short(Dialect):
    """Writes arrays on one line, and only the beginning of long ones."""

    def array(self, name: str, values: npt.ArrayLike | None, kind: str = "") -> str:
        """name = np.array([[0.5, 0.25, …]])."""
        return f"{name} = {self.maker}({_beginning(np.asarray(values))}{f', dtype={kind}' if kind else self.kind})"


def _beginning(array: npt.NDArray[Any]) -> str:
    """Nested lists on one line: the whole array, or its first numbers where that is too long."""
    if array.size <= MOST:
        text = re.sub(r"\n\s*", " ", literal(array, 0))
        if len(text) <= WIDEST:
            return text
    row = array[(0,) * (array.ndim - 1)][:FEW]
    first = ", ".join(
        repr(number) for number in (row.astype(int) if row.dtype == np.bool_ else row).tolist()
    )
    return f"{'[' * array.ndim}{first}, {CUT}{']' * array.ndim}"


_SHORT: dict[str, Dialect] = {name: _Short(**asdict(lib)) for name, lib in LIBRARIES.items()}


def program(document: Document, library: str, *, whole: bool = False) -> tuple[Statement, ...]:
    """All statements in order; `library` is "numpy" or "torch"."""
    code, _, note = sizes(document).partition("  # ")
    statements = [Statement("", IMPORTS[library]), Statement("", code, note=note)]
    for stage in plan(document):
        statements += stage_statements(document, stage, library, whole=whole)
    return tuple(statements)


def stage_statements(
    document: Document, stage: Stage, library: str, *, whole: bool = False
) -> list[Statement]:
    """The statements of one stage."""
    lib = LIBRARIES[library] if whole else _SHORT[library]
    return [_statement(document, stage, text) for text in _split(stage_code(document, stage, lib))]


def _split(code: str) -> Iterable[str]:
    """Statements; what is indented goes on from the line above."""
    return re.split(r"\n(?! )", code)


def stage_code(document: Document, stage: Stage, lib: Dialect) -> str:
    """The lines that compute a stage from those before it, and its what-if values."""
    return "\n".join([stage.kind.code(document, stage, lib), *pin_lines(document, stage.id)])


def _statement(document: Document, stage: Stage, text: str) -> Statement:
    code, _, note = text.partition("  # ")
    name = code.partition(" = ")[0]
    found = Statement(stage.id, code, note=note)
    target, part = stage.kind.result_target(document, stage)
    if name == target:
        shapes = _made(document, stage) if part is None else shown_shape(part)
        return replace(found, shapes=shapes, result=True)
    if name == variable(stage.id):
        return replace(found, shapes=_made(document, stage))
    lead = name == LEADS.get(stage.lead) and ".where(" not in code
    shape = stage.kind.variables(document, stage).get(name)
    if name in stage.inputs:
        shape = tensor_shape(document, name)
    return replace(found, shapes="" if shape is None else shown_shape(shape), lead=lead)


def _made(document: Document, stage: Stage) -> str:
    """(3, 4) @ (1, 4, 2) → (1, 3, 2); the result alone where nothing changes shape."""
    result = shown_shape(document.stage_shape(stage.id))
    taken = stage.kind.operands(document, stage)
    return f"{taken} → {result}" if taken else result
