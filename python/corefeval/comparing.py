"""Comparisons of systems and annotators: intervals, significance tests, ranks, agreement, correlation, named mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from ._corefeval import reported
from ._keywords import as_values, given, named, paths, takes
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
from ._sides import documents_by_name, report_by_name, report_on, reported_counts, sides_by_name, warned
from .documents import _iterable_once
from .exceptions import InputTypeError
from .report import Agreement, Comparison, ConeCheck, ConeCorrelation, Correlation, Report

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


@takes(CompareOptions)
def compare(
    *, key: Side, responses: Mapping[str, Side], quiet: bool = False, **options: Unpack[CompareOptions]
) -> Comparison:
    """Compares systems on the documents of one key, given as Python objects.

    Whole documents are resampled; the score of a resample is a ratio of sums over documents, like the score itself.

    Args:
        key: documents: a list of :class:`Document`, or entities by the name of the document, as
            for :func:`corefeval.score`.
        responses: the documents of each system, in the same form, by the name of the system.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval compare``, with ``_`` for ``-``.

    >>> import corefeval
    >>> key = {str(number): [["a", "b"], ["c", "d"]] for number in range(40)}
    >>> good = {name: [["a", "b"], ["c", "d"]] for name in key}
    >>> bad = {name: [["a", "b"], ["c", "x"]] for name in key}
    >>> comparison = corefeval.compare(key=key, responses={"bad": bad, "good": good}, metrics="muc", resamples=999)
    >>> comparison["good"]["muc"]["difference"]["p"]
    0.001
    """
    wanted = given(options, CompareOptions)
    return report_by_name(Comparison, "compare", {"key": key}, responses, "responses", wanted, quiet)


@takes(CompareFilesOptions)
def compare_files(
    *,
    key: Path | None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path] | None = None,
    overlap: Path | Sequence[Path] | Mapping[str, Path] | None = None,
    quiet: bool = False,
    **options: Unpack[CompareFilesOptions],
) -> Comparison:
    """Compares systems as ``corefeval compare`` does, with the same results.

    Args:
        key: a file or a directory of files, plain or compressed.
        responses: paths, or a dictionary of paths by the name of the system; unused if ``systems`` is given.
        overlap: instead of ``key`` and ``responses``, tables of how many mentions entities share: paths, or a dictionary of
            paths by the name of the system.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval compare``, with ``_`` for ``-``.

    >>> import corefeval
    >>> comparison = corefeval.compare_files(
    ...     key="examples/key.conll", responses=["examples/alder.conll", "examples/birch.conll"], quiet=True
    ... )
    >>> comparison.systems.names
    ('alder', 'birch')
    """
    wanted, responses = given(options, CompareFilesOptions), _iterable_once(responses)
    if overlap is not None:
        return warned(Comparison(reported_counts("compare", wanted, overlap, {"key": key, "responses": responses})), quiet)
    if key is None:
        raise InputTypeError("there is no key", code="input", hint="give a key, or tables of counts: overlap=[...]")
    key_path, systems = named(None, key, "key"), paths(responses, "responses")
    return warned(Comparison(reported("compare", as_values(wanted), key_path, systems)), quiet)


@takes(AgreeOptions)
def agree(*, annotators: Mapping[str, Side], quiet: bool = False, **options: Unpack[AgreeOptions]) -> Agreement:
    """Measures agreement between annotators: scores of each pair, and Krippendorff's α, as ``corefeval agree`` does.

    Args:
        annotators: the annotation of each annotator by name: a list of :class:`Document`, entities by the
            name of the document, or entities or labels of one document, as for :func:`corefeval.score`.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval agree``, with ``_`` for ``-``.

    >>> import corefeval
    >>> ann = {str(number): [["a", "b", "c"], ["d", "e"]] for number in range(30)}
    >>> bob = {name: [["a", "b"], ["c", "d", "e"]] for name in ann}
    >>> agreement = corefeval.agree(annotators={"Ann": ann, "Bob": bob}, metrics="muc")
    >>> round(agreement["passonneau"]["alpha"], 3)
    0.595
    """
    return report_by_name(Agreement, "agree", {}, annotators, "annotators", given(options, AgreeOptions), quiet)


@takes(AgreeFilesOptions)
def agree_files(
    *,
    annotators: Sequence[Path] | Mapping[str, Path],
    quiet: bool = False,
    **options: Unpack[AgreeFilesOptions],
) -> Agreement:
    """Measures agreement between annotators, as ``corefeval agree`` does for the same files.

    Args:
        annotators: paths, or a dictionary of paths by the name of the annotator.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval agree``, with ``_`` for ``-``.

    >>> import corefeval
    >>> paths = ["examples/key.conll", "examples/alder.conll"]
    >>> agreement = corefeval.agree_files(annotators=paths, quiet=True)
    >>> round(agreement["masi"]["alpha"], 3)
    0.794
    """
    wanted, annotators = given(options, AgreeFilesOptions), _iterable_once(annotators)
    found = paths(annotators, "annotators")
    return warned(Agreement(reported("agree", as_values(wanted), found[0] if found else None, found[1:])), quiet)


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
    """Correlates two metrics over documents, systems and entities, as ``corefeval correlate`` does.

    Args:
        x, y: the two metrics.
        key, responses: as for :func:`compare`.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval correlate``, with ``_`` for ``-``.

    >>> import corefeval
    >>> key = {str(number): [[0, 1, 2, 3], [4, 5, 6]] for number in range(30)}
    >>> found = {name: [list(range(int(name) % 5)), [4, 5]] for name in key}
    >>> correlation = corefeval.correlate(x="muc", y="lea", key=key, responses={"a": found}, quiet=True)
    >>> round(correlation["documents"][0]["parts"]["f1"]["spearman"]["value"], 3)
    0.975
    """
    wanted = {"x": x, "y": y, **given(options, CorrelateOptions)}
    return report_by_name(Correlation, "correlate", {"key": key}, responses, "responses", wanted, quiet)


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
    """Correlates two metrics, as ``corefeval correlate`` does for the same files.

    Args:
        x, y: the two metrics.
        key: a file or a directory of files, plain or compressed.
        responses: paths, or a dictionary of paths by the name of the system.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval correlate``, with ``_`` for ``-``.

    >>> import corefeval
    >>> paths = [f"examples/{name}.conll" for name in ("alder", "birch", "cedar")]
    >>> correlation = corefeval.correlate_files(
    ...     x="muc", y="lea", key="examples/key.conll", responses=paths, over="pooled", quiet=True
    ... )
    >>> correlation["pooled"][0]["parts"]["f1"]["points"]
    9
    """
    wanted, responses = {"x": x, "y": y, **given(options, CorrelateFilesOptions)}, _iterable_once(responses)
    key_path, systems = named(None, key, "key"), paths(responses, "responses")
    return warned(Correlation(reported("correlate", as_values(wanted), key_path, systems)), quiet)


#: The results of :func:`cone` and :func:`cone_files`.
_Cone = Report | ConeCheck | Comparison | ConeCorrelation


@overload
def cone(
    *,
    key: Documents | None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: None = None,
    compare: Literal[False] = False,
    correlate: Literal[False] = False,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> Report: ...
@overload
def cone(
    *,
    key: None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: Documents,
    compare: Literal[False] = False,
    correlate: Literal[False] = False,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> ConeCheck: ...
@overload
def cone(
    *,
    key: None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: None = None,
    compare: Literal[True],
    correlate: Literal[False] = False,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> Comparison: ...
@overload
def cone(
    *,
    key: Documents,
    responses: Documents | Mapping[str, Documents],
    annotated: None = None,
    compare: Literal[False] = False,
    correlate: Literal[True],
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> ConeCorrelation: ...
@takes(ConeOptions)
def cone(
    *,
    key: Documents | None = None,
    responses: Documents | Mapping[str, Documents],
    annotated: Documents | None = None,
    compare: bool = False,
    correlate: bool = False,
    quiet: bool = False,
    **options: Unpack[ConeOptions],
) -> _Cone:
    """Scores named mentions (CONE), with a key or with a key made from the names of the text, as ``corefeval cone`` does.

    Words or types of mentions identify names, so key and responses must be documents.

    Args:
        key: documents; None makes the key from the names.
        responses: documents of one system, or a dictionary of the documents of each system by the name that the report
            uses.
        annotated: if ``key`` is None, a key of some of the documents, to compare scores on the key made from names with
            scores on this key.
        compare: if ``key`` is None, compares the systems on one key made from names: intervals, tests and ranks.
        correlate: with a key, correlates CONE with B³ and CEAF of all mentions, over documents and over entities.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval cone``, with ``_`` for ``-``.

    Returns:
        A :class:`Report`; with ``annotated`` a :class:`ConeCheck`, with ``compare`` a :class:`Comparison`, and with
        ``correlate`` a :class:`ConeCorrelation`.

    >>> import corefeval
    >>> key, alder = (corefeval.read(f"examples/{name}.conll") for name in ("key", "alder"))
    >>> round(corefeval.cone(key=key, responses=alder, quiet=True)["cone_b_cubed"].f1, 3)
    1.0
    >>> check = corefeval.cone(responses={"alder": alder}, annotated=key, quiet=True)
    >>> round(check["alder"]["b_cubed"]["discrepancy"]["f1"], 3)
    0.042
    >>> found = corefeval.cone(key=key, responses={"alder": alder}, correlate=True, quiet=True)
    >>> found.systems["alder"]["named_entities"], found.systems["alder"]["missed"]
    (9, 0)
    """
    wanted = _asked_of_cone(given(options, ConeOptions), compare, correlate)
    by_name = responses if isinstance(responses, Mapping) else {"response": responses}
    first = [] if key is None else [("key", _iterable_once(key))]
    last = [] if annotated is None else [("annotated", _iterable_once(annotated))]
    sides = documents_by_name([*first, *sides_by_name(by_name, "responses"), *last], wanted)
    if sides is None:
        message = "named mentions are found by their words, and lists of mentions have none"
        hint = "give documents: corefeval.read(...), or corefeval.Document(...) with tokens or types of mentions"
        raise InputTypeError(message, code="input", hint=hint)
    systems = sides[len(first) : len(sides) - len(last)]
    of_key, of_annotated = sides[0] if first else None, sides[-1] if last else None
    native = report_on("cone", of_key, systems, wanted, of_annotated)
    found = warned(_kind_of_cone(annotated, compare, correlate)(native), quiet)
    return found._named(responses) if isinstance(found, Report) else found


@overload
def cone_files(
    *,
    key: Path | None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: None = None,
    compare: Literal[False] = False,
    correlate: Literal[False] = False,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> Report: ...
@overload
def cone_files(
    *,
    key: None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: Path,
    compare: Literal[False] = False,
    correlate: Literal[False] = False,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> ConeCheck: ...
@overload
def cone_files(
    *,
    key: None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: None = None,
    compare: Literal[True],
    correlate: Literal[False] = False,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> Comparison: ...
@overload
def cone_files(
    *,
    key: Path,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: None = None,
    compare: Literal[False] = False,
    correlate: Literal[True],
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> ConeCorrelation: ...
@takes(ConeFilesOptions)
def cone_files(
    *,
    key: Path | None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: Path | None = None,
    compare: bool = False,
    correlate: bool = False,
    quiet: bool = False,
    **options: Unpack[ConeFilesOptions],
) -> _Cone:
    """Scores named mentions (CONE) as ``corefeval cone`` does for the same files.

    Args:
        key: a file or directory; None makes the key from the names of the text.
        responses: paths, or a dictionary of paths by the name of the system.
        annotated: if ``key`` is None, a key of some of the documents.
        compare: if ``key`` is None, compares the systems on one key made from names: intervals, tests and ranks.
        correlate: with a key, correlates CONE with B³ and CEAF of all mentions, over documents and over entities.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval cone``, with ``_`` for ``-``.

    Returns:
        A :class:`Report`; with ``annotated`` a :class:`ConeCheck`, with ``compare`` a :class:`Comparison`, and with
        ``correlate`` a :class:`ConeCorrelation`.

    >>> import corefeval
    >>> report = corefeval.cone_files(responses="examples/alder.conll", quiet=True)
    >>> f"{report['cone_b_cubed'].f1:.3f}"
    '0.923'
    """
    wanted = _asked_of_cone(given(options, ConeFilesOptions), compare, correlate)
    responses = _iterable_once(responses)
    key_path = None if key is None else named(None, key, "key")
    checked = None if annotated is None else named(None, annotated, "annotated")
    systems = paths(responses, "responses")
    native = reported("cone", as_values(wanted), key_path, systems, annotated=checked)
    found = warned(_kind_of_cone(annotated, compare, correlate)(native), quiet)
    return found._named(responses) if isinstance(found, Report) else found


def _kind_of_cone(annotated: object, compare: bool, correlate: bool) -> type[_Cone]:
    if correlate:
        return ConeCorrelation
    if compare:
        return Comparison
    return Report if annotated is None else ConeCheck


def _asked_of_cone(options: dict[str, Any], compare: object, correlate: object) -> dict[str, Any]:
    """Returns the options of CONE with the requested task."""
    for name, flag in (("compare", compare), ("correlate", correlate)):
        if not isinstance(flag, bool):
            raise InputTypeError(f"{name} is {flag!r}", code="input", hint=f"{name}=True, or leave it out")
        if flag:
            options = {**options, name: True}
    return options
