"""The structure of the program: what may import what, no import cycles, nothing that runs data or opens a network."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
QT = {"PySide6", "shiboken6", "pyqtgraph"}
QT_FREE = ["gui/texts"]  # of gui; core is free of Qt as a whole
DANGEROUS_CALLS = {"eval", "exec", "compile", "__import__"}
DANGEROUS_MODULES = {
    *(
        "ctypes",
        "dill",
        "ftplib",
        "http",
        "httpx",
        "importlib.machinery",
        "joblib",
        "marshal",
        "pickle",
        "requests",
    ),
    *("shelve", "smtplib", "socket", "socketserver", "telnetlib", "urllib", "webbrowser", "xmlrpc"),
    *("PySide6.QtNetwork", "PySide6.QtWebSockets"),
}


def modules(*parts: str) -> list[str]:
    """Return the dotted names of the modules that the glob patterns *parts* find below the project's root."""
    found: set[str] = set()
    for part in parts:
        for path in ROOT.glob(part):
            files = path.rglob("*.py") if path.is_dir() else [path]
            found |= {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files}
    return sorted(name.removesuffix(".__init__") for name in found)


def imported_by(names: list[str]) -> set[str]:
    """Import *names* in a fresh process and return the top-level packages that are loaded afterwards."""
    script = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)\nprint(*sys.modules)"
    command = [sys.executable, "-c", script, *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_probe_sees_qt() -> None:
    assert imported_by(["PySide6.QtCore"]) & QT == {"PySide6", "shiboken6"}


def test_core_imports_no_qt_and_no_gui() -> None:
    names = modules("core")
    assert "core.arithmetic.attention" in names
    loaded = imported_by(names)
    assert loaded & {*QT, "gui", "main"} == set()
    assert "numpy" in loaded


def test_words_and_numbers_import_no_qt() -> None:
    names = modules(*QT_FREE)
    assert "gui.texts.translation" in names
    assert imported_by(names) & QT == set()


def test_the_entry_point_imports_no_qt() -> None:
    assert imported_by(["main"]) & QT == set()


def test_tracing_imports_no_qt(tmp_path: Path) -> None:
    script = "import sys, main\nstatus = main.main()\nprint(*sys.modules)\nsys.exit(status)"
    arguments = ["trace", "--example", "cat-eats-fish", "-o", str(tmp_path / "trace.json")]
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "trace.json").stat().st_size > 0
    assert {name.partition(".")[0] for name in done.stdout.split()} & QT == set()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the program and its settings, to be spoilt."""
    for name in ("core", "gui"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("main.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def contracts(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over *tree*."""
    script = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", script, "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


def test_the_contracts_hold(tree: Path) -> None:
    done = contracts(tree)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


CORE_FREE = "core imports no gui and no Qt BROKEN"
CORE_LAYERS = "Packages of core import only from packages below them BROKEN"
GUI_LAYERS = "Packages of gui import only from packages below them BROKEN"


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("core/bad.py", "import PySide6.QtCore", CORE_FREE),
        ("core/bad.py", "def late():\n    from pyqtgraph import ImageItem", CORE_FREE),
        ("core/labs/bad.py", "import gui.texts.translation", CORE_FREE),
        ("core/base/bad.py", "import core.document.document", CORE_LAYERS),
        ("core/compute/bad.py", "def late():\n    import core.explain.timeline", CORE_LAYERS),
        ("core/labs/bad.py", "import core.lesson.model", CORE_LAYERS),
        ("core/loose.py", "", CORE_LAYERS),
        ("gui/texts/bad.py", "import gui.session.state", GUI_LAYERS),
        ("gui/widgets/bad.py", "def late():\n    import gui.dialogs.new", GUI_LAYERS),
        (
            "gui/session/undo.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import gui.app.main_window",
            GUI_LAYERS,
        ),
        ("gui/errors/bad.py", "import gui.widgets.ask", GUI_LAYERS),
        ("gui/views/stage/bad.py", "import gui.export.pictures", GUI_LAYERS),
        ("gui/loose.py", "", GUI_LAYERS),
        (
            "gui/views/stage/bad.py",
            "import gui.views.tables",
            "Views do not import each other BROKEN",
        ),
        (
            "gui/views/heatmaps/bad.py",
            "from gui.views import diagram",
            "Views do not import each other BROKEN",
        ),
        ("gui/texts/bad.py", "from PySide6 import QtWidgets", "Texts import no Qt BROKEN"),
        ("gui/app/bad.py", "import main", "Nothing imports the entry point BROKEN"),
    ],
)
def test_a_bad_module_breaks_its_contract(tree: Path, module: str, line: str, broken: str) -> None:
    with (tree / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    done = contracts(tree)
    assert done.returncode == 1, done.stdout + done.stderr
    assert broken in " ".join(done.stdout.split())


PUBLIC = {"archive.py", "attention.py", "trace.py"}  # of core; named in CONTRACTS


def test_no_module_lies_loose() -> None:
    assert {path.name for path in (ROOT / "gui").glob("*.py")} == {"__init__.py"}
    assert {path.name for path in (ROOT / "core").glob("*.py")} == {"__init__.py", *PUBLIC}


def imports() -> dict[str, set[str]]:
    """The imports of every module of core and gui, also late ones and those for types alone."""
    graph = grimp.build_graph("core", "gui", exclude_type_checking_imports=False, cache_dir=None)
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


def package(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[:2] == ["gui", "views"] else 2])


