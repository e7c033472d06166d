"""All terms of one score, sorted, with their sum so far."""

from __future__ import annotations

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
from gui.model_window.reasons_view import term_rows
from gui.painting.text_size import set_least
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, close_box, heading, sentence_label, theme_of
from gui.widgets.styles import table_style

DECIMALS = 6


class TermsDialog(Dialog):
    """A table of the pairs of parts that a score is the sum of."""

    def __init__(self, parent: QWidget, title: str, reasons: Reasons) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Why does it look there?"))
        set_least(self.inside, 640, 460)
        rows = term_rows(reasons, DECIMALS)
        table = self.table = QTableWidget(len(rows), 4, self)
        table.setHorizontalHeaderLabels([tr("Query"), tr("Key"), tr("Product"), tr("Sum so far")])
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setAccessibleName(tr("All terms"))
        table.verticalHeader().hide()
        for line, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                if column > 1:
                    align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    item.setTextAlignment(align)
                table.setItem(line, column, item)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.setStyleSheet(table_style(theme_of(parent.window())))
        told = tr(
            "A query and a key are sums of what the word, the position, biases, earlier heads and "
            "MLPs put into the stream; the score is the sum of all their products: {score}. Norms "
            "count with the mean and the root that they have here.",
            score=show(reasons.score, DECIMALS),
        )
        self.add(heading(title), sentence_label(told, muted=True), (table, 1), close_box(self))
