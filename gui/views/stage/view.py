"""The stage view: shows the operation of a stage, takes clicks and keys."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from core.base.cell import Cell
from core.document.document import Document
from gui.painting import formulas
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_size import in_units, set_font, size_in_units
from gui.painting.theme import CAPTION, Colours, colours
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State, cursor_cell
from gui.texts.names import symbol_here
from gui.texts.stage_texts import ahead_sentence, asked_sentence, meaning
from gui.texts.translation import tr, tr_marked
from gui.views.stage.card import COPY_FORMATS, PADDING, cell_in_words, copy_refusal, sum_text
from gui.views.stage.change_flash import ChangeFlash
from gui.views.stage.header import FORMULA, formula_colour, header_formula
from gui.views.stage.operation import Target, is_predicted, target
from gui.views.stage.picture import paint_scene
from gui.views.stage.scene import MARGIN, StageScene, build_scene, inner_rect, is_low
from gui.widgets.shortcut_filter import claim_key
from gui.widgets.worker import Worker

CHIP_GAP = 12.0  # between a chip and what lies left of it
CORNER_RADIUS = 10.0
ROOMY = QSize(900, 440)  # a view that needs no growth, in pixels at a text size of 100 %
LARGEST_GROWN = 8  # rows or columns; a larger experiment uses a larger view for more of its numbers
LARGEST_GROWTH = 2.5
# What the view depends on, as attributes of State.
SHOWN_STATE = (
    "document",
    "trace",
    "cursor",
    "hidden",
    "focus",
    "decimals",
    "orientation",
    "fractions",
    "wording",
    "shade",
    "code_line",
)


def growth(size: QSize, document: Document) -> float:
    """How much larger than usual a small experiment is drawn in a view of this size.

    The same at every step, and in eighths, so that few layouts follow each other while the window
    is resized.
    """
    if max(document.sizes.values()) > LARGEST_GROWN:
        return 1.0
    factor = min(size.width() / ROOMY.width(), size.height() / ROOMY.height(), LARGEST_GROWTH)
    return max(1.0, math.floor(factor * 8) / 8)


class Chip(QPushButton):
    """A small round button on the picture; hidden at first."""

    def __init__(self, parent: QWidget, name: str, handler: Callable[[], None]) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        set_font(self, CAPTION)
        self.clicked.connect(handler)
        self.hide()

    def show_text(self, text: str, visible: bool) -> None:
        """Set the text, and show or hide the chip."""
        self.setText(text)
        self.setAccessibleName(text)
        self.setVisible(visible)

    def paint_in(self, theme: Colours) -> None:
        """Use the colours of a theme."""
        self.setStyleSheet(f"""
            QPushButton {{ color: {theme.accent}; background: {theme.accent_soft};
                           border: 1px solid transparent; border-radius: 9px; padding: 2px 9px; }}
            QPushButton:hover {{ border-color: {theme.accent}; }}
            QPushButton:focus {{ border: 2px solid {theme.accent}; padding: 1px 8px; }}
        """)

    def place(self, left: float, top: float) -> None:
        """Move the chip to a point in pixels."""
        size = self.sizeHint()
        self.setGeometry(int(left), int(top), size.width(), size.height())


class StageView(QWidget):
    """Shows the stage in focus large.

    A click on a cell or label focuses, a double click on a cell edits it.

    `unit` is pixels a unit of the scene; without `bare` the view has a frame, chips and a focus
    ring.
    """

    edit_wanted = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._state = session.state
        self._scene: StageScene | None = None
        self._unit, self._text_factor, self._bare = 1.0, 1.0, False
        self._brief, self._has_card = False, True
        self._pressed: Cell | None = None
        self.setObjectName("stage_view")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.back_chip = Chip(self, "stage_back_to_cursor", self.go_back)
        self.go_there_chip = Chip(self, "stage_go_there", self.go_there)
        self.all_terms_chip = Chip(self, "stage_all_terms", self.show_all_terms)
        self.notes_chip = Chip(self, "stage_notes", self.show_notes)
        self.copy_chip = Chip(self, "stage_copy_sum", self.offer_copies)
        self.flash = ChangeFlash(self)
        self.flash.frame.connect(self.update)
        self._typesetting = QTimer(self, singleShot=True, interval=0)
        self._typesetting.timeout.connect(self._typeset)
        self._typesetter = Worker(self, patience=0.02)  # the first time it must be loaded
        self._typesetter.done.connect(self._on_typeset)

    # State

    def show_state(self, old: State | None, new: State) -> None:
        """Show another state; what the view does not depend on costs nothing."""
        self._state = new
        if old is not None and all(getattr(old, at) == getattr(new, at) for at in SHOWN_STATE):
            return
        self._scene = None
        if old is not None and old.document is not new.document:
            self._set_unit()
            self.flash.start(old, new)
        elif old is not None and old.cursor != new.cursor:
            self.flash.stop()
        self._show_chips()
        if old is None or old.shade != new.shade:
            for chip in self.findChildren(Chip):
                chip.paint_in(colours(new.shade))
        shown = target(new)
        self.setAccessibleName(meaning(new.document, shown.stage, new.orientation).title)
        self.setAccessibleDescription(spoken_target(new, shown))
        self._place_early()
        self.update()

    def _place_early(self) -> None:
        """Lay out before painting: chips moved while painting would cause another paint event."""
        if self.isVisible():
            self.scene()

    def _show_chips(self) -> None:
        state, shown, allowed = self._state, target(self._state), not self._bare
        stage = symbol_here(state.document, shown.stage, state.orientation)
        here = symbol_here(state.document, state.cursor.stage, state.orientation)
        back = tr("Viewing {stage} · back to {here}", stage=stage, here=here)
        self.back_chip.show_text(back, shown.is_elsewhere and allowed)
        self.go_there_chip.show_text(tr("Not reached yet · go there"), shown.is_ahead and allowed)
        first = state.trace.plan.index(state.cursor.stage) == 0
        self.notes_chip.show_text(tr("Notes"), first and not shown.is_elsewhere and allowed)
        self.copy_chip.show_text(tr("Copy as …"), allowed and not copy_refusal(state))
        self.copy_chip.setAccessibleName(tr("Copy the worked sum as"))

    # Layout and painting

    def scene(self) -> StageScene:
        """What is drawn now, laid out."""
        if self._scene is None:
            ready = formulas.is_ready(self._latex(), formula_colour(self._state), FORMULA)
            if not ready:
                self._typesetting.start()
            chips = (chip for chip in (self.back_chip, self.notes_chip) if not chip.isHidden())
            width = max((chip.sizeHint().width() + CHIP_GAP for chip in chips), default=0.0)
            rect = size_in_units(self.rect(), self._unit)
            brief = self._bare and (self._brief or is_low(rect))
            self._scene = build_scene(
                self._state,
                rect,
                formula=ready,
                chip=width / self._unit,
                brief=brief,
                card=self._has_card,
            )
            self._place_chips(self._scene)
        return self._scene

    def _latex(self) -> str:
        inner = inner_rect(size_in_units(self.rect(), self._unit))
        return header_formula(self._state, target(self._state), inner.height())

    def magnify(
        self, unit: float, *, bare: bool = True, brief: bool = False, card: bool = True
    ) -> None:
        """Draw everything `unit` times as large; bare for an audience, without chips and ring.

        `brief` and `card` as in `build_scene`.
        """
        before = (self._text_factor, self._bare, self._brief, self._has_card)
        if (unit, bare, brief, card) != before:
            self._text_factor, self._bare, self._brief, self._has_card = unit, bare, brief, card
            self._set_unit()
            self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, not bare)
            self._scene = None
            self._show_chips()
            self.updateGeometry()
            self.update()

    def _set_unit(self) -> None:
        size = self.size() / self._text_factor
        factor = 1.0 if self._bare else growth(size, self._state.document)
        self._unit = self._text_factor * factor

    def _typeset(self) -> None:
        """Typeset the formula in a thread, after the first paint."""
        self._typesetter.start(
            partial(formulas.formula_svg, self._latex(), formula_colour(self._state), FORMULA)
        )

    def _on_typeset(self) -> None:
        self._scene = None
        self.update()

    def _place_chips(self, scene: StageScene) -> None:
        """Place chips after the title and, from the right, in the corner of the worked sum."""
        step, unit = scene.card.step, self._unit
        n = len(step.terms) if step is not None else 0
        visible = scene.card.shortened and step is not None and not self._bare
        self.all_terms_chip.show_text(tr("All {n} terms …", n=n), visible)
        self.all_terms_chip.setAccessibleName(tr("All {n} terms", n=n))
        after_title = scene.header.rect.x() + scene.header.title_width + CHIP_GAP
        for chip in (self.back_chip, self.notes_chip):
            chip.place(after_title * unit, (MARGIN - 4) * unit)
        right = (scene.card_rect.right() - PADDING) * unit
        for chip in (self.copy_chip, self.all_terms_chip, self.go_there_chip):
            if not chip.isHidden():
                width = chip.sizeHint().width()
                chip.place(right - width, (scene.card_rect.y() + 6) * unit)
                right -= width + CHIP_GAP / 2 * unit

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint frame and scene, and a ring while the view has the keyboard focus."""
        scene, theme = self.scene(), colours(self._state.shade)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        with QPainter(self) as painter:
            if not self._bare:
                painter.fillRect(self.rect(), QColor(theme.window))
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                draw_box(painter, frame, QPen(QColor(theme.line), 1), theme.surface, CORNER_RADIUS)
            with in_units(painter, self.rect(), self._unit):
                paint_scene(painter, scene, self.flash.matrices(scene))
            if self.hasFocus() and not self._bare:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                set_ink(painter, QPen(QColor(theme.accent), 2), None)
                ring = frame.adjusted(0.5, 0.5, -0.5, -0.5)
                painter.drawRoundedRect(ring, CORNER_RADIUS, CORNER_RADIUS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another size."""
        self._set_unit()
        self._scene = None
        super().resizeEvent(event)
        self._place_early()

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out before the first picture."""
        super().showEvent(event)
        self._place_early()

    def sizeHint(self) -> QSize:
        """Enough for an ordinary operation and its sum."""
        return QSize(780, 340)

    def minimumSizeHint(self) -> QSize:
        """Enough to read everything.

        With larger text the page scrolls anyway, so enough for all digits.
        """
        return QSize(500, 290 if self._text_factor == 1.0 else 350) * self._text_factor

    # Input

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Focus the cell, or the row or column of the label."""
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        cell = self._cell_under(event.position())
        self._pressed = self.scene().cell_at(event.position() / self._unit)
        if cell is not None:
            self._session.set_focus(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the cell of the first click, which may have changed what lies under the second."""
        if self._pressed is not None:
            self.edit_wanted.emit(self._pressed)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the cell at the pointer, else of the marked one."""
        focus, at = self._state.focus, event.globalPos()
        if self._bare:
            event.ignore()
        elif event.reason() is QContextMenuEvent.Reason.Keyboard:
            place = self.cell_rect(focus)
            self.menu_wanted.emit(focus, self.mapToGlobal(place.bottomLeft()) if place else at)
        else:
            cell = self.scene().cell_at(QPointF(event.pos()) / self._unit)
            self.menu_wanted.emit(cell or target(self._state).cell, at)

    def _cell_under(self, point: QPointF) -> Cell | None:
        scene, point = self.scene(), point / self._unit
        return scene.cell_at(point) or scene.label_at(point)

    def cell_rect(self, cell: Cell) -> QRect | None:
        """The rectangle of a cell in pixels; None if it is not visible."""
        place = self.scene().cell_rect(cell)
        if place is None:
            return None
        unit = self._unit
        return QRectF(place.topLeft() * unit, place.size() * unit).toRect()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand over what can be clicked."""
        hand = self._cell_under(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        """Claim Esc and Enter while they do something here."""
        return claim_key(event, self._uses) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc goes back to the current stage, Enter shows all terms of a shortened sum."""
        if not self._uses(event):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.go_back()
        else:
            self.show_all_terms()

    def _uses(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return not self.back_chip.isHidden()
        return (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not self.all_terms_chip.isHidden()
        )

    def go_back(self) -> None:
        """Focus the cursor's cell again."""
        self._session.set_focus(cursor_cell(self._state.cursor))

    def go_there(self) -> None:
        """Go to the step of the marked cell; the cell stays in focus."""
        self._session.go_to_cell(target(self._state).cell)

    def show_notes(self) -> None:
        """Open the title and notes of the experiment."""
        from gui.views.stage.dialogs import NotesDialog

        dialog = NotesDialog(self._session, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def offer_copies(self) -> None:
        """Open a menu of the formats of the worked sum."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for form, name in COPY_FORMATS.items():
            menu.addAction(tr_marked(name)).triggered.connect(partial(self.copy_sum, form))
        menu.popup(self.copy_chip.mapToGlobal(self.copy_chip.rect().bottomLeft()))

    def copy_sum(self, form: str) -> str:
        """Copy the worked sum in one of COPY_FORMATS. Returns why there is none, "" if there is."""
        refusal = copy_refusal(self._state)
        if not refusal:
            QGuiApplication.clipboard().setText(sum_text(self._state, form))
        return refusal

    def show_all_terms(self) -> None:
        """Open a dialog with every term of the sum."""
        from gui.views.stage.dialogs import TermsDialog

        scene = self.scene()
        if scene.card.step is not None:
            shown = target(self._state)
            hidden = not shown.is_visible and not shown.is_substep
            dialog = TermsDialog(
                self._state, scene.card.step, scene.card.where, self, hidden=hidden
            )
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()


def spoken_target(state: State, shown: Target) -> str:
    """The marked cell and its value in words, for screen readers."""
    if shown.is_visible:
        return spoken_cell(state, shown.cell, only_visible=True)
    what = asked_sentence() if is_predicted(state, shown) else ahead_sentence()
    return tr("{where}. {what}", where=cell_in_words(state, shown), what=what)
