"""The window Class: errors over the diagram, mistakes, students, files that do not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QShortcut,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.files import write_bytes
from core.check.report import FOLLOWS, RIGHT, WRONG
from core.classroom.marking import BLANK, ClassResult, Student
from core.stages import plan
from gui.classroom.error_diagram import ErrorDiagram, ErrorPicture, state_for
from gui.classroom.folder import ClassFolder
from gui.classroom.legends import Marks, Scale, verdict_names
from gui.classroom.mistake_list import MistakeList, mistake_rows
from gui.classroom.presentation import ClassPresentation
from gui.classroom.student_table import StudentTable
from gui.classroom.wording import cell_sentence, double_text, refused_lines, student_labels
from gui.painting.text_size import factor, set_font, set_least
from gui.painting.theme import BODY, CAPTION, DISPLAY, colours, style_window
from gui.session.preferences import load_layout, save_layout
from gui.session.state import State
from gui.texts.errors import error_message
from gui.texts.rich_text import to_html
from gui.texts.translation import tr, tr_marked
from gui.widgets.ask import Ask
from gui.widgets.buttons import Segment, Segments, name_widget
from gui.widgets.choice import ChoiceBox, fill_choices
from gui.widgets.drops import accepted_paths
from gui.widgets.layouts import FlowLayout, card, fill
from gui.widgets.styles import primary_style

BY_MISTAKE, BY_NAME = "mistake", "name"
SIZE = QSize(1240, 780)
MOST_LISTED = 12  # files that do not count


class ClassWindow(QWidget):
    """Read and watch the answers of a class. `left()`: the window was closed."""

    left = Signal()

    def __init__(self, state: State) -> None:
        super().__init__()
        style_window(self)
        self.setObjectName("class_window")
        self.setAcceptDrops(True)
        self._base = state
        self._state = state_for(state, state.trace)
        self._hide, self._order, self._verdict = True, BY_MISTAKE, WRONG
        self._result = ClassResult(state.document, (), (), (), {}, ())
        self.presentation: ClassPresentation | None = None
        self.folder = ClassFolder(state.document, state.given, self)
        self.ask_folder: Callable[[QWidget], Path | None] = Ask().answers_folder
        self.ask_report: Callable[[QWidget, str], Path | None] = Ask().class_report_path
        self.diagram = ErrorDiagram(ErrorPicture(self._state, self._result), self)
        self.mistakes, self.students = MistakeList(self), StudentTable(self)
        self._make_controls()
        self._lay_out()
        self._connect()
        self.appear(state)
        self._restore()
        self.open_folder.setFocus()

    # Parts

    def _make_controls(self) -> None:
        self.title, self.subtitle, self.status, self.point = (QLabel(self) for _ in range(4))
        self.empty, self.caption, self.mistakes_title, self.students_title = (
            QLabel(self) for _ in range(4)
        )
        self.open_folder, self.refused, self.report, self.present_button = (
            QPushButton(self) for _ in range(4)
        )
        self.present_button.setObjectName("present_button")
        self.hide_names = QCheckBox(self)
        self.hide_names.setChecked(True)
        self.verdicts = Segments((WRONG, FOLLOWS, RIGHT, BLANK), self)
        self.orders = Segments((BY_MISTAKE, BY_NAME), self)
        self.scale, self.marks, self.heads = Scale(self), Marks(self), ChoiceBox(self)
        self.files = QLabel(self)
        self.files.hide()
        for label in (self.status, self.subtitle, self.caption):
            set_font(label, CAPTION)
        for label in (self.mistakes_title, self.students_title, self.empty):
            set_font(label, BODY, bold=label is not self.empty)
        set_font(self.title, DISPLAY, bold=True)
        set_font(self.point, BODY)
        set_font(self.files, BODY)
        for label in (self.empty, self.files, self.subtitle, self.point):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.files.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.subtitle.setWordWrap(False)
        self.empty.setWordWrap(False)

    def _lay_out(self) -> None:
        top = FlowLayout(10)
        for widget in (
            self.title, self.subtitle, self.open_folder, self.status, self.refused,
            self.hide_names, self.report, self.present_button,
        ):  # fmt: skip
            top.addWidget(widget)
        top.set_stretching(self.subtitle)
        above = FlowLayout(10)
        for part in (self.caption, self.heads, self.verdicts, self.scale):
            above.addWidget(part)
        above.set_stretching(self.caption)
        diagram = card(above, (self.diagram, 1), self.point)
        left = card(self.mistakes_title, (self.mistakes, 1))
        order = fill(QHBoxLayout(), self.students_title, 1, self.orders, spacing=8)
        right = card(order, (self.students, 1), self.marks)
        self.below = QSplitter(Qt.Orientation.Horizontal)
        self.below.addWidget(left)
        self.below.addWidget(right)
        self.below.setStretchFactor(0, 4)
        self.below.setStretchFactor(1, 5)
        self.parts = QSplitter(Qt.Orientation.Vertical)
        self.parts.addWidget(diagram)
        self.parts.addWidget(self.below)
        self.parts.setStretchFactor(0, 5)
        self.parts.setStretchFactor(1, 6)
        for split in (self.below, self.parts):
            split.setChildrenCollapsible(False)
        self.pages = QStackedWidget(self)
        self.pages.addWidget(card(1, fill(QHBoxLayout(), 1, self.empty, 1), 1))
        self.pages.addWidget(self.parts)
        fill(
            QVBoxLayout(self),
            top,
            self.files,
            (self.pages, 1),
            spacing=10,
            margins=(16, 12, 16, 14),
        )
        set_least(self.mistakes, 240, 60)
        set_least(self.students, 300, 60)

    def _connect(self) -> None:
        self.folder.read.connect(self._on_read)
        self.folder.failed.connect(self.refuse)
        self.open_folder.clicked.connect(self.choose_folder)
        self.refused.clicked.connect(self._toggle_files)
        self.report.clicked.connect(self.save_report)
        self.present_button.clicked.connect(self.present)
        self.hide_names.clicked.connect(self._set_hidden)
        self.verdicts.chosen.connect(self._set_verdict)
        self.orders.chosen.connect(self._set_order)
        self.heads.activated.connect(self._set_head)
        self.mistakes.selectionModel().currentChanged.connect(lambda *_: self._choose_mistake())
        self.diagram.chosen.connect(self._show_picture)
        for keys, act in (
            ("Ctrl+O", self.choose_folder),
            ("Ctrl+S", self.save_report),
            ("F5", self.present),
            ("F6", lambda: self._next_region(1)),
            ("Shift+F6", lambda: self._next_region(-1)),
            ("Ctrl+W", self.close),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    # State

    def appear(self, state: State) -> None:
        """Follow experiment, language, theme, digits and text size of the main window."""
        if state.document is not self._base.document or state.given != self._base.given:
            self.folder.show_experiment(state.document, state.given)
            if state.document is not self._base.document:
                self._result = ClassResult(state.document, (), (), (), {}, ())
        self._base = state
        self._state = state_for(state, state.trace, self._state.cursor.head)
        theme = colours(state.shade)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.window))
        self.setPalette(palette)
        shades = ((self.subtitle, theme.muted), (self.point, theme.muted), (self.title, theme.text))
        for label, shade in (*shades, (self.empty, theme.text)):
            label.setStyleSheet(f"color: {shade};")
        self.files.setStyleSheet(
            f"color: {theme.text}; background: {theme.accent_soft}; border-radius: 8px; padding: 8px 12px;"
        )
        self.status.setStyleSheet(
            f"color: {theme.accent}; background: {theme.accent_soft}; border-radius: 9px; padding: 3px 10px;"
        )
        self.present_button.setStyleSheet(primary_style(theme))
        self.refused.setStyleSheet(f"QPushButton {{ color: {theme.warning}; }}")
        self.mistakes.paint_in(theme)
        self.students.paint_in(theme)
        self.verdicts.paint_in(theme)
        self.orders.paint_in(theme)
        self.marks.paint_in(state.shade)
        self.diagram.magnify(factor())
        self._name()
        self._show()

    def _name(self) -> None:
        self.setWindowTitle(f"{tr('Class')} — Attention Stepper")
        self.title.setText(tr("Class"))
        self.open_folder.setText(tr("Open folder…"))
        name_widget(self.open_folder, tr("Open folder…"), "Ctrl+O")
        self.hide_names.setText(tr("Hide names"))
        self.hide_names.setToolTip(tr("Numbers instead of names, also in what is saved"))
        self.report.setText(tr("Save report…"))
        name_widget(self.report, tr("Save report…"), tr("As a page, PDF or table (Ctrl+S)"))
        self.present_button.setText(tr("Show in the hall"))
        name_widget(self.present_button, tr("Show in the hall"), "F5")
        self.mistakes_title.setText(tr("Which mistake, how often"))
        self.students_title.setText(tr("Students"))
        self.verdicts.show_segments(
            tuple(Segment(name, text) for name, text in verdict_names().items()), self._verdict
        )
        by_name = tr("By number") if self._hide else tr("By name")
        orders = (Segment(BY_MISTAKE, tr("By mistake")), Segment(BY_NAME, by_name))
        self.orders.show_segments(orders, self._order)
        self.heads.setAccessibleName(tr("Head"))
        self.empty.setText(
            "\n\n".join(
                (
                    tr("No answers yet."),
                    tr("1  Students save their answers: in Check, or on the exported page."),
                    tr("2  They send you the files, *.answers.json."),
                    tr("3  Open the folder here, or drop it. New files are read as they arrive."),
                )
            )
        )

    @property
    def result(self) -> ClassResult:
        """The answers that were read last."""
        return self._result

    @property
    def picture(self) -> ErrorPicture:
        """What the diagram shows."""
        return self.diagram.picture

    # Reading

    def choose_folder(self) -> None:
        """Ask for a folder and read it."""
        found = self.ask_folder(self)
        if found is not None:
            self.read((found,))

    def read(self, paths: Sequence[Path]) -> None:
        """Read folders and files, and watch them."""
        self.folder.choose(paths)

    def _on_read(self, result: ClassResult) -> None:
        self._result = result
        self._show()

    def refuse(self, problem: UserError) -> None:
        """Say in a sentence what went wrong."""
        self.files.setText(error_message(problem))
        self.files.show()

    # Display

    def _show(self) -> None:
        count = len(self._result.students)
        self.pages.setCurrentIndex(1 if count else 0)
        document = self._state.document
        stages = [stage for stage in plan(document) if not stage.entered]
        title = tr_marked(document.title) or tr("Untitled")
        self.subtitle.setText(tr("{title}: {count} stages", title=title, count=len(stages)))
        self._show_status(count)
        self._show_files()
        self._show_heads()
        chosen = self.mistakes.chosen
        rows = mistake_rows(self._result, self._state.orientation)
        self.mistakes.rows.show_rows(rows, count)
        self.caption.setText(
            tr(
                "How many of {count} got each number wrong; above the stages the share that is "
                "right",
                count=count,
            )
            if self._verdict == WRONG
            else tr("How many of {count}; above the stages the share that is right", count=count)
        )
        kept = [
            place
            for place, row in enumerate(rows)
            if chosen is not None and (row.text, row.good) == (chosen.text, chosen.good)
        ]
        if rows:
            self.mistakes.choose(kept[0] if kept else 0)
        self._show_picture()
        self._show_students()
        for button in (self.report, self.present_button):
            button.setEnabled(bool(count))
        if self.presentation is not None:
            self.presentation.show_picture(replace(self.picture, verdict=WRONG))

    def _show_status(self, count: int) -> None:
        chosen = self.folder.chosen
        self.status.setVisible(bool(chosen))
        self.status.setText(tr("Watching: {count} read", count=count))
        self.status.setToolTip("<br>".join(to_html(str(path)) for path in chosen))

    def _show_files(self) -> None:
        """Show how many files do not count, and list them while the list is open."""
        result = self._result
        refused, doubles = len(result.refused), len(result.doubles)
        self.refused.setVisible(bool(refused + doubles))
        said = [tr("refused: {count}", count=refused)] if refused else []
        said += [tr("duplicates: {count}", count=doubles)] if doubles else []
        self.refused.setText(tr(", ").join(said))
        self.refused.setAccessibleName(self.refused.text())
        self.refused.setToolTip(tr("Show which files do not count, and why"))
        lines = [f"{file}: {text}" for file, text in refused_lines(result.refused, hide=self._hide)]
        lines += [double_text(one.name, len(one.paths), hide=self._hide) for one in result.doubles]
        shown = lines[:MOST_LISTED]
        if len(lines) > len(shown):
            shown.append(tr("and {n} more", n=len(lines) - len(shown)))
        self.files.setText("\n".join(shown))
        if not lines:
            self.files.hide()

    def _toggle_files(self) -> None:
        self.files.setVisible(not self.files.isVisible())

    def _show_heads(self) -> None:
        heads = self._state.document.h
        choices = [(tr("Head {number}", number=head + 1), str(head)) for head in range(heads)]
        fill_choices(self.heads, choices, str(self._state.cursor.head))
        self.heads.setVisible(heads > 1)

    def _show_picture(self, cell: Cell | None = None) -> None:
        chosen = self.mistakes.chosen
        stage = chosen.mistake.example.stage if chosen is not None and chosen.mistake else ""
        if cell is not None:
            stage = cell.tensor
        picture = ErrorPicture(self._state, self._result, self._verdict, stage, cell)
        self.diagram.show_picture(picture)
        self.scale.show_picture(picture)
        self.point.setText(
            cell_sentence(self._result, cell, self._verdict, self._state)
            if cell is not None
            else chosen.text if chosen is not None else ""
        )  # fmt: skip

    def _show_students(self) -> None:
        result, chosen = self._result, self.mistakes.chosen
        labels = student_labels(result.students, hide=self._hide)
        made = chosen.students if chosen is not None else ()
        first = {id(student) for student in made}
        students: list[tuple[str, Student]] = list(zip(labels, result.students, strict=True))
        if self._order == BY_MISTAKE:
            students.sort(
                key=lambda one: (id(one[1]) not in first, -one[1].count(WRONG), one[0].casefold())
            )
        else:
            students.sort(key=lambda one: one[0].casefold())
        orientation = self._state.orientation
        self.students.students.show_students(
            result, students, made, orientation, numbers=self._hide
        )
        self.students.fit()

    # Choices

    def _choose_mistake(self) -> None:
        if self.mistakes.chosen is None:
            return
        self._show_picture()
        self._show_students()

    def _set_hidden(self) -> None:
        self._hide = self.hide_names.isChecked()
        self._name()
        self._show_files()
        self._show_students()

    def _set_verdict(self, verdict: str) -> None:
        self._verdict = verdict
        self._show()

    def _set_order(self, order: str) -> None:
        self._order = order
        self._show_students()

    def _set_head(self, number: int) -> None:
        self._state = state_for(self._base, self._base.trace, number)
        self._show()

    def _next_region(self, by: int) -> None:
        """F6: to the next of diagram, mistakes and students."""
        regions: list[QWidget] = [self.diagram, self.mistakes, self.students]
        focused = self.focusWidget()
        here = regions.index(focused) if focused in regions else -by if by > 0 else 0
        regions[(here + by) % len(regions)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    # Saving and showing

    def save_report(self) -> None:
        """Ask for a file and write the report, or the table for .csv."""
        if not self._result.students:
            return
        name = tr_marked(self._state.document.title) or tr("Class")
        path = self.ask_report(self, name)
        if path is None:
            return
        try:
            from gui.classroom.report import class_report  # loaded when first used

            state = self._state
            report = class_report(
                self._result,
                state.language,
                path.suffix.lower(),
                hide=self._hide,
                orientation=state.orientation,
            )
            write_bytes(path, report)
        except UserError as problem:
            self.refuse(problem)
            return
        self.point.setText(tr("Written: {name}", name=str(path)))

    def present(self) -> None:
        """Show the class on the full screen, without names."""
        if not self._result.students or self.presentation is not None:
            return
        chosen = self.mistakes.currentIndex().row()
        self.presentation = ClassPresentation(
            replace(self.picture, verdict=WRONG, cell=None), max(0, chosen)
        )
        self.presentation.left.connect(self._presentation_left)
        self.presentation.setGeometry(self.screen().geometry())
        self.presentation.showFullScreen()
        self.presentation.activateWindow()
        self.presentation.setFocus()

    def _presentation_left(self) -> None:
        presentation, self.presentation = self.presentation, None
        if presentation is not None:
            presentation.deleteLater()
        self.activateWindow()

    # Events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept folders and files."""
        accepted_paths(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Read what was dropped."""
        paths = accepted_paths(event)
        if paths:
            self.read(paths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes the list of files."""
        if event.key() == Qt.Key.Key_Escape and self.files.isVisible():
            self.files.hide()
        else:
            super().keyPressEvent(event)

    def _restore(self) -> None:
        if not self.restoreGeometry(QByteArray(load_layout().get("class", b""))):
            self.resize(self.screen().availableSize().boundedTo(SIZE) * 0.98)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the size; stop watching."""
        if self.presentation is not None:
            self.presentation.close()
        save_layout(**{"class": self.saveGeometry().data()})
        super().closeEvent(event)
        self.left.emit()
