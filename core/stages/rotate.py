"""Rotary positions: neighbouring columns turn together, further with each position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.arithmetic.enclosure import Enclosure
from core.arithmetic.positional_encoding import rotary_angles, rotate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, variable, width_name
from core.stages.exact import NOTHING, Exact, ExactSource, Stack
from core.stages.inputs import ANGLE
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Stage,
    StageKind,
    StageSpec,
    Trace,
)
from core.stages.terms import Block, Factor, Sum, Term


class Rotate(StageKind):
    """Columns 2p and 2p + 1 turn together: (a cos θ − b sin θ, a sin θ + b cos θ); an odd last
    column stays.
    """

    name = "rotate"
    uses_angles = True
    moves_label = True
    arrow_word = "turn"
    back_sentence = "turned_back"

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (float(document.positional.base).hex(),)

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        return rotate(arrays[stage.reads[0]], document.positional.base)

    def compute_row(
        self, document: Document, stage: Stage, arrays: Mapping[str, Array], row: int
    ) -> Array:
        """One row, turned by the angle of its position."""
        return rotate(arrays[stage.reads[0]], document.positional.base, first=row)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        """Errors of a pair turn with it; what is left adds up."""
        before, base = source.stage(stage.reads[0]), source.document.positional.base
        n, width = before.center.shape[-2:]
        cos, sin = (np.abs(turn(rotary_angles(n, width, base))) for turn in (np.cos, np.sin))
        rest, size = np.array(before.rest), np.abs(before.center)
        even, odd = np.s_[..., 0 : width - 1 : 2], np.s_[..., 1::2]
        rest[even] = cos * before.rest[even] + sin * before.rest[odd]
        rest[odd] = sin * before.rest[even] + cos * before.rest[odd]
        noise = ANGLE * source.noise * (1.0 + np.arange(n)[:, None])
        size[even], size[odd] = size[even] + size[odd], size[even] + size[odd]
        return Enclosure(
            rotate(before.center, base), rotate(before.parts, base), rest + noise * size
        )

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        """Position 0 and an odd last column do not turn; a turned pair is rational only where it is
        (0, 0).
        """
        width = source.document.stage_shape(stage.id)[-1]

        def turned(position: int, row: tuple[Exact, ...], column: int) -> Exact:
            first = column - column % 2
            if position == 0 or first + 1 >= width:
                return row[column]
            return NOTHING if row[first] == row[first + 1] == 0 else None

        return tuple(
            tuple(
                tuple(turned(position, row, column) for column in range(width))
                for position, row in enumerate(matrix)
            )
            for matrix in source.stack(stage.reads[0])
        )

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """Neighbouring columns (2p, 2p + 1) turn together."""
        width = document.stage_shape(stage.id)[-1]
        first, last = block.columns[0] // 2 * 2, min((block.columns[1] + 1) // 2 * 2, width)
        return (Block(stage.reads[0], block.rows, (first, last)),)

    def variant(self, document: Document, stage: Stage) -> str:
        return "odd" if document.stage_shape(stage.id)[-1] % 2 else ""

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        document, source = trace.document, stage.reads[0]
        pair, odd = divmod(cell.column, 2)
        if 2 * pair + 1 >= document.stage_shape(stage.id)[-1]:
            own = trace.factor(source, cell.row, cell.column, cell.head)
            return Sum("copy", (Term((own,)),), {"enabled": 1.0})
        angle = _angle(document, stage, cell.row, pair)
        a, b = (trace.factor(source, cell.row, 2 * pair + i, cell.head) for i in (0, 1))
        cos, sin = Factor(math.cos(angle)), Factor(math.sin(angle))
        terms = (
            (Term((a, sin)), Term((b, cos)))
            if odd
            else (Term((a, cos)), Term((b, Factor(-sin.value))))
        )
        return Sum("rotate", terms, {"position": cell.row, "pair": pair, "angle": angle})

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """Turned back by the same angle: as the mirror image, turned forward and mirrored again."""
        mirror = np.ones(gradient.shape[-1])
        mirror[1::2] = -1.0
        turned = rotate(gradient * mirror, way.document.positional.base)
        way.add(stage.reads[0], turned * mirror)

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """Turned back: (a cos θ + b sin θ, b cos θ − a sin θ)."""
        pair, odd = divmod(cell.column, 2)
        if 2 * pair + 1 >= source.document.stage_shape(stage.id)[-1]:
            return (Term((source.gradient(stage.id, cell.row, cell.column, cell.head),)),)
        angle = _angle(source.document, stage, cell.row, pair)
        a, b = (source.gradient(stage.id, cell.row, 2 * pair + i, cell.head) for i in (0, 1))
        cos, sin = math.cos(angle), math.sin(angle)
        if odd:
            return Term((b, Factor(cos))), Term((a, Factor(-sin)))
        return Term((a, Factor(cos))), Term((b, Factor(sin)))

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        source, result = variable(stage.reads[0]), variable(stage.id)
        position = lib.arange(document.letters(stage.axes)[-2])
        width = document.stage_shape(stage.id)[-1]
        left = "  # the last column has no partner and stays as it is" if width % 2 else ""
        d_k = width_name(document, stage.id)
        base = repr(float(document.positional.base))
        return f"""pairs = {d_k} // 2
