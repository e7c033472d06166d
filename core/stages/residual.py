"""Residual connections: what came into a sub-layer plus what the sub-layer computed."""

from __future__ import annotations

from core.stages.inputs import ADD
from core.stages.kind import StageSpec

ATTENTION_RESIDUAL = StageSpec(
    "attention_residual", ADD, "R₁", letter="r", latex="R_1", display="{R_1}"
)
MLP_RESIDUAL = StageSpec(
    "mlp_residual", ADD, "R₂", letter="r", latex="R_2", display="{R_2}", of_mlp=True
)
