"""The sides of an evaluation as Python objects (lists of mentions, labels or documents), and reports on them."""

from __future__ import annotations

import os
import warnings as _warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ._corefeval import Rendered, check_lists, documents_of, reported
from ._keywords import as_values, of_lists, paths, text
from ._options import Path
from .documents import Document, _documents, _exclusive_of, _iterable_once, _of, _single_ends, _warn
from .exceptions import CorefevalWarning, InputTypeError, InputValueError, SettingsError, _in_document
from .labels import Labels, _entities, _is_labels
from .report import _Rendered

_Kind = TypeVar("_Kind", bound=_Rendered)


def entities_of(sides: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the sides of a document as entities; sides can also be labels."""
    unnamed = [name for name, side in sides.items() if is_unnamed(side)]
    if unnamed and len(unnamed) < len(sides):
        other = next(name for name in sides if name not in unnamed)
        message = f"{unnamed[0]} is labels of mentions, but {other} is entities"
        hint = "give both as entities, or name the mentions of the labels: Labels(labels, mentions)"
        raise InputTypeError(message, code="input", hint=hint)
    made = {name: _entities(side, name) if _is_labels(side) else side for name, side in sides.items()}
    counts = {name: sum(map(len, made[name])) for name in unnamed}
    for name, count in counts.items():
        if count != counts[unnamed[0]]:
            message = f"{unnamed[0]} has {counts[unnamed[0]]} labels and {name} {count}"
            hint = "labels belong to the same mentions in the same order; else pass Labels(labels, mentions)"
            raise InputValueError(message, code="input", hint=hint)
    for name, side in made.items():
        _refuse_spans(side, name)
    return made


def is_unnamed(side: Any) -> bool:
    """Returns whether a side consists of labels of mentions without names."""
    return _is_labels(side) and not (isinstance(side, Labels) and side.mentions is not None)


def _refuse_spans(side: Any, name: str) -> None:
    """Raises an error if an entity is a pair of integers and all other entities are pairs or contain pairs: nearly always,
    that pair is a span."""
    # Such mistakes affect the first entities; checking many entities would take as long as reading them.
    if not isinstance(side, (list, tuple)) or tuple not in map(type, side[:_EXAMINED]):
        return
    spans = [place for place, entity in enumerate(side) if type(entity) is tuple and _is_span(entity)]
    if not spans:
        return
    others = (entity for entity in side if isinstance(entity, (list, tuple)) and not _is_span(entity))
    firsts = (entity[0] for entity in others if entity)
    if len(spans) == len(side) or any(type(first) is tuple and _is_span(first) for first in firsts):
        message = f"{name}[{spans[0]}] is a pair of integers, not an entity"
        hint = "put spans into entities: [[(0, 1), (4, 4)]]; entities of integers are lists: [[0, 1], [4, 4]]"
        raise InputValueError(message, code="input", hint=hint)


#: The number of entities to examine first.
_EXAMINED = 64


def _is_span(value: Any) -> bool:
    return len(value) == 2 and type(value[0]) is int and type(value[1]) is int


def by_text(documents: Mapping[Any, Any], side: str) -> dict[str, Any]:
    """Returns documents by their names as text."""
    named: dict[str, Any] = {}
    for name, document in documents.items():
        if document is None:
            hint = "leave out a document that this side lacks; one without entities is []"
            raise InputTypeError(f"{side}[{name!r}] is None", code="input", hint=hint)
        if isinstance(document, (list, tuple)) and _documents(document):
            message = f"{side}[{name!r}] is documents, but a dictionary maps names of documents to their entities"
            hint = f"documents already have names: {side}=documents"
            several = "; several systems are responses={name: documents}" if side == "response" else ""
            raise InputTypeError(message, code="input", hint=hint + several)
        if text(str(name), f"the name of a document of {side}") in named:
            hint = "give each document a unique name, as a string"
            raise InputValueError(f"{side}: two documents are called `{name}`", code="input", hint=hint)
        named[str(name)] = document
    return named


def warn(report: _Rendered, quiet: bool, level: int = 3) -> None:
    """Issues the warnings of a report."""
    if not quiet:
        for message in report._messages():
            _warnings.warn(message, CorefevalWarning, stacklevel=level)


def as_documents(sides: Sequence[tuple[str, Any]], options: Mapping[str, Any]) -> list[list[Document]] | None:
    """Returns the sides as documents if one of them is documents, or None if all are other Python objects. Entities get
    the words of the documents."""
    found = [_documents(side) for _, side in sides]
    if not found:
        return []
    if all(documents is None for documents in found):
        return None
    _refuse_idle_ends([(name, documents) for (name, _), documents in zip(sides, found)], options)
    names = [name for name, _ in sides]
    exclusive = _exclusive_of(options, names, has_key=names[:1] == ["key"])
    ours, known = next((name, documents) for (name, _), documents in zip(sides, found) if documents is not None)
    return [
        _beside(known, ours, side, name, "exclusive" if ends else "inclusive") if documents is None else documents
        for (name, side), documents, ends in zip(sides, found, exclusive)
    ]


#: The two sides; systems and annotators are responses.
_SIDES = ("key", "response")


def _side(name: str) -> str:
    return _SIDES[name != "key"]


def _refuse_idle_ends(sides: Sequence[tuple[str, list[Document] | None]], options: Mapping[str, Any]) -> None:
    """Rejects options about spans if the documents already exist and were read without these options."""
    known = {name for name, documents in sides if documents is not None}
    single = next((name for name in _single_ends(options) if name in known), None)
    if single is not None:
        message = f"span_end_of sets how pairs of numbers are read, but `{single}` is documents, which already have their spans"
        hint = 'set it when they are made: corefeval.Document(..., span_end="exclusive"), or read'
        raise SettingsError(message, code="settings", hint=hint)
    for option in ("span_end", "key_span_end", "response_span_end"):
        concerned = [documents for name, documents in sides if option in ("span_end", f"{_side(name)}_span_end")]
        read = (option in document._reading for documents in concerned for document in documents or ())
        if options.get(option) in (None, "both") or None in concerned or any(read):
            continue
        message = f"{option} sets how pairs of numbers are read, but documents already have their spans"
        hint = f'set it when they are made: corefeval.Document(..., span_end="{options[option]}"), or read'
        raise SettingsError(message, code="settings", hint=hint)


def _beside(known: list[Document], ours: str, side: Any, name: str, span_end: Any) -> list[Document]:
    """Returns entities as documents with the words of ``known`` documents, found by id or name, or of the only document."""
    if isinstance(side, (list, tuple)) and not side:
        # An empty list can be documents too.
        return []
    if isinstance(side, Mapping):
        documents = {document.name: document for document in known if not document.part}
        documents.update((document.id, document) for document in known)
        made = []
        for id, entities in by_text(side, name).items():
            with _in_document(id):
                made.append(_with_words(documents.get(id), id, entities, f"{name}[{id!r}]", span_end))
        return made
    if len(known) == 1:
        return [_with_words(known[0], known[0].id, side, name, span_end)]
    message = f"{ours} is {len(known)} documents, and {name} does not name the document of its entities"
    raise InputTypeError(message, code="input", hint=f"give a dictionary of entities by document: {name}={{id: entities}}")


def _with_words(document: Document | None, id: str, entities: Any, place: str, span_end: Any) -> Document:
    """Returns entities over the words of a document; without words if the document is None."""
    if _is_labels(entities):
        if is_unnamed(entities):
            message = f"{place} is labels of unnamed mentions, but the other side is documents"
            raise InputTypeError(message, code="input", hint="name the mentions: Labels(labels, mentions)")
        entities = _entities(entities, place)
    if document is None:
        return Document(id=id, entities=entities, span_end=span_end)
    nothing: dict[str, Any] = {"split_antecedents": (), "bridges": (), "non_referring": ()}
    return document.with_entities(entities, span_end=span_end, **nothing)


def as_read(options: Mapping[str, Any], documents: Iterable[Document]) -> dict[str, Any]:
    """Returns the options with the reading choices of documents, as in a report on their files."""
    found = dict(options)
    for document in documents:
        for name, value in document._reading.items():
            if found.setdefault(name, value) != value:
                message = f"`{document.id}` was read with {name}={value!r}, and {name}={found[name]!r} is given too"
                hint = "read all documents alike, and leave the option out here"
                raise SettingsError(message, code="settings", hint=hint)
    return found


#: Documents of a side, with its name.
_Documents = tuple[str, list[Document]]


def report_on(
    task: str,
    key: _Documents | None,
    others: Sequence[_Documents],
    options: Mapping[str, Any],
    annotated: _Documents | None = None,
) -> Rendered:
    """Returns the report of a task on the documents of the key, if any, and of each system."""
    sides = [side for side in (key, *others, annotated) if side is not None]
    options = as_values(as_read(options, [document for _, documents in sides for document in documents]))
    first, last = (None if side is None else _native(side) for side in (key, annotated))
    return reported(task, options, first, [_native(side) for side in others], annotated=last)


def _native(side: _Documents) -> tuple[str, list[Any]]:
    name, documents = side
    return name, [document._native for document in documents]


def reported_counts(
    task: str,
    options: Mapping[str, Any],
    tables: Path | Iterable[Path] | Mapping[str, Path],
    others: Mapping[str, Any],
) -> Rendered:
    """Returns the report of a task on tables of counts, one for each system. Other inputs are not allowed."""
    for name, side in others.items():
        if side is not None:
            message = f"tables of counts cannot be combined with {name}"
            raise InputTypeError(message, code="input", hint=f"leave out overlap, or {name}")
    return reported(task, as_values(options), None, [], counts=paths(_iterable_once(tables), "overlap"))


def warned(report: _Kind, quiet: bool, level: int = 4) -> _Kind:
    """Issues the warnings of a report at the call of the public function, and returns the report."""
    warn(report, quiet, level)
    return report


#: Sides by their names.
_Sides = Sequence[tuple[str, Any]]


def _in_order(side: Any) -> Any:
    """Returns entities whose mentions have the same order in every run: sets are sorted. Errors depend on it, scores do not."""

    def ordered(entity: Any) -> Any:
        return sorted(entity, key=repr) if isinstance(entity, (set, frozenset)) else entity

    if isinstance(side, Mapping):
        return {name: _in_order(document) for name, document in side.items()}
    if isinstance(side, (list, tuple)) and any(isinstance(entity, (set, frozenset)) for entity in side):
        return [ordered(entity) for entity in side]
    return side


def report_by_name(
    kind: type[_Kind],
    task: str,
    first: Mapping[str, Any],
    others: Any,
    what: str,
    options: dict[str, Any],
    quiet: bool,
) -> _Kind:
    """Returns the report of a task on sides by name; ``first`` is the key, if any."""
    if not isinstance(others, Mapping):
        message = f"{what} is a {type(others).__name__}, not a dictionary"
        hint = f"give the documents of each by its name: {what}={{name: documents}}"
        raise InputTypeError(message, code="input", hint=hint)
    given = [(name, _iterable_once(side)) for name, side in first.items()] + sides_by_name(others, what)
    sides = documents_by_name(given, options)
    if sides is None:
        if task == "errors":
            given = [(name, _in_order(side)) for name, side in given]
        exclusive = _exclusive_of(options, [name for name, _ in given], has_key=bool(first))
        # Only errors show mentions.
        sides, wordless = _numbered(given, exclusive, quiet, named=task == "errors")
        metrics = f"{options['x']},{options['y']}" if "x" in options else options.get("metrics")
        check_lists(of_lists({**options, **({} if metrics is None else {"metrics": metrics})}), wordless)
    # The library rejects a report on too few sides.
    return warned(kind(report_on(task, sides[0] if sides else None, sides[1:], options)), quiet, 5)


def sides_by_name(sides: Mapping[str, Any], what: str) -> list[tuple[str, Any]]:
    """Returns sides with their names as text."""
    found = {str(name): _iterable_once(side) for name, side in sides.items()}
    if len(found) < len(sides):
        message = f"two of {what} have the same name"
        raise InputTypeError(message, code="input", hint="give each a unique name, as a string")
    return [(text(name, what), side) for name, side in found.items()]


def documents_by_name(given: _Sides, options: Mapping[str, Any]) -> list[tuple[str, list[Document]]] | None:
    """Returns the sides as documents; None if they are other Python objects."""
    found = as_documents(given, options)
    return None if found is None else [(name, documents) for (name, _), documents in zip(given, found)]


def _numbered(
    given: _Sides, exclusive: list[bool], quiet: bool, named: bool
) -> tuple[list[tuple[str, list[Document]]], str | None]:
    """Returns lists of mentions as documents, in which equal mentions of all sides match, and the name of a document with
    unknown words, if any. ``exclusive`` contains for each side whether its ends are exclusive. With ``named``, mentions that
    are not spans have names."""
    one = [(name, side) for name, side in given if not isinstance(side, Mapping)]
    if 0 < len(one) < len(given):
        name, side = one[0]
        message = f"`{name}` is a {type(side).__name__}, and others are documents by name"
        hint = "give all as dictionaries of documents, or all as one document"
        raise InputTypeError(message, code="input", hint=hint)
    documents = [by_text({"document": side} if one else side, name) for name, side in given]
    # A system may have the same name as the key.
    labels = [name if name != given[0][0] or not place else f"{name} ({place})" for place, (name, _) in enumerate(given)]
    made: list[list[Document]] = [[] for _ in given]
    wordless = None
    for document in dict.fromkeys(document for side in documents for document in side):
        with _in_document(None if one else document):
            having = [place for place, side in enumerate(documents) if document in side]
            entities = entities_of({labels[place]: documents[place][document] for place in having})
            with_ends = [(*side, exclusive[place]) for place, side in zip(having, entities.items())]
            natives, findings, objects = documents_of(document, with_ends, named)
        _warn(findings, quiet, 5)
        wordless = document if objects and wordless is None else wordless
        for place, native in zip(having, natives):
            made[place].append(_of(native))
    return [(name, side) for (name, _), side in zip(given, made)], wordless
