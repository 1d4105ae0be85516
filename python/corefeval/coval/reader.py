"""The entry point of coval's ``reader`` that people import: from files to what the evaluator takes.

    from corefeval.coval import reader  # instead of: from coval.conll import reader
    infos = reader.get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span)

Files are read by the reader of the command: what is wrong with one is an error that says where, and a document of the
key that the response lacks is one too. Nothing is printed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from ..documents import Document, read
from ..errors import PairingError

__all__ = ["Mention", "get_coref_infos", "get_mention_assignments"]

_Path = Union[str, "os.PathLike[str]"]


class Mention:
    """A mention by its place in a sentence, or where minimum spans are asked for by its minimum span.

    Attributes:
        doc_name: its document.
        sent_num: its sentence, from 0.
        start, end: its first and its last word in the sentence, from 0.
        words: its words.
        min_spans: the words of its minimum span, each with its place; empty where none was asked for.
    """

    __slots__ = ("doc_name", "end", "min_spans", "sent_num", "start", "words")

    def __init__(self, doc_name: str, sent_num: int, start: int, end: int, words: Sequence[str]) -> None:
        self.doc_name = doc_name
        self.sent_num = sent_num
        self.start = start
        self.end = end
        self.words = list(words)
        self.min_spans: frozenset[tuple[str, int]] = frozenset()

    def _key(self) -> tuple[object, ...]:
        place: tuple[object, ...] = (self.min_spans,) if self.min_spans else (self.start, self.end)
        return (self.doc_name, self.sent_num, *place)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Mention) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Mention({self.doc_name!r}, {self.sent_num}, {self.start}, {self.end}, {self.words!r})"

    def get_span(self) -> str:
        """The words of the minimum span, or all of them where there is none."""
        chosen = [word for word, _ in sorted(self.min_spans, key=lambda found: found[1])]
        return " ".join(chosen or self.words)


_Clusters = list[list[Mention]]
_Info = tuple[_Clusters, _Clusters, dict[Mention, int], dict[Mention, int]]


def get_coref_infos(
    key_file: _Path,
    sys_file: _Path,
    NP_only: bool = False,
    remove_nested: bool = False,
    keep_singletons: bool = True,
    min_span: bool = False,
) -> dict[str, _Info]:
    """For each document of the key its clusters, those of the response, and of each mention of either the number of
    its cluster on the other side, as :func:`corefeval.coval.evaluate_documents` takes them.

    Args:
        key_file, sys_file: files in the CoNLL format.
        NP_only: leaves out mentions that are verb phrases by the key's parse.
        remove_nested: leaves out mentions within another mention of their cluster.
        keep_singletons: whether clusters of one mention stay.
        min_span: compares mentions by their minimum spans, by the key's parse.

    >>> from corefeval import coval
    >>> infos = get_coref_infos("examples/key.conll", "examples/alder.conll")
    >>> [round(figure, 4) for figure in coval.evaluate_documents(infos, coval.lea)]
    [0.7664, 0.8943, 0.8254]
    """
    key_documents = read(key_file, "conll", quiet=True)
    others = {document.id: document for document in read(sys_file, "conll", side="response", quiet=True)}
    choices = [
        ("singletons", "keep" if keep_singletons else "drop"),
        ("np-only", "yes" if NP_only else "no"),
        ("remove-nested", "yes" if remove_nested else "no"),
        ("match", "min-span" if min_span else "exact"),
    ]
    infos: dict[str, _Info] = {}
    for key in key_documents:
        response = others.get(key.id)
        if response is None:
            hint = "add it to the response, or take it out of the key"
            raise PairingError(f"the response has no document `{key.id}`", code="pairing", hint=hint)
        # What stands behind `#begin document`.
        name = f"({key.name}); part {key.part or 0:03}\n"
        ours, theirs = (_clusters(name, side, key, choices) for side in (key, response))
        infos[name] = (ours, theirs, get_mention_assignments(ours, theirs), get_mention_assignments(theirs, ours))
    return infos


def _clusters(name: str, document: Document, key: Document, choices: list[tuple[str, str]]) -> _Clusters:
    """The clusters of a document that the rules leave, in the order in which the file closes the first mention of each."""
    clusters: dict[int, list[Mention]] = {}
    for entity, sentence, start, end, words, minimum in document._native.coval_mentions(key._native, choices):
        mention = Mention(name, sentence, start, end, words)
        mention.min_spans = frozenset(minimum)
        clusters.setdefault(entity, []).append(mention)
    return list(clusters.values())


def get_mention_assignments(
    inp_clusters: Sequence[Sequence[Any]], out_clusters: Sequence[Sequence[Any]]
) -> dict[Any, int]:
    """Of each mention of ``inp_clusters`` that ``out_clusters`` have the number of the last that has it."""
    places: Mapping[Any, int] = {mention: place for place, cluster in enumerate(out_clusters) for mention in cluster}
    return {mention: places[mention] for cluster in inp_clusters for mention in cluster if mention in places}
