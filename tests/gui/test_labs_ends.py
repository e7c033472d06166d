"""Every lab on every experiment, with each control at its ends: finite, drawn, told in both languages, handed over."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Generator, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from core.compute.trace import run
from core.document.document import Softmax
from core.labs.controls import Button, ChoiceControl, Opener
from core.labs.lab import LABS, Setting, find_lab
from core.storage import archive
from gui.labs.exhibit import LabAppearance, LabView, find_exhibit, show_lab
from gui.labs.frame import paint_page
from gui.painting.theme import THEMES
from gui.texts.translation import use_language
from tests.gui.lab_pictures import SIZES, assert_spots_lie_apart, image_of, settings_at_ends
from tests.gui.lab_starts import extremes, starts

CHINESE = re.compile(r"[\u4e00-\u9fff]")
BAD = re.compile(r"\bnan\b|\binf\b|∞|\{[a-z_]+\}|None|Traceback", re.IGNORECASE)
ROOMS = ((560, 360), (1400, 900))


@cache
def worked_out(lab_id: str) -> tuple[LabView, ...]:
    """What each setting shows, worked out once for all tests."""
    return tuple(show_lab(lab_id, setting, LabAppearance()) for setting in extremes(lab_id))


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Generator[None]:
    """Some are large, and no other module needs them."""
    yield
    worked_out.cache_clear()


def numbers(value: Any) -> Iterator[float]:
    """Every number of a result, however deep."""
    if isinstance(value, bool | str | type(None)):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            yield from (float(number) for number in value.ravel()[:20000])
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from numbers(entry)
    elif dataclasses.is_dataclass(value) and type(value).__module__.startswith("core.labs"):
        for field in dataclasses.fields(value):
            yield from numbers(getattr(value, field.name))


def sheet(lab_id: str, setting: Setting, size: tuple[int, int], shade: str = "light") -> QImage:
    """The picture with its words around it, on white."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    paint_page(
        painter, QRectF(0, 0, *size), lab_id, show_lab(lab_id, setting, LabAppearance(shade))
    )
    painter.end()
    return image


def is_blank(image: QImage) -> bool:
    """Whether it is of one colour."""
    plain = image.copy()
    plain.fill(image.pixelColor(0, 0))
    return image == plain


def overflows(lab_id: str, setting: Setting) -> bool:
    """Whether the lab shows what NumPy gives beyond the largest number: inf and nan."""
    if lab_id != "softmax" or setting["subtract"]:
        return False
    z = (np.array(setting["scores"]) + setting["constant"]) / setting["temperature"]
    with np.errstate(all="ignore"):
        total = (Softmax(setting["base"]).number ** z).sum()
    return not 0 < total < math.inf


def may_stand(number: float, setting: Setting) -> bool:
    """Whether it is finite, or the score of a key that a mask forbids."""
    masked = setting.document is not None and setting.document.mask.kind != "none"
    return math.isfinite(number) or (masked and number == -math.inf)


@pytest.mark.parametrize("lab_id", LABS)
def test_results_are_finite(lab_id: str) -> None:
    for shown in worked_out(lab_id):
        if not overflows(lab_id, shown.setting):
            assert all(may_stand(number, shown.setting) for number in numbers(shown.result)), dict(
                shown.setting.values
            )


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("lab_id", LABS)
def test_words_are_said_in_the_language(qapp: object, lab_id: str, language: str) -> None:
    use_language(language)
    show = find_exhibit(lab_id)
    for shown in worked_out(lab_id):
        for text in (show.notice(shown), show.attempt(shown), show.spoken(shown)):
            assert text
            assert overflows(lab_id, shown.setting) or not BAD.search(text), text
            assert bool(CHINESE.search(text)) or language == "en", text


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("lab_id", LABS)
def test_controls_and_their_options_have_names(lab_id: str, language: str) -> None:
    use_language(language)
    show = find_exhibit(lab_id)
    for setting in starts(lab_id):
        for control in find_lab(lab_id).controls(setting):
            assert show.label(control, setting)
            if isinstance(control, ChoiceControl):
                names = [show.option(control.id, option, setting) for option in control.options]
                assert all(names)
                assert len(set(names)) == len(names), (control.id, names)


@pytest.mark.parametrize("lab_id", LABS)
def test_the_sheet_is_drawn(qapp: object, lab_id: str) -> None:
    lab = find_lab(lab_id)
    start = lab.start()
    images = [sheet(lab_id, start, ROOMS[0], shade) for shade in THEMES]  # own what bits() returns
    assert len({image.bits().tobytes() for image in images}) == len(THEMES)
    for setting in (start, *settings_at_ends(lab, start)):
        assert not any(is_blank(sheet(lab_id, setting, size)) for size in ROOMS)


@pytest.mark.parametrize("lab_id", LABS)
def test_the_picture_is_drawn_in_every_theme(qapp: object, lab_id: str) -> None:
    for index, shown in enumerate(worked_out(lab_id)):
        look = LabAppearance(list(THEMES)[index % len(THEMES)], index % 4)
        assert not is_blank(
            image_of(find_exhibit(lab_id), dataclasses.replace(shown, appearance=look), SIZES[0])
        )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lab_id", LABS)
def test_places_to_touch_lie_apart(qapp: object, lab_id: str, size: tuple[int, int]) -> None:
    for setting in starts(lab_id):
        one_line = lab_id == "positions" and setting["view"] == "distance" and setting["shift"] == 0
        assert_spots_lie_apart(
            find_exhibit(lab_id), show_lab(lab_id, setting, LabAppearance()), size, moved=one_line
        )
    for shown in worked_out(lab_id):
        assert_spots_lie_apart(find_exhibit(lab_id), shown, size, moved=True)


@pytest.mark.parametrize("lab_id", LABS)
def test_jobs_bring_a_setting_that_can_be_shown(lab_id: str) -> None:
    lab = find_lab(lab_id)
    for control in lab.controls(lab.start()):
        if isinstance(control, Button) and control.job:
            result = lab.compute(lab.job(lab.start(), control.id, lambda part: 0.0 <= part <= 1.0))
            assert all(math.isfinite(number) for number in numbers(result))
        if isinstance(control, Opener):
            assert control.endings


@pytest.mark.parametrize("lab_id", LABS)
def test_what_is_handed_over_is_an_experiment_that_runs(lab_id: str) -> None:
    """Many settings hand over the same experiment: each different one is run once."""
    documents = filter(None, map(find_lab(lab_id).document, extremes(lab_id)))
    for written in {archive.dumps(document) for document in documents}:
        document = archive.loads(written)
        assert archive.dumps(document) == written
        names = {stage.spec.name for stage in run(document).plan}
        assert names & {"weights", "probabilities"}  # a stack may have all layers off
