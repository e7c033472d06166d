"""Controls of a lab: their kinds and the values each accepts. No texts, no Qt."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from core.base.errors import UserError

Value = bool | int | float | str | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Slider:
    """A number from `low` to `high` in steps of `step`.

    `log` spaces the handle logarithmically, `whole` means integers.
    """

    id: str
    low: float
    high: float
    default: float
    step: float = 0.01
    log: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """A whole number from 0 to `last` that can be played and stepped; `pause` ms per step."""

    id: str
    last: int
    default: int = 0
    pause: int = 600


@dataclass(frozen=True, slots=True)
class ChoiceControl:
    """One of several options, by id."""

    id: str
    options: tuple[str, ...]
    default: str


@dataclass(frozen=True, slots=True)
class Switch:
    """A boolean."""

    id: str
    default: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """A row of numbers from `low` to `high`, edited as fields or by dragging in the picture."""

    id: str
    default: tuple[float, ...]
    low: float = -100.0
    high: float = 100.0


@dataclass(frozen=True, slots=True)
class Points:
    """Points of a plane with coordinates from −reach to reach, dragged or edited as fields."""

    id: str
    default: tuple[tuple[float, float], ...]
    reach: float = 4.0

    @property
    def low(self) -> float:
        """Return the least coordinate."""
        return -self.reach

    @property
    def high(self) -> float:
        """Return the largest coordinate."""
        return self.reach


@dataclass(frozen=True, slots=True)
class Order:
    """A permutation of `count` items: position i holds item order[i]."""

    id: str
    count: int

    @property
    def default(self) -> tuple[int, ...]:
        """Return the identity permutation."""
        return tuple(range(self.count))


@dataclass(frozen=True, slots=True)
class Seed:
    """A random seed from 0 to 9999, with a button for the next one."""

    id: str = "seed"
    default: int = 1


@dataclass(frozen=True, slots=True)
class Button:
    """A button that calls Lab.press or, in the background with progress, Lab.job.

    One that `leads` changes nothing here: it opens the lab that Lab.leads names, or else the lab's
    experiment in the main window.
    """

    id: str
    job: bool = False
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Opener:
    """A file chosen by the user, which Lab.open turns into values.

    `endings` such as (".png", ".jpg").
    """

    id: str
    endings: tuple[str, ...]


Valued = Slider | Clock | ChoiceControl | Switch | Numbers | Points | Order | Seed
Control = Valued | Button | Opener
MOST_SEED = 9999
LONGEST_TEXT = 60


def fitted(control: Valued, value: object) -> Value:
    """Convert a value to the control's type, range and step; an option may be given by its number.

    Raises UserError "lab.value.…" (control, value, and the accepted values) for other types and
    out-of-range values.
    """
    kind, takes, result = _fitted(control, value)
    if result is None:
        raise UserError(f"lab.value.{kind}", control=control.id, value=_written(value), **takes)
    return result


def _bound(number: float) -> float | int:
    return int(number) if number == int(number) else number


def _written(value: object) -> str:
    """Format a rejected value, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _fitted(control: Valued, value: object) -> tuple[str, dict[str, object], Value | None]:
    """Return the kind of value a control accepts, its bounds, and the value, None if refused."""
    match control:
        case Slider(low=low, high=high, whole=whole):
            kind = "whole" if whole else "number"
            return kind, {"low": _bound(low), "high": _bound(high)}, _number(control, value)
        case Clock(last=last):
            return "whole", {"low": 0, "high": last}, _whole(value, last)
        case Seed():
            return "whole", {"low": 0, "high": MOST_SEED}, _whole(value, MOST_SEED)
        case ChoiceControl(options=options):
            return "option", {"known": options}, _option(value, options)
        case Switch():
            return "switch", {}, value if isinstance(value, bool) else None
        case Numbers() | Points():
            bounds = {"low": _bound(control.low), "high": _bound(control.high)}
            takes: dict[str, object] = {"count": len(control.default), **bounds}
            if isinstance(control, Numbers):
                return (
                    "numbers",
                    takes,
                    _row(value, len(control.default), control.low, control.high),
                )
            return "points", takes, _points(control, value)
        case Order(count=count):
            return "order", {"count": count, "high": count - 1}, _order(value, count)


def _option(value: object, options: tuple[str, ...]) -> str | None:
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return name if isinstance(name, str) and name in options else None


def _number(control: Slider, value: object) -> float | int | None:
    number = _real(value, control.low, control.high)
    if number is None:
        return None
    return round(number) if control.whole else number


def _real(value: object, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if low <= value <= high else None


def _whole(value: object, last: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= last else None


def _row(value: object, count: int, low: float, high: float) -> tuple[float, ...] | None:
    if not isinstance(value, list | tuple) or len(value) != count:
        return None
    numbers = [_real(entry, low, high) for entry in value]
    return None if None in numbers else tuple(number for number in numbers if number is not None)


def _points(control: Points, value: object) -> tuple[tuple[float, ...], ...] | None:
    if not isinstance(value, list | tuple) or len(value) != len(control.default):
        return None
    points = [_row(point, 2, -control.reach, control.reach) for point in value]
    return None if None in points else tuple(point for point in points if point is not None)


def _order(value: object, count: int) -> tuple[int, ...] | None:
    if not isinstance(value, list | tuple) or not all(type(place) is int for place in value):
        return None
    order = tuple(int(place) for place in value)
    return order if sorted(order) == list(range(count)) else None


def ends(control: Control) -> tuple[Value, ...]:
    """Return the extreme values of a control, for tests and the keys Home and End.

    Empty for a control without a range.
    """
    match control:
        case Slider(low=low, high=high, whole=whole):
            return (round(low), round(high)) if whole else (float(low), float(high))
        case Clock(last=last):
            return 0, last
        case Seed():
            return 0, MOST_SEED
        case ChoiceControl(options=options):
            return options
        case Switch():
            return False, True
        case Numbers(default=default, low=low, high=high):
            return (low,) * len(default), (high,) * len(default)
        case Points(default=default, reach=reach):
            return ((-reach, -reach),) * len(default), ((reach, reach),) * len(default)
        case Order(count=count):
            return tuple(range(count)), tuple(reversed(range(count)))
        case _:
            return ()
