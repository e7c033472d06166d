"""An experiment as a code to paste: its file without spaces, deflated, as base64url without padding.

docs/format.md describes it. The exported page reads the same code after `#`.
"""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from typing import Any

import msgspec

from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import with_title
from core.exchange.linked import without_weights
from core.storage import archive

LONGEST = 200_000  # characters of a code that is read
MOST_BYTES = 4_000_000  # of the file in a code; more is no experiment that anyone pastes
LARGEST_QR = 600  # characters that a phone reads from a screen across a room
LEAST = 40  # characters; a shorter text is never an experiment
RAW = -zlib.MAX_WBITS  # deflate without a header
_CODE = re.compile(r"[A-Za-z0-9_-]+")
_LINK = re.compile(r"\S+#(?:code=)?([A-Za-z0-9_=-]+)")


def experiment_code(document: Document, *, notes: bool = True) -> str:
    """The code of an experiment, with its notes or without. The weights of a model stay in it."""
    if document.link is not None:
        document = without_weights(document)
    if not notes:
        document = with_title(document, document.title, "")
    tree: Any = msgspec.json.decode(archive.dumps(document))
    data = msgspec.json.encode(_shortened(tree))
    packer = zlib.compressobj(9, zlib.DEFLATED, RAW, 9)
    return urlsafe_b64encode(packer.compress(data) + packer.flush()).rstrip(b"=").decode("ascii")


def _shortened(value: Any) -> Any:
    """Whole numbers without “.0”; −0 stays."""
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e15 and str(value) != "-0.0"
        return int(value) if whole else value
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    return value


def qr_code(document: Document) -> str:
    """The code for a QR code: without notes where it would be too long with them; it may still be."""
    code = experiment_code(document)
    return code if len(code) <= LARGEST_QR else experiment_code(document, notes=False)


def is_code(text: str) -> bool:
    """Whether a text looks like a code, or a link with one: it unpacks to the beginning of a file."""
    try:
        return _unpacked(text, 64).lstrip().startswith(b'{"')
    except UserError:
        return False


def read_code(text: str) -> Document:
    """The experiment of a code, or of a link that ends in `#` and a code. Line breaks are ignored.

    Raises UserError "code.unreadable" for what is no code or not whole, "code.link" for one that
    only points to a model, and as core.storage.archive.loads for a code with another file in it.
    """
    data = _unpacked(text, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UserError("code.unreadable")
    source: object = None
    with suppress(msgspec.DecodeError, RecursionError, ValueError):  # loads says what is wrong
        source = msgspec.json.decode(data, type=_Source).source
    if source == archive.LINKED:
        raise UserError("code.link")
    return archive.loads(data)


class _Source(msgspec.Struct):
    """Where an experiment starts, read before anything else."""

    source: object = None


def _unpacked(text: str, most: int) -> bytes:
    """The bytes of a code, `most` at most. Raises UserError "code.unreadable"."""
    if len(text) > LONGEST:
        raise UserError("code.unreadable")
    link = _LINK.fullmatch("".join(text.split()))
    code = (link[1] if link else "".join(text.split())).rstrip("=")
    if len(code) < LEAST or not _CODE.fullmatch(code):
        raise UserError("code.unreadable")
    try:
        packed = urlsafe_b64decode(code + "=" * (-len(code) % 4))
        unpacker = zlib.decompressobj(RAW)
        data = unpacker.decompress(packed, most)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise UserError("code.unreadable") from error
    if len(data) < most and (not unpacker.eof or unpacker.unused_data):
        raise UserError("code.unreadable")
    return data
