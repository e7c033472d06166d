"""The preferences dialog: each choice acts at once."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QWidget,
)

from core.base.number_format import MAX_DECIMALS, show
from gui.painting.fonts import installed_families
from gui.painting.text_size import PERCENTS, set_least
from gui.painting.theme import DISPLAY
from gui.session.preferences import FASTEST, SLOWEST
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import THEME_NAMES
from gui.texts.translation import both_names, language_name, languages, tr, tr_marked
from gui.widgets.forms import Dialog, caption, close_box, heading, label_field, name_close
from gui.widgets.layouts import Gap

SPEEDS = (SLOWEST, 1.0, 1.5, 2.0, 3.0, FASTEST)
_SPEED_TEXTS = {0.5: "½×", 1.5: "1½×"}
_SAMPLE = 2 / 3


class PreferencesDialog(Dialog):
    """Show the preferences and pass each change to the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._heading = heading(size=DISPLAY)
        self.add(self._heading, Gap(8))
        names = ("language", "theme", "text_size", "font_family", "decimals", "speed", "at_start")
        (
            self.language,
            self.theme,
            self.text_size,
            self.font_family,
            self.decimals,
            self.speed,
            self.at_start,
        ) = map(self._combo, names)
        self.columns, self.show_ahead, self.motion, self.fractions = map(
            self._check_box, ("columns", "show_ahead", "motion", "fractions")
        )
        self.labels = QCheckBox()
        self.labels.clicked.connect(self._on_labels)
        self._rows: list[tuple[QLabel, QWidget, QLabel]] = []
        self.add(self._grid(), Gap(10), 1)
        self._close_box = close_box(self)
        self.column.addWidget(self._close_box)
        set_least(self.inside, 640)
        session.changed.connect(self.show_state)
        self.show_state(None, session.state)

    def show_state(self, old: State | None, new: State) -> None:
        """Show the current preferences in the current language."""
        if old is None or old.language != new.language:
            self._label()
        if old is None or old.language != new.language or old.preferences != new.preferences:
            preferences = new.preferences
            for combo in (self.language, self.theme, self.text_size, self.decimals, self.at_start):
                _select(combo, getattr(preferences, combo.objectName()))
            self._list_families(preferences.font_family)
            self._list_speeds(preferences.speed)
            self.labels.setChecked(preferences.labels == "both")
            for box in (self.columns, self.show_ahead, self.motion, self.fractions):
                box.setChecked(getattr(preferences, box.objectName()))

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox()
        combo.setObjectName(name)
        set_least(combo, 220)
        combo.activated.connect(partial(self._on_chosen, name))
        return combo

    def _check_box(self, name: str) -> QCheckBox:
        box = QCheckBox()
        box.setObjectName(name)
        box.clicked.connect(lambda on: self._session.set_preferences(**{name: on}))
        return box

    @property
    def _fields(self) -> tuple[QWidget, ...]:
        """The fields from top to bottom."""
        seen = (
            self.language,
            self.labels,
            self.theme,
            self.text_size,
            self.font_family,
            self.columns,
            self.show_ahead,
        )
        return *seen, self.decimals, self.fractions, self.speed, self.motion, self.at_start

    def _grid(self) -> QGridLayout:
        """A row for each field with label and help text."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for widget in self._fields:
            label, help_text = QLabel(), caption()
            label.setBuddy(widget)
            row = grid.rowCount()
            grid.addWidget(
                label, row, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
            grid.addWidget(widget, row, 1)
            grid.addWidget(help_text, row + 1, 1)
            grid.setRowMinimumHeight(row + 2, 2)
            self._rows.append((label, widget, help_text))
        return grid

    def _label(self) -> None:
        """Translate every text."""
        self.setWindowTitle(tr("Preferences"))
        self._heading.setText(tr("Preferences"))
        name_close(self._close_box)
        texts = (
            (tr("&Language"), ""),
            (
                tr("La&bels"),
                tr("Short names such as “Query 查询”. Sentences stay in one language."),
            ),
            (tr("&Theme"), ""),
            (tr("Te&xt size"), tr("For the whole window. Presentations have their own size.")),
            (tr("F&ont"), tr("For the window and its exports. Formulas keep their own font.")),
            (
                tr("Mat&rices"),
                tr(
                    "Products as W·X and KᵀQ, with the softmax down the columns. Only the "
                    "display changes."
                ),
            ),
            (
                tr("Numbers a&head"),
                tr(
                    "Off: when stepping by row or cell, the heatmap and the tables show only "
                    "what has been reached."
                ),
            ),
            (
                tr("&Decimals"),
                tr("For the diagram, tables and sums. The numbers themselves stay exact."),
            ),
            (tr("&Fractions"), tr("As 4/7 ≈ 0.57 in worked sums: try base 2 and whole scores.")),
            (tr("Playback &speed"), tr("How fast steps follow one another.")),
            (tr("&Motion"), tr("Off: every step appears at once.")),
            (tr("&At start"), tr("A file or an example that you open directly takes precedence.")),
        )
        for (label, widget, help_text), (text, description) in zip(self._rows, texts, strict=True):
            label_field(label, widget, text, description)
            help_text.setText(description)
            help_text.setVisible(bool(description))
        first, second = both_names()
        self.labels.setText(tr("In both {first} and {second}", first=first, second=second))
        self.columns.setText(tr("Tokens as columns"))
        self.show_ahead.setText(tr("Show numbers not reached yet"))
        self.motion.setText(tr("Numbers move into their results"))
        self.fractions.setText(tr("Exact fractions where possible"))
        _fill(
            self.language,
            (("system", tr("System default")), *((one, language_name(one)) for one in languages())),
        )
        themes = ((name, tr_marked(text)) for name, text in THEME_NAMES.items())
        _fill(self.theme, (("system", tr("System default")), *themes))
        starts = (tr("Show the start page"), tr("Open the last experiment"), tr("Open an example"))
        _fill(self.at_start, tuple(zip(("page", "last", "example"), starts, strict=True)))
        _fill(self.text_size, tuple((percent, f"{percent}%") for percent in PERCENTS))
        _fill(
            self.decimals,
            tuple((n, f"{n}   ({show(_SAMPLE, n)})") for n in range(MAX_DECIMALS + 1)),
        )

    def _list_families(self, chosen: str) -> None:
        """List the program's own font and the installed ones."""
        families = installed_families()
        _fill(self.font_family, (("", tr("Built-in font")), *((one, one) for one in families)))
        _select(self.font_family, chosen if chosen in families else "")

    def _list_speeds(self, chosen: float) -> None:
        """List the usual speeds and the chosen one."""
        speeds = sorted({*SPEEDS, chosen})
        _fill(
            self.speed, tuple((speed, _SPEED_TEXTS.get(speed, f"{speed:g}×")) for speed in speeds)
        )
        _select(self.speed, chosen)

    def _on_chosen(self, name: str, index: int) -> None:
        combo: QComboBox = getattr(self, name)
        self._session.set_preferences(**{name: combo.itemData(index)})

    def _on_labels(self, checked: bool) -> None:
        self._session.set_preferences(labels="both" if checked else "one")


def _fill(combo: QComboBox, items: tuple[tuple[object, str], ...]) -> None:
    combo.clear()
    for value, text in items:
        combo.addItem(text, value)


def _select(combo: QComboBox, value: object) -> None:
    combo.setCurrentIndex(combo.findData(value))
