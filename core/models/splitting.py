"""Normalise a text and split it into words, as the steps of a tokenizer.json say.

The patterns of tokenizers are written for another regex engine, with classes such as `\\p{L}`. They
are translated for Python's: classes become ranges of code points of this Python's Unicode version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from unicodedata import category, normalize

from core.base.errors import UserError
from core.models.byte_pair import as_byte_characters
from core.models.tokenizer_file import Step
from core.models.wordpiece import bert_normalised, bert_words

Normaliser = Callable[[str], str]
# Words of the text so far and whether the first begins the text -> shorter words.
Splitter = Callable[[list[str], bool], list[str]]

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{LINES}"
)
QWEN2 = LLAMA3.replace("{1,3}", "")
TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]*[{LOWER}]+|[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]+[{LOWER}]*"
    rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{LINES}"
)

SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SPACES = re.compile(f"[{SPACE}]+")
_IDEOGRAPHS = {*range(0x2EBF0, 0x2EE5E), *range(0x31350, 0x323B0)}  # of Unicode 15, for Python 3.11
_MOST_REPEATS = 3  # `*` and `+` in one branch; each may cost a pass over the text
_SHORTHANDS = {"d": ("Nd",), "w": ("L", "M", "N", "Pc")}
_TOKEN = re.compile(
    r"\\(?P<sign>[pP])\{(?P<not>\^?)(?P<name>[A-Z][a-z]?)\}|\\(?P<short>[sSdDwW])|\\[^pP]"
    r"|(?P<open>\[\^?)|(?P<close>\])|(?P<group>\((?!\?)|\(\?(?:i?:|=|!))|(?P<end>\))"
    r"|(?P<repeat>[*+]|\{\d*,\d*\})|(?P<branch>\|)|[^()\\]",
    re.DOTALL,
)


@lru_cache(maxsize=32)
def compiled(pattern: str, place: str = "") -> re.Pattern[str]:
    """A tokenizer's pattern for Python. Raises UserError "tokenizer.pattern" (place, text).

    A group that is repeated is refused, so that no pattern takes exponential time.
    """
    try:
        return re.compile(_translated(pattern), re.MULTILINE)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise UserError("tokenizer.pattern", place=place, text=pattern) from error


def _translated(pattern: str) -> str:
    parts: list[str] = []
    inside = False  # a class in brackets
    at = repeats = 0
    grouped = False  # a group ends just before
    while at < len(pattern):
        found = _TOKEN.match(pattern, at)
        if found is None or (inside and found["open"]) or len(pattern) > 4_000:
            raise ValueError(pattern)
        text = found[0]
        if found["sign"] or found["short"]:
            text = _class(found, inside)
        elif found["open"] or found["close"]:
            inside = found["open"] is not None
        elif not inside:
            repeats = 0 if found["branch"] else repeats + (found["repeat"] is not None)
            if repeats > _MOST_REPEATS or (grouped and found["repeat"]):
                raise ValueError(pattern)
        grouped = not inside and found["end"] is not None
        parts.append(text)
        at = found.end()
    return "".join(parts)


def _class(found: re.Match[str], inside: bool) -> str:
    """A class such as `\\p{L}` or `\\s` as ranges, in brackets unless it is inside some."""
    short = found["short"]
    negated = short.isupper() if short else (found["sign"] == "P") != bool(found["not"])
    names = ("\\s",) if short in ("s", "S") else _SHORTHANDS.get((short or "").lower())
    ranges = class_ranges(names or (found["name"],), negated)
    return ranges if inside else f"[{ranges}]"


@lru_cache(maxsize=32)
def class_ranges(names: tuple[str, ...], negated: bool = False) -> str:
    """The code points of general categories (or of white space) as ranges for a regex class."""
    if names == ("\\s",):
        points = [point for point in range(0x3001) if _SPACES.match(chr(point))]
    else:
        points = [point for point, kind in _categories() if kind.startswith(names)]
    edges: list[int] = []  # starts and ends, in turns
    for point in points:
        if edges and edges[-1] == point:
            edges[-1] = point + 1
        else:
            edges += [point, point + 1]
    if negated:
        edges = edges[1:] if edges[:1] == [0] else [0, *edges]
        edges += [0x110000] if len(edges) % 2 else []
    if not edges:
        raise ValueError(names)
    return "".join(
        f"\\U{start:08x}-\\U{end - 1:08x}"
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    )


@lru_cache(maxsize=1)
def _categories() -> list[tuple[int, str]]:
    """Code points with their categories: planes 0 to 3 and the variation selectors, the only ones
    with letters, marks, numbers, punctuation, symbols and separators.
    """
    points = (*range(0x33480), *range(0xE0000, 0xE0200))
    return [(point, "Lo" if point in _IDEOGRAPHS else category(chr(point))) for point in points]


def split(text: str, pattern: re.Pattern[str], behavior: str, invert: bool = False) -> list[str]:
    """The pieces of a text between and at the matches, as `behavior` says."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        if start > at:
            pieces.append((text[at:start], invert))
        if end > start:
            pieces.append((text[start:end], not invert))
        at = end
    if at < len(text):
        pieces.append((text[at:], invert))
    return list(_joined(pieces, behavior))


