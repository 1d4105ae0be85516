"""Errors of responses: kinds, the cost of each kind, and places."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._corefeval import reported
from ._frozen import Frozen
from ._keywords import as_values, given, named, one_or_several, paths, takes, text
from ._options import ErrorsFilesOptions, ErrorsOptions, Path
from ._sides import report_by_name, warned
from .documents import _iterable_once
from .exceptions import InputTypeError, ReadError, SettingsError
from .report import Named, Row, _ByDocument, _BySystem, _Drawn

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Side
else:
    from ._keywords import Side, Unpack

__all__ = ["ErrorReport", "errors", "errors_files"]

#: The number of documents that a notebook shows with their text.
_IN_NOTEBOOK = 50


class ErrorReport(_Drawn, _BySystem):
    """The errors of one or more responses.

    ``errors["alder"]`` is a dictionary of one system: ``transform`` counts the seven kinds of errors that turn the
    response into the key, ``links`` missed and wrong links by type and distance, ``costs`` the scores after each kind is
    corrected, alone and in sequence; ``outcomes``, ``documents``, ``entities`` and ``antecedents`` locate the errors,
    and ``examples`` shows some in their sentences. Rows for data frames are in :meth:`to_rows`, :meth:`costs` and
    :meth:`outcomes`. A notebook shows the page of ``corefeval report``; :meth:`save_page` writes it into a file.
    """

    __slots__ = ()
    _PART = "errors"

    @property
    def document_count(self) -> int:
        """The number of documents of the key."""
        return max((int(system["counts"]["key"]["documents"]) for system in self._data["systems"]), default=0)

    @property
    def documents(self) -> Named[Row]:
        """The errors of each document, by system: ``found.documents["news/ferry"]["alder"]["errors"]`` counts them by kind,
        in addition to ``key_links`` and ``response_links``."""
        rows: dict[str, dict[str, Any]] = {}
        for system in self._data["systems"]:
            for document in system["errors"]["documents"]:
                found = rows.setdefault(document["id"], {})
                found[system["name"]] = Frozen({name: value for name, value in document.items() if name != "id"})
        return _ByDocument(Row(name, Frozen(found)) for name, found in rows.items())

    @property
    def tree(self) -> str:
        """The tree that determines the antecedents of link errors."""
        return str(self._data["tree"])

    @property
    def common(self) -> Mapping[str, Any] | None:
        """The link errors that several systems share: ``recall`` and ``precision``, each with ``any``, ``all`` and
        ``systems``; None for one system."""
        return self._data.get("common")

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each error: ``system``, ``document``, ``kind``, the affected ``side`` and ``entity``, the
        ``mention`` with ``start`` and ``end`` (its first word and one past its last, from 0), ``sentence`` and ``type``,
        the ``count`` of affected mentions, and the ``other`` mention (the antecedent, the right span, or the part that
        the mention belongs to) with the same fields and the ``distance`` in sentences, or None. ``parts`` are the runs of
        words of a discontinuous mention, ``head`` is its head word if annotated. If several documents are compared as one
        (``scope``), ``mention_document`` and ``other_document`` name those of the mentions. For link errors of several systems
        ``made_by`` is the number of systems that make the error; otherwise None. Values that need a text are None without one:
        sentences, types and distances, and the places of mentions that have only names."""
        # Only a line feed ends a line; words can contain other separators.
        lines = self.render("jsonlines").split("\n")
        return [json.loads(line) for line in lines if line]

    def to_columns(self) -> dict[str, list[Any]]:
        """Returns the rows as a list for each column, for ``pandas.DataFrame``, ``polars.DataFrame`` or ``pyarrow.table``."""
        # Without rows, the header of the CSV determines the columns.
        columns, rows = self.render("csv").partition("\n")[0].strip().split(","), self.to_rows()
        return {name: [row[name] for row in rows] for name in columns}

    def costs(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each ``system``, ``metric`` and kind of errors (``corrected``): ``f1`` after correcting
        this kind and all kinds before it, and ``f1_alone`` after correcting only this kind; ``none`` is the response, and
        ``rest`` the key. If a side repeats mentions, or scores use different settings from errors, ``response`` comes
        before ``none`` and has the score of the response. Undefined scores are None."""
        rows = []
        for system in self._data["systems"]:
            steps = system["errors"]["costs"]
            alone = {step["corrected"]: step["metrics"] for step in steps["alone"]}
            before = [{"corrected": "response", "metrics": steps["response"]}] if "response" in steps else []
            for step in [*before, *steps["sequence"]]:
                for metric, score in step["metrics"].items():
                    row = {"system": system["name"], "metric": metric, "corrected": step["corrected"]}
                    single = alone.get(step["corrected"], {}).get(metric)
                    rows.append({**row, "f1": _defined(score), "f1_alone": _defined(single)})
        return rows

    def outcomes(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each ``system`` and group of mentions (``by`` type, pronoun, entity_type or genre, and the
        ``group``), with the numbers of ``correct``, ``wrong``, ``missing`` and ``spurious`` resolutions."""
        return [
            {"system": system["name"], "by": by, "group": group, **counts}
            for system in self._data["systems"]
            for by, groups in system["errors"]["outcomes"].items()
            for group, counts in groups.items()
        ]

    def page(
        self,
        *,
        title: str | None = None,
        documents: int | Iterable[str] | None = None,
        without_text: bool = False,
        compared: bool = True,
    ) -> str:
        """Returns the page of ``corefeval report`` as HTML: scores, errors and the texts of the documents in one
        self-contained file.

        Args:
            title: the heading.
            documents: the number of documents whose texts the page contains, or their ids or names; all by default. Scores and
                errors cover all documents.
            without_text: omits all words of the corpus, for corpora that must not be redistributed.
            compared: adds intervals and tests, which take time.

        Raises:
            SettingsError: the key lacks one of the documents, or the report was pickled and therefore has no page.
        """
        if self._native is None:
            hint = "make the page before the report is pickled"
            raise SettingsError("a report that was pickled has no page", code="settings", hint=hint)
        first = names = None
        if isinstance(documents, int) and not isinstance(documents, bool):
            if documents < 0:
                raise SettingsError(f"documents={documents} is negative", code="settings", hint="documents=20")
            first = documents
        elif documents is not None:
            names = _ids(documents)
        heading = None if title is None else text(title, "title")
        return self._native.page(
            title=heading, first=first, named=names, without_text=bool(without_text), compared=bool(compared)
        )

    def save_page(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Writes the :meth:`page` into a file, with its keywords.

        Raises:
            ReadError: the file cannot be written.
        """
        page = self.page(**options)
        try:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(page)
        except OSError as error:
            message = f"the page cannot be written: {error.strerror or error}"
            raise ReadError(message, file=os.fsdecode(path), code="io", hint="name a file in a folder that exists") from error

    def _repr_html_(self) -> str:
        if self._native is None:
            return super()._repr_html_()
        page = self.page(documents=_IN_NOTEBOOK, compared=False)
        name = html.escape(f"Errors of {', '.join(self)}")
        # A separate frame isolates the styles and scripts of the page and the notebook from each other.
        return (
            f'<iframe title="{name}" sandbox="allow-scripts" style="width: 100%; height: 40rem; border: 1px solid #8886" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )

    def __repr__(self) -> str:
        counts = (f"{name} {sum(found['transform'].values())}" for name, found in self.items())
        return f"<corefeval.ErrorReport {', '.join(counts)} errors>"


def _ids(documents: Any) -> list[str]:
    """The ids of documents as text."""
    if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        message = f"documents is a {type(documents).__name__}, neither a number nor a list of ids"
        raise InputTypeError(message, code="input", hint='documents=20, or documents=["news/ferry_line"]')
    return [text(name, "documents") for name in documents]


def _defined(score: Mapping[str, Any] | None) -> float | None:
    return None if score is None or score.get("defined") is False else score["f1"]


def _systems(response: Any, responses: Any, name: str) -> Any:
    """Returns the responses by name, from one or several."""
    if (response is None) == (responses is None):
        message = "there is no response" if response is None else "response and responses cannot be given together"
        hint = "give one system as response=..., or several by name as responses={name: ...}"
        raise InputTypeError(message, code="input", hint=hint)
    return {text(name, "name"): response} if responses is None else responses


@takes(ErrorsOptions)
def errors(
    *,
    key: Side,
    response: Side | None = None,
    responses: Mapping[str, Side] | None = None,
    name: str = "response",
    quiet: bool = False,
    **options: Unpack[ErrorsOptions],
) -> ErrorReport:
    """Analyses the errors of responses: their kinds, missed and wrong links, their cost, and their places.

    Words, types and heads of mentions come from the documents. Lists of mentions lack these, so their errors are counted
    without text. Mentions that are not spans have their own names in the rows: ``str(mention)``.

    Args:
        key: as for :func:`score`.
        response: the output of one system, as for :func:`score`.
        responses: instead of ``response``, the outputs of several systems by name.
        name: the name of a single response in the report.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval errors``, with ``_`` for ``-``.

    >>> import corefeval
    >>> key, cedar = (corefeval.read(f"examples/{name}.conll") for name in ("key", "cedar"))
    >>> found = corefeval.errors(key=key, response=cedar, name="cedar")
    >>> found["cedar"]["transform"]["missing_mention"], found["cedar"]["links"]["precision"]["total"]
    (49, 7)
    >>> row = next(row for row in found.to_rows() if row["kind"] == "missed_link")
    >>> row["mention"], row["other"], row["distance"]
    ('its', 'The Hamre Line', 0)
    >>> [round(row["f1"], 3) for row in found.costs() if row["metric"] == "conll"][:2]
    [0.473, 0.562]
    """
    wanted = given(options, ErrorsOptions)
    systems = _systems(response, responses, name)
    return report_by_name(ErrorReport, "errors", {"key": _iterable_once(key)}, systems, "responses", wanted, quiet)


@takes(ErrorsFilesOptions)
def errors_files(
    *,
    key: Path,
    response: Path | Sequence[Path] | Mapping[str, Path] | None = None,
    responses: Sequence[Path] | Mapping[str, Path] | None = None,
    quiet: bool = False,
    **options: Unpack[ErrorsFilesOptions],
) -> ErrorReport:
    """Analyses the errors of responses, as ``corefeval errors`` does for the same files.

    Args:
        key: a file or a directory of files, plain or compressed.
        response: a path, a list of paths, or a dictionary of paths by the name of the system.
        responses: another name for ``response`` with several responses, as in :func:`errors`.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval errors``, with ``_`` for ``-``.

    >>> import corefeval
    >>> found = corefeval.errors_files(key="examples/key.conll", response={"alder": "examples/alder.conll"}, quiet=True)
    >>> found["alder"]["links"]["recall"]["total"]
    9
    """
    wanted, response = given(options, ErrorsFilesOptions), _iterable_once(one_or_several(response, responses))
    key_path, systems = named(None, key, "key"), paths(response, "response")
    return warned(ErrorReport(reported("errors", as_values(wanted), key_path, systems)), quiet)
