"""The stage view: shows the operation of a stage, takes clicks and keys, describes it for screen readers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
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
from PySide6.QtWidgets import QPushButton, QWidget

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.parts import STAGE_AXES
from gui.painting import formulas
from gui.painting.matrix import MatrixSpec
from gui.painting.scaling import in_units, room_in_units
from gui.painting.text_size import set_font
from gui.painting.theme import CAPTION, Colours, colours
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State, cursor_cell
from gui.texts.names import symbol_here
from gui.texts.stage_texts import ahead_sentence, asked_sentence, meaning
from gui.texts.translation import tr
from gui.views.stage.card import PADDING, cell_in_words, copy_menu, copy_refusal, sum_text
from gui.views.stage.header import FORMULA, formula_colour, header_formula
from gui.views.stage.operand_layout import PlacedOperand
from gui.views.stage.operation import Target, is_predicted, target
from gui.views.stage.picture import paint_scene
from gui.views.stage.scene import MARGIN, StageScene, build_scene, inner_rect, is_low
from gui.widgets.shortcut_filter import claim_key
from gui.widgets.worker import Worker

BESIDE = 12.0  # between a chip and what stands at its left


def make_chip(parent: QWidget, name: str, action: Callable[[], None]) -> QPushButton:
    """A chip that does something; hidden at first."""
    chip = QPushButton(parent)
    chip.setObjectName(name)
    chip.setCursor(Qt.CursorShape.PointingHandCursor)
    set_font(chip, CAPTION)
    chip.clicked.connect(action)
    chip.hide()
    return chip


def show_chip(chip: QPushButton, text: str, shown: bool) -> None:
    """The words of a chip, and whether it is there."""
    chip.setText(text)
    chip.setAccessibleName(text)
    chip.setVisible(shown)


def width_of(*chips: QPushButton) -> float:
    """The room that those of the chips need which are there, at the end of the title's line."""
    return max(
        (chip.sizeHint().width() + BESIDE for chip in chips if not chip.isHidden()), default=0.0
    )


def place_in_header(chip: QPushButton, scene: StageScene, unit: float) -> None:
    """At the end of the title's line, of a scene that is drawn so many pixels a unit."""
    size = chip.sizeHint()
    left = (scene.header.rect.x() + scene.header.title_width + BESIDE) * unit
    chip.setGeometry(int(left), int((MARGIN - 4) * unit), size.width(), size.height())


def place_in_card(scene: StageScene, unit: float, *chips: QPushButton) -> None:
    """In the upper right corner of the worked sum, those that are there side by side, the first one outermost."""
    right, top = (scene.card_rect.right() - PADDING) * unit, (scene.card_rect.y() + 6) * unit
    for chip in chips:
        if not chip.isHidden():
            size = chip.sizeHint()
            chip.setGeometry(int(right - size.width()), int(top), size.width(), size.height())
            right -= size.width() + BESIDE / 2 * unit


def chip_style(theme: Colours) -> str:
    """How chips look."""
    return f"""
        QPushButton {{ color: {theme.accent}; background: {theme.accent_soft}; border: 1px solid transparent;
                       border-radius: 9px; padding: 2px 9px; }}
        QPushButton:hover {{ border-color: {theme.accent}; }}
        QPushButton:focus {{ border: 2px solid {theme.accent}; padding: 1px 8px; }}
    """


MILLISECONDS = 600


