"""Words of the lesson panel: what a scene is called and what it shows, in a line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

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
from gui.widgets.styles import link_style

PANEL_NAMES = {
    "diagram": mark("Diagram"),
    "stage": mark("Stage"),
    "derivation": mark("Worked sum"),
    "heatmap": mark("Heatmap"),
    "code": mark("Code"),
    "lab": mark("Lab"),
}
GRAIN_NAMES = {
    "": mark("no steps of its own"),
    "stage": mark("then stage by stage"),
    "row": mark("then row by row"),
    "cell": mark("then cell by cell"),
}


def scene_title(scene: LessonScene, language: str) -> str:
    """The scene's title, or the name of its stage where it has none."""
    named = stage_label(scene.stage) if scene.demo is None else lab_title(scene.demo.lab)
    return scene.title.of(language) or named


def scene_caption(scene: LessonScene, document: Document | None, orientation: Orientation) -> str:
    """Where the scene stands, what it changes and how it goes on."""
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
    number = scene.row + 1
    return (
        tr("column {number}", number=number)
        if orientation.columns
        else tr("row {number}", number=number)
    )


def spoken_scene(index: int, scene: LessonScene, language: str, caption: str) -> str:
    """A scene as a screen reader says it."""
    said = tr(
        "Scene {number}: {title}, {caption}",
        number=index + 1,
        title=scene_title(scene, language),
        caption=caption,
    )
    if scene.question:
        said = tr("{scene}, with a question", scene=said)
    return tr("{scene}, a new group", scene=said) if scene.breakpoint else said


def panel_name(panel: str) -> str:
    """A panel that a scene may show."""
    return tr_marked(PANEL_NAMES[panel])


def grain_name(grain: Grain | None) -> str:
    """How a scene goes on."""
    return tr_marked(GRAIN_NAMES["" if grain is None else str(grain)])


READ = BODY + 1


class SceneReader(QScrollArea):
    """Nothing can be typed here. The answer is hidden again at another scene."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.said, self.question, self.answer, self._hint = (
            QLabel(self) for _ in range(5)
        )
        self.reveal = QToolButton(self)
        self.reveal.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.reveal.clicked.connect(self._reveal)
        self._body = QWidget(self)
        self._lay_out()

    def _lay_out(self) -> None:
        self._body.setObjectName("scene_reader")
        column = QVBoxLayout(self._body)
        column.setContentsMargins(6, 4, 8, 4)
        column.setSpacing(8)
        for label, size in (
            (self.title, TITLE),
            (self.said, READ),
            (self.question, READ),
            (self.answer, READ),
            (self._hint, BODY),
        ):
            set_font(label, size, bold=label is self.title)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_font(self.reveal, CAPTION)
        for part in (self.title, self.said, self.question, self.reveal, self.answer, self._hint):
            column.addWidget(part, 0, _side(part))
        column.addStretch(1)
        self.setWidget(self._body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _reveal(self) -> None:
        self.reveal.hide()
        self.answer.show()

    # What is shown

    def show_state(self, old: State | None, new: State) -> None:
        """Another scene, other words, another language, other colours."""
        again = old is None or old.language != new.language
        if again or old is None or (old.lesson, old.scene_index) != (new.lesson, new.scene_index):
            self._fill(new)
        if again:
            self.reveal.setText(tr("Show the answer"))
            self._hint.setText(tr("No scene is shown. Next begins the lesson."))
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))

    def _fill(self, state: State) -> None:
        lesson, place = state.lesson, state.scene_index
        scene = (
            None
            if lesson is None or place is None or place >= len(lesson.scenes)
            else lesson.scenes[place]
        )
        language = state.language
        words = (
            ("",) * 4
            if scene is None
            else (
                scene_title(scene, language),
                *(text.of(language) for text in (scene.say, scene.question, scene.answer)),
            )
        )
        for label, text in zip(
            (self.title, self.said, self.question, self.answer), words, strict=True
        ):
            label.setText(to_html(text))
            label.setVisible(bool(text))
        self.answer.hide()
        self.reveal.setVisible(bool(words[3]))
        self._hint.setVisible(scene is None)
        self.verticalScrollBar().setValue(0)

    def _paint(self, theme: Colours) -> None:
        self.reveal.setStyleSheet(link_style(theme))
        self._hint.setStyleSheet(f"color: {theme.muted};")
        for label, bar in ((self.question, theme.accent), (self.answer, theme.value)):
            label.setStyleSheet(f"border: none; border-left: 3px solid {bar}; padding-left: 8px;")
        self.setStyleSheet(
            f"#scene_reader, SceneReader {{ background: {theme.surface}; border: none; }}"
        )


def _side(part: QWidget) -> Qt.AlignmentFlag:
    """A button is as wide as its word; texts take the whole width."""
    return Qt.AlignmentFlag.AlignLeft if isinstance(part, QToolButton) else Qt.AlignmentFlag(0)
