"""What is exported: an experiment, whose steps are shown, or a lesson, whose scenes are. Free of Qt."""

from __future__ import annotations

from core.document.document import Document
from core.lesson.lesson import Lesson
from gui.texts.translation import current_language, tr, tr_marked

Subject = Document | Lesson


def title_of(subject: Subject) -> str:
    """The title in the language in force."""
    if isinstance(subject, Lesson):
        return subject.title.of(current_language()) or tr("Untitled")
    return tr_marked(subject.title) if subject.title else tr("Untitled")


def notes_of(subject: Subject) -> str:
    """The notes in the language in force, "" where there are none."""
    if isinstance(subject, Lesson):
        return subject.notes.of(current_language())
    return tr_marked(subject.notes) if subject.notes else ""
