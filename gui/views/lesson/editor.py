"""Edit the texts, panels and steps of a scene; text fields that commit while the user types."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.explain.timeline import Grain
from core.lesson.lesson import LAB_VIEW, PANELS, LessonScene, LessonSteps, LocalizedText, PanelSplit
from core.lesson.lesson_file import picture_text
from core.lesson.model import LAYOUTS, MOST_STEPS, PAGE_VIEW, SHARES
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours, edge
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import SOURCE, language_name, languages, mark, tr, tr_marked
from gui.widgets.buttons import Segment, Segments
from gui.widgets.choice import ChoiceBox, fill_choices
from gui.widgets.fields import IntegerField
from gui.widgets.layouts import fill, scroll_vertically
from gui.widgets.scene_reader import grain_name, panel_name

LINES = 40  # a field never grows higher
# Milliseconds from the first uncommitted letter to the commit: a crash loses no more than that, and
# a commit for each
# letter would delay those who type fast.
COMMIT_DELAY = 1000


class _DelayedCommit:
    """Commit typed text after a delay, and at once when the user leaves the field. `visit` counts
    how often they left.
    """

    visit = 0

    def _make_timer(self, field: QWidget) -> None:
        self._timer = QTimer(field, singleShot=True, interval=COMMIT_DELAY)
        self._timer.timeout.connect(self.commit)

    def commit(self) -> None:
        """Emit `committed` with the typed text; cursor and selection stay."""
        raise NotImplementedError

    def _leave(self) -> None:
        self.commit()
        self.visit += 1


class TextField(_DelayedCommit, QPlainTextEdit):
    """A text field that grows with its text. `committed(text)`: the user changed it.

    Leaving the field and Ctrl+Enter commit at once.
    """

    committed = Signal(str)

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
        """Show a text, unless the user is typing it."""
        if text != self._shown or (text != self.toPlainText() and not self.hasFocus()):
            self._shown = text
            self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter breaks the line, Ctrl+Enter commits."""
        command = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._leave()
        else:
            super().keyPressEvent(event)

    def _on_typed(self) -> None:
        """Start the delay, unless the program set the text or it is unchanged."""
        if self.toPlainText() == self._shown:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def commit(self) -> None:
        """Commit the typed text; cursor, selection and the field's own undo stay."""
        self._timer.stop()
        text = self.toPlainText()
        if text != self._shown:
            self._shown = text
            self.committed.emit(text)

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
        """Narrow, so that the panel can be."""
        return QSize(60, self.height())


