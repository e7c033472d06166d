"""The sentences of the heatmaps. Free of Qt."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import lru_cache

from core.base.cell import Cell
from core.base.number_format import HUGE, MAX_DECIMALS, MINUS, show
from core.compute.trace import Trace
from core.document.orientation import ROWS, Orientation
from core.stages import Stage, masked_scores
from gui.session.state import State
from gui.texts.names import (
    head_label,
    head_name,
    key_axis,
    query_axis,
    stage_label,
    stage_name,
    token_name,
    visible_tokens,
)
from gui.texts.sums import MORE
from gui.texts.translation import label, mark, tr


def axis_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens of an axis: numbered if they occur twice."""
    return _numbered(visible_tokens(tokens))


@lru_cache(maxsize=16)
def _numbered(shown: tuple[str, ...]) -> tuple[str, ...]:
    counts = Counter(shown)
    return tuple(
        f"{token} {i + 1}" if counts[token] > 1 else token for i, token in enumerate(shown)
    )


def axes(stage: Stage, orientation: Orientation = ROWS) -> tuple[str, str]:
    """The names of rows and columns."""
    if stage.attends:
        return orientation.pair(query_axis(orientation), key_axis(orientation))
    if stage.axes[-1] == "u":
        words = mark("word ↓") if orientation.columns else mark("word →")
        tokens = mark("token →") if orientation.columns else mark("token ↓")
        return orientation.pair(label(tokens), label(words))
    if orientation.columns:
        return label(mark("feature ↓")), label(mark("token →"))
    return label(mark("token ↓")), label(mark("feature →"))


def signed(value: float, decimals: int) -> str:
    """A change, with its sign."""
    text = show(value, decimals)
    return text if text.startswith(MINUS) or not value else f"+{text}"


def cell_place(state: State, stage: Stage, cell: Cell) -> str:
    """A cell in words: its token and feature or word, or its query and key."""
    row = token_name(state.document.row_tokens(stage.id), cell.row)
    if stage.attends:
        return tr(
            "query {query} · key {key}",
            query=row,
            key=token_name(state.document.key_tokens, cell.column),
        )
    words = state.document.labels(stage.axes[-1])
    if words is not None:
        return tr("token {token} · word {word}", token=row, word=token_name(words, cell.column))
    return tr("token {token} · feature {feature}", token=row, feature=cell.column + 1)


def address(state: State, stage: Stage, cell: Cell) -> str:
    """A cell in words, with stage and head."""
    parts = [stage_name(stage.id), cell_place(state, stage, cell)]
    if stage.headwise:
        parts.insert(1, head_name(cell.head, state.document.scope(stage.id).heads[cell.head].name))
    return " · ".join(parts)


def cell_reading(state: State, stage: Stage, cell: Cell) -> str:
    """A cell in words with its value."""
    if state.hides(cell):
        return f"{address(state, stage, cell)} = ?"
    if state.is_covered(cell):
        return f"{address(state, stage, cell)} · {tr('not reached yet')}"
    value = state.trace.matrix(stage.id, cell.head)[cell.row, cell.column]
    text = f"{address(state, stage, cell)} = {show(float(value), state.decimals)}"
    return f"{text} · {tr('masked')}" if _is_masked(state.trace, stage, cell) else text


def _is_masked(trace: Trace, stage: Stage, cell: Cell) -> bool:
    masked = masked_scores(trace, stage.id)
    return masked is not None and bool(masked[cell.head, cell.row, cell.column] == float("-inf"))


def comparison(state: State, compared: Trace, stage: Stage, cell: Cell) -> str:
    """A cell of the difference in words: then → now, and the change."""
    if state.hides(cell):
        return tr("{name}: {text}", name=cell_place(state, stage, cell), text="?")
    if state.is_covered(cell):
        return tr("{name}: {text}", name=cell_place(state, stage, cell), text=tr("not reached yet"))
    now = float(state.trace.matrix(stage.id, cell.head)[cell.row, cell.column])
    then = float(compared.matrix(stage.id, cell.head)[cell.row, cell.column])
    digits = exact_decimals(then, now, state.decimals)
    first, second = show(then, digits or state.decimals), show(now, digits or state.decimals)
    if now == then:
        change = tr("unchanged at {value}", value=second)
    elif float("-inf") in (now, then):
        change = tr("{before} → {now}, masked in one run only", before=first, now=second)
    else:
        change = tr(
            "{before} → {now}, changed by {change}",
            before=first,
            now=second,
            change=signed(now - then, digits)
            if digits is not None
            else f"≈ {signed(now - then, state.decimals)}",
        )
    return tr("{name}: {text}", name=cell_place(state, stage, cell), text=change)


def exact_decimals(then: float, now: float, decimals: int) -> int | None:
    """The number of decimals with which two printed numbers differ by the printed change.

    None if there is none, or if they are not finite or too large for decimals.
    """
    if not all(abs(value) < HUGE for value in (then, now, now - then)):
        return None
    for digits in range(decimals, min(decimals + MORE, MAX_DECIMALS) + 1):
        first, second, change = (
            Decimal(f"{value:.{digits}f}") for value in (then, now, now - then)
        )
        if second - first == change:
            return digits
    return None


def largest_change_text(
    state: State, stage: Stage, cell: Cell | None, change: float, mask_changed: bool
) -> str:
    """The largest change of a difference, with its place."""
    if cell is None and mask_changed:
        return tr("Only the mask has changed here.")
    if cell is None:
        return tr("Nothing has changed here.")
    return tr(
        "Largest change {change} at {place}",
        change=signed(change, state.decimals),
        place=cell_place(state, stage, cell),
    )


def why_empty(state: State, missing: str, stage: Stage) -> str:
    """Why there is no difference to show, and what to do."""
    if missing == "run" or state.compared is None:
        return tr("Pin this run, then change a number: you will see here everything it changes.")
    name = stage_name(stage.id)
    if missing == "stage":
        return tr(
            "The pinned run has no stage “{stage}”. Pin this run to compare from here on.",
            stage=name,
        )
    return tr(
        "“{stage}” was {then} in the pinned run and is {now} now. Pin this run to compare from here on.",
        stage=name,
        then=_size(state.compared[stage.id].shape),
        now=_size(state.trace[stage.id].shape),
    )


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(str(length) for length in shape)


def title(state: State, stage: Stage, head: int, short: bool) -> str:
    """The title of a pane, which says so if its head is switched off."""
    name = stage_label(stage.id)
    if not stage.headwise:
        return name
    heads = state.document.scope(stage.id).heads
    text = head_label(head, heads[head].name)
    if len(heads) == 1:
        text = name
    elif not short:
        text = f"{name} · {text}"
    return text if heads[head].enabled else tr("{head} · off", head=text)


def short_title(state: State, stage: Stage, head: int) -> str:
    """A short title: the number and name of a head."""
    heads = state.document.scope(stage.id).heads
    if not stage.headwise or len(heads) == 1:
        return title(state, stage, head, short=True)
    named = heads[head]
    text = f"{head + 1} {label(named.name)}".strip()
    return text if named.enabled else tr("{head} · off", head=text)
