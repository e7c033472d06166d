"""The data of the web page: one run as JSON with texts, matrices, sums and the diagram."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtGui import QImage

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.number_format import show
from core.document.document import Document
from core.explain.derivation import Step, derive, derive_lead, row_is_masked
from core.explain.timeline import Cursor, Grain, Reach
from core.stages import Stage
from gui.export.options import ExportOptions, Progress, report_progress
from gui.export.paint_devices import data_url, png_bytes
from gui.export.states import cursors_at, first_cursor, run_state, step_count
from gui.painting.color_scale import Levels, ink, ramp, ramp_positions, value_colour
from gui.painting.matrix import matrix_image
from gui.painting.theme import DARK, LIGHT, Colours
from gui.session.state import State, cursor_cell
from gui.texts.names import (
    head_label,
    layer_name,
    layers_title,
    role_of,
    stage_label,
    sublayer_title,
    symbol_here,
    visible_token,
)
from gui.texts.next_step import next_stage_line
from gui.texts.rich_text import Line
from gui.texts.stage_texts import lead_sentence, masked_row, meaning
from gui.texts.sum_style import SumStyle
from gui.texts.sums import noted_sum
from gui.texts.translation import SOURCE, current_labels, languages, spoken, tr
from gui.views.diagram.labels import card_heading
from gui.views.diagram.picture import label_rect, label_text
from gui.views.diagram.scene import layout_of
from gui.views.diagram.shapes import CONTEXT_TOKENS, Arrow, CardBox, DiagramLayout, Rect, Stream
from gui.views.diagram.stack_painting import (
    folded_title,
    gaps_above,
    lane_pieces,
    panel_note,
    reached_x,
    title_left,
)
from gui.views.stage.operation import Operand, OperandStack, Operation, Operator, target
from gui.views.stage.operation_builder import operation

# One letter for the role of a span, then one sign for raised or lowered.
_ROLES = {
    "query": "q",
    "key": "k",
    "value": "v",
    "weights": "w",
    "plain": "p",
    "result": "r",
    "muted": "m",
    "operator": "o",
    "pinned": "x",
}
_LEVELS = {-1: "_", 0: " ", 1: "^"}


def by_language(text: Callable[[], Any]) -> Any:
    """A value in every language: one value if all agree, else an object keyed by language."""
    values = {}
    for language in languages():
        with spoken(language, current_labels()):
            values[language] = text()
    first = values[SOURCE]
    return first if all(value == first for value in values.values()) else values


def line_text(line: Line) -> str:
    """A line as spans separated by tabs; each starts with its role and level."""
    return "\t".join(
        f"{_ROLES[span.role]}{_LEVELS[span.level]}{_one_line(span.text)}" for span in line
    )


def _one_line(text: str) -> str:
    return text.replace("\t", " ")


ROOM = (1148.0, 220.0)


def diagram(state: State) -> dict[str, Any]:
    """Cards in the order of the plan, arrows and the frame of the softmax, in one language."""
    where = layout_of(state, ROOM)
    order = state.trace.plan.ids
    return {
        "size": [_short(where.width), _short(where.height)],
        "softmax": where.softmax and _numbers(where.softmax),
        "boxes": [_box(state, box, order) for box in where.boxes],
        "arrows": [_arrow(state, arrow, order) for arrow in where.arrows],
        "stream": where.stream and _stream(state, where, where.stream, order),
    }


def _stream(
    state: State, where: DiagramLayout, stream: Stream, order: tuple[str, ...]
) -> dict[str, Any]:
    """The residual stream with its lanes, sub-layers and folded layers, in one language."""
    pieces = lane_pieces(stream, reached := reached_x(state, where, stream))
    return {
        "title": tr("Residual stream"),
        "gaps": [[_short(number) for number in gap] for gap in gaps_above(where, stream)],
        "band": _numbers(stream.band),
        "start": _short(stream.start),
        "lanes": [_short(y) for y in stream.lanes],
        "pieces": [[_short(a), _short(b), int(b > reached)] for a, b in pieces],
        "pluses": [[_index(name, order), *_numbers(rect)] for name, rect in stream.pluses],
        "frame": stream.layer and _numbers(stream.layer),
        "layer": layers_title((stream.number,)) if stream.number else "",
        "panels": [
            {
                "rect": _numbers(panel.rect),
                "stages": [_index(name, order) for name in panel.stages],
                "left": _short(title_left(where, panel)),
                "title": sublayer_title(panel.name),
                "note": panel_note(panel),
            }
            for panel in stream.panels
        ],
        "folded": [
            {
                "rect": _numbers(folded.rect),
                "stage": _index(folded.target, order),
                "title": folded_title(folded),
                "count": tr("{count} stages", count=folded.stages),
            }
            for folded in stream.folded
        ],
    }


def _box(state: State, box: CardBox, order: tuple[str, ...]) -> dict[str, Any]:
    words = card_heading(state.document, box.stage_id, state.orientation)
    return {
        "stage": _index(box.stage_id, order),
        "words": int(box.stage_id == CONTEXT_TOKENS),
        "rect": _numbers(box.rect),
        "matrix": _numbers(box.matrix),
        "seen": list(box.drawn_shape),
        "side": box.side,
        "heading": _short(box.heading),
        "depth": box.depth,
        "labels": [_short(box.label_width), _short(box.label_height)],
        "symbol": words.symbol,
        "name": words.names[0],
        "shape": words.shape,
    }


def _arrow(state: State, arrow: Arrow, order: tuple[str, ...]) -> dict[str, Any]:
    rect = label_rect(state, arrow, 1.0)
    return {
        "points": [_short(number) for point in arrow.points for number in point],
        "from": _index(arrow.source, order),
        "to": _index(arrow.target, order),
        "role": role_of(arrow.source),
        "inked": role_of(arrow.inputs[0] if arrow.inputs else arrow.source),
        "label": label_text(state, arrow, 1.0),
        "at": [_short(rect.center().x()), _short(rect.center().y())],
        "patch": 0 if arrow.above else _short(rect.width()),
    }


def _index(stage_id: str, order: tuple[str, ...]) -> int:
    """The number of a stage; −1 for the tokens."""
    return order.index(stage_id) if stage_id in order else -1


def _numbers(rect: Rect) -> list[float]:
    return [_short(number) for number in (rect.x, rect.y, rect.w, rect.h)]


def _short(number: float) -> float:
    return round(number, 2)


LARGEST_IMAGE = 256  # cells along a side


class MatrixStore:
    """Stores every matrix once; operands refer to it by its number."""

    def __init__(self, state: State, numbers: bool) -> None:
        self._decimals, self._numbers = state.decimals, numbers
        self._known: dict[str, int] = {}
        self.store: list[dict[str, Any]] = []

    def add(self, values: Array, levels: Levels, *, whole: bool = False) -> int:
        """Store a matrix in display orientation and return its number."""
        made = (
            self._as_numbers(values, levels, whole) if self._numbers else _as_images(values, levels)
        )
        key = json.dumps(made)
        if key not in self._known:
            self._known[key] = len(self.store)
            self.store.append(made)
        return self._known[key]

    def _as_numbers(self, values: Array, levels: Levels, whole: bool) -> dict[str, Any]:
        decimals = 0 if whole else self._decimals
        return {
            "text": [[show(float(value), decimals) for value in row] for row in values],
            "colour": ramp_positions(values, levels).tolist(),
        }


def _as_images(values: Array, levels: Levels) -> dict[str, Any]:
    images = {
        name: _image(values, levels, theme) for name, theme in (("light", LIGHT), ("dark", DARK))
    }
    return {"size": list(values.shape), "image": images}


def _image(values: Array, levels: Levels, theme: Colours) -> str:
    """A matrix as a PNG data URL, one pixel for a cell or for the mean of several."""
    picture = matrix_image(values, levels, theme, LARGEST_IMAGE).convertToFormat(
        QImage.Format.Format_RGB888
    )
    return data_url(png_bytes(picture))


def _item(
    item: Operand | OperandStack | Operator,
    operation: Operation,
    state: State,
    matrices: MatrixStore,
) -> dict[str, Any]:
    if isinstance(item, Operator):
        return {"sign": item.text, "above": item.above}
    if isinstance(item, OperandStack):
        return {
            "pile": [_operand(operand, operation, state, matrices) for operand in item.operands]
        }
    return _operand(item, operation, state, matrices)


def _operand(
    operand: Operand, operation: Operation, state: State, matrices: MatrixStore
) -> dict[str, Any]:
    in_plan = operand.tensor in state.trace.plan
    axes = (operand.rows, operand.columns)
    return {
        "matrix": matrices.add(operand.values, operand.levels, whole=operand.whole_numbers),
        "title": line_text(operand.title),
        "stage": operand.tensor if in_plan else "",
        "tensor": operand.tensor,
        "head": operand.head,
        "axes": list(axes),
        "tokens": [_sentence(operation.axes[axis].tokens, state) for axis in axes],
        "names": [operand.row_name, operand.column_name],
        "turned": operand.transposed,
        "by_column": operand.by_column,
        "labelled": operand.names_rows,
        "off": operand.off,
        "role": role_of(operand.tensor),
        "lead": not operand.tensor and "one" in axes,
    }


def _sentence(tokens: tuple[str, ...] | None, state: State) -> int | None:
    """What labels an axis: the tokens (0), those of the keys (1), the vocabulary (2) or None."""
    if tokens is None:
        return None
    if tokens is state.document.labels("u"):
        return 2
    return 0 if tokens is state.document.tokens else 1


def scale_of(theme: Colours) -> dict[str, str]:
    """The colour scale: every colour in hexadecimal, and black (1) or white (0) text on it."""
    levels = Levels(-255.0, 255.0)
    inks = [
        "1" if ink(value_colour(theme, levels, value)).lightness() < 128 else "0"
        for value in range(-255, 256)
    ]
    return {"colours": bytes(ramp(theme).flatten()).hex(), "ink": "".join(inks)}


MOST_TOKENS = 64  # of more, a page shows colours and no numbers
MOST_SUMS = 8_000  # cells with a worked sum; the head that is looked at comes first
MOST_STOPS = 6_000  # of a grain; a finer one is left out
MOST_TERMS = 8

Json = Any


class RunData:
    """Collects the data of an experiment stage by stage, so that it can be cancelled."""

    def __init__(self, document: Document, options: ExportOptions, progress: Progress) -> None:
        self._document, self._options, self._progress = document, options, progress
        self.state = run_state(document, replace(options, cursor=None, focus=None))
        self.small = max(document.n, document.m) <= MOST_TOKENS
        self._start = first_cursor(self.state.trace, document, options)
        self._matrices = MatrixStore(self.state, self.small)
        self._heads = list(range(document.h)) if self.small else [self._start.head]
        self._summed = self._with_sums() if self.small else set()
        self._diagrams: list[Json] = []  # of a stack one for each part and size of its cards

    def gather(self) -> Json:
        """All data of the run, ready for JSON."""
        plan, document = self.state.trace.plan, self._document
        named = max(document.scopes or (document,), key=lambda scope: scope.h).heads
        stages = []
        for index, stage in enumerate(plan):
            report_progress(self._progress, index / len(plan))
            stages.append(self._stage(stage))
        report_progress(self._progress, 1.0)
        return {
            "small": self.small,
            "n": document.n,
            "sentences": [
                [visible_token(tokens[i]) for i in range(len(tokens))]
                for tokens in (document.tokens, document.key_tokens, document.labels("u") or ())
            ],
            "head": self._start.head,
            "heads": [
                {"index": i, "name": by_language(partial(head_label, i, named[i].name))}
                for i in self._heads
            ],
            "stages": stages,
            "diagrams": self._diagrams,
            "stops": self._stops(),
            "matrices": self._matrices.store,
            "pins": [
                [pin.stage, pin.cell.head, pin.cell.row, pin.cell.column] for pin in document.pins
            ],
        }

    def _stops(self) -> dict[str, list[list[object]]]:
        """The steps of each grain that is not too fine: stage, row, column, reach."""
        trace = self.state.trace
        order = trace.plan.ids
        found: dict[str, list[list[object]]] = {}
        for grain in Grain if self.small else (Grain.STAGE,):
            if step_count(trace, grain) <= MOST_STOPS:
                found[grain.value] = [
                    [order.index(stop.stage), stop.row, stop.column, stop.reach.value]
                    for stop in cursors_at(trace, grain, self._start)
                ]
        return found

    def _stage(self, stage: Stage) -> Json:
        document, orientation = self._document, self.state.orientation
        heads = self._heads_of(stage)
        return {
            "id": stage.id,
            "symbol": symbol_here(document, stage.id, orientation),
            "role": role_of(stage.id),
            "name": by_language(lambda: stage_label(stage.id)),
            "ask": by_language(lambda: self._question(stage)),
            "text": by_language(lambda: meaning(document, stage.id, orientation).sentence),
            "next": by_language(
                lambda: line_text(
                    next_stage_line(document, self.state.trace, stage.id, orientation)
                )
            ),
            "headwise": stage.headwise,
            "attends": stage.attends,
            "words": stage.axes[-1] == "u",
            "diagram": self._diagram(stage),
            "rows": 1 if stage.axes[-2] == "m" else 0,
            "lead": stage.lead,
            "shape": list(document.stage_shape(stage.id)[-2:]),
            "wide": document.scope(stage.id).v,
            "operations": self._operations(stage),
            "sums": {str(head): self._sums(stage, head) for head in heads},
            "leads": {str(head): self._leads(stage, head) for head in heads}
            if stage.lead and self.small
            else {},
            "first": self._first_sentences(stage),
            "masked": self._masked(stage, heads),
        }

    def _question(self, stage: Stage) -> str:
        """The question that a stage answers, and its layer where there are several."""
        title = meaning(self._document, stage.id, self.state.orientation).title
        return " · ".join(filter(None, (title, layer_name(self._document, stage.id))))

    def _diagram(self, stage: Stage) -> int:
        """Which diagram shows a stage."""
        state = self.state
        if self._document.is_stack:
            cursor = Cursor(stage.id, 0, 0, 0, Reach.WHOLE)
            state = replace(state, cursor=cursor, focus=cursor_cell(cursor))
        elif self._diagrams:
            return 0
        made = by_language(partial(diagram, state))
        if made not in self._diagrams:
            self._diagrams.append(made)
        return self._diagrams.index(made)

    def _heads_of(self, stage: Stage) -> list[int]:
        """The heads of a stage that the page shows; one for a stage without heads."""
        count = self._document.scope(stage.id).h
        return [head for head in self._heads if head < count] if stage.headwise else [0]

    def _operations(self, stage: Stage) -> dict[str, Json]:
        """The operation of each head; for joined heads that of each block."""
        choices, scope = self._heads_of(stage), self._document.scope(stage.id)
        if stage.kind.joins_heads:
            choices = list(range(scope.h))
        made = {}
        for choice in choices:
            column = choice * scope.v if stage.kind.joins_heads else 0
            cursor = Cursor(
                stage.id, choice if stage.headwise else self._start.head, 0, column, Reach.WHOLE
            )
            made[str(choice)] = self._operation(
                replace(self.state, cursor=cursor, focus=cursor_cell(cursor))
            )
        return made

    def _operation(self, state: State) -> Json:
        def items() -> list[dict[str, Any]]:
            made = operation(state, target(state), whole=True)
            return [_item(item, made, state, self._matrices) for item in made.items]

        return by_language(items)

    # Worked sums

    def _with_sums(self) -> set[tuple[str, int]]:
        """The stages and heads whose sums are included; the current head comes first."""
        chosen, left = set(), MOST_SUMS
        for head in sorted(self._heads, key=lambda head: head != self._start.head):
            for stage in self.state.trace.plan:
                rows, columns = self._document.stage_shape(stage.id)[-2:]
                name = (stage.id, head if stage.headwise else 0)
                if name not in chosen and rows * columns <= left:
                    chosen.add(name)
                    left -= rows * columns
        return chosen

    def _sums(self, stage: Stage, head: int) -> list[list[Json]] | None:
        """The sum of every cell; None if the stage is not included."""
        if (stage.id, head) not in self._summed:
            return None
        rows, columns = self._document.stage_shape(stage.id)[-2:]
        return [
            [self._sum(Cell(stage.id, i, j, head)) for j in range(columns)] for i in range(rows)
        ]

    def _sum(self, cell: Cell) -> Json:
        step = derive(self._document, self.state.trace, cell)
        line = partial(_sum_text, self._sheet(), step)
        return (
            line() if step.pinned is None and len(step.terms) <= MOST_TERMS else by_language(line)
        )

    def _sheet(self) -> SumStyle:
        return SumStyle(
            self._document, self.state.decimals, MOST_TERMS, orientation=self.state.orientation
        )

    def _leads(self, stage: Stage, head: int) -> list[Json]:
        steps = [
            derive_lead(self._document, self.state.trace, stage.id, i, head)
            for i in range(self._document.n)
        ]
        sheet = self._sheet()
        return [by_language(partial(_sum_text, sheet, step)) for step in steps]

    def _first_sentences(self, stage: Stage) -> list[Json]:
        """The sentences shown while a row opens with its maximum or its sum."""
        if not stage.lead or not self.small:
            return []
        orientation = self.state.orientation
        return [
            by_language(partial(lead_sentence, stage.lead, self._document.tokens, row, orientation))
            for row in range(self._document.n)
        ]

    def _masked(self, stage: Stage, heads: list[int]) -> dict[str, Json]:
        """The sentences about queries that attend to nothing, by row."""
        if not stage.kind.shows_empty_rows:
            return {}
        blank = [i for i in range(self._document.n) if row_is_masked(self.state.trace, i, heads[0])]
        tokens = self._document.tokens
        return {str(i): by_language(partial(masked_row, tokens, i)) for i in blank}


def _sum_text(sheet: SumStyle, step: Step) -> str:
    """A worked sum in the notation of the page."""
    return line_text(noted_sum(sheet, step))
