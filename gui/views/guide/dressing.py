"""How a page of the guide looks: sizes of the type scale, room between lines, the theme's colours."""

from __future__ import annotations

from PySide6.QtGui import (
    QColor,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from gui.painting.text_size import face, px
from gui.painting.theme import BODY, DISPLAY, TITLE, Colours, mono

READING = BODY + 1  # pixels at 100 %: a page is read, not glanced at
HEADINGS = {1: DISPLAY + 2, 2: TITLE + 1, 3: BODY + 2}
ABOVE = {1: 0, 2: 26, 3: 16}
LINE_HEIGHT = 128.0  # per cent
PICTURE = "￼"  # what stands in the text for a picture


def dress(document: QTextDocument, theme: Colours) -> None:
    """Give a document that came from Markdown its looks; afterwards it is as at first, but for its formats."""
    block = document.begin()
    while block.isValid():
        _dress_block(block, theme)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame, theme)


def set_margins(document: QTextDocument, side: int) -> None:
    """The empty room at the left and at the right of the text."""
    root = document.rootFrame()
    shape = QTextFrameFormat(root.frameFormat())
    shape.setMargin(px(24))
    shape.setLeftMargin(side)
    shape.setRightMargin(side)
    root.setFrameFormat(shape)


def _dress_block(block: QTextBlock, theme: Colours) -> None:
    cursor = QTextCursor(block)
    shape = QTextBlockFormat(block.blockFormat())
    level = min(shape.headingLevel(), 3)
    in_table = cursor.currentTable() is not None
    if PICTURE not in block.text() and not in_table:
        shape.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    if level:
        shape.setTopMargin(px(ABOVE[level]))
        shape.setBottomMargin(px(8))
    elif not in_table:
        shape.setTopMargin(px(2) if block.textList() else px(6))
        shape.setBottomMargin(px(2) if block.textList() else px(6))
    cursor.setBlockFormat(shape)
    if level:
        _dress_heading(cursor, HEADINGS[level], theme)
    _dress_code(block, theme)


def _dress_heading(cursor: QTextCursor, pixels: int, theme: Colours) -> None:
    look = QTextCharFormat()
    look.setFont(face(pixels, bold=True))
    look.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)
    look.setForeground(QColor(theme.text))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.setCharFormat(look)


def _dress_code(block: QTextBlock, theme: Colours) -> None:
    spans = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        if fragment.charFormat().fontFixedPitch():
            spans.append((fragment.position(), fragment.length()))
        iterator += 1
    look = QTextCharFormat()
    look.setFont(mono(px(BODY)))
    look.setBackground(QColor(theme.sunken))
    for position, length in spans:
        cursor = QTextCursor(block)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(look)


def _dress_table(table: QTextTable, theme: Colours) -> None:
    shape = QTextTableFormat(table.format().toTableFormat())
    shape.setBorder(1)
    shape.setBorderBrush(QColor(theme.line))
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderCollapse(True)
    shape.setCellPadding(px(5))
    shape.setCellSpacing(0)
    shape.setTopMargin(px(6))
    shape.setBottomMargin(px(10))
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    if table.columns() == 2:  # a name and what it is
        shape.setColumnWidthConstraints(
            [QTextLength(QTextLength.Type.PercentageLength, part) for part in (36, 64)]
        )
    table.setFormat(shape)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        look = QTextCharFormat(cell.format())
        look.setBackground(QColor(theme.sunken))
        cell.setFormat(look)
