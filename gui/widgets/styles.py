"""Style sheets by theme."""

from __future__ import annotations

from gui.painting.theme import Colours


def table_style(theme: Colours, right: int = 20, left: int = 4) -> str:
    """A table with muted headers and an outline while it has the focus.

    `right` and `left` are the distances of headers from the edges of a column.
    """
    return f"""
        QTableView {{ background: {theme.surface}; color: {theme.text}; border: 1px solid {theme.line};
            border-radius: 6px; outline: none; selection-background-color: {theme.accent_soft};
            selection-color: {theme.text}; }}
        QTableView:focus {{ border: 1px solid {theme.accent}; }}
        QTableView::item {{ padding: 0 8px; }}
        QHeaderView {{ background: {theme.sunken}; border: none; }}
        QHeaderView::section {{ background: {theme.sunken}; color: {theme.muted}; border: none; padding: 0 10px; }}
        QHeaderView::section:horizontal {{ padding: 0 {right}px 0 {left}px; }}
        QHeaderView::section:checked {{ color: {theme.text}; font-weight: 600; }}
        QTableCornerButton::section {{ background: {theme.sunken}; border: none; }}
    """


def wrong_style(theme: Colours) -> str:
    """A line edit with an error."""
    return f"""
        QLineEdit {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {theme.error};
            border-radius: 3px; padding: 2px 4px; selection-background-color: {theme.accent};
            selection-color: {theme.on_accent}; }}
    """


def link_style(theme: Colours) -> str:
    """A button that looks like a link."""
    return f"""
        QToolButton {{ color: {theme.accent}; border: 1px solid transparent; border-radius: 4px; padding: 1px 6px; }}
        QToolButton:hover {{ background: {theme.accent_soft}; }}
        QToolButton:focus {{ border-color: {theme.accent}; }}
        QToolButton:disabled {{ color: {theme.disabled}; }}
    """


def primary_style(theme: Colours) -> str:
    """The main button of a panel."""
    return f"""
        QPushButton {{ color: {theme.on_accent}; background: {theme.accent}; border: 2px solid {theme.accent};
            border-radius: 8px; padding: 4px 14px; }}
        QPushButton:focus {{ border-color: {theme.text}; }}
        QPushButton:disabled {{ color: {theme.disabled}; background: {theme.sunken}; border-color: {theme.line}; }}
    """
