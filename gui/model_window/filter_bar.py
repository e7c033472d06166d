"""The filters above the map, and the sort."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.models.head_scores import ENTROPY
from gui.model_window.head_filters import FILTERS, TIPS, count, filter_name, pair_of
from gui.model_window.state import ALL, BY_LAYER, PAIR, ModelState
from gui.painting.text_size import set_font, set_widest
from gui.painting.theme import BODY, colours
from gui.texts.translation import tr, tr_marked
from gui.widgets.buttons import flat_button, name_button
from gui.widgets.choice import ChoiceBox
from gui.widgets.layouts import FlowLayout

NAMES = (ALL, *FILTERS, PAIR)


class FilterBar(QWidget):
    """One filter at a time. `filtered(name)`, `sorted(name)`."""

    filtered = Signal(str)
    sorted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons = {name: flat_button(self) for name in NAMES}
        self.sort = ChoiceBox(self)
        self._sorts: list[str] = []
        flow = FlowLayout(4, self)
        for name, button in self.buttons.items():
            button.setCheckable(True)
            button.clicked.connect(partial(self._choose, name))
            flow.addWidget(button)
        flow.addWidget(self.sort)
        set_font(self.sort, BODY)
        set_widest(self.sort, 104)
        self.sort.activated.connect(lambda index: self.sorted.emit(self._sorts[index]))

    def _choose(self, name: str) -> None:
        self.filtered.emit(ALL if name == self.look_filter else name)

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show names, counts and what is chosen."""
        self.look_filter = new.look.filter
        self.setAccessibleName(tr("Heads"))
        done = new.working is None
        for name, button in self.buttons.items():
            button.setVisible(name != PAIR or pair_of(new) is not None)
            text = filter_name(new, name)
            found = count(new, name) if done and new.model is not None else 0
            text = f"{text} {found}" if found else text
            if button.text() != text:
                name_button(button, text, tr_marked(TIPS[name]) if name in TIPS else "")
            button.setChecked(name == new.look.filter)
        self._sorts = [BY_LAYER, *FILTERS, ENTROPY]
        if pair_of(new) is not None:
            self._sorts.append(PAIR)
        names = [
            tr("by layer") if name == BY_LAYER else tr("by {name}", name=filter_name(new, name))
            for name in self._sorts
        ]
        self.sort.show_options(names, self._sorts.index(new.look.sort))
        self.sort.setAccessibleName(tr("Order of the heads"))
        theme = colours(new.shade)
        if old is None or old.shade != new.shade:
            self.setStyleSheet(
                f"KeyButton {{ color: {theme.text}; background: {theme.sunken};"
                " border: 1px solid transparent; border-radius: 6px; padding: 3px 5px; }"
                f"KeyButton:hover {{ border-color: {theme.accent}; }}"
                f"KeyButton:checked {{ color: {theme.accent}; background: {theme.accent_soft};"
                f" border-color: {theme.accent}; }}"
                f"KeyButton:focus {{ border-color: {theme.accent}; }}"
            )
