"""Pictures without a window: what is in them, what is refused, and that they come out the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.base.errors import UserError
from core.base.number_format import show
from core.compute.trace import run
from core.storage.examples import load_example
from gui.cli.commands import ENDINGS
from gui.export.paint_devices import PICTURE_WRITERS
from gui.export.pictures import paint_picture, picture_state, render_picture
from gui.painting.theme import DARK, LIGHT
from gui.session.state import State
from gui.texts.translation import current_language

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("qapp")


def texts(path: Path) -> list[str]:
    """Every text of an SVG."""
    tree = ElementTree.parse(path)
    return [
        "".join(element.itertext()).strip()
        for element in tree.iter("{http://www.w3.org/2000/svg}text")
    ]


def colours_of(image: QImage, step: int = 3) -> set[str]:
    """The colours on a grid of pixels."""
    return {
        image.pixelColor(x, y).name()
        for y in range(0, image.height(), step)
        for x in range(0, image.width(), step)
    }


@pytest.mark.parametrize(("theme", "look"), [("light", LIGHT), ("dark", DARK)])
def test_png_has_its_size_and_is_drawn_in_the_theme(
    tmp_path: Path, theme: str, look: object
) -> None:
    out = tmp_path / "picture.png"
    render_picture(load_example("cat-eats-fish"), "weights", out, (1111, 777), theme=theme)
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1111, 777)
    found = colours_of(image)
    assert {QColor(getattr(look, name)).name() for name in ("window", "surface")} <= found
    assert len(found) > 20


def test_svg_holds_the_numbers_and_tokens_as_text(tmp_path: Path) -> None:
    document, out = load_example("cat-eats-fish"), tmp_path / "picture.svg"
    render_picture(document, "weights", out)
    found, trace = texts(out), run(document)
    for stage in ("Q", "K", "V", "scores", "scaled", "weights"):
        for value in trace[stage].ravel():
            assert show(float(value), 2) in found
    assert set(document.tokens) <= set(found)


def test_what_lies_ahead_keeps_its_numbers_to_itself(tmp_path: Path) -> None:
    document, out = load_example("cat-eats-fish"), tmp_path / "picture.svg"
    render_picture(document, "Q", out)
    later = {show(float(value), 2) for value in run(document)["scores"].ravel()}
    entered = {show(float(value), 2) for name in "QKV" for value in run(document)[name].ravel()}
    assert later - entered
    assert not (later - entered) & set(texts(out))


def test_svg_does_not_outline_the_formulas(tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    render_picture(load_example("cat-eats-fish"), "weights", out)
    assert 'stroke="#000000"' not in out.read_text(encoding="utf-8")


def test_chinese_is_written_and_the_language_put_back(tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    render_picture(load_example("cat-eats-fish"), "weights", out, language="zh_CN")
    assert any("注意力权重" in text for text in texts(out))
    assert current_language() == "en"


def test_pdf_is_one_page_of_the_size_with_fonts(tmp_path: Path) -> None:
    out = tmp_path / "picture.pdf"
    render_picture(load_example("cat-eats-fish"), "weights", out, (1600, 900))
    data = out.read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", data)) == 1
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert box is not None
    assert [float(side) for side in box.groups()] == [1200.0, 675.0]
    assert b"/Type /Font" in data
    streams = re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL)
    pages = [zlib.decompress(stream) for stream in streams if stream.startswith(b"x")]
    assert any(page.count(b" Tj") + page.count(b" TJ") > 50 for page in pages)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_again_is_the_same_to_the_byte(tmp_path: Path, ending: str) -> None:
    document = load_example("four-words-causal")
    first, second = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}"
    for out in (first, second):
        render_picture(document, "masked", out, (800, 500))
    assert first.read_bytes() == second.read_bytes()
    if ending == "pdf":
        assert (
            re.findall(rb"/(?:Creation|Mod)Date \(D:(\d{14})", first.read_bytes())
            == [b"20000101000000"] * 2
        )
        assert set(re.findall(rb'xmp:\w+Date="([\d\-T:]{19})', first.read_bytes())) == {
            b"2000-01-01T00:00:00"
        }


@pytest.mark.parametrize("name", ["picture.gif", "picture", "picture.png.txt"])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError) as caught:
        render_picture(load_example("cat-eats-fish"), "weights", tmp_path / name)
    assert caught.value.code == "output.ending"
    assert list(tmp_path.iterdir()) == []


def test_a_stage_that_the_plan_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        render_picture(load_example("cat-eats-fish"), "masked", tmp_path / "picture.png")
    assert caught.value.code == "stage.absent"
    assert "weights" in caught.value.data["known"]
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        render_picture(
            load_example("cat-eats-fish"), "weights", tmp_path / "missing" / "picture.png"
        )
    assert caught.value.code == "file.unwritable"


def test_the_command_knows_the_same_endings() -> None:
    assert tuple(PICTURE_WRITERS) == ENDINGS


def test_every_stage_of_every_kind_can_be_drawn(tmp_path: Path) -> None:
    for example in ("eight-heads", "four-words-causal"):
        document = load_example(example)
        for stage in run(document):
            out = tmp_path / f"{stage}.png"
            render_picture(document, stage, out, (640, 480))
            assert len(colours_of(QImage(str(out)), 7)) > 10


def test_needs_no_screen_and_no_application(tmp_path: Path) -> None:
    out = tmp_path / "picture.png"
    code = (
        "import sys; from pathlib import Path; from core.storage.examples import load_example;"
        "from gui.export.pictures import render_picture;"
        "render_picture(load_example('cat-eats-fish'), 'Y', Path(sys.argv[1]), (700, 500))"
    )
    bare = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "QT_QPA_PLATFORM")
    }
    bare.pop("WAYLAND_DISPLAY", None)
    done = subprocess.run(
        [sys.executable, "-c", code, str(out)],
        cwd=ROOT,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert QImage(str(out)).width() == 700


@pytest.mark.parametrize("size", [(1000, 500), (640, 480), (320, 240), (1280, 720), (1920, 1080)])
def test_a_small_picture_is_laid_out_as_a_large_one_and_drawn_smaller(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    document = load_example("eight-heads")
    out = tmp_path / "a.png"
    render_picture(document, "scores", out, size)
    image = QImage(str(out))
    assert (image.width(), image.height()) == size
    seen: list[tuple[QRectF, QRectF]] = []

    def note(painter: QPainter, rect: QRectF, state: State) -> None:
        seen.append((rect, painter.worldTransform().mapRect(rect)))

    painter = QPainter(image)
    area = QRectF(0, 0, *size)
    paint_picture(
        painter, area, picture_state(document, "scores", "en", "light"), ("stage",), {"stage": note}
    )
    painter.end()
    ((laid, drawn),) = seen
    assert laid.width() >= 1280 - 60
    assert laid.height() >= 720 - 100
    assert area.contains(drawn)
    if size[0] >= 1280:
        assert laid == drawn
