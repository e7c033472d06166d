"""The card below the operation: the worked sum of the marked cell, what follows from it, and its copy as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.explain.derivation import Step, derive, derive_lead, row_is_masked
from gui.painting.math_text import LEADING, MathRow, Pieces, paint_line, wrap
from gui.painting.text_cache import cut, width_of, write_at
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.session.spoken_cell import spoken_place
from gui.session.state import State
from gui.texts.exchange import LIBRARY_NAMES, Piece, python_pieces, stage_statement, statement_text
from gui.texts.glyphs import as_written
from gui.texts.names import stage_label
from gui.texts.next_step import coming_line, road_line
from gui.texts.rich_text import Line, Span, plain_text, short
from gui.texts.stage_texts import ahead_sentence, asked_sentence
from gui.texts.sum_style import SumStyle, fraction_of
from gui.texts.sums import closer_sum, few_words, limit_note, pinned_row_note, worked_sum
from gui.texts.translation import labelled, mark, tr
from gui.views.stage.operation import Target, is_predicted, target
from gui.widgets.code import paint_pieces, pieces_width

PADDING = 10.0
CAPTION_LINE = 19.0
ROAD_GAP = 4.0  # between the sum and what follows it
CODE_GAP = 10.0  # between the name of the library and its code
CODE_LINE = 24.0  # the line of code below all; it is shown where twice as much is free
FEWEST_TERMS = 2
LARGE = 21
ROOMY = 70.0  # from this height on a sum may be written large
# Sizes, numbers of terms and of rows of a sum that is not.
_SHORTENED = (
    (TITLE, 4, 1),
    (15, 4, 1),
    (15, 3, 1),
    (BODY, 4, 1),
    (BODY, 3, 1),
    (BODY, FEWEST_TERMS, 9),
)


@dataclass(frozen=True, slots=True)
class SumCard:
    """What the card says, broken into rows, the first `sums` of them the sum itself.

    `briefly` is where it stands in little room: in one language. `few` says how many of the terms are written, where
    some are left out. `cut` says that what follows the sum is not whole.
    `height` is what it needs. `code` is the line that computes the stage in
    `library`, () where there is no room or no wish for it.
    """

    where: str
    rows: tuple[tuple[MathRow, float], ...]
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
    """What a card says: all; the sum but once; no road or coming step either; the sum alone."""

    ALL = auto()
    ONCE = auto()
    PINNED = auto()
    SUM = auto()


FIRST_TRY = 16  # a sum of more terms than this is not tried in full


class WrittenSums:
    """A step on a sheet, each way of writing it worked out once."""

    def __init__(self, sheet: SumStyle, step: Step) -> None:
        self._sheet, self._step = sheet, step
        self._sums: dict[int | None, Pieces] = {}

    def sum(self, most: int | None) -> Pieces:
        """The sum, with so many terms at the most."""
        if most not in self._sums:
            self._sums[most] = Pieces(worked_sum(replace(self._sheet, most=most), self._step))
        return self._sums[most]

    @cached_property
    def more_digits(self) -> Pieces | None:
        """The sum with more digits, where it is written whole and needs them to come out."""
        if len(self._step.terms) > FIRST_TRY:
            return None
        line = closer_sum(self._sheet, self._step)
        return Pieces(_quiet(line)) if line else None


class CardTexts:
    """What there is to say of a cell, each of it worked out once, however many cards are tried for it."""

    def __init__(self, state: State, target: Target) -> None:
        self.state, self.target = state, target
        self._sums: WrittenSums | None = None

    @cached_property
    def step(self) -> Step | None:
        """What is worked out, if it is known."""
        unknown = self.target.is_ahead or is_predicted(self.state, self.target)
        return None if unknown else worked_step(self.state, self.target)

    @cached_property
    def where(self) -> str:
        """The cell in words."""
        return cell_in_words(self.state, self.target)

    @cached_property
    def where_short(self) -> str:
        """The same in one language."""
        with labelled("one"):
            return cell_in_words(self.state, self.target)

    @cached_property
    def pinned(self) -> Pieces:
        """The pinned value, if there is one."""
        return Pieces(() if self.step is None else _pinned(self.state, self.target, self.step))

    @cached_property
    def more_digits(self) -> Pieces | None:
        """The sum with more digits, where it is written whole and needs them to come out."""
        return None if self.step is None else self._written(self.step).more_digits

    @property
    def lengths(self) -> tuple[CardLength, ...]:
        """What a card may say, the most first."""
        return tuple(said for said in CardLength if said is not CardLength.ONCE or self.more_digits)

    @cached_property
    def next_step(self) -> Pieces:
        """The road or the coming step."""
        return Pieces(_onwards(self.state, self.target))

    def sum(self, step: Step, most: int | None) -> Pieces:
        """The sum, with so many terms at the most."""
        return self._written(step).sum(most)

    def _written(self, step: Step) -> WrittenSums:
        """How the step is written, with all of its terms."""
        if self._sums is None:
            state, hidden = self.state, not self.target.is_visible and not self.target.is_substep
            fraction = fraction_of(state.document, step) if state.fractions and not hidden else None
            sheet = SumStyle(
                state.document, state.decimals, None, hidden, state.orientation, fraction=fraction
            )
            self._sums = WrittenSums(sheet, step)
        return self._sums


def make_card(
    telling: CardTexts, width: float, most_height: float, said: CardLength = CardLength.ALL
) -> SumCard:
    """Choose size and length of the sum so that the card fits."""
    inner = width - 2 * PADDING
    state, target, step = telling.state, telling.target, telling.step
    below, lost = _below(telling, inner, said)
    room = (
        most_height
        - 2 * PADDING
        - CAPTION_LINE
        - ROAD_GAP
        - sum(size * LEADING for _, size in below)
    )
    rows, few = _sum_rows(telling, inner, room)
    if few and said is CardLength.ALL and telling.more_digits:  # no digits make that come out
        return make_card(telling, width, most_height, CardLength.ONCE)
    height = (
        2 * PADDING + CAPTION_LINE + ROAD_GAP + sum(size * LEADING for _, size in (*rows, *below))
    )
    code = (
        code_line(state, target, inner)
        if state.code_line and height + 2 * CODE_LINE <= most_height
        else ()
    )
    height += CODE_LINE if code else 0.0
    library, briefly = LIBRARY_NAMES.get(state.code_line, ""), telling.where_short
    return SumCard(
        telling.where, (*rows, *below), len(rows), height, step, code, library, briefly, lost, few
    )


def code_line(state: State, target: Target, width: float) -> tuple[Piece, ...]:
    """The line that computes the stage, without its shapes where they do not fit; () if it does not fit at all."""
    library = state.code_line
    found = stage_statement(
        state.document, state.trace.plan[target.stage], library, lead=target.is_substep
    )
    room = width - CODE_GAP - width_of(LIBRARY_NAMES[library], font(CAPTION, bold=True))
    columns = state.orientation.columns
    short_note = f"{found.code}  # {tr('tokens as rows')}" if columns else found.code
    for text in (statement_text(found, columns=columns), short_note, found.code):
        pieces = python_pieces(text)
        if pieces_width(pieces) <= room:
            return pieces
    return ()


def worked_step(state: State, target: Target) -> Step:
    """The step that is worked out: of the marked cell, or of its row's sub-step."""
    cell = target.cell
    if target.is_substep:
        return derive_lead(state.document, state.trace, cell.tensor, cell.row, cell.head)
    return derive(state.document, state.trace, cell)


