"""The ``CorefEvaluator`` of the e2e family (Lee et al. 2017), under its own name and with its own scores.

    from corefeval.e2e import CorefEvaluator  # instead of: from metrics import CorefEvaluator

This module also exports the original's other names: ``Evaluator``, ``muc``, ``b_cubed``, ``ceafe``, ``lea``, ``f1``,
``phi4``, ``evaluate_documents``, and ``MentionEvaluator``, which its later versions have.

A document requires one pass over its mentions, whereas the original compares all pairs of entities and solves a dense
assignment.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ._corefeval import Documents
from ._counting import Clusters, Counts, Pair, ScoreGetters, both, f1, found, muc, prf, score
from ._counting import b_cubed as _plain_b_cubed
from .exceptions import CorefevalWarning

__all__ = [
    "CorefEvaluator",
    "Evaluator",
    "MentionEvaluator",
    "b_cubed",
    "ceafe",
    "evaluate_documents",
    "f1",
    "lea",
    "muc",
    "phi4",
]

_Mapping = Mapping[Any, Any]
#: Predicted and gold clusters, then for each side a dictionary from mentions to clusters.
_Document = tuple[Clusters, Clusters, _Mapping, _Mapping]


def phi4(c1: Sequence[Hashable], c2: Sequence[Hashable]) -> float:
    """Returns the similarity of two clusters that :func:`ceafe` adds up: twice the number of shared mentions over the
    number of mentions of both."""
    other = set(c2)
    return 2 * sum(mention in other for mention in c1) / (len(c1) + len(c2))


def b_cubed(clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Returns numerator and denominator of B³ without singletons, including singletons of the dictionary."""
    return found("b_cubed", _larger(clusters), mention_to_gold, singletons=False)


def lea(clusters: Clusters, mention_to_gold: _Mapping) -> Pair:
    """Returns numerator and denominator of LEA without singletons."""
    return found("lea", _larger(clusters), mention_to_gold)


def _larger(clusters: Clusters) -> Clusters:
    return [cluster for cluster in clusters if len(cluster) != 1]


def ceafe(clusters: Clusters, gold_clusters: Clusters) -> Counts:
    """Returns numerator and denominator of precision and of recall of CEAF φ4 without the singletons of ``clusters``."""
    return both("ceaf_e", gold_clusters, clusters, "e2e")


def _plain_ceafe(clusters: Clusters, gold_clusters: Clusters) -> Counts:
    """Returns the counts of CEAF φ4 with singletons."""
    return both("ceaf_e", gold_clusters, clusters, "e2e", _PLAIN)


#: The setting that counts the singletons of both sides in CEAFe.
_PLAIN = [("ceaf-singletons", "both")]
#: The core's names for the metrics of a :class:`CorefEvaluator`.
_NAMES: dict[Any, str] = {
    muc: "muc",
    b_cubed: "b_cubed",
    _plain_b_cubed: "b_cubed",
    ceafe: "ceaf_e",
    _plain_ceafe: "ceaf_e",
}
#: The metrics and settings, by whether singletons are dropped.
_ASKED: dict[bool, list[tuple[str, list[tuple[str, str]]]]] = {
    True: [("muc,ceaf_e", []), ("b_cubed", [("singletons", "drop")])],
    False: [("muc,b_cubed,ceaf_e", _PLAIN)],
}


def _agrees(clusters: Clusters, mapping: _Mapping) -> bool:
    """Returns whether each mention occurs once and the dictionary maps it to its cluster."""
    try:
        for cluster in clusters:
            for mention in cluster:
                answer = mapping.get(mention)
                if answer is not cluster and (answer is None or tuple(answer) != tuple(cluster)):
                    return False
        count = sum(map(len, clusters))
        return len(mapping) == count == len(set(chain.from_iterable(clusters)))
    except TypeError:
        return False


def _contradiction(clusters: Clusters, mapping: _Mapping, name: str) -> str | None:
    """Describes a contradiction between the dictionary and the clusters, if any."""
    of: dict[Any, list[tuple[Any, ...]]] = {}
    for cluster in clusters:
        for mention in cluster:
            of.setdefault(mention, []).append(tuple(cluster))
    for mention in mapping:
        if mention not in of:
            return f"{name} has the mention {mention!r}, which no cluster has"
    for mention, own in of.items():
        if mention not in mapping:
            return f"{name} lacks the mention {mention!r}, which a cluster has"
        answer = mapping[mention]
        if not isinstance(answer, Iterable) or tuple(answer) not in own:
            return f"{name} maps the mention {mention!r} to {answer!r}, which is not a cluster that contains it"
    return None


