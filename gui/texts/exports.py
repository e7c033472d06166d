"""Sentences about what is seen and goes out as pictures, films, slides, pages. Merged into gui.texts.problems."""

from __future__ import annotations

from gui.language import mark

SENTENCES: dict[str, str] = {
    "export.steps": mark("There are no steps {text}; steps are counted from 1 to {limit}."),
    "export.too_many": mark(
        "{actual} steps are too many for one file of this kind and size, where {limit} are the most; "
        "choose fewer or larger steps."
    ),
    "export.no_video": mark(
        "Video needs the part “{name}”, which is not installed; install it with pip, or choose GIF or WebP."
    ),
}
