"""The badge “Edited live”: the experiment is no longer as the scene tells it, and the ways back and forth."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr


class LiveBadge(QFrame):
    """Hidden while the scene stands as it is told and no live edits of it are kept."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("live_badge")
        self._text = QLabel(self)
        set_font(self._text, BODY, bold=True)
        self.drop, self.again, self.keep = QPushButton(self), QPushButton(self), QPushButton(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 6, 4)
        row.setSpacing(6)
        row.addWidget(self._text, 1)
        for button, wish in (
            (self.keep, session.lesson_player.record_again),
            (self.drop, session.lesson_player.drop_live),
            (self.again, session.lesson_player.live_again),
        ):
            set_font(button, CAPTION)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(wish)
            row.addWidget(button)
        self.hide()

    def show_state(self, old: State | None, new: State) -> None:
        """What applies now."""
        if old is None or old.language != new.language:
            self.drop.setText(tr("Back to the scene"))
            self.drop.setToolTip(tr("Drop the live edits ({keys})", keys="Backspace"))
            self.keep.setText(tr("Record"))
            self.keep.setToolTip(tr("The scene shows from now on what is seen now"))
            self.again.setText(tr("Show them"))
            self.again.setToolTip(tr("The live edits that you made at this scene"))
        kept = new.scene_index in new.live_edits and not new.live
        self._text.setText(tr("Edited live") if new.live else tr("Your live edits are kept"))
        for button in (self.drop, self.keep):
            button.setVisible(new.live)
        self.again.setVisible(kept)
        self.setVisible(new.live or kept)
        if old is None or old.shade != new.shade:
            theme = colours(new.shade)
            self.setStyleSheet(
                f"#live_badge {{ background: {theme.sunken}; border: 1px solid {theme.warning}; border-radius: 8px; }}"
                f"#live_badge QLabel {{ color: {theme.warning}; border: none; }}"
            )
