"""The page reads codes of experiments, deflated in any way, and refuses damaged ones."""

from __future__ import annotations

import base64
import json
import random
import zlib
from pathlib import Path

import pytest

from core.exchange.code import experiment_code
from tests.gui.page_kit import all_experiments, experiment_of, in_node, program


def deflated(text: str, level: int, strategy: int, wbits: int) -> str:
    made = zlib.compressobj(level, zlib.DEFLATED, wbits, 8, strategy)
    data = made.compress(text.encode()) + made.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def test_every_way_to_deflate(tmp_path: Path) -> None:
    texts = [
        json.dumps(experiment_of(document), ensure_ascii=False)
        for _, document in all_experiments()[::9]
    ]
    texts += ["", "小猫吃鱼" * 3000, "".join(random.Random(3).choices("abc€", k=70_000))]
    ways = [
        (level, strategy, wbits)
        for level in (0, 1, 9)
        for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY)
        for wbits in (15, -15)
    ]
    codes = [deflated(text, *ways[place % len(ways)]) for place, text in enumerate(texts * 3)]
    printed = in_node(
        f"{program('inflate.js')}\nconsole.log(JSON.stringify({json.dumps(codes)}.map(Inflate.read)));",
        tmp_path,
    )
    if printed is None:
        pytest.skip("no node on this system")
    assert json.loads(printed) == texts * 3


def test_the_program_s_codes(tmp_path: Path) -> None:
    documents = [document for _, document in all_experiments()]
    codes = [experiment_code(document) for document in documents]
    printed = in_node(
        f"{program('inflate.js')}\nconsole.log(JSON.stringify({json.dumps(codes)}.map(Inflate.read)));",
        tmp_path,
    )
    if printed is None:
        pytest.skip("no node on this system")
    found = [json.loads(text) for text in json.loads(printed)]
    assert found == [experiment_of(document) for document in documents]


def test_a_damaged_code_is_refused(tmp_path: Path) -> None:
    text = json.dumps(experiment_of(all_experiments()[0][1]))
    code = deflated(text, 9, zlib.Z_DEFAULT_STRATEGY, -15)
    rng = random.Random(1)
    damaged = [code[:cut] for cut in range(1, len(code) - 3, 7)]
    for _ in range(100):
        place = rng.randrange(len(code))
        damaged.append(code[:place] + rng.choice("AZaz09-_") + code[place + 1 :])
    bomb = deflated("0" * 50_000_000, 9, zlib.Z_DEFAULT_STRATEGY, -15)
    script = (
        "const tried = (code) => { try { return Inflate.read(code); } catch { return null; } };"
        f"console.log(JSON.stringify({json.dumps([*damaged, bomb, '%%%'])}.map(tried)));"
    )
    printed = in_node(f"{program('inflate.js')}\n{script}", tmp_path)
    if printed is None:
        pytest.skip("no node on this system")
    found = json.loads(printed)
    assert found[-2:] == [None, None]
    assert found[: len(range(1, len(code) - 3, 7))] == [None] * len(range(1, len(code) - 3, 7))
