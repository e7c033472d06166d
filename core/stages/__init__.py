"""The stages of a run: one kind for each way of computing one, and the plan that they form."""

from core.stages.kind import SPECS, Plan, Stage, StageKind, StageSpec, Trace, spec_of
from core.stages.mask import masked_scores
from core.stages.plan import plan
from core.stages.softmax import has_scores, softmax_source

__all__ = [
    "SPECS",
    "Plan",
    "Stage",
    "StageKind",
    "StageSpec",
    "Trace",
    "has_scores",
    "masked_scores",
    "plan",
    "softmax_source",
    "spec_of",
]
