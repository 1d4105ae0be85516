"""Reports: the results as immutable values."""

from __future__ import annotations

import html
import json
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, SupportsIndex, TypeVar, overload

from ._corefeval import Rendered, metric_key
from ._frozen import Frozen
from .exceptions import CorefevalWarning, SettingsError

__all__ = [
    "Agreement",
    "ComparedGroup",
    "Comparison",
    "ConeCheck",
    "ConeCorrelation",
    "Correlation",
    "DocumentScores",
    "Figure",
    "Finding",
    "GroupScores",
    "MetricScore",
    "Named",
    "Report",
    "Row",
    "SystemScores",
]

#: The counts that most metrics have, as columns of :meth:`Report.to_rows`.
_COUNTS = ("recall_num", "recall_den", "precision_num", "precision_den")


def _frozen(data: dict[str, Any]) -> Frozen:
    """Returns a JSON object as an immutable dictionary."""
    return Frozen({name: tuple(value) if isinstance(value, list) else value for name, value in data.items()})


@dataclass(frozen=True, slots=True, repr=False)
class MetricScore:
    """The score of one metric. Ratios are fractions: 1 is perfect. Iteration yields recall, precision, F1.

    Undefined ratios are 0, as in JSON, and listed in ``undefined``. :meth:`Report.to_rows` and ``repr`` show them as None
    (NaN in pandas), and ``to_dict(flat=True)`` omits them.

    Attributes:
        metric: the metric as requested: ``muc``, ``b_cubed:weight=entity``.
        recall: the share of the key that was found; None for a mean of other metrics (``conll``).
        precision: the share of the response that is correct; None for a mean.
        f1: the harmonic mean of both, unless the metric has its own definition; NaN if only bounds are known.
        value: the value of ACE-value; None for all other metrics.
        bounds: with ``ceaf_bound``, if the score is not exact, the proven bounds of ``recall``, ``precision`` and ``f1``
            as pairs of numbers; otherwise None.
        details: the metric's object in the command's JSON: the counts ``recall_num``, ``recall_den``, ``precision_num`` and
            ``precision_den``; for BLANC both kinds of links; for ACE-value its tables; for CEAF by groups of mentions
            ``over_maps``, the lowest and the highest score over all best maps of entities.
    """

    metric: str
    recall: float | None
    precision: float | None
    f1: float
    value: float | None
    details: Mapping[str, Any]
    bounds: Mapping[str, tuple[float, float]] | None = None

    @classmethod
    def _of(cls, metric: str, details: Mapping[str, Any]) -> MetricScore:
        total = details.get("total", details)
        return cls(
            metric,
            total.get("recall"),
            total.get("precision"),
            total.get("f1", math.nan),
            total.get("value"),
            details,
            total.get("bounds"),
        )

    def __iter__(self) -> Iterator[float | None]:
        return iter((self.recall, self.precision, self.f1))

    @property
    def defined(self) -> bool:
        """True if the score is defined; otherwise all its ratios are undefined."""
        return self.details.get("defined") is not False

    @property
    def undefined(self) -> tuple[str, ...]:
        """The undefined ratios among ``recall``, ``precision`` and ``f1``."""
        if not self.defined:
            return tuple(part for part in ("recall", "precision", "f1") if getattr(self, part) is not None)
        parts = set(self.details.get("undefined", ()))
        halves = [half for half in self.details.values() if isinstance(half, Mapping) and "recall_den" in half]
        halves = halves or [self.details]
        for part in ("recall", "precision"):
            counts = [half.get(f"{part}_den") for half in halves]
            if not getattr(self, part) and all(count == 0 for count in counts):
                parts.add(part)
        return tuple(part for part in ("recall", "precision", "f1") if part in parts)

    def _known(self) -> dict[str, float | None]:
        """Returns the ratios and the value; None if they are undefined or the metric lacks them."""
        undefined = self.undefined
        found = {part: None if part in undefined else getattr(self, part) for part in ("recall", "precision", "f1", "value")}
        if not self.defined:
            found["value"] = None
        return found

    def __repr__(self) -> str:
        known = ", ".join(f"{part}={value!r}" for part, value in self._known().items())
        return f"MetricScore(metric={self.metric!r}, {known}, bounds={self.bounds!r})"

    def __hash__(self) -> int:
        return hash((self.metric, self.recall, self.precision, self.f1, self.value))

    def _shown(self) -> str:
        if "f1" in self.undefined:
            return "–"
        if self.bounds is None:
            return f"{100 * self.f1:.2f}"
        low, high = self.bounds["f1"]
        return f"[{100 * low:.2f}, {100 * high:.2f}]"


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Row = TypeVar("_Row", bound=_HasName)


