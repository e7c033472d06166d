"""Files and folders that are dragged into a window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDropEvent


def local_paths(urls: Iterable[QUrl]) -> list[Path]:
    """The paths of the URLs that are files or folders of this machine."""
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]


def accepted_paths(event: QDropEvent) -> list[Path]:
    """The paths of a drag or drop, which is accepted if it has any."""
    paths = local_paths(event.mimeData().urls())
    if paths:
        event.acceptProposedAction()
    return paths
