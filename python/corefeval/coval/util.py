"""coval's ``util``, which checks whether a key has parses."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Union

from ..exceptions import UnparsedError

__all__ = ["check_gold_parse_annotation", "parse_key_file"]


#: The remedy for a key without parses.
HINT = "put the parses into column 6 of the key, as CoNLL-2012 has them, or leave out min_span and NP_only"


def _parsed(lines: Iterable[str]) -> bool:
    """Returns whether a document has a parse: brackets in column 6 of more than 6."""
    columns = (line.split() for line in lines)
    return any(len(line) > 6 and "(" in line[5] for line in columns)


def check_gold_parse_annotation(key_file: Union[str, os.PathLike[str]]) -> bool:
    """Returns whether a file has parses: column 6 of the first line with more than 6 columns is not a dash.

    >>> check_gold_parse_annotation("examples/key.conll")
    True
    """
    with open(key_file, encoding="utf-8") as file:
        columns = (line.split() for line in file if not line.startswith("#"))
        return next((line[5] != "-" for line in columns if len(line) > 6), False)


def parse_key_file(key_file: Union[str, os.PathLike[str]]) -> None:
    """The original runs a parser over the file; this package has no parser.

    Raises:
        UnparsedError: always.
    """
    raise UnparsedError("there is no parser in this package", file=os.fspath(key_file), code="settings", hint=HINT)

