"""The menu of the focused cell: in the Edit menu, and at a right click on a cell of any view."""

from __future__ import annotations

import math

from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from core.base.number_format import exact
from core.document.edits import with_pin, without_pins_of
from gui.app.actions import Action, Records, Submenu
from gui.app.main_window import MainWindow
from gui.session.answers import is_too_large
from gui.session.state import State
from gui.texts.names import cell_name
from gui.texts.translation import mark, tr
from gui.views.tables.set_values import value_at
from gui.views.tables.view import TensorView, add_copy_formats


def _is_computed(state: State) -> bool:
    plan = state.trace.plan
    return state.focus.tensor in plan and not plan[state.focus.tensor].entered


def _is_pinned(state: State) -> bool:
    return any(pin.cell == state.focus for pin in state.document.pins)


def _edit(window: MainWindow) -> None:
    """Edit the learner's number where Check has the keyboard, else the number itself."""
    if not window.clipboard_actions.edit():
        window.edit_number(window.session.state.focus)


def _pin_name(window: MainWindow) -> str:
    state = window.session.state
    if _is_pinned(state):
        return tr("&Unpin")
    return tr("&Pin a value…") if state.is_covered(state.focus) else tr("&Pin this value")


def _can_pin(window: MainWindow) -> bool:
    state = window.session.state
    if not _is_computed(state) or state.hides(state.focus):
        return False
    value = value_at(state, state.focus)
    return value is None or _is_pinned(state) or math.isfinite(value)


def _pin(window: MainWindow) -> None:
    """Pin the focused number at its value, or unpin it. One that is not reached asks for a value."""
    session, state = window.session, window.session.state
    cell, value = state.focus, value_at(state, state.focus)
    name = cell_name(cell, state.document, state.orientation)
    if _is_pinned(state):
        session.change(without_pins_of, [cell], text=mark("Unpin {name}"), name=name)
    elif value is None:
        window.edit_number(cell)
    else:
        session.change(with_pin, cell, value, text=mark("Pin {name}"), name=name)


def can_copy(window: MainWindow) -> bool:
    """Whether a table, a text or the focused number can be copied."""
    state, actions = window.session.state, window.clipboard_actions
    in_table = actions.can("clip_copy")
    return in_table or (not actions.is_text and value_at(state, state.focus) is not None)


def copy(window: MainWindow) -> None:
    """Copy what is selected in a table or a text; elsewhere the focused number."""
    state = window.session.state
    if window.clipboard_actions.can("clip_copy"):
        window.clipboard_actions.perform("clip_copy")
    elif (value := value_at(state, state.focus)) is not None:
        QGuiApplication.clipboard().setText(exact(value))


def _can_check(window: MainWindow) -> bool:
    state = window.session.state
    return _is_computed(state) and not is_too_large(state.document, state.focus.tensor)


def _check(window: MainWindow) -> None:
    cell = window.session.state.focus
    window.show_check()
    window.check.show_stage(cell.tensor)
    window.session.set_focus(cell)


def _fill(window: MainWindow, menu: QMenu) -> None:
    """Entries for the focused cell; those of a table where a table has the keyboard."""
    actions, target = window.actions_, window.clipboard_actions.target
    actions.rename("pin_cell")
    menu.addActions([actions["edit_cell"], actions["pin_cell"]])
    menu.addSeparator()
    menu.addActions([actions["clip_copy"], actions["copy_sum_text"], actions["copy_sum_latex"]])
    if isinstance(target, TensorView) and target.has_several_selected():
        add_copy_formats(menu.addMenu(tr("Copy the selection as")), target.copy_as)
    else:
        menu.addMenu(window.menus["copy_matrix"])
    clips = [name for name in ("clip_paste", "clip_whole", "clip_clear") if name in _clips(target)]
    if clips:
        menu.addSeparator()
        menu.addActions([actions[name] for name in clips])
    menu.addSeparator()
    menu.addActions([actions["check_cell"], actions["go_to_cell"]])


def _clips(target: object) -> tuple[str, ...]:
    return getattr(target, "clips", ())


def _open_by_key(window: MainWindow) -> None:
    """Open the menu of the view or the text with the keyboard, else of the stage view."""
    for widget in (window.focusWidget() or window.stage, window.stage):
        at = widget.rect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, widget.mapToGlobal(at))
        if QApplication.sendEvent(widget, event) and event.isAccepted():
            break


CELL_MENU: Records[MainWindow] = (
    Submenu("cell", mark("&Focused cell"), "edit", _fill, line=True),
    Action("edit_cell", mark("&Edit"), _edit, keys=("F2",)),
    Action(
        "pin_cell",
        mark("&Pin this value"),
        _pin,
        icon="pin",
        enabled=_can_pin,
        name=_pin_name,
    ),
    Action("check_cell", mark("Chec&k this"), _check, enabled=_can_check),
    Action(
        "go_to_cell",
        mark("&Go to its step"),
        lambda w: w.session.go_to_cell(w.session.state.focus),
    ),
    Action("cell_menu", mark("Menu of the focused cell"), _open_by_key, keys=("Shift+F10",)),
)
