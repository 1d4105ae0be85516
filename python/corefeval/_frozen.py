"""Dictionaries that stay as they are."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Frozen"]


class Frozen(dict[str, Any]):
    """A dictionary that cannot be changed; ``dict(it)`` is one that can. JSON and pickle take it as any other."""

    __slots__ = ()

    def _refuse(self, *arguments: object, **more: object) -> NoReturn:
        """Refuses to change it."""
        raise TypeError("this stays as it is; make a dictionary of it to change that: dict(it)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (Frozen, (dict(self),))
