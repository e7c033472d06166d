"""The name of a matrix: what is assigned, or the label before or above it."""

from __future__ import annotations

import re

from core.exchange.readers.notations import PROMPT
from core.exchange.readers.source import TAKEN

NEAR = 300  # characters before a matrix that may name it
LONGEST = 48  # characters of a name

_SIGN = re.compile(
    r"(?:≈|≃|:=|<-|←|->|=>|→|↦|(?<![=!<>])=(?!=)|:(?!:)|\bis(?: given by)?\b|\bequals\b|\bare\b|为|是)\s*$"
)
_CHAIN = re.compile(r"\s*(?:≈|≃|:=|<-|←|->|=>|→|↦|(?<![=!<>])=(?!=))\s*")
_STATEMENT = re.compile(
    r"[;|\0]|\.\s|,\s+(?=[^()\[\]]*$)|\b(?:and|where|with|let|und|et|而)\b\s", re.IGNORECASE
)
_KEYWORDS = re.compile(
    r"^(?:(?:final|const|constexpr|static|public|private|let|mut|var|val|auto|local|my|the|matrix(?=\s+\w+$)|float|double|int|def|return|global)\s+)+",
    re.IGNORECASE,
)
_SHAPE = re.compile(
    r"\s*(?:∈|\\in\b)\s*.*|\s*[({\[]\s*\d+\s*(?:×|x|,|by|\*)\s*\d+\s*[)}\]].*|\s*(?:\[[\d, :]*\])+$"
)
_TYPE = re.compile(r"(?<=[\w'\]])\s*:(?!:)\s*[^=]*$")
_NO_NAMES = frozenset(
    "numpy data dtype array tensor print ans shape object new return assert const let var".split()  # noqa: SIM905
)
_NO_LABELS = frozenset("is the a in and or if row vector matrix by of to".split())  # noqa: SIM905
_ARRAY = re.compile(r"(?:Array|Matrix|Tensor|Float\w*)\b", re.IGNORECASE)
_DECLARED = re.compile(r"\s*(?:pub\s+)?(?:let|const|var|val|static)\s+(?:mut\s+)?(\w+)\s*:[^=]*")
_SUBSCRIPT = re.compile(r"""[\w.]+\[\s*["']([^"'\n]+)["']\s*\]$""")
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:[._'^]\{?[\w⊤]+\}?|\(\d+\)|['ᵀ²¹₀-₉])*")
_TENSOR = re.compile(
    r"(?<![\w])(?:[^\W\d]\w*(?:[._^]\{?\w+\}?)+(?:\^?T\b)?|[A-Z](?:'|\^T|ᵀ)?|(?!Key|We\b|Was|Wh|Via|Vs)[QKVW][A-Za-z0-9]{1,2}|W[qkvo]|[qkvx][\d₀-₉]?)(?![\w])"
)
_CONTAINING = re.compile(
    r"(?:\bParameter containing|\btorch\.Size\(.*\)|(?<==)\s*\d+[x×]\d+.*)\s*:?\s*$"
)
_TITLE = re.compile(  # a few words, the first in capitals
    r"(?:[^\W\d]\w* \d+: )?(?:[^\W\d][\w'^.{}]*|(?![a-z])[^\W\d](?:[\w'^.{}-]| (?! )){0,46})"
    r"(?<! is)(?<! are)(?<! by)(?<! as)(?<! of)(?<! to)(?<! be)(?<! have)(?<! get)(?<! the)(?<! with)"
)
_SYMBOLS = re.compile(r"\\begin\{(\w*matrix)\}[^\0]*?\\end\{\1\}\s*")
_SIZED = re.compile(r"(?:\[\d+\])+$")
_PARENTHESIS = re.compile(r"\s+\([^()]*\)$")
_PYTHON = re.compile(r"[ \t]*(?:>>>|In ?\[\d+\] ?:(?!=)|\(Pdb\) p\b)")
_CODE_BLOCK = re.compile(r"(?:with|for|if|while|def|class|elif|else|try)\b.*\(")
_OUTPUT_MARK = re.compile(r"[ \t]*Out ?\[\d+\] ?:")
_RULED = re.compile(r"[ \t]*[-=~─]{2,}[ \t]*$|^[-=~─]{2,}[ \t]*")
_OUTPUT = re.compile(
    r"(?:ans|tensor|array|\w+ containing|torch_tensor|tf\.Tensor|Out|Result|.*(?:Matrix|Vector|Array)\{.*)\s*[:=(]*\s*$",
    re.IGNORECASE,
)


