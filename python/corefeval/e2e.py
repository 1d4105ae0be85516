"""The ``CorefEvaluator`` of the e2e family (Lee et al. 2017), under its own name and with its own figures.

    from corefeval.e2e import CorefEvaluator  # instead of: from metrics import CorefEvaluator

Each document costs a look at its mentions, where the original compares every entity with every other and solves a
dense assignment.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ._corefeval import Documents
from .errors import InputValueError
from .report import Report

__all__ = ["CorefEvaluator", "Evaluator"]

_Cluster = Sequence[Hashable]


class Evaluator:
    """One metric of a :class:`CorefEvaluator`: ``evaluator.evaluators[0].get_prf()``."""

    def __init__(self, of: CorefEvaluator, metric: str) -> None:
        self._of = of
        #: The metric: ``muc``, ``b_cubed`` or ``ceaf_e``.
        self.metric = metric

    def get_counts(self) -> tuple[float, float, float, float]:
        """Numerator and denominator of precision, then those of recall."""
        counts = self._of._counts().get(self.metric)
        return counts or (0, 0, 0, 0)

    def get_precision(self) -> float:
        """The precision, 0 where there is nothing to count."""
        numerator, denominator, _, _ = self.get_counts()
        return numerator / denominator if denominator else 0

    def get_recall(self) -> float:
        """The recall, 0 where there is nothing to count."""
        _, _, numerator, denominator = self.get_counts()
        return numerator / denominator if denominator else 0

    def get_f1(self) -> float:
        """The harmonic mean of both."""
        precision, recall = self.get_precision(), self.get_recall()
        return 2 * precision * recall / (precision + recall) if precision + recall else 0

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, in this order."""
        return self.get_precision(), self.get_recall(), self.get_f1()


class CorefEvaluator:
    """MUC, B³ and CEAFe over documents, and their means.

    The original leaves singletons of the response out of CEAFe, and those of both sides out of B³.
    ``drop_singletons=False`` counts them, as the reference scorer does; without singletons both are the same.

    >>> evaluator = CorefEvaluator()
    >>> gold = [((0, 1), (4, 4), (7, 9))]
    >>> predicted = [((0, 1), (4, 4))]
    >>> mentions = lambda clusters: {mention: cluster for cluster in clusters for mention in cluster}
    >>> evaluator.update(predicted, gold, mentions(predicted), mentions(gold))
    >>> [round(figure, 3) for figure in evaluator.get_prf()]
    [0.933, 0.581, 0.694]
    """

    def __init__(self, *, drop_singletons: bool = True) -> None:
        self._drop_singletons = drop_singletons
        self._documents = Documents()
        self._found: dict[str, tuple[float, float, float, float]] | None = None
        #: MUC, B³ and CEAFe, each with figures of its own.
        self.evaluators = [Evaluator(self, metric) for metric in ("muc", "b_cubed", "ceaf_e")]

    def update(
        self,
        predicted: Sequence[_Cluster],
        gold: Sequence[_Cluster],
        mention_to_predicted: Mapping[Any, Any],
        mention_to_gold: Mapping[Any, Any],
    ) -> None:
        """Adds a document. The two dictionaries say what the clusters say, and are checked to be of their size."""
        for clusters, mapping, name in (
            (predicted, mention_to_predicted, "mention_to_predicted"),
            (gold, mention_to_gold, "mention_to_gold"),
        ):
            size = sum(len(cluster) for cluster in clusters)
            if len(mapping) != size and len(mapping) != len({m for cluster in clusters for m in cluster}):
                message = f"{name} has {len(mapping)} mentions, and the clusters have {size}"
                hint = "map each mention of the clusters to its cluster, and nothing else"
                raise InputValueError(message, code="input", hint=hint)
        self._documents.add(None, gold, predicted)
        self._found = None

    def _counts(self) -> dict[str, tuple[float, float, float, float]]:
        """For each metric the counts of precision and recall over all documents."""
        if self._found is None:
            if not len(self._documents):
                return {}
            parts: list[tuple[str, list[tuple[str, str]]]] = [("muc,b_cubed,ceaf_e", [("ceaf-singletons", "both")])]
            if self._drop_singletons:
                parts = [("muc,ceaf_e", []), ("b_cubed", [("singletons", "drop")])]
            self._found = {}
            for metrics, choices in parts:
                report = Report(
                    self._documents.score(
                        {"profile": "e2e", "metrics": metrics, "choices": choices}, name="", strict=False
                    )
                )
                for metric, score in report.items():
                    precision = score.details["precision_num"], score.details["precision_den"]
                    recall = score.details["recall_num"], score.details["recall_den"]
                    self._found[metric] = (*precision, *recall)
        return self._found

    def get_precision(self) -> float:
        """The mean of the three precisions."""
        return sum(evaluator.get_precision() for evaluator in self.evaluators) / len(self.evaluators)

    def get_recall(self) -> float:
        """The mean of the three recalls."""
        return sum(evaluator.get_recall() for evaluator in self.evaluators) / len(self.evaluators)

    def get_f1(self) -> float:
        """The mean of the three F1: the CoNLL score, as a fraction."""
        return sum(evaluator.get_f1() for evaluator in self.evaluators) / len(self.evaluators)

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, in this order."""
        return self.get_precision(), self.get_recall(), self.get_f1()

    def __getstate__(self) -> dict[str, Any]:
        return {"drop_singletons": self._drop_singletons, "documents": self._documents.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(drop_singletons=state["drop_singletons"])  # type: ignore[misc]
        self._documents = Documents.from_state(*state["documents"])
