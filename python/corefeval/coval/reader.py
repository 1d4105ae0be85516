"""The entry points of coval's ``reader`` that programs import: from files, or lines of files, to the evaluator's input.

    from corefeval.coval import reader  # instead of: from coval.conll import reader
    infos = reader.get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span)

The steps of ``get_coref_infos`` exist too, for callers that read lines themselves: ``get_doc_lines``,
``get_doc_mentions``, ``set_annotated_parse_trees``, ``remove_nested_coref_mentions``, ``get_mention_assignments``.

Files are read by the reader of the command: a faulty file is an error with its place, and so is a document of the key that
the response lacks. Warnings of the command, such as for a mention that is not closed, are a ``CorefevalWarning``.
Nothing is printed.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from ..documents import Document, _inputs, _of_inputs
from ..exceptions import FormatError, PairingError, ReadError, SettingsError, UnparsedError
from .util import HINT, _parsed

__all__ = [
    "Mention",
    "get_coref_infos",
    "get_doc_lines",
    "get_doc_mentions",
    "get_mention_assignments",
    "remove_nested_coref_mentions",
    "set_annotated_parse_trees",
]

_Path = Union[str, "os.PathLike[str]"]


class Mention:
    """A mention, identified by its place in a sentence or, if requested, by its minimum span.

    Attributes:
        doc_name: its document.
        sent_num: its sentence, from 0.
        start, end: its first and its last word in the sentence, from 0.
        words: its words.
        min_spans: the words of its minimum span, each with its place; empty if not requested.
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

    def are_nested(self, other: Mention) -> int:
        """0 if this mention lies within ``other``, 1 if ``other`` lies within this one, -1 if neither does or both are
        the same."""
        if self == other or (self.doc_name, self.sent_num) != (other.doc_name, other.sent_num):
            return -1
        if other.start <= self.start and self.end <= other.end:
            return 0
        return 1 if self.start <= other.start and other.end <= self.end else -1

    def get_span(self) -> str:
        """The words of the minimum span, or all of them without one."""
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
    key_documents = _read(_inputs(key_file))
    begin = {number: line[len(_BEGIN) :] for number, line in enumerate(_lines(key_file), 1) if line.startswith(_BEGIN)}
    key_lines = get_doc_lines(key_file) if min_span or NP_only else {}
    others = {document.id: document for document in _read(_inputs(sys_file), "response")}
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
            hint = "add it to the response, or remove it from the key"
            raise PairingError(f"the response has no document `{key.id}`", code="pairing", hint=hint)
        # The text after `#begin document`.
        name = begin.get(key.line, f"({key.name}); part {key.part or 0:03}\n")
        if (min_span or NP_only) and not _parsed(line for lines in key_lines.get(name, ()) for line in lines):
            place: dict[str, Any] = {"file": os.fspath(key_file), "line": key.line}
            raise UnparsedError(f"`{key.id}` has no parse", code="settings", hint=HINT, **place)
        ours, theirs = (_clusters(name, side, key, choices) for side in (key, response))
        infos[name] = (ours, theirs, get_mention_assignments(ours, theirs), get_mention_assignments(theirs, ours))
    return infos


def _read(inputs: list[tuple[str, bytes | None]], side: str = "key", *, quiet: bool = False) -> list[Document]:
    """The documents of files; warnings are about the line that called the function of this module."""
    return _of_inputs(inputs, "conll", side, {}, False, quiet, level=5)


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
    """For each mention of ``inp_clusters`` that is in ``out_clusters``, the number of the last one that contains it."""
    places: Mapping[Any, int] = {mention: place for place, cluster in enumerate(out_clusters) for mention in cluster}
    return {mention: places[mention] for cluster in inp_clusters for mention in cluster if mention in places}


_Lines = Sequence[Sequence[str]]


def get_doc_lines(file_name: _Path) -> dict[str, list[list[str]]]:
    """The lines of each document of a file by the text after ``#begin document``, a list for each sentence.

    >>> lines = get_doc_lines("examples/key.conll")
    >>> list(lines)[0], len(lines["(news/ferry_line); part 000\\n"])
    ('(news/ferry_line); part 000\\n', 11)
    """
    documents: dict[str, list[list[str]]] = {}
    sentences: list[list[str]] | None = None
    for line in _lines(file_name):
        if line.startswith(_BEGIN):
            sentences = documents.setdefault(line[len(_BEGIN) :], [])
            sentences.append([])
        elif line.startswith("#end document"):
            sentences = None
        elif sentences is not None and line.strip():
            sentences[-1].append(line)
        elif sentences is not None and sentences[-1]:
            sentences.append([])
    return {name: [lines for lines in sentences if lines] for name, sentences in documents.items()}


#: The text before the name of a document.
_BEGIN = "#begin document "


def _lines(file_name: _Path) -> list[str]:
    """The lines of a file with their ends, plain or compressed by gzip."""
    try:
        with open(file_name, "rb") as file:
            content = file.read()
    except OSError as error:
        message = f"this file cannot be read: {error.strerror or error}"
        raise ReadError(message, file=os.fspath(file_name), code="io") from error
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    elif content[:4] == b"\x28\xb5\x2f\xfd":
        message = "this file is compressed by Zstandard, which coval's steps cannot decompress"
        hint = "decompress it, compress it by gzip, or use corefeval.score_files"
        raise FormatError(message, file=os.fspath(file_name), code="format", hint=hint)
    with io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", errors="surrogateescape") as text:
        return list(text)


