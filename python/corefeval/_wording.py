"""Messages of the extension: strings with their parts, for modules that use other names for the same options."""

from __future__ import annotations

import json
from typing import Any


class Text(str):
    """A message, worded for this package.

    ``parts`` is the message as data: plain words as strings, and lists for options, which end with the keyword of this
    package (``["value", "check-tokens", "no", 'check_tokens="no"']``, ``["switch", "strict", "strict=True"]``,
    ``["option", "format", "format"]``, ``["blank", "weights", "FILE", "weights=FILE"]``,
    ``["name", "check-tokens", "check_tokens"]``), for places (``["place", [file, line, column]]``, ``["line", [file, line, column]]``), for things in the data
    (``["quoted", "d1"]``) and for the command with a feature (``["build", "parquet"]``). Counts start at 1, and 0 is the
    whole file or line.
    """

    _parts: str

    def __new__(cls, words: str, parts: str = "") -> Text:
        text = super().__new__(cls, words)
        text._parts = parts
        return text

    @property
    def parts(self) -> list[Any]:
        """Returns the parts of the message."""
        return json.loads(self._parts) if self._parts else [str(self)]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Text, (str(self), self._parts))


def parts(text: str) -> list[Any]:
    """Returns the parts of a message; any other string is one part."""
    return text.parts if isinstance(text, Text) else [text]
