"""GGUF files made by hand, and plain loops that read quantised blocks as ggml defines them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.model_kit import CONFIGS, Tensors

ALIGNMENT = 32
_NAMES = {
    "llama": {
        "model.embed_tokens": "token_embd",
        "model.norm": "output_norm",
        "lm_head": "output",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    },
    "gpt2": {
        "wte": "token_embd",
        "wpe": "position_embd",
        "ln_f": "output_norm",
        "ln_1": "attn_norm",
        "ln_2": "ffn_norm",
        "attn.c_attn": "attn_qkv",
        "attn.c_proj": "attn_output",
        "mlp.c_fc": "ffn_up",
        "mlp.c_proj": "ffn_down",
    },
    "bert": {
        "embeddings.word_embeddings": "token_embd",
        "embeddings.position_embeddings": "position_embd",
        "embeddings.token_type_embeddings": "token_types",
        "embeddings.LayerNorm": "token_embd_norm",
        "attention.self.query": "attn_q",
        "attention.self.key": "attn_k",
        "attention.self.value": "attn_v",
        "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm",
        "intermediate.dense": "ffn_up",
        "output.dense": "ffn_down",
        "output.LayerNorm": "layer_output_norm",
    },
}
_NAMES["qwen2"] = _NAMES["llama"]
_LAYERS = {
    "llama": "model.layers.",
    "qwen2": "model.layers.",
    "gpt2": "h.",
    "bert": "encoder.layer.",
}


def text(value: str) -> bytes:
    """A string with its length."""
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def setting(value: Any) -> bytes:
    """A value with its type."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    kind = {str: 8, int: 5, float: 6}[type(value[0])]
    pack = "<i" if kind == 5 else "<f"
    parts = b"".join(text(each) if kind == 8 else struct.pack(pack, each) for each in value)
    return struct.pack("<IIQ", 9, kind, len(value)) + parts


def gguf_bytes(
    settings: Mapping[str, Any], tensors: Mapping[str, tuple[tuple[int, ...], int, bytes]]
) -> bytes:
    """A file; each tensor is its shape, the number of its type, its bytes."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(settings))
    for key, value in settings.items():
        head += text(key) + setting(value)
    numbers = b""
    for name, (shape, kind, data) in tensors.items():
        head += text(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", axis) for axis in reversed(shape))
        head += struct.pack("<IQ", kind, len(numbers))
        numbers += data + b"\0" * (-len(data) % ALIGNMENT)
    return head + b"\0" * (-len(head) % ALIGNMENT) + numbers


def settings_of(family: str, **settings: Any) -> dict[str, Any]:
    """The settings of a family's small model, some of config.json replaced."""
    config = {**CONFIGS[family], **settings}

    def first(*keys: str) -> Any:
        return next((config[key] for key in keys if key in config), None)

    found = {
        "block_count": first("num_hidden_layers", "n_layer"),
        "embedding_length": first("hidden_size", "n_embd"),
        "feed_forward_length": first("intermediate_size") or 4 * first("hidden_size", "n_embd"),
        "attention.head_count": first("num_attention_heads", "n_head"),
        "context_length": first("max_position_embeddings", "n_positions"),
    }
    if family in ("llama", "qwen2"):
        found["attention.head_count_kv"] = config["num_key_value_heads"]
        found["attention.layer_norm_rms_epsilon"] = config["rms_norm_eps"]
        found["rope.freq_base"] = config["rope_theta"]
        if "head_dim" in config:
            for key in ("attention.key_length", "attention.value_length", "rope.dimension_count"):
                found[key] = config["head_dim"]
    else:
        found["attention.layer_norm_epsilon"] = first("layer_norm_eps", "layer_norm_epsilon")
        found["attention.causal"] = family == "gpt2"
    named = {f"{family}.{key}": value for key, value in found.items()}
    return {"general.architecture": family, "general.name": "small", **named}