def name_before(before: str, original: str) -> str | None:
    """The name that a text gives to the matrix after it, None for none.

    `original` is the same text with its prompts.
    """
    before, original = before[-NEAR:], original[-NEAR:]
    if "\\end{" in before:
        before = _SYMBOLS.sub("", before)
    head, newline, line = before.rpartition("\n")
    if line.strip(" \t$`*_>&|"):
        return _inline(line)
    if not newline:
        return None
    lines, originals, ruled = head.split("\n"), original.split("\n")[:-1], False
    for back in range(1, min(3, len(lines)) + 1):
        above = lines[-back]
        if TAKEN in above:
            return None
        above = _CONTAINING.sub("", above)
        if above.strip(" \t$`\\[]*_"):
            sign = originals[-back].lstrip()[:1]
            prompted = bool(PROMPT.match(originals[-back])) and sign != "#"
            if prompted and "=" not in above:
                python = _PYTHON.match(originals[-back])
                shown = _IDENTIFIER.fullmatch(above.strip()) if python else None
                if shown or back > 1 or not _OUTPUT_MARK.match(originals[-back]):
                    return shown[0] if shown else None
                continue
            if _RULED.fullmatch(above):
                ruled = True
                continue
            heading = ruled or above.lstrip().startswith("**") or sign in ("#", "*", "$")
            return _label(above, back, prompted, heading)
    return None


def _inline(line: str) -> str | None:
    """The name in "… name =" before a matrix on the same line."""
    first = TAKEN not in line and "\\" not in line
    line = line.rpartition(TAKEN)[2]
    text = (
        _latex_plain(line.strip(" \t`*$")) if "\\" in line or "{" in line else line.strip(" \t`*$&")
    )
    text = text.removesuffix(" new")
    sign = _SIGN.search(text)
    if sign is None:
        if _SIZED.search(text):  # double K[2][2]{{…
            text = _KEYWORDS.sub("", _SIZED.sub("", text))
        word = text.strip("\"'")
        alone = first and _IDENTIFIER.fullmatch(word) and not _ARRAY.match(word)
        return word if alone and word.casefold() not in _NO_NAMES | _NO_LABELS else None
    text = text[: sign.start()]
    if declared := _DECLARED.fullmatch(text):
        return declared[1]
    left = _STATEMENT.split(text)[-1] if _STATEMENT.search(text) else text
    left = next((part for part in _CHAIN.split(left) if part.strip()), "")
    return _cleaned(left, sign[0].strip())


def _label(above: str, back: int, prompted: bool, heading: bool) -> str | None:
    text = re.sub(r"\*\*|`", "", above).strip(" \t#*_`$•").rstrip("\\[")
    text = _RULED.sub("", text)
    if (
        _OUTPUT.fullmatch(text)
        or (above[:1] == " " and text == "Output:")
        or (prompted and not text.rstrip().endswith("="))
    ):
        return None
    if text.endswith("=") or (_CHAIN.search(text) and "\\" in text):
        return _inline(text if text.endswith("=") else text + "=")
    labelled = text.endswith((":", "："))
    if labelled and _CODE_BLOCK.match(text):
        return None
    text = re.split(r"[.!?。]\s+", text.rstrip(":： \t"))[-1]
    text = _latex_plain(text) if "\\" in text or "$" in text else text
    bare = _PARENTHESIS.sub("", text)
    if not labelled:
        short = heading or (back == 1 and above.strip(" \t-=─")[:1] == text[:1])
        return _cleaned(bare, ":") if short and _TITLE.fullmatch(bare) else None
    text = bare if "=" in text[len(bare) :] else text  # (3 tokens, d = 2)
    text = next((part for part in _CHAIN.split(text) if part.strip()), text)
    return _cleaned(text, ":")