def cell_in_words(state: State, target: Target) -> str:
    """The marked cell in words: scores, query 吃, key 鱼."""
    cell, name = target.cell, stage_label(target.stage)
    if target.is_substep:
        row = short(state.document.row_tokens(target.stage)[cell.row])
        return tr("{stage}, query {row}", stage=name, row=row)
    return spoken_place(cell, state.document, state.orientation, name)


def _sum_rows(
    telling: CardTexts, width: float, room: float
) -> tuple[tuple[tuple[MathRow, float], ...], str]:
    """The sum as large and as complete as the room allows, and which terms it has where some had to be left out."""
    step = telling.step
    if step is None:
        why = asked_sentence() if is_predicted(telling.state, telling.target) else ahead_sentence()
        return tuple((row, BODY) for row in wrap((Span(why, "muted"),), BODY, width)), ""

    def tried(
        size: float, most: int | None = None, most_rows: int = 9
    ) -> tuple[tuple[MathRow, ...], bool]:
        rows = telling.sum(step, most).rows(size, width)
        fits = len(rows) * size * LEADING <= room and all(row.width <= width for row in rows)
        return rows, fits and len(rows) <= most_rows

    size, rows, most = _chosen(len(step.terms), room, tried)
    few = few_words(most, len(step.terms)) if most is not None and most < len(step.terms) else ""
    return tuple((row, float(size)) for row in rows), few


