"""The Edit menu: undo, clipboard, copies of matrices and sums, values, preferences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from core.document.edits import without_pins
from core.explain.timeline import has_heads
from core.stages.dialect import heads_of
from gui.app.actions import Action, Records, Submenu
from gui.app.cell_menu import CELL_MENU, can_copy, copy
from gui.app.main_window import MainWindow
from gui.session.session import Session
from gui.texts.names import COPY_FORMATS
from gui.texts.translation import mark, tr
from gui.views.tables.set_values import nudge
from gui.widgets.shortcut_filter import REDO, UNDO


def copy_matrix(session: Session, form: str) -> str:
    """Copy the focused tensor of the chosen head as text; a sentence why it cannot be done, or ""."""
    from gui.views.tables import clipboard
    from gui.views.tables.contents import table_contents

    shown = table_contents(session.state, session.state.focus.tensor)
    return clipboard.copy_as(session, shown, np.zeros(shown.values.shape, dtype=bool), form)


def copy_heads(session: Session, form: str) -> str:
    """Copy the focused tensor of all heads as one stack; a sentence why it cannot be done, or ""."""
    from core.exchange.write import pieces
    from gui.views.tables import clipboard
    from gui.views.tables.contents import table_contents

    state, tensor = session.state, session.state.focus.tensor
    if table_contents(state, tensor).visible_extent is not None:
        return tr("Not all of these numbers are shown yet.")
    if tensor in state.trace:
        stack = state.trace[tensor]
    else:
        stack = np.stack([np.atleast_2d(array) for array in heads_of(state.document, tensor)])
    values = state.orientation.matrix(stack)
    count = clipboard.PIECES_PER_ROW * values.shape[0] * values.shape[1]
    clipboard.copy_text(session, partial(pieces, values, form), count)
    return ""


def _copy(copy: Callable[[Session, str], str], form: str, window: MainWindow) -> None:
    refused = copy(window.session, form)
    if refused:
        window.message_bar.warn(refused)


def _copy_sum(way: str, window: MainWindow) -> None:
    refused = window.stage.copy_sum(way)
    if refused:
        window.message_bar.warn(refused)


def _undo_name(window: MainWindow) -> str:
    what = window.session.undo_stack.undoText()
    return tr("Undo: {what}", what=what) if what else tr("Undo")


def _redo_name(window: MainWindow) -> str:
    what = window.session.undo_stack.redoText()
    return tr("Redo: {what}", what=what) if what else tr("Redo")


def _has_heads(window: MainWindow) -> bool:
    state = window.session.state
    return state.document.scope(state.focus.tensor).h > 1 and has_heads(state.focus.tensor)


def _clip(action_id: str, text: str, key: str) -> Action[MainWindow]:
    """An action on the table or text field with the keyboard focus."""
    return Action(
        action_id,
        text,
        lambda w: w.clipboard_actions.perform(action_id),
        "edit",
        (key,),
        enabled=lambda w: w.clipboard_actions.can(action_id),
        of_widget=True,
    )


def _paste(window: MainWindow) -> None:
    """Paste into the table or text field, and offer an experiment for several matrices."""
    window.clipboard_actions.perform("clip_paste")
    if not window.clipboard_actions.is_text:
        window.offer_pasted()


def _can_paste(window: MainWindow) -> bool:
    actions = window.clipboard_actions
    return actions.can("clip_paste") or (not actions.is_text and window.has_matrices_to_paste())


def _show_preferences(window: MainWindow) -> None:
    from gui.dialogs.preferences import PreferencesDialog

    PreferencesDialog(window.session, window).open()


EDIT_MENU: Records[MainWindow] = (
    Submenu("edit", mark("&Edit")),
    Action(
        "undo",
        mark("Undo"),
        lambda w: w.session.undo(),
        "edit",
        UNDO,
        "undo",
        lambda w: w.session.undo_stack.canUndo(),
        name=_undo_name,
        tip=lambda _: tr("Undo"),
    ),
    Action(
        "redo",
        mark("Redo"),
        lambda w: w.session.redo(),
        "edit",
        REDO,
        "redo",
        lambda w: w.session.undo_stack.canRedo(),
        name=_redo_name,
        tip=lambda _: tr("Redo"),
    ),
    Action(
        "clip_copy",
        mark("Cop&y"),
        copy,
        "edit",
        ("Ctrl+C",),
        "copy",
        can_copy,
        line=True,
        of_widget=True,
    ),
    Action(
        "clip_paste",
        mark("P&aste"),
        _paste,
        "edit",
        ("Ctrl+V",),
        enabled=_can_paste,
        of_widget=True,
    ),
    _clip("clip_whole", mark("Paste as the whole &matrix"), "Ctrl+Shift+V"),
    _clip("clip_clear", mark("Clea&r"), "Del"),
    _clip("select_all", mark("Select a&ll"), "Ctrl+A"),
    *CELL_MENU,
    Submenu("copy_matrix", mark("&Copy matrix as"), "edit", line=True),
    *(
        Action(f"copy_as_{form}", text, partial(_copy, copy_matrix, form), "copy_matrix")
        for form, text in COPY_FORMATS.items()
    ),
    Submenu("copy_heads", mark("Copy all &heads as"), "edit"),
    *(
        Action(
            f"copy_heads_as_{form}",
            text,
            partial(_copy, copy_heads, form),
            "copy_heads",
            enabled=_has_heads,
        )
        for form, text in COPY_FORMATS.items()
    ),
    Action(
        "copy_sum_text",
        mark("Copy the worked &sum"),
        partial(_copy_sum, "text"),
        "edit",
        ("Ctrl+Shift+W",),
        "copy",
    ),
    Action(
        "copy_sum_latex", mark("Copy the worked sum as La&TeX"), partial(_copy_sum, "latex"), "edit"
    ),
    Action(
        "nudge_up",
        mark("Increase the focused value"),
        lambda w: nudge(w.session, 1),
        "edit",
        ("Ctrl+Up",),
        line=True,
    ),
    Action(
        "nudge_down",
        mark("Decrease the focused value"),
        lambda w: nudge(w.session, -1),
        "edit",
        ("Ctrl+Down",),
    ),
    Action(
        "unpin_all",
        mark("Remove all what-if values"),
        lambda w: w.session.change(without_pins, text=mark("Remove all what-if values")),
        "edit",
        icon="unpin",
        enabled=lambda w: bool(w.session.state.document.pins),
    ),
    Action(
        "preferences",
        mark("&Preferences…"),
        _show_preferences,
        "edit",
        ("Ctrl+,",),
        "settings",
        line=True,
    ),
)
