"""Keywords of functions: their names, their values, and the corresponding options of the command.

The tables are in ``_options.py``, which is generated from the command line.
"""

from __future__ import annotations

import difflib
import inspect
import numbers
import operator
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any, TypeVar, Union, get_args

from . import _options
from ._corefeval import list_options, usual_metrics
from ._options import CHOICES, FLAGS, Path
from .exceptions import InputTypeError, InputValueError, SettingsError, _in_document

#: The path of a file or directory, or a file that is open for reading.
Source = Union[Path, IO[Any]]

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: The functions, by the class of their keywords.
_OWNERS = {
    _options.ScoreOptions: "score",
    _options.ScoreFilesOptions: "score_files",
    _options.CompareOptions: "compare",
    _options.CompareFilesOptions: "compare_files",
    _options.AgreeOptions: "agree",
    _options.CorrelateOptions: "correlate",
    _options.ConeOptions: "cone",
    _options.ErrorsOptions: "errors",
    _options.ExplainOptions: "explain",
    _options.ValidateOptions: "validate",
}

#: The Python counterparts of options of the command that are not keywords.
_INSTEAD = {
    "output": 'a report has them all: report.render("latex")',
    "columns": 'report.render("table", columns="rpf") chooses them',
    "details": 'report.render("table", details=True) has a table for each system',
    "digits": 'report.render("table", digits=3) chooses them',
    "no_warnings": "quiet=True issues none; report.warnings still has them",
    "figures": "a comparison has them: comparison.figures, comparison.save_figures(folder)",
    "verbose": "a report has all findings: report.findings",
    "color": "colours are the terminal's",
    "pair": "corefeval.score_files takes pairs=[(key, response), ...]",
    "overlap": "corefeval.score_files and corefeval.compare_files take tables of counts: overlap=[...]",
}

#: The keywords that are documented first.
_FIRST = ("metrics", "profile", "by")

#: The largest number of values that the documentation of a keyword lists.
_FEW = 12

#: Files about the types and names of mentions.
OF_TYPES = frozenset({"weights", "ace_parameters", "ne_labels"})


#: `_types.pyi` has the types of keys and responses for type checkers; at run time any type is allowed.
Side = Documents = Any


class Unpack:
    """Replaces ``typing.Unpack``, which Python 3.10 lacks; at run time keywords can have any type."""

    def __class_getitem__(cls, keywords: object) -> object:
        return Any


def takes(options: type) -> Callable[[_Function], _Function]:
    """Shows the keywords of ``options`` in the signature and the documentation of a function that passes them on."""

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        names = sorted(options.__annotations__, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
        kinds = {name: get_args(options.__annotations__[name]) for name in names}
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default(name, *kinds[name])) for name in names
        ]
        function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        place = re.search(r"^( +)\*\*options:.*\n", function.__doc__ or "", re.MULTILINE)
        if function.__doc__ and place:
            lines = (_documented(name, *get_args(options.__annotations__[name])) for name in names)
            text = "".join(f"{textwrap.indent(line, place[1])}\n" for line in lines)
            function.__doc__ = function.__doc__.replace(place[0], text)
        return function

    return decorate


