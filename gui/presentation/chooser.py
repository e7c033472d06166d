"""The menu of what is shown at a step: one panel or two, and how they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from core.lesson.lesson import PANELS
from gui.painting.theme import BODY, font
from gui.presentation.sizes import unit_for
from gui.session.presented import AUTO, BESIDE, OVER, PresentedViews, with_first, with_second
from gui.texts.translation import tr
from gui.views.lesson.reader import panel_name


def choosing_menu(
    parent: QWidget, choice: PresentedViews, choose: Callable[[PresentedViews], None]
) -> QMenu:
    """Radio items for the first panel, the second one and how they stand; each gives the changed choice."""
    menu = QMenu(parent)
    face = font(BODY * unit_for("words", parent.height()))
    menu.setFont(face)
    menu.setStyleSheet(f"QMenu {{ font-size: {face.pixelSize()}px; }}")
    first, second = choice.panels[0], choice.panels[1] if len(choice.panels) == 2 else ""
    _heading(menu, tr("Shown at this step"))
    _radios(
        menu,
        [(panel_name(panel), with_first(choice, panel), panel == first) for panel in PANELS],
        choose,
    )
    menu.addSeparator()
    _heading(menu, tr("Together with"))
    others = [panel for panel in PANELS if panel != first]
    items = [(panel_name(panel), with_second(choice, panel), panel == second) for panel in others]
    _radios(menu, [(tr("nothing else"), with_second(choice, ""), not second), *items], choose)
    if second:
        menu.addSeparator()
        ways = (
            (tr("as there is room"), AUTO),
            (tr("one over the other"), OVER),
            (tr("side by side"), BESIDE),
        )
        _radios(
            menu,
            [(name, replace(choice, way=way), way == choice.way) for name, way in ways],
            choose,
        )
    return menu


def _heading(menu: QMenu, text: str) -> None:
    menu.addAction(text).setEnabled(False)


def _radios(
    menu: QMenu,
    items: list[tuple[str, PresentedViews, bool]],
    choose: Callable[[PresentedViews], None],
) -> None:
    """Items of which one is checked."""
    group = QActionGroup(menu)
    for name, result, checked in items:
        action = menu.addAction(name)
        action.setCheckable(True)
        action.setChecked(checked)
        action.triggered.connect(partial(_chosen, choose, result))
        group.addAction(action)


def _chosen(
    choose: Callable[[PresentedViews], None], result: PresentedViews, _checked: bool = False
) -> None:
    choose(result)
