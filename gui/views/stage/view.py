"""The stage view: the operation that is looked at, to see, to click and to hear."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from core.base.cell import Cell
from gui.painting import formulas
from gui.painting.scaling import room_in_units
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State, cursor_cell
from gui.texts.names import symbol_here
from gui.texts.stage_texts import ahead_sentence, asked_sentence, meaning
from gui.texts.translation import tr
from gui.views.stage.card import where
from gui.views.stage.chips import (
    chip_style,
    make_chip,
    place_in_card,
    place_in_header,
    say,
    width_of,
)
from gui.views.stage.copying import copied, copy_menu, refused
from gui.views.stage.flash import Flash
from gui.views.stage.header import FORMULA, formula_colour, header_formula
from gui.views.stage.panel import ROUND, Panel, growth
from gui.views.stage.scene import Scene, build_scene, inner_rect, is_low
from gui.views.stage.shown_cell import Target, is_asked, target
from gui.widgets.shortcut_filter import claim_key
from gui.widgets.worker import Worker

_SAID = (
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
_SHOWN = "document", "trace", *_SAID


class StageView(QWidget):
    """Shows the stage in focus large. A click on a cell or on a label focuses, a double click on a cell edits it;
    Esc goes back to the current stage.
    """

    edit_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._state = session.state
        self._scene: Scene | None = None
        self._unit, self._text, self._bare = 1.0, 1.0, False
        self._pressed: Cell | None = None
        self.setObjectName("stage_view")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.back = make_chip(self, "stage_back_to_cursor", self.go_back)
        self.there = make_chip(self, "stage_go_there", self.go_there)
        self.all_terms = make_chip(self, "stage_all_terms", self.show_all_terms)
        self.notes = make_chip(self, "stage_notes", self.show_notes)
        self.copy = make_chip(self, "stage_copy_sum", self.offer_copies)
        self.flash = Flash(self)
        self.flash.frame.connect(self.update)
        self._typesetting = QTimer(self, singleShot=True, interval=0)
        self._typesetting.timeout.connect(self._typeset)
        self._typesetter = Worker(self, patience=0.02)  # the first time it must be loaded
        self._typesetter.done.connect(self._on_typeset)

    # State

    def show_state(self, old: State | None, new: State) -> None:
        """Take over what changed; the rest of the state costs nothing."""
        if old is not None and all(getattr(old, name) == getattr(new, name) for name in _SHOWN):
            self._state = new
            return
        self._state = new
        self._scene = None
        if old is not None and old.document is not new.document:
            self._measure()
            self.flash.start(old, new)
        elif old is not None and old.cursor != new.cursor:
            self.flash.stop()
        self._show_chips()
        if old is None or old.shade != new.shade:
            self._style()
        self._describe()
        self._place_early()
        self.update()

    def _place_early(self) -> None:
        """Place the chips before all of it is painted: moved while painting, they would have it painted again."""
        if self.isVisible():
            self.scene()

    def _show_chips(self) -> None:
        looked_at, state = target(self._state), self._state
        stage = symbol_here(state.document, looked_at.stage, state.orientation)
        here = symbol_here(state.document, state.cursor.stage, state.orientation)
        at_hand = not self._bare
        back = tr("Looking at {stage} · back to {here}", stage=stage, here=here)
        say(self.back, back, looked_at.elsewhere and at_hand)
        say(self.there, tr("Not reached yet · go there"), looked_at.ahead and at_hand)
        first = state.trace.plan.index(state.cursor.stage) == 0
        say(self.notes, tr("Notes"), first and not looked_at.elsewhere and at_hand)
        say(self.copy, tr("Copy as …"), at_hand and not refused(state))
        self.copy.setAccessibleName(tr("Copy the worked sum as"))

    def _style(self) -> None:
        sheet = chip_style(colours(self._state.shade))
        for chip in (self.back, self.there, self.all_terms, self.notes, self.copy):
            chip.setStyleSheet(sheet)

    def _describe(self) -> None:
        looked_at = target(self._state)
        self.setAccessibleName(
            meaning(self._state.document, looked_at.stage, self._state.orientation).title
        )
        self.setAccessibleDescription(described(self._state, looked_at))

    # Painting

    def scene(self) -> Scene:
        """What is drawn now, with its places."""
        if self._scene is None:
            self._scene = self._built()
            self._place_chips(self._scene)
        return self._scene

    def _built(self) -> Scene:
        ready = formulas.is_ready(self._latex(), formula_colour(self._state), FORMULA)
        if not ready:
            self._typesetting.start()
        chip = width_of(self.back, self.notes) / self._unit
        state, room = self._state, self._room()
        brief = self._bare and is_low(room)
        return build_scene(state, room, formula=ready, chip=chip, brief=brief)

    def _latex(self) -> str:
        return header_formula(self._state, target(self._state), inner_rect(self._room()).height())

    def _room(self) -> QRectF:
        return room_in_units(self.rect(), self._unit)

    def magnify(self, unit: float, *, bare: bool = True) -> None:
        """Draw everything so many times as large; bare, without buttons and ring, where a hall reads it."""
        if (unit, bare) != (self._text, self._bare):
            self._text, self._bare = unit, bare
            self._measure()
            self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, not bare)
            self._scene = None
            self._show_chips()
            self.updateGeometry()
            self.update()

    def _measure(self) -> None:
        """How many pixels a unit has: as the text, and more where a small experiment has a large panel."""
        grown = 1.0 if self._bare else growth(self.size() / self._text, self._state.document)
        self._unit = self._text * grown

    def _typeset(self) -> None:
        """After the first paint: the formula takes its time, and then its place."""
        self._typesetter.start(
            partial(formulas.formula_svg, self._latex(), formula_colour(self._state), FORMULA)
        )

    def _on_typeset(self) -> None:
        self._scene = None
        self.update()

    def _place_chips(self, scene: Scene) -> None:
        step = scene.card.step
        n = len(step.terms) if step is not None else 0
        say(
            self.all_terms,
            tr("All {n} terms …", n=n),
            scene.card.shortened and step is not None and not self._bare,
        )
        self.all_terms.setAccessibleName(tr("All {n} terms", n=n))
        for chip in (self.back, self.notes):
            place_in_header(chip, scene, self._unit)
        place_in_card(scene, self._unit, self.copy, self.all_terms, self.there)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The scene, and a ring around it while it has the keyboard."""
        scene, theme = self.scene(), colours(self._state.shade)
        with QPainter(self) as painter:
            panel = Panel(self.rect(), self._unit, self._bare)
            panel.paint(painter, scene, self.flash.pictures(scene))
            if self.hasFocus() and not self._bare:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(QColor(theme.accent), 2))
                painter.setBrush(
                    Qt.BrushStyle.NoBrush
                )  # a ground that was just painted leaves its own
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), ROUND, ROUND)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size is another layout."""
        self._measure()
        self._scene = None
        super().resizeEvent(event)
        self._place_early()

    def showEvent(self, event: QShowEvent) -> None:
        """The first layout, before the first picture."""
        super().showEvent(event)
        self._place_early()

    def sizeHint(self) -> QSize:
        """Room for an ordinary operation and its sum."""
        return QSize(780, 340)

    def minimumSizeHint(self) -> QSize:
        """The least at which all of it can still be read; in larger letters it scrolls anyway, so with all digits."""
        return QSize(500, 290 if self._text == 1.0 else 350) * self._text

    # Wishes

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A cell, or the row or column of a label, gets the focus."""
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        cell = self._cell_under(event.position())
        self._pressed = self.scene().cell_at(event.position() / self._unit)
        if cell is not None:
            self._session.set_focus(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the number that the first of the two clicks met: meanwhile another may stand in its place."""
        if self._pressed is not None:
            self.edit_wanted.emit(self._pressed)

    def _cell_under(self, point: QPointF) -> Cell | None:
        scene, point = self.scene(), point / self._unit
        return scene.cell_at(point) or scene.label_at(point)

    def place_of(self, cell: Cell) -> QRect | None:
        """Where a cell is seen, in pixels; None where it is not."""
        place = self.scene().place_of(cell)
        if place is None:
            return None
        unit = self._unit
        return QRectF(place.topLeft() * unit, place.size() * unit).toRect()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over what can be clicked."""
        hand = self._cell_under(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        """Esc and Enter belong to this view while it has the keyboard and a use for them."""
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
            return not self.back.isHidden()
        return (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.all_terms.isHidden()
        )

    def go_back(self) -> None:
        """Look at the cursor's cell again."""
        self._session.set_focus(cursor_cell(self._state.cursor))

    def go_there(self) -> None:
        """Step on to the stage in focus; the cell stays in focus."""
        cell = target(self._state).cell
        self._session.go_to_stage(cell.tensor)
        self._session.set_focus(cell)

    def show_notes(self) -> None:
        """Title and notes of the experiment, to read and to change."""
        from gui.views.stage.notes import NotesDialog

        dialog = NotesDialog(self._session, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def offer_copies(self) -> None:
        """The forms in which the worked sum can be copied."""
        menu = copy_menu(self, self.copy_sum)
        menu.popup(self.copy.mapToGlobal(self.copy.rect().bottomLeft()))

    def copy_sum(self, way: str) -> str:
        """The worked sum on the clipboard, one of copying.WAYS; why there is none as a sentence, "" if there is."""
        said = refused(self._state)
        if not said:
            QGuiApplication.clipboard().setText(copied(self._state, way))
        return said

    def show_all_terms(self) -> None:
        """Every term of the sum, in a window of its own."""
        from gui.views.stage.terms import TermsDialog

        scene = self.scene()
        if scene.card.step is not None:
            dialog = TermsDialog(self._state, scene.card.step, scene.card.where, self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()


def described(state: State, looked_at: Target) -> str:
    """The marked cell and its value in words, for those who cannot see it."""
    cell = looked_at.cell
    if not looked_at.stands:
        what = asked_sentence() if is_asked(state, looked_at) else ahead_sentence()
        return tr("{where}. {what}", where=where(state, looked_at), what=what)
    return spoken_cell(state, cell, only_visible=True)
