"""corefeval: evaluation of coreference resolution.

>>> import corefeval
>>> report = corefeval.score(key=[[(0, 1), (4, 4)]], response=[[(0, 1), (4, 4)]])
>>> report["conll"].f1
1.0

- :func:`score` scores Python objects, :func:`score_files` scores files, and :class:`Scorer` accepts documents one by one.
- :func:`read` reads files into :class:`Document` objects, and :func:`write` writes them. All functions accept documents
  instead of lists of mentions; documents have words, heads, types and more.
- :func:`compare` tests whether systems differ, :func:`agree` measures agreement between annotators, :func:`correlate`
  correlates metrics, :func:`cone` scores named mentions; each has a variant for files: :func:`compare_files`, ….
- :func:`ceaf` scores arbitrary objects with a user-defined similarity.
- :func:`errors` classifies the errors of responses, measures the cost of each kind, and locates them.
- :func:`validate` finds problems in files, and problems that would affect their scores.
- :func:`explain` explains why scores differ: between profiles, from a printed number, from another scorer.
- All exceptions are subclasses of :class:`CorefevalError`.
- ``corefeval.e2e``, ``corefeval.coval``, ``corefeval.allennlp``, ``corefeval.clustering``, ``corefeval.huggingface``,
  ``corefeval.spacy`` and ``corefeval.torchmetrics`` are drop-in replacements of other scorers, with the same scores.
- ``corefeval.spark`` counts labels in Spark DataFrames, without a limit on their number.

The command ``corefeval``, which this package also installs, computes the same scores.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._corefeval import VERSION as __version__
from ._corefeval import list_formats, list_metrics, list_options, list_profiles
from ._namesake import warn_of_namesake as _warn_of_namesake
from .analysis import ErrorReport, errors, errors_files
from .comparing import agree, agree_files, compare, compare_files, cone, cone_files, correlate, correlate_files
from .documents import Document, read, reads, write
from .exceptions import (
    CorefevalError,
    CorefevalWarning,
    FormatError,
    InputTypeError,
    InputValueError,
    PairingError,
    ReadError,
    SettingsError,
    StrictError,
)
from .explaining import Explanation, explain, explain_files
from .labels import Labels
from .mentions import Bridge, Entity, Mention, Zero
from .objects import ceaf
from .report import (
    Agreement,
    ComparedGroup,
    Comparison,
    ConeCheck,
    ConeCorrelation,
    Correlation,
    DocumentScores,
    Figure,
    Finding,
    GroupScores,
    MetricScore,
    Report,
    Row,
    SystemScores,
)
from .scoring import Scorer, score, score_files
from .validating import Validation, validate

__all__ = [
    "Agreement",
    "Bridge",
    "ComparedGroup",
    "Comparison",
    "ConeCheck",
    "ConeCorrelation",
    "CorefevalError",
    "CorefevalWarning",
    "Correlation",
    "Document",
    "DocumentScores",
    "Entity",
    "ErrorReport",
    "Explanation",
    "Figure",
    "Finding",
    "FormatError",
    "GroupScores",
    "InputTypeError",
    "InputValueError",
    "Labels",
    "Mention",
    "MetricScore",
    "PairingError",
    "ReadError",
    "Report",
    "Row",
    "Scorer",
    "SettingsError",
    "StrictError",
    "SystemScores",
    "Validation",
    "Zero",
    "__version__",
    "agree",
    "agree_files",
    "ceaf",
    "compare",
    "compare_files",
    "cone",
    "cone_files",
    "correlate",
    "correlate_files",
    "errors",
    "errors_files",
    "explain",
    "explain_files",
    "list_formats",
    "list_metrics",
    "list_options",
    "list_profiles",
    "read",
    "reads",
    "score",
    "score_files",
    "validate",
    "write",
]

#: Modules that are imported on first use; some of them require further packages.
_LATER = ("allennlp", "clustering", "coval", "e2e", "huggingface", "spacy", "spark", "torchmetrics")

if _TYPE_CHECKING:
    from . import allennlp, clustering, coval, e2e, huggingface, spacy, spark, torchmetrics


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return _importlib.import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == __name__:
            raise
        # `hasattr`, `inspect.getmembers` and `help` continue with the next name.
        message = f"{__name__}.{name} needs the package {error.name}, which is not installed"
        raise AttributeError(message) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


_warn_of_namesake(stacklevel=3)
