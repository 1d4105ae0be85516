"""Scores clusters in ``Doc.spans`` like spaCy's experimental coreference, without importing spaCy.

Clusters are span groups whose names consist of a prefix and a number, such as ``coref_clusters_1``. Direct use::

    from corefeval.spacy import score_clusters
    score_clusters(nlp_examples)

In the configuration of a pipeline, where spaCy finds the scorer by name::

    [components.coref.scorer]
    @scorers = "corefeval.coref_scorer.v1"
    metrics = "muc,b_cubed,ceaf_e,conll,lea"
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ._counting import CONLL_PARTS, IN_TRAINING
from .coval import evaluator, reader
from .exceptions import CorefevalWarning, InputValueError
from .scoring import Scorer

__all__ = ["clusters_of", "make_coref_scorer", "score_clusters"]

#: The prefix of the experimental components.
_PREFIX = "coref_clusters"


def clusters_of(doc: Any, prefix: str = _PREFIX) -> list[list[tuple[int, int]]]:
    """Returns the clusters of a Doc in the order of its groups, as the first and last characters of their spans, so that
    the tokenization does not matter."""
    groups = [group for name, group in doc.spans.items() if _is_cluster(name, prefix)]
    return [[(span.start_char, span.end_char) for span in group] for group in groups]


def _is_cluster(name: str, prefix: str) -> bool:
    """Returns whether a group is a cluster: its name consists of the prefix, a character and a number, as in the original."""
    try:
        int(name[len(prefix) + 1 :])
    except ValueError:
        return False
    return name.startswith(prefix)


def _difference(ours: str, theirs: str) -> str:
    """Describes the first place where two texts differ, with the surrounding words."""
    pairs = enumerate(zip(ours, theirs))
    place = next((place for place, (one, other) in pairs if one != other), min(len(ours), len(theirs)))
    begin = max(place - 15, 0)
    end = place + 15
    around = [
        f"{'…' if begin else ''}{text[begin:end]}{'…' if len(text) > end else ''}" for text in (ours, theirs)
    ]
    return f"from character {place}: the reference has {around[0]!r}, the prediction {around[1]!r}"


def score_clusters(
    examples: Iterable[Any],
    *,
    span_cluster_prefix: str = _PREFIX,
    metrics: Any = None,
    quiet: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Scores the ``predicted`` documents of spaCy's ``Example`` objects against their ``reference``.

    Args:
        examples: ``Example`` objects of spaCy.
        span_cluster_prefix: the prefix of the names of groups; ``_`` and a number follow.
        metrics: metrics in addition to LEA; by default MUC, B³, CEAFe and their mean.
        quiet: issues no :class:`corefeval.CorefevalWarning`.
        options: options of :class:`corefeval.Scorer`, for ``metrics``.

    Returns ``coref_f``, ``coref_p`` and ``coref_r``, which are LEA as in the original, and ``coref_METRIC`` with ``p``, ``r``
    and ``f`` for each metric; ``coref_conll`` contains the means of MUC, B³ and CEAFe. If no document has a group with the
    prefix, the LEA scores are None, with a warning.
    """
    asked = IN_TRAINING if metrics is None else metrics
    scorer = Scorer(metrics=asked, **{"quiet": True, **options})
    parts = Scorer(metrics=",".join(CONLL_PARTS), **{"quiet": True, **options})
    lea = evaluator.Evaluator(evaluator.lea)
    known: set[str] = set()
    clusters = 0
    for number, example in enumerate(examples):
        reference, predicted = example.reference, example.predicted
        if reference.text != predicted.text:
            message = f"the texts of examples[{number}] differ {_difference(reference.text, predicted.text)}"
            raise InputValueError(message, code="input", hint="predict on the text of the reference")
        key, response = (clusters_of(doc, span_cluster_prefix) for doc in (reference, predicted))
        known.update(*(doc.spans.keys() for doc in (reference, predicted)))
        clusters += len(key) + len(response)
        scorer.update(key=key, response=response)
        parts.update(key=key, response=response)
        found, sought = [c for c in response if c], [c for c in key if c]
        assignments = reader.get_mention_assignments
        lea.update((sought, found, assignments(sought, found), assignments(found, sought)))
    if not clusters:
        if len(scorer) and not quiet:
            groups = f"their groups are {', '.join(sorted(known))}" if known else "they have no group at all"
            message = f"no document has a span group called `{span_cluster_prefix}` and a number, so nothing is scored"
            warnings.warn(f"{message}; {groups}; pass span_cluster_prefix=...", CorefevalWarning, stacklevel=2)
        return {"coref_f": None, "coref_p": None, "coref_r": None}
    precision, recall, f1 = lea.get_prf()
    scores: dict[str, Any] = {"coref_f": float(f1), "coref_p": float(precision), "coref_r": float(recall)}
    for name, score in scorer.report().items():
        scores[f"coref_{name}"] = {"p": score.precision, "r": score.recall, "f": score.f1}
    if "coref_conll" in scores:
        means = [(score.precision or 0.0, score.recall or 0.0, score.f1) for _, score in parts.report().items()]
        p, r, f = (sum(part) / len(means) for part in zip(*means))
        scores["coref_conll"].update(p=p, r=r, f=f)
    return scores


def make_coref_scorer(metrics: Any = None, quiet: bool = False) -> Callable[..., dict[str, Any]]:
    """Creates the scorer that is registered in spaCy as ``corefeval.coref_scorer.v1``. The scorer takes examples and the
    settings of a component, ignores all settings but ``span_cluster_prefix``, and returns the result of
    :func:`score_clusters`."""

    def coref_scorer(examples: Iterable[Any], *, span_cluster_prefix: str = _PREFIX, **settings: Any) -> dict[str, Any]:
        return score_clusters(examples, span_cluster_prefix=span_cluster_prefix, metrics=metrics, quiet=quiet)

    return coref_scorer
