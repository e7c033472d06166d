"""The lab of the plane in the window: arrows follow the pointer, numbers are the trace's, projections say so."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from core.base.number_format import show
from core.document.document import Document, Mask
from core.document.edits import with_head_enabled, with_mask, with_tensor
from core.labs.plane import LAB, own
from core.storage.examples import load_example
from gui.labs.arrows import Field, together
from gui.labs.exhibit import LabAppearance
from gui.labs.plane import EXHIBIT
from gui.labs.plane_picture import plane_layout
from tests.core.stacks import ATTENTION_EXAMPLES
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    image_of,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)


@pytest.mark.parametrize("name", ATTENTION_EXAMPLES)
def test_every_number_is_the_traces(name: str) -> None:
    document = load_example(name)
    shown = shown_of(LAB, LAB.start(document), LabAppearance(decimals=2))
    texts = texts_of(EXHIBIT, shown)
    for row in (shown.result.scores, shown.result.weights):
        assert holds_in_order(texts, [show(float(value), 2) for value in row])
    captions = [text for text in texts if text.startswith("PCA")]
    shares = [result.key_share] if not (result := shown.result).key_exact else []
    shares += [result.value_share] if not result.value_exact else []
    assert captions == [
        f"PCA: {show(100 * share, 0)}% of the variance kept, weights exact" for share in shares
    ]
    if document.v == 2:
        x, y = (show(float(value), 2) for value in result.output)
        assert f"y ({x}, {y})".replace(" ", "") in "".join(texts).replace(" ", "")


def test_a_field_has_one_scale_and_finds_its_way_back() -> None:
    field = Field(QRectF(100, 50, 400, 212), 4.0)
    assert field.unit == pytest.approx(25.0)
    assert field.at(np.array([1.0, -2.0])) == QPointF(325, 206)
    assert field.value(QPointF(325, 206), 0.05) == (1.0, -2.0)
    assert field.value(QPointF(326.2, 9999), 0.05) == (1.05, -4.0)
    assert together(field, np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 1.04]])) == [[0, 2], [1]]


@pytest.mark.parametrize("kind", ["query", "keys", "values"])
def test_an_arrow_follows_the_pointer(kind: str) -> None:
    setting = LAB.start()
    spots = {spot.id: spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting))}
    index = 0 if kind == "query" else 2
    spot = spots[f"{kind} {index}"]
    assert spot.drag is not None
    assert spot.drag(spot.area.center()) == setting[spot.control]
    where = plane_layout(ROOM, shown_of(LAB, setting))
    field = where.values if kind == "values" else where.keys
    moved = LAB.with_value(setting, spot.control, spot.drag(field.at(np.array([-3.0, 1.5]))))
    assert moved[spot.control][index] == (-3.0, 1.5)
    others = [point for place, point in enumerate(setting[spot.control]) if place != index]
    assert [point for place, point in enumerate(moved[spot.control]) if place != index] == others
    edge = spot.drag(QPointF(-9999.0, -9999.0))
    assert isinstance(edge, tuple)
    assert edge[index] == (-4.0, 4.0)


@pytest.mark.parametrize("size", SIZES)
def test_arrow_keys_move_a_tip_there_and_back(size: tuple[int, int]) -> None:
    room, setting = QRectF(0, 0, *size), LAB.start()
    for way in (QPointF(1, 0), QPointF(0, -1), QPointF(-1, 0), QPointF(0, 1)):
        spot = next(
            spot for spot in EXHIBIT.spots(room, shown_of(LAB, setting)) if spot.id == "keys 3"
        )
        assert spot.drag is not None
        new = LAB.with_value(
            setting, spot.control, spot.drag(spot.area.center() + way * spot.nudge)
        )
        assert new is not setting
        setting = new
    assert setting["keys-0"][3] == pytest.approx(LAB.start()["keys-0"][3])


def test_a_column_of_the_table_chooses_the_key_that_is_followed() -> None:
    for document in (None, load_example("eight-heads")):
        setting = LAB.start(document)
        spots = [
            spot
            for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting))
            if spot.id.startswith("key ")
        ]
        assert len(spots) == (4 if document is None else 16)
        chosen = LAB.with_value(setting, spots[1].control, spots[1].value)
        assert chosen["key"] == "1"
        before, after = (
            image_of(EXHIBIT, shown_of(LAB, which), (700, 480)) for which in (setting, chosen)
        )
        assert before != after


def test_longer_vectors_have_no_tips_to_drag() -> None:
    spots = EXHIBIT.spots(ROOM, shown_of(LAB, LAB.start(load_example("i-love-this-apple"))))
    assert all(spot.drag is None for spot in spots)
    assert "another query" in EXHIBIT.attempt(
        shown_of(LAB, LAB.start(load_example("i-love-this-apple")))
    )


def test_words_follow_what_happens() -> None:
    def said(document: object = None, **values: object) -> tuple[str, str]:
        named = {name.replace("_", "-"): value for name, value in values.items()}
        shown = shown_of(LAB, LAB.start(document, named))  # type: ignore[arg-type]
        return EXHIBIT.notice(shown), EXHIBIT.attempt(shown)

    assert said()[0].startswith("y takes 0.55 of the value of “apple” and 0.36 of that of “Ming”")
    assert "dashed line" in said()[1]
    keys = ((0.0, 2.0), (-1.0, 1.5), (-1.0, -1.5), (2.2, 0.4))
    assert "twice as long" in said(keys_0=keys)[1]
    assert "out of the hull" in said(keys_0=keys, query_0_1=((2.4, 1.8),))[1]
    masked = with_mask(own(), Mask("custom", allow=np.zeros((4, 4), dtype=bool)))
    assert "may not attend" in said(masked)[0]
    four = load_example("four-words-causal")
    assert (
        EXHIBIT.notice(shown_of(LAB, LAB.start(four, {"row": "0"})))
        == "This query sees only one key: y is the value of “I”."
    )


def test_the_lesson_says_what_the_lab_shows() -> None:
    results = lesson_results(LAB)
    assert len(results) == 4
    assert [score < 0 for score in results[0].scores] == [False, False, True, False]
    assert int(results[1].weights.argmax()) == 2
    assert results[2].scores.tolist() == pytest.approx((3 * results[0].scores).tolist())
    assert float(results[2].weights[3]) > 0.75
    assert results[3].path is not None


def test_notices_name_ties_and_a_single_key() -> None:
    def notice(document: Document, **values: object) -> str:
        return EXHIBIT.notice(shown_of(LAB, LAB.start(document, values)))

    causal = with_mask(own(), Mask("causal"))
    assert notice(causal, row="0") == "This query sees only one key: y is the value of “小明”."
    same = with_tensor(own(), "K", np.ones((4, 2)), 0)
    assert notice(same) == "All values count equally, 0.25 each: y is their plain mean."
    pair = with_mask(same, Mask("causal"))
    assert notice(pair, row="1").startswith("y takes 0.50 of the value of each of “小明” and “吃”:")
    off = with_head_enabled(load_example("apple-released-iphone"), 1, False)
    assert notice(off, head="1").endswith(
        "Head 2: meaning is off: in the concatenation it counts as 0."
    )
    assert "is off" not in notice(off)
    assert EXHIBIT.option("head", "1", LAB.start(off)) == "Head 2: meaning · off"
