"""What is said at the scene, in each language, and what it shows; edits go to the lecture."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.explain.timeline import Grain
from core.lesson.lesson import LAB_VIEW, PANELS, LocalizedText, Scene, Steps
from core.lesson.model import MOST_STEPS
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import SOURCE, language_name, languages, mark, tr, tr_marked
from gui.views.lesson.fields import CountField, Labelled, TextField
from gui.views.lesson.wording import grain_name, panel_name
from gui.widgets.segments import Segment, Segments

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
            name: Labelled(TextField(lines, self), self) for name, (lines, _) in TEXTS.items()
        }
        self.first, self.second, self.grain = (QComboBox(self) for _ in range(3))
        self.count, self.breaks = CountField(self), QCheckBox(self)
        self._show, self._and, self._body = QLabel(self), QLabel(self), QWidget(self)
        self._lay_out()
        session.lesson_player.words_wanted.connect(self.hand_over)
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
            self._session.lesson_player.write(self._scene, merge=visit, **{name: words})

    def _choose_view(self) -> None:
        first, second = self.first.currentData(), self.second.currentData()
        view = (first,) if second in ("", first) else (first, second)
        scene = self._current()
        if scene is not None and scene.demo is None and set(view) & set(LAB_VIEW):
            self._fill_options(scene)  # there is no lab to show
        elif self._scene is not None:
            self._session.lesson_player.write(self._scene, view=view)

    def _choose_steps(self) -> None:
        grain = self.grain.currentData()
        steps = Steps(Grain(grain), self.count.value()) if grain else None
        if self._scene is not None:
            self._session.lesson_player.write(self._scene, steps=steps)

    def _choose_break(self) -> None:
        if self._scene is not None:
            self._session.lesson_player.write(self._scene, breakpoint=self.breaks.isChecked())

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

    def _current(self) -> Scene | None:
        state = self._session.state
        if state.lesson is None or self._scene is None or self._scene >= len(state.lesson.scenes):
            return None
        return state.lesson.scenes[self._scene]

    def _fill(self, state: State) -> None:
        self._scene = state.scene_index
        scene = self._current() or Scene()
        self._body.setEnabled(state.scene_index is not None)
        tongues = tuple(_segment(name, _is_complete(scene, name)) for name in languages())
        self.tongues.show_segments(tongues, self._language)
        for name, labelled in self.texts.items():
            labelled.field.show_text(getattr(scene, name).get(self._language))
        self._fill_options(scene)

    def _fill_options(self, scene: Scene) -> None:
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


def _is_complete(scene: Scene, language: str) -> bool:
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
