"""The card below the operation: the worked sum of the marked cell, and its copy as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.explain.derivation import Step, derive, derive_lead, row_is_masked
from gui.painting.shapes import draw_box
from gui.painting.text_layout import (
    LEADING,
    BreakableLine,
    MathRow,
    draw_line_at,
    elide,
    paint_line,
    width_of,
    wrap,
)
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.session.spoken_cell import spoken_place
from gui.session.state import State
from gui.texts.exchange import LIBRARY_NAMES, Piece, python_pieces, stage_statement, statement_text
from gui.texts.glyphs import as_written
from gui.texts.names import stage_label
from gui.texts.next_step import next_stage_line, path_line
from gui.texts.rich_text import Line, Span, plain_text, short_token
from gui.texts.stage_texts import ahead_sentence, asked_sentence
from gui.texts.sum_style import SumStyle, fraction_of
from gui.texts.sums import few_terms_note, finer_sum, limit_note, pinned_row_note, worked_sum
from gui.texts.translation import labelled, mark, tr
from gui.views.stage.operation import Target, is_predicted, target
from gui.widgets.code import paint_pieces, pieces_width

PADDING = 10.0
CAPTION_LINE = 19.0
FOLLOW_GAP = 4.0  # between the sum and what follows it
CODE_GAP = 10.0  # between the name of the library and its code
CODE_LINE = 24.0  # the line of code; it is shown where twice its height is free
LARGE = 21
LARGE_FROM = 70.0  # the height from which a sum may be written large
LONGEST_TRIED = 16  # terms; a longer sum is not tried in full
FEWEST_TERMS = 2
# Sizes, numbers of terms and of rows that are tried for a shortened sum.
_SHORTENED = (
    (TITLE, 4, 1),
    (15, 4, 1),
    (15, 3, 1),
    (BODY, 4, 1),
    (BODY, 3, 1),
    (BODY, FEWEST_TERMS, 9),
)
COPY_FORMATS = {"text": mark("&Text"), "latex": mark("&LaTeX")}

SizedRow = tuple[MathRow, float]  # a row of mathematics and the size of its letters


@dataclass(frozen=True, slots=True)
class SumCard:
    """The texts of a card, broken into rows, the first `sum_rows` of them the sum itself.

    `where_short` is `where` in one language. `terms_note` says how many terms are written if some
    are left out. `is_cut`: what follows the sum is not complete. `code` computes the stage in
    `library`; () if it has no room.
    """

    where: str
    rows: tuple[SizedRow, ...]
    sum_rows: int
    height: float
    step: Step | None
    code: tuple[Piece, ...] = ()
    library: str = ""
    where_short: str = ""
    is_cut: bool = False
    terms_note: str = ""

    @property
    def shortened(self) -> bool:
        """Whether terms are left out."""
        return bool(self.terms_note)


class CardLength(Enum):
    """What a card contains: all; the sum in one precision; no next steps either; the sum alone."""

    ALL = auto()
    ONCE = auto()
    PINNED = auto()
    SUM = auto()


class CardTexts:
    """The texts about a cell, each worked out once for all the cards that are tried."""

    def __init__(self, state: State, target: Target) -> None:
        self.state, self.target = state, target
        self._sums: dict[int | None, BreakableLine] = {}

    @cached_property
    def step(self) -> Step | None:
        """The step that is worked out, if it is known."""
        unknown = self.target.is_ahead or is_predicted(self.state, self.target)
        return None if unknown else worked_step(self.state, self.target)

    @cached_property
    def where(self) -> str:
        """The cell in words."""
        return cell_in_words(self.state, self.target)

    @cached_property
    def where_short(self) -> str:
        """The cell in words, in one language."""
        with labelled("one"):
            return cell_in_words(self.state, self.target)

    @cached_property
    def pinned(self) -> BreakableLine:
        """The sum of a row with a pinned weight, or why a number is beyond the range of doubles."""
        if self.step is None:
            return BreakableLine(())
        state, visible = self.state, self.target.is_visible
        style = SumStyle(
            state.document, state.decimals, hidden=not visible, orientation=state.orientation
        )
        row: Line = ()
        if visible and not self.target.is_substep:
            row = pinned_row_note(style, state.trace, self.target.cell)
        return BreakableLine(row or limit_note(style, self.step))

    @cached_property
    def more_digits(self) -> BreakableLine | None:
        """The sum with more digits, where it is written whole and needs them to come out."""
        if self.step is None or len(self.step.terms) > LONGEST_TRIED:
            return None
        line = finer_sum(self._style, self.step)
        muted = (
            Span(span.text, "muted", span.level) if span.role == "plain" else span for span in line
        )
        return BreakableLine(tuple(muted)) if line else None

    @cached_property
    def next_step(self) -> BreakableLine:
        """The steps of a pair up to its weight, or the coming step."""
        state, target = self.state, self.target
        document, trace, orientation = state.document, state.trace, state.orientation
        if trace.plan[target.stage].attends and not target.is_ahead:
            until = state.visible_until
            return BreakableLine(
                path_line(document, trace, until, target.cell, state.decimals, orientation)
            )
        return BreakableLine(next_stage_line(document, trace, target.stage, orientation))

    def sum(self, step: Step, most: int | None) -> BreakableLine:
        """The sum with at most this many terms; None means all."""
        if most not in self._sums:
            self._sums[most] = BreakableLine(worked_sum(replace(self._style, most=most), step))
        return self._sums[most]

    @cached_property
    def _style(self) -> SumStyle:
        assert self.step is not None
        return _sum_style(self.state, self.target, self.step)

    @property
    def lengths(self) -> tuple[CardLength, ...]:
        """The lengths of a card, the longest first."""
        return tuple(
            length for length in CardLength if length is not CardLength.ONCE or self.more_digits
        )

    def follow_ups(self, length: CardLength) -> tuple[BreakableLine, ...]:
        """The lines below the sum."""
        if length is CardLength.SUM:
            return ()
        if length is CardLength.PINNED:
            return (self.pinned,)
        more = (self.more_digits,) if length is CardLength.ALL and self.more_digits else ()
        return (*more, self.pinned, self.next_step)


def _sum_style(state: State, target: Target, step: Step) -> SumStyle:
    hidden = not target.is_visible and not target.is_substep
    fraction = fraction_of(state.document, step) if state.fractions and not hidden else None
    return SumStyle(
        state.document, state.decimals, None, hidden, state.orientation, fraction=fraction
    )


def make_card(
    texts: CardTexts, width: float, most_height: float, length: CardLength = CardLength.ALL
) -> SumCard:
    """Choose size and length of the sum so that the card fits into a width and height."""
    inner, state = width - 2 * PADDING, texts.state
    found = [line.rows(BODY, inner) for line in texts.follow_ups(length)]
    below = tuple((row, float(BODY)) for rows in found for row in rows[:2])
    is_cut = any(len(rows) > 2 for rows in found)
    around = 2 * PADDING + CAPTION_LINE + FOLLOW_GAP + _height(below)
    rows, terms_note = _fitting_sum(texts, inner, most_height - around)
    if terms_note and length is CardLength.ALL and texts.more_digits:
        return make_card(texts, width, most_height, CardLength.ONCE)  # a cut sum cannot come out
    height = around + _height(rows)
    code: tuple[Piece, ...] = ()
    if state.code_line and height + 2 * CODE_LINE <= most_height:
        code = _code_line(state, texts.target, inner)
    return SumCard(
        where=texts.where,
        rows=(*rows, *below),
        sum_rows=len(rows),
        height=height + (CODE_LINE if code else 0.0),
        step=texts.step,
        code=code,
        library=LIBRARY_NAMES.get(state.code_line, ""),
        where_short=texts.where_short,
        is_cut=is_cut,
        terms_note=terms_note,
    )


def _height(rows: tuple[SizedRow, ...]) -> float:
    return sum(size * LEADING for _, size in rows)


def _code_line(state: State, target: Target, width: float) -> tuple[Piece, ...]:
    """The line that computes the stage, without its shapes where they do not fit.

    () if it does not fit at all.
    """
    library = state.code_line
    found = stage_statement(
        state.document, state.trace.plan[target.stage], library, lead=target.is_substep
    )
    available = width - CODE_GAP - width_of(LIBRARY_NAMES[library], font(CAPTION, bold=True))
    columns = state.orientation.columns
    short_note = f"{found.code}  # {tr('tokens as rows')}" if columns else found.code
    for text in (statement_text(found, columns=columns), short_note, found.code):
        pieces = python_pieces(text)
        if pieces_width(pieces) <= available:
            return pieces
    return ()


def worked_step(state: State, target: Target) -> Step:
    """Derive the marked cell, or its row's sub-step."""
    cell = target.cell
    if target.is_substep:
        return derive_lead(state.document, state.trace, cell.tensor, cell.row, cell.head)
    return derive(state.document, state.trace, cell)


