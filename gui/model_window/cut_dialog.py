"""How the tokenizer cut a sentence: each word, its pieces, and the steps that led to them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.models.tokenizers import Tokenizer
from gui.painting.text_size import set_least
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, close_box, heading, sentence_label, theme_of
from gui.widgets.styles import table_style

MOST_STEPS = 14  # shown for a word; a long word has dozens


class CutDialog(Dialog):
    """A line for each word: as it was written, how it was cut step by step, its ids."""

    def __init__(self, parent: QWidget, tokenizer: Tokenizer, text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Cut into tokens"))
        set_least(self.inside, 760, 420)
        rows = cut_rows(tokenizer, text)
        table = self.table = QTableWidget(len(rows), 3, self)
        table.setHorizontalHeaderLabels([tr("Word"), tr("Cut step by step"), tr("Ids")])
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setAccessibleName(tr("Cut into tokens"))
        table.verticalHeader().hide()
        table.setWordWrap(True)
        for line, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                table.setItem(line, column, item)
        header = table.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.setStyleSheet(table_style(theme_of(parent.window())))
        told = tr(
            "The text is divided into words, then each word is cut into pieces of the "
            "vocabulary. Each line of steps is one join, or one piece that was found; bars "
            "separate the pieces."
        )
        self.add(heading(tr("Cut into tokens")), sentence_label(told, muted=True), (table, 1))
        self.add(close_box(self))
        table.resizeRowsToContents()


def cut_rows(tokenizer: Tokenizer, text: str) -> list[tuple[str, str, str]]:
    """A word, its steps as lines, and its ids."""
    encoding = tokenizer.pieces(text)
    rows = []
    for word in encoding.words:
        ids = encoding.ids[word.first : word.last]
        if word.special:
            steps = [tr("special token")]
        else:
            steps = [" | ".join(state) for state in tokenizer.cut(word.text)]
        if len(steps) > MOST_STEPS:
            steps = [*steps[: MOST_STEPS // 2], "…", *steps[-MOST_STEPS // 2 :]]
        rows.append((word.text, "\n".join(steps), " ".join(map(str, ids))))
    return rows
