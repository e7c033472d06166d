"""The translation check: this project passes it, and a tree with a planted defect does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.check_translations import ROOT, find_defects

GOOD = """
from gui.texts.translation import mark, tr, tr_marked

SYMBOLS = [mark("Query")]

def texts(n: int) -> list[str]:
    return [tr("{n} tokens", n=n), tr("Brackets: {{}}"), *map(tr_marked, SYMBOLS)]
"""
CHINESE = {"Brackets: {{}}": "花括号：{{}}", "Query": "查询", "{n} tokens": "{n} 个词元"}

Plant = Callable[..., Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Return a function that writes a small tree: one module, one catalogue, what *files* adds or replaces."""

    def write(
        code: str = "", chinese: dict[str, str] | None = None, files: dict[str, str] | None = None
    ) -> Path:
        entries = dict(sorted({**CHINESE, **(chinese or {})}.items()))
        tree = {
            "gui/words.py": GOOD + code,
            "resources/i18n/zh_CN/words.json": json.dumps(entries, ensure_ascii=False),
            **(files or {}),
        }
        for name, text in tree.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def only(defects: list[str]) -> str:
    assert len(defects) == 1, defects
    return defects[0]


def test_this_project_is_translated() -> None:
    assert find_defects(ROOT) == []


# One word for one thing, and one way to speak to the reader.
OTHER_WORDS = ("您", "首选项", "数据流图", "演示模式", "先猜后看", "钉为")


@pytest.mark.parametrize(
    "part", sorted((ROOT / "resources/i18n/zh_CN").glob("*.json")), ids=lambda path: path.stem
)
def test_chinese_is_set_as_chinese_and_keeps_to_its_words(part: Path) -> None:
    """No space beside full-width marks or a dash of two ems."""
    texts = json.loads(part.read_text(encoding="utf-8")).values()
    assert [text for text in texts if re.search(r"[：，。；？！、] | ——|—— ", text)] == []
    assert [text for text in texts for word in OTHER_WORDS if word in text] == []


def test_the_chinese_guide_keeps_to_the_same_words() -> None:
    guide = (ROOT / "docs/guide/zh_CN.md").read_text(encoding="utf-8")
    assert [word for word in OTHER_WORDS if word in guide] == []


def test_a_good_tree_has_no_defects(plant: Plant) -> None:
    assert find_defects(plant()) == []


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ('tr(f"{GOOD} tokens")', "exactly one literal"),
        ('word = "a"\ntr(word)', "exactly one literal"),
        ('tr("Que" + "ry")', "exactly one literal"),
        ('tr("Query".upper())', "exactly one literal"),
        ("tr()", "exactly one literal"),
        ('tr("Query", 3)', "exactly one literal"),
        ('mark("{x} Query".format(x=1))', "exactly one literal"),
        ('tr("")', "empty text"),
        ('tr("{n} tokens")', r"placeholders \['n'\] but keywords \[\]"),
        ('tr("Query", n=3)', r"placeholders \[\] but keywords \['n'\]"),
        ('tr("{n} tokens", m=3)', r"placeholders \['n'\] but keywords \['m'\]"),
        ('tr("{n} tokens", **{"n": 3})', "hides which placeholders"),
        ('tr("{} tokens", n=3)', "not a plain name"),
        ('tr("{n tokens", n=3)', "expected '}'"),
        ("list(map(tr, SYMBOLS))", "only be called"),
        ("from gui.texts.translation import tr as _", "another name"),
        ('self.tr("Query")', "Qt's own"),
    ],
)
def test_a_call_that_cannot_be_translated(plant: Plant, code: str, complaint: str) -> None:
    defects = [defect for defect in find_defects(plant("\n" + code)) if "no zh_CN" not in defect]
    assert only(defects).startswith("gui/words.py:")
    assert re.search(complaint, only(defects))


