"""The menu bar, built from the records of the actions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QMenu

from gui.app.actions import Action, Actions, Submenu
from gui.session.state import State
from gui.texts.translation import tr_marked


class Menus(QObject):
    """Build the menus once; rename them when the language changes."""

    def __init__(
        self,
        window: QMainWindow,
        actions: Actions,
        records: Iterable[Action[Any] | Submenu[Any]],
    ) -> None:
        super().__init__(window)
        self._window, self._actions = window, actions
        self._entries = [record for record in records if record.menu or isinstance(record, Submenu)]
        self._submenus: dict[str, Submenu[Any]] = {}
        self._menus: dict[str, QMenu] = {}
        for record in self._entries:
            self._add(record)

    def __getitem__(self, menu_id: str) -> QMenu:
        return self._menus[menu_id]

    def _add(self, record: Action[Any] | Submenu[Any]) -> None:
        parent = self._menus[record.menu] if record.menu else None
        if record.line and parent is not None:
            parent.addSeparator()
        if isinstance(record, Submenu):
            menu = self._window.menuBar().addMenu("") if parent is None else parent.addMenu("")
            menu.setObjectName(record.id)
            menu.menuAction().setObjectName(f"menu_{record.id}")
            menu.setToolTipsVisible(record.tips)
            menu.aboutToShow.connect(self._open)
            self._submenus[record.id], self._menus[record.id] = record, menu
        elif parent is not None:
            parent.addAction(self._actions[record.id])

    def _open(self) -> None:
        """Fill a dynamic menu when it opens."""
        self._actions.refresh_widget_actions()
        menu = self.sender()
        assert isinstance(menu, QMenu)
        record = self._submenus[menu.objectName()]
        if record.fill is not None:
            menu.clear()
            record.fill(self._window, menu)
            for each in self._entries:
                if each.menu == record.id:
                    self._add(each)

    def show_state(self, old: State | None, new: State) -> None:
        """Translate the titles."""
        if old is None or old.language != new.language:
            for menu_id, menu in self._menus.items():
                menu.setTitle(tr_marked(self._submenus[menu_id].text))
