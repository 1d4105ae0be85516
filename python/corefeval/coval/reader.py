"""The public functions of coval's ``reader``, which convert files or their lines to the evaluator's input.

    from corefeval.coval import reader  # instead of: from coval.conll import reader
    infos = reader.get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span)

Callers that read lines themselves can use the steps of ``get_coref_infos``: ``get_doc_lines``, ``get_doc_mentions``,
``set_annotated_parse_trees``, ``remove_nested_coref_mentions``, ``get_mention_assignments``.

The reader of the command reads the files. Errors in a file name the place, and a key document that the response lacks is an
error. Warnings of the command, such as for an unclosed mention, are issued as ``CorefevalWarning``. Nothing is printed.
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
        start, end: its first and last word in the sentence, from 0.
        words: its words.
        min_spans: the words of its minimum span, each with its index; empty if not requested.
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
        """Returns 0 if this mention lies within ``other``, 1 if ``other`` lies within this mention, and -1 if neither does
        or both are equal."""
        if self == other or (self.doc_name, self.sent_num) != (other.doc_name, other.sent_num):
            return -1
        if other.start <= self.start and self.end <= other.end:
            return 0
        return 1 if self.start <= other.start and other.end <= self.end else -1

    def get_span(self) -> str:
        """Returns the words of the minimum span, or all words without a minimum span."""
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
    """Returns for each key document the clusters of key and response, and for the mentions of each side the number of
    their cluster on the other side: the input of :func:`corefeval.coval.evaluate_documents`.

    Args:
        key_file, sys_file: files in the CoNLL format.
        NP_only: drops mentions that are verb phrases in the key's parse.
        remove_nested: drops mentions within another mention of their cluster.
        keep_singletons: whether to keep clusters with one mention.
        min_span: compares mentions by their minimum spans, which the key's parse determines.

    >>> from corefeval import coval
    >>> infos = get_coref_infos("examples/key.conll", "examples/alder.conll")
    >>> [round(score, 4) for score in coval.evaluate_documents(infos, coval.lea)]
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
    """Reads the documents of files. Warnings refer to the line that called the public function of this module."""
    return _of_inputs(inputs, "conll", side, {}, False, quiet, level=5)


def _clusters(name: str, document: Document, key: Document, choices: list[tuple[str, str]]) -> _Clusters:
    """Returns the clusters that remain after the rules, in the order in which the file closes their first mentions."""
    clusters: dict[int, list[Mention]] = {}
    for entity, sentence, start, end, words, minimum in document._native.coval_mentions(key._native, choices):
        mention = Mention(name, sentence, start, end, words)
        mention.min_spans = frozenset(minimum)
        clusters.setdefault(entity, []).append(mention)
    return list(clusters.values())


def get_mention_assignments(
    inp_clusters: Sequence[Sequence[Any]], out_clusters: Sequence[Sequence[Any]]
) -> dict[Any, int]:
    """Maps each mention of ``inp_clusters`` that is in ``out_clusters`` to the number of the last cluster that contains it."""
    places: Mapping[Any, int] = {mention: place for place, cluster in enumerate(out_clusters) for mention in cluster}
    return {mention: places[mention] for cluster in inp_clusters for mention in cluster if mention in places}


_Lines = Sequence[Sequence[str]]


def get_doc_lines(file_name: _Path) -> dict[str, list[list[str]]]:
    """Returns the lines of each document of a file by the text after ``#begin document``, a list for each sentence.

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
    """Returns the lines of a file, plain or compressed by gzip, with their line ends."""
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
    """Returns lines as the file of a document."""
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
    """Returns the clusters in the lines of a document, and the number of dropped clusters with one mention.

    Args:
        doc_name: the name of the document, for its mentions.
        doc_lines: a list of lines for each sentence.
        keep_singletons: whether to keep clusters with one mention.
        print_debug: ignored; nothing is printed.
        word_column: the column of words; must be 3, as in CoNLL-2012.
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
    """Applies the key's parse to clusters: sets minimum spans with ``min_span``, and drops verb phrases with ``NP_only``.
    Clusters with at most one remaining mention are dropped; so are all clusters with a verb phrase if
    ``partial_vp_chain_pruning`` is false."""
    # Warnings were issued when the mentions were read.
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
    # Clusters are numbered in the given order.
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
    """Removes from each cluster, in place, the mentions that lie within another mention. Clusters with exactly one
    remaining mention do not change with ``keep_singletons``, and are dropped otherwise.

    Returns:
        The number of pairs of nested mentions, and the number of clusters with one remaining mention.
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
