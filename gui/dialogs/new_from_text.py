"""New from text: a page or file, the matrices in it, what each is, and the experiment they make."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import UserError
from core.document.edits import with_title
from core.document.parts import is_tensor
from core.exchange.code import is_code
from core.exchange.fused import ASKS
from core.exchange.roles import parse_role
from core.exchange.sources import Entry
from gui.dialogs.import_list import EntryList
from gui.dialogs.import_proposal import (
    Proposal,
    printed_answers,
    proposal_of_file,
    proposal_of_text,
    with_entry,
    with_reading,
    with_role,
    with_transposed,
)
from gui.dialogs.import_question import QuestionBox, reading_cards, transposed_cards
from gui.dialogs.import_sheet import SheetView
from gui.dialogs.import_text import SourceText
from gui.painting.text_size import px, set_least
from gui.painting.theme import DISPLAY
from gui.session.preferences import load_layout, save_layout
from gui.texts.errors import error_message
from gui.texts.rich_text import to_html
from gui.texts.roles import summary
from gui.texts.translation import tr
from gui.widgets.announcer import announce
from gui.widgets.forms import Dialog, caption, heading, sentence_label, theme_of
from gui.widgets.layouts import fill
from gui.widgets.worker import Worker

TYPING_MS = 350  # after the last change of the text it is read
LAYOUT = "from_text"  # the remembered size
SIZE = (1180, 640)
TEXT, SHEET, NEITHER = range(3)


class NewFromText(Dialog):
    """The dialog. `made(document, answers)`: the experiment, and the printed results for Check;
    `put_in(proposal)`: its matrices belong into the open experiment. `coded(text)`: the text is the
    code of an experiment.
    """

    made = Signal(object, object)
    coded = Signal(str)
    put_in = Signal(object)

    def __init__(
        self, ask: Callable[[QWidget], Path | None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("New from text"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.proposal: Proposal | None = None
        self.path: Path | None = None
        self._ask = ask
        self._work = Worker(self)
        self._work.done.connect(self._on_done)
        self._work.failed.connect(self._on_failed)
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self._read_text)
        self._make_fields()
        self._lay_out()
        self._add_keys()
        self._show()
        self.text.setFocus()
        geometry = load_layout().get(LAYOUT)
        if geometry is None or not self.restoreGeometry(geometry):
            room = self.screen().availableSize()
            self.resize(min(px(SIZE[0]), room.width() - 40), min(px(SIZE[1]), room.height() - 60))

    # Fields

    def _make_fields(self) -> None:
        self.text, self.sheet, self.list = SourceText(), SheetView(), EntryList()
        self.question = QuestionBox()
        self.text.textChanged.connect(self._on_typed)
        self.text.picked.connect(self.list.select)
        self.sheet.picked.connect(self.list.select)
        self.sheet.named.connect(self._on_range)
        self.list.selected.connect(self._on_selected)
        self.list.chosen.connect(self._on_role)
        self.question.answered.connect(self._on_answer)
        self.layer = QComboBox()
        self.layer.setAccessibleName(tr("Layer"))
        self.layer.activated.connect(self._on_layer)
        self.told, self.summary = caption(), sentence_label()
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        self.empty = sentence_label(muted=True)
        self.empty.setText(_beginning())
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(6)
        self.bar.setAccessibleName(tr("Reading…"))
        self.stop_button = _plain(tr("&Stop reading"))
        self.stop_button.clicked.connect(self._stop)
        self.open_button = _plain(tr("&Open a file…"))
        self.open_button.clicked.connect(self._on_open)
        self.make_button = _plain(tr("&Make experiment"))
        self.make_button.setDefault(True)  # for its look; Enter makes nothing
        self.make_button.setToolTip("Ctrl+Enter")
        self.make_button.clicked.connect(self.accept)
        self.put_button = _plain(tr("&Put into the open experiment"))
        self.put_button.setToolTip(
            tr("Replaces the tensors of the same name; everything else stays.")
        )
        self.put_button.clicked.connect(self._on_put)
        self.cancel_button = _plain(tr("&Cancel"))
        self.cancel_button.clicked.connect(self.reject)

    def _lay_out(self) -> None:
        title = heading(tr("New from text"), DISPLAY)
        title.setWordWrap(False)
        top = QHBoxLayout()
        fill(
            top,
            title,
            (self.told, 1),
            self.open_button,
            caption(tr("or paste: Ctrl+V")),
            spacing=14,
        )
        self.sources = QStackedWidget()
        for widget in (self.text, self.sheet, QWidget()):
            self.sources.addWidget(widget)
        self.lists = QStackedWidget()
        self.lists.addWidget(self.list)
        self.lists.addWidget(self.empty)
        right = QWidget()
        self.layer_label = QLabel(tr("Layer"))
        layer = fill(QHBoxLayout(), self.layer_label, (self.layer, 1), spacing=8)
        fill(QVBoxLayout(right), layer, (self.lists, 1), self.question, spacing=8)
        self.halves = QSplitter()
        self.halves.setChildrenCollapsible(False)
        self.halves.addWidget(self.sources)
        self.halves.addWidget(right)
        self.halves.setStretchFactor(0, 4)
        self.halves.setStretchFactor(1, 5)
        self.halves.setSizes([px(500), px(640)])
        set_least(self.sources, 240)
        set_least(right, 380, 240)
        reading = fill(QHBoxLayout(), (self.bar, 1), self.stop_button, spacing=8)
        bottom = fill(
            QHBoxLayout(),
            self.cancel_button,
            (self.summary, 1),
            self.put_button,
            self.make_button,
            spacing=14,
        )
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.add(top, (self.halves, 1), reading, bottom)

    def _add_keys(self) -> None:
        for keys, slot in (
            ("Ctrl+Return", self.accept),
            ("Ctrl+Enter", self.accept),
            ("F6", partial(self._cycle, 1)),
            ("Shift+F6", partial(self._cycle, -1)),
            ("Ctrl+O", self._on_open),
        ):
            QShortcut(QKeySequence(keys), self, slot)

    def _cycle(self, by: int) -> None:
        """Move the keyboard between text, list and question."""
        source: QWidget = self.sheet.table if self.sources.currentIndex() == SHEET else self.text
        stops = [source, self.list] if source.isVisible() else [self.list]
        asks = self.question.isVisible()
        held = self.focusWidget()
        at = next(
            (
                i
                for i, each in enumerate(stops)
                if (held is not None and each.isAncestorOf(held)) or held is each
            ),
            None,
        )
        at = (
            len(stops)
            if at is None and asks and held is not None and self.question.isAncestorOf(held)
            else at
        )
        following = ((at if at is not None else -by if by < 0 else -1) + by) % (len(stops) + asks)
        if following == len(stops):
            self.question.focus()
        else:
            stops[following].setFocus(Qt.FocusReason.TabFocusReason)

    # Reading

    def open_text(self, text: str) -> None:
        """Read a text."""
        self.text.show_text(text)
        self._read_text()
        self.list.setFocus()

    def open_path(self, path: Path) -> None:
        """Read a file."""
        self.path = path
        self._read(partial(proposal_of_file, path))

    def _on_open(self) -> None:
        path = self._ask(self)
        if path is not None:
            self.open_path(path)

    def _on_typed(self) -> None:
        self.path = None
        self._typing.start()

    def _read_text(self) -> None:
        self._typing.stop()
        self.sources.setCurrentIndex(TEXT)
        text = self.text.text()
        if is_code(text):
            self.coded.emit(text)
        elif text.strip():
            self._read(partial(proposal_of_text, text))
        else:
            self._work.stop()
            self._take(None)

    def _on_layer(self) -> None:
        if self.path is not None:
            self._read(partial(proposal_of_file, self.path, self.layer.currentIndex()))

    def _read(self, job: Callable[[], object]) -> None:
        self._work.start(job)
        self._show()

    def _stop(self) -> None:
        self._work.stop()
        self._show()

    def _on_done(self, proposal: Proposal) -> None:
        before = self.proposal
        self._take(proposal)
        source = proposal.source
        if before is None or before.source is not source:
            self._take_source(proposal)
        announce(self, self._said())

    def _take_source(self, proposal: Proposal) -> None:
        """Show the text or the sheets of another source."""
        source = proposal.source
        if source.sheets:
            self.sheet.show_sheets(source.sheets)
            self.sheet.show_proposal(proposal)
            self.sources.setCurrentIndex(SHEET)
        elif source.text:
            if self.text.text() != source.text:
                self.text.show_text(source.text)
                self.text.show_proposal(proposal)
            self.sources.setCurrentIndex(TEXT)
        else:
            self.sources.setCurrentIndex(NEITHER)
        self.sources.setVisible(self.sources.currentIndex() != NEITHER)
        if source.layers and self.layer.count() != source.layers:
            self.layer.clear()
            numbers = range(1, source.layers + 1)
            self.layer.addItems([tr("Layer {number}", number=number) for number in numbers])
        if self.path is not None and proposal.entries:
            self.list.setFocus()

    def _on_failed(self, problem: UserError) -> None:
        self._take(None)
        self.summary.setText(to_html(error_message(problem)))
        announce(self, error_message(problem))

    # Choices

    def _on_role(self, row: int, role: str) -> None:
        if self.proposal is not None:
            self._read(partial(with_role, self.proposal, row, role))
            self.list.setFocus()

    def _on_range(self, entry: Entry) -> None:
        if self.proposal is not None:
            self._read(partial(with_entry, self.proposal, entry))

    def _on_answer(self, number: int) -> None:
        if self.proposal is None:
            return
        row = self._asked()
        if row is None:
            self._read(
                partial(with_transposed, self.proposal, self.proposal.draft.readings[number].turned)
            )
        else:
            self._read(partial(with_reading, self.proposal, row, number))

    def _asked(self) -> int | None:
        """The entry whose own question is shown: the selected one, else the first; None for none."""
        if self.proposal is None:
            return None
        open_ = [i for i, entry in enumerate(self.proposal.entries) if entry.question is not None]
        row = self.list.currentIndex().row()
        if row in open_:
            return row
        return open_[0] if open_ and not self.proposal.draft.open else None

    def _on_selected(self, row: int) -> None:
        self.text.select(row)
        self.sheet.select(row)
        self._show_question()

    # Display

    def _take(self, proposal: Proposal | None) -> None:
        self.proposal = proposal
        self.text.show_proposal(proposal)
        self.sheet.show_proposal(proposal)
        self.list.show_proposal(proposal)
        self._show()

    def _show(self) -> None:
        proposal, busy = self.proposal, self._work.busy
        found = proposal is not None and bool(proposal.entries)
        self.lists.setCurrentIndex(0 if found else 1)
        self.bar.setVisible(busy)
        self.stop_button.setVisible(busy)
        several = proposal is not None and proposal.source.layers > 1
        self.layer.setVisible(several)
        self.layer_label.setVisible(several)
        self.make_button.setEnabled(proposal is not None and proposal.ready and not busy)
        named = proposal is not None and any(
            is_tensor(parse_role(role).role) for role in proposal.roles
        )
        self.put_button.setEnabled(
            named and proposal is not None and not proposal.asks and not busy
        )
        self.told.setText(self._told())
        self.summary.setText(to_html(self._said()))
        wrong = proposal is not None and proposal.draft.document is None
        theme = theme_of(self)
        self.summary.setStyleSheet(f"color: {theme.error if wrong and found else theme.muted};")
        self._show_question()

    def _told(self) -> str:
        proposal = self.proposal
        if proposal is None:
            return tr("No code is run, and nothing leaves this computer.")
        count = len(proposal.entries)
        if not proposal.source.text:
            name = self.path.name if self.path is not None else ""
            return tr("{count} matrices found in {name}.", count=count, name=name)
        lines = proposal.source.text.count("\n") + 1
        told = tr("{count} matrices found in {lines} lines.", count=count, lines=lines)
        return f"{told} " + tr("No code is run, and nothing leaves this computer.")

    def _said(self) -> str:
        """What will be made, or what is open or missing."""
        proposal = self.proposal
        if proposal is None:
            return ""
        if not proposal.entries:
            return tr("No matrix was found in this text.")
        if proposal.asks:
            return tr("One question is left: choose how to read the matrices.")
        text = summary(proposal.draft)
        return tr("Then: {summary}.", summary=text) if proposal.ready else text

    def _show_question(self) -> None:
        proposal, row = self.proposal, self._asked()
        if proposal is None or (
            row is None and not proposal.draft.open and proposal.transposed is None
        ):
            self.question.hide()
        elif row is not None:
            question = proposal.entries[row].question
            assert question is not None
            title = tr("Matrix {number} can be read in two ways", number=row + 1)
            if question.problem.code == ASKS:
                title = tr("Matrix {number} holds several matrices", number=row + 1)
            cards = reading_cards(proposal.entries[row])
            self.question.ask(title, error_message(question.problem), cards, None)
        elif proposal.draft.open:
            self._ask_transposed(proposal)

    def _ask_transposed(self, proposal: Proposal) -> None:
        numbers = tr(", ").join(str(i + 1) for i in proposal.draft.open)
        title = tr("Matrices {numbers} can be read in two ways", numbers=numbers)
        printed = any(reading.printed.total for reading in proposal.draft.readings)
        said = (
            tr(
                "They are square, so their shape does not decide. What do the results on the "
                "page say?"
            )
            if printed
            else tr(
                "They are square, so their shape does not decide, and the page shows no results."
            )
        )
        turned = [reading.turned for reading in proposal.draft.readings]
        chosen = None if proposal.transposed is None else turned.index(proposal.transposed)
        self.question.ask(title, said, transposed_cards(proposal), chosen)

    # Actions

    def accept(self) -> None:
        """Make the experiment."""
        proposal = self.proposal
        if proposal is None or not proposal.ready or self._work.busy or self._typing.isActive():
            return
        document = proposal.draft.document
        assert document is not None
        title = self.path.stem if self.path is not None else ""
        self.made.emit(with_title(document, title), printed_answers(proposal))
        super().accept()

    def _on_put(self) -> None:
        if self.proposal is not None:
            self.put_in.emit(self.proposal)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+V pastes into the text wherever the keyboard is; Enter makes nothing."""
        if event.matches(QKeySequence.StandardKey.Paste):
            self.sources.show()
            self.sources.setCurrentIndex(TEXT)
            self.text.selectAll()
            self.text.paste()
            self.text.setFocus()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Stop reading and remember the size."""
        self._work.stop()
        self._typing.stop()
        save_layout(**{LAYOUT: self.saveGeometry().data()})
        super().done(result)


def _plain(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    return button


def _beginning() -> str:
    """How to begin, and what would be recognised."""
    return "\n\n".join(
        (
            tr(
                "Paste a page with a worked example, or open a file. Every matrix in it is "
                "listed here."
            ),
            tr(
                "Recognised: X, W_Q, W_K, W_V, W_O, Q, K, V, attention weights, and results to check."
            ),
            tr(
                "In the notation of NumPy, PyTorch, R, MATLAB, Julia, LaTeX, Markdown or HTML, "
                "or as tables; notebooks include their outputs."
            ),
        )
    )