def ring(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """The first cycle that is found in a graph, [] where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_rings_are_seen() -> None:
    assert ring({"a": ["b"], "b": ["c"]}) == []
    assert set(ring({"a": ["b"], "b": ["c"], "c": ["b"]})) == {"b", "c"}


def test_no_modules_import_each_other() -> None:
    assert ring(imports()) == []


def test_no_packages_import_each_other() -> None:
    found: dict[str, set[str]] = {}
    for module, others in imports().items():
        found.setdefault(package(module), set()).update(map(package, others))
    for name, others in found.items():
        others.discard(name)
    assert len(found) > 25
    assert ring(found) == []


def dangers(source: str) -> list[str]:
    """Return what in *source* could run code from data or reach a network, as names."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in DANGEROUS_CALLS:
            found.append(node.id)
        elif isinstance(node, ast.Attribute) and node.attr in {"eval", "exec_module"}:
            found.append(node.attr)
        elif (
            isinstance(node, ast.keyword)
            and node.arg == "allow_pickle"
            and not is_false(node.value)
        ):
            found.append("allow_pickle")
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if is_dangerous(alias.name)]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found += [name for name in names if is_dangerous(name)]
    return found


def is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def is_dangerous(module: str) -> bool:
    parts = module.split(".")
    return any(".".join(parts[: i + 1]) in DANGEROUS_MODULES for i in range(len(parts)))


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("eval('1')", ["eval"]),
        ("run = exec", ["exec"]),
        ("import pickle", ["pickle"]),
        ("import os, urllib.request as r", ["urllib.request"]),
        (
            "def f():\n    from socket import create_connection",
            ["socket", "socket.create_connection"],
        ),
        ("from PySide6 import QtNetwork", ["PySide6.QtNetwork"]),
        ("np.load(path, allow_pickle=True)", ["allow_pickle"]),
        ("frame.eval('a')", ["eval"]),
        ("np.load(path, allow_pickle=False)", []),
        ("app.exec(); dialog.exec(); re.compile('x'); import_(evaluate)", []),
    ],
)
def test_dangers_are_seen(source: str, found: list[str]) -> None:
    assert dangers(source) == found


def test_nothing_runs_data_or_reaches_a_network() -> None:
    files = [*ROOT.glob("core/**/*.py"), *ROOT.glob("gui/**/*.py"), ROOT / "main.py"]
    found = {
        file.relative_to(ROOT).as_posix(): dangers(file.read_text(encoding="utf-8"))
        for file in files
    }
    assert {name: names for name, names in found.items() if names} == {}


def loose_painters(source: str) -> list[int]:
    """The lines where a painter is made that nothing ends when what is painted fails."""
    tree = ast.parse(source)
    ended = {
        id(item.context_expr)
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
    }
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [
        call.lineno
        for call in calls
        if ast.unparse(call.func) == "QPainter" and id(call) not in ended
    ]


def test_every_painter_is_ended_whatever_happens() -> None:
    """One that is still at work after an exception makes Qt end the program when it next lets go of the ground."""
    assert loose_painters(
        "with QPainter(self) as painter, other():\n    pass\npainter = QPainter(self)"
    ) == [3]
    loose = {
        str(path.relative_to(ROOT)): loose_painters(path.read_text("utf-8"))
        for path in (ROOT / "gui").rglob("*.py")
    }
    assert {path: lines for path, lines in loose.items() if lines} == {}
