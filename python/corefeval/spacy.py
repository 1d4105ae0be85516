"""Clusters in ``Doc.spans`` scored in the manner of spaCy's ``Scorer``; spaCy is not imported.

Clusters are span groups whose names begin with a prefix, as spaCy's experimental coreference writes them
(``coref_clusters_1``). In a pipeline: ``nlp.add_pipe(..., config={"scorer": {"@scorers": ...}})``, or alone::

    from corefeval.spacy import score_clusters
    score_clusters(nlp_examples)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import InputValueError
from .scoring import Scorer

__all__ = ["clusters_of", "score_clusters"]


def clusters_of(doc: Any, prefix: str = "coref_clusters") -> list[list[tuple[int, int]]]:
    """The clusters of a Doc, as the first and last characters of their spans, so that tokens do not matter."""
    groups = sorted((name, group) for name, group in doc.spans.items() if name.startswith(prefix))
    return [[(span.start_char, span.end_char) for span in group] for _, group in groups]


def score_clusters(
    examples: Iterable[Any], *, prefix: str = "coref_clusters", metrics: Any = None, **options: Any
) -> dict[str, Any]:
    """Scores the ``predicted`` documents of spaCy's ``Example`` objects against their ``reference``.

    Gives ``coref_f``, ``coref_p`` and ``coref_r``, the means of MUC, B³ and CEAFe, and ``coref_METRIC`` with ``p``,
    ``r`` and ``f`` for each metric. ``options`` are those of :class:`corefeval.Scorer`. None where there is no example.
    """
    options = {"quiet": True, **options}
    asked = "muc,b_cubed,ceaf_e,conll,lea" if metrics is None else metrics
    scorer = Scorer(metrics=asked, **options)
    parts = Scorer(metrics="muc,b_cubed,ceaf_e", **options)
    for example in examples:
        reference, predicted = example.reference, example.predicted
        if reference.text != predicted.text:
            message = f"the texts of an example differ: {reference.text[:30]!r} and {predicted.text[:30]!r}"
            raise InputValueError(message, code="input", hint="predict on the text of the reference")
        key, response = clusters_of(reference, prefix), clusters_of(predicted, prefix)
        scorer.update(key=key, response=response)
        parts.update(key=key, response=response)
    if not len(scorer):
        return {"coref_f": None, "coref_p": None, "coref_r": None}
    means = list(parts.report().items())
    scores: dict[str, Any] = {
        "coref_f": sum(score.f1 for _, score in means) / 3,
        "coref_p": sum(score.precision or 0.0 for _, score in means) / 3,
        "coref_r": sum(score.recall or 0.0 for _, score in means) / 3,
    }
    for name, score in scorer.report().items():
        scores[f"coref_{name}"] = {"p": score.precision, "r": score.recall, "f": score.f1}
    return scores
