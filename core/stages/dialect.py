"""What stages need to be written as NumPy, PyTorch and workbook formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from core.base.arrays import Array
from core.document.document import Document
from core.document.parts import is_of_head

VARIABLES = {"input": "X_in"}  # `input` is a function of Python

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a library writes what the stages need; {} is replaced by an array."""

    name: str
    maker: str  # what makes an array from lists
    kind: str  # what follows the lists
    boolean: str
    integers: str  # the numbers 0 … {} − 1, as decimals
    turned: str
    maximum: str
    total: str
    mean: str
    power: str
    side_by_side: str
    copied: str

    def array(self, name: str, values: npt.ArrayLike | None, kind: str = "") -> str:
        """name = np.array(…), a row a line."""
        assert values is not None, name  # the plan lists only inputs that the document has
        start = f"{name} = {self.maker}("
        return f"{start}{literal(values, len(start))}{f', dtype={kind}' if kind else self.kind})"

    def arange(self, length: int | str) -> str:
        """0 … length − 1."""
        return self.integers.format(length)

    def copy(self, array: str) -> str:
        """An array of its own."""
        return self.copied.format(array)


NUMPY = Dialect(
    name="np",
    maker="np.array",
    kind="",
    boolean="bool",
    integers="np.arange({}, dtype=float)",
    turned="{}.transpose(0, 2, 1)",
    maximum="max(axis=-1, keepdims=True)",
    total="sum(axis=-1, keepdims=True)",
    mean="mean(axis=-1, keepdims=True)",
    power="power",
    side_by_side="np.concatenate(list({}), axis=1)",
    copied="{}.copy()",
)
TORCH = Dialect(
    name="torch",
    maker="torch.tensor",
    kind=", dtype=torch.float64",
    boolean="torch.bool",
    integers="torch.arange({}, dtype=torch.float64)",
    turned="{}.transpose(1, 2)",
    maximum="amax(dim=-1, keepdim=True)",
    total="sum(dim=-1, keepdim=True)",
    mean="mean(dim=-1, keepdim=True)",
    power="pow",
    side_by_side="torch.cat(list({}), dim=1)",
    copied="{}.clone()",
)


def variable(stage_id: str) -> str:
    """What the array of a stage or an entered tensor is called in code."""
    return VARIABLES.get(stage_id, stage_id.replace(".", "_"))


def width_name(document: Document, stage_id: str) -> str:
    """d_k in code; the number in a stack, where it differs from layer to layer."""
    return str(document.scope(stage_id).k) if document.is_stack else "d_k"


def sizes(document: Document) -> str:
    """The line that gives the sizes their names; given weights have no d_k, and without V no d_v."""
    if document.is_stack:
        return f"n, d = {document.n}, {document.d}  # tokens, columns of X"
    counted = {"n": "tokens"} if document.context is None else {"n": "queries", "m": "keys"}
    named = counted | {"h": "heads"}
    if document.k:
        named |= {"k": "columns of Q and K", "v": "of V"}
    elif document.v:
        named |= {"v": "columns of V"}
    letters = ", ".join(f"d_{axis}" if axis in "kv" else axis for axis in named)
    numbers = ", ".join(str(document.sizes[axis]) for axis in named)
    return f"{letters} = {numbers}  # {', '.join(named.values())}"


def literal(array: npt.ArrayLike, column: int) -> str:
    """An array as nested lists with every digit, a row a line; its first line begins at `column`."""
    values = np.asarray(array)
    if values.dtype == np.bool_:
        values = values.astype(int)
    if values.ndim == 1:
        return repr(values.tolist())
    between = ",\n" + " " * (column + 1)
    return "[" + between.join(literal(row, column + 1) for row in values) + "]"


def comment(text: str) -> str:
    """A text of the user as one line of comment, whatever it holds."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return "# " + " ".join(shown.split())


def head_tensors(document: Document, name: str) -> list[Array | None]:
    """A tensor of every head of its layer, that of the lender where a head borrows it."""
    heads = range(document.scope(name).h)
    return [document.tensor(name, document.lender(name, head)) for head in heads]


def heads_of(document: Document, name: str) -> npt.NDArray[np.float64]:
    """A tensor of every head, stacked; a bias that a head lacks is 0.  # -> (h, …)"""
    tensors = head_tensors(document, name)
    shape = next(tensor.shape for tensor in tensors if tensor is not None)
    return np.stack([np.zeros(shape) if tensor is None else tensor for tensor in tensors])


def pin_lines(document: Document, stage_id: str) -> Iterable[str]:
    """What-if values, put in right after their stage."""
    for pin in document.pins:
        if pin.stage == stage_id:
            place = ", ".join(map(str, pin.index))
            yield f"{variable(stage_id)}[{place}] = {float(pin.value)!r}  # what-if value"


def is_pinned(document: Document, stage_id: str) -> bool:
    """Whether a stage has what-if values."""
    return any(pin.stage == stage_id for pin in document.pins)


def shown_shape(shape: Shape) -> str:
    """A shape as Python writes it."""
    return repr(tuple(map(int, shape)))


def added_shape(shape: Shape) -> str:
    """The biases of all heads, (h, k), are added to every token: (h, 1, k)."""
    return shown_shape((shape[0], 1, *shape[1:]) if len(shape) > 1 else shape)


def tensor_shape(document: Document, name: str) -> Shape:
    """The shape of an entered tensor in code, where heads are stacked."""
    if not is_of_head(name):
        tensor = document.tensor(name)
        assert tensor is not None, name  # the plan lists only inputs that the document has
        return tensor.shape
    tensors = head_tensors(document, name)
    shape = next(tensor.shape for tensor in tensors if tensor is not None)
    return (len(tensors), *shape)


class SheetRef(Protocol):
    """The addresses of a sheet's numbers: by block (head), row and column, from 0."""

    def cell(self, block: int, row: int, column: int) -> str: ...
    def row(self, block: int, row: int) -> str: ...
    def column(self, block: int, column: int) -> str: ...


class WorkbookSource(Protocol):
    """The workbook that the formulas of a stage are written into."""

    settings: dict[str, str]
    labels: Any

    @property
    def document(self) -> Document: ...

    def sheet(self, name: str) -> SheetRef:
        """The sheet of a stage or an entered tensor."""

    def head_names(self, name: str) -> list[str]:
        """The names of the heads of a stage or an entered tensor."""

    def set(
        self,
        key: str,
        name: str,
        value: float | int | str,
        remark: str = "",
        stored: float | None = None,
    ) -> None:
        """One more line of the settings, if the key has none yet; `stored`: what a formula gives."""

    def add_table(self, name: str, title: str, values: Sequence[Sequence[float | int]]) -> None:
        """One more sheet of entered numbers, with queries as rows and keys as columns."""


Formula = Callable[[int, int, int], str]  # of a cell, by head, row and column
