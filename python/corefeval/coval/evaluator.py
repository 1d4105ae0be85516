"""coval's ``evaluator``, with the same names, arguments and scores.

    from corefeval.coval import evaluator  # instead of: from coval.eval import evaluator
    evaluator.evaluate_documents(doc_coref_infos, evaluator.muc)

What coval calls ``doc_coref_infos`` comes from :func:`corefeval.coval.reader.get_coref_infos`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Set
from typing import Any

from .._counting import Answers, Clusters, Counts, Figures, Pair, Queue, both, f1, found, prf
from .._counting import b_cubed as _b_cubed
from .._counting import muc as _muc
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


#: In place of an answer that a dictionary does not have.
_ABSENT = object()


def _parts(clusters: Clusters, mention_to_gold: _Mapping) -> list[list[int]] | None:
    """For each cluster how many of its mentions have the same answer in the dictionary, for every answer; None if mentions
    or answers cannot be hashed."""
    found, answer_of = [], mention_to_gold.get
    try:
        for cluster in clusters:
            sizes: dict[Any, int] = {}
            for mention in cluster:
                # Hashing a span takes longer than all else, so it is looked up once.
                answer = answer_of(mention, _ABSENT)
                if answer is not _ABSENT:
                    sizes[answer] = sizes.get(answer, 0) + 1
            found.append([*sizes.values()])
    except TypeError:
        return None
    return found


def muc(clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Numerator and denominator of MUC: the links of the clusters, and those that the dictionary confirms."""
    links = resolved = 0
    answer_of = mention_to_gold.get
    try:
        for cluster in clusters:
            if len(cluster) > 1:
                links += len(cluster) - 1
                answers = [answer_of(mention, _ABSENT) for mention in cluster]
                distinct = set(answers)
                # What is absent is in no link.
                resolved += len(answers) - len(distinct)
                if _ABSENT in distinct:
                    resolved += 1 - answers.count(_ABSENT)
            elif not cluster:
                links -= 1
    except TypeError:
        return _muc(clusters, mention_to_gold)
    return resolved, links


def b_cubed(clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Numerator and denominator of B³."""
    parts = _parts(clusters, mention_to_gold)
    if parts is None:
        return _b_cubed(clusters, mention_to_gold)
    correct = 0.0
    for cluster, sizes in zip(clusters, parts):
        for size in sizes:
            correct += size * size / len(cluster)
    return correct, sum(map(len, clusters))


def lea(input_clusters: Clusters, output_clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Numerator and denominator of LEA. The dictionary has the place of a mention's cluster in ``output_clusters``."""
    parts = _parts(input_clusters, mention_to_gold)
    if parts is None:
        larger = [cluster for cluster in input_clusters if len(cluster) != 1]
        resolved, mentions = found("lea", larger, map(Answers(mention_to_gold).of, larger))
        alone, singletons = _singletons(input_clusters, output_clusters, mention_to_gold)
        return resolved + alone, mentions + singletons
    resolved = 0.0
    for cluster, sizes in zip(input_clusters, parts):
        links = len(cluster) - 1
        for size in sizes:
            if links:
                resolved += size * (size - 1) / links
            else:
                resolved += len(output_clusters[mention_to_gold[cluster[0]]]) == 1
    return resolved, sum(map(len, input_clusters))


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
_TOGETHER: dict[Any, str] = {ceafe: "ceaf_e", ceafm: "ceaf_m"}


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
        #: Documents whose similarity is not counted yet.
        self._queue: Queue | None = None
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
        metric = self.metric
        if metric in _TOGETHER:
            if not self.keep_aggregated_values:
                self._wait(key_clusters, sys_clusters)
                return
            pn, pd, rn, rd = metric(sys_clusters, key_clusters)
        elif metric is lea:
            pn, pd = metric(sys_clusters, key_clusters, sys_mention_key_cluster)
            rn, rd = metric(key_clusters, sys_clusters, key_mention_sys_cluster)
        else:
            pn, pd = metric(sys_clusters, sys_mention_key_cluster)
            rn, rd = metric(key_clusters, key_mention_sys_cluster)
        self._add(pn, pd, rn, rd)
        if self.keep_aggregated_values:
            self.aggregated_p_num.append(pn)
            self.aggregated_p_den.append(pd)
            self.aggregated_r_num.append(rn)
            self.aggregated_r_den.append(rd)

    def _add(self, p_num: float, p_den: float, r_num: float, r_den: float) -> None:
        counts = self._counts
        counts[0] += p_num
        counts[1] += p_den
        counts[2] += r_num
        counts[3] += r_den

    def _wait(self, key: Clusters, system: Clusters) -> None:
        """Adds a document that is counted when counts are asked for."""
        if self._queue is None:
            self._queue = Queue(_TOGETHER[self.metric], "coval")
        self._queue.add([list(dict.fromkeys(cluster)) for cluster in key], [list(dict.fromkeys(cluster)) for cluster in system])
        mentions = self.metric is ceafm
        p_den, r_den = (sum(map(len, side)) if mentions else len(side) for side in (system, key))
        self._add(0, p_den, 0, r_den)

    def _settle(self) -> None:
        """Counts what is not counted yet."""
        if self._queue is not None:
            similarity = self._queue.take()[0]
            self._add(similarity, 0, similarity, 0)

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {**self.__dict__, "_queue": None}

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
