"""What may stand in a cell: a number, or an expression such as 1/3, √3, sqrt(2)/2, 2^-1, 2π, 50 %.

The text is cut into known tokens first; only digits, operators, parentheses and the names below pass. What is left
is worked out by simpleeval, which walks a syntax tree and evaluates nothing else. Every step is one of doubles, so
that 9^9^9 is an overflow, not a computation without end.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from functools import lru_cache

from core.base.errors import UserError
from core.base.number_format import read
from core.exchange.clean import plain
from core.exchange.latex import without_commands

LONGEST = (
    400  # characters of one expression; the longest fraction of two exact doubles has about 50
)
SHOWN = 40  # characters of what a problem quotes

NAMES = {"pi": math.pi, "e": math.e}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "abs": abs,
}
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIGNS = str.maketrans({**dict.fromkeys("×·⋅∙∗", "*"), **dict.fromkeys("÷∕⁄", "/"), "π": "pi"})
_FRACTIONS = {
    "½": "(1/2)",
    "⅓": "(1/3)",
    "⅔": "(2/3)",
    "¼": "(1/4)",
    "¾": "(3/4)",
    "⅕": "(1/5)",
    "⅛": "(1/8)",
}
# What stands in place of a number that could not be worked out; the other is what spreadsheets write.
FAILED = re.compile(r"#(?:N/A|NULL|DIV/0|VALUE|REF|NAME|NUM)[!?]?")
NOT_A_NUMBER = re.compile(r"[-+]?\s*(?:np\.|torch\.)?(?:nan|inf(?:inity)?|∞)", re.IGNORECASE)
_WOLFRAM = re.compile(
    r"(?<=[\d.])`(?:\d+\.?\d*)?"
)  # the precision that Wolfram writes behind a number
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?P<percent>\s*%)?"
    r"|(?P<name>[a-z][a-z0-9]*)|(?P<root>√)|(?P<sign>\*\*|[-+*/^()\[\]]))",
    re.IGNORECASE | re.ASCII,
)


def parse_number(text: str) -> float:
    """The number that one cell means: what core.base.number_format.read knows, or an expression.

    + − * / ^, parentheses, √, %, pi, e and the functions sqrt exp ln log log2 log10 sin cos tan tanh abs; superscripts,
    LaTeX's \\frac, \\sqrt, \\cdot and Wolfram's Sqrt[2], 1.5*^3 as well. −2^2 is −4, as in mathematics.
    Raises UserError with the text: "number.empty", "number.unreadable", "number.infinite", "number.too_large",
    "number.undefined" (such as 1/0).
    """
    if len(text) > 4 * LONGEST:
        raise UserError("number.unreadable", text=quoted(text))
    try:
        return _value(plain(text).strip())
    except UserError as problem:
        raise UserError(problem.code, text=quoted(text)) from problem


def _value(cell: str) -> float:
    if "\\" in cell or "{" in cell:
        cell = without_commands(cell)
    if NOT_A_NUMBER.fullmatch(cell):
        raise UserError("number.infinite", text=cell)
    try:
        return read(cell)
    except UserError as problem:
        if problem.code != "number.unreadable" or len(cell) > LONGEST:
            raise
    return _worked_out(cell)


def quoted(text: str) -> str:
    """What a problem shows of a text: its beginning, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


@lru_cache(maxsize=4096)
def _worked_out(cell: str) -> float:
    """A plain expression's value."""
    import simpleeval  # most texts need none

    try:
        python = _as_python(_unified(cell))
        ast.parse(
            python.strip(), mode="eval"
        )  # a mistake among statements would make Python look for a file with it
        value = float(
            simpleeval.simple_eval(python, operators=_OPERATORS, functions=FUNCTIONS, names=NAMES)
        )
    except OverflowError as error:
        raise UserError("number.too_large", text=cell) from error
    except (ZeroDivisionError, ValueError) as error:  # 1/0, sqrt(−1), ln 0
        if isinstance(error, UserError):
            raise
        raise UserError("number.undefined", text=cell) from error
    except (
        SyntaxError,
        TypeError,
        RecursionError,
        MemoryError,
        simpleeval.InvalidExpression,
    ) as error:
        raise UserError("number.unreadable", text=cell) from error
    if not math.isfinite(value):
        raise UserError("number.too_large", text=cell)
    return value


def _unified(cell: str) -> str:
    """Other notations as the one that the tokens know."""
    cell = _WOLFRAM.sub("", cell).replace("*^", "e")
    cell = re.sub("(?<![\\d.])[½⅓⅔¼¾⅕⅛]", lambda found: _FRACTIONS[found[0]], cell)
    cell = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda power: f"^({power[0].translate(_SUPERSCRIPTS)})", cell)
    return cell.translate(_SIGNS).replace("//", "/")


def _as_python(cell: str) -> str:
    """The expression in Python's notation, made of known tokens alone. Raises UserError "number.unreadable"."""
    parts: list[str] = []
    open_root, position, last = False, 0, ""
    while position < len(cell.rstrip()):
        token = _TOKEN.match(cell, position)
        if token is None:
            raise UserError("number.unreadable", text=cell)
        kind, part = _part(token)
        if token["sign"] == "[" and last != "function":
            raise UserError("number.unreadable", text=cell)
        if last == "number" and kind in ("root", "constant", "function") and part != "e":
            parts.append("*")  # 2π, 3√2; not 1e, which lacks its exponent
        if open_root and part != "(":
            if kind not in ("number", "constant"):
                raise UserError("number.unreadable", text=cell)
            part = f"({part})"
        parts.append(part)
        open_root, last, position = kind == "root", kind, token.end()
    return " ".join(parts)


def _part(token: re.Match[str]) -> tuple[str, str]:
    """The kind of a token, and how Python writes it."""
    if token["number"] is not None:
        mantissa, _, exponent = token["number"].lower().partition("e")
        power = int(exponent or 0) - (2 if token["percent"] else 0)
        value = float(f"{mantissa}e{power}")
        if math.isinf(value):
            raise UserError("number.too_large", text=token[0])
        return "number", repr(value)
    if token["name"] is not None:
        name = token["name"].lower()
        if name in NAMES:
            return "constant", name
        if name in FUNCTIONS:
            return "function", name
        raise UserError("number.unreadable", text=token[0])
    if token["root"] is not None:
        return "root", "sqrt"
    return "sign", {"^": "**", "[": "(", "]": ")"}.get(token["sign"], token["sign"])
