"""The step bar: transport, grain, timeline, head, switches."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolBar, QToolButton, QWidget

from core.document.parts import AFTER_LAYERS
from gui.app.actions import Actions
from gui.painting.text_size import set_icon_size
from gui.painting.theme import Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_label, head_name
from gui.texts.translation import label, mark, tr
from gui.views.timeline import TimelineBar
from gui.widgets.buttons import ActionButton
from gui.widgets.layouts import FlowLayout, HeightFitted, fill


class StepBar(QToolBar):
    """The controls for stepping, in one row where they fit."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("step_bar")
        self.toggleViewAction().setObjectName("show_step_bar")
        self.setMovable(False)
        self.setFloatable(False)
        self._session = session
        self.timeline = TimelineBar(session, self)
        self._head = QToolButton(self)
        self._head.setObjectName("head_menu")
        self._head.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._head_menu = QMenu(self._head)
        self._head_menu.aboutToShow.connect(self._fill_heads)
        self._head.setMenu(self._head_menu)
        self._buttons: list[QToolButton] = []
        row = HeightFitted(self)
        flow = FlowLayout(12, row)
        flow.addWidget(self._group(actions, "transport", icons=True))
        flow.addWidget(self._group(actions, "grain", icons=False))
        before_head = self._buttons[-1]
        flow.addWidget(self.timeline)
        flow.addWidget(self._head)
        flow.addWidget(self._group(actions, "switches", icons=False, spacing=6))
        flow.addWidget(self._group(actions, "present", icons=True))
        flow.set_stretching(self.timeline)
        self.setTabOrder(before_head, self._head)
        self.addWidget(row)

    def _group(self, actions: Actions, name: str, *, icons: bool, spacing: int = 2) -> QWidget:
        group = QWidget(self)
        buttons = [self._button(action, icons=icons) for action in actions.on_toolbar(name)]
        fill(QHBoxLayout(group), *buttons, spacing=spacing)
        return group

    def _button(self, action: QAction, *, icons: bool) -> QToolButton:
        button = ActionButton(action, self)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        style = Qt.ToolButtonStyle
        button.setToolButtonStyle(style.ToolButtonIconOnly if icons else style.ToolButtonTextOnly)
        set_icon_size(button, 20)
        button.setProperty("look", "icon" if icons else "chip")
        self._buttons.append(button)
        return button

    def add_menu(self, action: QAction, menu: QMenu) -> None:
        """Open a menu at the arrow of an action's button."""
        for button in self._buttons:
            if button.defaultAction() is action:
                button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
                button.setMenu(menu)

    def show_state(self, old: State | None, new: State) -> None:
        """Update timeline, head, names and colours."""
        self.timeline.show_state(old, new)
        if old is None or old.shade != new.shade:
            self.setStyleSheet(_style(colours(new.shade)))
        changed = old is None or old.wording != new.wording or old.cursor != new.cursor
        if changed or (old is not None and old.document is not new.document):
            self._name_head(new)
        if old is None or (old.language, old.orientation) != (new.language, new.orientation):
            self.setWindowTitle(tr("Steps"))
            for button in self._buttons:
                action = button.defaultAction()
                button.setAccessibleName(action.text().replace("&", ""))

    def _name_head(self, state: State) -> None:
        self._head.setText(
            label(mark("Head {number}"), number=state.cursor.head + 1) + f" / {state.scope.h}"
        )
        self._head.setVisible(state.scope.h > 1 and state.cursor.stage not in AFTER_LAYERS)
        self._head.setAccessibleName(
            head_name(state.cursor.head, state.scope.heads[state.cursor.head].name)
        )
        self._head.setToolTip(tr("Choose the head that all views show (1 – 9)"))

    def _fill_heads(self) -> None:
        state = self._session.state
        self._head_menu.clear()
        for index, head in enumerate(state.scope.heads):
            action = self._head_menu.addAction(head_label(index, head.name))
            action.setData(index)
            action.setCheckable(True)
            action.setChecked(index == state.cursor.head)
            action.triggered.connect(self._choose_head)

    def _choose_head(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._session.select_head(int(action.data()))


def _style(theme: Colours) -> str:
    return f"""
        QToolButton {{ border: 1px solid transparent; border-radius: 8px; padding: 3px 5px; color: {theme.text}; }}
        QToolButton[look="icon"] {{ background: {theme.sunken}; min-width: 20px; min-height: 20px; }}
        QToolButton[look="chip"] {{ background: {theme.sunken}; padding: 4px 10px; }}
        QToolButton[popupMode="1"] {{ padding-right: 22px; }}
        QToolButton::menu-button {{ border: none; width: 18px; }}
        QToolButton:hover {{ border-color: {theme.accent}; }}
        QToolButton:focus {{ border: 2px solid {theme.accent}; }}
        QToolButton:checked {{ background: {theme.accent_soft}; border-color: {theme.accent}; color: {theme.accent}; }}
        QToolButton:disabled {{ color: {theme.disabled}; }}
        #head_menu {{ background: {theme.sunken}; padding: 4px 18px 4px 10px; }}
        #head_menu::menu-indicator {{ subcontrol-position: right center; right: 6px; }}
    """
