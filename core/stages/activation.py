"""The MLP: projections to the hidden width and back, and the activation function between them."""

from __future__ import annotations

from core.stages.kind import StageKind, StageSpec
from core.stages.project import PROJECT


class Activation(StageKind):
    """ReLU, GELU or SiLU of each number; with a gate, that of the gate times the hidden number.

    # (n, f) -> (n, f)
    """

    name = "activation"


ACTIVATION = Activation()

MLP_HIDDEN = StageSpec("mlp_hidden", PROJECT, "H", letter="h", latex="H")
MLP_GATE = StageSpec("mlp_gate", PROJECT, "G", letter="g", latex="G")
MLP_ACTIVE = StageSpec("mlp_active", ACTIVATION, "φ(H)", letter="a", latex=r"\varphi")
MLP_OUT = StageSpec("mlp_out", PROJECT, "M", letter="m", latex="M")
