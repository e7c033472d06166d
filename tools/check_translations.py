"""Check that every sentence which people read is there in every language.

Reads the program (gui/, main.py) as syntax trees, resources/i18n/<language>/*.json and resources/examples/*.attn.json.
Prints one line a defect, with its place, and exits with 1 where there are any.

    tr("{n} tokens", n=3)      a literal; its placeholders are exactly the keywords given
    mark("Query")              a literal, marked where it is listed and translated later by tr_marked(variable)
"""

from __future__ import annotations

import ast
import json
import re
import string
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = "language.json"  # names a language; it is no catalogue
TOKENS = "example-tokens.json"  # the tokens of the examples; no catalogue either
EXAMPLES = "examples.json"  # titles, notes and head names of the experiments that ship
MACHINERY = "gui/texts/translation.py"  # defines tr and mark, and so may call them with variables
SOURCE = "en"  # the language of the program's texts
LAB = "lab-"  # the ids of the experiments of labs begin with it
TRANSLATING = ("tr", "mark")
LATIN = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Text:
    """A string to translate, as it stands in the program."""

    text: str
    place: str


def placeholders(text: str) -> set[str]:
    """Return the names in braces; ValueError where the braces do not match or a name is missing."""
    names = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"placeholder {{{name}}} is not a plain name")
    return names


def called_name(call: ast.Call, imported: set[str]) -> str:
    """Return "tr" or "mark" where *call* translates, else "": mark(…) only where it is the one of gui.texts.translation."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id if function.id == "tr" or function.id in imported else ""
    if isinstance(function, ast.Attribute) and function.attr in TRANSLATING:
        from_language = isinstance(function.value, ast.Name) and function.value.id == "language"
        return function.attr if function.attr == "tr" or from_language else ""
    return ""


def is_own_method(call: ast.Call) -> bool:
    """Whether this is self.tr(…): Qt's method, which asks other catalogues than ours."""
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "self"
    )


def keyword_defects(text: str, call: ast.Call) -> Iterator[str]:
    """Yield what is wrong between the placeholders of *text* and the keywords of tr(…)."""
    given = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    if any(keyword.arg is None for keyword in call.keywords):
        yield "tr(**…) hides which placeholders are given"
        return
    wanted = placeholders(text)
    if wanted != given:
        yield f"placeholders {sorted(wanted)} but keywords {sorted(given)}: {text!r}"


def call_defects(call: ast.Call, name: str) -> Iterator[str]:
    """Yield what is wrong with one call of *name*, tr or mark."""
    if is_own_method(call):
        yield f"self.{name}(…) is Qt's own; import {name} from gui.texts.translation"
        return
    if len(call.args) != 1 or not is_literal(call.args[0]):
        yield f"{name}(…) needs exactly one literal string before its keywords"
        return
    text = literal(call)
    try:
        if not text.strip():
            yield f"{name}(…) of an empty text"
        if name == "tr":
            yield from keyword_defects(text, call)
        else:
            placeholders(text)
    except ValueError as problem:
        yield f"{problem}: {text!r}"


def is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def literal(call: ast.Call) -> str:
    """Return the literal first argument, "" where there is none."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def imported_names(tree: ast.AST) -> set[str]:
    """Return which of tr and mark a module imports from gui.texts.translation."""
    imports = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "gui.texts.translation"
    )
    return {alias.name for node in imports for alias in node.names if alias.name in TRANSLATING}


def alias_defects(tree: ast.AST, imported: set[str]) -> Iterator[tuple[int, str]]:
    """Yield uses of tr and mark that this check could not follow: other names, or passed on as values."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "gui.texts.translation":
            for alias in node.names:
                if alias.name in TRANSLATING and alias.asname not in (None, alias.name):
                    yield node.lineno, f"{alias.name} imported under another name"
        elif isinstance(node, ast.Name) and node.id in imported and id(node) not in called:
            yield node.lineno, f"{node.id} may only be called, not passed on"


def read_module(path: Path, name: str) -> tuple[list[Text], list[str]]:
    """Return the translatable texts of one module, and the defects of the calls that hold them."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=name)
    imported = imported_names(tree)
    texts: list[Text] = []
    defects = [f"{name}:{line}: {defect}" for line, defect in alias_defects(tree, imported)]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if function := called_name(call, imported):
            place = f"{name}:{call.lineno}"
            defects += [f"{place}: {defect}" for defect in call_defects(call, function)]
            texts += [Text(literal(call), place)] if literal(call) else []
    return texts, defects


def read_program(root: Path) -> tuple[list[Text], list[str]]:
    """Return every translatable text below *root*, and the defects of the calls that hold them."""
    texts: list[Text] = []
    defects: list[str] = []
    for path in [*sorted((root / "gui").rglob("*.py")), *root.glob("main.py")]:
        name = path.relative_to(root).as_posix()
        found, wrong = read_module(path, name)
        texts += found
        defects += wrong if name != MACHINERY else []
    return texts, defects


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a JSON object; ValueError where a key stands twice."""
    keys = [key for key, _ in pairs]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ValueError(f"{twice[0]!r} stands there twice")
    return dict(pairs)