def _cleaned(left: str, sign: str) -> str | None:
    """The name in the text left of a sign."""
    quoted = re.search(r'\w "[^"]+"$', left.rstrip())  # the output for "cat"
    left = left.strip(" \t*_`•-$,，；{" + ("" if quoted else "\"'"))
    left = re.sub(r"\b(?:is|are)$", "", left).strip()
    if subscript := _SUBSCRIPT.search(left):
        return subscript[1]
    left = _KEYWORDS.sub("", _SHAPE.sub("", left)).strip()
    if sign != ":":
        tensor = re.search(r":\s*([^\W\d]\w+)$", left)  # keys: k1 = …, not x: f32 = …
        if tensor and _TENSOR.fullmatch(tensor[1]) and not left[:1].isascii():
            return tensor[1]
        left = _TYPE.sub("", left)
    else:
        left = re.sub(r"^.*:\s+(?=\S)", "", left)
    bare = re.sub(r"\s+\([^()]*\)\s*$", "", left).strip() or left
    bare = bare.removeprefix("self.").removeprefix(".")
    if bare in _NO_NAMES:
        return None
    if left.count("(") > left.count(")"):
        head, _, rest = left.rpartition("(")
        left = bare = head.strip() if head[-1:].isspace() else rest
    if _IDENTIFIER.fullmatch(bare):
        inner = re.search(r"\(\s*([^\W\d_](?:_?\w{1,2})?)\s*\)\s*$", left)
        return (
            inner[1]
            if inner and len(bare) > 3 and inner[1][:1].isupper() and _TENSOR.fullmatch(inner[1])
            else bare
        )
    if re.search(r"\w\(", left):
        return left if len(left) <= LONGEST else None
    return _among_words(left, bare, sign)


def _among_words(left: str, bare: str, sign: str) -> str | None:
    """The tensor that several words name, or the words if they are few."""
    found = [
        match[0]
        for match in _TENSOR.finditer(left)
        if not (match[0] == "A" and match.start() == 0) and match[0] != "I"
    ]
    words = left.split()
    if len(words) > 1 and all(map(_TENSOR.fullmatch, words)):
        return left  # a product
    if found and len(words) > 1 and not re.search(r"[+*/@·×]|softmax", left):
        return found[-1]
    if (
        sign not in (":",)
        and len(words) > 1
        and _IDENTIFIER.fullmatch(words[-1])
        and not re.search(r"[+*/@·×^()]", left)
    ):
        return words[-1]
    return bare if 0 < len(bare) <= LONGEST and len(bare.split()) <= 5 else None


_LATEX_FONT = re.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|mathbb|mathcal|text(?:bf|it|rm|tt)?|operatorname\*?|boldsymbol|bm|hat|tilde|bar|vec|underline|rm|bf)\s*\{([^{}]*)\}"
)
_LATEX_LEFT_OUT = re.compile(
    r"\\(?:left|right|big[lr]?|Big[lr]?|bigg[lr]?)\s*(?:\\[{}|]|[\[\]().|])?|\\[,;:! ]|\\q?quad\b|\\displaystyle\b|\\\[|\\\(|\$+|&|~"
    r"|\\(?:begin|end)\{[a-zA-Z]+\*?\}|\\\\"
)


def _latex_plain(text: str) -> str:
    """A piece of LaTeX as plain text: W^{Q} as W^Q."""
    text = re.sub(r"\\(?:gets|leftarrow)(?![a-z])", "←", text)
    text = re.sub(r"\\in(?![a-z])(?:[^=≈:]|\\(?!approx))*", "", text)
    text = re.sub(r".*\\begin\{(?:align|equation|gather|aligned|split)\*?\}", "", text)
    for _ in range(2):
        text = _LATEX_FONT.sub(r"\1", text)
    text = _LATEX_LEFT_OUT.sub(" ", text)
    text = re.sub(r"\\(?:approx|simeq)(?![a-z])", "≈", text)
    text = re.sub(r"\\(?:to|rightarrow|Rightarrow|mapsto)(?![a-z])", "→", text)
    text = re.sub(r"\\(?:top|intercal|mathsf T)(?![a-z])", "T", text).replace("\\_", "_")
    text = re.sub(r"([_^])\{([\w']+)\}", r"\1\2", text)
    return text.strip()
