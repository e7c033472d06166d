"""One picture of a step or a scene: PNG at one to four times its size, SVG and PDF with their texts.

Of a lesson the PDF has a page for each scene, as the hall sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from core.base.errors import UserError
from core.base.files import write_bytes
from core.lesson.lesson import Lesson
from gui.export.export_source import Subject, title_of
from gui.export.options import Options, Progress, report
from gui.export.pdf import NewPage, need_application, pdf
from gui.export.render import PAINTERS, WRITERS, paint_picture
from gui.export.scenes import Moment
from gui.export.steps import run_state, states
from gui.presentation.headline import headline_of
from gui.presentation.slide import PAINTERS as PANELS
from gui.presentation.slide import paint_slide
from gui.session.presented import PresentedViews
from gui.session.state import State
from gui.texts.translation import spoken
from gui.views.diagram.picture import paint_moment

Moved = tuple[State, float]  # the state before a step, and how far the step has come, 0 to 1


def write_png(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """A bitmap of `size` × `scale` pixels."""
    _write(subject, out_path, options, progress, ".png")


def write_svg(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """A drawing in which digits stay text."""
    _write(subject, out_path, replace(options, scale=1.0), progress, ".svg")


def write_pdf(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """A page as large as the picture, in which digits stay text; of a lesson a page a scene."""
    options = replace(options, scale=1.0)
    if not isinstance(subject, Lesson):
        _write(subject, out_path, options, progress, ".pdf")
        return
    need_application()
    shown = states(subject, options, Moment.END)
    report(progress, 0.0)
    with spoken(options.language, options.preferences.labels):
        title = title_of(subject)
    data = pdf(title, options.size, partial(_paint_pages, shown, options, progress))
    report(progress, 1.0)
    write_bytes(out_path, data)


def _paint_pages(
    shown: list[State], options: Options, progress: Progress, painter: QPainter, more: NewPage
) -> None:
    for index, state in enumerate(shown):
        if index:
            more()
        painter.save()
        with spoken(options.language, options.preferences.labels):
            painting(state, options)(painter)
        painter.restore()
        report(progress, (index + 1) / (len(shown) + 1))


def _write(
    subject: Subject, out_path: Path, options: Options, progress: Progress, ending: str
) -> None:
    need_application()
    state = _one(subject, options, ending)
    report(progress, 0.0)
    with spoken(options.language, options.preferences.labels):
        data = WRITERS[ending](painting(state, options), pixels(options), state.document.title)
    report(progress, 1.0)
    write_bytes(out_path, data)


def _one(subject: Subject, options: Options, ending: str) -> State:
    """The place of an experiment, or the one scene. Raises UserError "export.one_picture" (format, count) for more."""
    if not isinstance(subject, Lesson):
        return run_state(subject, options)
    shown = states(subject, options, Moment.END)
    if len(shown) != 1:
        raise UserError(
            "export.one_picture", format=ending.removeprefix(".").upper(), count=len(shown)
        )
    return shown[0]


def pixels(options: Options) -> tuple[int, int]:
    """The size of a bitmap."""
    return round(options.size[0] * options.scale), round(options.size[1] * options.scale)


def painting(
    state: State, options: Options, moved: Moved | None = None
) -> Callable[[QPainter], None]:
    """Draws a state in the size of the options, `scale` times as large; `moved`: while a step is on its way."""
    return partial(_paint_scene if state.scene is not None else _paint_step, state, options, moved)


def _paint_step(state: State, options: Options, moved: Moved | None, painter: QPainter) -> None:
    painter.scale(options.scale, options.scale)
    painters = dict(PAINTERS)
    if moved is not None:
        painters["diagram"] = partial(paint_moment, before=moved[0], progress=moved[1])
    paint_picture(painter, QRectF(0, 0, *options.size), state, options.parts, painters)


def _paint_scene(state: State, options: Options, moved: Moved | None, painter: QPainter) -> None:
    """A scene as the hall sees it. Its panels have units of their own, so that it is drawn in the device's pixels."""
    scale = painter.worldTransform().m11() * options.scale
    painter.resetTransform()
    screen = QRect(0, 0, round(options.size[0] * scale), round(options.size[1] * scale))
    painters = dict(PANELS)
    if moved is not None:
        painters["diagram"] = partial(paint_moment, before=moved[0], progress=moved[1], whole=False)
    paint_slide(
        painter,
        screen,
        state,
        PresentedViews(state.view),
        headline_of(state, answered=False, comes=False),
        painters,
    )


def image(state: State, options: Options, moved: Moved | None = None) -> QImage:
    """A state as an image. The language must be in force."""
    picture = QImage(
        *pixels(options), QImage.Format.Format_RGB888
    )  # three bytes a pixel, as Pillow reads them
    with QPainter(picture) as painter:
        painting(state, options, moved)(painter)
    return picture
