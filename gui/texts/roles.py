"""Sentences about the matrices of a page: their places, roles, and what fits."""

from __future__ import annotations

from core.document.parts import is_headwise
from core.exchange.assemble import Draft
from core.exchange.role_names import CHECK, CHECKED, HEAD_ROLES, LEFT_OUT, SHARED_ROLES, TURNED
from core.exchange.roles import parse_role
from core.exchange.sources import Entry
from gui.texts.errors import error_message
from gui.texts.names import STAGE_SYMBOLS, long_name
from gui.texts.translation import tr


def place_of(entry: Entry) -> str:
    """Where an entry stands: line 12, or Sheet1!B2:D4; "" for an array of a file."""
    if entry.cells:
        return entry.cells
    return tr("line {number}", number=entry.line) if entry.line else ""


def shape_of(entry: Entry) -> str:
    """The shape as text: 3×4."""
    return "×".join(map(str, entry.shape)) if entry.refusal is None else "?"


def role_text(role: str) -> str:
    """A role as the list names it: Embeddings X, W_Q of head 2, Check: QKᵀ."""
    part = parse_role(role)
    if part.role == LEFT_OUT:
        return tr("Ignore")
    if part.role == "tokens":
        return tr("Tokens")
    checked = part.role.startswith(CHECK)
    name = part.role.removeprefix(CHECK)
    symbol = STAGE_SYMBOLS.get(name, name)
    has_heads = name in HEAD_ROLES or (checked and is_headwise(name))
    if has_heads and "." in role.removesuffix(TURNED):  # a number: there are several heads
        symbol = tr("{symbol}, head {number}", symbol=symbol, number=part.head)
    if checked:
        return tr("Check: {symbol}", symbol=symbol)
    return (
        symbol
        if part.role == "A" or symbol.startswith(("W", "b"))
        else f"{symbol} · {long_name(name)}"
    )


def role_choices(draft: Draft, heads: int) -> list[str]:
    """The roles to choose from, with one head more than there are."""
    numbers = range(1, heads + 2)
    suffixes = ["" if number == 1 else f".{number}" for number in numbers]
    choices = [LEFT_OUT, *SHARED_ROLES]
    choices += [role + suffix for role in HEAD_ROLES for suffix in suffixes]
    stages = CHECKED if draft.trace is None else [s for s in CHECKED if s in draft.trace.plan]
    for stage in stages:
        several = is_headwise(stage)
        choices += [CHECK + stage + suffix for suffix in (suffixes[:heads] if several else [""])]
    return choices


def fit_text(index: int, entry: Entry, draft: Draft) -> tuple[str, str]:
    """Whether an entry fits ("yes", "no", "ask", "out") and the sentence that says so."""
    fault = draft.faults.get(index) or entry.refusal
    if fault is not None:
        asks = entry.question is not None and entry.refusal is None
        return "ask" if asks else "no", error_message(fault)
    part = parse_role(draft.roles[index])
    if part.role == LEFT_OUT:
        return "out", tr("not part of an experiment")
    if index in draft.open and draft.document is None:
        return "ask", tr("two readings: see below")
    if index in draft.results:
        return _result_text(index, draft)
    if part.role.startswith(CHECK):
        wrong = draft.trace is not None
        return ("no", tr("no result has this shape")) if wrong else ("yes", tr("a printed result"))
    return "yes", _place_text(index, entry, draft)


def _result_text(index: int, draft: Draft) -> tuple[str, str]:
    _, _, printed = draft.results[index]
    if printed.matched == printed.total:
        return "yes", tr("a result: all {total} match", total=printed.total)
    text = tr("a result: {matched} of {total} match", total=printed.total, matched=printed.matched)
    return "yes", text


def _place_text(index: int, entry: Entry, draft: Draft) -> str:
    if entry.texts:
        return tr(", ").join(entry.texts[:6])
    rows, columns = entry.shape
    if index in draft.turned:
        return tr("transposed: {rows}×{columns}", rows=columns, columns=rows)
    if draft.document is not None and len(entry.row_labels) == rows and rows == draft.document.n:
        return tr("{n} tokens, labelled", n=rows)
    return tr("fits")


def summary(draft: Draft) -> str:
    """What is made of a draft, or what is missing."""
    document = draft.document
    if document is None:
        return "" if draft.problem is None else error_message(draft.problem)
    said = (
        tr("{n} tokens, {h} heads", n=document.n, h=document.h)
        if document.h > 1
        else tr("{n} tokens, one head", n=document.n)
    )
    checked = sum(printed.total for _, _, printed in draft.results.values())
    if checked:
        said += tr(", ") + tr("{count} numbers to check", count=checked)
    if draft.results and document.source != "weights":
        said += tr("; ") + settings_text(draft)
    return said


def settings_text(draft: Draft) -> str:
    """The scale and mask that the printed results decide."""
    document = draft.document
    assert document is not None
    scales = {
        "sqrt_dk": tr("divided by √d_k"),
        "none": tr("not scaled"),
        "factor": tr("divided by √d_model"),
    }
    said = scales[document.scale.kind]
    return said + (tr(", ") + tr("causal mask") if document.mask.kind == "causal" else "")