def _count(place: int, doc: str) -> Any:
    """An attribute for one of the four counts."""

    def get(self: Evaluator) -> float:
        return self.get_counts()[place]

    def put(self: Evaluator, value: float) -> None:
        with self._lock:
            counts = list(self.get_counts())
            counts[place] = value
            self._counts = tuple(counts)

    return property(get, put, doc=doc)


class Evaluator(ScoreGetters):
    """Adds up the counts of one metric over documents.

    ``metric`` is :func:`muc`, :func:`b_cubed`, :func:`ceafe`, :func:`lea`, or a user-defined function with the arguments of
    :func:`muc`. ``beta`` is the weight of recall relative to precision in F1.
    """

    p_num = _count(0, "The numerator of precision.")
    p_den = _count(1, "The denominator of precision.")
    r_num = _count(2, "The numerator of recall.")
    r_den = _count(3, "The denominator of recall.")

    def __init__(self, metric: Callable[..., Any], beta: float = 1) -> None:
        #: The function that counts a document.
        self.metric = metric
        #: The weight of recall relative to precision.
        self.beta = beta
        self._begin((0, 0, 0, 0), None)

    def _begin(self, counts: tuple[float, ...], of: CorefEvaluator | None) -> None:
        self._counts = counts
        #: The evaluator with documents that are not counted yet.
        self._of = of
        self._lock = threading.RLock() if of is None else of._lock

    def update(
        self, predicted: Clusters, gold: Clusters, mention_to_predicted: _Mapping, mention_to_gold: _Mapping
    ) -> None:
        """Adds a document."""
        self._add(self._counted(predicted, gold, mention_to_predicted, mention_to_gold))

    def _counted(
        self, predicted: Clusters, gold: Clusters, mention_to_predicted: _Mapping, mention_to_gold: _Mapping
    ) -> tuple[float, ...]:
        if self.metric in (ceafe, _plain_ceafe):
            return tuple(self.metric(predicted, gold))
        return (*self.metric(predicted, mention_to_gold), *self.metric(gold, mention_to_predicted))

    def _add(self, more: Iterable[float]) -> None:
        with self._lock:
            self._counts = tuple(old + new for old, new in zip(self._counts, more))

    def get_counts(self) -> Counts:
        """Returns numerator and denominator of precision, then of recall."""
        with self._lock:
            if self._of is not None:
                self._of._settle()
            p_num, p_den, r_num, r_den = self._counts
        return p_num, p_den, r_num, r_den

    def get_prf(self) -> tuple[float, float, float]:
        """Returns precision, recall and F1, in this order; 0 if undefined."""
        return prf(self.get_counts(), self.beta)

    def __getstate__(self) -> dict[str, Any]:
        return {"metric": self.metric, "beta": self.beta, "counts": self.get_counts()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.metric, self.beta = state["metric"], state["beta"]
        self._begin(state["counts"], None)


def evaluate_documents(
    documents: Iterable[_Document], metric: Callable[..., Any], beta: float = 1
) -> tuple[float, float, float]:
    """Returns precision, recall and F1 over documents, each with the four arguments of :meth:`Evaluator.update`."""
    evaluator = Evaluator(metric, beta=beta)
    for document in documents:
        evaluator.update(*document)
    return evaluator.get_prf()


class MentionEvaluator(ScoreGetters):
    """Scores the detection of mentions over documents: ``update(predicted_mentions, gold_mentions)``."""

    def __init__(self) -> None:
        #: The numbers of mentions of both sides, of the predicted side only, of the gold side only.
        self.tp = self.fp = self.fn = 0

    def update(self, predicted_mentions: Iterable[Hashable], gold_mentions: Iterable[Hashable]) -> None:
        """Adds a document."""
        predicted, gold = set(predicted_mentions), set(gold_mentions)
        self.tp += len(predicted & gold)
        self.fp += len(predicted - gold)
        self.fn += len(gold - predicted)

    def get_prf(self) -> tuple[float, float, float]:
        """Returns precision, recall and F1, in this order; 0 if undefined."""
        return prf((self.tp, self.tp + self.fp, self.tp, self.tp + self.fn))


class CorefEvaluator(ScoreGetters):
    """MUC, B³ and CEAFe over documents, and their means.

    The original drops singletons of the response in CEAFe, and singletons of both sides in B³. ``drop_singletons=False``
    counts them, as the reference scorer does; without singletons both give the same scores.

    Threads can share an evaluator. ``quiet=True`` issues no :class:`corefeval.CorefevalWarning`.

    >>> evaluator = CorefEvaluator()
    >>> gold = [((0, 1), (4, 4), (7, 9))]
    >>> predicted = [((0, 1), (4, 4))]
    >>> mentions = lambda clusters: {mention: cluster for cluster in clusters for mention in cluster}
    >>> evaluator.update(predicted, gold, mentions(predicted), mentions(gold))
    >>> [round(score, 3) for score in evaluator.get_prf()]
    [0.933, 0.581, 0.694]
    """

    def __init__(self, *, drop_singletons: bool = True, quiet: bool = False) -> None:
        self._drop_singletons = drop_singletons
        self._quiet = quiet
        self._lock = threading.RLock()
        #: The documents that are not counted yet.
        self._documents = Documents(any_pairs=True)
        metrics = (muc, b_cubed, ceafe) if drop_singletons else (muc, _plain_b_cubed, _plain_ceafe)
        #: MUC, B³ and CEAFe, each with separate scores.
        self.evaluators = [Evaluator(metric) for metric in metrics]
        for evaluator in self.evaluators:
            evaluator._begin((0, 0, 0, 0), self)

    def update(
        self, predicted: Clusters, gold: Clusters, mention_to_predicted: _Mapping, mention_to_gold: _Mapping
    ) -> None:
        """Adds a document.

        The dictionaries map each mention to its cluster, or to the last of several clusters. As in the original, MUC and B³
        use them even if they contradict the clusters; a :class:`corefeval.CorefevalWarning` reports this.
        """
        usual = _agrees(predicted, mention_to_predicted) and _agrees(gold, mention_to_gold)
        own = [evaluator for evaluator in self.evaluators if usual and evaluator._of is self]
        others = [evaluator for evaluator in self.evaluators if evaluator not in own]
        # All metrics or none.
        more = [e._counted(predicted, gold, mention_to_predicted, mention_to_gold) for e in others]
        with self._lock:
            if own:
                # Documents are counted together on request.
                self._documents.add(None, gold, predicted)
            for evaluator, counts in zip(others, more):
                evaluator._add(counts)
        if not usual and not self._quiet:
            for clusters, mapping, name in (
                (predicted, mention_to_predicted, "mention_to_predicted"),
                (gold, mention_to_gold, "mention_to_gold"),
            ):
                contradiction = _contradiction(clusters, mapping, name)
                if contradiction is not None:
                    message = f"{contradiction}; MUC and B³ use {name}, as in the original"
                    warnings.warn(message, CorefevalWarning, stacklevel=2)

    def _settle(self) -> None:
        """Counts the documents that are not counted yet."""
        with self._lock:
            if not len(self._documents):
                return
            more: dict[str, Counts] = {}
            for metrics, choices in _ASKED[self._drop_singletons]:
                more.update(score(self._documents, metrics, "e2e", choices))
            self._documents = Documents(any_pairs=True)
            for evaluator in self.evaluators:
                if evaluator._of is self:
                    evaluator._add(more[_NAMES[evaluator.metric]])

    def get_prf(self) -> tuple[float, float, float]:
        """Returns the means of the three precisions, recalls and F1s; the last is the CoNLL score, as a fraction."""
        with self._lock:
            scores = [evaluator.get_prf() for evaluator in self.evaluators]
        precision, recall, mean = (sum(part) / len(scores) for part in zip(*scores))
        return precision, recall, mean

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._settle()
            return {
                "drop_singletons": self._drop_singletons,
                "quiet": self._quiet,
                # Evaluators that the user added do not depend on this object.
                "evaluators": [(e.metric, e.beta, e.get_counts()) if e._of is self else e for e in self.evaluators],
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(drop_singletons=state["drop_singletons"], quiet=state["quiet"])  # type: ignore[misc]
        self.evaluators = []
        for given in state["evaluators"]:
            evaluator = given
            if not isinstance(given, Evaluator):
                metric, beta, counts = given
                evaluator = Evaluator(metric, beta)
                evaluator._begin(counts, self)
            self.evaluators.append(evaluator)