class Named(tuple[_Row, ...]):
    """The rows of a report in order, by index or by name: ``report.documents["news/ferry"]``."""

    __slots__ = ()
    #: The way to get rows, for the error of a lookup without rows.
    _HINT: ClassVar[str] = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(row.name for row in self)

    @overload
    def __getitem__(self, place: SupportsIndex | str) -> _Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Row, ...]: ...
    def __getitem__(self, place: SupportsIndex | str | slice) -> _Row | tuple[_Row, ...]:
        if not self and self._HINT and not isinstance(place, slice):
            error = KeyError if isinstance(place, str) else IndexError
            raise error(f"there is no {place!r}: {self._HINT}")
        if not isinstance(place, str):
            return super().__getitem__(place)
        found = self.get(place)
        if found is None:
            some = ", ".join(self.names[:5]) + (", …" if len(self) > 5 else "")
            raise KeyError(f"there is no {place!r}; there are {some}" if self else f"there is no {place!r}")
        return found

    def get(self, name: str) -> _Row | None:
        """Returns the first row with a name, or None."""
        return next((row for row in self if row.name == name), None)


class _ByDocument(Named[_Row]):
    """Rows by document, found by id, or by the name without the part if only one document has that name."""

    __slots__ = ()
    _HINT = 'the report has no documents; request them with by="document"'

    def get(self, name: str) -> _Row | None:
        """Returns the row of a document by its id, or by its name if only one document has that name; otherwise None."""
        found = super().get(name)
        if found is None and name:
            parts = [row for row in self if row.name.rpartition("; part ")[0] == name]
            found = parts[0] if len(parts) == 1 else None
        return found


class _ByGroup(Named[_Row]):
    """Rows by group."""

    __slots__ = ()
    _HINT = 'the report has no groups; request them with by=..., for example by="genre"'


