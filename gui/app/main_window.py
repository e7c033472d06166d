"""The main window: builds its parts, passes states to the views, handles window events."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.base.cell import Cell
from core.document.document import Document
from core.exchange.code import is_code
from gui.app.actions import Action, Actions, Menus, Records
from gui.app.answer_actions import AnswerActions
from gui.app.clipboard_actions import ClipboardActions
from gui.app.code_actions import CodeActions
from gui.app.dock_layout import DockLayout
from gui.app.docks import Dock, LessonDocks
from gui.app.export_actions import ExportActions, open_folder
from gui.app.feature_toggles import FeatureToggles
from gui.app.import_actions import ImportActions
from gui.app.message_bar import MessageBar
from gui.app.model_controller import ModelController
from gui.app.panels import PanelledWindow, Panels, StateDispatcher, StateView
from gui.app.secondary_windows import ClassController, GuideController, LabController
from gui.app.start_page import StartPageController, WindowParts
from gui.app.toolbar import StepBar
from gui.errors.excepthook import guard
from gui.painting.theme import style_window
from gui.presentation.presentation import Presentation
from gui.session.preferences import save_preferences
from gui.session.session import Session
from gui.session.state import State
from gui.session.undo import weak_slot
from gui.storage.answers import AnswerAutosave
from gui.storage.experiment_files import ExperimentFiles
from gui.storage.lesson_files import LessonFiles
from gui.storage.progress import ProgressKeeper
from gui.storage.recovery import Recovery
from gui.texts.translation import mark, tr, tr_marked
from gui.views.diagram.view import DiagramView
from gui.views.stage.next_steps import NextSteps
from gui.views.stage.view import StageView
from gui.views.tables.set_values import require_editable
from gui.widgets.announcer import Announcer
from gui.widgets.ask import Ask
from gui.widgets.font_coverage import FontNotice
from gui.widgets.labels import renew_tooltip
from gui.widgets.layouts import ScrollingPanel, fill
from gui.widgets.number_table import commit_typing
from gui.widgets.progress import wait_in_front_of
from gui.widgets.window_state import covered_by_others


def _ask_new_document(parent: QWidget) -> Document | None:
    from gui.dialogs.new import ask_new_document  # loaded when first used: a start is faster

    return ask_new_document(parent)


class MainWindow(PanelledWindow):
    """Stage view in the middle; diagram, heatmap, tables and other panels in docks."""

    def __init__(self, session: Session, records: Records[MainWindow]) -> None:
        super().__init__()
        style_window(self)
        self.session = session
        session.trace_runner.wait = wait_in_front_of(self)
        session.playback.is_covered = covered_by_others(self)
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(
            Qt.ContextMenuPolicy.NoContextMenu
        )  # its list could hide the step bar
        self._make_parts(session)
        self._make_panels(session)
        self._make_bars(session, records)
        self._views = self._make_views()
        self._known_preferences = session.state.preferences
        self._saver = QTimer(self, singleShot=True, interval=500)
        self._saver.timeout.connect(self._save_preferences)
        session.changed.connect(self.show_state)
        session.failed.connect(self.message_bar.refuse)
        session.told.connect(self.tell)
        session.undo_stack.indexChanged.connect(weak_slot(self, MainWindow._name_undo))
        self.dock_layout = DockLayout(self, self.stage, self.docks, self.next_steps.wanted_height)
        self.show_state(None, session.state)
        self.diagram.setFocus()

    def _make_parts(self, session: Session) -> None:
        """Make what is not visible from the start."""
        self.files = ExperimentFiles(session, self, Ask(_ask_new_document))
        self.export_actions = ExportActions(session, self, self.files, self._show_written)
        self.import_actions = ImportActions(session, self, self.files)
        self.code_actions = CodeActions(session, self, self.files)
        self.import_actions.open_code = self.code_actions.open
        self.answer_actions = AnswerActions(
            session, self, self.files, self._show_written, self._show_answers
        )
        self.clipboard_actions = ClipboardActions(self)
        self.feature_toggles = FeatureToggles(session)
        self.lesson_files = LessonFiles(session, self, self.files)
        self.labs = LabController(session, self, self.files, self.lesson_files, self.perform)
        self.progress = ProgressKeeper(session, self.lesson_files)
        self.labs.tried.connect(self.progress.note_lab)
        self.models = ModelController(session, self, self.files, self.perform)
        self.guide = GuideController(session, self.show_keys, self)
        self.classroom = ClassController(session, self)
        self.recovery = Recovery(session, self._may_leave, self.files, self.lesson_files)
        self.answers = AnswerAutosave(session)
        self.message_bar = MessageBar(self)

    def _make_panels(self, session: Session) -> None:
        """Make the stage in the middle and the docks around it."""
        self.diagram, self.stage = DiagramView(session), StageView(session)
        self._panels = panels = Panels(session, self.lesson_files, self)
        for view in (self.diagram, self.stage):
            view.edit_wanted.connect(self.edit_number)
            view.menu_wanted.connect(self.open_cell_menu)
        self.setCentralWidget(self._central())
        views = {
            "diagram": (mark("Diagram"), self.diagram),
            "heatmap": (mark("Heatmap"), panels.heatmaps),
            "tables": (mark("Numbers"), panels.tables),
            "check": (mark("Check"), panels.check),
            "lesson": (mark("Lesson"), panels.lessons),
            "code": (mark("Code"), panels.code),
            "next_word": (mark("Next word"), panels.next_word),
        }
        self.docks = {name: Dock(name, title, view, self) for name, (title, view) in views.items()}
        for dock in self.docks.values():
            dock.left.connect(self.focus_diagram)
        self.docks["heatmap"].topLevelChanged.connect(lambda _: self.actions_.refresh())

    def _make_bars(self, session: Session, records: Records[MainWindow]) -> None:
        """Make actions, step bar, message bar and menus, and the presentation that covers them."""
        self.actions_ = Actions(self, records)
        self.bar = StepBar(session, self.actions_, self)
        self.addToolBar(self.bar)
        self.addToolBarBreak()
        self.addToolBar(self.message_bar)
        self.menus = Menus(self, self.actions_, records)
        for record in records:
            if isinstance(record, Action) and record.choices:
                self.bar.add_menu(self.actions_[record.id], self.menus[record.choices])
        toggles = [dock.toggleViewAction() for dock in self.docks.values()]
        self.menus["view"].insertActions(self.actions_["reset_layout"], toggles)
        self.presentation = Presentation(self, session, self.perform, self._show_presenting)
        parts = WindowParts(
            session,
            self.actions_,
            self.menus,
            self.files,
            self.lesson_files,
            self.progress,
            self.message_bar,
            self.focus_diagram,
        )
        self.start_page = StartPageController(self, parts)

    def _make_views(self) -> tuple[StateView, ...]:
        """All that follows the state, in order."""
        panels = self._panels
        self._dispatcher = StateDispatcher(
            self,
            (
                self.bar,
                self.message_bar,
                self.diagram,
                self.stage,
                self.next_steps,
                panels.heatmaps,
                panels.tables,
                panels.check,
                panels.lessons,
                panels.code,
                panels.next_word,
                *self.docks.values(),
                LessonDocks(self.docks),
            ),
        )
        return (
            self.actions_,
            self.menus,
            self.presentation,
            self.labs,
            self.models,
            self.guide,
            self.classroom,
            self.start_page,
            self._dispatcher,
            Announcer(self),
            FontNotice(self.message_bar.warn),
        )

    def _central(self) -> QWidget:
        central = QWidget(self)
        stage = ScrollingPanel(self.stage, QSize(380, 160))
        self.next_steps = NextSteps(self.session.state, self.stage, central)
        self.next_steps.asked.connect(self.perform)
        self.next_steps.dismissed.connect(partial(self.session.set_preferences, next_steps=False))
        fill(QVBoxLayout(central), (stage, 1), self.next_steps, spacing=0, margins=(8, 0, 0, 4))
        return central

    def focus_diagram(self) -> None:
        """Focus the diagram, or the stage where the diagram is hidden."""
        seen = self.diagram.isVisible() and not self.diagram.visibleRegion().isEmpty()
        (self.diagram if seen else self.stage).setFocus()

    def show_state(self, old: State | None, new: State) -> None:
        """Pass a new state to every view, then update the window's title."""
        if old is not None and old.preferences is not new.preferences:
            self._saver.start()
        if old is not None and old.preferences.font_family != new.preferences.font_family:
            old = None  # every view has to measure its words again
        if old is None or old.preferences.text_size != new.preferences.text_size:
            self._scale_views(new.preferences.text_size / 100)
        for view in self._views:
            guard(view.show_state, old, new)
        renew_tooltip()
        self.setWindowModified(new.dirty)
        title = tr_marked(new.document.title) if new.document.title else tr("Untitled")
        name = f"{title} · {new.path.name}" if new.path else title
        self.setWindowTitle(f"{name}[*] — Attention Stepper")
        if old is None or old.language != new.language:
            self.session.undo_stack.translate()
            self._name_undo()
            self.name_tabs()
        self.dock_layout.show_state(old, new)
        if not self.presentation.is_running:
            self.labs.show_scene(old, new)

    def _scale_views(self, unit: float) -> None:
        """Scale the painted views with the text size."""
        self.diagram.magnify(unit, bare=False)
        self.stage.magnify(unit, bare=False)
        self.bar.timeline.magnify(unit)
        self.dock_layout.follow_size()
        layout = self.layout()
        if layout is not None:
            layout.activate()  # otherwise the diagram is first laid out for an intermediate size

    def _save_preferences(self) -> None:
        mine = self.session.state.preferences
        saved = save_preferences(mine, self._known_preferences)
        if saved is not None:
            self._known_preferences = saved
            self.session.set_preferences(recent=saved.recent)

    def _name_undo(self, _step: int = 0) -> None:
        self.actions_.rename("undo")
        self.actions_.rename("redo")
        self.actions_.refresh("undo", "redo")

    def _may_leave(self) -> bool:
        """Whether experiment and lesson are saved or their changes are discarded."""
        return self.files.maybe_save() and self.lesson_files.maybe_save()

    def save_copies(self) -> None:
        """Save copies of what has unsaved changes, or of the experiment, in files that the user
        chooses.
        """
        state = self.session.state
        if state.lesson_dirty:
            self.lesson_files.save_copy()
        if state.dirty or not state.lesson_dirty:
            self.files.save_copy()

    def offer_recovery(self) -> None:
        """Offer unsaved work of a program that crashed."""
        self.recovery.offer(self.message_bar.warn)

    # Called by actions and controllers

    def perform(self, action_id: str) -> None:
        """Carry out an action by its id."""
        self.actions_.perform(action_id)

    def tell(self, sentence: str) -> None:
        """Show a short notice, to the audience during a presentation."""
        if self.presentation.is_running:
            self.presentation.tell(sentence)
        else:
            self.message_bar.toast.show_message(sentence)

    def _show_written(self, path: Path) -> None:
        """Show the path of an exported file."""
        self.message_bar.inform(
            tr("Written: {name}", name=str(path)),
            (tr("Open folder"), partial(open_folder, path.parent)),
        )

    def show_check(self) -> None:
        """Bring the panel that checks the learner's numbers to the front."""
        self.docks["check"].bring_forward()
        self.check.view.setFocus()

    def _show_answers(self, stage: str) -> None:
        """Show answers that were opened."""
        self.show_check()
        if stage:
            self.check.show_stage(stage)

    def show_setup(self, page_id: str) -> None:
        """Bring a page of the setup to the front."""
        self.docks["tables"].bring_forward()
        self.tables.show_setup(page_id)
        self.tables.tabs.setFocus()

    def show_code(self) -> None:
        """Bring the program of the experiment to the front."""
        self.docks["code"].bring_forward()
        self.code.list.setFocus()

    def show_lesson(self) -> None:
        """Bring the lesson to the front."""
        dock = self.docks["lesson"]
        dock.bring_forward()
        dock.widget().setFocus()

    def edit_number(self, cell: Cell) -> None:
        """Open the editor of a number; refused for numbers that are still to be predicted."""
        if self.session.attempt(partial(require_editable, self.session.state, cell)):
            guest = self.focusWidget()
            self.docks["tables"].bring_forward()
            self.tables.edit(cell, guest)

    def open_cell_menu(self, cell: Cell, at: QPoint) -> None:
        """Focus a cell and open its menu at a point of the screen."""
        if cell != self.session.state.focus:
            self.session.set_focus(cell)
        self.menus["cell"].popup(at)

    def open_decoding(self) -> None:
        """Open the experiment in the lab of decoding, at its last token."""
        document = self.session.state.document
        values = {"step": document.n - 1}
        self.session.attempt(partial(self.labs.open_on, "decode", document, values))

    def _show_presenting(self, on: bool) -> None:
        if not on:
            self.labs.catch_up(self.session.state)
        self.actions_.refresh()
        self._pause_views()

    def _pause_views(self) -> None:
        """Pause the views while a presentation covers the window and has the focus."""
        self._dispatcher.pause(self.presentation.is_running and not self.isActiveWindow())

    def present(self) -> None:
        """Start the presentation, as F5 does."""
        self.presentation.start()

    def show_guide(self) -> None:
        """Open the guide; during a presentation, where the audience would see it, the list of keys."""
        (self.presentation.audience.show_keys if self.presentation.audience else self.guide.open)()

    def show_keys(self) -> None:
        """Show the list of keys over the window in front."""
        from gui.dialogs.help import KeysDialog

        KeysDialog(self.presentation.audience or self.guide.in_front() or self).open()

    # Window events

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the layout."""
        super().showEvent(event)
        self.dock_layout.shown()

    def changeEvent(self, event: QEvent) -> None:
        """Resume the views when the window becomes active."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange:
            self._pause_views()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the layout."""
        super().resizeEvent(event)
        self.dock_layout.follow_size()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        urls = event.mimeData().urls()
        if self.models.accepts(urls) or self.files.accepts(urls):
            event.acceptProposedAction()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nothing else takes: a text is offered as an experiment, Esc leads to stepping."""
        if event.matches(QKeySequence.StandardKey.Paste):
            self.offer_pasted()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.perform("clip_copy")
        elif event.key() == Qt.Key.Key_Escape:
            self.focus_diagram()
        else:
            super().keyPressEvent(event)

    def has_matrices_to_paste(self) -> bool:
        """Whether the clipboard's text is a code or holds several matrices."""
        if is_code(QGuiApplication.clipboard().text()):
            return True
        return self.import_actions.count_matrices(QGuiApplication.clipboard().text()) > 1

    def offer_pasted(self) -> None:
        """Offer an experiment if the clipboard's text is a code or holds several matrices."""
        text = QGuiApplication.clipboard().text()
        if is_code(text):
            open_it = tr("&Open code"), partial(self.code_actions.open, text)
            self.message_bar.inform(tr("The text is the code of an experiment."), open_it)
            return
        count = self.import_actions.count_matrices(text)
        if count > 1:
            offer = tr("&New from text…"), partial(self.import_actions.from_text, text)
            self.message_bar.inform(tr("The text contains {count} matrices.", count=count), offer)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a dropped file, or the folder of a model."""
        urls = event.mimeData().urls()
        if self.models.dropped(urls) or self.files.dropped(urls):
            event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes; save layout and preferences."""
        event.ignore()  # an error on the way leaves the window open
        if not self._may_leave() or not (
            self.answers.save_now() or self.files.ask.lose_answers(self)
        ):
            return
        self.presentation.stop()
        self.labs.close()
        self.models.close()
        self.guide.close()
        self.classroom.close()
        self._save_all()
        self.recovery.finish()
        event.accept()

    def keep_all(self) -> None:
        """Save answers, layout and preferences, and unsaved changes as a recovery copy, what is being typed included."""
        commit_typing(self.focusWidget())
        self.recovery.write()
        self.answers.save_now()
        self.models.keep()
        self._save_all()

    def _save_all(self) -> None:
        """Save layout, preferences and progress."""
        self.dock_layout.save()
        self._save_preferences()
        if self.start_page.page is None:  # else the experiment behind the page was not looked at
            self.progress.note_last()
        self.progress.save()
