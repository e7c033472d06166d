"""The data of a lesson: frozen, compared by value, without arrays. Import it from
core.lesson.lesson.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from core.base.cell import Cell
from core.base.text import clean_text
from core.explain.timeline import Grain, Reach

SOURCE_LANGUAGE = "en"  # the fallback of every text
# Panels that a scene may show, one or two; a scene with a lab may show the lab too.
PANELS = ("diagram", "stage", "derivation", "heatmap", "code")
USUAL_STAGE = "scores"
USUAL_VIEW = ("diagram", "stage")
LAB_VIEW = ("lab",)
PAGE_VIEW = ("page",)  # the scene's own title, text and picture
MOST_PICTURE = 4_000_000  # bytes of a picture
MOST_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class LocalizedText:
    """One text in any number of languages, by language code; a language without a text is absent."""

    texts: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        written = {language: clean_text(text) for language, text in self.texts.items() if text}
        object.__setattr__(self, "texts", MappingProxyType(written))

    def __bool__(self) -> bool:
        return bool(self.texts)

    def get(self, language: str) -> str:
        """The text in exactly this language, "" where there is none."""
        return self.texts.get(language, "")

    def of(self, language: str) -> str:
        """The text in a language; where there is none, the English one, else the first."""
        return (
            self.get(language) or self.get(SOURCE_LANGUAGE) or next(iter(self.texts.values()), "")
        )

    def with_text(self, language: str, text: str) -> LocalizedText:
        """A copy with the text of one language replaced; languages keep their order."""
        return LocalizedText({**self.texts, language: text})


EMPTY_TEXT = LocalizedText()


class ExampleSource(Struct, frozen=True):
    """An experiment that ships with the program."""

    id: str


class FileSource(Struct, frozen=True):
    """An experiment file in the lesson's folder or below it; `path` with forward slashes, relative
    to it.
    """

    path: str


class InlineSource(Struct, frozen=True):
    """An experiment inside the lesson: the text of its file."""

    text: str


Source = ExampleSource | FileSource | InlineSource


class Change(Struct, frozen=True):
    """A place in the experiment before, such as heads[0].Q[1][0], and its new value as JSON; "null"
    removes a key.
    """

    place: str
    json: str


class LessonSteps(Struct, frozen=True):
    """Steps from the beginning of a scene before the next scene."""

    grain: Grain
    count: int


class PanelSplit(Struct, frozen=True):
    """How two panels share the screen: "stacked", "side_by_side" or "" as there is room, and the
    first one's share in per cent, 0 for the usual one.
    """

    layout: str = ""
    share: int = 0


USUAL_SPLIT = PanelSplit()
LAYOUTS = ("stacked", "side_by_side")
SHARES = (20, 80)  # the least and the greatest in per cent


class LabReference(Struct, frozen=True):
    """A lab and the values of its controls as a JSON object on one line; other controls have their
    defaults.
    """

    lab: str
    json: str = "{}"


@dataclass(frozen=True, slots=True)
class LessonScene:
    """One scene: an experiment, a place on its timeline, the panels and the texts.

    Without `source` the experiment is that of the scene before. `changes` are applied to it in
    order. `focus` None is the cell of the cursor. `breakpoint` begins a new group of scenes. `demo`
    is the lab in the panel "lab"; such a scene may come first without a `source`, and then has the
    lab's experiment. The panel "page" shows `text` and `picture` (PNG or JPEG, as base64), or the
    title alone; a scene that shows only this may come first, too.
    """

    source: Source | None = None
    changes: tuple[Change, ...] = ()
    stage: str = USUAL_STAGE
    reach: Reach = Reach.WHOLE
    row: int = 0
    column: int = 0
    head: int = 0
    focus: Cell | None = None
    view: tuple[str, ...] = USUAL_VIEW
    split: PanelSplit = USUAL_SPLIT
    steps: LessonSteps | None = None
    demo: LabReference | None = None
    text: LocalizedText = EMPTY_TEXT
    picture: str = ""
    title: LocalizedText = EMPTY_TEXT
    say: LocalizedText = EMPTY_TEXT
    question: LocalizedText = EMPTY_TEXT
    answer: LocalizedText = EMPTY_TEXT
    notes: LocalizedText = EMPTY_TEXT
    breakpoint: bool = False


@dataclass(frozen=True, slots=True)
class Lesson:
    """The scenes in order. Files named in scenes are looked for in `folder`, which is not written."""

    scenes: tuple[LessonScene, ...] = ()
    title: LocalizedText = EMPTY_TEXT
    notes: LocalizedText = EMPTY_TEXT
    folder: Path | None = field(default=None, compare=False)

    def group(self, index: int) -> int:
        """The index of the first scene of a scene's group."""
        return next((i for i in range(index, 0, -1) if self.scenes[i].breakpoint), 0)

    def next_group(self, index: int) -> int | None:
        """The index of the first scene of the next group, None for the last group."""
        return next(
            (i for i in range(index + 1, len(self.scenes)) if self.scenes[i].breakpoint), None
        )
