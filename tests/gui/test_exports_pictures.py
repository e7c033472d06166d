"""PNG, SVG and PDF of the current step, read by others; the picture on the clipboard."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.explain.timeline import Cursor, Reach
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from tests.gui.window_kit import bring_forward

ROOT = Path(__file__).parents[2]
AT_SCORES = ExportOptions(
    cursor=Cursor("scores", row=2, column=1), focus=Cell("scores", 2, 1), size=(1280, 720)
)


@pytest.mark.parametrize("scale", [1, 2, 3, 4])
def test_png_is_as_large_as_asked_for(tmp_path: Path, qapp: object, scale: int) -> None:
    out = tmp_path / "a.png"
    export_shown(load_example("cat-eats-fish"), "png", out, replace(AT_SCORES, scale=float(scale)))
    with Image.open(out) as image:
        assert image.size == (1280 * scale, 720 * scale)


def test_a_larger_png_is_sharper_not_stretched(tmp_path: Path, qapp: object) -> None:
    document = load_example("cat-eats-fish")
    for scale in (1, 4):
        export_shown(
            document, "png", tmp_path / f"{scale}.png", replace(AT_SCORES, scale=float(scale))
        )
    with Image.open(tmp_path / "1.png") as small, Image.open(tmp_path / "4.png") as large:
        stretched = small.resize(large.size, Image.Resampling.BICUBIC).tobytes()
        again = large.resize(small.size, Image.Resampling.BOX).tobytes()
        plain, own = small.tobytes(), large.tobytes()
    assert stretched != own
    assert _edges(own) > 1.5 * _edges(stretched)
    near = sum(abs(a - b) < 48 for a, b in zip(again, plain, strict=True)) / len(plain)
    assert near > 0.97, "both show the same picture"


def _edges(pixels: bytes) -> int:
    """How many neighbouring pixels are very different."""
    return sum(abs(a - b) > 96 for a, b in zip(pixels[:-3:7], pixels[3::7], strict=False))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_digits_and_chinese_stay_text_in_svg(tmp_path: Path, qapp: object, language: str) -> None:
    document, out = load_example("cat-eats-fish"), tmp_path / "a.svg"
    export_shown(document, "svg", out, replace(AT_SCORES, language=language))
    texts = [
        element.text or ""
        for element in ElementTree.parse(out).iter()
        if element.tag.endswith("}text")
    ]
    shown = [show(float(value), 2) for value in run(document)["scores"].flat]
    for number in shown:
        assert texts.count(number) >= 2, "in the diagram and in the stage"
    assert "小猫" in " ".join(texts)
    assert any(("得分" if language == "zh_CN" else "Scores") in text for text in texts)
    assert b"<image" not in out.read_bytes(), "cells stay sharp"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_digits_and_chinese_stay_text_in_pdf(tmp_path: Path, qapp: object, language: str) -> None:
    document, out = load_example("cat-eats-fish"), tmp_path / "a.pdf"
    export_shown(document, "pdf", out, replace(AT_SCORES, language=language))
    (page,) = PdfReader(out).pages
    text = page.extract_text()
    for value in run(document)["scores"].flat:
        assert show(float(value), 2) in text
    assert "小猫" in text
    assert ("得分" if language == "zh_CN" else "Scores") in text
    assert (float(page.mediabox.width), float(page.mediabox.height)) == (960.0, 540.0)


def test_what_is_not_reached_is_not_shown(tmp_path: Path, qapp: object) -> None:
    out = tmp_path / "a.svg"
    part = replace(
        AT_SCORES,
        cursor=Cursor("scores", row=1, column=0, reach=Reach.CELL),
        focus=Cell("scores", 1, 0),
    )
    export_shown(load_example("cat-eats-fish"), "svg", out, part)
    texts = re.findall(r">([^<]+)</text>", out.read_text(encoding="utf-8"))
    assert "0.44" in texts
    assert "0.58" not in texts


@pytest.mark.parametrize(
    ("parts", "diagram", "stage"), [(("diagram",), True, False), (("stage",), False, True)]
)
def test_one_part_alone(
    tmp_path: Path, qapp: object, parts: tuple[str, ...], diagram: bool, stage: bool
) -> None:
    out = tmp_path / "a.svg"
    export_shown(load_example("cat-eats-fish"), "svg", out, replace(AT_SCORES, parts=parts))
    text = out.read_text(encoding="utf-8")
    assert ("Tokens" in text) is diagram
    assert ("Worked sum" in text) is stage


def test_cells_in_svg_are_sharp(tmp_path: Path, qapp: object) -> None:
    out = tmp_path / "a.svg"
    export_shown(load_example("eight-heads"), "svg", out, AT_SCORES)
    images = re.findall("<image [^>]*>", out.read_text(encoding="utf-8"))
    assert images
    assert all('image-rendering="pixelated"' in image for image in images)


def test_copy_picture(qtbot: QtBot) -> None:
    window = build_window(example="cat-eats-fish")
    bring_forward(qtbot, window)
    QGuiApplication.clipboard().clear()
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_C, modifiers)
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (3200, 1800)
    assert len({image.pixel(x, y) for x in range(0, 3200, 7) for y in range(0, 1800, 31)}) > 20


def test_another_process_writes_the_same_pdf(tmp_path: Path) -> None:
    """Hashes have another seed in each process: eight fonts, Chinese and formulas, fall in one order all the same."""
    written = set()
    for seed in (1, 2):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "QT_QPA_PLATFORM": "offscreen"}
        environment.pop("QT_HASH_SEED", None)
        out = tmp_path / f"{seed}.pdf"
        asked = ["--lesson=first-steps", "--steps=2-5", "--language=zh_CN", "--format=pdf"]
        command = [sys.executable, "main.py", "export", *asked, "-o", str(out)]
        subprocess.run(command, check=True, env=environment, cwd=ROOT, capture_output=True)
        written.add(out.read_bytes())
    assert len(written) == 1
