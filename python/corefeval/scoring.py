"""Scoring: Python objects, files, and documents one after another."""

from __future__ import annotations

import os
import warnings as _warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Union

from ._corefeval import Documents, Rendered, check_settings, list_options, reported
from .documents import Document, _documents, _is_exclusive, _iterable_once
from .errors import CorefevalWarning, InputTypeError, InputValueError, SettingsError
from .labels import Labels, _entities, _is_labels, _numbers
from .report import Report, _Rendered

__all__ = ["Scorer", "score", "score_files"]

#: Entities of a document: lists of mentions, which may be any hashable objects.
Entities = Iterable[Iterable[Hashable]]

#: A file, or for Python objects a document or documents by name.
Path = Union[str, "os.PathLike[str]"]

_Keep = Literal["keep", "drop"]


def _add(documents: Documents, name: str | None, key: Any, response: Any) -> None:
    """Adds a document of entities or labels."""
    # Labels of named mentions are entities.
    if isinstance(key, Labels) and key.mentions is not None:
        key = _entities(key, "key")
    if isinstance(response, Labels) and response.mentions is not None:
        response = _entities(response, "response")
    kinds = (_is_labels(key), _is_labels(response))
    if kinds == (False, False):
        return documents.add(name, key, response)
    if key is None or response is None:
        # What one side has are mentions without counterpart.
        return documents.add(
            name,
            None if key is None else _entities(key, "key"),
            None if response is None else _entities(response, "response"),
        )
    if kinds != (True, True):
        labelled, other = ("key", "response") if kinds[0] else ("response", "key")
        message = f"{labelled} is labels of mentions, and {other} is entities"
        hint = "give both as entities, or name the mentions of the labels: Labels(labels, mentions)"
        raise InputTypeError(message, code="input", hint=hint)
    labels = [side.values if isinstance(side, Labels) else side for side in (key, response)]
    documents.add_labels(name, _numbers(labels[0], "key"), _numbers(labels[1], "response"))


def _add_all(documents: Documents, key: Any, response: Any) -> None:
    """Adds one document, or those of dictionaries by name."""
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
        message = f"{many} is documents by name, and {one} is a {type(response if kinds[0] else key).__name__}"
        hint = "give both as dictionaries of documents, or both as one document"
        raise InputTypeError(message, code="input", hint=hint)
    names = [_names(side, name) for side, name in ((key, "key"), (response, "response"))]
    for name, document in names[0].items():
        _add(documents, name, document, names[1].get(name))
    for name, document in names[1].items():
        if name not in names[0]:
            _add(documents, name, None, document)


def _names(documents: Mapping[Any, Any], side: str) -> dict[str, Any]:
    """Documents by the text of their names."""
    named: dict[str, Any] = {}
    for name, document in documents.items():
        if document is None:
            hint = "leave out a document that this side lacks; one without entities is []"
            raise InputTypeError(f"{side}[{name!r}] is None", code="input", hint=hint)
        if str(name) in named:
            hint = "give each document a name of its own, as a string"
            raise InputValueError(f"{side} has two documents called `{name}`", code="input", hint=hint)
        named[str(name)] = document
    return named


def _list(metrics: str | Iterable[str] | None) -> str | None:
    """Metrics as the command takes them."""
    if metrics is None or isinstance(metrics, str):
        return metrics
    given = list(metrics)
    for metric in given:
        if not isinstance(metric, str):
            hint = 'metrics are names: metrics=["muc", "lea"], or metrics="all"'
            raise InputTypeError(f"the metric {metric!r} is no string", code="input", hint=hint)
    return ",".join(given)


def _threads(threads: int | None) -> int | None:
    """How many threads at most."""
    if threads is None:
        return None
    if not isinstance(threads, int) or isinstance(threads, bool):
        raise InputTypeError(f"threads is {threads!r}, not a number", code="input", hint="threads=2, or leave it out")
    if not 1 <= threads <= 1 << 16:
        raise SettingsError(f"{threads} is no number of threads", code="settings", hint="there is one at least")
    return threads


def _choices(given: Mapping[str, str | bool | None]) -> list[tuple[str, str]]:
    """The choices that were given, as the library spells them."""
    spelt = {True: "yes", False: "no"}
    return [
        (name.replace("_", "-"), spelt[value] if isinstance(value, bool) else str(value))
        for name, value in given.items()
        if value is not None
    ]


