"""Public name of scaled dot-product attention; the code lies in `core.arithmetic.attention`."""

from core.arithmetic.attention import Attention, attend

__all__ = ["Attention", "attend"]
