"""The controls of the heatmap panel, and its page without a heatmap."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QIcon, QImage, QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.painting.color_scale import ramp
from gui.painting.text_size import set_font, set_icon_size, set_widest
from gui.painting.theme import BODY, Colours, colours
from gui.session.state import State
from gui.texts.names import stage_label
from gui.texts.translation import tr
from gui.views.heatmaps.heatmap_data import DIFFERENCE, HEADS, ONE, OWN, SAME_HEADS, SAME_STAGES
from gui.widgets.buttons import KeyButton, Segment, name_widget
from gui.widgets.choice import ChoiceBox
from gui.widgets.layouts import fill

VIEWS = (ONE, HEADS, DIFFERENCE)
LEVELS = (SAME_HEADS, OWN, SAME_STAGES)


def view_segments() -> tuple[Segment, ...]:
    """Current, All heads, Difference in the current language."""
    return (
        Segment(ONE, tr("Current"), tip=tr("One stage of one head")),
        Segment(HEADS, tr("All heads"), tip=tr("One stage of every head, in a grid")),
        Segment(DIFFERENCE, tr("Difference"), tip=tr("What has changed since the pinned run")),
    )


class StageBox(ChoiceBox):
    """The choice of the stage: the current one, or a fixed one.

    `chosen(stage_id)` reports it, "" for the current.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(13)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        set_widest(self, 200)
        set_font(self, BODY)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def minimumSizeHint(self) -> QSize:
        """Wide enough for its first text, so that all controls fit in one line of a usual panel."""
        least, option = super().minimumSizeHint(), QStyleOptionComboBox()
        self.initStyleOption(option)
        words = QSize(option.fontMetrics.horizontalAdvance(self.itemText(0)) + 6, least.height())
        wanted = self.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, words, self)
        return QSize(min(wanted.width(), self.maximumWidth()), least.height())

    def list_stages(self, state: State) -> None:
        """List the stages of the plan in the current language."""
        self.clear()
        self.addItem(tr("Follow the steps"), "")
        for stage in state.trace.plan:
            self.addItem(stage_label(stage.id), stage.id)
        for widget in (self, self.view()):
            name_widget(widget, tr("Stage shown in the heatmap"), tr("Stage shown in the heatmap"))

    def show_stage(self, state: State) -> None:
        """Show the stage of the preference."""
        wanted = state.preferences.heatmap_stage
        self.setCurrentIndex(self.findData(state.trace.plan.nearest(wanted)) if wanted else 0)


class LevelsButton(QToolButton):
    """The choice of the colour scale and of the shape of cells: a menu below a swatch.

    `chosen(levels)` and `stretched(on)` report it.
    """

    chosen = Signal(str)
    stretched = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("heatmap_levels")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon_size(self, 16)
        self._shade = ""
        menu = QMenu(self)
        group = QActionGroup(menu)
        self.level_actions: dict[str, QAction] = {}
        for levels in LEVELS:
            action = QAction(menu)
            action.setObjectName(f"heatmap_levels_{levels}")
            action.setCheckable(True)
            action.triggered.connect(partial(self.chosen.emit, levels))
            group.addAction(action)
            menu.addAction(action)
            self.level_actions[levels] = action
        menu.addSeparator()
        self.stretch_action = menu.addAction("")
        self.stretch_action.setObjectName("heatmap_stretched")
        self.stretch_action.setCheckable(True)
        self.stretch_action.triggered.connect(self.stretched)
        self.setMenu(menu)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.showMenu()
        else:
            super().keyPressEvent(event)

    def show_texts(self) -> None:
        """Write the choices in the current language."""
        texts = {
            SAME_HEADS: tr("Colour scale: the same for all heads"),
            OWN: tr("Colour scale: fitted to the numbers shown"),
            SAME_STAGES: tr("Colour scale: the same for all stages"),
        }
        for levels, action in self.level_actions.items():
            action.setText(texts[levels])
        self.stretch_action.setText(tr("Stretch cells to fill the panel"))

    def show_choice(self, levels: str, stretched: bool, shade: str) -> None:
        """Show a choice; the swatch has the colours of the theme."""
        self.level_actions[levels].setChecked(True)
        self.stretch_action.setChecked(stretched)
        if shade != self._shade:
            self._shade = shade
            self.setIcon(QIcon(swatch(colours(shade))))
        name_widget(self, self.level_actions[levels].text(), self.level_actions[levels].text())


def swatch(theme: Colours) -> QPixmap:
    """The colour scale as a small picture, at twice the resolution for fine screens."""
    shades = np.ascontiguousarray(np.broadcast_to(ramp(theme)[::-1, None, :], (511, 32, 3)))
    image = QImage(shades.tobytes(), 32, 511, 96, QImage.Format.Format_RGB888)
    small = image.scaled(
        32, 32, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    pixmap = QPixmap.fromImage(small)
    pixmap.setDevicePixelRatio(2.0)
    return pixmap


def style(theme: Colours) -> str:
    """The style sheet of the panel and its controls."""
    return f"""
        #heatmap_panel {{ background: {theme.surface}; border-radius: 9px; }}
        #heatmap_panel > QToolButton, #pin_run_here {{
            border: 1px solid {theme.line}; border-radius: 6px; padding: 3px 8px; background: {theme.surface};
            color: {theme.text}; }}
        #heatmap_panel > QToolButton:hover, #pin_run_here:hover {{
            background: {theme.accent_soft}; }}
        #heatmap_panel > QToolButton:checked {{ background: {theme.accent_soft}; border-color: {theme.accent}; }}
        #heatmap_panel > QToolButton:focus, #pin_run_here:focus {{
            border: 2px solid {theme.accent}; padding: 2px 7px; }}
        #heatmap_levels::menu-indicator {{ image: none; }}
        #heatmap_reading {{ color: {theme.text}; }}
        #heatmap_empty {{ color: {theme.muted}; }}
    """


class EmptyPage(QWidget):
    """Says why there is no difference to show, with the button that pins a run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = QLabel(self)
        self._text.setObjectName("heatmap_empty")
        set_font(self._text, BODY)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pin = KeyButton(self)
        self.pin.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.pin.setObjectName("pin_run_here")
        set_font(self.pin, BODY)
        set_icon_size(self.pin, 16)
        self.pin.setCursor(Qt.CursorShape.PointingHandCursor)
        middle = fill(QHBoxLayout(), 1, self.pin, 1)
        fill(QVBoxLayout(self), 1, self._text, middle, 1, spacing=12, margins=None)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._text.text()

    def show_text(self, text: str) -> None:
        """Show a sentence."""
        self._text.setText(text)
