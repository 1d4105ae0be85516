"""Dictionaries that cannot be changed."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Frozen"]


class Frozen(dict[str, Any]):
    """An immutable dictionary; ``dict(it)`` is a mutable copy. JSON and pickle treat it as a dictionary."""

    __slots__ = ()

    def _refuse(self, *arguments: object, **more: object) -> NoReturn:
        """Raises an error instead of a change."""
        raise TypeError("this mapping is read-only; copy it to change it: dict(it)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (Frozen, (dict(self),))