def test_missing_translations(plant: Plant) -> None:
    root = plant(
        '\ntr("New")\nmark("Marked")',
        files={"main.py": 'from gui.texts.translation import tr\ntr("From main")\n'},
    )
    missing = find_defects(root)
    assert [defect.split(": ")[-1] for defect in missing] == [
        "no zh_CN for 'New'",
        "no zh_CN for 'Marked'",
        "no zh_CN for 'From main'",
    ]
    assert missing[2].startswith("main.py:2: ")


def test_a_method_called_mark_is_not_the_marker(plant: Plant) -> None:
    assert find_defects(plant("\npen.mark(3)\nmarker = pen.mark")) == []


def test_another_modules_mark_is_not_the_marker(plant: Plant) -> None:
    assert (
        find_defects(
            plant(files={"gui/pen.py": "mark = 3\n\ndef f(mark: int) -> int:\n    return mark\n"})
        )
        == []
    )


@pytest.mark.parametrize(
    ("chinese", "complaint"),
    [
        ({"Nobody says this": "没有人说"}, "nowhere in the program"),
        ({"Query": " "}, "empty translation"),
        ({"{n} tokens": "词元"}, "other placeholders"),
        ({"{n} tokens": "{m} 个词元"}, "other placeholders"),
        ({"{n} tokens": "{n 个词元"}, "expected '}'"),
    ],
)
def test_a_bad_translation(plant: Plant, chinese: dict[str, str], complaint: str) -> None:
    assert complaint in only(find_defects(plant(chinese=chinese)))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"Query": "查询", "Query": "提问"}', "stands there twice"),
        ('{"Query": "提问"}', "translated otherwise"),
        ('{"Query": 3}', "object of strings"),
        ('["Query"]', "object of strings"),
        ('{"Query": "查询",}', "more.json: "),
        ('{"{n} tokens": "{n} 个词元", "Query": "查询"}', "sorted by key"),
    ],
)
def test_a_bad_file(plant: Plant, text: str, complaint: str) -> None:
    assert complaint in only(find_defects(plant(files={"resources/i18n/zh_CN/more.json": text})))


EXAMPLE = {
    "title": "猫 eats",
    "notes": "没有拉丁字母 3",
    "heads": [{"name": "grammar"}, {"name": "头"}, {}],
}


def test_examples_need_their_own_file(plant: Plant) -> None:
    defects = find_defects(plant(files={"resources/examples/cat.attn.json": json.dumps(EXAMPLE)}))
    assert [defect.split(": no")[0] for defect in defects] == [
        "resources/examples/cat.attn.json: title",
        "resources/examples/cat.attn.json: heads[0].name",
    ]


@pytest.mark.parametrize(
    ("tokens", "complaint"),
    [
        ({"cat": {"tokens": ["cat"]}}, "cat: tokens must be 2 texts"),
        (
            {"cat": {"tokens": ["cat", "eats"], "context": ["a", "b"]}},
            "cat: context must be 1 texts",
        ),
        ({"dog": {"tokens": ["dog"]}}, "there is no example 'dog'"),
        ({"cat": {"tokens": ["cat", "eats"], "context": ["a"]}, "lab-x": {"tokens": ["a"]}}, ""),
    ],
)
def test_tokens_of_examples_fit_them(
    plant: Plant, tokens: dict[str, dict[str, list[str]]], complaint: str
) -> None:
    example = {"tokens": ["猫", "吃"], "context": {"tokens": ["一"]}}
    root = plant(
        files={
            "resources/examples/cat.attn.json": json.dumps(example),
            "resources/i18n/en/example-tokens.json": json.dumps(tokens),
        }
    )
    if complaint:
        assert only(find_defects(root)).endswith(complaint)
    else:
        assert find_defects(root) == []


def test_translated_examples_are_no_orphans(plant: Plant) -> None:
    chinese = {"grammar": "语法", "猫 eats": "猫吃"}
    files = {
        "resources/examples/cat.attn.json": json.dumps(EXAMPLE),
        "resources/i18n/zh_CN/examples.json": json.dumps(chinese),
    }
    assert find_defects(plant(files=files)) == []
