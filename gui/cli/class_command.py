"""`main.py class`: the answers of a class."""

from __future__ import annotations

from argparse import Namespace

from core.classroom.experiment_id import experiment_id
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document
from gui.texts.translation import tr


def count_class(options: Namespace) -> int:
    """Print the id of the experiment."""
    options.file = None if options.example is not None else next(iter(options.paths), None)
    if options.example is None and options.file is None:
        raise UsageError(tr("class needs an experiment: a file, *.attn.json, or --example"))
    document = chosen_document(options)
    print(experiment_id(document))
    return 0
