"""Mentions, entities, zeros, and relations beyond identity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

from ._frozen import Frozen
from .exceptions import InputTypeError, InputValueError

__all__ = ["Bridge", "Entity", "Mention", "Zero"]

_Pair = tuple[int, int]

#: The attributes with the type of a mention and of its entity, in all formats.
_MENTION_TYPE, _ENTITY_TYPE = "mention-type", "entity-type"


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: one or several runs of words.

    Words count from 0 over the whole document, and ``end`` is the last word, as in the jsonlines format and in the e2e
    family: the words are ``tokens[start : end + 1]``, and a mention of one word has ``start == end``.

    Attributes:
        start: the first word.
        end: the last word.
        head: the head word, or None if the format has no heads.
        parts: the runs of words ``(start, end)`` of a mention with gaps, in order; empty without gaps.
        min_span: the minimum span that a response must contain, as runs; empty if the format has none.
        attributes: further attributes in the format, by name: ``mention-type`` (``NAM``, ``PRON``, …) and ``entity-type``
            (``PER``, …) have these names in every format.
        line, column: where the annotation starts in the file, from 1; 0 without a file. Comparisons of mentions ignore
            them.
        without_words: whether it has no words, because the file opens but never closes it. It is scored nevertheless.
    """

    start: int
    end: int
    head: int | None = None
    parts: tuple[_Pair, ...] = ()
    min_span: tuple[_Pair, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    line: int = 0
    column: int = 0
    without_words: bool = False

    def __post_init__(self) -> None:
        for name in ("parts", "min_span"):
            object.__setattr__(self, name, tuple(tuple(pair) for pair in getattr(self, name)))
        object.__setattr__(self, "attributes", Frozen(self.attributes))

    def _compared(self) -> tuple[Any, ...]:
        attributes = tuple(sorted(self.attributes.items()))
        return (self.start, self.end, self.head, self.parts, self.min_span, attributes, self.without_words)

    def __eq__(self, other: object) -> bool:
        return self._compared() == other._compared() if isinstance(other, Mention) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._compared())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Mention, (*self._compared()[:5], dict(self.attributes), self.line, self.column, self.without_words))

    @property
    def span(self) -> _Pair:
        """``(start, end)``, a mention for :func:`corefeval.score`."""
        return self.start, self.end

    @property
    def type(self) -> str | None:
        """The type of the mention, if the format has it."""
        return self.attributes.get(_MENTION_TYPE)

    @property
    def entity_type(self) -> str | None:
        """The type of its entity, if the format has it."""
        return self.attributes.get(_ENTITY_TYPE)

    @property
    def words(self) -> tuple[int, ...]:
        """All its words."""
        if self.without_words:
            return ()
        runs = self.parts or ((self.start, self.end),)
        return tuple(word for start, end in runs for word in range(start, end + 1))


class Entity(Sequence[Mention]):
    """The mentions of an entity in the order of the file, with the entity's name."""

    __slots__ = ("mentions", "name")
    #: Its name in the file.
    name: str
    #: Its mentions.
    mentions: tuple[Mention, ...]

    def __init__(self, name: str, mentions: Iterable[Mention]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "mentions", tuple(mentions))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"entities are immutable: {name} cannot be set")

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


class Bridge(NamedTuple):
    """A mention that is understood through another mention: "the engine", after "the ferry".

    Attributes:
        anaphor: the words of the mention, as runs ``((first, last), …)``. As input, a :class:`Mention`, a :class:`Zero`, or
            a pair of numbers is also accepted.
        antecedent: the words of the other mention, in the same form; None if only its entity is named.
        entity: the name of its entity, or None if only the mention is named.
        relation: the name of the relation; empty if it has no name.
    """

    anaphor: Any
    antecedent: Any = None
    entity: str | None = None
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Zero:
    """A word that is not in the text (an empty node), such as a dropped subject.

    Its place is ``word`` if the tokens contain it (then ``zeros`` lists it too), otherwise ``before`` or ``after`` a word. It
    belongs to the sentence of that word, so a zero that ends a sentence is ``after`` the last word. Zeros can be used wherever
    mentions are expected; equal zeros are the same zero.

    Attributes:
        word: its index in the tokens.
        number: distinguishes zeros after the same word (the 2 of ``8.2``); None for the next free number, from 1. Zeros
            of key and response match if they follow the same word with the same number.
        dependencies: pairs of a word, or None for the root, and the relation (``nsubj``). With
            ``zero_match="dependent"``, as in CorefUD, a zero without dependencies does not match.
        before, after: the following or the preceding word of the text, if the tokens do not contain the zero.

    >>> Zero(before=7, dependencies=[(7, "nsubj")])
    Zero(before=7, dependencies=((7, 'nsubj'),))
    """

    word: int | None = None
    number: int | None = None
    dependencies: Sequence[tuple[int | None, str]] = ()
    before: int | None = field(default=None, kw_only=True)
    after: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        given = self.dependencies
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            raise _wrong_dependency("dependencies are", given)
        pairs = tuple(tuple(pair) if isinstance(pair, (tuple, list)) else pair for pair in given)
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[1], str):
                raise _wrong_dependency("a dependency is", pair)
        where = "dependencies of a Zero"
        found = tuple((None if word is None else _number(word, where), relation) for word, relation in pairs)
        object.__setattr__(self, "dependencies", found)
        for name in ("word", "number", "before", "after"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _number(value, f"{name} of a Zero"))
        if [self.word, self.before, self.after].count(None) != 2:
            message = f"{self!r} has no place, or several"
            hint = "give one of word, before and after: Zero(before=7), or Zero(7) where the tokens have it"
            raise InputValueError(message, code="input", hint=hint)

    def __repr__(self) -> str:
        named = [(name, getattr(self, name)) for name in ("word", "before", "after", "number", "dependencies")]
        return f"Zero({', '.join(f'{name}={value!r}' for name, value in named if value not in (None, ()))})"


def _wrong_dependency(what: str, value: object) -> InputTypeError:
    hint = 'name these words and the relations: Zero(before=7, dependencies=[(7, "nsubj")])'
    return InputTypeError(f"{what} {value!r}, not pairs of a word and a relation", code="input", hint=hint)


def _wrong_mention(place: str, mention: object) -> InputTypeError:
    message = f"{place} is a {type(mention).__name__}, not a mention"
    hint = "a mention is a corefeval.Mention, a corefeval.Zero, or a pair of numbers: its first and its last word"
    return InputTypeError(message, code="input", hint=hint)


#: One more than the largest word number.
_MOST = 2**32 - 2


def _number(value: object, place: str) -> int:
    """Returns a whole number of Python or NumPy; truth values are errors."""
    if not isinstance(value, bool):
        try:
            number = value.__index__()  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            pass
        else:
            if 0 <= number < _MOST:
                return int(number)
            message = f"{place} has {number}, but words count from 0 to 2^32 - 3"
            raise InputValueError(message, code="input", hint="words count over the whole document")
    hint = "words are whole numbers, counted from 0 over the whole document"
    raise InputTypeError(f"{place} has {value!r}, not the number of a word", code="input", hint=hint)
