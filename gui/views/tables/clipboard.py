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
from core.document.document import Document
from core.exchange.paste import LARGEST_TEXT, parse_labelled, parse_matrix
from core.exchange.write import pieces
from gui.session.session import Session
from gui.session.trace_runner import T
from gui.texts.errors import error_message
from gui.texts.names import axes_of
from gui.texts.translation import mark, tr
from gui.views.tables.contents import TableContents
from gui.views.tables.edits import (
    forecast,
    forecast_lines,
    sizes_for,
    token_axis,
    with_matrix,
    with_numbers,
)

Ask = Callable[[str, str], bool]
AskPlace = Callable[[tuple[int, int], tuple[int, int]], str]
PLAIN, PLAIN_UTF8 = "text/plain", "text/plain;charset=utf-8"
PIECES_PER_ROW = (
    2  # core.exchange.pieces yields what separates a row from the one before, then its numbers
)


def selected(selection: QItemSelection, contents: TableContents) -> BoolArray:
    """Which cells of a table are selected.  # -> (rows, columns)"""
    result: BoolArray = np.zeros(contents.values.shape, dtype=bool)
    for block in selection.toList():
        result[block.top() : block.bottom() + 1, block.left() : block.right() + 1] = True
    return result


def copy_text(session: Session, make: Callable[[], Iterable[str]], count: int) -> None:
    """Put a text made in about `count` pieces on the clipboard.

    The user can stop what takes long.
    """

    def work() -> None:
        data = session.trace_runner.run_blocking(
            lambda watch: _as_data(make(), count, watch), mark("Copying…")
        )
        clipboard = QGuiApplication.clipboard()
        # setText makes an object of Qt's own; one made here would be used after Python has ended.
        clipboard.setText(" ")
        clipboard.mimeData().setData(PLAIN, data)

    session.attempt(work)


def _as_data(pieces: Iterable[str], count: int, watch: Watch) -> QByteArray:
    """The bytes that Qt hands to other programs.

    A string would be copied twice while the window waits.

    Appended piece by piece: one join of millions of letters would block the other threads.
    """
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


def copy(session: Session, contents: TableContents, cells: BoolArray) -> None:
    """Copy the block around the given cells, with exact numbers.

    Its other cells, and hidden ones, stay empty.
    """
    cells = contents.visible(cells)
    if not cells.any():
        return
    block = _around(cells)
    lines = partial(_lines, contents.values[block], cells[block])
    copy_text(session, lines, block[0].stop - block[0].start)


def _lines(values: Array, given: BoolArray) -> Iterator[str]:
    """A row at a time."""
    for number, (row, flags) in enumerate(zip(values, given, strict=True)):
        cells = zip(row.tolist(), flags.tolist(), strict=True)
        line = (exact(value) if flag else "" for value, flag in cells)
        yield ("\n" if number else "") + "\t".join(line)


def copy_as(session: Session, contents: TableContents, cells: BoolArray, form: str) -> str:
    """Copy the block around several selected cells, else the matrix, in another notation.

    Returns why it cannot be copied, "" if it can.
    """
    block = _around(cells) if np.count_nonzero(cells) > 1 else np.s_[:, :]
    everything: BoolArray = np.ones(contents.values.shape, dtype=bool)
    if not contents.visible(everything)[block].all():
        return tr("Not all of these numbers are shown yet.")
    values = contents.values[block]
    copy_text(session, partial(pieces, values, form), PIECES_PER_ROW * len(values))
    return ""


def _around(cells: BoolArray) -> tuple[slice, slice]:
    rows, columns = (np.flatnonzero(cells.any(axis=1 - axis)) for axis in (0, 1))
    return np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def paste(session: Session, contents: TableContents, cells: BoolArray, ask: AskPlace) -> str:
    """Paste the clipboard's matrix at the first of the selected cells, one number into all of them.

    `ask(size, room)` where a block as large as the table goes: "corner", "here" or "cancel".

    Returns what is wrong with it, "" if nothing is.
    """
    try:
        block = _read(session, parse_matrix)
        where, values = _target(contents, cells, block, ask)
        if contents.predicting and (contents.visible(where) != where).any():
            raise UserError("cell.covered")
        edit = partial(
            with_numbers,
            tensor=contents.tensor,
            head=contents.cell(0, 0).head,
            where=contents.orientation.matrix(where),
            values=contents.orientation.matrix(values),
        )
        if where.any():
            _change(session, contents, edit)
    except PasteError as refused:
        return str(refused)
    except UserError as problem:
        return error_message(problem)
    return ""


class PasteError(ValueError):
    """Why a block does not fit, as a sentence."""