Tried = Callable[[float, int | None, int], tuple[tuple[MathRow, ...], bool]]


def _chosen(terms: int, room: float, tried: Tried) -> tuple[float, tuple[MathRow, ...], int | None]:
    """Size, rows and number of terms, the best that fit: in one row rather than large, whole if at all.

    Of a sum that is not whole a few terms in one row say as much as many in three.
    """
    if terms <= FIRST_TRY:
        wholes = [(LARGE, 1)] if room > ROOMY else []
        for size, most_rows in (*wholes, (TITLE, 1), (15, 1), (TITLE, 9), (15, 9), (BODY, 9)):
            rows, fits = tried(size, None, most_rows)
            if fits or (terms <= FEWEST_TERMS and size == BODY):
                return size, rows, None
    for size, most, most_rows in _SHORTENED:
        rows, fits = tried(size, min(most, terms - 1), most_rows)
        if fits:
            break
    return size, rows, most


def _lines(telling: CardTexts, said: CardLength) -> tuple[Pieces, ...]:
    """What stands below the sum: more of its digits, what is said of its result, the road or the coming step."""
    if said is CardLength.SUM:
        return ()
    if said is CardLength.PINNED:
        return (telling.pinned,)
    more = (telling.more_digits,) if said is CardLength.ALL and telling.more_digits else ()
    return (*more, telling.pinned, telling.next_step)


def _below(
    telling: CardTexts, width: float, said: CardLength
) -> tuple[tuple[tuple[MathRow, float], ...], bool]:
    """What stands below the sum, each of it in two rows at the most; whether more were needed."""
    broken = [line.rows(BODY, width) for line in _lines(telling, said)]
    rows = tuple((row, float(BODY)) for found in broken for row in found[:2])
    return rows, any(len(found) > 2 for found in broken)


def _pinned(state: State, target: Target, step: Step) -> Line:
    """What a row with a what-if weight adds up to, or what is said of numbers beyond all doubles."""
    sheet = SumStyle(
        state.document, state.decimals, hidden=not target.is_visible, orientation=state.orientation
    )
    row = (
        pinned_row_note(sheet, state.trace, target.cell)
        if target.is_visible and not target.is_substep
        else ()
    )
    return row or limit_note(sheet, step)


def _onwards(state: State, target: Target) -> Line:
    """The road of a pair, or the coming step."""
    seen = state.orientation
    if state.trace.plan[target.stage].attends and not target.is_ahead:
        return road_line(
            state.document, state.trace, state.visible_until, target.cell, state.decimals, seen
        )
    return coming_line(state.document, state.trace, target.stage, seen)


def is_row_masked(state: State, target: Target) -> bool:
    """Whether the marked query may see nothing, at a stage where that shows."""
    if target.is_ahead or not state.trace.plan[target.stage].kind.shows_empty_rows:
        return False
    return row_is_masked(state.trace, target.cell.row, target.cell.head)


def paint_card(
    painter: QPainter, rect: QRectF, card: SumCard, theme: Colours, *, chips: bool = True
) -> None:
    """Draw the card; `chips` keeps room for buttons at the end of its first line."""
    paint_card_head(painter, rect, card, theme, chips=chips)
    paint_card_rows(painter, rect, card, theme)


