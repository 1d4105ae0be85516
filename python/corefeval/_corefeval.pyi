# Generated from the extension by .ci/stubs; do not edit.
"""
The extension module of the Python package `corefeval`. Private.
"""

from _typeshed import SupportsGetItem
from os import PathLike
from typing import Any, Final, SupportsIndex, final

__all__ = ["VERSION", "ClusterCounter", "Counter", "Document", "Documents", "LabelNumbers", "Rendered", "check_lists", "check_settings", "documents_of", "list_formats", "list_metrics", "list_options", "list_profiles", "map_objects", "metric_key", "metric_parts", "read", "reported", "run_command", "span_ends", "unwinds", "usual_metrics", "write"]

VERSION: Final[str]
"""
The version of the package and of the command.
"""

@final
class ClusterCounter:
    """
    Adds up the counts of a metric over documents, for the drop-ins for other scorers. Private.
    """
    def __new__(cls, /, metric: str) -> ClusterCounter: ...
    def add(self, /, key: Any, response: Any, key_answers: Any, response_answers: Any) -> None:
        """
        Adds a document: the clusters of both sides, and the answers for the mentions of each, which CEAF ignores.
        """
    def add_all(self, /, documents: Any) -> None:
        """
        Adds documents, each with the four arguments of [`add`](Self::add).
        """
    def count(self, /, key: Any, response: Any, key_answers: Any, response_answers: Any) -> tuple[float, float, float, float]:
        """
        Returns the counts of a single document.
        """
    def side(self, /, clusters: Any, answers: Any, others: Any | None = None, singletons: bool = True) -> tuple[float, float]:
        """
        Returns numerator and denominator of one side by the answers for its mentions. A metric with links of singletons to
        themselves (LEA) takes the size of a singleton's answer from `others`. Without `singletons`, answers with one mention do not count.
        """
    def take(self, /) -> tuple[float, float, float, float]:
        """
        Returns the total counts of all documents since the last call.
        """

@final
class Counter:
    """
    Counts metrics in documents one by one, for the drop-ins for other scorers. Private.
    """
    def __new__(cls, /, options: "dict[str, list[str]]") -> Counter: ...
    def count(self, /, key: Any, response: Any) -> tuple[float, float, float, float]:
        """
        Returns the counts of the first metric in one document, as [`Documents::counts`] does.
        """

@final
class Document:
    """
    A document of the library, with its format. Private: see `corefeval.Document`.
    """
    def about(self, /) -> tuple[str, str, int | None, str | None, str | None, str, int, str]:
        """
        Returns id, name, part, topic, genre, file, line, format.
        """
    def coval_mentions(self, /, key: Document, choices: SupportsGetItem[int, tuple[str, str]]) -> list[tuple[int, int, int, int, list[str], list[tuple[str, int]]]]:
        """
        Returns the mentions that remain after selection by the parse of `key`: entity, sentence, first and last word in
        the sentence, words, and the minimum span if `match` uses it.
        """
    def entities(self, /) -> tuple[list[str], list[tuple[int, int, int, int | None, tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[str, str]], bool] | None, int, int]]]:
        """
        Returns the names of the entities, and the mentions in the order of the file.
        """
    @staticmethod
    def from_state(format: str, bytes: bytes) -> Document:
        """
        Returns the document of a pickled state.
        """
    @staticmethod
    def make(name: str, part: SupportsIndex | None, sentences: SupportsGetItem[int, SupportsGetItem[int, str]] | None, zeros: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsGetItem[int, tuple[SupportsIndex | None, str]]]], entities: SupportsGetItem[int, str], given: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex | None, SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[str, str]], bool]], relations: tuple[SupportsGetItem[int, tuple[SupportsIndex, SupportsGetItem[int, SupportsIndex]]], SupportsGetItem[int, tuple[SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]] | None, SupportsIndex | None, str]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex | None, SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[str, str]], bool]]], topic: str | None, genre: str | None, format: str) -> Document:
        """
        Builds a document from Python objects. Without `sentences` its words are unknown; `zeros` are in order.
        """
    def places(self, /) -> tuple[int, list[int], bool, int]:
        """
        Returns the number of words, the starts of sentences, whether the words are known, and the number of words at the
        end that belong to mentions without a place in the text.
        """
    def relations(self, /) -> tuple[list[tuple[int, list[int]]], list[tuple[list[tuple[int, int]], list[tuple[int, int]] | None, int | None, str]], list[tuple[int, int, int, int | None, tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[str, str]], bool] | None, int, int]]]:
        """
        Returns the annotation beyond identity.
        """
    def state(self, /) -> tuple[str, bytes]:
        """
        Returns the document for pickle.
        """
    def tokens(self, /) -> list[str] | None:
        """
        Returns the words, if known.
        """
    def with_entities(self, /, zeros: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsGetItem[int, tuple[SupportsIndex | None, str]]]], added: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex]], entities: SupportsGetItem[int, str], given: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex | None, SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[str, str]], bool]], relations: tuple[SupportsGetItem[int, tuple[SupportsIndex, SupportsGetItem[int, SupportsIndex]]], SupportsGetItem[int, tuple[SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]] | None, SupportsIndex | None, str]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex | None, SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], SupportsGetItem[int, tuple[str, str]], bool]]]) -> Document:
        """
        Returns the document with the same words and other entities. `zeros` contains all zeros of the result, and `added`
        the new zeros: place, sentence, number.
        """
    def zeros(self, /) -> list[tuple[int, int, list[tuple[int | None, str]]]]:
        """
        Returns the words that are not in the text.
        """

