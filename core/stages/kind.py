"""What a stage is: its names, its place in a plan, and the kind that knows how it works.

A kind is the one place that says how such stages are computed, derived, differentiated and written
as code, LaTeX and workbook formulas. Everything else walks the plan and asks the kind of each
stage.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from core.arithmetic.blockwise import Step as BlockStep
from core.arithmetic.blockwise import apply_blockwise
from core.arithmetic.enclosure import Enclosure
from core.arithmetic.stable_sum import saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.parts import (
    AFTER_LAYERS,
    STACK_STAGE_AXES,
    STAGE_AXES,
    layer_id,
    split_layer,
    stage_axes,
)
from core.stages.dialect import (
    Dialect,
    Formula,
    Shape,
    WorkbookSource,
    added_shape,
    shown_shape,
    tensor_shape,
    variable,
)
from core.stages.exact import ExactSource, Stack
from core.stages.terms import BackStep, Block, Factor, RowPart, Sum, Term, TermRun

T = TypeVar("T")

SPECS: dict[str, StageSpec] = {}  # by name


def spec_of(stage_id: str) -> StageSpec:
    """The names of a stage by its id, with or without the prefix of a layer; KeyError for an unknown
    one.
    """
    return SPECS[split_layer(stage_id)[1]]


def latex_symbol(name: str) -> str:
    """The symbol of a stage or an entered tensor in LaTeX; its layer is raised: {Q^{[2]}}."""
    layer, base = split_layer(name)
    norm, _, greek = base.partition(".")
    letter, _, index = base.partition("_")
    if base in SPECS:
        symbol = SPECS[base].latex
    elif greek:
        symbol = rf"\{greek}_{{{SPECS[norm].latex}}}"
    else:
        symbol = rf"{letter}_{{\mathrm{{{index}}}}}" if len(index) > 1 else base
    return symbol if layer is None else f"{{{symbol}^{{[{layer}]}}}}"


@dataclass(frozen=True, slots=True)
class StageSpec:
    """The names of a stage, which are the same in every experiment.

    A spec registers itself under its name.
    """

    name: str  # its id without the prefix of a layer, and the key of its texts
    kind: StageKind  # that computes it
    symbol: str
    short: str = ""  # symbol on narrow labels
    letter: str = ""  # of one of its numbers
    latex: str = ""  # letter in exported formulas
    matrix: str = ""  # name in the rules of gradients
    display: str = ""  # letter in shown formulas
    column_short: str = ""  # `short` with tokens as columns
    role: str = ""  # family of colours: query, key, value, weights
    drop_order: int = 0  # of its name where names have no space: the lowest go first, 0 never
    side: bool = False  # its card is in a column of three, with its heading at the side
    row_names: int = 0  # tokens beside its rows: 1 in pictures of medium size, 2 in small ones, too
    named: bool = False  # its matrix is headed by its name, because its symbol says too little
    of_mlp: bool = False  # it belongs to the MLP of a layer, not to its attention

    def __post_init__(self) -> None:
        defaults = {"short": self.symbol, "latex": self.name, "letter": self.symbol.lower()}
        defaults |= {"matrix": self.short or self.symbol, "display": self.latex or self.name}
        defaults["column_short"] = self.short or self.symbol
        for field_name, value in defaults.items():
            if not getattr(self, field_name):
                object.__setattr__(self, field_name, value)
        SPECS[self.name] = self

    @property
    def axes(self) -> tuple[str, ...]:
        """The letters of its axes."""
        return stage_axes(self.name)

    @property
    def headwise(self) -> bool:
        """Whether its array carries the head axis."""
        return self.axes[0] == "h"

    @property
    def of_context(self) -> bool:
        """Whether its rows are token vectors of the context."""
        return self.axes == ("m", "d")


@dataclass(frozen=True, slots=True)
class Stage:
    """One entry of the plan. In a layer of a stack all ids have its prefix.

    `reads` are the stages whose arrays it uses, in order; `inputs` the tensors of the document that
    it uses (such as W_Q); `lead` names the sub-step that opens each row ("max" or "sum") where
    there is one.
    """

    id: str
    spec: StageSpec
    kind: StageKind
    symbol: str
    axes: tuple[str, ...]
    reads: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    lead: str = ""
    layer: int | None = field(init=False)  # that it belongs to, counted from 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "layer", split_layer(self.id)[0])

    @property
    def entered(self) -> bool:
        """Whether its array was typed in and is not computed."""
        return self.kind.entered

    @property
    def sources(self) -> tuple[StageSpec, ...]:
        """The names of the stages that it reads."""
        return tuple(map(spec_of, self.reads))

    def source_names(self, document: Document) -> tuple[str, ...]:
        """The letters of the stages that it reads in shown formulas, in LaTeX; the layer is raised
        if another layer has the same ones.
        """
        names = []
        for name in self.reads:
            letter, layer = spec_of(name).kind.display(document, name), split_layer(name)[0]
            elsewhere = layer is not None and layer != self.layer and len(document.layers) > 1
            names.append(f"{letter}^{{[{layer}]}}" if elsewhere else letter)
        return tuple(names)

    @property
    def headwise(self) -> bool:
        """Whether its array carries the head axis."""
        return self.axes[0] == "h"

    @property
    def attends(self) -> bool:
        """Whether its rows are queries and its columns keys."""
        return self.axes[-2:] == ("n", "m")


@dataclass(frozen=True, slots=True)
class Plan:
    """The ordered stages of one run."""

    stages: tuple[Stage, ...]
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {stage.id: place for place, stage in enumerate(self.stages)}
        object.__setattr__(self, "_places", places)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def __contains__(self, stage_id: object) -> bool:
        return stage_id in self._places

    def __getitem__(self, stage_id: str) -> Stage:
        return self.stages[self.index(stage_id)]

    @property
    def ids(self) -> tuple[str, ...]:
        """The stage ids in order."""
        return tuple(stage.id for stage in self.stages)

    def index(self, stage_id: str) -> int:
        """The position of a stage; KeyError if this run does not use it."""
        return self._places[stage_id]

    def readers(self, stage_id: str) -> tuple[Stage, ...]:
        """The stages that read the given one."""
        return tuple(stage for stage in self.stages if stage_id in stage.reads)

    @property
    def vectors(self) -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
        """The stages before Q, K and V, of the sentence and of its context: vectors, positions and
        their sum.
        """
        first = next(index for index, stage in enumerate(self.stages) if stage.headwise)
        before = self.stages[:first]
        own = tuple(stage for stage in before if not stage.spec.of_context)
        return own, tuple(stage for stage in before if stage.spec.of_context)

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers, counted from 1, that have stages."""
        return tuple(sorted({stage.layer for stage in self.stages if stage.layer is not None}))

    def of_layer(self, layer: int | None) -> tuple[Stage, ...]:
        """The stages of a layer; of None those outside the layers."""
        return tuple(stage for stage in self.stages if stage.layer == layer)

    def nearest_layer(self, stage_id: str) -> int | None:
        """The layer of a stage; outside the layers the first one, or the last one for a stage after
        it. None without layers.
        """
        layer, layers = self[stage_id].layer, self.layers
        if layer is not None or not layers:
            return layer
        return layers[0] if self.is_before_layers(stage_id) else layers[-1]

    def is_before_layers(self, stage_id: str) -> bool:
        """Whether a stage comes before the first layer; also where there are no layers."""
        layers = self.layers
        return not layers or self.index(stage_id) < self.index(self.of_layer(layers[0])[0].id)

    def of_kind(self, kind: StageKind, layer: int | None = None) -> tuple[Stage, ...]:
        """The stages of a kind, of all layers or of one."""
        return tuple(
            stage
            for stage in self.stages
            if stage.kind is kind and (layer is None or stage.layer == layer)
        )

    def nearest(self, stage_id: str) -> str:
        """The stage itself, or the last one before it in the order of all stages, or the first of
        the plan.

        In a stack an id without a layer means layer 1, elsewhere the layer of an id does not count.
        """
        if stage_id in self:
            return stage_id
        layer, name = split_layer(stage_id)
        if not self.layers or name in _OUTSIDE_LAYERS:
            layer = None
        else:
            layer = layer or 1
        wanted = _place_of(layer_id(layer, name))
        before = [stage.id for stage in self.stages if _place_of(stage.id) <= wanted]
        return before[-1] if before else self.stages[0].id


