"""The text of a page: Jupyter notebooks and HTML as the text that a reader sees. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from core.exchange.array_files import damage_reported, decoded_json

PAGE_ENDINGS = (".ipynb", ".md", ".tex", ".py", ".r", ".jl", ".m", ".html", ".htm")
_EXPRESSION = re.compile(
    r"(?!print\b)[A-Za-z_][\w.\[\]]*(?:\([\w., ]*\))?(?:\s*[@*/+-]\s*[\w.()]+)*"
)
_PRINTED = re.compile(r"print\([^,\"']{1,48}\)")
_BLOCKS = {"p", "div", "pre", "li", "ul", "ol", "tr", "table", "section", "article", "br", "hr"}
_BLOCKS |= {"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "dt", "dd"}
_HIDDEN = {"style", "head", "title", "nav", "svg", "button"}
_TEX = re.compile(r"math/tex|application/x-tex|text/x-tex")


def page_text(text: str, ending: str) -> str:
    """The text of a page that a file holds. Raises UserError "import.damaged" (detail)."""
    if ending == ".ipynb":
        return notebook_text(text)
    return html_text(text) if ending in (".html", ".htm") else text


def readable_text(text: str) -> str:
    """The text of a page whose kind is not known: a notebook, HTML, or plain text."""
    start = text[:4000].lstrip().lower()
    if start.startswith("{") and '"cells"' in text:
        return notebook_text(text)
    return html_text(text) if start.startswith(("<!doctype html", "<html")) else text


def notebook_text(text: str) -> str:
    """The inputs and outputs of a notebook's cells, one after the other.

    The last expression of a cell is right above its output, like at a prompt.
    """
    tree = decoded_json(text.encode())
    with damage_reported():
        cells = tree.get("cells") or tree["worksheets"][0]["cells"]
        return "\n\n".join("\n".join(_cell(cell)) for cell in cells)


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = _joined(cell.get("source", cell.get("input", ""))).rstrip("\n")
    outputs = [_output(output) for output in cell.get("outputs", ())]
    above, _, last = source.rpartition("\n")
    shown = _PRINTED.fullmatch(last.strip()) or _EXPRESSION.fullmatch(last.strip())
    if shown and len(outputs) == 1:
        yield from filter(None, (above, f">>> {last.strip()}", outputs[0]))
    else:
        yield source
        yield from filter(None, outputs)


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    plain = data.get("text/plain", data.get("text/latex", output.get("text", "")))
    return _joined(plain).rstrip("\n")


def _joined(lines: Any) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines)


def html_text(text: str) -> str:
    """The text of an HTML page: tables as tabs and lines, code as it is, formulas as LaTeX."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return re.sub(r"\n{3,}", "\n\n", "".join(reader.pieces)).strip("\n") + "\n"


class _Reader(HTMLParser):
    """Collects the visible text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []
        self._code = 0
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        kind = dict(attrs).get("type") or dict(attrs).get("encoding") or ""
        if tag in ("script", "annotation") and _TEX.search(kind):
            self._hidden.append("")
            self._break()
            self.pieces.append("$")
        elif tag in _HIDDEN or tag in ("script", "math"):
            self._hidden.append(tag)
        if tag == "pre":
            self._code += 1
        if tag == "tr":
            self._cells = 0
        if tag in ("td", "th"):
            self.pieces.append("\t" if self._cells else "")
            self._cells += 1
        elif tag in _BLOCKS:
            self._break()

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        closes = tag in ("script", "annotation", "math") or tag in _HIDDEN
        if closes and self._hidden and self._hidden.pop() == "":
            self.pieces.append("$\n")
        if tag == "pre":
            self._code = max(0, self._code - 1)
        if tag in _BLOCKS:
            self._break()

    def handle_data(self, data: str) -> None:
        """Take the text of an element."""
        if self._hidden and self._hidden[-1]:
            return
        if not self._code:
            data = re.sub(r"[ \t\r\n]+", " ", data)
            if not data.strip() and self._at_start():
                return
        self.pieces.append(data)

    def _at_start(self) -> bool:
        return not self.pieces or self.pieces[-1].endswith(("\n", "\t"))

    def _break(self) -> None:
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self.pieces.append("\n")
