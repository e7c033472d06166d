"""Sections of a deck, one for each group of scenes, so that the list of slides shows where a part begins."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from gui.export.slide_words import title
from gui.session.state import State
from gui.texts.translation import tr

if TYPE_CHECKING:
    from pptx.presentation import Presentation

_MAIN = "http://schemas.openxmlformats.org/presentationml/2006/main"
_SECTIONS = "http://schemas.microsoft.com/office/powerpoint/2010/main"
_URI = "{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"  # what the file format calls the list of sections


def add_sections(deck: Presentation, shown: Sequence[State]) -> None:
    """The title slide stands alone; the first scene and each breakpoint begin a section. `shown` is the state of every
    other slide.

    The library has no name for sections: the list is written as the file format wants it.
    """
    from pptx.oxml import parse_xml

    parts: list[tuple[str, list[int]]] = []
    first, *others = (slide.slide_id for slide in deck.slides)
    before = None
    for number, state in zip(others, shown, strict=True):
        begins = state is not before and state.scene is not None and state.scene.scene.breakpoint
        before = state
        if not parts or begins:
            parts.append((title(state), []))
        parts[-1][1].append(number)
    sections = "".join(
        _section(name, numbers, index)
        for index, (name, numbers) in enumerate(_opened(parts, first))
    )
    xml = (
        f'<p:extLst xmlns:p="{_MAIN}"><p:ext uri="{_URI}">'
        f'<p14:sectionLst xmlns:p14="{_SECTIONS}">{sections}</p14:sectionLst></p:ext></p:extLst>'
    )
    deck.part._element.append(parse_xml(xml))


def _opened(parts: list[tuple[str, list[int]]], first: int) -> list[tuple[str, list[int]]]:
    """The parts behind the title slide, which stands alone."""
    return [(tr("Title"), [first]), *parts]


def _section(name: str, numbers: list[int], index: int) -> str:
    mark = uuid.uuid5(uuid.NAMESPACE_URL, f"section {index}")  # the same at each export
    slides = "".join(f'<p14:sldId id="{number}"/>' for number in numbers)
    braced = "{" + str(mark).upper() + "}"
    return f'<p14:section name={quoteattr(name)} id="{braced}"><p14:sldIdLst>{slides}</p14:sldIdLst></p14:section>'
