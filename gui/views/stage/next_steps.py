"""What one can do next, as quiet links below the stage view: how to step, and what follows the end."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from core.document.document import Document
from core.explain.timeline import at_end
from gui.painting.text_size import px, set_fixed, set_font, set_icon_size, set_least
from gui.painting.theme import CAPTION, colours
from gui.session.state import State
from gui.texts.labs import lab_title
from gui.texts.translation import tr
from gui.widgets.buttons import IconButton, KeyButton, name_button
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.styles import link_style

MOST_LINKS = 4
HEIGHT = 20  # pixels at 100 %: all that a low window can spare
SHOWN_STATE = ("document", "cursor", "scene", "predict", "preferences", "language", "shade")
Link = tuple[str, str]  # what it says, and the id of an action of the window


def fitting_lab(document: Document) -> str:
    """The lab that goes on from what is special about an experiment."""
    if document.is_stack:
        return "block"
    if document.context is not None:
        return "cross"
    if document.h > 1:
        return "heads"
    if document.positional.kind != "none":
        return "positions"
    if document.mask.kind == "causal":
        return "decode"
    return "softmax" if document.mask.kind == "none" else "sparse"


def next_links(state: State) -> tuple[str, tuple[Link, ...]]:
    """A sentence and links: at the first stage, at the last step, and nothing between them."""
    trace, cursor = state.trace, state.cursor
    if at_end(trace, cursor):
        lab = fitting_lab(state.document)
        predict = () if state.predict else ((tr("Predict it"), "predict_from_start"),)
        return tr("What next?"), (
            *predict,
            (tr("Check my work"), "check"),
            (tr("Lab: {title}", title=lab_title(lab)), f"lab_{lab}"),
            (tr("My own sentence"), "new"),
        )
    if trace.plan.index(cursor.stage) == 0:
        return tr("→ takes the next step, ← goes back."), ((tr("Next step"), "step_forward"),)
    return "", ()


class NextSteps(QWidget):
    """A line of links; it keeps its place between the ends, so that nothing moves.

    Where there is no room for it below the whole `stage`, it is not shown. `asked(id)`: an action
    of the window. `dismissed()`: the user does not want the line.
    """

    asked = Signal(str)
    dismissed = Signal()

    def __init__(self, state: State, stage: QWidget, around: QWidget) -> None:
        super().__init__()
        self._stage, self._around, self._wanted = stage, around, True
        around.installEventFilter(self)
        self.setObjectName("next_steps")
        self._sentence, self._close = QLabel(), IconButton("close")
        self._close.clicked.connect(self.dismissed)
        set_font(self._sentence, CAPTION)
        self.links = [KeyButton() for _ in range(MOST_LINKS)]
        row = FlowLayout(4)
        row.addWidget(self._sentence)
        for link in self.links:
            set_font(link, CAPTION)
            link.clicked.connect(partial(self._ask, link))
            row.addWidget(link)
        fill(QHBoxLayout(self), (row, 1), self._close, spacing=4, margins=(6, 0, 0, 0))
        set_fixed(self._close, HEIGHT, HEIGHT)
        set_icon_size(self._close, 14)
        set_least(self, height=HEIGHT)
        self.show_state(None, state)

    def _ask(self, link: KeyButton) -> None:
        self.asked.emit(link.property("action"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the room around."""
        if event.type() == QEvent.Type.Resize:
            self._show_if_it_fits()
        return False

    def wanted_height(self) -> int:
        """The height that it would take, 0 where the user does not want it."""
        return self.minimumSizeHint().height() if self._wanted else 0

    def _show_if_it_fits(self) -> None:
        layout = self._around.layout()
        margins = 0 if layout is None else layout.contentsMargins().bottom()
        needed = self._stage.minimumSizeHint().height() + self.wanted_height() + margins
        self.setVisible(self._wanted and self._around.height() >= needed)

    def show_state(self, old: State | None, new: State) -> None:
        """Say what can be done now; nothing in a lesson, which says so itself."""
        if old is not None and all(getattr(old, at) is getattr(new, at) for at in SHOWN_STATE):
            return
        self._wanted = new.scene is None and new.preferences.next_steps
        self._show_if_it_fits()
        sentence, links = next_links(new)
        self._sentence.setText(sentence)
        self._close.setVisible(bool(sentence))
        for number, button in enumerate(self.links):
            button.setMaximumHeight(px(HEIGHT))
            button.setVisible(number < len(links))
            if number < len(links):
                name_button(button, links[number][0])
                button.setProperty("action", links[number][1])
        if old is None or old.language != new.language:
            self._close.call(tr("Hide these suggestions"))
        if old is None or old.shade != new.shade:
            theme = colours(new.shade)
            self._sentence.setStyleSheet(f"color: {theme.muted};")
            self._close.paint_in(theme)
            for button in self.links:
                button.setStyleSheet(f"{link_style(theme)} QToolButton {{ padding: 0 6px; }}")
