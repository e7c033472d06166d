"""What the tests of papers share: an experiment with everything, the oracle's numbers, text out of PDF files."""

from __future__ import annotations

import io
import json
import re
from typing import Any

from pypdf import PdfReader

from core.document.document import Document
from core.explain.exercise import variant
from core.storage.archive import dumps
from core.storage.examples import load_example
from gui.export.worksheets.blocks import (
    MatrixTable,
    Paper,
    PaperBlock,
    SideBySide,
    TableGroup,
)
from gui.export.worksheets.printing import PagePiece
from tests.core import oracle
from tests.core.documents import make


def everything() -> Document:
    """All sizes different, three heads (one off), a mask, a bias, W_O, Chinese tokens."""
    document = make(3, mask="causal", biases=True, output=True, off=(1,))
    return document.with_(tokens=("小猫", "吃", "了", "一条", "鱼"), title="全部")


def answers(document: Document, seed: int) -> dict[str, Any]:
    """Every stage of a sheet, worked out by plain loops."""
    return oracle.run(json.loads(dumps(variant(document, seed))))


def grids(part: Paper) -> list[MatrixTable]:
    """The tables of a paper in their order."""
    return [grid for block in blocks_of(part, TableGroup) for grid in block.tables]


def blocks_of(part: Paper, kind: type[PaperBlock]) -> list[Any]:
    """The blocks of one kind, also those of sections side by side."""
    flat = (
        (*block.left, *block.right) if isinstance(block, SideBySide) else (block,)
        for block in part.blocks
    )
    return [block for blocks in flat for block in blocks if isinstance(block, kind)]


def pages(data: bytes) -> list[str]:
    """The text of each page, without the tabs and line ends that stand between its pieces."""
    return [
        re.sub(r"[\s\xa0]+", "", page.extract_text()) for page in PdfReader(io.BytesIO(data)).pages
    ]


def by_seed(data: bytes) -> dict[int, str]:
    """The text of each sheet or key, by the seed at the foot of its pages."""
    texts: dict[int, str] = {}
    for page in PdfReader(io.BytesIO(data)).pages:
        text = " ".join(page.extract_text().split())
        foot = re.search(r"seed (\d+) \d+ / \d+$", text)
        assert foot is not None
        seed = int(foot[1])
        texts[seed] = texts.get(seed, "") + text.replace(" ", "")
    return texts


def value(text: str) -> float:
    """A number as it is printed."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def close(text: str, expected: float, decimals: int) -> bool:
    """Whether a printed number is the expected one, rounded."""
    if expected in (float("-inf"), float("inf")):
        return value(text) == expected
    return abs(value(text) - expected) <= 0.5 * 10.0**-decimals + 1e-9


def example(name: str = "cat-eats-fish") -> Document:
    """An experiment that comes with the program."""
    return load_example(name)


def bottom(page: list[tuple[float, PagePiece]]) -> float:
    """Where the last piece of a page ends."""
    y, piece = page[-1]
    return y + piece.height