def _warn(report: _Rendered, quiet: bool, level: int = 3) -> None:
    """Tells what was noticed, as the command does on standard error."""
    if not quiet:
        for finding in report.warnings:
            _warnings.warn(str(finding), CorefevalWarning, stacklevel=level)


def _as_documents(sides: Mapping[str, Any]) -> dict[str, list[Document]] | None:
    """The sides as documents, where they are such, or None where they are other Python objects."""
    found = {name: _documents(side) for name, side in sides.items()}
    if all(documents is None for documents in found.values()):
        return None
    ours = next(name for name, documents in found.items() if documents is not None)
    for name, side in sides.items():
        # No documents at all are documents too.
        if found[name] is None and not (isinstance(side, (list, tuple)) and not side):
            message = f"{ours} is documents, and {name} is a {type(side).__name__} of other objects"
            hint = "put entities into the document they are of: document.with_entities(entities)"
            raise InputTypeError(message, code="input", hint=hint)
    return {name: documents or [] for name, documents in found.items()}


def _report_on(
    subcommand: str, given: Sequence[tuple[str, list[Document]]], options: Mapping[str, Any], places: int
) -> Rendered:
    """What a subcommand of the command reports on documents, of which as many as ``places`` are arguments."""
    paths = [f"given{place}" for place in range(places)]
    arguments = _arguments(None, paths, options)
    return reported(subcommand, arguments, [(name, [d._native for d in documents]) for name, documents in given])


