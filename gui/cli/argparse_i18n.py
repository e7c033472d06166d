"""Translations of argparse's own texts."""

from __future__ import annotations

import re
from argparse import Action, ArgumentParser, HelpFormatter
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from gui.texts.translation import tr


class UsageError(Exception):
    """Invalid arguments; the text says what would be right."""


class Formatter(HelpFormatter):
    """Translate the word "usage"."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """Add the usage line with a translated prefix."""
        super().add_usage(usage, actions, groups, tr("usage: ") if prefix is None else prefix)


class Parser(ArgumentParser):
    """Raise UsageError instead of printing usage and exiting."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=Formatter, allow_abbrev=False, add_help=False, **options)
        self._positionals.title, self._optionals.title = tr("positional arguments"), tr("options")
        self.add_argument("-h", "--help", action="help", help=tr("show this help message and exit"))

    def format_help(self) -> str:
        """Translate the colons of headings."""
        text = super().format_help()
        for heading in (self._positionals.title, self._optionals.title):
            text = text.replace(f"\n{heading}:\n", f"\n{tr('{heading}:', heading=heading)}\n")
        return text

    def error(self, message: str) -> NoReturn:
        """Raise UsageError in the current language."""
        raise UsageError(f"{translated(message)} ({self.prog} -h)")


def translated(message: str) -> str:
    """Translate an error message of argparse; unknown ones stay as they are."""
    whole = re.fullmatch(r"argument (\S+): (.*)", message, re.DOTALL)
    known, text = (_OF_ONE, whole[2]) if whole else (_OF_ALL, message)
    for pattern, sentence in known:
        found = re.fullmatch(pattern, text, re.DOTALL)
        if found:
            text = sentence(*found.groups())
            break
    return tr("argument {argument}: {text}", argument=whole[1], text=text) if whole else text


def _required(names: str) -> str:
    return tr("the following arguments are required: {names}", names=names)


def _one_of(names: str) -> str:
    return tr("one of the arguments {names} is required", names=names)


def _unknown(names: str) -> str:
    return tr("unrecognized arguments: {names}", names=names)


def _valueless() -> str:
    return tr("expected an argument")


def _no_choice(value: str, choices: str) -> str:
    return tr(
        "invalid choice: {value} (choose from {choices})",
        value=value,
        choices=choices.replace("'", ""),
    )


def _not_with(other: str) -> str:
    return tr("not allowed with argument {other}", other=other)


def _no_value(value: str) -> str:
    return tr("ignored explicit argument {value}", value=value)


_Known = tuple[tuple[str, Callable[..., str]], ...]
_OF_ALL: _Known = (
    (r"the following arguments are required: (.*)", _required),
    (r"one of the arguments (.*) is required", _one_of),
    (r"unrecognized arguments: (.*)", _unknown),
)
_OF_ONE: _Known = (
    (r"expected (?:one|at least one|\d+) arguments?", _valueless),
    (r"invalid choice: '?(.*?)'? \(choose from (.*)\)", _no_choice),
    (r"not allowed with argument (.*)", _not_with),
    (r"ignored explicit argument '?(.*?)'?", _no_value),
)