class Row(Mapping[str, Any]):
    """A row of a report: an immutable dictionary, with the ``name`` of its system or document."""

    __slots__ = ("_found", "_name")
    _name: str
    _found: Mapping[str, Any]

    def __init__(self, name: str, found: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_found", found)

    @property
    def name(self) -> str:
        """The name of the system or of the document."""
        return self._name

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __hash__(self) -> int:
        # Rows with equal values are equal, like mappings.
        return hash(json.dumps(self._found, sort_keys=True))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"reports are immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Row, (self._name, self._found))

    def __repr__(self) -> str:
        return f"<{self._name}: {dict(self._found)}>"


class _Scores(Mapping[str, MetricScore]):
    """Scores by metric, in the order in which they were requested."""

    __slots__ = ("_data", "_scores")
    _data: Mapping[str, Any]
    _scores: dict[str, MetricScore]

    def __init__(self, data: Mapping[str, Any]) -> None:
        scores = {name: MetricScore._of(name, details) for name, details in data["metrics"].items()}
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_scores", scores)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._data,))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"reports are immutable: {name} cannot be set")

    def __getitem__(self, metric: str) -> MetricScore:
        # Ids are looked up unchanged, which is fast; the extension resolves other names.
        try:
            key = metric if metric in self._scores or not isinstance(metric, str) else metric_key(metric)
        except SettingsError as error:
            raise KeyError(f"{error.message}; {error.hint}") from None
        if key not in self._scores:
            raise KeyError(f"{metric!r} was not computed; the metrics are {', '.join(self._scores)}")
        return self._scores[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __hash__(self) -> int:
        return hash((type(self), *self._scores.values()))

    def __repr__(self) -> str:
        scores = (f"{name}={score._shown()}" for name, score in self.items())
        return f"<{type(self).__name__} F1: {', '.join(scores)}>"

    def _rows(self, **first: object) -> Iterator[dict[str, Any]]:
        for score in self.values():
            row: dict[str, Any] = {**first, "metric": score.metric}
            row.update(score._known(), **({"f1": None} if score.bounds else {}))
            counts = ((count, score.details.get(count)) for count in _COUNTS)
            # All numbers of a column have the same type, so integers become floats.
            row.update((name, None if count is None else float(count)) for name, count in counts)
            yield row


class DocumentScores(_Scores):
    """The scores of one document, by metric; ``id`` is the name of the document."""

    __slots__ = ()

    @property
    def id(self) -> str:
        """The name of the document."""
        return str(self._data["id"])

    @property
    def name(self) -> str:
        """The name of the document."""
        return self.id


class GroupScores(DocumentScores):
    """The scores of one group, by metric; ``id`` is the name of the group."""

    __slots__ = ()


class SystemScores(_Scores):
    """The scores of one response, by metric: ``system["muc"].f1``."""

    __slots__ = ("_documents", "_groups", "_more")
    #: Created on request.
    _documents: Named[DocumentScores] | None
    _groups: Named[GroupScores] | None
    #: Returns the rows by document or group as JSON, which ``_data`` lacks until they are requested.
    _more: Callable[[], str] | None

    def __init__(self, data: Mapping[str, Any], rows: Callable[[], str] | None = None) -> None:
        super().__init__(data)
        object.__setattr__(self, "_documents", None)
        object.__setattr__(self, "_groups", None)
        object.__setattr__(self, "_more", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._complete(),))

    def _complete(self) -> Mapping[str, Any]:
        """Returns the data, with the rows."""
        rows = self._more
        if rows is not None:
            object.__setattr__(self, "_data", Frozen({**self._data, **json.loads(rows(), object_hook=_frozen)}))
            object.__setattr__(self, "_more", None)
        return self._data

    @property
    def name(self) -> str:
        """The name of the row: the response, or the pair of files."""
        return str(self._data["name"])

    @property
    def key(self) -> str:
        """The file of the key; empty for Python objects."""
        return str(self._data.get("key", ""))

    @property
    def response(self) -> str:
        """The file of the response; empty for Python objects."""
        return str(self._data.get("response", ""))

    @property
    def documents(self) -> Named[DocumentScores]:
        """The scores by document, if requested with ``by="document"``."""
        if self._documents is None:
            rows = _ByDocument(map(DocumentScores, self._complete().get("documents", ())))
            object.__setattr__(self, "_documents", rows)
        return self._documents or _ByDocument()

    @property
    def document_count(self) -> int:
        """The number of documents of the key."""
        return int(self._data["counts"]["key"]["documents"])

    @property
    def by(self) -> str | None:
        """The grouping requested with ``by``; None for documents."""
        by = self._data.get("by")
        return None if by is None else str(by)

    @property
    def groups(self) -> Named[GroupScores]:
        """The scores by group, if ``by`` requested groups other than documents."""
        if self._groups is None:
            object.__setattr__(self, "_groups", _ByGroup(map(GroupScores, self._complete().get("groups", ()))))
        return self._groups or _ByGroup()


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: a warning or a note, with its count and first places.

    Attributes:
        code: its kind, as in ``corefeval list warnings``.
        severity: ``warning`` if the score may be misleading, otherwise ``note``.
        count: the number of occurrences.
        summary: its meaning.
        remedy: what to do about it.
        places: the first occurrences, each with ``message``, ``place`` (``file:line:column``), ``file``, ``line``, ``column``
            and ``document``. For lists of mentions the file is ``key`` or ``response``, the line is the entity and the column
            the mention, from 1; the message explains this, and ``place`` is None. ``place`` is also None for documents built
            in Python.
    """

    code: str
    severity: str
    count: int
    summary: str
    remedy: str
    places: tuple[Mapping[str, Any], ...]

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Finding:
        places = tuple(map(Frozen, data["places"]))
        return cls(data["code"], data["severity"], data["count"], data["summary"], data["remedy"], places)

    def __str__(self) -> str:
        first = self.places[0] if self.places else {"place": None, "message": self.summary}
        message = f"{first['place']}: {first['message']}" if first["place"] else first["message"]
        more = f" (and {self.count - 1} more)" if self.count > 1 else ""
        return f"{message}{more} [{self.code}]; {self.remedy}"


class _Rendered:
    """A report of the library or, after unpickling, its rendered texts."""

    __slots__ = ("_data", "_findings", "_native", "_texts")
    _native: Rendered | None
    _texts: dict[str, str]
    #: The findings of a report of the library, possibly thousands, created on request.
    _findings: tuple[Finding, ...] | None
    _data: Mapping[str, Any]

    def __init__(self, native: Rendered) -> None:
        self._begin(native, {}, None)

    def _begin(self, native: Rendered | None, texts: dict[str, str], findings: tuple[Finding, ...] | None) -> None:
        object.__setattr__(self, "_findings", findings)
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_texts", texts)
        data = self._text("json") if native is None else native.data()
        object.__setattr__(self, "_data", json.loads(data, object_hook=_frozen))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"reports are immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"reports are immutable: {name} cannot be deleted")

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs that :meth:`render` supports."""
        return tuple(self._texts) if self._native is None else tuple(self._native.outputs())

    def render(
        self,
        output: str = "table",
        *,
        columns: str | None = None,
        details: bool = False,
        digits: int | None = None,
        quiet: bool = False,
    ) -> str:
        """Returns the report as text, like ``--output`` of the command.

        Args:
            output: ``table``, ``json``, ``csv``, ``markdown``, ``html``, ``latex``; for scores also ``conll``, for errors
                ``jsonlines``.
            columns: the columns of tables of several responses: the first letters of recall, precision and F1, such as
                ``rpf``.
            details: adds a table for each of several responses.
            digits: the number of decimals of percentages, 2 by default.
            quiet: issues no :class:`CorefevalWarning` about parts of the report that the output omits.

        Raises:
            SettingsError: the output does not exist, or the report was pickled, which preserves only the default outputs.
            StrictError: the output omits something that was requested, and the report has ``strict=True``.
        """
        text = self._text(output, columns, details, digits)
        for finding in () if quiet else self._not_shown(output):
            warnings.warn(str(finding), CorefevalWarning, stacklevel=2)
        return text

    def _text(self, output: str, columns: str | None = None, details: bool = False, digits: int | None = None) -> str:
        if columns is not None or details or digits is not None:
            if self._native is None:
                hint = "render it so before it is pickled"
                raise SettingsError("a report that was pickled keeps only its default output", code="settings", hint=hint)
            return self._native.render(output, columns=columns, details=bool(details), digits=digits)
        text = self._texts.get(output)
        if text is None:
            if self._native is None:
                hint = f"the outputs are {', '.join(self._texts)}"
                raise SettingsError(f"unknown output `{output}`", code="settings", hint=hint)
            text = self._texts[output] = self._native.render(output)
        return text

    def _not_shown(self, output: str) -> tuple[Finding, ...]:
        """Returns the warnings about parts that an output omits."""
        return () if self._native is None else tuple(map(Finding._of, self._native.not_shown(output)))

    def to_dict(self) -> dict[str, Any]:
        """Returns a new dictionary with the whole report: the JSON of the command."""
        data: dict[str, Any] = json.loads(self.render("json"))
        return data

    @property
    def signature(self) -> str:
        """Everything that the scores depend on, in one line; :func:`score_files` accepts it as ``settings=signature``."""
        return str(self._data["signature"])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: warnings and notes."""
        if self._findings is None:
            found = () if self._native is None else self._native.findings()
            object.__setattr__(self, "_findings", tuple(map(Finding._of, found)))
        return self._findings or ()

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The warnings: findings that may make the scores misleading."""
        if self._findings is None and self._native is not None:
            return tuple(map(Finding._of, self._native.findings(warnings=True)))
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def _messages(self) -> Iterator[str]:
        """Yields the text of each warning with its first place."""
        if self._findings is not None or self._native is None:
            return map(str, self.warnings)
        return (str(Finding._of(found)) for found in self._native.findings(warnings=True, first=True))

    def __str__(self) -> str:
        return self.render("table").rstrip("\n")

    def _repr_html_(self) -> str:
        return self.render("html") + "".join(f"<p>{html.escape(message)}</p>" for message in self._messages())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.render("json") == other.render("json")

    def __hash__(self) -> int:
        return hash(self.render("json"))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), {output: self._text(output) for output in self.outputs}, self.findings))


