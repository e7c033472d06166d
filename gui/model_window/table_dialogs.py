"""Dialogs with a table: how a sentence was cut into tokens, and all terms of a score."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.base.number_format import show
from core.models.reasons import Reasons
from core.models.tokenizers import Tokenizer
from gui.model_window.reasons_view import term_rows
from gui.painting.text_size import set_least
from gui.painting.theme import Colours
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, close_box, heading, sentence_label, theme_of
from gui.widgets.styles import table_style

MOST_STEPS = 14  # shown for a word; a long word has dozens
DECIMALS = 6
TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CutDialog(Dialog):
    """A line for each word: as it was written, how it was cut step by step, its ids."""

    def __init__(self, parent: QWidget, tokenizer: Tokenizer, text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Cut into tokens"))
        set_least(self.inside, 760, 420)
        table = self.table = _table(
            self,
            theme_of(parent.window()),
            tr("Cut into tokens"),
            [tr("Word"), tr("Cut step by step"), tr("Ids")],
            cut_rows(tokenizer, text),
            [TOP, TOP, TOP],
        )
        table.setWordWrap(True)
        header = table.horizontalHeader()
        for column in (0, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setDefaultAlignment(LEFT)
        told = tr(
            "The text is divided into words, then each word is cut into pieces of the "
            "vocabulary. Each line is one merge, or one piece that was found; bars separate the "
            "pieces."
        )
        self.add(heading(tr("Cut into tokens")), sentence_label(told, muted=True), (table, 1))
        self.add(close_box(self))
        table.resizeRowsToContents()


class ScoreTermsDialog(Dialog):
    """All pairs of parts that a score is the sum of, sorted, with their sum so far."""

    def __init__(self, parent: QWidget, title: str, reasons: Reasons) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Why does it look there?"))
        set_least(self.inside, 640, 460)
        table = self.table = _table(
            self,
            theme_of(parent.window()),
            tr("All terms"),
            [tr("Query"), tr("Key"), tr("Product"), tr("Sum so far")],
            term_rows(reasons, DECIMALS),
            [LEFT, LEFT, RIGHT, RIGHT],
        )
        told = tr(
            "A query and a key are sums of what the word, the position, biases, earlier heads "
            "and MLPs add to the residual stream; the score is the sum of all products of these "
            "parts: {score}. In norms, the mean and the root are those of this sentence.",
            score=show(reasons.score, DECIMALS),
        )
        self.add(heading(title), sentence_label(told, muted=True), (table, 1), close_box(self))


def _table(
    dialog: Dialog,
    theme: Colours,
    name: str,
    columns: list[str],
    rows: Sequence[tuple[str, ...]],
    alignments: list[Qt.AlignmentFlag],
) -> QTableWidget:
    """A table to read, with columns of equal width."""
    table = QTableWidget(len(rows), len(columns), dialog)
    table.setHorizontalHeaderLabels(columns)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setAccessibleName(name)
    table.verticalHeader().hide()
    for line, cells in enumerate(rows):
        for column, (cell, alignment) in enumerate(zip(cells, alignments, strict=True)):
            item = QTableWidgetItem(cell)
            item.setTextAlignment(alignment)
            table.setItem(line, column, item)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    table.setStyleSheet(table_style(theme))
    return table


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
