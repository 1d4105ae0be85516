"""Labels of mentions: arrays, and lists that say that they are labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from .errors import InputTypeError, InputValueError

__all__ = ["Labels"]


class Labels:
    """Labels of mentions, one each: mentions of equal labels are an entity.

    Arrays of NumPy, pandas, polars and Arrow are taken for labels as they are; a list, which could be entities, is
    made labels by this class. Give ``mentions`` where key and response do not have the same mentions in the same
    order: a name for each, and equal names are equal mentions.

    >>> import corefeval
    >>> report = corefeval.score(key=Labels([0, 0, 1, 1]), response=Labels([7, 7, 7, 7]), metrics="b_cubed")
    >>> tuple(report["b_cubed"])[:2]
    (1.0, 0.5)
    """

    __slots__ = ("mentions", "values")

    def __init__(self, values: Iterable[Hashable], mentions: Iterable[Hashable] | None = None) -> None:
        #: The labels.
        self.values = values
        #: The mentions, or None where both sides have the same.
        self.mentions = mentions

    def __repr__(self) -> str:
        return f"Labels({self.values!r}, {self.mentions!r})"


def _is_labels(side: object) -> bool:
    if isinstance(side, Labels):
        return True
    if isinstance(side, (list, tuple, str, bytes, bytearray, Mapping)):
        return False
    array = ("__array__", "__arrow_c_array__", "__arrow_c_stream__")
    if any(hasattr(side, name) for name in array):
        return True
    try:
        memoryview(side)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


#: The types of items of a buffer that are integers of the machine.
_INTEGERS = frozenset("bBhHiIlLqQnN?")


def _values(values: Any, side: str) -> tuple[bytes, int] | list[Any]:
    """Labels as bytes of integers with their width, or as a list."""
    if isinstance(values, (str, bytes, bytearray, Mapping)):
        name = type(values).__name__
        hint = "labels are numbers or strings, one for each mention"
        raise InputTypeError(f"{side} is a {name}, not labels", code="input", hint=hint)
    if isinstance(values, (list, tuple)):
        return list(values)
    integers = _arrow_integers(values)
    if integers is not None:
        return integers
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        view = None
    if view is None and hasattr(values, "__array__"):
        try:
            values = values.__array__()
            view = memoryview(values)
        except (ImportError, TypeError, ValueError, BufferError):
            # NumPy is not there, or has a type that is no buffer (strings, dates): a list will do.
            pass
    dimensions = view.ndim if view is not None else getattr(values, "ndim", 1)
    if dimensions != 1:
        shape = tuple(view.shape or ()) if view is not None else getattr(values, "shape", None)
        message = f"{side} is an array of shape {shape}, and labels have one dimension"
        hint = "for spans as rows of an array pass entities: [[(0, 1), (4, 4)], ...]"
        raise InputValueError(message, code="input", hint=hint)
    if view is not None and view.format in _INTEGERS:
        return (view.tobytes(), view.itemsize)
    for name in ("tolist", "to_pylist", "to_list"):
        method = getattr(values, name, None)
        if callable(method):
            return list(method())
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _of_bare_arrow(values, side)
    if not isinstance(values, Iterable):
        hint = "labels are numbers or strings, one for each mention"
        raise InputTypeError(f"{side} is a {type(values).__name__}, not labels", code="input", hint=hint)
    return list(values)


#: The integers of Arrow by their width in bytes.
_ARROW = {f"{sign}int{8 * width}": width for sign in ("", "u") for width in (1, 2, 4, 8)}


def _arrow_integers(values: Any) -> tuple[bytes, int] | None:
    """The integers of an Arrow array or of its chunks, through the buffers that it has; None for what is none."""
    width = _ARROW.get(str(getattr(values, "type", "")))
    chunks = getattr(values, "chunks", [values])
    if width is None or getattr(values, "null_count", True) or not all(hasattr(chunk, "buffers") for chunk in chunks):
        return None
    parts = []
    for chunk in chunks:
        if len(chunk):
            start = chunk.offset * width
            parts.append(memoryview(chunk.buffers()[1]).cast("B")[start : start + len(chunk) * width])
    return b"".join(parts), width


def _of_bare_arrow(values: Any, side: str) -> tuple[bytes, int] | list[Any]:
    """Labels of an object that has the Arrow C interface and nothing else."""
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        message = f"{side} is a {type(values).__name__}, which only pyarrow could read, and that is not installed"
        hint = "install pyarrow, or pass the labels as a list: Labels([...])"
        raise InputTypeError(message, code="input", hint=hint) from error
    array = pyarrow.array(values) if hasattr(values, "__arrow_c_array__") else pyarrow.chunked_array(values)
    integers = _arrow_integers(array)
    return list(array.to_pylist()) if integers is None else integers


def _by_label(labels: Labels, side: str) -> list[list[Hashable]]:
    """The entities of labels whose mentions have names."""
    values = _values(labels.values, side)
    if isinstance(values, tuple):
        found: Any = labels.values
        lists = (getattr(found, name) for name in ("tolist", "to_pylist", "to_list") if hasattr(found, name))
        values = list(next(lists, found.__iter__)())
    mentions = list(labels.mentions or ())
    if len(mentions) != len(values):
        message = f"{side} has {len(values)} labels and {len(mentions)} mentions"
        raise InputValueError(message, code="input", hint="every mention has a label")
    entities: dict[Hashable, list[Hashable]] = {}
    for place, (label, mention) in enumerate(zip(values, mentions)):
        try:
            missing = label is None or bool(label != label)
        except TypeError:
            missing = True
        if missing:
            hint = "leave out the mention on this side"
            raise InputValueError(f"the label {side}[{place}] is missing ({label})", code="input", hint=hint)
        try:
            entities.setdefault(label, []).append(mention)
        except TypeError as error:
            message = f"the label {side}[{place}] is not hashable"
            hint = "labels are numbers or strings, one for each mention"
            raise InputTypeError(message, code="input", hint=hint) from error
    return list(entities.values())


def _entities(side: Any, name: str) -> list[list[Hashable]]:
    """Labels as entities, of numbered mentions where they have no names."""
    labels = side if isinstance(side, Labels) else Labels(side)
    if labels.mentions is None:
        values = _values(labels.values, name)
        count = len(values[0]) // values[1] if isinstance(values, tuple) else len(values)
        labels = Labels(labels.values, range(count))
    return _by_label(labels, name)
