"""Whether every word that a widget shows has the room that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QHeaderView,
    QLabel,
    QLineEdit,
    QRadioButton,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QToolButton,
    QWidget,
)

KINDS = (QLabel, QAbstractButton, QComboBox, QTabBar, QLineEdit, QHeaderView, QAbstractSpinBox)
INDICATOR = (
    20  # at 100 %: the box of a check box or a radio button, and what is between it and its text
)


def misfits(root: QWidget) -> list[str]:
    """What is clipped, or cut off by what it stands in, or lies over a neighbour; one line each."""
    words = [
        widget
        for widget in root.findChildren(QWidget)
        if isinstance(widget, KINDS) and _there(widget)
    ]
    found = [f"{_named(widget)}: {why}" for widget in words for why in _clipped(widget)]
    found += [f"{_named(widget)}: cut off" for widget in words if shown(widget) and _cut(widget)]
    return found + [f"{_named(one)} over {_named(other)}" for one, other in _overlaps(words)]


def _there(widget: QWidget) -> bool:
    """Whether it can be seen: Qt puts a dock that is behind another's tab beside the window."""
    if not widget.isVisible():
        return False
    dock: QWidget | None = widget
    while dock is not None and not isinstance(dock, QDockWidget):
        dock = dock.parentWidget()
    return dock is None or dock.geometry().right() >= 0


def shown(widget: QWidget) -> str:
    """The words of a widget as they stand there."""
    if (
        isinstance(widget, QToolButton)
        and widget.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
    ):
        return "" if not widget.icon().isNull() else widget.text()
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return widget.text().replace("&", "")
    return widget.currentText() if isinstance(widget, QComboBox) else ""


def _named(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName() or shown(widget)[:40]!r}"


def _clipped(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QAbstractButton):
        yield from _button(widget)
    elif isinstance(widget, QComboBox):
        yield from _combo(widget)
    elif isinstance(widget, QTabBar):
        yield from _tabs(widget)
    elif isinstance(widget, QHeaderView):
        yield from _header(widget)
    elif isinstance(widget, QLineEdit):
        yield from _line(widget)


def _label(label: QLabel) -> Iterator[str]:
    if not label.text() or not label.pixmap().isNull():
        return
    needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
    if needed > label.height() + 1:
        yield f"{needed} high in {label.height()}"
    if not label.wordWrap() and label.sizeHint().width() > label.width() + 1:
        yield f"{label.sizeHint().width()} wide in {label.width()}"


def _button(button: QAbstractButton) -> Iterator[str]:
    if not shown(button):
        return
    metrics = button.fontMetrics()
    wide = metrics.horizontalAdvance(shown(button))
    if isinstance(button, QCheckBox | QRadioButton):
        wide += INDICATOR
    elif not button.icon().isNull() and not _is_text_only(button):
        wide += button.iconSize().width()
    if wide > button.width():
        yield f"{wide} wide in {button.width()}"
    if metrics.height() > button.height():
        yield f"{metrics.height()} high in {button.height()}"


def _is_text_only(button: QAbstractButton) -> bool:
    style = Qt.ToolButtonStyle.ToolButtonTextOnly
    return isinstance(button, QToolButton) and button.toolButtonStyle() is style


def _combo(combo: QComboBox) -> Iterator[str]:
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    control = QStyle.ComplexControl.CC_ComboBox
    field = combo.style().subControlRect(
        control, option, QStyle.SubControl.SC_ComboBoxEditField, combo
    )
    metrics = combo.fontMetrics()
    if (
        metrics.horizontalAdvance(combo.currentText()) > field.width()
        and combo.currentText() not in combo.toolTip()
    ):
        yield f"{metrics.horizontalAdvance(combo.currentText())} wide in {field.width()}"
    if metrics.height() > combo.height():
        yield f"{metrics.height()} high in {combo.height()}"


def _tabs(bar: QTabBar) -> Iterator[str]:
    for index in range(bar.count()):
        rect = bar.tabRect(index)
        if (
            bar.fontMetrics().horizontalAdvance(bar.tabText(index).replace("_", "")) * 0.9
            > rect.width()
        ):
            yield f"tab {bar.tabText(index)!r}: {rect.width()} wide"
        if bar.fontMetrics().height() > rect.height():
            yield f"tab {bar.tabText(index)!r}: {rect.height()} high"


def _header(header: QHeaderView) -> Iterator[str]:
    model, across = header.model(), header.orientation()
    metrics = header.fontMetrics()
    for section in range(header.count() if model is not None else 0):
        if (
            header.sectionViewportPosition(section)
            > header.viewport().width() + header.viewport().height()
        ):
            return
        text = str(model.headerData(section, across) or "")
        told = str(model.headerData(section, across, Qt.ItemDataRole.ToolTipRole) or "")
        lies = across is Qt.Orientation.Horizontal
        wide, high = (
            (header.sectionSize(section), header.height())
            if lies
            else (header.width(), header.sectionSize(section))
        )
        if metrics.horizontalAdvance(text) > wide and text not in told:
            yield f"{text!r}: {wide} wide"
        if text and metrics.height() > high:
            yield f"{text!r}: {high} high"


def _line(line: QLineEdit) -> Iterator[str]:
    """A long text moves under the cursor; what is said in its place does not."""
    if (
        line.fontMetrics().height() > line.height() + 1
    ):  # what is above and below the letters may touch
        yield f"{line.fontMetrics().height()} high in {line.height()}"
    within = isinstance(line.parentWidget(), QAbstractSpinBox)
    text = line.text() if within else line.placeholderText() if not line.text() else ""
    if line.fontMetrics().horizontalAdvance(text) > line.width():
        yield f"{text!r} in {line.width()}"


def _cut(widget: QWidget) -> bool:
    """Whether something around it, other than what scrolls, hides a part."""
    rect, inside = QRect(widget.rect()), widget
    while (parent := inside.parentWidget()) is not None and not inside.isWindow():
        area = parent.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
            return False
        rect = QRect(inside.mapToParent(rect.topLeft()), rect.size())
        if not parent.rect().adjusted(-1, -1, 1, 1).contains(rect):
            return True
        inside = parent
    return False


def _overlaps(words: Sequence[QWidget]) -> Iterator[tuple[QWidget, QWidget]]:
    """Neighbours that lie over each other."""
    texts = [widget for widget in words if shown(widget)]
    for index, one in enumerate(texts):
        for other in texts[index + 1 :]:
            if one.parentWidget() is other.parentWidget() and one.geometry().intersects(
                other.geometry()
            ):
                yield one, other