def cell_in_words(state: State, target: Target) -> str:
    """The marked cell in words: scores, query 吃, key 鱼."""
    cell, name = target.cell, stage_label(target.stage)
    if target.is_substep:
        row = short_token(state.document.row_tokens(target.stage), cell.row)
        return tr("{stage}, query {row}", stage=name, row=row)
    return spoken_place(cell, state.document, state.orientation, name)


def _fitting_sum(texts: CardTexts, width: float, height: float) -> tuple[tuple[SizedRow, ...], str]:
    """The rows of the best sum that fits, and a note on the terms if some are left out.

    One row rather than large letters, and all terms if possible. Of a shortened sum, a few terms in
    one row say as much as many in three.
    """
    step = texts.step
    if step is None:
        reason = asked_sentence() if is_predicted(texts.state, texts.target) else ahead_sentence()
        return tuple((row, BODY) for row in wrap((Span(reason, "muted"),), BODY, width)), ""
    count = len(step.terms)
    options: list[tuple[float, int | None, int]] = []
    if count <= LONGEST_TRIED:
        options += [(LARGE, None, 1)] if height > LARGE_FROM else []
        options += [(TITLE, None, 1), (15, None, 1), (TITLE, None, 9), (15, None, 9)]
        options.append((BODY, None, 9))
    if count > FEWEST_TERMS:
        options += [(size, min(most, count - 1), rows) for size, most, rows in _SHORTENED]
    for size, most, most_rows in options:
        rows = texts.sum(step, most).rows(size, width)
        fits = len(rows) * size * LEADING <= height and all(row.width <= width for row in rows)
        if fits and len(rows) <= most_rows:
            break
    note = few_terms_note(most, count) if most is not None and most < count else ""
    return tuple((row, float(size)) for row in rows), note


