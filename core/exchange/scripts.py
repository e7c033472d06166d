"""Scripts and a notebook that reproduce a run: inputs, every stage computed and printed with its shape."""

from __future__ import annotations

import json
import re
from typing import Any

from core.compute.trace import run
from core.document.document import Document
from core.exchange.formulas import formula
from core.exchange.labels import Labels
from core.exchange.program import stage_code
from core.exchange.traces import stopped
from core.stages import Stage, plan
from core.stages.dialect import NUMPY, TORCH, Dialect, comment, sizes, variable

_KEEP = """if len(sys.argv) > 1:  # python THIS_SCRIPT.py OUT.npz keeps the numbers
    np.savez(sys.argv[1], **stages)
"""


def numpy_script(document: Document, labels: Labels) -> bytes:
    """A script that needs NumPy alone. With the name of a file it keeps the stages there (.npz)."""
    return _script(document, NUMPY, labels)


def torch_script(document: Document, labels: Labels) -> bytes:
    """A script for PyTorch, in double precision. With the name of a file it keeps the stages there (.npz)."""
    return _script(document, TORCH, labels)


def notebook(document: Document, labels: Labels) -> bytes:
    """A Jupyter notebook (nbformat 4.5): a cell for the beginning, then a heading and a cell for each stage."""
    title = " ".join(document.title.split())
    cells = [
        _markdown(f"# {title}" if title else ""),
        _markdown(document.notes),
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
    """That the code ends elsewhere, of an experiment with sums beyond the largest double; else nothing."""
    return labels.beyond if stopped(run(document)) else ""


def _said(code: str, labels: Labels) -> str:
    """Code with its comments in the language of the labels; one that they do not know stays as it is."""
    return re.sub(
        "(?<=  # ).*$",
        lambda found: labels.comments.get(found[0], found[0]),
        code,
        flags=re.MULTILINE,
    )


def _preamble(document: Document, lib: Dialect) -> str:
    """Imports, how numbers are printed, sizes."""
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
