"""Checks the parts of a document from the user, and converts them to the extension's form."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from .exceptions import InputTypeError, InputValueError
from .mentions import _MOST, Bridge, Entity, Mention, Zero, _number, _Pair, _wrong_mention

#: A mention in the extension's form: entity, first and last word, head, parts, minimum span, attributes, whether it
#: has no words.
_NativeMention = tuple[int, int, int, Union[int, None], list[_Pair], list[_Pair], list[tuple[str, str]], bool]
#: A bridge in the extension's form: anaphor, antecedent, entity, relation.
_NativeBridge = tuple[list[_Pair], Union[list[_Pair], None], Union[int, None], str]
#: A zero: its word, its number, its dependencies.
_Node = tuple[int, int, list[tuple[Union[int, None], str]]]


def _wrong(message: str, hint: str) -> InputValueError:
    return InputValueError(message, code="input", hint=hint)


def _number_of_words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"


def _listed(value: object, name: str, example: str) -> list[Any]:
    """Returns the items of a keyword as a list."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        message = f"{name} is a {type(value).__name__}, not a list"
        raise InputTypeError(message, code="input", hint=f"pass {name}={example}")
    return list(value)


class _Zeros:
    """The zeros of a document: tokens that are zeros, and zeros that are added at a place.

    Args:
        starts: the starts of sentences.
        count: the number of words, or None if it is not known.
        known: the zeros among the words, if the words come from another document; otherwise zeros are declared.
    """

    def __init__(self, starts: Sequence[int], count: int | None, known: Iterable[Zero] | None) -> None:
        self._starts, self._count, self._fixed = list(starts) or [0], count, known is not None
        # Both with their places in the input, for errors; added zeros have negative numbers.
        self._known = {zero.word: (zero, "the document") for zero in known or () if zero.word is not None}
        self._new: dict[Zero, tuple[int, str]] = {}
        # For each new word the number of old words before it, then its final place.
        self._before: list[int] = []
        self._words: dict[int, int] = {}
        self._came: list[int] = []
        #: All zeros of the result, then the added zeros: word, sentence, number.
        self.all: list[_Node] = []
        self.added: list[tuple[int, int, int]] = []

    def declare(self, zero: Zero, where: str) -> None:
        """Adds one of ``zeros``."""
        if zero.word is not None:
            self._check_word(zero.word, where)
            self._known.setdefault(zero.word, (zero, where))
        self.add(zero, where)

    def add(self, zero: Zero, where: str) -> int:
        """Returns the word of a zero; for an added zero, a negative number until :meth:`settle`."""
        if zero.word is None:
            return self._new.setdefault(zero, (-1 - len(self._new), where))[0]
        self._check_word(zero.word, where)
        if zero.word not in self._known:
            hint = "give the place of the zero by before= or after=; one that the tokens have is named in zeros=..."
            raise _wrong(f"{where} is {zero!r}, but that word is in the text", hint)
        known, _ = self._known[zero.word]
        if zero not in (known, Zero(zero.word)):
            raise _wrong(f"{where} is {zero!r}, which is {known!r} elsewhere", "describe a zero in the same way everywhere")
        return zero.word

    def _check_word(self, word: int, where: str) -> None:
        if self._count is None:
            hint = "give tokens=... with the zeros in their places"
            raise _wrong(f"{where} is a zero, but the words are not known", hint)
        if word >= self._count:
            raise _wrong(f"{where} has word {word}, beyond the text of {_number_of_words(self._count)}", _COUNTED)

    def settle(self) -> None:
        """Assigns final word numbers to all zeros."""
        if self._fixed and not self._new:
            return
        known = sorted(self._known)
        # A zero belongs to a sentence and follows a number of words of the text; zeros at one place are ordered by number.
        nodes: list[tuple[int, int, int, Zero, str]] = []
        taken: dict[tuple[int, int], list[int]] = {}
        zeros = [self._known[word] for word in known] + [(zero, where) for zero, (_, where) in self._new.items()]
        for zero, where in zeros:
            word = next(word for word in (zero.word, zero.before, zero.after) if word is not None)
            self._check_word(word, where)
            if zero.word is None and word in self._known:
                hint = "give the word of the text that it is before or after"
                raise _wrong(f"{where} is {zero!r}, but that word is a zero itself", hint)
            slot = self._sentence(word), word - bisect_left(known, word) + (zero.after is not None)
            numbers = taken.setdefault(slot, [])
            number = max(numbers, default=0) + 1 if zero.number is None else zero.number
            if number in numbers or (zero.word is not None and number < max(numbers, default=0)):
                hint = "zeros after the same word have different numbers, in order; or leave the numbers out"
                raise _wrong(f"{where} is {zero!r}, and a zero before it there has number {max(numbers)}", hint)
            numbers.append(number)
            nodes.append((*slot, number, zero, where))
        nodes.sort(key=lambda node: node[:3])
        for place, (sentence, in_text, number, zero, _) in enumerate(nodes):
            if zero.word is None:
                self._before.append(in_text + place - len(self.added))
                self._words[self._new[zero][0]] = in_text + place
                self.added.append((in_text + place, sentence, number))
        self._came = [word for word, *_ in self.added]
        for place, (sentence, in_text, number, zero, where) in enumerate(nodes):
            self.all.append((in_text + place, number, self._dependencies(zero, sentence, where)))
        self._check_circles([where for *_, where in nodes])

    def _sentence(self, word: int) -> int:
        return max(bisect_right(self._starts, word) - 1, 0)

    def _dependencies(self, zero: Zero, sentence: int, where: str) -> list[tuple[int | None, str]]:
        """Returns the dependencies of a zero, with final word numbers."""
        found: list[tuple[int | None, str]] = []
        for parent, relation in zero.dependencies:
            if parent is not None:
                self._check_word(parent, f"{where}.dependencies")
                if self._sentence(parent) != sentence:
                    hint = "zeros depend on words of their sentence; a zero that ends a sentence is after its last word"
                    raise _wrong(f"{where} is {zero!r}, which depends on a word of another sentence", hint)
                parent = self.moved(parent)
            found.append((parent, relation))
        return found

    def _check_circles(self, places: list[str]) -> None:
        """Checks that the heads of every zero lead to a word of the text or to the root, or that the zero has no head."""
        parents = {word: [parent for parent, _ in pairs] for word, _, pairs in self.all}
        while hanging := [w for w, of in parents.items() if not of or any(p not in parents for p in of)]:
            for word in hanging:
                del parents[word]
        for (word, *_), where in zip(self.all, places):
            if word in parents:
                hint = "let one of them depend on a word of the text, or on the root: (None, \"root\")"
                raise _wrong(f"{where} is a zero that depends on itself, directly or through other zeros", hint)

    def moved(self, word: int) -> int:
        """Returns the final number of a word, or of an added zero by its negative number."""
        return self._words[word] if word < 0 else word + bisect_right(self._before, word)

    def runs(self, runs: Iterable[_Pair], apart: bool) -> list[_Pair]:
        """Converts runs of words to final numbers; with ``apart``, they exclude zeros that were added within them."""
        found: list[_Pair] = []
        for first, last in runs:
            start, end = self.moved(first), self.moved(last)
            within = self._came[bisect_left(self._came, start) : bisect_left(self._came, end)] if apart else ()
            for word in within:
                found += [(start, word - 1)] if start < word else []
                start = word + 1
            found.append((start, end))
        return found


