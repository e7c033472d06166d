"""Export dialog: format, steps, size, speed, and a progress bar that can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QWidget,
)

from core.base.errors import UserError
from core.explain.timeline import Grain
from core.lesson.lesson import Lesson
from gui.export.options import MOST_SCALE, PARTS, ExportOptions, Subject, film_size
from gui.export.registry import EXPORTERS, VisualExporter, export_shown
from gui.export.states import cursors_at, first_cursor, step_count
from gui.painting.text_size import set_least
from gui.painting.theme import DISPLAY
from gui.session.state import State
from gui.texts.errors import error_message
from gui.texts.names import THEME_NAMES, stage_name
from gui.texts.translation import language_name, languages, mark, tr, tr_marked
from gui.widgets.forms import Dialog, NumberField, caption, heading, label_field, sentence_label
from gui.widgets.layouts import Gap, fill

PICTURE_SIZE = (1600, 900)
FILM_SIZES = ((960, 540), (1280, 720), (1920, 1080), (3840, 2160))
SPEEDS = ((0.5, "½×"), (1.0, "1×"), (2.0, "2×"), (4.0, "4×"))
FRAMES = (10.0, 20.0, 25.0)  # frames per second; GIF counts whole hundredths of a second
GRAINS = ((Grain.STAGE, mark("Stage")), (Grain.ROW, mark("Row")), (Grain.CELL, mark("Cell")))
COLUMN_GRAINS = (
    (Grain.STAGE, mark("Stage")),
    (Grain.ROW, mark("Column")),
    (Grain.CELL, mark("Cell")),
)
SHOWS = (
    (PARTS, mark("Diagram and stage")),
    (PARTS[:1], mark("Diagram")),
    (PARTS[1:], mark("Stage view")),
)
HEADS = ((False, mark("The current head")), (True, mark("Also all heads side by side")))
TEXTS = ((False, mark("As text")), (True, mark("As outlines, which need no fonts")))
SUBJECTS = ((True, mark("The lesson’s scenes")), (False, mark("The steps of the experiment")))


def steps_line(state: State, options: ExportOptions) -> str:
    """A sentence about the number of steps and their range of stages."""
    first, last = _stages(state, options)
    return tr("{n} steps, from {first} to {last}", n=_count(options), first=first, last=last)


def scenes_line(lesson: Lesson, state: State, options: ExportOptions) -> str:
    """A sentence about the number of scenes and their range."""
    ends = (
        lesson.scenes[index - 1] for index in (options.first, options.last or len(lesson.scenes))
    )
    first, last = (scene.title.of(state.language) or stage_name(scene.stage) for scene in ends)
    if _count(options) == 1:
        return tr("1 scene: {title}", title=first)
    return tr("{n} scenes, from “{first}” to “{last}”", n=_count(options), first=first, last=last)


def _count(options: ExportOptions) -> int:
    return (options.last or options.first) - options.first + 1


def _stages(state: State, options: ExportOptions) -> tuple[str, str]:
    """The names of the stages of the first and the last step."""
    trace = state.trace
    if options.grain is Grain.STAGE:
        ids = trace.plan.ids
        return stage_name(ids[options.first - 1]), stage_name(ids[(options.last or 1) - 1])
    line = cursors_at(trace, options.grain, first_cursor(trace, state.document, options))
    cursors = list(islice(line, options.first - 1, options.last))
    return stage_name(cursors[0].stage), stage_name(cursors[-1].stage)


AskPath = Callable[[QWidget, VisualExporter, Subject], Path | None]


class ExportDialog(Dialog):
    """Ask for options and write the file. `written(path)` is emitted when it is written.

    `ask_path` asks for the file and may return None. With an open lesson its scenes can be exported
    instead of the steps.
    """

    written = Signal(object)

    def __init__(
        self, state: State, name: str, ask_path: AskPath, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state, self._ask_path = state, ask_path
        self._running = self._stopped = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Export"))
        set_least(self.inside, 560)
        self.add(heading(tr("Export view"), DISPLAY), Gap(6))
        self._rows: dict[str, tuple[QLabel, QWidget]] = {}
        self._make_fields(name)
        self.column.addLayout(self._grid())
        self.summary = caption()
        self.column.addWidget(self.summary)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(tr("Progress"))
        self.told = sentence_label()
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.add(self.bar, self.told, 1, self._buttons())
        self.bar.hide()
        self._fit()

    # Fields

    def _make_fields(self, name: str) -> None:
        state = self._state
        grains = COLUMN_GRAINS if state.orientation.columns else GRAINS
        self.format = self._combo(
            [(each.name, tr_marked(each.description)) for each in EXPORTERS.values()], name
        )
        self.subjects = self._combo([(value, tr_marked(text)) for value, text in SUBJECTS], True)
        self.grain = self._combo(
            [(grain, tr_marked(text)) for grain, text in grains], state.preferences.grain
        )
        self.first = NumberField(1, 1, 1)
        self.last = NumberField(1, 1, 1)
        self.pixels = self._combo(
            [(size, f"{size[0]} × {size[1]}") for size in FILM_SIZES], FILM_SIZES[1]
        )
        scales = [
            (n, f"{n}×   ({PICTURE_SIZE[0] * n} × {PICTURE_SIZE[1] * n})")
            for n in range(1, MOST_SCALE + 1)
        ]
        self.scale = self._combo(scales, 2)
        self.speed = self._combo(SPEEDS, 1.0)
        moves = [
            (0.0, tr("Off")),
            *((each, tr("{n} frames per second", n=round(each))) for each in FRAMES),
        ]
        self.motion = self._combo(moves, 0.0)
        self.shows = self._combo([(parts, tr_marked(text)) for parts, text in SHOWS], PARTS)
        self.heads = self._combo([(value, tr_marked(text)) for value, text in HEADS], False)
        self.outlines = self._combo([(value, tr_marked(text)) for value, text in TEXTS], False)
        self.language = self._combo(
            [(one, language_name(one)) for one in languages()], state.language
        )
        self.theme = self._combo(
            [(name, tr_marked(text)) for name, text in THEME_NAMES.items()], state.shade
        )
        for field in (self.first, self.last):
            field.edited.connect(self._fit)
        self._count_steps()

    def _combo(self, items: Sequence[tuple[object, str]], chosen: object) -> QComboBox:
        combo = QComboBox()
        set_least(combo, 240)
        for value, text in items:
            combo.addItem(text, value)
        combo.setCurrentIndex(max(0, [value for value, _ in items].index(chosen)))
        combo.activated.connect(partial(self._on_chosen, combo))
        return combo

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(9)
        grid.setColumnStretch(1, 1)
        fields = (
            ("format", tr("&Format"), self.format),
            ("subject", tr("&What"), self.subjects),
            ("grain", tr("Step &by"), self.grain),
            ("range", tr("From step"), self._range()),
            ("size", tr("Si&ze in pixels"), self.pixels),
            ("scale", tr("Si&ze"), self.scale),
            ("speed", tr("S&peed"), self.speed),
            ("motion", tr("&Motion"), self.motion),
            ("parts", tr("&Show"), self.shows),
            ("heads", tr("&Heads"), self.heads),
            ("outlines", tr("Te&xts"), self.outlines),
            ("language", tr("&Language"), self.language),
            ("shade", tr("&Theme"), self.theme),
        )
        for row, (name, text, widget) in enumerate(fields):
            label = QLabel()
            label.setBuddy(widget)
            label_field(label, widget, text)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(label, row, 0, right)
            grid.addWidget(widget, row, 1)
            self._rows[name] = (label, widget)
        self.first.setAccessibleName(tr("First step"))
        self.last.setAccessibleName(tr("Last step"))
        return grid

    def _range(self) -> QWidget:
        box = QWidget()
        fill(QHBoxLayout(box), self.first, QLabel(tr("to")), self.last, 1)
        return box

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox()
        self.go, self.close_button = QPushButton(tr("&Export…")), QPushButton(tr("&Close"))
        self.go.setDefault(True)
        box.addButton(self.go, QDialogButtonBox.ButtonRole.ActionRole)
        box.addButton(self.close_button, QDialogButtonBox.ButtonRole.RejectRole)
        self.go.clicked.connect(self._export)
        box.rejected.connect(self.reject)
        return box

    # Choices

    @property
    def exporter(self) -> VisualExporter:
        """The chosen format."""
        return EXPORTERS[self.format.currentData()]

    @property
    def lesson(self) -> Lesson | None:
        """The lesson whose scenes are exported; None for the experiment."""
        lesson = self._state.lesson
        offered = lesson is not None and bool(lesson.scenes) and not self.exporter.is_single_picture
        return lesson if offered and self.subjects.currentData() else None

    @property
    def subject(self) -> Subject:
        """What is exported."""
        return self.lesson or self._state.document

    def options(self) -> ExportOptions:
        """All choices."""
        state, asks = self._state, self.exporter.choices_for(self.subject)
        first, last = sorted((self.first.value(), self.last.value()))
        options = ExportOptions(
            language=self.language.currentData(),
            shade=self.theme.currentData(),
            preferences=state.preferences,
            grain=Grain(self.grain.currentData()),
            first=first,
            last=last,
            size=PICTURE_SIZE,
            speed=self.speed.currentData(),
            motion=bool(self.motion.currentData()),
            frames=self.motion.currentData() or ExportOptions().frames,
            parts=self.shows.currentData(),
            head=state.cursor.head,
            heads="heads" in asks and self.heads.currentData(),
            outlines="outlines" in asks and self.outlines.currentData(),
        )
        if "place" in asks:
            return replace(
                options,
                cursor=state.cursor,
                focus=state.focus,
                scale=float(self.scale.currentData()),
            )
        size, scale = film_size(self.pixels.currentData())
        return replace(options, size=size, scale=scale)

    def _on_chosen(self, combo: QComboBox, _index: int) -> None:
        if combo in (self.grain, self.subjects, self.format):
            self._count_steps()
        self._fit()

    def _count_steps(self) -> None:
        """Set the range to all steps or scenes; a range among the same number stays."""
        lesson = self.lesson
        there = (
            step_count(self._state.trace, Grain(self.grain.currentData()))
            if lesson is None
            else len(lesson.scenes)
        )
        if there == self.last.maximum():
            return
        for field, value in ((self.first, 1), (self.last, there)):
            field.setRange(1, there)
            field.setValue(value)

    def _fit(self) -> None:
        """Show only the fields that the format uses, and the summary."""
        asks = {*self.exporter.choices_for(self.subject), "format"}
        asks |= {"language"} if asks - {"format"} or self.exporter.name == "html" else set()
        asks |= {"range"} if "steps" in asks else set()
        asks |= (
            {"subject"}
            if self._state.lesson
            and self._state.lesson.scenes
            and not self.exporter.is_single_picture
            else set()
        )
        asks -= {"heads"} if self.lesson is None and self._state.document.h == 1 else set()
        asks -= {"size"} if not asks & {"speed"} else set()  # pictures have a size of their own
        self._rows["range"][0].setText(tr("From step") if self.lesson is None else tr("From scene"))
        for name, (label, widget) in self._rows.items():
            label.setVisible(name in asks)
            widget.setVisible(name in asks)
        self.summary.setText(self._summary())
        self.summary.setVisible(bool(self.summary.text()))

    def _summary(self) -> str:
        asks, lesson = self.exporter.choices_for(self.subject), self.lesson
        if "place" in asks:
            return tr("The current step.")
        if "steps" not in asks:
            if lesson is None:
                return tr("All steps, in every language; the page opens in the chosen one.")
            return tr("All scenes, in every language; the page opens in the chosen one.")
        if lesson is not None:
            return scenes_line(lesson, self._state, self.options())
        return steps_line(self._state, self.options())

    # Writing

    def _export(self) -> None:
        path = self._ask_path(self, self.exporter, self.subject)
        if path is None:
            return
        self._start()
        try:
            written = export_shown(
                self.subject, self.exporter.name, path, self.options(), self._tell
            )
            self.told.setText(
                tr("Written: {name}", name=path.name)
                if written
                else tr("Stopped; nothing was written.")
            )
            if written:
                self.written.emit(path)
        except UserError as problem:
            self.told.setText(error_message(problem))
        except MemoryError:
            self.told.setText(tr("Not enough memory; choose fewer steps or a smaller size."))
        finally:
            self._finish()

    def _start(self) -> None:
        self._running, self._stopped = True, False
        self.told.clear()
        self.bar.setValue(0)
        self.bar.show()
        self._enable(False)
        self.close_button.setText(tr("&Cancel"))

    def _finish(self) -> None:
        self._running = False
        self.bar.hide()
        self._enable(True)
        self.close_button.setText(tr("&Close"))
        self.go.setFocus()

    def _enable(self, on: bool) -> None:
        self.go.setEnabled(on)
        for _, widget in self._rows.values():
            widget.setEnabled(on)

    def _tell(self, fraction: float) -> bool:
        """Show the progress and process events; False once stopped."""
        self.bar.setValue(round(fraction * 1000))
        QCoreApplication.processEvents()
        return not self._stopped

    def reject(self) -> None:
        """Stop a running export, else close."""
        if self._running:
            self._stopped = True
        else:
            super().reject()
