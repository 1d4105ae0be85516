"""Comparing systems and annotators: intervals, significance tests, ranks, agreement, correlation; named mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ._corefeval import Documents, documents_of, reported
from ._corefeval import compare as _compare
from .documents import Document, _is_exclusive, _iterable_once, _of, _tell
from .errors import InputTypeError, SettingsError
from .labels import _entities, _is_labels, _kept_labels
from .report import Agreement, Comparison, ConeCheck, Correlation, Report
from .scoring import (
    Path,
    _add_all,
    _arguments,
    _as_documents,
    _choices,
    _Keep,
    _known,
    _list,
    _names,
    _path,
    _report_on,
    _threads,
    _warn,
)

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

_End = Literal["inclusive", "exclusive"]


def compare(
    *,
    key: Any,
    responses: Mapping[str, Any],
    baseline: str | None = None,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    match: str | None = None,
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
    span_end: _End | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Comparison:
    """Compares systems on the documents of one key, given as Python objects.

    Documents are resampled, whole; the score of a resample is a ratio of sums over documents, as the score itself is.

    Args:
        key: documents: a list of :class:`Document`, or entities by the name of the document, as
            :func:`corefeval.score` takes them.
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
        span_end, strict, quiet, threads, **options: as for :func:`corefeval.score`.

    >>> import corefeval
    >>> key = {str(number): [["a", "b"], ["c", "d"]] for number in range(40)}
    >>> good = {name: [["a", "b"], ["c", "d"]] for name in key}
    >>> bad = {name: [["a", "b"], ["c", "x"]] for name in key}
    >>> comparison = corefeval.compare(key=key, responses={"bad": bad, "good": good}, metrics="muc", resamples=999)
    >>> comparison["good"]["muc"]["difference"]["p"]
    0.001
    """
    _known(options)
    choices = {
        "match": match,
        "singletons": singletons,
        "duplicates": duplicates,
        "blanc": blanc,
        "ceaf_singletons": ceaf_singletons,
        "average": average,
        "span_end": span_end,
        **options,
    }
    method = {
        "test": test,
        "resamples": resamples,
        "seed": seed,
        "correction": correction,
        "interval": interval,
        "confidence": confidence,
    }
    key = _iterable_once(key)
    given = _sides({"key": key}, responses, "responses") if isinstance(responses, Mapping) else None
    if given is not None:
        common: dict[str, Any] = {
            "baseline": baseline,
            "metrics": _list(metrics),
            "profile": profile,
            "sort": sort,
            "shared_documents": shared_documents,
            "strict": strict,
            "threads": _threads(threads),
        }
        of_documents = Comparison(_report_on("compare", given, {**common, **method, **choices}, len(given)))
        _warn(of_documents, quiet)
        return of_documents
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
        documents = Documents(_is_exclusive(span_end or "inclusive"))
        _add_all(documents, kept, response)
        systems.append((str(name), documents))
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
            threads=_threads(threads),
        )
    )
    _warn(comparison, quiet)
    return comparison


def _kept(document: Any) -> Any:
    """A document that can be gone through more than once."""
    if document is None:
        return None
    if _is_labels(document):
        return _kept_labels(document, "key")
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
        "threads": _threads(threads),
    }
    switches = [f"--{name}" for name, on in (("shared-documents", shared_documents), ("strict", strict)) if on]
    comparison = Comparison(reported("compare", switches + _arguments(key, responses, {**given, **options}), []))
    _warn(comparison, quiet)
    return comparison


def _sides(
    first: Mapping[str, Any], others: Mapping[str, Any], what: str
) -> list[tuple[str, list[Document]]] | None:
    """Sides by name that are documents, those of ``first`` first; None where they are other Python objects."""
    if not isinstance(others, Mapping):
        message = f"{what} are a {type(others).__name__}, not a dictionary"
        hint = f"give the documents of each by its name: {what}={{name: documents}}"
        raise InputTypeError(message, code="input", hint=hint)
    named = {f"{what}[{name!r}]": _iterable_once(side) for name, side in others.items()}
    found = _as_documents({**first, **named})
    if found is None:
        return None
    return list(zip([*first, *map(str, others)], found.values()))


def _numbered(
    first: Mapping[str, Any], others: Mapping[str, Any], what: str, span_end: str | None, quiet: bool
) -> tuple[list[tuple[str, list[Document]]], dict[str, Any]]:
    """Sides by name as documents, and the settings that follow; equal mentions of all sides are the same."""
    given = _sides(first, others, what)
    exclusive = _is_exclusive(span_end or "inclusive")
    if given is not None:
        return given, {"span_end": span_end}
    sides = {str(name): _iterable_once(side) for name, side in {**first, **others}.items()}
    if len(sides) < len(first) + len(others):
        message = f"two of {what} have the same name, or that of the key"
        raise InputTypeError(message, code="input", hint="give each a name of its own")
    by_name = {name: side if isinstance(side, Mapping) else {"document": side} for name, side in sides.items()}
    documents = {name: _names(side, name) for name, side in by_name.items()}
    made: dict[str, list[Document]] = {name: [] for name in sides}
    for document in dict.fromkeys(document for side in documents.values() for document in side):
        having = [name for name, side in documents.items() if document in side]
        entities = []
        for name in having:
            side = documents[name][document]
            entities.append((name, _entities(side, name) if _is_labels(side) else side))
        natives, findings = documents_of(document, entities, exclusive)
        _tell(findings, quiet, 4)
        for name, native in zip(having, natives):
            made[name].append(_of(native))
    # There are no words to compare.
    return list(made.items()), {"check_tokens": "no"}


def _refuse_words(options: Mapping[str, Any], given: Sequence[tuple[str, list[Document]]]) -> None:
    """Lists of mentions have neither words nor names of entities."""
    made = all(document.source in dict(given) for _, documents in given for document in documents)
    asked = [name for name in ("match", "scope", "np_only", "remove_nested", "entities") if options.get(name)]
    if made and asked and not (asked == ["match"] and options["match"] == "exact"):
        message = f"`{asked[0]}` asks for what lists of mentions do not say"
        hint = "give documents, which say it: corefeval.read(...), or corefeval.Document(...)"
        raise SettingsError(message, code="settings", hint=hint)


def agree(
    *,
    annotators: Mapping[str, Any],
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    by: Literal["document"] | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    shared_documents: bool = False,
    span_end: _End | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Agreement:
    """How far annotators agree: each scored against each other, and Krippendorff's α, as ``corefeval agree`` has it.

    Args:
        annotators: what each annotated, by the name of the annotator: a list of :class:`Document`, entities by the
            name of the document, or entities or labels of one document, as :func:`corefeval.score` takes them.
        by: ``"document"`` adds α of each document.
        resamples, seed, interval, confidence: of the bootstrap over documents that gives intervals of α.
        shared_documents: compares on the documents that all annotators have, where otherwise one that lacks any is a
            :class:`PairingError`.
        metrics, profile, span_end, strict, quiet, threads, **options: as for :func:`corefeval.score`.

    >>> import corefeval
    >>> ann = {str(number): [["a", "b", "c"], ["d", "e"]] for number in range(30)}
    >>> bob = {name: [["a", "b"], ["c", "d", "e"]] for name in ann}
    >>> agreement = corefeval.agree(annotators={"Ann": ann, "Bob": bob}, metrics="muc")
    >>> round(agreement["passonneau"]["alpha"], 3)
    0.595
    """
    _known(options)
    given, settings = _numbered({}, annotators, "annotators", span_end, quiet)
    if "check_tokens" in settings:
        _refuse_words(options, given)
    common: dict[str, Any] = {
        "metrics": _list(metrics),
        "profile": profile,
        "by": by,
        "resamples": resamples,
        "seed": seed,
        "interval": interval,
        "confidence": confidence,
        "shared_documents": shared_documents,
        "strict": strict,
        "threads": _threads(threads),
    }
    agreement = Agreement(_report_on("agree", given, {**common, **settings, **options}, len(given)))
    _warn(agreement, quiet)
    return agreement


def agree_files(
    *,
    annotators: Sequence[Path] | Mapping[str, Path],
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    format: str | None = None,
    by: Literal["document"] | None = None,
    settings: str | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    shared_documents: bool = False,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Agreement:
    """How far annotators agree, as ``corefeval agree`` says of the same files.

    ``annotators`` are paths, or a dictionary of paths by the name of the annotator; the rest is as for :func:`agree`
    and :func:`corefeval.score_files`.

    >>> import corefeval
    >>> paths = ["examples/key.conll", "examples/alder.conll"]
    >>> agreement = corefeval.agree_files(annotators=paths, quiet=True)
    >>> round(agreement["masi"]["alpha"], 3)
    0.794
    """
    _known(options)
    given: dict[str, Any] = {
        "metrics": _list(metrics),
        "profile": profile,
        "format": format,
        "by": by,
        "settings": settings,
        "resamples": resamples,
        "seed": seed,
        "interval": interval,
        "confidence": confidence,
        "shared_documents": shared_documents,
        "strict": strict,
        "threads": _threads(threads),
    }
    agreement = Agreement(reported("agree", _arguments(None, annotators, {**given, **options}), []))
    _warn(agreement, quiet)
    return agreement


def correlate(
    *,
    x: str,
    y: str,
    key: Any,
    responses: Mapping[str, Any],
    over: str | Iterable[str] | None = None,
    profile: str | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    shared_documents: bool = False,
    span_end: _End | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Correlation:
    """How two metrics go together over documents, systems and entities, as ``corefeval correlate`` has it.

    Args:
        x, y: the two metrics.
        key, responses: as for :func:`compare`.
        over: what the points are: ``documents``, ``pooled``, ``systems``, ``entities``, joined by commas or as a list;
            by default all that are possible.
        resamples, seed, interval, confidence: of the bootstrap that gives intervals.
        shared_documents: takes the documents that all systems have.
        profile, span_end, strict, quiet, threads, **options: as for :func:`corefeval.score`.

    >>> import corefeval
    >>> key = {str(number): [[0, 1, 2, 3], [4, 5, 6]] for number in range(30)}
    >>> found = {name: [list(range(int(name) % 5)), [4, 5]] for name in key}
    >>> correlation = corefeval.correlate(x="muc", y="lea", key=key, responses={"a": found}, quiet=True)
    >>> round(correlation["documents"][0]["parts"]["f1"]["spearman"]["value"], 3)
    0.975
    """
    _known(options)
    given, settings = _numbered({"key": key}, responses, "responses", span_end, quiet)
    if "check_tokens" in settings:
        _refuse_words(options, given)
    common: dict[str, Any] = {
        "x": x,
        "y": y,
        "over": _list(over),
        "profile": profile,
        "resamples": resamples,
        "seed": seed,
        "interval": interval,
        "confidence": confidence,
        "shared_documents": shared_documents,
        "strict": strict,
        "threads": _threads(threads),
    }
    correlation = Correlation(_report_on("correlate", given, {**common, **settings, **options}, len(given)))
    _warn(correlation, quiet)
    return correlation


def correlate_files(
    *,
    x: str,
    y: str,
    key: Path,
    responses: Sequence[Path] | Mapping[str, Path],
    over: str | Iterable[str] | None = None,
    profile: str | None = None,
    format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    settings: str | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    shared_documents: bool = False,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Correlation:
    """How two metrics go together, as ``corefeval correlate`` says of the same files.

    ``responses`` are paths, or a dictionary of paths by the name of the system; the rest is as for :func:`correlate`
    and :func:`corefeval.score_files`.

    >>> import corefeval
    >>> paths = [f"examples/{name}.conll" for name in ("alder", "birch", "cedar")]
    >>> correlation = corefeval.correlate_files(
    ...     x="muc", y="lea", key="examples/key.conll", responses=paths, over="pooled", quiet=True
    ... )
    >>> correlation["pooled"][0]["parts"]["f1"]["points"]
    9
    """
    _known(options)
    given: dict[str, Any] = {
        "x": x,
        "y": y,
        "over": _list(over),
        "profile": profile,
        "format": format,
        "key_format": key_format,
        "response_format": response_format,
        "settings": settings,
        "resamples": resamples,
        "seed": seed,
        "interval": interval,
        "confidence": confidence,
        "shared_documents": shared_documents,
        "strict": strict,
        "threads": _threads(threads),
    }
    correlation = Correlation(reported("correlate", _arguments(key, responses, {**given, **options}), []))
    _warn(correlation, quiet)
    return correlation


def cone(
    *,
    key: Any = None,
    responses: Any,
    annotated: Any = None,
    heuristics: str | Iterable[str] | None = None,
    without: str | Iterable[str] | None = None,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    by: str | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Report | ConeCheck:
    """Scores named mentions (CONE), with a key or with one made from the names of the text, as ``corefeval cone`` does.

    Which mentions are named the words or their types say, so that key and responses are documents.

    Args:
        key: documents; None makes the key from the names.
        responses: documents of one system, or a dictionary of the documents of each system by its name.
        annotated: a key of some of the documents, where ``key`` is None: says how far scores on the key made from
            names are from those on it.
        heuristics, without: what names are clustered by, where ``key`` is None, or what not.
        metrics, profile, by, strict, quiet, threads, **options: as for :func:`corefeval.score`.
        resamples, seed, interval, confidence: of the interval of the discrepancy.

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
    _known(options)
    if key is not None and annotated is not None:
        message = "an annotated key is held against one made from names, and there is a key"
        raise SettingsError(message, code="settings", hint="pass annotated without key, or key alone")
    if key is not None and (heuristics is not None or without is not None):
        message = "heuristics cluster the names that a key is made from, and there is a key"
        raise SettingsError(message, code="settings", hint="leave out the heuristics, or the key")
    named = responses if isinstance(responses, Mapping) else {"response": responses}
    first = {} if key is None else {"key": _iterable_once(key)}
    last = {} if annotated is None else {"annotated": _iterable_once(annotated)}
    given = _sides(first, {**named, **last}, "responses")
    if given is None:
        message = "which mentions are named the words say, and lists of mentions have none"
        hint = "give documents: corefeval.read(...), or corefeval.Document(...) with tokens or types of mentions"
        raise InputTypeError(message, code="input", hint=hint)
    common: dict[str, Any] = {
        "key_approximate": key is None,
        "annotated": None if annotated is None else "given",
        "heuristics": _list(heuristics),
        "without": _list(without),
        "metrics": _list(metrics),
        "profile": profile,
        "by": by,
        "resamples": resamples,
        "seed": seed,
        "interval": interval,
        "confidence": confidence,
        "strict": strict,
        "threads": _threads(threads),
    }
    places = len(given) - len(last)
    report = _of_cone(_report_on("cone", given, {**common, **options}, places), annotated is not None)
    _warn(report, quiet)
    return report


