"""The window's diagram and stage view as a picture, with no screen: PNG, SVG or PDF by the file's ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QImageWriter, QPainter, QPen
from PySide6.QtSvg import QSvgGenerator

from core.base.errors import UserError
from core.base.files import write_bytes
from core.compute.trace import run
from core.document.document import Document
from core.explain.timeline import at_stage, start
from gui.export.pdf import closed, need_application, open_buffer, pdf
from gui.painting.theme import BODY, TITLE, colours, font
from gui.session.state import Preferences, State, cursor_cell
from gui.texts.glyphs import drawn
from gui.texts.names import sentences
from gui.texts.translation import spoken, tr, tr_marked
from gui.views.diagram.picture import paint_diagram
from gui.views.stage.picture import paint_stage

MARGIN, HEADLINE = 16.0, 44.0
PARTS = ("diagram", "stage")
DIAGRAM_PART = 0.42  # of the height below the headline
LEAST = (1280.0, 720.0)  # of what is laid out; a smaller picture shows the same, smaller
INSET = 10.0  # between a card's edge and what it holds

Paint = Callable[[QPainter], None]
PaintPart = Callable[[QPainter, QRectF, State], None]

# Qt's SVG writer outlines what Qt's SVG reader fills (the typeset formulas) in black, a colour no theme of ours has.
_OUTLINE = b'stroke="#000000" stroke-opacity="1"'


def render_picture(
    document: Document,
    stage_id: str,
    out_path: Path,
    size: tuple[int, int] = (1600, 900),
    language: str = "en",
    theme: str = "light",
    *,
    columns: bool = False,
    labels: str = "one",
) -> None:
    """Draw the title, the diagram and one whole stage into a file; `size` is width and height in pixels.

    `columns`: tokens as columns. `labels`: in "one" language or in "both".

    The same document gives the same bytes on the same machine; text stays text in SVG and PDF.
    Raises UserError "output.ending" (path, known), "stage.absent" (stage, known), "file.unwritable" (path, reason).
    """
    out_path = Path(out_path)
    draw = WRITERS.get(out_path.suffix.lower())
    if draw is None:
        raise UserError("output.ending", path=str(out_path), known=tuple(WRITERS))
    state = picture_state(
        document, stage_id, language, theme, Preferences(columns=columns, labels=labels)
    )
    need_application()
    with spoken(language, labels):
        data = draw(
            lambda painter: paint_picture(painter, QRectF(0, 0, *size), state), size, document.title
        )
    write_bytes(out_path, data)


def picture_state(
    document: Document,
    stage_id: str,
    language: str,
    shade: str,
    preferences: Preferences | None = None,
) -> State:
    """The state of a window that stands at a whole stage. Raises UserError "stage.absent"."""
    trace = run(document)
    if stage_id not in trace:
        raise UserError("stage.absent", stage=stage_id, known=trace.plan.ids)
    cursor = at_stage(trace, start(trace, document), stage_id)
    return State(
        document,
        trace,
        cursor,
        cursor_cell(cursor),
        preferences or Preferences(),
        language=language,
        shade=shade,
    )


PAINTERS: Mapping[str, PaintPart] = {"diagram": paint_diagram, "stage": paint_stage}


def paint_picture(
    painter: QPainter,
    area: QRectF,
    state: State,
    parts: tuple[str, ...] = PARTS,
    painters: Mapping[str, PaintPart] = PAINTERS,
) -> None:
    """The whole picture on any painter; `parts` are the cards below the headline, "diagram" and "stage".

    In less room than labels and digits need, it is laid out in as much as they do and drawn smaller.
    """
    larger = max(1.0, LEAST[0] / area.width(), LEAST[1] / area.height())
    painter.save()
    painter.translate(area.topLeft())
    painter.scale(1 / larger, 1 / larger)
    _paint(
        painter, QRectF(0, 0, area.width() * larger, area.height() * larger), state, parts, painters
    )
    painter.restore()


def _paint(
    painter: QPainter,
    area: QRectF,
    state: State,
    parts: tuple[str, ...],
    painters: Mapping[str, PaintPart],
) -> None:
    theme = colours(state.shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(area, QColor(theme.window))
    inner = area.adjusted(MARGIN, 0, -MARGIN, -MARGIN)
    _paint_headline(painter, QRectF(inner.x(), inner.y(), inner.width(), HEADLINE), state)
    below = inner.adjusted(0, HEADLINE, 0, 0)
    for card, part in _cards(below, parts):
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(card, 10, 10)
        painters[part](painter, card.adjusted(INSET, INSET, -INSET, -INSET), state)


def _cards(below: QRectF, parts: tuple[str, ...]) -> list[tuple[QRectF, str]]:
    """Where each part stands: alone in all the room there is, or the diagram above the stage."""
    if len(parts) == 1:
        return [(below, parts[0])]
    upper = QRectF(below.x(), below.y(), below.width(), (below.height() - MARGIN) * DIAGRAM_PART)
    lower = below.adjusted(0, upper.height() + MARGIN, 0, 0)
    return [(upper, "diagram"), (lower, "stage")]


def _paint_headline(painter: QPainter, rect: QRectF, state: State) -> None:
    """The title, and the tokens beside it."""
    theme, document = colours(state.shade), state.document
    title_font = font(TITLE, bold=True)
    title = drawn(tr_marked(document.title)) if document.title else tr("Untitled")
    title = QFontMetricsF(title_font).elidedText(
        title, Qt.TextElideMode.ElideRight, rect.width() * 0.6
    )
    middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.setFont(title_font)
    painter.setPen(QColor(theme.text))
    painter.drawText(rect, middle, title)
    rest = rect.adjusted(QFontMetricsF(title_font).horizontalAdvance(title) + 14, 1, 0, 0)
    tokens = sentences(document, 200, "  ")
    painter.setFont(font(BODY))
    painter.setPen(QColor(theme.muted))
    painter.drawText(
        rest,
        middle,
        QFontMetricsF(font(BODY)).elidedText(tokens, Qt.TextElideMode.ElideRight, rest.width()),
    )


def _png(paint: Paint, size: tuple[int, int], title: str) -> bytes:
    image = QImage(*size, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        paint(painter)
    buffer = open_buffer()
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return closed(buffer)


def _svg(paint: Paint, size: tuple[int, int], title: str) -> bytes:
    buffer = open_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(*size))
    generator.setViewBox(QRectF(0, 0, *size))
    generator.setTitle(title)
    with QPainter(generator) as painter:
        paint(painter)
    return closed(buffer).replace(_OUTLINE, b'stroke="none"')


def _pdf(paint: Paint, size: tuple[int, int], title: str) -> bytes:
    return pdf(title, size, lambda painter, _new_page: paint(painter))


WRITERS: dict[str, Callable[[Paint, tuple[int, int], str], bytes]] = {
    ".png": _png,
    ".svg": _svg,
    ".pdf": _pdf,
}
