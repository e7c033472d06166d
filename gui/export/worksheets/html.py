"""Papers as one HTML file that needs nothing else: styles, formulas and pictures inside."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImageWriter

from gui.export.pdf import closed, open_buffer
from gui.export.worksheets.blocks import (
    MatrixTable,
    NameLines,
    Paper,
    PaperTitle,
    SectionHeading,
    Sentence,
    StageFormula,
    TableGroup,
    WorkedSums,
)
from gui.painting.color_scale import ink, levels_of, value_colour
from gui.painting.formulas import formula_svg
from gui.painting.matrix import matrix_image
from gui.painting.text_layout import span_colour
from gui.painting.theme import LIGHT
from gui.texts.rich_text import Line, Span, to_html

FORMULA_SIZE = 17.0
ROLES = ("query", "key", "value", "weights", "plain", "muted", "operator", "pinned", "result")

_STYLE = f"""
body {{ font: 15px/1.55 "Noto Sans", "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
  color: {LIGHT.text}; background: {LIGHT.surface}; max-width: 60em; margin: 2.5em auto; padding: 0 1.5em;
  font-variant-numeric: tabular-nums; }}
h1 {{ font-size: 1.7em; margin: 0; }}
h2 {{ font-size: 1.2em; margin: 2em 0 .4em; padding-top: .8em; border-top: 1px solid {LIGHT.line}; }}
h2 small, .detail {{ font-weight: normal; font-size: 13px; color: {LIGHT.muted}; margin-left: .8em; }}
p {{ margin: .3em 0; }}
p.formula {{ margin: .8em 0; overflow-x: auto; }}
.grids {{ display: flex; flex-wrap: wrap; gap: 1em 2em; align-items: flex-start; }}
.grids > div {{ overflow-x: auto; }}
table {{ border-collapse: separate; border-spacing: 2px; }}
caption {{ text-align: left; font-weight: 600; white-space: nowrap; }}
th {{ font-weight: normal; font-size: 13px; color: {LIGHT.muted}; padding: 0 .4em; white-space: nowrap; }}
th[scope=row] {{ text-align: right; }}
td {{ text-align: center; padding: .2em .6em; border-radius: 3px; white-space: nowrap; }}
td.focus {{ outline: 2.5px solid {LIGHT.accent}; outline-offset: -1px; }}
td.pinned {{ position: relative; }}
td.pinned::after {{ content: ""; position: absolute; top: 0; right: 0; border: 5px solid;
  border-color: {LIGHT.warning} {LIGHT.warning} transparent transparent; }}
td.given {{ background: {LIGHT.sunken}; }}
img {{ image-rendering: pixelated; width: 420px; max-width: 100%; border: 1px solid {LIGHT.line}; }}
.sum {{ margin: .5em 0 .5em 2em; text-indent: -2em; overflow-wrap: anywhere; }}
.closer {{ margin: -.2em 0 .6em 2em; font-size: 13px; }}
.result {{ font-weight: 600; border: 1.5px solid {LIGHT.accent}; border-radius: 6px; padding: 0 .4em;
  background: {LIGHT.accent_soft}; text-indent: 0; display: inline-block; }}
