"""Explanations of why scores differ: between profiles, from a printed number, from another scorer's output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._corefeval import reported
from ._keywords import as_values, given, named, paths, takes, text
from ._options import ExplainFilesOptions, ExplainOptions, Path
from ._sides import report_by_name, warned
from .documents import _iterable_once
from .report import _Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Side
else:
    from ._keywords import Side, Unpack

__all__ = ["Explanation", "explain", "explain_files"]

#: The parts of a score.
_PARTS = ("recall", "precision", "f1")


class Explanation(_Table):
    """The explanation of why scores of one response differ.

    ``profiles`` contains the scores under each profile, and ``differences`` the ``steps`` from the first profile to each of
    the others. A step changes one rule and has its ``change`` by metric, and the ``documents``, ``entities`` and ``mentions``
    that the rule treats differently. The changes add up to the ``total`` exactly; ``exact`` contains them as fractions.
    ``search`` contains the results of ``find``, and ``against`` compares another scorer's output with ours; both are None if
    not requested.
    """

    __slots__ = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order of the report."""
        return tuple(self._data["metrics"])

    @property
    def profiles(self) -> tuple[Mapping[str, Any], ...]:
        """The scores under each profile: ``name``, ``signature``, ``print``, ``metrics`` and ``exact``."""
        return tuple(self._data["profiles"])

    @property
    def differences(self) -> tuple[Mapping[str, Any], ...]:
        """The steps from the first profile to each of the others: ``from``, ``to``, ``steps``, ``idle`` and ``total``."""
        return tuple(self._data["differences"])

    @property
    def search(self) -> Mapping[str, Any] | None:
        """The results of ``find``: ``wanted`` with the chance of a hit, and ``hits``; None without ``find``."""
        return self._data.get("search")

    @property
    def against(self) -> Mapping[str, Any] | None:
        """The output of another scorer: its ``numbers`` and ours, the ``nearest`` settings, and the ``difference`` from
        them; None without ``against``."""
        return self._data.get("against")

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each step and metric: ``from``, ``to``, ``rule``, ``metric``, and the changes of
        ``recall``, ``precision`` and ``f1``; the first two are None for a mean."""
        rows = []
        for path in self.differences:
            for step in path["steps"]:
                rule = ", ".join(f"{one['option']} {one['from']} → {one['to']}" for one in step["switches"])
                for metric, change in step["change"].items():
                    row = {"from": path["from"], "to": path["to"], "rule": rule, "metric": metric}
                    rows.append({**row, **{part: change.get(part) for part in _PARTS}})
        return rows

    def __repr__(self) -> str:
        return f"<corefeval.Explanation of {', '.join(profile['name'] for profile in self.profiles)}>"


@takes(ExplainOptions)
def explain(
    *,
    key: Side,
    response: Side,
    name: str = "response",
    quiet: bool = False,
    **options: Unpack[ExplainOptions],
) -> Explanation:
    """Explains why scores of one response differ: the rules that cause the difference, one at a time.

    Args:
        key: as for :func:`score`.
        response: as for :func:`score`.
        name: the name of the response in the report.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval explain``, with ``_`` for ``-``.

    >>> import corefeval
    >>> key, alder = (corefeval.read(f"examples/{name}.conll") for name in ("key", "alder"))
    >>> found = corefeval.explain(key=key, response=alder, profiles=["conll", "e2e"], quiet=True)
    >>> [(row["rule"], round(row["f1"], 4)) for row in found.to_rows() if row["metric"] == "conll"]
    [('ceaf-singletons both → key-only', -0.086)]
    >>> found = corefeval.explain(key=key, response=alder, find="conll=78.50", quiet=True)
    >>> found.search["hits"][0]["name"]
    'e2e'
    """
    wanted, systems = given(options, ExplainOptions), {text(name, "name"): response}
    return report_by_name(Explanation, "explain", {"key": _iterable_once(key)}, systems, "response", wanted, quiet)


@takes(ExplainFilesOptions)
def explain_files(
    *,
    key: Path,
    response: Path,
    quiet: bool = False,
    **options: Unpack[ExplainFilesOptions],
) -> Explanation:
    """Explains why scores of one response differ, as ``corefeval explain`` does for the same files.

    Args:
        key: a file or a directory of files, plain or compressed.
        response: a file or a directory of files, plain or compressed.
        quiet: issues no :class:`CorefevalWarning`; the report still has the warnings.
        **options: the options of ``corefeval explain``, with ``_`` for ``-``.

    >>> import corefeval
    >>> found = corefeval.explain_files(key="examples/key.conll", response="examples/alder.conll", quiet=True)
    >>> [profile["name"] for profile in found.profiles]
    ['conll', 'coval', 'e2e']
    """
    wanted = given(options, ExplainFilesOptions)
    key_path, systems = named(None, key, "key"), paths(response, "response")
    return warned(Explanation(reported("explain", as_values(wanted), key_path, systems)), quiet)