class ByProfile:
    """A placeholder for a default that depends on the profile. It shows the default for lists of mentions."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"<by profile: {self._value}>"


#: The values of each setting; the first is the default for lists of mentions.
_CHOICES = list_options()

#: The default metrics for lists of mentions.
_METRICS = ",".join(usual_metrics())


#: The default of metrics in the help if the profile determines them.
_BY_PROFILE = "by profile"


def _default(name: str, kind: Any, summary: str, usual: str | None = None, rest: str = "") -> Any:
    """Returns the default of a keyword, or None if it depends on the input; ``usual`` is the default in the help, between
    ``summary`` and ``rest``."""
    if name in CHOICES and _CHOICES[name][0] not in ("yes", "no"):
        return ByProfile(_CHOICES[name][0])
    if name in FLAGS:
        return False
    if name in CHOICES:
        return ByProfile(str(_CHOICES[name][0] == "yes"))
    if usual is None:
        return None
    if name == "metrics":
        return ByProfile(_METRICS) if usual == _BY_PROFILE else usual
    if usual in _literals(kind):
        return usual
    try:
        number = float(usual) if "." in usual else int(usual)
    except ValueError:
        return None
    return number if {int, float} & set(get_args(kind)) else usual


def _documented(name: str, kind: Any, summary: str, usual: str | None = None, rest: str = "") -> str:
    """Returns the documentation of a keyword, with its default, and with its values if they are few."""
    if usual is not None:
        metrics = f", ``{_METRICS}`` in ``conll``" if (name, usual) == ("metrics", _BY_PROFILE) else ""
        summary += f" [default: {usual}{metrics}]{rest}"
    values = _literals(kind)
    if 0 < len(values) <= _FEW:
        summary += f" ({', '.join(f'``{value}``' for value in values)})"
    if name in CHOICES and name not in FLAGS:
        summary += f"; the default is the profile's, ``{_CHOICES[name][0]}`` in ``conll``"
    elif usual is None:
        summary += f" [default: {False if name in FLAGS else None}]"
    # A first word in capitals does not change.
    summary = summary if summary[:2].isupper() else summary[0].lower() + summary[1:]
    return textwrap.fill(f"{name}: {summary}.", 108, subsequent_indent="    ", break_on_hyphens=False)


def given(options: Mapping[str, Any], allowed: type, elsewhere: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Checks the given keywords where the command line would not, and returns them. ``elsewhere`` maps names that are not
    allowed here to the remedy."""
    known = allowed.__annotations__
    for name in options:
        if name not in known:
            raise SettingsError(
                f"unknown option `{name}`", code="settings", hint=_instead(name, known, elsewhere or {})
            )
    found = {name: value for name, value in options.items() if not (value is None or isinstance(value, ByProfile))}
    for name, value in found.items():
        kinds = get_args(get_args(known[name])[0])
        if name in FLAGS:
            if not isinstance(value, (bool, str)) or value not in (True, False, "yes", "no"):
                raise InputTypeError(f"{name} is {value!r}", code="input", hint=f"{name}=True, or leave it out")
            found[name] = value in (True, "yes")
        elif "Iterable" in str(known[name]) and float in kinds:
            found[name] = _numbers(name, value)
        elif "Iterable" in str(known[name]) and not isinstance(value, (str, os.PathLike)):
            found[name] = _list(name, value)
        elif "Path" in str(known[name]):
            found[name] = path(value, name)
        elif int in kinds or float in kinds:
            found[name] = _number(name, value, int in kinds)
        elif not (isinstance(value, bool) and bool in kinds):
            found[name] = text(value, name)
    if "metrics" in found:
        metrics = found["metrics"]
        found["metrics"] = ",".join(map(str.strip, metrics.split(",") if isinstance(metrics, str) else metrics))
    return found


