"""Replace characters that no installed font has by their codes, and report them. Free of Qt.

Which characters can be drawn is known to gui/widgets/font_coverage.py, which hands its answer in;
until then all of them can.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from msgspec import Struct

from gui.texts.translation import mark, tr, tr_marked


def _every_character(_character: str) -> bool:
    return True


_drawable: Callable[[str], bool] = _every_character
_written = False


def use_glyphs(drawable: Callable[[str], bool] = _every_character) -> None:
    """Set the function that tells which characters can be drawn; by default all."""
    global _drawable
    _drawable = drawable


@contextmanager
def as_written(*, yes: bool = True) -> Iterator[None]:
    """Leave texts as they are, for files that are read elsewhere with other fonts.

    `yes` False: replace characters again, for a picture inside such a file.
    """
    global _written
    before, _written = _written, yes
    try:
        yield
    finally:
        _written = before


def glyph_settings() -> tuple[Callable[[str], bool], bool]:
    """What `drawable_text` depends on besides the text: the key of caches."""
    return _drawable, _written


def drawable_text(text: str) -> str:
    """Replace each run of characters that no font has by the first one's code in brackets."""
    if _written or text.isascii() or all(map(_drawable, text)):
        return text
    runs = itertools.groupby(text, _drawable)
    return "".join("".join(run) if known else stand_in("".join(run)) for known, run in runs)


def stand_in(characters: str) -> str:
    """The replacement of a run: [U+1F34E], or [U+1F34E …] for several characters."""
    return f"[{code(characters)}]" if len(characters) == 1 else f"[{code(characters)} …]"


def code(characters: str) -> str:
    """The code of the first character."""
    return f"U+{ord(characters[0]):04X}"


class MissingGlyph(Struct, frozen=True):
    """A character that no font has, and its first place: "token", "context", "head", "title" or
    "notes".

    `number` counts tokens and heads from 1.
    """

    character: str
    kind: str
    number: int = 0


def find_missing_glyphs(texts: Sequence[tuple[str, Sequence[str]]]) -> tuple[MissingGlyph, ...]:
    """Each missing character once. `texts`: pairs of a kind of place and its texts."""
    found: dict[str, MissingGlyph] = {}
    for kind, several in texts:
        for number, text in enumerate(several, 1):
            if not text.isascii():
                for character in text:
                    if not _drawable(character):
                        found.setdefault(character, MissingGlyph(character, kind, number))
    return tuple(found.values())


MOST_NAMED = 3


def missing_glyphs_text(missing: Sequence[MissingGlyph]) -> str:
    """The message about missing characters: which, where, the replacement, and a font that helps."""
    first, others = missing[0], missing[1 : MOST_NAMED + 1]
    name = _name(first.character)
    place = tr_marked(_PLACES[first.kind], number=first.number)
    said = [
        tr(
            "No installed font can display {name} ({place}); it is shown as {stand_in}.",
            name=name,
            place=place,
            stand_in=stand_in(first.character),
        )
        if first.kind in ("token", "context", "head")
        else tr("No installed font can display {name} ({place}).", name=name, place=place)
    ]
    if others:
        codes = tr(", ").join(code(one.character) for one in others)
        more = len(missing) - 1 - len(others)
        said.append(
            tr("The same goes for {codes} and {n} more.", codes=codes, n=more)
            if more
            else tr("The same goes for {codes}.", codes=codes)
        )
    font = font_for(first.character)
    helps = tr("Install a font with this script, for example {font}.", font=font) if font else ""
    said.append(helps or tr("Install the font it was made for, or write it another way."))
    return reduce(lambda one, next_: tr("{sentence} {next}", sentence=one, next=next_), said)


def _name(character: str) -> str:
    """The Unicode name of a character, or its code."""
    return unicodedata.name(character, "") or tr("the character {code}", code=code(character))


_PLACES = {
    "token": mark("token {number}"),
    "context": mark("token {number} of the context"),
    "head": mark("name of head {number}"),
    "title": mark("the title"),
    "notes": mark("the notes"),
}

# Words that end the script's name in a character's name.
_AFTER_SCRIPT = {
    "LETTER",
    "SYLLABLE",
    "SIGN",
    "VOWEL",
    "DIGIT",
    "NUMBER",
    "NUMERIC",
    "CAPITAL",
    "SMALL",
    "CHARACTER",
}
_CJK = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC")
_OWN_FONTS = {
    "TIBETAN": "Noto Serif Tibetan",
    "EGYPTIAN": "Noto Sans Egyptian Hieroglyphs",
    "TANGUT": "Noto Serif Tangut",
}
_EMOJI = ((0x1F000, 0x1FAFF), (0x2600, 0x27BF), (0x2B00, 0x2BFF))


def font_for(character: str) -> str:
    """A free font that has a character, by the character's name; "" for one without a name."""
    words = unicodedata.name(character, "").split()
    if not words:
        return ""
    if any(low <= ord(character) <= high for low, high in _EMOJI):
        return "Noto Emoji"
    if words[0] in _OWN_FONTS or words[0] in _CJK:
        return _OWN_FONTS.get(words[0], "Noto Sans CJK SC")
    if words[0] == "MATHEMATICAL" or unicodedata.category(character) == "Sm":
        return "Noto Sans Math"
    if unicodedata.category(character)[0] not in "LMN":
        return "Noto Sans Symbols"
    script = itertools.takewhile(lambda word: word not in _AFTER_SCRIPT, words)
    return " ".join(("Noto Sans", *(word.title() for word in script)))
