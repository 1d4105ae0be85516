"""Comparing systems and annotators: intervals, significance tests, ranks, agreement, correlation; named mentions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._corefeval import check_lists, documents_of, reported
from ._keywords import asked, given, named, of_lists, paths, takes, text
from ._options import (
    AgreeFilesOptions,
    AgreeOptions,
    CompareFilesOptions,
    CompareOptions,
    ConeFilesOptions,
    ConeOptions,
    CorrelateFilesOptions,
    CorrelateOptions,
    Path,
)
from .documents import Document, _is_exclusive, _iterable_once, _of, _tell
from .exceptions import InputTypeError, SettingsError, _in_document
from .report import Agreement, Comparison, ConeCheck, Correlation, Report, _Rendered
from .scoring import _as_documents, _entities_of, _names, _report_on, _warn

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Documents, Side
else:
    from ._keywords import Documents, Side, Unpack

__all__ = [
    "agree",
    "agree_files",
    "compare",
    "compare_files",
    "cone",
    "cone_files",
    "correlate",
    "correlate_files",
]

_Kind = TypeVar("_Kind", bound=_Rendered)


@takes(CompareOptions)
def compare(
    *, key: Side, responses: Mapping[str, Side], quiet: bool = False, **options: Unpack[CompareOptions]
) -> Comparison:
    """Compares systems on the documents of one key, given as Python objects.

    Documents are resampled, whole; the score of a resample is a ratio of sums over documents, as the score itself is.

    Args:
        key: documents: a list of :class:`Document`, or entities by the name of the document, as
            :func:`corefeval.score` takes them.
        responses: the same of each system, by the name of the system.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval compare``, with ``_`` for ``-``.

    >>> import corefeval
    >>> key = {str(number): [["a", "b"], ["c", "d"]] for number in range(40)}
    >>> good = {name: [["a", "b"], ["c", "d"]] for name in key}
    >>> bad = {name: [["a", "b"], ["c", "x"]] for name in key}
    >>> comparison = corefeval.compare(key=key, responses={"bad": bad, "good": good}, metrics="muc", resamples=999)
    >>> comparison["good"]["muc"]["difference"]["p"]
    0.001
    """
    wanted = given(options, CompareOptions)
    return _resampled(Comparison, "compare", {"key": key}, responses, "responses", wanted, quiet)


@takes(CompareFilesOptions)
def compare_files(
    *,
    key: Path,
    responses: Path | Sequence[Path] | Mapping[str, Path] | None = None,
    quiet: bool = False,
    **options: Unpack[CompareFilesOptions],
) -> Comparison:
    """Compares systems as ``corefeval compare`` does, with the same figures.

    Args:
        key: a file or a directory of files, plain or compressed.
        responses: paths, or a dictionary of paths by the name of the system; none where ``systems`` has them.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval compare``, with ``_`` for ``-``.

    >>> import corefeval
    >>> comparison = corefeval.compare_files(
    ...     key="examples/key.conll", responses=["examples/alder.conll", "examples/birch.conll"], quiet=True
    ... )
    >>> comparison.systems
    ('alder', 'birch')
    """
    wanted, responses = given(options, CompareFilesOptions), _iterable_once(responses)
    if "systems" not in wanted:
        _refuse_few(responses or (), "responses", 1)
    key_path, systems = named(None, key, "key"), paths(responses, "responses")
    return _told(Comparison(reported("compare", asked(wanted), key_path, systems)), quiet)


@takes(AgreeOptions)
def agree(*, annotators: Mapping[str, Side], quiet: bool = False, **options: Unpack[AgreeOptions]) -> Agreement:
    """How far annotators agree: each scored against each other, and Krippendorff's α, as ``corefeval agree`` has it.

    Args:
        annotators: what each annotated, by the name of the annotator: a list of :class:`Document`, entities by the
            name of the document, or entities or labels of one document, as :func:`corefeval.score` takes them.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval agree``, with ``_`` for ``-``.

    >>> import corefeval
    >>> ann = {str(number): [["a", "b", "c"], ["d", "e"]] for number in range(30)}
    >>> bob = {name: [["a", "b"], ["c", "d", "e"]] for name in ann}
    >>> agreement = corefeval.agree(annotators={"Ann": ann, "Bob": bob}, metrics="muc")
    >>> round(agreement["passonneau"]["alpha"], 3)
    0.595
    """
    return _resampled(Agreement, "agree", {}, annotators, "annotators", given(options, AgreeOptions), quiet)


@takes(AgreeFilesOptions)
def agree_files(
    *,
    annotators: Sequence[Path] | Mapping[str, Path],
    quiet: bool = False,
    **options: Unpack[AgreeFilesOptions],
) -> Agreement:
    """How far annotators agree, as ``corefeval agree`` says of the same files.

    Args:
        annotators: paths, or a dictionary of paths by the name of the annotator.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval agree``, with ``_`` for ``-``.

    >>> import corefeval
    >>> paths = ["examples/key.conll", "examples/alder.conll"]
    >>> agreement = corefeval.agree_files(annotators=paths, quiet=True)
    >>> round(agreement["masi"]["alpha"], 3)
    0.794
    """
    wanted, annotators = given(options, AgreeFilesOptions), _iterable_once(annotators)
    _refuse_few(annotators, "annotators", 2)
    first, *others = paths(annotators, "annotators")
    return _told(Agreement(reported("agree", asked(wanted), first, others)), quiet)


@takes(CorrelateOptions)
def correlate(
    *,
    x: str,
    y: str,
    key: Side,
    responses: Mapping[str, Side],
    quiet: bool = False,
    **options: Unpack[CorrelateOptions],
) -> Correlation:
    """How two metrics go together over documents, systems and entities, as ``corefeval correlate`` has it.

    Args:
        x, y: the two metrics.
        key, responses: as for :func:`compare`.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval correlate``, with ``_`` for ``-``.

    >>> import corefeval
    >>> key = {str(number): [[0, 1, 2, 3], [4, 5, 6]] for number in range(30)}
    >>> found = {name: [list(range(int(name) % 5)), [4, 5]] for name in key}
    >>> correlation = corefeval.correlate(x="muc", y="lea", key=key, responses={"a": found}, quiet=True)
    >>> round(correlation["documents"][0]["parts"]["f1"]["spearman"]["value"], 3)
    0.975
    """
    wanted = {"x": x, "y": y, **given(options, CorrelateOptions)}
    return _resampled(Correlation, "correlate", {"key": key}, responses, "responses", wanted, quiet)


@takes(CorrelateFilesOptions)
def correlate_files(
    *,
    x: str,
    y: str,
    key: Path,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    quiet: bool = False,
    **options: Unpack[CorrelateFilesOptions],
) -> Correlation:
    """How two metrics go together, as ``corefeval correlate`` says of the same files.

    Args:
        x, y: the two metrics.
        key: a file or a directory of files, plain or compressed.
        responses: paths, or a dictionary of paths by the name of the system.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval correlate``, with ``_`` for ``-``.

    >>> import corefeval
    >>> paths = [f"examples/{name}.conll" for name in ("alder", "birch", "cedar")]
    >>> correlation = corefeval.correlate_files(
    ...     x="muc", y="lea", key="examples/key.conll", responses=paths, over="pooled", quiet=True
    ... )
    >>> correlation["pooled"][0]["parts"]["f1"]["points"]
    9
    """
    wanted, responses = {"x": x, "y": y, **given(options, CorrelateFilesOptions)}, _iterable_once(responses)
    _refuse_few(responses, "responses", 1)
    key_path, systems = named(None, key, "key"), paths(responses, "responses")
    return _told(Correlation(reported("correlate", asked(wanted), key_path, systems)), quiet)


@overload
def cone(
    *,
    key: Documents | None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: None = None,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> Report: ...
@overload
def cone(
    *,
    key: None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: Documents,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> ConeCheck: ...
@takes(ConeOptions)
def cone(
    *,
    key: Documents | None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: Documents | None = None,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> Report | ConeCheck:
    """Scores named mentions (CONE), with a key or with one made from the names of the text, as ``corefeval cone`` does.

    Which mentions are named the words or their types say, so that key and responses are documents.

    Args:
        key: documents; None makes the key from the names.
        responses: documents of one system, or a dictionary of the documents of each system by its name.
        annotated: a key of some of the documents, where ``key`` is None: says how far scores on the key made from
            names are from those on it.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval cone``, with ``_`` for ``-``.

    Returns:
        A :class:`Report`, or with ``annotated`` a :class:`ConeCheck`.

    >>> import corefeval
    >>> key, alder = (corefeval.read(f"examples/{name}.conll") for name in ("key", "alder"))
    >>> round(corefeval.cone(key=key, responses=alder, quiet=True)["cone_b_cubed"].f1, 3)
    1.0
    >>> check = corefeval.cone(responses={"alder": alder}, annotated=key, quiet=True)
    >>> round(check["alder"]["b_cubed"]["discrepancy"]["f1"], 3)
    0.042
    """
    wanted = _keyless(given(options, ConeOptions), key, annotated)
    by_name = responses if isinstance(responses, Mapping) else {"response": responses}
    _refuse_few(by_name, "responses", 1)
    first = [] if key is None else [("key", _iterable_once(key))]
    last = [] if annotated is None else [("annotated", _iterable_once(annotated))]
    sides = _sides([*first, *_by_name(by_name, "responses"), *last])
    if sides is None:
        message = "which mentions are named the words say, and lists of mentions have none"
        hint = "give documents: corefeval.read(...), or corefeval.Document(...) with tokens or types of mentions"
        raise InputTypeError(message, code="input", hint=hint)
    systems = sides[len(first) : len(sides) - len(last)]
    of_key, of_annotated = sides[0] if first else None, sides[-1] if last else None
    native = _report_on("cone", of_key, systems, wanted, of_annotated)
    return _told(ConeCheck(native) if last else Report(native), quiet)


@overload
def cone_files(
    *,
    key: Path | None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: None = None,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> Report: ...
@overload
def cone_files(
    *,
    key: None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: Path,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> ConeCheck: ...
@takes(ConeFilesOptions)
def cone_files(
    *,
    key: Path | None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: Path | None = None,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> Report | ConeCheck:
    """Scores named mentions (CONE) as ``corefeval cone`` does of the same files.

    Args:
        key: a file or directory; None makes the key from the names of the text.
        responses: paths, or a dictionary of paths by the name of the system.
        annotated: a key of some of the documents, where ``key`` is None.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        **options: those of ``corefeval cone``, with ``_`` for ``-``.

    Returns:
        A :class:`Report`, or with ``annotated`` a :class:`ConeCheck`.

    >>> import corefeval
    >>> report = corefeval.cone_files(responses="examples/alder.conll", quiet=True)
    >>> f"{report['cone_b_cubed'].f1:.3f}"
    '0.923'
    """
    wanted, responses = _keyless(given(options, ConeFilesOptions), key, annotated), _iterable_once(responses)
    _refuse_few(responses, "responses", 1)
    key_path = None if key is None else named(None, key, "key")
    checked = None if annotated is None else named(None, annotated, "annotated")
    systems = paths(responses, "responses")
    native = reported("cone", asked(wanted), key_path, systems, annotated=checked)
    return _told(Report(native) if annotated is None else ConeCheck(native), quiet)


def _keyless(options: dict[str, Any], key: object, annotated: object) -> dict[str, Any]:
    """The options of CONE, for a key made from names if there is no key."""
    if key is None:
        return options
    if annotated is not None:
        message = "an annotated key is held against one made from names, and there is a key"
        raise SettingsError(message, code="settings", hint="pass annotated without key, or key alone")
    for name in ("heuristics", "without", "write_key", "read_key"):
        if name in options:
            message = f"`{name}` is about a key that is made from names, and there is a key"
            raise SettingsError(message, code="settings", hint=f"leave out {name}, or the key")
    return options


def _refuse_few(sides: Any, what: str, least: int) -> None:
    """Fails where there is nothing to compare."""
    count = 1 if isinstance(sides, (str, bytes, os.PathLike)) else len(sides) if isinstance(sides, Sized) else least
    if count < least:
        message = f"{what} has {count or 'nothing'}, and it takes {least} or more"
        raise InputTypeError(message, code="input", hint=f"name each of {what}")


def _told(report: _Kind, quiet: bool, level: int = 4) -> _Kind:
    """A report whose warnings were issued, where the function was called that calls this one."""
    _warn(report, quiet, level)
    return report


#: Sides by their names.
_Sides = Sequence[tuple[str, Any]]


def _resampled(
    kind: type[_Kind],
    task: str,
    first: Mapping[str, Any],
    others: Any,
    what: str,
    options: dict[str, Any],
    quiet: bool,
) -> _Kind:
    """The report of a task on sides by name, of which ``first`` is the key, where there is one."""
    if not isinstance(others, Mapping):
        message = f"{what} is a {type(others).__name__}, not a dictionary"
        hint = f"give the documents of each by its name: {what}={{name: documents}}"
        raise InputTypeError(message, code="input", hint=hint)
    _refuse_few(others, what, 1 if first else 2)
    given = [(name, _iterable_once(side)) for name, side in first.items()] + _by_name(others, what)
    sides = _sides(given)
    if sides is None:
        sides, wordless = _numbered(given, options.get("span_end"), quiet)
        metrics = f"{options['x']},{options['y']}" if "x" in options else options.get("metrics")
        check_lists(of_lists({**options, **({} if metrics is None else {"metrics": metrics})}), wordless)
        # There are no words to compare.
        options = {**options, "check_tokens": "no"}
        options.pop("span_end", None)
    return _told(kind(_report_on(task, sides[0], sides[1:], options)), quiet, 5)


def _by_name(sides: Mapping[str, Any], what: str) -> list[tuple[str, Any]]:
    """Sides with their names as text."""
    found = {str(name): _iterable_once(side) for name, side in sides.items()}
    if len(found) < len(sides):
        message = f"two of {what} have the same name"
        raise InputTypeError(message, code="input", hint="give each a name of its own, as a string")
    return [(text(name, what), side) for name, side in found.items()]


def _sides(given: _Sides) -> list[tuple[str, list[Document]]] | None:
    """The sides as documents; None where they are other Python objects."""
    found = _as_documents(given)
    return None if found is None else [(name, documents) for (name, _), documents in zip(given, found)]


def _numbered(
    given: _Sides, span_end: str | None, quiet: bool
) -> tuple[list[tuple[str, list[Document]]], str | None]:
    """Lists of mentions as documents, in which equal mentions of all sides are the same, and the name of one whose
    mentions have no known words, if there is one."""
    exclusive = _is_exclusive(span_end or "inclusive")
    one = [(name, side) for name, side in given if not isinstance(side, Mapping)]
    if 0 < len(one) < len(given):
        name, side = one[0]
        message = f"`{name}` is a {type(side).__name__}, and others are documents by name"
        hint = "give all as dictionaries of documents, or all as one document"
        raise InputTypeError(message, code="input", hint=hint)
    documents = [_names({"document": side} if one else side, name) for name, side in given]
    # A system may be called as the key is.
    labels = [name if name != given[0][0] or not place else f"{name} ({place})" for place, (name, _) in enumerate(given)]
    made: list[list[Document]] = [[] for _ in given]
    wordless = None
    for document in dict.fromkeys(document for side in documents for document in side):
        with _in_document(None if one else document):
            having = [place for place, side in enumerate(documents) if document in side]
            entities = _entities_of({labels[place]: documents[place][document] for place in having})
            natives, findings, objects = documents_of(document, [*entities.items()], exclusive)
        _tell(findings, quiet, 5)
        wordless = document if objects and wordless is None else wordless
        for place, native in zip(having, natives):
            made[place].append(_of(native))
    return [(name, side) for (name, _), side in zip(given, made)], wordless
