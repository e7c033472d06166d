"""The address of one number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One number: the tensor's id (a stage, or an input such as W_Q) and its place there.

    `head` is 0 for tensors without a head axis; a vector such as b_Q is one row.
    """

    tensor: str
    row: int = 0
    column: int = 0
    head: int = 0
