"""The exceptions of this package. Their base class is :class:`CorefevalError`.

>>> import corefeval
>>> try:
...     corefeval.score_files(key="absent.conll", response="absent.conll")
... except corefeval.CorefevalError as error:
...     error.file, error.code
('absent.conll', 'io')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "CorefevalError",
    "CorefevalWarning",
    "FormatError",
    "InputTypeError",
    "InputValueError",
    "PairingError",
    "ReadError",
    "SettingsError",
    "StrictError",
    "UnparsedError",
]


class CorefevalError(Exception):
    """The base of all errors of this package.

    Attributes:
        message: the problem, without place and remedy.
        file: the file, or None.
        line: the line, from 1, or None.
        column: the column in bytes, from 1, or None.
        code: the kind of error, one word: ``io``, ``format``, ``pairing``, ``settings``, ``strict``, ``input``.
        hint: a likely remedy, or None.
        related: further places, each with a description.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        code: str | None = None,
        hint: str | None = None,
        related: Iterable[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.code = code
        self.hint = hint
        self.related = tuple(related)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        lines = [f"{place}: {self.message}" if place else self.message]
        lines += [f"  {text}" for text in self.related]
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message,), self.__dict__)


@contextmanager
def _in_document(name: str | None) -> Iterator[None]:
    """Adds the document to errors in one of several documents, and reports text that cannot be encoded."""
    try:
        yield
    except UnicodeEncodeError as error:
        where = "" if name is None else f"in document `{name}`: "
        message = f"{where}{error.object[:40]!r} has half of a character (an unpaired surrogate) and cannot be written"
        raise InputValueError(message, code="input", hint="decode the text with its own encoding") from error
    except CorefevalError as error:
        if name is not None:
            error.message = f"in document `{name}`: {error.message}"
            error.args = (error.message,)
        raise


class ReadError(CorefevalError, OSError):
    """A file could not be opened, read or written (code ``io``)."""

    # OSError has a text of fixed form.
    __str__ = CorefevalError.__str__
    __reduce__ = CorefevalError.__reduce__


class FormatError(CorefevalError, ValueError):
    """A file violates its format (code ``format``)."""


class PairingError(CorefevalError, ValueError):
    """Key and response do not belong together (code ``pairing``)."""


class SettingsError(CorefevalError, ValueError):
    """Settings contradict each other or name something that does not exist (code ``settings``)."""


class UnparsedError(SettingsError, NotImplementedError):
    """Minimum spans or noun phrases are requested, but the key has no parse (code ``settings``). coval raises a
    ``NotImplementedError`` instead."""


class StrictError(CorefevalError, ValueError):
    """A warning that ``strict=True`` turned into an error (code ``strict``)."""


class InputTypeError(CorefevalError, TypeError):
    """A Python object of a type that is not allowed for entities, mentions or labels (code ``input``)."""


class InputValueError(CorefevalError, ValueError):
    """A Python object with a value that is not allowed for entities, mentions or labels (code ``input``)."""


class CorefevalWarning(UserWarning):
    """A finding that may make a score misleading. ``report.warnings`` contains all warnings, with their places.

    ``quiet=True`` leaves them to the report, ``strict=True`` turns them into errors.
    """
