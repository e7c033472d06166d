"""Sentences about numbers that come in from other programs and go out to them. Merged into gui.texts.problems."""

from __future__ import annotations

from dataclasses import replace

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.exchange.labels import Labels
from gui.texts.program import NOTES
from gui.texts.translation import mark, tr, tr_marked

FORMATS: dict[str, str] = {
    "xlsx": mark("Excel workbook with live formulas"),
    "py": mark("NumPy script"),
    "torch": mark("PyTorch script"),
    "ipynb": mark("Jupyter notebook"),
    "tex": mark("LaTeX document"),
    "npz": mark("NumPy arrays of every stage"),
    "json": mark("JSON of every stage"),
    "csv": mark("Folder with a CSV file for each stage and head"),
}

SENTENCES: dict[str, str] = {
    # Expressions in a cell
    "number.undefined": mark(
        "“{text}” has no value that is a real number. Type one such as 0.5, 1/3 or sqrt(2)/2."
    ),
    # Pasted text
    "paste.empty": mark(
        "There are no numbers here; copy a matrix, such as cells of a spreadsheet, and paste it."
    ),
    "paste.too_large": mark(
        "This text is longer than {limit} characters, too long to paste; open it as a file."
    ),
    "paste.too_many": mark(
        "There are too many numbers or rows in this text to paste it; open it as a file."
    ),
    "paste.laboured": mark(
        "More than {limit} different cells would have to be worked out, such as 1/3 + √2; give their values instead."
    ),
    "paste.ragged": mark(
        "Row {row} has {actual} entries, but row 1 has {expected}; all rows must be equally long."
    ),
    "paste.elided": mark(
        "Row {row} holds “…” in place of numbers that were left out; copy the whole matrix "
        "(in NumPy: np.set_printoptions(threshold=np.inf))."
    ),
    "paste.several": mark("These are {actual} matrices; copy one at a time."),
    "paste.axes": mark(
        "These lists have {actual} levels; a matrix is a list of rows, a row a list of numbers."
    ),
    "paste.bracket": mark(
        "The bracket “{text}” has no partner; copy the matrix from its first bracket to its last."
    ),
    "paste.leftover": mark("“{text}” beside the matrix is not understood; copy the matrix alone."),
    "paste.commas": mark(
        "“{text}” has a decimal comma, but other numbers have a decimal point; use one of the two throughout."
    ),
    "paste.ambiguous": mark(
        "“{text}” may be one number or two; write a decimal point, or a space after the comma."
    ),
    "paste.quotes": mark("A double quote is opened and not closed; close it, or take it out."),
    "cell.covered": mark(
        "What is still to be predicted cannot be changed; show it first, with a step forward."
    ),
    "paste.computed": mark(
        "The matrix is {actual}, but this one is computed and stays {expected}."
    ),
    "paste.vector": mark("The matrix is {actual}, but a bias is a single row."),
    "paste.output": mark("W_O cannot have {actual} rows: {h} heads need as many columns each."),
    "paste.heads": mark(
        "Matrix {head} is {actual}, but the first is {expected}; all must be of the same size."
    ),
    # Files of other programs
    "import.ending": mark("This kind of file cannot be read for numbers; it can be {known}."),
    "import.empty": mark(
        "There are no numbers in it; it must hold at least one row and one column."
    ),
    "import.encoding": mark("The text is neither UTF-8 nor UTF-16; save it as UTF-8."),
    "import.damaged": mark("The file is damaged or of another kind than its name says ({detail})."),
    "import.nothing": mark("No table of real numbers is in it."),
    "import.numbers": mark("{name} holds no table of real numbers."),
    "import.axes": mark("{name} is {actual}; a matrix has 2 axes, a matrix for each head 3."),
    "import.too_large": mark("The file unpacks to more than {limit}, which is too large to read."),
    "import.table": mark("There is no “{name}” in it; there are {known}."),
    "import.range": mark("“{text}” is not a range of cells such as B2:E5."),
    "import.formula": mark(
        "{text} holds a formula without a stored value; open the workbook once in a spreadsheet program and save it."
    ),
    "import.heads": mark(
        "{name} has {actual} heads, but {first} has {expected}; all must have as many."
    ),
    "memory": mark("This needs more memory than there is."),
    # Out
    "export.unknown": mark("There is no format “{format}”; there are {known}."),
    "export.too_large": mark(
        "The experiment is too large for {format}: {size} numbers, where {limit} are the most."
    ),
    "output.folder": mark("{path} holds other files; choose a new folder."),
}

# The sentence where one value is special: its key, the value (one of something, no name), the sentence.
VARIANTS: dict[str, tuple[str, object, str]] = {
    "paste.ragged": (
        "actual",
        1,
        mark("Row {row} has 1 entry, but row 1 has {expected}; all rows must be equally long."),
    ),
    "paste.output": (
        "actual",
        1,
        mark("W_O cannot have 1 row: {h} heads need as many columns each."),
    ),
    "import.heads": (
        "actual",
        1,
        mark("{name} has 1 head, but {first} has {expected}; all must have as many."),
    ),
    "import.numbers": ("name", "", mark("The array holds no table of real numbers.")),
    "import.axes": (
        "name",
        "",
        mark("The array is {actual}; a matrix has 2 axes, a matrix for each head 3."),
    ),
}


KEEPS = mark("python THIS_SCRIPT.py OUT.npz keeps the numbers")


def in_language(document: Document) -> Document:
    """The experiment with what people read of it in the current language: title, notes, names of heads."""
    heads = tuple(
        replace(head, name=tr_marked(head.name)) if head.name else head for head in document.heads
    )
    title, notes = (tr_marked(text) if text else "" for text in (document.title, document.notes))
    return document.with_(title=title, notes=notes, heads=heads)


def labels(orientation: Orientation = ROWS) -> Labels:
    """The words that stand in exported files, in the current language, for a reader who sees tokens this way."""
    return Labels(
        settings=tr("settings"),
        entered=tr("entered"),
        computed=tr("computed"),
        what_if=tr("what-if value"),
        head=tr("head {number}", number="{number}"),
        on=tr("1 = on, 0 = off"),
        mask=tr("mask"),
        allowed=tr("1 = allowed, 0 = not allowed"),
        base=tr("base"),
        scale=tr("scale"),
        slope=tr("slope"),
        comments={note: tr_marked(note) for note in (*NOTES, KEEPS)},
        rows=tr("Tokens are rows in this file; the window shows them as columns.")
        if orientation.columns
        else "",
        beyond=tr(
            "Numbers go beyond 1.8×10³⁰⁸: the experiment stops there, this code goes on with inf and may print nan."
        ),
    )