class LineField(_DelayedCommit, QLineEdit):
    """A line that commits as TextField does."""

    committed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make_timer(self)
        self.textEdited.connect(self._on_typed)
        self.editingFinished.connect(self._leave)

    def show_text(self, text: str) -> None:
        """Show a text, unless the user is typing it."""
        if not self.hasFocus() or text != self.text().strip():
            self._timer.stop()
            self.setText(text)

    def _on_typed(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def commit(self) -> None:
        """Commit the typed text; cursor and selection stay."""
        self._timer.stop()
        if self.isModified():
            self.setModified(False)
            self.committed.emit(self.text().strip())


class LabelledField(QWidget):
    """A text field below its name."""

    def __init__(self, field: TextField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field, self.label = field, QLabel(self)
        set_font(self.label, CAPTION, bold=True)
        self.label.setBuddy(field)
        fill(QVBoxLayout(self), self.label, field, spacing=2)

    def call(self, name: str) -> None:
        """Set the name."""
        self.label.setText(name)
        self.field.setAccessibleName(name)

    def paint_in(self, theme: Colours) -> None:
        """Apply the theme."""
        self.label.setStyleSheet(f"color: {theme.muted};")
        self.field.setStyleSheet(
            f"QPlainTextEdit {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {edge(theme)};"
            f" border-radius: 6px; }} QPlainTextEdit:focus {{ border-color: {theme.accent}; }}"
        )


class CountField(IntegerField):
    """A spin box. `entered(number)`: the user typed or stepped it; not emitted when the program
    sets it.
    """

    entered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.editingFinished.connect(self._tell)

    def stepBy(self, steps: int) -> None:
        """Emit `entered`, also for arrows and wheel."""
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
    "text": (2, mark("Text on the page")),
}


class SceneEditor(QScrollArea):
    """Edit texts, panels and steps of the current scene; empty and disabled without one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._scene: int | None = None
        self._language = SOURCE
        self.language_buttons = Segments(languages(), self)
        self.texts = {
            name: LabelledField(TextField(lines, self), self) for name, (lines, _) in TEXTS.items()
        }
        self.first, self.second, self.layout_choice, self.grain = (
            ChoiceBox(self) for _ in range(4)
        )
        self.picture_button = QPushButton(self)
        self.ask_picture: Callable[[], str] = lambda: QFileDialog.getOpenFileName(
            self, tr("Picture"), "", tr("Pictures") + " (*.png *.jpg *.jpeg)"
        )[0]
        self.share, self.count, self.breaks = CountField(self), CountField(self), QCheckBox(self)
        self._show, self._and, self._body = QLabel(self), QLabel(self), QWidget(self)
        self._lay_out()
        session.lesson_player.commit_requested.connect(self.commit)
        self.language_buttons.chosen.connect(self._choose_language)
        for name, labelled in self.texts.items():
            labelled.field.committed.connect(partial(self._write_text, name))
        self.first.activated.connect(self._choose_view)
        self.second.activated.connect(self._choose_view)
        self.picture_button.clicked.connect(self._choose_picture)
        self.layout_choice.activated.connect(self._choose_split)
        self.share.entered.connect(self._choose_split)
        self.grain.activated.connect(self._choose_steps)
        self.count.entered.connect(self._choose_steps)
        self.breaks.clicked.connect(lambda on: self._edit(breakpoint=on))

    def _lay_out(self) -> None:
        body = self._body
        body.setObjectName("scene_editor")
        panels = fill(QHBoxLayout(), self._show, self.first, self._and, self.second, 1)
        split = fill(QHBoxLayout(), self.layout_choice, self.share, 1)
        steps = fill(QHBoxLayout(), self.grain, self.count, 1)
        fill(
            QVBoxLayout(body),
            self.language_buttons,
            *self.texts.values(),
            self.picture_button,
            panels,
            split,
            steps,
            self.breaks,
            1,
            spacing=8,
            margins=(0, 4, 8, 4),
        )
        for label in (self._show, self._and):
            set_font(label, CAPTION, bold=True)
        options = (self.first, self.second, self.layout_choice, self.share)
        for option in (*options, self.picture_button, self.grain, self.count, self.breaks):
            set_font(option, BODY)
        self.share.setRange(SHARES[0] - 1, SHARES[1])  # the least value says: as usual
        self.count.setRange(1, MOST_STEPS)
        scroll_vertically(self, body)

    # Input

    def commit(self) -> None:
        """Commit what is being typed, which belongs to the scene that is shown."""
        for labelled in self.texts.values():
            labelled.field.commit()

    def _choose_language(self, language: str) -> None:
        self.commit()
        self._language = language
        self._fill(self._session.state)

    def _write_text(self, name: str, text: str) -> None:
        scene = self._current()
        if scene is not None:
            texts = getattr(scene, name).with_text(self._language, text)
            visit = f"{self._scene} {name} {self._language} {self.texts[name].field.visit}"
            self._edit(visit, **{name: texts})

    def _choose_view(self) -> None:
        first, second = self.first.currentData(), self.second.currentData()
        view = (first,) if second in ("", first) else (first, second)
        scene = self._current()
        if scene is not None and scene.demo is None and set(view) & set(LAB_VIEW):
            self._fill_options(scene)  # there is no lab to show
        else:
            self._edit(view=view)

    def _choose_picture(self) -> None:
        """Put a picture from a file on the scene's page, or take it away."""
        scene = self._current()
        if scene is None:
            return
        if scene.picture:
            self._edit(picture="")
            return
        path = self.ask_picture()
        if path:
            self._session.attempt(lambda: self._edit(picture=picture_text(path)))

    def _choose_split(self) -> None:
        share = self.share.value()
        split = PanelSplit(self.layout_choice.currentData(), share if share >= SHARES[0] else 0)
        self._edit(split=split)

    def _choose_steps(self) -> None:
        grain = self.grain.currentData()
        self._edit(steps=LessonSteps(Grain(grain), self.count.value()) if grain else None)

    def _edit(self, merge: str = "", **fields: Any) -> None:
        if self._scene is not None:
            self._session.lesson_player.edit_scene(self._scene, merge, **fields)

    # Display

    def show_state(self, old: State | None, new: State) -> None:
        """Show the texts of the current scene in the chosen language."""
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
        segments = tuple(_segment(name, _is_complete(scene, name)) for name in languages())
        self.language_buttons.show_segments(segments, self._language)
        for name, labelled in self.texts.items():
            labelled.field.show_text(getattr(scene, name).get(self._language))
        self._fill_options(scene)
        name = tr("Remove the picture") if scene.picture else tr("Picture on the page…")
        self.picture_button.setText(name)

    def _fill_options(self, scene: LessonScene) -> None:
        first, second = (*scene.view, "")[:2]
        panels = [(panel_name(panel), panel) for panel in (*PANELS, *LAB_VIEW, *PAGE_VIEW)]
        grains = [(grain_name(grain), str(grain or "")) for grain in (None, *Grain)]
        fill_choices(self.first, panels, first)
        fill_choices(self.second, [("—", ""), *panels], second)
        layouts = dict(zip(LAYOUTS, (tr("one above the other"), tr("side by side")), strict=True))
        names = [(layouts.get(name, tr("automatic layout")), name) for name in ("", *LAYOUTS)]
        fill_choices(self.layout_choice, names, scene.split.layout)
        self.share.setValue(scene.split.share or SHARES[0] - 1)
        for field in (self.layout_choice, self.share):
            field.setVisible(bool(second))
        fill_choices(self.grain, grains, str(scene.steps.grain) if scene.steps else "")
        self.count.setVisible(scene.steps is not None)
        self.count.setValue(scene.steps.count if scene.steps else 1)
        self.breaks.setChecked(scene.breakpoint)

    def _name(self) -> None:
        for name, (_, text) in TEXTS.items():
            self.texts[name].call(tr_marked(text))
        self._show.setText(tr("Shows"))
        self._and.setText(tr("and"))
        self.breaks.setText(tr("Starts a group of scenes"))
        self.first.setAccessibleName(tr("First panel that the scene shows"))
        self.second.setAccessibleName(tr("Second panel that the scene shows"))
        self.grain.setAccessibleName(tr("Steps in the scene"))
        self.count.setAccessibleName(tr("Number of steps"))
        self.layout_choice.setAccessibleName(tr("How the two panels are placed"))
        self.share.setAccessibleName(tr("Share of the first panel"))
        self.share.setSuffix(tr(" %"))
        self.share.setSpecialValueText(tr("default"))
        self.count.setSuffix(tr(" times"))
        self._fill(self._session.state)

    def _paint(self, theme: Colours) -> None:
        for labelled in self.texts.values():
            labelled.paint_in(theme)
        for label in (self._show, self._and):
            label.setStyleSheet(f"color: {theme.muted};")
        self.language_buttons.paint_in(theme)
        self.setStyleSheet(
            f"#scene_editor, QScrollArea {{ background: {theme.surface}; border: none; }}"
        )


def _is_complete(scene: LessonScene, language: str) -> bool:
    """Whether every text of a scene is written in a language."""
    texts: list[LocalizedText] = [getattr(scene, name) for name in TEXTS]
    return all(text.get(language) for text in texts if text)


def _segment(language: str, complete: bool) -> Segment:
    """The button of a language; a dot marks missing texts."""
    name = language_name(language)
    if complete:
        return Segment(language, name)
    missing = tr("Some texts are missing in this language")
    return Segment(language, f"{name} •", tr("{name}, not complete", name=name), missing)
