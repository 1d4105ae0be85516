"""CEAF of arbitrary objects, such as relations or events, with a user-defined similarity (Luo 2005)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from ._corefeval import map_objects
from ._frozen import Frozen
from .exceptions import InputTypeError, InputValueError
from .report import MetricScore

__all__ = ["ceaf"]

_Object = TypeVar("_Object")

#: The denominator of similarities, unless their own is smaller.
_FINEST = 1 << 40


def _ratio(value: Any, what: str) -> tuple[int, int]:
    """Returns a similarity as numerator and denominator."""
    try:
        ratio = Fraction(value)
    except (TypeError, ValueError, OverflowError) as error:
        message = f"{what} is {value!r}, not a number"
        raise InputTypeError(message, code="input", hint="return an int, a float or a Fraction of at least 0") from error
    if ratio.denominator > _FINEST:
        ratio = Fraction(round(ratio * _FINEST), _FINEST)
    if not 0 <= ratio < 1 << 43:
        message = f"{what} is {value!r}, outside 0 to 2**43"
        raise InputValueError(message, code="input", hint="return a number of at least 0")
    if ratio.numerator >= 1 << 64:
        ratio = Fraction(round(ratio))
    return ratio.numerator, ratio.denominator


def ceaf(
    key: Iterable[_Object],
    response: Iterable[_Object],
    similarity: Callable[[_Object, _Object], Any],
    *,
    own: Callable[[_Object], Any] | None = None,
) -> MetricScore:
    """Computes CEAF of arbitrary objects: the total similarity of the best one-to-one map of key objects to response objects
    by ``similarity(k, r)``, divided by the total self-similarity of the objects.

    ``own(x)`` is the similarity of an object to itself, by default ``similarity(x, x)``. Similarities are numbers of at
    least 0 (an int, a Fraction, or a float, which is rounded to a multiple of 2**-40), and no two objects may be more similar
    than each is to itself. The similarity of each pair is computed once. ``details["map"]`` contains the pairs of the best
    map, by index.

    If all self-similarities are 0 (for example, both sides are empty), the score is undefined: 0 with
    ``details["defined"]`` false, as in all reports.

    >>> import corefeval
    >>> key = [("works-for", "Ada", "Acme"), ("lives-in", "Ada", "Rome")]
    >>> response = [("works-for", "Ada", "Acme Ltd."), ("lives-in", "Bo", "Rome"), ("owns", "Bo", "Acme")]
    >>> def same_fields(one, other):
    ...     return sum(a == b for a, b in zip(one, other)) if one[0] == other[0] else 0
    >>> score = corefeval.ceaf(key, response, same_fields)
    >>> round(score.recall, 4), round(score.precision, 4), score.details["map"]
    (0.6667, 0.4444, ((0, 0), (1, 1)))
    """
    ours: Sequence[_Object] = list(key)
    theirs: Sequence[_Object] = list(response)
    itself = own or (lambda one: similarity(one, one))
    sides = [
        [_ratio(itself(one), f"the similarity of {name}[{place}] to itself") for place, one in enumerate(side)]
        for name, side in (("key", ours), ("response", theirs))
    ]
    similar = []
    for row, one in enumerate(ours):
        for column, other in enumerate(theirs):
            ratio = _ratio(similarity(one, other), f"the similarity of key[{row}] and response[{column}]")
            if ratio[0]:
                similar.append((row, column, *ratio))
    (recall, precision, f1), counts, chosen = map_objects(sides[0], sides[1], similar)
    names = ("recall_num", "recall_den", "precision_num", "precision_den")
    details = {"recall": recall, "precision": precision, "f1": f1, **dict(zip(names, counts, strict=True))}
    if not (details["recall_den"] or details["precision_den"]):
        details["defined"] = False
    return MetricScore("ceaf", recall, precision, f1, None, Frozen({**details, "map": tuple(map(tuple, chosen))}))
