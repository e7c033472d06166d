"""Import dialog: which part of a file becomes which matrix; nothing changes before Import."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QWidget,
)

from core.base.errors import UserError
from core.check.given import changed_tensors
from core.document.edits import with_title
from core.exchange.paste import LabelledMatrix
from gui.dialogs.import_form import (
    ImportForm,
    MatrixPreview,
    outcome,
    preview_matrix,
    tensor_entry,
    transpose_reason,
)
from gui.dialogs.import_plan import (
    ALL,
    ImportPlan,
    ImportResult,
    TensorPlace,
    as_in_file,
    consequences,
    head_choices,
    import_result,
    is_transposed,
    is_vector,
    likely_place,
    rows_are_tokens,
    tensors,
    transposed,
)
from gui.dialogs.import_reading import FileContents, as_rich, lines_around, read_file, read_part
from gui.painting.text_size import set_least
from gui.painting.theme import DISPLAY
from gui.session.session import Session
from gui.texts.errors import error_message
from gui.texts.names import symbol
from gui.texts.rich_text import to_html
from gui.texts.translation import mark, tr
from gui.widgets.forms import Dialog, accept_or_cancel, heading, sentence_label, theme_of
from gui.widgets.layouts import Gap, ResponsiveRow, fill
from gui.widgets.worker import Worker

WIDTH = 620  # pixels; the height depends on the contents


class ImportDialog(Dialog):
    """Ask, preview, import. `experiment(document)`: open the experiment in the file; `another()`:
    choose another file. `several()`: name all matrices of the file at once.
    """

    experiment = Signal(object)
    another = Signal()
    several = Signal()

    def __init__(self, session: Session, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self.path = session, path
        self._reading: FileContents | None = None
        self._plan: ImportPlan | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Import"))
        set_least(self.inside, WIDTH)
        self._work = Worker(self)
        self._work.failed.connect(self._on_failed)
        self._work.done.connect(self._on_done)
        self._make_fields()
        self._lay_out()
        self._fit()
        self._read(partial(read_file, path, tr("token {number}", number="{number}")))

    # Fields

    def _make_fields(self) -> None:
        self.form, self.preview = ImportForm(), MatrixPreview()
        self.form.part_wanted.connect(self._read_part)
        self.form.tensor_wanted.connect(self._on_tensor)
        self.form.changed.connect(self._show)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(6)
        self.bar.setAccessibleName(tr("Reading the file"))
        self.problem, self.holds = sentence_label(), sentence_label()
        self.problem.setTextFormat(Qt.TextFormat.RichText)  # for the index of d_k
        for label in (self.problem, self.holds):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setStyleSheet(f"color: {theme_of(self).error};")
        self.lines = sentence_label()
        self.lines.setTextFormat(Qt.TextFormat.RichText)
        self.another_button = self._side_button(tr("Another &file…"))
        self.another_button.clicked.connect(self.another)
        self.several_button = self._side_button(tr("Se&veral matrices…"))
        self.several_button.clicked.connect(self.several)
        self.open_button = self._side_button(tr("Open as a &new experiment"))
        self.open_button.clicked.connect(self._open)

    @staticmethod
    def _side_button(text: str) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        return button

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(24)
        top.addWidget(heading(tr("Import from {name}", name=self.path.name), DISPLAY), 1)
        top.addWidget(self.several_button, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.another_button, 0, Qt.AlignmentFlag.AlignTop)
        self.add(top, self._strip(), self.problem, self.lines, Gap(6))
        self._halves = ResponsiveRow(32, (self.form, 4), (self.preview, 6))
        self.add((self._halves, 1), self.bar, self._buttons())

    def _strip(self) -> QFrame:
        """The row that offers the whole experiment."""
        self.strip = QFrame()
        self.strip.setObjectName("strip")
        self.strip.setStyleSheet(
            f"#strip {{ background: {theme_of(self).accent_soft}; border-radius: 8px; }}"
        )
        row = QHBoxLayout(self.strip)
        row.setContentsMargins(12, 8, 8, 8)
        fill(row, (self.holds, 1), self.open_button, margins=None)
        return self.strip

    def _buttons(self) -> QDialogButtonBox:
        self.go = QPushButton(tr("&Import"))
        return accept_or_cancel(self, self.go)

    # Reading

    def _read(self, job: Callable[[], object]) -> None:
        self.problem.clear()
        self.lines.clear()
        self._plan = None
        self.bar.show()
        self.go.setEnabled(False)
        self._work.start(job)

    def _read_part(self) -> None:
        self._read(partial(read_part, self.path, self.form.name))

    def _on_done(self, found: FileContents | LabelledMatrix | UserError | ImportResult) -> None:
        if isinstance(found, ImportResult):
            self._put_in(found)
        else:
            self._on_read(found)

    def _on_read(self, found: FileContents | LabelledMatrix | UserError) -> None:
        if isinstance(found, FileContents):
            self._reading = found
            document = self._session.state.document
            self.form.fill(self.form.part, ((name, name) for name in found.parts), None)
            entries = ((tensor_entry(document, tensor), tensor) for tensor in tensors(document))
            self.form.fill(self.form.tensor, entries, None)
        elif self._reading is not None:
            self._reading = FileContents(self._reading.parts, found, self._reading.experiment)
        self._on_table()

    def _on_failed(self, problem: UserError) -> None:
        self._refuse(problem)
        self._fit()

    def _refuse(self, problem: UserError) -> None:
        """Show why the numbers cannot be used, with the lines around the error."""
        self.form.setEnabled(True)
        data = {key: value for key, value in problem.data.items() if key != "path"}
        said = error_message(
            problem if problem.code.startswith("file.") else UserError(problem.code, **data)
        )
        self.problem.setText(to_html(said))
        wrong = data.get("row")
        found = lines_around(self.path, wrong) if self._table is None else []
        self.lines.setText(as_rich(found, wrong, theme_of(self)))

    # Choices

    @property
    def _table(self) -> LabelledMatrix | None:
        found = None if self._reading is None else self._reading.table
        return found if isinstance(found, LabelledMatrix) else None

    def _on_table(self) -> None:
        """Show other numbers and choose their likely tensor."""
        table, state = self._table, self._session.state
        if table is None:
            if self._reading is not None and isinstance(self._reading.table, UserError):
                self._refuse(self._reading.table)
            self._fit()
            return
        count = table.values.shape[0] if table.values.ndim == 3 else 0
        pieces = (
            (tr("{number} of {count}", number=number + 1, count=count), number)
            for number in range(count)
        )
        self.form.fill(self.form.piece, pieces, 0)
        focus = TensorPlace(state.focus.tensor, state.cursor.head)
        place = likely_place(
            state.document, (table.name, self.path.stem), table.values.shape, focus
        )
        self.form.choose(self.form.tensor, place.tensor)
        self._take_tensor(table, place)

    def _on_tensor(self) -> None:
        if self._table is not None:
            self._take_tensor(self._table, self.form.place)

    def _take_tensor(self, table: LabelledMatrix, place: TensorPlace) -> None:
        """Update heads and orientation for another tensor."""
        choices = head_choices(self._session.state.document, place.tensor, table.values.ndim == 3)
        self.form.fill(
            self.form.head, ((name, index) for index, name in choices.items()), place.head
        )
        self.form.turn.setChecked(
            self._looks_turned(table) != self._session.state.orientation.columns
        )
        self.form.labels.setChecked(True)
        self._show()

    def _looks_turned(self, table: LabelledMatrix) -> bool:
        rows, columns = table.values.shape[-2:]
        state, labels = self._session.state, (table.rows, table.columns)
        seen = state.orientation.columns
        return is_transposed(
            state.document, self.form.place.tensor, (rows, columns), labels, columns=seen
        )

    # Display

    def _show(self) -> None:
        """Show the preview and the consequences, or what is wrong."""
        self.problem.clear()
        self.lines.clear()
        self._plan = None
        self.form.tell("", "", "")
        table, state = self._table, self._session.state
        if table is not None:
            plan = self._planned(table)
            try:
                others = "\n".join(consequences(state.document, plan, state.orientation))
                self._plan = plan
                note = (
                    self.form.turn.isChecked()
                    and self._looks_turned(table) != state.orientation.columns
                )
                turning = transpose_reason(plan, state.orientation) if note else ""
                self.form.tell(outcome(state, plan), others or tr("Nothing else changes."), turning)
            except UserError as problem:
                self._refuse(as_in_file(problem, turned=self._is_turned(table)))
            self.preview.show_matrix(preview_matrix(state, plan))
        self._fit()

    def _planned(self, table: LabelledMatrix) -> ImportPlan:
        place, values = self.form.place, table.values
        if values.ndim == 3 and place.head != ALL:
            values = values[self.form.piece.currentData()]
        turned = self._is_turned(table)
        labels = self._labels(table, turned=turned)
        return ImportPlan(
            place, transposed(values, turned), labels if self.form.labels.isChecked() else ()
        )

    def _is_turned(self, table: LabelledMatrix) -> bool:
        """Whether the matrix is transposed against the document. A vector is always a row."""
        if is_vector(self.form.place.tensor):
            return bool(table.values.shape[-1] == 1 and table.values.shape[-2] > 1)
        return self.form.turn.isChecked() != self._session.state.orientation.columns

    def _labels(self, table: LabelledMatrix, *, turned: bool) -> tuple[str, ...]:
        """The labels beside the tokens."""
        there = table.columns if turned else table.rows
        return there if rows_are_tokens(self.form.place.tensor) else ()

    def _fit(self) -> None:
        """Show only the fields that apply."""
        table = self._table
        there = table is not None
        self.form.fit(
            there=there,
            stacked=table is not None and table.values.ndim == 3,
            turns=there and not is_vector(self.form.place.tensor),
            labelled=table is not None and bool(self._labels(table, turned=self._is_turned(table))),
        )
        if self._plan is None and not self._work.busy:
            self.form.tell("", "", "")
        self.column.setEnabled(False)  # otherwise the preview is first laid out below the form
        self.preview.setVisible(there)
        for label in (self.problem, self.lines):
            label.setVisible(bool(label.text()))
        self.bar.setVisible(self._work.busy)
        self.go.setEnabled(self._plan is not None and not self._work.busy)
        self._show_offer()
        self.column.setEnabled(True)
        if self.isVisible():
            self._make_room()

    def _make_room(self) -> None:
        """Enlarge the dialog before its column is laid out."""
        for part in (self.form, self._halves):
            if (layout := part.layout()) is not None:
                layout.activate()
        self.resize(self.size().expandedTo(self.sizeHint()))

    def _show_offer(self) -> None:
        found = None if self._reading is None else self._reading.experiment
        self.strip.setVisible(found is not None)
        self.open_button.setVisible(isinstance(found, tuple))
        if isinstance(found, tuple):
            self.holds.setText(
                tr(
                    "The file contains a complete experiment: {names}.",
                    names=tr(", ").join(found[1]),
                )
            )
        elif found is not None:
            why = error_message(found)
            self.holds.setText(
                tr(
                    "The matrices in this file are named like those of an experiment, but they "
                    "do not form one. {why}",
                    why=why,
                )
            )

    # Actions

    def _open(self) -> None:
        found = None if self._reading is None else self._reading.experiment
        if isinstance(found, tuple):
            document = found[0]  # named after its file if it has no title
            self.experiment.emit(with_title(document, document.title or self.path.stem))
            self.reject()

    def accept(self) -> None:
        """Import, as one undo step."""
        if self._plan is not None and not self._work.busy:
            plan, self._plan = self._plan, None
            self.form.setEnabled(False)
            self._work.start(partial(import_result, self._session.state.document, plan, tr("new")))
            self._fit()

    def _put_in(self, changed: ImportResult) -> None:
        name = symbol(changed.tensor, changed.document)
        try:
            before = self._session.state.document
            self._session.edit(changed.document, mark("Import {name}"), name=name)
            replaced = changed_tensors(before, changed.document, changed.tensor)
            self._session.answers.note_imported(replaced)
        except UserError as problem:
            self._refuse(problem)
            self._fit()
            return
        super().accept()

    def done(self, result: int) -> None:
        """Stop reading."""
        self._work.stop()
        super().done(result)
