"""Counts of Spark DataFrames: one join and one aggregation create the table that ``corefeval --overlap`` scores.

    from corefeval.spark import overlap
    overlap(gold, system, by="document").toPandas().to_csv("counts.csv", index=False)

Spark counts the labels, without a limit on their number; the result has one row for each pair of entities that share mentions.
This package does not require PySpark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .exceptions import InputValueError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["overlap"]


def overlap(
    df_key: DataFrame,
    df_response: DataFrame,
    by: str | Sequence[str] | None = None,
    *,
    mention: str | Sequence[str] = "mention",
    entity: str = "entity",
) -> DataFrame:
    """Returns the table of counts of two DataFrames with a row for each mention, evaluated lazily.

    The columns ``mention`` identify the mention, and the columns ``by`` its document; both sides have these columns and the
    column ``entity``. The result has the columns ``document`` (if ``by`` is given), ``key``, ``response`` and ``count``; null
    means that this side lacks the mentions. Several columns of ``by`` are joined by ``/`` to one name, with ``\\`` before each
    ``/`` or ``\\`` that they contain.

    Documents, mentions and entities must not be null or empty, and a mention must be in only one entity of a side: a violation
    stops the job that computes the counts, with the reason.
    """
    from pyspark.sql import functions as F

    documents = [by] if isinstance(by, str) else list(by or ())
    names = documents + ([mention] if isinstance(mention, str) else list(mention))
    sides = []
    for side, frame, label in (("key", df_key, "df_key"), ("response", df_response, "df_response")):
        lacking = [name for name in [*names, entity] if name not in frame.columns]
        if lacking:
            message = f"{label} has no column {', '.join(map(repr, lacking))}"
            hint = "name the columns: by=, mention=, entity="
            raise InputValueError(message, code="input", hint=hint)
        # Both sides use the same names, regardless of the names of the frames' columns.
        columns = [F.col(f"`{name}`").alias(f"c{place}") for place, name in enumerate(names)]
        chosen = frame.select(*columns, F.col(f"`{entity}`").cast("string").alias(side))
        # An empty cell would mean that the side lacks the mention.
        absent = F.greatest(*((F.col(name).isNull() | (F.col(name).cast("string") == "")).cast("int") for name in chosen.columns))
        text = f"corefeval: {label} has a row without document, mention or entity"
        checked = F.when(absent == 1, F.raise_error(text).cast("string")).otherwise(F.col(side))
        # One row for each mention, so that the join does not multiply copies.
        places = chosen.columns[:-1]
        grouped = chosen.withColumn(side, checked).groupBy(*places).agg(
            F.min(side).alias(side), F.count(F.lit(1)).alias("copies")
        )
        text = f"corefeval: {label} has a mention twice"
        unique = F.when(F.col("copies") > 1, F.raise_error(text).cast("string")).otherwise(F.col(side))
        sides.append(grouped.select(*places, unique.alias(side)))
    joined = sides[0].join(sides[1], on=[f"c{place}" for place in range(len(names))], how="full")
    parts = [F.col(f"c{place}").cast("string") for place in range(len(documents))]
    if len(parts) > 1:
        parts = [F.concat_ws("/", *(F.regexp_replace(part, r"([/\\])", r"\\$1") for part in parts))]
    groups = [*(part.alias("document") for part in parts), F.col("key"), F.col("response")]
    return joined.groupBy(*groups).agg(F.count(F.lit(1)).alias("count"))
