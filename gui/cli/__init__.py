"""The command line. Free of Qt except for the window, `render`, and `export` of pictures and
papers.

Bad input ends with exit code 2 and one line on stderr that begins with ``error:``; no output file
is touched. Ctrl+C ends with 130; a file is written wholly or not at all.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentError, ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module

from core.base.errors import UserError
from gui.cli.argparse_i18n import UsageError
from gui.cli.arguments import parse
from gui.texts.errors import error_message
from gui.texts.translation import SOURCE, best_language, languages, tr, use_language

# Module and function of each command, imported when called; "" is the window.
COMMANDS = {
    "": ("commands", "open_window"),
    "examples": ("commands", "print_examples"),
    "trace": ("commands", "write_trace"),
    "render": ("commands", "render"),
    "check": ("checking", "check_values"),
    "class": ("class_command", "count_class"),
    "export": ("exporting", "export_run"),
    "import": ("importing", "import_source"),
    "model": ("model_command", "model"),
}

STOPPED = 130  # exit code of Ctrl+C in shells
BROKEN_PIPE = 141  # exit code of SIGPIPE in shells


def run_command_line(arguments: Sequence[str]) -> int:
    """Run a command; return the exit code."""
    _write_utf8()
    try:
        try:
            return _run(arguments)
        finally:  # also where --help leaves
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has what it wants
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        _drop_output()
        return _refuse(tr("Standard output: {detail}.", detail=error.strerror or error))


def _drop_output() -> None:
    """Send what is still buffered to nowhere, or Python would try again when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    use_language(_asked_language(arguments) or environment_language(os.environ))
    try:
        options = parse(arguments, tuple(filter(None, COMMANDS)))
        return _command(options.command)(options)
    except UsageError as error:
        return _refuse(str(error))
    except UserError as problem:
        return _refuse(error_message(problem))
    except KeyboardInterrupt:
        print(tr("Stopped."), file=sys.stderr)
        return STOPPED
    except MemoryError:
        return _refuse(tr("There is not enough memory for this experiment."))


def _command(name: str) -> Callable[[Namespace], int]:
    module, function = COMMANDS[name]
    perform: Callable[[Namespace], int] = getattr(import_module(f"gui.cli.{module}"), function)
    return perform


def _asked_language(arguments: Sequence[str]) -> str:
    """The value of --language, needed before parsing for the texts of help and errors."""
    parser = ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--language", default="")
    try:
        language: str = parser.parse_known_args(list(arguments))[0].language
    except ArgumentError:
        return ""
    return language if language in languages() else ""


def environment_language(environment: Mapping[str, str]) -> str:
    """The language of the first locale variable that is set, in the order of the C library."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return best_language([environment[name]])
    return SOURCE


def _refuse(text: str) -> int:
    print("error: " + " ".join(text.split()), file=sys.stderr)
    return 2


def _write_utf8() -> None:
    """Print every character, also where the console's encoding lacks it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # absent in a program without a console
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
