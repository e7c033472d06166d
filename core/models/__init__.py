"""Trained models on the disk: checkpoints, tokenizers, and runs of all layers."""

from core.models.library import ShippedModel, open_model, shipped_models

__all__ = ["ShippedModel", "open_model", "shipped_models"]
