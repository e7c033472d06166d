"""What a program that died has left behind, offered in the banner."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QLocale

from gui.session.session import Session
from gui.storage.recovery import Recovery, title_of
from gui.storage.recovery_store import Entry
from gui.texts.translation import tr

Say = Callable[..., None]  # a sentence, and what is offered: each a name with what it does


def offer(recovery: Recovery, say: Say, session: Session) -> None:
    """Say what was left last, with a button that restores it and one that throws it away."""
    language = session.state.language
    for entry in recovery.find_recovered()[:1]:
        say(
            tr(
                "“{name}” was not saved when the program ended on {time}.",
                name=title_of(entry, language),
                time=QLocale(language).toString(entry.time, QLocale.FormatType.ShortFormat),
            ),
            (tr("Restore"), partial(_restore, recovery, entry, say, session)),
            (tr("Discard"), partial(recovery.discard, entry)),
        )


def _restore(recovery: Recovery, entry: Entry, say: Say, session: Session) -> None:
    """What was left, or the offer again where that was stopped."""
    if not recovery.restore(entry):
        offer(recovery, say, session)
