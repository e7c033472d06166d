"""Style sheets of the tables' widgets, from the theme's colours."""

from __future__ import annotations

from gui.theme import Colours


def table_style(theme: Colours) -> str:
    """A quiet table: lines between rows, muted headers, an outline while it has the keyboard focus."""
    return f"""
        QTableView {{ background: {theme.surface}; color: {theme.text}; border: 1px solid {theme.line};
            border-radius: 6px; outline: none; selection-background-color: {theme.accent_soft};
            selection-color: {theme.text}; }}
        QTableView:focus {{ border: 1px solid {theme.accent}; }}
        QHeaderView {{ background: {theme.sunken}; border: none; }}
        QHeaderView::section {{ background: {theme.sunken}; color: {theme.muted}; border: none; padding: 0 10px; }}
        QHeaderView::section:checked {{ color: {theme.text}; font-weight: 600; }}
        QTableCornerButton::section {{ background: {theme.sunken}; border: none; }}
    """
