"""Sentences about the matrices of a page: their places, roles, and what fits."""

from __future__ import annotations

from collections.abc import Sequence

from core.document.document import Document
from core.document.parts import STACK_TENSORS, is_headwise, is_stage, layer_id, split_layer
from core.exchange.assemble import Draft
from core.exchange.role_names import (
    CHECK,
    CHECKED,
    CHECKED_IN_STACKS,
    HEAD_ROLES,
    LEFT_OUT,
    SHARED_ROLES,
    TURNED,
    is_headed,
)
from core.exchange.roles import parse_role
from core.exchange.sources import Entry
from core.exchange.stack_names import VOCABULARY
from core.exchange.stack_tensors import holds_stack
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
    if part.role == VOCABULARY:
        return tr("Vocabulary")
    checked = part.role.startswith(CHECK)
    name = part.role.removeprefix(CHECK)
    layer, base = split_layer(name)
    symbol = layer_id(layer, STAGE_SYMBOLS.get(base, base))
    has_heads = is_headed(name) or (checked and is_headwise(name))
    if has_heads and role.removesuffix(TURNED) != part.role:  # a number: there are several heads
        symbol = tr("{symbol}, head {number}", symbol=symbol, number=part.head)
    if checked:
        return tr("Check: {symbol}", symbol=symbol)
    return (
        symbol
        if part.role == "A" or layer is not None or not is_stage(name)
        else f"{symbol} · {long_name(name)}"
    )


def role_choices(draft: Draft, heads: int) -> list[str]:
    """The roles to choose from, with one head more than there are."""
    numbers = range(1, heads + 2)
    suffixes = ["" if number == 1 else f".{number}" for number in numbers]
    choices = [LEFT_OUT, *SHARED_ROLES]
    layers = _layers(draft)
    if layers:
        choices = [LEFT_OUT, "tokens", "X", "P", *_roles_of_stack(layers, suffixes)]
    else:
        choices += [role + suffix for role in HEAD_ROLES for suffix in suffixes]
        choices += [*STACK_TENSORS, VOCABULARY]
    stages = _stages(draft)
    for stage in stages:
        several = is_headwise(stage)
        choices += [CHECK + stage + suffix for suffix in (suffixes[:heads] if several else [""])]
    return choices


def _layers(draft: Draft) -> tuple[int | None, ...]:
    """The layers of a stack that a role can have, one more than named, and None, which is the layer
    of roles that name none; () for attention alone.
    """
    parts = [parse_role(role) for role in draft.roles]
    if not holds_stack(parts):
        return ()
    named = [split_layer(part.role)[0] or 0 for part in parts if not part.role.startswith(CHECK)]
    return (*range(1, max(named) + 2), None) if any(named) else (None,)


def _roles_of_stack(layers: Sequence[int | None], suffixes: list[str]) -> list[str]:
    heads = [role for role in HEAD_ROLES if role.startswith(("W", "b"))]
    outside = [role for role in STACK_TENSORS if role.startswith(("embedding", "final"))]
    inside = [role for role in STACK_TENSORS if role not in (*outside, "W_U", "b_U")]
    found = []
    for layer in layers:
        of_heads = [role + suffix for role in heads for suffix in suffixes]
        found += [layer_id(layer, role) for role in (*of_heads, "W_O", "b_O", *inside)]
    return [*found, *outside, "W_U", "b_U", VOCABULARY]


def _stages(draft: Draft) -> list[str]:
    """The computed stages of the experiment of a draft, or those that one can have."""
    if draft.trace is None:
        return [*CHECKED, *(CHECKED_IN_STACKS if _layers(draft) else ())]
    if draft.trace.document.is_stack:
        return [stage.id for stage in draft.trace.plan if not stage.entered]
    return [stage for stage in CHECKED if stage in draft.trace.plan]


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
    if document.is_stack:
        said = _stack_text(document)
    checked = sum(printed.total for _, _, printed in draft.results.values())
    if checked:
        said += tr(", ") + tr("{count} numbers to check", count=checked)
    if draft.results and document.source != "weights":
        said += tr("; ") + settings_text(draft)
    return said


def _stack_text(document: Document) -> str:
    """Tokens and layers of a stack, and the settings of its first layer that matrices do not say."""
    layer = document.layers[0]
    said = [
        tr("{n} tokens, {count} layers", n=document.n, count=len(document.layers))
        if len(document.layers) > 1
        else tr("{n} tokens, one layer", n=document.n)
    ]
    if layer.norm.attention or layer.norm.mlp:
        kind = "RMSNorm" if layer.norm.kind == "rms" else "LayerNorm"
        before = layer.norm.place == "pre"
        said.append(
            tr("{norm} before each sub-layer", norm=kind)
            if before
            else tr("{norm} after each sub-layer", norm=kind)
        )
    if layer.mlp is not None:
        names = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)", "silu": "SiLU"}
        said.append(names[layer.mlp.activation])
    return tr(", ").join(said)


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
