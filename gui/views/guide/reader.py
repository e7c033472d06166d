"""The pages of the guide: which there are, their text, and the places that links lead to. Free of
Qt.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QResizeEvent,
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
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from core.base.files import guide
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, DISPLAY, TITLE, Colours, colours, mono

GUIDE, NOTICES = "guide", "notices"
PAGES = (GUIDE, NOTICES)


def page_text(page: str, language: str) -> str:
    """The Markdown of a page in a language, in English where there is none. The notices are in
    English alone.
    """
    path = guide("notices.md" if page == NOTICES else f"{language}.md")
    return (path if path.is_file() else guide("en.md")).read_text(encoding="utf-8")


def page_of(path: str) -> str | None:
    """The page that a link's path leads to, such as "notices.md"; None for all else."""
    if path == "notices.md":
        return NOTICES
    return GUIDE if re.fullmatch(r"[a-z]{2,3}(_\w+)?\.md", path) else None


def slug(heading: str) -> str:
    """The address of a heading within its page, as code hosts make it: "Step, and play" is
    #step-and-play.
    """
    kept = (
        sign for sign in unicodedata.normalize("NFC", heading.lower()) if re.match(r"[\w \-]", sign)
    )
    return "".join(kept).strip().replace(" ", "-")


def picture_name(name: str, dark: bool) -> str:
    """The file of a picture that belongs to a light or a dark theme: "en-window.png" is
    "en-window-dark.png" too.
    """
    stem, dot, ending = name.rpartition(".")
    return f"{stem}-dark{dot}{ending}" if dark else name


READING_SIZE = BODY + 1  # pixels at 100 %: a page is read, not glanced at
HEADINGS = {1: DISPLAY + 2, 2: TITLE + 1, 3: BODY + 2}
ABOVE = {1: 0, 2: 26, 3: 16}
LINE_HEIGHT = 128.0  # per cent
PICTURE = "￼"  # what stands in the text for a picture


def style_document(document: QTextDocument, theme: Colours) -> None:
    """Give a document that came from Markdown its looks; afterwards it is as at first, but for its
    formats.
    """
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


MAX_LINE = 760  # units of a line of text: longer ones are hard to follow
NARROWEST_SIDE = 20  # units at its left and right
PICTURE_SCALE = 0.6  # units for a pixel of a picture: so that it is sharp on fine screens
AT_TOP = 40  # units below the upper edge that still count as the top
MOST_HITS = 500
DARK_SHADES = ("dark", "chalkboard")


@dataclass(frozen=True, slots=True)
class PageHeading:
    """A heading of the page: its level from 1, its text, and the position of its block in the
    document.
    """

    level: int
    text: str
    position: int


