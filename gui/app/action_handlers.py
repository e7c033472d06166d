"""What the actions do, by their ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from core.document.edits import with_head_enabled, without_pins
from core.document.resize import with_head_added, with_head_duplicated, with_head_removed
from core.explain.timeline import Grain
from gui.app.actions import COPY_HEADS, COPY_MATRIX
from gui.app.data_export_actions import DATA
from gui.app.edit_actions import DEEDS as CLIPS
from gui.app.export_actions import FORMATS
from gui.painting.text_size import next_percent
from gui.texts.translation import mark
from gui.views.tables.set_values import nudge

Table = dict[str, Callable[[], object]]


class ActionHandlers(QObject):
    """Carries actions out: wishes to the session, and what the window and its rooms show."""

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._do: Table = {
            **self._files(),
            **self._edits(),
            **self._steps(),
            **self._experiment(),
            **self._looks(),
            **self._windows(),
            **window.lesson_room.actions(),
        }

    def perform(self, action_id: str) -> None:
        """Carry out an action by its id."""
        if action_id.startswith("head_"):
            self._session.select_head(int(action_id[5:]) - 1)
        elif action_id.startswith(("grain_", "language_", "theme_", "speed_")):
            name, value = action_id.split("_", 1)
            self._session.set_preferences(**{name: _preference(name, value)})
        else:
            if action_id.startswith("export_"):
                self._window.message_bar.forget()
            self._do[action_id]()

    # By menus

    def _files(self) -> Table:
        window, files = self._window, self._window.files
        return {
            "new": files.new,
            "open": files.open,
            "import": window.importing.open,
            "save": window.lesson_files.save_changed,
            "save_as": files.save_as,
            "quit": window.close,
            **{name: partial(window.exporting.open, name) for name in FORMATS},
            **{name: partial(window.exporting_data.open, name) for name in DATA},
            "copy_picture": window.exporting.copy_picture,
            "export_worksheet": window.papers.worksheet,
            "export_report": window.papers.report,
        }

    def _edits(self) -> Table:
        session, copying = self._session, self._window.copying
        return {
            **{name: partial(self._window.clipping.perform, name) for name in CLIPS},
            "undo": session.undo,
            "redo": session.redo,
            **{name: partial(copying.matrix, name) for name in COPY_MATRIX},
            **{name: partial(copying.heads, name) for name in COPY_HEADS},
            "copy_sum_text": partial(self._copy_sum, "text"),
            "copy_sum_latex": partial(self._copy_sum, "latex"),
            "nudge_up": partial(nudge, session, 1),
            "nudge_down": partial(nudge, session, -1),
            "unpin_all": partial(
                session.change, without_pins, text=mark("Remove all what-if values")
            ),
        }

    def _steps(self) -> Table:
        session = self._session
        return {
            "step_forward": partial(session.step, 1),
            "step_back": partial(session.step, -1),
            "stage_forward": partial(session.step, 1, Grain.STAGE),
            "stage_back": partial(session.step, -1, Grain.STAGE),
            "go_first": session.go_first,
            "go_last": session.go_last,
            "play": self._toggle_play,
            "focus_up": partial(session.move_focus, -1, 0),
            "focus_down": partial(session.move_focus, 1, 0),
            "focus_left": partial(session.move_focus, 0, -1),
            "focus_right": partial(session.move_focus, 0, 1),
            "predict": self._toggle_predict,
        }

    def _experiment(self) -> Table:
        session, switches = self._session, self._window.switches
        return {
            "toggle_positional": switches.toggle_positional,
            "toggle_mask": switches.toggle_mask,
            "toggle_scale": switches.toggle_scale,
            "toggle_head": self._toggle_head,
            "add_head": partial(session.change, with_head_added, text=mark("Add a head")),
            "duplicate_head": self._duplicate_head,
            "remove_head": self._remove_head,
            "pin_run": session.compare_with_current,
            "unpin_run": session.stop_comparing,
        }

    def _looks(self) -> Table:
        session, diagram = self._session, self._window.diagram
        return {
            "zoom_in": diagram.zoom_in,
            "zoom_out": diagram.zoom_out,
            "fit": diagram.fit,
            "more_decimals": partial(self._more_decimals, 1),
            "fewer_decimals": partial(self._more_decimals, -1),
            "toggle_columns": partial(self._toggle, "columns"),
            "code_line": partial(self._toggle, "code_line"),
            "motion": partial(self._toggle, "motion"),
            "toggle_labels": self._toggle_labels,
            "text_larger": partial(self._resize_text, 1),
            "text_smaller": partial(self._resize_text, -1),
            "text_normal": partial(session.set_preferences, text_size=100),
        }

    def _windows(self) -> Table:
        window = self._window
        return {
            "check": window.show_check,
            "code_panel": window.show_code,
            "notes": window.stage.show_notes,
            "reset_layout": self._reset_layout,
            "present": self._toggle_present,
            "preferences": self._show_preferences,
            "help": window.show_guide,
            "keys": window.show_keys,
            "about": self._show_about,
        }

    # One by one

    def _copy_sum(self, way: str) -> None:
        said = self._window.stage.copy_sum(way)
        if said:
            self._window.message_bar.say(said)

    def _toggle_play(self) -> None:
        self._session.play(not self._session.state.playing)

    def _toggle_predict(self) -> None:
        on = not self._session.state.predict
        self._session.answers.set_predicting(on)
        if on and not self._window.presentation.is_running:
            self._window.show_check()

    def _toggle_head(self) -> None:
        state = self._session.state
        head = state.cursor.head
        on = not state.document.heads[head].enabled
        text = mark("Head on") if on else mark("Head off")
        self._session.change(with_head_enabled, head, on, text=text)

    def _duplicate_head(self) -> None:
        self._session.change(
            with_head_duplicated, self._session.state.cursor.head, text=mark("Duplicate the head")
        )

    def _remove_head(self) -> None:
        self._session.change(
            with_head_removed, self._session.state.cursor.head, text=mark("Remove the head")
        )

    def _more_decimals(self, by: int) -> None:
        self._session.set_preferences(decimals=min(max(self._session.state.decimals + by, 0), 8))

    def _resize_text(self, by: int) -> None:
        self._session.set_preferences(
            text_size=next_percent(self._session.state.preferences.text_size, by)
        )

    def _toggle(self, name: str) -> None:
        """A preference that is on or off."""
        self._session.set_preferences(**{name: not getattr(self._session.state.preferences, name)})

    def _toggle_labels(self) -> None:
        self._session.set_preferences(
            labels="one" if self._session.state.preferences.labels == "both" else "both"
        )

    def _reset_layout(self) -> None:
        self._window.arrangement.reset()

    def _toggle_present(self) -> None:
        presentation = self._window.presentation
        (presentation.stop if presentation.is_running else presentation.start)()

    def _show_preferences(self) -> None:
        from gui.dialogs.preferences import PreferencesDialog

        PreferencesDialog(self._session, self._window).open()

    def _show_about(self) -> None:
        from gui.dialogs.help import AboutDialog

        AboutDialog(self._window).open()


def _preference(name: str, value: str) -> object:
    if name == "grain":
        return Grain(value)
    return float(value) if name == "speed" else value
