"""Labels: a floating message at a place, text that ends in …, and text whose height stays stable."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QCursor, QEnterEvent, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QToolTip, QWidget

from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, Colours
from gui.texts.rich_text import to_html

WIDEST, BESIDE = 340, 4  # pixels: of a message, and between it and its cells


class Bubble(QLabel):
    """A message beside some cells of a view, over its window; it never covers the cells."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
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

    def say(self, sentence: str, cells: QRect) -> None:
        """Show a sentence beside a rectangle of the view."""
        window = self._view.window()
        if self.parentWidget() is not window:
            self.setParent(window)  # a panel may be too low for the message
        visible = cells & self._view.rect()
        place = QRect(self._view.mapTo(window, visible.topLeft()), visible.size())
        self.setText(to_html(sentence))
        self.setAccessibleName(sentence)
        self.setFixedWidth(min(px(WIDEST), max(120, window.width() - 2 * BESIDE)))
        self.adjustSize()
        self.move(self._beside(place, window.rect()))
        self.raise_()
        self.show()

    def _beside(self, cells: QRect, room: QRect) -> QPoint:
        """The first place that fits: below, above, right or left; else the lower edge."""
        width, height = self.width(), self.height()
        x = max(BESIDE, min(cells.left(), room.width() - width - BESIDE))
        y = max(0, min(cells.top(), room.height() - height))
        places = (
            QPoint(x, cells.bottom() + BESIDE),
            QPoint(x, cells.top() - BESIDE - height),
            QPoint(cells.right() + BESIDE, y),
            QPoint(cells.left() - BESIDE - width, y),
        )
        fitting = (at for at in places if room.contains(QRect(at, self.size())))
        return next(fitting, QPoint(x, room.height() - height))


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


class ElidedLabel(QLabel):
    """One line of plain text, which ends in … where it has no room."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        room = self.contentsRect().adjusted(max(self.indent(), 0), 0, 0, 0)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        with QPainter(self) as painter:
            self.style().drawItemText(
                painter,
                room,
                self.alignment().value,
                self.palette(),
                self.isEnabled(),
                text,
                self.foregroundRole(),
            )


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
