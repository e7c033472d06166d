"""The pages of the setup, and the sections for scale and softmax."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from core.arithmetic.stable_sum import LARGEST
from core.base.number_format import show
from core.document.document import SCALE_KINDS, SOFTMAX_BASES, Scale
from core.document.edits import with_scale, with_softmax
from core.stages import has_scores
from core.stages.scale import SCALE, scale_factor, with_scale_kind
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY
from gui.session.session import Session
from gui.session.state import State
from gui.texts.kinds import SCALE_CHOICES, SCALE_NAMES
from gui.texts.stage_texts import softmax_note
from gui.texts.translation import mark, tr, tr_marked
from gui.views.tables.heads import HeadsBar
from gui.views.tables.layers import LayerSection, MlpSection, NormSection
from gui.views.tables.mask_section import GAP, MaskSection
from gui.views.tables.positions import PositionalSection
from gui.views.tables.sections import KindBox, Section
from gui.views.tables.sizes import SizesPanel
from gui.widgets.fields import RealField
from gui.widgets.layouts import ResponsiveRow


class ScaleSection(Section):
    """÷√d_k, none, or a factor."""

    before_weights = True
    term = "scaled"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.kind = KindBox(SCALE_KINDS, self)
        self.factor = RealField(parent=self)
        self.add_row(self.kind)
        self.add_row(self.factor)
        self.kind.activated.connect(self._choose)
        self.factor.entered.connect(self._choose_factor)

    def show_texts(self, state: State) -> None:
        """Name the rows and kinds."""
        self.set_texts(tr("Scale"), "", tr("Scores are"), tr("Factor"))
        self.kind.show_names({kind: tr_marked(name) for kind, name in SCALE_NAMES.items()})

    def show_settings(self, old: State | None, new: State) -> None:
        """Show the scale."""
        scale = new.document.scale
        self.kind.show_kind(scale.kind)
        self.factor.show_value(scale.value)
        self.show_row(self.factor, scale.kind == "factor")
        if old is None or _note_state(old) != _note_state(new):
            self.set_note(_scale_note(new))

    def _choose(self, index: int) -> None:
        kind = SCALE_KINDS[index]
        self._session.change(with_scale_kind, kind, text=SCALE_CHOICES[kind])

    def _choose_factor(self, value: float) -> None:
        self._session.change(with_scale, Scale("factor", value), text=mark("Score factor"))


def _note_state(state: State) -> tuple[object, ...]:
    """What the note depends on; traces compare by identity."""
    return id(state.trace), state.decimals, state.language


def _scale_note(state: State) -> str:
    """The factor, and whether it is too much for some score."""
    if state.document.scale.kind == "none" or not has_scores(state.trace.plan):
        return ""
    factor = scale_factor(state.scope)
    note = tr("The scores are multiplied by {factor}.", factor=show(factor, max(state.decimals, 2)))
    scaled = (state.trace[stage.id] for stage in state.trace.plan.of_kind(SCALE))
    if abs(factor) > 1 and any((np.abs(scores) == LARGEST).any() for scores in scaled):
        note += " " + tr(
            "Some exceed the largest number that can be stored, about 1.8×10³⁰⁸, and stay at "
            "that limit."
        )
    return note


class SoftmaxSection(Section):
    """The base e, 2, 3 or 10; with or without subtracting the maximum."""

    before_weights = True
    term = "softmax"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.base = KindBox(SOFTMAX_BASES, self)
        self.shift = QCheckBox(self)
        set_font(self.shift, BODY)
        self.add_row(self.base)
        self.add_wide(self.shift)
        self.base.activated.connect(self._choose)
        self.shift.clicked.connect(self._choose_shift)

    def text_state(self, state: State) -> object:
        """Softmax runs along rows or columns."""
        return state.language, state.orientation

    def show_texts(self, state: State) -> None:
        """Name the rows."""
        self.set_texts("Softmax", "", tr("Base"))
        columns = state.orientation.columns
        text = tr("Subtract the column maximum") if columns else tr("Subtract the row maximum")
        self.shift.setText(text)
        self.shift.setAccessibleName(text)

    def show_settings(self, old: State | None, new: State) -> None:
        """Show the softmax."""
        softmax = new.document.softmax
        self.base.show_kind(softmax.base)
        self.shift.setChecked(softmax.shift)
        self.set_note(softmax_note(softmax))

    def _choose(self, index: int) -> None:
        base = SOFTMAX_BASES[index]
        softmax = replace(self._session.state.document.softmax, base=base)
        self._session.change(
            with_softmax, softmax, text=mark("Softmax with base {base}"), base=base
        )

    def _choose_shift(self, checked: bool) -> None:
        softmax = replace(self._session.state.document.softmax, shift=checked)
        text = mark("Subtract the maximum") if checked else mark("Do not subtract the maximum")
        self._session.change(with_softmax, softmax, text=text)


# The pages in their order, with their names.
PAGES = {
    "setup_heads": mark("Heads"),
    "setup_positions": mark("Positions"),
    "setup_mask": mark("Mask"),
    "setup_scale": mark("Scale, softmax"),
    "setup_sizes": mark("Sizes"),
}
# The pages that only stacks have, after the others.
STACK_PAGES = {"setup_layers": mark("Layer")}
MARGINS = (2, 6, 8, 4)


class SetupPage(QStackedWidget):
    """One page at a time; each scrolls where it is larger than the panel."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heads, self.positional = HeadsBar(session), PositionalSection(session)
        self.masking, self.sizes = MaskSection(session), SizesPanel(session)
        self.scale, self.softmax = ScaleSection(session), SoftmaxSection(session)
        set_least(self.scale, 180)
        scores = ResponsiveRow(GAP, (self.scale, 1), (self.softmax, 1)).align_tops()
        self.layers = LayerSection(session), NormSection(session), MlpSection(session)
        for section in self.layers:
            set_least(section, 220)
        layers = ResponsiveRow(GAP, *((section, 1) for section in self.layers)).align_tops()
        for page in (self.heads, self.positional, self.masking, scores, self.sizes, layers):
            self.addWidget(_scrolling(page))

    def show_page(self, page_id: str) -> None:
        """Bring one of PAGES or STACK_PAGES to the front."""
        self.setCurrentIndex([*PAGES, *STACK_PAGES].index(page_id))

    def show_state(self, old: State | None, new: State) -> None:
        """Show every part, unless only the cursor has moved."""
        if old is not None and _shown_state(old) == _shown_state(new):
            return
        parts = (self.positional, self.masking, self.scale, self.softmax, self.sizes)
        for part in (self.heads, *parts, *self.layers):
            part.show_state(old, new)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the mask into the page."""
        super().resizeEvent(event)
        self.masking.fit(self.height() - MARGINS[1] - MARGINS[3])


def _shown_state(state: State) -> tuple[object, ...]:
    """What the pages depend on; documents and traces compare by identity."""
    ids = id(state.document), id(state.trace)
    return (
        *ids,
        state.scope.of_layer,
        state.cursor.head,
        state.preferences,
        state.wording,
        state.shade,
    )


def _scrolling(page: QWidget) -> QScrollArea:
    area, inside = QScrollArea(), QWidget()
    column = QVBoxLayout(inside)
    column.setContentsMargins(*MARGINS)
    column.setSpacing(0)
    column.addWidget(page)
    column.addStretch(1)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    for surface in (area.viewport(), inside):
        surface.setAutoFillBackground(False)
    return area
