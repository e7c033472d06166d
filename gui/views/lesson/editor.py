"""Fields that hand over what is typed: after a moment, and when they lose the keyboard."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.explain.timeline import Grain
from core.lesson.lesson import LAB_VIEW, PANELS, LessonScene, LessonSteps, LocalizedText
from core.lesson.model import MOST_STEPS
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours, edge
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import SOURCE, language_name, languages, mark, tr, tr_marked
from gui.views.lesson.reader import grain_name, panel_name
from gui.widgets.buttons import Segment, Segments

LINES = 40  # a field never grows higher
# Milliseconds from the first letter that nobody else has to its hand-over: a crash loses no more, the recovery copy
# apart, and a hand-over for each letter would cost those who type fast.
SOON = 1000


class _Soon:
    """What both fields are beside their Qt class: what is typed is handed over soon, and when the user goes on."""

    visit = 0

    def _make_timer(self, field: QWidget) -> None:
        self._soon = QTimer(field, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.hand_over)

    def hand_over(self) -> None:
        """What is typed, now; cursor and selection stay."""
        raise NotImplementedError

    def _go_on(self) -> None:
        self.hand_over()
        self.visit += 1


class TextField(_Soon, QPlainTextEdit):
    """Grows with its text. `handed_over(text)`: the user has changed it; `visit` is another number once they went on.

    While they type, it is handed over every now and then, where they leave the field or press Ctrl+Enter at once.
    """

    handed_over = Signal(str)

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self._shown = ""
        self._make_timer(self)
        set_font(self, BODY)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.textChanged.connect(self._on_typed)
        self._grow()

    def show_text(self, text: str) -> None:
        """Show a text; what is being typed is not disturbed by the same one."""
        if text != self._shown or (text != self.toPlainText() and not self.hasFocus()):
            self._shown = text
            self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hand over."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._go_on()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter breaks the line, Ctrl+Enter hands over."""
        command = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go_on()
        else:
            super().keyPressEvent(event)

    def _on_typed(self) -> None:
        """Nothing is to come where a program has put the text, or where it is as it was."""
        if self.toPlainText() == self._shown:
            self._soon.stop()
        elif not self._soon.isActive():
            self._soon.start()

    def hand_over(self) -> None:
        """What is typed, now; cursor, selection and the field's own undo stay."""
        self._soon.stop()
        text = self.toPlainText()
        if text != self._shown:
            self._shown = text
            self.handed_over.emit(text)

    def _grow(self) -> None:
        lines = min(
            max(self.document().size().height(), self._lines), LINES
        )  # a plain text counts in lines
        height = (
            lines * QFontMetricsF(self.font()).lineSpacing()
            + 2 * self.document().documentMargin()
            + 4
        )
        self.setFixedHeight(round(height))

    def minimumSizeHint(self) -> QSize:
        """As narrow as need be."""
        return QSize(60, self.height())


