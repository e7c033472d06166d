"""The lesson in a window beside the main one: text, question, Back and Next of the current scene."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours
from gui.session.state import State
from gui.texts.translation import tr
from gui.widgets.buttons import IconButton, name_button
from gui.widgets.layouts import fill
from gui.widgets.scene_reader import SceneReader, lesson_place
from gui.widgets.styles import primary_style

MOST = 0.5  # part of the window's height that the text may take; the rest scrolls
BAR = 4  # height of the progress bar


class LessonCard(QWidget):
    """Show the current scene; `asked` requests "forward", "back" or "close"."""

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson_card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.reader, self.title, self.place = SceneReader(self), QLabel(self), QLabel(self)
        self.progress, self.leave = QProgressBar(self), IconButton("close", self)
        self.back, self.next = QPushButton(self), QPushButton(self)
        for label in (self.title, self.place):
            set_font(label, CAPTION)
        self.title.setMinimumWidth(40)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(BAR)
        for button, name in ((self.back, "back"), (self.next, "forward"), (self.leave, "close")):
            set_font(button, BODY, bold=button is self.next)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked=False, name=name: self.asked.emit(name))
        self.reader.reveal.clicked.connect(self._fit)
        head = fill(QHBoxLayout(), (self.title, 1), self.leave)
        buttons = fill(QHBoxLayout(), self.back, (self.next, 1), spacing=8)
        parts = (head, self.progress, self.reader, buttons, self.place)
        fill(QVBoxLayout(self), *parts, spacing=8, margins=(12, 10, 12, 10))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the text at this width."""
        super().resizeEvent(event)
        self._fit()

    def show_state(self, old: State | None, new: State) -> None:
        """Show the scene of a lab; hide without one."""
        scene, lesson = new.scene, new.lesson
        self.setVisible(lesson is not None and scene is not None and scene.scene.demo is not None)
        if old is None or old.language != new.language:
            self.leave.call(tr("Close the lesson"))
            for button, name, keys in (
                (self.back, tr("Back"), "PgUp"),
                (self.next, tr("Next"), "PgDown"),
            ):
                name_button(button, name, f"{name} ({keys})")
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))
        self.reader.show_state(old, new)
        here, count = lesson_place(new)
        self.title.setText(lesson.title.of(new.language) if lesson else "")
        self.title.setToolTip(self.title.text())
        self.place.setText(tr("{here} of {count} · Next: PageDown", here=here, count=count))
        self.progress.setRange(0, max(count, 1))
        self.progress.setValue(here)
        self.progress.setAccessibleName(tr("{here} of {count}", here=here, count=count))
        self.back.setEnabled(here > 1)
        self.next.setEnabled(here < count)
        self._fit()

    def _fit(self) -> None:
        body, window = self.reader.widget(), self.window()
        layout = body.layout() if body is not None else None
        if layout is not None:
            wanted = layout.totalHeightForWidth(self.reader.viewport().width())
            self.reader.setFixedHeight(max(60, min(wanted + 2, int(window.height() * MOST))))

    def _paint(self, theme: Colours) -> None:
        self.next.setStyleSheet(primary_style(theme))
        self.leave.paint_in(theme)
        self.setStyleSheet(
            f"#lesson_card {{ background: {theme.surface}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}"
            f"#lesson_card > QLabel {{ color: {theme.muted}; }}"
            f"QProgressBar {{ background: {theme.line}; border: none; border-radius: 2px; }}"
            f"QProgressBar::chunk {{ background: {theme.accent}; border-radius: 2px; }}"
        )
