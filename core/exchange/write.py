"""Write matrices as text for other programs; parse_matrix and parse_tensor read the same bits back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy.typing as npt

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.base.number_format import exact

Number = Callable[[float], str]
Writer = Callable[[list[Array], bool], Iterator[str]]


def write(array: npt.ArrayLike, form: str) -> str:
    """A vector, a matrix or a stack (heads, rows, columns) in one of FORMS, every digit of it.

    −∞ of masked scores is written in each program's notation; it cannot be pasted back.
    Raises UserError "kind.unknown" (kind, known), "array.not_numeric".
    """
    return "".join(pieces(array, form))


def pieces(array: npt.ArrayLike, form: str) -> Iterator[str]:
    """The text of `write`, about a row at a time, for progress and cancelling.

    Raises UserError as `write` does.
    """
    if form not in FORMS:
        raise UserError("kind.unknown", place="form", kind=form, known=FORMS)
    values = frozen(array)
    if values.ndim < 2:
        values = values.reshape(1, -1)
    matrices = [values] if values.ndim == 2 else list(values)
    return _WRITERS[form](matrices, values.ndim == 3)


def _plain(value: float, infinity: str = "inf") -> str:
    return exact(value) if math.isfinite(value) else ("-" if value < 0 else "") + infinity


def _rows(matrix: Array) -> Iterator[list[float]]:
    """The rows one by one: converting millions of numbers at once would block other threads."""
    return (row.tolist() for row in matrix)


def _between(sign: str, parts: Iterable[Iterable[str]]) -> Iterator[str]:
    """All pieces of all parts, with a sign between parts."""
    for number, part in enumerate(parts):
        if number:
            yield sign
        yield from part


def _lines(separator: str) -> Writer:
    def written(matrices: list[Array], stacked: bool) -> Iterator[str]:
        yield from _between("\n\n", (rows(matrix) for matrix in matrices))
        yield "\n"

    def rows(matrix: Array) -> Iterator[str]:
        return _between("\n", ((separator.join(map(_plain, row)),) for row in _rows(matrix)))

    return written


def nested(matrices: list[Array], stacked: bool, indent: int, infinity: str = "inf") -> str:
    """Nested lists, a row a line."""
    return "".join(_nested(matrices, stacked, indent, infinity))


def _nested(matrices: list[Array], stacked: bool, indent: int, infinity: str) -> Iterator[str]:
    number = partial(_plain, infinity=infinity)

    def rows(matrix: Array, column: int) -> Iterator[str]:
        lists = (("[" + ", ".join(map(number, row)) + "]",) for row in _rows(matrix))
        return within(",\n" + " " * (column + 1), lists)

    def within(sign: str, parts: Iterable[Iterable[str]]) -> Iterator[str]:
        yield "["
        yield from _between(sign, parts)
        yield "]"

    if not stacked:
        return rows(matrices[0], indent)
    return within(",\n" + " " * (indent + 1), (rows(matrix, indent + 1) for matrix in matrices))


def _call(function: str, ending: str, infinity: str) -> Writer:
    def written(matrices: list[Array], stacked: bool) -> Iterator[str]:
        yield function
        yield from _nested(matrices, stacked, len(function), infinity)
        yield ending

    return written


def _latex(matrices: list[Array], stacked: bool) -> Iterator[str]:
    yield from _between("\n", (_latex_matrix(matrix, latex_number) for matrix in matrices))
    yield "\n"


def latex_matrix(matrix: Array, number: Number | None = None) -> str:
    """A bmatrix with `number` for each entry, by default every digit."""
    return "".join(_latex_matrix(matrix, number or latex_number))


def _latex_matrix(matrix: Array, number: Number) -> Iterator[str]:
    yield "\\begin{bmatrix}\n"
    yield from _between(
        " \\\\\n", (("  " + " & ".join(map(number, row)),) for row in _rows(matrix))
    )
    yield "\n\\end{bmatrix}"


def latex_number(value: float) -> str:
    """A number with every digit: 1.5 \\times 10^{-7}."""
    if not math.isfinite(value):
        return "-\\infty" if value < 0 else "\\infty"
    mantissa, _, exponent = exact(value).partition("e")
    return f"{mantissa} \\times 10^{{{int(exponent)}}}" if exponent else mantissa


def _markdown(matrices: list[Array], stacked: bool) -> Iterator[str]:
    """Tables with an empty header, which Markdown requires."""

    def table(matrix: Array) -> Iterator[str]:
        columns = matrix.shape[1]
        yield "|" + "   |" * columns + "\n|" + " ---: |" * columns
        yield from ("\n| " + " | ".join(map(_plain, row)) + " |" for row in _rows(matrix))

    yield from _between("\n\n", map(table, matrices))
    yield "\n"


def _matlab(matrices: list[Array], stacked: bool) -> Iterator[str]:
    number = partial(_plain, infinity="Inf")

    def written(matrix: Array) -> Iterator[str]:
        yield "["
        yield from _between("; ", ((" ".join(map(number, row)),) for row in _rows(matrix)))
        yield "]"

    yield "cat(3, " if stacked else ""
    yield from _between(", ", map(written, matrices))
    yield ")" if stacked else ""


_WRITERS: dict[str, Writer] = {
    "tsv": _lines("\t"),
    "csv": _lines(","),
    "numpy": _call("np.array(", ")", "np.inf"),
    "pytorch": _call("torch.tensor(", ", dtype=torch.float64)", "torch.inf"),
    "latex": _latex,
    "markdown": _markdown,
    "matlab": _matlab,
}
FORMS: tuple[str, ...] = tuple(_WRITERS)