def _restored(kind: type[_Rendered], texts: dict[str, str], findings: tuple[Finding, ...]) -> _Rendered:
    report = kind.__new__(kind)
    report._begin(None, texts, findings)
    return report


class Report(_Rendered, Mapping[str, Any]):
    """The scores of one or more responses, with everything they depend on.

    ``report["muc"].f1`` is a score of a single response. With several responses, or responses given by name, it is
    ``report["alder"]["muc"].f1``, even if a dictionary of responses has only one entry. ``str(report)`` is the table that the
    command prints; a notebook shows it as a table. Reports are immutable, can be pickled, and are equal if all their contents
    are equal.

    >>> import corefeval
    >>> report = corefeval.score(key=[["a", "b", "c"]], response=[["a", "b"]], metrics="muc,lea", quiet=True)
    >>> report["muc"].recall, report["muc"].details["recall_den"]
    (0.5, 2)
    """

    __slots__ = ("_by_name", "_left_out", "_systems")
    _systems: Named[SystemScores]
    _by_name: bool
    #: After unpickling, the warnings about parts that outputs omit.
    _left_out: Mapping[str, tuple[Finding, ...]]

    def _begin(self, native: Rendered | None, texts: dict[str, str], findings: tuple[Finding, ...] | None) -> None:
        super()._begin(native, texts, findings)
        rows = [None if native is None else partial(native.rows, place) for place in range(len(self._data["systems"]))]
        systems = Named(map(SystemScores, self._data["systems"], rows))
        object.__setattr__(self, "_systems", systems)
        object.__setattr__(self, "_by_name", len(systems) != 1)
        object.__setattr__(self, "_left_out", MappingProxyType({}))

    def _named(self, responses: object) -> Report:
        """Marks the report as a mapping of responses, if these were given by name, and returns it."""
        if isinstance(responses, Mapping):
            object.__setattr__(self, "_by_name", True)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        left_out = {output: found for output in self.outputs if (found := self._not_shown(output))}
        return (_restored_report, (*super().__reduce__()[1], self._by_name, left_out))

    def _not_shown(self, output: str) -> tuple[Finding, ...]:
        return self._left_out.get(output, ()) if self._native is None else super()._not_shown(output)

    def __eq__(self, other: object) -> bool:
        same = super().__eq__(other)
        return same if same is NotImplemented or not isinstance(other, Report) else same and self._by_name == other._by_name

    def __hash__(self) -> int:
        return super().__hash__()

    @property
    def systems(self) -> Named[SystemScores]:
        """The scores of each response, or of each pair of files."""
        return self._systems

    @property
    def averages(self) -> Named[SystemScores]:
        """The macro average of each response over its pairs of files, if files are paired."""
        return Named(SystemScores(average) for average in self._data.get("averages", ()))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the requested order."""
        return tuple(self._systems[0]) if self._systems else ()

    @property
    def documents(self) -> Named[DocumentScores]:
        """The scores by document of the only response, if requested with ``by="document"``."""
        return self._only().documents

    @property
    def groups(self) -> Named[GroupScores]:
        """The scores by group of the only response, if ``by`` requested groups other than documents."""
        return self._only().groups

    @property
    def document_count(self) -> int:
        """The number of documents of the key: the maximum over responses if each has a key made from its own text, and the
        sum over pairs if files are paired."""
        counts: dict[object, int] = {}
        for place, system in enumerate(self._systems):
            name = system._data.get("system", place)
            counts[name] = counts.get(name, 0) + system.document_count
        return max(counts.values(), default=0)

    def _only(self) -> SystemScores:
        if len(self._systems) == 1:
            return self._systems[0]
        raise LookupError(f"this report is of {len(self._systems)} rows: take one of report.systems")

    def __getitem__(self, name: str) -> Any:
        """Returns the score of a single response by metric, or the scores of one of several responses by name."""
        if not self._by_name:
            only = self._systems[0]
            if name == only.name and name not in only:
                raise KeyError(f"{name!r} is the only response; its scores are report[metric], or report.systems[{name!r}]")
            return only[name]
        if name in self.metrics:
            some = ", ".join(self._systems.names[:5])
            raise KeyError(f"{name!r} is a score of a response: report[system][{name!r}]; the systems are {some}")
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self._systems.names) if self._by_name else self.metrics)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Returns a new dictionary with the whole report: the JSON of the command or, with ``flat``, the form for loggers:
        ``{"muc_recall": …, "muc_precision": …, "muc_f1": …}``, for responses by name ``{"alder/muc_f1": …}``. The flat form
        omits undefined scores, bounds, and scores that a metric lacks."""
        if not flat:
            return super().to_dict()
        found: dict[str, Any] = {}
        for system in self._systems:
            prefix = f"{system.name}/" if self._by_name else ""
            for metric, score in system.items():
                known = {} if score.bounds else score._known()
                found.update((f"{prefix}{metric}_{part}", value) for part, value in known.items() if value is not None)
        return found

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each response (``system``), document or group (``document``, ``group``; None for all
        together) and metric, with ``recall``, ``precision``, ``f1``, ``value`` and the counts; None for values that are
        undefined or that the metric lacks.
        ``pandas.DataFrame``, ``polars.from_dicts`` and ``pyarrow.Table.from_pylist`` accept the rows.
        """
        rows: list[dict[str, Any]] = []
        for system in self._systems:
            rows.extend(system._rows(system=system.name, document=None, group=None))
            for document in system.documents:
                rows.extend(document._rows(system=system.name, document=document.id, group=None))
            for group in system.groups:
                rows.extend(group._rows(system=system.name, document=None, group=group.id))
        return rows

    def to_columns(self) -> dict[str, list[Any]]:
        """Returns the rows as a list for each column, for ``pandas.DataFrame``, ``polars.DataFrame`` or ``pyarrow.table``."""
        rows = self.to_rows()
        names = ("system", "document", "group", "metric", "recall", "precision", "f1", "value", *_COUNTS)
        return {name: [row[name] for row in rows] for name in names}

    def __repr__(self) -> str:
        scores = "; ".join(f"{system.name} {system!r}" for system in self._systems)
        return f"<corefeval.Report {scores}>"


def _restored_report(
    kind: type[Report],
    texts: dict[str, str],
    findings: tuple[Finding, ...],
    by_name: bool,
    # Pickles of earlier versions lack it.
    left_out: Mapping[str, tuple[Finding, ...]] = MappingProxyType({}),
) -> Report:
    report = kind.__new__(kind)
    report._begin(None, texts, findings)
    object.__setattr__(report, "_by_name", by_name)
    object.__setattr__(report, "_left_out", left_out)
    return report


class _Table(_Rendered):
    """A report that consists of rows."""

    __slots__ = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each row."""
        raise NotImplementedError

    def to_columns(self) -> dict[str, list[Any]]:
        """Returns the rows as a list for each column, for ``pandas.DataFrame``, ``polars.DataFrame`` or ``pyarrow.table``."""
        rows = self.to_rows()
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its ``name``, and ``svg``, the text of an SVG file, which notebooks display."""

    name: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


class _Drawn(_Table):
    """A report with figures."""

    __slots__ = ("_figures",)
    _figures: dict[str, str] | None

    def _begin(self, native: Rendered | None, texts: dict[str, str], findings: tuple[Finding, ...] | None) -> None:
        super()._begin(native, texts, findings)
        object.__setattr__(self, "_figures", None)

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The figures that the command draws, by name."""
        if self._figures is None:
            object.__setattr__(self, "_figures", {} if self._native is None else dict(self._native.figures()))
        return Frozen({name: Figure(name, svg) for name, svg in (self._figures or {}).items()})

    def save_figures(self, folder: str | os.PathLike[str], *, quiet: bool = False) -> None:
        """Writes the figures into a directory as SVG, PNG and PDF, like ``--figures`` of the command.

        Raises:
            ReadError: a file cannot be written.
            SettingsError: the report was pickled and therefore has figures only as SVG.
        """
        if self._native is None:
            hint = "write the SVG of each of report.figures, or save figures before the report is pickled"
            raise SettingsError("a report that was pickled cannot be drawn again", code="settings", hint=hint)
        for finding in map(Finding._of, self._native.write_figures(os.fsdecode(folder))):
            if not quiet:
                warnings.warn(str(finding), CorefevalWarning, stacklevel=2)

    def __reduce__(self) -> tuple[Any, ...]:
        _, given = super().__reduce__()
        return (_restored_drawn, (*given, {name: figure.svg for name, figure in self.figures.items()}))


