"""Worksheets as LaTeX: whole, balanced, escaped. Nothing here runs LaTeX; the structure is checked instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.document.document import Document
from gui.export.worksheets.blocks import WorksheetOptions
from gui.export.worksheets.files import worksheet_files
from gui.texts import latex as latex_text
from gui.texts.rich_text import Span
from gui.texts.translation import languages
from tests.core.documents import make
from tests.gui.sheets_kit import answers, close, everything, example

OUT = Path("sheet.tex")
NASTY = ("50%", "a_b", "{x}", r"\end{document}", "#1 & $2 ~^")


def source(document: Document, options: WorksheetOptions) -> str:
    return worksheet_files(document, options, OUT)[OUT].decode("utf-8")


def problems(tex: str) -> list[str]:
    """What would stop LaTeX: braces and environments that do not match, $ without its partner, columns that do not
    fit."""
    found: list[str] = []
    tex = re.sub(r"(?<!\\)%.*", "", tex)
    plain = re.sub(r"\\.", "", tex, flags=re.DOTALL)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            found.append("a brace is closed that was not opened")
            break
    found += ["a brace is left open"] * (depth > 0)
    open_environments: list[str] = []
    for word, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", tex):
        if word == "begin":
            open_environments.append(name)
        elif not open_environments or open_environments.pop() != name:
            found.append(f"\\end{{{name}}}")
    found += open_environments
    found += [f"$ in {line!r}" for line in plain.splitlines() if line.count("$") % 2]
    return found


def columns(body: str, kinds: str) -> set[int]:
    """How many columns the rows of a table have, and how many it announces."""
    announced = len(re.findall(r"[clr]|p\{", re.sub(r">\{[^}]*\}|@\{\}", "", kinds)))
    rows = [row for row in body.split(r"\\") if "&" in row]
    return {announced, *(len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows)}


@pytest.mark.parametrize(
    "document",
    [
        everything(),
        example("who-ate-whom"),
        make(2, positional="rotary", source="qkv").with_(tokens=NASTY, title=r"100 % of \x{ & #1"),
        make(4, positional="alibi", slopes=True, mask="window"),
        make(sizes={"n": 9, "d": 13, "h": 1, "k": 2, "v": 15}),
    ],
)
def test_the_source_is_whole(document: Document) -> None:
    tex = source(document, WorksheetOptions(sheets=2, seed=1, languages=languages()))
    assert tex.startswith("% Compile with XeLaTeX")
    assert tex.count(r"\begin{document}") == tex.count(r"\end{document}") == 1
    assert problems(tex) == []
    tables = re.findall(
        r"\\begin\{tabular\}\{(@\{\}r[^\n]*)\}\n(.*?)\\end\{tabular\}", tex, re.DOTALL
    )
    assert len(tables) > 20
    for kinds, body in tables:
        assert len(columns(body, kinds)) == 1


def test_the_checker_itself_sees_what_is_wrong() -> None:
    assert problems(r"\begin{a}{x}\{$y$\end{a}") == []
    assert problems("{") == ["a brace is left open"]
    assert problems(r"\begin{a}\end{b}")
    assert problems("a $ b")


def test_tokens_are_escaped() -> None:
    tex = source(make(2, source="qkv").with_(tokens=NASTY), WorksheetOptions())
    body = tex.partition(r"\begin{document}")[2]
    assert r"50\%" in body
    assert r"a\_b" in body
    assert r"\{x\}" in body
    assert r"\textbackslash{}end\{document\}" in body
    assert r"\#1 \& \$2 \textasciitilde{}\textasciicircum{}" in body


def test_chinese_stands_there_and_the_preamble_says_what_it_needs() -> None:
    tex = source(everything(), WorksheetOptions(languages=("zh_CN",)))
    assert "小猫" in tex
    assert "答案" in tex
    assert r"\usepackage{xeCJK}" in tex
    assert "ctex" not in tex


def test_numbers_of_the_key_are_those_of_plain_loops() -> None:
    document = example()
    tex = source(document, WorksheetOptions(seed=3, sums="all"))
    key = tex[tex.index("Answer key") :]
    expected = answers(document, 3)
    section = key[key.index("Scores") : key.index("Scaled scores")]
    rows = re.findall(r"\\small (?:小猫|吃|鱼) & (.*?) \\\\", section)
    assert len(rows) == 3
    for row, numbers in zip(rows, expected["scores"][0], strict=True):
        cells = [cell.strip("$ ").replace("-", "−") for cell in row.split("&")]
        assert all(close(cell, number, 2) for cell, number in zip(cells, numbers, strict=True))
    assert len(re.findall(r"\\boxed\{", section)) == 9


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ((Span("q", "query"), Span("吃,1", "query", -1)), r"$q_{\text{吃},1}$"),
        ((Span("x′"), Span("a_b,2", "plain", -1)), r"$x'_{\text{a}\text{\_}\text{b},2}$"),
        (
            (Span("0.50"), Span("×"), Span("(−1.00)"), Span(" ≈ "), Span("−0.50", "result")),
            r"$0.50\times (-1.00) \approx  \boxed{-0.50}$",
        ),
        ((Span("e", "weights"), Span("−1.00 − 2.00", "plain", 1)), r"$e^{-1.00 - 2.00}$"),
        ((Span(" ÷ "), Span("√12")), r"$ \div  \sqrt{12}$"),
        ((Span("max("), Span("−∞"), Span(")")), r"$\max(-\infty )$"),
        ((Span("1.2×10⁻⁷"),), r"$1.2\times 10^{-7}$"),
        ((Span("… 3 more …", "muted"),), r"$\text{ \dots{} 3 more \dots{} }$"),
    ],
)
def test_sums_become_mathematics(line: tuple[Span, ...], expected: str) -> None:
    assert latex_text.line(line) == expected


def test_names_become_mathematics() -> None:
    assert latex_text.name("W_Q") == "$W_{Q}$"
    assert latex_text.name("QKᵀ") == "$QK^{T}$"
    assert latex_text.name("÷√dₖ") == r"$\div \sqrt{d_{k}}$"
    assert latex_text.text("÷ √dₖ, 3 < 4") == r"$\div$ $\sqrt{d_k}$, 3 \textless{} 4"


def test_indices_in_running_text_stand_below_the_line() -> None:
    assert latex_text.prose("Without W_O, b_Q") == r"Without W$_{\mathrm{O}}$, b$_{\mathrm{Q}}$"
    assert latex_text.prose("a_very_long_name") == r"a\_very\_long\_name"
