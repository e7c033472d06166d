"""The kinds of positions, mask and scale: in the menu Experiment and at buttons of the step bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from core.document.document import Document
from core.document.edits import with_mask_kind, with_positional_kind
from core.stages import has_scores
from core.stages.plan import ENCODINGS
from core.stages.scale import with_scale_kind
from gui.app.actions import Action, Records, Submenu
from gui.app.main_window import MainWindow
from gui.session.state import State
from gui.texts.kinds import MASK_CHOICES, MASK_NAMES, SCALE_CHOICES, SCALE_NAMES
from gui.texts.stage_sentences import POSITIONAL_NAMES, POSITIONAL_TEXTS
from gui.texts.translation import mark

SET_BY_HAND = {"custom", "factor"}  # kinds that are nothing without numbers of the user's


def _current(part: str, window: MainWindow) -> str:
    kind: str = getattr(window.session.state.document, part).kind
    return kind


def _is_possible(part: str, kind: str, state: State) -> bool:
    needs_x = part == "positional" and ENCODINGS[kind].added is not None
    return has_scores(state.trace.plan) and not (needs_x and state.document.X is None)


def _kinds(
    part: str,
    page: str,
    names: Mapping[str, str],
    choices: Mapping[str, str],
    edit: Callable[[Document, str], Document],
) -> Records[MainWindow]:
    """A choice for each kind of a part of the document, and the page with its numbers."""

    def choose(kind: str, window: MainWindow) -> None:
        if kind == "none" and _current(part, window) != "none":
            window.perform(f"toggle_{part}")  # it remembers what it switches off
        else:
            window.session.change(edit, kind, text=choices[kind])
        if kind in SET_BY_HAND:
            window.show_setup(page)

    def record(kind: str, name: str) -> Action[MainWindow]:
        return Action(
            f"{part}_{kind}",
            name,
            partial(choose, kind),
            f"{part}_kind",
            enabled=lambda w: _is_possible(part, kind, w.session.state),
            checked=lambda w: _current(part, w) == kind,
            group=f"{part}_kind",
        )

    return tuple(record(kind, name) for kind, name in names.items())


def _settings(part: str, page: str) -> Action[MainWindow]:
    return Action(
        f"{part}_settings",
        mark("Settings…"),
        lambda w: w.show_setup(page),
        f"{part}_kind",
        line=True,
    )


KINDS_MENU: Records[MainWindow] = (
    Submenu("positional_kind", mark("Type of p&ositions"), "experiment", line=True),
    *_kinds(
        "positional",
        "setup_positions",
        POSITIONAL_NAMES,
        {kind: texts["undo"] for kind, texts in POSITIONAL_TEXTS.items()},
        with_positional_kind,
    ),
    _settings("positional", "setup_positions"),
    Submenu("mask_kind", mark("Type of &mask"), "experiment"),
    *_kinds("mask", "setup_mask", MASK_NAMES, MASK_CHOICES, with_mask_kind),
    _settings("mask", "setup_mask"),
    Submenu("scale_kind", mark("Type of &scaling"), "experiment"),
    *_kinds("scale", "setup_scale", SCALE_NAMES, SCALE_CHOICES, with_scale_kind),
    _settings("scale", "setup_scale"),
    Action(
        "sizes",
        mark("Si&zes…"),
        lambda w: w.show_setup("setup_sizes"),
        "experiment",
        line=True,
    ),
)
