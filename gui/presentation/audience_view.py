"""The audience's window: the panels of a step and the layers over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QActionGroup,
    QCloseEvent,
    QColor,
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from core.base.cell import Cell
from core.base.errors import UserError
from core.lesson.lesson import PANELS
from core.lesson.model import SHARES
from gui.painting.theme import BODY, colours, font
from gui.presentation.cell_editor import PresentedCellEditor
from gui.presentation.layers import (
    BLACK,
    WHITE,
    BlankScreen,
    CountdownLayer,
    KeyHelpLayer,
    MessageLayer,
    PointerLayer,
)
from gui.presentation.overlay import LASER, PEN, SPOTLIGHT, Overlay, Strokes, stroke_key
from gui.presentation.panel_widgets import PanelWidgets, TimelineStrip
from gui.presentation.slide import (
    Headline,
    gap_between,
    headline_of,
    paint_headline,
    slide_areas,
    spoken_headline,
    stage_texts,
    text_height,
    unit_for,
)
from gui.session.presented_views import (
    AUTO,
    SIDE_BY_SIDE,
    STACKED,
    PresentedViews,
    with_first_panel,
    with_second_panel,
)
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.stage_texts import asked_sentence
from gui.texts.translation import tr
from gui.views.stage.view import StageView
from gui.widgets.scene_reader import panel_name

IDLE_TIME = 2000  # milliseconds


class CursorHider(QObject):
    """Hides the mouse cursor over the audience's window while it rests or a light replaces it."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.hidden = False
        self.idle_timer = QTimer(self, singleShot=True, interval=IDLE_TIME)
        self.idle_timer.timeout.connect(self._rested)

    def mouse_moved(self, replaced: bool) -> None:
        """Show the cursor for a while, or hide it if a light `replaced` it."""
        self._show(not replaced)
        if replaced:
            self.idle_timer.stop()
        else:
            self.idle_timer.start()

    def mouse_left(self) -> None:
        """Show the cursor: the mouse left the window."""
        self.idle_timer.stop()
        self._show(True)

    def _rested(self) -> None:
        if QApplication.activePopupWidget() is None:
            self._show(False)

    def _show(self, on: bool) -> None:
        if on is not self.hidden:
            return
        self.hidden = not on
        if on:
            QApplication.restoreOverrideCursor()
        else:
            QApplication.setOverrideCursor(Qt.CursorShape.BlankCursor)


SENTENCE_TIME = 2500  # milliseconds


