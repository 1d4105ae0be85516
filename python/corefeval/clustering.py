"""Scores of label arrays, modelled on ``sklearn.metrics``: ``b_cubed_score(labels_true, labels_pred)``.

Both arguments are arrays, lists, or other iterables, whose i-th labels belong to the i-th item. Each function returns the F1
of its metric, and ``sklearn.metrics.make_scorer(b_cubed_score)`` turns it into a scorer. :func:`rand_score` and
:func:`adjusted_rand_score` return the same scores as scikit-learn's functions.

>>> b_cubed_score([0, 0, 1, 1], [0, 0, 1, 2])
0.8571428571428571
>>> precision_recall_f1([0, 0, 1, 1], [0, 0, 1, 2], metric="muc")
(1.0, 0.5, 0.6666666666666666)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .exceptions import InputTypeError, SettingsError
from .labels import Labels, _is_labels
from .report import MetricScore
from .scoring import _score_labels

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


def _labels(labels: Any, name: str) -> Any:
    """Returns an argument as labels."""
    if getattr(labels, "requires_grad", False):
        message = f"{name} is a tensor that requires grad, but labels are not parameters"
        raise InputTypeError(message, code="input", hint=f"pass {name}.detach()")
    if isinstance(labels, (str, bytes, bytearray, Mapping)) or not (_is_labels(labels) or isinstance(labels, Iterable)):
        hint = "labels are numbers or strings, one for each item"
        raise InputTypeError(f"{name} is a {type(labels).__name__}, not labels", code="input", hint=hint)
    return labels if _is_labels(labels) else Labels(list(labels))


def _score(labels_true: Any, labels_pred: Any, metric: str, options: Mapping[str, Any]) -> MetricScore:
    """Returns the score of a metric. Messages use the names of these arguments."""
    names = ("labels_true", "labels_pred")
    key, response = map(_labels, (labels_true, labels_pred), names)
    report = _score_labels(key, response, names, metrics=metric, **options)
    found: list[MetricScore] = [one for _, one in report.items()]
    if len(found) != 1:
        message = f"metric is one metric, and `{metric}` is {len(found)}"
        raise SettingsError(message, code="settings", hint="compute them one by one, or use corefeval.score")
    return found[0]


def precision_recall_f1(
    labels_true: Any, labels_pred: Any, *, metric: str = "b_cubed", **options: Any
) -> tuple[float, float, float]:
    """Returns precision, recall and F1 of any metric that has them; ``options`` are options of :func:`corefeval.score`."""
    found = _score(labels_true, labels_pred, metric, options)
    if found.precision is None or found.recall is None:
        message = f"`{metric}` has only an F1"
        raise SettingsError(message, code="settings", hint="use a metric that has precision and recall")
    return found.precision, found.recall, found.f1


def _f1(labels_true: Any, labels_pred: Any, metric: str) -> float:
    return _score(labels_true, labels_pred, metric, {}).f1


def _index(labels_true: Any, labels_pred: Any, metric: str) -> float:
    """Returns an index of pairs. It is 1 if both sides agree on all pairs, or without pairs, as in scikit-learn; the core
    returns 0 for 0/0."""
    found = _score(labels_true, labels_pred, metric, {})
    of = found.details
    same = of["recall_num"] == of["recall_den"] == of["precision_den"]
    return 1.0 if same else found.f1


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
    """The Rand index (Rand 1971), as in ``sklearn.metrics.rand_score``: 1 for fewer than two items."""
    return _index(labels_true, labels_pred, "rand")


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The Rand index corrected for chance (Hubert and Arabie 1985), as in ``sklearn.metrics.adjusted_rand_score``: 1 if both
    sides are equal, even if nothing or everything is linked."""
    return _index(labels_true, labels_pred, "adjusted_rand")
