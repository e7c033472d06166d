"""LayerNorm and RMSNorm: each row brought to mean 0 and variance 1, or to mean square 1."""

from __future__ import annotations

from core.stages.kind import StageKind, StageSpec


class LayerNorm(StageKind):
    """Each row less its mean, divided by its standard deviation, times gamma, plus beta.

    # (n, d) -> (n, d)
    """

    name = "layer_norm"


class RmsNorm(StageKind):
    """Each row divided by the root of its mean square, times gamma.  # (n, d) -> (n, d)"""

    name = "rms_norm"


LAYER_NORM, RMS_NORM = LayerNorm(), RmsNorm()

# By `kind` of a norm.
NORM_STAGES: dict[str, StageKind] = {"layer": LAYER_NORM, "rms": RMS_NORM}

EMBEDDING_NORM = StageSpec("embedding_norm", LAYER_NORM, "LN", latex="N", letter="x̂")
ATTENTION_NORM = StageSpec("attention_norm", LAYER_NORM, "LN", latex="N", letter="x̂")
MLP_NORM = StageSpec("mlp_norm", LAYER_NORM, "LN", latex="N", letter="x̂")
FINAL_NORM = StageSpec("final_norm", LAYER_NORM, "LN", latex="N", letter="x̂")
