"""The heatmap panel: controls, heatmap, the line that reads the focused cell.

The canvas is loaded later.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QEnterEvent, QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QToolButton, QVBoxLayout, QWidget

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
    VIEWS,
    EmptyPage,
    LevelsButton,
    StageBox,
    style,
    view_segments,
)
from gui.views.heatmaps.heatmap_data import HeatmapChoice, Pane, choose_heatmap, make_panes
from gui.views.heatmaps.heatmap_spec import HeatmapSpec, make_heatmap_spec, reading_line
from gui.views.heatmaps.painting import MARGIN, paint_spec, smallest_digits
from gui.views.heatmaps.wording import why_empty
from gui.widgets.buttons import KeyButton, Segments, name_button, name_widget
from gui.widgets.choice import WheelGuard
from gui.widgets.labels import StableLabel
from gui.widgets.layouts import FlowLayout, fill


class HeatmapPreview(QWidget):
    """Looks like the canvas. `touched` reports that the pointer or the keyboard has come to it."""

    touched = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._spec: HeatmapSpec | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_least(self, 160, 90)

    def sizeHint(self) -> QSize:
        """The same size as the canvas."""
        return QSize(px(420), px(240))

    def show_spec(self, spec: HeatmapSpec) -> None:
        """Show a specification."""
        self._spec = spec
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the heatmap."""
        if self._spec is None:
            return
        least = smallest_digits(factor())
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()) as area:
            inner = area.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
            paint_spec(painter, area, inner, self._spec, least)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Report the pointer."""
        super().enterEvent(event)
        self.touched.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report the keyboard."""
        super().focusInEvent(event)
        self.touched.emit()


if TYPE_CHECKING:
    from gui.views.heatmaps.view import HeatmapView

# ms after the first picture, in which a window manager may still resize the window
LOAD_DELAY = 50