@final
class Documents:
    """
    Documents of a key and a response, with the counts from previous reports. Private: see `corefeval.Scorer`.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, exclusive: tuple[bool, bool] = ..., sides: "tuple[str, str] | None" = None, *, any_pairs: bool = False) -> Documents: ...
    def add(self, /, id: str | None, key: Any | None, response: Any | None) -> None:
        """
        Adds a document of entities. A side that is None is missing.
        """
    def add_labels(self, /, id: str | None, key: LabelNumbers, response: LabelNumbers) -> None:
        """
        Adds a document of labels, one for each mention.
        """
    def counted_before(self, /) -> int:
        """
        Returns the number of documents that the next report need not count again.
        """
    def counts(self, /, options: "dict[str, list[str]]") -> list[tuple[str, tuple[float, float, float, float]]]:
        """
        Returns the counts of each metric over all documents without a report: numerator and denominator of precision, then
        of recall.
        """
    def extend(self, /, key: SupportsGetItem[int, Document], response: SupportsGetItem[int, Document]) -> None:
        """
        Adds documents that exist already.
        """
    @staticmethod
    def from_state(key: SupportsGetItem[int, tuple[str, bytes]], response: SupportsGetItem[int, tuple[str, bytes]], numbers: SupportsGetItem[int, str], wordless: str | None, exclusive: tuple[bool, bool]) -> Documents:
        """
        Returns the documents of a pickled state.
        """
    def given_names(self, /) -> list[str]:
        """
        Returns the names that the caller gave to documents.
        """
    def merge(self, /, other: Documents) -> None:
        """
        Adds the documents of `other`.
        """
    def score(self, /, options: "dict[str, list[str]]", *, name: str) -> Rendered:
        """
        Scores the documents as `reported("score", ...)` does. `options` maps the names of options on the command line to
        their values.
        """
    def state(self, /) -> tuple[list[tuple[str, bytes]], list[tuple[str, bytes]], list[str], str | None, tuple[bool, bool]]:
        """
        Returns the documents as plain values for pickle: key documents, response documents, generated names, the name of a
        document without words, and whether ends are exclusive.
        """

@final
class LabelNumbers:
    """
    Labels of one side as numbers, in order. Private: see `corefeval.Labels`.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, labels: "object", side: str, named: bool) -> LabelNumbers:
        """
        Numbers the labels of the side called `side`; set `named` if each mention has a name. A `BufferError` means that
        the data of the Arrow interface cannot be read.
        """
    def entities(self, /, mentions: SupportsGetItem[int, Any]) -> "list[list[Any]]":
        """
        Groups mentions by their labels, one mention per label.
        """

@final
class Rendered:
    """
    A report of any kind.
    """
    def data(self, /) -> str:
        """
        Returns the results as JSON. Scores come without findings and without rows by document or group, which can be
        thousands.
        """
    def figures(self, /) -> list[tuple[str, str]]:
        """
        Returns the figures that the command draws, as SVG, by name.
        """
    def findings(self, /, *, warnings: bool = False, first: bool = False) -> "list[dict[str, Any]]":
        """
        Returns the findings, or only the warnings, worded for Python; each with its stored places, or only the first.
        """
    def not_shown(self, /, output: str) -> "list[dict[str, Any]]":
        """
        Returns the warnings about data that an output omits.
        """
    def outputs(self, /) -> list[str]:
        """
        Returns the names of the outputs.
        """
    def page(self, /, *, title: str | None, first: SupportsIndex | None, named: SupportsGetItem[int, str] | None, without_text: bool, compared: bool) -> str:
        """
        Returns the page of `corefeval report` as HTML: with the texts of the documents with these ids, otherwise of the
        first documents, otherwise of all; or without text. Intervals and tests take time and require `compared`.
        """
    def render(self, /, output: str, *, columns: str | None = None, details: bool = False, digits: SupportsIndex | None = None) -> str:
        """
        Returns the report as text, in one of the outputs of the command.
        """
    def rows(self, /, system: SupportsIndex) -> str:
        """
        Returns the rows by document or group of the system at this index as JSON: an object with `documents`, `groups` or
        nothing.
        """
    def write_figures(self, /, folder: str | PathLike[str]) -> "list[dict[str, Any]]":
        """
        Writes the figures into a directory as the command does, and returns the findings.
        """

