"""Colours by meaning, the type scale, and their application to Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from weakref import WeakSet

from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from core.base.files import resource
from gui.painting.fonts import MONO, family, make_font
from gui.texts.names import ROLES as ROLES
from gui.texts.names import role_of


@dataclass(frozen=True, slots=True)
class Colours:
    """Colours of one theme. Roles have the same colour everywhere.

    `low`, `zero` and `high` span the scale of values. `ghost` is for lines of future cells,
    `disabled` for disabled text, which remains readable.
    """

    window: str
    surface: str
    sunken: str
    text: str
    muted: str
    line: str
    ghost: str
    disabled: str
    accent: str
    accent_soft: str
    on_accent: str
    query: str
    key: str
    value: str
    weights: str
    warning: str
    error: str
    flash: str
    low: str
    zero: str
    high: str


LIGHT = Colours(
    window="#F3F5F9",
    surface="#FFFFFF",
    sunken="#F1F4F9",
    text="#17202E",
    muted="#566273",
    line="#D9DFE8",
    ghost="#B4BECB",
    disabled="#5D7087",
    accent="#0B5FD0",
    accent_soft="#E8F1FD",
    on_accent="#FFFFFF",
    query="#0072B2",
    key="#B84B00",
    value="#007C5B",
    weights="#7A45AB",
    warning="#8A5A00",
    error="#B3261E",
    flash="#FFD24D",
    low="#9A5B13",
    zero="#F0F3F9",
    high="#2B4796",
)

DARK = Colours(
    window="#12161D",
    surface="#1A2029",
    sunken="#222A35",
    text="#EAEFF6",
    muted="#A3AFBF",
    line="#323C4A",
    ghost="#5A6778",
    disabled="#8693A4",
    accent="#6CB1FF",
    accent_soft="#1F3654",
    on_accent="#0B1420",
    query="#5CB8EF",
    key="#FF9B52",
    value="#35CFA2",
    weights="#C9A2F5",
    warning="#F2C14E",
    error="#FF8A80",
    flash="#A87D00",
    low="#F0B165",
    zero="#27303D",
    high="#A9C4FF",
)

# High contrast: black on white with strong lines, also for weak projectors.
CONTRAST = Colours(
    window="#FFFFFF",
    surface="#FFFFFF",
    sunken="#F2F2F2",
    text="#000000",
    muted="#2B2B2B",
    line="#4A4A4A",
    ghost="#5C5C5C",
    disabled="#6D6D6D",
    accent="#0033B3",
    accent_soft="#D6E4FF",
    on_accent="#FFFFFF",
    query="#00468F",
    key="#8A3300",
    value="#00583F",
    weights="#5B1F96",
    warning="#6B4400",
    error="#9B0000",
    flash="#FFB000",
    low="#7A3E00",
    zero="#FFFFFF",
    high="#001E6E",
)

# Chalkboard for dark rooms: light on green, without glare.
CHALKBOARD = Colours(
    window="#16261F",
    surface="#1D3128",
    sunken="#263D33",
    text="#F4F1E4",
    muted="#C3CDBE",
    line="#47604F",
    ghost="#7E9486",
    disabled="#95A79B",
    accent="#F6D96B",
    accent_soft="#3B4A2E",
    on_accent="#1B2A20",
    query="#8CCBF2",
    key="#FFB07A",
    value="#8FE3B4",
    weights="#DDBDF7",
    warning="#F6D96B",
    error="#FF9E94",
    flash="#9B7D1E",
    low="#E8A45C",
    zero="#2B4439",
    high="#DCE9FF",
)

THEMES = {"light": LIGHT, "dark": DARK, "contrast": CONTRAST, "chalkboard": CHALKBOARD}

# The type scale, in pixels at 100 %.
CAPTION, BODY, TITLE, DISPLAY = 12, 13, 17, 22
# Superscripts and subscripts: size and shifts as fractions of the font size, minimum size.
SCRIPT, RAISED, LOWERED = 0.7, 0.4, 0.17
SMALLEST_SCRIPT = CAPTION


def colours(shade: str) -> Colours:
    """Return the theme of a name, the light one for an unknown name."""
    return THEMES.get(shade, LIGHT)


def role_colour(theme: Colours, tensor: str) -> QColor:
    """Return the colour of a stage's or tensor's role, the text colour without a role."""
    return QColor(getattr(theme, role_of(tensor, "text")))


def script_size(size: float) -> float:
    """Return the size of superscripts and subscripts for a font size."""
    return max(size * SCRIPT, min(size * 0.9, SMALLEST_SCRIPT))


def font(pixels: float, *, bold: bool = False) -> QFont:
    """Return the shared font in pixels, with tabular figures; copy it to change it."""
    return _font(family(), max(1, round(pixels)), bold)


@cache
def _font(family: str, pixels: int, bold: bool) -> QFont:
    result = make_font(family, pixels, bold=bold)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


@cache
def mono(pixels: int) -> QFont:
    """Return the font of code in pixels. It is shared: copy to change it."""
    return make_font(MONO, pixels)


# Input fields need a visible outline, unlike the frame of their window.
FIELDS = ("QLineEdit", "QComboBox", "QAbstractSpinBox", "QSlider")
EDGE, DARKER = (
    0.75,
    140,
)  # share of `muted` in an outline; factor by which Fusion darkens the window colour

STYLED = "styled"  # property of an application whose style is set
_windows: WeakSet[QWidget] = WeakSet()
_sheet = ""


def apply(app: QApplication, shade: str, text: float = 1.0) -> None:
    """Set palette, font and style sheet of the application at the text size factor `text`.

    Visible windows get the style sheet themselves: QApplication.setStyleSheet polishes a widget
    once for each widget around it (Qt 6.11: 423 widgets 3,663 times, 125 instead of 30 ms).
    """
    global _sheet
    if not app.property(
        STYLED
    ):  # setting the style again would polish every widget twice and double the time
        app.setStyle("Fusion")
        app.setProperty(STYLED, True)
    app.setFont(font(BODY * text))
    app.setPalette(_palette(colours(shade)))
    for kind in FIELDS:
        # The stub lacks class names as text.
        app.setPalette(_field_palette(colours(shade)), kind)  # type: ignore[arg-type]
    _sheet = _style(colours(shade), text)
    windows = [window for window in _windows if isValid(window)]
    for window in windows:
        window.setStyleSheet(_sheet)
    if not any(window.isVisible() for window in windows):
        app.setStyleSheet(_sheet)


def style_window(window: QWidget) -> None:
    """Let a window without a parent follow the theme, and all that has it as its window."""
    _windows.add(window)
    window.setStyleSheet(_sheet)


def _palette(theme: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.sunken,
        role.Text: theme.text,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.muted,
        role.Link: theme.accent,
        role.Mid: theme.line,
        role.Midlight: theme.line,
    }
    for name, colour in pairs.items():
        palette.setColor(name, QColor(colour))
    for name in (role.Text, role.ButtonText, role.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.disabled))
    return palette


def edge(theme: Colours) -> str:
    """Return the outline colour of a field: contrast 3 to its surroundings (WCAG 1.4.11)."""
    ink, background = QColor(theme.muted), QColor(theme.surface)
    pairs = (
        (ink.red(), background.red()),
        (ink.green(), background.green()),
        (ink.blue(), background.blue()),
    )
    return QColor(*(round(EDGE * a + (1 - EDGE) * b) for a, b in pairs)).name()


def _field_palette(theme: Colours) -> QPalette:
    """Return a palette for Fusion, which derives a field's outline from the window colour."""
    palette = _palette(theme)
    lit = QColor(edge(theme)).lighter(DARKER)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        palette.setColor(group, QPalette.ColorRole.Window, lit)
    return palette


