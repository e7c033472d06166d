"""Where a slider's handle stands for a value, and the value where the handle stands. Free of Qt."""

from __future__ import annotations

import math

from core.labs.controls import Slider

MOST_PLACES = 1000
LOG_PLACES = 300


def places(slider: Slider) -> int:
    """How many places the handle has beyond the first."""
    if slider.log:
        return LOG_PLACES
    return max(1, min(MOST_PLACES, round((slider.high - slider.low) / slider.step)))


def place_of(slider: Slider, value: float) -> int:
    """The place nearest to a value."""
    if slider.log:
        part = math.log(value / slider.low) / math.log(slider.high / slider.low)
    else:
        part = (value - slider.low) / (slider.high - slider.low)
    return round(part * places(slider))


def value_at(slider: Slider, place: int) -> float | int:
    """The value at a place: the ends exactly, between them no more digits than the steps are fine."""
    if place <= 0 or place >= places(slider):
        value = slider.low if place <= 0 else slider.high
    elif slider.log:
        value = _three_digits(slider.low * (slider.high / slider.low) ** (place / places(slider)))
    else:
        value = round(slider.low + place * (slider.high - slider.low) / places(slider), 10)
    return round(value) if slider.whole else float(value)


def next_place(slider: Slider, value: float, by: int) -> int:
    """The place after a value in a direction at which the value is another one: whole numbers may share places."""
    place = place_of(slider, value) + by
    while slider.whole and 0 < place < places(slider) and value_at(slider, place) == value:
        place += 1 if by > 0 else -1
    return min(max(place, 0), places(slider))


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")
