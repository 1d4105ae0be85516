"""Scoring of Python objects, of files, and of documents one by one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ._corefeval import Documents, check_lists, check_settings, reported
from ._keywords import OF_TYPES, Source, _Named, as_values, given, named, of_lists, one_or_several, paths, takes, text
from ._options import Path, ScoreFilesOptions, ScoreOptions, ScorerOptions
from ._sides import as_documents, as_read, by_text, entities_of, is_unnamed, report_by_name, report_on, reported_counts, warn, warned
from .documents import Document, _exclusive_sides, _iterable_once
from .exceptions import InputTypeError, InputValueError, ReadError, SettingsError, _in_document
from .labels import Labels, _numbers
from .report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Side
else:
    from ._keywords import Side, Unpack

__all__ = ["Scorer", "score", "score_files"]


#: The names of the sides in messages.
_SIDES = ("key", "response")


def _add(
    documents: Documents, name: str | None, key: Any, response: Any, names: tuple[str, str] = _SIDES
) -> None:
    """Adds a document of entities or labels. ``names`` are the names of its sides in messages."""
    sides = {side: value for side, value in zip(names, (key, response)) if value is not None}
    if all(map(is_unnamed, sides.values())) and len(sides) == 2:
        labels = [side.values if isinstance(side, Labels) else side for side in sides.values()]
        return documents.add_labels(name, *map(_numbers, labels, names))
    made = entities_of(sides)
    documents.add(name, *map(made.get, names))


def _add_all(documents: Documents, key: Any, response: Any) -> None:
    """Adds one document, or all documents of dictionaries by name."""
    kinds = (isinstance(key, Mapping), isinstance(response, Mapping))
    if kinds == (False, False):
        for side, name in ((key, "key"), (response, "response")):
            if side is None:
                hint = "entities are lists of mentions; a response without any is []"
                raise InputTypeError(f"{name} is None", code="input", hint=hint)
        _add(documents, None, key, response)
        return
    if kinds != (True, True):
        many, one = ("key", "response") if kinds[0] else ("response", "key")
        message = f"{many} is documents by name, but {one} is a {type(response if kinds[0] else key).__name__}"
        hint = "give both as dictionaries of documents, or both as one document"
        raise InputTypeError(message, code="input", hint=hint)
    names = [by_text(side, name) for side, name in ((key, "key"), (response, "response"))]
    for name in dict.fromkeys([*names[0], *names[1]]):
        with _in_document(name):
            _add(documents, name, names[0].get(name), names[1].get(name))


@takes(ScoreOptions)
def score(
    *,
    key: Side,
    response: Side | None = None,
    responses: Mapping[str, Side] | None = None,
    name: str = "response",
    quiet: bool = False,
    **options: Unpack[ScoreOptions],
) -> Report:
    """Scores a response against a key, or several, all given as Python objects.

    Key and response are of the same kind:

    - **entities** of one document: lists of lists of mentions. A mention is any hashable object, usually a span
      ``(first, last)``; equal mentions match. Ends can be inclusive or exclusive, in the same way on both sides. Spans can
      be lists, as in JSON, rows of an ``(n, 2)`` array for each entity, or :class:`Mention` objects.
    - **labels** of one document: an array of NumPy, pandas, polars or Arrow, or any buffer, of integers or strings;
      the i-th label is the entity of the i-th mention. See :class:`Labels` for lists.
    - **documents by name**: a dictionary whose values are entities or labels. Counts are summed over documents, as is usual;
      a document that one side lacks is counted, with a warning.
    - **documents**: a :class:`Document` or a list of documents, read from files or built. They are scored like their files,
      by the same rules and with the profile of their format. If one side is documents, the other can be entities, by
      document id or for a single document; they use the words of the documents.

    The default profile for lists of mentions is ``conll``, the reference scorer. Lists have no heads, types or words, so
    options that need these (``match="head"``, ``np_only``, ``weights``, …) require documents, and options about annotation
    or texts that lists cannot have (``zeros``, ``annotation``, ``notation``, ``check_tokens``, …) have no effect, with a
    warning, and are not in the signature. Spans as pairs of integers
    are positions of words, which ``match="craft"`` and ``remove_nested`` use; set ``span_end="exclusive"`` if the second
    number is one past the last word.

    Args:
        key: the correct annotation.
        response: the annotation to score.
        responses: instead of ``response``, the annotations of one or several systems by name; ``report["alder"]["muc"]``
            is then a score of one system.
        name: the name of a single response in the report.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval score``, with ``_`` for ``-``.

    Returns:
        A :class:`Report`.

    Raises:
        InputTypeError, InputValueError: objects that cannot be entities, mentions or labels, with their place. Exceptions of
            iterators propagate.
        PairingError: the two sides have no document in common.
        SettingsError: settings contradict each other, do not exist, or need annotation that the objects lack.

    The global interpreter lock is released while documents are scored.

    >>> import corefeval
    >>> report = corefeval.score(
    ...     key=[[(0, 1), (4, 4), (7, 9)], [(2, 2), (5, 6)]],
    ...     response=[[(0, 1), (4, 4)], [(2, 2), (5, 6), (7, 9)]],
    ... )
    >>> print(f"{report['conll'].f1:.4f}")
    0.7333
    >>> key, response = (corefeval.read(f"examples/{side}.conll") for side in ("key", "alder"))
    >>> print(f"{corefeval.score(key=key, response=response)['conll'].f1:.4f}")
    0.8709
    """
    wanted = given(options, ScoreOptions)
    if responses is not None:
        one_or_several(response, responses)
        return report_by_name(Report, "score", {"key": key}, responses, "responses", wanted, quiet)._named(responses)
    key, response = _iterable_once(key), _iterable_once(response)
    sides = as_documents([("key", key), ("response", response)], wanted)
    if sides is not None:
        report = Report(report_on("score", ("key", sides[0]), [(text(name, "name"), sides[1])], wanted))
    else:
        documents = Documents(_exclusive_sides(wanted))
        _add_all(documents, key, response)
        report = _scored(documents, wanted, text(name, "name"))
    warn(report, quiet)
    return report


def _scored(documents: Documents, wanted: Mapping[str, Any], name: str) -> Report:
    """Returns the report on lists of mentions."""
    return Report(documents.score(of_lists(wanted), name=name))


def _score_labels(key: Any, response: Any, names: tuple[str, str], **options: Any) -> Report:
    """Returns the report on the labels of a document. ``names`` are the names of its sides in messages."""
    wanted = given(options, ScoreOptions)
    documents = Documents((False, False), names)
    _add(documents, None, key, response, names)
    return _scored(documents, wanted, "response")


@takes(ScoreFilesOptions)
def score_files(
    *,
    key: Source | None = None,
    response: Source | Sequence[Source] | Mapping[str, Source] | None = None,
    responses: Sequence[Source] | Mapping[str, Source] | None = None,
    pairs: Iterable[tuple[Source, Source]] | Mapping[str, tuple[Source, Source]] | None = None,
    overlap: Path | Sequence[Path] | Mapping[str, Path] | None = None,
    quiet: bool = False,
    **options: Unpack[ScoreFilesOptions],
) -> Report:
    """Scores files as ``corefeval score`` does, with the same results.

    Args:
        key: the path of a file or of a directory of files, plain or compressed, or a file that is open for reading.
        response: a path or open file, a list, or a dictionary by the name of the system, which gives the report these names:
            ``report["alder"]["muc"]``, even with a single entry.
        responses: another name for ``response`` with several responses, as in :func:`score` and :func:`compare_files`.
        pairs: instead of key and response, pairs of a key and a response file, which are scored separately and then
            macro-averaged; a list, or a dictionary by the name of the pair.
        overlap: instead of files of mentions, tables of how many mentions entities share, each a system: paths, or a
            dictionary of paths by the name of the system.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval score``, with ``_`` for ``-``.

    Raises:
        ReadError, FormatError, PairingError: with ``file``, ``line`` and ``column`` if known.
        SettingsError: settings contradict each other or do not exist.

    The global interpreter lock is released while files are read and scored.

    >>> import corefeval
    >>> report = corefeval.score_files(key="examples/key.conll", response="examples/alder.conll")
    >>> f"{report['lea'].f1:.4f}"
    '0.8254'
    """
    wanted = given(options, ScoreFilesOptions)
    response = one_or_several(response, responses)
    if overlap is not None:
        counted = reported_counts("score", wanted, overlap, {"key": key, "response": response, "pairs": pairs})
        return warned(Report(counted)._named(overlap), quiet)
    if pairs is None:
        for side, what in ((key, "key"), (response, "response")):
            if side is None or side in ([], (), {}):
                message = f"there is no {what}"
                hint = "give a key and a response, files or directories; or pairs of them: pairs=[(key, response)]; or overlap"
                raise InputTypeError(message, code="input", hint=hint)
    elif key is not None or response is not None:
        message = "pairs cannot be combined with a key or a response"
        raise InputTypeError(message, code="input", hint="give either pairs, or a key and a response")
    paired = [] if pairs is None else list(_paired(pairs))
    key_path = None if key is None else named(None, key, "key")
    report = Report(reported("score", as_values(wanted), key_path, paths(response, "response"), pairs=paired))
    warn(report, quiet)
    return report._named(response if pairs is None else pairs)


def _paired(
    pairs: Iterable[Any] | Mapping[str, Any],
) -> Iterator[tuple[_Named, _Named]]:
    """Returns pairs of a key and a response file, with the name of the pair."""
    hint = "pairs=[(key, response), ...], or pairs={name: (key, response), ...}"
    if not isinstance(pairs, Iterable) or isinstance(pairs, (str, bytes)):
        raise InputTypeError(f"pairs is a {type(pairs).__name__}, not a list of pairs", code="input", hint=hint)
    given = pairs.items() if isinstance(pairs, Mapping) else ((None, pair) for pair in pairs)
    count = 0
    for count, (name, pair) in enumerate(given, 1):
        name = None if name is None or name == "" else str(name)
        what = f"pairs[{name!r}]" if name else f"pairs[{count - 1}]"
        if isinstance(pair, (str, bytes, os.PathLike)) or not isinstance(pair, Iterable):
            message = f"{what} is a {type(pair).__name__}, not a key and a response"
            raise InputTypeError(message, code="input", hint=hint)
        sides = list(pair)
        if len(sides) != 2:
            raise InputValueError(f"{what} has {len(sides)} paths, not two", code="input", hint=hint)
        yield named(name, sides[0], f"{what}[0]"), named(None, sides[1], f"{what}[1]")
    if not count:
        raise InputValueError("there is no pair", code="input", hint=hint)


#: The state of a pickled scorer in addition to lists of mentions.
_STATE = ("options", "name", "quiet", "exclusive", "key", "response")


class Scorer:
    """Scores documents that arrive one by one, in a training loop or on several processes.

    It accepts the keywords of :func:`score`. A scorer stores documents, so merging is exact and the report does not depend on
    their distribution over processes; a scorer can be pickled and sent to another process.

    >>> import corefeval
    >>> scorer = corefeval.Scorer(metrics="muc,b_cubed")
    >>> scorer.update(key=[["a", "b", "c"]], response=[["a", "b"]])
    >>> scorer.update(key=[["d", "e"]], response=[["d", "e"]])
    >>> len(scorer), round(scorer.report()["muc"].recall, 4)
    (2, 0.6667)
    """

    @takes(ScorerOptions)
    def __init__(self, *, name: str = "response", quiet: bool = False, **options: Unpack[ScorerOptions]) -> None:
        """Creates a scorer without documents.

        Args:
            name: the name of the response in the report.
            quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
            **options: the options of ``corefeval score``, with ``_`` for ``-``.
        """
        self._options = given(options, ScorerOptions, {"by": 'pass it to report: scorer.report(by="document")'})
        self._exclusive = _exclusive_sides(self._options)
        self._name, self._quiet = text(name, "name"), quiet
        self._begin()
        # Wrong settings fail here, not after an epoch.
        for name in OF_TYPES & self._options.keys():
            _check_readable(self._options[name], name)
        files = self._options.keys() & OF_TYPES
        left_out = files | {"metrics"} if files else files
        check_settings(of_lists({name: value for name, value in self._options.items() if name not in left_out}))

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._empty()

    def _empty(self) -> None:
        self._documents = Documents(self._exclusive)
        # Documents by name; key and response may have different documents.
        self._key: dict[str, Document] = {}
        self._response: dict[str, Document] = {}
        # The documents of previous reports, their numbers on each side, and the choices with which they were read.
        self._growing = Documents()
        self._reported = (0, 0)
        self._read: dict[str, Any] = {}
        # The reports on all documents, by grouping.
        self._reports: dict[str | None, Report] = {}

    def update(self, *, key: Side, response: Side, doc_id: str | None = None) -> None:
        """Adds a document, or several, in any form that ``key`` and ``response`` of :func:`score` accept.

        ``doc_id`` names one document in scores by document; without it, documents are numbered in order. If this raises an
        error, nothing is added. Threads can share a scorer.
        """
        key, response = _iterable_once(key), _iterable_once(response)
        sides = as_documents([("key", key), ("response", response)], self._options)
        with self._lock:
            self._reports = {}
            if sides is None and not len(self._documents):
                # Settings that lists of mentions do not support are reported when the first list is added.
                check_lists(of_lists(self._options), None)
            if (sides is not None and len(self._documents)) or (sides is None and (self._key or self._response)):
                message = "the scorer has documents of both kinds: of corefeval.Document, and of lists of mentions"
                raise InputTypeError(message, code="input", hint="use a scorer for each")
            if sides is not None:
                if doc_id is not None:
                    message = "documents have names, but doc_id gives another"
                    raise InputTypeError(message, code="input", hint="leave out doc_id")
                self._add(sides[0], sides[1], "give each document a unique name")
            elif isinstance(key, Mapping) and doc_id is None:
                # All documents or none.
                documents = Documents(self._exclusive)
                _add_all(documents, key, response)
                self._documents.merge(documents)
            elif doc_id is None:
                _add_all(self._documents, key, response)
            elif isinstance(key, Mapping) or isinstance(response, Mapping):
                message = "documents by name have names, but doc_id gives another"
                raise InputTypeError(message, code="input", hint="leave out doc_id")
            else:
                _add_all_named(self._documents, text(str(doc_id), "doc_id"), key, response)

    def _add(self, key: Iterable[Document], response: Iterable[Document], hint: str) -> None:
        """Adds all named documents, or none if there is an error."""
        added: list[dict[str, Document]] = []
        for known, documents in ((self._key, key), (self._response, response)):
            new: dict[str, Document] = {}
            for document in documents:
                if document.id in known or document.id in new:
                    message = f"two documents are called `{document.id}`"
                    raise InputValueError(message, code="input", hint=hint)
                new[document.id] = document
            added.append(new)
        self._key.update(added[0])
        self._response.update(added[1])

    def merge(self, other: Scorer) -> None:
        """Adds the documents of another scorer with the same settings."""
        if not isinstance(other, Scorer):
            message = f"a {type(other).__name__} is not a Scorer"
            raise InputTypeError(message, code="input", hint="merge scorers with scorers")
        if other is self:
            message = "a scorer cannot be merged with itself: it would have every document twice"
            raise InputValueError(message, code="input", hint="merge scorers that saw different documents")
        # A fixed order prevents a deadlock between two threads that merge in opposite directions.
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            self._reports = {}
            if {**other._options, "threads": 0} != {**self._options, "threads": 0}:
                message = "the scorers have different settings"
                raise SettingsError(message, code="settings", hint="make them with the same keywords")
            if (len(self._documents) or len(other._documents)) and (self._key or other._key):
                message = "one scorer has documents of corefeval.Document, the other lists of mentions"
                raise InputTypeError(message, code="input", hint="use a scorer for each")
            hint = "merge scorers that saw different documents"
            self._add(other._key.values(), other._response.values(), hint)
            self._documents.merge(other._documents)

    def report(self, *, by: str | None = None) -> Report:
        """Returns the scores of all documents so far; ``by`` adds scores by group, as for :func:`score`. Only documents that
        were added since the last report are counted; without new documents, the result is the same report."""
        wanted = given({**self._options, "by": by}, ScoreOptions)
        with self._lock:
            if not len(self):
                hint = "call update first"
                raise InputValueError("no document to score", code="input", hint=hint)
            report = self._reports.get(wanted.get("by"))
            if report is None:
                report = self._scored(wanted)
                # Files of types or weights may change before the next report.
                if not OF_TYPES & self._options.keys():
                    self._reports[wanted.get("by")] = report
        warn(report, self._quiet)
        return report

    def _scored(self, wanted: Mapping[str, Any]) -> Report:
        if not self._key:
            return _scored(self._documents, wanted, self._name)
        sides = (self._key, self._response)
        key, response = ([*islice(side.values(), count, None)] for side, count in zip(sides, self._reported))
        try:
            read = as_read({**self._options, **self._read}, [*key, *response])
        except SettingsError:
            # All documents in order, so that the error names the first.
            as_read(wanted, [*self._key.values(), *self._response.values()])
            raise
        self._growing.extend([document._native for document in key], [document._native for document in response])
        self._reported, self._read = (len(self._key), len(self._response)), read
        return Report(self._growing.score(as_values({**read, **wanted}), name=self._name))

    def _names(self) -> list[str]:
        """Returns the names that the caller gave to documents."""
        with self._lock:
            return self._documents.given_names() + list(self._key)

    def reset(self) -> None:
        """Drops all documents but keeps the settings."""
        with self._lock:
            self._empty()

    def __len__(self) -> int:
        """The number of documents of the key."""
        with self._lock:
            return len(self._documents) + len(self._key)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state = {name: getattr(self, f"_{name}") for name in _STATE}
            return {**state, "documents": self._documents.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._exclusive = state["exclusive"]
        self._begin()
        for name in _STATE:
            setattr(self, f"_{name}", state[name])
        self._documents = Documents.from_state(*state["documents"])

    def __repr__(self) -> str:
        return f"<corefeval.Scorer of {len(self)} documents>"


def _check_readable(path: str, name: str) -> None:
    if name == "weights" and path == "ace":
        return
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        message = f"{name} cannot be read: {error.strerror or error}"
        raise ReadError(message, file=path, code="io", hint="name a file") from error


def _add_all_named(documents: Documents, name: str, key: Any, response: Any) -> None:
    for side, label in ((key, "key"), (response, "response")):
        if side is None:
            hint = "entities are lists of mentions; a response without any is []"
            raise InputTypeError(f"{label} is None", code="input", hint=hint)
    _add(documents, name, key, response)