_ORDER = [name for name in (*STAGE_AXES, *STACK_STAGE_AXES) if name not in AFTER_LAYERS]
_ORDER.remove("embedding_norm")
_ORDER.insert(_ORDER.index("Q"), "embedding_norm")
_ORDER.remove("attention_norm")
_ORDER.insert(_ORDER.index("Q"), "attention_norm")
_OUTSIDE_LAYERS = (*_ORDER[: _ORDER.index("attention_norm")], *AFTER_LAYERS)


def _place_of(stage_id: str) -> tuple[int, int]:
    """Where a stage is in the order of all stages: the layer, and the place there."""
    layer, name = split_layer(stage_id)
    if name in AFTER_LAYERS:
        return sys.maxsize, AFTER_LAYERS.index(name)
    return layer or 0, _ORDER.index(name)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every stage's array, read-only, in the order of the plan. trace["weights"] is an array (h, n,
    m).

    `document` is what it was computed from, so that the next run can tell what has not changed.
    """

    plan: Plan
    arrays: dict[str, Array]
    document: Document

    def __getitem__(self, stage_id: str) -> Array:
        return self.arrays[stage_id]

    def __contains__(self, stage_id: object) -> bool:
        return stage_id in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def matrix(self, stage_id: str, head: int = 0) -> Array:
        """One stage as rows and columns: the given head of a head-wise stage, else the whole.

        KeyError for a stage that this run does not have.
        """
        array = self.arrays[stage_id]
        return array[head] if array.ndim == 3 else array

    def value(self, cell: Cell) -> float:
        """The number at a cell of a stage."""
        return float(self.matrix(cell.tensor, cell.head)[cell.row, cell.column])

    def factor(self, stage_id: str, row: int, column: int, head: int = 0) -> Factor:
        """A number of a stage as a factor of a term.

        `head` is ignored for stages without a head axis.
        """
        head = head if self.arrays[stage_id].ndim == 3 else 0
        return Factor(
            float(self.matrix(stage_id, head)[row, column]), Cell(stage_id, row, column, head)
        )

    def row(self, stage_id: str, row: int, head: int = 0) -> TermRun:
        """A row of a stage as one factor of each term."""
        head = head if self.arrays[stage_id].ndim == 3 else 0
        return TermRun(self.matrix(stage_id, head)[row], Cell(stage_id, row, 0, head))

    def column(self, stage_id: str, column: int, head: int = 0) -> TermRun:
        """A column of a stage as one factor of each term."""
        head = head if self.arrays[stage_id].ndim == 3 else 0
        values = self.matrix(stage_id, head)[:, column]
        return TermRun(values, Cell(stage_id, 0, column, head), down=True)


@dataclass(frozen=True, slots=True, eq=False)
class BackwardPass:
    """The gradients so far; each stage adds its part to those of what it reads."""

    document: Document
    trace: Trace
    stages: dict[str, Array]
    tensors: dict[tuple[str, int], Array]

    def add(self, stage_id: str, gradient: Array) -> None:
        """Add to the gradient of a stage."""
        saturate(np.add(self.stages[stage_id], gradient, out=self.stages[stage_id]))


class GradientSource(Protocol):
    """Where derivations of gradients take their numbers from."""

    @property
    def document(self) -> Document: ...

    @property
    def trace(self) -> Trace: ...

    def gradient(self, stage: str, row: int, column: int, head: int = 0) -> Factor:
        """A number that comes back: no number of the run, and so without a cell."""


class EnclosureSource(Protocol):
    """Where enclosures of numbers that are known to within errors take theirs from.

    `noise`: the relative error of each operation; 0 for exact arithmetic.
    """

    @property
    def document(self) -> Document: ...

    @property
    def plan(self) -> Plan: ...

    @property
    def noise(self) -> float: ...

    def stage(self, stage_id: str) -> Enclosure: ...

    def tensor(self, name: str, head: int = 0) -> Enclosure | None: ...

    def is_computed(self, stage_id: str) -> bool:
        """Whether none of its numbers is pinned or stated."""


class StageKind:
    """How stages of a kind work. Subclasses override what differs from these defaults."""

    name = ""
    entered = False
    sequential = False  # its numbers are 0 or more, and more is darker
    by_entry = False  # its LaTeX formula says what one entry is
    shares = False  # its rows are shares of 1
    in_softmax = False  # it is one of the two halves of the softmax of scores
    shows_masked = False  # its cells show where the mask has put −∞
    shows_empty_rows = False  # its rows tell of queries that may attend to nothing
    marks_empty_rows = False  # and are marked in the diagram
    joins_heads = False  # its columns are blocks, one of each head
    uses_angles = False  # its formula needs positions and angles
    shows_sources = False  # the arrows to it carry the symbols of what it reads
    moves_label = False  # the label of the arrow to it, which says what is done, moves with a step
    arrow_word = ""  # the id of that label where it is a word
    back_sentence = ""  # the id of the sentence of its gradient rule, where signs do not do

    def row_of(self, table: Mapping[str, T]) -> T | None:
        """The row of a table by the kind's name, or by that of a kind that it derives from."""
        names = (vars(family).get("name", "") for family in type(self).__mro__)
        return next((table[name] for name in names if name in table), None)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    # Numbers

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        """What its result depends on beside what it reads and its entered tensors."""
        return ()

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        """Its array, from those of the stages before it."""
        raise NotImplementedError

    def compute_row(
        self, document: Document, stage: Stage, arrays: Mapping[str, Array], row: int
    ) -> Array:
        """One row of its array, from that row of the stages before it; keys and values are whole."""
        array = self.compute(document, stage, arrays)
        return array if stage.reads else array[..., row : row + 1, :]

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        """Its numbers as fractions; None where one is irrational."""
        raise NotImplementedError

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        """Its numbers where those before it are known to within errors."""
        raise NotImplementedError

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        """The axis letters whose product is its number of operations; whether it multiplies
        matrices.
        """
        return "".join(stage.axes), False

    # The worked sum of one cell

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        """How a cell comes about."""
        raise NotImplementedError

    def lead_value(self, row: Array) -> float:
        """The number of the sub-step that opens a row."""
        raise NotImplementedError

    def row_parts(self, trace: Trace, stage: Stage, row: int, head: int = 0) -> tuple[RowPart, ...]:
        """The steps on the way to a row, from what it reads to its own numbers; () for none."""
        return ()

    def derive_part(self, trace: Trace, stage: Stage, part: str, cell: Cell) -> Sum:
        """How a number of a part of a row comes about."""
        raise NotImplementedError

    def derive_number(self, trace: Trace, stage: Stage, number: str, row: int) -> Sum:
        """How a number that belongs to a whole row comes about."""
        raise NotImplementedError

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """What feeds a block of its cells: a block of each stage that it reads, by default the same
        place.

        Of a stage that joins the heads only what `head` brings.
        """
        return tuple(Block(name, block.rows, block.columns) for name in stage.reads)

    def constants(self, document: Document) -> tuple[tuple[str, float], ...]:
        """The numbers with their names that its formula needs and no stage holds."""
        return ()

    # Texts and symbols

    def variant(self, document: Document, stage: Stage) -> str:
        """Which of several texts about the stage holds; "" for the usual one, also where there is
        no such text.
        """
        return ""

    def text_values(self, document: Document) -> dict[str, str]:
        """What is filled into its texts."""
        return {}

    def short_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        """Its symbol on narrow labels in this experiment; `columns`: tokens are columns."""
        spec = spec_of(stage_id)
        return spec.column_short if columns else spec.short

    def display(self, document: Document, stage_id: str) -> str:
        """Its letter in shown formulas in this experiment, in LaTeX."""
        return spec_of(stage_id).display

    def card_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        """Its symbol on a card of the diagram."""
        return self.short_symbol(document, stage_id, columns)

    def arrow_label(self, document: Document) -> str:
        """What is done on the way to it, in signs; "" if that is a word or nothing is written."""
        return ""

    def widest_label(self, document: Document) -> str:
        """The longest arrow label of any settings of the stage, for which a layout keeps space."""
        return self.arrow_label(document)

    # Gradients

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """Add to the gradients of what the stage reads, given its own."""
        raise NotImplementedError

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """What comes back from the stage to a cell of one that it reads."""
        raise NotImplementedError

    def back_step(
        self, source: GradientSource, stage: Stage, cell: Cell, value: float
    ) -> BackStep | None:
        """The gradient at a cell that the stage reads, where it is told in another form than a sum
        of products.
        """
        return None

    def input_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """What comes back from the stage to a cell of an entered tensor."""
        raise NotImplementedError

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        """The gradient at `source` as a formula; `after` is the stage's own, `names` gives the
        matrices' names.
        """
        return after

    def input_rule(self, stage: Stage, name: str, after: str, names: Callable[[str], str]) -> str:
        """The gradient of an entered tensor as a formula: by default of weights, or of a bias."""
        return f"Σ {after}" if name != stage.inputs[0] else f"{names(stage.reads[0])}ᵀ · {after}"

    # As code and formulas

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        """The lines that compute it, in NumPy or PyTorch."""
        raise NotImplementedError

    def operands(self, document: Document, stage: Stage) -> str:
        """The shapes that go into its result, such as (3, 4) @ (1, 4, 2); "" where they are those
        of the result.
        """
        if self.entered or not stage.reads or not stage.inputs:
            return ""
        factors = " @ ".join(
            [
                shown_shape(document.stage_shape(stage.reads[0])),
                shown_shape(tensor_shape(document, stage.inputs[0])),
            ]
        )
        biases = [added_shape(tensor_shape(document, name)) for name in stage.inputs[1:]]
        return " + ".join([factors, *biases])

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        """The shapes of the variables that its code needs on the way."""
        return {}

    def result_target(self, document: Document, stage: Stage) -> tuple[str, Shape | None]:
        """The left side of the statement that makes its result; its shape where that differs from
        the stage's.
        """
        return variable(stage.id), None

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        """The right side of its formula in LaTeX, "" for none; `names` are the letters of what it
        reads.
        """
        return ""

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        """Its formula in LaTeX as it is shown: one entry as a sum over indices from 1.

        `columns`: tokens are columns, so that i counts a feature or a key; `flat`: on one line.
        """
        raise NotImplementedError

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        """Put the numbers that it needs, and no stage holds, into the workbook."""

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        """The formula of each cell of its sheet."""
        raise NotImplementedError


