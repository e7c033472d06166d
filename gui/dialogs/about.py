"""About: what this is, which version, on what it stands."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core import __version__
from core.base.files import resource
from gui.painting.text_size import set_least
from gui.painting.theme import DISPLAY
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, caption, close_box, heading, sentence_label

_LIBRARIES = ("PySide6-Essentials", "numpy", "pyqtgraph", "msgspec", "ziamath")


class AboutDialog(Dialog):
    """The name, the version, the licence and the libraries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Attention Stepper"))
        set_least(self.inside, 480)
        row = QHBoxLayout()
        row.setSpacing(22)
        row.addWidget(self._icon(), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._text(), 1)
        self.column.addLayout(row)
        self.column.addSpacing(10)
        self.column.addWidget(close_box(self))

    @staticmethod
    def _icon() -> QLabel:
        label = QLabel()
        label.setPixmap(QIcon(str(resource("icons", "app.svg"))).pixmap(72, 72))
        return label

    @staticmethod
    def _text() -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(heading(tr("Attention Stepper"), DISPLAY))
        column.addWidget(sentence_label(tr("Version {version}", version=__version__), muted=True))
        column.addWidget(
            sentence_label(
                tr(
                    "Step through self-attention, forward and back, with your own numbers. Works offline."
                )
            )
        )
        column.addWidget(sentence_label(tr("Free software under the MIT licence.")))
        column.addSpacing(4)
        column.addWidget(caption(tr("Built with {libraries}.", libraries=libraries())))
        return column


def libraries() -> str:
    """Python and the libraries, with the versions that run here."""
    return ", ".join([f"Python {platform.python_version()}", *map(_named, _LIBRARIES)])


def _named(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name