def paint_card_head(
    painter: QPainter, rect: QRectF, card: SumCard, theme: Colours, *, chips: bool = True
) -> None:
    """All of the card that does not change with the numbers: its ground, its first line, and the line of code."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.sunken))
    painter.drawRoundedRect(rect, 10, 10)
    x, y = rect.x() + PADDING, rect.y() + PADDING
    caption = font(CAPTION, bold=True)
    painter.setPen(QColor(theme.muted))
    write_at(painter, x, y + CAPTION, tr("Worked sum"), caption)
    after = x + _head_width()
    kept = PADDING if not chips else 200 if card.shortened else 100
    room = rect.right() - after - kept
    write_at(painter, after, y + CAPTION, _first_line(card, room), font(CAPTION))
    if card.code:
        _paint_code(painter, x, rect.bottom() - PADDING - 4, card, theme)


def _first_line(card: SumCard, room: float) -> str:
    """Where the cell is, and how many of the terms are written, which is never cut."""
    face, few = font(CAPTION), f" · {card.terms_note}" if card.terms_note else ""
    room -= width_of(few, face)
    said = card.where if width_of(card.where, face) <= room else card.where_short
    return cut(said, face, room) + few


def _head_width() -> float:
    """What the card's name and the gap after it take of its first line."""
    return width_of(tr("Worked sum"), font(CAPTION, bold=True)) + 10


def fits_whole(card: SumCard, width: float) -> bool:
    """Whether neither the first line is cut, where no chips stand on it, nor what follows the sum."""
    return (
        not card.is_cut
        and 2 * PADDING + _head_width() + width_of(card.where_short, font(CAPTION)) <= width
    )


def paint_card_rows(painter: QPainter, rect: QRectF, card: SumCard, theme: Colours) -> None:
    """The sum and what follows it."""
    x, y = rect.x() + PADDING, rect.y() + PADDING + CAPTION_LINE
    for i, (row, size) in enumerate(card.rows):
        y += ROAD_GAP if i == card.sum_rows else 0.0
        paint_line(painter, x, y + size * (LEADING / 2 + 0.36), row.spans, size, theme)
        y += size * LEADING


def _paint_code(
    painter: QPainter, x: float, baseline: float, card: SumCard, theme: Colours
) -> None:
    face = font(CAPTION, bold=True)
    painter.setPen(QColor(theme.muted))
    write_at(painter, x, baseline, card.library, face)
    after = x + width_of(card.library, face) + CODE_GAP
    paint_pieces(painter, after, baseline, card.code, theme)


def _quiet(line: Line) -> Line:
    """A line whose numbers say the same once more."""
    return tuple(
        Span(span.text, "muted", span.level) if span.role == "plain" else span for span in line
    )


COPY_FORMATS = {"text": mark("&Text"), "latex": mark("&LaTeX")}


def copy_refusal(state: State) -> str:
    """Why there is no sum to copy, as a sentence; "" where there is one."""
    looked_at = target(state)
    if is_predicted(state, looked_at):
        return asked_sentence()
    return ahead_sentence() if looked_at.is_ahead else ""


def sum_lines(state: State) -> tuple[Line, ...]:
    """The sum, and why its result is not what it should be, where that is so."""
    looked_at = target(state)
    step = worked_step(state, looked_at)
    hidden = not looked_at.is_visible and not looked_at.is_substep
    fraction = fraction_of(state.document, step) if state.fractions and not hidden else None
    sheet = SumStyle(
        state.document, state.decimals, None, hidden, state.orientation, fraction=fraction
    )
    note = limit_note(sheet, step)
    return (worked_sum(sheet, step), note) if note else (worked_sum(sheet, step),)


def sum_text(state: State, way: str) -> str:
    """The sum in one of WAYS, the text under the name of its cell."""
    with as_written():
        lines = sum_lines(state)
        if way == "latex":
            from gui.texts.latex import line as latex_line

            return "\n\n".join(map(latex_line, lines)) + "\n"
        return "\n".join((cell_in_words(state, target(state)), *map(plain_text, lines))) + "\n"
