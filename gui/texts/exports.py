"""Sentences about what is seen and goes out as pictures, films, slides, pages. Merged into gui.texts.problems."""

from __future__ import annotations

from gui.texts.translation import mark

SENTENCES: dict[str, str] = {
    "export.steps": mark("There are no steps {text}; steps are counted from 1 to {limit}."),
    "export.too_many": mark(
        "{actual} steps are too many for one file of this kind and size, where {limit} are the most; "
        "choose fewer or larger steps."
    ),
    "export.scenes": mark("There are no scenes {text}; scenes are counted from 1 to {limit}."),
    "export.no_scenes": mark("This lesson has no scenes yet; add one, or export the experiment."),
    "export.one_picture": mark(
        "A {format} file holds one picture, and {count} scenes are asked for; choose one, or a format with pages: PDF."
    ),
    "export.too_many_frames": mark(
        "{actual} frames are too many for one file of this size, where {limit} are the most; choose fewer steps, "
        "fewer frames a second, smaller frames, or no motion."
    ),
    "export.no_video": mark(
        "Video needs the part “{name}”, which is not installed; install it with pip, or choose GIF or WebP."
    ),
}
