"""The texts of a slide in the current language: title, sentence, table, sum, notes. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.cell import Cell
from core.base.number_format import show
from core.exchange.scripts import stage_statements
from core.explain.derivation import derive, derive_lead, row_is_masked
from core.explain.timeline import Reach
from core.lesson.model import EMPTY_TEXT
from core.stages import Stage
from gui.presentation.navigation import scene_notes
from gui.session.state import State, cursor_cell
from gui.texts.exchange import LIBRARY_NAMES, statement_text
from gui.texts.labs import lab_claim, lab_label
from gui.texts.names import (
    axes_of,
    first_tokens,
    head_label,
    header,
    layer_name,
    stage_gloss,
    stage_name,
    symbol_here,
)
from gui.texts.rich_text import Line, script_pieces, short
from gui.texts.stage_sentences import stage_text
from gui.texts.stage_texts import lead_sentence, masked_row, meaning
from gui.texts.sum_style import SumStyle
from gui.texts.sums import noted_sum
from gui.texts.translation import localized_label, tr

MOST_ROWS, MOST_COLUMNS = 8, 8  # of a table on a slide; more cannot be read from the last row
MOST_TERMS = 6


@dataclass(frozen=True, slots=True)
class SlideTable:
    """A matrix in display orientation: labels, texts ("" if not computed yet), values, marked cell.

    `pinned` are cells with what-if values; `hidden` counts the rows and columns that are left out.
    """

    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    values: tuple[tuple[float, ...], ...]
    marked: tuple[int, int]
    pinned: frozenset[tuple[int, int]]
    hidden: tuple[int, int]
    description: str
    tensor: str = ""  # an entered one; "" for the current stage


def slide_title(state: State) -> str:
    """The scene's title, or the usual one."""
    title = EMPTY_TEXT if state.scene is None else state.scene.scene.title
    own = localized_label(title.texts, title.of(state.language))
    return own or usual_title(state)


def usual_title(state: State) -> str:
    """The title of a scene without its own: that of its lab, else that of the stage."""
    demo = None if state.scene is None else state.scene.scene.demo
    return stage_title(state) if demo is None else lab_label(demo.lab)


def stage_title(state: State) -> str:
    """The question that the stage answers, its name in both languages if wanted, the head."""
    stage, head = state.trace.plan[state.cursor.stage], state.cursor.head
    parts = [meaning(state.document, stage.id, state.orientation).title, stage_gloss(stage.id)]
    parts.append(layer_name(state.document, stage.id))
    heads = state.document.scope(stage.id).heads
    if len(heads) > 1 and stage.headwise:
        parts.append(head_label(head, heads[head].name))
    return " · ".join(part for part in parts if part)


def slide_sentence(state: State) -> str:
    """The scene's question, else the sentence of the stage."""
    if state.scene is not None and state.scene.scene.question:
        return state.scene.scene.question.of(state.language)
    return stage_sentence(state)


def stage_sentence(state: State) -> str:
    """The meaning of the stage or of the row's opening; for a lab its claim."""
    if state.scene is not None and state.scene.scene.demo is not None:
        return lab_claim(state.scene.scene.demo.lab)
    stage, cursor, document = state.trace.plan[state.cursor.stage], state.cursor, state.document
    if cursor.reach is Reach.LEAD:
        return lead_sentence(
            stage.lead, document.row_tokens(stage.id), cursor.row, state.orientation
        )
    return meaning(document, stage.id, state.orientation).sentence


def sum_line(state: State) -> Line:
    """The worked sum of the current cell, or of the row's maximum or sum."""
    cursor = state.cursor
    sheet = SumStyle(state.document, state.decimals, MOST_TERMS, orientation=state.orientation)
    if cursor.reach is Reach.LEAD:
        return noted_sum(
            sheet, derive_lead(state.document, state.trace, cursor.stage, cursor.row, cursor.head)
        )
    return noted_sum(sheet, derive(state.document, state.trace, marked_cell(state)))


def marked_cell(state: State) -> Cell:
    """The focused cell if it belongs to the current stage, else the cell of the cursor."""
    focus = state.focus
    own = focus.tensor == state.cursor.stage and state.is_visible(
        focus.tensor, focus.row, focus.column
    )
    return focus if own else cursor_cell(state.cursor)


def code_text(state: State) -> str:
    """The statements that compute the stage, in the library of the code panel."""
    library = state.preferences.code if state.preferences.code in LIBRARY_NAMES else "numpy"
    stage = state.trace.plan[state.cursor.stage]
    statements = stage_statements(state.document, stage, library)
    return "\n".join(statement_text(one, columns=state.orientation.columns) for one in statements)


def slide_notes(state: State) -> str:
    """The speaker's notes of a slide, including queries that attend to nothing."""
    document, cursor = state.document, state.cursor
    if state.scene is None:
        stage = state.trace.plan[cursor.stage]
        said = [
            stage_text(name, document, stage, state.orientation) for name in ("sentence", "note")
        ]
        lines = [said[0], tr("What to say: {text}", text=said[1])]
    else:
        parts = scene_notes(state.scene.scene, state.language)
        lines = [
            tr("{name}: {text}", name=name, text=text) if name else text for name, text in parts
        ] or [stage_sentence(state)]
    if state.trace.plan[cursor.stage].kind.shows_empty_rows:
        blank = [i for i in range(document.n) if row_is_masked(state.trace, i, cursor.head)]
        lines += [masked_row(document.tokens, i) for i in blank[:3]]
    return "\n".join(lines)


def formula_words(state: State) -> str:
    """Alternative text of the formula."""
    return tr("Formula of {stage}.", stage=stage_name(state.cursor.stage))


