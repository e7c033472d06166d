"""HTML of papers: markup shared by the web page and the printed pages, and the web page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from gui.export.paint_devices import data_url, png_bytes
from gui.export.worksheets.blocks import (
    MatrixTable,
    Paper,
    PaperBlock,
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
from gui.painting.theme import LIGHT, Colours
from gui.texts.rich_text import Line, Span, to_html

FORMULA_SIZE = 17.0
_ROLES = ("query", "key", "value", "weights", "plain", "muted", "operator", "pinned", "result")
_TAGS = {1: "sup", 0: "span", -1: "sub"}

_STYLE = f"""
body {{ font: 15px/1.55 "Noto Sans", "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
  color: {LIGHT.text}; background: {LIGHT.surface}; max-width: 60em; margin: 2.5em auto; padding: 0 1.5em;
  font-variant-numeric: tabular-nums; }}
h1 {{ font-size: 1.7em; margin: 0; }}
h2 {{ font-size: 1.2em; margin: 2em 0 .4em; padding-top: .8em; border-top: 1px solid {LIGHT.line}; }}
small {{ font-weight: normal; font-size: 13px; color: {LIGHT.muted}; margin-left: .8em; }}
p {{ margin: .3em 0; }}
p.formula {{ margin: .8em 0; overflow-x: auto; }}
.tables {{ display: flex; flex-wrap: wrap; gap: 1em 2em; align-items: flex-start; }}
.tables > div {{ overflow-x: auto; }}
table {{ border-collapse: separate; border-spacing: 2px; }}
caption {{ text-align: left; font-weight: 600; white-space: nowrap; }}
th {{ font-weight: normal; font-size: 13px; color: {LIGHT.muted}; padding: 0 .4em; white-space: nowrap; }}
th[scope=row] {{ text-align: right; }}
td {{ text-align: center; padding: .2em .6em; border-radius: 3px; white-space: nowrap; }}
td.focus {{ outline: 2.5px solid {LIGHT.accent}; outline-offset: -1px; }}
td.pinned {{ position: relative; }}
td.pinned::after {{ content: ""; position: absolute; top: 0; right: 0; border: 5px solid;
  border-color: {LIGHT.warning} {LIGHT.warning} transparent transparent; }}
img {{ image-rendering: pixelated; width: 420px; max-width: 100%; border: 1px solid {LIGHT.line}; }}
.sum {{ margin: .5em 0 .5em 2em; text-indent: -2em; overflow-wrap: anywhere; }}
.closer {{ margin: -.2em 0 .6em 2em; font-size: 13px; }}
.result {{ font-weight: 600; border: 1.5px solid {LIGHT.accent}; border-radius: 6px; padding: 0 .4em;
  background: {LIGHT.accent_soft}; text-indent: 0; display: inline-block; }}