class GuideReader(QTextBrowser):
    """`moved()`: another heading is at the top, or another page; `copied(address)`: a link out of
    the guide.
    """

    moved = Signal()
    copied = Signal(str)

    def __init__(self, language: str, shade: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page, self._language, self._shade = GUIDE, language, shade
        self.headings: tuple[PageHeading, ...] = ()
        self.hits: list[QTextCursor] = []
        self.hit = -1
        self._section = 0  # the heading at the top, or passed last
        self._document: QTextDocument | None = None
        self._places: list[tuple[str, int]] = [(GUIDE, 0)]  # the history: pages, and how far down
        self._now = 0  # the place in it
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        )  # so that filling does not resize
        self.anchorClicked.connect(self._follow)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._fill()

    # What is shown

    def appear(self, language: str, shade: str) -> None:
        """Another language, theme or text size; the same section stays at the top."""
        place = self._section
        self._language, self._shade = language, shade
        self._fill()
        self._to_section(place)

    def _fill(self) -> None:
        document = QTextDocument(self)
        document.setDefaultFont(face(READING_SIZE))
        document.setMarkdown(page_text(self.page, self._language))
        style_document(document, self._theme())
        set_margins(document, self._side())
        before, self._document = self._document, document
        self.setDocument(document)
        if before is not None:
            before.deleteLater()
        self.headings = tuple(self._found_headings())
        self.hits, self.hit = [], -1
        self.setExtraSelections([])
        self.moved.emit()

    def _found_headings(self) -> list[PageHeading]:
        found = []
        block = self.document().begin()
        while block.isValid():
            if level := block.blockFormat().headingLevel():
                found.append(PageHeading(level, block.text(), block.position()))
            block = block.next()
        return found

    def _theme(self) -> Colours:
        return colours(self._shade)

    def _side(self) -> int:
        return max(px(NARROWEST_SIDE), (self.viewport().width() - px(MAX_LINE)) // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The text keeps its width, its pictures too, as long as there is room."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.appear(self._language, self._shade)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """A picture of the guide's own folder, as wide as the text at the most; nothing else is
        ever loaded.
        """
        path = name.path() if isinstance(name, QUrl) else name
        file = PurePosixPath(path).name
        if kind != QTextDocument.ResourceType.ImageResource.value or not file.endswith(".png"):
            return None
        fitting = guide("pictures", picture_name(file, self._shade in DARK_SHADES))
        picture = QImage(str(fitting if fitting.exists() else guide("pictures", file)))
        if picture.isNull():
            return None
        ratio = self.devicePixelRatioF()
        width = min(self.viewport().width() - 2 * self._side(), px(picture.width() * PICTURE_SCALE))
        picture = picture.scaledToWidth(
            max(1, round(width * ratio)), Qt.TransformationMode.SmoothTransformation
        )
        picture.setDevicePixelRatio(ratio)
        return picture

    # Where one is

    def section(self) -> int:
        """The index of the heading that is at the top or was passed last; 0 before the first."""
        return self._section

    def _scrolled(self) -> None:
        seen = self.verticalScrollBar().value() + px(AT_TOP)
        self._section = sum(self._top(heading) <= seen for heading in self.headings[1:])
        self.moved.emit()

    def _top(self, heading: PageHeading) -> float:
        """How far down the page a heading stands, in pixels."""
        block = self.document().findBlock(heading.position)
        return self.document().documentLayout().blockBoundingRect(block).top()

    # Ways

    def show_section(self, index: int) -> None:
        """Go to a heading of this page, remembering the way back."""
        self._remember()
        self._to_section(index)

    def show_page(self, page: str, address: str = "") -> None:
        """Go to a page, and there to the heading of an address."""
        self._remember()
        self._to_page(page)
        index = next(
            (i for i, heading in enumerate(self.headings) if slug(heading.text) == address), 0
        )
        self._to_section(index)

    def go(self, by: int) -> None:
        """Go back (−1) to where one was before a jump, or forward (1) again."""
        if 0 <= self._now + by < len(self._places):
            self._places[self._now] = self.page, self.verticalScrollBar().value()
            self._now += by
            page, scrolled = self._places[self._now]
            self._to_page(page)
            self.verticalScrollBar().setValue(scrolled)
            self._scrolled()

    def can_go(self) -> tuple[bool, bool]:
        """Whether there is a way back, and one forward."""
        return self._now > 0, self._now + 1 < len(self._places)

    def _remember(self) -> None:
        """Keep this place in the history, before a jump to another."""
        here = self.page, self.verticalScrollBar().value()
        self._places[self._now :] = [here, here]
        self._now += 1

    def _to_page(self, page: str) -> None:
        if page != self.page:
            self.page, self._section = page, 0
            self._fill()

    def _to_section(self, index: int) -> None:
        known = 0 < index < len(self.headings)
        self.verticalScrollBar().setValue(
            round(self._top(self.headings[index])) - px(6) if known else 0
        )
        self._section = index
        self.moved.emit()

    def _follow(self, url: QUrl) -> None:
        page = page_of(url.path()) if url.path() else self.page
        if url.scheme() or page is None:  # out of the guide: there is no network here
            QGuiApplication.clipboard().setText(url.toString())
            self.copied.emit(url.toString())
        else:
            self.show_page(page, url.fragment(QUrl.ComponentFormattingOption.FullyDecoded))

    # Search

    def search(self, text: str) -> None:
        """Mark where a text stands and go to the first place from here on."""
        self.hits = self._found(text) if text.strip() else []
        here = self.headings[self._section].position if self.headings else 0
        self.hit = next(
            (i for i, hit in enumerate(self.hits) if hit.position() >= here), 0 if self.hits else -1
        )
        self._show_hit()

    def next_hit(self, by: int) -> None:
        """The next place, or the one before, round and round."""
        if self.hits:
            self.hit = (self.hit + by) % len(self.hits)
            self._show_hit()

    def _found(self, text: str) -> list[QTextCursor]:
        found: list[QTextCursor] = []
        cursor = self.document().find(text, 0)
        while not cursor.isNull() and len(found) < MOST_HITS:
            found.append(cursor)
            cursor = self.document().find(text, cursor)
        return found

    def _show_hit(self) -> None:
        theme = self._theme()
        self.setExtraSelections([self._marked(i, hit, theme) for i, hit in enumerate(self.hits)])
        if self.hits:
            here = QTextCursor(self.hits[self.hit])
            here.setPosition(here.selectionStart())
            self.setTextCursor(here)
            self.ensureCursorVisible()

    def _marked(self, index: int, hit: QTextCursor, theme: Colours) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        here = index == self.hit
        selection.cursor = hit
        selection.format.setBackground(QColor(theme.accent if here else theme.flash))
        selection.format.setForeground(QColor(theme.on_accent if here else theme.text))
        return selection
