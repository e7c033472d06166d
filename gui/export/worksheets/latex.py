"""Papers as LaTeX: one document that compiles as it is. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gui.export.worksheets.blocks import (
    MatrixTable,
    NameLines,
    Paper,
    PaperTitle,
    SectionHeading,
    Sentence,
    SideBySide,
    StageFormula,
    TableGroup,
    WorkedSums,
)
from gui.texts import latex

MOST_BLANK, MOST_FULL, MOST_ROWS = (
    7,
    11,
    40,
)  # columns of blank and of printed cells across a page, and rows

PREAMBLE = r"""% Compile with XeLaTeX or LuaLaTeX. Chinese, Japanese and Korean letters need xeCJK or luatexja-fontspec,
% which is loaded where it is installed; without it they are missing on the pages.
\documentclass[a4paper,11pt]{article}
\usepackage[margin=18mm]{geometry}
\usepackage{amsmath,amssymb,array,iftex}
\ifXeTeX\IfFileExists{xeCJK.sty}{\usepackage{xeCJK}}{}\fi
\ifLuaTeX\IfFileExists{luatexja-fontspec.sty}{\usepackage{luatexja-fontspec}}{}\fi
\newcommand{\other}[1]{\ifPDFTeX?\else#1\fi} % a sign that pdfLaTeX has no glyph for
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 1pt}
\setlength{\fboxsep}{2pt}
\postdisplaypenalty=10000
\raggedbottom
\pagestyle{myheadings}
"""


def write_latex(parts: Iterable[Paper]) -> bytes:
    """All papers in one document; each starts on a new page."""
    written = "\n\\clearpage\n".join(_part(part) for part in parts)
    return f"{PREAMBLE}\\begin{{document}}\n{written}\n\\end{{document}}\n".encode(
        "utf-8", "replace"
    )


def _part(part: Paper) -> str:
    head = rf"\setcounter{{page}}{{1}}\markright{{{latex.text(part.name)}}}\thispagestyle{{plain}}"
    return "\n\n".join([head, *(_WAYS[type(block)](block) for block in part.blocks)])


def _title(block: PaperTitle) -> str:
    detail = f"\n\n{{\\small {latex.text(block.detail)}\\par}}" if block.detail else ""
    return f"{{\\LARGE\\bfseries {latex.text(block.text)}\\par}}{detail}"


def _blanks(block: NameLines) -> str:
    boxes = (
        rf"\makebox[{width}\linewidth]{{{latex.text(label)}~\hrulefill}}"
        for label, width in zip(block.labels, (0.33, 0.28, 0.15, 0.15), strict=True)
    )
    return "\\medskip\\noindent" + "\\hfill".join(boxes) + "\\par\\medskip"


def _heading(block: SectionHeading) -> str:
    return rf"\section*{{{latex.text(block.text)}\quad{{\normalfont\normalsize {latex.text(block.detail)}}}}}"


def _text(block: Sentence) -> str:
    return latex.prose(block.text)


def _formula(block: StageFormula) -> str:
    words = "\n\n".join(latex.prose(sentence) for sentence in block.sentences)
    return f"{words}\n\\[\n{block.latex}\n\\]\\nopagebreak"


def _grids(block: TableGroup) -> str:
    tables = [_grid(part) for grid in block.tables for part in _cut(grid)]
    room = "\n\n\\vspace{16mm}" if block.work_space else ""
    return (
        "{\\raggedright\\lineskiplimit=8pt\\lineskip=10pt\n"
        + "\\qquad\n".join(tables)
        + "\\par}"
        + room
    )


def _cut(grid: MatrixTable) -> list[MatrixTable]:
    return grid.split(MOST_ROWS, MOST_BLANK if grid.kind == "blank" else MOST_FULL)


def _grid(grid: MatrixTable) -> str:
    """A table with its name above and labels."""
    count = len(grid.columns)
    kinds = ["c"] * count
    if grid.kind == "blank":
        kinds = [r">{\centering\arraybackslash}p{16mm}"] * count
    between = ["|"] * (count + 1)
    if grid.tail == "column":
        between[-2] = "||"
    columns = between[0] + "".join(
        kind + sign for kind, sign in zip(kinds, between[1:], strict=True)
    )
    labels = "".join(
        rf" & \multicolumn{{1}}{{c}}{{\small {latex.text(label)}}}" for label in grid.columns
    )
    rule = rf"\cline{{2-{count + 1}}}"
    rows = "\n".join(_row(grid, i, rule) for i in range(len(grid.rows)))
    detail = rf"\ {{\small {latex.text(grid.detail)}}}" if grid.detail else ""
    return (
        f"\\begin{{tabular}}[t]{{@{{}}l@{{}}}}\n{latex.name(grid.name)}{detail} \\\\\n"
        f"\\begin{{tabular}}{{@{{}}r{columns}}}\n\\multicolumn{{1}}{{c}}{{}}{labels} \\\\ {rule}\n{rows}\n"
        "\\end{tabular}\n\\end{tabular}"
    )


def _row(grid: MatrixTable, i: int, rule: str) -> str:
    strut = r"\rule[-3.5mm]{0pt}{9.5mm}" if grid.kind == "blank" else ""
    cells = "".join(
        f" & {_cell(text, (i, j) in grid.pinned)}" for j, text in enumerate(grid.cells[i])
    )
    apart = rule if grid.tail == "row" and i == len(grid.rows) - 2 else ""
    return rf"{strut}\small {latex.text(grid.rows[i])}{cells} \\ {rule}{apart}"


def _cell(text: str, pinned: bool) -> str:
    """A number; a what-if value is boxed."""
    written = f"${latex.maths(text)}$" if text else ""
    return rf"\fbox{{{written}}}" if pinned else written


def _sums(block: WorkedSums) -> str:
    title = f"\\textbf{{{latex.text(block.title)}}}\n\n" if block.title else ""
    return title + "\n\n".join(latex.line(line) for pair in block.pairs for line in pair if line)


def _sections(block: SideBySide) -> str:
    return "\n\n".join(_WAYS[type(part)](part) for part in (*block.left, *block.right))


_WAYS: dict[type, Callable[[Any], str]] = {
    PaperTitle: _title,
    NameLines: _blanks,
    SectionHeading: _heading,
    Sentence: _text,
    StageFormula: _formula,
    TableGroup: _grids,
    WorkedSums: _sums,
    SideBySide: _sections,
}