def _restored_drawn(
    kind: type[_Drawn], texts: dict[str, str], findings: tuple[Finding, ...], figures: dict[str, str]
) -> _Drawn:
    report = kind.__new__(kind)
    report._begin(None, texts, findings)
    object.__setattr__(report, "_figures", figures)
    return report


class _BySystem(Mapping[str, Row]):
    """The row of each system in a report, by name."""

    __slots__ = ()
    _data: Mapping[str, Any]
    #: The member of a system's JSON that is its row.
    _PART: ClassVar[str] = "metrics"

    @property
    def systems(self) -> Named[Row]:
        """The systems, in the order of the report; ``systems.names`` contains their names."""
        return Named(Row(system["name"], system[self._PART]) for system in self._data["systems"])

    def __getitem__(self, system: str) -> Row:
        return self.systems[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems.names)

    def __len__(self) -> int:
        return len(self._data["systems"])


class ComparedGroup(_BySystem):
    """The systems on a group of documents or mentions: ``group["birch"]["muc"]`` as in a :class:`Comparison`."""

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_data", data)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"reports are immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return (ComparedGroup, (self._data,))

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    @property
    def id(self) -> str:
        """The name of the group."""
        return str(self._data["id"])

    @property
    def name(self) -> str:
        """The name of the group."""
        return self.id

    @property
    def document_count(self) -> int:
        """The number of its documents; for a group of mentions, of the documents with such mentions."""
        return int(self._data["documents"])

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """For all pairs of systems ``first``, ``second``, ``metric``, ``difference``, ``p`` and ``p_corrected``."""
        return _pairs(self._data)

    def __repr__(self) -> str:
        return f"<corefeval.ComparedGroup {self.id} of {', '.join(self)} on {self.document_count} documents>"


