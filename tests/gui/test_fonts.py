"""The program's own fonts: they have every character that it writes, and pictures do not depend on installed ones."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import ziafont
from PySide6.QtGui import (
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QImage,
    QPainter,
    QRawFont,
    QTextLayout,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import build_window
from gui.app.main_window import MainWindow
from gui.dialogs.preferences import PreferencesDialog
from gui.painting.fonts import MONO, SANS, installed_families, use_family
from gui.painting.theme import BODY, font, mono
from gui.session.preferences import load_preferences, save_preferences
from gui.session.state import Preferences
from tests.gui.fits_kit import misfits

ROOT = Path(__file__).resolve().parents[2]
FONTS = ROOT / "resources" / "fonts"
OTHER_FONTS = Path(ziafont.__file__).parent / "fonts"  # DejaVu Sans, wherever the tests run
PICTURES = {  # options of `main.py render`
    "chinese": ("--example", "cat-eats-fish", "--stage", "scores", "--language", "zh_CN"),
    "english": ("--example", "four-words-causal", "--stage", "masked", "--theme", "dark"),
}
WRITTEN = ("resources", "docs/guide")
# Bounds of ranges, what is recognised in pasted text, and signs that tokenizers look for; no text of
# the program has them.
NEVER_DRAWN = set(
    "\u2581\u166d\u1734\U000111c9"
    "\u2e80\u3400\u9fff\uf900\ufe63\uff00\uffef│┃║┆╎─━═╌┌┐└┘├┤┬┴┼╞╡╪╭╮╯╰╤╧╟╢╫╔╗╚╝╠╣╦╩╬┏┓┗┛┡┩╇┳┻"
)


def shipped(pattern: str) -> list[QRawFont]:
    """The shipped fonts whose file names match, each read from its file."""
    return [QRawFont(str(path), BODY) for path in sorted(FONTS.glob(pattern))]


def texts() -> Iterator[tuple[str, str]]:
    """Every text that ships, and every string of the source, with the file that it is in."""
    for folder in WRITTEN:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".json", ".md", ".html", ".js"):
                yield str(path), path.read_text(encoding="utf-8")
    for package in ("core", "gui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield str(path), node.value


# Draws in the italic font once, then in enough sizes for Qt to drop fonts; prints the files that are open twice.
DRAW = """
from collections import Counter
from PySide6.QtGui import QFont, QGuiApplication, QImage, QPainter
from gui.painting.fonts import SANS, load_fonts
from gui.painting.theme import font
app = QGuiApplication([])
load_fonts()
image = QImage(900, 300, QImage.Format.Format_ARGB32)
def draw(face):
    with QPainter(image) as painter:
        painter.setFont(face)
        painter.drawText(10, 200, "".join(map(chr, range(33, 127))) + "注意力")
kept = [font(20), font(20, bold=True)]
italic = QFont(SANS, 30)
italic.setItalic(True)
for face in (*kept, italic):
    draw(face)
del italic, face
for pixels in range(40, 220):
    draw(QFont(SANS, pixels))
