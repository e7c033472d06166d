"""Labels: a floating message at a place, and text whose height stays stable."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QCursor, QEnterEvent, QHelpEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QToolTip, QWidget

from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, Colours
from gui.texts.rich_text import to_html

WIDEST = 340


class Bubble(QLabel):
    """A message over its parent, below or above a place; hidden at the next change."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setWordWrap(True)
        set_font(self, BODY)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paint_in(self, theme: Colours) -> None:
        """Apply the colours of a theme."""
        self.setStyleSheet(
            f"color: {theme.error}; background: {theme.surface}; border: 1px solid {theme.error};"
            "border-radius: 6px; padding: 6px 8px;"
        )

    def say(self, sentence: str, place: QRect) -> None:
        """Show a sentence at a rectangle of the parent."""
        space = self._parent.rect()
        self.setText(to_html(sentence))
        self.setAccessibleName(sentence)
        self.setFixedWidth(min(px(WIDEST), max(120, space.width() - 8)))
        self.adjustSize()
        below = place.bottom() + 4
        above = place.top() - 4 - self.height()
        y = below if below + self.height() <= space.height() or above < 0 else above
        x = max(4, min(place.left(), space.width() - self.width() - 4))
        self.move(x, max(0, y))
        self.raise_()
        self.show()


def renew_tooltip() -> None:
    """Ask the widget under the mouse for the visible tooltip again; hide it where there is none.

    Call it when numbers have changed.
    """
    if not QToolTip.isVisible():
        return
    at = QCursor.pos()
    under = QApplication.widgetAt(at)
    if under is not None:
        event = QHelpEvent(QEvent.Type.ToolTip, under.mapFromGlobal(at), at)
        if QApplication.sendEvent(under, event) and event.isAccepted():
            return
    for widget in QApplication.topLevelWidgets():
        if widget.inherits("QTipLabel"):
            widget.hide()  # QToolTip.hideText leaves it for 300 ms


class StableLabel(QWidget):
    """A label that fills the width and is as high as its text needs.

    The text is selectable only under the pointer: selectable text is painted twice at each change.
    """

    def __init__(self, label: QLabel, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label
        self._high = 0  # requested last
        label.setParent(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        """The height of the text."""
        return max(self._label.heightForWidth(width), self._label.minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """The height for the current width."""
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """Any width."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the label."""
        super().resizeEvent(event)
        self._label.setGeometry(self.rect())
        self._ask()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Make the text selectable."""
        super().enterEvent(event)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def leaveEvent(self, event: QEvent) -> None:
        """Make it unselectable, unless text is selected."""
        super().leaveEvent(event)
        if not self._label.hasSelectedText():
            self._label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)

    def event(self, event: QEvent) -> bool:
        """Adapt to another text or font."""
        if event.type() == QEvent.Type.LayoutRequest and self._ask(again=True):
            around = self.parentWidget()
            layout = None if around is None else around.layout()
            if layout is not None:
                layout.activate()  # Qt would forget a layout that is already waiting
        return super().event(event)

    def _ask(self, *, again: bool = False) -> bool:
        """Request another height if the text needs one; `again` after the text changed."""
        needed = self.heightForWidth(self.width())
        asks = needed != self.height() and (needed != self._high or again)
        self._high = needed
        if asks:
            self.updateGeometry()
        return asks
