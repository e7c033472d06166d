"""Export a run as code: the program statement by statement with shapes, scripts and a notebook.

program(document, "numpy")              for display: long arrays are shortened with …
program(document, "numpy", whole=True)  runnable: the same statements with every digit
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from core.compute.trace import run
from core.document.document import Document
from core.exchange.labels import Labels
from core.exchange.tex import formula
from core.exchange.traces import saturated_stages
from core.stages import Stage, plan
from core.stages.dialect import (
    NUMPY,
    TORCH,
    Dialect,
    comment,
    literal,
    pin_lines,
    shown_shape,
    sizes,
    tensor_shape,
    variable,
)

WIDEST = 72  # characters of an array that is shown completely
FEW = 4  # numbers of a shortened array
MOST = 40  # numbers of an array that may be short enough
CUT = "…"

LIBRARIES: dict[str, Dialect] = {"numpy": NUMPY, "torch": TORCH}
IMPORTS = {"numpy": "import numpy as np", "torch": "import torch"}
LEADS = {"max": "highest", "sum": "total"}  # variables of the sub-step of a row


@dataclass(frozen=True, slots=True)
class CodeStatement:
    """One statement. `stage` is "" before the first stage; `result`: it assigns the stage's array;
    `lead`: it is the sub-step at the beginning of each row. `shapes` and `note` (English) follow as
    a comment.
    """

    stage: str
    code: str
    shapes: str = ""
    note: str = ""
    result: bool = False
    lead: bool = False


class _Short(Dialect):
    """A dialect that writes arrays on one line and shortens long ones."""

    def array(self, name: str, values: npt.ArrayLike | None, kind: str = "") -> str:
        """name = np.array([[0.5, 0.25, …]])."""
        return f"{name} = {self.maker}({_beginning(np.asarray(values))}{f', dtype={kind}' if kind else self.kind})"


def _beginning(array: npt.NDArray[Any]) -> str:
    """The array as nested lists on one line, or its first numbers if it is too long."""
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


def program(document: Document, library: str, *, whole: bool = False) -> tuple[CodeStatement, ...]:
    """All statements in order; `library` is "numpy" or "torch"."""
    code, _, note = sizes(document).partition("  # ")
    statements = [CodeStatement("", IMPORTS[library]), CodeStatement("", code, note=note)]
    for stage in plan(document):
        statements += stage_statements(document, stage, library, whole=whole)
    return tuple(statements)


def stage_statements(
    document: Document, stage: Stage, library: str, *, whole: bool = False
) -> list[CodeStatement]:
    """The statements of one stage."""
    lib = LIBRARIES[library] if whole else _SHORT[library]
    return [_statement(document, stage, text) for text in _split(stage_code(document, stage, lib))]


def _split(code: str) -> Iterable[str]:
    """Split code into statements; indented lines belong to the line above."""
    return re.split(r"\n(?! )", code)


def stage_code(document: Document, stage: Stage, lib: Dialect) -> str:
    """The lines that compute a stage from those before it, and its what-if values."""
    return "\n".join([stage.kind.code(document, stage, lib), *pin_lines(document, stage.id)])


def _statement(document: Document, stage: Stage, text: str) -> CodeStatement:
    code, _, note = text.partition("  # ")
    name = code.partition(" = ")[0]
    found = CodeStatement(stage.id, code, note=note)
    target, part = stage.kind.result_target(document, stage)
    if name == target:
        shapes = _made(document, stage) if part is None else shown_shape(part)
        return replace(found, shapes=shapes, result=True)
    if name == variable(stage.id):
        return replace(found, shapes=_made(document, stage))
    lead = name == LEADS.get(stage.lead) and ".where(" not in code
    shape = stage.kind.variables(document, stage).get(name)
    for tensor in stage.inputs:
        if name == variable(tensor):
            shape = tensor_shape(document, tensor)
    return replace(found, shapes="" if shape is None else shown_shape(shape), lead=lead)


def _made(document: Document, stage: Stage) -> str:
    """(3, 4) @ (1, 4, 2) → (1, 3, 2); the result alone if the shape does not change."""
    result = shown_shape(document.stage_shape(stage.id))
    taken = stage.kind.operands(document, stage)
    return f"{taken} → {result}" if taken else result


_KEEP = """if len(sys.argv) > 1:  # python THIS_SCRIPT.py OUT.npz saves the numbers
    np.savez(sys.argv[1], **stages)