def check_lists(options: "dict[str, list[str]]", wordless: str | None) -> None:
    """
    Fails if settings require something that lists of mentions lack. `wordless` is the name of a document whose
    mentions have unknown words, if any.
    """

def check_settings(options: "dict[str, list[str]]") -> None:
    """
    Fails if settings or metrics contradict each other or do not exist.
    """

def documents_of(name: str, sides: SupportsGetItem[int, tuple[str, Any, bool]], named: bool) -> "tuple[list[Document], list[dict[str, Any]], bool]":
    """
    Builds documents of one text, each from another annotator or system and with inclusive or exclusive ends. Equal mentions
    match. With `named`, mentions that are not spans have names, for reports that show them. Also returns the findings, and
    whether the mentions have unknown words.
    """

def list_formats() -> list[str]:
    """
    Returns the names of all formats.
    """

def list_metrics() -> list[str]:
    """
    Returns the ids of all metrics.
    """

def list_options() -> dict[str, list[str]]:
    """
    Returns the values of each setting by its keyword, starting with the default for lists of mentions.
    """

def list_profiles() -> list[str]:
    """
    Returns the names of all profiles.
    """

def map_objects(key: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], response: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]], similar: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex]]) -> tuple[list[float], list[float], list[tuple[int, int]]]:
    """
    Finds the best one-to-one map of objects. Returns recall, precision and F1, their numerators and denominators, and the
    map.

    `key` and `response` are the similarities of objects to themselves, `similar` the similarities of pairs.
    """

def metric_key(name: str) -> str:
    """
    Returns the key of a metric in reports, given any of its names. Private: see `Report.__getitem__`.
    """

def metric_parts(name: str) -> list[str]:
    """
    Returns the metrics that a mean averages; none for other metrics. Private.
    """

def read(inputs: SupportsGetItem[int, tuple[str | PathLike[str], bytes | bytearray | None]], *, format: str | None, response: bool, choices: SupportsGetItem[int, tuple[str, str]], strict: bool, onto: str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray] | None = None) -> "tuple[list[Document], list[dict[str, Any]]]":
    """
    Reads the documents of files. An input is a path, or the name and the bytes of a text. Also returns the findings.
    """

def reported(task: str, options: "dict[str, list[str]]", key: tuple[str | None, str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray]] | None, responses: SupportsGetItem[int, tuple[str | None, str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray]]], *, pairs: SupportsGetItem[int, tuple[tuple[str | None, str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray]], tuple[str | None, str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray]]]] = ..., annotated: tuple[str | None, str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray]] | None = None, counts: SupportsGetItem[int, tuple[str | None, str | SupportsGetItem[int, Document] | tuple[str, bytes | bytearray]]] = ...) -> Rendered:
    """
    Returns the report of a task, which is a row of `request::TASKS`.

    `options` maps the names of options on the command line to their values. Without a key, a key is made from names.
    `counts` are tables of counts that replace all other inputs.
    """

def run_command(typed: SupportsGetItem[int, str]) -> int:
    """
    Runs the command `corefeval` with these arguments, which start with its name. Returns its exit status.
    """

def span_ends(list: str) -> list[tuple[str, str]]:
    """
    Returns the sides that a value of `span_end_of` names, each with the meaning of its ends. Private.
    """

def unwinds() -> bool:
    """
    Returns whether a panic unwinds and becomes an exception; otherwise it ends the process.
    """

def usual_metrics() -> list[str]:
    """
    Returns the default metrics for lists of mentions.
    """

def write(documents: SupportsGetItem[int, Document], *, format: str, choices: SupportsGetItem[int, tuple[str, str]], strict: bool) -> "tuple[str | list[tuple[str, str]], list[dict[str, Any]]]":
    """
    Writes documents in a format. Also returns the findings.
    """
