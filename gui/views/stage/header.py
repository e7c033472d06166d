"""The header of the stage view: the question that the stage answers, one sentence, and the formula."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.document.parts import is_headwise, split_layer
from gui.painting import formulas
from gui.painting.text_layout import draw_line_at, elide, line_width, paint_line, width_of
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, colours, font
from gui.session.state import State
from gui.texts.names import head_label, head_name, layers_title, stage_gloss
from gui.texts.rich_text import Line, typeset
from gui.texts.stage_texts import lead_sentence, masked_row, meaning
from gui.texts.translation import tr
from gui.views.stage.operation import Target
from gui.widgets.subscripts import Paragraph

TITLE_HEIGHT = 26.0
FORMULA = formulas.SHIPPED_SIZE
TALL = 400.0  # from this height on limits are above and below their sum


@dataclass(frozen=True, slots=True)
class Header:
    """The texts of a header with their rectangles.

    `subtitles` are what may follow the title, the longest first.

    `latex` is "" where no formula is drawn.
    """

    title: str
    subtitles: tuple[str, ...]
    sentence: str
    warning: bool
    latex: str
    rect: QRectF
    title_width: float
    sentence_rect: QRectF
    formula_rect: QRectF
    height: float


def make_header(
    state: State,
    target: Target,
    inner: QRectF,
    *,
    blank: bool,
    formula: bool,
    chip: float = 0.0,
    brief: bool = False,
) -> Header:
    """Lay out the header in the width of a rectangle, whose height limits the formula.

    `chip` is the width reserved at the end of the title's line; `brief` leaves out the sentence;
    `blank`: the marked query may attend to nothing.
    """
    texts = meaning(state.document, target.stage, state.orientation)
    lead = state.trace.plan[target.stage].lead
    tokens, row = state.document.row_tokens(target.stage), target.cell.row
    opening = lead_sentence(lead, tokens, row, state.orientation)
    sentence = (
        masked_row(tokens, row) if blank else opening if target.is_substep else texts.sentence
    )
    sentence = "" if brief and not blank else sentence
    latex = header_formula(state, target, inner.height())
    size = _formula_size(latex, state, inner) if formula else None
    title = line_width(typeset(texts.title), TITLE, bold=True)
    if chip and size is not None and title + chip + size.width() + 28 > inner.width():
        size = None
    wide = inner.width() - (size.width() + 28 if size is not None else 0)
    tall = Paragraph(sentence, font(BODY), wide).height if sentence else 0.0
    height, below = TITLE_HEIGHT + tall, wide < title <= inner.width()
    where = QRectF()
    if size is not None:  # beside the title, or below it if that would be cut
        where = QRectF(inner.right() - size.width(), inner.y(), size.width(), size.height())
        where.translate(0.0, TITLE_HEIGHT if below else 0.0)
        height = max(height, where.bottom() - inner.y())
    area = QRectF(inner.x(), inner.y() + TITLE_HEIGHT, wide, tall + 2)
    shown = latex if size is not None else ""
    return Header(
        texts.title,
        _subtitles(state, target),
        sentence,
        blank,
        shown,
        inner,
        (inner.width() if below else wide) - chip,
        area,
        where,
        height,
    )


def _formula_size(latex: str, state: State, inner: QRectF) -> QRectF | None:
    """The size of the formula; None where it would take too much space."""
    size = formulas.formula_size(latex, formula_colour(state), FORMULA)
    fits = size.width() <= inner.width() * 0.5 and size.height() <= inner.height() * 0.3
    return QRectF(0, 0, size.width(), size.height()) if fits else None


def header_formula(state: State, target: Target, height: float) -> str:
    """The formula of the stage, flat where the height is small."""
    return formulas.formula(
        state.document, target.stage, flat=height < TALL, orientation=state.orientation
    )


def formula_colour(state: State) -> str:
    """The colour of formulas in the current theme."""
    return colours(state.shade).text


def _subtitles(state: State, target: Target) -> tuple[str, ...]:
    """The stage's name, where labels are in both languages, the layer and the head, if there are
    several, from the longest text to the shortest.

    Every text of a head says so if the head is switched off.
    """
    found = _head_texts(state, target)
    layer = split_layer(target.stage)[0]
    if layer is None or len(state.document.layers) == 1:
        return found
    title = layers_title((layer,))
    placed = tuple(tr(" · ").join(filter(None, (title, text))) for text in found)
    return placed if found[-1] == "" else (*placed, found[-1])


def _head_texts(state: State, target: Target) -> tuple[str, ...]:
    gloss = stage_gloss(target.stage)
    if not is_headwise(target.stage):
        return (gloss, "")
    heads_here = state.document.scope(target.stage).heads
    index = min(target.cell.head, len(heads_here) - 1)
    head = heads_here[index]
    if len(heads_here) == 1 and head.enabled:
        return (gloss, "")
    heads = [head_name(index, head.name), head_name(index, "")]
    if not head.enabled:
        heads = [tr("{head} · off", head=text) for text in heads]
    if not gloss:
        return tuple(heads)
    label = head_label(index, head.name)
    full = label if head.enabled else tr("{head} · off", head=label)
    return (*(f"{gloss} · {text}" for text in (full, *heads)), heads[0])


def with_note(header: Header, note: str) -> Header:
    """Add a note after the subtitle, where it fits."""
    noted = (
        tr(" · ").join(part for part in (subtitle, note) if part) for subtitle in header.subtitles
    )
    return replace(header, subtitles=(*noted, *header.subtitles[-1:]))


def paint_header(painter: QPainter, header: Header, theme: Colours) -> None:
    """Paint title, subtitle, sentence and formula."""
    x, baseline = header.rect.x(), header.rect.y() + TITLE + 1
    painter.setPen(QColor(theme.text))
    title, size = _fitted_title(header)
    end = paint_line(painter, x, baseline, title, size, theme, bold=True)
    _paint_subtitle(painter, header, theme, end + 12, baseline)
    paragraph = Paragraph(header.sentence, font(BODY), header.sentence_rect.width())
    paragraph.paint(
        painter, header.sentence_rect.topLeft(), theme.warning if header.warning else theme.muted
    )
    if header.latex:
        formulas.paint_formula(painter, header.formula_rect, header.latex, theme.text, FORMULA)


def _fitted_title(header: Header) -> tuple[Line, int]:
    """Return the title in the largest letters that fit; its part before the dash if none do."""
    title = typeset(header.title)
    for size in range(TITLE, CAPTION - 1, -1):
        if line_width(title, size, bold=True) <= header.title_width:
            return title, size
    return typeset(header.title.partition("—")[0].strip()), TITLE


def _paint_subtitle(
    painter: QPainter, header: Header, theme: Colours, x: float, baseline: float
) -> None:
    """Paint the longest subtitle that fits; the shortest is cut if necessary."""
    width, face = header.rect.x() + header.title_width - x, font(CAPTION)
    text = next(
        (text for text in header.subtitles if width_of(text, face) <= width), header.subtitles[-1]
    )
    if text and width > 40:
        painter.setPen(QColor(theme.accent))
        draw_line_at(painter, x, baseline, elide(text, face, width), face)
