"""One number in LaTeX, such as \\frac{1}{2} or 1.5 \\times 10^{-3}, in plain notation."""

from __future__ import annotations

import re

from core.base.errors import UserError

_ELIDED = re.compile(r"\\(?:[cvdl]?dots|[di]?ddots|hdots)\b")
_SPACES = re.compile(
    r"\\(?:[,;:! ]|quad\b|qquad\b|displaystyle\b|textstyle\b|left\b|right\b|h?phantom\{[^{}]*\})|~"
)
_SIMPLE_POWER = re.compile(r"\^\s*\{\s*([-+]?\d+)\s*\}")
_FONT = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|text|textbf|operatorname|boldsymbol|num)\s*\{([^{}]*)\}"
)
_SYMBOLS = {
    r"\cdot": "*",
    r"\times": "×",
    r"\ast": "*",
    r"\div": "/",
    r"\pi": "pi",
    r"\infty": "inf",
    r"\%": "%",
    r"\&": "&",
}
_NAMED = re.compile(r"\\(exp|ln|log|sin|cos|tan|tanh)\b")
_TWO_ARGUMENTS = re.compile(r"\\[dtc]?frac(?![a-zA-Z])")
_ROOT = re.compile(r"\\sqrt(?![a-zA-Z])")


def without_commands(cell: str) -> str:
    """One cell without commands: \\frac{1}{2} is ((1)/(2)), \\sqrt{3} is sqrt(3), 1.5 \\times 10^{3} is 1.5×10^3."""
    cell = _ELIDED.sub("...", cell)
    cell = _SPACES.sub(" ", cell).replace("{,}", ",").replace("{-}", "-")
    cell = _SIMPLE_POWER.sub(r"^\1", _FONT.sub(r"\1", cell))
    for command, sign in _SYMBOLS.items():
        cell = re.sub(re.escape(command) + r"(?![a-zA-Z])", sign, cell)
    cell = _NAMED.sub(r"\1", cell)
    cell = _expanded(cell)
    return cell.replace("{", "(").replace("}", ")").strip()


def _expanded(cell: str) -> str:
    """Fractions and roots written with / and sqrt, the innermost last."""
    for _ in range(40):  # more than anyone nests by hand
        if match := _TWO_ARGUMENTS.search(cell):
            above, rest = _argument(cell[match.end() :])
            below, rest = _argument(rest)
            cell = f"{cell[: match.start()]}(({above})/({below})){rest}"
        elif match := _ROOT.search(cell):
            rest = cell[match.end() :].lstrip()
            degree = re.match(r"\[([^\[\]]*)\]", rest)
            inside, rest = _argument(rest[degree.end() :] if degree else rest)
            root = f"(({inside})^(1/({degree[1]})))" if degree else f"sqrt({inside})"
            cell = f"{cell[: match.start()]}{root}{rest}"
        else:
            return cell
    raise UserError("number.unreadable", text=cell[:40])


def _argument(text: str) -> tuple[str, str]:
    """What a command takes, and what follows it: a group in braces, or a single sign."""
    text = text.lstrip()
    if not text.startswith("{"):
        return text[:1], text[1:]
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return text[1:position], text[position + 1 :]
    raise UserError("number.unreadable", text=text[:40])