def is_row_masked(state: State, target: Target) -> bool:
    """Whether the marked query may attend to nothing, at a stage where that shows."""
    if target.is_ahead or not state.trace.plan[target.stage].kind.shows_empty_rows:
        return False
    return row_is_masked(state.trace, target.cell.row, target.cell.head, target.stage)


def paint_card(
    painter: QPainter, rect: QRectF, card: SumCard, theme: Colours, *, chips: bool = True
) -> None:
    """Paint the card; `chips` leaves space for buttons at the end of its first line."""
    draw_box(painter, rect, None, theme.sunken, 10)
    x, y = rect.x() + PADDING, rect.y() + PADDING
    bold = font(CAPTION, bold=True)
    painter.setPen(QColor(theme.muted))
    draw_line_at(painter, x, y + CAPTION, tr("Worked sum"), bold)
    after = x + _name_width()
    reserved = PADDING if not chips else 200 if card.shortened else 100
    text = _first_line(card, rect.right() - after - reserved)
    draw_line_at(painter, after, y + CAPTION, text, font(CAPTION))
    if card.code:
        baseline = rect.bottom() - PADDING - 4
        painter.setPen(QColor(theme.muted))
        draw_line_at(painter, x, baseline, card.library, bold)
        code_x = x + width_of(card.library, bold) + CODE_GAP
        paint_pieces(painter, code_x, baseline, card.code, theme)
    y += CAPTION_LINE
    for i, (row, size) in enumerate(card.rows):
        y += FOLLOW_GAP if i == card.sum_rows else 0.0
        paint_line(painter, x, y + size * (LEADING / 2 + 0.36), row.spans, size, theme)
        y += size * LEADING


def _first_line(card: SumCard, width: float) -> str:
    """The cell, cut to a width, and how many of the terms are written."""
    face, note = font(CAPTION), f" · {card.terms_note}" if card.terms_note else ""
    width -= width_of(note, face)
    text = card.where if width_of(card.where, face) <= width else card.where_short
    return elide(text, face, width) + note


def _name_width() -> float:
    """The width of the card's name and the gap after it."""
    return width_of(tr("Worked sum"), font(CAPTION, bold=True)) + 10


def fits_whole(card: SumCard, width: float) -> bool:
    """Whether neither the first line, without chips, nor what follows the sum is cut."""
    first = 2 * PADDING + _name_width() + width_of(card.where_short, font(CAPTION))
    return not card.is_cut and first <= width


def copy_refusal(state: State) -> str:
    """Why there is no sum to copy, as a sentence; "" if there is one."""
    shown = target(state)
    if is_predicted(state, shown):
        return asked_sentence()
    return ahead_sentence() if shown.is_ahead else ""


def sum_text(state: State, form: str) -> str:
    """The sum, and a note on its range, in one of COPY_FORMATS.

    The text begins with the name of its cell.
    """
    shown = target(state)
    with as_written():
        step = worked_step(state, shown)
        style = _sum_style(state, shown, step)
        lines = [line for line in (worked_sum(style, step), limit_note(style, step)) if line]
        if form == "latex":
            from gui.texts.latex import line as latex_line

            return "\n\n".join(map(latex_line, lines)) + "\n"
        return "\n".join((cell_in_words(state, shown), *map(plain_text, lines))) + "\n"
