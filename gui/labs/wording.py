"""Texts that several labs share: lists, numbers, memory, ties, heads that are off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.number_format import HUGE, NOISE, show, show_significant
from core.document.document import Document
from gui.labs.charts import write
from gui.labs.charts.axis import grouped, power
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.names import head_name, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of


def measured(value: float, decimals: int) -> str:
    """Format the difference of two numbers that should agree: 0 only if exact, else 4.4×10⁻¹⁶."""
    if value == 0.0:
        return "0"
    if abs(value) >= NOISE:
        return show_significant(value, decimals)
    mantissa, exponent = f"{value:.1e}".split("e")
    return power(float(mantissa), int(exponent))


def counted(count: int) -> str:
    """Format a count in full, or as 4.40×10¹² if too long."""
    return grouped(count, 2 if count >= HUGE else 0)


_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def seconds_text(seconds: float) -> str:
    """Format a time with three digits in a suitable unit: 12.3 µs."""
    factor, unit = next(
        ((factor, unit) for factor, unit in _UNITS if seconds >= factor), _UNITS[-1]
    )
    value = seconds / factor
    return f"{show(value, 0 if value >= 100 else 1)} {unit}"


def bytes_text(size: int) -> str:
    """Format memory: 512 B, 8.0 KiB."""
    factor, unit = next(((factor, unit) for factor, unit in _BYTES if size >= factor), (1, "B"))
    return f"{show(size / factor, 1 if factor > 1 else 0)} {unit}"


HEIGHT = 44.0
_SIZES = (
    (28.0, TITLE),
    (18.0, TITLE),
    (16.0, BODY + 1),
    (14.0, BODY),
)  # gaps between facts, and font sizes of their numbers


@dataclass(frozen=True, slots=True)
class Fact:
    """A name with a number as text and, after an arrow, an optional second one.

    "" is the text colour.
    """

    name: str
    number: str
    colour: str = ""
    then: str = ""
    then_colour: str = ""

    def pieces(self, theme: Colours) -> list[tuple[str, str]]:
        """Return the texts of the number with their colours."""
        first = [(self.number, self.colour or theme.text)]
        return (
            [*first, (" → ", theme.muted), (self.then, self.then_colour or theme.text)]
            if self.then
            else first
        )


def paint_facts(painter: QPainter, area: QRectF, theme: Colours, facts: Sequence[Fact]) -> None:
    """Paint facts side by side with separators, closer and smaller if space is short.

    The last ones are omitted if that does not suffice.
    """
    between, size, widths = _fitting(area.width(), theme, facts)
    x = area.left()
    for index, (fact, width) in enumerate(zip(facts, widths, strict=False)):
        if index:
            painter.setPen(QPen(QColor(theme.line), 1.0))
            painter.drawLine(
                QLineF(
                    x - between / 2, area.top() + 3.0, x - between / 2, area.top() + HEIGHT - 3.0
                )
            )
        write(painter, QRectF(x, area.top(), width, 18.0), fact.name, theme.muted, font(CAPTION))
        _paint_number(painter, QRectF(x, area.top() + 19.0, width, 24.0), fact.pieces(theme), size)
        x += width + between


def _fitting(area: float, theme: Colours, facts: Sequence[Fact]) -> tuple[float, int, list[float]]:
    """Return the gap, font size and widths: first as many facts, then as large as fit."""
    tries = (
        (count, between, size) for count in range(len(facts), 0, -1) for between, size in _SIZES
    )
    for count, between, size in tries:
        widths = [_width(fact, size, theme) for fact in facts[:count]]
        if sum(widths) + between * (count - 1) <= area:
            break
    return between, size, widths


def _width(fact: Fact, size: int, theme: Colours) -> float:
    number = sum(width_of(text, font(size, bold=True)) for text, _ in fact.pieces(theme))
    return max(width_of(fact.name, font(CAPTION)), number) + 2.0


def _paint_number(
    painter: QPainter, area: QRectF, pieces: Sequence[tuple[str, str]], size: int
) -> None:
    x, face = area.left(), font(size, bold=True)
    for text, colour in pieces:
        width = width_of(text, face)
        write(painter, QRectF(x, area.top(), width, area.height()), text, colour, face)
        x += width


MOST_NAMED = 4  # most names in one sentence; more are counted


def listed(names: Sequence[str]) -> str:
    """Join names: A; A and B; A, B and C; A, B, C and 4 more."""
    if len(names) > MOST_NAMED:
        first = tr(", ").join(names[: MOST_NAMED - 1])
        return tr("{names} and {count} more", names=first, count=len(names) - MOST_NAMED + 1)
    if len(names) < 2:
        return "".join(names)
    return tr("{names} and {last}", names=tr(", ").join(names[:-1]), last=names[-1])


def quoted(token: str) -> str:
    """Quote a token in a sentence if the language's script is that of most tokens."""
    return tr("{token}", token=visible_token(token))


def leaders(values: Iterable[float], decimals: int) -> list[int]:
    """Return the index of the largest value and of all equal to it at these decimals."""
    numbers = [float(value) for value in values]
    most = show(max(numbers), decimals)
    return [place for place, number in enumerate(numbers) if show(number, decimals) == most]


def head_option(document: Document, head: int) -> str:
    """Name a head, and whether it is off."""
    name = head_name(head, document.heads[head].name)
    return name if document.heads[head].enabled else tr("{head} · off", head=name)


def with_off(notice: str, document: Document, head: int) -> str:
    """Append to a notice that its head is off, if so."""
    if document.heads[head].enabled:
        return notice
    name = head_name(head, document.heads[head].name)
    off = tr("{head} is off: where the heads are joined, it counts as 0.", head=name)
    return tr("{said} {more}", said=notice, more=off)