def _joined(pieces: list[tuple[str, bool]], behavior: str) -> Iterator[str]:
    word, before = "", False
    for piece, matched in pieces:
        joins = {
            "Contiguous": matched == before,
            "MergedWithPrevious": matched and not before,
            "MergedWithNext": before and not matched,
        }.get(behavior, False)
        if word and not joins:
            yield word
            word = ""
        word, before = word + piece, matched
        if behavior == "Removed" and matched:
            word = ""
    if word:
        yield word


BEHAVIORS = ("Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext")


def _step_pattern(step: Step, place: str) -> re.Pattern[str]:
    """The pattern of a Split or Replace: a regex, or a text as it is."""
    kind, text = next(iter((step.pattern or {}).items()), ("", ""))
    if kind not in ("Regex", "String") or not text:
        raise UserError("tokenizer.pattern", place=place, text=text)
    return re.compile(re.escape(text)) if kind == "String" else compiled(text, place)


def normaliser(step: Step | None, place: str = "normalizer") -> Normaliser:
    """What a normaliser does to a text. Raises UserError "tokenizer.kind"."""
    if step is None:
        return lambda text: text
    kind = step.type
    if kind == "Sequence":
        parts = [
            normaliser(part, f"{place}.normalizers[{index}]")
            for index, part in enumerate(step.normalizers)
        ]
        return _in_turn(parts)
    if kind == "Replace":
        pattern = _step_pattern(step, f"{place}.pattern")
        return lambda text: pattern.sub(lambda _: step.content, text)
    if kind not in _NORMALISERS:
        known = (*_NORMALISERS, "Replace", "Sequence")
        raise UserError("tokenizer.kind", place=f"{place}.type", kind=kind, known=known)
    function = _NORMALISERS[kind]
    return lambda text: function(step, text)


def _in_turn(parts: list[Normaliser]) -> Normaliser:
    def run(text: str) -> str:
        for part in parts:
            text = part(text)
        return text

    return run


def _stripped(step: Step, text: str) -> str:
    spaces = "".join(chr(point) for point in range(0x3001) if _SPACES.match(chr(point)))
    text = text.lstrip(spaces) if step.strip_left else text
    return text.rstrip(spaces) if step.strip_right else text