def _pairs(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"first": pair["first"], "second": pair["second"], "metric": metric, **test}
        for pair in data["pairs"]
        for metric, test in pair["metrics"].items()
    ]


class Comparison(_Drawn, _BySystem):
    """A comparison of systems: intervals, p-values and ranks, for all metrics.

    ``comparison["birch"]["muc"]`` is a dictionary of one system and metric: ``recall`` and ``precision`` with
    ``recall_interval`` and ``precision_interval``, ``f1``, ``defined``, ``interval``, ``rank``, ``rank_set``,
    ``letters``, ``best``, and the ``difference`` from the baseline with its ``f1``, ``interval``, ``p``, ``p_corrected``,
    ``detectable`` and, with ``plan``, ``planned``. A system with several runs has ``runs`` with the ``f1`` of each run and
    their ``deviation``. If the score is undefined, ``defined`` is false, ``interval`` and ``rank`` are None, and
    ``difference`` is missing; ``rank`` is also None if no difference can be significant.
    """

    __slots__ = ()

    @property
    def baseline(self) -> str:
        """The system that the others are compared with."""
        return str(self._data["baseline"])

    @property
    def document_count(self) -> int:
        """The number of compared documents."""
        return int(self._data["documents"])

    @property
    def by(self) -> str | None:
        """The grouping requested with ``by``."""
        by = self._data.get("by")
        return None if by is None else str(by)

    @property
    def documents(self) -> Named[ComparedGroup]:
        """The systems on each document, if requested with ``by="document"``."""
        return self._by(documents=True)

    @property
    def groups(self) -> Named[ComparedGroup]:
        """The systems on each group, if ``by`` requested groups other than documents."""
        return self._by(documents=False)

    def _by(self, *, documents: bool) -> Named[ComparedGroup]:
        found = self._data.get("groups", ()) if (self.by == "document") == documents else ()
        kind: type[Named[ComparedGroup]] = _ByDocument if documents else _ByGroup
        return kind(map(ComparedGroup, found))

    @property
    def systems_left_out(self) -> tuple[Mapping[str, Any], ...]:
        """The systems that ``skip_broken`` excluded, each with its ``name``, ``response`` and ``error``."""
        return tuple(self._data.get("systems_left_out", ()))

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each ``group`` (None for all together), ``system`` and ``metric``: ``f1`` with its interval
        ``low`` and ``high``, ``defined``, ``rank``, ``rank_low``, ``rank_high``, ``letters``, and for the difference from the
        baseline ``difference``, ``difference_low``, ``difference_high``, ``p``, ``p_corrected`` and ``detectable`` (None for
        the baseline). ``recall`` and ``precision`` have separate intervals.
        """
        rows = _rows(self._data, None)
        for group in self._data.get("groups", ()):
            rows += _rows(group, group["id"])
        return rows

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """For all pairs of systems ``first``, ``second``, ``metric``, ``difference``, ``p`` and ``p_corrected``."""
        return _pairs(self._data)

    def _repr_html_(self) -> str:
        """Returns the tables, and the intervals as a forest plot."""
        forest = self.figures.get("forest")
        return super()._repr_html_() + (f"<div>{forest.svg}</div>" if forest else "")

    def __repr__(self) -> str:
        return f"<corefeval.Comparison of {', '.join(self)} on {self.document_count} documents>"


def _rows(data: Mapping[str, Any], group: str | None) -> list[dict[str, Any]]:
    """Returns the rows of a comparison or of one of its groups."""
    none = (None, None)
    rows = []
    for system in data["systems"]:
        for metric, found in system["metrics"].items():
            difference = found.get("difference") or {}
            row = {"group": group, "system": system["name"], "metric": metric}
            for part in ("recall", "precision"):
                low, high = found.get(f"{part}_interval") or none
                row.update({part: found.get(part), f"{part}_low": low, f"{part}_high": high})
            low, high = found.get("interval") or none
            row.update(f1=found["f1"], low=low, high=high, defined=found["defined"], rank=found.get("rank"))
            rank_low, rank_high = found.get("rank_set") or none
            row.update(rank_low=rank_low, rank_high=rank_high, letters=found.get("letters"))
            low, high = difference.get("interval") or none
            row.update(difference=difference.get("f1"), difference_low=low, difference_high=high)
            row.update({name: difference.get(name) for name in ("p", "p_corrected", "detectable")})
            rows.append(row)
    return rows


class Agreement(_Table):
    """The agreement of annotators: scores of all pairs of annotators, and Krippendorff's α.

    ``agreement["passonneau"]`` is α over the entities to which annotators assign each mention, with Passonneau's distance;
    ``jaccard`` and ``masi`` use other distances, and ``links`` is α over pairs of mentions. Each is a dictionary with
    ``alpha``, its interval ``low`` and ``high``, ``observed`` and ``expected`` disagreement.
    """

    __slots__ = ()

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators, in the given order."""
        return tuple(self._data["annotators"])

    @property
    def document_count(self) -> int:
        """The number of compared documents."""
        return int(self._data["documents"])

    @property
    def alphas(self) -> Mapping[str, Mapping[str, Any]]:
        """Each α by its distance."""
        alphas: Mapping[str, Mapping[str, Any]] = self._data["alpha"]
        return alphas

    def __getitem__(self, distance: str) -> Mapping[str, Any]:
        found = self.alphas
        if distance not in found:
            raise KeyError(f"there is no α by {distance!r}; there are {', '.join(found)}")
        return found[distance]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data["alpha"])

    def __len__(self) -> int:
        return len(self._data["alpha"])

    @property
    def documents(self) -> Named[Row]:
        """The documents, if requested with ``by="document"``: ``id``, ``mentions``, and each ``alpha`` by its distance."""
        return _ByDocument(Row(document["id"], document) for document in self._data.get("by_document", ()))

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each ordered pair of annotators (``key``, ``response``) and metric: ``recall``,
        ``precision``, ``f1``, ``value`` (of ACE-value)."""
        rows = []
        for pair in self._data["pairs"]:
            for metric, details in pair["metrics"].items():
                score = MetricScore._of(metric, details)
                row: dict[str, Any] = {"key": pair["key"], "response": pair["response"], "metric": metric}
                row.update(recall=score.recall, precision=score.precision, f1=score.f1, value=score.value)
                rows.append(row)
        return rows

    def __repr__(self) -> str:
        return f"<corefeval.Agreement of {', '.join(self.annotators)} on {self.document_count} documents>"


class _Correlations(_Drawn, Mapping[str, tuple[Mapping[str, Any], ...]]):
    """Correlations as dictionaries, in tuples by the value of a field."""

    __slots__ = ()

    #: The field.
    _FIELD: ClassVar[str]

    @property
    def systems(self) -> Named[Row]:
        """The systems, each a row of its fields; ``systems.names`` contains their names."""
        return Named(Row(system["name"], system) for system in self._data["systems"])

    @property
    def document_count(self) -> int:
        """The number of documents."""
        return int(self._data["documents"])

    def __getitem__(self, value: str) -> tuple[Mapping[str, Any], ...]:
        found = tuple(row for row in self._data["correlations"] if row[self._FIELD] == value)
        if not found:
            raise KeyError(f"unknown correlation {self._FIELD} {value!r}; there are {', '.join(self)}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(row[self._FIELD] for row in self._data["correlations"]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Correlation(_Correlations):
    """The correlation of two metrics, over documents, systems or entities.

    ``correlation["documents"]`` contains the correlations over documents, a dictionary for each system (for ``pooled`` and
    ``systems`` one for all systems): ``system`` and ``parts`` with ``recall``, ``precision`` and ``f1``, each with
    ``points``, ``left_out``, ``pearson``, ``spearman`` and ``kendall`` with ``value``, ``interval`` and ``fisher``, and
    ``reading`` (None with a reason, ``unread``). ``than`` adds ``closeness``, and ``points`` adds the ``list`` of points.
    Each of the ``systems`` has its ``response``.
    """

    __slots__ = ()
    _FIELD = "over"

    @property
    def metrics(self) -> tuple[str, str]:
        """Both metrics."""
        return str(self._data["x"]), str(self._data["y"])

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each set of points (``over``, ``system``, ``part``) and ``coefficient``: ``points``,
        ``left_out``, ``value`` (None if undefined), ``low``, ``high``."""
        rows = []
        for row in self._data["correlations"]:
            for part, found in row["parts"].items():
                for coefficient in ("pearson", "spearman", "kendall"):
                    of = found.get(coefficient) or {}
                    low, high = of.get("interval") or (None, None)
                    rows.append(
                        {
                            "over": row["over"],
                            "system": row.get("system"),
                            "part": part,
                            "coefficient": coefficient,
                            "points": found["points"],
                            "left_out": found["left_out"],
                            "value": of.get("value"),
                            "low": low,
                            "high": high,
                        }
                    )
        return rows

    def __repr__(self) -> str:
        return f"<corefeval.Correlation of {' and '.join(self.metrics)} on {self.document_count} documents>"


