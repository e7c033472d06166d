"""UserError: something that a person entered is wrong, as a code and data; gui.texts.errors has the
sentences.
"""

from __future__ import annotations

from typing import Any


class UserError(ValueError):
    """Something the user entered cannot be used.

    `code` names the kind (such as ``number.empty``), `data` holds what a sentence about it needs.
    """

    def __init__(self, code: str, /, **data: Any) -> None:
        super().__init__(code, data)
        self.code = code
        self.data = data

    def at(self, place: str) -> UserError:
        """The same error with a place in the file or the window."""
        return UserError(self.code, **{**self.data, "place": place})

    def __str__(self) -> str:
        details = ", ".join(f"{key}={value!r}" for key, value in self.data.items())
        return f"{self.code}({details})"