"""


def numpy_script(document: Document, labels: Labels) -> bytes:
    """A script that needs NumPy alone. With a file name as argument it saves the stages there
    (.npz).
    """
    return _script(document, NUMPY, labels)


def torch_script(document: Document, labels: Labels) -> bytes:
    """A script for PyTorch, in double precision. With a file name as argument it saves the stages
    there (.npz).
    """
    return _script(document, TORCH, labels)


def notebook(document: Document, labels: Labels) -> bytes:
    """A Jupyter notebook (nbformat 4.5): a first cell, then a heading and a cell for each stage."""
    title = " ".join(document.title.split())
    cells = [
        _markdown(f"# {_plain(title)}" if title else ""),
        _markdown(_plain(document.notes)),
        _markdown(labels.rows),
    ]
    cells.append(_markdown(_beyond(document, labels)))
    cells.append(_code(_said(_preamble(document, NUMPY), labels)))
    for stage in plan(document):
        shape = " × ".join(map(str, document.stage_shape(stage.id)))
        cells += [
            _markdown(f"### `{stage.id}` · {shape}\n\n${formula(document, stage)}$"),
            _code(_said(_piece(document, stage, NUMPY), labels)),
        ]
    cells = [{"id": f"cell-{index}", **cell} for index, cell in enumerate(filter(None, cells), 1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _script(document: Document, lib: Dialect, labels: Labels) -> bytes:
    parts = [comment(document.title), comment(labels.rows), comment(_beyond(document, labels))]
    head = "\n".join(part for part in parts if part.strip("# "))
    code = [
        _preamble(document, lib),
        *(_piece(document, stage, lib) for stage in plan(document)),
        _KEEP,
    ]
    parts = [head, *(_said(part, labels) for part in code)]
    return "\n\n".join(part for part in parts if part.strip("# ")).encode("utf-8", "replace")


def _beyond(document: Document, labels: Labels) -> str:
    """A warning if sums exceed the largest double, where code gives other numbers; else ""."""
    return labels.beyond if saturated_stages(run(document)) else ""


def _said(code: str, labels: Labels) -> str:
    """Code with its comments in the language of the labels; unknown ones stay."""
    return re.sub(
        "(?<=  # ).*$",
        lambda found: labels.comments.get(found[0], found[0]),
        code,
        flags=re.MULTILINE,
    )


def _preamble(document: Document, lib: Dialect) -> str:
    """Imports, print options, sizes."""
    keep = "np.array(array)" if lib is NUMPY else "array.numpy().copy()"
    lines = ["import sys", "", "import numpy as np"]
    lines += ["", "np.set_printoptions(precision=8, linewidth=120, threshold=sys.maxsize)"]
    if lib is TORCH:
        lines[3:4] = ["import torch", ""]
        lines[-1] = 'torch.set_printoptions(precision=8, linewidth=120, profile="full")'
    shape = "array.shape" if lib is NUMPY else "tuple(array.shape)"
    return (
        "\n".join(lines)
        + f"""

{sizes(document)}
stages = {{}}


def show(name, array):
    stages[name] = {keep}
    print(name, {shape})
    print(array)
    print()
"""
    )


def _piece(document: Document, stage: Stage, lib: Dialect) -> str:
    return f"{stage_code(document, stage, lib)}\nshow({stage.id!r}, {variable(stage.id)})"


def _plain(text: str) -> str:
    """A text of the user as Markdown that shows it as it is: no picture, link, formula or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$!&])", r"\\\1", text)


def _markdown(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    source = text.strip("\n").splitlines(keepends=True)
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
