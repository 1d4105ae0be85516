"""Documents, read from files or built from Python objects, with more detail than lists of mentions.

>>> import corefeval
>>> document = corefeval.read("examples/key.conll", format="conll")[0]
>>> document.id, len(document.tokens), len(document.entities)
('news/ferry_line; part 000', 176, 20)
>>> document.text(document.entities[0][0])
'The Hamre Line'
"""

from __future__ import annotations

import html
import itertools
import os
import re
import warnings as _warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from types import MappingProxyType
from typing import IO, Any, Literal, Union, overload

from ._corefeval import Document as _Native
from ._corefeval import read as _read
from ._corefeval import span_ends
from ._corefeval import write as _write
from ._frozen import Frozen
from ._given import _Given, _number_of_words
from ._keywords import content
from .exceptions import CorefevalWarning, InputTypeError, InputValueError, ReadError, SettingsError, _in_document
from .mentions import Bridge, Entity, Mention, Zero, _number, _Pair
from .report import Finding

__all__ = ["Document", "read", "reads", "write"]

_Path = Union[str, "os.PathLike[str]"]
_End = Literal["inclusive", "exclusive"]
_Splits = Union[Mapping[Any, Iterable[Any]], Iterable[tuple[Any, Iterable[Any]]]]
_Bridge = Union[Bridge, tuple[Any, ...]]

#: An id with a part.
_WITH_PART = re.compile(r"(.+); part (\d{3,9})", re.DOTALL)

#: The format in which mentions exclude the zeros within them.
_APART = "conll-ua"


def _is_exclusive(span_end: str) -> bool:
    if span_end not in ("inclusive", "exclusive"):
        hint = "its values are inclusive, exclusive"
        raise SettingsError(f"`{span_end}` is not a valid value for `span_end`", code="settings", hint=hint)
    return span_end == "exclusive"


def _exclusive_sides(options: Mapping[str, Any]) -> tuple[bool, bool]:
    """Returns whether the ends of key and response are exclusive."""
    if _single_ends(options):
        message = "span_end_of is for one of several responses, but there is only one"
        raise SettingsError(message, code="settings", hint="use key_span_end or response_span_end")
    key, response = _exclusive_of(options, ("key", "response"), has_key=True)
    return key, response


def _exclusive_of(options: Mapping[str, Any], names: Sequence[str], *, has_key: bool) -> list[bool]:
    """Returns whether the ends of each side are exclusive; the first side is the key, if any."""
    single = _single_ends(options)
    unknown = next((name for name in single if name not in names), None)
    if unknown is not None:
        hint = f"the sides are {', '.join(names)}"
        raise SettingsError(f"span_end_of names `{unknown}`, which is not a side", code="settings", hint=hint)

    def of(place: int, name: str) -> bool:
        own = options.get("key_span_end" if has_key and not place else "response_span_end")
        whole = options.get("span_end") or "inclusive" if own in (None, "both") else own
        return _is_exclusive(single.get(name, whole))

    return [of(place, name) for place, name in enumerate(names)]


def _single_ends(options: Mapping[str, Any]) -> dict[str, str]:
    """Returns the ends of single sides, by name."""
    given = options.get("span_end_of") or ()
    return {name: end for one in ((given,) if isinstance(given, str) else given) for name, end in span_ends(one)}


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


def _sentences(tokens: object) -> list[list[str]]:
    """Returns the words of each non-empty sentence; a plain list is one sentence."""
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        _words(tokens, "tokens")
    given: list[Any] = list(tokens)  # type: ignore[call-overload]
    if not given or isinstance(given[0], (str, bytes)) or not isinstance(given[0], Iterable):
        sentences = [_words(given, "tokens")]
    else:
        sentences = [_words(words, f"tokens[{number}]") for number, words in enumerate(given)]
    return [words for words in sentences if words]


