"""Draw the pictures of the user guide anew: docs/guide/pictures, in each language, light and dark.

    python tools/guide_pictures.py [NAME …]

Diagrams and labs are drawn as `main.py render` draws them, windows as they are on a screen. Everything shown is the
program itself at work on its examples. Needs no screen.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.base.arrays import Array
from core.check.answers import NO_ENTRIES, parse_answer, with_answers
from core.classroom.answer_file import write_answers
from core.compute.trace import Trace
from core.labs.lab import find_lab
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.classroom.window import ClassWindow
from gui.dialogs.new import NewDialog
from gui.dialogs.new_from_text import NewFromText
from gui.export.pictures import render_lab, render_picture
from gui.labs.exhibit import LabAppearance
from gui.session.session import Session
from gui.texts.translation import language_folder, languages, tr, use_language
from gui.views.check.panel import CheckPanel
from gui.views.guide.reader import picture_name
from gui.views.heatmaps.panel import HeatmapPanel

PLACE = ROOT / "docs" / "guide" / "pictures"
SHADES = ("light", "dark")
COLOURS = 256  # in a file: flat areas and smooth letters need no more
WINDOW = (1280, 780)  # pixels
RENDERED = (1280, 760)
LAB = (1280, 680)
QUIET = 1.0  # seconds in which a window has loaded and painted all that it shows

PAGE_SIZE = (1240, 660)
SENTENCE_SIZE = (1100, 600)
PAGE = """Self-attention in PyTorch, step by step
Our sentence is “birds sing today”. Each word gets three numbers:
X = torch.tensor([[1., 0., 2.],   # birds
                  [0., 2., 1.],   # sing
                  [1., 1., 0.]])  # today
Three linear layers without bias make queries, keys and values.
>>> q_proj.weight
tensor([[ 0.5, -0.5,  0.0],
        [ 0.0,  1.0,  0.5],
        [ 0.5,  0.0, -1.0]])
>>> k_proj.weight
tensor([[ 1.0,  0.0,  0.5],
        [ 0.5,  0.5,  0.0],
        [ 0.0, -1.0,  0.5]])
>>> v_proj.weight
tensor([[ 1.0,  0.0,  1.0],
        [ 0.0,  2.0, -1.0]])
The scores before scaling, and the attention weights:
>>> q @ k.T
tensor([[ 0.00,  3.50,  3.00],
        [-1.75,  3.50,  2.50],
        [ 1.00,  0.25,  0.50]])
tensor([[ 0.0704,  0.5314,  0.3982],
        [ 0.0300,  0.6213,  0.3488],
        [ 0.4170,  0.2705,  0.3125]])