def _style(theme: Colours, text: float) -> str:
    return f"""
        QToolTip {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {theme.line}; padding: 4px; }}
        QMainWindow > QTabBar::tab {{ background: transparent; color: {theme.muted}; padding: 4px 12px; border: none; }}
        QMainWindow > QTabBar::tab:selected {{ color: {theme.text}; border-bottom: 2px solid {theme.accent}; }}
        QMainWindow > QTabBar::tab:hover {{ color: {theme.accent}; }}
        #card {{ background: {theme.surface}; border: 1px solid {theme.line}; border-radius: 10px; }}
        QMainWindow::separator {{ background: transparent; width: 8px; height: 8px; }}
        QMenuBar, QMenu, QToolBar {{ background: {theme.surface}; color: {theme.text}; }}
        QMenu {{ border: 1px solid {theme.line}; padding: 4px; }}
        QMenu::item {{ padding: 5px 28px 5px 24px; border-radius: 4px; }}
        QMenu::item:selected, QMenuBar::item:selected {{ background: {theme.accent_soft}; color: {theme.text}; }}
        QMenu::item:disabled {{ color: {theme.disabled}; }}
        QMenu::separator {{ height: 1px; background: {theme.line}; margin: 4px 8px; }}
        QToolBar {{ border: none; border-bottom: 1px solid {theme.line}; spacing: 4px; padding: 4px 8px; }}
        {_buttons(theme, text)}
        {_indicators(theme, round(14 * text))}
    """


