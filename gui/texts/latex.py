"""Texts and worked sums as LaTeX. Free of Qt."""

from __future__ import annotations

import re

from core.exchange.tex import escaped
from gui.texts.rich_text import SMALL_LOWERED, SMALL_RAISED, Line, Span, script_pieces

# In addition to those of core.exchange.tex.
_TEXT_SIGNS = {
    "␣": r"\textvisiblespace{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "≈": r"$\approx$",
}

# Signs that are commands in mathematics.
_MATH_SIGNS = {
    "×": r"\times ",
    "÷": r"\div ",
    "·": r"\cdot ",
    "≈": r"\approx ",
    "∞": r"\infty ",
    "θ": r"\theta ",
    "√": r"\surd ",
    "−": "-",
    "…": r"\dots ",
    "′": "'",
    "→": r"\to ",
    "∈": r"\in ",
    "↓": r"\downarrow ",
}
_RAISED, _LOWERED = {**SMALL_RAISED, "⁻": "-"}, SMALL_LOWERED
_FUNCTIONS = {"sin", "cos", "max", "exp"}

_SMALL = f"{''.join(_RAISED)}{''.join(_LOWERED)}"

_PIECES = re.compile(
    rf"(?P<root>√(?:\d+|dₖ))|(?P<raised>[{''.join(_RAISED)}]+)|(?P<lowered>[{''.join(_LOWERED)}]+)"
    rf"|(?P<sign>[{''.join(_MATH_SIGNS)}])|(?P<plain>[0-9.,;:=+\-()/|! ]+)"
    rf"|(?P<word>(?:(?![{_SMALL}])[^\W\d_])+)|(?P<rest>.)",
    re.DOTALL,
)


def text(words: str) -> str:
    """A label or running text; mathematical signs become mathematics."""
    before, root, after = words.partition("√dₖ")
    written = "".join(_in_text(sign) for sign in before)
    return f"{written}$\\sqrt{{d_k}}${text(after)}" if root else written


def prose(words: str) -> str:
    """A sentence with lowered indices of names and raised powers."""
    return "".join(
        f"$_{{\\mathrm{{{piece}}}}}$"
        if level < 0
        else f"$^{{{maths(piece)}}}$"
        if level
        else text(piece)
        for piece, level in script_pieces(words)
    )


def _in_text(sign: str) -> str:
    if sign in _RAISED:
        return f"$^{{{_RAISED[sign]}}}$"
    if sign in _LOWERED:
        return f"$_{{{_LOWERED[sign]}}}$"
    return " " if sign.isspace() else _TEXT_SIGNS.get(sign) or escaped(sign)


def maths(words: str, *, upright: bool = False) -> str:
    """A mathematical expression; words (with `upright` also single letters) become text."""
    return "".join(_in_maths(match, upright) for match in _PIECES.finditer(words))


def _in_maths(match: re.Match[str], upright: bool) -> str:
    kind, found = match.lastgroup, match[0]
    if kind == "root":
        return rf"\sqrt{{{maths(found[1:])}}}"
    if kind == "raised":
        return "^{" + "".join(_RAISED[sign] for sign in found) + "}"
    if kind == "lowered":
        return "_{" + "".join(_LOWERED[sign] for sign in found) + "}"
    if kind == "sign":
        return _MATH_SIGNS[found]
    if kind == "plain":
        return found
    if kind == "word" and found in _FUNCTIONS:
        return rf"\{found}"
    if kind == "word" and (len(found) == 1 or found == "QK") and found.isascii() and not upright:
        return found
    return rf"\text{{{text(found)}}}"


def name(symbol: str) -> str:
    """The name of a matrix, such as W_Q, with a lowered index."""
    letter, _, index = symbol.partition("_")
    return f"${maths(letter)}_{{{maths(index)}}}$" if index else f"${maths(letter)}$"


def line(spans: Line) -> str:
    """A worked sum in one formula; the result in a box."""
    return "$" + "".join(_span(span) for span in spans) + "$"


def _span(span: Span) -> str:
    if span.role in ("muted", "pinned"):
        return rf"\text{{ {text(span.text)} }}"
    if span.level < 0:
        return f"_{{{maths(span.text, upright=True)}}}"
    if span.level > 0:
        return f"^{{{maths(span.text)}}}"
    inside = maths(span.text)
    return rf"\boxed{{{inside}}}" if span.role == "result" else inside
