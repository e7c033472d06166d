"""The word in two sentences: what is written is what the core worked out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainterPathStroker

from core.base.number_format import show
from core.labs.context import LAB, SENTENCES, WORD
from gui.labs.context import EXHIBIT, arc, chips, rise
from gui.labs.exhibit import LabAppearance
from gui.painting.color_scale import contrast
from gui.painting.theme import THEMES
from tests.gui.lab_pictures import image_of, shown_of
from tests.gui.labs_kit import drawn_texts


@pytest.mark.parametrize("name", SENTENCES)
def test_what_is_written_is_what_was_worked_out(qapp: object, name: str) -> None:
    setting = LAB.start(None, {"first": name})
    result = shown_of(LAB, setting).result
    texts = drawn_texts("context", setting)
    for meaning in (result.first, result.second):
        assert set(meaning.document.tokens) <= set(texts)
        for number in (*meaning.weights, *meaning.y[:2]):
            assert show(float(number), 2) in texts
        person, deed = (show(float(number), 2) for number in meaning.y[2:])
        assert f"the other two columns: person {person}, action {deed}" in texts
    assert f"cos(y₁, y₂) = {show(result.cosine, 2)}" in texts


def test_a_sentence_is_read_in_the_list(qapp: object) -> None:
    assert EXHIBIT.option("first", "releases", LAB.start()) == "apple releases iPhone"


def test_the_plane_says_that_it_shows_two_columns_and_the_cosine_that_it_has_four(
    qapp: object,
) -> None:
    texts = drawn_texts("context", LAB.start())
    assert "The word before and after: 2 of its 4 columns" in texts
    assert "over all 4 columns" in texts


@pytest.mark.parametrize("shade", THEMES)
def test_outlines_of_neighbours_can_be_seen(qapp: object, shade: str) -> None:
    shown = shown_of(LAB, LAB.start(), LabAppearance(shade))
    image = image_of(EXHIBIT, shown, (1400, 900))
    left, theme = QRectF(12, 6, 1400 * 0.55 - 24, (900 - 12 - 14) / 2), THEMES[shade]
    chip = chips(left, shown.result.first.document.tokens)[0]
    y = round(chip.center().y())
    outline = [image.pixelColor(round(chip.left()) + dx, y) for dx in (-1, 0, 1)]
    assert max(contrast(colour, QColor(theme.surface)) for colour in outline) >= 3.0


@pytest.mark.parametrize("sentence_id", SENTENCES)
@pytest.mark.parametrize("size", [(936, 520), (1100, 640)])
def test_arcs_are_nested_and_no_number_lies_on_the_arc_of_another(
    qapp: object, sentence_id: str, size: tuple[int, int]
) -> None:
    area = QRectF(0, 0, size[0] * 0.55 - 24, (size[1] - 26) / 2)
    tokens = SENTENCES[sentence_id]
    seated, word = chips(area, tokens), tokens.index(WORD)
    drawn = [arc(seated, index, word, rise(area)) for index in range(len(tokens))]
    stroker = QPainterPathStroker()
    stroker.setWidth(3.0)
    for index, one in enumerate(drawn):
        assert area.contains(one.path.boundingRect())
        plate = QRectF(0, 0, 34.0, 14.0)
        plate.moveCenter(one.label)
        assert area.contains(plate)
        for other in drawn[:index] + drawn[index + 1 :]:
            assert not stroker.createStroke(other.path).intersects(plate)
            assert not stroker.createStroke(other.path).intersects(stroker.createStroke(one.path))


def test_arcs_grow_with_the_room(qapp: object) -> None:
    low, middle, high = (rise(QRectF(0, 0, 400, height)) for height in (150, 250, 350))
    assert low < middle < high