_COUNTED = "words count from 0 over the whole document"


def _touch(runs: list[_Pair]) -> bool:
    """Returns whether runs of words are out of order, or have no gap between them."""
    return any(second[0] <= first[1] + 1 for first, second in zip(runs, runs[1:]))


class _Given:
    """The given parts of a document: entities and relations beyond identity.

    Args:
        starts, count, known: the words, as for :class:`_Zeros`.
        exclusive: whether the second number of a pair is one past the last word.
        apart: whether mentions exclude zeros that are added within them, as in CoNLL-UA.
    """

    def __init__(
        self,
        starts: Sequence[int],
        count: int | None,
        known: Iterable[Zero] | None = None,
        *,
        exclusive: bool,
        apart: bool,
    ) -> None:
        self._count, self._exclusive, self._apart = count, exclusive, apart
        self.zeros = _Zeros(starts, count, known)
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.mentions: list[_NativeMention] = []
        #: Relations beyond identity, in the extension's form.
        self.relations: tuple[list[tuple[int, list[int]]], list[_NativeBridge], list[_NativeMention]] = ([], [], [])

    def add_zeros(self, zeros: Any) -> None:
        """Adds words that are not in the text, and zeros that are not mentions."""
        for place, zero in enumerate(_listed(zeros, "zeros", "[7], the words that are not in the text")):
            where = f"zeros[{place}]"
            self.zeros.declare(zero if isinstance(zero, Zero) else Zero(_number(zero, where)), where)

    def add_entities(self, entities: Any) -> None:
        """Adds entities: lists of mentions, or a dictionary of lists by name."""
        if isinstance(entities, (str, bytes)) or not isinstance(entities, Iterable):
            message = f"entities are a {type(entities).__name__}, not a list of entities"
            hint = "entities are lists of mentions, [[(0, 1), (4, 4)]], or a dictionary of them by name"
            raise InputTypeError(message, code="input", hint=hint)
        named = entities.items() if isinstance(entities, Mapping) else enumerate(entities)
        names, mentions, exclusive = self.names, self.mentions, self._exclusive
        # Nearly all mentions, possibly millions, share one empty list of parts, minimum spans and attributes.
        nothing: list[Any] = []
        limit = _MOST - 1 if self._count is None else self._count
        for name, members in named:
            if isinstance(members, Entity):
                name = members.name
            entity = len(names)
            if isinstance(members, (str, bytes, Mapping)) or not isinstance(members, Iterable):
                message = f"entities[{name!r}] is a {type(members).__name__}, not an entity"
                raise InputTypeError(message, code="input", hint="an entity is a list of mentions: [(0, 1), (4, 4)]")
            for place, mention in enumerate(members):
                if type(mention) is tuple and len(mention) == 2 and type(mention[0]) is int is type(mention[1]):
                    start, end = mention
                    if 0 <= start <= end - exclusive < limit:
                        mentions.append((entity, start, end - exclusive, None, nothing, nothing, nothing, False))
                        continue
                mentions.append(self._mention(entity, mention, f"entities[{name!r}][{place}]"))
            names.append(str(name))
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise _wrong(f"two entities are called `{twice}`", "give each entity of a document a unique name")
        self._numbers = {name: number for number, name in enumerate(names)}

    def add_relations(self, split_antecedents: Any, bridges: Any, non_referring: Any) -> None:
        """Adds relations beyond identity between the entities."""
        splits, bridged, pseudo = self.relations
        if isinstance(split_antecedents, Mapping):
            split_antecedents = split_antecedents.items()
        for place, split in enumerate(_listed(split_antecedents, "split_antecedents", '[("they", ["ada", "bo"])]')):
            splits.append(self._split(split, f"split_antecedents[{place}]"))
        for place, bridge in enumerate(_listed(bridges, "bridges", "[Bridge(anaphor=(5, 6), antecedent=(0, 1))]")):
            bridged.append(self._bridge(bridge, f"bridges[{place}]"))
        for place, mention in enumerate(_listed(non_referring, "non_referring", "[(4, 4)]")):
            # Each expression forms a separate entity, as in Universal Anaphora.
            pseudo.append(self._mention(len(self.names), mention, f"non_referring[{place}]"))
            number = len(self.names)
            while f"{number}-Pseudo" in self._numbers:
                number += 1
            self._numbers[f"{number}-Pseudo"] = len(self.names)
            self.names.append(f"{number}-Pseudo")

    def settle(self) -> None:
        """Renumbers all words, with the added zeros."""
        self.zeros.settle()
        if self.zeros.added:
            splits, bridges, non_referring = self.relations
            self.mentions = [self._moved(mention) for mention in self.mentions]
            counted: list[_NativeBridge] = []
            for anaphor, of, entity, relation in bridges:
                counted.append((self._runs(anaphor), None if of is None else self._runs(of), entity, relation))
            self.relations = (splits, counted, [self._moved(mention) for mention in non_referring])

    def _runs(self, runs: Iterable[_Pair]) -> list[_Pair]:
        return self.zeros.runs(runs, self._apart)

    def _moved(self, mention: _NativeMention) -> _NativeMention:
        entity, start, end, head, parts, least, *_ = mention
        runs = self._runs(parts or [(start, end)])
        head = None if head is None else self.zeros.moved(head)
        return entity, runs[0][0], runs[-1][1], head, runs if len(runs) > 1 else [], self._runs(least), *mention[6:]

    def _span(self, span: object, place: str, exclusive: bool) -> _Pair:
        if not isinstance(span, (tuple, list)) and hasattr(span, "tolist"):
            # A row of an array.
            span = span.tolist()
        if not isinstance(span, (tuple, list)):
            raise _wrong_mention(place, span)
        if len(span) != 2:
            hint = "a span is a pair of numbers: its first and its last word"
            raise _wrong(f"{place} is a span of {len(span)} numbers", hint)
        start, end = _number(span[0], place), _number(span[1], place)
        if start + exclusive > end:
            if exclusive and start == end:
                message = f"{place} is ({start}, {end}), which has no word if ends are exclusive"
                raise _wrong(message, 'pass span_end="inclusive"')
            message = f"{place} is ({start}, {end}), which ends before it starts"
            raise _wrong(message, "a span is its first and its last word")
        if self._count is not None and end - exclusive >= self._count:
            more = "" if exclusive else '; for ends that are one past the last word pass span_end="exclusive"'
            message = f"{place} is ({start}, {end}), which ends beyond the text of {_number_of_words(self._count)}"
            raise _wrong(message, _COUNTED + more)
        return start, end - exclusive

    def _mention(self, entity: int, mention: object, where: str) -> _NativeMention:
        if isinstance(mention, Zero):
            word = self.zeros.add(mention, where)
            return entity, word, word, None, [], [], [], False
        if not isinstance(mention, Mention):
            return entity, *self._span(mention, where, self._exclusive), None, [], [], [], False
        start, end = self._span(mention.span, where, False)
        head = None if mention.head is None else _number(mention.head, where)
        if head is not None and self._count is not None and head >= self._count:
            raise _wrong(f"{where}: the head {head} is outside the text of {_number_of_words(self._count)}", _COUNTED)
        if head is not None and not start <= head <= end:
            raise _wrong(f"{where}: the head {head} is not one of the words {start} to {end} of the mention", _COUNTED)
        parts = [self._span(part, where, False) for part in mention.parts]
        if parts and (_touch(parts) or (parts[0][0], parts[-1][1]) != (start, end)):
            message = f"{where}: the parts {parts} are not in order, touch each other, or do not begin and end with it"
            raise _wrong(message, _COUNTED)
        least = [self._span(part, where, False) for part in mention.min_span]
        if any(not start <= first <= last <= end for first, last in least):
            raise _wrong(f"{where}: the minimum span {least} is not within the mention ({start}, {end})", _COUNTED)
        attributes = [(str(key), str(value)) for key, value in mention.attributes.items()]
        return entity, start, end, head, parts, least, attributes, bool(mention.without_words)

    def _entity(self, name: object, where: str) -> int:
        """Returns the number of an entity. Entities of a plain list are named by their index."""
        try:
            return self._numbers[str(name)]
        except KeyError:
            some = ", ".join(list(self._numbers)[:5]) + (", …" if len(self._numbers) > 5 else "")
            hint = f"entities are called {some}" if some else "give entities=..."
            raise _wrong(f"{where} is {name!r}, but there is no such entity", hint) from None

    def _split(self, split: object, where: str) -> tuple[int, list[int]]:
        hint = 'name its parts: ("they", ["ada", "bo"])'
        if not isinstance(split, (tuple, list)) or len(split) != 2:
            message = f"{where} is {split!r}, not a pair of an entity and its parts"
            raise InputTypeError(message, code="input", hint=hint)
        whole, names = self._entity(split[0], f"{where}[0]"), _listed(split[1], f"{where}[1]", '["ada", "bo"]')
        parts = [self._entity(name, f"{where}[1][{place}]") for place, name in enumerate(names)]
        if len(parts) < 2:
            hint = "a sum has two parts or more; mentions that are the same as one entity belong to it"
            raise _wrong(f"{where} has {len(parts)} part{'' if parts else 's'}", hint)
        if len(set(parts)) < len(parts):
            raise _wrong(f"{where} has a part twice", "name each part once")
        sums = dict(self.relations[0])
        if whole in sums:
            raise _wrong(f"{where} is of {split[0]!r}, which has a sum already", "give all parts of an entity at once")
        # The parts, resolved recursively.
        seen = set(parts)
        while more := {part for inner in seen for part in sums.get(inner, ())} - seen:
            seen |= more
        if whole in seen:
            raise _wrong(f"{where}: {split[0]!r} is a part of itself, directly or through other entities", "leave that part out")
        return whole, parts

    def _bridge(self, bridge: object, where: str) -> _NativeBridge:
        hint = 'write Bridge(anaphor=(5, 6), antecedent=(0, 1)), or entity="ferry"'
        if not isinstance(bridge, (tuple, list)) or not 1 <= len(bridge) <= 4:
            raise InputTypeError(f"{where} is {bridge!r}, not a bridge", code="input", hint=hint)
        anaphor, antecedent, entity, relation = Bridge(*bridge)
        if not isinstance(relation, str):
            message = f"{where}.relation is a {type(relation).__name__}, not a name"
            raise InputTypeError(message, code="input", hint='leave it out, or give a name: relation="part-of"')
        if antecedent is None and entity is None:
            raise _wrong(f"{where} has no antecedent and no entity", hint)
        return (
            self._words(anaphor, f"{where}.anaphor"),
            None if antecedent is None else self._words(antecedent, f"{where}.antecedent"),
            None if entity is None else self._entity(entity, f"{where}.entity"),
            relation,
        )

    def _words(self, mention: object, where: str) -> list[_Pair]:
        """Returns the runs of words of a mention, a pair, or a list of runs."""
        if isinstance(mention, (tuple, list)) and mention and isinstance(mention[0], (tuple, list)):
            runs = [self._span(run, f"{where}[{place}]", self._exclusive) for place, run in enumerate(mention)]
            if _touch(runs):
                raise _wrong(f"{where}: the runs {runs} are not in order, or touch each other", _COUNTED)
            return runs
        _, start, end, _, parts, *_ = self._mention(0, mention, where)
        return parts or [(start, end)]
