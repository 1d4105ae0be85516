"""Documents: what files hold, and what Python objects say beyond lists of mentions.

>>> import corefeval
>>> document = corefeval.read("examples/key.conll", format="conll")[0]
>>> document.id, len(document.tokens), len(document.entities)
('news/ferry_line; part 000', 176, 20)
>>> document.text(document.entities[0][0])
'The Hamre Line'
"""

from __future__ import annotations

import html
import os
import warnings as _warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Union, overload

from ._corefeval import Document as _Native
from ._corefeval import read as _read
from ._corefeval import write as _write
from .errors import CorefevalWarning, InputTypeError, InputValueError, ReadError, SettingsError
from .report import Finding

__all__ = ["Document", "Entity", "Mention", "read", "write"]

_Path = Union[str, "os.PathLike[str]"]
_Pair = tuple[int, int]
_End = Literal["inclusive", "exclusive"]

#: What the attributes of a mention call its type and that of its entity, whatever the format calls them.
_MENTION_TYPE, _ENTITY_TYPE = "mention-type", "entity-type"


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: a run of words, or several.

    Words count from 0 over the whole document, and ``end`` is the last word itself, as in the jsonlines format and in
    the e2e family: the words are ``tokens[start : end + 1]``, and a mention of one word has ``start == end``.

    Attributes:
        start: the first word.
        end: the last word.
        head: the head word, or None where the format has none.
        parts: the runs of words ``(start, end)`` of a mention with gaps, in order; empty for one without.
        min_span: the least words that a response must have, as runs; empty where the format does not say.
        attributes: what else the format says, by name: ``mention-type`` (``NAM``, ``PRON``, …) and ``entity-type``
            (``PER``, …) are called so for every format.
        line, column: where the annotation begins in the file, from 1; 0 where there is no file. Mentions are equal
            whatever these are.
    """

    start: int
    end: int
    head: int | None = None
    parts: tuple[_Pair, ...] = ()
    min_span: tuple[_Pair, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    line: int = 0
    column: int = 0

    def __post_init__(self) -> None:
        for name in ("parts", "min_span"):
            object.__setattr__(self, name, tuple(tuple(pair) for pair in getattr(self, name)))
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))

    def _said(self) -> tuple[Any, ...]:
        attributes = tuple(sorted(self.attributes.items()))
        return (self.start, self.end, self.head, self.parts, self.min_span, attributes)

    def __eq__(self, other: object) -> bool:
        return self._said() == other._said() if isinstance(other, Mention) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._said())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Mention, (*self._said()[:5], dict(self.attributes), self.line, self.column))

    @property
    def span(self) -> _Pair:
        """``(start, end)``, as :func:`corefeval.score` takes mentions."""
        return self.start, self.end

    @property
    def type(self) -> str | None:
        """The type of the mention, where the format has it."""
        return self.attributes.get(_MENTION_TYPE)

    @property
    def entity_type(self) -> str | None:
        """The type of its entity, where the format has it."""
        return self.attributes.get(_ENTITY_TYPE)

    @property
    def words(self) -> tuple[int, ...]:
        """All its words."""
        runs = self.parts or ((self.start, self.end),)
        return tuple(word for start, end in runs for word in range(start, end + 1))


class Entity(Sequence[Mention]):
    """The mentions of an entity in the order of the file, under the name that the file gives it."""

    __slots__ = ("mentions", "name")
    #: What the file calls it.
    name: str
    #: Its mentions.
    mentions: tuple[Mention, ...]

    def __init__(self, name: str, mentions: Iterable[Mention]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "mentions", tuple(mentions))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an entity stays as it is: {name} cannot be set")

    @overload
    def __getitem__(self, place: int) -> Mention: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Mention, ...]: ...
    def __getitem__(self, place: int | slice) -> Mention | tuple[Mention, ...]:
        return self.mentions[place]

    def __len__(self) -> int:
        return len(self.mentions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entity):
            return NotImplemented
        return (self.name, self.mentions) == (other.name, other.mentions)

    def __hash__(self) -> int:
        return hash((self.name, self.mentions))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Entity, (self.name, self.mentions))

    def __repr__(self) -> str:
        return f"Entity({self.name!r}, {list(self.mentions)!r})"


def _wrong_mention(place: str, mention: object) -> InputTypeError:
    message = f"{place} is a {type(mention).__name__}, not a mention"
    hint = "a mention is a corefeval.Mention, or a pair of numbers: its first and its last word"
    return InputTypeError(message, code="input", hint=hint)


def _number(value: object, place: str) -> int:
    """A whole number, also of NumPy, and no truth value."""
    if not isinstance(value, bool):
        try:
            number = value.__index__()  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            pass
        else:
            if 0 <= number < 2**32 - 2:
                return int(number)
            message = f"{place} has {number}, and words count from 0 to 2^32 - 3"
            raise InputValueError(message, code="input", hint="words count over the whole document")
    hint = "words are whole numbers, counted from 0 over the whole document"
    raise InputTypeError(f"{place} has {value!r}, not the number of a word", code="input", hint=hint)


def _span(span: object, place: str, exclusive: bool) -> _Pair:
    if not isinstance(span, (tuple, list)):
        raise _wrong_mention(place, span)
    if len(span) != 2:
        hint = "a span is a pair of numbers: its first and its last word"
        raise InputValueError(f"{place} is a span of {len(span)} numbers", code="input", hint=hint)
    start, end = _number(span[0], place), _number(span[1], place)
    if start + exclusive > end:
        if exclusive and start == end:
            message = f"{place} is ({start}, {end}), which has no word where ends are exclusive"
            raise InputValueError(message, code="input", hint='say span_end="inclusive"')
        message = f"{place} is ({start}, {end}), which ends before it begins"
        raise InputValueError(message, code="input", hint="a span is its first and its last word")
    return start, end - exclusive


_Given = tuple[int, int, int, Union[int, None], list[_Pair], list[_Pair], list[tuple[str, str]]]


def _given(entities: Any, exclusive: bool) -> tuple[list[str], list[_Given]]:
    """Names of entities and all their mentions, as the extension takes them."""
    if isinstance(entities, (str, bytes)) or not isinstance(entities, Iterable):
        message = f"entities are a {type(entities).__name__}, not a list of entities"
        hint = "entities are lists of mentions, [[(0, 1), (4, 4)]], or a dictionary of them by name"
        raise InputTypeError(message, code="input", hint=hint)
    named = entities.items() if isinstance(entities, Mapping) else enumerate(entities)
    names: list[str] = []
    mentions: list[_Given] = []
    for name, members in named:
        if isinstance(members, Entity):
            name = members.name
        entity = len(names)
        if isinstance(members, (str, bytes, Mapping)) or not isinstance(members, Iterable):
            message = f"entities[{name!r}] is a {type(members).__name__}, not an entity"
            raise InputTypeError(message, code="input", hint="an entity is a list of mentions: [(0, 1), (4, 4)]")
        for place, mention in enumerate(members):
            if isinstance(mention, Mention):
                where = f"entities[{name!r}][{place}]"
                start, end = _span(mention.span, where, False)
                head = None if mention.head is None else _number(mention.head, where)
                parts = [_span(part, where, False) for part in mention.parts]
                least = [_span(part, where, False) for part in mention.min_span]
                attributes = [(str(key), str(value)) for key, value in mention.attributes.items()]
                mentions.append((entity, start, end, head, parts, least, attributes))
            elif type(mention) is tuple and len(mention) == 2 and type(mention[0]) is int is type(mention[1]):
                start, end = mention
                if not (0 <= start <= end - exclusive < 2**32 - 3):
                    start, end = _span(mention, f"entities[{name!r}][{place}]", exclusive)
                    end += exclusive
                mentions.append((entity, start, end - exclusive, None, [], [], []))
            else:
                start, end = _span(mention, f"entities[{name!r}][{place}]", exclusive)
                mentions.append((entity, start, end, None, [], [], []))
        names.append(str(name))
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        message = f"two entities are called `{twice}`"
        raise InputValueError(message, code="input", hint="give each entity of a document a name of its own")
    return names, mentions


def _is_exclusive(span_end: str) -> bool:
    if span_end not in ("inclusive", "exclusive"):
        hint = "its values are inclusive, exclusive"
        raise SettingsError(f"`{span_end}` is no value of `span_end`", code="settings", hint=hint)
    return span_end == "exclusive"


def _words(words: object, place: str) -> list[str]:
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        message = f"{place} is a {type(words).__name__}, not a list of words"
        raise InputTypeError(message, code="input", hint='tokens are words: ["Ada", "slept"], or lists of them')
    found = []
    for number, word in enumerate(words):
        if not isinstance(word, str):
            message = f"{place}[{number}] is a {type(word).__name__}, not a word"
            raise InputTypeError(message, code="input", hint='tokens are words: ["Ada", "slept"], or lists of them')
        found.append(str(word))
    return found


class Document:
    """A document: words, mentions in them, entities of mentions. It stays as it is.

    :func:`read` makes them of files. Made of Python objects, a document says more than lists of mentions do: what its
    words are, where sentences end, heads and types of mentions, names of entities and a topic, so that every rule
    that looks at these works on it. It goes wherever ``key`` and ``response`` go.

    Args:
        id: what it is called; documents of key and response are paired by it.
        entities: lists of mentions, or a dictionary of them by the name of the entity. A mention is a
            :class:`Mention`, or a pair of numbers: its first and its last word.
        tokens: the words of each sentence, a list of lists, or all words where sentences do not matter; None where
            they are not known.
        part: the number of a part, where documents of one ``id`` have parts.
        topic, genre: what it belongs to.
        span_end: ``exclusive`` where the second number of pairs is one past the last word. A :class:`Mention` always
            has its last word.

    >>> import corefeval
    >>> tokens = "Ada met Bo because she liked him".split()
    >>> key = Document(id="note", tokens=tokens, entities=[[(0, 0), (4, 4)], [(2, 2), (6, 6)]])
    >>> [[key.text(mention) for mention in entity] for entity in key.entities]
    [['Ada', 'she'], ['Bo', 'him']]
    >>> response = key.with_entities([[(0, 0), (4, 4), (6, 6)]])
    >>> corefeval.score(key=key, response=response, metrics="muc", quiet=True)["muc"].recall
    0.5
    """

    __slots__ = ("_about", "_entities", "_native", "_places", "_tokens")
    _native: _Native
    _about: tuple[str, str, int | None, str | None, str | None, str, int, str]
    _entities: tuple[Entity, ...] | None
    _tokens: tuple[str, ...] | None
    _places: tuple[int, list[int], list[int]]

    def __init__(
        self,
        *,
        id: str,
        entities: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]] = (),
        tokens: Iterable[str] | Iterable[Iterable[str]] | None = None,
        part: int | None = None,
        topic: str | None = None,
        genre: str | None = None,
        span_end: _End = "inclusive",
    ) -> None:
        for name, value in (("id", id), ("topic", topic), ("genre", genre)):
            if not isinstance(value, str) and (value is not None or name == "id"):
                message = f"{name} is a {type(value).__name__}, not a string"
                raise InputTypeError(message, code="input", hint=f"{name} is a name: {name}=str(...)")
        if part is not None:
            part = _number(part, "part")
        names, mentions = _given(entities, _is_exclusive(span_end))
        sentences = None
        if tokens is not None:
            if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
                _words(tokens, "tokens")
            given = list(tokens)
            whole = not given or isinstance(given[0], (str, bytes)) or not isinstance(given[0], Iterable)
            if whole:
                sentences = [_words(given, "tokens")]
            else:
                sentences = [_words(words, f"tokens[{number}]") for number, words in enumerate(given)]
        self._begin(_Native.make(id, part, sentences, names, mentions, topic, genre))

    def _begin(self, native: _Native) -> None:
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_about", native.about())
        object.__setattr__(self, "_places", native.places())
        object.__setattr__(self, "_entities", None)
        object.__setattr__(self, "_tokens", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a document stays as it is: {name} cannot be set; with_entities makes another")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a document stays as it is: {name} cannot be deleted")

    @property
    def id(self) -> str:
        """What it is called, with its part."""
        return self._about[0]

    @property
    def name(self) -> str:
        """What it is called, without its part."""
        return self._about[1]

    @property
    def part(self) -> int | None:
        """The number of its part, where the format has parts."""
        return self._about[2]

    @property
    def topic(self) -> str | None:
        """The topic, in corpora whose entities cross documents."""
        return self._about[3]

    @property
    def genre(self) -> str | None:
        """The genre: as the format says, or as the name tells in corpora that name documents so."""
        return self._about[4]

    @property
    def source(self) -> str:
        """The file it was read from; ``document`` where it was made of Python objects."""
        return self._about[5]

    @property
    def line(self) -> int:
        """The line of the file where it begins, from 1; 0 where there is no file."""
        return self._about[6]

    @property
    def format(self) -> str:
        """The format it was read from; ``python`` where it was made of Python objects."""
        return self._about[7]

    @property
    def tokens(self) -> tuple[str, ...] | None:
        """The words, those that are not in the text (see :attr:`zeros`) included; None where they are not known."""
        if self._tokens is None:
            tokens = self._native.tokens()
            object.__setattr__(self, "_tokens", None if tokens is None else tuple(tokens))
        return self._tokens

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...] | None:
        """The words of each sentence; None where words or sentences are not known."""
        tokens, (count, starts, _) = self.tokens, self._places
        if tokens is None or not starts:
            return None
        return tuple(tokens[start:end] for start, end in zip(starts, [*starts[1:], count]))

    @property
    def zeros(self) -> tuple[int, ...]:
        """The words that are not in the text: empty nodes, which stand for zeros."""
        return tuple(self._places[2])

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities in the order in which the file names them first, each its mentions."""
        if self._entities is None:
            names, mentions = self._native.entities()
            members: list[list[Mention]] = [[] for _ in names]
            for mention in mentions:
                members[mention[0]].append(_mention(mention))
            found = tuple(Entity(name, mentions) for name, mentions in zip(names, members))
            object.__setattr__(self, "_entities", found)
        entities: Any = self._entities
        return tuple(entities)

    @property
    def clusters(self) -> list[list[_Pair]]:
        """The spans of each entity, first and last word, as the e2e family has them and :func:`corefeval.score` and
        :meth:`with_entities` take them; entities without mentions are left out."""
        return [[mention.span for mention in entity] for entity in self.entities if len(entity)]

    @property
    def split_antecedents(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Entities that are the sum of others: the name of each, and the names of its parts."""
        names = [entity.name for entity in self.entities]
        return tuple((names[whole], tuple(names[part] for part in parts)) for whole, parts in self._native.relations()[0])

    @property
    def bridges(self) -> tuple[tuple[tuple[_Pair, ...], tuple[_Pair, ...] | None, str | None, str], ...]:
        """Mentions understood by way of another: the runs of words of the anaphor, those of the antecedent or None,
        the name of the antecedent entity or None, and the relation, empty where there is no name of it."""
        names = [entity.name for entity in self.entities]
        return tuple(
            (tuple(anaphor), None if of is None else tuple(of), None if entity is None else names[entity], relation)
            for anaphor, of, entity, relation in self._native.relations()[1]
        )

    @property
    def non_referring(self) -> tuple[Mention, ...]:
        """Expressions that look like mentions and refer to nothing (``it`` in "it rains")."""
        return tuple(_mention(mention) for mention in self._native.relations()[2])

    def text(self, mention: Mention) -> str:
        """The words of a mention, joined by blanks."""
        tokens = self.tokens
        if tokens is None:
            hint = "give tokens=..., or read a format that has the text"
            raise InputValueError(f"the words of `{self.id}` are not known", code="input", hint=hint)
        return " ".join(tokens[word] for word in mention.words if word < len(tokens))

    def with_entities(
        self, entities: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], *, span_end: _End = "inclusive"
    ) -> Document:
        """The same words with other entities, as a model finds them: lists of mentions, or a dictionary of them by
        name. What the document says beyond identity (bridging, split antecedents) is not taken over."""
        names, mentions = _given(entities, _is_exclusive(span_end))
        return _of(self._native.with_entities(names, mentions))

    def __eq__(self, other: object) -> bool:
        """Whether both say the same: words, mentions, entities and all else, the places in files included."""
        if not isinstance(other, Document):
            return NotImplemented
        return self._native is other._native or self._native.state() == other._native.state()

    def __hash__(self) -> int:
        return hash((self.id, self._places[0], self.format))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, self._native.state())

    def __repr__(self) -> str:
        mentions = sum(len(entity) for entity in self.entities)
        return f"<corefeval.Document {self.id}: {self._places[0]} words, {len(self.entities)} entities, {mentions} mentions>"

    def _repr_html_(self) -> str:
        rows = []
        for entity in self.entities:
            known = self.tokens is not None
            found = [self.text(mention) if known else str(mention.span) for mention in entity]
            cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in (entity.name, str(len(entity)), " · ".join(found)))
            rows.append(f"<tr>{cells}</tr>")
        head = "<tr><th>entity</th><th>mentions</th><th></th></tr>"
        caption = f"<caption>{html.escape(self.id)}: {self._places[0]} words</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def _mention(found: Any) -> Mention:
    _, start, end, head, details, line, column = found
    if details is None:
        return Mention(start, end, head, line=line, column=column)
    parts, least, attributes = details
    return Mention(start, end, head, tuple(parts), tuple(least), dict(attributes), line, column)


def _of(native: _Native) -> Document:
    document = Document.__new__(Document)
    document._begin(native)
    return document


def _restored(format: str, state: bytes) -> Document:
    return _of(_Native.from_state(format, state))


def _tell(findings: Any, quiet: bool, level: int = 3) -> None:
    """Tells of warnings, as the command does on standard error."""
    if not quiet:
        for finding in map(Finding._of, findings):
            if finding.severity == "warning":
                _warnings.warn(str(finding), CorefevalWarning, stacklevel=level)


def _paths(paths: object, what: str) -> list[str]:
    one = isinstance(paths, (str, bytes, os.PathLike))
    if not one and not isinstance(paths, Iterable):
        hint = "give the name of a file or directory, or a list of them"
        raise InputTypeError(f"{what} is a {type(paths).__name__}, not a path", code="input", hint=hint)
    found = []
    for path in [paths] if one else paths:  # type: ignore[attr-defined]
        try:
            found.append(os.fsdecode(path))
        except TypeError as error:
            hint = "give the name of a file or directory, or a list of them"
            raise InputTypeError(f"{what} is a {type(path).__name__}, not a path", code="input", hint=hint) from error
    return found


def _choices(**given: str | bool | None) -> list[tuple[str, str]]:
    spelt = {True: "yes", False: "no"}
    return [
        (name.replace("_", "-"), spelt[value] if isinstance(value, bool) else str(value))
        for name, value in given.items()
        if value is not None
    ]


def read(
    paths: _Path | Iterable[_Path],
    format: str = "auto",
    *,
    side: Literal["key", "response"] = "key",
    span_end: _End | None = None,
    boundary_crossing: bool | None = None,
    annotation: str | None = None,
    ids_by_file: bool | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> list[Document]:
    """Reads documents from files or directories, plain or compressed, as the command does.

    Args:
        paths: a path, or several, whose documents follow one another.
        format: as ``corefeval list formats`` has them; ``auto`` tells it from each file.
        side: what is read of formats that hold key and response in one file.
        span_end, boundary_crossing, annotation: how some formats are read, as ``corefeval list options`` has it.
        ids_by_file: calls the documents of a directory by their file too, where several files use the same ids.
        strict: makes every warning a :class:`StrictError`.
        quiet: issues no :class:`CorefevalWarning`.

    Raises:
        ReadError, FormatError: with ``file``, ``line`` and ``column`` where they are known.

    >>> [document.genre for document in read("examples/key.conll")]
    [None, None, None]
    """
    if side not in ("key", "response"):
        hint = "its values are key, response"
        raise SettingsError(f"`{side}` is no value of `side`", code="settings", hint=hint)
    choices = _choices(
        span_end=span_end, boundary_crossing=boundary_crossing, annotation=annotation, ids_by_file=ids_by_file
    )
    documents, findings = _read(
        _paths(paths, "paths"), format=str(format), response=side == "response", choices=choices, strict=strict
    )
    _tell(findings, quiet)
    return [_of(native) for native in documents]


def _listed(documents: object, what: str = "documents") -> list[Document]:
    listed = [documents] if isinstance(documents, Document) else documents
    if isinstance(listed, (str, bytes, Mapping)) or not isinstance(listed, Iterable):
        hint = "give a corefeval.Document, or a list of them"
        raise InputTypeError(f"{what} are a {type(documents).__name__}, not documents", code="input", hint=hint)
    found = []
    for place, document in enumerate(listed):
        if not isinstance(document, Document):
            message = f"{what}[{place}] is a {type(document).__name__}, not a Document"
            hint = "entities become a document by corefeval.Document(id=..., entities=...), or document.with_entities(...)"
            raise InputTypeError(message, code="input", hint=hint)
        found.append(document)
    return found


def write(
    documents: Document | Iterable[Document],
    path: _Path | None = None,
    *,
    format: str,
    span_end: _End | None = None,
    annotation: str | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> str | dict[str, str] | None:
    """Writes documents in a format, as ``corefeval convert`` does.

    What the format cannot say is left out, counted and told as a :class:`CorefevalWarning`; all else reads back.

    Args:
        documents: a document, or several.
        path: the file to write, or the directory where the format has files of their own for each document. None
            gives back the text, or a dictionary of texts by the name of the file.
        format: as ``corefeval list formats`` has them; not all can be written.
        span_end, annotation: how some formats are written, as ``corefeval list options`` has it.
        strict: makes every warning a :class:`StrictError`; nothing is written then.
        quiet: issues no :class:`CorefevalWarning`.

    Raises:
        SettingsError: there is no such format, or it cannot be written.
        FormatError: a document that the format cannot hold at all.
        ReadError: a file cannot be written.

    >>> document = Document(id="note", tokens=["Ada", "slept"], entities=[[(0, 0)]])
    >>> print(write(document, format="jsonlines"), end="")
    {"doc_key":"note","sentences":[["Ada","slept"]],"clusters":[[[0,0]]]}
    """
    natives = [document._native for document in _listed(documents)]
    target = None if path is None else _paths([path], "path")[0]
    texts, findings = _write(
        natives, format=str(format), choices=_choices(span_end=span_end, annotation=annotation), strict=strict
    )
    _tell(findings, quiet)
    if target is None:
        return texts if isinstance(texts, str) else dict(texts)
    if isinstance(texts, str):
        _put(target, texts)
        return None
    try:
        os.makedirs(target, exist_ok=True)
    except OSError as error:
        raise _not_written(target, error) from error
    for name, text in texts:
        _put(os.path.join(target, name), text)
    return None


def _put(path: str, text: str) -> None:
    try:
        # Bytes, so that line ends are those of the format everywhere.
        with open(path, "wb") as file:
            file.write(text.encode())
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: str, error: OSError) -> ReadError:
    return ReadError(f"this file cannot be written: {error.strerror or error}", file=path, code="io")


def _documents(side: Any) -> list[Document] | None:
    """The documents that a side is, or None where it is other Python objects; nothing yet where it is empty."""
    if isinstance(side, Document):
        return [side]
    if isinstance(side, (list, tuple)) and side and isinstance(side[0], Document):
        return _listed(side)
    return None


def _iterable_once(side: Any) -> Any:
    """A side that can be looked at: an iterator as the list of what it gives, unless it is a stream of Arrow."""
    return list(side) if isinstance(side, Iterator) and not hasattr(side, "__arrow_c_stream__") else side