def paired(tensor: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """Rows in halves as rows in pairs, head by head, as the converter of Llama writes them."""
    k = tensor.shape[0] // heads
    order = [
        head * k + p + half * k // 2
        for head in range(heads)
        for p in range(k // 2)
        for half in (0, 1)
    ]
    return tensor[order]


def gguf_tensors(
    family: str, tensors: Tensors, **settings: Any
) -> dict[str, tuple[tuple[int, ...], int, bytes]]:
    """The tensors of a family under their names in GGUF files, as numbers of 32 bits."""
    found, config = {}, {**CONFIGS[family], **settings}
    for name, array in tensors.items():
        stem, _, ending = name.rpartition(".")
        layer, _, part = stem.removeprefix(_LAYERS[family]).partition(".")
        in_layer = stem.startswith(_LAYERS[family])
        known = _NAMES[family][part if in_layer else stem]
        if family == "gpt2" and in_layer and array.ndim == 2:
            array = array.T
        if family == "llama" and known in ("attn_q", "attn_k"):
            heads = "num_attention_heads" if known == "attn_q" else "num_key_value_heads"
            array = paired(array, config[heads])
        full = f"blk.{layer}.{known}.{ending}" if in_layer else f"{known}.{ending}"
        found[full] = (array.shape, 0, np.ascontiguousarray(array, "<f4").tobytes())
    return found


def write_gguf(path: Path, family: str, tensors: Tensors, **settings: Any) -> Path:
    """A file with a family's small model; `settings` replace some."""
    data = gguf_bytes({**settings_of(family), **settings}, gguf_tensors(family, tensors))
    path.write_bytes(data)
    return path


# Blocks, number by number. The types are those of ggml.


def half(data: bytes, at: int) -> float:
    """A number of 16 bits."""
    return float(np.frombuffer(data[at : at + 2], "<f2")[0])


def nibble(data: bytes, place: int) -> int:
    """Number `place` of 32 in 16 bytes: first the lower halves, then the upper ones."""
    return data[place] & 15 if place < 16 else data[place - 16] >> 4


def read_4_0(block: bytes) -> list[float]:
    return [(nibble(block[2:], i) - 8) * half(block, 0) for i in range(32)]


def read_4_1(block: bytes) -> list[float]:
    return [nibble(block[4:], i) * half(block, 0) + half(block, 2) for i in range(32)]


def read_5_0(block: bytes) -> list[float]:
    bits = int.from_bytes(block[2:6], "little")
    codes = [nibble(block[6:], i) + 16 * (bits >> i & 1) for i in range(32)]
    return [(code - 16) * half(block, 0) for code in codes]


def read_5_1(block: bytes) -> list[float]:
    bits = int.from_bytes(block[4:8], "little")
    codes = [nibble(block[8:], i) + 16 * (bits >> i & 1) for i in range(32)]
    return [code * half(block, 0) + half(block, 2) for code in codes]


def read_8_0(block: bytes) -> list[float]:
    return [(code - 256 if code > 127 else code) * half(block, 0) for code in block[2:]]


def scale_and_minimum(packed: bytes, part: int) -> tuple[int, int]:
    """The scale and minimum of one of eight parts, 6 bits each."""
    if part < 4:
        return packed[part] & 63, packed[part + 4] & 63
    scale = packed[part + 4] & 15 | packed[part - 4] >> 6 << 4
    return scale, packed[part + 4] >> 4 | packed[part] >> 6 << 4


def read_4_k(block: bytes, high: bytes = b"\0" * 32, codes: bytes = b"") -> list[float]:
    result, codes = [], codes or block[16:]
    for part in range(8):
        scale, minimum = scale_and_minimum(block[4:16], part)
        for i in range(32):
            byte = codes[part // 2 * 32 + i]
            code = (byte >> 4 if part % 2 else byte & 15) + 16 * (high[i] >> part & 1)
            result.append(half(block, 0) * scale * code - half(block, 2) * minimum)
    return result


def read_5_k(block: bytes) -> list[float]:
    return read_4_k(block, block[16:48], block[48:])


def read_6_k(block: bytes) -> list[float]:
    low, high, scales = block[:128], block[128:192], block[192:208]
    result = []
    for i in range(256):
        large, inner = divmod(i, 128)
        quarter, place = divmod(inner, 32)
        byte = low[large * 64 + place + 32 * (quarter % 2)]
        code = byte >> 4 if quarter >= 2 else byte & 15
        code |= (high[large * 32 + place] >> 2 * quarter & 3) << 4
        scale = scales[i // 16]
        result.append(half(block, 208) * (scale - 256 if scale > 127 else scale) * (code - 32))
    return result


# Number of the type: bytes of a block, places of its numbers of 16 bits, the loop.
BLOCKS = {
    2: (18, (0,), read_4_0),
    3: (20, (0, 2), read_4_1),
    6: (22, (0,), read_5_0),
    7: (24, (0, 2), read_5_1),
    8: (34, (0,), read_8_0),
    12: (144, (0, 2), read_4_k),
    13: (176, (0, 2), read_5_k),
    14: (210, (208,), read_6_k),
}


def random_blocks(kind: int, count: int, seed: int = 0) -> list[bytes]:
    """Blocks with any codes and scales near 1."""
    size, halves, _ = BLOCKS[kind]
    draw, blocks = np.random.default_rng(seed), []
    for _ in range(count):
        block = bytearray(draw.integers(0, 256, size, dtype=np.uint8).tobytes())
        for at in halves:
            block[at : at + 2] = np.array(draw.normal(), "<f2").tobytes()
        blocks.append(bytes(block))
    return blocks