def score(
    *,
    key: Any,
    response: Any,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    match: str | None = None,
    singletons: _Keep | None = None,
    duplicates: Literal["first", "last", "distinct"] | None = None,
    scope: Literal["document", "topic", "corpus"] | None = None,
    blanc: Literal["key", "either"] | None = None,
    ceaf_singletons: Literal["both", "key-only"] | None = None,
    average: Literal["micro", "macro", "mentions"] | None = None,
    by: str | None = None,
    name: str = "response",
    span_end: Literal["inclusive", "exclusive"] | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Report:
    """Scores a response against a key, both given as Python objects.

    Key and response are of one kind:

    - **entities** of one document: lists of lists of mentions. A mention is any hashable object, as a rule a span
      ``(first, last)``; equal mentions are the same mention. Ends may be inclusive or not, alike on both sides.
    - **labels** of one document: an array of NumPy, pandas, polars or Arrow, or any buffer, of integers or strings;
      the i-th label says which entity the i-th mention belongs to. See :class:`Labels` for lists.
    - **documents by name**: a dictionary whose values are either. Counts are summed over documents, as the field
      does; a document that one side lacks is counted and told.
    - **documents**: a :class:`Document` or a list of them, read from files or made. They are scored as their files
      are, by every rule, with the profile of their format.

    Args:
        key: the annotation that counts as right.
        response: the annotation to score.
        metrics: names, joined by commas or as a list, or ``"all"``; by default those of the profile.
        profile: whose rules apply, as ``corefeval list profiles`` has them; by default that of the format, for lists
            of mentions ``conll``, the reference scorer.
        match: when two mentions are the same; ``"exact"`` by default. Of lists of mentions ``"craft"`` looks at the
            words of spans; what looks at heads or at a parse needs documents.
        singletons: whether entities of one mention are scored, or left out on both sides.
        duplicates: which copy counts of a mention that a side has more than once.
        scope: within what entities are compared; ``"topic"`` and ``"corpus"`` need documents, whose entities have
            names by which documents share them.
        blanc: which halves of BLANC count.
        ceaf_singletons: whose singletons CEAF φ4 sees.
        average: how documents add up.
        by: adds scores by group: ``"document"``, ``"genre"`` and what else ``corefeval score --help`` has.
        name: what the response is called in the report.
        span_end: ``"exclusive"`` where the second number of pairs is one past the last word; it matters where
            ``match`` looks at words.
        strict: makes every warning a :class:`StrictError`.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        threads: how many at most; the result does not depend on it. The interpreter lock is not held.
        **options: every other choice of ``corefeval list options``, spelt with ``_``: ``zeros="drop"``,
            ``check_tokens="no"``, ``np_only=True``.

    Returns:
        A :class:`Report`.

    Raises:
        InputTypeError, InputValueError: objects that cannot be entities, mentions or labels, with their place. What
            an iterator raises passes through as it is.
        PairingError: documents, none of which both sides have.
        SettingsError: settings that contradict each other, do not exist, or ask for what the objects do not say.

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
    _known(options)
    choices = {
        "match": match,
        "singletons": singletons,
        "duplicates": duplicates,
        "scope": scope,
        "blanc": blanc,
        "ceaf_singletons": ceaf_singletons,
        "average": average,
        "span_end": span_end,
        **options,
    }
    key, response = _iterable_once(key), _iterable_once(response)
    given = _as_documents({"key": key, "response": response})
    if given is not None:
        common = {"metrics": _list(metrics), "profile": profile, "by": by, "threads": _threads(threads), "strict": strict or None}
        sides = [("key", given["key"]), (str(name), given["response"])]
        report = Report(_report_on("score", sides, {**common, **choices}, 2))
    else:
        documents = Documents(_is_exclusive(span_end or "inclusive"))
        _add_all(documents, key, response)
        report = Report(
            documents.score(
                name=name,
                profile=profile,
                metrics=_list(metrics),
                choices=_choices(choices),
                by=by,
                strict=strict,
                threads=_threads(threads),
            )
        )
    _warn(report, quiet)
    return report


def _path(path: Path, side: str) -> str:
    try:
        return os.fsdecode(os.fspath(path))
    except TypeError as error:
        hint = "give the name of a file or directory; Python objects go to corefeval.score"
        message = f"{side} is a {type(path).__name__}, not a path"
        raise InputTypeError(message, code="input", hint=hint) from error


def _arguments(
    key: Path | None,
    responses: Path | Sequence[Path] | Mapping[str, Path] | None,
    options: Mapping[str, Any],
) -> list[str]:
    """Keywords as the arguments of the command."""
    flags = {name for name, _, flag in list_options() if flag}
    switches = {"strict", "shared-documents", "key-approximate"}
    arguments = []
    for name, value in options.items():
        option = name.replace("_", "-")
        if value is None or value in (False, "no") and option in flags | switches:
            continue
        if value in (True, "yes") and option in flags | switches:
            arguments.append(f"--{option}")
        elif isinstance(value, bool):
            arguments.append(f"--{option}={'yes' if value else 'no'}")
        else:
            arguments.append(f"--{option}={value}")
    arguments.append("--")
    if key is not None:
        arguments.append(_path(key, "key"))
    if isinstance(responses, Mapping):
        arguments += [f"{name}={_path(path, 'response')}" for name, path in responses.items()]
    elif isinstance(responses, (str, os.PathLike)):
        arguments.append(_path(responses, "response"))
    elif responses is not None:
        try:
            arguments += [_path(path, "response") for path in responses]
        except TypeError as error:
            if isinstance(error, InputTypeError):
                raise
            message = f"response is a {type(responses).__name__}, not a path"
            hint = "give the name of a file or directory, a list, or a dictionary of systems by name"
            raise InputTypeError(message, code="input", hint=hint) from error
    return arguments


def score_files(
    *,
    key: Path | None = None,
    response: Path | Sequence[Path] | Mapping[str, Path] | None = None,
    pairs: Iterable[tuple[Path, Path]] | None = None,
    metrics: str | Iterable[str] | None = None,
    profile: str | None = None,
    format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    by: str | None = None,
    settings: str | None = None,
    ace_parameters: Path | None = None,
    strict: bool = False,
    quiet: bool = False,
    threads: int | None = None,
    **options: str | bool | None,
) -> Report:
    """Scores files as ``corefeval score`` does, with the same figures.

    Args:
        key: a file or a directory of files, plain or compressed.
        response: the same, or several: a list of paths, or a dictionary of paths by the name of the system.
        pairs: pairs of a key and a response file, instead of both, each scored alone; then their macro average.
        metrics: names, joined by commas or as a list, or ``"all"``; by default those of the profile.
        profile: whose rules apply, as ``corefeval list profiles`` has them; by default that of the format.
        format: the format of both sides; by default it is told from the file.
        key_format, response_format: the format of one side.
        by: adds scores by group: ``"document"``, ``"genre"`` and what else ``corefeval score --help`` has.
        settings: the signature of an earlier report, whose settings are taken.
        ace_parameters: a file with parameters of ACE-value that differ.
        strict: makes every warning a :class:`StrictError`.
        quiet: issues no :class:`CorefevalWarning`; the report has them all the same.
        threads: how many at most; the result does not depend on it. The interpreter lock is not held.
        **options: every choice of ``corefeval list options``, spelt with ``_``: ``match="head"``,
            ``singletons="drop"``, ``check_tokens="no"``, ``pair_files=True``.

    Raises:
        ReadError, FormatError, PairingError: with ``file``, ``line`` and ``column`` where they are known.
        SettingsError: settings that contradict each other or do not exist.

    >>> import corefeval
    >>> report = corefeval.score_files(key="examples/key.conll", response="examples/alder.conll")
    >>> f"{report['lea'].f1:.4f}"
    '0.8254'
    """
    given: dict[str, Any] = {
        "metrics": _list(metrics),
        "profile": profile,
        "format": format,
        "key_format": key_format,
        "response_format": response_format,
        "by": by,
        "settings": settings,
        "ace_parameters": None if ace_parameters is None else _path(ace_parameters, "ace_parameters"),
        "strict": strict or None,
        "threads": _threads(threads),
    }
    _known(options)
    arguments = _arguments(key, response, {**given, **options})
    paired = [] if pairs is None else [[_path(ours, "key"), _path(theirs, "response")] for ours, theirs in pairs]
    arguments = [part for pair in paired for part in ("--pair", *pair)] + arguments
    report = Report(reported("score", arguments, []))
    _warn(report, quiet)
    return report


def _known(options: Mapping[str, Any]) -> None:
    """Refuses keywords that are no choice of the settings."""
    import difflib

    known = [name.replace("-", "_") for name, _, _ in list_options()]
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else "see `corefeval list options`"
            raise SettingsError(f"there is no option `{name}`", code="settings", hint=hint)


class Scorer:
    """Scores documents that come one after another, in a training loop or on several processes.

    Takes the keywords of :func:`score`. Documents are kept as numbers, so that merging is exact and the report does
    not depend on how they were spread; a scorer can be pickled and sent to another process.

    >>> import corefeval
    >>> scorer = corefeval.Scorer(metrics="muc,b_cubed")
    >>> scorer.update(key=[["a", "b", "c"]], response=[["a", "b"]])
    >>> scorer.update(key=[["d", "e"]], response=[["d", "e"]])
    >>> len(scorer), round(scorer.report()["muc"].recall, 4)
    (2, 0.6667)
    """

    def __init__(
        self,
        *,
        metrics: str | Iterable[str] | None = None,
        profile: str | None = None,
        match: str | None = None,
        singletons: _Keep | None = None,
        duplicates: Literal["first", "last", "distinct"] | None = None,
        scope: Literal["document", "topic", "corpus"] | None = None,
        blanc: Literal["key", "either"] | None = None,
        ceaf_singletons: Literal["both", "key-only"] | None = None,
        average: Literal["micro", "macro", "mentions"] | None = None,
        name: str = "response",
        span_end: Literal["inclusive", "exclusive"] | None = None,
        strict: bool = False,
        quiet: bool = False,
        threads: int | None = None,
        **options: str | bool | None,
    ) -> None:
        _known(options)
        choices = {
            "match": match,
            "singletons": singletons,
            "duplicates": duplicates,
            "scope": scope,
            "blanc": blanc,
            "ceaf_singletons": ceaf_singletons,
            "average": average,
            "span_end": span_end,
            **options,
        }
        self._exclusive = _is_exclusive(span_end or "inclusive")
        self._quiet = quiet
        self._settings: dict[str, Any] = {
            "name": str(name),
            "profile": profile,
            "metrics": _list(metrics),
            "choices": _choices(choices),
            "strict": strict,
            "threads": _threads(threads),
        }
        self._documents = Documents(self._exclusive)
        self._key: list[Document] = []
        self._response: list[Document] = []
        # What is wrong with the settings is said here, and not after an epoch.
        check_settings(profile, self._settings["metrics"], self._settings["choices"])

    def _score(self, documents: Documents, **others: Any) -> Rendered:
        return documents.score(**{**self._settings, **others})

    def update(self, *, key: Any, response: Any, doc_id: str | None = None) -> None:
        """Adds a document, or several: what ``key`` and ``response`` of :func:`score` can be.

        ``doc_id`` names one document in scores by document; without, documents are numbered as they come. Where
        this raises an error nothing is added.
        """
        key, response = _iterable_once(key), _iterable_once(response)
        given = _as_documents({"key": key, "response": response})
        if given is None and not len(self._documents):
            # That lists of mentions cannot be scored so is said at the first of them.
            self._score(Documents(), by=None, strict=False)
        if (given is not None and len(self._documents)) or (given is None and (self._key or self._response)):
            message = "the scorer has documents of both kinds: of corefeval.Document, and of lists of mentions"
            raise InputTypeError(message, code="input", hint="use a scorer for each")
        if given is not None:
            if doc_id is not None:
                message = "documents have names, and doc_id is another"
                raise InputTypeError(message, code="input", hint="leave out doc_id")
            for side, added in ((self._key, given["key"]), (self._response, given["response"])):
                names = {document.id for document in side}
                for document in added:
                    if document.id in names:
                        message = f"there are two documents called `{document.id}`"
                        hint = "give each document a name of its own"
                        raise InputValueError(message, code="input", hint=hint)
                    names.add(document.id)
            self._key = self._key + given["key"]
            self._response = self._response + given["response"]
        elif isinstance(key, Mapping) and doc_id is None:
            # All of them or none.
            documents = Documents(self._exclusive)
            _add_all(documents, key, response)
            self._documents.merge(documents)
        elif doc_id is None:
            _add_all(self._documents, key, response)
        elif isinstance(key, Mapping) or isinstance(response, Mapping):
            message = "documents by name have names, and doc_id is another"
            raise InputTypeError(message, code="input", hint="leave out doc_id")
        else:
            _add_all_named(self._documents, str(doc_id), key, response)

    def merge(self, other: Scorer) -> None:
        """Adds the documents of another scorer with the same settings."""
        if not isinstance(other, Scorer):
            message = f"a {type(other).__name__} is no Scorer"
            raise InputTypeError(message, code="input", hint="merge scorers with scorers")
        if other is self:
            message = "a scorer cannot be merged with itself: it would have every document twice"
            raise InputValueError(message, code="input", hint="merge scorers that saw different documents")
        if {**other._settings, "threads": 0} != {**self._settings, "threads": 0}:
            message = "the scorers have different settings"
            raise SettingsError(message, code="settings", hint="make them with the same keywords")
        if (len(self._documents) or len(other._documents)) and (self._key or other._key):
            message = "one scorer has documents of corefeval.Document, the other lists of mentions"
            raise InputTypeError(message, code="input", hint="use a scorer for each")
        twice = {document.id for document in self._key} & {document.id for document in other._key}
        if twice:
            message = f"there are two documents called `{min(twice)}`"
            raise InputValueError(message, code="input", hint="merge scorers that saw different documents")
        self._documents.merge(other._documents)
        self._key, self._response = self._key + other._key, self._response + other._response

    def report(self, *, by: str | None = None) -> Report:
        """The scores of all documents so far; ``by`` adds those of groups, as for :func:`score`."""
        if not len(self):
            hint = "call update first"
            raise InputValueError("there is no document to score", code="input", hint=hint)
        if self._key:
            settings = self._settings
            common = {name: settings[name] for name in ("metrics", "profile", "threads")}
            options = {**common, **dict(settings["choices"]), "by": by, "strict": settings["strict"] or None}
            sides = [("key", self._key), (settings["name"], self._response)]
            report = Report(_report_on("score", sides, options, 2))
        else:
            report = Report(self._score(self._documents, by=by))
        _warn(report, self._quiet)
        return report

    def _names(self) -> list[str]:
        """The names of the documents that have one that was given."""
        return self._documents.given_names() + [document.id for document in self._key]

    def reset(self) -> None:
        """Forgets all documents, and keeps the settings."""
        self._documents = Documents(self._exclusive)
        self._key, self._response = [], []

    def __len__(self) -> int:
        """How many documents the key has."""
        return len(self._documents) + len(self._key)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, f"_{name}") for name in ("settings", "quiet", "exclusive", "key", "response")}
        return {**state, "documents": self._documents.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ("settings", "quiet", "exclusive", "key", "response"):
            setattr(self, f"_{name}", state[name])
        self._documents = Documents.from_state(*state["documents"])

    def __repr__(self) -> str:
        return f"<corefeval.Scorer of {len(self)} documents>"


def _add_all_named(documents: Documents, name: str, key: Any, response: Any) -> None:
    for side, label in ((key, "key"), (response, "response")):
        if side is None:
            hint = "entities are lists of mentions; a response without any is []"
            raise InputTypeError(f"{label} is None", code="input", hint=hint)
    _add(documents, name, key, response)