def heatmap_words(state: State) -> str:
    """Alternative text of the heatmap."""
    tokens = first_tokens(state.document, 20, tr(", "))
    return tr(
        "Heatmap of {stage} for the tokens {tokens}.",
        stage=stage_name(state.cursor.stage),
        tokens=tokens,
    )


def diagram_words(state: State) -> str:
    """Alternative text of the diagram."""
    stages = state.trace.plan.stages[: state.trace.plan.index(state.cursor.stage) + 1]
    return tr(
        "Diagram from the tokens {tokens} to the output. Computed so far: {done}.",
        tokens=first_tokens(state.document, 20, tr(", ")),
        done=tr(", ").join(stage_name(stage.id) for stage in stages),
    )


def slide_table(state: State, most: tuple[int, int] = (MOST_ROWS, MOST_COLUMNS)) -> SlideTable:
    """The stage's matrix of the current head up to the current step, cropped to `most`."""
    stage, document, orientation = (
        state.trace.plan[state.cursor.stage],
        state.document,
        state.orientation,
    )
    matrix = orientation.matrix(
        state.trace.matrix(stage.id, state.cursor.head if stage.headwise else 0)
    )
    axes = axes_of(stage.id)
    sizes = document.sizes_at(stage.id)
    names = [[header(stage.id, axis, i, document) for i in range(sizes[axis])] for axis in axes]
    labels = orientation.pair(*names)
    cell = marked_cell(state)
    marked = orientation.pair(cell.row, cell.column)
    rows, columns = (_window(len(labels[i]), marked[i], most[i]) for i in range(2))
    return SlideTable(
        corner=_corner(stage, state),
        rows=tuple(short(labels[0][i], 10) for i in rows),
        columns=tuple(short(labels[1][j], 10) for j in columns),
        texts=tuple(
            tuple(_text(state, stage.id, i, j, float(matrix[i, j])) for j in columns) for i in rows
        ),
        values=tuple(tuple(float(matrix[i, j]) for j in columns) for i in rows),
        marked=(marked[0] - rows.start, marked[1] - columns.start),
        pinned=_pinned(state, stage, rows.start, columns.start),
        hidden=(len(labels[0]) - len(rows), len(labels[1]) - len(columns)),
        description=tr(
            "{stage}: {rows} rows, {columns} columns",
            stage=stage_title(state),
            rows=len(labels[0]),
            columns=len(labels[1]),
        ),
    )


MOST_WEIGHTS = 6  # columns of a matrix of weights


def weights_table(state: State, most_rows: int) -> SlideTable | None:
    """The weights of a projection, of the current head, cropped; None at other stages."""
    stage, document, orientation = (
        state.trace.plan[state.cursor.stage],
        state.document,
        state.orientation,
    )
    if stage.entered or stage.kind.name != "project":
        return None
    name = stage.inputs[0]
    head = document.lender(name, state.cursor.head) if stage.headwise else 0
    weights = document.tensor(name, head)
    if weights is None:
        return None
    matrix = orientation.matrix(weights)
    axes = axes_of(name)
    labels = orientation.pair(
        *(
            [header(name, axis, i, document) for i in range(n)]
            for axis, n in zip(axes, weights.shape, strict=True)
        )
    )
    shown = (most_rows, MOST_WEIGHTS)
    rows, columns = (range(min(len(labels[i]), shown[i])) for i in range(2))
    return SlideTable(
        corner=name,
        rows=tuple(labels[0][i] for i in rows),
        columns=tuple(labels[1][j] for j in columns),
        texts=tuple(
            tuple(show(float(matrix[i, j]), state.decimals) for j in columns) for i in rows
        ),
        values=tuple(tuple(float(matrix[i, j]) for j in columns) for i in rows),
        marked=(-1, -1),
        pinned=frozenset(),
        hidden=(len(labels[0]) - len(rows), len(labels[1]) - len(columns)),
        description=tr(
            "{stage}: {rows} rows, {columns} columns",
            stage="".join(piece for piece, _ in script_pieces(name)),
            rows=len(labels[0]),
            columns=len(labels[1]),
        ),
        tensor=name,
    )


def _corner(stage: Stage, state: State) -> str:
    """The text of the corner: the axes if both are tokens, else the symbol of the matrix."""
    if stage.attends:
        return tr("key ＼ query") if state.orientation.columns else tr("query ＼ key")
    return symbol_here(state.document, stage.id, state.orientation)


def hidden_text(table: SlideTable) -> str:
    """The sentence about rows and columns that are left out, "" if there are none."""
    rows, columns = table.hidden
    counted = (
        (rows, tr("1 more row") if rows == 1 else tr("{n} more rows", n=rows)),
        (columns, tr("1 more column") if columns == 1 else tr("{n} more columns", n=columns)),
    )
    said = tr(", ").join(text for number, text in counted if number)
    return tr("Left out: {what}.", what=said) if said else ""


def _pinned(state: State, stage: Stage, top: int, left: int) -> frozenset[tuple[int, int]]:
    """The pinned cells of the table, in display orientation."""
    head = state.cursor.head if stage.headwise else 0
    cells = [
        pin.cell for pin in state.document.pins if (pin.stage, pin.cell.head) == (stage.id, head)
    ]
    seen = [
        state.orientation.pair(cell.row, cell.column)
        for cell in cells
        if state.is_visible(stage.id, cell.row, cell.column)
    ]
    return frozenset((row - top, column - left) for row, column in seen)


def _window(size: int, marked: int, most: int) -> range:
    """The range of indices around the marked one."""
    start = min(max(0, marked - most // 2), max(0, size - most))
    return range(start, min(size, start + most))


def _text(state: State, stage_id: str, i: int, j: int, value: float) -> str:
    row, column = state.orientation.pair(i, j)
    return show(value, state.decimals) if state.is_visible(stage_id, row, column) else ""
