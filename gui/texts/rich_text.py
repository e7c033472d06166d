"""A line of mathematics as spans with a role and a level, and its conversion to plain text and
HTML.
"""

from __future__ import annotations

import html
import re
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from msgspec import Struct

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.number_format import HUGE, MINUS, NOISE, rounds_to_zero, show_significant
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import is_stage, stage_axes
from core.stages import spec_of
from gui.texts.names import role_of, visible_token, visible_tokens

# Never raises: an overflow compares as unequal.
_CONTEXT = Context(prec=40, traps=[])


class Span(Struct, frozen=True):
    """A piece of text. `role`: query, key, value, weights, plain, result, muted or operator;
    `level`: −1, 0 or 1.
    """

    text: str
    role: str = "plain"
    level: int = 0


Line = tuple[Span, ...]


def letter_of(name: str) -> str:
    """The letter of one number of a stage; "" for what is no stage."""
    return spec_of(name).letter if is_stage(name) else ""


def operator(text: str) -> Span:
    """A sign with spaces around it; a line may break before it."""
    return Span(f" {text} ", "operator")


def cell_role(cell: Cell | None) -> str:
    """The role of a cell; constants are plain."""
    return role_of(cell.tensor) if cell else "plain"


def number(value: float, decimals: int, role: str = "plain", noise: float = NOISE) -> Span:
    """A number in a sum; one that would print as zero has its first digits."""
    return Span(show_significant(value, decimals, noise), role)


def factor(value: float, decimals: int, role: str = "plain", noise: float = NOISE) -> Span:
    """A number in a product or after a sign, in brackets where it needs them."""
    text = show_significant(value, decimals, noise)
    return Span(f"({text})" if text.startswith(MINUS) or "×" in text else text, role)


def symbol(document: Document, cell: Cell, orientation: Orientation = ROWS) -> Line:
    """The letter of a cell with lowered row and column as displayed: q with 吃,1 or 1,吃."""
    role = role_of(cell.tensor)
    keys = document.labels(stage_axes(cell.tensor)[-1])
    column = str(cell.column + 1) if keys is None else short_token(keys, cell.column)
    index = orientation.pair(short_token(document.row_tokens(cell.tensor), cell.row), column)
    return (*_letter(cell.tensor, role), Span(",".join(index), role, -1))


def row_symbol(document: Document, tensor: str, row: int) -> Line:
    """The letter of a token's row: q with lowered 吃."""
    role = role_of(tensor)
    return (*_letter(tensor, role), Span(short_token(document.row_tokens(tensor), row), role, -1))


def _letter(tensor: str, role: str) -> Line:
    """The letter of a tensor, with a raised C for the context."""
    spec = spec_of(tensor)
    letter = Span(spec.letter, role)
    return (letter, Span("C", role, 1)) if spec.of_context else (letter,)


def short(token: str, most: int = 12) -> str:
    """A token cut to a length."""
    token = visible_token(token)
    return token if len(token) <= most else token[: most - 1] + "…"


def short_token(tokens: tuple[str, ...], index: int) -> str:
    """A token cut to a length, with its position if it occurs twice."""
    shown = visible_tokens(tokens)
    twice = shown.count(shown[index]) > 1
    return f"{short(tokens[index])} ({index + 1})" if twice else short(tokens[index])


@lru_cache(maxsize=16384)
def rounded(value: float, decimals: int, noise: float = NOISE) -> Decimal:
    """The value of a number as `number` prints it."""
    if rounds_to_zero(value, decimals, noise):
        return Decimal(f"{value:.1e}")
    return Decimal(f"{value:.{decimals}{'e' if abs(value) >= HUGE else 'f'}}")


def rounded_all(values: Array, decimals: int) -> Array:
    """`rounded` of each number, as doubles.  # (terms,) -> (terms,)"""
    sizes, seen = np.abs(values), _written(values, f"%.{decimals}f")
    tiny, huge = (
        (sizes >= NOISE) & (sizes < 1.0) & (seen == 0.0),
        (sizes >= HUGE) & (sizes < np.inf),
    )
    for others, form in ((tiny, "%.1e"), (huge, f"%.{decimals}e")):
        if others.any():
            seen[others] = _written(values[others], form)
    return seen


def _written(values: Array, form: str) -> Array:
    """The numbers as printed in a format."""
    text = (form + " ") * len(values) % tuple(values.tolist())
    return np.array(list(map(float, text.split())))


