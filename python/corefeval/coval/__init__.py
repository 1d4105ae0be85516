"""The functions of coval's ``evaluator`` that people import, with its arguments and its figures.

    from corefeval import coval as evaluator  # instead of: from coval.eval import evaluator
    evaluator.evaluate_documents(doc_coref_infos, evaluator.muc)

Its ``reader`` is :mod:`corefeval.coval.reader`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from .._corefeval import Documents
from ..report import MetricScore, Report
from . import reader

__all__ = [
    "Evaluator",
    "b_cubed",
    "ceafe",
    "ceafm",
    "evaluate_documents",
    "get_document_evaluations",
    "lea",
    "mentions",
    "muc",
    "reader",
]

_Clusters = Sequence[Sequence[Hashable]]
_Info = tuple[_Clusters, _Clusters, Mapping[Any, Any], Mapping[Any, Any]]


def _score(metric: str, key: Any, response: Any) -> MetricScore:
    documents = Documents()
    documents.add(None, key, response)
    asked = {"profile": "coval", "metrics": metric, "choices": [], "threads": 1}
    return Report(documents.score(asked, name="", strict=False))[metric]


def _found(metric: str, clusters: _Clusters, mention_to_gold: Mapping[Any, Any]) -> tuple[float, float]:
    """What of the clusters is found where each mention has the cluster that the dictionary says."""
    others: dict[Any, list[Any]] = {}
    for cluster in clusters:
        for mention in cluster:
            if mention in mention_to_gold:
                others.setdefault(mention_to_gold[mention], []).append(mention)
    details = _score(metric, clusters, others.values()).details
    return details["recall_num"], details["recall_den"]


def mentions(clusters: _Clusters, mention_to_gold: Mapping[Any, Any]) -> tuple[float, float]:
    """How many different mentions are in the dictionary, and how many there are."""
    distinct = {mention for cluster in clusters for mention in cluster}
    return len(distinct & mention_to_gold.keys()), len(distinct)


def muc(clusters: _Clusters, mention_to_gold: Mapping[Any, Any]) -> tuple[float, float]:
    """Numerator and denominator of MUC."""
    return _found("muc", clusters, mention_to_gold)


def b_cubed(clusters: _Clusters, mention_to_gold: Mapping[Any, Any]) -> tuple[float, float]:
    """Numerator and denominator of B³."""
    return _found("b_cubed", clusters, mention_to_gold)


def lea(
    input_clusters: _Clusters, output_clusters: _Clusters, mention_to_gold: Mapping[Any, Any]
) -> tuple[float, float]:
    """Numerator and denominator of LEA. The dictionary has the place of a mention's cluster in ``output_clusters``."""
    others: dict[Any, list[Any]] = {}
    for cluster in input_clusters:
        for mention in cluster:
            if mention in mention_to_gold:
                others.setdefault(mention_to_gold[mention], []).append(mention)
    # A singleton is found by a singleton only: what else the other cluster has stands there as itself.
    for place, found in others.items():
        found.extend(object() for _ in range(len(output_clusters[place]) - len(found)))
    details = _score("lea", input_clusters, others.values()).details
    return details["recall_num"], details["recall_den"]


def ceafe(clusters: _Clusters, gold_clusters: _Clusters) -> tuple[float, float, float, float]:
    """Numerator and denominator of precision and of recall of CEAF φ4."""
    return _ceaf("ceaf_e", clusters, gold_clusters)


def ceafm(clusters: _Clusters, gold_clusters: _Clusters) -> tuple[float, float, float, float]:
    """Numerator and denominator of precision and of recall of CEAF φ3."""
    return _ceaf("ceaf_m", clusters, gold_clusters)


def _ceaf(metric: str, clusters: _Clusters, gold_clusters: _Clusters) -> tuple[float, float, float, float]:
    details = _score(metric, gold_clusters, clusters).details
    return (
        details["precision_num"],
        details["precision_den"],
        details["recall_num"],
        details["recall_den"],
    )


class Evaluator:
    """Adds up what one metric counts over documents."""

    def __init__(self, metric: Callable[..., Any], beta: float = 1, keep_aggregated_values: bool = False) -> None:
        self.p_num = self.p_den = self.r_num = self.r_den = 0.0
        self.metric = metric
        self.beta = beta
        self.keep_aggregated_values = keep_aggregated_values
        self.aggregated_p_num: list[float] = []
        self.aggregated_p_den: list[float] = []
        self.aggregated_r_num: list[float] = []
        self.aggregated_r_den: list[float] = []

    def update(self, coref_info: _Info) -> None:
        """Adds a document: clusters of key and system, then the clusters that the mentions of each have in the other."""
        key_clusters, sys_clusters, key_mention_sys_cluster, sys_mention_key_cluster = coref_info
        if self.metric in (ceafe, ceafm):
            pn, pd, rn, rd = self.metric(sys_clusters, key_clusters)
        elif self.metric is lea:
            pn, pd = self.metric(sys_clusters, key_clusters, sys_mention_key_cluster)
            rn, rd = self.metric(key_clusters, sys_clusters, key_mention_sys_cluster)
        else:
            pn, pd = self.metric(sys_clusters, sys_mention_key_cluster)
            rn, rd = self.metric(key_clusters, key_mention_sys_cluster)
        self.p_num, self.p_den = self.p_num + pn, self.p_den + pd
        self.r_num, self.r_den = self.r_num + rn, self.r_den + rd
        if self.keep_aggregated_values:
            self.aggregated_p_num.append(pn)
            self.aggregated_p_den.append(pd)
            self.aggregated_r_num.append(rn)
            self.aggregated_r_den.append(rd)

    def get_precision(self) -> float:
        """The precision, 0 where there is nothing to count."""
        return self.p_num / self.p_den if self.p_den else 0

    def get_recall(self) -> float:
        """The recall, 0 where there is nothing to count."""
        return self.r_num / self.r_den if self.r_den else 0

    def get_f1(self) -> float:
        """The harmonic mean of both, where recall is worth ``beta`` times as much."""
        precision, recall, square = self.get_precision(), self.get_recall(), self.beta * self.beta
        return (1 + square) * precision * recall / (square * precision + recall) if precision + recall else 0

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, in this order."""
        return self.get_precision(), self.get_recall(), self.get_f1()

    def get_counts(self) -> tuple[float, float, float, float]:
        """Numerator and denominator of precision, then those of recall."""
        return self.p_num, self.p_den, self.r_num, self.r_den

    def get_aggregated_values(self) -> tuple[list[float], list[float], list[float], list[float]]:
        """The same for each document."""
        return self.aggregated_p_num, self.aggregated_p_den, self.aggregated_r_num, self.aggregated_r_den


def evaluate_documents(
    doc_coref_infos: Mapping[Any, _Info], metric: Callable[..., Any], beta: float = 1
) -> tuple[float, float, float]:
    """Recall, precision and F1 over documents, in this order."""
    evaluator = Evaluator(metric, beta=beta)
    for info in doc_coref_infos.values():
        evaluator.update(info)
    return evaluator.get_recall(), evaluator.get_precision(), evaluator.get_f1()


def get_document_evaluations(
    doc_coref_infos: Mapping[Any, _Info], metric: Callable[..., Any], beta: float = 1
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Numerators and denominators of precision and of recall, for each document."""
    evaluator = Evaluator(metric, beta=beta, keep_aggregated_values=True)
    for info in doc_coref_infos.values():
        evaluator.update(info)
    return evaluator.get_aggregated_values()