paths = [line.split()[-1] for line in open("/proc/self/maps") if line.strip().endswith(("tf", "ttc"))]
print([path for path, count in Counter(paths).items() if count > 1])
"""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="open files as Linux tells them")
def test_each_font_file_is_opened_once() -> None:
    """Else memory grows with every size of text, for as long as the program runs."""
    command = [sys.executable, "-c", DRAW]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[]"


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("style", ["Regular", "Bold"])
def test_every_character_that_is_written_has_a_shipped_glyph(style: str) -> None:
    fonts = [*shipped(f"Sans-{style}.*"), *shipped(f"Chinese-{style}.*")]
    assert len(fonts) == 2
    lacking: dict[str, str] = {}
    for place, text in texts():
        for character in set(text) - lacking.keys():
            found = any(one.supportsCharacter(ord(character)) for one in fonts)
            if not found and character.isprintable() and character not in NEVER_DRAWN:
                lacking[character] = place
    assert not lacking


@pytest.mark.usefixtures("qapp")
def test_all_of_gb_2312_is_there() -> None:
    codes = [bytes((row, cell)) for row in range(0xA1, 0xF8) for cell in range(0xA1, 0xFF)]
    characters = {text for code in codes if (text := code.decode("gb2312", "ignore"))}
    assert len(characters) == 7445
    for one in shipped("Chinese-*"):
        assert not [text for text in characters if not one.supportsCharacter(ord(text))]


@pytest.mark.usefixtures("qapp")
def test_lines_are_as_high_in_every_script() -> None:
    heights = {(one.ascent(), one.descent(), one.leading()) for one in shipped("*.[ot]tf")}
    assert len(heights) == 1


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    "text", ["Attention −0.35", "softmax √ₖ ∞ ≤ ∂ ✓ ␣ ▸", "注意力权重，查询：键"]
)
@pytest.mark.parametrize("bold", [False, True])
def test_texts_are_drawn_in_shipped_fonts(text: str, bold: bool) -> None:
    for face in (font(BODY, bold=bold), mono(BODY)):
        layout = QTextLayout(text, face)
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        families = {run.rawFont().familyName() for run in layout.glyphRuns()}
        assert all(family.startswith("Attention Stepper ") for family in families)
    assert QFontInfo(font(BODY, bold=bold)).family() == SANS
    assert QFontInfo(mono(BODY)).family() == MONO
    assert len({QFontMetricsF(mono(BODY)).horizontalAdvance(letter) for letter in "iW0−#"}) == 1


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("bold", [False, True])
def test_figures_and_signs_are_equally_wide(bold: bool) -> None:
    metrics = QFontMetricsF(font(100, bold=bold))
    assert len({metrics.horizontalAdvance(sign) for sign in "0123456789−+="}) == 1


def configured(folder: Path, name: str, fonts: Path | None) -> dict[str, str]:
    """The environment of a program that sees the fonts of one folder alone, or none."""
    config = folder / f"{name}.conf"
    where = f"<dir>{fonts}</dir>" if fonts else ""
    config.write_text(
        f'<?xml version="1.0"?><fontconfig>{where}<cachedir>{folder}/cache</cachedir></fontconfig>',
        encoding="utf-8",
    )
    return {**os.environ, "FONTCONFIG_FILE": str(config)}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fonts are found by fontconfig")
@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_the_same_whatever_is_installed(picture: str, tmp_path: Path) -> None:
    systems = {
        "as it is": dict(os.environ),
        "none": configured(tmp_path, "none", None),
        "another": configured(tmp_path, "another", OTHER_FONTS),
    }
    drawn: dict[str, bytes] = {}
    for name, environment in systems.items():
        for ending in ("png", "pdf"):
            path = tmp_path / f"{name}.{ending}"
            command = [sys.executable, "main.py", "render", *PICTURES[picture], "-o", str(path)]
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")
            drawn[f"{name} {ending}"] = path.read_bytes()
    assert len(set(drawn.values())) == 2  # one PNG, one PDF
    assert not QImage.fromData(drawn["none png"]).isNull()


def render(out: Path, *options: str) -> str:
    command = [sys.executable, "main.py", "render", *PICTURES["chinese"], *options, "-o", str(out)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return out.read_text(encoding="utf-8")


@pytest.mark.usefixtures("qapp")
def test_an_svg_names_fonts_that_readers_have(tmp_path: Path) -> None:
    svg = render(tmp_path / "a.svg")
    assert "Attention Stepper" not in svg
    assert 'font-family="Noto Sans,' in svg
    assert "查询" in svg


@pytest.mark.usefixtures("qapp")
def test_texts_of_an_svg_are_as_wide_in_every_font(tmp_path: Path) -> None:
    svg = render(tmp_path / "a.svg")
    widths = re.findall(r'<text textLength="([^"]*)" lengthAdjust="spacingAndGlyphs"', svg)
    assert len(widths) == svg.count("<text ")
    number = re.search(r'textLength="([^"]*)"[^>]*font-size="(\d+)"[^>]*>0.74<', svg)
    assert number is not None
    width = QFontMetricsF(font(int(number[2]))).horizontalAdvance("0.74")
    assert abs(float(number[1]) - width) < 1.0


@pytest.mark.usefixtures("qapp")
def test_an_svg_of_outlines_looks_the_same_without_fonts(tmp_path: Path) -> None:
    svg = render(tmp_path / "a.svg", "--outlines")
    assert "<text" not in svg
    command = [
        sys.executable,
        "main.py",
        "render",
        *PICTURES["chinese"],
        "-o",
        str(tmp_path / "a.png"),
    ]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    expected = QImage(str(tmp_path / "a.png")).convertToFormat(QImage.Format.Format_RGB32)
    drawn = QImage(expected.size(), QImage.Format.Format_RGB32)
    with QPainter(drawn) as painter:
        QSvgRenderer(svg.encode()).render(painter)
    # Ink of letters may differ at its edges, by hinting; where there is ink must not.
    grey = [
        np.frombuffer(one.constBits(), np.uint8).reshape(one.height(), one.width(), 4)[..., :3]
        for one in (expected, drawn)
    ]
    small = [
        one.reshape(one.shape[0] // 10, 10, one.shape[1] // 10, 10, 3).mean((1, 3)) for one in grey
    ]
    assert np.abs(small[0] - small[1]).max() < 60
    assert np.abs(small[0] - small[1]).mean() < 1.5


def test_outlines_are_for_svg_alone(tmp_path: Path) -> None:
    command = [sys.executable, "main.py", "render", *PICTURES["english"], "--outlines"]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "a.png")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: --outlines")
    assert not (tmp_path / "a.png").exists()


# Another font, chosen by the user


@pytest.fixture
def other_family(qapp: QApplication) -> str:
    """A family that is wider than the shipped one, known to Qt as an installed one is."""
    number = QFontDatabase.addApplicationFont(str(OTHER_FONTS / "DejaVuSans.ttf"))
    return QFontDatabase.applicationFontFamilies(number)[0]


def test_a_wider_font_is_written_as_wide_as_the_program_s_own(other_family: str) -> None:
    text = "Attention weights: 0.74 − 1.25"
    for bold in (False, True):
        use_family("")
        own = QFontMetricsF(font(BODY, bold=bold)).horizontalAdvance(text)
        use_family(other_family)
        assert QFontInfo(font(BODY, bold=bold)).family() == other_family
        assert QFontMetricsF(font(BODY, bold=bold)).horizontalAdvance(text) < own * 1.05


def test_a_chosen_font_is_used_at_once_and_remembered(qtbot: QtBot, other_family: str) -> None:
    window = build_window(language="en", example="four-words-causal")
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    assert QFontInfo(window.font()).family() == SANS
    window.session.set_preferences(font_family=other_family)
    assert QFontInfo(window.font()).family() == other_family
    assert QFontInfo(font(BODY)).family() == other_family
    assert QFontInfo(mono(BODY)).family() == MONO
    assert QFontInfo(window.stage.copy_chip.font()).family() == other_family
    QApplication.processEvents()
    assert not misfits(window)
    window._save_preferences()
    assert load_preferences().font_family == other_family
    window.session.set_preferences(font_family="")
    assert QFontInfo(window.font()).family() == SANS


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_all_is_laid_out_as_after_a_new_start(
    qtbot: QtBot, other_family: str, language: str
) -> None:
    windows = []
    for family in ("", other_family):
        use_family("")
        save_preferences(Preferences(font_family=family, motion=False))
        window = build_window(language=language, example="four-words-causal")
        qtbot.addWidget(window)
        window.resize(1280, 720)
        window.show()
        window.session.go_to_stage("weights")
        window.session.set_preferences(font_family=other_family)
        window.dock_layout.reset()
        windows.append(window)

    def pictures(window: MainWindow) -> list[QImage]:
        return [view.grab().toImage() for view in (window.stage, window.diagram)]

    # Formulas are typeset in a worker thread: both windows show them a moment later.
    qtbot.waitUntil(lambda: pictures(windows[0]) == pictures(windows[1]))


def test_a_font_that_has_gone_gives_place_to_the_program_s_own(qtbot: QtBot) -> None:
    save_preferences(Preferences(font_family="Nobody's Sans"))
    window = build_window(language="en")
    qtbot.addWidget(window)
    assert QFontInfo(window.font()).family() == SANS
    dialog = PreferencesDialog(window.session, window)
    assert dialog.font_family.currentData() == ""
    assert dialog.font_family.itemText(0) == "Built-in font"
    offered = [dialog.font_family.itemData(i) for i in range(1, dialog.font_family.count())]
    assert offered == installed_families()
    assert not [family for family in offered if family.startswith("Attention Stepper")]
