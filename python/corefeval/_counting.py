"""Counts for the drop-ins, from clusters and dictionaries that map mentions to clusters of the other side.

Scorers in Python use the dictionary instead of the other side's clusters. Both differ if clusters overlap or contradict the
dictionary. Therefore equal answers of the dictionary form an entity here, and recall and precision have separate tables of
shared mentions. The extension builds these tables (:class:`ClusterCounter`), and the core counts from them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ._corefeval import ClusterCounter, Counter, Documents, metric_parts
from ._keywords import as_values

Clusters = Sequence[Sequence[Hashable]]
#: Numerator and denominator.
Pair = tuple[float, float]
#: The metrics that the CoNLL score averages.
CONLL_PARTS = tuple(metric_parts("conll"))
#: The default metrics in training: MUC, B³ and CEAF φ4, their mean, and LEA.
IN_TRAINING = ",".join((*CONLL_PARTS, "conll", "lea"))
#: Numerator and denominator of precision, then of recall.
Counts = tuple[float, float, float, float]


def score(
    documents: Documents,
    metrics: str,
    profile: str,
    choices: Sequence[tuple[str, str]] = (),
    threads: int | None = None,
) -> dict[str, Counts]:
    """Returns the counts of metrics in documents, by metric."""
    return dict(documents.counts(_options(metrics, profile, choices, threads)))


def _options(
    metrics: str, profile: str, choices: Iterable[tuple[str, str]], threads: int | None
) -> dict[str, list[str]]:
    number = {} if threads is None else {"threads": threads}
    return as_values({"profile": profile, "metrics": metrics, **dict(choices), **number})


def both(metric: str, key: Any, response: Any, profile: str, choices: Sequence[tuple[str, str]] = ()) -> Counts:
    """Returns the counts of a metric in one document."""
    return _counter(metric, profile, tuple(choices)).count(key, response)


@lru_cache(maxsize=64)
def _counter(metric: str, profile: str, choices: tuple[tuple[str, str], ...]) -> Counter:
    return Counter(_options(metric, profile, choices, 1))


@lru_cache(maxsize=None)
def _clusters(metric: str) -> ClusterCounter:
    """Returns the counter for independent documents and sides."""
    return ClusterCounter(metric)


def found(
    metric: str, clusters: Clusters, mapping: Mapping[Any, Any], others: Clusters | None = None, singletons: bool = True
) -> Pair:
    """Returns numerator and denominator of a metric for one side, with each mention replaced by its answer in the
    dictionary.

    Args:
        others: the clusters that the answers index, which LEA needs for clusters with one mention.
        singletons: whether an answer with one mention counts.
    """
    numerator, denominator = _clusters(metric).side(clusters, mapping, others, singletons)
    return (int(numerator) if metric in _WHOLE else numerator), int(denominator)


def documented(
    metric: str, key: Clusters, response: Clusters, of_key: Mapping[Any, Any], of_response: Mapping[Any, Any]
) -> Counts:
    """Returns the counts of one document from the clusters of both sides and the answers for the mentions of each."""
    p_num, p_den, r_num, r_den = _clusters(metric).count(key, response, of_key, of_response)
    if metric in _WHOLE:
        p_num, r_num = int(p_num), int(r_num)
    return p_num, int(p_den), r_num, int(r_den)


#: The metrics with integer numerators in the originals.
_WHOLE = ("muc",)


def f1(p_num: float, p_den: float, r_num: float, r_den: float, beta: float = 1) -> float:
    """Returns the harmonic mean of precision and recall, with ``beta`` times the weight on recall; 0 if both are 0."""
    precision = p_num / p_den if p_den else 0
    recall = r_num / r_den if r_den else 0
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall) if precision + recall else 0


def muc(clusters: Clusters, mention_to_gold: Mapping[Any, Any]) -> Pair:
    """Returns numerator and denominator of MUC: the links that the dictionary confirms, and all links of the clusters."""
    return found("muc", clusters, mention_to_gold)


def b_cubed(clusters: Clusters, mention_to_gold: Mapping[Any, Any]) -> Pair:
    """Returns numerator and denominator of B³."""
    return found("b_cubed", clusters, mention_to_gold)


class ScoreGetters:
    """Separate methods for precision, recall and F1, for classes that compute them together."""

    def get_prf(self) -> tuple[float, float, float]:
        """Returns precision, recall and F1, in this order; 0 if undefined."""
        raise NotImplementedError

    def get_precision(self) -> float:
        """Returns the precision."""
        return self.get_prf()[0]

    def get_recall(self) -> float:
        """Returns the recall."""
        return self.get_prf()[1]

    def get_f1(self) -> float:
        """Returns the harmonic mean of precision and recall, or the mean F1 of several metrics."""
        return self.get_prf()[2]


def prf(counts: Sequence[float], beta: float = 1) -> tuple[float, float, float]:
    """Returns precision, recall and F1 from numerators and denominators."""
    p_num, p_den, r_num, r_den = counts
    return p_num / p_den if p_den else 0, r_num / r_den if r_den else 0, f1(p_num, p_den, r_num, r_den, beta)