class ChangeFlash(QObject):
    """Remembers the state before an edit, and how brightly the difference still shines; `frame` whenever it changes."""

    frame = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._before: State | None = None
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0)
        self._fade.valueChanged.connect(self._tick)
        self._fade.finished.connect(self._end)

    @property
    def is_active(self) -> bool:
        """Whether anything shines now."""
        return self._before is not None

    def start(self, before: State, now: State) -> None:
        """Let shine what differs from the state before; nothing where nothing may move."""
        self._fade.stop()
        self._before = before if now.moves else None
        if self._before is not None:
            self._fade.setDuration(max(1, round(MILLISECONDS / now.preferences.speed)))
            self._fade.start()

    def stop(self) -> None:
        """Everything at rest at once."""
        self._before = None
        self._fade.stop()

    def matrices(self, scene: StageScene) -> tuple[MatrixSpec, ...]:
        """The scene's matrices with their changed cells shining."""
        if self._before is None:
            return tuple(placed.matrix for placed in scene.placed)
        alpha = float(self._fade.currentValue())
        before = self._before
        return tuple(
            replace(placed.matrix, flash=changed_cells(before, placed), flash_alpha=alpha)
            for placed in scene.placed
        )

    def _tick(self, _value: object) -> None:
        self.frame.emit()

    def _end(self) -> None:
        self._before = None
        self.frame.emit()


def changed_cells(before: State, placed: PlacedOperand) -> npt.NDArray[np.bool_] | None:
    """Which cells of a window differ from the state before; None where there was no such matrix of that size."""
    old = _matrix(before, placed)
    if old is None or old.shape != placed.operand.values.shape:
        return None
    rows, columns = placed.rows, placed.columns
    differs: npt.NDArray[np.bool_] = (
        old[rows.start : rows.stop, columns.start : columns.stop] != placed.matrix.values
    )
    return differs


def _matrix(state: State, placed: PlacedOperand) -> Array | None:
    """The operand's matrix in another state, turned as it is drawn."""
    tensor, head = placed.operand.tensor, placed.operand.head
    if not tensor or head >= state.document.h:
        return None
    if tensor in STAGE_AXES:
        found = state.trace.matrix(tensor, head) if tensor in state.trace else None
    else:
        found = state.document.tensor(tensor, head)
    if found is None:
        return None
    found = found if found.ndim == 2 else found[None, :]
    return found.T if placed.operand.transposed else found


ROUND = 10.0  # radius of the panel's corners
ROOMY = QSize(900, 440)  # a panel that has all the room it needs at 100 %
PENCIL = 8  # an experiment with more rows or columns than this needs a larger panel for more of its numbers
LARGEST = 2.5

Pictures = tuple[MatrixSpec, ...]


def growth(size: QSize, document: Document) -> float:
    """How much larger than usual everything is in a panel of this size, in pixels at 100 %; the same at every step.

    In eighths, so that a window whose edge is dragged is not laid out anew at every pixel.
    """
    if max(document.sizes.values()) > PENCIL:
        return 1.0
    room = min(size.width() / ROOMY.width(), size.height() / ROOMY.height(), LARGEST)
    return max(1.0, math.floor(room * 8) / 8)


