"""`main.py export`: the whole run in the form of another program."""

from __future__ import annotations

from argparse import Namespace

from core.base.errors import UserError
from core.exchange.exporters import EXPORTERS, write_export
from core.lesson.lesson import is_lesson
from gui.cli import papers
from gui.cli import visual_export as showing
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document, chosen_ending, require_other_file
from gui.texts.exchange import FORMATS, file_labels, in_language
from gui.texts.translation import tr, tr_marked


def export_run(options: Namespace) -> int:
    """Write OUT in the format NAME, or list the formats: name, tab, what it is."""
    if options.list:
        for name, what in (FORMATS | papers.FORMATS | showing.FORMATS).items():
            print(f"{name}\t{tr_marked(what)}")
        return 0
    _require_all(options)
    papers.require_fitting(options, tuple(showing.FORMATS))
    showing.require_fitting(options)
    _require_experiment(options)
    if options.format in papers.FORMATS:
        papers.write_paper(options)
        return 0
    if options.format in showing.FORMATS:
        showing.write_shown(options)
        return 0
    if options.format not in EXPORTERS:
        raise UserError(
            "export.unknown",
            format=options.format,
            known=(*EXPORTERS, *papers.FORMATS, *showing.FORMATS),
        )
    _require_ending(options)
    write_export(
        in_language(chosen_document(options)), options.format, options.output, file_labels()
    )
    return 0


def _require_ending(options: Namespace) -> None:
    """A file ends as its format does, so that nothing is mislabelled; a folder may be called anything."""
    ending = EXPORTERS[options.format].ending
    if ending:
        chosen_ending(options, (ending,))
    else:
        require_other_file(options)


def _require_all(options: Namespace) -> None:
    """What argparse cannot demand, for --list needs none of it."""
    if options.file is None and options.example is None and options.lesson is None:
        raise UsageError(tr("an experiment is missing: FILE or --example ID (main.py export -h)"))
    if options.format is None:
        raise UsageError(tr("the format is missing: --format NAME (main.py export --list)"))
    if options.output is None:
        raise UsageError(tr("the file to write is missing: -o OUT (main.py export -h)"))


def _require_experiment(options: Namespace) -> None:
    """A lesson has many runs: only what is seen of it can be written."""
    given = options.lesson or (
        options.file if options.file is not None and is_lesson(options.file) else None
    )
    if given is not None and (options.format in EXPORTERS or options.format in papers.FORMATS):
        known = ", ".join(showing.FORMATS)
        raise UsageError(
            tr(
                "a lesson cannot be written with --format {format}; it can be written as {known}",
                format=options.format,
                known=known,
            )
        )
