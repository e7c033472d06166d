"""The topics of the quiz, and how many cards they have; cheap, unlike the whole deck."""

from __future__ import annotations

import json
from functools import cache

from core.base.files import read_bytes, resource

# In the order of the menu; each is a file.
TOPICS: tuple[str, ...] = ("roles", "scores", "softmax", "positions", "heads", "practice")


@cache
def card_count() -> int:
    """The number of cards of all topics."""
    files = (json.loads(read_bytes(resource("quiz", f"{topic}.json"))) for topic in TOPICS)
    return sum(len(file["cards"]) for file in files)
