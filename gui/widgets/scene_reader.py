"""The texts of the current scene, to be read, and the titles and captions of scenes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.timeline import Grain, Reach
from core.lesson.lesson import LessonScene
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, colours
from gui.session.state import State
from gui.texts.labs import lab_title
from gui.texts.names import stage_label, symbol_here
from gui.texts.rich_text import to_html
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.layouts import fill, scroll_vertically
from gui.widgets.styles import link_style

PANEL_NAMES = {
    "diagram": mark("Diagram"),
    "stage": mark("Stage"),
    "derivation": mark("Worked sum"),
    "heatmap": mark("Heatmap"),
    "code": mark("Code"),
    "lab": mark("Lab"),
    "page": mark("Title, text or picture"),
}
GRAIN_NAMES = {
    "": mark("no steps of its own"),
    "stage": mark("then stage by stage"),
    "row": mark("then row by row"),
    "cell": mark("then cell by cell"),
}


def scene_title(scene: LessonScene, language: str) -> str:
    """The scene's title, or the name of its stage or lab where it has none."""
    named = stage_label(scene.stage) if scene.demo is None else lab_title(scene.demo.lab)
    return scene.title.of(language) or named


def scene_caption(scene: LessonScene, document: Document | None, orientation: Orientation) -> str:
    """Stage and place of a scene, what it changes, and how many steps it has."""
    symbol = symbol_here(document, scene.stage, orientation) if document else scene.stage
    parts = [f"{symbol} {_place(scene, orientation)}".strip()]
    if scene.demo is not None:
        parts = [tr("Lab: {title}", title=lab_title(scene.demo.lab))]
    if scene.source is not None:
        parts.append(tr("new experiment"))
    elif scene.changes:
        parts.append(tr("edited"))
    if scene.steps is not None:
        parts.append(tr("{n} more", n=scene.steps.count))
    return tr(" · ").join(parts)


def _place(scene: LessonScene, orientation: Orientation) -> str:
    if scene.reach is Reach.WHOLE:
        return ""
    row, column = orientation.pair(scene.row + 1, scene.column + 1)
    if scene.reach is Reach.CELL:
        return tr("cell {row}, {column}", row=row, column=column)
    if orientation.columns:
        return tr("column {number}", number=scene.row + 1)
    return tr("row {number}", number=scene.row + 1)


def spoken_scene(index: int, scene: LessonScene, language: str, caption: str) -> str:
    """A scene for a screen reader."""
    text = tr(
        "Scene {number}: {title}, {caption}",
        number=index + 1,
        title=scene_title(scene, language),
        caption=caption,
    )
    if scene.question:
        text = tr("{scene}, with a question", scene=text)
    return tr("{scene}, a new group", scene=text) if scene.breakpoint else text


def panel_name(panel: str) -> str:
    """The name of a panel that a scene may show."""
    return tr_marked(PANEL_NAMES[panel])


def grain_name(grain: Grain | None) -> str:
    """The name of the steps of a scene."""
    return tr_marked(GRAIN_NAMES["" if grain is None else str(grain)])


def lesson_place(state: State) -> tuple[int, int]:
    """How many presses of Next have been made, the first scene included, and how many there are."""
    scenes = state.lesson.scenes if state.lesson else ()
    presses = [1 + (scene.steps.count if scene.steps else 0) for scene in scenes]
    if state.scene_index is None:
        return 0, sum(presses)
    return sum(presses[: state.scene_index]) + 1 + state.steps_taken, sum(presses)


def is_lesson_end(state: State) -> bool:
    """Whether the last step of the last scene is shown."""
    scene, count = state.scene, len(state.lesson.scenes) if state.lesson else 0
    return scene is not None and state.steps_taken >= scene.steps and scene.index + 1 >= count


READING_SIZE = BODY + 1


class SceneReader(QScrollArea):
    """Show title, text and question of the scene, and the answer on request."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.text, self.question, self.answer, self._hint = (
            QLabel(self) for _ in range(5)
        )
        self.reveal = QToolButton(self)
        self.reveal.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.reveal.clicked.connect(self._reveal)
        self._body = QWidget(self)
        self._lay_out()

    def _lay_out(self) -> None:
        self._body.setObjectName("scene_reader")
        for label, size in (
            (self.title, TITLE),
            (self.text, READING_SIZE),
            (self.question, READING_SIZE),
            (self.answer, READING_SIZE),
            (self._hint, BODY),
        ):
            set_font(label, size, bold=label is self.title)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_font(self.reveal, CAPTION)
        question = (self.question, fill(QHBoxLayout(), self.reveal, 1), self.answer)
        parts = (self.title, self.text, *question, self._hint, 1)
        fill(QVBoxLayout(self._body), *parts, spacing=8, margins=(6, 4, 8, 4))
        scroll_vertically(self, self._body)

    def _reveal(self) -> None:
        self.reveal.hide()
        self.answer.show()

    def show_state(self, old: State | None, new: State) -> None:
        """Show the texts of the current scene."""
        relabel = old is None or old.language != new.language
        if relabel or old is None or (old.lesson, old.scene_index) != (new.lesson, new.scene_index):
            self._fill(new)
        if relabel:
            self.reveal.setText(tr("Show the answer"))
        self._show_hint(new)
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))

    def _fill(self, state: State) -> None:
        scenes, index = state.lesson.scenes if state.lesson else (), state.scene_index
        scene = None if index is None or index >= len(scenes) else scenes[index]
        shown = scene or LessonScene()
        texts = [text.of(state.language) for text in (shown.say, shown.question, shown.answer)]
        title = scene_title(scene, state.language) if scene else ""
        labels = (self.title, self.text, self.question, self.answer)
        for label, text in zip(labels, (title, *texts), strict=True):
            label.setText(to_html(text))
            label.setVisible(bool(text))
        self.reveal.setVisible(bool(texts[-1]))
        self.answer.hide()
        self.verticalScrollBar().setValue(0)

    def _show_hint(self, state: State) -> None:
        """Say how to start the lesson, and what comes after it."""
        end = is_lesson_end(state)
        self._hint.setText(
            tr(
                "End of the lesson. The next lesson, your own sentence and the labs: Help ▸ Start "
                "page."
            )
            if end
            else tr("No scene is shown. Press Next to start the lesson.")
        )
        self._hint.setVisible(end or state.scene is None)

    def _paint(self, theme: Colours) -> None:
        self.reveal.setStyleSheet(link_style(theme))
        self._hint.setStyleSheet(f"color: {theme.muted};")
        for label, bar in ((self.question, theme.accent), (self.answer, theme.value)):
            label.setStyleSheet(f"border: none; border-left: 3px solid {bar}; padding-left: 8px;")
        self.setStyleSheet(
            f"#scene_reader, SceneReader {{ background: {theme.surface}; border: none; }}"
        )