def _text_of(name: str, doc_lines: _Lines) -> list[tuple[str, bytes | None]]:
    """These lines as the file of a document."""
    if any(isinstance(sentence, str) for sentence in doc_lines):
        hint = "give a list of lines for each sentence, as get_doc_lines does"
        raise FormatError("doc_lines are lines, not sentences of lines", code="format", hint=hint)
    text = "\n\n".join("\n".join(line.rstrip("\r\n") for line in sentence) for sentence in doc_lines)
    content = f"#begin document {name.strip()}\n{text}\n\n#end document\n"
    return [(name.strip(), content.encode("utf-8", "surrogateescape"))]


_KEEP = [("singletons", "keep"), ("match", "exact")]


def get_doc_mentions(
    doc_name: str, doc_lines: _Lines, keep_singletons: bool, print_debug: bool = False, word_column: int = 3
) -> tuple[_Clusters, int]:
    """The clusters of a document by its lines, and how many clusters of one mention were left out.

    Args:
        doc_name: the name of the document, for its mentions.
        doc_lines: a list of lines for each sentence.
        keep_singletons: whether clusters of one mention stay.
        print_debug: nothing is printed either way.
        word_column: where words are; 3, as in CoNLL-2012.
    """
    if word_column != 3:
        hint = "convert the lines, or leave word_column out"
        raise SettingsError(f"words are in column 3, not {word_column}", code="settings", hint=hint)
    (document,) = _read(_text_of(doc_name, doc_lines))
    clusters = _clusters(doc_name, document, document, _KEEP)
    kept = clusters if keep_singletons else [cluster for cluster in clusters if len(cluster) > 1]
    return kept, len(clusters) - len(kept)


def set_annotated_parse_trees(
    clusters: Sequence[Sequence[Mention]],
    key_doc_lines: _Lines,
    NP_only: bool,
    min_span: bool,
    partial_vp_chain_pruning: bool = True,
    print_debug: bool = False,
) -> _Clusters:
    """The clusters after use of the key's parse: with minimum spans if ``min_span`` is true, and without verb phrases
    if ``NP_only`` is. A cluster with at most one remaining mention is dropped, and so is any cluster with a verb phrase
    if ``partial_vp_chain_pruning`` is false."""
    # Its lines were read for its mentions, with warnings.
    (key,) = _read(_text_of("parse", key_doc_lines), quiet=True)
    starts = [0]
    for lines in key_doc_lines:
        starts.append(starts[-1] + len(lines))
    place = [
        [(starts[mention.sent_num] + mention.start, starts[mention.sent_num] + mention.end) for mention in cluster]
        for cluster in clusters
    ]
    document = key.with_entities(place)
    choices = [
        ("singletons", "keep"),
        ("np-only", "yes" if NP_only else "no"),
        ("match", "min-span" if min_span else "exact"),
    ]
    found: dict[int, dict[tuple[int, int, int], Mention]] = {}
    for entity, sentence, start, end, words, minimum in document._native.coval_mentions(key._native, choices):
        mention = Mention("", sentence, start, end, words)
        mention.min_spans = frozenset(minimum)
        found.setdefault(entity, {})[sentence, start, end] = mention
    left: _Clusters = []
    # Clusters are numbered as they were given.
    for number, cluster in enumerate(clusters):
        own = found.get(number, {})
        kept = []
        for mention in cluster:
            same = own.get((mention.sent_num, mention.start, mention.end))
            if same is None:
                continue
            mention.min_spans = same.min_spans
            mention.words = mention.words if any(mention.words) else same.words
            kept.append(mention)
        whole = len(kept) == len(cluster)
        if whole or (partial_vp_chain_pruning and len(kept) > 1):
            left.append(kept)
    return left


def remove_nested_coref_mentions(
    clusters: list[list[Mention]], keep_singletons: bool, print_debug: bool = False
) -> tuple[int, int]:
    """Removes from each cluster, in place, the mentions that lie within another one. A cluster with exactly one
    remaining mention stays as it is if ``keep_singletons``, and is dropped otherwise.

    Returns:
        The number of pairs of a mention and one within it, and the number of clusters with one remaining mention.
    """
    pairs = alone = 0
    kept: list[list[Mention]] = []
    for cluster in clusters:
        by_sentence: dict[tuple[str, int], list[Mention]] = {}
        for mention in cluster:
            by_sentence.setdefault((mention.doc_name, mention.sent_num), []).append(mention)
        nested: list[Mention] = []
        for mentions in by_sentence.values():
            for number, one in enumerate(mentions):
                for other in mentions[number + 1 :]:
                    place = one.are_nested(other)
                    if place >= 0:
                        nested.append(one if place == 0 else other)
        pairs += len(nested)
        if len(cluster) != 1 and len(cluster) - len(nested) == 1:
            alone += 1
            if keep_singletons:
                kept.append(cluster)
        else:
            out = set(nested)
            kept.append([mention for mention in cluster if mention not in out])
    clusters[:] = kept
    return pairs, alone
