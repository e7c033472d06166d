"""Cut the program's fonts out of Debian's Noto packages into resources/fonts.

    python tools/make_fonts.py [FOLDER WITH THE UNPACKED PACKAGES]

Needs fontTools (requirements-dev.txt) and, without a folder, apt-get and dpkg-deb. The families get names of their own,
so that an installed Noto of another version never mixes with them, and all have the same ascent and descent, so that a
line is as high in Chinese as in English. Licence: resources/fonts/OFL.txt.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from fontTools.fontBuilder import buildCmapSubTable
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph, GlyphCoordinates

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "resources" / "fonts"
PACKAGES = ("fonts-noto-core", "fonts-noto-mono", "fonts-noto-cjk")
TRUETYPE, OPENTYPE = Path("usr/share/fonts/truetype/noto"), Path("usr/share/fonts/opentype/noto")
MINUS = "−"
EXTRA = 18  # half of what strokes of Noto Sans Bold are thicker than those of Regular
CHINESE_FACE = 2  # of the collection: Japanese, Korean, Simplified Chinese, …
ASCENT, DESCENT = (
    960,
    260,
)  # thousandths of the size: Å and ç fit, rows stay as close as in other interfaces

SEPARATORS = frozenset(map(ord, "▸▾"))  # between the names of menus; tiny in Noto
SEPARATOR_SCALE, SEPARATOR_MIDDLE = 1.5, 322

Ranges = tuple[tuple[int, int], ...]
LETTERS: Ranges = (
    (0x20, 0x58F),  # Latin, phonetic signs, accents, Greek, Cyrillic, Armenian
    (0x1D00, 0x218F),  # more Latin and Greek, punctuation, raised and lowered digits, fractions
    (0x2C60, 0x2C7F),
    (0xA720, 0xA7FF),
    (0xFB00, 0xFB06),
    (0xFE20, 0xFE2F),
    (0xFFFC, 0xFFFD),
)
SIGNS: dict[str, Ranges] = {
    "NotoSansMath-Regular.ttf": (
        (0x2100, 0x214F),  # letterlike
        (0x2190, 0x22FF),  # arrows, operators
        (0x2300, 0x23FF),
        (0x25A0, 0x25FF),  # shapes
        (0x27C0, 0x27FF),
        (0x2900, 0x2AFF),
        (0x1D400, 0x1D7FF),  # letters in mathematical alphabets
    ),
    "NotoSansSymbols2-Regular.ttf": (
        (0x2423, 0x2423),  # the open box that stands for a space
        (0x25A0, 0x25FF),
        (0x2713, 0x2718),  # check marks and crosses
    ),
}


@dataclass(frozen=True, slots=True)
class Cut:
    """One font: the file to make, its family and style, the file that it comes from, its characters."""

    file: str
    family: str
    style: str
    source: Path
    characters: frozenset[int]


def characters_of(ranges: Ranges) -> frozenset[int]:
    """All code points of ranges, both ends included."""
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


def chinese_characters() -> frozenset[int]:
    """ASCII and the 7,445 characters of GB 2312."""
    found = set(range(0x20, 0x7F))
    for row in range(0xA1, 0xF8):
        for cell in range(0xA1, 0xFF):
            text = bytes((row, cell)).decode("gb2312", "ignore")
            found.update(map(ord, text))
    return frozenset(found)


def cuts() -> list[Cut]:
    """Every font that ships."""
    letters, chinese = characters_of(LETTERS), chinese_characters()
    signs = frozenset().union(*map(characters_of, SIGNS.values()))
    return [
        *(_latin("Sans", "", style, letters) for style in ("Regular", "Bold", "Italic")),
        *(_latin("Mono", "Mono", style, letters | signs) for style in ("Regular", "Bold")),
        *(
            Cut(
                f"Chinese-{style}.otf",
                "Attention Stepper Chinese",
                style,
                OPENTYPE / f"NotoSansCJK-{style}.ttc",
                chinese,
            )
            for style in ("Regular", "Bold")
        ),
    ]


def _latin(name: str, part: str, style: str, characters: frozenset[int]) -> Cut:
    source = TRUETYPE / f"NotoSans{part}-{style}.ttf"
    return Cut(f"{name}-{style}.ttf", f"Attention Stepper {name}", style, source, characters)


def make(cut: Cut, folder: Path) -> bytes:
    """The font file."""
    font = TTFont(folder / cut.source, fontNumber=CHINESE_FACE, recalcTimestamp=False)
    options = Options()
    options.layout_features = ["ccmp", "kern", "liga", "locl", "mark", "mkmk", "tnum"]
    options.drop_tables += ["BASE", "DSIG", "GlyphOrder", "VORG", "vhea", "vmtx"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 7, 13, 14]
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=cut.characters)
    subsetter.subset(font)
    if cut.family.endswith("Sans"):
        _add_signs(font, folder, bold=cut.style == "Bold")
    font["post"].isFixedPitch = int(cut.family.endswith("Mono"))
    _rename(font, cut)
    _set_heights(font)
    path = TARGET / cut.file
    font.save(path)
    return path.read_bytes()


def _add_signs(font: TTFont, folder: Path, *, bold: bool) -> None:
    """Give Noto Sans the signs that it lacks, so that no formula is pieced together from several fonts."""
    characters = dict(font.getBestCmap())
    _add_glyph(font, "minus", _minus(font), font["hmtx"][characters[ord("+")]][0])
    characters[ord(MINUS)] = "minus"
    for source, ranges in SIGNS.items():
        other = TTFont(folder / TRUETYPE / source)
        names, glyphs = other.getBestCmap(), other.getGlyphSet()
        for code in sorted(characters_of(ranges) & names.keys() - characters.keys()):
            name = characters[code] = f"sign{code:X}"
            recording, pen = DecomposingRecordingPen(glyphs), TTGlyphPen(None)
            glyphs[names[code]].draw(recording)
            larger = SEPARATOR_SCALE if code in SEPARATORS else 1.0
            up = SEPARATOR_MIDDLE * (1 - larger)
            recording.replay(TransformPen(pen, (larger, 0, 0, larger, 0, up)))
            glyph = pen.glyph()
            if bold:
                _embolden(glyph)
            _add_glyph(font, name, glyph, round(other["hmtx"][names[code]][0] * larger))
    basic = {code: name for code, name in characters.items() if code <= 0xFFFF}
    font["cmap"].tables = [
        buildCmapSubTable(basic, 4, 3, 1),
        buildCmapSubTable(characters, 12, 3, 10),
    ]


def _add_glyph(font: TTFont, name: str, glyph: Glyph, width: int) -> None:
    font.setGlyphOrder([*font.getGlyphOrder(), name])
    font["glyf"][name] = glyph
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (width, getattr(glyph, "xMin", 0))


def _minus(font: TTFont) -> Glyph:
    """The bar of the plus."""
    plus = font.getBestCmap()[ord("+")]
    points = font["glyf"][plus].getCoordinates(font["glyf"])[0]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    _, low, high, _ = sorted({y for _, y in points})
    pen = TTGlyphPen(None)
    pen.moveTo((left, low))
    for corner in ((left, high), (right, high), (right, low)):
        pen.lineTo(corner)
    pen.closePath()
    return pen.glyph()


def _embolden(glyph: Glyph) -> None:
    """Move the outlines outwards, so that strokes are as thick as those of Noto Sans Bold."""
    if glyph.numberOfContours <= 0:
        return
    points, moved, first = list(glyph.coordinates), [], 0
    for last in glyph.endPtsOfContours:
        moved += _outwards([complex(*point) for point in points[first : last + 1]])
        first = last + 1
    glyph.coordinates = GlyphCoordinates([(round(z.real), round(z.imag)) for z in moved])


def _outwards(contour: list[complex]) -> list[complex]:
    """The points of a contour moved to the left of its direction: in TrueType the ink is at its right."""
    distinct = [
        z for z, before in zip(contour, contour[-1:] + contour, strict=False) if z != before
    ]
    if len(distinct) < 3:
        return contour
    found: dict[complex, complex] = {}
    for before, here, after in zip(
        distinct[-1:] + distinct, distinct, distinct[1:] + distinct[:1], strict=False
    ):
        came, goes = (here - before) / abs(here - before), (after - here) / abs(after - here)
        middle = came + goes
        if abs(middle) < 0.5:  # a spike: no farther than the stroke is thick
            found[here] = here + EXTRA * 1j * (came - goes + middle)
        else:
            found[here] = here + EXTRA * 1j * middle * 2 / abs(middle) ** 2
    return [found[z] for z in contour]


def _rename(font: TTFont, cut: Cut) -> None:
    """Give the font the names of our own family."""
    postscript = f"{cut.family}-{cut.style}".replace(" ", "")
    full = f"{cut.family} {cut.style}"
    version = font["name"].getDebugName(5)
    names = {1: cut.family, 2: cut.style, 3: f"{version}; {postscript}", 4: full, 6: postscript}
    for record in list(font["name"].names):
        if record.platformID != 3:
            font["name"].removeNames(platformID=record.platformID)
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        outlines = font["CFF "].cff
        outlines.fontNames = [postscript]
        outlines[0].FullName, outlines[0].FamilyName = full, cut.family


def _set_heights(font: TTFont) -> None:
    """The same ascent and descent for all, in each of the three places that systems read."""
    scale = font["head"].unitsPerEm / 1000
    up, down = round(ASCENT * scale), round(DESCENT * scale)
    lines, metrics = font["hhea"], font["OS/2"]
    lines.ascent, lines.descent, lines.lineGap = up, -down, 0
    metrics.sTypoAscender, metrics.sTypoDescender, metrics.sTypoLineGap = up, -down, 0
    metrics.usWinAscent, metrics.usWinDescent = up, down


def unpack(folder: Path) -> None:
    """Fetch the packages and unpack them into a folder; nothing is installed."""
    for package in PACKAGES:
        subprocess.run(["apt-get", "download", package], cwd=folder, check=True)
    for archive in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True)


def main() -> int:
    TARGET.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        if len(sys.argv) == 1:
            unpack(folder)
        for cut in cuts():
            made = make(cut, folder)
            print(f"{cut.file}: {len(made):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
