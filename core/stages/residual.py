"""Residual connections: what came into a sub-layer plus what the sub-layer computed."""

from __future__ import annotations

from core.stages.inputs import ADD
from core.stages.kind import StageSpec

ATTENTION_RESIDUAL = StageSpec("attention_residual", ADD, "X + Y", short="R", letter="r", latex="R")
MLP_RESIDUAL = StageSpec("mlp_residual", ADD, "R + M", short="R", letter="r", latex="R")