@media print {{ h2 {{ break-after: avoid; }} table {{ break-inside: avoid; }} body {{ margin: 0; }} }}
"""


def role_styles(theme: Colours) -> str:
    """CSS rules that colour the spans of a sum by role."""
    return "".join(f".{role} {{ color: {span_colour(theme, role).name()}; }}\n" for role in _ROLES)


class Markup:
    """HTML of the blocks of a paper. Print and web differ in formulas, results and matrices."""

    def title(self, block: PaperTitle) -> str:
        """The title with its detail below."""
        detail = f'\n<p class="muted">{escape(block.detail)}</p>' if block.detail else ""
        return f"<h1>{escape(block.text)}</h1>{detail}"

    def heading(self, block: SectionHeading) -> str:
        """The heading with its detail beside it."""
        return f"<h2>{escape(block.text)}{self.detail(block.detail)}</h2>"

    def detail(self, text: str) -> str:
        """Small text beside a heading or a name."""
        return f"<small>{escape(text)}</small>"

    def sentence(self, block: Sentence) -> str:
        """A paragraph."""
        return f"<p>{to_html(block.text)}</p>"

    def text_block(self, block: PaperBlock) -> str:
        """A title, heading or sentence."""
        writers: dict[type, Callable[[Any], str]] = {
            PaperTitle: self.title,
            SectionHeading: self.heading,
            Sentence: self.sentence,
        }
        return writers[type(block)](block)

    def sentences(self, block: StageFormula) -> str:
        """The sentences of a formula."""
        return "\n".join(f"<p>{to_html(sentence)}</p>" for sentence in block.sentences)

    def name(self, table: MatrixTable) -> str:
        """The symbol of a matrix with its detail."""
        symbol, _, index = table.name.partition("_")
        lowered = f"<sub>{escape(index)}</sub>" if index else ""
        return f"{escape(symbol)}{lowered}{self.detail(table.detail)}"

    def sum_pair(self, pair: tuple[Line, Line]) -> str:
        """A worked sum, below it the same with more digits if there is one."""
        line, more_digits = pair
        below = f'<p class="closer">{self.line(more_digits)}</p>' if more_digits else ""
        return f'<p class="sum">{self.line(line)}</p>{below}'

    def line(self, line: Line) -> str:
        """The spans of a sum."""
        return "".join(map(self.span, line))

    def span(self, span: Span) -> str:
        """A span, with its role as class."""
        tag = _TAGS[span.level]
        return f'<{tag} class="{span.role}">{escape(span.text)}</{tag}>'


class WebMarkup(Markup):
    """Self-contained HTML for browsers, with formulas and pictures inside."""

    def block(self, block: PaperBlock) -> str:
        """Any block of a report."""
        writers: dict[type, Callable[[Any], str]] = {
            StageFormula: self.formula,
            TableGroup: self.tables,
            WorkedSums: self.sums,
        }
        return writers.get(type(block), self.text_block)(block)

    def formula(self, block: StageFormula) -> str:
        """Sentences, and the typeset formula with its LaTeX source for screen readers."""
        svg = formula_svg(block.latex, LIGHT.text, FORMULA_SIZE).decode("utf-8")
        source = escape(block.latex, quote=True)
        picture = f'<p class="formula" role="img" aria-label="{source}">{svg}</p>'
        return f"{self.sentences(block)}\n{picture}"

    def tables(self, block: TableGroup) -> str:
        """Matrices side by side; without digits as pictures with one pixel a cell."""
        written = (
            self.table(table) if table.cells else f"<p>{self.name(table)}</p>\n{_image(table)}"
            for table in block.tables
        )
        return '<div class="tables">\n' + "\n".join(f"<div>{t}</div>" for t in written) + "\n</div>"

    def table(self, table: MatrixTable) -> str:
        """A matrix with name, labels and cells."""
        head = "".join(f'<th scope="col">{escape(label)}</th>' for label in table.columns)
        rows = "\n".join(
            f'<tr><th scope="row">{escape(label)}</th>'
            + "".join(self.cell(table, i, j) for j in range(len(table.columns)))
            + "</tr>"
            for i, label in enumerate(table.rows)
        )
        caption = f"<caption>{self.name(table)}</caption>"
        return f"<table>{caption}\n<tr><th></th>{head}</tr>\n{rows}\n</table>"

    def cell(self, table: MatrixTable, i: int, j: int) -> str:
        """A number on the colour of its value."""
        assert table.values is not None
        assert table.scale_values is not None
        value = float(table.values[i, j])
        colour = value_colour(
            LIGHT,
            levels_of(table.scale_values, table.stage),
            0.0 if value == float("-inf") else value,
        )
        marks = ["focus"] * (table.focus == (i, j)) + ["pinned"] * ((i, j) in table.pinned)
        style = f"background: {colour.name()}; color: {ink(colour).name()}"
        text = escape(table.cells[i][j])
        return f'<td class="{" ".join(marks)}" style="{style}">{text}</td>'

    def sums(self, block: WorkedSums) -> str:
        """Worked sums, one below the other."""
        title = f"<p><strong>{escape(block.title)}</strong></p>\n" if block.title else ""
        return title + "\n".join(map(self.sum_pair, block.pairs))


def _image(table: MatrixTable) -> str:
    assert table.values is not None
    assert table.scale_values is not None
    levels = levels_of(table.scale_values, table.stage)
    source = data_url(png_bytes(matrix_image(table.values, levels, LIGHT)))
    size = f"{len(table.rows)} × {len(table.columns)}"
    return f'<img alt="{escape(table.name)} {size}" src="{source}">'


def write_html(title: str, papers: Iterable[Paper], language: str) -> bytes:
    """All papers on one page."""
    markup = WebMarkup()
    body = "\n".join(markup.block(block) for paper in papers for block in paper.blocks)
    page = (
        f'<!DOCTYPE html>\n<html lang="{language.replace("_", "-")}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{role_styles(LIGHT)}</style>\n"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    return page.encode("utf-8", "replace")
