"""What the edits changed: each token's vector after each layer, as a part of its length."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from core.base.arrays import Array
from core.base.number_format import show
from gui.model_window.canvas import Canvas
from gui.model_window.edits import Edit, first_edited_layer
from gui.model_window.session import ModelSession
from gui.model_window.state import EDITED, A, ModelState, relative_change
from gui.model_window.wording import edit_name
from gui.painting.color_scale import Levels, ink, value_colour
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, RIGHT, draw_text
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.buttons import KeyButton, name_button
from gui.widgets.layouts import FlowLayout, fill, scroll_vertically

LEFT, TOP, ROW, WIDE = 64.0, 18.0, 19.0, 40.0


class ChangesView(Canvas):
    """A grid of tokens and layers; layers run along x where they do in the map."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setSizePolicy(policy)

    @property
    def across(self) -> bool:
        """Whether layers run along x."""
        model = self.state.model
        return model is not None and model.layers > model.heads

    @property
    def _sizes(self) -> tuple[int, int]:
        """How many rows and columns."""
        model, run = self.state.model, self.state.run(A)
        layers = 1 if model is None else model.layers
        tokens = 1 if run is None else run.sentence.n
        return (tokens, layers) if self.across else (layers, tokens)

    def sizeHint(self) -> QSize:
        """A row for each token or layer."""
        rows, _ = self._sizes
        return QSize(round(500 * self.unit), round((TOP + ROW * rows + 4) * self.unit))

    def minimumSizeHint(self) -> QSize:
        """The height of the hint."""
        return QSize(round(200 * self.unit), self.sizeHint().height())

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Repaint."""
        super().show_state(old, new)
        self.setAccessibleName(tr("What the edits changed"))
        self.setAccessibleDescription(self._spoken())
        self.updateGeometry()

    def changes(self) -> list[Array]:
        """The change after each layer that is computed.  # (n,) each"""
        run, edited = self.state.run(A), self.state.run(EDITED)
        if run is None or edited is None or run.sentence.n != edited.sentence.n:
            return []
        pairs = zip(run.layers, edited.layers, strict=False)
        return [relative_change(one.outgoing, two.outgoing) for one, two in pairs]

    def _spoken(self) -> str:
        changes, run = self.changes(), self.state.run(A)
        if not changes or run is None:
            return ""
        last = changes[-1]
        most = int(np.argmax(last))
        return tr(
            "After layer {layer} most at {token}: {part} %",
            layer=len(changes),
            token=visible_token(run.sentence.labels[most]),
            part=_percent(float(last[most])),
        )

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint labels and cells."""
        run = self.state.run(A)
        if run is None:
            return
        rows, columns = self._sizes
        changes = self.changes()
        most = max((float(each.max()) for each in changes), default=1.0) or 1.0
        levels = Levels(0.0, float(np.sqrt(most)))
        wide = min((area.width() - LEFT - 4.0) / columns, 60.0)
        begins = first_edited_layer(self.state.setting.edits) or 0
        labels = [visible_token(label) for label in run.sentence.labels]
        self._paint_labels(painter, area, wide, labels, theme)
        for row in range(rows):
            for column in range(columns):
                layer, token = (column, row) if self.across else (row, column)
                cell = QRectF(LEFT + column * wide, TOP + row * ROW, wide, ROW)
                inner = cell.adjusted(1, 1, -1, -1)
                if layer < begins:
                    painter.setPen(QPen(QColor(theme.ghost), 1.0))
                    half = min(wide * 0.25, 10.0)
                    at = cell.center()
                    painter.drawLine(QLineF(at.x() - half, at.y(), at.x() + half, at.y()))
                elif layer >= len(changes):
                    pen = QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DashLine)
                    draw_box(painter, inner, pen, None, 2.0)
                else:
                    value = float(changes[layer][token])
                    ground = value_colour(theme, levels, float(np.sqrt(value)))
                    draw_box(painter, inner, None, ground, 2.0)
                    if wide >= WIDE:
                        text = _percent(value) + "%"
                        draw_text(painter, cell, CENTRE, text, font(CAPTION), ink(ground))

    def _paint_labels(
        self, painter: QPainter, area: QRectF, wide: float, labels: list[str], theme: Colours
    ) -> None:
        rows, columns = self._sizes
        followed = self.state.look.query
        for row in range(rows):
            place = QRectF(area.x(), TOP + row * ROW, LEFT - 8.0, ROW)
            chosen = row == (followed if self.across else self.state.look.layer)
            text = labels[row] if self.across else tr("Layer {number}", number=row + 1)
            ink_ = theme.accent if chosen else theme.muted
            draw_text(painter, place, RIGHT, text, font(CAPTION, bold=chosen), ink_)
        for column in range(columns):
            chosen = column == (self.state.look.layer if self.across else followed)
            if self.across and wide < 22.0 and not chosen and column and (column + 1) % 5:
                continue
            place = QRectF(LEFT + column * wide - 10.0, 0.0, wide + 20.0, TOP - 2.0)
            if not self.across:
                place.adjust(11.0, 0.0, -11.0, 0.0)
            text = str(column + 1) if self.across else labels[column]
            ink_ = theme.accent if chosen else theme.muted
            draw_text(painter, place, CENTRE, text, font(CAPTION, bold=chosen), ink_)

    def event(self, event: QEvent) -> bool:
        """Show the change under the pointer."""
        if isinstance(event, QHelpEvent):
            self.setToolTip(self._tip(QPointF(event.pos()) / self.unit))
        return super().event(event)

    def _tip(self, point: QPointF) -> str:
        run, changes = self.state.run(A), self.changes()
        rows, columns = self._sizes
        wide = min((self.room().width() - LEFT - 4.0) / columns, 60.0)
        row, column = int((point.y() - TOP) // ROW), int((point.x() - LEFT) // wide)
        if run is None or not (0 <= row < rows and 0 <= column < columns):
            return ""
        layer, token = (column, row) if self.across else (row, column)
        if layer >= len(changes):
            return ""
        return tr(
            "Layer {layer}, {token}: {part} %",
            layer=layer + 1,
            token=visible_token(run.sentence.labels[token]),
            part=_percent(float(changes[layer][token])),
        )


def _percent(part: float) -> str:
    value = part * 100
    return show(value, 0 if value >= 9.95 or value == 0.0 else 1)


class ChangesPanel(QFrame):
    """The edits as chips, and what they changed."""

    def __init__(self, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._session = session
        self.title, self.scale = QLabel(self), QLabel(self)
        self.view = ChangesView(self)
        set_font(self.title, BODY, bold=True)
        set_font(self.scale, CAPTION)
        self.chips: dict[Edit, KeyButton] = {}
        head = QWidget(self)
        self._flow = FlowLayout(6, head)
        self._flow.addWidget(self.title)
        self._flow.addWidget(self.scale)
        scroll = QScrollArea(self)
        scroll_vertically(scroll, self.view)
        fill(QVBoxLayout(self), head, (scroll, 1), spacing=4, margins=(10, 6, 10, 6))

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show edits and changes; the panel is absent without edits."""
        self.setVisible(bool(new.setting.edits))
        self.view.show_state(old, new)
        theme = colours(new.shade)
        self.title.setText(tr("What the edits changed"))
        self.scale.setText(tr("change ÷ length of the token’s vector, √ scale"))
        self.scale.setStyleSheet(f"color: {theme.muted};")
        for gone in [edit for edit in self.chips if edit not in new.setting.edits]:
            chip = self.chips.pop(gone)
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for edit in new.setting.edits:
            if edit not in self.chips:
                self._add(edit)
            name = edit_name(edit, new)
            name_button(
                self.chips[edit], f"{name}  ✕", spoken=tr("Remove the edit: {name}", name=name)
            )
            self.chips[edit].setStyleSheet(
                f"KeyButton {{ color: {theme.accent}; background: {theme.accent_soft};"
                f" border: 1px solid {theme.accent}; border-radius: 9px; padding: 2px 9px; }}"
                f"KeyButton:focus {{ border: 2px solid {theme.accent}; padding: 1px 8px; }}"
            )

    def _add(self, edit: Edit) -> None:
        chip = KeyButton(self)
        set_font(chip, BODY)
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.clicked.connect(partial(self._session.remove_edit, edit))
        self.chips[edit] = chip
        self._flow.addWidget(chip)
        chip.show()
