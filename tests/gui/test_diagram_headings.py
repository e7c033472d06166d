"""What a card says beside its matrix stays inside of it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRectF

from core.storage.examples import EXAMPLES, load_example
from gui.views.diagram import cards
from gui.views.diagram.shapes import Rect
from tests.gui.diagram_kit import painted_texts, session_of


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("height", [260, 400, 700])
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_lines_beside_a_matrix(
    monkeypatch: pytest.MonkeyPatch, example: str, columns: bool, height: int
) -> None:
    lines: list[tuple[Rect, QRectF]] = []
    plain, draw = cards._paint_side_heading, cards.draw_text

    def watched(painter: Any, look: Any, theme: Any, scale: float) -> None:
        def noted(painter: Any, place: QRectF, *rest: Any) -> None:
            lines.append((look.box.rect, place))
            draw(painter, place, *rest)

        with monkeypatch.context() as inside:
            inside.setattr(cards, "draw_text", noted)
            plain(painter, look, theme, scale)

    monkeypatch.setattr(cards, "_paint_side_heading", watched)
    painted_texts(session_of(load_example(example), columns=columns).state, 1240, height)
    assert all(
        card.y <= place.y() and place.bottom() <= card.y + card.h + 1 for card, place in lines
    ), lines
