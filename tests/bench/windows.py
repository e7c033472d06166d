"""The program's window and a bare pyqtgraph window of the same size, side by side in one process, without a screen."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.arrays import Array

if TYPE_CHECKING:
    from gui.app.main_window import MainWindow

SIZE = (1280, 800)


def offscreen(folder: Path) -> dict[str, str]:
    """The environment of a process that draws on a screen in memory, large enough, with preferences of its own."""
    screen = folder / "screen.json"
    geometry = {"x": 0, "y": 0, "width": 1440, "height": 900}
    screen.write_text(json.dumps({"screens": [{"name": "bench", **geometry}]}), encoding="utf-8")
    return {
        "QT_QPA_PLATFORM": f"offscreen:configfile={screen}",
        "QT_LOGGING_RULES": "*.debug=false",
        "ATTENTION_STEPPER_HOME": str(folder / "home"),
        "ATTENTION_STEPPER_MOTION": "off",  # a step is complete before anything moves; motion is a picture over it
    }


def begin(folder: Path) -> Any:
    """The application of this process, on such a screen."""
    os.environ.update(offscreen(folder))
    from PySide6.QtCore import qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    qInstallMessageHandler(lambda *_: None)  # the plugin says at each window what it cannot do
    return QApplication.instance() or QApplication([])


def settle(app: Any) -> None:
    """Until everything that is due has been done and painted, and what is no longer used is deleted.

    `processEvents` alone leaves out deferred deletions, which a running event loop carries out.
    """
    from PySide6.QtCore import QEvent

    for _ in range(3):
        app.sendPostedEvents()
        app.processEvents()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def program_window(app: Any) -> MainWindow:
    """The window with its default arrangement, all heads in the heatmap."""
    from gui.app.application import build_window

    window = build_window(language="en", theme_name="light")
    window.resize(*SIZE)
    window.show()
    settle(app)
    return window


class BareWindow:
    """pyqtgraph alone: one image in a view of its own for each head."""

    def __init__(self, app: Any, count: int) -> None:
        import pyqtgraph as pg

        self._app = app
        self.widget = pg.GraphicsLayoutWidget()
        self.images = []
        for index in range(count):
            if index and index % 4 == 0:
                self.widget.nextRow()
            box = self.widget.addViewBox(lockAspect=True, invertY=True)
            image = pg.ImageItem(axisOrder="row-major")
            box.addItem(image)
            self.images.append(image)
        self._lut = pg.colormap.get("viridis").getLookupTable()
        self.widget.resize(*SIZE)
        self.widget.show()
        settle(app)

    def show(self, matrices: Sequence[Array]) -> None:
        """Set the images and wait until they are painted."""
        high = float(max(abs(matrices[0]).max(), 1e-9))
        for image, matrix in zip(self.images, matrices, strict=False):
            image.setImage(matrix, autoLevels=False, levels=(0.0, high), lut=self._lut)
        settle(self._app)


class BareImageView:
    """pyqtgraph's ImageView alone, with its histogram."""

    def __init__(self, app: Any) -> None:
        import pyqtgraph as pg

        self._app = app
        self.widget = pg.ImageView()
        self.widget.resize(*SIZE)
        self.widget.show()
        settle(app)

    def show(self, matrix: Array) -> None:
        """Set the image and wait until it is painted."""
        self.widget.setImage(matrix)
        settle(self._app)
