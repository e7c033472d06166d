"""The kinds of mask and scale: what they are called, and what choosing one is called in Undo."""

from __future__ import annotations

from gui.texts.translation import mark

MASK_NAMES = {
    "none": mark("None"),
    "causal": mark("Causal: look back only"),
    "window": mark("Window"),
    "custom": mark("Custom: click cells"),
}
MASK_CHOICES = {
    "none": mark("No mask"),
    "causal": mark("Causal mask"),
    "window": mark("Window mask"),
    "custom": mark("Custom mask"),
}
SCALE_NAMES = {"sqrt_dk": mark("÷ √dₖ"), "none": mark("Not scaled"), "factor": mark("× a factor")}
SCALE_CHOICES = {
    "sqrt_dk": mark("Scale by √d_k"),
    "none": mark("No scale"),
    "factor": mark("Scale by a factor"),
}
