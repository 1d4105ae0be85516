"""The metric that ``evaluate.load`` loads from this folder; see ``corefeval.huggingface``."""

from typing import Any

import datasets
import evaluate

from corefeval.huggingface import score_lines


class Corefeval(evaluate.Metric):  # type: ignore[misc, unused-ignore]
    """Coreference scores of CoNLL lines, with the arguments and results of the metric ``coval``."""

    def _info(self) -> Any:
        return evaluate.MetricInfo(
            description="Scores of coreference resolution: mentions, MUC, B³, CEAFe, LEA and the CoNLL average.",
            citation="",
            inputs_description=(
                "predictions, references: lists of CoNLL lines. Lines with columns of document and part belong to that "
                "document; otherwise each list is one. elements='documents' or elements='sentences' overrides this. "
                "keep_singletons, NP_only, min_span, remove_nested: as in coval. quiet: issues no warnings."
            ),
            features=datasets.Features(
                {
                    "predictions": datasets.Sequence(datasets.Value("string")),
                    "references": datasets.Sequence(datasets.Value("string")),
                }
            ),
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, float]:
        return score_lines(predictions=predictions, references=references, **options)
