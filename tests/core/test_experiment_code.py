"""Codes of experiments: what goes in comes out, their length, and texts that are none."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import with_tensor
from core.document.parts import is_of_head
from core.exchange.code import (
    LARGEST_QR,
    LONGEST,
    experiment_code,
    is_code,
    qr_code,
    read_code,
)
from core.storage.archive import dumps
from core.storage.examples import EXAMPLES, load_example
from tests.core.documents import make
from tests.core.stacks import make_stack

CAT = load_example("cat-eats-fish")


def packed(text: str | bytes) -> str:
    """A code made without the program: raw deflate, base64url, no padding."""
    data = text.encode() if isinstance(text, str) else text
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = packer.compress(data) + packer.flush()
    return base64.b64encode(raw).decode().translate(str.maketrans("+/", "-_")).rstrip("=")


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_come_back(example: str) -> None:
    document = load_example(example)
    code = experiment_code(document)
    assert dumps(read_code(code)) == dumps(document)
    assert is_code(code)
    assert set(code) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize(
    "document",
    [
        make(1, positional="learned", context=4, pins=3, biases=True, output=True, off=(1,)),
        make(2, source="weights", mask="none"),
        make_stack(3, gate=True, borrowed=True),
        with_tensor(make(4), "X", np.full((5, 6), -0.0)),
    ],
)
def test_every_part_comes_back(document: Document) -> None:
    assert dumps(read_code(experiment_code(document))) == dumps(document)


def test_a_code_is_deflated_json_without_spaces() -> None:
    code = experiment_code(CAT)
    raw = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
    text = zlib.decompress(raw, wbits=-15).decode()
    assert json.loads(text) == json.loads(dumps(CAT))
    assert text == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))


def test_a_code_made_elsewhere_is_read() -> None:
    file = json.loads(dumps(CAT))
    assert dumps(read_code(packed(json.dumps(file, indent=2)))) == dumps(CAT)


@pytest.mark.parametrize(("h", "k"), [(1, 4), (2, 2), (4, 1)])
def test_five_tokens_of_four_numbers_fit_into_2000_characters(h: int, k: int) -> None:
    sizes = {"n": 5, "d": 4, "h": h, "k": k, "v": k}
    document = make(h, sizes=sizes, biases=True, output=True)
    rng = np.random.default_rng(h)
    for name in document.inputs:
        for head in range(h if is_of_head(name) else 1):
            tensor = document.tensor(name, head)
            if tensor is not None:  # all 17 digits
                document = with_tensor(document, name, rng.normal(size=tensor.shape), head)
    assert len(experiment_code(document)) <= 2000


def test_a_qr_code_leaves_notes_out_where_they_make_it_too_long() -> None:
    assert qr_code(CAT) == experiment_code(CAT)
    document = load_example("which-apple-pronoun")
    assert len(experiment_code(document)) > LARGEST_QR >= len(qr_code(document))
    read = read_code(qr_code(document))
    assert (read.notes, read.title) == ("", document.title)
    assert np.array_equal(read.heads[0].Q, document.heads[0].Q)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "  {}\n",
        "https://example.org/page.html#{}",
        "file:///tmp/a%20b.html#code={}",
        "{}==",
    ],
)
def test_links_and_line_breaks_do_not_matter(around: str) -> None:
    code = experiment_code(CAT)
    broken = "\n".join(code[i : i + 60] for i in range(0, len(code), 60))
    assert dumps(read_code(around.format(broken))) == dumps(CAT)
    assert is_code(around.format(code))


BROKEN = {
    "nothing": "",
    "a word": "attention",
    "a sentence": "The cat eats the fish in the garden behind the house.",
    "numbers": "0.74 0.44 0.32\n0.50 0.50 0.50",
    "the beginning": experiment_code(CAT)[:-20],
    "the end": experiment_code(CAT)[20:],
    "a letter changed": experiment_code(CAT)[:200] + "~" + experiment_code(CAT)[201:],
    "two codes": experiment_code(CAT) * 2,
    "no deflate": "A" * 100,
    "too long": "A" * (LONGEST + 1),
    "a bomb": packed(b"[" * 40_000_000),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_codes_are_refused(name: str) -> None:
    with pytest.raises(UserError) as refused:
        read_code(BROKEN[name])
    assert refused.value.code == "code.unreadable"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"format": "self-attention-lesson", "version": 1, "scenes": []}', "file.not_experiment"),
        ('{"format": "self-attention-experiment", "version": 99, "more": 123456}', "file.newer"),
        ("nothing but a text that is no JSON at all, long enough to be read", "file.syntax"),
    ],
)
def test_codes_with_something_else_say_what_it_is(text: str, code: str) -> None:
    with pytest.raises(UserError) as refused:
        read_code(packed(text))
    assert refused.value.code == code


def test_a_code_never_opens_a_file_of_this_machine() -> None:
    link = {"path": "/etc/model", "sha256": "0" * 64, "layer": 1, "text": "a"}
    file = {"format": "self-attention-experiment", "version": 2, "source": "model", "model": link}
    with pytest.raises(UserError) as refused:
        read_code(packed(json.dumps(file)))
    assert refused.value.code == "code.link"


@given(st.text(max_size=200))
def test_no_text_does_harm(text: str) -> None:
    if not is_code(text):
        with pytest.raises(UserError):
            read_code(text)
