"""Slides with all heads side by side, read by python-pptx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.compute.trace import run
from core.storage.examples import load_example
from gui.dialogs.export import ExportDialog
from gui.export.options import ExportOptions
from gui.export.registry import EXPORTERS, export_shown
from gui.export.slide_heads import SMALLEST
from gui.export.slide_shapes import HEIGHT, WIDTH
from gui.session.session import Session
from gui.session.state import Preferences

INCH = 914_400


def slides_of(path: Path, subject: Any, **options: Any) -> list[Any]:
    assert export_shown(subject, "pptx", path, ExportOptions(**options))
    return list(Presentation(str(path)).slides)


def tables(slide: Any) -> list[Any]:
    return [shape for shape in slide.shapes if shape.has_table]


def numbers(shape: Any) -> list[list[str]]:
    return [[cell.text for cell in row.cells][1:] for row in shape.table.rows][1:]


def said(slide: Any) -> str:
    return "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


def step_of(example: str, stage: str) -> int:
    return run(load_example(example)).plan.index(stage) + 1


def test_three_heads_stand_on_one_slide_with_all_their_numbers(
    tmp_path: Path, qapp: object
) -> None:
    example = "apple-released-iphone"
    document = load_example(example)
    step = step_of(example, "weights")
    _, alone, together = slides_of(tmp_path / "a.pptx", document, heads=True, first=step, last=step)
    assert len(tables(alone)) == 1
    weights = run(document)["weights"]
    assert [numbers(one) for one in tables(together)] == [
        [[show(float(value), 2) for value in row] for row in head] for head in weights
    ]
    for head in document.heads:
        assert head.name in said(together)
    assert "All 3 heads" in said(together)


def test_eight_heads_are_split_and_the_slides_say_so(tmp_path: Path, qapp: object) -> None:
    document = load_example("eight-heads")
    step = step_of("eight-heads", "weights")
    slides = slides_of(tmp_path / "a.pptx", document, heads=True, first=step, last=step)[2:]
    assert [len(tables(slide)) for slide in slides] == [4, 4]
    assert "Heads 1 to 4 of 8" in said(slides[0])
    assert "Heads 5 to 8 of 8" in said(slides[1])
    assert "Left out: 6 more rows, 6 more columns." in said(slides[1])
    weights = run(document)["weights"]
    shown = [numbers(one) for slide in slides for one in tables(slide)]
    assert shown == [
        [[show(float(value), 2) for value in row[:10]] for row in head[:10]] for head in weights
    ]


def test_numbers_can_be_read_and_nothing_overlaps_or_leaves_the_slide(
    tmp_path: Path, qapp: object
) -> None:
    document = load_example("eight-heads")
    step = step_of("eight-heads", "scores")
    for slide in slides_of(tmp_path / "a.pptx", document, heads=True, first=step, last=step)[2:]:
        places = []
        for shape in tables(slide):
            wide = sum(column.width for column in shape.table.columns) / INCH
            high = sum(row.height for row in shape.table.rows) / INCH
            places.append((shape.left / INCH, shape.top / INCH, wide, high))
            sizes = {
                run.font.size.pt
                for row in list(shape.table.rows)[1:]
                for cell in list(row.cells)[1:]
                for paragraph in cell.text_frame.paragraphs
                for run in paragraph.runs
            }
            assert min(sizes) >= SMALLEST - 0.5
        for x, y, wide, high in places:
            assert x + wide <= WIDTH
            assert y + high <= HEIGHT
            for u, v, *_ in places:
                assert (
                    (u, v) == (x, y)
                    or u >= x + wide
                    or v >= y + high
                    or u + wide <= x
                    or v + high <= y
                )


def test_without_the_wish_and_without_several_heads_there_are_none(
    tmp_path: Path, qapp: object
) -> None:
    document = load_example("cat-eats-fish")
    assert len(slides_of(tmp_path / "a.pptx", document, heads=True)) == 1 + len(run(document).plan)
    document = load_example("apple-released-iphone")
    assert len(slides_of(tmp_path / "b.pptx", document)) == 1 + len(run(document).plan)


def test_sections_of_a_lesson_keep_their_slides(tmp_path: Path, qapp: object) -> None:
    session = Session(load_example("apple-released-iphone"), Preferences())
    for stage in ("weights", "scores"):
        session.go_to_stage(stage)
        session.lesson_player.add_scene()
    session.lesson_player.edit_scene(0, breakpoint=True)
    session.lesson_player.edit_scene(1, breakpoint=True)
    deck = slides_of(tmp_path / "b.pptx", session.state.lesson, heads=True)
    assert [len(tables(slide)) for slide in deck] == [0, 1, 3, 1, 3]
    part = Presentation(str(tmp_path / "b.pptx")).part._element
    sections = part.xpath("//*[local-name()='section']")
    listed = [
        [int(one.get("id")) for one in section.iter() if one.tag.endswith("}sldId")]
        for section in sections
    ]
    ids = [slide.slide_id for slide in deck]
    assert listed == [ids[:1], ids[1:3], ids[3:]]


@pytest.mark.parametrize(
    ("example", "asked"), [("apple-released-iphone", True), ("cat-eats-fish", False)]
)
def test_the_dialog_asks_where_there_are_several(qtbot: QtBot, example: str, asked: bool) -> None:
    session = Session(load_example(example), Preferences())
    dialog = ExportDialog(session.state, "pptx", lambda *_: None)
    qtbot.addWidget(dialog)
    assert dialog.heads.isVisibleTo(dialog) is asked
    assert dialog.options().heads is False
    dialog.heads.setCurrentIndex(1)
    assert dialog.options().heads is True
    assert "heads" not in EXPORTERS["html"].choices
