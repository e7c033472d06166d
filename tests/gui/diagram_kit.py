"""Documents for the tests of the diagram: every kind of plan, all sizes different (n 5, d 6, h 3, k 2, v 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF
from pytestqt.qtbot import QtBot

from core.base.arrays import Array, frozen
from core.document.document import Context, Document, Head, Mask, Positional, Scale
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.diagram.picture import paint_diagram
from gui.views.diagram.shapes import Rect
from gui.views.diagram.view import DiagramView
from tests.gui.svg_kit import sized_texts, svg_of


def numbers(seed: int, *shape: int) -> Array:
    return frozen(np.random.default_rng(seed).normal(size=shape))


def make(
    n: int = 5,
    d: int = 6,
    h: int = 3,
    k: int = 2,
    v: int = 4,
    *,
    qkv: bool = False,
    output: bool = True,
    bias: bool = False,
    positional: str = "none",
    mask: str = "none",
    scale: str = "sqrt_dk",
    tokens: tuple[str, ...] | None = None,
    context: int = 0,
    places: bool = True,
) -> Document:
    m = context or n
    heads = tuple(_head(index, (n, m), (d, k, v), qkv, bias) for index in range(h))
    width = d if not qkv else 7
    own = positional == "learned" and places
    other = Context(
        tuple(f"c{place}" for place in range(m)),
        None if qkv else numbers(4, m, d),
        numbers(5, m, d) if own else None,
    )
    return Document(
        context=other if context else None,
        tokens=tokens or tuple(f"t{place}" for place in range(n)),
        heads=heads,
        source="qkv" if qkv else "embeddings",
        X=None if qkv else numbers(1, n, d),
        W_O=numbers(2, h * v, width) if output else None,
        positional=Positional(positional, P=numbers(3, n, d) if positional == "learned" else None),
        mask=Mask(mask),
        scale=Scale(scale, 0.25),
    )


def _head(
    index: int, rows: tuple[int, int], widths: tuple[int, int, int], qkv: bool, bias: bool
) -> Head:
    (n, m), (d, k, v) = rows, widths
    if qkv:
        return Head(
            Q=numbers(9 + index, n, k), K=numbers(19 + index, m, k), V=numbers(29 + index, m, v)
        )
    weights = Head(
        W_Q=numbers(9 + index, d, k), W_K=numbers(19 + index, d, k), W_V=numbers(29 + index, d, v)
    )
    if not bias:
        return weights
    return Head(
        W_Q=weights.W_Q,
        W_K=weights.W_K,
        W_V=weights.W_V,
        b_Q=numbers(39 + index, k),
        b_K=numbers(49 + index, k),
        b_V=numbers(59 + index, v),
    )


def every_kind() -> Iterator[Document]:
    """One document for every combination of stages that a plan can have."""
    for qkv, h, output in itertools.product((False, True), (1, 3), (False, True)):
        for positional, mask, scale in itertools.product(
            ("none", "sinusoidal", "learned", "rotary", "alibi"),
            ("none", "causal"),
            ("sqrt_dk", "none", "factor"),
        ):
            if not (qkv and positional in ("sinusoidal", "learned")):
                yield make(
                    h=h, qkv=qkv, output=output, positional=positional, mask=mask, scale=scale
                )
        for positional, mask in (("none", "causal"), ("rotary", "none"), ("alibi", "causal")):
            yield make(h=h, qkv=qkv, output=output, positional=positional, mask=mask, context=7)
        for positional, places in (
            (("sinusoidal", True), ("learned", True), ("learned", False)) if not qkv else ()
        ):
            yield make(h=h, output=output, positional=positional, context=7, places=places)


TOKENS = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=14
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any sizes from one token to a few hundred, any switches."""
    n = draw(st.one_of(st.integers(1, 12), st.integers(13, 300)))
    qkv = draw(st.booleans())
    kinds = (
        ("none", "rotary", "alibi") if qkv else ("none", "sinusoidal", "learned", "rotary", "alibi")
    )
    sizes = {
        name: draw(st.one_of(st.integers(1, 8), st.sampled_from([16, 64, 200]))) for name in "dkv"
    }
    tokens = draw(st.lists(TOKENS, min_size=min(n, 6), max_size=min(n, 6)))
    return make(
        n,
        h=draw(st.integers(1, 12)),
        **sizes,
        qkv=qkv,
        output=draw(st.booleans()),
        bias=draw(st.booleans()),
        positional=draw(st.sampled_from(kinds)),
        mask=draw(st.sampled_from(["none", "causal", "window"])),
        scale=draw(st.sampled_from(["sqrt_dk", "none", "factor"])),
        tokens=tuple((tokens * n)[:n]),
        context=draw(st.sampled_from([0, 0, 1, 7, 40])),
        places=draw(st.booleans()),
    )


def painted_texts(state: State, width: int = 1880, height: int = 400) -> list[str]:
    """Every text of the picture, read back from an SVG of it."""
    return [text for text, _ in painted_sizes(state, width, height)]


def painted_sizes(state: State, width: int = 1880, height: int = 400) -> list[tuple[str, float]]:
    """Every text of the picture with its size in units of the painter (for numbers: pixels)."""
    return sized_texts(
        svg_of(lambda painter, room: paint_diagram(painter, room, state), (width, height))
    )


def session_of(
    document: Document, language: str = "en", shade: str = "light", **preferences: object
) -> Session:
    return Session(document, Preferences(**preferences), language, shade)  # type: ignore[arg-type]


def diagram(qtbot: QtBot, session: Session, width: int = 1240, height: int = 260) -> DiagramView:
    """A diagram that follows its session, on the screen."""
    view = DiagramView(session)
    qtbot.addWidget(view)
    session.changed.connect(view.show_state)
    view.show_state(None, session.state)
    view.resize(width, height)
    view.show()
    qtbot.waitExposed(view)
    return view


def on_screen(view: DiagramView, rect: Rect, across: float = 0.5, down: float = 0.5) -> QPoint:
    """A point of a rectangle of the layout, in the widget."""
    area = view.camera.to_screen(rect)
    return QPointF(area.x() + across * area.width(), area.y() + down * area.height()).toPoint()


def cell_on_screen(view: DiagramView, stage_id: str, row: int, column: int) -> QPoint:
    box = view.layout_now().box(stage_id)
    return on_screen(
        view, box.matrix.block_rect(box.rows, box.columns, (row, row + 1), (column, column + 1))
    )
