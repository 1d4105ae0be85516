"""A torchmetrics ``Metric``: every metric of this package in a training loop on several processes.

    from corefeval.torchmetrics import Coreference
    metric = Coreference(metrics="muc,b_cubed,ceaf_e,conll,lea")
    metric.update(predicted_clusters, gold_clusters)
    metric.compute()["conll_f1"]

The processes exchange documents, as numbers, instead of sums of counts: numerators of B³, CEAF and LEA are fractions, whose
floating-point sums would depend on the order, and several metrics are not sums of four counts. Therefore ``compute`` returns
the same scores as :class:`corefeval.Scorer`, on one process or many. A document takes 20 bytes per mention. Named documents
are counted once, because samplers repeat some documents to give all processes the same number.

Only this module imports torch and torchmetrics.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import torch
import torchmetrics

from ._counting import IN_TRAINING
from .exceptions import InputValueError
from .report import Report
from .scoring import Scorer

__all__ = ["Coreference"]

#: The keywords of torchmetrics.
_BASE = (
    "compute_on_cpu",
    "compute_with_cache",
    "dist_sync_fn",
    "dist_sync_on_step",
    "distributed_available_fn",
    "process_group",
    "sync_on_compute",
)

#: The number of bytes of a length prefix.
_LENGTH = 8


class Coreference(torchmetrics.Metric):  # type: ignore[misc, unused-ignore]
    """Scores of clusters, added up over batches and processes.

    Args:
        metrics: names, joined by commas or as a list, or ``"all"``; by default MUC, B³, CEAFe, their mean and LEA.
        options: the keywords of :class:`corefeval.Scorer` and of ``torchmetrics.Metric``.

    ``compute()`` returns a dictionary of tensors: ``muc_recall``, ``muc_precision``, ``muc_f1`` and so on, and ``conll_f1``,
    as fractions. :meth:`report` returns the whole report.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    documents: list[Any]

    def __init__(self, metrics: str | Iterable[str] | None = None, **options: Any) -> None:
        super().__init__(**{name: options.pop(name) for name in _BASE if name in options})
        asked = IN_TRAINING if metrics is None else metrics
        asked = asked if isinstance(asked, str) else ",".join(asked)
        self._options: dict[str, Any] = {"quiet": True, **options, "metrics": asked}
        # Wrong settings fail here.
        Scorer(**self._options)
        # Bytes, with the length before each document; the bytes of several processes are concatenated.
        self.add_state("documents", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any, doc_id: str | None = None) -> None:
        """Adds documents: predicted and gold clusters of one document, documents by name, or any other form of ``response``
        and ``key`` of :func:`corefeval.score`. ``doc_id`` names one document."""
        scorer = Scorer(**self._options)
        scorer.update(key=target, response=preds, doc_id=doc_id)
        state = scorer.__getstate__()
        names = scorer._names()
        content = pickle.dumps((names, {name: state[name] for name in ("documents", "key", "response")}))
        framed = len(content).to_bytes(_LENGTH, "little") + content
        self.documents.append(torch.frombuffer(bytearray(framed), dtype=torch.uint8).to(self.device))

    def _apply(self, *arguments: Any, **keywords: Any) -> Any:
        """Moves to another device. The documents remain bytes."""
        documents: Any = self.documents
        self.documents = []
        try:
            this = super()._apply(*arguments, **keywords)
        finally:
            self.documents = documents
        one = isinstance(documents, torch.Tensor)
        self.documents = documents.to(self.device) if one else [part.to(self.device) for part in documents]
        return this

    def sync(self, *arguments: Any, **keywords: Any) -> None:
        """Gathers the documents of all processes, including processes without documents."""
        if isinstance(self.documents, list) and not self.documents:
            self.documents.append(torch.zeros(0, dtype=torch.uint8, device=self.device))
        super().sync(*arguments, **keywords)

    def _scorer(self) -> Scorer:
        """Returns a scorer with all documents."""
        parts = self.documents if isinstance(self.documents, list) else [self.documents]
        content = b"".join(part.detach().cpu().numpy().tobytes() for part in parts)
        whole = Scorer(**self._options)
        known: dict[str, bytes] = {}
        place = 0
        while place < len(content):
            end = place + _LENGTH + int.from_bytes(content[place : place + _LENGTH], "little")
            one = content[place + _LENGTH : end]
            place = end
            names, state = pickle.loads(one)
            before = {known.get(name) for name in names}
            if before == {one}:
                continue
            if before - {None}:
                message = f"two updates have the document `{names[0]}`, but differ"
                hint = "give each document a unique name, and all processes the same model"
                raise InputValueError(message, code="input", hint=hint)
            known.update((name, one) for name in names)
            scorer = Scorer(**self._options)
            scorer.__setstate__({**scorer.__getstate__(), **state})
            whole.merge(scorer)
        return whole

    def report(self, *, by: str | None = None) -> Report:
        """Returns the report on the documents of this process, or of all processes within ``with metric.sync_context():``."""
        return self._scorer().report(by=by)

    def compute(self) -> dict[str, Any]:
        """Returns recall, precision and F1 of each metric, and the F1 of means."""
        scores: dict[str, Any] = {}
        for name, score in self.report().items():
            for part, number in zip(("recall", "precision", "f1"), score):
                if number is not None:
                    scores[f"{name}_{part}"] = torch.tensor(number, dtype=torch.float64)
        return scores
