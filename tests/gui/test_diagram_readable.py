"""Of a picture that cannot have digits no way to draw it is tried, and none that could have some is missed."""

from __future__ import annotations

import pytest

from core.document.orientation import COLUMNS, ROWS, Orientation
from core.stages import plan as plan_of
from gui.views.diagram.card_sizes import CardStyle
from gui.views.diagram.columns import ColumnSizer
from gui.views.diagram.geometry import _best, layout, strip, with_digits
from tests.core.documents import make

ROOMS = [(1240.0, 260.0), (760.0, 420.0), (2500.0, 900.0), (1900.0, 120.0)]


@pytest.mark.parametrize("orientation", [ROWS, COLUMNS])
@pytest.mark.parametrize("room", ROOMS)
def test_what_is_given_up_before_could_not_have_been_read(
    orientation: Orientation, room: tuple[float, float]
) -> None:
    given_up = 0
    for n, d, k in ((3, 4, 2), (9, 12, 4), (11, 13, 5), (24, 6, 3), (38, 8, 2), (90, 7, 3)):
        document = make(
            sizes={"n": n, "d": d, "h": 2, "k": k, "v": k + 1},
            positional="sinusoidal",
            mask="causal",
        )
        sizes = ColumnSizer(document, plan_of(document))
        if not sizes.readable(room[1], orientation):
            given_up += 1
            for scale in (0.86, 1.0, 1.6):
                assert (
                    _best(sizes, room, CardStyle(scale=scale, orientation=orientation))[1] is None
                )
    assert 0 < given_up < 6


def test_hundreds_of_tokens_are_laid_out_without_trying_digits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = make(sizes={"n": 300, "d": 8, "h": 2, "k": 3, "v": 4})
    plan = plan_of(document)
    assert with_digits(ColumnSizer(document, plan), ROOMS[0], CardStyle()) is None
    monkeypatch.setattr("gui.views.diagram.geometry._widest", lambda *_: pytest.fail("tried"))
    assert not layout(document, plan).digits
    assert not strip(document, plan).digits
