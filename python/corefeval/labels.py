"""Labels of mentions: arrays, and lists marked as labels."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Set
from typing import Any

from ._corefeval import LabelNumbers
from .exceptions import CorefevalError, InputTypeError, InputValueError

__all__ = ["Labels"]


class Labels:
    """Labels of mentions: mentions with equal labels form an entity.

    Arrays of NumPy, pandas, polars and Arrow are labels already; this class marks lists, which could be entities, as labels.
    If key and response do not have the same mentions in the same order, name each mention in ``mentions``: equal names are
    equal mentions.

    >>> import corefeval
    >>> report = corefeval.score(key=Labels([0, 0, 1, 1]), response=Labels([7, 7, 7, 7]), metrics="b_cubed")
    >>> tuple(report["b_cubed"])[:2]
    (1.0, 0.5)
    """

    __slots__ = ("mentions", "values")

    def __init__(self, values: Iterable[Hashable], mentions: Iterable[Hashable] | None = None) -> None:
        #: The labels.
        self.values = values
        #: The mentions, or None if both sides have the same mentions.
        self.mentions = mentions

    def __repr__(self) -> str:
        return f"Labels({self.values!r}, {self.mentions!r})"


#: The methods that export the values of an object to other libraries.
_ARROW = ("__arrow_c_stream__", "__arrow_c_array__")
#: The methods that return the values of an array as Python objects.
_LISTS = ("tolist", "to_pylist", "to_list")


def _is_labels(side: object) -> bool:
    if isinstance(side, Labels):
        return True
    if isinstance(side, (list, tuple, str, bytes, bytearray, Mapping)):
        return False
    if any(hasattr(side, name) for name in ("__array__", *_ARROW)):
        return True
    try:
        memoryview(side)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


#: The item types of a buffer that are native integers.
_INTEGERS = frozenset("bBhHiIlLqQnN?")


def _numbers(values: Any, side: str, *, named: bool = False) -> LabelNumbers:
    """Returns labels as numbers; set ``named`` if mentions have names."""
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "iloc") and values.shape[1] == 1:
        # A pandas table with one column is read as that column; more columns are an error below, with or without pyarrow.
        values = values.iloc[:, 0]
    arrow = any(hasattr(values, name) for name in _ARROW) and getattr(values, "ndim", 1) == 1
    if arrow and not _is_of_numpy(values):
        try:
            return LabelNumbers(values, side, named)
        except CorefevalError:
            raise
        except Exception as error:
            # pandas needs pyarrow to convert its arrays to Arrow, and pyarrow must support their type; only polars can read
            # its objects and 128-bit integers.
            if not any(hasattr(values, name) for name in _LISTS):
                if not isinstance(error, BufferError):
                    raise
                name = type(values).__name__
                message = f"{side} is a {name} that cannot be read through the Arrow C interface: {error}"
                raise InputValueError(message, code="input", hint="pass the labels as a list: Labels([...])") from None
    return LabelNumbers(_values(values, side), side, named)


def _is_of_numpy(values: Any) -> bool:
    """Returns whether the values of a column are in a NumPy array."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(getattr(values, "dtype", None), numpy.dtype)


def _values(values: Any, side: str) -> tuple[bytes, int] | list[Any]:
    """Returns labels as bytes of integers with their width, or as a list."""
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        name = type(values).__name__
        hint = "labels are numbers or strings, one for each mention"
        raise InputTypeError(f"{side} is a {name}, not labels", code="input", hint=hint)
    if isinstance(values, (list, tuple)):
        return list(values)
    if not callable(getattr(values, "mask", print)):
        # The buffer of a masked array contains the masked values; its list has None instead.
        return list(values.tolist())
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        view = None
    if view is None and hasattr(values, "__array__"):
        try:
            values = values.__array__()
            view = memoryview(values)
        except Exception:
            # NumPy is not installed, or the type has no buffer (strings, dates): use a list.
            pass
    dimensions = view.ndim if view is not None else getattr(values, "ndim", 1)
    if dimensions != 1:
        shape = tuple(view.shape or ()) if view is not None else getattr(values, "shape", None)
        message = f"{side} is an array of shape {shape}, but labels have one dimension"
        hint = "for spans as rows of an array pass entities: [[(0, 1), (4, 4)], ...]"
        raise InputValueError(message, code="input", hint=hint)
    native = "<" if sys.byteorder == "little" else ">"
    if view is not None and view.format.lstrip(f"@={native}") in _INTEGERS:
        return (view.tobytes(), view.itemsize)
    listed = _listed(values)
    if listed is None:
        hint = "labels are numbers or strings, one for each mention"
        raise InputTypeError(f"{side} is a {type(values).__name__}, not labels", code="input", hint=hint)
    return listed


def _listed(values: Any) -> list[Any] | None:
    """Returns the content of an array or another iterable as Python objects; None if it is not iterable."""
    for name in _LISTS:
        method = getattr(values, name, None)
        if callable(method):
            return list(method())
    return list(values) if isinstance(values, Iterable) else None


def _entities(side: Any, name: str) -> list[list[Hashable]]:
    """Returns labels as entities, with numbered mentions if the mentions have no names."""
    labels = side if isinstance(side, Labels) else Labels(side)
    named = labels.mentions is not None
    numbers = _numbers(labels.values, name, named=named)
    if not named:
        return numbers.entities(list(range(len(numbers))))
    mentions = _listed(labels.mentions)
    if mentions is None:
        message = f"the mentions of {name} are a {type(labels.mentions).__name__}, not a list"
        raise InputTypeError(message, code="input", hint="name each mention: Labels(labels, mentions)")
    if len(mentions) != len(numbers):
        message = f"{name} has {len(numbers)} labels and {len(mentions)} mentions"
        raise InputValueError(message, code="input", hint="every mention has a label")
    return numbers.entities(mentions)
