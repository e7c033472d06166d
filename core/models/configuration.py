"""What config.json says about a model: its sizes and settings, typed and checked.

Settings that change the numbers are computed or refused, never left out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.base.errors import UserError
from core.models.families import FAMILIES, Family

MOST = 1 << 24  # of any size
MOST_LAYERS = 999
# Keys of the sizes; the families name them differently.
_KEYS: dict[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "d": ("hidden_size", "n_embd", "dim"),
    "f": ("intermediate_size", "n_inner", "hidden_dim"),
    "vocabulary": ("vocab_size",),
    "positions": ("max_position_embeddings", "n_positions"),
    "eps": ("layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps"),
    "activation": ("hidden_act", "activation_function", "activation"),
}
_ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
_OFF: tuple[object, ...] = (None, False, 0, {}, [])
# Settings that are not computed, with the values that ask for nothing.
_REFUSED: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("quantization_config", "pruned_heads", "is_encoder_decoder"), _OFF),
    **dict.fromkeys(("is_decoder", "add_cross_attention", "scale_attn_by_inverse_layer_idx"), _OFF),
    **dict.fromkeys(("attn_logit_softcapping", "final_logit_softcapping"), _OFF),
    "position_embedding_type": (None, "absolute"),
    "scale_attn_weights": (None, True),
    "partial_rotary_factor": (None, 1),
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """Sizes and settings of a model: h heads of width k over `kv_heads`, f columns in its MLP."""

    architecture: str
    layers: int
    heads: int
    kv_heads: int
    d: int
    k: int
    f: int
    vocabulary: int
    positions: int  # usable ones
    first_position: int  # the row of the first position; those of padding are the row before it
    token_types: int
    eps: float
    activation: str
    base: float  # of rotary positions
    biases: tuple[str, ...]  # the parts of a layer that have one
    tied: bool
    windows: tuple[int | None, ...]  # of each layer: how many keys up to itself a query may see

    @property
    def family(self) -> Family:
        """Its row in the table of families."""
        return FAMILIES[self.architecture]


def read_configuration(config: Mapping[str, Any], path: str) -> Configuration:
    """The configuration of a model.

    Raises UserError "model.family" (name, known), "model.setting" (key, value) for a setting that
    is not computed, "model.value" (key, value) and "model.key" (key) for one that cannot be.
    """
    try:
        return _read(config)
    except UserError as problem:
        raise UserError(problem.code, **{**problem.data, "path": path}) from problem


def _read(config: Mapping[str, Any]) -> Configuration:
    name = config.get("model_type")
    if name is None:
        raise UserError("model.key", key="model_type")
    if not isinstance(name, str) or name not in FAMILIES:
        raise UserError("model.family", name=_shown(name), known=tuple(FAMILIES))
    family = FAMILIES[name]
    for key, fine in _REFUSED.items():
        if key in config and config[key] not in fine:
            raise UserError("model.setting", key=key, value=_shown(config[key]))
    layers, heads = _whole(config, "layers", most=MOST_LAYERS), _whole(config, "heads")
    d = _whole(config, "d")
    kv_heads = heads if not family.rotary else _whole(config, "num_key_value_heads", heads)
    width = config.get("head_dim") if family.rotary else None
    k = d // heads if width is None else _whole(config, "head_dim")
    for key, value, divisor in (
        ("heads", d, heads if width is None else 1),
        ("num_key_value_heads", heads, kv_heads),
    ):
        if value % divisor:
            raise UserError("model.divides", key=_key(config, key), value=divisor, size=value)
    if family.rotary and k % 2:
        raise UserError("model.value", key="head_dim", value=k)
    first = _whole(config, "pad_token_id", 1, least=0) + 1 if family.padded else 0
    positions = _whole(config, "positions", 512 if not family.rotary else 2048)
    if positions <= first:
        raise UserError("model.value", key=_key(config, "positions"), value=positions)
    return Configuration(
        architecture=name,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        d=d,
        k=k,
        f=_whole(config, "f", 4 * d),
        vocabulary=_whole(config, "vocabulary"),
        positions=positions - first,
        first_position=first,
        token_types=_whole(config, "type_vocab_size", 2) if family.has("token_type") else 0,
        eps=_number(config, "eps", family.eps, least=0.0),
        activation=_activation(config, family),
        base=_rotary_base(config) if family.rotary else 10000.0,
        biases=_biases(config, name),
        tied=_flag(config, "tie_word_embeddings", family.tied),
        windows=_windows(config, name, layers),
    )


def _key(config: Mapping[str, Any], name: str) -> str:
    """The key that a configuration has for a size, or the usual one."""
    keys = _KEYS.get(name, (name,))
    return next((key for key in keys if config.get(key) is not None), keys[0])


def _whole(
    config: Mapping[str, Any],
    name: str,
    default: int | None = None,
    *,
    least: int = 1,
    most: int = MOST,
) -> int:
    key = _key(config, name)
    value = config.get(key)
    if value is None:
        if default is None:
            raise UserError("model.key", key=key)
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UserError("model.value", key=key, value=_shown(value))
    return value


def _number(config: Mapping[str, Any], name: str, default: float, *, least: float) -> float:
    key = _key(config, name)
    value = config.get(key)
    if value is None:
        return default
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not least <= value <= sys.float_info.max
    ):
        raise UserError("model.value", key=key, value=_shown(value))
    return float(value)


def _flag(config: Mapping[str, Any], key: str, default: bool) -> bool:
    value = config.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise UserError("model.value", key=key, value=_shown(value))
    return value


def _activation(config: Mapping[str, Any], family: Family) -> str:
    key = _key(config, "activation")
    name = config.get(key) or family.activation
    if not isinstance(name, str) or name not in _ACTIVATIONS:
        raise UserError("model.setting", key=key, value=_shown(name))
    return _ACTIVATIONS[name]


def _rotary_base(config: Mapping[str, Any]) -> float:
    """The base of the angles. Scaled angles are refused."""
    found = {"rope_theta": config.get("rope_theta")}
    for key in ("rope_parameters", "rope_scaling"):
        settings = config.get(key) or {}
        if not isinstance(settings, dict):
            raise UserError("model.value", key=key, value=_shown(settings))
        kind = settings.get("rope_type", settings.get("type", "default"))
        if kind != "default" or settings.get("partial_rotary_factor") not in (None, 1):
            raise UserError("model.setting", key=key, value=_shown(kind))
        if found["rope_theta"] is None:
            found["rope_theta"] = settings.get("rope_theta")
    base = _number(found, "rope_theta", 10000.0, least=0.0)
    if base == 0.0:
        raise UserError("model.value", key="rope_theta", value=base)
    return base


def _biases(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    biases = FAMILIES[name].biases
    if name == "llama" and _flag(config, "attention_bias", False):
        biases += ("query", "key", "value", "output")
    if name == "llama" and _flag(config, "mlp_bias", False):
        biases += ("up", "gate", "down")
    return biases


def _windows(config: Mapping[str, Any], name: str, layers: int) -> tuple[int | None, ...]:
    """The sliding window of each layer: all of Mistral's, of Qwen2 those that it says."""
    switched = name == "mistral" or (name == "qwen2" and _flag(config, "use_sliding_window", False))
    if not switched or config.get("sliding_window", 4096) is None:
        return (None,) * layers
    window = _whole(config, "sliding_window", 4096)
    kinds = config.get("layer_types")
    if kinds is None:
        first = _whole(config, "max_window_layers", 28, least=0) if name == "qwen2" else 0
        return tuple(window if layer >= first else None for layer in range(layers))
    known = {"sliding_attention": window, "full_attention": None}
    if (
        not isinstance(kinds, list)
        or len(kinds) != layers
        or not all(isinstance(kind, str) and kind in known for kind in kinds)
    ):
        raise UserError("model.setting", key="layer_types", value=_shown(kinds))
    return tuple(known[kind] for kind in kinds)


def _shown(value: object) -> str:
    """A value as a sentence shows it."""
    return str(value)[:80]
