"""The pages of the guide: which there are, their text, and the places that links lead to. Free of Qt."""

from __future__ import annotations

import re
import unicodedata

from core.base.resources import guide

GUIDE, NOTICES = "guide", "notices"
PAGES = (GUIDE, NOTICES)


def page_text(page: str, language: str) -> str:
    """The Markdown of a page in a language, in English where there is none. The notices are in English alone."""
    path = guide("notices.md" if page == NOTICES else f"{language}.md")
    return (path if path.is_file() else guide("en.md")).read_text(encoding="utf-8")


def page_of(path: str) -> str | None:
    """The page that a link's path leads to, such as "notices.md"; None for all else."""
    if path == "notices.md":
        return NOTICES
    return GUIDE if re.fullmatch(r"[a-z]{2,3}(_\w+)?\.md", path) else None


def slug(heading: str) -> str:
    """The address of a heading within its page, as code hosts make it: "Step, and play" is #step-and-play."""
    kept = (
        sign for sign in unicodedata.normalize("NFC", heading.lower()) if re.match(r"[\w \-]", sign)
    )
    return "".join(kept).strip().replace(" ", "-")


def picture_name(name: str, dark: bool) -> str:
    """The file of a picture that belongs to a light or a dark theme: "en-window.png" is "en-window-dark.png" too."""
    stem, dot, ending = name.rpartition(".")
    return f"{stem}-dark{dot}{ending}" if dark else name
