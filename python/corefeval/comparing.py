"""Comparing systems: intervals, significance tests, ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ._corefeval import Documents
from ._corefeval import compare as _compare
from ._corefeval import compare_files as _compare_files
from .errors import InputTypeError
from .report import Comparison
from .scoring import Path, _add_all, _arguments, _choices, _is_labels, _Keep, _known, _list, _path, _warn

__all__ = ["compare", "compare_files"]


def compare(
    *,
    key: Mapping[Any, Any],
    responses: Mapping[str, Mapping[Any, Any]],
    baseline: str | None = None,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    match: Literal["exact"] | None = None,
    singletons: _Keep | None = None,
    duplicates: Literal["first", "last", "distinct"] | None = None,
    blanc: Literal["key", "either"] | None = None,
    ceaf_singletons: Literal["both", "key-only"] | None = None,
    average: Literal["micro", "macro", "mentions"] | None = None,
    sort: str | None = None,
    test: Literal["randomization", "bootstrap"] | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    correction: str | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    shared_documents: bool = False,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
) -> Comparison:
    """Compares systems on the documents of one key, given as Python objects.

    Documents are resampled, whole; the score of a resample is a ratio of sums over documents, as the score itself is.

    Args:
        key: documents by name, as :func:`corefeval.score` takes them.
        responses: the same of each system, by the name of the system.
        baseline: the system that the others are compared with; by default the first.
        metrics, profile, match, singletons, duplicates, blanc, ceaf_singletons, average: as for
            :func:`corefeval.score`.
        sort: the metric by which systems are in order; by default ``conll``, else the first.
        test: how a difference is tested; by default approximate randomization.
        resamples: how many; by default 10000.
        seed: what the pseudo-random numbers start from.
        correction: how p-values are corrected for the number of comparisons: ``holm``, ``bonferroni``, ``none``.
        interval: how intervals are made: ``bca``, ``percentile``.
        confidence: the level of intervals; differences are significant at 1 less this.
        shared_documents: compares on the documents that all systems have, where otherwise one that lacks any is a
            :class:`PairingError`.
        strict, quiet, threads: as for :func:`corefeval.score`.

    >>> import corefeval
    >>> key = {str(number): [["a", "b"], ["c", "d"]] for number in range(40)}
    >>> good = {name: [["a", "b"], ["c", "d"]] for name in key}
    >>> bad = {name: [["a", "b"], ["c", "x"]] for name in key}
    >>> comparison = corefeval.compare(key=key, responses={"bad": bad, "good": good}, metrics="muc", resamples=999)
    >>> comparison["good"]["muc"]["difference"]["p"]
    0.001
    """
    for side, what in ((key, "key"), (responses, "responses")):
        if not isinstance(side, Mapping):
            message = f"{what} is a {type(side).__name__}, not a dictionary"
            hint = "documents are what is resampled: key={name: entities}, responses={system: {name: entities}}"
            raise InputTypeError(message, code="input", hint=hint)
    # Every system is put beside the key, so that the key is gone through more than once.
    kept = {name: _kept(document) for name, document in key.items()}
    systems = []
    for name, response in responses.items():
        if not isinstance(response, Mapping):
            message = f"the response of {name!r} is a {type(response).__name__}, not documents by name"
            hint = "documents are what is resampled: responses={system: {name: entities}}"
            raise InputTypeError(message, code="input", hint=hint)
        documents = Documents()
        _add_all(documents, kept, response)
        systems.append((str(name), documents))
    choices = {
        "match": match,
        "singletons": singletons,
        "duplicates": duplicates,
        "blanc": blanc,
        "ceaf_singletons": ceaf_singletons,
        "average": average,
    }
    method = {
        "test": test,
        "resamples": resamples,
        "seed": seed,
        "correction": correction,
        "interval": interval,
        "confidence": confidence,
    }
    comparison = Comparison(
        _compare(
            systems,
            profile=profile,
            metrics=_list(metrics),
            choices=_choices(choices),
            method=[(name, str(value)) for name, value in method.items() if value is not None],
            baseline=baseline,
            sort=sort,
            shared_documents=shared_documents,
            strict=strict,
            threads=threads,
        )
    )
    _warn(comparison, quiet)
    return comparison


def _kept(document: Any) -> Any:
    """A document that can be gone through more than once."""
    if document is None or _is_labels(document):
        return document
    if isinstance(document, Iterator):
        document = list(document)
    if not isinstance(document, (list, tuple)):
        return document
    return [list(entity) if isinstance(entity, Iterator) else entity for entity in document]


def compare_files(
    *,
    key: Path,
    responses: Sequence[Path] | Mapping[str, Path],
    baseline: str | None = None,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    settings: str | None = None,
    ace_parameters: Path | None = None,
    sort: str | None = None,
    test: Literal["randomization", "bootstrap"] | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    correction: str | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    shared_documents: bool = False,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Comparison:
    """Compares systems as ``corefeval compare`` does, with the same figures.

    ``responses`` are paths, or a dictionary of paths by the name of the system; the rest is as for :func:`compare`
    and :func:`corefeval.score_files`.

    >>> import corefeval
    >>> comparison = corefeval.compare_files(
    ...     key="examples/key.conll", responses=["examples/alder.conll", "examples/birch.conll"], quiet=True
    ... )
    >>> comparison.systems
    ('alder.conll', 'birch.conll')
    """
    _known(options)
    given: dict[str, Any] = {
        "baseline": baseline,
        "metrics": _list(metrics),
        "profile": profile,
        "format": format,
        "key_format": key_format,
        "response_format": response_format,
        "settings": settings,
        "ace_parameters": None if ace_parameters is None else _path(ace_parameters, "ace_parameters"),
        "sort": sort,
        "test": test,
        "resamples": resamples,
        "seed": seed,
        "correction": correction,
        "interval": interval,
        "confidence": confidence,
        "threads": threads,
    }
    switches = [f"--{name}" for name, on in (("shared-documents", shared_documents), ("strict", strict)) if on]
    comparison = Comparison(_compare_files(switches + _arguments(key, responses, {**given, **options})))
    _warn(comparison, quiet)
    return comparison