def cone_files(
    *,
    key: Path | None = None,
    responses: Path | Sequence[Path] | Mapping[str, Path],
    annotated: Path | None = None,
    heuristics: str | Iterable[str] | None = None,
    without: str | Iterable[str] | None = None,
    ne_labels: Path | None = None,
    write_key: Path | None = None,
    write_format: str | None = None,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    by: str | None = None,
    settings: str | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Report | ConeCheck:
    """Scores named mentions (CONE) as ``corefeval cone`` does of the same files.

    ``ne_labels`` is a file of named-entity labels; ``write_key`` is where the key made from names goes, in
    ``write_format``. The rest is as for :func:`cone` and :func:`corefeval.score_files`.

    >>> import corefeval
    >>> report = corefeval.cone_files(responses="examples/alder.conll", quiet=True)
    >>> f"{report['cone_b_cubed'].f1:.3f}"
    '0.923'
    """
    _known(options)
    paths = {"annotated": annotated, "ne_labels": ne_labels, "write_key": write_key}
    given: dict[str, Any] = {
        **{name: None if path is None else _path(path, name) for name, path in paths.items()},
        "key_approximate": key is None,
        "heuristics": _list(heuristics),
        "without": _list(without),
        "write_format": write_format,
        "metrics": _list(metrics),
        "profile": profile,
        "format": format,
        "key_format": key_format,
        "response_format": response_format,
        "by": by,
        "settings": settings,
        "resamples": resamples,
        "seed": seed,
        "interval": interval,
        "confidence": confidence,
        "strict": strict,
        "threads": _threads(threads),
    }
    arguments = _arguments(key, responses, {**given, **options})
    report = _of_cone(reported("cone", arguments, []), annotated is not None)
    _warn(report, quiet)
    return report


def _of_cone(native: Any, checked: bool) -> Report | ConeCheck:
    return ConeCheck(native) if checked else Report(native)