@media print {{ h2 {{ break-after: avoid; }} table {{ break-inside: avoid; }} body {{ margin: 0; }} }}
"""


def write_html(title: str, parts: Iterable[Paper], language: str) -> bytes:
    """All parts on one page."""
    colours = "".join(
        f".{role} {{ color: {span_colour(LIGHT, role).name()}; }}\n" for role in ROLES
    )
    body = "\n".join(_WAYS[type(block)](block) for part in parts for block in part.blocks)
    page = (
        f'<!DOCTYPE html>\n<html lang="{language.replace("_", "-")}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{colours}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    return page.encode("utf-8", "replace")


def _title(block: PaperTitle) -> str:
    detail = f'\n<p class="muted">{escape(block.detail)}</p>' if block.detail else ""
    return f"<h1>{escape(block.text)}</h1>{detail}"


def _blanks(block: NameLines) -> str:
    return (
        "<p>" + " ".join(f"{escape(label)} ____________________" for label in block.labels) + "</p>"
    )


def _heading(block: SectionHeading) -> str:
    return f"<h2>{escape(block.text)}<small>{escape(block.detail)}</small></h2>"


def _text(block: Sentence) -> str:
    words = to_html(block.text)
    return f"<p><strong>{words}</strong></p>" if block.strong else f"<p>{words}</p>"


def _formula(block: StageFormula) -> str:
    """Typeset, and as LaTeX for those who hear instead of see."""
    words = "\n".join(f"<p>{to_html(sentence)}</p>" for sentence in block.sentences)
    svg = formula_svg(block.latex, LIGHT.text, FORMULA_SIZE).decode("utf-8")
    spoken = escape(block.latex, quote=True)
    return f'{words}\n<p class="formula" role="img" aria-label="{spoken}">{svg}</p>'


def _grids(block: TableGroup) -> str:
    return (
        '<div class="grids">\n'
        + "\n".join(f"<div>{_grid(grid)}</div>" for grid in block.tables)
        + "\n</div>"
    )


def _grid(grid: MatrixTable) -> str:
    name, _, index = grid.name.partition("_")
    lowered = f"<sub>{escape(index)}</sub>" if index else ""
    caption = f'{escape(name)}{lowered}<span class="detail">{escape(grid.detail)}</span>'
    if not grid.cells:
        return f"<p>{caption}</p>\n{_image(grid)}"
    head = "".join(f'<th scope="col">{escape(label)}</th>' for label in grid.columns)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(label)}</th>{"".join(_cell(grid, i, j) for j in range(len(grid.columns)))}</tr>'
        for i, label in enumerate(grid.rows)
    )
    return f"<table>\n<caption>{caption}</caption>\n<tr><th></th>{head}</tr>\n{rows}\n</table>"


def _cell(grid: MatrixTable, i: int, j: int) -> str:
    text = escape(grid.cells[i][j])
    marks = [
        name
        for name, on in (("focus", grid.focus == (i, j)), ("pinned", (i, j) in grid.pinned))
        if on
    ]
    if grid.values is None or grid.scale_values is None:
        marks += ["given"] if grid.kind == "given" else []
        return f'<td class="{" ".join(marks)}">{text}</td>'
    value = float(grid.values[i, j])
    hidden = value == float("-inf")
    colour = value_colour(LIGHT, levels_of(grid.scale_values, grid.stage), 0.0 if hidden else value)
    style = f"background: {colour.name()}; color: {ink(colour).name()}"
    return f'<td class="{" ".join(marks)}" style="{style}">{text}</td>'


def _image(grid: MatrixTable) -> str:
    """A matrix too large for digits: a pixel a cell."""
    assert grid.values is not None
    assert grid.scale_values is not None
    buffer = open_buffer()
    QImageWriter(buffer, QByteArray(b"png")).write(
        matrix_image(grid.values, levels_of(grid.scale_values, grid.stage), LIGHT)
    )
    data = base64.b64encode(closed(buffer)).decode("ascii")
    return f'<img alt="{escape(grid.name)} {len(grid.rows)} × {len(grid.columns)}" src="data:image/png;base64,{data}">'


def _sums(block: WorkedSums) -> str:
    title = f"<p><strong>{escape(block.title)}</strong></p>\n" if block.title else ""
    return title + "\n".join(map(_sum, block.pairs))


def _sum(pair: tuple[Line, Line]) -> str:
    line, closer = pair
    below = f'<p class="closer">{_line(closer)}</p>' if closer else ""
    return f'<p class="sum">{_line(line)}</p>{below}'


def _line(line: Line) -> str:
    return "".join(_span(span) for span in line)


def _span(span: Span) -> str:
    tag = {1: "sup", 0: "span", -1: "sub"}[span.level]
    return f'<{tag} class="{span.role}">{escape(span.text)}</{tag}>'


_WAYS: dict[type, Callable[[Any], str]] = {
    PaperTitle: _title,
    NameLines: _blanks,
    SectionHeading: _heading,
    Sentence: _text,
    StageFormula: _formula,
    TableGroup: _grids,
    WorkedSums: _sums,
}
