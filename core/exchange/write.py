"""Matrices as text for other programs; parse_matrix or parse_tensor reads the very same bits back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy.typing as npt

from core.arrays import Array, frozen
from core.numbers import exact
from core.problems import Problem

Number = Callable[[float], str]


def write(array: npt.ArrayLike, form: str) -> str:
    """A vector, a matrix or a stack (heads, rows, columns) in one of FORMS, every digit of it.

    −∞, which a mask leaves in scores, is written in each program's own way; it cannot be pasted back.
    Raises Problem "kind.unknown" (kind, known), "array.not_numeric".
    """
    if form not in FORMS:
        raise Problem("kind.unknown", place="form", kind=form, known=FORMS)
    values = frozen(array)
    if values.ndim < 2:
        values = values.reshape(1, -1)
    matrices = [values] if values.ndim == 2 else list(values)
    return _WRITERS[form](matrices, values.ndim == 3)


def _plain(value: float) -> str:
    return exact(value) if math.isfinite(value) else ("-inf" if value < 0 else "inf")


def _rows(matrix: Array) -> Iterator[list[float]]:
    """One after the other: millions of numbers at once would stop everything else for a moment."""
    return (row.tolist() for row in matrix)


def _lines(separator: str) -> Callable[[list[Array], bool], str]:
    def written(matrices: list[Array], stacked: bool) -> str:
        blocks = ("\n".join(separator.join(map(_plain, row)) for row in _rows(matrix)) for matrix in matrices)
        return "\n\n".join(blocks) + "\n"

    return written


def nested(matrices: list[Array], stacked: bool, indent: int, infinity: str = "inf") -> str:
    """Nested lists, a row a line."""

    def number(value: float) -> str:
        return exact(value) if math.isfinite(value) else ("-" if value < 0 else "") + infinity

    def rows(matrix: Array, column: int) -> str:
        between = ",\n" + " " * (column + 1)
        return "[" + between.join("[" + ", ".join(map(number, row)) + "]" for row in _rows(matrix)) + "]"

    if not stacked:
        return rows(matrices[0], indent)
    return "[" + (",\n" + " " * (indent + 1)).join(rows(matrix, indent + 1) for matrix in matrices) + "]"


def _numpy(matrices: list[Array], stacked: bool) -> str:
    return f"np.array({nested(matrices, stacked, 9, 'np.inf')})"


def _torch(matrices: list[Array], stacked: bool) -> str:
    return f"torch.tensor({nested(matrices, stacked, 13, 'torch.inf')}, dtype=torch.float64)"


def _latex(matrices: list[Array], stacked: bool) -> str:
    return "\n".join(latex_matrix(matrix) for matrix in matrices) + "\n"


def latex_matrix(matrix: Array, number: Number | None = None) -> str:
    """A bmatrix with `number` for each entry, by default every digit."""
    written = number or latex_number
    rows = " \\\\\n".join("  " + " & ".join(map(written, row)) for row in _rows(matrix))
    return f"\\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"


def latex_number(value: float) -> str:
    """A number with every digit: 1.5 \\times 10^{-7}."""
    if not math.isfinite(value):
        return "-\\infty" if value < 0 else "\\infty"
    mantissa, _, exponent = exact(value).partition("e")
    return f"{mantissa} \\times 10^{{{int(exponent)}}}" if exponent else mantissa


def _markdown(matrices: list[Array], stacked: bool) -> str:
    """Tables with an empty header, which Markdown demands."""
    tables = []
    for matrix in matrices:
        columns = matrix.shape[1]
        rows = ["| " + " | ".join(map(_plain, row)) + " |" for row in _rows(matrix)]
        tables.append("\n".join(["|" + "   |" * columns, "|" + " ---: |" * columns, *rows]))
    return "\n\n".join(tables) + "\n"


def _matlab(matrices: list[Array], stacked: bool) -> str:
    def number(value: float) -> str:
        return exact(value) if math.isfinite(value) else ("-Inf" if value < 0 else "Inf")

    written = ["[" + "; ".join(" ".join(map(number, row)) for row in _rows(matrix)) + "]" for matrix in matrices]
    return f"cat(3, {', '.join(written)})" if stacked else written[0]


_WRITERS: dict[str, Callable[[list[Array], bool], str]] = {
    "tsv": _lines("\t"),
    "csv": _lines(","),
    "numpy": _numpy,
    "pytorch": _torch,
    "latex": _latex,
    "markdown": _markdown,
    "matlab": _matlab,
}
FORMS: tuple[str, ...] = tuple(_WRITERS)