class Document:
    """An immutable document: words, mentions and entities.

    :func:`read` reads documents from files. Unlike lists of mentions, a document can have words, sentences, heads and
    types of mentions, names of entities, a topic, zeros, bridging and split antecedents, which many options require.
    All parameters called ``key`` and ``response`` accept documents.

    The keywords accept the values of the attributes with the same names, so a document can be rebuilt from its parts.

    Args:
        id: its name, which pairs documents of key and response. The :attr:`id` of another document includes its part.
        entities: lists of mentions, or a dictionary of lists by the name of the entity. A mention is a
            :class:`Mention`, a :class:`Zero`, or a pair of numbers: its first and last word. The entities of a plain
            list are named by their index, ``0``, ``1``, ….
        tokens: the words of each sentence, a list of lists, or a list of all words if sentences do not matter; None if
            unknown.
        part: the number of a part, if documents of one ``id`` have parts.
        topic, genre: the topic and the genre of the document.
        span_end: ``exclusive`` if the second number of pairs is one past the last word. The end of a :class:`Mention` is
            always its last word.
        zeros: the words that are not in the text: their indexes in ``tokens``, or a :class:`Zero` with details. A
            zero that is not in ``tokens``, ``Zero(before=7)``, is accepted here and instead of mentions. All numbers
            index the given tokens; in the resulting document, zeros are words and are counted. A zero inserted within a
            mention becomes part of it, except with the format ``conll-ua``.
        split_antecedents: entities that consist of other entities: pairs of the name of an entity and the names of its
            parts, or a dictionary from names to parts.
        bridges: bridging anaphors, each a :class:`Bridge`.
        non_referring: expressions that look like mentions but do not refer, in the form of mentions.
        format: the format that determines the default profile and the metrics of ``all``; ``python`` means no format.

    >>> import corefeval
    >>> tokens = "Ada met Bo because she liked him".split()
    >>> key = Document(id="note", tokens=tokens, entities=[[(0, 0), (4, 4)], [(2, 2), (6, 6)]])
    >>> [[key.text(mention) for mention in entity] for entity in key.entities]
    [['Ada', 'she'], ['Bo', 'him']]
    >>> response = key.with_entities([[(0, 0), (4, 4), (6, 6)]])
    >>> corefeval.score(key=key, response=response, metrics="muc", quiet=True)["muc"].recall
    0.5
    """

    __slots__ = ("_about", "_entities", "_native", "_places", "_reading", "_tokens")
    _native: _Native
    _about: tuple[str, str, int | None, str | None, str | None, str, int, str]
    _entities: tuple[Entity, ...] | None
    _tokens: tuple[str, ...] | None
    _places: tuple[int, list[int], bool, int]
    _reading: Mapping[str, Any]

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
        zeros: Iterable[int | Zero] = (),
        split_antecedents: _Splits = (),
        bridges: Iterable[_Bridge] = (),
        non_referring: Iterable[Any] = (),
        format: str = "python",
    ) -> None:
        for name, value in (("id", id), ("topic", topic), ("genre", genre), ("format", format)):
            if not isinstance(value, str) and (value is not None or name in ("id", "format")):
                message = f"{name} is a {type(value).__name__}, not a string"
                raise InputTypeError(message, code="input", hint=f"{name} is a name: {name}=str(...)")
        if part is not None:
            part = _number(part, "part")
        elif named := _WITH_PART.fullmatch(id):
            # The id of a document with a part, as in `Document.id`.
            id, part = named[1], int(named[2])
        exclusive = _is_exclusive(span_end)
        sentences = None if tokens is None else _sentences(tokens)
        *starts, count = itertools.accumulate(map(len, sentences or ()), initial=0)
        given = _Given(starts, None if sentences is None else count, exclusive=exclusive, apart=format == _APART)
        given.add_zeros(zeros)
        given.add_entities(entities)
        given.add_relations(split_antecedents, bridges, non_referring)
        given.settle()
        if sentences is not None:
            # Backwards, so that no insertion moves a later place.
            for before, (word, sentence, _) in reversed(list(enumerate(given.zeros.added))):
                sentences[sentence].insert(word - before - starts[sentence], "_")
        all_zeros, parts = given.zeros.all, (given.names, given.mentions, given.relations)
        with _in_document(None):
            self._begin(_Native.make(id, part, sentences, all_zeros, *parts, topic, genre, format), {})

    def _begin(self, native: _Native, reading: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_about", native.about())
        object.__setattr__(self, "_places", native.places())
        object.__setattr__(self, "_reading", Frozen(reading))
        object.__setattr__(self, "_entities", None)
        object.__setattr__(self, "_tokens", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"documents are immutable: {name} cannot be set; with_entities makes another")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"documents are immutable: {name} cannot be deleted")

    @property
    def id(self) -> str:
        """The name of the document, with its part."""
        return self._about[0]

    @property
    def name(self) -> str:
        """The name of the document, without its part."""
        return self._about[1]

    @property
    def part(self) -> int | None:
        """The number of its part, if the format has parts."""
        return self._about[2]

    @property
    def topic(self) -> str | None:
        """The topic, in corpora whose entities cross documents."""
        return self._about[3]

    @property
    def genre(self) -> str | None:
        """The genre, from the file or, in corpora that encode it there, from the name."""
        return self._about[4]

    @property
    def source(self) -> str:
        """The file that it was read from; ``document`` if it was built from Python objects."""
        return self._about[5]

    @property
    def line(self) -> int:
        """The line of the file where it starts, from 1; 0 if there is no file."""
        return self._about[6]

    @property
    def format(self) -> str:
        """The format that it was read from; ``python`` if it was built from Python objects."""
        return self._about[7]

    @property
    def tokens(self) -> tuple[str, ...] | None:
        """The words, including those that are not in the text (see :attr:`zeros` and :attr:`unplaced`); None if
        unknown."""
        if self._tokens is None:
            tokens = self._native.tokens()
            object.__setattr__(self, "_tokens", None if tokens is None else tuple(tokens))
        return self._tokens

    @property
    def _words(self) -> int:
        """The number of words, without those after the text."""
        count, _, _, beyond = self._places
        return count - beyond

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...] | None:
        """The words of each sentence; None if words or sentences are unknown."""
        tokens, (count, starts, _, beyond) = self.tokens, self._places
        if tokens is None or not starts:
            return None
        return tuple(tokens[start:end] for start, end in zip(starts, [*starts[1:], count - beyond]))

    @property
    def zeros(self) -> tuple[Zero, ...]:
        """The words that are not in the text: empty nodes, which represent zeros."""
        return tuple(Zero(word, number, tuple(of)) for word, number, of in self._native.zeros())

    @property
    def unplaced(self) -> tuple[Mention, ...]:
        """The mentions without a place in the text, in a document that was read ``onto`` a key. Each has a separate word
        after the text, which contains the words of the answer, and counts as spurious. No format writes these mentions."""
        return tuple(mention for entity in self.entities for mention in entity if mention.start >= self._words)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities with their mentions, in the order of first occurrence in the file."""
        if self._entities is None:
            names, mentions = self._native.entities()
            members: list[list[Mention]] = [[] for _ in names]
            for mention in mentions:
                members[mention[0]].append(_mention(mention))
            nothing = {mention[0] for mention in self._native.relations()[2]}
            found = (
                Entity(name, mentions)
                for number, (name, mentions) in enumerate(zip(names, members))
                if mentions or number not in nothing
            )
            object.__setattr__(self, "_entities", tuple(found))
        entities: Any = self._entities
        return tuple(entities)

    @property
    def clusters(self) -> list[list[_Pair]]:
        """The spans of each entity, first and last word, in the form of the e2e family, which :func:`corefeval.score` and
        :meth:`with_entities` accept; entities without mentions are omitted."""
        return [[mention.span for mention in entity] for entity in self.entities if len(entity)]

    @property
    def split_antecedents(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Entities that consist of other entities: the name of each, and the names of its parts."""
        splits = self._native.relations()[0]
        names = self._native.entities()[0] if splits else []
        return tuple((names[whole], tuple(names[part] for part in parts)) for whole, parts in splits)

    @property
    def bridges(self) -> tuple[Bridge, ...]:
        """Mentions that are understood through another mention."""
        bridges = self._native.relations()[1]
        names = self._native.entities()[0] if bridges else []
        return tuple(
            Bridge(tuple(anaphor), of and tuple(of), None if entity is None else names[entity], relation)
            for anaphor, of, entity, relation in bridges
        )

    @property
    def non_referring(self) -> tuple[Mention, ...]:
        """Expressions that look like mentions but do not refer (``it`` in "it rains")."""
        return tuple(_mention(mention) for mention in self._native.relations()[2])

    def text(self, mention: Mention | _Pair) -> str:
        """Returns the words of a mention, or of a span ``(start, end)``, joined by spaces."""
        tokens = self.tokens
        if tokens is None:
            hint = "give tokens=..., or read a format that has the text"
            raise InputValueError(f"the words of `{self.id}` are not known", code="input", hint=hint)
        words = mention.words if isinstance(mention, Mention) else range(mention[0], mention[1] + 1)
        if any(not 0 <= word < len(tokens) for word in words):
            message = f"{mention!r} is outside the text of {_number_of_words(len(tokens))}"
            raise InputValueError(message, code="input", hint="words count from 0 over the whole document")
        return " ".join(tokens[word] for word in words)

    def with_entities(
        self,
        entities: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
        *,
        span_end: _End = "inclusive",
        split_antecedents: _Splits | None = None,
        bridges: Iterable[_Bridge] | None = None,
        non_referring: Iterable[Any] | None = None,
    ) -> Document:
        """Returns a document with the same words and other entities, such as the output of a model.

        Relations beyond identity belong to the previous entities and must be passed to be kept; a
        :class:`CorefevalWarning` lists the relations that are dropped. Zeros are words and remain; :meth:`without_zeros`
        removes them.

        Args:
            entities: lists of mentions, or a dictionary of lists by name, as for :class:`Document`. A :class:`Zero` that
                the document lacks, ``Zero(before=7)``, is added to its words.
            span_end: as for :class:`Document`.
            split_antecedents, bridges, non_referring: as for :class:`Document`. ``bridges=document.bridges`` keeps bridges
                if entities keep their names, and ``bridges=()`` drops them without a warning.

        >>> tokens = ["Přišla", "pozdě", "a", "spala"]
        >>> document = Document(id="note", tokens=tokens, format="corefud")
        >>> found = document.with_entities({"she": [Zero(before=0, dependencies=[(0, "nsubj")]), Zero(before=3)]})
        >>> found.tokens, found.clusters
        (('_', 'Přišla', 'pozdě', 'a', '_', 'spala'), [[(0, 0), (4, 4)]])
        """
        count, starts, known, _ = self._places
        exclusive, apart = _is_exclusive(span_end), self.format == _APART
        given = _Given(starts, count if known else None, self.zeros, exclusive=exclusive, apart=apart)
        given.add_entities(entities)
        relations = {"split_antecedents": split_antecedents, "bridges": bridges, "non_referring": non_referring}
        given.add_relations(*(() if new is None else new for new in relations.values()))
        given.settle()
        splits, bridged, nothing = self._native.relations()
        had = zip(relations.items(), (len(splits), len(bridged), len(nothing)))
        left = [f"{name} ({number})" for (name, new), number in had if number and new is None]
        if left:
            message = f"with_entities leaves out annotation of `{self.id}` beyond identity: {', '.join(left)}"
            _warnings.warn(f"{message}; give it again, or () for nothing", CorefevalWarning, stacklevel=2)
        zeros = given.zeros
        with _in_document(None):
            native = self._native.with_entities(zeros.all, zeros.added, given.names, given.mentions, given.relations)
            return _of(native, self._reading)

    def without_zeros(self) -> Document:
        """Returns a document with only the words of the text, in their sentences, without zeros and entities: the input of a
        zero resolver, whose zeros may differ from the key's.

        >>> key = Document(id="note", tokens=["_", "Přišla", "pozdě"], zeros=[0], entities=[[(0, 0)]])
        >>> key.without_zeros().with_entities([[Zero(before=0)]]).clusters == key.clusters
        True
        """
        zeros, tokens, (count, starts, _, beyond) = {zero.word for zero in self.zeros}, self.tokens, self._places
        sentences = None
        if tokens is not None:
            bounds = zip(starts or [0], [*starts[1:], count - beyond])
            sentences = [[tokens[word] for word in range(*bound) if word not in zeros] for bound in bounds]
        return Document(
            id=self.name, part=self.part, tokens=sentences, topic=self.topic, genre=self.genre, format=self.format
        )

    @classmethod
    def from_spacy(cls, doc: Any, *, id: str, prefix: str = "coref_clusters", part: int | None = None) -> Document:
        """Converts a spaCy ``Doc``: its tokens, its sentences if they are set, and the span groups whose names start with
        ``prefix``. spaCy is not imported."""
        tokens = [token.text for token in doc]
        has_sentences = getattr(doc, "has_annotation", lambda _: False)("SENT_START")
        sentences: Any = [[token.text for token in sentence] for sentence in doc.sents] if has_sentences else tokens
        groups = {name: group for name, group in doc.spans.items() if name.startswith(prefix)}
        entities = {name: [(span.start, span.end) for span in group] for name, group in groups.items()}
        return cls(id=id, part=part, tokens=sentences, entities=entities, span_end="exclusive")

    @classmethod
    def from_maverick(cls, output: Mapping[str, Any], *, id: str, part: int | None = None) -> Document:
        """Converts the result of ``Maverick.predict``: ``tokens`` and ``clusters_token_offsets``, whose ends are
        inclusive."""
        try:
            tokens, clusters = output["tokens"], output["clusters_token_offsets"]
        except (KeyError, TypeError) as error:
            message = "this is not output of Maverick, which has tokens and clusters_token_offsets"
            raise InputTypeError(message, code="input", hint="give the result of Maverick.predict(...)") from error
        return cls(id=id, part=part, tokens=tokens, entities=[[*map(tuple, cluster)] for cluster in clusters])

    @classmethod
    def from_fastcoref(
        cls, result: Any, *, id: str, tokens: Iterable[str] | Iterable[Iterable[str]] | None = None, part: int | None = None
    ) -> Document:
        """Converts a ``CorefResult`` of fastcoref, whose mentions are ranges of characters.

        Args:
            result: one of the results of ``predict``.
            id: the name of the document.
            tokens: the words of the key, in the order of the text, so that both sides have the same words; by default,
                the words and punctuation marks of the text.
            part: the number of its part.
        """
        if not hasattr(result, "text") or not hasattr(result, "get_clusters"):
            message = f"result is a {type(result).__name__}, not a CorefResult of fastcoref"
            raise InputTypeError(message, code="input", hint="give one of what predict returns: model.predict(texts)[0]")
        text: str = result.text
        clusters = result.get_clusters(as_strings=False)
        sentences: Any = re.findall(r"\w+|[^\w\s]", text) if tokens is None else _sentences(tokens)
        words = sentences if tokens is None else [word for sentence in sentences for word in sentence]
        starts, ends, place = [], [], 0
        for number, word in enumerate(words):
            place = text.find(word, place)
            if place < 0:
                message = f"tokens[{number}] is {word!r}, which does not follow in the text"
                raise InputValueError(message, code="input", hint="give the words of the same text, in its order")
            starts.append(place)
            place += len(word)
            ends.append(place)
        # A mention consists of the words that it overlaps.
        spans = [[(bisect_right(ends, first), bisect_left(starts, last) - 1) for first, last in c] for c in clusters]
        entities = [[(first, last) for first, last in cluster if first <= last] for cluster in spans]
        return cls(id=id, part=part, tokens=sentences, entities=entities)

    def __eq__(self, other: object) -> bool:
        """Returns whether both are equal in words, mentions, entities and everything else, including places in files."""
        if not isinstance(other, Document):
            return NotImplemented
        return self._native is other._native or self._native.state() == other._native.state()

    def __hash__(self) -> int:
        return hash((self.id, self._places[0], self.format))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (*self._native.state(), *((dict(self._reading),) if self._reading else ())))

    def __repr__(self) -> str:
        mentions = sum(len(entity) for entity in self.entities)
        return f"<corefeval.Document {self.id}: {self._words} words, {len(self.entities)} entities, {mentions} mentions>"

    def _repr_html_(self) -> str:
        table = self._table()
        if self.tokens is None:
            return table
        return f"{self._marked()}<details><summary>Entities</summary>{table}</details>"

    def _marked(self) -> str:
        """Returns the text with brackets around mentions, in the colour and with the number of their entity. Brackets need
        not nest, so mentions can cross."""
        tokens, starts = (self.tokens or ())[: self._words], self._places[1]
        opening: dict[int, list[tuple[int, str]]] = {}
        closing: dict[int, list[tuple[int, str]]] = {}
        for number, entity in enumerate(self.entities, 1):
            # Neighbours have colours far apart; singletons are grey.
            colour = f"hsl({number * 137 % 360} 60% 42%)" if len(entity) > 1 else "#777"
            for mention in entity:
                if mention.without_words:
                    continue
                for first, last in mention.parts or (mention.span,):
                    title = html.escape(entity.name, quote=True)
                    bracket = f'<b style="color: {colour}" title="{title}">'
                    opening.setdefault(first, []).append((-last, f"{bracket}[<sub>{number}</sub></b>"))
                    closing.setdefault(last, []).append((-first, f"{bracket}]</b>"))
        parts, lines = set(starts), [f"<b>{html.escape(self.id)}</b>"]
        line: list[str] = []
        for word, token in enumerate(tokens[:_SHOWN]):
            if word in parts and line:
                lines.append(" ".join(line))
                line = []
            before = "".join(text for _, text in sorted(opening.get(word, ())))
            after = "".join(text for _, text in sorted(closing.get(word, ())))
            line.append(f"{before}<bdi>{html.escape(token)}</bdi>{after}")
        lines.append(" ".join(line))
        if len(tokens) > _SHOWN:
            lines.append(f"… and {len(tokens) - _SHOWN} more words")
        return "".join(f'<p dir="auto" style="margin: 0.3em 0; line-height: 1.6">{line}</p>' for line in lines if line)

    def _table(self) -> str:
        rows = []
        for entity in self.entities:
            known = self.tokens is not None
            found = [self.text(mention) if known else str(mention.span) for mention in entity]
            cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in (entity.name, str(len(entity)), " · ".join(found)))
            rows.append(f"<tr>{cells}</tr>")
        head = "<tr><th>entity</th><th>mentions</th><th></th></tr>"
        caption = f"<caption>{html.escape(self.id)}: {self._words} words</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


