"""Counts of Spark DataFrames: one join and one aggregation make the table that ``corefeval --overlap`` scores.

    from corefeval.spark import overlap
    overlap(gold, system, by="document").toPandas().to_csv("counts.csv", index=False)

Labels of any number are counted where they are; what leaves the cluster is one row for each pair of entities that share
mentions. PySpark is not a requirement of this package.
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
    """The table of counts of two DataFrames with a row for each mention, lazily, as all of Spark is.

    The mention is identified by the columns ``mention``, within a document by those of ``by``; both sides have them and the
    column ``entity``. The result has the columns ``document`` (if ``by`` is given), ``key``, ``response`` and ``count``, where
    null is for mentions that the other side lacks. Several columns of ``by`` make one name, joined by ``/`` with ``\\`` before
    a ``/`` or ``\\`` of their own.

    Documents, mentions and entities must not be null or empty, and a mention may be in one entity of a side: a violation stops the job
    that computes the counts, with the reason.
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
        # Equal names for equal columns, whatever those of the frame are.
        columns = [F.col(f"`{name}`").alias(f"c{place}") for place, name in enumerate(names)]
        chosen = frame.select(*columns, F.col(f"`{entity}`").cast("string").alias(side))
        # An empty cell means that the side does not have the mention.
        absent = F.greatest(*((F.col(name).isNull() | (F.col(name).cast("string") == "")).cast("int") for name in chosen.columns))
        text = f"corefeval: {label} has a row without document, mention or entity"
        checked = F.when(absent == 1, F.raise_error(text).cast("string")).otherwise(F.col(side))
        # One row for each mention, so that copies do not multiply in the join.
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
