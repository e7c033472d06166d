"""The round table: a seat that is clicked speaks, and what is written is what the core worked out."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.document.document import Document, Mask
from core.document.edits import with_head_enabled, with_mask, with_tensor
from core.labs.roles import LAB, table
from core.storage.examples import load_example
from gui.labs.exhibit import LabAppearance, show_lab
from gui.labs.roles import EXHIBIT
from gui.labs.roles_picture import areas, loop_label_place, loudest, paint_sum, path_of, seat_layout
from gui.painting.matrix import MatrixSpec
from gui.texts.translation import spoken, use_language
from tests.gui.labs_kit import drawn_texts, lab_window


@pytest.mark.parametrize("speaker", range(5))
def test_what_is_written_is_what_was_worked_out(qapp: object, speaker: int) -> None:
    setting = LAB.start(None, {"speaker": str(speaker), "step": 3})
    result = LAB.compute(setting)
    texts = drawn_texts("roles", setting)
    for number in (*result.y, *result.weights, *result.q):
        assert show(float(number), 2) in texts


def test_numbers_come_step_by_step(qapp: object) -> None:
    weight, score = show(float(LAB.compute(LAB.start()).weights[0]), 2), "6.00"
    seen = [drawn_texts("roles", LAB.start(None, {"step": step})) for step in range(4)]
    assert [weight in texts for texts in seen] == [False, False, True, True]
    assert [score in texts for texts in seen] == [False, True, True, True]


def test_a_seat_that_is_clicked_speaks(qtbot: QtBot) -> None:
    with lab_window("roles") as window:
        seat = window.picture.spots[4]
        qtbot.mouseClick(
            window.picture, Qt.MouseButton.LeftButton, pos=seat.area.center().toPoint()
        )
        assert window.session.state.setting["speaker"] == "4"
        assert "“apple”" in window.notice.text()


def test_what_is_heard_tells_every_seat(qapp: object) -> None:
    said = EXHIBIT.spoken(show_lab("roles", LAB.start(), LabAppearance()))
    assert "“Ming”, weight 0.47" in said
    assert "“up”, weight 0.02" in said


def notice(document: Document | None = None, **values: object) -> str:
    return EXHIBIT.notice(show_lab("roles", LAB.start(document, values), LabAppearance()))


def causal() -> Document:
    return with_mask(table(), Mask("causal"))


def alike() -> Document:
    """Every card is the same."""
    return with_tensor(table(), "K", np.ones((5, 4)), 0)


def test_who_shares_the_first_place_is_named(qapp: object) -> None:
    assert (
        notice(step=1)
        == "The question of “ate” fits the cards of “Ming” and “apple” best: q·k = 6.00 each."
    )
    assert (
        notice(step=2)
        == "“ate” listens to “Ming” and “apple” with 0.47 of its attention each, to “up” with only 0.02."
    )
    assert (
        notice() == "What “ate” hears is a mixture: 0.47 of what each of “Ming” and “apple” says, "
        "0.02 of what each of the others says."
    )
    assert (
        notice(speaker="4", step=2)
        == "“apple” listens to “that” with 0.48 of its attention, to “Ming” with only 0.06."
    )


def test_nobody_is_named_twice_where_a_mask_leaves_few(qapp: object) -> None:
    assert notice(causal(), speaker="0") == "“小明” may listen only to itself: weight 1.00."
    assert notice(causal(), speaker="0", step=1) == "“小明” may listen only to itself: q·k = 0.00."
    assert (
        notice(causal())
        == "What “吃” hears is a mixture: 0.95 of what “小明” says, 0.05 of what “吃” says."
    )
    only = np.zeros((5, 5), dtype=np.bool_)
    only[:, 0] = True
    single = with_mask(table(), Mask("custom", allow=only))
    assert notice(single) == "“吃” may listen only to “小明”: weight 1.00."


def test_equal_cards_make_a_plain_mean(qapp: object) -> None:
    assert notice(alike(), step=1) == "The question of “吃” fits all 5 cards equally: q·k = 4.00."
    assert (
        notice(alike(), step=2)
        == "“吃” listens to 5 tokens equally, with 0.20 of its attention each."
    )
    assert notice(alike()) == "What “吃” hears is a plain mean: 0.20 of what each of 5 tokens says."


def test_all_loudest_labels_are_bold(qapp: object) -> None:
    shown = show_lab("roles", LAB.start(), LabAppearance())
    assert loudest(shown) == [0, 4]


def test_what_a_mask_forbids_is_marked(qapp: object) -> None:
    texts = drawn_texts("roles", LAB.start(causal(), {"speaker": "1"}))
    assert sum("∞" in text for text in texts) == 3
    assert "masked" in texts
    assert not any("∞" in text for text in drawn_texts("roles", LAB.start()))


def test_a_head_that_is_off_says_so(qapp: object) -> None:
    document = with_head_enabled(load_example("apple-released-iphone"), 0, False)
    off = "Head 1: grammar is off: in the concatenation it counts as 0."
    assert notice(document).endswith(off)
    assert "is off" not in notice(document, head="1")
    setting = LAB.start(document)
    assert [EXHIBIT.option("head", str(head), setting) for head in range(2)] == [
        "Head 1: grammar · off",
        "Head 2: meaning",
    ]


@pytest.mark.parametrize("line", [1.0, 16.0])
def test_the_number_of_a_loop_stands_beside_its_line(qapp: object, line: float) -> None:
    table_area, _ = areas(QRectF(0, 0, 1200, 700))
    for count in (2, 5, 12):
        for chair in seat_layout(table_area, ("词",) * count):
            seated = [chair]
            path = path_of(seated, 0, 0)
            at = loop_label_place(chair, 40.0, line)
            plate = QRectF(at.x() - 20.0, at.y() - 10.0, 40.0, 20.0)
            points = [path.pointAtPercent(step / 200) for step in range(201)]
            assert all(distance(plate, point) >= line / 2 for point in points)
            assert table_area.adjusted(-12, -12, 12, 12).contains(plate)


def distance(plate: QRectF, point: QPointF) -> float:
    x = max(plate.left() - point.x(), 0.0, point.x() - plate.right())
    y = max(plate.top() - point.y(), 0.0, point.y() - plate.bottom())
    return math.hypot(x, y)


def test_in_chinese_tokens_stand_in_quotation_marks(qapp: object) -> None:
    use_language("zh_CN")
    assert notice() == "“吃”听到的是混合：“小明”和“苹果”的话各占 0.47，其余各占 0.02。"
    assert notice(causal()) == "“吃”听到的是混合：“小明”的话占 0.95，“吃”的话占 0.05。"


WIDTHS = (430.0, 436.0, 500.0, 620.0, 900.0)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("example", [None, "apple-released-iphone", "who-ate-whom"])
def test_the_sum_keeps_to_its_room_in_columns_of_one_width(
    qapp: object, monkeypatch: pytest.MonkeyPatch, example: str | None, language: str
) -> None:
    grids: list[tuple[QRectF, MatrixSpec]] = []
    monkeypatch.setattr(
        "gui.labs.charts.grids.paint_matrix",
        lambda p, rect, picture, *_: grids.append((rect, picture)),
    )
    document = None if example is None else load_example(example)
    with spoken(language):
        shown = show_lab("roles", LAB.start(document), LabAppearance())
        for wide in WIDTHS:
            grids.clear()
            image = QImage(10, 10, QImage.Format.Format_RGB32)
            painter = QPainter(image)
            paint_sum(painter, QRectF(0, 0, wide, 560), shown)
            painter.end()
            assert all(0 <= rect.left() and rect.right() + 2.0 <= wide for rect, _ in grids), wide
            alone = [rect.width() for rect, picture in grids if picture.columns == 1]
            assert alone == pytest.approx([alone[0]] * len(alone))
            assert len({picture.digits for _, picture in grids if picture.digits}) == 1


@pytest.mark.parametrize("speaker", range(5))
@pytest.mark.parametrize("example", [None, "apple-released-iphone", "who-ate-whom"])
def test_the_shares_that_are_told_leave_nobody_out(
    qapp: object, example: str | None, speaker: int
) -> None:
    document = None if example is None else load_example(example)
    if document is not None and speaker >= document.n:
        return
    weights = LAB.compute(LAB.start(document, {"speaker": str(speaker), "step": 3})).weights
    loud = [weight for weight in weights if f"{weight:.2f}" == f"{max(weights):.2f}"]
    told = notice(document, speaker=str(speaker))
    if (together := re.search(r"([\d.]+) of what all the others say together", told)) is not None:
        assert float(together[1]) == pytest.approx(1.0 - sum(loud), abs=0.006)
    elif (each := re.search(r"([\d.]+) of what each of the others says", told)) is not None:
        assert float(each[1]) * (len(weights) - len(loud)) + sum(loud) == pytest.approx(
            1.0, abs=0.03
        )
    else:
        assert "a plain mean" in told or len(weights) - len(loud) == 1