class LineField(_Soon, QLineEdit):
    """One line that is handed over as a TextField's text is."""

    handed_over = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make_timer(self)
        self.setProperty("hands_over", True)  # it need not lose the keyboard for that
        self.textEdited.connect(self._on_typed)
        self.editingFinished.connect(self._go_on)

    def show_text(self, text: str) -> None:
        """Show a text; what is being typed is not disturbed by the same one."""
        if not self.hasFocus() or text != self.text().strip():
            self._soon.stop()
            self.setText(text)

    def _on_typed(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def hand_over(self) -> None:
        """What is typed, now; cursor and selection stay."""
        self._soon.stop()
        if self.isModified():
            self.setModified(False)
            self.handed_over.emit(self.text().strip())


class LabelledField(QWidget):
    """A text field under its name."""

    def __init__(self, field: TextField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field, self.label = field, QLabel(self)
        set_font(self.label, CAPTION, bold=True)
        self.label.setBuddy(field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.label)
        column.addWidget(field)

    def call(self, name: str, spoken: str) -> None:
        """Its name, and how a screen reader says it."""
        self.label.setText(name)
        self.field.setAccessibleName(spoken)

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self.label.setStyleSheet(f"color: {theme.muted};")
        self.field.setStyleSheet(
            f"QPlainTextEdit {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {edge(theme)};"
            f" border-radius: 6px; }} QPlainTextEdit:focus {{ border-color: {theme.accent}; }}"
        )


class CountField(QSpinBox):
    """`entered(number)`: typed and left, or stepped by arrows or wheel; silent when the program sets it."""

    entered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.editingFinished.connect(self._tell)

    def stepBy(self, steps: int) -> None:
        """An arrow was pressed."""
        super().stepBy(steps)
        self._tell()

    def _tell(self) -> None:
        self.entered.emit(self.value())


TEXTS = {
    "title": (1, mark("Title")),
    "say": (3, mark("What to say")),
    "question": (1, mark("Question")),
    "answer": (1, mark("Answer")),
    "notes": (1, mark("Notes for yourself")),
}
GRAINS = (None, *Grain)


class SceneEditor(QScrollArea):
    """Shows the scene at which we stand; empty and locked without one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._scene: int | None = None
        self._language = SOURCE
        self.tongues = Segments(languages(), self)
        self.texts = {
            name: LabelledField(TextField(lines, self), self) for name, (lines, _) in TEXTS.items()
        }
        self.first, self.second, self.grain = (QComboBox(self) for _ in range(3))
        self.count, self.breaks = CountField(self), QCheckBox(self)
        self._show, self._and, self._body = QLabel(self), QLabel(self), QWidget(self)
        self._lay_out()
        session.lesson_player.commit_requested.connect(self.hand_over)
        self.tongues.chosen.connect(self._choose_language)
        for name, labelled in self.texts.items():
            labelled.field.handed_over.connect(partial(self._write_text, name))
        self.first.activated.connect(self._choose_view)
        self.second.activated.connect(self._choose_view)
        self.grain.activated.connect(self._choose_steps)
        self.count.entered.connect(self._choose_steps)
        self.breaks.clicked.connect(self._choose_break)

    def _lay_out(self) -> None:
        body = self._body
        body.setObjectName("scene_editor")
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 4, 8, 4)
        column.setSpacing(8)
        column.addWidget(self.tongues)
        for labelled in self.texts.values():
            column.addWidget(labelled)
        shows, goes = QHBoxLayout(), QHBoxLayout()
        for widget in (self._show, self.first, self._and, self.second):
            shows.addWidget(widget)
        shows.addStretch(1)
        goes.addWidget(self.grain)
        goes.addWidget(self.count)
        goes.addStretch(1)
        column.addLayout(shows)
        column.addLayout(goes)
        column.addWidget(self.breaks)
        column.addStretch(1)
        for label in (self._show, self._and):
            set_font(label, CAPTION, bold=True)
        for option in (self.first, self.second, self.grain, self.count, self.breaks):
            set_font(option, BODY)
        self.count.setRange(1, MOST_STEPS)
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    # What the user wants

    def hand_over(self) -> None:
        """What is being typed belongs to the scene that is shown; at most one field holds any of it."""
        for labelled in self.texts.values():
            labelled.field.hand_over()

    def _choose_language(self, language: str) -> None:
        self.hand_over()
        self._language = language
        self._fill(self._session.state)

    def _write_text(self, name: str, text: str) -> None:
        scene = self._current()
        if scene is not None and self._scene is not None:
            words = getattr(scene, name).with_text(self._language, text)
            visit = f"{self._scene} {name} {self._language} {self.texts[name].field.visit}"
            self._session.lesson_player.edit_scene(self._scene, merge=visit, **{name: words})

    def _choose_view(self) -> None:
        first, second = self.first.currentData(), self.second.currentData()
        view = (first,) if second in ("", first) else (first, second)
        scene = self._current()
        if scene is not None and scene.demo is None and set(view) & set(LAB_VIEW):
            self._fill_options(scene)  # there is no lab to show
        elif self._scene is not None:
            self._session.lesson_player.edit_scene(self._scene, view=view)

    def _choose_steps(self) -> None:
        grain = self.grain.currentData()
        steps = LessonSteps(Grain(grain), self.count.value()) if grain else None
        if self._scene is not None:
            self._session.lesson_player.edit_scene(self._scene, steps=steps)

    def _choose_break(self) -> None:
        if self._scene is not None:
            self._session.lesson_player.edit_scene(self._scene, breakpoint=self.breaks.isChecked())

    # What is shown

    def show_state(self, old: State | None, new: State) -> None:
        """Texts in the chosen language; names and colours of the program's own."""
        if old is None or old.language != new.language:
            self._language = new.language
            self._name()
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))
        if old is None or (old.lesson, old.scene_index, old.language) != (
            new.lesson,
            new.scene_index,
            new.language,
        ):
            self._fill(new)

    def _current(self) -> LessonScene | None:
        state = self._session.state
        if state.lesson is None or self._scene is None or self._scene >= len(state.lesson.scenes):
            return None
        return state.lesson.scenes[self._scene]

    def _fill(self, state: State) -> None:
        self._scene = state.scene_index
        scene = self._current() or LessonScene()
        self._body.setEnabled(state.scene_index is not None)
        tongues = tuple(_segment(name, _is_complete(scene, name)) for name in languages())
        self.tongues.show_segments(tongues, self._language)
        for name, labelled in self.texts.items():
            labelled.field.show_text(getattr(scene, name).get(self._language))
        self._fill_options(scene)

    def _fill_options(self, scene: LessonScene) -> None:
        self.first.setCurrentIndex(self.first.findData(scene.view[0]))
        self.second.setCurrentIndex(
            self.second.findData(scene.view[1] if len(scene.view) > 1 else "")
        )
        self.grain.setCurrentIndex(
            self.grain.findData(str(scene.steps.grain) if scene.steps else "")
        )
        self.count.setVisible(scene.steps is not None)
        self.count.setValue(scene.steps.count if scene.steps else 1)
        self.breaks.setChecked(scene.breakpoint)

    def _name(self) -> None:
        for name, (_, text) in TEXTS.items():
            self.texts[name].call(tr_marked(text), tr_marked(text))
        panels = [(panel_name(panel), panel) for panel in (*PANELS, *LAB_VIEW)]
        _refill(self.first, panels)
        _refill(self.second, [("—", ""), *panels])
        _refill(
            self.grain,
            [(grain_name(grain), "" if grain is None else str(grain)) for grain in GRAINS],
        )
        self._show.setText(tr("Shows"))
        self._and.setText(tr("and"))
        self.breaks.setText(tr("Begins a group of scenes"))
        self.first.setAccessibleName(tr("First panel that the scene shows"))
        self.second.setAccessibleName(tr("Second panel that the scene shows"))
        self.grain.setAccessibleName(tr("Steps of the scene"))
        self.count.setAccessibleName(tr("How many steps"))
        self.count.setSuffix(tr(" times"))
        self._fill(self._session.state)

    def _paint(self, theme: Colours) -> None:
        for labelled in self.texts.values():
            labelled.paint_in(theme)
        for label in (self._show, self._and):
            label.setStyleSheet(f"color: {theme.muted};")
        self.tongues.paint_in(theme)
        self.setStyleSheet(
            f"#scene_editor, QScrollArea {{ background: {theme.surface}; border: none; }}"
        )


def _is_complete(scene: LessonScene, language: str) -> bool:
    """Whether every text of a scene is written in a language."""
    texts: list[LocalizedText] = [getattr(scene, name) for name in TEXTS]
    return all(text.get(language) for text in texts if text)


def _segment(language: str, complete: bool) -> Segment:
    """A language; a dot marks the one in which something is missing."""
    name = language_name(language)
    if complete:
        return Segment(language, name)
    missing = tr("Something is not written in this language yet")
    return Segment(language, f"{name} •", tr("{name}, not complete", name=name), missing)


def _refill(box: QComboBox, items: list[tuple[str, str]]) -> None:
    box.clear()
    for text, data in items:
        box.addItem(text, data)
