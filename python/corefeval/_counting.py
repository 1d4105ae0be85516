"""The counts of drop-ins: clusters, and dictionaries from mentions to clusters of the other side.

Scorers in Python use the dictionary instead of the other side's clusters, which differ if clusters overlap or contradict the
dictionary. Therefore each occurrence of a mention is a separate mention here, and those with the same answer in the
dictionary are an entity; the core counts these.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ._corefeval import Counter, Documents
from .exceptions import InputTypeError

Clusters = Sequence[Sequence[Hashable]]
#: Numerator and denominator.
Pair = tuple[float, float]
#: Numerator and denominator of precision, then those of recall.
Counts = tuple[float, float, float, float]


def score(
    documents: Documents,
    metrics: str,
    profile: str,
    choices: Sequence[tuple[str, str]] = (),
    threads: int | None = None,
) -> dict[str, Counts]:
    """The counts of metrics in documents, by metric."""
    asked = {"profile": profile, "metrics": metrics, "choices": list(choices), "threads": threads}
    return dict(documents.counts(asked))


def both(metric: str, key: Any, response: Any, profile: str, choices: Sequence[tuple[str, str]] = ()) -> Counts:
    """The counts of a metric in one document."""
    return _counter(metric, profile, tuple(choices)).count(key, response)


@lru_cache(maxsize=64)
def _counter(metric: str, profile: str, choices: tuple[tuple[str, str], ...]) -> Counter:
    return Counter({"profile": profile, "metrics": metric, "choices": list(choices), "threads": 1})


def found(metric: str, clusters: Iterable[Sequence[Any]], answers: Iterable[Sequence[Any]]) -> Pair:
    """The part of the clusters that a metric finds if each mention is replaced by its answer: equal answers
    are an entity, and None belongs to no entity."""
    ours, others = numbered(clusters, answers)
    if not ours:
        return 0, 0
    _, _, numerator, denominator = both(metric, ours, others, "coval")
    return numerator, denominator


def numbered(
    clusters: Iterable[Sequence[Any]], answers: Iterable[Sequence[Any]]
) -> tuple[list[list[int]], list[list[int]]]:
    """The clusters and the answers of :func:`found` as entities of numbers; empty if there is no mention."""
    ours: list[list[int]] = []
    others: dict[Any, list[int]] = {}
    count = 0
    for cluster, given in zip(clusters, answers):
        ours.append(list(range(count, count + len(cluster))))
        for place, answer in enumerate(given, count):
            if answer is not None:
                others.setdefault(answer, []).append(place)
        count += len(cluster)
    return (ours, list(others.values())) if count else ([], [])


class Queue:
    """Documents that are counted together by one metric, on request: a call of the core takes as long as counting
    many small documents."""

    #: The largest number of waiting documents.
    MOST = 4096

    def __init__(self, metric: str, profile: str) -> None:
        self._metric, self._profile = metric, profile
        self._documents = Documents(any_pairs=True)
        self._counts: Counts = (0, 0, 0, 0)

    def add(self, key: Any, response: Any) -> None:
        """Adds a document."""
        self._documents.add(None, key, response)
        if len(self._documents) >= self.MOST:
            self._count()

    def take(self) -> Counts:
        """The total counts of all documents since the last call."""
        self._count()
        counts, self._counts = self._counts, (0, 0, 0, 0)
        return counts

    def _count(self) -> None:
        if len(self._documents):
            more = score(self._documents, self._metric, self._profile, threads=1)[self._metric]
            a, b, c, d = (old + new for old, new in zip(self._counts, more))
            self._counts = a, b, c, d
            self._documents = Documents(any_pairs=True)


class Answers:
    """The answers of a dictionary, numbered: equal ones share a number, and each is compared once."""

    def __init__(self, mapping: Mapping[Any, Any], singletons: bool = True) -> None:
        self._mapping = mapping
        self._singletons = singletons
        #: Number by the identity of the answer; the answers are kept with it, so that they stay alive.
        self._known: dict[int, tuple[Any, int | None]] = {}
        self._numbers: dict[Any, int] = {}

    def of(self, cluster: Sequence[Any]) -> list[int | None]:
        """The number of the answer for each mention; None without an answer, or for an answer with one mention if these
        do not count."""
        mapping, known = self._mapping, self._known
        answers: list[int | None] = []
        for mention in cluster:
            try:
                absent = mention not in mapping
            except TypeError as error:
                hint = "mentions are hashable: a span is a tuple, not a list"
                raise InputTypeError(f"the mention {mention!r} is not hashable", code="input", hint=hint) from error
            if absent:
                answers.append(None)
                continue
            answer = mapping[mention]
            seen = known.get(id(answer))
            if seen is None:
                seen = known[id(answer)] = (answer, self._number(mention, answer))
            answers.append(seen[1])
        return answers

    def _number(self, mention: Any, answer: Any) -> int | None:
        try:
            if not self._singletons and len(answer) == 1:
                return None
            try:
                hash(answer)
            except TypeError:
                answer = tuple(answer)
            return self._numbers.setdefault(answer, len(self._numbers))
        except TypeError as error:
            message = f"the mention {mention!r} is mapped to {answer!r}, which is not a cluster"
            hint = "map each mention to its cluster, a tuple of mentions"
            raise InputTypeError(message, code="input", hint=hint) from error


def f1(p_num: float, p_den: float, r_num: float, r_den: float, beta: float = 1) -> float:
    """The harmonic mean of precision and recall, with ``beta`` times the weight on recall; 0 if both are 0."""
    precision = p_num / p_den if p_den else 0
    recall = r_num / r_den if r_den else 0
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall) if precision + recall else 0


def muc(clusters: Clusters, mention_to_gold: Mapping[Any, Any]) -> Pair:
    """Numerator and denominator of MUC: the links of the clusters, and those that the dictionary confirms."""
    answers = Answers(mention_to_gold)
    return found("muc", clusters, map(answers.of, clusters))


def b_cubed(clusters: Clusters, mention_to_gold: Mapping[Any, Any]) -> Pair:
    """Numerator and denominator of B³."""
    answers = Answers(mention_to_gold)
    return found("b_cubed", clusters, map(answers.of, clusters))


class Figures:
    """Separate methods for precision, recall and F1, for classes that compute them together."""

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, in this order; 0 if there is nothing to count."""
        raise NotImplementedError

    def get_precision(self) -> float:
        """The precision."""
        return self.get_prf()[0]

    def get_recall(self) -> float:
        """The recall."""
        return self.get_prf()[1]

    def get_f1(self) -> float:
        """The harmonic mean of both, or the mean of several."""
        return self.get_prf()[2]


def prf(counts: Sequence[float], beta: float = 1) -> tuple[float, float, float]:
    """Precision, recall and F1 of numerators and denominators."""
    p_num, p_den, r_num, r_den = counts
    return p_num / p_den if p_den else 0, r_num / r_den if r_den else 0, f1(p_num, p_den, r_num, r_den, beta)
