"""coval's ``evaluator``, with its names, its arguments and its figures.

    from corefeval.coval import evaluator  # instead of: from coval.eval import evaluator
    evaluator.evaluate_documents(doc_coref_infos, evaluator.muc)

What coval calls ``doc_coref_infos`` comes from :func:`corefeval.coval.reader.get_coref_infos`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Set
from typing import Any

from .._counting import Answers, Clusters, Counts, Figures, Pair, Queue, b_cubed, both, f1, found, muc, numbered, prf
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
    """The number of distinct mentions in the dictionary, and the number of all distinct mentions."""
    distinct = {mention for cluster in clusters for mention in cluster}
    return len(distinct & mention_to_gold.keys()), len(distinct)


def lea(input_clusters: Clusters, output_clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Numerator and denominator of LEA. The dictionary has the place of a mention's cluster in ``output_clusters``."""
    larger = [cluster for cluster in input_clusters if len(cluster) != 1]
    resolved, mentions = found("lea", larger, map(Answers(mention_to_gold).of, larger))
    alone, singletons = _singletons(input_clusters, output_clusters, mention_to_gold)
    return resolved + alone, mentions + singletons


def _singletons(input_clusters: Clusters, output_clusters: Clusters, mention_to_gold: _Mapping) -> tuple[int, int]:
    """The number of singletons that the dictionary confirms, and the number of all singletons."""
    singletons = [cluster[0] for cluster in input_clusters if len(cluster) == 1]
    places = (mention_to_gold[mention] for mention in singletons if mention in mention_to_gold)
    return sum(len(output_clusters[place]) == 1 for place in places), len(singletons)


def phi3(c1: Set[Hashable], c2: Set[Hashable]) -> int:
    """The similarity of two sets of mentions that :func:`ceafm` adds up."""
    return len(c1 & c2)


def phi4(c1: Set[Hashable], c2: Set[Hashable]) -> float:
    """The similarity of two sets of mentions that :func:`ceafe` adds up."""
    return 2 * len(c1 & c2) / (len(c1) + len(c2))


def ceaf(clusters: Clusters, gold_clusters: Clusters, sim_func: Callable[..., float]) -> float:
    """The total similarity of the best assignment of sets of mentions, by :func:`phi3` or :func:`phi4`."""
    metric = {phi3: "ceaf_m", phi4: "ceaf_e"}.get(sim_func)
    if metric is None:
        raise SettingsError("sim_func is another function than phi3 and phi4", code="settings", hint="give one of these")
    ours, theirs = ([list(dict.fromkeys(cluster)) for cluster in side] for side in (clusters, gold_clusters))
    return both(metric, theirs, ours, "coval")[0]


def ceafe(clusters: Clusters, gold_clusters: Clusters) -> Counts:
    """Numerator and denominator of precision and of recall of CEAF φ4."""
    similarity = ceaf(clusters, gold_clusters, phi4)
    return similarity, len(clusters), similarity, len(gold_clusters)


def ceafm(clusters: Clusters, gold_clusters: Clusters) -> Counts:
    """Numerator and denominator of precision and of recall of CEAF φ3."""
    similarity = ceaf(clusters, gold_clusters, phi3)
    return similarity, sum(map(len, clusters)), similarity, sum(map(len, gold_clusters))


def evaluate_non_referrings(
    doc_non_referring_infos: Mapping[Any, tuple[Collection[Hashable], Collection[Hashable]]],
) -> tuple[float, float, float]:
    """Recall, precision and F1 of non-referring expressions, given for key and system by document."""
    found = missed = wrong = 0
    for ours, theirs in doc_non_referring_infos.values():
        found += sum(mention in theirs for mention in ours)
        missed += sum(mention not in theirs for mention in ours)
        wrong += sum(mention not in ours for mention in theirs)
    recall = found / (found + missed) if found + missed else 0
    precision = found / (found + wrong) if found + wrong else 0
    return recall, precision, f1(found, found + wrong, found, found + missed)


#: The metrics that many documents are counted by at once, as the core calls them.
_TOGETHER: dict[Any, str] = {muc: "muc", b_cubed: "b_cubed", lea: "lea", ceafe: "ceaf_e", ceafm: "ceaf_m"}


