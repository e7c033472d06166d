"""Typographic and full-width signs as the plain ones that stand for them."""

from __future__ import annotations

import re

_MINUS = "\N{MINUS SIGN}\N{EN DASH}\N{FIGURE DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{SMALL HYPHEN-MINUS}"
_SPACES = "\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NOTHING = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_LINE_ENDS = "\x85\u2028\u2029\v\f"
_OTHERS = {"\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"'}
_OTHERS |= {
    "\N{IDEOGRAPHIC COMMA}": ",",
    "\N{IDEOGRAPHIC FULL STOP}": ".",
    "\N{HORIZONTAL ELLIPSIS}": "...",
}

_PLAIN: dict[str, str] = {
    chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)
}  # ASCII, full-width
for _signs, _sign in ((_MINUS, "-"), (_SPACES, " "), (_NOTHING, ""), (_LINE_ENDS, "\n")):
    _PLAIN |= dict.fromkeys(_signs, _sign)
_TABLE = str.maketrans({**_PLAIN, **_OTHERS})
_LINE_END = re.compile("\r\n?")


def plain(text: str) -> str:
    """The text with plain digits, signs, spaces and line ends; tabs stay."""
    return _LINE_END.sub("\n", text.translate(_TABLE))
