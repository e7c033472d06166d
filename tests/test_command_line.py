"""The command line as scripts use it: files, exit codes, one line of error, no Qt."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.base.arrays import frozen
from core.compute.trace import run
from core.storage.archive import load, save
from core.storage.examples import EXAMPLES, load_example
from gui.cli import COMMANDS, environment_language, run_command_line
from gui.cli.arguments import FLAGS, _command_parser, _window_parser
from tests.command_kit import refused
from tests.core.documents import make

ROOT = Path(__file__).resolve().parent.parent


def outside(
    *arguments: str, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run main.py as a process of its own."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("LC_ALL", "LC_MESSAGES", "LANG")
    }
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *arguments],
        cwd=cwd,
        env=inherited | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.attn.json"
    save(make(positional="learned", mask="custom", biases=True, output=True, pins=3), path)
    return path


# trace


def test_trace_as_npz(experiment: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    assert run_command_line(["trace", str(experiment), "-o", str(out)]) == 0
    expected = run(load(experiment))
    with np.load(out, allow_pickle=False) as arrays:
        assert arrays.files == ["tokens", *expected]
        assert arrays["tokens"].dtype.kind == "U"
        assert arrays["tokens"].tolist() == ["t0", "t1", "t2", "t3", "t4"]
        for stage in expected:
            assert arrays[stage].dtype == np.float64
            assert arrays[stage].tobytes() == expected[stage].tobytes()
        assert np.isneginf(arrays["masked"]).any()


def test_trace_as_json(experiment: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.JSON"
    assert run_command_line(["trace", str(experiment), "-o", str(out)]) == 0
    expected = run(load(experiment))

    def no_constant(name: str) -> float:
        raise AssertionError(name)

    content = json.loads(out.read_text(encoding="utf-8"), parse_constant=no_constant)
    assert list(content) == ["tokens", *expected]
    for stage in expected:
        array = np.array(content[stage], dtype=float)  # null becomes NaN
        np.testing.assert_array_equal(
            array, np.where(np.isneginf(expected[stage]), np.nan, expected[stage])
        )
    assert None in content["masked"][0][4]


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_the_same_experiment_gives_the_same_bytes(
    experiment: Path, tmp_path: Path, ending: str
) -> None:
    outs = [tmp_path / f"{name}.{ending}" for name in ("one", "two")]
    for out in outs:
        assert run_command_line(["trace", str(experiment), "-o", str(out)]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_tokens_of_any_script_and_none(tmp_path: Path) -> None:
    path, out = tmp_path / "x.attn.json", tmp_path / "x.npz"
    tokens = ("小猫", "🐟🐟", "", "עברית", 'a"b')
    save(make().with_(tokens=tokens), path)
    assert run_command_line(["trace", str(path), "-o", str(out)]) == 0
    with np.load(out, allow_pickle=False) as arrays:
        assert tuple(arrays["tokens"].tolist()) == tokens


def test_numbers_beyond_the_doubles_still_give_valid_json(tmp_path: Path) -> None:
    path, out = tmp_path / "x.attn.json", tmp_path / "x.json"
    save(make(output=True).with_(X=frozen(np.full((5, 6), -1e308))), path)
    assert run_command_line(["trace", str(path), "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "inf" not in text.lower()
    assert "null" not in text


def test_trace_of_an_example_and_no_qt_at_all(tmp_path: Path) -> None:
    out = tmp_path / "猫.json"
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from gui.cli import run_command_line as run; "
        "assert run(['trace', '--example', 'cat-eats-fish', '-o', sys.argv[2]]) == 0; assert run(['examples']) == 0; "
        "bad = [m for m in sys.modules if m.split('.')[0] in ('PySide6', 'shiboken6', 'pyqtgraph', 'ziamath')]; "
        "assert not bad, bad"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(out)],
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    weights = json.loads(out.read_text(encoding="utf-8"))["weights"]
    assert np.round(weights, 2).tolist() == [
        [[0.39, 0.32, 0.29], [0.33, 0.33, 0.33], [0.26, 0.35, 0.39]]
    ]


# render


def test_render_needs_no_screen_and_draws_at_the_size_asked_for(tmp_path: Path) -> None:
    wanted = ("render", "--example", "cat-eats-fish", "--stage", "weights", "--size", "640x360")
    done = outside(
        *wanted,
        "-o",
        "weights.png",
        cwd=tmp_path,
        QT_QPA_PLATFORM="xcb",
        DISPLAY="",
        WAYLAND_DISPLAY="",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    header = (tmp_path / "weights.png").read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", header[16:24]) == (640, 360)


# examples


def test_examples_are_listed_in_the_language_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["examples", "--language", "en"]) == 0
    english = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in english] == list(EXAMPLES)
    assert [line[1] for line in english] == [load_example(example).title for example in EXAMPLES]
    assert run_command_line(["examples", "--language", "zh_CN"]) == 0
    chinese = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in chinese] == list(EXAMPLES)
    assert chinese[0][1] == "小猫吃鱼"


def test_output_is_utf_8_whatever_the_locale() -> None:
    done = outside(
        "examples", "--language", "zh_CN", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert done.returncode == 0
    assert "小猫吃鱼" in done.stdout


# Bad input


def test_bad_input_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(
        '{"format": "self-attention-experiment",\n "version": 1,,}', encoding="utf-8"
    )
    done = outside("trace", "x.json", "-o", "out.json", cwd=tmp_path, LC_ALL="zh_CN.UTF-8")
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        done.stderr == "error: x.json：文件第 2 行第 15 列不是有效的 JSON：此处应有双引号中的键。\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.json"]


def test_a_bad_number_is_named_with_its_place(
    experiment: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(experiment.read_text(encoding="utf-8"))
    content["heads"][2]["W_V"][4][1] = "oops"
    experiment.write_text(json.dumps(content), encoding="utf-8")
    said = refused(capsys, "trace", str(experiment), "-o", str(tmp_path / "out.npz"))
    assert (
        said
        == f"{experiment}: heads[2].W_V[4][1] (head 3, row 5, column 2) is a string; it must be a number."
    )


def test_an_output_that_exists_stays_as_it_was(
    experiment: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.npz"
    out.write_bytes(b"precious")
    experiment.write_bytes(experiment.read_bytes()[:-20])
    refused(capsys, "trace", str(experiment), "-o", str(out))
    assert out.read_bytes() == b"precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lesson.attn.json", "out.npz"]


def test_the_experiment_itself_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    save(make(), path)
    before = path.read_bytes()
    said = refused(capsys, "trace", str(path), "-o", f"{tmp_path}/../{tmp_path.name}/x.json")
    assert "is the experiment itself" in said
    assert path.read_bytes() == before


REFUSED = [
    (["trace"], "required"),
    (["trace", "-o", "x.npz"], "required"),
    (["trace", "FILE", "--example", "cat-eats-fish", "-o", "x.npz"], "not allowed with"),
    (["trace", "--example", "cat-eats-fish", "-o", "x.csv"], "x.csv must end in .npz, .json"),
    (["trace", "--example", "cat-eats-fish", "-o", "npz"], "npz must end in .npz, .json"),
    (
        ["trace", "--example", "dog", "-o", "x.npz"],
        "There is no example “dog”; there are cat-eats-fish",
    ),
    (
        ["trace", "none.attn.json", "-o", "x.npz"],
        "none.attn.json cannot be read: there is no such file or folder.",
    ),
    (["trace", "--example", "cat-eats-fish", "-o", "none/x.npz"], "none/x.npz cannot be written"),
    (["trace", "--example", "cat-eats-fish", "-o", "x.npz", "--fast"], "unrecognized"),
    (["examples", "--theme", "dark"], "unrecognized"),
    (["--theme", "pink"], "invalid choice"),
    (["--language", "fr"], "invalid choice"),
    (["--languag", "en"], "unrecognized"),
    (["a", "b"], "unrecognized"),
    (["none.attn.json"], "none.attn.json cannot be read"),
    (["--example", "dog"], "There is no example “dog”"),
    (
        ["--example", "cat-eats-fish", "--stage", "masked"],
        "no stage “masked”; it has Q, K, V, scores",
    ),
    (["render", "--example", "cat-eats-fish", "-o", "x.png"], "--stage"),
    (
        ["render", "--example", "cat-eats-fish", "--stage", "masked", "-o", "x.png"],
        "no stage “masked”",
    ),
    (
        ["render", "--example", "cat-eats-fish", "--stage", "Q", "-o", "x.gif"],
        "x.gif must end in .png, .svg, .pdf",
    ),
    (
        ["render", "--example", "cat-eats-fish", "--stage", "Q", "-o", "x.png", "--size", "0x9"],
        "0x9 is not a size",
    ),
    (
        [
            "render",
            "--example",
            "cat-eats-fish",
            "--stage",
            "Q",
            "-o",
            "x.png",
            "--size",
            "99999x9",
        ],
        "is not a size",
    ),
    (
        ["render", "--example", "cat-eats-fish", "--stage", "Q", "-o", "x.png", "--size", "10x10"],
        "each side from 180 to",
    ),
    (
        [
            "render",
            "--example",
            "cat-eats-fish",
            "--stage",
            "Q",
            "-o",
            "x.png",
            "--size",
            "1600x179",
        ],
        "each side from 180",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "said"),
    REFUSED,
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_refused_in_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert said in refused(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["trace", "examples", "render"])
def test_a_file_named_like_a_command_can_be_opened(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("{", encoding="utf-8")
    for arguments in ([f"./{name}"], ["--", name]):
        assert "not valid JSON" in refused(
            capsys, *arguments, *(["--language", "en"] if len(arguments) == 1 else [])
        )
    save(make(), tmp_path / name)
    assert run_command_line(["trace", name, "-o", "out.npz"]) == 0
    assert (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_TW.UTF-8"}, "zh_CN"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh_CN"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_CN"}, "zh_CN"),
    ],
)
def test_the_language_comes_from_the_environment(
    environment: dict[str, str], language: str
) -> None:
    assert environment_language(environment) == language


def test_the_language_asked_for_is_that_of_the_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有名为" in refused(capsys, "trace", "--example", "dog", "-o", "x.npz")
    assert "There is no" in refused(
        capsys, "trace", "--example", "dog", "-o", "x.npz", "--language=en"
    )
    monkeypatch.setenv("LC_ALL", "C")
    assert "没有名为" in refused(capsys, "--language", "zh_CN", "--example", "dog")


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (["--language", "en"], []),
        (["--language=en", "--example", "cat-eats-fish"], ["-o", "x.npz"]),
        (["--example=cat-eats-fish", "--language", "en"], ["-o", "x.npz"]),
    ],
)
def test_options_may_stand_before_the_command(
    before: list[str],
    behind: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    command = "trace" if behind else "examples"
    assert run_command_line([*before, command, *behind]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert (tmp_path / "x.npz").exists() == bool(behind)
    assert ("cat-eats-fish" in said.out) != bool(behind)


def test_an_options_value_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "There is no" in refused(
        capsys, "--example", "render", "trace", "-o", "x.npz", "--language", "en"
    )


@pytest.mark.parametrize("command", [[], ["trace"], ["render"], ["examples"]])
def test_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run_command_line([*command, "-h"])
    assert left.value.code == 0
    assert "--language" in capsys.readouterr().out


@pytest.mark.parametrize("command", [[], ["render"], ["export"]])
def test_help_says_what_each_theme_is(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run_command_line([*command, "-h"])
    said = " ".join(capsys.readouterr().out.split())
    assert "colours: light, dark, high contrast, or a chalkboard" in said


@pytest.mark.parametrize(
    "command", [[], ["trace"], ["render"], ["examples"], ["check"], ["export"]]
)
def test_help_is_in_the_language_asked_for_down_to_the_last_word(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with pytest.raises(SystemExit):
        run_command_line([*command, "--help"])
    said = capsys.readouterr().out
    assert said.startswith("用法：main.py")
    assert "\n选项：\n" in said
    assert "显示此帮助后退出" in said
    assert not {"usage", "options:", "arguments:", "show this"} & set(said.split(" "))
    for line in said.splitlines():
        if line.startswith("  ") and not line.strip().startswith(("-", "[", "FILE", "{")):
            assert any("一" <= sign <= "鿿" for sign in line), line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["trace", "-o", "x.npz"], "须给出其中一个参数：FILE --example"),
        (["trace", "--example", "cat-eats-fish"], "缺少参数：-o"),
        (["trace", "a", "--example", "b", "-o", "x.npz"], "参数 --example：不能与参数 FILE 同用"),
        (["examples", "--fast"], "无法识别的参数：--fast"),
        (
            ["--theme", "pink"],
            "参数 --theme：没有 pink 这个选项（可选：light, dark, contrast, chalkboard）",
        ),
        (["--stage"], "参数 --stage：后面须有一个值"),
        (["--present=1"], "参数 --present：不带值，却给出了 1"),
        (["export", "--seed", "x"], "参数 --seed：x 不是 0 到 999999 之间的整数"),
    ],
)
def test_what_does_not_fit_together_is_said_in_the_language_asked_for(
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert said in refused(capsys, *arguments)


@pytest.mark.parametrize(("labels", "count"), [([], 0), (["--labels", "both"], 1)])
def test_headings_of_worksheets_may_be_in_both_languages(
    labels: list[str], count: int, tmp_path: Path
) -> None:
    out = tmp_path / "a.tex"
    options = [
        "--example",
        "cat-eats-fish",
        "--format",
        "worksheet",
        "--language",
        "en",
        "--sums",
        "all",
        "-o",
        str(out),
        *labels,
    ]
    assert run_command_line(["export", *options]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.count("What is given 已知") == count
    assert text.count("Attention weights 注意力权重") == 2 * count  # the sheet and its key
    assert "Fill in each table." in text
    assert "填写" not in text


def overflowing(path: Path) -> Path:
    """Products beyond the largest double: 1e200 · 1e200."""
    document = load_example("cat-eats-fish")
    large = frozen(np.full((3, 2), 1e200))
    save(document.with_(heads=(replace(document.heads[0], Q=large, K=large),)), path)
    return path


def test_numbers_that_stop_at_the_largest_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = overflowing(tmp_path / "over.attn.json")
    assert run_command_line(["trace", str(path), "-o", str(tmp_path / "a.json")]) == 0
    assert (
        capsys.readouterr().err
        == "note: numbers in scores stop at ±1.8×10³⁰⁸, the largest possible\n"
    )
    assert (
        run_command_line(["trace", "--example", "cat-eats-fish", "-o", str(tmp_path / "b.json")])
        == 0
    )
    assert capsys.readouterr().err == ""


def test_a_script_says_that_its_sums_go_beyond(tmp_path: Path) -> None:
    path = overflowing(tmp_path / "over.attn.json")
    said = "# Some numbers exceed 1.8×10³⁰⁸: "
    for source, told in (([str(path)], True), (["--example", "cat-eats-fish"], False)):
        out = tmp_path / "a.py"
        assert run_command_line(["export", *source, "--format", "py", "-o", str(out)]) == 0
        assert (said in out.read_text(encoding="utf-8")) is told


def test_the_options_without_a_value_are_known_before_a_command_is() -> None:
    parsers = [_window_parser(), *(_command_parser(name) for name in COMMANDS if name)]
    options = [action for parser in parsers for action in parser._actions if action.nargs == 0]
    assert {
        name for option in options for name in option.option_strings if name.startswith("--")
    } == set(FLAGS)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices as POSIX knows them")
def test_links_pipes_and_devices_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop, pipe, device = tmp_path / "loop.json", tmp_path / "pipe.json", tmp_path / "null.json"
    loop.symlink_to(loop.name)
    os.mkfifo(pipe)
    device.symlink_to("/dev/null")
    for bad in (loop, pipe, device):
        assert "cannot be read" in refused(capsys, "trace", str(bad), "-o", str(tmp_path / "x.npz"))
        example = ("trace", "--example", "cat-eats-fish", "-o", str(bad))
        assert "cannot be written" in refused(capsys, *example)
        values = f"weights={bad}"
        assert "cannot be read" in refused(
            capsys, "check", "--example", "cat-eats-fish", "--values", values
        )
    assert device.readlink() == Path("/dev/null")


def piped(*arguments: str, output: int) -> tuple[int, str]:
    """Exit status and errors of a process of its own whose output cannot be written."""
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONUNBUFFERED"}
    command = [sys.executable, "main.py", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True, env=environment
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX knows them")
@pytest.mark.parametrize("arguments", [["examples"], ["export", "--list"], ["examples", "-h"]])
def test_a_reader_that_has_enough_ends_the_command_quietly(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert piped(*arguments, output=writing) == (141, "")
    finally:
        os.close(writing)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_disk_behind_the_output_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        status, errors = piped("examples", output=full.fileno())
    assert status == 2
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_window_with_a_recovery_copy(tmp_path: Path, number: int) -> None:
    program = """
import sys
from PySide6.QtCore import QTimer
from core.document.edits import with_title
from gui.app import application
start = application.MainWindow.offer_recovery
def changed(window):
    start(window)
    window.session.change(with_title, "unsaved", text="Edit")
    QTimer.singleShot(0, lambda: print("ready", flush=True))
application.MainWindow.offer_recovery = changed
from gui.cli import run_command_line
sys.exit(run_command_line(["--example", "cat-eats-fish"]))
"""
    environment = {
        **os.environ,
        "ATTENTION_STEPPER_HOME": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    process.send_signal(number)
    _out, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors
    (copy,) = (tmp_path / "recovery").glob("*.attn.json")
    assert '"unsaved"' in copy.read_text(encoding="utf-8")
    assert (tmp_path / "preferences.json").exists()
