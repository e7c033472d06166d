"""The base class of the setup's sections, and the box for a kind."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, colours
from gui.session.state import State
from gui.texts.glossary import explanation
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.choice import ChoiceBox
from gui.widgets.fields import RealField

LABEL_WIDTH = 84


class KindBox(ChoiceBox):
    """A choice of a kind; `activated` reports the user's choice.

    A kind can be disabled, with the reason as tip.
    """

    def __init__(self, kinds: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = kinds
        set_font(self, BODY)
        self.addItems(list(kinds))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_names(self, names: dict[str, str]) -> None:
        """Name the kinds."""
        for number, kind in enumerate(self.kinds):
            self.setItemText(number, names[kind])

    def show_kind(self, kind: str) -> None:
        """Show the current kind."""
        self.setCurrentIndex(self.kinds.index(kind))

    def disable_kind(self, kind: str, reason: str) -> None:
        """Disable a kind for a reason; "" enables it."""
        number = self.kinds.index(kind)
        item = self.model().item(number)  # type: ignore[attr-defined]
        item.setEnabled(not reason)
        self.setItemData(number, reason or None, Qt.ItemDataRole.ToolTipRole)


class Section(QWidget):
    """A heading (or none), rows of label and widget, and a note below them.

    Subclasses say in `show_texts` what is written in the current language, in `show_settings` what
    is set.
    """

    before_weights = False  # whether it changes what given weights do not have
    term: str  # of the glossary, what the section sets

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
        self._labels: dict[QWidget, QLabel] = {}
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        self.column.addWidget(self._heading)
        self.column.addLayout(self._grid)
        self.column.addWidget(self._note)

    def show_state(self, old: State | None, new: State) -> None:
        """Colours, texts and settings."""
        if old is None or old.shade != new.shade:
            theme = colours(new.shade)
            self._note.setStyleSheet(f"color: {theme.muted};")
            for widget in self._labels:
                if isinstance(widget, RealField):
                    widget.paint_in(theme)
        if old is None or self.text_state(old) != self.text_state(new):
            self.show_texts(new)
        self.show_settings(old, new)
        given = self.before_weights and new.document.source == "weights"
        self.setEnabled(not given)
        if given:
            self.set_note(tr("The weights are given: there are no scores for this to change."))

    def text_state(self, state: State) -> object:
        """What the texts depend on."""
        return state.language

    def show_texts(self, state: State) -> None:
        """Write the texts in the current language."""

    def show_settings(self, old: State | None, new: State) -> None:
        """Show the settings of the document."""

    def add_row(self, widget: QWidget) -> QLabel:
        """Add a labelled row; the label is its buddy."""
        label = QLabel(self)
        label.setBuddy(widget)
        row = len(self._labels)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._grid.addWidget(widget, row, 1)
        set_least(label, height=26)
        self._labels[widget] = label
        return label

    def add_wide(self, widget: QWidget) -> None:
        """Add a row that needs no label."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def set_texts(self, heading: str, note: str, *rows: str) -> None:
        """Set heading, note and labels; a label is also its widget's accessible name. The heading
        and the first label explain `term`.
        """
        self._heading.setText(heading)
        self._heading.setVisible(bool(heading))
        self.set_note(note)
        for explained in (self._heading, *list(self._labels.values())[:1]):
            explained.setToolTip(to_html(explanation(self.term)))
        for (widget, label), text in zip(self._labels.items(), rows, strict=True):
            label.setText(text)
            (widget.focusProxy() or widget).setAccessibleName(text)

    def set_note(self, note: str) -> None:
        """Set the text under the rows; "" hides it."""
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def show_row(self, widget: QWidget, visible: bool) -> None:
        """Show or hide a row."""
        self._labels[widget].setVisible(visible)
        widget.setVisible(visible)
