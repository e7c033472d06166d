"""What the forms of a copy are called."""

from __future__ import annotations

# The forms of core.exchange.write, as their programs are called.
FORM_NAMES = {
    "tsv": "TSV",
    "csv": "CSV",
    "numpy": "NumPy",
    "pytorch": "PyTorch",
    "latex": "LaTeX",
    "markdown": "Markdown",
    "matlab": "MATLAB",
}
