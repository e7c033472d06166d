"""Build the self-contained program into dist/: a folder, and the same in one file. For the system that it runs on.

Needs PyInstaller (requirements-dev.txt). The recipe is packaging/attention_stepper.spec.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgRenderer

ROOT = Path(__file__).resolve().parent.parent
DIST, BUILD = ROOT / "dist", ROOT / "build"
SOURCE_ICON = ROOT / "resources" / "icons" / "app.svg"
LINUX = ROOT / "packaging" / "linux"
SIDES = (16, 24, 32, 48, 64, 128, 256)  # pixels: the sizes in which Windows and macOS show icons


def draw_icons(folder: Path) -> None:
    """Draw the program's icon as app.ico and app.icns, which Windows and macOS want."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PIL import Image
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtSvg import QSvgRenderer

    _app = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    folder.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(str(SOURCE_ICON))
    images = {
        side: Image.open(_draw(renderer, side, folder / f"app-{side}.png"))
        for side in (*SIDES, 512, 1024)
    }
    images[256].save(
        folder / "app.ico",
        sizes=[(side, side) for side in SIDES],
        append_images=[images[side] for side in SIDES[:-1]],
    )
    images[1024].save(folder / "app.icns", append_images=[images[side] for side in (*SIDES, 512)])


def _draw(renderer: QSvgRenderer, side: int, path: Path) -> Path:
    """The icon as a picture of *side* × *side* pixels."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage, QPainter

    picture = QImage(side, side, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        renderer.render(painter)
    picture.save(str(path))
    return path


def add_linux_files(folder: Path) -> None:
    """Put beside the program what makes it known to the desktop, and the script that does so."""
    for path in sorted(LINUX.iterdir()):
        shutil.copy(path, folder / path.name)
    shutil.copy(SOURCE_ICON, folder / "attention-stepper.svg")


def main() -> int:
    draw_icons(BUILD / "icons")
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    places = ["--distpath", str(DIST), "--workpath", str(BUILD / "pyinstaller")]
    status = subprocess.run(
        [*command, *places, str(ROOT / "packaging" / "attention_stepper.spec")],
        cwd=ROOT,
        check=False,
    ).returncode
    if status == 0 and sys.platform.startswith("linux"):
        add_linux_files(DIST / "attention-stepper")
    return status


if __name__ == "__main__":
    sys.exit(main())