class ConeCheck(_Table, _BySystem):
    """The difference between scores against a key made from names and scores against an annotated key.

    ``check["alder"]["b_cubed"]`` is a dictionary of one system and metric: the kind of score (``full``, ``named``,
    ``approximated``, …) with ``recall``, ``precision`` and ``f1``, and the ``discrepancy``.
    """

    __slots__ = ()

    @property
    def document_count(self) -> int:
        """The number of documents of the responses; the annotated key may contain only some of them."""
        return max((int(system["documents"]) for system in self._data["systems"]), default=0)

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each ``system``, ``metric`` and kind of score (``scores``): ``recall``, ``precision``,
        ``f1``, and for the discrepancy its interval ``low``, ``high``; None for values that do not exist."""
        rows = []
        for system in self._data["systems"]:
            for metric, found in system["metrics"].items():
                for kind, scores in found.items():
                    if isinstance(scores, Mapping):
                        row = {"system": system["name"], "metric": metric, "scores": kind}
                        parts = ("recall", "precision", "f1")
                        low, high = scores.get("interval") or (None, None)
                        is_defined = scores.get("defined", True)
                        found_here = {part: scores.get(part) if is_defined else None for part in parts}
                        rows.append({**row, **found_here, "low": low, "high": high})
        return rows

    def __repr__(self) -> str:
        return f"<corefeval.ConeCheck of {', '.join(self)}>"


class ConeCorrelation(_Correlations):
    """The correlation of CONE with B³ and CEAF of all mentions.

    ``found["named"]`` contains the correlations with the key's names, ``found["approximated"]`` the correlations with a key
    made from the names of the text, and ``found["complement"]`` the control without named mentions. Each is a tuple of
    dictionaries with ``metric``, ``over`` (documents or entities), ``system`` (None for all together) and ``parts`` with
    ``recall``, ``precision`` and ``f1``, each with ``points``, ``left_out``, ``r``, ``alpha`` and ``beta``. Each of the
    ``systems`` has the numbers of ``named_entities``, ``missed`` (MNE) and ``wrongly_grouped`` (IGNE).
    """

    __slots__ = ()
    _FIELD = "with"

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each set of points (``metric``, ``with``, ``over``, ``system``, ``part``): ``points``,
        ``left_out``, ``r``, ``alpha``, ``beta``; None for values that do not exist."""
        return [
            {**{name: row[name] for name in ("metric", "with", "over", "system")}, "part": part, **found}
            for row in self._data["correlations"]
            for part, found in row["parts"].items()
        ]

    def __repr__(self) -> str:
        return f"<corefeval.ConeCorrelation of {', '.join(self.systems.names)} on {self.document_count} documents>"
