"""A metric for Hugging Face ``evaluate``, with the arguments and results of its ``coval``.

    import evaluate
    from corefeval.huggingface import METRIC
    metric = evaluate.load(METRIC)
    metric.compute(predictions=[lines], references=[lines])

Lines are those of the CoNLL format. Each element of ``predictions`` and ``references`` is a document of its own: the
original joins them all into one, and then entities of different documents with equal numbers are one.
"""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import InputValueError
from ..scoring import score_files

__all__ = ["METRIC", "score_lines"]

#: The folder that ``evaluate.load`` takes.
METRIC = str(pathlib.Path(__file__).parent / "corefeval_metric")

#: The metrics as coval calls them.
_NAMES = {"mentions": "mentions", "muc": "muc", "b_cubed": "bcub", "ceaf_e": "ceafe", "lea": "lea"}


def _write(documents: Iterable[Iterable[str]], path: pathlib.Path) -> None:
    lines = []
    for number, document in enumerate(documents):
        lines.append(f"#begin document (document {number}); part 000")
        lines += [line.rstrip("\r\n") for line in document if not line.startswith("#")]
        lines.append("#end document")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def score_lines(
    *,
    predictions: Sequence[Iterable[str]],
    references: Sequence[Iterable[str]],
    keep_singletons: bool = True,
    NP_only: bool = False,
    min_span: bool = False,
    remove_nested: bool = False,
) -> dict[str, float]:
    """Scores documents of CoNLL lines with coval's rules.

    Gives ``mentions/recall``, ``mentions/precision``, ``mentions/f1`` and the same of ``muc``, ``bcub``, ``ceafe``
    and ``lea`` as fractions, and ``conll_score`` in percent.
    """
    if len(predictions) != len(references):
        message = f"there are {len(references)} references and {len(predictions)} predictions"
        raise InputValueError(message, code="input", hint="give a list of lines for each document")
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("references", "predictions")]
        for path, documents in zip(paths, (references, predictions)):
            _write(documents, path)
        options: dict[str, Any] = {"np_only": NP_only, "remove_nested": remove_nested}
        report = score_files(
            key=paths[0],
            response=paths[1],
            format="conll",
            profile="coval",
            singletons="keep" if keep_singletons else "drop",
            match="min-span" if min_span else "exact",
            quiet=True,
            **options,
        )
    scores = {}
    for metric, name in _NAMES.items():
        found = report[metric]
        scores.update({f"{name}/{field}": getattr(found, field) for field in ("recall", "precision", "f1")})
    scores["conll_score"] = 100 * report["conll"].f1
    return scores