class ScoreKind(StageKind):
    """A stage of scores (h, n, m) whose rows come from the same rows of the stage before."""

    def step(self, document: Document) -> BlockStep:
        """Its computation, block by block."""
        raise NotImplementedError

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        """Its array, from those of the stages before it."""
        step = self.step(document.scope(stage.id))
        return apply_blockwise([step], arrays[stage.reads[0]])[0]

    def compute_row(
        self, document: Document, stage: Stage, arrays: Mapping[str, Array], row: int
    ) -> Array:
        """One row of its array, from that row of the stage before."""
        before = arrays[stage.reads[0]]
        after = np.empty(before.shape)
        block = slice(None), slice(row, row + 1)
        self.step(document.scope(stage.id))(before, after, block)
        return after

    def same_place(self, trace: Trace, stage: Stage, cell: Cell) -> Term:
        """The number at the same place of the stage before."""
        return Term((trace.factor(stage.reads[0], cell.row, cell.column, cell.head),))

    def own_gradient(self, source: GradientSource, stage: Stage, cell: Cell) -> Factor:
        """The stage's own gradient at the same place."""
        return source.gradient(stage.id, cell.row, cell.column, cell.head)


def input_factor(
    document: Document, name: str, row: int, column: int, head: int = 0
) -> Factor | None:
    """A number of an entered tensor, that of the lender where the head borrows it; None where the
    experiment has no such tensor.
    """
    head = document.lender(name, head)
    tensor = document.tensor(name, head)
    if tensor is None:
        return None
    value = tensor[row, column] if tensor.ndim == 2 else tensor[column]
    return Factor(float(value), Cell(name, row, column, head))


def input_column(document: Document, name: str, column: int, head: int = 0) -> TermRun:
    """A column of an entered matrix of weights."""
    head = document.lender(name, head)
    tensor = document.tensor(name, head)
    assert tensor is not None  # the plan lists only weights that the document has
    return TermRun(tensor[:, column], Cell(name, 0, column, head), down=True)
