"""Numbers to and from the clipboard, as text that other programs know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QByteArray, QItemSelection
from PySide6.QtGui import QGuiApplication

from core.base.arrays import Array, BoolArray
from core.base.errors import UserError
from core.base.number_format import exact
from core.compute.trace import Watch
from core.exchange import parse_matrix, parse_tokens_matrix, pieces
from core.exchange.paste import LARGEST_TEXT
from gui.session.session import Session
from gui.session.trace_runner import T
from gui.texts.errors import error_message
from gui.texts.names import axes_of, symbol
from gui.texts.translation import mark, tr
from gui.views.tables.contents import Contents
from gui.views.tables.replace_matrix import sentence_of, sizes_for, with_whole
from gui.views.tables.resize_preview import forecast, told
from gui.views.tables.set_values import require_open, set_numbers

Ask = Callable[[str, str], bool]
PLAIN, PLAIN_UTF8 = "text/plain", "text/plain;charset=utf-8"
PIECES = (
    2  # that a row of a matrix is written in: what parts it from the one before, and its numbers
)


def chosen(selection: QItemSelection, shown: Contents) -> BoolArray:
    """Which cells of a table are selected, from the selection's blocks.  # -> (rows, columns)"""
    result: BoolArray = np.zeros(shown.values.shape, dtype=bool)
    for block in selection.toList():
        result[block.top() : block.bottom() + 1, block.left() : block.right() + 1] = True
    return result


def put(session: Session, make: Callable[[], Iterable[str]], count: int) -> None:
    """A text on the clipboard, made in about `count` pieces; of many numbers that takes a while, and can be stopped."""

    def work() -> None:
        data = session.trace_runner.run_blocking(
            lambda watch: _as_data(make(), count, watch), mark("Copying…")
        )
        clipboard = QGuiApplication.clipboard()
        clipboard.setText(
            " "
        )  # makes an object of Qt's own: one made here would be asked once Python has ended
        clipboard.mimeData().setData(PLAIN, data)

    session.tried(work)


def _as_data(pieces: Iterable[str], count: int, watch: Watch) -> QByteArray:
    """What Qt gives to whoever asks for the text, as it is; a string it would copy twice while the window waits. Bit by
    bit, since nothing else goes on while millions of letters are put together."""
    parts: list[bytes] = []
    for done, piece in enumerate(pieces):
        watch(min(done, count), count)
        parts.append(piece.encode())
    data = QByteArray()
    data.reserve(sum(map(len, parts)))
    for part in parts:
        watch(count, count)
        data.append(part)
    return data


def copy(session: Session, shown: Contents, cells: BoolArray) -> None:
    """The block around the given cells, with exact numbers; cells in it that are not given, or not shown yet,
    stay empty."""
    cells = standing(shown, cells)
    if not cells.any():
        return
    block = _around(cells)
    put(session, partial(_lines, shown.values[block], cells[block]), block[0].stop - block[0].start)


def _lines(values: Array, given: BoolArray) -> Iterator[str]:
    """A row at a time."""
    for number, (row, there) in enumerate(zip(values, given, strict=True)):
        line = zip(row.tolist(), there.tolist(), strict=True)
        yield ("\n" if number else "") + "\t".join(
            exact(value) if stands else "" for value, stands in line
        )


def copy_as(session: Session, shown: Contents, cells: BoolArray, form: str) -> str:
    """The block around several selected cells, else the whole matrix, in another program's notation; why it cannot be
    copied as a sentence, "" if it can."""
    block = _around(cells) if np.count_nonzero(cells) > 1 else np.s_[:, :]
    everything: BoolArray = np.ones(shown.values.shape, dtype=bool)
    if not standing(shown, everything)[block].all():
        return tr("Not all of these numbers are shown yet.")
    values = shown.values[block]
    put(session, partial(pieces, values, form), PIECES * len(values))
    return ""


def _around(cells: BoolArray) -> tuple[slice, slice]:
    rows, columns = (np.flatnonzero(cells.any(axis=1 - axis)) for axis in (0, 1))
    return np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def standing(shown: Contents, cells: BoolArray) -> BoolArray:
    """The given cells without those that are still to be predicted."""
    if shown.open_part is None:
        return cells
    whole, more = shown.open_part
    cells = shown.orientation.matrix(cells.copy())
    cells[whole + 1 :], cells[whole : whole + 1, more:] = False, False
    return shown.orientation.matrix(cells)


