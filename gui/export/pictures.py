"""Pictures of a step, a scene or a lab: PNG, SVG and PDF."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from core.base.errors import UserError
from core.base.files import write_bytes
from core.compute.trace import run
from core.document.document import Document
from core.explain.timeline import at_stage, start
from core.labs.lab import Setting
from core.lesson.lesson import Lesson
from gui.export.options import PARTS, ExportOptions, Progress, Subject, report_progress, title_of
from gui.export.paint_devices import NewPage, need_application, pdf_bytes, picture_writer
from gui.export.states import SceneSteps, run_state, states
from gui.labs.exhibit import LabAppearance, LabView, show_lab
from gui.labs.frame import paint_page
from gui.painting.shapes import draw_box
from gui.painting.text_layout import LEFT, draw_text, elide, width_of
from gui.painting.text_size import in_units, saved
from gui.painting.theme import BODY, TITLE, colours, font
from gui.presentation.slide import PAINTERS as PANELS
from gui.presentation.slide import headline_of, paint_slide
from gui.session.presented_views import views_of_scene
from gui.session.state import Preferences, State, cursor_cell
from gui.texts.glyphs import drawable_text
from gui.texts.labs import lab_title
from gui.texts.names import first_tokens
from gui.texts.translation import spoken, tr, tr_marked
from gui.views.diagram.picture import paint_diagram
from gui.views.stage.picture import paint_stage

MARGIN, HEADLINE = 16.0, 44.0
DIAGRAM_PART = 0.42  # of the height below the headline
LEAST = (1280.0, 720.0)  # of what is laid out; a smaller picture shows the same, smaller
INSET = 10.0  # between a card's edge and what it holds

PaintPart = Callable[[QPainter, QRectF, State], None]


def render_picture(
    document: Document,
    stage_id: str,
    out_path: Path,
    size: tuple[int, int] = (1600, 900),
    language: str = "en",
    theme: str = "light",
    *,
    columns: bool = False,
    labels: str = "one",
    outlines: bool = False,
) -> None:
    """Draw title, diagram and one whole stage into a file of `size` pixels.

    `columns`: tokens as columns. `labels`: in "one" language or in "both". `outlines`: texts of an
    SVG as paths. The same document gives the same bytes; text stays text in PDF, and in SVG without
    `outlines`. Raises UserError "output.ending" (path, known), "stage.absent" (stage, known),
    "file.unwritable" (path, reason).
    """
    out_path = Path(out_path)
    draw = picture_writer(out_path, outlines=outlines)
    state = picture_state(
        document, stage_id, language, theme, Preferences(columns=columns, labels=labels)
    )
    need_application()
    with spoken(language, labels):
        data = draw(
            lambda painter: paint_picture(painter, QRectF(0, 0, *size), state), size, document.title
        )
    write_bytes(out_path, data)


def picture_state(
    document: Document,
    stage_id: str,
    language: str,
    shade: str,
    preferences: Preferences | None = None,
) -> State:
    """A state whose cursor is at a whole stage. Raises UserError "stage.absent"."""
    trace = run(document)
    if stage_id not in trace:
        raise UserError("stage.absent", stage=stage_id, known=trace.plan.ids)
    cursor = at_stage(trace, start(trace, document), stage_id)
    return State(
        document,
        trace,
        cursor,
        cursor_cell(cursor),
        preferences or Preferences(),
        language=language,
        shade=shade,
    )


PAINTERS: Mapping[str, PaintPart] = {"diagram": paint_diagram, "stage": paint_stage}


def paint_picture(
    painter: QPainter,
    area: QRectF,
    state: State,
    parts: tuple[str, ...] = PARTS,
    painters: Mapping[str, PaintPart] = PAINTERS,
) -> None:
    """Paint headline, diagram and stage; `parts` selects the cards.

    An area that is too small for labels and digits gets a larger layout, drawn smaller.
    """
    larger = max(1.0, LEAST[0] / area.width(), LEAST[1] / area.height())
    with saved(painter):
        painter.translate(area.topLeft())
        painter.scale(1 / larger, 1 / larger)
        _paint(
            painter,
            QRectF(0, 0, area.width() * larger, area.height() * larger),
            state,
            parts,
            painters,
        )


def _paint(
    painter: QPainter,
    area: QRectF,
    state: State,
    parts: tuple[str, ...],
    painters: Mapping[str, PaintPart],
) -> None:
    theme = colours(state.shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(area, QColor(theme.window))
    inner = area.adjusted(MARGIN, 0, -MARGIN, -MARGIN)
    _paint_headline(painter, QRectF(inner.x(), inner.y(), inner.width(), HEADLINE), state)
    below = inner.adjusted(0, HEADLINE, 0, 0)
    for card, part in _cards(below, parts):
        draw_box(painter, card, QPen(QColor(theme.line), 1), theme.surface, 10)
        painters[part](painter, card.adjusted(INSET, INSET, -INSET, -INSET), state)


def _cards(below: QRectF, parts: tuple[str, ...]) -> list[tuple[QRectF, str]]:
    """The rectangle of each part: a single one fills the area, else the diagram is on top."""
    if len(parts) == 1:
        return [(below, parts[0])]
    upper = QRectF(below.x(), below.y(), below.width(), (below.height() - MARGIN) * DIAGRAM_PART)
    lower = below.adjusted(0, upper.height() + MARGIN, 0, 0)
    return [(upper, "diagram"), (lower, "stage")]


def _paint_headline(painter: QPainter, rect: QRectF, state: State) -> None:
    """The title with the tokens beside it."""
    theme, document = colours(state.shade), state.document
    title_font = font(TITLE, bold=True)
    title = drawable_text(tr_marked(document.title)) if document.title else tr("Untitled")
    title = elide(title, title_font, rect.width() * 0.6)
    draw_text(painter, rect, LEFT, title, title_font, theme.text)
    rest = rect.adjusted(width_of(title, title_font) + 14, 1, 0, 0)
    tokens = first_tokens(document, 200, "  ")
    draw_text(painter, rest, LEFT, tokens, font(BODY), theme.muted)


Moved = tuple[State, float]  # the state before a step, and how far the step has come, 0 to 1


def write_png(subject: Subject, out_path: Path, options: ExportOptions, progress: Progress) -> None:
    """Write a bitmap of `size` × `scale` pixels."""
    _write(subject, out_path, options, progress, ".png")


def write_svg(subject: Subject, out_path: Path, options: ExportOptions, progress: Progress) -> None:
    """Write a drawing; its digits are text, or outlines."""
    _write(subject, out_path, replace(options, scale=1.0), progress, ".svg")


def write_pdf(subject: Subject, out_path: Path, options: ExportOptions, progress: Progress) -> None:
    """Write a page as large as the picture; of a lesson one page for each scene."""
    options = replace(options, scale=1.0)
    if not isinstance(subject, Lesson):
        _write(subject, out_path, options, progress, ".pdf")
        return
    need_application()
    shown = states(subject, options, SceneSteps.END)
    report_progress(progress, 0.0)
    with spoken(options.language, options.preferences.labels):
        title = title_of(subject)
    data = pdf_bytes(title, options.size, partial(_paint_pages, shown, options, progress))
    report_progress(progress, 1.0)
    write_bytes(out_path, data)


def _paint_pages(
    shown: list[State], options: ExportOptions, progress: Progress, painter: QPainter, more: NewPage
) -> None:
    for index, state in enumerate(shown):
        if index:
            more()
        with saved(painter), spoken(options.language, options.preferences.labels):
            painting(state, options)(painter)
        report_progress(progress, (index + 1) / (len(shown) + 1))


def _write(
    subject: Subject, out_path: Path, options: ExportOptions, progress: Progress, ending: str
) -> None:
    """Write the picture of an experiment or of a single scene.

    Raises UserError "export.one_picture" (format, count) for several scenes.
    """
    need_application()
    shown = (
        states(subject, options, SceneSteps.END)
        if isinstance(subject, Lesson)
        else [run_state(subject, options)]
    )
    if len(shown) != 1:
        raise UserError("export.one_picture", format=ending[1:].upper(), count=len(shown))
    state = shown[0]
    report_progress(progress, 0.0)
    with spoken(options.language, options.preferences.labels):
        draw = picture_writer(out_path.with_suffix(ending), outlines=options.outlines)
        data = draw(painting(state, options), pixels(options), state.document.title)
    report_progress(progress, 1.0)
    write_bytes(out_path, data)


def pixels(options: ExportOptions) -> tuple[int, int]:
    """The size of a bitmap in pixels."""
    return round(options.size[0] * options.scale), round(options.size[1] * options.scale)


def painting(
    state: State, options: ExportOptions, moved: Moved | None = None
) -> Callable[[QPainter], None]:
    """A painter of a state at `size` × `scale`; `moved` animates the step that leads to it."""
    return partial(_paint_scene if state.scene is not None else _paint_step, state, options, moved)


def _paint_step(
    state: State, options: ExportOptions, moved: Moved | None, painter: QPainter
) -> None:
    painter.scale(options.scale, options.scale)
    painters = dict(PAINTERS)
    if moved is not None:
        painters["diagram"] = partial(paint_diagram, before=moved[0], progress=moved[1])
    paint_picture(painter, QRectF(0, 0, *options.size), state, options.parts, painters)


def _paint_scene(
    state: State, options: ExportOptions, moved: Moved | None, painter: QPainter
) -> None:
    """Paint a scene as presented. Panels choose their own units, so device pixels are used."""
    scale = painter.worldTransform().m11() * options.scale
    painter.resetTransform()
    screen = QRect(0, 0, round(options.size[0] * scale), round(options.size[1] * scale))
    preferences = replace(state.preferences, presented_text=100)  # which is of the projector
    state, painters = replace(state, preferences=preferences), dict(PANELS)
    if moved is not None:
        painters["diagram"] = partial(
            paint_diagram, before=moved[0], progress=moved[1], whole=False
        )
    paint_slide(
        painter,
        screen,
        state,
        views_of_scene(state),
        headline_of(state, answered=False, comes=False),
        painters,
    )


def image(state: State, options: ExportOptions, moved: Moved | None = None) -> QImage:
    """A state as an image, in the current language."""
    picture = QImage(
        *pixels(options), QImage.Format.Format_RGB888
    )  # three bytes a pixel, as Pillow reads them
    with QPainter(picture) as painter:
        painting(state, options, moved)(painter)
    return picture


LAB_MARGIN = 20.0
LARGEST = (1600, 900)  # units: a larger picture is not wider in them but magnified


def render_lab(
    lab_id: str,
    setting: Setting,
    out_path: Path,
    size: tuple[int, int],
    language: str,
    look: LabAppearance,
    labels: str = "one",
    outlines: bool = False,
) -> None:
    """Draw the title, claim, picture and remark of a lab into a file of `size` pixels.

    `labels` is "both" for a title in both languages, `outlines` as in `render_picture`.
    Raises UserError "output.ending" (path, known), "file.unwritable" (path, reason).
    """
    draw = picture_writer(out_path, outlines=outlines)
    need_application()
    with spoken(language, labels):
        shown, title = show_lab(lab_id, setting, replace(look, live=False)), lab_title(lab_id)
        data = draw(lambda painter: _paint_lab(painter, size, lab_id, shown), size, title)
    write_bytes(out_path, data)


def unit_of(size: tuple[int, int]) -> float:
    """Pixels in a layout unit: 1, and more if the picture is larger than LARGEST both ways."""
    return max(1.0, min(side / most for side, most in zip(size, LARGEST, strict=True)))


def _paint_lab(painter: QPainter, size: tuple[int, int], lab_id: str, shown: LabView) -> None:
    page = QRect(0, 0, *size)
    painter.fillRect(page, QColor(shown.appearance.theme.surface))
    with in_units(painter, page, unit_of(size)) as room:
        paint_page(
            painter, room.adjusted(LAB_MARGIN, LAB_MARGIN, -LAB_MARGIN, -LAB_MARGIN), lab_id, shown
        )
