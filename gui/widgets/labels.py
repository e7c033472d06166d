"""Labels: a floating message at a place, and text whose height stays stable."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QEnterEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, Colours
from gui.texts.rich_text import to_html

WIDEST = 340


class Bubble(QLabel):
    """Floats over its parent, under the given place or above it; gone with the next change."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setWordWrap(True)
        set_font(self, BODY)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
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


class StableLabel(QWidget):
    """As wide as there is room, and as high as its label needs there.

    Its words can be selected under the pointer; where they always can be they are painted twice whenever they change.
    """

    def __init__(self, label: QLabel, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label
        self._high = 0  # asked for last
        label.setParent(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        """What the label needs."""
        return max(self._label.heightForWidth(width), self._label.minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """As high as it is in the width that it has."""
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """No narrower than nothing."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The label fills it."""
        super().resizeEvent(event)
        self._label.setGeometry(self.rect())
        self._ask()

    def enterEvent(self, event: QEnterEvent) -> None:
        """The words can be selected."""
        super().enterEvent(event)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def leaveEvent(self, event: QEvent) -> None:
        """No longer, unless some are."""
        super().leaveEvent(event)
        if not self._label.hasSelectedText():
            self._label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)

    def event(self, event: QEvent) -> bool:
        """The label has other words, or another font."""
        if event.type() == QEvent.Type.LayoutRequest and self._ask(again=True):
            around = self.parentWidget()
            layout = None if around is None else around.layout()
            if layout is not None:
                layout.activate()  # Qt would not ask a layout that is waiting to be asked already, and then forget it
        return super().event(event)

    def _ask(self, *, again: bool = False) -> bool:
        """For another height, if the words need one; what it was given may be from before it had its width.

        Where no other was given, it is asked for `again` only with other words.
        """
        needed = self.heightForWidth(self.width())
        asks = needed != self.height() and (needed != self._high or again)
        self._high = needed
        if asks:
            self.updateGeometry()
        return asks
