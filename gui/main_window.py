"""The main window: puts the rooms together and hands the state round. Nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.cursor import Grain
from core.edits import with_head_enabled, without_pins
from core.resize import with_head_added, with_head_duplicated, with_head_removed
from gui.actions import COPY_HEADS, COPY_MATRIX, Actions
from gui.announcing import Announcer
from gui.arrangement import Arrangement
from gui.backstage import Backstage, View
from gui.banner import Banner
from gui.copying import Copying
from gui.diagram.view import DiagramView
from gui.dock import Dock
from gui.exporting import FORMATS, Exporting
from gui.exporting_data import DATA, ExportingData, open_folder
from gui.files import Files
from gui.glyphs import FontNotice
from gui.guide_room import GuideRoom
from gui.importing import Importing
from gui.lab_room import LabRoom
from gui.language import mark, tr, tr_marked
from gui.lesson_files import LessonFiles
from gui.lesson_room import LessonRoom
from gui.menus import Menus
from gui.mishaps.contained import contained
from gui.panels import Panels
from gui.papers import Papers
from gui.preferences import save_preferences
from gui.presenting.room import Presentation
from gui.recovery import Recovery
from gui.recovery import title_of as recovered_title
from gui.running import in_front_of
from gui.session import Session
from gui.sight import SightedWindow
from gui.stage.view import StageView
from gui.state import State
from gui.switches import Switches
from gui.tables.nudge import nudge
from gui.text_size import next_percent
from gui.toolbar import StepBar
from gui.widgets.scrolling import Scrolling

if TYPE_CHECKING:
    from gui.check.panel import CheckPanel
    from gui.code.panel import CodePanel
    from gui.heatmaps.panel import HeatmapPanel
    from gui.lessons.panel import LessonPanel
    from gui.tables.panel import TablesPanel


class MainWindow(SightedWindow):
    """Diagram above, stage view below it, heatmap and tables at the side."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        session.runs.wait = in_front_of(self)
        self.setAcceptDrops(True)
        self.files = Files(session, self)
        self.papers = Papers(session, self, self.files, self._tell_written)
        self.exporting = Exporting(session, self, self.files, self._tell_written)
        self.exporting_data = ExportingData(session, self, self.files, self._tell_written)
        self.importing = Importing(session, self, self.files)
        self.lesson_files = LessonFiles(session, self, self.files)
        self.labs = LabRoom(session, self, self.files, self.lesson_files, self.perform)
        self.guide = GuideRoom(session, self._show_keys, self)
        self.recovery = Recovery(session, self._may_leave)
        self.switches = Switches(session)
        self.diagram, self.stage = DiagramView(session), StageView(session)
        self._panels = panels = Panels(session, self.lesson_files, self)
        self.banner = Banner(self)
        self.copying = Copying(session, self.banner.say)
        self.setCentralWidget(self._central())
        self.docks = (
            Dock("dock_diagram", mark("Diagram"), self.diagram, self),
            Dock("dock_heatmap", mark("Heatmap"), panels.heatmaps, self),
            Dock("dock_tables", mark("Numbers"), panels.tables, self),
            Dock("dock_check", mark("Check"), panels.check, self),
            Dock("dock_lesson", mark("Lesson"), panels.lessons, self),
            Dock("dock_code", mark("Code"), panels.code, self),
        )
        self.lesson_room = LessonRoom(
            session, self.lesson_files, self.docks[4],
            {"diagram": self.docks[0], "heatmap": self.docks[1], "code": self.docks[5]},
        )  # fmt: skip
        self.actions_ = Actions(self, self.perform)
        self.bar = StepBar(session, self.actions_, self)
        self.addToolBar(self.bar)
        self.addToolBarBreak()
        self.addToolBar(self.banner)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # no list that could hide the bar of steps
        self.menus = Menus(self, self.actions_, self.files, self.lesson_files, self.docks, self.labs)
        self.presentation = Presentation(self, session, self.perform, self._show_presenting)
        self.backstage = Backstage(self, (
            self.bar, self.banner, self.diagram, self.stage, panels.heatmaps, panels.tables, panels.check,
            panels.lessons, panels.code, *self.docks, self.lesson_room,
        ))  # fmt: skip
        self._views: tuple[View, ...] = (
            self.actions_, self.menus, self.presentation, self.labs, self.guide, self.backstage, Announcer(self),
            FontNotice(self.banner.say),
        )  # fmt: skip
        self._saver = QTimer(self, singleShot=True, interval=500)
        self._saver.timeout.connect(self._save_preferences)
        session.changed.connect(self.show_state)
        session.failed.connect(self.banner.refuse)
        for dock in self.docks:
            dock.left.connect(self._take_keyboard)
        session.undo_stack.indexChanged.connect(self._name_undo)
        self.arrangement = Arrangement(self, *self.docks)
        self._do = self._table()
        self.show_state(None, session.state)
        self.diagram.setFocus()

    @property
    def heatmaps(self) -> HeatmapPanel:
        """The panel of heatmaps; like the others below it is made when it is first asked for."""
        return self._panels.heatmaps.panel

    @property
    def tables(self) -> TablesPanel:
        """The panel of numbers."""
        return self._panels.tables.panel

    @property
    def check(self) -> CheckPanel:
        """The panel in which the learner's numbers are checked."""
        return self._panels.check.panel

    @property
    def lessons(self) -> LessonPanel:
        """The panel of the lesson."""
        return self._panels.lessons.panel

    @property
    def code(self) -> CodePanel:
        """The panel of the experiment's program."""
        return self._panels.code.panel

    def _central(self) -> QWidget:
        central = QWidget(self)
        layout = QVBoxLayout(central)
        layout.setContentsMargins(8, 0, 0, 8)
        layout.setSpacing(6)
        layout.addWidget(Scrolling(self.stage, QSize(380, 160)), 1)
        return central

    def _take_keyboard(self) -> None:
        """To the diagram, or where that is out of sight too, to what is always there."""
        seen = self.diagram.isVisible() and not self.diagram.visibleRegion().isEmpty()
        (self.diagram if seen else self.stage).setFocus()

    def show_state(self, old: State | None, new: State) -> None:
        """Every view in turn, then the title."""
        if old is None or old.preferences.text_size != new.preferences.text_size:
            self._magnify(new.preferences.text_size / 100)
        for view in self._views:
            contained(view.show_state, old, new)
        self.setWindowModified(new.dirty)
        title = tr_marked(new.document.title) if new.document.title else tr("Untitled")
        name = f"{title} · {new.path.name}" if new.path else title
        self.setWindowTitle(f"{name}[*] — Attention Stepper")
        if old is None or old.language != new.language:
            self._rename_undo()
            self.name_tabs()
        if not self.presentation.on:
            self.labs.show_scene(old, new)
        if old is not None and old.preferences is not new.preferences:
            self._saver.start()

    def _magnify(self, unit: float) -> None:
        """The painted views as many times as large as the words around them."""
        self.diagram.magnify(unit, bare=False)
        self.stage.magnify(unit, bare=False)
        self.bar.timeline.magnify(unit)
        self.arrangement.follow_size()

    def _save_preferences(self) -> None:
        save_preferences(self.session.state.preferences)

    def _rename_undo(self) -> None:
        stack = self.session.undo_stack
        for index in range(stack.count()):
            command = stack.command(index)
            translate: Callable[[], None] | None = getattr(command, "translate", None)
            if translate:
                translate()
        self._name_undo()

    def _name_undo(self) -> None:
        stack = self.session.undo_stack
        self.actions_.name_undo(stack.undoText(), stack.redoText())

    def _may_leave(self) -> bool:
        """Whether experiment and lesson may be left: saved, or their changes given up."""
        return self.files.maybe_save() and self.lesson_files.maybe_save()

    def save_copies(self) -> None:
        """Copies of what has changes, or else of the experiment, in files that the user chooses."""
        state = self.session.state
        if state.lesson_dirty:
            self.lesson_files.save_copy()
        if state.dirty or not state.lesson_dirty:
            self.files.save_copy()

    def offer_recovery(self) -> None:
        """Offer what a program that died has left behind."""
        for entry in self.recovery.find_recovered()[:1]:
            self.banner.say(
                tr(
                    "“{name}” was not saved when the program ended on {time}.",
                    name=recovered_title(entry, self.session.state.language),
                    time=QLocale(self.session.state.language).toString(entry.time, QLocale.FormatType.ShortFormat),
                ),
                (tr("Restore"), partial(self.recovery.restore, entry)),
                (tr("Discard"), partial(self.recovery.discard, entry)),
            )

    # What the actions do

    def perform(self, action_id: str) -> None:
        """Carry out an action by its id."""
        if action_id.startswith("head_"):
            self.session.choose_head(int(action_id[5:]) - 1)
        elif action_id.startswith(("grain_", "language_", "theme_", "speed_")):
            name, value = action_id.split("_", 1)
            self.session.prefer(**{name: self._preference(name, value)})
        else:
            if action_id.startswith("export_"):
                self.banner.forget()
            self._do[action_id]()

    @staticmethod
    def _preference(name: str, value: str) -> object:
        if name == "grain":
            return Grain(value)
        return float(value) if name == "speed" else value

    def _table(self) -> dict[str, Callable[[], object]]:
        session, files = self.session, self.files
        return {
            "new": files.new, "open": files.open, "import": self.importing.open,
            "save": files.save, "save_as": files.save_as, "quit": self.close,
            **{name: partial(self.exporting.open, name) for name in FORMATS},
            **{name: partial(self.exporting_data.open, name) for name in DATA},
            **{name: partial(self.copying.matrix, name) for name in COPY_MATRIX},
            **{name: partial(self.copying.heads, name) for name in COPY_HEADS},
            "copy_sum_text": partial(self._copy_sum, "text"), "copy_sum_latex": partial(self._copy_sum, "latex"),
            "copy_picture": self.exporting.copy_picture,
            "export_worksheet": self.papers.worksheet, "export_report": self.papers.report,
            **self.lesson_room.actions(),
            "undo": session.undo, "redo": session.redo,
            "nudge_up": partial(nudge, session, 1), "nudge_down": partial(nudge, session, -1),
            "unpin_all": partial(session.change, without_pins, text=mark("Remove all what-if values")),
            "step_forward": partial(session.step, 1), "step_back": partial(session.step, -1),
            "stage_forward": partial(session.step, 1, Grain.STAGE),
            "stage_back": partial(session.step, -1, Grain.STAGE),
            "go_first": session.go_first, "go_last": session.go_last, "play": self._toggle_play,
            "focus_up": partial(session.move_focus, -1, 0), "focus_down": partial(session.move_focus, 1, 0),
            "focus_left": partial(session.move_focus, 0, -1), "focus_right": partial(session.move_focus, 0, 1),
            "predict": self._toggle_predict, "check": self.show_check,
            "code_panel": self.show_code, "code_line": self._toggle_code_line,
            "toggle_positional": self.switches.toggle_positional, "toggle_mask": self.switches.toggle_mask,
            "toggle_scale": self.switches.toggle_scale, "toggle_head": self._toggle_head,
            "add_head": partial(session.change, with_head_added, text=mark("Add a head")),
            "duplicate_head": self._duplicate_head, "remove_head": self._remove_head,
            "pin_run": session.pin_run, "unpin_run": session.unpin_run,
            "zoom_in": self.diagram.zoom_in, "zoom_out": self.diagram.zoom_out, "fit": self.diagram.fit,
            "notes": self.stage.show_notes,
            "more_decimals": partial(self._more_decimals, 1), "fewer_decimals": partial(self._more_decimals, -1),
            "toggle_columns": self._toggle_columns, "toggle_labels": self._toggle_labels, "motion": self._toggle_motion,
            "text_larger": partial(self._resize_text, 1), "text_smaller": partial(self._resize_text, -1),
            "text_normal": partial(session.prefer, text_size=100),
            "reset_layout": self.arrangement.reset,
            "present": self._toggle_present,
            "preferences": self._show_preferences, "help": self._show_guide, "keys": self._show_keys,
            "about": self._show_about,
        }  # fmt: skip

    def _copy_sum(self, way: str) -> None:
        said = self.stage.copy_sum(way)
        if said:
            self.banner.say(said)

    def _tell_written(self, path: Path) -> None:
        """Where an export stands now."""
        self.banner.tell(tr("Written: {name}", name=str(path)), (tr("Open folder"), partial(open_folder, path.parent)))

    def _toggle_play(self) -> None:
        self.session.play(not self.session.state.playing)

    def _toggle_predict(self) -> None:
        on = not self.session.state.predict
        self.session.predict(on)
        if on and not self.presentation.on:
            self.show_check()

    def show_check(self) -> None:
        """Bring the panel in which the learner's numbers are checked to the front."""
        dock = self.docks[3]
        dock.show()
        dock.raise_()
        self.check.view.setFocus()

    def show_code(self) -> None:
        """Bring the program of the experiment to the front."""
        dock = self.docks[5]
        dock.show()
        dock.raise_()
        self.code.list.setFocus()

    def _toggle_code_line(self) -> None:
        self.session.prefer(code_line=not self.session.state.preferences.code_line)

    def _toggle_head(self) -> None:
        state = self.session.state
        head = state.cursor.head
        on = not state.document.heads[head].enabled
        text = mark("Head on") if on else mark("Head off")
        self.session.change(with_head_enabled, head, on, text=text)

    def _duplicate_head(self) -> None:
        self.session.change(with_head_duplicated, self.session.state.cursor.head, text=mark("Duplicate the head"))

    def _remove_head(self) -> None:
        self.session.change(with_head_removed, self.session.state.cursor.head, text=mark("Remove the head"))

    def _more_decimals(self, by: int) -> None:
        self.session.prefer(decimals=min(max(self.session.state.decimals + by, 0), 8))

    def _resize_text(self, by: int) -> None:
        self.session.prefer(text_size=next_percent(self.session.state.preferences.text_size, by))

    def _toggle_motion(self) -> None:
        self.session.prefer(motion=not self.session.state.preferences.motion)

    def _toggle_columns(self) -> None:
        self.session.prefer(columns=not self.session.state.preferences.columns)

    def _toggle_labels(self) -> None:
        self.session.prefer(labels="one" if self.session.state.preferences.labels == "both" else "both")

    def _toggle_present(self) -> None:
        (self.presentation.stop if self.presentation.on else self.presentation.start)()

    def _show_presenting(self, on: bool) -> None:
        if not on:
            self.labs.catch_up(self.session.state)
        self.actions_["present"].setChecked(on)
        self._rest()

    def _rest(self) -> None:
        """While a presentation covers the window and has the keyboard, nobody sees it."""
        self.backstage.rest(self.presentation.on and not self.isActiveWindow())

    def present(self) -> None:
        """Start the presentation, as F5 does."""
        self.presentation.start()

    def _show_preferences(self) -> None:
        from gui.dialogs.preferences import PreferencesDialog

        PreferencesDialog(self.session, self).open()

    def _show_guide(self) -> None:
        """The guide; in the lecture room, where the hall would see it, the keys."""
        (self._show_keys if self.presentation.on else self.guide.open)()

    def _show_keys(self) -> None:
        from gui.dialogs.keys import KeysDialog

        KeysDialog(self.presentation.board or self.guide.in_front() or self).open()

    def _show_about(self) -> None:
        from gui.dialogs.about import AboutDialog

        AboutDialog(self).open()

    # The window itself

    def showEvent(self, event: QShowEvent) -> None:
        """Panels take their room."""
        super().showEvent(event)
        self.arrangement.shown()

    def changeEvent(self, event: QEvent) -> None:
        """Who comes back to the window sees it."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange:
            self._rest()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The first arrangement fits the window."""
        super().resizeEvent(event)
        self.arrangement.follow_size()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped."""
        if self.files.accepts(event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A dropped file is opened."""
        if self.files.dropped(event.mimeData().urls()):
            event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes; keep sizes and preferences."""
        if not self._may_leave():
            event.ignore()
            return
        self.presentation.stop()
        self.labs.close()
        self.guide.close()
        self.arrangement.save()
        self._save_preferences()
        self.recovery.finish()
        event.accept()
