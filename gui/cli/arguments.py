"""Parse the command line: the options of every command."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence

from core.explain.exercise import LARGEST_SEED, MOST_SHEETS
from core.explain.timeline import Grain
from gui.cli.argparse_i18n import Parser
from gui.texts.translation import LABELS, languages, tr

THEMES = ("light", "dark", "contrast", "chalkboard")
MOST_NEXT = 1 << 24  # tokens; more than any vocabulary has
LEAST_SIDE, LARGEST_SIDE = (
    180,
    16384,
)  # pixels; less is unreadable, more cannot be painted by Qt
FLAGS = (
    "--present",
    "--columns",
    "--json",
    "--link",
    "--list",
    "--heads",
    "--motion",
    "--outlines",
    "--id",
    "--hide-names",
    "--help",
)  # options without a value


def parse(arguments: Sequence[str], commands: Sequence[str]) -> Namespace:
    """Parse the arguments; `command` is "" for the window. Raises UsageError.

    The name of a command that comes first, or after options alone, is that command; a file of the
    same name opens as ./name.
    """
    arguments = _command_first(arguments, commands)
    if arguments and arguments[0] in commands:
        options = _command_parser(arguments[0]).parse_args(arguments[1:])
        options.command = arguments[0]
        return options
    options = _window_parser().parse_args(arguments)
    options.command = ""
    return options


def _command_first(arguments: Sequence[str], commands: Sequence[str]) -> Sequence[str]:
    """Move options before a command behind it."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("--") and arguments[place] != "--":
        place += 1 if "=" in arguments[place] or arguments[place] in FLAGS else 2
    if not 0 < place < len(arguments) or arguments[place] not in commands:
        return arguments
    return [arguments[place], *arguments[:place], *arguments[place + 1 :]]


def _window_parser() -> ArgumentParser:
    parser = Parser(
        prog="main.py",
        description=tr("Step through self-attention, forward and back, with your own numbers."),
        epilog=tr(
            "Commands without a window: examples, trace, render, check, class, export, import, "
            "model. Add -h to a command for help."
        ),
    )
    _add_source(
        parser, required=False, help_=tr("an experiment or a lesson, *.attn.json or *.lesson.json")
    )
    parser.add_argument("--stage", metavar="ID", help=tr("the stage to start at, such as weights"))
    _add_language(parser)
    _add_labels(parser)
    _add_theme(parser)
    _add_lab(parser, tr("a lab to open next to the window, such as softmax"))
    parser.add_argument("--present", action="store_true", help=tr("full screen, for a projector"))
    return parser


def _command_parser(command: str) -> ArgumentParser:
    descriptions = {
        "examples": tr("List the built-in examples: id, tab, title."),
        "trace": tr("Compute every stage and write the arrays to a file."),
        "render": tr("Draw the diagram and one stage as a picture, without a screen."),
        "check": tr("Mark numbers computed by hand, and name the mistakes behind the wrong ones."),
        "class": tr(
            "Count the answers of a class: each number, and how often each mistake was made."
        ),
        "import": tr(
            "List the matrices in a file, notebook or text, and make an experiment from them."
        ),
        "model": tr("Run a trained model over a text, and write what its layers compute."),
        "export": tr(
            "Export the whole computation for other programs: a workbook, a script, a notebook, "
            "LaTeX, data."
        ),
    }
    parser = Parser(prog=f"main.py {command}", description=descriptions[command])
    without_experiment = {"import": _add_import, "class": _add_class, "model": _add_model}
    if command in without_experiment:
        without_experiment[command](parser)
        _add_language(parser)
        return parser
    if command != "examples":
        exports = command == "export"
        several = tr("an experiment or a lesson, *.attn.json or *.lesson.json") if exports else ""
        _add_source(
            parser, required=command not in ("export", "render"), help_=several, lessons=exports
        )
    if command == "trace":
        _add_trace(parser)
    if command == "render":
        _add_render(parser)
    if command == "check":
        _add_check(parser)
    if command == "export":
        _add_export(parser)
        return parser
    _add_language(parser)
    return parser