@dataclass(frozen=True, slots=True)
class Panel:
    """How large the view is, how many pixels a unit has, and whether it goes without its frame."""

    rect: QRect
    unit: float
    bare: bool

    def paint(self, painter: QPainter, scene: StageScene, pictures: Pictures = ()) -> None:
        """Draw the panel and the scene on it; `pictures` stand in for the scene's own while cells flash."""
        theme = colours(scene.state.shade)
        if not self.bare:
            painter.fillRect(self.rect, QColor(theme.window))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.setBrush(QColor(theme.surface))
            painter.drawRoundedRect(QRectF(self.rect).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)
        with in_units(painter, self.rect, self.unit):
            paint_scene(painter, scene, pictures)


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
        self._scene: StageScene | None = None
        self._unit, self._text, self._bare = 1.0, 1.0, False
        self._pressed: Cell | None = None
        self.setObjectName("stage_view")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.back_chip = make_chip(self, "stage_back_to_cursor", self.go_back)
        self.go_there_chip = make_chip(self, "stage_go_there", self.go_there)
        self.all_terms_chip = make_chip(self, "stage_all_terms", self.show_all_terms)
        self.notes_chip = make_chip(self, "stage_notes", self.show_notes)
        self.copy_chip = make_chip(self, "stage_copy_sum", self.offer_copies)
        self.flash = ChangeFlash(self)
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
        show_chip(self.back_chip, back, looked_at.is_elsewhere and at_hand)
        show_chip(
            self.go_there_chip, tr("Not reached yet · go there"), looked_at.is_ahead and at_hand
        )
        first = state.trace.plan.index(state.cursor.stage) == 0
        show_chip(self.notes_chip, tr("Notes"), first and not looked_at.is_elsewhere and at_hand)
        show_chip(self.copy_chip, tr("Copy as …"), at_hand and not copy_refusal(state))
        self.copy_chip.setAccessibleName(tr("Copy the worked sum as"))

    def _style(self) -> None:
        sheet = chip_style(colours(self._state.shade))
        for chip in (
            self.back_chip,
            self.go_there_chip,
            self.all_terms_chip,
            self.notes_chip,
            self.copy_chip,
        ):
            chip.setStyleSheet(sheet)

    def _describe(self) -> None:
        looked_at = target(self._state)
        self.setAccessibleName(
            meaning(self._state.document, looked_at.stage, self._state.orientation).title
        )
        self.setAccessibleDescription(spoken_target(self._state, looked_at))

    # Painting

    def scene(self) -> StageScene:
        """What is drawn now, with its places."""
        if self._scene is None:
            self._scene = self._built()
            self._place_chips(self._scene)
        return self._scene

    def _built(self) -> StageScene:
        ready = formulas.is_ready(self._latex(), formula_colour(self._state), FORMULA)
        if not ready:
            self._typesetting.start()
        chip = width_of(self.back_chip, self.notes_chip) / self._unit
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

    def _place_chips(self, scene: StageScene) -> None:
        step = scene.card.step
        n = len(step.terms) if step is not None else 0
        show_chip(
            self.all_terms_chip,
            tr("All {n} terms …", n=n),
            scene.card.shortened and step is not None and not self._bare,
        )
        self.all_terms_chip.setAccessibleName(tr("All {n} terms", n=n))
        for chip in (self.back_chip, self.notes_chip):
            place_in_header(chip, scene, self._unit)
        place_in_card(scene, self._unit, self.copy_chip, self.all_terms_chip, self.go_there_chip)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The scene, and a ring around it while it has the keyboard."""
        scene, theme = self.scene(), colours(self._state.shade)
        with QPainter(self) as painter:
            panel = Panel(self.rect(), self._unit, self._bare)
            panel.paint(painter, scene, self.flash.matrices(scene))
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

    def cell_rect(self, cell: Cell) -> QRect | None:
        """Where a cell is seen, in pixels; None where it is not."""
        place = self.scene().cell_rect(cell)
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
            return not self.back_chip.isHidden()
        return (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not self.all_terms_chip.isHidden()
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
        from gui.views.stage.dialogs import NotesDialog

        dialog = NotesDialog(self._session, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def offer_copies(self) -> None:
        """The forms in which the worked sum can be copied."""
        menu = copy_menu(self, self.copy_sum)
        menu.popup(self.copy_chip.mapToGlobal(self.copy_chip.rect().bottomLeft()))

    def copy_sum(self, way: str) -> str:
        """The worked sum on the clipboard, one of copying.WAYS; why there is none as a sentence, "" if there is."""
        said = copy_refusal(self._state)
        if not said:
            QGuiApplication.clipboard().setText(sum_text(self._state, way))
        return said

    def show_all_terms(self) -> None:
        """Every term of the sum, in a window of its own."""
        from gui.views.stage.dialogs import TermsDialog

        scene = self.scene()
        if scene.card.step is not None:
            dialog = TermsDialog(self._state, scene.card.step, scene.card.where, self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()


def spoken_target(state: State, looked_at: Target) -> str:
    """The marked cell and its value in words, for those who cannot see it."""
    cell = looked_at.cell
    if not looked_at.is_visible:
        what = asked_sentence() if is_predicted(state, looked_at) else ahead_sentence()
        return tr("{where}. {what}", where=cell_in_words(state, looked_at), what=what)
    return spoken_cell(state, cell, only_visible=True)
