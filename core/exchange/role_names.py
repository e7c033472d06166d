"""Guess what a matrix is from its name: names in code, lectures and workbooks, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.document.parts import (
    FILE_KEYS,
    HEAD_TENSORS,
    STACK_STAGE_AXES,
    STACK_TENSORS,
    STAGE_AXES,
    is_stage,
    split_layer,
)
from core.exchange.stack_names import DOUBTFUL, VOCABULARY

LEFT_OUT = "-"
CHECK = "check:"
GIVEN = {key: name for name, key in FILE_KEYS.items()}  # roles not called as their tensor is
# One for each head: W_Q, or W_Q.1, W_Q.2 …
HEAD_ROLES = tuple(FILE_KEYS.get(name, name) for name in HEAD_TENSORS)
SHARED_ROLES = ("tokens", "X", "P", "X_context", "P_context", "W_O", "b_O")
# Those that only stacks have; in a stack these and W_Q, W_O … can have the prefix of a layer.
STACK_ROLES = (*STACK_TENSORS, *DOUBTFUL, VOCABULARY)
CHECKED = tuple(stage for stage in STAGE_AXES if stage not in SHARED_ROLES)  # computed stages
CHECKED_IN_STACKS = tuple(STACK_STAGE_AXES)
TURNED = ".T"  # suffix of a role: the matrix is transposed

_CHINESE = {
    "位置": "position",
    "词向量": "embedding",
    "词嵌入": "embedding",
    "嵌入": "embedding",
    "输入": "input",
    "输出": "output",
    "上下文": "context",
    "查询": "query",
    "权重": "weights",
    "权值": "weights",
    "注意力": "attention",
    "得分": "scores",
    "分数": "scores",
    "打分": "scores",
    "评分": "scores",
    "相似度": "similarity",
    "点积": "dots",
    "缩放": "scaled",
    "掩码": "mask",
    "偏置": "bias",
    "投影": "proj",
    "加权": "weighted",
    "归一化": "softmax",
    "拼接": "concat",
    "句子": "sentence",
    "矩阵": "matrix",
    "向量": "vector",
    "头": "head",
    "键": "key",
    "值": "value",
}
_MARKUP = re.compile(r"\\[A-Za-z]+(?=\s*\{)|\\(?:left|right|top|intercal|mathsf|prime)\b")
_CALL = re.compile(r"\w\((?:[xX]|inputs?|embeddings?|tokens?|hidden_states)\b")  # a layer
_SIZES = re.compile(r"\bd_?\{?(?:k|v|model|head)\b\}?")
_LETTERS = {
    **dict.fromkeys(("q", "query", "queries", "qs"), "Q"),
    **dict.fromkeys(("k", "key", "keys", "ks"), "K"),
    **dict.fromkeys(("v", "value", "values", "vs"), "V"),
    **dict.fromkeys(("o", "out", "output", "outputs"), "O"),
}
_GLUED = re.compile(
    r"(x|w|b|m|to|linear|fc|proj|weights?|bias)?(quer(?:y|ies)|keys?|values?|out|q|k|v|o)"
    r"(s|w|m|t|proj|weights?|bias|linear|matrix|k|kt)?"
)
_WEIGHT = {
    "w",
    "weight",
    "weights",
    "proj",
    "projection",
    "linear",
    "kernel",
    "fc",
    "to",
    "m",
    "dense",
}
_BIAS = {"b", "bias", "biases"}
_SCORES = {
    "s",
    "score",
    "scores",
    "logits",
    "logit",
    "energy",
    "energies",
    "similarity",
    "similarities",
    "dots",
    "dot",
    "product",
    "products",
    "qkt",
    "qk",
    "affinities",
}
_SCALED = {"scaled", "scaling", "sqrt", "scale", "frac"}
_SOFTMAX = {
    "softmax",
    "softmaxed",
    "normalized",
    "normalised",
    "probs",
    "probabilities",
    "probability",
    "alpha",
    "alphas",
    "weights",
    "distribution",
    "sm",
}
_ATTENTION = {"attention", "attn", "attentions", "att", "atten", "a"}
_OUTPUT = {
    "o",
    "out",
    "output",
    "outputs",
    "z",
    "context",
    "result",
    "results",
    "y",
    "weighted",
    "ctx",
    "av",
    "contexts",
}
_POSITION = {"p", "pe", "pos", "position", "positions", "positional"}
_INPUT = {
    "x",
    "xs",
    "e",
    "emb",
    "embs",
    "embed",
    "embeds",
    "embedding",
    "embeddings",
    "embedded",
    "input",
    "inputs",
    "token",
    "tokens",
    "word",
    "words",
    "wte",
    "sentence",
    "vectors",
    "hidden",
    "features",
    "seq",
    "sequence",
    "src",
    "h",
    "vector",
}
_OTHER = {"memory", "encoder", "enc", "context", "cross"}
_BEFORE = {"before", "raw", "unscaled", "unnormalized", "unnormalised", "pre"}


MOST_DIGITS = 5


class NamedRole(NamedTuple):
    """A role without its head, "" for none, and the number that the name gives the head."""

    role: str = ""
    number: int | None = None


def role_of_name(name: str | None) -> NamedRole:
    """The role that a name means: ("W_Q", None) for q_proj.weight, ("W_K", 2) for W_K_2."""
    text = _SIZES.sub("d", _MARKUP.sub(" ", name or ""))
    for chinese, english in _CHINESE.items():
        text = text.replace(chinese, f" {english} ")
    words, number = _words(text)
    return NamedRole(_role(words, text), number)


def _words(text: str) -> tuple[list[str], int | None]:
    """The words of a name in small letters, glued ones taken apart, and its last number."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|√", text)
    words: list[str] = []
    numbers = []
    for part in (each.lower() for each in parts):
        if part.isdecimal():
            if len(part) < MOST_DIGITS:  # a longer one counts no heads
                numbers.append(int(part))
            continue
        glued = _GLUED.fullmatch(part) if part not in _LETTERS else None
        words += [piece for piece in glued.groups() if piece] if glued else [part]
    return ["sqrt" if word == "√" else word for word in words], numbers[-1] if numbers else None


