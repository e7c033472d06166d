"""Trained models on the disk: checkpoints, tokenizers, and runs of all layers."""

from core.models.shipped import ShippedModel, open_model, shipped_models
from core.models.tokenizers import Tokenizer, tokenizer

__all__ = ["ShippedModel", "Tokenizer", "open_model", "shipped_models", "tokenizer"]
