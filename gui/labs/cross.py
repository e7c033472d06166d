"""Exhibit of the lab `cross`: texts and the picture of two sentences with their alignment."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from core.labs.cross import CrossResult, pair
from core.labs.lab import Setting
from gui.labs.charts import CENTRED, Names, grid_rect, paint_grid, write
from gui.labs.exhibit import BY_HAND, Exhibit, LabView, Spot, split
from gui.labs.wording import leaders, named, with_off
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame
from gui.painting.shapes import faded, paint_shape
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr
from gui.widgets.subscripts import width_of

CHIP = 36.0
THICKEST = 13.0
FAINTEST = 0.02  # least weight of a painted line
WIDE = 1.25
LABEL = 20.0


def areas(area: QRectF) -> tuple[QRectF, QRectF]:
    """Return the rectangles of the sentences and of the alignment."""
    inner = area.adjusted(14, 8, -14, -8)
    wide = area.width() >= WIDE * area.height()
    return split(inner, 0.52 if wide else 0.45, 30 if wide else 14, across=wide)


def chips(area: QRectF, result: CrossResult) -> tuple[list[QRectF], list[QRectF]]:
    """Return the chips of the target words (above) and the source words (below)."""
    high = min(area.height(), 420.0)
    top = area.top() + (area.height() - high) / 2 + LABEL + 4
    bottom = area.top() + (area.height() + high) / 2 - CHIP - LABEL - 4
    return _row(area, top, result.document.tokens), _row(area, bottom, result.document.key_tokens)


def _row(area: QRectF, top: float, tokens: tuple[str, ...]) -> list[QRectF]:
    step = area.width() / len(tokens)
    rects = []
    for index, token in enumerate(tokens):
        wanted = max(
            CHIP * 1.4, QFontMetricsF(font(TITLE)).horizontalAdvance(visible_token(token)) + 20
        )
        width = min(wanted, step - 4)
        rects.append(QRectF(area.left() + (index + 0.5) * step - width / 2, top, width, CHIP))
    return rects


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    words, alignment = areas(area)
    _paint_words(painter, words, view.result, view)
    _paint_alignment(painter, alignment, view.result, view)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the target words as spots that set the current word."""
    above, _ = chips(areas(area)[0], view.result)
    return tuple(
        Spot(f"word {index}", rect, spoken_word(view, index), "written", index + 1)
        for index, rect in enumerate(above)
    )


def spoken_word(view: LabView, index: int) -> str:
    """Describe a word and its alignment."""
    result: CrossResult = view.result
    place = result.best[index]
    return tr(
        "“{word}” looks at “{other}”, {weight}",
        word=visible_token(result.document.tokens[index]),
        other=visible_token(result.document.key_tokens[place]),
        weight=view.show(result.weights[index, place]),
    )


# The sentences


def _paint_words(painter: QPainter, area: QRectF, result: CrossResult, view: LabView) -> None:
    above, below = chips(area, result)
    for index in range(result.word):
        for key in range(len(below)):
            _paint_line(
                painter,
                above[index],
                below[key],
                float(result.weights[index, key]),
                index == result.word - 1,
                view.theme,
            )
    label = QRectF(area.left(), above[0].top() - LABEL - 4, area.width(), LABEL)
    write(painter, label, tr("written: queries"), view.theme.query, font(BODY, bold=True))
    label.moveTop(below[0].bottom() + 4)
    write(painter, label, tr("read: keys and values"), view.theme.key, font(BODY, bold=True))
    for index, (rect, token) in enumerate(zip(above, result.document.tokens, strict=True)):
        state = 2 if index == result.word - 1 else 1 if index < result.word else 0
        _paint_chip(painter, rect, token, view.theme.query, state, view.theme)
    for rect, token in zip(below, result.document.key_tokens, strict=True):
        _paint_chip(painter, rect, token, view.theme.key, 1, view.theme)


def _paint_line(
    painter: QPainter, start: QRectF, end: QRectF, weight: float, now: bool, theme: Colours
) -> None:
    """Paint a line, in full colour for the current word, faded for earlier ones."""
    if weight < FAINTEST:
        return
    colour, width = faded(theme.weights, 1.0 if now else 0.35), 1.0 + (THICKEST - 1.0) * weight
    a, b = QPointF(start.center().x(), start.bottom()), QPointF(end.center().x(), end.top())
    path = QPainterPath(a)
    half = QPointF(0, (b - a).y() / 2)
    path.cubicTo(a + half, b - half, b)
    pen = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    paint_shape(painter, path, line=pen)


