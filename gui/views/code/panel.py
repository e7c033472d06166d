"""The code panel: the experiment as NumPy, PyTorch or LaTeX, with the current row marked."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.exchange import CODE_PAGES, LATEX, LIBRARY_NAMES
from gui.texts.translation import tr
from gui.views.code.code_list import CodeList, CodeModel
from gui.views.code.rows import page_of, whole_page, whole_row
from gui.widgets.buttons import Segment, Segments, name_button
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.styles import link_style


class CodePanel(QWidget):
    """Show the rows of the chosen page and follow the step; do nothing while hidden."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: State | None = None
        self.pages = Segments(CODE_PAGES, self)
        self.copy_row, self.copy_all = QToolButton(self), QToolButton(self)
        self.model = CodeModel(session.state, self)
        self.list = CodeList(self.model, self)
        self._lay_out()
        self.pages.chosen.connect(lambda page: session.set_preferences(code=page))
        self.copy_row.clicked.connect(self.list.copy)
        self.copy_all.clicked.connect(self._copy_all)
        self.list.chosen.connect(self._go)
        self.list.copied.connect(self._copy)

    def _lay_out(self) -> None:
        top, copies = FlowLayout(2), QWidget(self)
        fill(QHBoxLayout(copies), self.copy_row, self.copy_all, spacing=2)
        for button in (self.copy_row, self.copy_all):
            set_font(button, BODY)
        top.addWidget(self.pages)
        top.addWidget(copies)
        top.set_stretching(self.pages)
        fill(QVBoxLayout(self), top, (self.list, 1), spacing=6, margins=(8, 6, 8, 8))

    # Input

    def _go(self, row: int) -> None:
        stage = self.model.rows[row].stage
        if stage:
            self._session.go_to_stage(stage)

    def _copy(self, row: int) -> None:
        """Copy a row of the state shown, which may not be the latest."""
        if row >= 0 and self._shown is not None:
            QGuiApplication.clipboard().setText(whole_row(self._shown, row))

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(whole_page(self._session.state))

    # Display

    def showEvent(self, event: QShowEvent) -> None:
        """Show the rows that were skipped while hidden."""
        super().showEvent(event)
        self._show_rows(self._session.state)

    def show_state(self, old: State | None, new: State) -> None:
        """Set texts and colours; show rows only while visible."""
        if old is None or old.language != new.language:
            self._label()
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))
        if old is None or page_of(old) != page_of(new) or old.wording != new.wording:
            self._name_page(new)
        if self.isVisible():
            self._show_rows(new)

    def _show_rows(self, new: State) -> None:
        old, self._shown = self._shown, new
        if self.model.show_state(old, new) or old is None or old.cursor != new.cursor:
            self.list.show_row(self.model.current)
        self.list.viewport().update()

    def _label(self) -> None:
        name_button(self.copy_row, tr("Copy line"), tr("Copy the line in full precision (Ctrl+C)"))
        name_button(self.copy_all, tr("Copy all"), tr("Copy all lines in full precision"))

    def _name_page(self, state: State) -> None:
        segments = [Segment(name, text) for name, text in LIBRARY_NAMES.items()]
        self.pages.show_segments(
            (*segments, Segment(LATEX, "LaTeX", tr("Formulas in LaTeX"))), page_of(state)
        )
        names = {**LIBRARY_NAMES, LATEX: "LaTeX"}
        self.list.setAccessibleName(tr("Code, {page}", page=names[page_of(state)]))

    def _paint(self, theme: Colours) -> None:
        self.pages.paint_in(theme)
        for button in (self.copy_row, self.copy_all):
            button.setStyleSheet(link_style(theme))
        self.list.setStyleSheet(
            f"QListView {{ background: {theme.surface}; border: 1px solid {theme.line}; border-radius: 8px;"
            f" outline: none; padding: 3px 1px; }} QListView:focus {{ border-color: {theme.accent}; }}"
        )