def _add_trace(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        dest="output",
        metavar="OUT",
        required=True,
        help=tr("a file ending in .npz or .json"),
    )


def _add_render(parser: ArgumentParser) -> None:
    parser.add_argument("--stage", metavar="ID", help=tr("the stage to draw, such as weights"))
    _add_lab(parser, tr("a lab to draw instead of a stage, such as softmax"))
    parser.add_argument(
        "-o",
        dest="output",
        metavar="OUT",
        required=True,
        help=tr("a file ending in .png, .svg or .pdf"),
    )
    parser.add_argument(
        "--size",
        metavar="WxH",
        type=_size,
        default=(1600, 900),
        help=tr("pixels, such as 1920x1080"),
    )
    parser.add_argument(
        "--columns",
        action="store_true",
        help=tr("tokens as columns: W·X, KᵀQ, softmax down the columns"),
    )
    _add_outlines(parser)
    _add_labels(parser)
    _add_theme(parser)


def _add_check(parser: ArgumentParser) -> None:
    values = tr(
        "numbers of one stage, such as weights=mine.csv; blank cells are not marked; may be "
        "repeated"
    )
    parser.add_argument(
        "--values", metavar="STAGE=FILE", action="append", required=True, help=values
    )
    _add_given(parser)
    parser.add_argument("--json", action="store_true", help=tr("marks and mistakes as JSON"))
    answers = tr("also write the numbers as answers, *.answers.json, for the command class")
    parser.add_argument("-o", dest="output", metavar="OUT", help=answers)
    name = tr("a name or number to write into the answers")
    parser.add_argument("--name", metavar="NAME", default="", help=name)


def _add_given(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--given",
        choices=("exact", "rounded"),
        help=tr(
            "how to treat given numbers: by default those in FILE as rounded to the "
            "decimals written, those of an example as exact"
        ),
    )


def _add_class(parser: ArgumentParser) -> None:
    parser.add_argument("--example", metavar="ID", help=tr("a built-in example"))
    paths = tr(
        "an experiment file, *.attn.json, unless --example names one; then answer files, "
        "*.answers.json, or folders of them"
    )
    parser.add_argument("paths", metavar="FILE", nargs="*", help=paths)
    parser.add_argument(
        "--id",
        action="store_true",
        help=tr("print the id of the experiment, which answer files contain"),
    )
    parser.add_argument("--json", action="store_true", help=tr("the counts as JSON"))
    table = tr("also write a table, *.csv, with a line for each student")
    parser.add_argument("-o", dest="output", metavar="OUT", help=table)
    parser.add_argument(
        "--hide-names", action="store_true", help=tr("numbers instead of names and file names")
    )
    _add_given(parser)


def _add_import(parser: ArgumentParser) -> None:
    source = tr("a file with numbers, a notebook, a page or an export; - for standard input")
    parser.add_argument("source", metavar="SOURCE", help=source)
    parser.add_argument("--list", action="store_true", help=tr("list the matrices (the default)"))
    parser.add_argument("--json", action="store_true", help=tr("the list as JSON"))
    role = tr("what a matrix is, such as W1=W_Q, W1=W_Q.2 or W1=W_Q.T; may be repeated")
    parser.add_argument(
        "--role", metavar="NAME=ROLE", action="append", default=[], dest="roles", help=role
    )
    layer = tr("the layer of stacked attention weights, from 1")
    parser.add_argument("--layer", metavar="N", type=_whole_number(1, 9999), default=1, help=layer)
    heads = tr("how many heads weights such as c_attn or in_proj_weight hold")
    parser.add_argument("--heads", metavar="N", type=_whole_number(1, 999), help=heads)
    parser.add_argument(
        "-o", dest="output", metavar="OUT", help=tr("the experiment to write, *.attn.json")
    )


