"""The start page: what to begin with, over the window; never a dialog of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.painting.text_size import px, set_widest
from gui.painting.theme import BODY, CAPTION, DISPLAY, Colours
from gui.texts.translation import language_name, languages, tr, tr_marked
from gui.views.start.bands import (
    Count,
    Flow,
    ProgressBars,
    RecentFile,
    band,
    example_button,
    plain_button,
    recent_button,
)
from gui.views.start.doors import LessonDoor, labs_door, lesson_door, sentence_door
from gui.views.start.texts import OFFERED, label_of
from gui.widgets.buttons import IconButton, Segment, Segments
from gui.widgets.layouts import Gap, Part, ResponsiveRow, ScrollingPanel, fill
from gui.widgets.shortcut_filter import COMMANDS, claim_key
from gui.widgets.styles import link_style

WIDEST = 1152
FUNCTION_KEYS = range(Qt.Key.Key_F1.value, Qt.Key.Key_F35.value + 1)


@dataclass(frozen=True, slots=True)
class StartContent:
    """What the page shows. `advice` is what to do next and the id of its action, "" for none.

    `labs` and `cards`: how many there are.
    """

    language: str
    lesson: LessonDoor
    labs: int
    cards: int
    recent: Sequence[RecentFile]
    counts: Sequence[Count]
    advice: tuple[str, str]
    at_start: bool
    begun: bool


class StartPage(QWidget):
    """Three doors, examples or recent files, and progress.

    It is built for one content and one language. `asked(id)`: an action of the window; the other
    signals carry what they name.
    """

    asked = Signal(str)
    lesson_wanted = Signal(str, int)
    sentence_entered = Signal(str)
    example_wanted = Signal(str)
    recent_wanted = Signal(str)
    menu_wanted = Signal(str, QPoint)
    at_start_chosen = Signal(bool)
    left = Signal()

    def __init__(self, theme: Colours, content: StartContent, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("start_page")
        self.setAccessibleName(tr("Start page"))
        self.setAutoFillBackground(True)
        self._theme, self._content = theme, content
        self._first: QWidget = self
        body = QWidget()
        set_widest(body, WIDEST)
        lower = self._later() if content.begun else self._first_time()
        column = (self._header(), Gap(px(4)), self._doors(), Gap(px(4)), *lower, 1, self._footer())
        fill(QVBoxLayout(body), *column, spacing=px(12), margins=(px(24), px(22), px(24), px(14)))
        middle = QWidget()
        fill(QHBoxLayout(middle), 1, (body, 1000), 1, spacing=0)
        fill(QVBoxLayout(self), ScrollingPanel(middle, QSize(320, 120)), spacing=0)

    # Parts

    def _header(self) -> QHBoxLayout:
        titles = fill(
            QVBoxLayout(),
            label_of(tr("How do words attend to each other?"), DISPLAY, bold=True),
            label_of(
                tr(
                    "Step through self-attention one number at a time. Change any number, and "
                    "everything after it is recomputed."
                ),
                BODY + 1,
                self._theme.muted,
            ),
            spacing=px(4),
        )
        self.language = Segments(languages())
        self.language.paint_in(self._theme)
        self.language.setAccessibleName(tr("Language"))
        names = tuple(Segment(code, language_name(code)) for code in languages())
        self.language.show_segments(names, self._content.language)
        for code, button in self.language.buttons.items():
            button.setObjectName(f"start_language_{code}")
        self.language.chosen.connect(lambda code: self.asked.emit(f"language_{code}"))
        close = IconButton("close")
        close.setObjectName("start_close")
        close.paint_in(self._theme)
        close.call(tr("Close this page"), "Esc")
        close.clicked.connect(self.left)
        return fill(QHBoxLayout(), (titles, 1), self.language, close, spacing=px(10))

    def _doors(self) -> ResponsiveRow:
        content = self._content
        lesson, begin = lesson_door(self._theme, content.lesson)
        begin.clicked.connect(
            partial(self.lesson_wanted.emit, content.lesson.id, content.lesson.scene)
        )
        sentence, self.sentence = sentence_door(self._theme)
        self.sentence.entered.connect(self.sentence_entered)
        labs, choose, quiz = labs_door(self._theme, content.labs, content.cards)
        choose.clicked.connect(partial(self._open_menu, "labs", choose))
        quiz.clicked.connect(partial(self.asked.emit, "lab_quiz"))
        self._first = begin
        return ResponsiveRow(px(20), (lesson, 1), (sentence, 1), (labs, 1))

    def _first_time(self) -> tuple[Part, ...]:
        """Examples, and the user's own material."""
        buttons: list[QPushButton] = []
        for example, name, shows in OFFERED:
            button = example_button(self._theme, tr_marked(name), tr_marked(shows))
            button.setObjectName(f"start_example_{example}")
            button.clicked.connect(partial(self.example_wanted.emit, example))
            buttons.append(button)
        more = self._menu_button(tr("All…"), "examples")
        more.setStyleSheet(quiet_style(self._theme))
        examples = band(tr("Or look at an example"), Flow(*buttons, more))
        return examples, Gap(px(4)), band(tr("Your own material"), Flow(*self._material()))

    def _later(self) -> tuple[Part, ...]:
        """What was open last, and what was finished."""
        rows: list[QWidget] = []
        for number, recent in enumerate(self._content.recent):
            row = recent_button(self._theme, recent)
            row.setObjectName(f"start_recent_{number}")
            wanted = partial(self.asked.emit, "open")
            row.clicked.connect(
                wanted if recent.missing else partial(self.recent_wanted.emit, recent.path)
            )
            rows.append(row)
        examples = self._menu_button(tr("Examples…"), "examples")
        left = band(
            tr("Continue") if rows else tr("Your own material"),
            *rows,
            Flow(*self._material(), examples),
        )
        fill(left, 1, margins=None)
        right = band(tr("Progress"), ProgressBars(self._theme, self._content.counts))
        words, action = self._content.advice
        if words:
            link = QPushButton(words)
            link.setObjectName("start_advice")
            link.setStyleSheet(quiet_style(self._theme))
            link.clicked.connect(partial(self.asked.emit, action))
            fill(right, fill(QHBoxLayout(), link, 1), margins=None)
        fill(right, 1, margins=None)
        return (ResponsiveRow(px(48), (left, 5), (right, 4)),)

    def _material(self) -> tuple[QPushButton, ...]:
        """Buttons that open a file or a text."""
        found = plain_button(tr("Open…"), "start_open", "open", self._theme)
        found.clicked.connect(partial(self.asked.emit, "open"))
        text = plain_button(tr("New from text…"), "start_from_text", "new", self._theme)
        text.clicked.connect(partial(self.asked.emit, "from_text"))
        models = plain_button(tr("Trained model…"), "start_menu_models", "heatmap", self._theme)
        models.clicked.connect(partial(self._open_menu, "models", models))
        return found, text, models

    def _menu_button(self, text: str, menu: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(f"start_menu_{menu}")
        button.clicked.connect(partial(self._open_menu, menu, button))
        return button

    def _open_menu(self, menu: str, button: QWidget) -> None:
        self.menu_wanted.emit(menu, button.mapToGlobal(button.rect().bottomLeft()))

    def _footer(self) -> QHBoxLayout:
        self.at_start = QCheckBox(tr("Show this page at start"))
        self.at_start.setObjectName("start_at_start")
        self.at_start.setChecked(self._content.at_start)
        self.at_start.clicked.connect(self.at_start_chosen)
        told = label_of(tr("To return here: Help ▸ Start page"), CAPTION, self._theme.muted)
        told.setWordWrap(False)
        return fill(QHBoxLayout(), self.at_start, 1, told)

    # Keyboard

    def begin(self) -> None:
        """Focus the lesson's button, so that Enter begins."""
        self._first.setFocus(Qt.FocusReason.OtherFocusReason)

    def event(self, event: QEvent) -> bool:
        """Keep plain keys from the shortcuts of the experiment behind the page."""
        return claim_key(event, _is_plain) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves; Enter presses the button with the focus."""
        focused = self.window().focusWidget()
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(
            focused, QAbstractButton
        ):
            focused.click()
        else:
            super().keyPressEvent(event)


def quiet_style(theme: Colours) -> str:
    """A button that looks like a link."""
    style = link_style(theme).replace("QToolButton", "QPushButton")
    return f"QPushButton {{ background: transparent; text-align: left; }} {style}"


def _is_plain(event: QKeyEvent) -> bool:
    """Whether a key is neither a command nor a function key."""
    return not event.modifiers() & COMMANDS and event.key() not in FUNCTION_KEYS
