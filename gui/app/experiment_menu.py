"""The Experiment menu: positions, mask, scale, heads, pinned run."""

from __future__ import annotations

from core.document.edits import with_head_enabled
from core.document.resize import with_head_added, with_head_duplicated, with_head_removed
from gui.app.actions import Action, Records, Submenu
from gui.app.main_window import MainWindow
from gui.texts.translation import mark


def _is_head_on(window: MainWindow) -> bool:
    state = window.session.state
    return state.document.heads[state.cursor.head].enabled


def _toggle_head(window: MainWindow) -> None:
    on = not _is_head_on(window)
    text = mark("Head on") if on else mark("Head off")
    head = window.session.state.cursor.head
    window.session.change(with_head_enabled, head, on, text=text)


def _duplicate_head(window: MainWindow) -> None:
    head = window.session.state.cursor.head
    window.session.change(with_head_duplicated, head, text=mark("Duplicate the head"))


def _remove_head(window: MainWindow) -> None:
    head = window.session.state.cursor.head
    window.session.change(with_head_removed, head, text=mark("Remove the head"))


EXPERIMENT_MENU: Records[MainWindow] = (
    Submenu("experiment", mark("E&xperiment")),
    Action(
        "toggle_positional",
        mark("Positions"),
        lambda w: w.feature_toggles.toggle_positional(),
        "experiment",
        icon="position",
        checked=lambda w: w.session.state.document.positional.kind != "none",
        toolbar=("switches", 0),
    ),
    Action(
        "toggle_mask",
        mark("Mask"),
        lambda w: w.feature_toggles.toggle_mask(),
        "experiment",
        icon="mask",
        checked=lambda w: w.session.state.document.mask.kind != "none",
        toolbar=("switches", 1),
    ),
    Action(
        "toggle_scale",
        mark("÷√dₖ"),
        lambda w: w.feature_toggles.toggle_scale(),
        "experiment",
        icon="scale",
        checked=lambda w: w.session.state.document.scale.kind != "none",
        toolbar=("switches", 2),
    ),
    Action(
        "toggle_head",
        mark("Head on"),
        _toggle_head,
        "experiment",
        icon="head_on",
        checked=_is_head_on,
        line=True,
    ),
    Action(
        "add_head",
        mark("Add a head"),
        lambda w: w.session.change(with_head_added, text=mark("Add a head")),
        "experiment",
        icon="add",
    ),
    Action(
        "duplicate_head",
        mark("Duplicate the head"),
        _duplicate_head,
        "experiment",
        icon="duplicate",
    ),
    Action(
        "remove_head",
        mark("Remove the head"),
        _remove_head,
        "experiment",
        icon="remove",
        enabled=lambda w: w.session.state.document.h > 1,
    ),
    Action(
        "pin_run",
        mark("Pin this run"),
        lambda w: w.session.compare_with_current(),
        "experiment",
        icon="pin",
        line=True,
    ),
    Action(
        "unpin_run",
        mark("Unpin the run"),
        lambda w: w.session.stop_comparing(),
        "experiment",
        icon="unpin",
        enabled=lambda w: w.session.state.compared is not None,
    ),
)
