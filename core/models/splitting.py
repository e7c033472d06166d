"""Normalise a text and split it into words, as the steps of a tokenizer.json say.

The patterns of tokenizers are written for another regex engine, with classes such as `\\p{L}`. They
are translated for Python's: classes become ranges of code points of this Python's Unicode version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial, reduce
from typing import Literal
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
CAPITAL = rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]*[{LOWER}]+"
CAPITALS = rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]+[{LOWER}]*"
TEKKEN = rf"{CAPITAL}|{CAPITALS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{LINES}"

# Parts of patterns in use that repeat more than once, each of which is quick all the same.
_BRANCHES = {
    *(r"\s*[\r\n]+", r"[^\r\n\p{L}\p{N}]?\p{L}+", r" ?[\p{P}\p{S}]+[\r\n]*"),
    *(rf" ?[^\s\p{{L}}\p{{N}}]+{lines}" for lines in (r"[\r\n]*", r"[\r\n/]*")),
    *(rf"{CAPITAL}{ending}" for ending in ("", f"{CONTRACTIONS}?")),
    *(rf"{CAPITALS}{ending}" for ending in ("", f"{CONTRACTIONS}?")),
}
SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
LONGEST_TEXT = 200_000  # characters
_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
_SPACES = re.compile(f"[{SPACE}]+")
_IDEOGRAPHS = {*range(0x2EBF0, 0x2EE5E), *range(0x31350, 0x323B0)}  # of Unicode 15, for Python 3.11
_SHORTHANDS = {"d": ("Nd",), "w": ("L", "M", "N", "Pc")}
_TOKEN = re.compile(
    r"\\(?P<sign>[pP])\{(?P<not>\^?)(?P<name>[A-Z][a-z]?)\}|\\(?P<short>[sSdDwW])|\\[^pP]"
    r"|(?P<open>\[\^?)|(?P<close>\])|(?P<group>\((?!\?)|\(\?(?:i?:|=|!))|(?P<end>\))"
    r"|(?P<repeat>[*+][+?]?|\{[\d,]*\}\??)|(?P<maybe>\?[+?]?)|(?P<branch>\|)|[^()\\]",
    re.DOTALL,
)


@lru_cache(maxsize=32)
def compiled(pattern: str, place: str = "") -> re.Pattern[str]:
    """A tokenizer's pattern for Python. Raises UserError "tokenizer.pattern" (place, text).

    A branch may have one repeat and no group may be repeated, so that no pattern takes exponential
    time; branches of tokenizers that are in use may have more.
    """
    try:
        return re.compile(_translated(pattern), re.MULTILINE)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise UserError("tokenizer.pattern", place=place, text=pattern) from error


def _translated(pattern: str) -> str:
    parts: list[str] = []
    inside = False  # a class in brackets
    depth = at = 0
    kinds: list[str] = []  # of the tokens of this branch
    branch = ""
    while at < len(pattern):
        found = _TOKEN.match(pattern, at)
        if found is None or (inside and found["open"]) or len(pattern) > 4_000:
            raise ValueError(pattern)
        kind, text, at = found.lastgroup or "", found[0], found.end()
        if found["sign"] or found["short"]:
            text = _class(found, inside)
        elif kind in ("open", "close"):
            inside = kind == "open"
        elif not inside:
            depth += {"group": 1, "end": -1}.get(kind, 0)
            if kind == "repeat" and kinds[-1:] == ["end"]:
                raise ValueError(pattern)
            if kind == "branch" and depth == 0:
                _require_quick(branch, kinds)
                branch, kinds = "", []
                parts.append(text)
                continue
        kinds.append("" if inside else kind)
        branch += found[0]
        parts.append(text)
    _require_quick(branch, kinds)
    return "".join(parts)


def _require_quick(branch: str, kinds: list[str]) -> None:
    slow = kinds.count("repeat") > 1 or kinds.count("maybe") > 3
    if slow and branch not in _BRANCHES:
        raise ValueError(branch)


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


def split(
    text: str, pattern: re.Pattern[str], removed: bool = False, invert: bool = False
) -> list[str]:
    """The matches and what lies between. `removed` leaves the matches out, with `invert` the rest."""
    pieces: list[str] = []
    at = 0
    for found in (*pattern.finditer(text), None):
        start, end = found.span() if found else (len(text), len(text))
        gap, match = text[at:start], text[start:end]
        at = end
        pieces += [gap] if gap and not (removed and invert) else []
        pieces += [match] if match and not (removed and not invert) else []
    return pieces


def _step_pattern(step: Step, place: str) -> re.Pattern[str]:
    """The pattern of a Split or Replace: a regex, or a text as it is."""
    kind, text = next(iter((step.pattern or {}).items()), ("", ""))
    if kind not in ("Regex", "String") or not text:
        raise UserError("tokenizer.pattern", place=f"{place}.pattern", text=text)
    return re.compile(re.escape(text)) if kind == "String" else compiled(text, f"{place}.pattern")


def require_length(text: str) -> str:
    """The text. Raises UserError "tokenizer.text" (actual, limit) for too long a one."""
    if len(text) > LONGEST_TEXT:
        raise UserError("tokenizer.text", actual=len(text), limit=LONGEST_TEXT)
    return text


def _require(kind: str, known: tuple[str, ...], place: str) -> None:
    if kind not in known:
        raise UserError("tokenizer.kind", place=place, kind=kind, known=known)


def normaliser(step: Step | None, place: str = "normalizer") -> Normaliser:
    """What a normaliser does to a text. Raises UserError "tokenizer.kind"."""
    if step is None:
        return str
    kind = step.type
    known = ("BertNormalizer", *_FORMS, "Prepend", "Replace", "Sequence")
    _require(kind, known, f"{place}.type")
    if kind == "Sequence":
        parts = [
            normaliser(part, f"{place}.normalizers[{i}]") for i, part in enumerate(step.normalizers)
        ]
        return lambda text: reduce(lambda done, part: part(require_length(done)), parts, text)
    if kind == "BertNormalizer":
        return partial(
            bert_normalised,
            clean=step.clean_text,
            chinese=step.handle_chinese_chars,
            accents=step.lowercase if step.strip_accents is None else step.strip_accents,
            lower=step.lowercase,
        )
    if max(len(step.content), len(step.prepend)) > 8:  # a few of them could fill the memory
        raise UserError("tokenizer.setting", place=place, value=step.content or step.prepend)
    if kind == "Replace":
        pattern = _step_pattern(step, place)
        return lambda text: pattern.sub(lambda _: step.content, text)
    if kind == "Prepend":
        return lambda text: step.prepend + text if text else text
    return partial(normalize, next(form for form in _FORMS if form == kind))


def splitter(step: Step | None, place: str = "pre_tokenizer") -> Splitter:
    """What a pre-tokenizer does to words. Raises UserError "tokenizer.kind"."""
    if step is None:
        return lambda words, _: words
    kind, removed, invert = step.type, False, False
    known = ("BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Sequence", "Split")
    _require(kind, known, f"{place}.type")
    if kind == "Sequence":
        return in_turn(
            [
                splitter(part, f"{place}.pretokenizers[{i}]")
                for i, part in enumerate(step.pretokenizers)
            ]
        )
    if kind == "ByteLevel":
        prefix = step.add_prefix_space is not False
        return byte_level(compiled(GPT2) if step.use_regex else None, prefix)
    if kind == "Metaspace":
        if len(step.replacement) != 1:
            raise UserError(
                "tokenizer.setting", place=f"{place}.replacement", value=step.replacement
            )
        _require(step.prepend_scheme, ("always", "first", "never"), f"{place}.prepend_scheme")
        return partial(_metaspace, step)
    if kind == "BertPreTokenizer":
        return lambda words, _: [part for word in words for part in bert_words(word)]
    if kind == "Digits":
        pattern = compiled(r"\p{N}" if step.individual_digits else r"\p{N}+")
    else:
        _require(step.behavior, ("Isolated", "Removed"), f"{place}.behavior")
        pattern, removed, invert = (
            _step_pattern(step, place),
            step.behavior == "Removed",
            step.invert,
        )
    return by_pattern(pattern, removed, invert)


def by_pattern(pattern: re.Pattern[str], removed: bool = False, invert: bool = False) -> Splitter:
    """Split each word."""
    return lambda words, _: [
        part for word in words for part in split(word, pattern, removed, invert)
    ]


def in_turn(parts: Sequence[Splitter]) -> Splitter:
    """Split by each part, one after another."""
    return lambda words, first: reduce(lambda done, part: part(done, first), parts, words)


def byte_level(pattern: re.Pattern[str] | None, prefix: bool = False) -> Splitter:
    """Split by a pattern, then write each byte as one character."""

    def run(words: list[str], _: bool) -> list[str]:
        words = [f" {word}" if prefix and not word.startswith(" ") else word for word in words]
        parts = (
            words if pattern is None else [part for word in words for part in split(word, pattern)]
        )
        return list(map(as_byte_characters, parts))

    return run


def _metaspace(step: Step, words: list[str], first: bool) -> list[str]:
    """Spaces become a sign, which also begins the text; each word begins with it."""
    sign = step.replacement
    pattern = f"{re.escape(sign)}[^{re.escape(sign)}]*|[^{re.escape(sign)}]+"
    scheme = "never" if step.add_prefix_space is False else step.prepend_scheme
    result: list[str] = []
    for number, word in enumerate(words):
        word = word.replace(" ", sign)
        begins = scheme == "always" or (scheme == "first" and first and number == 0)
        word = sign + word if begins and not word.startswith(sign) else word
        result += [word] if step.split is False else re.findall(pattern, word)
    return result
