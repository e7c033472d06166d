"""Quantised numbers of GGUF files: blocks of small whole numbers with a scale, and perhaps a minimum.

Formats as in ggml (https://github.com/ggml-org/ggml): 32 numbers a block, or 256 with scales of
their own for each 16 or 32 of them (the K formats).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.models.tensor_file import Numbers

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


def _half(block: Bytes, at: int) -> Floats:
    """A number of 16 bits in each block.  # (…, size) -> (…, 1)"""
    return np.ascontiguousarray(block[..., at : at + 2]).view("<f2").astype(np.float32)


def _nibbles(codes: Bytes) -> Bytes:
    """The lower halves of all bytes, then the upper ones.  # (…, b) -> (…, 2b)"""
    b = codes.shape[-1]
    result = np.empty((*codes.shape[:-1], 2 * b), np.uint8)
    np.bitwise_and(codes, 15, out=result[..., :b])
    np.right_shift(codes, 4, out=result[..., b:])
    return result


def _q4_0(block: Bytes) -> Floats:
    return (_nibbles(block[..., 2:]).astype(np.float32) - 8) * _half(block, 0)


def _q4_1(block: Bytes) -> Floats:
    result = _nibbles(block[..., 4:]).astype(np.float32)
    result *= _half(block, 0)
    result += _half(block, 2)
    return result


def _fifth_bits(bits: Bytes) -> Bytes:
    """One bit for each of 32 numbers, as 16 or 0.  # (…, 4) -> (…, 32)"""
    return np.unpackbits(bits, axis=-1, bitorder="little") << np.uint8(4)


def _q5_0(block: Bytes) -> Floats:
    codes = _nibbles(block[..., 6:]) | _fifth_bits(block[..., 2:6])
    return (codes.astype(np.float32) - 16) * _half(block, 0)


def _q5_1(block: Bytes) -> Floats:
    codes = _nibbles(block[..., 8:]) | _fifth_bits(block[..., 4:8])
    return codes.astype(np.float32) * _half(block, 0) + _half(block, 2)


def _q8_0(block: Bytes) -> Floats:
    return block[..., 2:].view(np.int8).astype(np.float32) * _half(block, 0)


def _scales_and_minima(packed: Bytes) -> tuple[Floats, Floats]:
    """Eight scales and eight minima of 6 bits in 12 bytes.  # (…, 12) -> (…, 8) twice"""
    low, high, last = packed[..., :4], packed[..., 4:8], packed[..., 8:]
    scales = np.concatenate([low & 63, (last & 15) | (low >> 6 << 4)], axis=-1)
    minima = np.concatenate([high & 63, (last >> 4) | (high >> 6 << 4)], axis=-1)
    return scales.astype(np.float32), minima.astype(np.float32)


def _with_scales(block: Bytes, codes: Bytes) -> Floats:
    """Codes (…, 8, 32) with the scales and minima at the beginning of each block."""
    scales, minima = _scales_and_minima(block[..., 4:16])
    scales, minima = scales * _half(block, 0), minima * _half(block, 2)
    result = codes.astype(np.float32) * scales[..., None] - minima[..., None]
    return result.reshape(*block.shape[:-1], 256)


def _q4_k(block: Bytes) -> Floats:
    codes = _nibbles(block[..., 16:].reshape(*block.shape[:-1], 4, 32))
    return _with_scales(block, codes.reshape(*block.shape[:-1], 8, 32))


def _q5_k(block: Bytes) -> Floats:
    codes = _nibbles(block[..., 48:].reshape(*block.shape[:-1], 4, 32))
    shifts = np.arange(8, dtype=np.uint8)[:, None]
    fifth = (block[..., None, 16:48] >> shifts & np.uint8(1)) << np.uint8(4)
    return _with_scales(block, codes.reshape(*block.shape[:-1], 8, 32) | fifth)


def _q6_k(block: Bytes) -> Floats:
    lead = block.shape[:-1]
    low = _nibbles(block[..., :128].reshape(*lead, 2, 64)).reshape(*lead, 2, 4, 32)
    shifts = np.arange(0, 8, 2, dtype=np.uint8)[:, None]
    high = block[..., 128:192].reshape(*lead, 2, 1, 32) >> shifts & 3
    codes = (low | high << 4).astype(np.float32) - 32
    scales = block[..., 192:208].view(np.int8).astype(np.float32) * _half(block, 208)
    return (codes.reshape(*lead, 16, 16) * scales[..., None]).reshape(*lead, 256)


def _bf16(block: Bytes) -> Floats:
    return (np.ascontiguousarray(block).view("<u2").astype("<u4") << 16).view("<f4")


def _plain(kind: str) -> Callable[[Bytes], npt.NDArray[Any]]:
    return lambda block: np.ascontiguousarray(block).view(kind)


@dataclass(frozen=True, slots=True)
class BlockFormat:
    """`values` numbers in `size` bytes, and how they are read.  # (…, size) -> (…, values)"""

    values: int
    size: int
    read: Callable[[Bytes], Numbers]


# By the number of the type in GGUF files.
FORMATS = {
    0: BlockFormat(1, 4, _plain("<f4")),
    1: BlockFormat(1, 2, _plain("<f2")),
    2: BlockFormat(32, 18, _q4_0),
    3: BlockFormat(32, 20, _q4_1),
    6: BlockFormat(32, 22, _q5_0),
    7: BlockFormat(32, 24, _q5_1),
    8: BlockFormat(32, 34, _q8_0),
    12: BlockFormat(256, 144, _q4_k),
    13: BlockFormat(256, 176, _q5_k),
    14: BlockFormat(256, 210, _q6_k),
    28: BlockFormat(1, 8, _plain("<f8")),
    30: BlockFormat(1, 2, _bf16),
}
# The names of those that are not read.
OTHERS = {
    9: "Q8_1",
    10: "Q2_K",
    11: "Q3_K",
    15: "Q8_K",
    16: "IQ2_XXS",
    17: "IQ2_XS",
    18: "IQ3_XXS",
    19: "IQ1_S",
    20: "IQ4_NL",
    21: "IQ3_S",
    22: "IQ2_S",
    23: "IQ4_XS",
    24: "I8",
    25: "I16",
    26: "I32",
    27: "I64",
    29: "IQ1_M",
    34: "TQ1_0",
    35: "TQ2_0",
    39: "MXFP4",
}
