"""A whole session of the program, for whoever listens what it opens: open, step, edit, present, lesson, labs, files.

python tests/soak/whole_session.py FOLDER     prints what Python told of sockets, as a line of JSON
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

HEARD: list[str] = []


def _listen(event: str, args: tuple[object, ...]) -> None:
    """Every use of Python's sockets, but those between the processes of one machine."""
    if (
        event.startswith("socket.")
        and "AF_UNIX" not in repr(args)
        and event != "socket.gethostname"
    ):
        HEARD.append(f"{event} {args!r:.150}")


def main(folder: Path) -> None:
    """Do what people do, in the order in which they do it."""
    os.environ["ATTENTION_STEPPER_HOME"] = str(folder / "home")
    sys.addaudithook(_listen)
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    _work(folder)
    application.processEvents()
    print(json.dumps(HEARD))


def _work(folder: Path) -> None:
    from PySide6.QtWidgets import QApplication

    from core.base.cell import Cell
    from core.document.edits import with_cell
    from core.labs.lab import LABS
    from core.storage import archive
    from core.storage.examples import EXAMPLES
    from gui.app.application import build_window

    window = build_window(language="en")
    window.show()
    window.session.change(with_cell, Cell("Q", 0, 0), 1.5, text="Edit")
    archive.save(window.session.state.document, folder / "own.attn.json")
    for _ in range(12):
        window.perform("step_forward")
        QApplication.processEvents()
    window.session.undo_stack.setClean()
    for example in EXAMPLES:
        window.files.open_example(example)
    window.perform("present")
    window.perform("step_forward")
    window.perform("present")
    window.lesson_files.open_shipped("first-steps")
    window.perform("scene_forward")
    window.session.lesson_player.close()
    for lab in LABS:
        window.labs.open(lab)
        QApplication.processEvents()
    window.labs.close()
    _files(folder)
    window.session.undo_stack.setClean()
    window.close()


def _files(folder: Path) -> None:
    """Numbers in, and every export that needs no program of its own."""
    from core.exchange.exporters import EXPORTERS as DATA
    from core.exchange.tables import read_table
    from gui.cli import run_command_line

    (folder / "numbers.csv").write_text("1,2\n3,4\n")
    read_table(folder / "numbers.csv")
    for name in (*DATA, "png", "svg", "pdf", "html", "pptx"):
        run_command_line(
            [
                "export",
                "--example",
                "cat-eats-fish",
                "--format",
                name,
                "-o",
                str(folder / f"out.{name}"),
            ]
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
