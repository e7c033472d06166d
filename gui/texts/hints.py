"""Hints for one number, from a rule to the worked sum without its result. Free of Qt."""

from __future__ import annotations

from core.base.cell import Cell
from core.base.number_format import MINUS
from core.check.answers import Index
from core.check.report import CheckReport
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import Orientation
from core.document.parts import is_headwise
from core.explain.derivation import Step, derive
from gui.texts.mistakes import mistake_text
from gui.texts.names import axes_of, cell_name, place_name, role_of, symbol
from gui.texts.rich_text import Span, operator, plain_text
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_sum
from gui.texts.translation import mark, tr, tr_marked

RULES = {
    "add": mark("Add the two numbers at this place."),
    "sinusoid": mark("Take the sine of the angle of this position."),
    "rotate": mark("Rotate the pair of numbers about 0, by position times frequency."),
    "scale": mark("Multiply the score at this place by the factor."),
    "bias": mark("Subtract slope times distance from the score at this place."),
    "mask": mark("This pair is allowed: does anything change?"),
    "exp": mark("Subtract the largest score of this query first; the power comes after that."),
    "quotient": mark("Add up the exponentials of this query; which share is this one?"),
    "copy": mark("Nothing is computed here: find where this number comes from."),
}
MOST = 6  # terms of a sum that are written
_ASKED = (operator("="), Span("?", "result"))


def hints(
    document: Document,
    trace: Trace,
    report: CheckReport | None,
    cell: Cell,
    orientation: Orientation,
    decimals: int | None,
) -> tuple[str, ...]:
    """The mistake behind a wrong number, the rule, then the worked sum with these decimals up to
    the result.

    `decimals` None: without numbers.
    """
    step = derive(document, trace, cell)
    rule = _rule(document, step, orientation)
    sums = (
        ()
        if decimals is None
        else _sums(SumStyle(document, decimals, MOST, hidden=True, orientation=orientation), step)
    )
    return *_explanations(report, cell, orientation), rule, *sums


def _explanations(
    report: CheckReport | None, cell: Cell, orientation: Orientation
) -> tuple[str, ...]:
    """The wrong term of a number, else the mistake behind it."""
    index: Index = (cell.row, cell.column)
    if is_headwise(cell.tensor):
        index = (cell.head, *index)
    mistakes = report.mistakes_at(cell.tensor, index) if report else ()
    for mistake in mistakes:
        if mistake.id == "cell.term":
            product = "×".join(_number(factor) for factor in mistake.data["factors"])
            return (
                tr(
                    "Look at term {term} again: {product}.",
                    term=mistake.data["term"] + 1,
                    product=product,
                ),
            )
    return next(
        ((mistake_text(mistake, orientation),) for mistake in mistakes if not mistake.harmless), ()
    )


def _sums(style: SumStyle, step: Step) -> tuple[str, ...]:
    """The worked sum up to each equals sign after the numbers."""
    if step.kind == "copy":
        source = step.terms[0].factors[0].cell
        whence = (
            cell_name(source, style.document, style.orientation)
            if source and step.data["enabled"]
            else ""
        )
        return (tr("It is here: {name}.", name=whence),) if whence else ()
    line, own = worked_sum(style, step), style.symbol(step.cell)
    signs = [
        place
        for place, span in enumerate(line)
        if span.role == "operator" and span.text.strip() in ("=", "≈")
    ]
    named = (
        step.kind != "exp" or line[: len(own)] == own
    )  # then the first sign follows letters alone
    start = signs.pop(0) + 1 if named else 0
    return tuple(
        tr("With the numbers: {sum}", sum=plain_text((*line[start:cut], *_ASKED))) for cut in signs
    )


def _number(value: float) -> str:
    text = f"{value:.6g}".replace("-", MINUS)
    return f"({text})" if value < 0 else text


def _rule(document: Document, step: Step, orientation: Orientation) -> str:
    """What is to be done for a number, without numbers."""
    match step.kind:
        case "dot":
            return _dot(document, step, orientation)
        case "sinusoid" if step.cell.column % 2:
            return tr("Take the cosine of the angle of this position.")
        case "scale" if document.scale.kind == "sqrt_dk":
            return tr(
                "Divide the score at this place by √{k}.", k=document.scope(step.cell.tensor).k
            )
        case "mask" if not step.data["allowed"]:
            return tr("This pair is masked: which score would vanish in the softmax?")
        case "copy" if not step.data["enabled"]:
            return tr("This head is off: what does it contribute?")
    return tr_marked(RULES.get(step.kind, mark("Look at the formula above.")))


def _dot(document: Document, step: Step, orientation: Orientation) -> str:
    lines = [_line(document, step, which, orientation) for which in (0, 1)]
    first, second = orientation.pair(*lines)
    return tr(
        "Multiply {first} and {second} entry by entry, and add the products.",
        first=first,
        second=second,
    )


def _line(document: Document, step: Step, which: int, orientation: Orientation) -> str:
    """The row or column that one factor of every term comes from."""
    cells = [term.factors[which].cell for term in step.terms if len(term.factors) == 2]
    own, last = cells[0], cells[-1]
    assert own is not None  # a product of two tensors has no constants
    assert last is not None
    # With a single term row and column are the same; keys and queries lie in rows.
    in_row = own.row == last.row and (
        own.column != last.column or role_of(own.tensor) in ("query", "key")
    )
    axes = axes_of(own.tensor)
    axis, place = (axes[0], own.row) if in_row else (axes[1], own.column)
    label, name = place_name(own.tensor, axis, place, document), symbol(own.tensor, document)
    if in_row != orientation.columns:
        return tr("row {label} of {tensor}", label=label, tensor=name)
    return tr("column {label} of {tensor}", label=label, tensor=name)
