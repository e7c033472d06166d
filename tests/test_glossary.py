"""The glossary: the guide has its terms and meanings, tooltips show them, and all texts spell them alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gui.texts.glossary import TERMS, explanation
from gui.texts.translation import languages, spoken, tr_marked
from tools.check_translations import ROOT, read_program

# Words that are written otherwise in the glossary, and so must not occur: a pattern for each.
OTHER_ENGLISH = {
    "softmax": r"\bsoft-max\b|\bSoftMax\b",
    "ALiBi": r"\b(Alibi|ALIBI|AliBi)\b",
    "RoPE": r"\b(ROPE|RoPe|Rope)\b",
    "token": r"\bword pieces?\b",
    "self-attention": r"\b[Ss]elf attention\b|\bselfattention\b",
    "cross-attention": r"\b[Cc]ross attention\b",
    "multi-head attention": r"\b[Mm]ultihead\b|\b[Mm]ulti head\b",
    "dot product": r"\bdotproducts?\b|\bscalar products?\b",
    "key–value cache": r"\bcaches? of keys\b|\bkey-value cache\b",
    "mistake": r"\bslips?\b(?!})",
    "autoregressive": r"\bauto-regressive\b",
    "unexpected error": r"\bnobody foresaw\b",
    "instead of": r"\bin place of\b",
    "Transformer": r"\btransformers?\b",
}
OTHER_CHINESE = {
    "词元": "标记化|令牌|记号",
    "注意力权重": "关注权重|注意权重|注意力分数",
    "缩放点积注意力": "缩放点乘|按比例点积",
    "点积": "点乘|内积",
    "自回归": "自动回归|自迴归",
    "掩码": "遮罩|掩膜|屏蔽|遮蔽|被遮的|被遮住的位置|掩盖",
    "稠密注意力": "密集注意力|全注意力",
    "图像块": "小块|图块|补丁",
    "四舍五入": "取整",
    "实验室": "该实验(?!室)",
    "得分": "分数值|打分",
    "位置编码": "位置嵌入|位置向量",
    "键值缓存": "KV 缓存|键值的缓存",
    "残差连接": "残差链接|跳跃连接",
    "归一化": "正规化|规范化",
    "词嵌入": "嵌入向量",
    "各个头": "所有的头",
}
OTHERS = {"en": OTHER_ENGLISH, "zh_CN": OTHER_CHINESE}


def strings(value: object, language: str) -> Iterator[str]:
    """The texts of one language anywhere in a lesson or a quiz."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key == language and isinstance(part, str):
                yield part
            else:
                yield from strings(part, language)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part, language)


@cache
def texts(language: str) -> tuple[tuple[str, str], ...]:
    """Every text that people read in a language, with its place."""
    return tuple(_texts(language))


def _texts(language: str) -> Iterator[tuple[str, str]]:
    if language == "en":
        yield from ((text.place, text.text) for text in read_program(ROOT)[0])
        yield "README.md", (ROOT / "README.md").read_text(encoding="utf-8")
    else:
        for path in sorted((ROOT / "resources/i18n" / language).glob("*.json")):
            for text in json.loads(path.read_text(encoding="utf-8")).values():
                yield path.name, text
    for path in [
        *(ROOT / "resources/lessons").glob("*.json"),
        *(ROOT / "resources/quiz").glob("*"),
    ]:
        for text in strings(json.loads(path.read_text(encoding="utf-8")), language):
            yield path.name, text
    yield "guide", guide(language)


def guide(language: str) -> str:
    return Path(ROOT / f"docs/guide/{language}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", languages())
def test_the_guide_has_every_term_with_its_meaning(language: str) -> None:
    rows = dict(re.findall(r"^\| \*\*(.+)\*\* \| (.+) \|$", guide(language), re.MULTILINE))
    with spoken(language):
        assert {tr_marked(name): tr_marked(text) for name, text in TERMS.values()}.items() <= (
            rows.items()
        )


@pytest.mark.parametrize(
    ("language", "term", "pattern"),
    [(language, *pair) for language, pairs in OTHERS.items() for pair in pairs.items()],
)
def test_a_term_is_spelled_in_one_way(language: str, term: str, pattern: str) -> None:
    assert [found for found in texts(language) if re.search(pattern, found[1])] == []


def test_another_spelling_would_be_noticed() -> None:
    assert re.search(OTHER_ENGLISH["cross-attention"], "Cross attention reads another sentence.")
    assert re.search(OTHER_CHINESE["掩码"], "未来的词被遮蔽。")


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "probability distribution"),
        ("en", "caled dot-product attention"),
        ("en", "utoregressive"),
        ("en", "ross-attention"),
        ("zh_CN", "概率分布"),
        ("zh_CN", "缩放点积注意力"),
        ("zh_CN", "自回归"),
        ("zh_CN", "交叉注意力"),
    ],
)
def test_words_that_learners_search_for_are_in_the_guide_and_the_window(
    language: str, word: str
) -> None:
    places = {place.split(":")[0] for place, text in texts(language) if word in text}
    assert "guide" in places
    assert places - {"guide", "glossary.json", "gui/texts/glossary.py"}


@pytest.mark.parametrize("language", languages())
def test_a_tooltip_names_and_explains(language: str) -> None:
    with spoken(language):
        assert explanation("d_k").startswith("d_k")
        assert tr_marked(TERMS["mask"][1]) in explanation("mask")
