"""New experiment: the sentence that keys and values come from, where it is another one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from gui.painting.text_size import set_least
from gui.texts.translation import tr
from gui.widgets.forms import plain

LONGEST = 20_000  # letters of a sentence


class OtherSentence(QWidget):
    """A box to tick, and then a field. `edited`: the user has done one or the other."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.box = QCheckBox(tr("Ke&ys and values from another sentence"))
        self.box.setAccessibleName(plain(self.box.text()))
        told = tr(
            "Cross-attention: queries come from these tokens, keys and values from a context of its own."
        )
        self.box.setToolTip(told)
        self.box.setAccessibleDescription(told)
        self.box.clicked.connect(self._ticked)
        self.line = QLineEdit(tr("小猫 吃 鱼"))
        self.line.setAccessibleName(tr("The other sentence"))
        self.line.setMaxLength(LONGEST)
        set_least(self.line, height=32)
        self.line.textEdited.connect(self.edited)
        self.line.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.box)
        column.addWidget(self.line)

    @property
    def wanted(self) -> bool:
        """Whether there is another sentence."""
        return self.box.isChecked()

    def _ticked(self, on: bool) -> None:
        self.line.setVisible(on)
        if on:
            self.line.setFocus()
            self.line.selectAll()
        self.edited.emit()
