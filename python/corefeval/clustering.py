"""Scores of label arrays, in the manner of ``sklearn.metrics``: ``b_cubed_score(labels_true, labels_pred)``.

The i-th labels are those of the i-th item in both arguments, which may be arrays or lists. Each function gives the F1
of its metric, and can be made a scorer of a clusterer: ``sklearn.metrics.make_scorer(b_cubed_score)``.

>>> b_cubed_score([0, 0, 1, 1], [0, 0, 1, 2])
0.8571428571428571
>>> precision_recall_f1([0, 0, 1, 1], [0, 0, 1, 2], metric="muc")
(1.0, 0.5, 0.6666666666666666)
"""

from __future__ import annotations

from typing import Any

from .labels import Labels
from .scoring import score

__all__ = [
    "adjusted_rand_score",
    "b_cubed_score",
    "blanc_score",
    "ceaf_e_score",
    "ceaf_m_score",
    "conll_score",
    "lea_score",
    "muc_score",
    "pairwise_score",
    "precision_recall_f1",
    "rand_score",
]


def _labels(labels: Any) -> Any:
    return Labels(labels) if isinstance(labels, (list, tuple)) else labels


def precision_recall_f1(
    labels_true: Any, labels_pred: Any, *, metric: str = "b_cubed", **options: Any
) -> tuple[float, float, float]:
    """Precision, recall and F1 of any metric that has them; ``options`` are those of :func:`corefeval.score`."""
    options = {"quiet": True, **options}
    found = score(key=_labels(labels_true), response=_labels(labels_pred), metrics=metric, **options)[metric]
    if found.precision is None or found.recall is None:
        raise ValueError(f"{metric} has an F1 only")
    return found.precision, found.recall, found.f1


def _f1(labels_true: Any, labels_pred: Any, metric: str) -> float:
    return score(key=_labels(labels_true), response=_labels(labels_pred), metrics=metric, quiet=True)[metric].f1


def muc_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 of MUC (Vilain et al. 1995)."""
    return _f1(labels_true, labels_pred, "muc")


def b_cubed_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 of B³ (Bagga and Baldwin 1998)."""
    return _f1(labels_true, labels_pred, "b_cubed")


def ceaf_m_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 of CEAF φ3, over mentions (Luo 2005)."""
    return _f1(labels_true, labels_pred, "ceaf_m")


def ceaf_e_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 of CEAF φ4, over entities (Luo 2005)."""
    return _f1(labels_true, labels_pred, "ceaf_e")


def blanc_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 of BLANC (Recasens and Hovy 2011)."""
    return _f1(labels_true, labels_pred, "blanc")


def lea_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 of LEA (Moosavi and Strube 2016)."""
    return _f1(labels_true, labels_pred, "lea")


def conll_score(labels_true: Any, labels_pred: Any) -> float:
    """The mean F1 of MUC, B³ and CEAF φ4."""
    return _f1(labels_true, labels_pred, "conll")


def pairwise_score(labels_true: Any, labels_pred: Any) -> float:
    """F1 over pairs of items with equal labels."""
    return _f1(labels_true, labels_pred, "pairwise")


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The Rand index, which ``sklearn.metrics.rand_score`` is too."""
    return _f1(labels_true, labels_pred, "rand")


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The adjusted Rand index."""
    return _f1(labels_true, labels_pred, "adjusted_rand")