def _buttons(theme: Colours, text: float) -> str:
    """Return the style sheet of buttons with text; panels may override their main button."""
    high, wide = round(4 * text), round(12 * text)
    return f"""
        QPushButton {{
            color: {theme.text}; background: {theme.surface}; border: 1px solid {edge(theme)}; border-radius: 7px;
            padding: {high}px {wide}px;
        }}
        QPushButton:hover, QPushButton:default {{ border-color: {theme.accent}; }}
        QPushButton:default {{ color: {theme.accent}; background: {theme.accent_soft}; }}
        QPushButton:pressed {{ background: {theme.accent_soft}; }}
        QPushButton:focus {{ border: 2px solid {theme.accent}; padding: {high - 1}px {wide - 1}px; }}
        QPushButton:disabled {{ color: {theme.disabled}; border-color: {theme.line}; }}
        QDialogButtonBox QPushButton {{ min-width: {round(56 * text)}px; }}
    """


def _indicators(theme: Colours, side: int) -> str:
    """Return the style sheet of radio buttons and check boxes: Fusion's are too faint when dark."""
    check = resource("icons", "check_dark.svg" if theme is DARK else "check_light.svg").as_posix()
    dot = (
        "qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5, "
        f"stop: 0 {theme.accent}, stop: 0.54 {theme.accent}, stop: 0.64 {theme.surface}, stop: 1 {theme.surface})"
    )
    return f"""
        QRadioButton, QCheckBox {{ spacing: 7px; }}
        QRadioButton::indicator, QCheckBox::indicator {{
            width: {side}px; height: {side}px; border: 1px solid {theme.muted}; background: {theme.surface};
        }}
        QRadioButton::indicator {{ border-radius: {side // 2 + 1}px; }}
        QCheckBox::indicator {{ border-radius: 4px; }}
        QRadioButton::indicator:checked {{ border-color: {theme.accent}; background: {dot}; }}
        QCheckBox::indicator:checked {{
            border-color: {theme.accent}; background: {theme.accent}; image: url("{check}");
        }}
        QRadioButton:focus, QCheckBox:focus {{ color: {theme.accent}; }}
        QRadioButton::indicator:focus, QCheckBox::indicator:focus {{ border-color: {theme.accent}; }}
        QRadioButton::indicator:disabled, QCheckBox::indicator:disabled {{ border-color: {theme.line}; }}
    """
