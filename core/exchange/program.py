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

from core.document.document import HEAD_TENSORS, Document
from core.document.plan import Stage, plan
from core.exchange.code import NUMPY, TORCH, Dialect, literal, sizes, variable
from core.exchange.stage_code import stage_code

WIDEST = 72  # characters of an array that is shown whole
FEW = 4  # numbers of one that is cut short
MOST = 40  # numbers beyond which an array is never written out to see how wide it is
CUT = "…"

LIBRARIES: dict[str, Dialect] = {"numpy": NUMPY, "torch": TORCH}
IMPORTS = {"numpy": "import numpy as np", "torch": "import torch"}
ROTATED = ("Q_rot", "K_rot")
LEADS = {"max": "highest", "sum": "total"}  # what the sub-step of a row is called in code

Shape = tuple[int, ...]


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


def _statement(document: Document, stage: Stage, text: str) -> Statement:
    code, _, note = text.partition("  # ")
    name = code.partition(" = ")[0]
    found = Statement(stage.id, code, note=note)
    if name == variable(stage.id):
        return replace(found, shapes=_made(document, stage), result=stage.id not in ROTATED)
    if (
        stage.id in ROTATED and name == f"{stage.id}[..., 0 : 2 * pairs : 2]"
    ):  # before it, it is a mere copy
        h, n, k = document.stage_shape(stage.id)
        return replace(found, shapes=_shown((h, n, k // 2)), result=True)
    lead = name == LEADS.get(stage.lead) and ".where(" not in code
    shape = _helper(document, stage, name)
    return replace(found, shapes="" if shape is None else _shown(shape), lead=lead)


def _shown(shape: Shape) -> str:
    return repr(tuple(map(int, shape)))


def _made(document: Document, stage: Stage) -> str:
    """(3, 4) @ (1, 4, 2) → (1, 3, 2); the result alone where nothing changes shape."""
    result = document.stage_shape(stage.id)
    taken = _taken(document, stage)
    return f"{taken} → {_shown(result)}" if taken else _shown(result)


def _taken(document: Document, stage: Stage) -> str:
    shapes = [_shown(document.stage_shape(name)) for name in stage.reads]
    if stage.id in ("heads", "input", "input_context"):
        return (" @ " if stage.id == "heads" else " + ").join(shapes)
    if stage.id == "scores":
        h, m, k = document.stage_shape(stage.reads[1])
        return f"{shapes[0]} @ {_shown((h, k, m))}"
    if stage.id == "concat":
        return shapes[0]
    if stage.entered or not stage.reads or not stage.inputs:
        return ""
    factors = " @ ".join([shapes[0], _shown(_tensor(document, stage.inputs[0]))])
    biases = [_added(_tensor(document, name)) for name in stage.inputs[1:]]
    return " + ".join([factors, *biases])


def _added(shape: Shape) -> str:
    """The biases of all heads, (h, k), are added to every token: (h, 1, k)."""
    return _shown((shape[0], 1, *shape[1:]) if len(shape) > 1 else shape)


def _tensor(document: Document, name: str) -> Shape:
    """The shape of an entered tensor in code, where heads are stacked."""
    tensors = [document.tensor(name, head) for head in range(document.h)]
    shape = next(tensor.shape for tensor in tensors if tensor is not None)
    return (document.h, *shape) if name in HEAD_TENSORS else shape


def _helper(document: Document, stage: Stage, name: str) -> Shape | None:
    """The shape of what a stage needs on its way; None where it goes without saying."""
    if name in stage.inputs:
        return _tensor(document, name)
    n, m, h = document.n, document.m, document.h
    angle = (document.sizes[stage.axes[-2]], document.k // 2 if stage.headwise else document.d)
    known: dict[str, Shape] = {
        "highest": (h, n, 1),
        "total": (h, n, 1),
        "allow": (n, m),
        "distance": (n, m),
        "angle": angle,
        "slopes": (h,),
        "on": (h,),
    }
    return known.get(name)