def _agrees(info: _Info) -> bool:
    """Returns whether each mention is in one cluster of a side, once, and the dictionaries give the clusters' places."""
    key, system, key_answers, system_answers = info
    try:
        of_key = {mention: place for place, cluster in enumerate(key) for mention in cluster}
        of_system = {mention: place for place, cluster in enumerate(system) for mention in cluster}
        return (
            len(of_key) == sum(map(len, key))
            and len(of_system) == sum(map(len, system))
            and key_answers.items() <= of_system.items()
            and system_answers.items() <= of_key.items()
            and key_answers.keys() == system_answers.keys()
            and len(key_answers) == len(of_key.keys() & of_system.keys())
        )
    except TypeError:
        return False


def _count(place: int, doc: str) -> Any:
    """An attribute for one of the four counts."""

    def get(self: Evaluator) -> float:
        return self.get_counts()[place]

    def put(self: Evaluator, value: float) -> None:
        self._settle()
        self._counts[place] = value

    return property(get, put, doc=doc)


class Evaluator(Figures):
    """Adds up the counts of one metric over documents."""

    p_num = _count(0, "The numerator of precision.")
    p_den = _count(1, "The denominator of precision.")
    r_num = _count(2, "The numerator of recall.")
    r_den = _count(3, "The denominator of recall.")

    def __init__(self, metric: Callable[..., Any], beta: float = 1, keep_aggregated_values: bool = False) -> None:
        self._counts = [0.0] * 4
        #: Documents that are not counted yet: those for precision, those for recall, and those for both.
        self._queues: tuple[Queue, Queue, Queue] | None = None
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
        if self.metric in _TOGETHER and not self.keep_aggregated_values:
            self._queue(coref_info)
            return
        if self.metric in (ceafe, ceafm):
            pn, pd, rn, rd = self.metric(sys_clusters, key_clusters)
        elif self.metric is lea:
            pn, pd = self.metric(sys_clusters, key_clusters, sys_mention_key_cluster)
            rn, rd = self.metric(key_clusters, sys_clusters, key_mention_sys_cluster)
        else:
            pn, pd = self.metric(sys_clusters, sys_mention_key_cluster)
            rn, rd = self.metric(key_clusters, key_mention_sys_cluster)
        self._add(pn, pd, rn, rd)
        if self.keep_aggregated_values:
            self.aggregated_p_num.append(pn)
            self.aggregated_p_den.append(pd)
            self.aggregated_r_num.append(rn)
            self.aggregated_r_den.append(rd)

    def _add(self, *counts: float) -> None:
        self._counts = [old + new for old, new in zip(self._counts, counts)]

    def _queue(self, info: _Info) -> None:
        """Adds a document, which is counted when counts are requested."""
        key, system, key_answers, system_answers = info
        if self._queues is None:
            name = _TOGETHER[self.metric]
            self._queues = Queue(name, "coval"), Queue(name, "coval"), Queue(name, "coval")
        if _agrees(info):
            self._queues[2].add(key, system)
            return
        if self.metric in (ceafe, ceafm):
            ours, theirs = ([list(dict.fromkeys(cluster)) for cluster in side] for side in (system, key))
            self._queues[0].add(theirs, ours)
            sizes = map(len, (system, key)) if self.metric is ceafe else (sum(map(len, side)) for side in (system, key))
            p_den, r_den = sizes
            self._add(0, p_den, 0, r_den)
            return
        sides = ((system, key, system_answers), (key, system, key_answers))
        waiting = []
        for clusters, others, answers in sides:
            counted = clusters
            if self.metric is lea:
                counted = [cluster for cluster in clusters if len(cluster) != 1]
            waiting.append(numbered(counted, map(Answers(answers).of, counted)))
        # All or nothing.
        alone = [_singletons(*side) for side in sides] if self.metric is lea else [(0, 0), (0, 0)]
        for queue, (numbers, answered) in zip(self._queues[:2], waiting):
            if numbers:
                queue.add(numbers, answered)
        self._add(*alone[0], *alone[1])

    def _settle(self) -> None:
        """Counts the documents that were not counted before."""
        if self._queues is None:
            return
        (similarity, _, p_num, p_den), (_, _, r_num, r_den), both = (queue.take() for queue in self._queues)
        self._add(*both)
        if self.metric in (ceafe, ceafm):
            self._add(similarity, 0, similarity, 0)
        else:
            self._add(p_num, p_den, r_num, r_den)

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {**self.__dict__, "_queues": None}

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, in this order; 0 if there is nothing to count."""
        return prf(self.get_counts(), self.beta)

    def get_counts(self) -> tuple[float, float, float, float]:
        """Numerator and denominator of precision, then those of recall."""
        self._settle()
        p_num, p_den, r_num, r_den = self._counts
        return p_num, p_den, r_num, r_den

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