class AudienceView(QWidget):
    """The audience's full-screen window.

    Signals: `view_menu_requested(point)`; `closed()` by the window system; `overlay_changed()`;
    `split_dragged(percent)` while the gap between two panels is dragged.
    """

    view_menu_requested = Signal(QPoint)
    closed = Signal()
    overlay_changed = Signal()
    split_dragged = Signal(int)

    def __init__(self, session: Session, strokes: Strokes, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("board")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._session = session
        self.choice, self.headline = PresentedViews(), Headline()
        self._text_height = text_height(self.size())
        self._head, self._area, self._gap, self._dragging = QRect(), QRect(), QRect(), False
        self.panes = PanelWidgets(session, self)
        self.strip, self.pointer, self.cursor_hider = (
            TimelineStrip(session, self),
            PointerLayer(strokes, session.undo_stack.index, self),
            CursorHider(self),
        )
        self.pointer.tool_changed.connect(self._tool_taken)
        self.message_layer, self.cell_editor, self.blank_screen = (
            MessageLayer(self),
            PresentedCellEditor(session, self),
            BlankScreen(self),
        )
        self.key_help, self.countdown = KeyHelpLayer(self), CountdownLayer(self)
        self.cell_editor.left.connect(self.setFocus)
        session.failed.connect(self._refuse)
        for layer in (
            self.pointer,
            self.countdown,
            self.key_help,
            self.message_layer,
            self.cell_editor,
            self.blank_screen,
        ):
            layer.changed.connect(self.overlay_changed)
        for widget in (self.strip, self.strip.timeline, self.pointer):
            widget.installEventFilter(self)

    # What is shown

    def show_state(
        self, old: State | None, new: State, choice: PresentedViews, answered: bool
    ) -> None:
        """Show a state in some panels, with its headline."""
        self.choice, self.headline = choice, headline_of(new, answered)
        self.panes.show_state(old, new)
        self.strip.show_state(old, new)
        self.cell_editor.show_state(old, new)
        self.pointer.show_place(stroke_key(new, choice), colours(new.shade))
        self.setAccessibleName(spoken_headline(self.headline))
        self.setAccessibleDescription(spoken_cell(new, new.focus, only_visible=True))
        self._arrange()

    def _arrange(self) -> None:
        percent = self._session.state.preferences.presented_text
        self._text_height = text_height(self.size(), percent)
        self._head, places = slide_areas(self.rect(), self.choice, self.headline, percent)
        for panel, place in zip(self.choice.panels, places, strict=True):
            fresh = panel not in self.panes.all
            pane = self.panes.get(panel)
            if fresh:
                pane.installEventFilter(self)
                pane.edit_wanted.connect(self.edit)
            unit = unit_for(panel, self._text_height)
            if isinstance(pane, StageView):
                brief, card = stage_texts(self.choice, self.headline)
                pane.magnify(unit, brief=brief, card=card)
            else:
                pane.magnify(unit)
            pane.setGeometry(place)
        self._area = places[0].united(places[-1])
        self._gap = gap_between(places)
        for panel, pane in self.panes.all.items():
            pane.setVisible(panel in self.choice.panels)
        self.strip.place(self.width(), self.height())
        for layer in (
            self.strip,
            self.pointer,
            self.countdown,
            self.key_help,
            self.message_layer,
            self.cell_editor,
            self.blank_screen,
        ):
            if layer not in (self.strip, self.cell_editor):
                layer.setGeometry(self.rect())
            layer.raise_()
        self.update()

    def overlay(self) -> Overlay:
        """What is painted over the picture."""
        return Overlay(
            self.pointer.marks,
            self.message_layer.visible_message,
            self.cell_editor.picture(),
            self.blank_screen.colour,
            not self.key_help.isHidden(),
            self.countdown.text,
        )

    def show_keys(self) -> None:
        """Show or hide the key help."""
        self.key_help.toggle(self._session.state.shade)

    def edit(self, cell: Cell) -> None:
        """Open the editor of a cell beside it, unless its value is still hidden."""
        self._session.set_focus(cell)
        place = self.panes.place_of(cell, self.choice.panels) or QRect(
            self.rect().center(), QSize()
        )
        if self.cell_editor.open(cell, place):
            self.activateWindow()
        else:
            self._refuse(UserError("cell.covered"))

    def _refuse(self, problem: UserError) -> None:
        """Explain here, in front of the main window, that a hidden value cannot be edited."""
        if problem.code == "cell.covered":
            self.message_layer.show_message(
                "", asked_sentence(), self._session.state.shade, SENTENCE_TIME
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out everything for the new size."""
        self.cell_editor.close_editor()
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint background and headline; panels paint themselves."""
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(colours(self._session.state.shade).surface))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_headline(
                painter, self._head, self._text_height, self.headline, self._session.state
            )

    # Mouse

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Track the mouse over all child widgets."""
        if (
            event.type() is QEvent.Type.MouseMove
            and isinstance(event, QMouseEvent)
            and isinstance(watched, QWidget)
        ):
            self._moved(QPointF(watched.mapTo(self, event.position().toPoint())))
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Track the mouse between the panels; drag the split."""
        self._moved(event.position())
        if self._dragging:
            at, area = event.position(), self._area
            along = (
                (at.x() - area.x()) / max(1, area.width())
                if self._split_is_vertical()
                else (at.y() - area.y()) / max(1, area.height())
            )
            self.split_dragged.emit(min(max(round(along * 100), SHARES[0]), SHARES[1]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the gap between two panels."""
        self._dragging = (
            event.button() is Qt.MouseButton.LeftButton
            and len(self.choice.panels) == 2
            and self._gap.contains(event.position().toPoint())
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the gap."""
        self._dragging = False

    def _split_is_vertical(self) -> bool:
        return self._gap.height() > self._gap.width()

    def _moved(self, at: QPointF) -> None:
        if at != self.pointer.at:
            self.pointer.follow(at)
            if self.pointer.tool != PEN:  # which writes there, and cannot click it
                self.strip.follow(at.y())
            self.cursor_hider.mouse_moved(self.pointer.has_light)

    def _tool_taken(self) -> None:
        if self.pointer.at is not None:
            self.cursor_hider.mouse_moved(self.pointer.has_light)

    def leaveEvent(self, event: QEvent) -> None:
        """Stop tracking: the mouse is on another screen."""
        self.pointer.leaveEvent(event)
        self.cursor_hider.mouse_left()

    def changeEvent(self, event: QEvent) -> None:
        """Show the cursor when another window becomes active."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.cursor_hider.mouse_left()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of views."""
        self.view_menu_requested.emit(event.globalPos())
        event.accept()

    # Commands and menu

    def do_command(self, command: str) -> bool:
        """Carry out a command that concerns this window alone; return whether it is one."""
        pointer = self.pointer
        if command in (BLACK, WHITE):
            self.blank_screen.toggle(command)
        elif command in (LASER, SPOTLIGHT):
            pointer.toggle(command)
        elif command == "pen":
            pointer.next_pen()
        elif command == "erase":
            pointer.clear_strokes()
        elif command == "arrow":
            pointer.drop_tool()
        elif command == "help":
            self.show_keys()
        elif command in ("zoom_in", "zoom_out", "fit"):
            diagram = self.panes.all.get("diagram")
            if diagram is not None:
                getattr(diagram, command)()
        else:
            return False
        return True

    def open_view_menu(self, menu: QMenu, at: QPoint) -> None:
        """Open the menu of what is shown, at a point of the desktop."""
        menu.aboutToHide.connect(menu.deleteLater)
        self.cursor_hider.mouse_left()
        menu.popup(at)

    # The window

    def end(self) -> None:
        """Close the window and stop its timers."""
        self.strip.end()
        self.message_layer.dismiss()
        self.countdown.stop()
        self.cell_editor.close_editor()
        self.cursor_hider.mouse_left()
        self.hide()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Report that the window system closed the window."""
        self.closed.emit()
        event.accept()


def choosing_menu(
    parent: QWidget, choice: PresentedViews, choose: Callable[[PresentedViews], None]
) -> QMenu:
    """The menu of views: first panel, second panel and their arrangement."""
    menu = QMenu(parent)
    face = font(BODY * unit_for("words", text_height(parent.size())))
    menu.setFont(face)
    menu.setStyleSheet(f"QMenu {{ font-size: {face.pixelSize()}px; }}")
    first, second = choice.panels[0], choice.panels[1] if len(choice.panels) == 2 else ""
    menu.addAction(tr("Shown at this step")).setEnabled(False)
    firsts = [(panel_name(one), with_first_panel(choice, one), one == first) for one in PANELS]
    _radios(menu, firsts, choose)
    menu.addSeparator()
    menu.addAction(tr("Together with")).setEnabled(False)
    others = [panel for panel in PANELS if panel != first]
    items = [
        (panel_name(panel), with_second_panel(choice, panel), panel == second) for panel in others
    ]
    _radios(menu, [(tr("nothing else"), with_second_panel(choice, ""), not second), *items], choose)
    if second:
        menu.addSeparator()
        ways = (
            (tr("automatic layout"), AUTO),
            (tr("one above the other"), STACKED),
            (tr("side by side"), SIDE_BY_SIDE),
        )
        _radios(
            menu,
            [(name, replace(choice, layout=way), way == choice.layout) for name, way in ways],
            choose,
        )
    return menu


def _radios(
    menu: QMenu,
    items: list[tuple[str, PresentedViews, bool]],
    choose: Callable[[PresentedViews], None],
) -> None:
    """Add items of which one is checked."""
    group = QActionGroup(menu)
    for name, result, checked in items:
        action = menu.addAction(name)
        action.setCheckable(True)
        action.setChecked(checked)
        action.triggered.connect(lambda _checked, result=result: choose(result))
        group.addAction(action)
