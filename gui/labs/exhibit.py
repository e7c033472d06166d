"""Base class of exhibits: texts, picture and interactive spots of one lab."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from core.labs.controls import Clock, Control, Value
from core.labs.lab import Setting, find_lab
from gui.painting.theme import Colours, colours
from gui.texts.translation import tr, tr_marked


@dataclass(frozen=True, slots=True)
class Appearance:
    """How it is shown: theme by name, decimals of every number, what is pointed at in the picture (a spot's id).

    `live` says that it can be dragged: not in pictures, slides and pages.
    """

    shade: str = "light"
    decimals: int = 2
    focus: str = ""
    live: bool = False

    @property
    def theme(self) -> Colours:
        """The colours."""
        return colours(self.shade)


@dataclass(frozen=True, slots=True, eq=False)
class LabView:
    """All that a picture shows: the setting, what follows from it, and the look. Words are in the current language."""

    setting: Setting
    result: Any
    appearance: Appearance = Appearance()


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the picture that can be chosen by a click, by Tab and Enter, or dragged.

    `name` is what a screen reader says, value included. A click sets `control` to `value`. Where `drag` is given,
    it makes the control's value of a point of the picture; arrow keys then move by `nudge` units of the picture.
    Without `tab` it is for the mouse alone, because a draggable one does the same by keys.
    """

    id: str
    area: QRectF
    name: str
    control: str
    value: Value | None = None
    drag: Callable[[QPointF], Value] | None = None
    nudge: float = 4.0
    press: bool = False
    key: str = ""
    tab: bool = True


class Exhibit:
    """One lab's words and picture. Texts are said in the current language: call tr() inside the methods.

    `labels` and `helps` are marked texts by control: what it is called, and one sentence more about it.
    `pictured` are controls that the picture itself offers, so that the panel beside it does not.
    `headed`: the picture has a heading of its own, larger than the claim.
    """

    headed = False
    pictured: frozenset[str] = frozenset()

    labels: Mapping[str, str] = MappingProxyType({})
    helps: Mapping[str, str] = MappingProxyType({})

    def label(self, control: Control, setting: Setting) -> str:
        """What a control is called."""
        return tr_marked(self.labels[control.id])

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """What an option of a choice is called."""
        return option

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """What one of several numbers, points or places of a control is called, such as its token."""
        return str(index + 1)

    def stands(self, control: Clock, value: int) -> str:
        """Where a clock stands, beside its buttons: by its steps, unless the picture counts otherwise."""
        return tr("{number} of {most}", number=value, most=control.last)

    def help(self, control_id: str) -> str:
        """One sentence more about a control; "" where its name says it all."""
        return tr_marked(self.helps[control_id]) if control_id in self.helps else ""

    def notice(self, view: LabView) -> str:
        """One sentence that says what to notice now, with the numbers of the screen."""
        raise NotImplementedError

    def attempt(self, view: LabView) -> str:
        """One thing to try."""
        raise NotImplementedError

    def paint(self, painter: QPainter, area: QRectF, view: LabView) -> None:
        """The picture in a room of logical units, from 560 × 360 to 2000 × 1200."""
        raise NotImplementedError

    def spots(self, area: QRectF, view: LabView) -> tuple[Spot, ...]:
        """What can be touched in the picture, in the order of Tab."""
        return ()

    def spoken(self, view: LabView) -> str:
        """The picture in words, for those who hear instead of see: its numbers, not its colours."""
        return self.notice(view)


@cache
def find_exhibit(lab_id: str) -> Exhibit:
    """Words and picture of a lab. Raises UserError "lab.absent" (lab, known)."""
    find_lab(lab_id)  # refuses what is no lab
    found: Exhibit = import_module(f"gui.labs.{lab_id.replace('-', '_')}").EXHIBIT
    return found


@dataclass(frozen=True, slots=True)
class ExhibitView:
    """One picture: its name and what to try in it (marked texts), what to notice, and its painter."""

    name: str
    attempt: str
    notice: Callable[[LabView], str]
    paint: Callable[[QPainter, QRectF, LabView], None]


class Viewed(Exhibit):
    """What the window needs to know of such a lab; `views` by the options of its control "view"."""

    def __init__(self, views: Mapping[str, ExhibitView]) -> None:
        self.views = views

    def view(self, view: LabView) -> ExhibitView:
        """The picture chosen."""
        return self.views[view.setting["view"]]

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The pictures by name."""
        if control_id == "view":
            return tr_marked(self.views[option].name)
        return super().option(control_id, option, setting)

    def notice(self, view: LabView) -> str:
        """What the picture chosen shows."""
        return self.view(view).notice(view)

    def attempt(self, view: LabView) -> str:
        """One thing to try in the picture chosen."""
        return tr_marked(self.view(view).attempt)

    def paint(self, painter: QPainter, area: QRectF, view: LabView) -> None:
        """The picture chosen."""
        self.view(view).paint(painter, area, view)
