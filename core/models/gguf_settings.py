"""The settings of a GGUF file as a configuration: other keys for the same things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.base.errors import UserError
from core.models.configuration import Configuration, read_configuration
from core.models.families import GGUF_FAMILIES, PARTS, gguf_family
from core.models.gguf import Gguf

# Keys after the name of the architecture, and those of config.json.
_KEYS = {
    "block_count": "num_hidden_layers",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_epsilon": "layer_norm_eps",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "rope.freq_base": "rope_theta",
}
# The tables of vectors whose rows give a size.
_SIZES = {
    "vocab_size": "word",
    "type_vocab_size": "token_type",
    "max_position_embeddings": "position",
}
# Settings that change no number, or that say what is so in any case; all others are refused.
_SAME = ("vocab_size", "pooling_type", "tensor_data_layout", "rope.scaling.original_context_length")
_OFF = {
    **dict.fromkeys(("expert_count", "expert_used_count", "attention.clamp_kqv"), 0),
    **dict.fromkeys(("attention.max_alibi_bias", "attn_logit_softcapping"), 0),
    **dict.fromkeys(("logit_scale", "residual_scale", "embedding_scale", "rope.scaling.factor"), 1),
    "final_logit_softcapping": 0,
    "rope.scaling.type": "none",
    "use_parallel_residual": False,
}


def gguf_configuration(file: Gguf, path: str) -> Configuration:
    """The configuration of the model in a GGUF file.

    Raises UserError "model.family" (name, known), and as read_configuration does.
    """
    name = file.settings.get("general.architecture")
    if name is None:
        raise UserError("model.key", path=path, key="general.architecture")
    if name not in GGUF_FAMILIES:
        raise UserError("model.family", path=path, name=str(name)[:80], known=GGUF_FAMILIES)
    assert isinstance(name, str)
    start = f"{name}."
    own = {key.removeprefix(start): key for key in file.settings if key.startswith(start)}
    config: dict[str, object] = {"model_type": name, "tie_word_embeddings": True}
    for key, whole in own.items():
        value = file.settings[whole]
        if key in _KEYS:
            config[_KEYS[key]] = value
        elif key not in _SAME and value != _expected(key, name, file.settings):
            raise UserError("model.setting", path=path, key=whole, value=str(value)[:80])
    shapes, names = file.shapes, gguf_family(name).names
    for key, part in _SIZES.items():
        table = f"{names.get(part)}.weight"
        if table in shapes:
            config[key] = shapes[table][0]
    if "rope_freqs.weight" in shapes:  # angles that are scaled one by one
        raise UserError("model.setting", path=path, key="rope_freqs.weight", value="rope")
    if f"{names.get('head')}.weight" in shapes:
        config["tie_word_embeddings"] = False
    configuration = read_configuration(config, path)
    first = names["layer"].format(0)
    biases = (part for part in PARTS if f"{first}{names.get(part)}.bias" in shapes)
    return replace(configuration, biases=tuple(biases))


def _expected(key: str, name: str, settings: Mapping[str, object]) -> object:
    """The only value of a setting that is computed; None where there is none."""
    start, family = f"{name}.", gguf_family(name)
    if key == "attention.sliding_window":  # one that covers all positions
        return settings.get(f"{start}context_length")
    if key == "attention.causal":
        return family.causal
    if key in ("rope.dimension_count", "attention.value_length"):
        heads, d = (
            settings.get(start + size) for size in ("attention.head_count", "embedding_length")
        )
        usual = d // heads if isinstance(d, int) and isinstance(heads, int) and heads else None
        return settings.get(f"{start}attention.key_length", usual)
    return _OFF.get(key)
