"""corefeval: evaluation of coreference resolution.

>>> import corefeval
>>> report = corefeval.score(key=[[(0, 1), (4, 4)]], response=[[(0, 1), (4, 4)]])
>>> report["conll"].f1
1.0

- :func:`score` scores Python objects, :func:`score_files` files, :class:`Scorer` documents one after another.
- :func:`compare` and :func:`compare_files` say whether systems differ.
- Everything that goes wrong is a :class:`CorefevalError`.
- ``corefeval.e2e``, ``corefeval.coval``, ``corefeval.allennlp``, ``corefeval.clustering``, ``corefeval.huggingface``
  and ``corefeval.spacy`` have the functions and classes of other scorers, with the figures of those.

The figures are those of the command ``corefeval``, which this package installs too.
"""

from __future__ import annotations

from ._corefeval import VERSION as __version__
from ._corefeval import list_metrics
from .comparing import compare, compare_files
from .errors import (
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
from .report import Comparison, DocumentScores, Finding, MetricScore, Report, SystemScores
from .scoring import Labels, Scorer, score, score_files

__all__ = [
    "Comparison",
    "CorefevalError",
    "CorefevalWarning",
    "DocumentScores",
    "Finding",
    "FormatError",
    "InputTypeError",
    "InputValueError",
    "Labels",
    "MetricScore",
    "PairingError",
    "ReadError",
    "Report",
    "Scorer",
    "SettingsError",
    "StrictError",
    "SystemScores",
    "__version__",
    "compare",
    "compare_files",
    "list_metrics",
    "score",
    "score_files",
]
