"""AllenNLP's ``ConllCorefScores`` without AllenNLP: takes the tensors of a batch, returns P, R and F1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .e2e import CorefEvaluator
from .exceptions import InputValueError

__all__ = ["ConllCorefScores"]

_Span = tuple[int, ...]


def _list(values: Any) -> Any:
    """Returns a tensor or array as lists."""
    return values.tolist() if hasattr(values, "tolist") else values


class ConllCorefScores:
    """The mean of MUC, B³ and CEAFe over the documents of all batches, with the rules of the e2e family.

    Tensors can be PyTorch tensors on any device, arrays, or lists. With ``allow_singletons=True`` a span can be its own
    antecedent; its cluster then contains it twice and counts as two mentions, as in the original.
    """

    supports_distributed = False

    def __init__(self, allow_singletons: bool = False) -> None:
        self.allow_singletons = allow_singletons
        self._evaluator = CorefEvaluator()

    def __call__(
        self,
        top_spans: Any,
        antecedent_indices: Any,
        predicted_antecedents: Any,
        metadata_list: Sequence[Mapping[str, Any]],
    ) -> None:
        """Adds the documents of a batch.

        Args:
            top_spans: first and last word of each span: (batch, spans, 2).
            antecedent_indices: the candidate antecedents of each span: (batch, spans, antecedents).
            predicted_antecedents: the index of each span's antecedent among its candidates, or -1: (batch, spans).
            metadata_list: for each document a dictionary with its ``clusters``.
        """
        for number, metadata in enumerate(metadata_list):
            gold, mention_to_gold = self.get_gold_clusters(metadata["clusters"])
            predicted, mention_to_predicted = self.get_predicted_clusters(
                top_spans[number], antecedent_indices[number], predicted_antecedents[number], self.allow_singletons
            )
            self._evaluator.update(predicted, gold, mention_to_predicted, mention_to_gold)

    def get_metric(self, reset: bool = False) -> tuple[float, float, float]:
        """Returns precision, recall and F1, in this order."""
        scores = self._evaluator.get_prf()
        if reset:
            self.reset()
        return scores

    def reset(self) -> None:
        """Drops all documents."""
        self._evaluator = CorefEvaluator()

    @staticmethod
    def get_gold_clusters(
        gold_clusters: Iterable[Iterable[Iterable[int]]],
    ) -> tuple[list[tuple[_Span, ...]], dict[_Span, tuple[_Span, ...]]]:
        """Returns the clusters as tuples of spans, and the cluster of each span."""
        clusters = [tuple(tuple(span) for span in cluster) for cluster in gold_clusters]
        return clusters, {span: cluster for cluster in clusters for span in cluster}

    @staticmethod
    def get_predicted_clusters(
        top_spans: Any, antecedent_indices: Any, predicted_antecedents: Any, allow_singletons: bool = False
    ) -> tuple[list[tuple[_Span, ...]], dict[_Span, tuple[_Span, ...]]]:
        """Returns the clusters from the antecedents of one document, and the cluster of each span; for a repeated span, the
        cluster that it joined last."""
        spans = [tuple(span) for span in _list(top_spans)]
        candidates = _list(antecedent_indices)
        number_of: dict[_Span, int] = {}
        clusters: list[list[_Span]] = []
        for place, chosen in enumerate(_list(predicted_antecedents)):
            if chosen < 0:
                continue
            antecedent = candidates[place][chosen]
            if antecedent > place or (antecedent == place and not allow_singletons):
                message = f"the antecedent of span {place} is span {antecedent}, which does not come before it"
                hint = "antecedents are earlier spans, or -1 for none; allow_singletons lets a span be its own"
                raise InputValueError(message, code="input", hint=hint)
            number = number_of.setdefault(spans[antecedent], len(clusters))
            if number == len(clusters):
                clusters.append([spans[antecedent]])
            clusters[number].append(spans[place])
            number_of[spans[place]] = number
        final = [tuple(cluster) for cluster in clusters]
        return final, {span: final[number] for span, number in number_of.items()}