#: The largest number of words that a notebook shows.
_SHOWN = 2_000


def _mention(found: Any) -> Mention:
    _, start, end, head, details, line, column = found
    if details is None:
        return Mention(start, end, head, line=line, column=column)
    parts, least, attributes, without_words = details
    return Mention(start, end, head, tuple(parts), tuple(least), dict(attributes), line, column, without_words)


def _of(native: _Native, reading: Mapping[str, Any] = MappingProxyType({})) -> Document:
    """Returns a document of the extension, with its reading choices."""
    document = Document.__new__(Document)
    document._begin(native, reading)
    return document


def _restored(format: str, state: bytes, reading: Mapping[str, Any] = MappingProxyType({})) -> Document:
    return _of(_Native.from_state(format, state), reading)


def _warn(findings: Any, quiet: bool, level: int = 3) -> None:
    """Issues warnings, as the command does on standard error."""
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


def _choices(**given: str | float | None) -> list[tuple[str, str]]:
    spelt = {True: "yes", False: "no"}
    return [
        (name.replace("_", "-"), spelt[value] if isinstance(value, bool) else str(value))
        for name, value in given.items()
        if value is not None
    ]


def read(
    paths: _Path | IO[Any] | Iterable[_Path | IO[Any]],
    format: str = "auto",
    *,
    side: Literal["key", "response"] = "key",
    span_end: _End | None = None,
    boundary_crossing: bool | None = None,
    annotation: str | None = None,
    ids_by_file: bool | None = None,
    onto: Any = None,
    align: str | None = None,
    notation: str | None = None,
    min_aligned: str | float | None = None,
    extra_zeros: str | None = None,
    pair_documents: str | None = None,
    max_memory: str | int | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> list[Document]:
    """Reads documents from files or directories, plain or compressed, as the command does.

    A :class:`Document` has words and coreference, but not the other columns of a file, such as lemmas. To put entities into a
    copy of a file with all its columns, use ``corefeval convert --onto KEY``.

    Args:
        paths: a path or a file that is open for reading, or several, whose documents are concatenated.
        format: a format of ``corefeval list formats``; ``auto`` detects it for each file.
        side: the side to read from formats with key and response in one file.
        span_end, boundary_crossing, annotation: how to read some formats; see ``corefeval list options``.
        ids_by_file: prefixes the ids of documents of a directory with their file, if several files use the same ids.
        onto: the key (a path, a :class:`Document` or several) with the words for the mentions of a language model's answer,
            or of a file whose text differs slightly from the key's. The result has the key's documents. Mentions without a
            place in the key are :attr:`Document.unplaced` and count as spurious, so that scores equal those of
            :func:`score_files`, whose signature also contains the level and the share of the alignment; a warning lists them.
        align, notation, min_aligned, extra_zeros, pair_documents: how to place mentions ``onto`` the key; see
            ``corefeval list options``. The key's format determines the defaults.
        max_memory: the maximum memory while reading, for example ``2G`` (Linux; default: nine tenths of the machine's).
        strict: makes every warning a :class:`StrictError`.
        quiet: issues no :class:`CorefevalWarning`.

    Raises:
        ReadError, FormatError: with ``file``, ``line`` and ``column`` if known.

    >>> [document.genre for document in read("examples/key.conll")]
    [None, None, None]
    """
    reading = {"span_end": span_end, "boundary_crossing": boundary_crossing, "annotation": annotation}
    reading["ids_by_file"] = ids_by_file
    others = _choices(align=align, notation=notation, min_aligned=min_aligned, extra_zeros=extra_zeros)
    others += _choices(pair_documents=pair_documents, max_memory=max_memory)
    return _of_inputs(_inputs(paths), format, side, reading, strict, quiet, _key(onto), others)


def _key(onto: Any) -> Any:
    """Returns the key in the extension's form: a path or documents, or None."""
    if onto is None:
        return None
    documents = _documents(onto)
    return _paths([onto], "onto")[0] if documents is None else [document._native for document in documents]


def _inputs(given: Any) -> list[tuple[str, bytes | None]]:
    """Returns paths, and the content of open files with their names."""
    is_path = isinstance(given, (str, bytes, os.PathLike))
    one = is_path or hasattr(given, "read") or not isinstance(given, Iterable)
    found: list[tuple[str, bytes | None]] = []
    for each in [given] if one else given:
        if not hasattr(each, "read"):
            found.append((_paths([each], "paths")[0], None))
            continue
        found.append(content(each, "file"))
    return found


def reads(
    text: str | bytes,
    format: str = "auto",
    *,
    name: str = "text",
    side: Literal["key", "response"] = "key",
    span_end: _End | None = None,
    boundary_crossing: bool | None = None,
    annotation: str | None = None,
    onto: Any = None,
    align: str | None = None,
    notation: str | None = None,
    min_aligned: str | float | None = None,
    extra_zeros: str | None = None,
    pair_documents: str | None = None,
    max_memory: str | int | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> list[Document]:
    """Reads documents from a text, as :func:`read` does from a file with the same content.

    Args:
        text: the text, or its bytes in UTF-8.
        format: a format of ``corefeval list formats``; ``auto`` detects it. Formats with annotation in several files are
            not supported.
        name: the name of the text in messages.
        side, span_end, boundary_crossing, annotation, onto: as for :func:`read`.
        align, notation, min_aligned, extra_zeros, pair_documents: as for :func:`read`.
        max_memory, strict, quiet: as for :func:`read`.

    >>> document = reads('{"doc_key": "note", "sentences": [["Ada", "slept"]], "clusters": [[[0, 0]]]}')[0]
    >>> document.id, document.tokens
    ('note', ('Ada', 'slept'))
    """
    if isinstance(text, str):
        with _in_document(None):
            content = text.encode()
    elif isinstance(text, (bytes, bytearray, memoryview)):
        content = bytes(text)
    else:
        message = f"text is a {type(text).__name__}, neither a string nor bytes"
        raise InputTypeError(message, code="input", hint="files are read by corefeval.read(path)")
    reading = {"span_end": span_end, "boundary_crossing": boundary_crossing, "annotation": annotation}
    others = _choices(align=align, notation=notation, min_aligned=min_aligned, extra_zeros=extra_zeros)
    others += _choices(pair_documents=pair_documents, max_memory=max_memory)
    return _of_inputs([(str(name), content)], format, side, reading, strict, quiet, _key(onto), others)


def _of_inputs(
    inputs: list[tuple[str, bytes | None]],
    format: str,
    side: str,
    reading: Mapping[str, str | bool | None],
    strict: bool,
    quiet: bool,
    key: Any = None,
    others: Iterable[tuple[str, str]] = (),
    level: int = 4,
) -> list[Document]:
    """Reads the documents of paths and of named bytes, onto a key if given."""
    if side not in ("key", "response"):
        hint = "its values are key, response"
        raise SettingsError(f"`{side}` is not a valid value for `side`", code="settings", hint=hint)
    choices = [*_choices(**reading), *others]
    documents, findings = _read(inputs, format=str(format), response=side == "response", choices=choices, strict=strict, onto=key)
    _warn(findings, quiet, level)
    chosen = {name: value for name, value in reading.items() if value is not None}
    return [_of(native, chosen) for native in documents]


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


@overload
def write(
    documents: Document | Iterable[Document],
    path: None = None,
    *,
    format: str,
    span_end: _End | None = None,
    annotation: str | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> str | dict[str, str]: ...
@overload
def write(
    documents: Document | Iterable[Document],
    path: _Path,
    *,
    format: str,
    span_end: _End | None = None,
    annotation: str | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> None: ...
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

    Annotation that the format cannot represent is dropped and counted in a :class:`CorefevalWarning`. Everything else can be
    read back, except names that the format cannot represent: parts become a piece of the id, and entities of ``jsonlines`` are
    numbered. If mentions cross, read ``conll-ua`` with ``boundary_crossing=True``; a comment in the file notes this.

    Args:
        documents: a document, or several.
        path: the file to write, or the directory if the format has separate files for each document. With None, the text
            is returned, or a dictionary of texts by the name of the file.
        format: a format of ``corefeval list formats`` that can be written.
        span_end, annotation: how to write some formats; see ``corefeval list options``.
        strict: raises a :class:`StrictError` for any warning, and then writes nothing.
        quiet: issues no :class:`CorefevalWarning`.

    Raises:
        SettingsError: the format does not exist or cannot be written.
        FormatError: a document that the format cannot represent at all.
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
    _warn(findings, quiet)
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
    if path.endswith((".gz", ".zst")):
        hint = "name the file without the ending, and compress it afterwards"
        raise SettingsError(f"`{path}` would not be compressed", code="settings", hint=hint)
    try:
        # Bytes, so that line ends do not depend on the platform.
        with open(path, "wb") as file:
            file.write(text.encode())
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: str, error: OSError) -> ReadError:
    return ReadError(f"this file cannot be written: {error.strerror or error}", file=path, code="io")


def _documents(side: Any) -> list[Document] | None:
    """Returns the documents of a side, an empty list if it is empty, or None if it is other Python objects."""
    if isinstance(side, Document):
        return [side]
    if isinstance(side, (list, tuple)) and side and isinstance(side[0], Document):
        return _listed(side)
    if isinstance(side, Mapping):
        if any(isinstance(document, Document) for document in side.values()):
            message = "documents have their own names, but the dictionary gives them others"
            raise InputTypeError(message, code="input", hint="pass a list of documents: [*documents.values()]")
    elif isinstance(side, (Set, KeysView, ValuesView)) and any(isinstance(document, Document) for document in side):
        message = f"documents are in a {type(side).__name__}, which has its own order"
        raise InputTypeError(message, code="input", hint="pass a list of documents: [*documents]")
    return None


def _iterable_once(side: Any) -> Any:
    """Returns a side that can be iterated repeatedly: iterators become lists, except Arrow streams."""
    return list(side) if isinstance(side, Iterator) and not hasattr(side, "__arrow_c_stream__") else side
