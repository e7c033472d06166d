"""The menu of a table, and the one that lists the forms of a copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gui.texts.translation import tr
from gui.views.tables.copy_formats import FORM_NAMES


def fill_forms(menu: QMenu, copy_as: Callable[[str], None]) -> None:
    """An entry for each form."""
    for form, name in FORM_NAMES.items():
        menu.addAction(name).triggered.connect(partial(copy_as, form))


def add(
    menu: QMenu, text: str, keys: str, wish: Callable[[], None], *, enabled: bool = True
) -> QAction:
    """An entry that shows its keys; the table itself hears them."""
    action = menu.addAction(text)
    action.setShortcut(QKeySequence(keys))
    action.setShortcutVisibleInContextMenu(True)
    action.setEnabled(enabled)
    action.triggered.connect(wish)
    return action


def forms_title(several: bool) -> str:
    """What the forms are of."""
    return tr("Copy the selection as") if several else tr("Copy the matrix as")


def new_menu(parent: QWidget) -> QMenu:
    """A menu that is gone once it is closed."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu
