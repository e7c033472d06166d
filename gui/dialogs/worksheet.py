"""The dialogs for worksheets and reports: options, a preview, the file to write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.document.document import Document
from core.document.orientation import Orientation
from core.document.parts import layer_id
from core.explain.exercise import LARGEST_SEED, MOST_SHEETS
from core.stages import Stage, plan
from gui.export.worksheets.blocks import (
    KEYS,
    MOST_DECIMALS,
    MOST_POINTS,
    POINTS_PER,
    SUMS,
    Paper,
    WorksheetOptions,
)
from gui.export.worksheets.files import MANY, PageCounter, ReportOptions
from gui.export.worksheets.matrix_drawing import PAGE
from gui.export.worksheets.printing import first_page
from gui.export.worksheets.worksheet import Worksheet
from gui.painting.shapes import draw_box
from gui.painting.text_size import set_least
from gui.painting.theme import DISPLAY
from gui.session.state import State
from gui.texts.names import cell_name, stage_label, symbol_here
from gui.texts.translation import current_labels, language_name, languages, spoken, tr
from gui.widgets.forms import (
    Dialog,
    NumberField,
    accept_or_cancel,
    caption,
    field_grid,
    flow_row,
    heading,
    label_field,
    radios,
    strong,
    theme_of,
)
from gui.widgets.layouts import Gap, ResponsiveRow, fill

if TYPE_CHECKING:
    from gui.export.worksheets.files import ReportOptions

NAME_COLUMNS, SYMBOL_COLUMNS = 3, 4  # of stages


class WorksheetDialog(Dialog):
    """Ask for the options of worksheets with a preview of the first page."""

    def __init__(
        self,
        document: Document,
        orientation: Orientation,
        decimals: int,
        language: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document, self._orientation = document, orientation
        self._counted: dict[WorksheetOptions, int] = {}
        self._counting: PageCounter | None = None
        self._counter = QTimer(self, interval=0)
        self._counter.timeout.connect(self._count_on)
        self.setWindowTitle(tr("Worksheets"))
        self._make_fields(min(decimals, MOST_DECIMALS), language)
        self.column.addWidget(heading(tr("Worksheets"), DISPLAY))
        self._page = PagePreview()
        self.add(
            Gap(6),
            (ResponsiveRow(36, (self._form(), 1), (self._page, 0)), 1),
            Gap(8),
            self._buttons(),
        )
        self._show()
        self.sheets.setFocus()

    def options(self) -> WorksheetOptions:
        """The chosen options."""
        several = zip(languages(), self.languages, strict=False)
        chosen = tuple(stage_id for stage_id, box in self.stages.items() if box.isChecked())
        return WorksheetOptions(
            decimals=self.decimals.value(),
            sheets=self.sheets.value(),
            seed=self.seed.value(),
            key=_checked(KEYS, self.keys),
            languages=next(((one,) for one, radio in several if radio.isChecked()), languages()),
            orientation=self._orientation,
            labels=current_labels(),
            stages=() if len(chosen) == len(self.stages) else chosen,
            points=self.points.value(),
            points_per=_checked(POINTS_PER, self.points_per),
            sums=_checked(SUMS, self.sums),
        )

    def ending(self) -> str:
        """The suffix of the file."""
        return ".pdf" if self.formats[0].isChecked() else ".tex"

    # Fields

    def _make_fields(self, decimals: int, language: str) -> None:
        self.sheets = NumberField(1, MOST_SHEETS, 1)
        self.seed = NumberField(0, LARGEST_SEED, 0)
        self.decimals = NumberField(0, MOST_DECIMALS, decimals)
        self.points = NumberField(0, MOST_POINTS, 0)
        for field in (self.sheets, self.seed, self.decimals, self.points):
            field.edited.connect(self._show)
        self.stages = {
            stage.id: QCheckBox(self._stage_text(stage))
            for stage in plan(self._document)
            if not stage.entered
        }
        for stage_id, box in self.stages.items():
            box.setToolTip(stage_label(stage_id))
            box.setAccessibleName(box.text())
            box.setChecked(True)
            box.clicked.connect(partial(self._stage_clicked, box))
        every = tr("&Both") if len(languages()) == 2 else tr("&All")
        self.languages = radios(self, *map(language_name, languages()), every)
        self.languages[languages().index(language)].setChecked(True)
        self.keys = radios(self, tr("After t&he sheets"), tr("In a separate &file"), tr("&None"))
        self.formats = radios(self, "&PDF", "La&TeX")
        self.points_per = radios(self, tr("Each sta&ge"), tr("Each ce&ll"))
        self.sums = radios(self, tr("On&e for each stage"), tr("&All"), tr("No s&ums"))
        for radio in (*self.languages, *self.keys, *self.formats, *self.points_per, *self.sums):
            radio.clicked.connect(self._show)

    def _stage_text(self, stage: Stage) -> str:
        """The name of a stage; in a stack, where layers share names, its symbol such as L1.Q."""
        if self._document.is_stack:
            symbol = symbol_here(self._document, stage.id, self._orientation)
            return layer_id(stage.layer, symbol)
        return stage_label(stage.id)

    def _stage_clicked(self, box: QCheckBox) -> None:
        """Keep at least one stage."""
        if not any(other.isChecked() for other in self.stages.values()):
            box.setChecked(True)
        self._show()

    # Layout

    def _form(self) -> QVBoxLayout:
        note = caption(tr("Seed 0: the numbers on the screen. Any other seed: similar new ones."))
        set_least(note, 330)
        self._told = caption()
        points = QLabel()
        points.setBuddy(self.points)
        label_field(points, self.points, tr("P&oints"), tr("0 prints no points."))
        groups = (
            (tr("Answer key"), self.keys),
            (tr("Worked sums in it"), self.sums),
            (tr("Language"), self.languages),
            (tr("File"), self.formats),
        )
        return fill(
            QVBoxLayout(),
            self._numbers(),
            note,
            self._told,
            Gap(4),
            strong(tr("Stages to fill in")),
            self._stage_grid(),
            Gap(4),
            flow_row(points, self.points, *self.points_per),
            *(
                part
                for title, choices in groups
                for part in (Gap(4), strong(title), flow_row(*choices))
            ),
            1,
            spacing=5,
        )

    def _stage_grid(self) -> QGridLayout:
        grid, columns = QGridLayout(), SYMBOL_COLUMNS if self._document.is_stack else NAME_COLUMNS
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(4)
        for index, box in enumerate(self.stages.values()):
            grid.addWidget(box, index // columns, index % columns)
        grid.setColumnStretch(columns, 1)
        return grid

    def _numbers(self) -> QGridLayout:
        rows = (
            (self.sheets, tr("&Sheets"), tr("Each sheet has its own numbers and answer key.")),
            (self.seed, tr("See&d"), tr("The first sheet's seed; the others follow.")),
            (self.decimals, tr("&Round to decimals"), tr("Number of decimals in the answers.")),
        )
        return field_grid(rows, 18)

    def _buttons(self) -> QDialogButtonBox:
        self.save_button = QPushButton(tr("Sa&ve…"))
        return accept_or_cancel(self, self.save_button)

    def _tell(self) -> None:
        """Show seeds and number of pages."""
        options = self.options()
        last = options.seed + options.sheets - 1
        which = (
            tr(
                "{n} sheets, seeds {first} to {last}.",
                n=options.sheets,
                first=options.seed,
                last=last,
            )
            if options.sheets > 1
            else tr("One sheet, seed {seed}.", seed=options.seed)
        )
        self._told.setText(f"{which} {self._length(options)}")

    def _show(self) -> None:
        """Update the preview."""
        self._tell()
        options = self.options()
        with spoken(options.languages[0]):
            part = Worksheet(self._document, options, options.seed).questions()
        self._page.show_part(part, options.decimals)

    def _length(self, options: WorksheetOptions) -> str:
        """A sentence about the number of pages."""
        count = self._pages(options)
        if count is None:
            return tr("Counting the pages…")
        if count < MANY or options.key == "none":
            return tr("About {n} pages.", n=f"{count:,}")
        less = self._pages(replace(options, key="none"))
        if less is None:
            return tr("Counting the pages…")
        return tr("About {n} pages! Without answer keys: {less}.", n=f"{count:,}", less=f"{less:,}")

    def _pages(self, options: WorksheetOptions) -> int | None:
        """The number of pages, cached by options without seed; None while counting."""
        one = replace(options, seed=0, sheets=1)
        if one in self._counted:
            return self._counted[one] * options.sheets
        if self._counting is None or self._counting.options != one:
            self._counting = PageCounter(self._document, one)
            self._counter.start()
        return None

    def _count_on(self) -> None:
        """Count some pages between other events."""
        assert self._counting is not None
        count = self._counting.step()
        if count is not None:
            self._counted[self._counting.options] = count
            self._counting = None
            self._counter.stop()
            self._tell()

    def done(self, result: int) -> None:
        """Stop counting."""
        self._counter.stop()
        super().done(result)


def _checked(values: Sequence[str], choices: Sequence[QRadioButton]) -> str:
    return next(value for value, radio in zip(values, choices, strict=True) if radio.isChecked())


class PagePreview(QWidget):
    """A small picture of the first page."""

    def __init__(self) -> None:
        super().__init__()
        self._part: Paper | None = None
        self._decimals = 2
        self._paint: Callable[[QPainter], None] | None = None  # made when first painted
        set_least(self, 318, 450)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("The first page"))

    def show_part(self, part: Paper, decimals: int) -> None:
        """Show another page."""
        self._part, self._decimals, self._paint = part, decimals, None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page white, also in dark themes."""
        with QPainter(self) as painter:
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
            )
            scale = min(self.width() / PAGE[0], self.height() / PAGE[1]) * 0.995
            painter.scale(scale, scale)
            page = QRectF(0.5, 0.5, PAGE[0], PAGE[1])
            painter.fillRect(page, QColor(Qt.GlobalColor.white))
            if self._part is not None:
                self._paint = self._paint or first_page(self._part, self._decimals)
                self._paint(painter)
            draw_box(painter, page, QPen(QColor(theme_of(self).ghost), 1.0 / scale), None)


