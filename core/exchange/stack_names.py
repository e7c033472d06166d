"""Guess what a matrix of a transformer block is from its name: names of lectures and of models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.document.parts import STACK_TENSORS

# Either may be that of any norm: a person chooses which.
DOUBTFUL = ("gamma", "beta")
VOCABULARY = "vocabulary"

_OWN = re.compile(r"L([1-9]\d{0,3})[._](.+)")
_FROM_ZERO = re.compile(
    r"(?:^|.*\.)(?:h|layers?|blocks?|resblocks|encoder|decoder)\.(\d{1,4})\.(.+)"
)
_COUNTED = re.compile(
    r"(?:layer|block)[\s_]*[\[(]?(\d{1,4})[\])]?[\s._:]+(.+)|第\s*(\d{1,4})\s*层[\s._:]*(.+)",
    re.IGNORECASE,
)
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_GREEK = (("γ", "gamma"), ("β", "beta"), (r"\gamma", "gamma"), (r"\beta", "beta"))

# The end of a name in small letters and the part that it names; weights and biases of a part share
# a row.
_NORM_PARTS = (
    ("embedding_norm", r"embedding_norm|emb\w*\.(?:layer_?norm|ln|norm)|ln_e\w*|emb_ln|ln_pre"),
    (
        "final_norm",
        r"final_norm|ln_f(?:inal)?|(?:final|last)_?(?:layer_?norm|ln)|norm_f|ln_post|model\.norm"
        r"|transformer\.norm",
    ),
    (
        "attention_norm",
        r"attention_norm|attn_norm|ln_?1|norm_?1|layer_?norm_?1|input_layernorm|ln_attn"
        r"|attention\.output\.layernorm|self_attn_layer_norm|layernorm_before",
    ),
    (
        "mlp_norm",
        r"mlp_norm|ffn_norm|ln_?2|norm_?2|layer_?norm_?2|post_attention_layernorm|ln_mlp"
        r"|output\.layernorm|layernorm_after",
    ),
)
_LINEAR_PARTS = (
    (
        "O",
        r"(?:attn|attention|self_attn|self)\.(?:c_proj|out_proj|o_proj|wo|w_o)"
        r"|attention\.output\.dense|attention\.dense",
    ),
    ("gate", r"gate_proj|(?:mlp|ffn?)\.gate|w_?gate"),
    (
        "1",
        r"fc_?1|linear_?1|lin_?1|c_fc|up_proj|intermediate\.dense|dense_h_to_4h"
        r"|(?:mlp|ffn?|net|feed_forward)\.(?:0|w_?1|w_?in|up|in|fc)|w_up",
    ),
    (
        "2",
        r"fc_?2|linear_?2|lin_?2|(?:mlp\.)?c_proj|down_proj|output\.dense|dense_4h_to_h"
        r"|(?:mlp|ffn?|net|feed_forward)\.(?:2|3|w_?2|w_?out|down|out|proj)|w_down",
    ),
    ("U", r"lm_head|unembed(?:ding)?(?:\.w_u)?|w_?vocab|(?:model\.)?embed_out|cls\.decoder"),
)
_WEAK = re.compile(r"[wb]_?\{?[12]\}?|w_?(?:up|down)|(?:gamma|beta)\W*\w*\W*")
_PLAIN = re.compile(r"([wb])_?\{?(1|2|u|gate)\}?")
_SCALES = {
    "weight": "gamma",
    "gamma": "gamma",
    "scale": "gamma",
    "g": "gamma",
    "": "",
    "bias": "beta",
    "beta": "beta",
    "b": "beta",
}
_KINDS = {"weight": "W", "kernel": "W", "w": "W", "": "W", "bias": "b", "b": "b"}


class StackName(NamedTuple):
    """What a name says: the layer (None for none), whether it counts from 0, and the rest.

    `role` is a tensor that only stacks have, W_O or b_O, DOUBTFUL or VOCABULARY; "" for none. `weak`:
    the name means something else where no other matrix is of a block, as W1 and γ do.
    """

    role: str = ""
    layer: int | None = None
    from_zero: bool = False
    rest: str = ""
    weak: bool = False


def stack_name(name: str) -> StackName:
    """The parts of a name: ("W_1", 1) for L1.W_1, fc1.weight of layers.0, and so on."""
    text = name.strip().translate(_SUBSCRIPTS)
    for sign, word in _GREEK:
        text = text.replace(sign, word)
    layer, from_zero, rest = _split(text)
    role = _role(rest.lower())
    weak = layer is None and bool(_WEAK.fullmatch(rest.lower()))
    weak |= role in (*DOUBTFUL, "W_O", "b_O")
    return StackName(role, layer, from_zero, rest, weak)


def _split(text: str) -> tuple[int | None, bool, str]:
    if own := _OWN.fullmatch(text):
        return int(own[1]), False, own[2]
    if found := _FROM_ZERO.fullmatch(text):
        return int(found[1]), True, found[2]
    if found := _COUNTED.fullmatch(text):
        return int(found[1] or found[3]), False, found[2] or found[4]
    return None, False, text


def _role(text: str) -> str:
    if text in (*STACK_TENSORS, *DOUBTFUL):
        return text
    if text in ("vocab", "vocabulary", "id2word", "itos", "词表", "词汇表"):
        return VOCABULARY
    if found := _PLAIN.fullmatch(text):
        return f"{_KINDS[found[1]]}_{found[2].replace('u', 'U')}"
    return _of_norm(text) or _of_linear(text) or _of_factor(text)


def _of_norm(text: str) -> str:
    for norm, names in _NORM_PARTS:
        found = re.fullmatch(rf"(?:.*\.)?(?:{names})[._](\w+)", text)
        if found and _SCALES.get(found[1]):
            return f"{norm}.{_SCALES[found[1]]}"
    found = re.fullmatch(r"norm\.(weight|bias)", text)  # of a model of which it is the last part
    return f"final_norm.{_SCALES[found[1]]}" if found else ""


def _of_linear(text: str) -> str:
    for part, names in _LINEAR_PARTS:
        found = re.fullmatch(rf"(?:.*\.)?(?:{names})(?:[._](weight|kernel|bias|w|b))?", text)
        if found:
            return f"{_KINDS[found[1] or '']}_{part}"
    return ""


def _of_factor(text: str) -> str:
    """γ₁, β2, gamma_mlp, ln1_gamma: of the first or second norm of a layer, or in doubt of any."""
    found = re.fullmatch(r"(gamma|beta)[_^{\s]*(\w*?)\}?", text)
    if not found:
        return ""
    norms = {
        "1": "attention_norm",
        "attn": "attention_norm",
        "attention": "attention_norm",
        "2": "mlp_norm",
        "mlp": "mlp_norm",
        "ffn": "mlp_norm",
        "f": "final_norm",
        "final": "final_norm",
    }
    norm = norms.get(found[2])
    return f"{norm}.{found[1]}" if norm else found[1]


def layers_of_names(names: Sequence[StackName]) -> list[int | None]:
    """The layer of each name, from 1; those that a module list counts, and any 0, count from 0."""
    counted = [name.layer for name in names if name.layer is not None and not name.from_zero]
    shift = int(0 in counted)
    return [
        None if name.layer is None else name.layer + (1 if name.from_zero else shift)
        for name in names
    ]
