"""Names of tensors and sizes with their index below the line, W_Q, b_O, d_k, d_model, and small letters as what they
mean: the ˢ⁻ᵐᵃˣ of eˢ⁻ᵐᵃˣ is s − max, raised."""

from __future__ import annotations

import html
import re

from gui.texts.rich_text import Line, Span

_NAME = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z])_(model|perm|[A-Za-z])(?![A-Za-z0-9_])")


SMALL_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀˢᵐᵃˣ", "0123456789−+Tsmax", strict=True))
SMALL_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ₖᵥ", "0123456789kv", strict=True))
_SMALL = re.compile(f"([{''.join(SMALL_RAISED)}]+)|([{''.join(SMALL_LOWERED)}]+)")


def typeset(text: str) -> Line:
    """Plain text as a line in which what is raised or lowered really is."""
    spans: list[Span] = []
    for piece, below in pieces(text):
        end = 0
        for small in _SMALL.finditer("" if below else piece):
            raised = small[1] is not None
            letters = SMALL_RAISED if raised else SMALL_LOWERED
            before = piece[end : small.start()]
            spans += [Span(before)] if before else []
            spans.append(
                Span("".join(letters[sign] for sign in small[0]), level=1 if raised else -1)
            )
            end = small.end()
        spans += [Span(piece[end:], level=-1 if below else 0)] if piece[end:] else []
    return tuple(spans)


def rich(text: str) -> str:
    """Plain text as rich text, with indices below the line; lines stay lines."""
    return _NAME.sub(r"\1<sub>\2</sub>", html.escape(text, quote=False)).replace("\n", "<br>")


def pieces(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it stands below the line."""
    found: list[tuple[str, bool]] = []
    end = 0
    for name in _NAME.finditer(text):
        found += [(text[end : name.end(1)], False), (name[2], True)]
        end = name.end()
    return [*found, (text[end:], False)] if text[end:] or not found else found