def _target(
    contents: TableContents, cells: BoolArray, block: Array, ask: AskPlace
) -> tuple[BoolArray, Array]:
    """Which cells a block goes to, and the numbers there. Raises PasteError.

    # -> (rows, columns), (rows, columns) of the table; no cell where the user cancels
    """
    shape = contents.values.shape
    where, values = np.zeros(shape, dtype=bool), np.zeros(shape)
    if block.size == 1 and np.count_nonzero(cells) > 1:
        return cells, np.full(shape, block.item())
    row, column = (part.start for part in _around(cells))
    room = (shape[0] - row, shape[1] - column)
    if block.shape == shape and (row, column) != (0, 0):
        place = ask(shape, room)
        if place == "cancel":
            return where, values
        row, column = (0, 0) if place == "corner" else (row, column)
        block = block if place == "corner" else block[: room[0], : room[1]]
    height, width = block.shape
    if height > shape[0] - row or width > shape[1] - column:
        text = tr(
            "The block is {height} × {width}, but only {rows} × {columns} fit from here.",
            height=height,
            width=width,
            rows=room[0],
            columns=room[1],
        )
        hint = tr("Ctrl+Shift+V pastes it as the whole matrix.")
        raise PasteError(f"{text} {hint}" if contents.entered else text)
    place_of_block = np.s_[row : row + height, column : column + width]
    where[place_of_block], values[place_of_block] = True, block
    return where, values


def _change(
    session: Session, contents: TableContents, edit: Callable[[Document], Document]
) -> None:
    """Edit the document as one undo step, beside the window if that takes long.

    Raises what the edit raises, and UserError "given_up".
    """
    document = session.state.document
    changed = session.trace_runner.run_blocking(lambda _watch: edit(document), mark("Pasting…"))
    session.edit(changed, mark("Paste into {name}"), name=contents.symbol)
    if contents.entered:
        cell = contents.cell(0, 0)
        session.answers.note_imported([(cell.tensor, cell.head)])


class PastedMatrix(Struct, frozen=True, eq=False):
    """A matrix from the clipboard in the document's orientation, and the tokens beside it."""

    values: Array
    tokens: tuple[str, ...]


def paste_whole(session: Session, contents: TableContents, ask: Ask) -> str:
    """Replace the table's matrix by the clipboard's.

    `ask(title, detail)` before other matrices change with it.

    Returns what is wrong with it, "" if nothing is.
    """
    document, tensor, name = session.state.document, contents.tensor, contents.symbol
    try:
        if contents.predicting and contents.visible_extent is not None:
            raise UserError("cell.covered")
        pasted = _read(session, partial(_pasted_matrix, contents))
        rows, columns = pasted.values.shape
        wanted = sizes_for(document, tensor, (rows, columns))
    except UserError as problem:
        return error_message(problem)
    if wanted:
        height, width = contents.orientation.pair(rows, columns)
        title = tr("Resize {name} to {height} × {width}?", name=name, height=height, width=width)
        lines = forecast_lines(forecast(document, wanted, tensor), contents.orientation)
        if not ask(title, tr("These sizes change:") + "\n\n" + "\n".join(lines)):
            return ""
    edit = partial(
        with_matrix,
        tensor=tensor,
        head=contents.cell(0, 0).head,
        values=pasted.values,
        token=tr("new"),
        names=pasted.tokens,
    )
    session.attempt(partial(_change, session, contents, edit))
    return ""


def _read(session: Session, read: Callable[[str], T]) -> T:
    """Parse the clipboard's text. Raises what `read` raises, and UserError "given_up"."""
    text = clipboard_text()
    return session.trace_runner.run_blocking(lambda _watch: read(text()), mark("Reading…"))


def clipboard_text() -> Callable[[], str]:
    """A function that returns the clipboard's text, which is decoded in the calling thread."""
    clipboard = QGuiApplication.clipboard()
    mime = clipboard.mimeData()
    for form in (PLAIN_UTF8, PLAIN):
        if mime.hasFormat(form):
            return partial(_decoded, mime.data(form))
    return partial(
        str, clipboard.text()
    )  # Qt makes a text of other kinds, such as addresses of files


def _decoded(data: QByteArray) -> str:
    """Decode UTF-8, which Qt offers text in everywhere.

    Raises UserError "paste.too_large" (limit).
    """
    if data.size() > 4 * LARGEST_TEXT:  # a letter has at most 4 bytes
        raise UserError("paste.too_large", limit=LARGEST_TEXT)
    return str(data.data(), "utf-8-sig", "replace").removesuffix("\0")


def _pasted_matrix(contents: TableContents, text: str) -> PastedMatrix:
    found = parse_labelled(text)
    labels = contents.orientation.pair(found.rows, found.columns)[0]
    values = contents.orientation.matrix(found.values)
    if axes_of(contents.tensor)[0] == "" and values.shape[1] == 1:
        values = values.reshape(1, -1)  # a vector may come as a column
    return PastedMatrix(values, labels if token_axis(contents.document, contents.tensor) else ())
