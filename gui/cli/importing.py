"""`main.py import`: list the matrices of a file or text, and make an experiment of them."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import UserError
from core.base.files import LARGEST_FILE, read_bytes
from core.document.document import Document
from core.document.edits import with_title
from core.exchange.assemble import Draft, assemble
from core.exchange.code import LONGEST, is_code, read_code
from core.exchange.experiment_import import read_experiment
from core.exchange.pages import readable_text
from core.exchange.role_names import LEFT_OUT
from core.exchange.roles import parse_role, propose_roles
from core.exchange.source_files import Source, entered_source, read_source, text_source
from core.exchange.sources import Entry
from core.exchange.tables import decoded_text
from core.storage import archive
from gui.cli.argparse_i18n import UsageError
from gui.texts.errors import error_message
from gui.texts.roles import fit_text, place_of, settings_text
from gui.texts.translation import tr

STDIN = "-"


def import_source(options: Namespace) -> int:
    """Print the matrices with their proposed roles, or write the experiment that they make."""
    text = _standard_input() if options.source == STDIN else _short_text(options.source)
    exported = read_code(text) if is_code(text) else None
    if exported is None and options.source != STDIN:
        exported = read_experiment(options.source)
    if exported is not None and options.output and not options.roles:
        return _write(exported, options)
    source = _source(options, text) if exported is None else entered_source(exported)
    roles, given = _roles(source.entries, options.roles)
    draft = assemble(source.entries, roles, token=_token, settled=given)
    if not options.output:
        print(_as_json(source.entries, draft) if options.json else _as_text(source.entries, draft))
        return 0
    if draft.document is None:
        assert draft.problem is not None
        raise _placed(draft, source.entries)
    _tell(draft)
    title = "" if options.source == STDIN else Path(options.source).stem
    return _write(with_title(draft.document, title), options)


def _placed(draft: Draft, entries: Sequence[Entry]) -> UserError:
    """The problem of a draft, with the place of the matrix that cannot be read."""
    problem = draft.problem
    assert problem is not None
    for index in draft.faults:
        entry = entries[index]
        if problem in (entry.refusal, entry.question and entry.question.problem):
            return UserError(problem.code, **{"path": place_of(entry), **problem.data})
    return problem


def _token(number: int) -> str:
    return tr("token {number}", number=number)


def _standard_input() -> str:
    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise UserError("file.too_large", path=STDIN, limit=LARGEST_FILE)
    return decoded_text(data)


def _short_text(path: str) -> str:
    """The text of a small file ending in .txt, which may be a code; "" for any other."""
    if not path.lower().endswith(".txt"):
        return ""
    try:
        return read_bytes(path, LONGEST).decode("utf-8-sig")
    except (UserError, UnicodeDecodeError):
        return ""


def _source(options: Namespace, text: str) -> Source:
    if options.source != STDIN:
        return read_source(options.source, options.layer - 1, options.heads)
    source = text_source(readable_text(text), options.heads)
    if not source.entries:
        raise UserError("role.none")
    return source


def _write(document: Document, options: Namespace) -> int:
    if not options.output.lower().endswith(".json"):
        raise UserError("output.ending", path=options.output, known=(".attn.json",))
    if options.source != STDIN and Path(options.output).resolve() == Path(options.source).resolve():
        raise UserError("output.input", path=options.output)
    archive.save(document, options.output)
    return 0


def _roles(entries: Sequence[Entry], given: Sequence[str]) -> tuple[list[str], set[int]]:
    """The proposed roles with those that the options give, and the entries of these.

    An entry whose proposed role is given to another one is left out.
    """
    roles, settled = list(propose_roles(entries)), set[int]()
    for text in given:
        name, equals, role = text.rpartition("=")
        if not equals:
            raise UsageError(tr("--role {text}: write NAME=ROLE, such as W1=W_Q", text=text))
        part, places = parse_role(role), _places(entries, name)
        for head, place in enumerate(places, part.head):
            several = f"{part.role}.{head}" if len(places) > 1 and part.role != LEFT_OUT else role
            roles[place] = several.removesuffix(".1")
            settled.add(place)
    taken = {parse_role(roles[i])[:2] for i in settled}
    for i, role in enumerate(roles):
        if i not in settled and parse_role(role)[:2] in taken:
            roles[i] = LEFT_OUT
    return roles, settled


def _places(entries: Sequence[Entry], name: str) -> list[int]:
    """The entries of a name, or the one of a number in the list, from 1."""
    found = [i for i, entry in enumerate(entries) if entry.name == name]
    if found:
        return found
    if name.isascii() and name.isdigit() and 0 < int(name[:6]) <= len(entries):
        return [int(name) - 1]
    known = tuple(entry.name or str(i) for i, entry in enumerate(entries, 1))
    raise UserError("role.name", name=name, known=known)


def _question(index: int, entry: Entry, draft: Draft) -> str | None:
    if entry.question is not None:
        return error_message(entry.question.problem)
    if index in draft.open and draft.document is None and draft.problem is not None:
        return error_message(UserError(draft.problem.code, known=(entry.name,)))
    return None


def _as_json(entries: Sequence[Entry], draft: Draft) -> str:
    found = [
        {
            "name": entry.name or None,
            "shape": list(entry.shape),
            "role": draft.roles[index],
            "place": place_of(entry),
            "question": _question(index, entry, draft),
            **({"problem": error_message(entry.refusal)} if entry.refusal is not None else {}),
        }
        for index, entry in enumerate(entries)
    ]
    lines = (json.dumps(each, ensure_ascii=False) for each in found)
    return "[" + ",\n ".join(lines) + "]"


def _as_text(entries: Sequence[Entry], draft: Draft) -> str:
    """Number, name, shape, role, place, and whether it fits, parted by tabs."""
    lines = []
    for index, entry in enumerate(entries):
        shape = "×".join(map(str, entry.shape))
        fits = fit_text(index, entry, draft)[1]
        cells = (str(index + 1), entry.name, shape, draft.roles[index], place_of(entry), fits)
        lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    return "\n".join(lines)


def _tell(draft: Draft) -> None:
    """Print what the printed results decided, and that they are no part of the experiment."""
    checked = sum(printed.total for _, _, printed in draft.results.values())
    if not checked or draft.document is None:
        return
    matched = sum(printed.matched for _, _, printed in draft.results.values())
    said = tr(
        "note: {matched} of {total} printed results match ({settings})",
        matched=matched,
        total=checked,
        settings=settings_text(draft),
    )
    print(said, file=sys.stderr)
