"""The heatmap panel: controls, heatmap, the line that reads the focused cell; the canvas is loaded later."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from core.base.cell import Cell
from gui.painting.icons import icon
from gui.painting.text_size import factor, in_units, px, set_font, set_icon_size, set_least
from gui.painting.theme import BODY, colours
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.names import stage_name
from gui.texts.translation import tr
from gui.views.heatmaps.controls import (
    EmptyPage,
    KeyButton,
    LevelsButton,
    StageBox,
    ViewButtons,
    style,
)
from gui.views.heatmaps.heatmap_data import HeatmapChoice, Pane, choose_heatmap, make_panes
from gui.views.heatmaps.heatmap_spec import HeatmapSpec, make_heatmap_spec, reading_line
from gui.views.heatmaps.painting import MARGIN, paint_spec, smallest_digits
from gui.views.heatmaps.wording import why_empty
from gui.widgets.choice import WheelGuard
from gui.widgets.labels import StableLabel
from gui.widgets.layouts import FlowLayout


class HeatmapPreview(QWidget):
    """Looks as the canvas will. `touched`: somebody wants to do something with it."""

    touched = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._sheet: HeatmapSpec | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_least(self, 160, 90)

    def sizeHint(self) -> QSize:
        """Room for a few dozen cells, as the canvas."""
        return QSize(px(420), px(240))

    def show_spec(self, sheet: HeatmapSpec) -> None:
        """Show a sheet."""
        self._sheet = sheet
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The sheet, for the size that there is."""
        if self._sheet is None:
            return
        least = smallest_digits(factor())
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()) as room:
            paint_spec(
                painter, room, room.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), self._sheet, least
            )

    def enterEvent(self, event: QEnterEvent) -> None:
        """The pointer."""
        super().enterEvent(event)
        self.touched.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard."""
        super().focusInEvent(event)
        self.touched.emit()


if TYPE_CHECKING:
    from gui.views.heatmaps.view import HeatmapView

SETTLED = (
    50  # ms after the first picture, in which a window manager may still change the window's size
)


class HeatmapPanel(QWidget):
    """One stage as a heatmap, all its heads side by side, or its difference to a pinned run.

    pyqtgraph takes long to import: it is loaded once the window stands, whose first picture a preview paints, and the
    canvas takes the preview's place with the first step, pointer or key.
    """

    edit_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._choice: HeatmapChoice | None = None
        self._panes: tuple[Pane, ...] = ()
        self.views, self.stages, self.levels = ViewButtons(self), StageBox(self), LevelsButton(self)
        self._sheet: HeatmapSpec | None = None
        self._view: HeatmapView | None = None
        self._loading = QTimer(self, singleShot=True, interval=SETTLED)
        self._loading.timeout.connect(_load_canvas)
        self._painted = False
        self.preview = HeatmapPreview(self)
        self.preview.touched.connect(self._bring_canvas)
        self.empty = EmptyPage(self)
        self.reading = QLabel(self)
        self.pin, self.unpin = KeyButton(self), KeyButton(self)
        self._dress_bottom()
        self._arrange()
        self._connect()
        WheelGuard(self)

    @property
    def view(self) -> HeatmapView:
        """The canvas, made when it is first asked for."""
        if self._view is None:
            from gui.views.heatmaps.view import HeatmapView

            self._view = HeatmapView(self)
            self._view.cell_clicked.connect(self._focus_on)
            self._view.cell_doubled.connect(self._edit)
            self._view.head_clicked.connect(self._session.select_head)
            self._view.entered.connect(self._focus_here)
            self._replace_preview(self._view)
        return self._view

    def _replace_preview(self, view: HeatmapView) -> None:
        self._stack.addWidget(view)
        self.setTabOrder(self.levels, view)
        view.setAccessibleName(self.preview.accessibleName())
        view.setAccessibleDescription(self.preview.accessibleDescription())
        self.preview.setAccessibleName("")  # it says nothing any more, in no language
        if self._sheet is not None:
            view.show_spec(self._sheet)
        if self._stack.currentWidget() is self.preview:
            focused = self.preview.hasFocus()
            self._stack.setCurrentWidget(view)
            if focused:
                view.setFocus()

    def _bring_canvas(self) -> None:
        assert self.view is not None

    def paintEvent(self, event: QPaintEvent) -> None:
        """The first time: the canvas is loaded soon after."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._loading.start()

    def _dress_bottom(self) -> None:
        self.reading.setObjectName("heatmap_reading")
        set_font(self.reading, BODY)
        self.reading.setWordWrap(True)
        for button, name in ((self.pin, "pin_run"), (self.unpin, "unpin_run")):
            button.setObjectName(name)
            set_icon_size(button, 16)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.hide()

    def _arrange(self) -> None:
        self.setObjectName("heatmap_panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        top, bottom = FlowLayout(8), QHBoxLayout()
        for widget in (self.views, self.stages, self.levels):
            top.addWidget(widget)
        top.give_rest(self.stages)
        bottom.setSpacing(6)
        bottom.addWidget(StableLabel(self.reading, self), 1)
        bottom.addWidget(self.unpin)
        bottom.addWidget(self.pin)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.preview)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(4)
        column.addLayout(top)
        column.addLayout(self._stack, 1)
        column.addLayout(bottom)

    def _connect(self) -> None:
        self.views.chosen.connect(self._choose_view)
        self.stages.picked.connect(self._choose_stage)
        self.levels.picked.connect(self._choose_levels)
        self.pin.clicked.connect(self._session.compare_with_current)
        self.empty.pin.clicked.connect(self._session.compare_with_current)
        self.unpin.clicked.connect(self._session.stop_comparing)

    # What the user wants

    def _choose_view(self, view: str) -> None:
        self._session.set_preferences(heatmap_view=view)

    def _choose_stage(self, stage_id: str) -> None:
        self._session.set_preferences(heatmap_stage=stage_id)

    def _choose_levels(self, levels: str) -> None:
        self._session.set_preferences(heatmap_levels=levels)

    def _focus_on(self, cell: Cell) -> None:
        """The cell that is seen at a place."""
        if self._choice is not None:
            self._session.set_focus(self._cell_at(cell, self._choice))

    def _edit(self, cell: Cell) -> None:
        if self._choice is not None:
            self.edit_wanted.emit(self._cell_at(cell, self._choice))

    def _cell_at(self, cell: Cell, choice: HeatmapChoice) -> Cell:
        return replace(self._session.state.orientation.cell(cell), tensor=choice.stage.id)

    def _focus_here(self) -> None:
        """The cell of the cursor in what is shown here, for the keyboard."""
        if self._panes:
            cursor, (rows, columns) = self._session.state.cursor, self._panes[0].shape
            row, column = self._session.state.orientation.pair(cursor.row, cursor.column)
            self._focus_on(Cell("", min(row, rows - 1), min(column, columns - 1), cursor.head))

    # What is shown

    def show_state(self, old: State | None, new: State) -> None:
        """Labels, controls, images and marks; images only where their arrays or their scale are others."""
        if old is None or old.shade != new.shade:
            self._dress(new)
        if old is None or old.language != new.language:
            self._label()
        if old is None or old.wording != new.wording or old.trace.plan != new.trace.plan:
            self.stages.fill(new)
        self.views.show_view(new.preferences.heatmap_view)
        self.stages.show_stage(new)
        self.levels.show_levels(new.preferences.heatmap_levels, new.shade)
        if old is not None:
            self._bring_canvas()
        self._show(new)

    def _show(self, state: State) -> None:
        choice, page = choose_heatmap(state), self._view or self.preview
        if self._choice is None or not choice.has_same_panes(self._choice):
            self._panes = make_panes(choice, state.trace)
        self._choice, text, said = choice, "", ""
        if self._panes:
            self._sheet = make_heatmap_spec(state, choice, self._panes)
            page.show_spec(self._sheet)
            text = said = reading_line(state, choice, self._panes[0])
            if choice.compared is None and state.focus.tensor == choice.stage.id:
                said = spoken_cell(state, state.focus, only_visible=False)
        else:
            self.empty.show_text(why_empty(state, choice.missing, choice.stage))
        self._stack.setCurrentWidget(page if self._panes else self.empty)
        self.pin.setVisible(bool(self._panes))
        self.unpin.setVisible(state.compared is not None)
        self.reading.setText(text)
        page.setAccessibleName(tr("Heatmap of {stage}", stage=stage_name(choice.stage.id)))
        page.setAccessibleDescription(said)

    def _dress(self, state: State) -> None:
        theme = colours(state.shade)
        self.setStyleSheet(style(theme))
        self.pin.setIcon(icon("pin", theme.text))
        self.empty.pin.setIcon(icon("pin", theme.text))
        self.unpin.setIcon(icon("unpin", theme.text))

    def _label(self) -> None:
        self.views.label()
        self.levels.label()
        self.empty.label()
        self.pin.setAccessibleName(tr("Pin this run"))
        self.pin.setToolTip(tr("Pin this run, to see what later changes do to its numbers"))
        self.unpin.setAccessibleName(tr("Unpin the run"))
        self.unpin.setToolTip(tr("Unpin the run"))


def _load_canvas() -> None:
    """Beside the window, which answers meanwhile: pyqtgraph takes a quarter of a second."""
    Thread(target=import_module, args=("gui.views.heatmaps.view",), daemon=True).start()
