"""Normalise a text and split it into words, as the steps of a tokenizer.json say.

The patterns of tokenizers are written for another regex engine, with classes such as `\\p{L}`. They
are translated for Python's: classes become ranges of code points of this Python's Unicode version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial, reduce
from typing import Literal
from unicodedata import category, normalize

from core.base.errors import UserError
from core.models.byte_pair import as_byte_characters
from core.models.tokenizer_file import Step
from core.models.wordpiece import bert_normalised, bert_words

Normaliser = Callable[[str], str]
Splitter = Callable[[str, bool], Iterable[str]]  # a word, whether it begins the text -> its words

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
    *(CAPITAL, CAPITALS, f"{CAPITAL}{CONTRACTIONS}?", f"{CAPITALS}{CONTRACTIONS}?"),
}
LONGEST_TEXT = 200_000  # characters
_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
_IDEOGRAPHS = {*range(0x2EBF0, 0x2EE5E), *range(0x31350, 0x323B0)}  # of Unicode 15, for Python 3.11
_SHORT = {"s": ("Z",), "d": ("Nd",), "w": ("L", "M", "N", "Pc")}
_CLASS = re.compile(r"\\(?:([pP])\{(\^?)([A-Z][a-z]?)\}|([sSdDwW]))")
_TOKEN = re.compile(
    rf"{_CLASS.pattern}|\\.|\[(?:\\.|[^][\\])+\]|\((?:\?(?:i?:|[=!]))?|[*+?][+?]?|\{{[\d,]*\}}\??|.",
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
    branch: list[str] = []
    depth = 0
    for found in _TOKEN.finditer(f"{pattern[:4_000]}|"):
        token = found[0]
        depth += token.startswith("(") - (token == ")")
        if token == "|" and depth == 0:
            _require_quick(branch)
            branch = []
        else:
            branch.append(token)
        ranges = _CLASS.sub(_ranges, token)
        parts.append(f"[{ranges}]" if _CLASS.fullmatch(token) else ranges)
    return "".join(parts[:-1])


def _require_quick(branch: Sequence[str]) -> None:
    repeats = [number for number, token in enumerate(branch) if token[0] in "*+{"]
    options = [number for number, token in enumerate(branch) if token[0] == "?"]
    if any(branch[number - 1] == ")" for number in repeats if number) or any(
        branch[number - 1] == "(" for number in options if number
    ):
        raise ValueError(branch)
    if (len(repeats) > 1 or len(options) > 3) and "".join(branch) not in _BRANCHES:
        raise ValueError(branch)


def _ranges(found: re.Match[str]) -> str:
    """A class such as `\\p{L}` or `\\s` as the inside of brackets."""
    sign, caret, name, short = found.groups()
    if short:
        return class_ranges(_SHORT[short.lower()], short.isupper())
    return class_ranges((name,), (sign == "P") != bool(caret))


@lru_cache(maxsize=32)
def class_ranges(names: tuple[str, ...], negated: bool = False) -> str:
    """The code points of general categories as ranges of a regex class."""
    edges: list[int] = []  # starts and ends, in turns
    for point in (point for point, kind in _categories() if kind.startswith(names)):
        if edges and edges[-1] == point:
            edges[-1] = point + 1
        else:
            edges += [point, point + 1]
    if not edges or names[0][0] == "C":  # the last are not all among those looked at
        raise ValueError(names)
    edges = [0, *edges, 0x110000] if negated else edges
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return "".join(f"\\U{start:08x}-\\U{end - 1:08x}" for start, end in pairs if start < end)


@lru_cache(maxsize=1)
def _categories() -> list[tuple[int, str]]:
    """Code points with their categories: planes 0 to 3 and the variation selectors, the only ones
    with letters, marks, numbers, punctuation, symbols and separators. Line ends and tabs count as Z.
    """
    known = dict.fromkeys((*range(9, 14), 0x85), "Z") | dict.fromkeys(_IDEOGRAPHS, "Lo")
    points = (*range(0x33480), *range(0xE0000, 0xE0200))
    return [(point, known.get(point) or category(chr(point))) for point in points]


def split(text: str, pattern: re.Pattern[str], removed: bool, invert: bool) -> list[str]:
    """The matches and what lies between. `removed` leaves the matches out, with `invert` the rest."""
    pieces: list[str] = []
    at = 0
    for found in (*pattern.finditer(text), None):
        start, end = found.span() if found else (len(text), len(text))
        pieces += [text[at:start]] if not (removed and invert) else []
        pieces += [text[start:end]] if not removed or invert else []
        at = end
    return [piece for piece in pieces if piece]


def _step_pattern(step: Step, place: str) -> re.Pattern[str]:
    """The pattern of a Split or Replace: a regex, or a text as it is."""
    kind, text = next(iter((step.pattern or {}).items()), ("", ""))
    if kind not in ("Regex", "String") or not text:
        raise UserError("tokenizer.pattern", place=f"{place}.pattern", text=text)
    return compiled(text if kind == "Regex" else re.escape(text), f"{place}.pattern")


def require_length(text: str, growth: int = 1) -> str:
    """The text. Raises UserError "tokenizer.text" (actual, limit) for too long a one."""
    if len(text) > growth * LONGEST_TEXT:
        raise UserError("tokenizer.text", actual=len(text), limit=LONGEST_TEXT)
    return text


def require_kind(kind: str, known: tuple[str, ...], place: str) -> None:
    """Raise UserError "tokenizer.kind" (place, kind, known) for another kind."""
    if kind not in known:
        raise UserError("tokenizer.kind", place=place, kind=kind, known=known)


def normaliser(step: Step | None, place: str = "normalizer") -> Normaliser:
    """What a normaliser does to a text. Raises UserError "tokenizer.kind"."""
    if step is None:
        return str
    known = ("BertNormalizer", *_FORMS, "Prepend", "Replace", "Sequence")
    require_kind(step.type, known, f"{place}.type")
    if max(len(step.content), len(step.prepend)) > 8:  # a few of them could fill the memory
        raise UserError("tokenizer.setting", place=place, value=step.content or step.prepend)
    if step.type == "Sequence":
        parts = [
            normaliser(part, f"{place}.normalizers[{i}]") for i, part in enumerate(step.normalizers)
        ]
        return lambda text: reduce(lambda done, part: part(require_length(done, 4)), parts, text)
    if step.type == "BertNormalizer":
        accents = step.lowercase if step.strip_accents is None else step.strip_accents
        clean, chinese = step.clean_text, step.handle_chinese_chars
        return partial(
            bert_normalised, clean=clean, chinese=chinese, accents=accents, lower=step.lowercase
        )
    if step.type == "Replace":
        pattern = _step_pattern(step, place)
        return lambda text: pattern.sub(lambda _: step.content, text)
    if step.type == "Prepend":
        return lambda text: step.prepend + text if text else text
    return partial(normalize, next(form for form in _FORMS if form == step.type))


def splitter(step: Step | None, place: str = "pre_tokenizer") -> Splitter:
    """What a pre-tokenizer does to a word. Raises UserError "tokenizer.kind"."""
    if step is None:
        return lambda word, _: [word]
    known = ("BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Sequence", "Split")
    require_kind(step.type, known, f"{place}.type")
    if step.type == "Sequence":
        steps = enumerate(step.pretokenizers)
        return _in_turn([splitter(part, f"{place}.pretokenizers[{i}]") for i, part in steps])
    if step.type == "BertPreTokenizer":
        return lambda word, _: bert_words(word)
    if step.type == "ByteLevel":
        return partial(_byte_level, step)
    if step.type == "Metaspace":
        if len(step.replacement) != 1:
            place = f"{place}.replacement"
            raise UserError("tokenizer.setting", place=place, value=step.replacement)
        require_kind(step.prepend_scheme, ("always", "first", "never"), f"{place}.prepend_scheme")
        return partial(_metaspace, step)
    if step.type == "Digits":
        digits = compiled(r"\p{N}" if step.individual_digits else r"\p{N}+")
        return lambda word, _: split(word, digits, False, False)
    require_kind(step.behavior, ("Isolated", "Removed"), f"{place}.behavior")
    pattern = _step_pattern(step, place)
    return lambda word, _: split(word, pattern, step.behavior == "Removed", step.invert)


def _in_turn(parts: Sequence[Splitter]) -> Splitter:
    def run(text: str, first: bool) -> list[str]:
        words = [text]
        for part in parts:
            pieces = (part(word, first and i == 0) for i, word in enumerate(words))
            words = [piece for each in pieces for piece in each]
        return words

    return run


def _byte_level(step: Step, word: str, _: bool) -> Iterable[str]:
    """Split as GPT-2 does, unless that was done before, and write each byte as one character."""
    begins = word.startswith(" ") or step.add_prefix_space is False
    word = word if begins or not word else f" {word}"
    return map(
        as_byte_characters, split(word, compiled(GPT2), False, False) if step.use_regex else [word]
    )


def _metaspace(step: Step, word: str, first: bool) -> list[str]:
    """Spaces become a sign, which also begins the text; each word begins with it."""
    sign, scheme = step.replacement, step.prepend_scheme
    word = word.replace(" ", sign)
    begins = step.add_prefix_space is not False and (
        scheme == "always" or (scheme == "first" and first)
    )
    word = sign + word if begins and not word.startswith(sign) else word
    escaped = re.escape(sign)
    return (
        [word] if step.split is False else re.findall(f"{escaped}[^{escaped}]*|[^{escaped}]+", word)
    )