def paste(session: Session, shown: Contents, row: int, column: int) -> str:
    """The clipboard's matrix put in at a place; what is wrong with it as a sentence, "" if nothing is."""
    try:
        block = _read(session, parse_matrix)
    except UserError as problem:
        return error_message(problem)
    height, width = block.shape
    rows, columns = shown.values.shape[0] - row, shown.values.shape[1] - column
    if height > rows or width > columns:
        said = tr(
            "The block is {height} × {width}, but from here only {rows} × {columns} fit.",
            height=height,
            width=width,
            rows=rows,
            columns=columns,
        )
        return f"{said} {tr('Ctrl+Shift+V makes it the whole matrix.')}" if shown.entered else said
    cells = {
        shown.cell(row + i, column + j): float(value) for (i, j), value in np.ndenumerate(block)
    }
    try:
        set_numbers(session, cells, text=mark("Paste into {name}"), name=_name(shown))
    except UserError as problem:
        return error_message(problem)
    return ""


class Whole(Struct, frozen=True, eq=False):
    """A matrix from the clipboard that is to replace a whole one, as the document has it, and the tokens beside it."""

    values: Array
    tokens: tuple[str, ...]


def paste_whole(session: Session, shown: Contents, ask: Ask) -> str:
    """The clipboard's matrix in place of the table's; `ask(title, detail)` before other matrices change with it.

    What is wrong with it as a sentence, "" if nothing is.
    """
    try:
        require_open(shown)
        whole = _read(session, partial(_whole, shown))
        rows, columns = whole.values.shape
        wanted = sizes_for(session.state.document, shown.tensor, (rows, columns))
    except UserError as problem:
        return error_message(problem)
    if wanted:
        height, width = shown.orientation.pair(rows, columns)
        title = tr("Make {name} {height} × {width}?", name=_name(shown), height=height, width=width)
        ahead = told(forecast(session.state.document, wanted, shown.tensor), shown.orientation)
        if not ask(title, tr("These sizes change:") + "\n\n" + "\n".join(ahead)):
            return ""
    head, name = shown.cell(0, 0).head, _name(shown)
    session.change(
        with_whole,
        shown.tensor,
        head,
        whole.values,
        tr("new"),
        whole.tokens,
        text=mark("Paste into {name}"),
        name=name,
    )
    return ""


def _read(session: Session, read: Callable[[str], T]) -> T:
    """The clipboard's text as something else. Raises what `read` raises, and UserError "given_up"."""
    text = _its_text()
    return session.trace_runner.run_blocking(lambda _watch: read(text()), mark("Reading…"))


def _its_text() -> Callable[[], str]:
    """What gives the clipboard's text: its bytes are converted where that is called, not while the window waits."""
    clipboard = QGuiApplication.clipboard()
    mime = clipboard.mimeData()
    for form in (PLAIN_UTF8, PLAIN):
        if mime.hasFormat(form):
            return partial(_as_text, mime.data(form))
    return partial(
        str, clipboard.text()
    )  # what is no text, such as addresses of files, Qt makes one of


def _as_text(data: QByteArray) -> str:
    """What Qt hands out as text is in UTF-8 everywhere. Raises UserError "paste.too_large" (limit)."""
    if data.size() > 4 * LARGEST_TEXT:  # bytes, at most, of a letter
        raise UserError("paste.too_large", limit=LARGEST_TEXT)
    return str(data.data(), "utf-8-sig", "replace").removesuffix("\0")


def _whole(shown: Contents, text: str) -> Whole:
    found = parse_tokens_matrix(text)
    labels = shown.orientation.pair(found.rows, found.columns)[0]
    values = shown.orientation.matrix(found.values)
    if axes_of(shown.tensor)[0] == "" and values.shape[1] == 1:
        values = values.reshape(1, -1)  # a vector may come as a column
    return Whole(values, labels if sentence_of(shown.document, shown.tensor) else ())


def _name(shown: Contents) -> str:
    return symbol(shown.tensor, shown.document, shown.orientation)