_NORMALISERS: dict[str, Callable[[Step, str], str]] = {
    "BertNormalizer": lambda step, text: bert_normalised(
        text,
        clean=step.clean_text,
        chinese=step.handle_chinese_chars,
        accents=step.lowercase if step.strip_accents is None else step.strip_accents,
        lower=step.lowercase,
    ),
    "NFC": lambda _, text: normalize("NFC", text),
    "NFD": lambda _, text: normalize("NFD", text),
    "NFKC": lambda _, text: normalize("NFKC", text),
    "NFKD": lambda _, text: normalize("NFKD", text),
    "Lowercase": lambda _, text: "".join(character.lower() for character in text),
    "StripAccents": lambda _, text: "".join(c for c in text if category(c)[0] != "M"),
    "Strip": _stripped,
    "Prepend": lambda step, text: step.prepend + text if text else text,
}


def splitter(step: Step | None, place: str = "pre_tokenizer") -> Splitter:
    """What a pre-tokenizer does to words. Raises UserError "tokenizer.kind"."""
    if step is None:
        return lambda words, _: words
    kind = step.type
    if kind == "Sequence":
        parts = [
            splitter(part, f"{place}.pretokenizers[{index}]")
            for index, part in enumerate(step.pretokenizers)
        ]

        def in_turn(words: list[str], first: bool) -> list[str]:
            for part in parts:
                words = part(words, first)
            return words

        return in_turn
    if kind == "ByteLevel":
        return byte_level(
            step.add_prefix_space is not False, compiled(GPT2) if step.use_regex else None
        )
    if kind == "Metaspace":
        return _metaspace(step, place)
    if kind == "BertPreTokenizer":
        return lambda words, _: [part for word in words for part in bert_words(word)]
    behavior, invert = "Isolated", False
    if kind == "Split":
        pattern, behavior, invert = (
            _step_pattern(step, f"{place}.pattern"),
            step.behavior,
            step.invert,
        )
    elif kind in _PATTERNS:
        text, behavior = _PATTERNS[kind]
        pattern = compiled(text)
    elif kind == "Digits":
        pattern = compiled(r"\p{N}" if step.individual_digits else r"\p{N}+")
    else:
        known = (*_PATTERNS, *("BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Split"))
        raise UserError("tokenizer.kind", place=f"{place}.type", kind=kind, known=known)
    if behavior not in BEHAVIORS:
        known = BEHAVIORS
        raise UserError("tokenizer.kind", place=f"{place}.behavior", kind=behavior, known=known)
    return lambda words, _: [
        part for word in words for part in split(word, pattern, behavior, invert)
    ]


_PATTERNS = {
    "Whitespace": (r"\w+|[^\w\s]+", "Removed"),
    "WhitespaceSplit": (r"\s", "Removed"),
    "Punctuation": (r"[\p{P}$+<=>^`|~]", "Isolated"),
}


def byte_level(prefix: bool, pattern: re.Pattern[str] | None) -> Splitter:
    """Split by a pattern, then write each byte as one character."""

    def run(words: list[str], _: bool) -> list[str]:
        result: list[str] = []
        for word in words:
            word = f" {word}" if prefix and not word.startswith(" ") else word
            parts = [word] if pattern is None else split(word, pattern, "Isolated")
            result += map(as_byte_characters, parts)
        return result

    return run


def _metaspace(step: Step, place: str) -> Splitter:
    """Spaces become a sign, which also begins the text; each word begins with it."""
    sign = step.replacement
    schemes = ("always", "first", "never")
    if step.prepend_scheme not in schemes:
        raise UserError(
            "tokenizer.kind",
            place=f"{place}.prepend_scheme",
            kind=step.prepend_scheme,
            known=schemes,
        )
    scheme = "never" if step.add_prefix_space is False else step.prepend_scheme
    pattern = re.compile(re.escape(sign))

    def run(words: list[str], first: bool) -> list[str]:
        result: list[str] = []
        for number, word in enumerate(words):
            word = word.replace(" ", sign)
            begins = scheme == "always" or (scheme == "first" and first and number == 0)
            word = sign + word if begins and not word.startswith(sign) else word
            result += [word] if step.split is False else split(word, pattern, "MergedWithNext")
        return result

    return run