def _add_model(parser: ArgumentParser) -> None:
    source = tr("a folder with config.json and weights, a .gguf file, or the id of a shipped model")
    parser.add_argument("source", metavar="SOURCE", nargs="?", help=source)
    does = parser.add_mutually_exclusive_group(required=True)
    listed = tr("list the sizes of the model; without SOURCE the shipped models")
    does.add_argument("--list", action="store_true", help=listed)
    count = tr("how many of the most probable next tokens to list")
    does.add_argument("--next", metavar="K", type=_whole_number(1, MOST_NEXT), help=count)
    out = tr("the file to write: .npz with every stage, or .attn.json with --layer")
    does.add_argument("-o", dest="output", metavar="OUT", help=out)
    text = parser.add_mutually_exclusive_group()
    text.add_argument("--text", metavar="TEXT", help=tr("the text that the model reads"))
    ids = tr("ids of tokens instead of a text, such as 101,7592,102")
    text.add_argument("--ids", metavar="IDS", type=_ids, help=ids)
    layer = tr("the attention of this layer, from 1, as an experiment")
    parser.add_argument("--layer", metavar="L", type=_whole_number(1, 9999), help=layer)
    link = tr("with --layer: write a file that points to the model, without its numbers")
    parser.add_argument("--link", action="store_true", help=link)
    parser.add_argument("--json", action="store_true", help=tr("the list as JSON"))


def _ids(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,9}(\s*,\s*\d{1,9})*", text.strip(), re.ASCII):
        raise ArgumentTypeError(tr("{text} are not ids such as 101,7592,102", text=text))
    return tuple(map(int, text.split(",")))


def _add_export(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--format", metavar="NAME", help=tr("the file format, one of those listed by --list")
    )
    parser.add_argument(
        "-o", dest="output", metavar="OUT", help=tr("the file to write; for csv a new folder")
    )
    parser.add_argument("--list", action="store_true", help=tr("list the formats"))
    add_paper_options(parser)
    add_visual_options(parser)
    parser.add_argument(
        "--size",
        metavar="WxH",
        type=_size,
        help=tr("pictures and animations: size in pixels, such as 1280x720"),
    )
    _add_labels(parser)
    _add_theme(parser)


def _add_source(
    parser: ArgumentParser, *, required: bool, help_: str = "", lessons: bool = False
) -> None:
    source = parser.add_mutually_exclusive_group(required=required)
    source.add_argument(
        "file", metavar="FILE", nargs="?", help=help_ or tr("an experiment file, *.attn.json")
    )
    source.add_argument("--example", metavar="ID", help=tr("a built-in example"))
    if lessons:
        source.add_argument(
            "--lesson",
            metavar="ID",
            help=tr("a built-in lesson, such as first-steps"),
        )


def _add_lab(parser: ArgumentParser, help_: str) -> None:
    parser.add_argument("--lab", metavar="ID", help=help_)
    parser.add_argument(
        "--set",
        metavar="CONTROL=VALUE",
        action="append",
        default=[],
        dest="values",
        help=tr("the value of a lab control, such as temperature=0.5; may be repeated"),
    )


def _add_language(parser: ArgumentParser) -> None:
    parser.add_argument("--language", choices=languages(), help=tr("language of all texts"))


def _add_labels(parser: ArgumentParser) -> None:
    parser.add_argument("--labels", choices=LABELS, help=tr("both: short labels in two languages"))


def _add_theme(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--theme", choices=THEMES, help=tr("colours: light, dark, high contrast, or a chalkboard")
    )


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(LEAST_SIDE <= side <= LARGEST_SIDE for side in size):
        said = tr(
            "{text} is not a size such as 1920x1080, each side from {least} to {largest}",
            text=text,
            least=LEAST_SIDE,
            largest=LARGEST_SIDE,
        )
        raise ArgumentTypeError(said)
    return size


BOTH = "both"  # value of --language for worksheets in every language


