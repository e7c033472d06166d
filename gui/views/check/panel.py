"""The check panel: the learner's numbers for a stage, marked, with the mistakes behind the wrong
ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.files import read_bytes
from core.check.given import EXACT, ROUNDED, Given, rounded_tensors
from core.check.report import CheckReport
from core.classroom.answer_file import is_answer_file
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours, edge
from gui.session.answers import is_quick, is_too_large, whole_report
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_label
from gui.texts.translation import tr
from gui.views.check.answer_grid import answer_grid, stages_of, usual_stage
from gui.views.check.findings import MistakeList, StageChips
from gui.views.check.marks import ScoreLine
from gui.views.check.view import EntryView, UndoChoiceBox, UndoKeys
from gui.views.check.wording import (
    HintCycle,
    all_as_text,
    given_text,
    remark,
    shown_mistakes,
    stage_title,
)
from gui.widgets.buttons import IconButton
from gui.widgets.choice import WheelGuard, fill_choices
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.styles import link_style


class PredictBar(QWidget):
    """Score, hint and reveal buttons, shown while steps are predicted."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.score, self.reset = QLabel(self), QToolButton(self)
        self.hint, self.onward = QPushButton(self), QPushButton(self)
        self.onward.setObjectName("onward")
        fill(QHBoxLayout(self), self.score, self.reset, 1, self.hint, self.onward, spacing=6)
        set_font(self.score, CAPTION)
        set_font(self.reset, CAPTION)
        for button in (self.hint, self.onward):
            set_font(button, BODY)
        self.reset.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.reset.clicked.connect(session.answers.reset_score)
        self.onward.clicked.connect(self.go_on)

    def go_on(self) -> None:
        """Step forward, which reveals what is hidden or hides the next step."""
        self._session.step(1)

    def show_state(self, old: State | None, new: State) -> None:
        """Show score and buttons while steps are predicted."""
        if old is None or old.shade != new.shade:
            self.setStyleSheet(_style(colours(new.shade)))
            self.reset.setStyleSheet(link_style(colours(new.shade)))
        self.setVisible(new.predict)
        self.hint.setVisible(new.hidden is not None)
        self._name(new)
        self.reset.setVisible(new.score.predicted > 0)

    def _name(self, state: State) -> None:
        score = state.score
        text = tr(
            "Right on the first try: {right} of {all}", right=score.right, all=score.predicted
        )
        self.score.setText(text if score.predicted else "")
        self.reset.setText(tr("reset"))
        self.reset.setAccessibleName(tr("Reset the count"))
        self.reset.setToolTip(tr("Reset the count"))
        self.hint.setToolTip(tr("Hint: the rule first, then the numbers"))
        self.onward.setText(tr("Reveal") if state.hidden is not None else tr("Next question"))
        self.onward.setToolTip(tr("Same as a step forward"))
        self.onward.setAccessibleName(self.onward.text())

    def show_hint(self, number: int, count: int) -> None:
        """Show the number of the current hint; 0 for none."""
        text = tr("Hint {number} / {count}", number=number, count=count) if number else tr("Hint")
        self.hint.setText(text)
        self.hint.setAccessibleName(text)


def _style(theme: Colours) -> str:
    return f"""
        QLabel {{ color: {theme.muted}; }}
        QPushButton {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {edge(theme)};
            border-radius: 7px; padding: 3px 12px; }}
        QPushButton:hover, QPushButton:focus {{ border-color: {theme.accent}; }}
        QPushButton#onward {{ color: {theme.on_accent}; background: {theme.accent}; border-color: {theme.accent}; }}
        QPushButton#onward:focus {{ border: 2px solid {theme.text}; padding: 2px 11px; }}
    """


PAUSE = 350  # milliseconds after the last entry before slow marking starts
# A link whose text begins where the other lines do; its left edge is cut, so it is underlined.
IN_LINE = """
    QToolButton { padding: 1px 0; margin-left: -5px; }
    QToolButton:focus { text-decoration: underline; }
"""
MAX_LEAST_HEIGHT = 200  # pixels; the rest scrolls, so that the dock does not push its neighbours


