"""Labs of several pictures, of which the control "view" shows one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.lab import Setting
from gui.labs.exhibit import Exhibit, LabView
from gui.texts.translation import tr_marked


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

    def view(self, shown: LabView) -> ExhibitView:
        """The picture chosen."""
        return self.views[shown.setting["view"]]

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The pictures by name."""
        if control_id == "view":
            return tr_marked(self.views[option].name)
        return super().option(control_id, option, setting)

    def notice(self, shown: LabView) -> str:
        """What the picture chosen shows."""
        return self.view(shown).notice(shown)

    def attempt(self, shown: LabView) -> str:
        """One thing to try in the picture chosen."""
        return tr_marked(self.view(shown).attempt)

    def paint(self, painter: QPainter, room: QRectF, shown: LabView) -> None:
        """The picture chosen."""
        self.view(shown).paint(painter, room, shown)
