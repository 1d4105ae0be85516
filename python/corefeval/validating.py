"""Validation: problems in files, and problems that would affect their scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._corefeval import reported
from ._frozen import Frozen
from ._keywords import as_values, given, named, paths, takes
from ._options import Path, ValidateOptions
from .report import Finding, _Rendered

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from ._keywords import Unpack

__all__ = ["Validation", "validate"]


class Validation(_Rendered):
    """The findings about files.

    It is true without warnings and errors. :attr:`problems` lists all findings in the order of the files;
    ``render("github")`` and ``render("sarif")`` return formats for code checks.
    """

    __slots__ = ()

    @property
    def files(self) -> tuple[Mapping[str, Any], ...]:
        """The files, the key first: ``path``, ``format``, ``documents``, ``mentions``, ``fixed`` and ``findings``."""
        return tuple(self._data["files"])

    @property
    def problems(self) -> tuple[Mapping[str, Any], ...]:
        """All findings: ``code``, ``severity``, ``file``, ``line``, ``column``, ``document``, ``message``, ``remedy``, the
        offending ``text``, ``related`` places, ``more`` and ``fixable``."""
        return tuple(finding for file in self.files for finding in file["findings"])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The :attr:`problems`, grouped by code and severity: their count, the message and remedy of the first, and all listed
        places. The severity can also be ``error``."""
        groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for problem in self.problems:
            groups.setdefault((problem["code"], problem["severity"]), []).append(problem)
        names = ("message", "file", "line", "column", "document")

        def place(problem: Mapping[str, Any]) -> Frozen:
            parts = (problem[part] for part in ("file", "line", "column"))
            written = ":".join(str(part) for part in parts if part is not None)
            return Frozen({"place": written, **{name: problem[name] for name in names}})

        found = []
        for (code, severity), group in groups.items():
            count = sum(1 + problem["more"] for problem in group)
            places = tuple(map(place, group))
            remedy = next((problem["remedy"] for problem in group if problem["remedy"]), "")
            found.append(Finding(code, severity, count, group[0]["message"], remedy, places))
        return tuple(found)

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of ``errors``, ``warnings`` and ``notes``."""
        counts: Mapping[str, int] = self._data["counts"]
        return counts

    def __bool__(self) -> bool:
        return not (self.counts["errors"] or self.counts["warnings"])

    def _repr_html_(self) -> str:
        # The report already shows the problems.
        return self.render("html")

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each finding, for data frames."""
        return [dict(finding) for finding in self.problems]


@takes(ValidateOptions)
def validate(*files: Path, against: Path | None = None, **options: Unpack[ValidateOptions]) -> Validation:
    """Finds problems in files or directories, as ``corefeval validate`` does.

    Args:
        *files: files or directories, plain or compressed.
        against: a key. The files are then responses, and problems that would affect their scores are reported too.
        **options: the options of ``corefeval validate``, with ``_`` for ``-``.

    >>> import corefeval
    >>> found = corefeval.validate("testdata/formats/conll-broken/closed-twice.conll")
    >>> [(problem["code"], problem["line"], problem["text"]) for problem in found.problems]
    [('unopened-mention', 4, '4)')]
    >>> bool(corefeval.validate("examples/alder.conll", against="examples/key.conll"))
    True
    """
    wanted = given(options, ValidateOptions)
    key = None if against is None else named(None, against, "against")
    return Validation(reported("validate", as_values(wanted), key, paths(list(files), "files")))