class CheckPanel(UndoKeys):
    """Follow the current stage until another one is chosen; mark only while visible.

    `save_wanted`: the numbers are to be saved as answers; `open_wanted(path)`: a file of answers was
    chosen.
    """

    save_wanted = Signal()
    open_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chosen = ""
        self._hints = HintCycle()
        self.ask_path: Callable[[QWidget], Path | None] = ask_path
        self.stages, self.heads = UndoChoiceBox(self), UndoChoiceBox(self)
        self.predict, self.lamp = (
            IconButton(name, self, words=True) for name in ("predict", "hint")
        )
        self.load, self.save, self.copy, self.clear = (
            IconButton(name, self) for name in ("open", "save", "copy", "clear")
        )
        self.predict.setCheckable(True)
        self.chips = StageChips(self)
        self.view = EntryView(
            session, answer_grid(session.state, usual_stage(session.state), None), self
        )
        self.large, self.remark = QLabel(self), QLabel(self)
        self.score, self.restore = ScoreLine(self), QToolButton(self)
        self.given = QToolButton(self)
        self._judged: tuple[object, ...] = ()
        self.mistakes = MistakeList(self)
        self.bar = PredictBar(session, self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._lay_out()
        self._connect()
        WheelGuard(self)

    def _lay_out(self) -> None:
        top = FlowLayout(4)
        for widget in (self.stages, self.heads, *self.buttons):
            top.addWidget(widget)
        top.set_stretching(self.stages)
        counts = fill(QHBoxLayout(), (self.score, 1), self.restore)
        given = fill(QHBoxLayout(), self.given, 0)
        fill(
            QVBoxLayout(self),
            top,
            self.chips,
            self.view,
            (self.large, 1),
            counts,
            self.remark,
            self.mistakes,
            given,
            self.bar,
            0,
            spacing=6,
            margins=(10, 6, 10, 8),
        )
        for label in (self.remark, self.large):
            set_font(label, BODY)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.large.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_font(self.restore, CAPTION, bold=True)
        set_font(self.given, CAPTION)
        self.given.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for box in (self.stages, self.heads):
            set_font(box, BODY)
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """No higher than the other panels of the dock."""
        least = super().minimumSizeHint()
        return QSize(least.width(), min(least.height(), MAX_LEAST_HEIGHT))

    def _connect(self) -> None:
        self.stages.activated.connect(self._pick_stage)
        self.heads.activated.connect(self._session.select_head)
        self.chips.chosen.connect(self.show_stage)
        self.mistakes.chosen.connect(self._focus_cell)
        self.predict.clicked.connect(self._session.answers.set_predicting)
        self.load.clicked.connect(self._load)
        self.save.clicked.connect(self.save_wanted)
        self.copy.clicked.connect(self._copy)
        self.clear.clicked.connect(self._clear)
        self.restore.clicked.connect(self._session.answers.restore_cleared)
        self.given.clicked.connect(self._toggle_given)
        for button in (self.bar.hint, self.lamp):
            button.clicked.connect(self._give_hint)
        self.view.finished.connect(self.bar.go_on)
        self._pause.timeout.connect(self._show)

    @property
    def buttons(self) -> tuple[IconButton, ...]:
        """Predict, hint, load, save, copy, clear."""
        return self.predict, self.lamp, self.load, self.save, self.copy, self.clear

    # Input

    @property
    def stage(self) -> str:
        """The stage shown."""
        state = self._session.state
        known = stages_of(state)
        if state.hidden is not None and state.cursor.stage in known:
            return state.cursor.stage
        return self._chosen if self._chosen in known else usual_stage(state)

    def show_stage(self, stage: str) -> None:
        """Show a stage until the current one changes."""
        self._chosen = stage
        self._show()

    def _pick_stage(self, number: int) -> None:
        self.show_stage(self.stages.itemData(number))

    def _focus_cell(self, cell: Cell) -> None:
        """Focus a mistake's cell; between whole stages go to its stage where that is ahead, so that
        the stage view derives it.
        """
        state = self._session.state
        plan = state.trace.plan
        if plan.index(cell.tensor) > plan.index(state.cursor.stage) and state.shows_ahead:
            self._session.go_to_stage(cell.tensor)
        self._session.set_focus(cell)

    def _give_hint(self) -> None:
        focus = self._session.state.focus
        self._hints.ask(focus if focus.tensor == self.stage else self.view.entries.grid.cell(0, 0))
        self._show()

    def undo(self, by: int) -> None:
        """Undo or redo a change, and show its stage."""
        stage = self._session.answers.undo(by)
        if stage:
            self.show_stage(stage)

    def _toggle_given(self) -> None:
        state = self._session.state
        rounded = rounded_tensors(state.document, state.given)
        self._session.answers.set_given(EXACT if rounded else ROUNDED)

    def _clear(self) -> None:
        self._session.answers.clear(self.stage)

    def _copy(self) -> None:
        state = self._session.state
        QGuiApplication.clipboard().setText(
            all_as_text(state, whole_report(state.document, state.entries, state.given), self.stage)
        )

    def _load(self) -> None:
        path = self.ask_path(self)
        if path is None:
            return
        if is_answer_file(path):
            self.open_wanted.emit(path)
            return
        try:
            text = read_bytes(path).decode("utf-8-sig", errors="replace")
        except UserError as problem:
            self._session.failed.emit(problem)
            return
        self.view.paste(text)

    # Display

    def show_state(self, old: State | None, new: State) -> None:
        """Set names and colours at once; show numbers and marks only while visible."""
        if old is None or old.shade != new.shade:
            self._paint(new.shade)
        if old is None or old.language != new.language:
            self._name()
        if old is not None and old.cursor.stage != new.cursor.stage:
            self._chosen = ""
        if (
            old is None
            or old.hidden is not new.hidden
            or old.focus != new.focus
            or old.entries is not new.entries
        ):
            self._hints.forget()
        self.predict.setChecked(new.predict)
        self.bar.show_state(old, new)
        if not self.isVisible():
            return
        if self._needs_pause(old, new):
            self._pause.start()
        self._show()
        if new.hidden is not None and (old is None or old.hidden is not new.hidden):
            self.view.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Show what changed while hidden."""
        super().showEvent(event)
        self._show()

    def _needs_pause(self, old: State | None, new: State) -> bool:
        changed = old is None or old.entries is not new.entries or old.document is not new.document
        return changed and not is_quick(new.document, new.entries)

    def _report(self, state: State) -> CheckReport | None:
        """The marks; None without entries or until the user pauses."""
        if not state.entries or self._pause.isActive():
            return None
        return whole_report(state.document, state.entries, state.given)

    def _show(self) -> None:
        state, stage = self._session.state, self.stage
        report = self._report(state)
        large, computed = is_too_large(state.document, stage), not state.trace.plan[stage].entered
        self.view.setVisible(computed and not large)
        self.large.setVisible(large)
        self._show_top(state, stage)
        self.chips.show_stages(state, report, stage)
        if not large:
            self.view.show_grid(answer_grid(state, stage, report))
        self._show_findings(state, report, stage)
        self._show_given(state)

    def _show_given(self, state: State) -> None:
        """Say how the given numbers count; the digits are counted only where something changed."""
        judged = (state.document, state.given, state.language)
        if judged != self._judged:
            self._judged = judged
            possible = bool(rounded_tensors(state.document, Given(ROUNDED)))
            text = given_text(state.document, state.given)
            self.given.setText(text)
            self.given.setAccessibleName(text)
            self.given.setEnabled(possible)
            self.given.setToolTip(
                tr("Treat the given numbers as exact, or as rounded to the decimals written")
                if possible
                else tr(
                    "The given numbers have fewer than two decimals, so they are treated as exact"
                )
            )

    def _show_top(self, state: State, stage: str) -> None:
        fill_choices(
            self.stages, [(stage_title(state, name), name) for name in stages_of(state)], stage
        )
        self.stages.setMinimumWidth(self.stages.sizeHint().width())  # the buttons wrap instead
        heads = [
            (head_label(index, head.name), str(index))
            for index, head in enumerate(state.document.scope(stage).heads)
        ]
        fill_choices(self.heads, heads, str(state.cursor.head))
        self.heads.setVisible(len(heads) > 1 and state.trace.plan[stage].headwise)
        written = stage in state.entries
        self.save.setEnabled(bool(state.entries))
        self.clear.setEnabled(written)
        self.copy.setEnabled(written)
        computed = not state.trace.plan[stage].entered
        self.load.setEnabled(computed)
        self.lamp.setEnabled(computed and not is_too_large(state.document, stage))
        self.restore.setVisible(bool(state.cleared))

    def _show_findings(self, state: State, report: CheckReport | None, stage: str) -> None:
        theme = colours(state.shade)
        self.score.show_report(report, stage, theme)
        self.mistakes.show_mistakes(
            shown_mistakes(state, report, stage), self.view.entries.grid, theme
        )
        hint, number, count = self._hints.shown(state, report)
        self.bar.show_hint(number, count)
        text = hint or remark(state, report, stage)
        self.remark.setText(text)
        self.remark.setVisible(bool(text) and self.view.isVisibleTo(self))
        self.remark.setStyleSheet(f"color: {theme.text if hint else theme.muted};")

    def _paint(self, shade: str) -> None:
        theme = colours(shade)
        self.view.paint_in(shade)
        for button in self.buttons:
            button.paint_in(theme)
        self.restore.setStyleSheet(link_style(theme))
        self.given.setStyleSheet(link_style(theme) + IN_LINE)
        self.large.setStyleSheet(f"color: {theme.muted};")

    def _name(self) -> None:
        self.view.setAccessibleName(tr("Your numbers"))
        self.stages.setAccessibleName(tr("Stage to check"))
        self.heads.setAccessibleName(tr("Head"))
        self.predict.call(tr("Predict, then reveal"), "Ctrl+R", tr("Predict"))
        self.lamp.call(tr("Hint: the rule first, then the numbers"), text=tr("Hint"))
        self.load.call(tr("Load your numbers from a file"))
        self.save.call(tr("Save my answers…"))
        self.copy.call(tr("Copy the marks"))
        self.clear.call(tr("Clear this stage"))
        self.restore.setText(tr("Restore what was cleared"))
        self.large.setText(
            tr("This stage has too many numbers to work out by hand. Choose a smaller experiment.")
        )


def ask_path(parent: QWidget) -> Path | None:
    """Ask for a file with numbers in the system's dialog."""
    filters = tr("Numbers") + " (*.csv *.tsv *.txt *.json);;" + tr("All files") + " (*)"
    chosen, _ = QFileDialog.getOpenFileName(parent, tr("Load your numbers"), "", filters)
    return Path(chosen) if chosen else None
