"""Export a run as a LaTeX document: every stage as matrices, with its formula and one worked sum."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.parts import is_headwise, is_of_head
from core.exchange.labels import Labels
from core.exchange.write import latex_matrix
from core.explain.derivation import Step, Term, derive, derive_lead
from core.stages import Stage
from core.stages.kind import latex_symbol as symbol
from core.stages.terms import Written

LARGEST = 100_000  # numbers; TeX itself runs out of memory somewhat later

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "#$%&_"},
}
_MATHEMATICS = {
    "√": r"$\surd$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "−": "$-$",
    "·": r"$\cdot$",
    "∞": r"$\infty$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\to$",
    "′": "$'$",
    "°": r"$^\circ$",
    "π": r"$\pi$",
    "…": r"\dots{}",
}
_CHINESE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_QUOTES = "“”‘’–—"
_HEAD = r"""\documentclass{article}
\usepackage[margin=2cm]{geometry}
\usepackage{amsmath,graphicx,iftex}
"""
_SETTINGS = r"""\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\newcommand{\other}[1]{\ifPDFTeX?\else#1\fi} % a sign that pdfLaTeX has no glyph for
\newsavebox{\fitbox}
\newcommand{\fit}[1]{%
  \sbox{\fitbox}{$\displaystyle #1$}%
  \ifdim\wd\fitbox>\linewidth\sbox{\fitbox}{\resizebox{\linewidth}{!}{\usebox{\fitbox}}}\fi
  \ifdim\dimexpr\ht\fitbox+\dp\fitbox>0.9\textheight\sbox{\fitbox}{\resizebox*{!}{0.9\textheight}{\usebox{\fitbox}}}\fi
  \usebox{\fitbox}\par}
"""


def latex_document(document: Document, labels: Labels) -> bytes:
    """The source of a complete article; it loads ctex for Chinese text.

    Numbers have four decimals. Raises UserError "export.too_large" (format, size, limit).
    """
    trace = run(document)
    size = sum(trace[stage.id].size for stage in trace.plan)
    if size > LARGEST:
        raise UserError("export.too_large", format="tex", size=size, limit=LARGEST)
    parts = [_title(document, labels)]
    parts += [_stage(document, trace, stage, labels) for stage in trace.plan]
    body = "\n\n".join(parts)
    widest = max(10, *(trace[stage.id].shape[-1] for stage in trace.plan), document.d)
    chinese = "\\usepackage{ctex}\n" if _CHINESE.search(body) else ""
    begin = f"{_HEAD}{chinese}\\setcounter{{MaxMatrixCols}}{{{widest}}}\n{_SETTINGS}\\begin{{document}}\n\n"
    return f"{begin}{body}\n\n\\end{{document}}\n".encode("utf-8", "replace")


def escaped(text: str) -> str:
    """A text escaped for LaTeX, on one line."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return "".join(map(_sign, line))


def _sign(sign: str) -> str:
    known = _SPECIAL.get(sign) or _MATHEMATICS.get(sign)
    if known is not None:
        return known
    everywhere = sign < "\u0180" or sign in _QUOTES or _CHINESE.match(sign)
    return sign if everywhere else f"\\other{{{sign}}}"


def _title(document: Document, labels: Labels) -> str:
    lines = [f"\\section*{{{escaped(document.title)}}}"] if document.title.strip() else []
    lines += [
        escaped(paragraph) + "\n" for paragraph in document.notes.splitlines() if paragraph.strip()
    ]
    lines += [escaped(labels.rows) + "\n"] if labels.rows else []
    lines.append(_tokens(document.tokens))
    if document.context is not None:
        lines += ["", f"${symbol('X_context')}$:\\quad {_tokens(document.context.tokens)}"]
    return "\n".join(lines)


def _tokens(tokens: Sequence[str]) -> str:
    return r"\quad ".join(f"{place}: {escaped(token)}" for place, token in enumerate(tokens, 1))


def _stage(document: Document, trace: Trace, stage: Stage, labels: Labels) -> str:
    shape = r" \times ".join(map(str, trace[stage.id].shape))
    lines = [f"\\subsection*{{${formula(document, stage)} \\qquad {shape}$}}"]
    if not stage.entered:
        lines += [part for name in stage.inputs for part in _input(document, name)]
    heads = document.scope(stage.id).h
    for head in range(heads if stage.headwise else 1):
        name = symbol(stage.id)
        label = f"{name}^{{({head + 1})}}" if stage.headwise and heads > 1 else name
        lines.append(_fitted(label, trace.matrix(stage.id, head)))
    pins = [pin for pin in document.pins if pin.stage == stage.id]
    lines += [
        f"{escaped(labels.what_if)}: ${_entry(pin.cell, document)} = {rounded(pin.value)}$\n"
        for pin in pins
    ]
    lines += [f"${sum_}$\n" for sum_ in _sums(document, trace, stage)]
    return "\n".join(lines)


def _input(document: Document, name: str) -> list[str]:
    heads = document.scope(name).h if is_of_head(name) else 1
    written = []
    for head in range(heads):
        tensor = document.tensor(name, head)
        if tensor is not None:
            label = f"{symbol(name)}^{{({head + 1})}}" if heads > 1 else symbol(name)
            written.append(_fitted(label, tensor if tensor.ndim == 2 else tensor[None]))
    return written


def _fitted(label: str, matrix: Array) -> str:
    return f"\\fit{{{label} = {latex_matrix(matrix, rounded)}}}"


def _entry(cell: Cell, document: Document) -> str:
    several = is_headwise(cell.tensor) and document.scope(cell.tensor).h > 1
    head = f"^{{({cell.head + 1})}}" if several else ""
    return f"{{{symbol(cell.tensor)}}}_{{{cell.row + 1},{cell.column + 1}}}{head}"


def _sums(document: Document, trace: Trace, stage: Stage) -> list[str]:
    """The worked sum of the first cell in the first row that is not masked there."""
    if stage.entered:
        return []
    row = next(
        (i for i, number in enumerate(trace.matrix(stage.id)[:, 0]) if math.isfinite(number)), 0
    )
    cell = Cell(stage.id, row, 0)
    sums = []
    if stage.lead:
        lead = worked_sum(derive_lead(document, trace, stage.id, row))
        sums.append(rf"\{'max' if stage.lead == 'max' else 'Sigma'}_{{{row + 1}}} = {lead}")
    return [*sums, f"{_entry(cell, document)} = {worked_sum(derive(document, trace, cell))}"]


DECIMALS = 4
MOST_TERMS = 24  # longer sums are shortened in the middle
HUGE = 1e7


def rounded(value: float) -> str:
    """A number with four decimals, from ten million on with a power of ten."""
    if math.isinf(value):
        return r"{-\infty}" if value < 0 else r"\infty"
    if abs(value) >= HUGE:
        mantissa, exponent = f"{value:.{DECIMALS}e}".split("e")
        return rf"{mantissa} \times 10^{{{int(exponent)}}}"
    text = f"{value:.{DECIMALS}f}"
    return text if text.strip("-0.") else text.removeprefix("-")


def worked_sum(step: Step) -> str:
    """The right-hand side of a worked sum: the numbers, then the value."""
    written = _written(step)
    value = rounded(step.value)
    result = value if written in ("", value) else f"{written} = {value}"
    return result if step.pinned is None else rf"{result} \ \to\ {rounded(step.pinned)}"


def _written(step: Step) -> str:
    numbers = [rounded(term.factors[0].value) for term in step.terms]
    first = numbers[0] if numbers else ""
    data = step.data
    match step.kind:
        case "sinusoid":
            name = ("sin", "cos")[step.cell.column % 2]
            return rf"\{name}({rounded(data['angle'])})"
        case "max":
            return rf"\max({', '.join(_cut(numbers))})"
        case "scale":
            return rf"{first} \cdot {_in_parentheses(data['factor'])}"
        case "bias":
            return rf"{first} - {_in_parentheses(data['slope'])} \cdot {int(data['distance'])}"
        case "exp":
            return _power(step, first)
        case "quotient":
            return rf"{first} / {_in_parentheses(data['total'])}"
        case "mean":
            written = " + ".join(_cut([_factors(term) for term in step.terms]))
            return rf"({written}) / {int(data['count'])}"
        case "function":
            terms = [Written(_in_parentheses(term.value)) for term in step.terms]
            constants = {name: Written(_in_parentheses(x)) for name, x in data.items()}
            return step.latex.format(*terms, **constants)
        case "mask" | "copy" | "entered":
            return first
    return " + ".join(_cut([_factors(term) for term in step.terms]))


def _power(step: Step, score: str) -> str:
    base = step.data["base"]
    shown = "e" if base == math.e else f"{base:g}"
    highest = f" - {_in_parentheses(step.data['maximum'])}" if "maximum" in step.data else ""
    return f"{shown}^{{{score}{highest}}}"


def _factors(term: Term) -> str:
    return r" \cdot ".join(_in_parentheses(factor.value) for factor in term.factors)


def _in_parentheses(value: float) -> str:
    text = rounded(value)
    return f"({text})" if text.startswith("-") else text


def _cut(terms: list[str]) -> list[str]:
    if len(terms) <= MOST_TERMS:
        return terms
    return [*terms[: MOST_TERMS // 2], r"\cdots", *terms[-MOST_TERMS // 2 :]]


def formula(document: Document, stage: Stage) -> str:
    """The formula of a stage, such as S' = S / \\sqrt{d_k}; the symbol alone for an entered stage."""
    names = [symbol(name) for name in stage.reads]
    right = stage.kind.latex(document, stage, names)
    letter = symbol(stage.id)
    left = f"{letter}_{{ij}}" if stage.kind.by_entry else letter
    return f"{left} = {right}" if right else letter
