"""Counts from a database or a data frame have the scores of the labels that they were counted from."""

from __future__ import annotations

import contextlib
import csv
import functools
import importlib
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import corefeval
import pytest
from conftest import ROOT, optional
from corefeval import score_files

METRICS = "muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,pairwise,conll"

#: Names that need quotes in CSV, or look like something else.
ODD = ["Ada, the pilot", 'the "Ines"', "nil", " her", "1e3", "船"]


def labels(seed, documents=20, mentions=300):
    """Returns rows of each side: document, mention, entity. Some mentions are only on one side."""
    rng = random.Random(seed)
    sides = ([], [])
    for document in range(documents):
        for mention in range(mentions):
            truth = rng.randrange(60)
            for side, rows in enumerate(sides):
                if rng.random() < 0.9:
                    entity = truth if rng.random() < 0.8 else rng.randrange(60)
                    name = ODD[entity] if entity < len(ODD) else f"{'kr'[side]}{entity}"
                    rows.append((f"d{document}", f"m{mention}", name))
    return sides


def written(folder, sides):
    paths = []
    for name, rows in zip(("gold", "system"), sides):
        path = folder / f"{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(("document", "mention", "entity"))
            table.writerows(rows)
        paths.append(path)
    return paths


def scores_of(report):
    """Returns all scores with their counts, in total and by document."""
    system = report.systems[0]
    rows = {"": system, **{document.name: document for document in system.documents}}
    return {name: {metric: dict(score.details) for metric, score in row.items()} for name, row in rows.items()}


def scored(**inputs):
    return scores_of(score_files(**inputs, metrics=METRICS, profile="conll", by="document"))


def block(language, word):
    """Returns the block with a word in the documentation page on counts, so that the test covers the page."""
    page = (ROOT / "docs" / "counts.md").read_text(encoding="utf-8")
    (found,) = (code for code in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL) if word in code)
    return found


def query():
    """Returns the query of the page."""
    return block("sql", "FULL OUTER JOIN")


def filled(connection, gold, system):
    """Fills both tables, with every cell as text."""
    for name, path in (("gold", gold), ("system", system)):
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{path}', all_varchar=true, nullstr='')")
    return connection


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_query_of_the_page_counts_in_duckdb(tmp_path, seed):
    duckdb = optional("duckdb")
    gold, system = written(tmp_path, labels(seed))
    counts = tmp_path / "counts.csv"
    filled(duckdb.connect(), gold, system).execute(f"COPY ({query()}) TO '{counts}' (HEADER)")
    assert scored(overlap=counts) == scored(key=gold, response=system)


@pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 39), reason="SQLite has FULL OUTER JOIN since version 3.39")
def test_the_query_of_the_page_counts_in_sqlite(tmp_path):
    sides = labels(11)
    gold, system = written(tmp_path, sides)
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for name, rows in zip(("gold", "system"), sides):
            connection.execute(f"CREATE TABLE {name} (document TEXT, mention TEXT, entity TEXT)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        found = connection.execute(query())
        counts = tmp_path / "counts.csv"
        with counts.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(column for column, *_ in found.description)
            table.writerows(found)
    assert scored(overlap=counts) == scored(key=gold, response=system)


@pytest.fixture
def postgres():
    """A new database of PostgreSQL: its folder, and a function that runs statements, each on one line, without a server."""
    installed = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    programs = os.pathsep.join([os.environ.get("PATH", ""), *map(str, installed)])
    initdb, server = (shutil.which(name, path=programs) for name in ("initdb", "postgres"))
    if not initdb or not server:
        pytest.skip("PostgreSQL is not installed; Debian's package postgresql has it")
    # PostgreSQL refuses to run as root.
    user = {"user": "nobody"} if hasattr(os, "geteuid") and os.geteuid() == 0 else {}
    run = functools.partial(subprocess.run, check=True, capture_output=True, text=True, encoding="utf-8", cwd="/", **user)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if user:
            shutil.chown(folder, **user)
        data = folder / "data"
        run([initdb, "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "--username=gold", "-D", data])

        def execute(*statements):
            lines = "".join(" ".join(statement.split()) + ";\n" for statement in statements)
            done = run([server, "--single", "-F", "-D", data, "postgres"], input=lines)
            assert "ERROR" not in done.stderr, done.stderr

        yield folder, execute


def test_the_query_of_the_page_counts_in_postgresql(tmp_path, postgres):
    folder, execute = postgres
    paths = written(tmp_path, labels(12))
    counts = folder / "counts.csv"
    statements = []
    for path in paths:
        shutil.copy(path, folder)
        statements += [
            f"CREATE TABLE {path.stem} (document text, mention text, entity text)",
            f"COPY {path.stem} FROM '{folder / path.name}' (FORMAT csv, HEADER)",
        ]
    execute(*statements, f"COPY ({query()}) TO '{counts}' (FORMAT csv, HEADER)")
    gold, system = paths
    assert scored(overlap=counts) == scored(key=gold, response=system)


def test_words_for_missing_values_are_a_warning(tmp_path):
    counts = tmp_path / "counts.csv"
    counts.write_text("key,response,count\na,x,2\nNULL,x,1\nb,y,2\n")
    with pytest.warns(corefeval.CorefevalWarning, match=r"counts\.csv:3:1.*`NULL`.*\[missing-word\]"):
        score_files(overlap=counts, metrics="muc")


def test_counts_of_shards_add_up(tmp_path):
    """Counts in four parts by the hash of the mention, like a cluster, and merges them."""
    duckdb = optional("duckdb")
    gold, system = written(tmp_path, labels(7))
    connection = filled(duckdb.connect(), gold, system)
    parts = []
    for part in range(4):
        shard = query()
        for side in ("gold", "system"):
            rows = f"(SELECT * FROM {side} WHERE hash(mention) % 4 = {part}) AS {side}"
            shard = re.sub(rf"(FROM|JOIN) {side}\b", rf"\1 {rows}", shard)
        parts.append(tmp_path / f"part-{part}.csv")
        connection.execute(f"COPY ({shard}) TO '{parts[-1]}' (HEADER)")
    whole = tmp_path / "whole.csv"
    merged = corefeval_command("merge", *parts, "-o", whole)
    assert merged.returncode == 0, merged.stderr
    assert scored(overlap=whole) == scored(key=gold, response=system)


def corefeval_command(*arguments):
    command = [sys.executable, "-m", "corefeval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize("lazily", ["csv", "parquet", "rows"])
def test_the_outer_join_of_the_page_counts_in_polars(tmp_path, monkeypatch, lazily):
    polars = optional("polars")
    sides = labels(4)
    paths = written(tmp_path, sides)
    frames = [polars.LazyFrame(rows, schema=("document", "mention", "entity"), orient="row") for rows in sides]
    if lazily == "csv":
        frames = [polars.scan_csv(path, infer_schema=False) for path in paths]
    if lazily == "parquet":
        parquet = [path.with_suffix(".parquet") for path in paths]
        for frame, path in zip(frames, parquet):
            frame.sink_parquet(path, engine="streaming")
        frames = [polars.scan_parquet(path) for path in parquet]
    monkeypatch.chdir(tmp_path)
    exec(block("py", "polars"), {"polars": polars, "gold": frames[0], "system": frames[1]})
    assert scored(overlap=tmp_path / "counts.csv") == scored(key=paths[0], response=paths[1])


def test_the_outer_join_of_the_page_counts_in_arrow(tmp_path, monkeypatch):
    pyarrow = optional("pyarrow")
    importlib.import_module("pyarrow.csv")
    sides = labels(5)
    paths = written(tmp_path, sides)
    tables = [pyarrow.table(dict(zip(("document", "mention", "entity"), zip(*rows)))) for rows in sides]
    monkeypatch.chdir(tmp_path)
    exec(block("py", "pyarrow"), {"pyarrow": pyarrow, "gold": tables[0], "system": tables[1]})
    assert scored(overlap=tmp_path / "counts.csv") == scored(key=paths[0], response=paths[1])


@pytest.fixture(scope="module")
def spark():
    """A local Spark session with two threads."""
    sql = optional("pyspark.sql", "test-spark")
    if not shutil.which("java"):
        # CI installs Java from Debian. Only data in Spark needs it.
        pytest.skip("Spark needs Java, which is not installed")
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    own = dict.fromkeys(["spark.driver.host", "spark.driver.bindAddress"], "127.0.0.1")
    for name, value in {"spark.sql.shuffle.partitions": 4, **own}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_spark_counts_a_million_rows(spark, tmp_path):
    """Documents are large, small or on one side only; the scores equal those of one process that reads the labels."""
    gold, system = written(tmp_path, labels(8, documents=2_000, mentions=560))
    # Quotes are doubled, and spaces are part of names.
    plain = {"header": True, "escape": '"', "ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
    frames = [spark.read.csv(str(path), **plain) for path in (gold, system)]
    assert all(frame.count() > 1_000_000 for frame in frames)
    # A folder with a table for each partition. Relative paths belong to the folder in which Spark was started.
    counts = tmp_path / "counts"
    found = {"gold": frames[0], "system": frames[1]}
    exec(block("py", "corefeval.spark").replace('"counts"', repr(str(counts))), found)
    assert found["counts"].columns == ["document", "key", "response", "count"]
    assert (counts / "_SUCCESS").exists() and len(list(counts.glob("*.csv"))) > 1
    assert scored(overlap=counts) == scored(key=gold, response=system)


def test_the_query_of_the_page_counts_in_spark(spark, tmp_path):
    sides = labels(13)
    gold, system = written(tmp_path, sides)
    for name, rows in zip(("gold", "system"), sides):
        frame = spark.createDataFrame(rows, "document string, mention string, entity string")
        frame.createOrReplaceTempView(name)
    backticks = re.sub(r'"(\w+)"', r"`\1`", query())
    counts = tmp_path / "counts"
    spark.sql(backticks).write.csv(str(counts), header=True, escape='"', ignoreLeadingWhiteSpace=False)
    assert scored(overlap=counts) == scored(key=gold, response=system)


def test_spark_joins_columns_and_rejects_ambiguous_rows(spark):
    names = ["book", "part", "m", "n", "who"]
    rows = [("a/b", "c", 1, 2, 7), ("a", "b/c", 1, 2, 7), ("a", "b/c", 1, 3, 7)]
    key, response = spark.createDataFrame(rows, names), spark.createDataFrame(rows[1:], names)
    overlap = functools.partial(corefeval.spark.overlap, mention=["m", "n"], entity="who")
    found = sorted(overlap(key, response, by=["book", "part"]).collect())
    assert [tuple(row) for row in found] == [("a/b\\/c", "7", "7", 2), ("a\\/b/c", "7", None, 1)]
    assert overlap(key.limit(1), response.limit(1)).columns == ["key", "response", "count"]
    with pytest.raises(corefeval.InputValueError, match="df_response has no column 'who'"):
        overlap(key, response.drop("who"))
    twice = key.union(key)
    with pytest.raises(Exception, match="corefeval: df_key has a mention twice"):
        overlap(twice, response, by=["book", "part"]).collect()
    for odd in (None, ""):
        empty = spark.createDataFrame([("a", "b", 1, 2, odd)], "book string, part string, m int, n int, who string")
        with pytest.raises(Exception, match="corefeval: df_response has a row without"):
            overlap(key, empty, by=["book", "part"]).collect()


def test_bounds_are_not_scores(tmp_path):
    """With ``ceaf_bound``, scores have bounds, and no attribute has a number that looks exact."""
    rng = random.Random(5)
    sides = [[("d", f"m{mention}", f"e{rng.randrange(60)}") for mention in range(900)] for _ in range(2)]
    gold, system = written(tmp_path, sides)
    exact = score_files(key=gold, response=system, metrics="ceaf_e,muc")["ceaf_e"]
    report = score_files(key=gold, response=system, metrics="ceaf_e,muc", ceaf_bound="0s")
    score = report["ceaf_e"]
    low, high = score.bounds["f1"]
    assert low < high and low <= exact.f1 <= high and exact.bounds is None
    assert score.f1 != score.f1 and score.recall is None and score.precision is None
    assert report["muc"].f1 == score_files(key=gold, response=system, metrics="muc")["muc"].f1
    assert "[" in repr(report) and report.to_rows()[0]["f1"] is None
    assert "ceaf_e_f1" not in report.to_dict(flat=True) and "ceaf-bound:0s" in report.signature