REPORT_DECIMALS = 8  # the most that the window shows


class ReportDialog(Dialog):
    """Ask for the options of a report."""

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setWindowTitle(tr("Report"))
        self.decimals = NumberField(0, REPORT_DECIMALS, min(state.decimals, REPORT_DECIMALS))
        self.languages = radios(self, *map(language_name, languages()))
        self.languages[languages().index(state.language)].setChecked(True)
        self.save_button = QPushButton(tr("Sa&ve…"))
        self._lay_out()

    def options(self) -> ReportOptions:
        """The chosen options, for the focused cell."""
        state = self._state
        chosen = zip(languages(), self.languages, strict=True)
        language = next(one for one, radio in chosen if radio.isChecked())
        return ReportOptions(
            state.focus, self.decimals.value(), language, state.orientation, state.fractions
        )

    def _lay_out(self) -> None:
        state = self._state
        cell = cell_name(state.focus, state.document, state.orientation)
        note = caption(
            tr(
                "Every stage with its formula and numbers, and the sums of the focused cell {name}.",
                name=cell,
            )
        )
        set_least(note, 360)
        decimals = (self.decimals, tr("&Decimals"), tr("Number of decimals shown."))
        self.add(
            heading(tr("Report"), DISPLAY),
            Gap(6),
            note,
            Gap(8),
            field_grid((decimals,), 18),
            Gap(8),
            strong(tr("Language")),
            flow_row(*self.languages),
            1,
            Gap(8),
            accept_or_cancel(self, self.save_button),
        )
