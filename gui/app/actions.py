"""Actions and menus as records, and the QActions and the menu bar that are built from them.

An action is one record with all that the window knows about it. The records of a menu are in one
module (file_menu, edit_menu, step_menu, view_menu). Their order is the order in the menu. Functions
of a record take the window, W.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from gui.painting.icons import icon
from gui.painting.theme import colours
from gui.session.state import State
from gui.texts.translation import label_languages, spoken, tr, tr_marked
from gui.widgets.number_table import commit_typing

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Action(Generic[W]):
    """One action. `text` is marked for translation; `id` is the object name of its QAction.

    An action with `checked` is a switch, or one of several choices if it has a `group`. `line` puts
    a separator above it. `toolbar` is a group of the step bar and the place in it.
    """

    id: str
    text: str
    run: Callable[[W], object]
    menu: str = ""
    keys: tuple[str, ...] = ()
    icon: str = ""
    enabled: Callable[[W], bool] | None = None
    checked: Callable[[W], bool] | None = None
    group: str = ""
    line: bool = False
    toolbar: tuple[str, int] | None = None
    name: Callable[[W], str] | None = (
        None  # text in the current language if it depends on the state
    )
    tip: Callable[[W], str] | None = None  # tool tip if it is not the text
    checked_icon: str = ""
    lesson_keys: tuple[str, ...] | None = None  # keys while a lesson is played, if they differ
    choices: str = ""  # the submenu that opens at its button on the step bar
    of_widget: bool = False  # keys go to the focused widget; `enabled` is asked when the menu opens


@dataclass(frozen=True, slots=True)
class Submenu(Generic[W]):
    """A menu; one without a parent `menu` is in the menu bar. `fill` adds further entries when it
    opens.
    """

    id: str
    text: str
    menu: str = ""
    fill: Callable[[W, QMenu], object] | None = None
    line: bool = False
    tips: bool = False  # show tool tips


Records = tuple[Action[W] | Submenu[W], ...]


class Actions(QObject):
    """Make a QAction for each record and keep its text, icon, keys, check and availability up to
    date. `performing(record)`: an action is about to be carried out.
    """

    performing = Signal(object)

    def __init__(self, window: QWidget, records: Iterable[Action[Any] | Submenu[Any]]) -> None:
        super().__init__(window)
        self._window = window
        self._groups: dict[str, QActionGroup] = {}
        self._records = {each.id: each for each in records if isinstance(each, Action)}
        self._actions = {name: self._make(record) for name, record in self._records.items()}

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def _make(self, record: Action[Any]) -> QAction:
        action = QAction(self._window)
        action.setObjectName(record.id)
        action.setShortcuts([*map(QKeySequence, record.keys)])
        action.setCheckable(record.checked is not None)
        action.setIconVisibleInMenu(not action.isCheckable())  # it would hide the tick
        # A key that is held down must not switch to and fro.
        action.setAutoRepeat(record.checked is None or bool(record.group))
        if record.of_widget:
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        if record.group:
            self._groups.setdefault(record.group, QActionGroup(self)).addAction(action)
        action.triggered.connect(self._triggered)
        self._window.addAction(action)
        return action

    def _triggered(self) -> None:
        sender = self.sender()
        if isinstance(sender, QAction):
            self.perform(sender.objectName())
            self.refresh()  # Qt has toggled a switch also where nothing came of it

    def perform(self, action_id: str) -> None:
        """Carry out an action by its id, after what is being typed; clipboard keys belong to that."""
        record = self._records[action_id]
        if not record.of_widget:
            commit_typing(self._window.focusWidget())
        self.performing.emit(record)
        record.run(self._window)

    def on_toolbar(self, group: str) -> Sequence[QAction]:
        """The actions of a group of the step bar, from left to right."""
        found = {
            record.toolbar[1]: self[name]
            for name, record in self._records.items()
            if record.toolbar is not None and record.toolbar[0] == group
        }
        return [found[place] for place in sorted(found)]

    def show_state(self, old: State | None, new: State) -> None:
        """Update names, icons, keys, checks and availability."""
        if old is None or _wording(old) != _wording(new):
            for name, record in self._records.items():
                self.rename(name)
                self[name].setToolTip(self._tip(record))
        if old is None or (old.scene is None) != (new.scene is None):
            self._assign_keys(new.scene is not None)
        self.refresh()
        if old is None or (old.shade, old.playing) != (new.shade, new.playing):
            self._paint_icons(new.shade)

    def refresh(self, *names: str) -> None:
        """Update checks and availability of the named actions, of all without a name."""
        for name in names or self._records:
            record = self._records[name]
            if record.checked is not None:
                self[name].setChecked(record.checked(self._window))
            if record.enabled is not None and not record.of_widget:
                self[name].setEnabled(record.enabled(self._window))

    def refresh_widget_actions(self) -> None:
        """Update the availability of actions that belong to the focused widget."""
        for name, record in self._records.items():
            if record.enabled is not None and record.of_widget:
                self[name].setEnabled(record.enabled(self._window))

    def rename(self, action_id: str) -> None:
        """Update the text of an action."""
        record = self._records[action_id]
        self[action_id].setText(self._name(record))
        if record.toolbar is not None:
            names = []
            for language in label_languages():
                with spoken(language):
                    names.append(self._name(record).replace("&", ""))
            self[action_id].setIconText(" ".join(dict.fromkeys(names)))

    def _name(self, record: Action[Any]) -> str:
        return tr_marked(record.text) if record.name is None else record.name(self._window)

    def _tip(self, record: Action[Any]) -> str:
        text = self[record.id].text() if record.tip is None else record.tip(self._window)
        name = text.replace("&", "")
        keys = " · ".join(
            QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            for key in record.keys
        )
        return tr("{name} ({keys})", name=name, keys=keys) if keys else name

    def _assign_keys(self, in_lesson: bool) -> None:
        for name, record in self._records.items():
            if record.lesson_keys is not None:
                keys = record.lesson_keys if in_lesson else record.keys
                self[name].setShortcuts([*map(QKeySequence, keys)])

    def _paint_icons(self, shade: str) -> None:
        theme = colours(shade)
        for name, record in self._records.items():
            picture = record.checked_icon if self[name].isChecked() else ""
            if picture or record.icon:
                self[name].setIcon(icon(picture or record.icon, theme.text, theme.ghost))


def _wording(state: State) -> tuple[object, ...]:
    """What texts and tool tips depend on."""
    return *state.wording, state.orientation, state.preferences.grain


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
