"""The card of the selected head: its picture, the sought weight, and what can be done with it."""

from __future__ import annotations

from operator import itemgetter

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from core.base.arrays import Array
from gui.model_window.edit_dialogs import (
    EditDialog,
    NumberDialog,
    PatchDialog,
    PinDialog,
    can_patch,
)
from gui.model_window.edits import HeadOff
from gui.model_window.head_view import HeadView
from gui.model_window.reasons_view import ReasonsView
from gui.model_window.session import ModelSession
from gui.model_window.state import ModelState
from gui.model_window.wording import head_title, notes, pair_text, shared_text
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, TITLE, colours
from gui.texts.names import stage_name, visible_token
from gui.texts.translation import mark, tr
from gui.widgets.choice import ChoiceBox
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.styles import primary_style

first, second = itemgetter(0), itemgetter(1)
STAGES = ("weights", "masked", "biased", "scaled", "scores")


class HeadPanel(QFrame):
    """Shows the head that is selected in the map. `hand_over()`: open its layer’s attention
    in the main window, `layer_wanted()` the whole layer."""

    hand_over = Signal()
    layer_wanted = Signal()

    def __init__(self, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._session = session
        self.title, self.shared, self.pair = QLabel(self), QLabel(self), QLabel(self)
        self.stage = ChoiceBox(self)
        self._stages: list[str] = []
        self.view, self.reasons = HeadView(self), ReasonsView(self)
        set_font(self.title, TITLE, bold=True)
        set_font(self.shared, CAPTION)
        set_font(self.pair, BODY)
        set_font(self.stage, BODY)
        self.pair.setWordWrap(True)
        self.pair.setTextFormat(Qt.TextFormat.RichText)
        self.open, self.off, self.pin, self.number, self.patch, self.why, self.whole = (
            QPushButton(self) for _ in range(7)
        )
        head, buttons = QWidget(self), QWidget(self)
        top, below = FlowLayout(10, head), FlowLayout(6, buttons)
        for widget in (self.title, self.stage, self.shared):
            top.addWidget(widget)
        for button in (
            *(self.open, self.whole, self.why),
            *(self.off, self.pin, self.number, self.patch),
        ):
            below.addWidget(button)
        parts = (head, (self.view, 1), self.pair, self.reasons, buttons)
        fill(QVBoxLayout(self), *parts, spacing=6, margins=(12, 8, 12, 8))
        self.stage.activated.connect(lambda i: session.look(stage=self._stages[i]))
        self.open.clicked.connect(self.hand_over)
        self.whole.clicked.connect(self.layer_wanted)
        self.off.clicked.connect(self._switch)
        self.pin.clicked.connect(self._pin)
        self.number.clicked.connect(self._change)
        self.patch.clicked.connect(self._patch)
        self.why.clicked.connect(self._show_terms)

    @property
    def stops(self) -> list[QWidget]:
        """Where F6 stops."""
        return [self.view, self.open]

    # Requests

    def _switch(self) -> None:
        look = self._session.state.look
        edit = HeadOff(look.layer, look.head)
        if edit in self._session.state.setting.edits:
            self._session.remove_edit(edit)
        else:
            self._session.add_edit(edit, mark("Switch a head off"))

    def _pin(self) -> None:
        state = self._session.state
        weights, look = state.selected, state.look
        if weights is not None and look.query is not None and look.key is not None:
            now = float(weights.weights[look.head, look.query, look.key])
            self.ask(PinDialog(self, state, now), mark("Pin a weight"))

    def _change(self) -> None:
        state = self._session.state
        if state.opened is not None:
            self.ask(NumberDialog(self, state, state.opened.plain), mark("Change a number"))

    def _patch(self) -> None:
        state = self._session.state
        if state.opened is not None:
            stages = [each.partition(".")[2] for each in state.opened.trace.plan.ids]
            self.ask(PatchDialog(self, state, stages), mark("Take a stage from B"))

    def _show_terms(self) -> None:
        from gui.model_window.table_dialogs import ScoreTermsDialog

        state = self._session.state
        look, sentence, reasons = state.look, state.sentence, state.reasons
        if reasons is None or sentence is None or look.query is None or look.key is None:
            return
        query, key = (visible_token(sentence.labels[i]) for i in (look.query, look.key))
        title = f"{head_title((look.layer, look.head))}: {query} → {key}"
        ScoreTermsDialog(self, title, reasons).open()

    def ask(self, dialog: EditDialog, text: str) -> None:
        """Show a dialog and add its edit."""
        try:
            if dialog.exec():
                self._session.add_edit(dialog.edit, text)
        finally:
            dialog.deleteLater()

    # Display

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show the selected head."""
        look, model = new.look, new.model
        theme = colours(new.shade)
        self.title.setText(head_title((look.layer, look.head)) if model is not None else "")
        self.shared.setText(" · ".join(filter(None, (shared_text(new), *map(first, notes(new))))))
        self.shared.setToolTip("\n".join(map(second, notes(new))))
        self.shared.setVisible(bool(self.shared.text()))
        self.shared.setStyleSheet(f"color: {theme.key if shared_text(new) else theme.muted};")
        self._show_stages(new)
        self.view.show_state(old, new)
        self.view.show_values(self.values(new))
        self.reasons.show_state(old, new)
        self.pair.setText(pair_text(new))
        self.pair.setVisible(bool(self.pair.text()))
        self._show_buttons(new)
        if old is None or old.shade != new.shade:
            self.open.setStyleSheet(primary_style(theme))

    def _show_stages(self, new: ModelState) -> None:
        found = [name for name in STAGES if new.opened and new.opened.stage(name) is not None]
        self._stages = found if found and not new.is_difference else ["weights"]
        names = [stage_name(name) for name in self._stages]
        stage = new.look.stage if new.look.stage in self._stages else "weights"
        self.stage.show_options(names, self._stages.index(stage))
        self.stage.setAccessibleName(tr("Stage"))
        self.stage.setEnabled(len(self._stages) > 1)

    def _show_buttons(self, new: ModelState) -> None:
        look = new.look
        is_off = HeadOff(look.layer, look.head) in new.setting.edits
        self.open.setText(tr("Open in the main window"))
        self.open.setToolTip(
            tr("The attention of this layer as an experiment, linked to the model")
        )
        self.whole.setText(tr("Whole layer"))
        self.whole.setToolTip(tr("The layer with norms and MLP as a stack of one layer"))
        self.whole.setEnabled(new.opened is not None)
        self.why.setText(tr("Why there?"))
        self.why.setToolTip(tr("All terms of this score, sorted; they add up to it"))
        self.why.setEnabled(new.reasons is not None)
        self.off.setText(tr("Switch on") if is_off else tr("Switch off"))
        self.pin.setText(tr("Pin…"))
        self.pin.setToolTip(tr("Pin the weight of the two chosen tokens"))
        self.number.setText(tr("Number…"))
        self.number.setToolTip(tr("Change a number of this layer’s weights"))
        self.patch.setText(tr("From B…"))
        self.patch.setToolTip(tr("Take a stage from sentence B, which needs as many tokens"))
        there = new.selected is not None
        self.open.setEnabled(there)
        self.off.setEnabled(there)
        self.pin.setEnabled(there and None not in (look.query, look.key))
        self.number.setEnabled(new.opened is not None)
        self.patch.setEnabled(new.opened is not None and can_patch(new))

    @staticmethod
    def values(state: ModelState) -> Array | None:
        """The matrix that is shown.  # (n, n)"""
        look, opened = state.look, state.opened
        if look.stage != "weights" and not state.is_difference and opened is not None:
            stage = opened.stage(look.stage) if opened.result is state.selected else None
            if stage is not None:
                found: Array = stage[look.head]
                return found
        weights = state.shown_weights(look.layer)
        if weights is None:
            return None
        shown: Array = weights[look.head]
        return shown