def _instead(name: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    instead = {**_INSTEAD, **elsewhere}
    if name in instead:
        return instead[name]
    owners = [f"corefeval.{owner}" for options, owner in _OWNERS.items() if name in options.__annotations__]
    if owners:
        return f"it is a keyword of {' and '.join(owners[:2])}"
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean `{near[0]}`?" if near else "help() of the function lists all options"


def _list(name: str, values: Any) -> list[str]:
    """Returns names or paths as strings."""
    if not isinstance(values, Iterable):
        hint = f'give a string or a list: {name}="…", {name}=["…", "…"]'
        raise InputTypeError(f"{name} is a {type(values).__name__}", code="input", hint=hint)
    found = [os.fspath(value) if isinstance(value, os.PathLike) else value for value in values]
    for value in found:
        if not isinstance(value, str):
            hint = f"{name} are strings, in a list or joined by commas"
            raise InputTypeError(f"{value!r} in {name} is not a string", code="input", hint=hint)
    if not found:
        message, hint = f"{name} is empty", f"leave out {name}, or name one"
        raise SettingsError(message, code="settings", hint=hint)
    return found


def _numbers(name: str, values: Any) -> list[str]:
    """Returns percentages as text: one or several, each a number or a string."""
    found = []
    for value in values if isinstance(values, Iterable) and not isinstance(values, str) else [values]:
        if isinstance(value, (str, numbers.Real)) and not isinstance(value, bool):
            found.append(text(str(value), name))
        else:
            hint = f'give a number, a string, or a list of them: {name}=62.03, {name}=["conll=62.03", 70.1]'
            raise InputTypeError(f"{name} is a {type(value).__name__}", code="input", hint=hint)
    if not found:
        raise SettingsError(f"{name} is empty", code="settings", hint=f"leave out {name}, or give a number")
    return found


def text(value: object, what: str) -> str:
    """Returns a name, which must be text that can be encoded."""
    if not isinstance(value, str):
        raise InputTypeError(f"{what} is a {type(value).__name__}, not a string", code="input", hint=f'{what}="…"')
    try:
        value.encode()
    except UnicodeEncodeError as error:
        message = f"{what} is {value!r}, which has half of a character (an unpaired surrogate) and cannot be written"
        raise InputValueError(message, code="input", hint="decode the text with its own encoding") from error
    return value


def _number(name: str, value: Any, whole: bool) -> int | float:
    """Returns a number of NumPy or Python as a Python number."""
    number: int | float | None = None
    try:
        if not isinstance(value, (bool, str)):
            number = operator.index(value) if whole or isinstance(value, int) else float(value)
    except (TypeError, ValueError):
        pass
    if number is None:
        kind = "whole number" if whole else "number"
        hint = f"{name}={2 if whole else 0.9}, or leave it out"
        raise InputTypeError(f"{name} is {value!r}, not a {kind}", code="input", hint=hint)
    if name == "threads" and not 1 <= number < 1 << 16:
        message = f"{value} is not a number of threads"
        raise SettingsError(message, code="settings", hint="give a whole number from 1 to 65535")
    return number


def path(value: Any, what: str) -> str:
    """Returns a path as text."""
    try:
        return os.fsdecode(os.fspath(value))
    except TypeError as error:
        hint = "give the name of a file or directory; Python objects go to corefeval.score"
        message = f"{what} is a {type(value).__name__}, not a path"
        raise InputTypeError(message, code="input", hint=hint) from error


def of_lists(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Returns the options of a request on lists of mentions, in the extension's form."""
    for name in options:
        if name in OF_TYPES:
            message = f"`{name}` requires types and names of mentions, which lists of mentions do not have"
            hint = "give documents, which have them: corefeval.read(...), or corefeval.Document(...)"
            raise SettingsError(message, code="settings", hint=hint)
    return as_values(options)


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


#: Options whose values are not joined by commas, because paths can contain commas, and `62,03` can be one number.
_REPEATED = ("systems", "runs", "find")


def as_values(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Converts keywords to the extension's form: the values of each option, as text. Flags that are off are omitted."""
    found = {}
    for name, value in options.items():
        several = value if isinstance(value, list) else [value]
        words = [_word(each) for each in several] if name in _REPEATED or len(several) == 1 else [",".join(several)]
        if not (name in FLAGS and words == ["no"]):
            found[name.replace("_", "-")] = words
    return found


#: A path or an open file with its name, if it has one.
_Named = tuple[str | None, str | tuple[str, bytes]]


def paths(given: Source | Iterable[Source] | Mapping[str, Source] | None, what: str) -> list[_Named]:
    """Returns one or several paths or open files, with their names if they have any."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [named(str(name), each, f"{what}[{name!r}]") for name, each in given.items()]
    if isinstance(given, (str, bytes, os.PathLike)) or hasattr(given, "read"):
        return [named(None, given, what)]
    if not isinstance(given, Iterable):
        message = f"{what} is a {type(given).__name__}, not a path"
        hint = "give the name of a file or directory, an open file, a list, or a dictionary of systems by name"
        raise InputTypeError(message, code="input", hint=hint)
    return [named(None, each, what) for each in given]


def one_or_several(response: Any, responses: Any) -> Any:
    """Returns whichever of the two was given, if any."""
    if response is not None and responses is not None:
        message = "response and responses cannot be given together"
        hint = "give one system as response=..., or several by name as responses={name: ...}"
        raise InputTypeError(message, code="input", hint=hint)
    return response if responses is None else responses


def content(file: Any, name: str) -> tuple[str, bytes]:
    """Returns the name and the content of an open file; ``name`` is the fallback."""
    read = file.read()
    if isinstance(read, str):
        with _in_document(None):
            read = read.encode()
    own = getattr(file, "name", None)
    return own if isinstance(own, str) else name, bytes(read)


def named(name: str | None, value: Any, what: str) -> _Named:
    """Returns a path or an open file with a name; None means the name of the file."""
    if hasattr(value, "read"):
        return name, content(value, what)
    found = path(value, what)
    if "\0" in (name or "") + found:
        raise InputValueError(f"{what} has a NUL in its path or name", code="input", hint="paths and names cannot contain one")
    return name, found


def _literals(kind: Any) -> tuple[str, ...]:
    """Returns the values of a literal type, in order."""
    found = ((value,) if isinstance(value, str) else _literals(value) for value in get_args(kind))
    return tuple(value for values in found for value in values)
