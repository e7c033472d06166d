"""`main.py examples`: one line an example."""

from __future__ import annotations

from argparse import Namespace

from core.storage.examples import EXAMPLES, load_example
from gui.texts.translation import tr_marked


def print_examples(options: Namespace) -> int:
    """Print the id, a tab and the title of each example, in the order of a course."""
    for example_id in EXAMPLES:
        print(f"{example_id}\t{tr_marked(load_example(example_id).title)}")
    return 0
