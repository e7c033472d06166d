"""Which blocks of which stages a block of a stage is made from, by the kind of the stage. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from core.document.document import Document
from core.stages import Stage

Span = tuple[int, int]


class Block(Struct, frozen=True):
    """Cells of a stage, as half-open ranges of rows and columns; of one head where the stage has heads."""

    stage_id: str
    rows: Span
    columns: Span


def whole(document: Document, stage_id: str) -> Block:
    """All cells of a stage."""
    rows, columns = document.stage_shape(stage_id)[-2:]
    return Block(stage_id, (0, rows), (0, columns))


def feeds(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    """What feeds a block, one block for each stage that is read; of the joined heads only what `head` brings."""
    if not stage.reads:
        return ()
    return _HOW.get(stage.id, _same_place)(document, stage, block, head)


def _same_place(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    return tuple(Block(name, block.rows, block.columns) for name in stage.reads)


def _rows(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    source = stage.reads[0]
    return (Block(source, block.rows, whole(document, source).columns),)


def _pair(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    """Neighbouring columns (2p, 2p + 1) turn together."""
    first, last = block.columns[0] // 2 * 2, min((block.columns[1] + 1) // 2 * 2, document.k)
    return (Block(stage.reads[0], block.rows, (first, last)),)


def _meeting(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    query, key = stage.reads
    across = (0, document.k)
    return Block(query, block.rows, across), Block(key, block.columns, across)


def _mixing(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    weights, value = stage.reads
    everyone = (0, document.m)
    return Block(weights, block.rows, everyone), Block(value, everyone, block.columns)


def _joining(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    start = head * document.v
    first, last = max(block.columns[0] - start, 0), min(block.columns[1] - start, document.v)
    return (Block(stage.reads[0], block.rows, (first, last)),) if first < last else ()


def _powers(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    """The whole row where its maximum is sought, else the same place."""
    return (_rows if stage.lead else _same_place)(document, stage, block, head)


def _output(document: Document, stage: Stage, block: Block, head: int) -> tuple[Block, ...]:
    return (_rows if stage.inputs else _same_place)(document, stage, block, head)


How = Callable[[Document, Stage, Block, int], tuple[Block, ...]]
_HOW: dict[str, How] = {
    "Q": _rows,
    "K": _rows,
    "V": _rows,
    "Q_rot": _pair,
    "K_rot": _pair,
    "scores": _meeting,
    "exp": _powers,
    "weights": _rows,
    "heads": _mixing,
    "concat": _joining,
    "Y": _output,
}
