"""Ask for the folder with answers and for the file of a report."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from gui.texts.translation import tr

CSV, HTML, PDF = ".csv", ".html", ".pdf"


def ask_folder(parent: QWidget) -> Path | None:
    """Ask for the folder with the answers."""
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder with answers"))
    return Path(chosen) if chosen else None


def ask_report(parent: QWidget, name: str) -> Path | None:
    """Ask for the file of a report; its ending decides the format."""
    kinds = (
        tr("Web page") + f" (*{HTML})",
        tr("PDF document") + f" (*{PDF})",
        tr("Table") + f" (*{CSV})",
    )
    chosen, kind = QFileDialog.getSaveFileName(
        parent, tr("Save report"), f"{name}{HTML}", ";;".join(kinds)
    )
    if not chosen:
        return None
    path = Path(chosen)
    if path.suffix.lower() in (CSV, HTML, PDF):
        return path
    return path.with_name(path.name + kind.rpartition("*")[2].rstrip(")"))
