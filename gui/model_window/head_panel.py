"""The card of the selected head: its picture, the sought weight, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.base.number_format import show
from gui.model_window.head_filters import token_label
from gui.model_window.head_view import HeadView
from gui.model_window.map_view import head_title
from gui.model_window.session import ModelSession
from gui.model_window.state import EDITED, A, B, ModelState
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, TITLE, colours
from gui.texts.translation import tr
from gui.widgets.layouts import fill


class HeadPanel(QFrame):
    """Shows the head that is selected in the map."""

    def __init__(self, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._session = session
        self.title, self.shared, self.pair = QLabel(self), QLabel(self), QLabel(self)
        self.view = HeadView(self)
        set_font(self.title, TITLE, bold=True)
        set_font(self.shared, CAPTION)
        set_font(self.pair, BODY)
        self.pair.setWordWrap(True)
        self.pair.setTextFormat(Qt.TextFormat.RichText)
        head = fill(QHBoxLayout(), self.title, self.shared, 1, spacing=10)
        fill(QVBoxLayout(self), head, (self.view, 1), self.pair, spacing=6, margins=(12, 8, 12, 8))

    @property
    def stops(self) -> list[QWidget]:
        """Where F6 stops."""
        return [self.view]

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show the selected head."""
        look, model = new.look, new.model
        theme = colours(new.shade)
        self.title.setText(head_title((look.layer, look.head)) if model is not None else "")
        self.shared.setText(_shared(new))
        self.shared.setStyleSheet(f"color: {theme.key};")
        self.view.show_state(old, new)
        weights = new.shown_weights(look.layer)
        self.view.show_values(None if weights is None else weights[look.head])
        self.pair.setText(pair_text(new))
        self.pair.setVisible(bool(self.pair.text()))


def _shared(state: ModelState) -> str:
    """Which heads share their keys and values with the selected one."""
    model = state.model
    if model is None or model.kv_heads == model.heads:
        return ""
    each = model.heads // model.kv_heads
    first = state.look.head // each * each
    others = [str(i + 1) for i in range(first, first + each) if i != state.look.head]
    return tr("K, V shared with heads {heads}", heads=tr(", ").join(others)) if others else ""


def pair_text(state: ModelState) -> str:
    """The weight of the pair in each run, in rich text."""
    look, sentence, theme = state.look, state.sentence, colours(state.shade)
    if sentence is None or look.query is None or look.key is None:
        return ""
    if max(look.query, look.key) >= sentence.n:
        return ""
    query, key = (token_label(sentence.labels[place]) for place in (look.query, look.key))
    parts = [
        f'<b style="color: {theme.query}">{_html(query)}</b> → '
        f'<b style="color: {theme.key}">{_html(key)}</b>'
    ]
    for name, text in ((A, A), (B, tr("in B")), (EDITED, tr("edited"))):
        run = state.run(name)
        if (
            run is None
            or look.layer >= len(run.layers)
            or max(look.query, look.key) >= run.sentence.n
        ):
            continue
        value = float(run.layers[look.layer].weights[look.head, look.query, look.key])
        number = show(value, state.decimals)
        parts.append(f'{text} <b style="color: {theme.weights}">{number}</b>')
    return "&nbsp;&nbsp; ".join(parts)


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
