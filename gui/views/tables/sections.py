"""Rows of the setup: a label, what it belongs to, and sections with a heading."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, Colours
from gui.widgets.choice import ChoiceBox

LABEL_WIDTH = 84


class KindBox(ChoiceBox):
    """A list of kinds. `activated` tells the user's choice; some kinds can be impossible, with the reason as tip."""

    def __init__(self, kinds: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = kinds
        set_font(self, BODY)
        self.addItems(list(kinds))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_names(self, names: dict[str, str]) -> None:
        """What the kinds are called."""
        for number, kind in enumerate(self.kinds):
            self.setItemText(number, names[kind])

    def show_kind(self, kind: str) -> None:
        """The kind that is in force."""
        self.setCurrentIndex(self.kinds.index(kind))

    def disable_kind(self, kind: str, reason: str) -> None:
        """A kind that cannot be chosen, and why; "" allows it."""
        number = self.kinds.index(kind)
        item = self.model().item(number)  # type: ignore[attr-defined]
        item.setEnabled(not reason)
        self.setItemData(number, reason or None, Qt.ItemDataRole.ToolTipRole)


class Section(QWidget):
    """A heading (or none), rows of label and widget, and a caption that explains."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading, self._note = QLabel(self), QLabel(self)
        set_font(self._heading, BODY, bold=True)
        set_font(self._note, CAPTION)
        self._note.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnMinimumWidth(0, LABEL_WIDTH)
        self._grid.setColumnStretch(1, 1)
        self._labels: list[tuple[QLabel, QWidget]] = []
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        self.column.addWidget(self._heading)
        self.column.addLayout(self._grid)
        self.column.addWidget(self._note)

    def add_row(self, widget: QWidget) -> QLabel:
        """A labelled row; the label is its buddy."""
        label = QLabel(self)
        label.setBuddy(widget)
        row = len(self._labels)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._grid.addWidget(widget, row, 1)
        set_least(label, height=26)
        self._labels.append((label, widget))
        return label

    def add_wide(self, widget: QWidget) -> None:
        """A row that needs no label."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def set_texts(self, heading: str, note: str, *rows: str) -> None:
        """The texts in the current language, a row's on its label and for those who hear instead of see."""
        self._heading.setText(heading)
        self._heading.setVisible(bool(heading))
        self.set_note(note)
        for (label, widget), text in zip(self._labels, rows, strict=True):
            label.setText(text)
            named = widget.focusProxy() or widget
            named.setAccessibleName(text)

    def set_note(self, note: str) -> None:
        """The caption under the rows."""
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def show_row(self, widget: QWidget, shown: bool) -> None:
        """A row that makes sense now, or not."""
        for label, other in self._labels:
            if other is widget:
                label.setVisible(shown)
                other.setVisible(shown)

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self._note.setStyleSheet(f"color: {theme.muted};")
