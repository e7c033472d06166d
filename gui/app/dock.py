"""A dock with a quiet title bar: it can be moved, floated, closed, and comes back from the View menu."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.app.lazy_panel import LazyPanel
from gui.painting.icons import icon
from gui.painting.text_size import set_fixed, set_font, set_icon_size, set_least
from gui.painting.theme import CAPTION, colours
from gui.session.state import State
from gui.texts.translation import label, tr, tr_marked

BAR = 24  # the height of a title


class Dock(QDockWidget):
    """Holds one view on a card. `left()`: it is out of sight now and had the keyboard, which is to go elsewhere."""

    left = Signal()

    def __init__(self, name: str, title: str, view: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._title = title
        self._card = QFrame(self)
        self._card.setObjectName("card")
        layout = QVBoxLayout(self._card)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(view)
        self._view = view
        self.setWidget(self._card)
        self._label = QLabel(self)
        set_font(self._label, CAPTION, bold=True)
        self._close = QToolButton(self)
        self._close.setAutoRaise(True)
        set_icon_size(self._close, 14)
        set_fixed(self._close, 20, 20)
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close.clicked.connect(self.close)
        self._bar = self._title_bar()
        self._dress_bar(True)
        self.setTitleBarWidget(self._bar)
        self.visibilityChanged.connect(self._on_visible)

    def _on_visible(self, visible: bool) -> None:
        """A dock behind another one's tab is only moved aside: Qt leaves it the keyboard."""
        if visible and isinstance(self._view, LazyPanel):
            self._view.look()
        focused = self.window().focusWidget()
        if not visible and focused is not None and self.isAncestorOf(focused):
            self.left.emit()

    def show_title(self, shown: bool) -> None:
        """Its own title, or none where a tab says it already."""
        if shown == self._close.isHidden():
            self._label.setVisible(shown)
            self._close.setVisible(shown)
            self._dress_bar(shown)

    def _dress_bar(self, shown: bool) -> None:
        set_least(self._bar, height=BAR if shown else 0)
        self._row.setContentsMargins(*((10, 0, 4, 0) if shown else (0, 0, 0, 0)))

    def _title_bar(self) -> QWidget:
        bar = QWidget(self)
        row = self._row = QHBoxLayout(bar)
        row.addWidget(self._label)
        row.addStretch(1)
        row.addWidget(self._close)
        return bar

    def show_state(self, old: State | None, new: State) -> None:
        """Title and colours."""
        theme = colours(new.shade)
        if old is None or old.wording != new.wording:
            title = tr_marked(self._title)
            self.setWindowTitle(label(self._title))
            self.toggleViewAction().setText(title)
            self._label.setText(label(self._title))
            self._close.setAccessibleName(tr("Close the panel {title}", title=title))
            self._close.setToolTip(tr("Close the panel (View brings it back)"))
        if old is None or old.shade != new.shade:
            self._close.setIcon(icon("close", theme.muted))
            self._label.setStyleSheet(f"color: {theme.muted};")
            self._card.setStyleSheet(
                f"#card {{ background: {theme.surface}; border: 1px solid {theme.line}; border-radius: 10px; }}"
            )