def _role(words: list[str], text: str) -> str:
    found = set(words)
    letters = {_LETTERS[word] for word in words if word in _LETTERS}
    product = any(sign in text for sign in "@*·") and "V" in letters
    if product and found & (_ATTENTION | {"weights"}):
        return CHECK + "heads"
    if _CALL.search(text) and found & _ATTENTION:
        return CHECK + "heads"
    if len(letters & set("QKV")) > 1 or ("t" in found and letters & set("QK")) or "kt" in found:
        return _of_formula(found, letters)
    projected = letters & set("QKV")
    if projected:
        return _of_letter(found, projected.pop())
    return _of_words(found, letters)


def _of_formula(found: set[str], letters: set[str]) -> str:
    """A formula over Q, K and V, such as softmax(QKᵀ/√d)V."""
    if "V" in letters:
        return CHECK + "heads"
    if found & _SOFTMAX and "before" not in found:
        return CHECK + "weights"
    return CHECK + ("scaled" if found & (_SCALED | {"d", "dk"}) else "scores")


def _of_letter(found: set[str], letter: str) -> str:
    if (
        found & (_SOFTMAX - {"weights"} | _ATTENTION - {"attn", "self", "attention"})
        and letter == "V"
    ):
        return CHECK + "heads"
    if found & _BIAS:
        return f"b_{letter}"
    if found & _SCORES - {"s"}:
        return CHECK + "scores"
    if found & {"rot", "rotated", "rope", "rotary"} and letter in "QK":
        return f"{CHECK}{letter}_rot"
    return f"W_{letter}" if found & _WEIGHT and not found & {"x", "weighted"} else letter


def _of_words(found: set[str], letters: set[str]) -> str:
    """A name without Q, K or V."""
    if found & {"mask", "loss", "epoch", "grad", "lr"} and not found & (_SCORES | _ATTENTION):
        return LEFT_OUT
    if "O" in letters and found & _BIAS:
        return "b_O"
    if "O" in letters and found & _WEIGHT and not found & _ATTENTION:
        return "W_O"
    if "concat" in found or "concatenated" in found:
        return CHECK + "concat"
    if found & {"exp", "exponentials", "exponents"}:
        return CHECK + "exp"
    if found & _SCORES:
        return _of_scores(found)
    if (
        found & _OTHER
        and found & (_INPUT | {"output", "outputs", "states"})
        and "vectors" not in found
    ):
        return "X_context"
    if "attentions" in found or (found & _SOFTMAX and not found & _INPUT):
        return CHECK + "weights"
    if found & _OUTPUT:
        return CHECK + ("Y" if found & {"y", "final"} else "heads")
    if found & _ATTENTION and not found & {"input", "inputs", "mask"}:
        return CHECK + "weights"
    if "masked" in found:
        return CHECK + "masked"
    if found & _POSITION:
        return "P"
    return "X" if found & _INPUT else ""


def _of_scores(found: set[str]) -> str:
    if found & (_SOFTMAX - {"alpha"}) and not found & _BEFORE:
        return CHECK + "weights"
    if "masked" in found:
        return CHECK + "masked"
    return CHECK + ("scaled" if found & _SCALED and not found & _BEFORE else "scores")


class Part(NamedTuple):
    """A role, the head (from 1) that it belongs to, and whether the matrix is transposed."""

    role: str
    head: int = 1
    turned: bool = False


_HEAD = re.compile(r"(.*)\.([1-9]\d{0,5})", re.DOTALL)


def is_headed(role: str) -> bool:
    """Whether there is one of this tensor for each head."""
    return split_layer(role)[1] in HEAD_ROLES


def is_role(base: str) -> bool:
    """Whether a text is a role, without head and without ".T"."""
    if base.startswith(CHECK):
        stage = base.removeprefix(CHECK)
        return is_stage(stage) and stage not in SHARED_ROLES
    name = split_layer(base)[1]
    return base in (*SHARED_ROLES, LEFT_OUT, VOCABULARY) or name in (
        *HEAD_ROLES,
        *STACK_TENSORS,
        *DOUBTFUL,
        "W_O",
        "b_O",
    )


def split_role(text: str) -> Part:
    """Role, head (from 1) and whether transposed of a text that may be no role."""
    base, turned = text.removesuffix(TURNED), text.endswith(TURNED)
    found = _HEAD.fullmatch(base)
    return Part(found[1], int(found[2]), turned) if found else Part(base, 1, turned)


def parse_parts(roles: Sequence[str]) -> list[Part]:
    """The parts of roles that are known to be valid."""
    return [split_role(role) for role in roles]


def numbered_role(role: str, head: int) -> str:
    """A role with the number of its head (from 1), which the first has not."""
    return role if head == 1 else f"{role}.{head}"
