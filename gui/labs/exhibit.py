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

from core.base.number_format import show
from core.document.document import Document
from core.labs.controls import Clock, Control, Value
from core.labs.lab import Lab, Setting, find_lab
from gui.painting.theme import Colours, colours
from gui.texts.names import head_name, visible_token
from gui.texts.translation import label, label_words, language_folder, mark, tr, tr_marked


@dataclass(frozen=True, slots=True)
class LabAppearance:
    """Theme name, decimals of every number, and the hovered or focused spot's id.

    `live` is false in pictures, slides and pages, where nothing can be dragged.
    """

    shade: str = "light"
    decimals: int = 2
    focus: str = ""
    live: bool = False

    @property
    def theme(self) -> Colours:
        """Return the theme."""
        return colours(self.shade)


@dataclass(frozen=True, slots=True, eq=False)
class LabView:
    """Input of a picture: setting, result and appearance. Texts are in the current language."""

    setting: Setting
    result: Any
    appearance: LabAppearance = LabAppearance()

    @property
    def theme(self) -> Colours:
        """Return the theme."""
        return self.appearance.theme

    @property
    def decimals(self) -> int:
        """Return the decimals of every number."""
        return self.appearance.decimals

    def show(self, value: float) -> str:
        """Format a number."""
        return show(float(value), self.decimals)


def show_lab(lab_id: str, setting: Setting, appearance: LabAppearance) -> LabView:
    """Build the view of a setting, with the tokens of the lab's experiment in the current language."""
    lab = find_lab(lab_id)
    setting = lab.in_language(setting, language_folder())
    return LabView(setting, lab.compute(setting), appearance)


BY_HAND = mark("These numbers were made by hand to show the idea; no model learned them.")
ROOMY_HEIGHT = 300.0  # least height of an area with more than the main part of a picture


def split(area: QRectF, part: float, gap: float, *, across: bool) -> tuple[QRectF, QRectF]:
    """Split an area: the first part of its width (or height), and after a gap the rest."""
    first, rest = QRectF(area), QRectF(area)
    if across:
        first.setWidth(area.width() * part)
        rest.setLeft(first.right() + gap)
    else:
        first.setHeight(area.height() * part)
        rest.setTop(first.bottom() + gap)
    return first, rest


@dataclass(frozen=True, slots=True)
class Spot:
    """An area of the picture that can be clicked, chosen by Tab and Enter, or dragged.

    `name` is read by screen readers, value included. A click sets `control` to `value`. `drag`
    converts a point of the picture to the control's value; arrow keys then move by `nudge` units of
    the picture. Without `tab` the spot is for the mouse alone, because a draggable one does the
    same by keys.
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


TOKEN_CHOICES = ("token", "row", "speaker", "key")


def head_option(document: Document, head: int) -> str:
    """Name a head, and whether it is off."""
    name = head_name(head, document.heads[head].name)
    return name if document.heads[head].enabled else tr("{head} · off", head=name)


class Exhibit:
    """Texts and picture of one lab. Call tr() inside the methods, in the current language.

    `labels` and `helps` are marked texts by control: its name and one explaining sentence;
    `options` are marked texts by option.
    `made` is a marked text on where the numbers of the lab's own experiment come from.
    `pictured` are controls that the picture offers instead of the panel. `headed`: the picture has
    a heading of its own, larger than the claim.
    """

    made = ""
    headed = False
    pictured: frozenset[str] = frozenset()

    labels: Mapping[str, str] = MappingProxyType({})
    helps: Mapping[str, str] = MappingProxyType({})
    options: Mapping[str, str] = MappingProxyType({})

    def label(self, control: Control, setting: Setting) -> str:
        """Return the name of a control."""
        return label(self.labels[control.id])

    def option_label(self, control_id: str, option: str, setting: Setting) -> str:
        """Return the name of an option as a label, which may be in two languages."""
        own, text = self.option(control_id, option, setting), self.options.get(option)
        named = text is not None and own == tr_marked(text)
        return " ".join(label_words(text)) if text is not None and named else own

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Return the name of an option of a choice; the choices of heads and tokens give indices."""
        document = setting.document
        if option in self.options:
            return tr_marked(self.options[option])
        if document is not None and control_id == "head":
            return head_option(document, int(option))
        if document is not None and control_id in TOKEN_CHOICES:
            tokens = document.key_tokens if control_id == "key" else document.tokens
            return visible_token(tokens[int(option)])
        return option

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Return the name of one item of a control of several numbers, points or positions."""
        return str(index + 1)

    def clock_text(self, control: Clock, value: int) -> str:
        """Return the text of a clock's value; by default its steps."""
        return tr("{number} of {most}", number=value, most=control.last)

    def help(self, control_id: str) -> str:
        """Return one explaining sentence of a control, or ""."""
        return tr_marked(self.helps[control_id]) if control_id in self.helps else ""

    def origin(self, lab: Lab, setting: Setting) -> str:
        """Say who made the numbers; "" for a user's own experiment, whose origin is unknown."""
        used = setting.document
        own = used is None or used.title == _own_title(lab)
        return tr_marked(self.made) if self.made and own else ""

    def notice(self, view: LabView) -> str:
        """Return one sentence on what to notice now, with the displayed numbers."""
        raise NotImplementedError

    def attempt(self, view: LabView) -> str:
        """Return one thing to try."""
        raise NotImplementedError

    def paint(self, painter: QPainter, area: QRectF, view: LabView) -> None:
        """Paint the picture into an area of logical units, from 560 × 360 to 2000 × 1200."""
        raise NotImplementedError

    def spots(self, area: QRectF, view: LabView) -> tuple[Spot, ...]:
        """Return the interactive spots in tab order."""
        return ()

    def spoken(self, view: LabView) -> str:
        """Describe the picture for screen readers: its numbers, not its colours."""
        return self.notice(view)


@cache
def _own_title(lab: Lab) -> str:
    document = lab.experiment()
    return "" if document is None else document.title


@cache
def find_exhibit(lab_id: str) -> Exhibit:
    """Return texts and picture of a lab. Raises UserError "lab.absent" (lab, known)."""
    find_lab(lab_id)  # raises for an unknown lab
    found: Exhibit = import_module(f"gui.labs.{lab_id.replace('-', '_')}").EXHIBIT
    return found


@dataclass(frozen=True, slots=True)
class ExhibitView:
    """One picture: its name and suggestion (marked texts), its notice, and its painter."""

    name: str
    attempt: str
    notice: Callable[[LabView], str]
    paint: Callable[[QPainter, QRectF, LabView], None]


class Viewed(Exhibit):
    """An exhibit of several pictures; `views` by the options of its control "view"."""

    def __init__(self, views: Mapping[str, ExhibitView]) -> None:
        self.views = views
        self.options = {option: view.name for option, view in views.items()}

    def view(self, view: LabView) -> ExhibitView:
        """Return the chosen picture."""
        return self.views[view.setting["view"]]

    def notice(self, view: LabView) -> str:
        """Return the notice of the chosen picture."""
        return self.view(view).notice(view)

    def attempt(self, view: LabView) -> str:
        """Return one thing to try in the chosen picture."""
        return tr_marked(self.view(view).attempt)

    def paint(self, painter: QPainter, area: QRectF, view: LabView) -> None:
        """Paint the chosen picture."""
        self.view(view).paint(painter, area, view)