def equals(left: Decimal | Fraction, right: Decimal | Fraction) -> Span:
    """ "=" where the printed numbers are equal, else "≈"."""
    return operator("=" if left == right else "≈")


def add(values: list[Decimal]) -> Decimal:
    """The sum of printed numbers."""
    total = Decimal(0)
    for value in values:
        total = _CONTEXT.add(total, value)
    return total


def multiply(values: list[Decimal]) -> Decimal:
    """The product of printed numbers."""
    total = Decimal(1)
    for value in values:
        total = _CONTEXT.multiply(total, value)
    return total


def divide(a: Decimal, b: Decimal) -> Decimal | Fraction:
    """The quotient of printed numbers, exact where both are finite."""
    if a.is_finite() and b.is_finite() and b:
        return Fraction(a) / Fraction(b)
    return _CONTEXT.divide(a, b)


def power(base: Decimal, exponent: Decimal) -> Decimal:
    """The power of printed numbers."""
    return _CONTEXT.power(base, exponent)


def softmax_power(base: str, exponent: Decimal) -> Decimal:
    """The value of a printed power; NaN for e, which is never exact, except for e⁰ and e to the −∞."""
    if base != "e":
        return power(Decimal(base), exponent)
    return Decimal(int(exponent == 0)) if exponent in (0, Decimal("-Infinity")) else Decimal("NaN")


_NAME = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z])_(model|perm|ff|[A-Za-z0-9])(?![A-Za-z0-9_])")


SMALL_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ᵀˢᵐᵃˣ", "0123456789−+[]Tsmax", strict=True))
SMALL_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ₖᵥ", "0123456789kv", strict=True))
_SMALL = re.compile(f"([{''.join(SMALL_RAISED)}]+)|([{''.join(SMALL_LOWERED)}]+)")


def typeset(text: str) -> Line:
    """Plain text as a line with raised and lowered spans."""
    spans: list[Span] = []
    for piece, level in script_pieces(text):
        end = 0
        for small in _SMALL.finditer("" if level else piece):
            raised = small[1] is not None
            letters = SMALL_RAISED if raised else SMALL_LOWERED
            before = piece[end : small.start()]
            spans += [Span(before)] if before else []
            spans.append(
                Span("".join(letters[sign] for sign in small[0]), level=1 if raised else -1)
            )
            end = small.end()
        spans += [Span(piece[end:], level=level)] if piece[end:] else []
    return tuple(spans)


# A power as it is typed: e^1.1, 2^(−8i/h), e^s.
_POWER = re.compile(r"(?<=[\w)])\^(?:\(([^()]+)\)|([−-]?(?:\d+(?:\.\d+)?|[A-Za-z]+)))")


def to_html(text: str) -> str:
    """Plain text as HTML with raised powers, lowered indices and line breaks."""
    raised = _POWER.sub(
        lambda power: f"<sup>{power[1] or power[2]}</sup>", html.escape(text, quote=False)
    )
    return _NAME.sub(r"\1<sub>\2</sub>", raised).replace("\n", "<br>")


def script_pieces(text: str) -> list[tuple[str, int]]:
    """The text in pieces, each with its level: 1 raised (powers), 0, −1 lowered (indices)."""
    found: list[tuple[str, int]] = []
    end = 0
    for power in _POWER.finditer(text):
        found += [(piece, -below) for piece, below in subscript_pieces(text[end : power.start()])]
        found.append((power[1] or power[2], 1))
        end = power.end()
    if text[end:] or not found:
        found += [(piece, -below) for piece, below in subscript_pieces(text[end:])]
    return found


def subscript_pieces(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is lowered."""
    found: list[tuple[str, bool]] = []
    end = 0
    for name in _NAME.finditer(text):
        found += [(text[end : name.end(1)], False), (name[2], True)]
        end = name.end()
    return [*found, (text[end:], False)] if text[end:] or not found else found


_ONE_WORD = re.compile(r"[\w.]+|[^\w\s]")


def plain_text(line: Line) -> str:
    """A line as plain text: ^ before raised and _ before lowered spans, in brackets where they need
    them.
    """
    text = "".join(map(_piece, line))
    return " ".join(text.split())


def _piece(span: Span) -> str:
    if span.level == 0:
        return span.text
    text = span.text if _ONE_WORD.fullmatch(span.text) else f"({span.text})"
    return f"{'^' if span.level > 0 else '_'}{text}"
