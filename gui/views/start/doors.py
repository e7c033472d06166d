"""The three doors of the start page: the lesson, a sentence of one's own, labs and quiz."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.compute.trace import run
from core.document.create import Sizes, create
from gui.painting.icons import icon
from gui.painting.text_size import px, set_fixed, set_font, set_least
from gui.painting.theme import BODY, CAPTION, TITLE, Colours
from gui.texts.translation import tr
from gui.views.start.pictures import LabsPicture, LessonPicture, SentencePicture
from gui.views.start.texts import label_of
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.styles import primary_style

MOST_SHOWN = 12  # tokens of the sentence whose weights are shown


@dataclass(frozen=True, slots=True)
class LessonDoor:
    """The lesson that is offered: its id and title, the scene where it goes on, and its length."""

    id: str
    title: str
    scene: int
    scenes: int
    is_first: bool


class Door(QFrame):
    """A picture above a heading, a sentence and buttons; one group for screen readers."""

    def __init__(self, theme: Colours, title: str, sentence: str, picture: QWidget) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setAccessibleName(title)
        self.setAccessibleDescription(sentence)
        upper = QWidget()
        upper.setObjectName("door_picture")
        upper.setStyleSheet(
            f"#door_picture {{ background: {theme.sunken}; border-top-left-radius: 9px;"
            " border-top-right-radius: 9px; }"
        )
        set_least(upper, height=156)
        fill(QVBoxLayout(upper), picture, margins=(px(16), px(8), px(16), px(4)))
        self._buttons = FlowLayout(10)
        head = label_of(title, TITLE, bold=True)
        text = label_of(sentence, BODY, theme.muted)
        inner = fill(QVBoxLayout(), head, text, 1, self._buttons, spacing=8)
        inner.setContentsMargins(px(20), px(12), px(20), px(14))
        fill(QVBoxLayout(self), upper, (inner, 1), spacing=0, margins=(1, 1, 1, 1))
        set_least(self, 236)

    def add(self, *widgets: QWidget) -> None:
        """Add buttons."""
        for widget in widgets:
            self._buttons.addWidget(widget)


def lesson_door(theme: Colours, lesson: LessonDoor) -> tuple[Door, QPushButton]:
    """The door of the guided lesson, and its button."""
    done = lesson.scene / lesson.scenes
    if lesson.is_first:
        sentence = tr(
            "First steps: from three words to nine weights. {n} scenes, about 10 minutes. No "
            "previous knowledge needed.",
            n=lesson.scenes,
        )
    else:
        sentence = tr("{title}. {n} scenes.", title=lesson.title, n=lesson.scenes)
    door = Door(theme, tr("Guided lesson"), sentence, LessonPicture(theme, done))
    text = tr("Continue: scene {n}", n=lesson.scene + 1) if lesson.scene else tr("Start")
    button = QPushButton(text)
    button.setObjectName("start_lesson")
    button.setIcon(icon("play", theme.on_accent))
    button.setStyleSheet(primary_style(theme))
    button.setAccessibleDescription(sentence)
    door.add(button)
    if lesson.scene:
        count = tr("{done} of {total}", done=lesson.scene, total=lesson.scenes)
        bar = progress_bar(theme, tr("Progress of the lesson"), lesson.scene, lesson.scenes)
        set_fixed(bar, 80, 6)
        told = label_of(count, CAPTION, theme.muted)
        told.setWordWrap(False)
        door.add(told, bar)
    return door, button


def progress_bar(theme: Colours, name: str, done: int, total: int) -> QProgressBar:
    """A thin bar without text, whose count is spoken."""
    bar = QProgressBar()
    bar.setRange(0, total)
    bar.setValue(done)
    bar.setTextVisible(False)
    bar.setAccessibleName(f"{name}: {tr('{done} of {total}', done=done, total=total)}")
    bar.setStyleSheet(
        f"QProgressBar {{ background: {theme.line}; border: none; border-radius: 3px; }}"
        f"QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}"
    )
    return bar


class SentenceField(QWidget):
    """A field for a sentence above its tokens and the weights of one of them."""

    entered = Signal(str)

    def __init__(self, theme: Colours) -> None:
        super().__init__()
        self.line = QLineEdit()
        self.line.setObjectName("start_sentence")
        self.line.setPlaceholderText(tr("the cat sat on the mat"))
        self.line.setAccessibleName(tr("Your sentence"))
        self.line.setAccessibleDescription(tr("Type a few words and press Enter."))
        self.line.setMaxLength(20_000)
        set_font(self.line, 14)
        set_least(self.line, height=36)
        self.line.setStyleSheet(
            f"QLineEdit {{ background: {theme.surface}; border: 1px solid {theme.muted};"
            f" border-radius: 8px; padding: 4px 10px; }}"
            f"QLineEdit:focus {{ border: 2px solid {theme.accent}; padding: 3px 9px; }}"
        )
        self._picture = SentencePicture(theme)
        self.line.textChanged.connect(self._show)
        self.line.returnPressed.connect(self.submit)
        fill(QVBoxLayout(self), 1, self.line, self._picture, 1, spacing=px(8))
        self._show()

    def submit(self) -> None:
        """Take the sentence, or the example in an empty field."""
        self.entered.emit(self.line.text().strip() or self.line.placeholderText())

    def _show(self) -> None:
        """Show the tokens and what one of them attends to, with graded numbers."""
        text = self.line.text() or self.line.placeholderText()
        tokens = tuple(text.split())
        if not 0 < len(tokens) <= MOST_SHOWN:
            self._picture.show_weights(tokens, None, 0)
            return
        weights = run(create(tokens, "embeddings", Sizes(), "graded", 1))["weights"][0]
        row = int(np.argmin(np.abs(weights.max(axis=1) - 0.5)))
        self._picture.show_weights(tokens, weights[row], row)


def sentence_door(theme: Colours) -> tuple[Door, SentenceField]:
    """The door of the user's own sentence, and its field."""
    sentence = tr(
        "Type a few words. You get numbers you can follow by hand, and you can change any of them."
    )
    field = SentenceField(theme)
    door = Door(theme, tr("My own sentence"), sentence, field)
    button = QPushButton(tr("Make numbers"))
    button.setObjectName("start_make")
    button.clicked.connect(field.submit)
    door.add(button)
    return door, field


def labs_door(theme: Colours, labs: int, cards: int) -> tuple[Door, QPushButton, QPushButton]:
    """The door of labs and quiz, and its two buttons."""
    sentence = tr(
        "One idea each, with its own picture. {labs} labs, and {cards} questions that you can settle by experiment.",
        labs=labs,
        cards=cards,
    )
    door = Door(theme, tr("Labs and quiz"), sentence, LabsPicture(theme))
    choose, quiz = QPushButton(tr("Choose a lab…")), QPushButton(tr("Quiz"))
    choose.setObjectName("start_labs")
    quiz.setObjectName("start_quiz")
    door.add(choose, quiz)
    return door, choose, quiz
