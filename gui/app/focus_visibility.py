"""A main window in which the keyboard goes only where it can be seen."""

from __future__ import annotations

from PySide6.QtCore import QChildEvent, QEvent, QPoint, QRect
from PySide6.QtWidgets import QMainWindow, QScrollArea, QTabBar, QWidget

from gui.texts.translation import tr

MOST = 1000  # steps past what is out of sight, before it is given up


class FocusVisibleWindow(QMainWindow):
    """Tab passes panels that stand behind another one's tab: Qt only puts them beside the window."""

    def focusNextPrevChild(self, onward: bool) -> bool:
        """On to what can be seen, scrolled to where that is needed."""
        for _ in range(MOST):
            if not super().focusNextPrevChild(onward):
                return False
            widget = self.focusWidget()
            if widget is None or self._holds(widget):
                break
        _bring_into_sight(self.focusWidget())
        return True

    def _holds(self, widget: QWidget) -> bool:
        """Whether a widget, or the panel that it can be scrolled to in, stands inside the window."""
        area = widget.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        place = area or widget
        return self.rect().intersects(QRect(place.mapTo(self, QPoint()), place.size()))

    def childEvent(self, event: QChildEvent) -> None:
        """The tabs of panels, which Qt makes when it needs them, have a name."""
        super().childEvent(event)
        if event.type() == QEvent.Type.ChildPolished and isinstance(event.child(), QTabBar):
            self.name_tabs()

    def name_tabs(self) -> None:
        """In the current language."""
        for child in self.children():
            if isinstance(child, QTabBar):
                child.setAccessibleName(tr("Panels"))
                child.setToolTip(tr("Double-click: the panel in a window of its own"))


def _bring_into_sight(widget: QWidget | None) -> None:
    inside = widget
    while inside is not None:
        inside = inside.parentWidget()
        if isinstance(inside, QScrollArea) and widget is not None:
            inside.ensureWidgetVisible(widget)
