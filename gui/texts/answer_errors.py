"""The error messages of answer files and codes."""

from __future__ import annotations

from gui.texts.translation import mark

SENTENCES: dict[str, str] = {
    "answers.format": mark("The file does not hold answers: its format must be “{expected}”."),
    "code.unreadable": mark(
        "This is not the code of an experiment, or a part of it is missing; copy all of it."
    ),
    "code.link": mark(
        "This code only points to a model on another computer; ask for a code with its numbers, or for the file."
    ),
    "answers.foreign": mark(
        "These answers belong to another experiment, or to this one with other numbers or settings."
    ),
    "answers.name": mark("The name has {actual} characters; at most {limit} are allowed."),
    "answers.too_many": mark(
        "The stage {stage} has more than {limit} numbers, too many to be worked out by hand."
    ),
    "answers.too_many_files": mark("There are more than {limit} files; choose a smaller folder."),
}