def _paint_chip(
    painter: QPainter, rect: QRectF, token: str, colour: str, state: int, theme: Colours
) -> None:
    """Paint a chip; `state` 0: not yet written, 1: written, 2: current."""
    paint_shape(
        painter,
        rect,
        line=QPen(
            QColor(colour if state else theme.ghost),
            2.6 if state == 2 else 1.3,
            Qt.PenStyle.SolidLine if state else Qt.PenStyle.DotLine,
        ),
        fill=theme.surface,
        radius=8,
    )
    inner, text = rect.adjusted(3, 0, -3, 0), visible_token(token)
    faces = (font(size, bold=state == 2) for size in range(TITLE, CAPTION - 1, -1))
    face = next((face for face in faces if width_of(text, face) <= inner.width()), font(CAPTION))
    write(painter, inner, text, theme.text if state else theme.muted, face, CENTRED)


# The alignment


def _paint_alignment(painter: QPainter, area: QRectF, result: CrossResult, view: LabView) -> None:
    n, m = result.weights.shape
    title = tr("Attention weights, {n} × {m}", n=n, m=m)
    rows, columns = (
        tuple(map(visible_token, tokens))
        for tokens in (result.document.tokens, result.document.key_tokens)
    )
    names = Names(title, rows, columns, colour=view.theme.weights)
    rect = grid_rect(area, n, m, names, widest=96, tallest=72)
    rect.translate(0, max(0.0, (area.bottom() - rect.bottom()) / 2))
    frames: tuple[Frame, ...] = ()
    if result.word:
        frames = (Frame((result.word - 1, result.word), (0, m), view.theme.query),)
    paint_grid(
        painter,
        rect,
        view,
        result.weights,
        Levels(0.0, 1.0),
        names,
        shown=(result.word, 0),
        frames=frames,
    )


class CrossExhibit(Exhibit):
    """Lines between two sentences, and the alignment."""

    made = BY_HAND

    labels = {
        "pair": mark("Sentence being read"),
        "written": mark("Words written"),
        "head": mark("Head"),
        "sharpness": mark("How sharply it looks (W_Q times)"),
        "order": mark("Order of the sentence being read"),
        "reverse": mark("Read it backwards"),
    }
    helps = {"order": mark("Click two words to swap them, and their columns with them.")}

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name pairs of sentences and heads."""
        if control_id == "pair":
            return " ".join(pair(option).key_tokens)
        return super().option(control_id, option, setting)

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name the source words."""
        chosen = setting.values.get("pair", "example")
        document = setting.document if chosen == "example" else pair(str(chosen))
        assert document is not None
        return visible_token(document.key_tokens[index])

    def notice(self, view: LabView) -> str:
        """Describe the alignment of the current word; at the end compare both word orders."""
        result: CrossResult = view.result
        n, m = result.weights.shape
        if result.word == 0:
            text = tr("Nothing is written yet. {m} keys and values wait for {n} queries.", n=n, m=m)
        elif result.word == n and result.crossings:
            text = tr(
                "{n} queries, {m} keys: weights of {n} × {m}. The strongest lines cross where "
                "the word order differs; crossings: {count}.",
                n=n,
                m=m,
                count=result.crossings,
            )
        else:
            text = _looks(view, result, result.word - 1)
        return with_off(text, result.document, result.head)

    def attempt(self, view: LabView) -> str:
        """Suggest order, then sharpness."""
        if view.setting["sharpness"] < 0.5:
            return tr("Raise the sharpness again: which words find their partner first?")
        if view.result.word < view.result.document.n:
            return tr("Keep writing, word by word: each word adds a row to the table.")
        return tr(
            "Swap two words of the sentence being read: what happens to the columns, and what "
            "to the output?"
        )

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe every word with its alignment."""
        words = tr("; ").join(spoken_word(view, index) for index in range(view.result.word))
        return tr("{words}. {notice}", words=words, notice=self.notice(view))


def _looks(view: LabView, result: CrossResult, index: int) -> str:
    """Name the words with the largest weight: one, several or all."""
    word = visible_token(result.document.tokens[index])
    most = leaders(result.weights[index], view.decimals)
    weight = view.show(result.weights[index, most[0]])
    if len(most) == 1:
        return tr(
            "“{word}” looks most at “{other}”, {weight}: word {number} here, word {place} there.",
            word=word,
            other=visible_token(result.document.key_tokens[most[0]]),
            weight=weight,
            number=index + 1,
            place=most[0] + 1,
        )
    if len(most) == result.weights.shape[1]:
        return tr(
            "“{word}” looks at all {m} words equally, {weight} each.",
            word=word,
            m=len(most),
            weight=weight,
        )
    names = named(result.document.key_tokens, most)
    return tr(
        "“{word}” looks most at {names}, {weight} each.", word=word, names=names, weight=weight
    )


EXHIBIT = CrossExhibit()