def add_paper_options(parser: ArgumentParser) -> None:
    """Add the options of worksheets and reports."""
    from gui.export.worksheets.blocks import KEYS, MOST_DECIMALS, MOST_POINTS, POINTS_PER, SUMS

    seed = tr(
        "worksheets: 0 for the numbers of the experiment, any other seed for similar new ones"
    )
    parser.add_argument("--seed", metavar="N", type=_whole_number(0, LARGEST_SEED), help=seed)
    sheets = tr("worksheets: how many, with this seed and the ones after it")
    parser.add_argument("--sheets", metavar="N", type=_whole_number(1, MOST_SHEETS), help=sheets)
    key = tr("worksheets: answer keys after all sheets, in a separate file, or none")
    parser.add_argument("--key", choices=KEYS, help=key)
    stages = tr("worksheets: the stages to fill in, such as scores,weights; all by default")
    parser.add_argument("--stages", metavar="IDS", type=_list, help=stages)
    points = tr("worksheets: points for each stage, or for each cell with --points-per cell")
    parser.add_argument("--points", metavar="N", type=_whole_number(0, MOST_POINTS), help=points)
    per = tr("worksheets: what --points are for")
    parser.add_argument("--points-per", choices=POINTS_PER, help=per)
    sums = tr("worksheets: worked sums in the answer key: of one cell of each stage, all, or none")
    parser.add_argument("--sums", choices=SUMS, help=sums)
    decimals = tr("papers and pictures: number of decimals shown")
    parser.add_argument(
        "--decimals", metavar="N", type=_whole_number(0, MOST_DECIMALS), help=decimals
    )
    columns = tr(
        "papers and pictures: tokens as columns; in data, code, LaTeX and workbooks they are rows"
    )
    parser.add_argument("--columns", action="store_true", help=columns)
    language = tr("language of all texts; both: worksheets in every language")
    parser.add_argument("--language", choices=(*languages(), BOTH), help=language)


def _list(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _whole_number(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise ArgumentTypeError(
                tr(
                    "{text} is not a whole number from {low} to {high}",
                    text=text,
                    low=low,
                    high=high,
                )
            )
        return int(text)

    return number


SLOWEST, FASTEST = 0.25, 8.0
SHOWS = ("both", "diagram", "stage")


def add_visual_options(parser: ArgumentParser) -> None:
    """Add the options of pictures, films, slides and pages."""
    from gui.export.options import MOST_SCALE

    steps = tr("slides and animations: the steps to show, such as 3-9; for a lesson, the scenes")
    parser.add_argument("--steps", metavar="A-B", type=_steps, help=steps)
    grain = tr("slides and animations: the size of a step")
    parser.add_argument("--grain", choices=[each.value for each in Grain], help=grain)
    heads = tr("slides: also all heads of a stage side by side")
    parser.add_argument("--heads", action="store_true", help=heads)
    speed = tr("animations: speed, such as 2 for twice as fast")
    parser.add_argument("--speed", metavar="N", type=_number(SLOWEST, FASTEST), help=speed)
    parser.add_argument(
        "--motion",
        action="store_true",
        help=tr("animations: show how the numbers of each step come together"),
    )
    fps = tr("animations with motion: frames per second, 5 to 25")
    parser.add_argument("--fps", metavar="N", type=_number(5, 25), help=fps)
    scale = tr("PNG: enlargement, 1 to 4")
    parser.add_argument("--scale", metavar="N", type=_number(1, MOST_SCALE), help=scale)
    _add_outlines(parser)
    parser.add_argument("--show", choices=SHOWS, help=tr("pictures and animations: what to draw"))
    parser.add_argument(
        "--stage", metavar="ID", help=tr("pictures: the stage to draw, such as weights")
    )


def _add_outlines(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--outlines", action="store_true", help=tr("SVG: text as outlines, which need no fonts")
    )


def _steps(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})-(\d{1,9})", text, re.ASCII)
    if match is None:
        raise ArgumentTypeError(tr("{text} is not a range of steps such as 3-9", text=text))
    return int(match[1]), int(match[2])


def _number(low: float, high: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        if (
            not re.fullmatch(r"\d{1,3}(\.\d{1,4})?", text, re.ASCII)
            or not low <= float(text) <= high
        ):
            raise ArgumentTypeError(
                tr(
                    "{text} is not a number from {low} to {high}",
                    text=text,
                    low=f"{low:g}",
                    high=f"{high:g}",
                )
            )
        return float(text)

    return number