angle = {position}[:, None] * {base} ** (-2.0 * {lib.arange("pairs")} / {d_k})
even, odd = {source}[..., 0 : 2 * pairs : 2], {source}[..., 1 : 2 * pairs : 2]
{result} = {lib.copy(source)}{left}
{result}[..., 0 : 2 * pairs : 2] = even * {lib.name}.cos(angle) - odd * {lib.name}.sin(angle)
{result}[..., 1 : 2 * pairs : 2] = even * {lib.name}.sin(angle) + odd * {lib.name}.cos(angle)"""

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        _, rows, columns = document.stage_shape(stage.id)
        return {"angle": (rows, columns // 2)}

    def result_target(self, document: Document, stage: Stage) -> tuple[str, Shape | None]:
        """Before its pairs of columns it is a mere copy."""
        heads, rows, columns = document.stage_shape(stage.id)
        return f"{variable(stage.id)}[..., 0 : 2 * pairs : 2]", (heads, rows, columns // 2)

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        index = "j" if stage.spec.role == "key" else "i"
        return rf"R_{index}\,{names[0]}_{index}"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        letter = stage.sources[0].letter
        matrix = (
            r"\begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}"
        )
        pair = rf"\begin{{pmatrix}} {letter}_{{2p-1}} \\ {letter}_{{2p}} \end{{pmatrix}}"
        base = f"{document.positional.base:.6g}"
        return rf"{matrix}{pair}, \quad \theta = \frac{{t}}{{{base}^{{2(p-1)/d_k}}}}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        positional = book.document.positional
        book.set("position_base", book.labels.base, positional.base, positional.kind)

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        source, base, width = (
            book.sheet(stage.reads[0]),
            book.settings["position_base"],
            book.document.stage_shape(stage.id)[-1],
        )

        def formula(head: int, row: int, column: int) -> str:
            own, pair = source.cell(head, row, column), column // 2
            if 2 * pair + 1 >= width:
                return f"={own}"
            angle = f"{row}*{base}^(-2*{pair}/{width})"
            other = source.cell(head, row, column + (1, -1)[column % 2])
            return f"={own}*COS({angle}){'-+'[column % 2]}{other}*SIN({angle})"

        return formula


def _angle(document: Document, stage: Stage, position: int, pair: int) -> float:
    width = document.stage_shape(stage.id)[-1]
    angles = rotary_angles(position + 1, width, document.positional.base)
    return float(angles[position, pair])


ROTATE = Rotate()

Q_ROT = StageSpec(
    "Q_rot",
    ROTATE,
    "Q′",
    letter="q′",
    latex="Q'",
    role="query",
    drop_order=4,
    side=True,
    row_names=1,
)
K_ROT = StageSpec(
    "K_rot", ROTATE, "K′", letter="k′", latex="K'", role="key", drop_order=3, side=True
)