def read_catalogue(path: Path, name: str) -> tuple[dict[str, str], list[str]]:
    """Return one file of translations and what is wrong with the file itself."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
    except ValueError as problem:
        return {}, [f"{name}: {problem}"]
    if not isinstance(entries, dict) or not all(
        isinstance(value, str) for value in entries.values()
    ):
        return {}, [f"{name}: must be an object of strings"]
    defects = [
        f"{name}: empty translation of {key!r}"
        for key, value in entries.items()
        if not value.strip()
    ]
    if list(entries) != sorted(entries):
        defects.append(f"{name}: must be sorted by key")
    return entries, defects


def read_catalogues(folder: Path, root: Path) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the files of one language by name, and their defects, contradictions between files included."""
    files: dict[str, dict[str, str]] = {}
    defects: list[str] = []
    first: dict[str, tuple[str, str]] = {}
    for path in sorted(folder.glob("*.json")):
        if path.name in (DESCRIPTION, TOKENS):
            continue
        name = path.relative_to(root).as_posix()
        files[path.name], found = read_catalogue(path, name)
        defects += found
        for key, value in files[path.name].items():
            other, where = first.setdefault(key, (value, name))
            if other != value:
                defects.append(f"{name}: {key!r} is translated otherwise in {where}")
    return files, defects


def translation_defects(
    texts: list[Text], files: dict[str, dict[str, str]], language: str
) -> Iterator[str]:
    """Yield missing, orphaned and misspelt translations."""
    merged = {key: value for entries in files.values() for key, value in entries.items()}
    for text in texts:
        if text.text not in merged:
            yield f"{text.place}: no {language} for {text.text!r}"
    used = {text.text for text in texts}
    for name, entries in files.items():
        for key, value in entries.items():
            if key in used:
                yield from placeholder_defects(key, value, f"{language}/{name}")
            elif name != EXAMPLES:
                yield f"{language}/{name}: {key!r} is nowhere in the program"


def placeholder_defects(key: str, value: str, place: str) -> Iterator[str]:
    try:
        if placeholders(key) != placeholders(value):
            yield f"{place}: other placeholders than in {key!r}: {value!r}"
    except ValueError as problem:
        yield f"{place}: {problem}: {value!r}"


def example_texts(root: Path) -> Iterator[Text]:
    """Yield the titles, notes and head names of the examples that ship, where they hold Latin letters."""
    for path in sorted((root / "resources" / "examples").glob("*.attn.json")):
        name = path.relative_to(root).as_posix()
        experiment = json.loads(path.read_text(encoding="utf-8"))
        heads = [
            (f"heads[{i}].name", head.get("name", ""))
            for i, head in enumerate(experiment.get("heads", []))
        ]
        for where, text in [(key, experiment.get(key, "")) for key in ("title", "notes")] + heads:
            if LATIN.search(text):
                yield Text(text, f"{name}: {where}")


def token_defects(root: Path) -> Iterator[str]:
    """Yield what is wrong with the tokens of the examples in each language: unknown ids and counts."""
    for path in sorted((root / "resources" / "i18n").glob(f"*/{TOKENS}")):
        name = path.relative_to(root).as_posix()
        for example, lists in json.loads(path.read_text(encoding="utf-8")).items():
            file = root / "resources" / "examples" / f"{example}.attn.json"
            if example.startswith(LAB):  # in the program; its tests compare the counts
                continue
            if not file.is_file():
                yield f"{name}: there is no example {example!r}"
                continue
            experiment = json.loads(file.read_text(encoding="utf-8"))
            own = {
                **experiment,
                "context": experiment.get("context", {}).get("tokens"),
                "vocabulary": experiment.get("output", {}).get("vocabulary"),
            }
            for key, tokens in lists.items():
                if len(own.get(key) or ()) != len(tokens):
                    yield f"{name}: {example}: {key} must be {len(own.get(key) or ())} texts"


def find_defects(root: Path) -> list[str]:
    """Return every defect below *root* (a tree laid out like this project), one line each."""
    texts, defects = read_program(root)
    defects += token_defects(root)
    for folder in sorted((root / "resources" / "i18n").glob("*/")):
        language = folder.name
        if language == SOURCE:  # without texts of its own
            continue
        files, found = read_catalogues(folder, root)
        defects += found
        defects += translation_defects(texts, files, language)
        shipped = files.get(EXAMPLES, {})
        for text in example_texts(root):
            if text.text not in shipped:
                defects.append(f"{text.place}: no {language} in {EXAMPLES} for {text.text!r}")
    return defects


def main() -> int:
    defects = find_defects(ROOT)
    for defect in defects:
        print(defect)
    if defects:
        print(f"error: {len(defects)} translation defects", file=sys.stderr)
        return 1
    print("Translations: complete.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