class HeatmapPanel(QWidget):
    """One stage as a heatmap, all its heads side by side, or its difference to a pinned run.

    pyqtgraph takes long to import: the first picture is painted by a preview, pyqtgraph is loaded
    after it, and the canvas replaces the preview with the first step, pointer or key.
    """

    edit_wanted = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._choice: HeatmapChoice | None = None
        self._panes: tuple[Pane, ...] = ()
        self.views, self.stages, self.levels = (
            Segments(VIEWS, self),
            StageBox(self),
            LevelsButton(self),
        )
        self._spec: HeatmapSpec | None = None
        self._view: HeatmapView | None = None
        self._loading = QTimer(self, singleShot=True, interval=LOAD_DELAY)
        self._loading.timeout.connect(_import_canvas)
        self._painted = False
        self.preview = HeatmapPreview(self)
        self.preview.touched.connect(self._show_canvas)
        self.empty = EmptyPage(self)
        self.reading = QLabel(self)
        self.pin, self.unpin = KeyButton(self), KeyButton(self)
        self._set_up_bottom()
        self._lay_out()
        self._connect()
        WheelGuard(self)

    @property
    def view(self) -> HeatmapView:
        """The canvas, made on first use."""
        if self._view is None:
            from gui.views.heatmaps.view import HeatmapView

            self._view = HeatmapView(self)
            self._view.cell_clicked.connect(self._focus_on)
            self._view.cell_doubled.connect(self._edit)
            self._view.menu_wanted.connect(self._open_menu)
            self._view.head_clicked.connect(self._session.select_head)
            self._view.entered.connect(self._move_focus_here)
            self._replace_preview(self._view)
        return self._view

    def _replace_preview(self, view: HeatmapView) -> None:
        self._stack.addWidget(view)
        self.setTabOrder(self.levels, view)
        view.setAccessibleName(self.preview.accessibleName())
        view.setAccessibleDescription(self.preview.accessibleDescription())
        self.preview.setAccessibleName("")  # or its text would stay in an old language
        if self._spec is not None:
            view.show_spec(self._spec)
        if self._stack.currentWidget() is self.preview:
            focused = self.preview.hasFocus()
            self._stack.setCurrentWidget(view)
            if focused:
                view.setFocus()

    def _show_canvas(self) -> None:
        assert self.view is not None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Load the canvas after the first picture."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._loading.start()

    def _set_up_bottom(self) -> None:
        self.reading.setObjectName("heatmap_reading")
        set_font(self.reading, BODY)
        self.reading.setWordWrap(True)
        for button, name in ((self.pin, "pin_run"), (self.unpin, "unpin_run")):
            button.setObjectName(name)
            set_icon_size(button, 16)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.hide()

    def _lay_out(self) -> None:
        self.setObjectName("heatmap_panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        top, bottom = FlowLayout(8), QHBoxLayout()
        self._bottom = bottom
        for widget in (self.views, self.stages, self.levels):
            top.addWidget(widget)
        top.set_stretching(self.stages)
        fill(bottom, (StableLabel(self.reading, self), 1), self.unpin, self.pin, spacing=6)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.preview)
        self._stack.addWidget(self.empty)
        fill(QVBoxLayout(self), top, (self._stack, 1), bottom, spacing=4, margins=(10, 8, 10, 8))

    def add_buttons(self, *actions: QAction) -> None:
        """Add buttons of the window for the place of the panel, at the lower right."""
        for action in actions:
            button = KeyButton(self)
            button.setDefaultAction(action)
            action.changed.connect(partial(_name_after, button, action))
            _name_after(button, action)
            button.setObjectName(f"{action.objectName()}_here")
            set_icon_size(button, 16)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            self._bottom.addWidget(button)

    def _connect(self) -> None:
        choose = self._session.set_preferences
        self.views.chosen.connect(lambda view: choose(heatmap_view=view))
        self.stages.chosen.connect(lambda stage_id: choose(heatmap_stage=stage_id))
        self.levels.chosen.connect(lambda levels: choose(heatmap_levels=levels))
        self.levels.stretched.connect(lambda on: choose(heatmap_stretched=on))
        self.pin.clicked.connect(self._session.compare_with_current)
        self.empty.pin.clicked.connect(self._session.compare_with_current)
        self.unpin.clicked.connect(self._session.stop_comparing)

    # User actions

    def _focus_on(self, cell: Cell) -> None:
        """Focus the cell that is drawn at a place."""
        if self._choice is not None:
            self._session.set_focus(self._cell_at(cell, self._choice))

    def _edit(self, cell: Cell) -> None:
        if self._choice is not None:
            self.edit_wanted.emit(self._cell_at(cell, self._choice))

    def _open_menu(self, cell: Cell, at: QPoint) -> None:
        if self._choice is not None:
            self.menu_wanted.emit(self._cell_at(cell, self._choice), at)

    def _cell_at(self, cell: Cell, choice: HeatmapChoice) -> Cell:
        return replace(self._session.state.orientation.cell(cell), tensor=choice.stage.id)

    def _move_focus_here(self) -> None:
        """Focus the cursor's cell in the stage that is shown here."""
        if self._panes:
            cursor, (rows, columns) = self._session.state.cursor, self._panes[0].shape
            row, column = self._session.state.orientation.pair(cursor.row, cursor.column)
            self._focus_on(Cell("", min(row, rows - 1), min(column, columns - 1), cursor.head))

    # What is shown

    def show_state(self, old: State | None, new: State) -> None:
        """Show another state; panes are made again only where their arrays or their scale changed."""
        if old is None or old.shade != new.shade:
            self._style(new)
        if old is None or old.language != new.language:
            self._show_texts()
        if old is None or old.wording != new.wording or old.trace.plan != new.trace.plan:
            self.stages.list_stages(new)
        self.views.show_segments(view_segments(), new.preferences.heatmap_view)
        self.stages.show_stage(new)
        preferences = new.preferences
        self.levels.show_choice(
            preferences.heatmap_levels, preferences.heatmap_stretched, new.shade
        )
        if old is not None:
            self._show_canvas()
        self._show(new)

    def _show(self, state: State) -> None:
        choice, page = choose_heatmap(state), self._view or self.preview
        if self._choice is None or not choice.has_same_panes(self._choice):
            self._panes = make_panes(choice, state.trace)
        self._choice, text, spoken = choice, "", ""
        if self._panes:
            self._spec = make_heatmap_spec(state, choice, self._panes)
            page.show_spec(self._spec)
            text = spoken = reading_line(state, choice, self._panes[0])
            if choice.compared is None and state.focus.tensor == choice.stage.id:
                spoken = spoken_cell(state, state.focus, only_visible=state.is_covered(state.focus))
        else:
            self.empty.show_text(why_empty(state, choice.missing, choice.stage))
        self._stack.setCurrentWidget(page if self._panes else self.empty)
        self.pin.setVisible(bool(self._panes))
        self.unpin.setVisible(state.compared is not None)
        self.reading.setText(text.replace(" = ", " =\u00a0"))  # no line ends before the number
        page.setAccessibleName(tr("Heatmap of {stage}", stage=stage_name(choice.stage.id)))
        page.setAccessibleDescription(spoken)

    def _style(self, state: State) -> None:
        theme = colours(state.shade)
        self.setStyleSheet(style(theme))
        self.views.paint_in(theme)
        self.pin.setIcon(icon("pin", theme.text))
        self.empty.pin.setIcon(icon("pin", theme.text))
        self.unpin.setIcon(icon("unpin", theme.text))

    def _show_texts(self) -> None:
        self.levels.show_texts()
        name_button(self.empty.pin, tr("Pin this run"))
        later = tr("Pin this run to see how later changes affect its numbers")
        name_widget(self.pin, tr("Pin this run"), later)
        name_widget(self.unpin, tr("Unpin the run"), tr("Unpin the run"))


def _name_after(button: QToolButton, action: QAction) -> None:
    button.setAccessibleName(action.text())


def _import_canvas() -> None:
    """Import pyqtgraph in a thread: it takes a quarter of a second."""
    Thread(target=import_module, args=("gui.views.heatmaps.view",), daemon=True).start()