"""
BY_HAND = {
    (0, 0): "0.74",
    (0, 1): "0.44",
    (0, 2): "0.32",
    (1, 0): "0.50",
    (1, 1): "0.20",
    (2, 0): "0.81",
}

Draw = Callable[[str, str, Path], None]


def rendered(example: str, stage: str, language: str, shade: str, path: Path) -> None:
    """Diagram and stage, as `main.py render --example … --stage …` draws them."""
    from core.storage.examples import load_example

    document = load_example(example, language_folder(language))
    render_picture(document, stage, path, RENDERED, language, shade)


def lab_rendered(lab_id: str, language: str, shade: str, path: Path) -> None:
    """A lab, as `main.py render --lab …` draws it."""
    render_lab(lab_id, find_lab(lab_id).start(), path, LAB, language, LabAppearance(shade))


def window_grabbed(
    prepare: Callable[[MainWindow], object], example: str, language: str, shade: str, path: Path
) -> None:
    """The main window after *prepare* has used it."""
    window = build_window(None, example, language, shade)
    window.resize(*WINDOW)
    window.show()
    settle()
    prepare(window)
    settle()
    window.grab().save(str(path))
    close(window)


def panel_grabbed(
    make: Callable[[Session], HeatmapPanel | CheckPanel],
    size: tuple[int, int],
    example: str,
    language: str,
    shade: str,
    path: Path,
) -> None:
    """A panel by itself, larger than it is beside the others."""
    window = build_window(None, example, language, shade)
    panel = make(window.session)
    panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    panel.show_state(None, window.session.state)
    panel.resize(*size)
    panel.show()
    settle()
    panel.grab().save(str(path))
    panel.close()
    panel.deleteLater()
    close(window)


def close(window: MainWindow) -> None:
    window.close()
    window.deleteLater()
    settle()


def settle() -> None:
    """Let everything be loaded and painted."""
    until = time.monotonic() + QUIET
    while time.monotonic() < until:
        QApplication.processEvents()


# What is done in the window before it is taken


def at_weights(window: MainWindow) -> None:
    window.session.go_to_stage("weights")


def all_heads(session: Session) -> HeatmapPanel:
    session.go_to_stage("weights")
    session.set_preferences(heatmap_view="heads")
    return HeatmapPanel(session)


def checking(session: Session) -> CheckPanel:
    """Scores as a learner works them out, who has left out a term in one place and slipped at a digit in another."""
    session.go_to_stage("scores")
    session.answers.write(
        "scores", {(0, row, column): parse_answer(text) for (row, column), text in BY_HAND.items()}
    )
    return CheckPanel(session)


def lesson_played(window: MainWindow) -> None:
    window.lesson_files.open_shipped("first-steps")
    window.session.lesson_player.go_to(2)


def start_page(window: MainWindow) -> None:
    window.start_page.show()


def sentence_asked(language: str, shade: str, path: Path) -> None:
    """My own sentence at its second step."""
    window = build_window(None, None, language, shade)
    window.show()
    dialog = NewDialog(window, tr("the cat sat on the mat"))
    dialog.show()
    dialog.accept()
    settle()
    dialog.resize(*SENTENCE_SIZE)
    settle()
    dialog.grab().save(str(path))
    dialog.reject()
    close(window)


def page_read(example: str, language: str, shade: str, path: Path) -> None:
    """New from text with a page whose square weights are a question."""
    window = build_window(None, example, language, shade)
    window.show()
    window.import_actions.from_text(PAGE)
    settle()
    dialog = window.findChild(NewFromText)
    assert dialog is not None
    dialog.resize(*PAGE_SIZE)
    dialog.list.select(1)
    settle()
    dialog.grab().save(str(path))
    dialog.reject()
    close(window)


# Mistakes of a class, how many make each, and the stages from the scores on with it.
CLASS: list[tuple[int, dict[str, Callable[[Trace], Array]]]] = [
    (8, {}),
    (9, {"scaled": lambda t: t["scores"] / 2}),
    (5, {"weights": lambda t: t["scaled"] / t["scaled"].sum(axis=-1, keepdims=True)}),
    (3, {"scaled": lambda t: t["scores"]}),
    (3, {"Y": lambda t: (t["weights"] @ t["K"])[0]}),
    (2, {"scores": lambda t: t["K"] @ t["Q"].swapaxes(-1, -2)}),
]


def class_read(example: str, language: str, shade: str, path: Path) -> None:
    """The window of a class of thirty, who round to two decimals."""
    window = build_window(None, example, language, shade)
    state = window.session.state
    answers = path.parent / "answers"
    answers.mkdir()
    count = 0
    for students, wrong in CLASS:
        for _ in range(students):
            count += 1
            values = {name: state.trace[name] for name in ("scores", "scaled", "weights", "Y")}
            values |= {name: work(state.trace) for name, work in wrong.items()}
            entries = NO_ENTRIES
            for name, array in values.items():
                cells = {i: parse_answer(f"{x:.2f}") for i, x in np.ndenumerate(array)}
                entries = with_answers(entries, name, cells)
            write_answers(answers / f"{count:02}.answers.json", state.document, entries)
    shown = ClassWindow(state)
    shown.resize(*WINDOW)
    shown.show()
    shown.read((answers,))
    shown.folder.finish()
    settle()
    shown.grab().save(str(path))
    shown.close()
    close(window)


# Places in the sentence that the model `sentences` begins with.
PRONOUN, NOUN = {"en": 7, "zh_CN": 11}, {"en": 5, "zh_CN": 8}


def model_asked(example: str, language: str, shade: str, path: Path) -> None:
    """The window of a shipped model: the head that sends a pronoun to its noun, and why."""
    window = build_window(None, example, language, shade)
    window.models.open("sentences")
    shown = window.models.window
    assert shown is not None
    shown.resize(1180, 900)
    settle()
    shown.session.select(1, 1)
    shown.choose_token(PRONOUN[language])
    shown.choose_token(NOUN[language])
    settle()
    shown.grab().save(str(path))
    window.models.close()
    close(window)


PICTURES: dict[str, Draw] = {
    "window": partial(window_grabbed, at_weights, "cat-eats-fish"),
    "start": partial(window_grabbed, start_page, "cat-eats-fish"),
    "sentence": sentence_asked,
    "scores": partial(rendered, "cat-eats-fish", "scores"),
    "weights": partial(rendered, "i-love-this-apple", "weights"),
    "mask": partial(rendered, "four-words-causal", "masked"),
    "heads": partial(panel_grabbed, all_heads, (900, 520), "eight-heads"),
    "check": partial(panel_grabbed, checking, (640, 320), "cat-eats-fish"),
    "class": partial(class_read, "cat-eats-fish"),
    "lesson": partial(window_grabbed, lesson_played, "cat-eats-fish"),
    "from-text": partial(page_read, "cat-eats-fish"),
    "model": partial(model_asked, "cat-eats-fish"),
    "lab-softmax": partial(lab_rendered, "softmax"),
    "lab-plane": partial(lab_rendered, "plane"),
}


def shrunk(path: Path) -> bytes:
    """The picture with few colours, which makes it a fraction as large."""
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(
            COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
        )
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


def main(names: list[str]) -> int:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    PLACE.mkdir(parents=True, exist_ok=True)
    total = 0
    for name in names or PICTURES:
        for language in languages():
            for shade in SHADES:
                path = PLACE / picture_name(f"{language}-{name}.png", shade == "dark")
                use_language(language)
                # A home of its own, or windows would stand as the picture before has left them.
                with tempfile.TemporaryDirectory(prefix="guide-") as folder:
                    os.environ["ATTENTION_STEPPER_HOME"] = folder
                    raw = Path(folder) / "raw.png"
                    PICTURES[name](language, shade, raw)
                    path.write_bytes(shrunk(raw))
                total += path.stat().st_size
                print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} kB", flush=True)
    print(f"{total / 1000:.0f} kB together")
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
