"""coval's ``evaluator``, with the same names, arguments and scores.

    from corefeval.coval import evaluator  # instead of: from coval.eval import evaluator
    evaluator.evaluate_documents(doc_coref_infos, evaluator.muc)

:func:`corefeval.coval.reader.get_coref_infos` returns what coval calls ``doc_coref_infos``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Set
from typing import Any

from .._corefeval import ClusterCounter
from .._counting import Clusters, Counts, Pair, ScoreGetters, b_cubed, documented, f1, found, muc, prf
from ..exceptions import SettingsError

__all__ = [
    "Evaluator",
    "b_cubed",
    "ceaf",
    "ceafe",
    "ceafm",
    "evaluate_documents",
    "evaluate_non_referrings",
    "f1",
    "get_document_evaluations",
    "lea",
    "mentions",
    "muc",
    "phi3",
    "phi4",
]

_Mapping = Mapping[Any, Any]
_Info = tuple[Clusters, Clusters, _Mapping, _Mapping]


def mentions(clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Returns the number of distinct mentions in the dictionary, and the number of all distinct mentions."""
    distinct = {mention for cluster in clusters for mention in cluster}
    return len(distinct & mention_to_gold.keys()), len(distinct)


def lea(input_clusters: Clusters, output_clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Returns numerator and denominator of LEA. The dictionary maps mentions to indices in ``output_clusters``."""
    return found("lea", input_clusters, mention_to_gold, output_clusters)


def phi3(c1: Set[Hashable], c2: Set[Hashable]) -> int:
    """Returns the similarity of two sets of mentions that :func:`ceafm` adds up."""
    return len(c1 & c2)


def phi4(c1: Set[Hashable], c2: Set[Hashable]) -> float:
    """Returns the similarity of two sets of mentions that :func:`ceafe` adds up."""
    return 2 * len(c1 & c2) / (len(c1) + len(c2))


def ceaf(clusters: Clusters, gold_clusters: Clusters, sim_func: Callable[..., float]) -> float:
    """Returns the total similarity of the best assignment of sets of mentions, by :func:`phi3` or :func:`phi4`."""
    metric = {phi3: "ceaf_m", phi4: "ceaf_e"}.get(sim_func)
    if metric is None:
        raise SettingsError("sim_func is another function than phi3 and phi4", code="settings", hint="give one of these")
    return documented(metric, gold_clusters, clusters, {}, {})[0]


def ceafe(clusters: Clusters, gold_clusters: Clusters) -> Counts:
    """Returns numerator and denominator of precision and of recall of CEAF φ4."""
    return documented("ceaf_e", gold_clusters, clusters, {}, {})


def ceafm(clusters: Clusters, gold_clusters: Clusters) -> Counts:
    """Returns numerator and denominator of precision and of recall of CEAF φ3."""
    return documented("ceaf_m", gold_clusters, clusters, {}, {})


def evaluate_non_referrings(
    doc_non_referring_infos: Mapping[Any, tuple[Collection[Hashable], Collection[Hashable]]],
) -> tuple[float, float, float]:
    """Returns recall, precision and F1 of non-referring expressions, given for key and system by document."""
    found = missed = wrong = 0
    for ours, theirs in doc_non_referring_infos.values():
        found += sum(mention in theirs for mention in ours)
        missed += sum(mention not in theirs for mention in ours)
        wrong += sum(mention not in ours for mention in theirs)
    recall = found / (found + missed) if found + missed else 0
    precision = found / (found + wrong) if found + wrong else 0
    return recall, precision, f1(found, found + wrong, found, found + missed)


#: The core's names for the metrics that it counts.
_NAMES: dict[Any, str] = {muc: "muc", b_cubed: "b_cubed", lea: "lea", ceafe: "ceaf_e", ceafm: "ceaf_m"}


def _count(place: int, doc: str) -> Any:
    """An attribute for one of the four counts."""

    def get(self: Evaluator) -> float:
        return self.get_counts()[place]

    def put(self: Evaluator, value: float) -> None:
        self._settle()
        self._counts[place] = value

    return property(get, put, doc=doc)


class Evaluator(ScoreGetters):
    """Adds up the counts of one metric over documents.

    ``metric`` is a metric of this module, or a user-defined function with the arguments of :func:`muc`.
    """

    p_num = _count(0, "The numerator of precision.")
    p_den = _count(1, "The denominator of precision.")
    r_num = _count(2, "The numerator of recall.")
    r_den = _count(3, "The denominator of recall.")

    def __init__(self, metric: Callable[..., Any], beta: float = 1, keep_aggregated_values: bool = False) -> None:
        self._counts = [0.0] * 4
        #: Counts further documents in the core; ``_settle`` adds them to ``_counts``.
        self._counter: ClusterCounter | None = None
        self.metric = metric
        self.beta = beta
        self.keep_aggregated_values = keep_aggregated_values
        self.aggregated_p_num: list[float] = []
        self.aggregated_p_den: list[float] = []
        self.aggregated_r_num: list[float] = []
        self.aggregated_r_den: list[float] = []

    @property
    def metric(self) -> Callable[..., Any]:
        """The function that counts a document."""
        return self._metric

    @metric.setter
    def metric(self, metric: Callable[..., Any]) -> None:
        self._settle()
        self._metric = metric
        self._counter = ClusterCounter(_NAMES[metric]) if metric in _NAMES else None

    def update(self, coref_info: _Info) -> None:
        """Adds a document: the clusters of key and system, then for the mentions of each the clusters of the other side."""
        key_clusters, sys_clusters, key_mention_sys_cluster, sys_mention_key_cluster = coref_info
        if self._counter is None:
            pn, pd = self._metric(sys_clusters, sys_mention_key_cluster)
            rn, rd = self._metric(key_clusters, key_mention_sys_cluster)
        elif self.keep_aggregated_values:
            pn, pd, rn, rd = documented(_NAMES[self._metric], *coref_info)
        else:
            self._counter.add(key_clusters, sys_clusters, key_mention_sys_cluster, sys_mention_key_cluster)
            return
        self._add(pn, pd, rn, rd)
        if self.keep_aggregated_values:
            self.aggregated_p_num.append(pn)
            self.aggregated_p_den.append(pd)
            self.aggregated_r_num.append(rn)
            self.aggregated_r_den.append(rd)

    def _update_all(self, coref_infos: Iterable[_Info]) -> None:
        """Adds several documents, as :meth:`update` adds one."""
        if self._counter is None or self.keep_aggregated_values:
            for info in coref_infos:
                self.update(info)
        else:
            self._counter.add_all(coref_infos)

    def _add(self, p_num: float, p_den: float, r_num: float, r_den: float) -> None:
        counts = self._counts
        counts[0] += p_num
        counts[1] += p_den
        counts[2] += r_num
        counts[3] += r_den

    def _settle(self) -> None:
        """Adds the counts of the core."""
        if self._counter is not None:
            self._add(*self._counter.take())

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {**self.__dict__, "_counter": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.metric = self._metric

    def get_prf(self) -> tuple[float, float, float]:
        """Returns precision, recall and F1, in this order; 0 if undefined."""
        return prf(self.get_counts(), self.beta)

    def get_counts(self) -> tuple[float, float, float, float]:
        """Returns numerator and denominator of precision, then of recall."""
        self._settle()
        p_num, p_den, r_num, r_den = self._counts
        return p_num, p_den, r_num, r_den

    def get_aggregated_values(self) -> tuple[list[float], list[float], list[float], list[float]]:
        """Returns the counts of each document, in the same order."""
        return self.aggregated_p_num, self.aggregated_p_den, self.aggregated_r_num, self.aggregated_r_den


def evaluate_documents(
    doc_coref_infos: Mapping[Any, _Info], metric: Callable[..., Any], beta: float = 1
) -> tuple[float, float, float]:
    """Returns recall, precision and F1 over documents, in this order."""
    evaluator = Evaluator(metric, beta=beta)
    evaluator._update_all(doc_coref_infos.values())
    return evaluator.get_recall(), evaluator.get_precision(), evaluator.get_f1()


def get_document_evaluations(
    doc_coref_infos: Mapping[Any, _Info], metric: Callable[..., Any], beta: float = 1
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Returns numerators and denominators of precision and of recall, for each document."""
    evaluator = Evaluator(metric, beta=beta, keep_aggregated_values=True)
    evaluator._update_all(doc_coref_infos.values())
    return evaluator.get_aggregated_values()
