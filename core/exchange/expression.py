"""Read one cell: a number, or an expression such as 1/3, √3, sqrt(2)/2, 2^-1, 2π, 50 %,
\\frac{1}{2}.

The text is cut into known tokens first; only digits, operators, parentheses and the names below
pass. simpleeval evaluates the result; it walks a syntax tree and supports nothing else. Every step
is in doubles, so that 9^9^9 overflows at once.
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

LONGEST = 400  # characters of an expression; a fraction of two exact doubles has about 50
SHOWN = 40  # characters of a text in an error message

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

INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"  # left out of every text
# Typographic and full-width signs, and the plain ones that replace them, one for one.
_PLAIN_TABLE = str.maketrans(
    {
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
        **dict.fromkeys("\u2212\u2013\u2012\u2010\u2011\ufe63", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
        **dict.fromkeys(INVISIBLE, ""),
        **dict.fromkeys("\x85\u2028\u2029\v\f", "\n"),
        **dict.fromkeys("\u201c\u201d", '"'),
        "\N{IDEOGRAPHIC COMMA}": ",",
        "\N{IDEOGRAPHIC FULL STOP}": ".",
        **dict.fromkeys("│┃║┆╎¦", "|"),
        **dict.fromkeys("─━═╌", "-"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╞╡╪╭╮╯╰╤╧╟╢╫╔╗╚╝╠╣╦╩╬┏┓┗┛┡┩╇┳┻", "+"),
        **dict.fromkeys("⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠", " "),
    }
)
_LINE_END = re.compile("\r\n?")

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIGNS = str.maketrans({**dict.fromkeys("×·⋅∙∗", "*"), **dict.fromkeys("÷∕⁄", "/"), "π": "pi"})
_FRACTIONS = dict(zip("½⅓⅔¼¾⅕⅛", ("1/2", "1/3", "2/3", "1/4", "3/4", "1/5", "1/8"), strict=True))
# Written in place of a number that could not be computed: by spreadsheets, and by other programs.
FAILED = re.compile(r"#(?:N/A|NULL|DIV/0|VALUE|REF|NAME|NUM)[!?]?")
NOT_A_NUMBER = re.compile(r"[-+]?\s*(?:np\.|torch\.)?(?:nan|inf(?:inity)?|∞)", re.IGNORECASE)
# 2024-01-05 is no difference, nor is 2024-01; a time may follow, after a space or "_"
DATE = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d\d|\d{4})"
    r"|(?:19|20)\d\d-(?:0[1-9]|1[0-2])|\d{1,4} ?年.*|\d{1,2} ?月.*)(?:[ _T]\d{1,2}:.*)?",
    re.ASCII,
)
# 1_000, 0.5f, 2.5d, 1L, 0.5_f32 of Python, C, Java and Rust
CODE_NUMBER = re.compile(
    r"([-+]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+)(?:[eE][-+]?\d+)?)"
    r"(?:_?[fiu](?:8|16|32|64)|(?<=[\d.])[fFdDlL]|(?:(?<=\.\d)|(?<=\.\d\d)|(?<=\.\d{3}))[mM])?",
    re.ASCII,
)
_COMMA_PERCENT = re.compile(r"[-+]?\d+,\d+\s*%", re.ASCII)
_WOLFRAM_PRECISION = re.compile(r"(?<=[\d.])`(?:\d+\.?\d*)?")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?P<percent>\s*%)?"
    r"|(?P<name>[a-z][a-z0-9]*)|(?P<root>√)|(?P<sign>\*\*|[-+*/^()\[\]]))",
    re.IGNORECASE | re.ASCII,
)

_LATEX_DOTS = re.compile(r"\\(?:[cvdl]?dots|[di]?ddots|hdots)\b")
_LATEX_SPACES = re.compile(
    r"\\(?:[,;:! ]|quad\b|qquad\b|displaystyle\b|textstyle\b|left\b|right\b|h?phantom\{[^{}]*\})|~"
)
_LATEX_POWER = re.compile(r"\^\s*\{\s*([-+]?\d+)\s*\}")
_LATEX_FONT = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|text|textbf|operatorname|boldsymbol|num)\s*\{([^{}]*)\}"
)
_LATEX_COLOR = re.compile(
    r"\\(?:textcolor|colorbox)\s*\{[^{}]*\}(?=\s*\{)|\\color\s*\{[^{}]*\}|\\(?:boxed|underline|bm)(?=\s*\{)"
)
_LATEX_SYMBOLS = {
    r"\cdot": "*",
    r"\times": "×",
    r"\ast": "*",
    r"\div": "/",
    r"\pi": "pi",
    r"\infty": "inf",
    r"\%": "%",
    r"\&": "&",
}
_LATEX_FUNCTION = re.compile(r"\\(exp|ln|log|sin|cos|tan|tanh)\b")
_LATEX_FRACTION = re.compile(r"\\[dtc]?frac(?![a-zA-Z])")
_LATEX_ROOT = re.compile(r"\\sqrt(?![a-zA-Z])")
MOST_LATEX_COMMANDS = 40  # fractions and roots in one cell


def plain(text: str) -> str:
    """The text with plain digits, signs, spaces and line ends; tabs stay."""
    return _LINE_END.sub("\n", text.translate(_PLAIN_TABLE))


def quoted(text: str) -> str:
    """The beginning of a text on one line, for error messages."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def parse_number(text: str) -> float:
    """The number that one cell means: anything that core.base.number_format.read knows, or an
    expression.

    + − * / ^, parentheses, √, %, pi, e and the functions sqrt exp ln log log2 log10 sin cos tan
    tanh abs; superscripts, LaTeX's \\frac, \\sqrt, \\cdot and Wolfram's Sqrt[2], 1.5*^3 as well.
    −2^2 is −4, as in mathematics. Raises UserError with the text: "number.empty",
    "number.unreadable", "number.infinite", "number.too_large", "number.undefined" (such as 1/0).
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
    if DATE.fullmatch(cell):
        raise UserError("number.date", text=cell)
    if _COMMA_PERCENT.fullmatch(cell):
        cell = cell.replace(",", ".")
    if code := CODE_NUMBER.fullmatch(cell):
        cell = code[1].replace("_", "")
    try:
        return read(cell)
    except UserError as problem:
        if problem.code != "number.unreadable" or len(cell) > LONGEST:
            raise
    return _evaluate(cell)


@lru_cache(maxsize=4096)
def _evaluate(cell: str) -> float:
    import simpleeval  # most texts need none

    try:
        python = _as_python(_unified(cell))
        # A syntax error from ast names no file; simpleeval's would make Python look for one.
        ast.parse(python.strip(), mode="eval")
        value = float(
            simpleeval.simple_eval(python, operators=_OPERATORS, functions=FUNCTIONS, names=NAMES)
        )
    except UserError:
        raise
    except OverflowError as error:
        raise UserError("number.too_large", text=cell) from error
    except (ZeroDivisionError, ValueError) as error:  # 1/0, sqrt(−1), ln 0
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
    cell = _WOLFRAM_PRECISION.sub("", cell).replace("*^", "e")
    cell = re.sub("(?<![\\d.])[½⅓⅔¼¾⅕⅛]", lambda found: f"({_FRACTIONS[found[0]]})", cell)
    cell = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda power: f"^({power[0].translate(_SUPERSCRIPTS)})", cell)
    return cell.translate(_SIGNS).replace("//", "/")


def _as_python(cell: str) -> str:
    """The expression in Python's notation, made of known tokens alone. Raises UserError
    "number.unreadable".
    """
    parts: list[str] = []
    open_root, position, last = False, 0, ""
    while position < len(cell.rstrip()):
        token = _TOKEN.match(cell, position)
        if token is None or (token["sign"] == "[" and last != "function"):
            raise UserError("number.unreadable", text=cell)
        kind, part = _part(token)
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
    """The kind of a token, and its Python notation."""
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


def without_commands(cell: str) -> str:
    """A LaTeX cell in plain notation: \\frac{1}{2} is ((1)/(2)), 1.5 \\times 10^{3} is 1.5×10^3."""
    if "\\" not in cell:
        cell = _LATEX_POWER.sub(r"^\1", cell.replace("{,}", ",").replace("{-}", "-"))
        return cell.replace("{", "(").replace("}", ")").replace("~", " ").strip()
    cell = _LATEX_DOTS.sub("...", cell)
    cell = (
        _LATEX_SPACES.sub(" ", _LATEX_COLOR.sub("", cell)).replace("{,}", ",").replace("{-}", "-")
    )
    cell = _LATEX_POWER.sub(r"^\1", _LATEX_FONT.sub(r"\1", cell))
    for command, sign in _LATEX_SYMBOLS.items():
        cell = re.sub(re.escape(command) + r"(?![a-zA-Z])", sign, cell)
    cell = _without_fractions(_LATEX_FUNCTION.sub(r"\1", cell))
    return cell.replace("{", "(").replace("}", ")").strip()


def _without_fractions(cell: str) -> str:
    """Fractions and roots written with / and sqrt, outermost first."""
    for _ in range(MOST_LATEX_COMMANDS):
        if match := _LATEX_FRACTION.search(cell):
            above, rest = _argument(cell[match.end() :])
            below, rest = _argument(rest)
            cell = f"{cell[: match.start()]}(({above})/({below})){rest}"
        elif match := _LATEX_ROOT.search(cell):
            rest = cell[match.end() :].lstrip()
            degree = re.match(r"\[([^\[\]]*)\]", rest)
            inside, rest = _argument(rest[degree.end() :] if degree else rest)
            root = f"(({inside})^(1/({degree[1]})))" if degree else f"sqrt({inside})"
            cell = f"{cell[: match.start()]}{root}{rest}"
        else:
            return cell
    raise UserError("number.unreadable", text=cell[:40])


def _argument(text: str) -> tuple[str, str]:
    """The argument of a command, a group in braces or a single sign, and the text after it."""
    text = text.lstrip()
    if not text.startswith("{"):
        return text[:1], text[1:]
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return text[1:position], text[position + 1 :]
    raise UserError("number.unreadable", text=text[:40])
