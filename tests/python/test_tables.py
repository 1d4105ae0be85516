"""Tables in Parquet and Arrow, which the package reads from files."""

from __future__ import annotations

import csv
import random
import subprocess
import sys

import corefeval
import pytest
from conftest import ROOT, optional
from corefeval import score_files

METRICS = "muc,b_cubed,ceaf_e,blanc,lea"

#: Enough rows for tables that are counted without keeping their rows.
MANY = 60_000


def labels(count, seed):
    """Returns a column of documents, mentions and entities for each side."""
    rng = random.Random(seed)
    rows = [(f"d{row // 500}", f"mention {row}", rng.randrange(row // 500 * 100, row // 500 * 100 + 100)) for row in range(count)]
    other = [(document, mention, entity if rng.random() < 0.8 else entity // 2) for document, mention, entity in rows if rng.random() < 0.9]
    rng.shuffle(other)
    return rows, other


def written_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("document", "mention", "entity"), *rows])
    return path


def table(rows, dictionaries):
    import pyarrow

    table = pyarrow.table(dict(zip(("document", "mention", "entity"), zip(*rows))))
    if not dictionaries:
        return table
    return table.set_column(0, "document", table["document"].dictionary_encode()).set_column(
        2, "entity", table["entity"].cast("string").dictionary_encode()
    )


def written_arrow(path, rows, **options):
    import pyarrow.ipc

    dictionaries = options.pop("dictionaries", False)
    data = table(rows, dictionaries)
    with pyarrow.ipc.new_file(path, data.schema, options=pyarrow.ipc.IpcWriteOptions(**options)) as file:
        file.write_table(data, max_chunksize=7000)
    return path


def written_parquet(path, rows, **options):
    import pyarrow.parquet

    pyarrow.parquet.write_table(table(rows, False), path, row_group_size=7000, data_page_size=20_000, **options)
    return path


KINDS = {
    "Arrow": (written_arrow, {}),
    "Arrow, compressed": (written_arrow, {"compression": "zstd"}),
    "Arrow, dictionaries": (written_arrow, {"dictionaries": True}),
    "Parquet": (written_parquet, {}),
    "Parquet, plain": (written_parquet, {"use_dictionary": False, "compression": "zstd"}),
    "Parquet, second pages": (written_parquet, {"data_page_version": "2.0", "compression": "none"}),
    "Parquet, differences": (
        written_parquet,
        {"use_dictionary": False, "column_encoding": {"entity": "DELTA_BINARY_PACKED", "mention": "DELTA_BYTE_ARRAY"}},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [200, MANY])
def test_scores_equal_those_of_csv(tmp_path, kind, count):
    optional("pyarrow")
    key, response = labels(count, 1)
    write, options = KINDS[kind]
    paths = [write(tmp_path / f"{name}.{write.__name__[8:]}", rows, **options) for name, rows in (("key", key), ("response", response))]
    texts = [written_csv(tmp_path / f"{name}.csv", rows) for name, rows in (("key", key), ("response", response))]
    expected, found = (score_files(key=one, response=other, metrics=METRICS, by="document") for one, other in (texts, paths))
    rows = lambda report: [{**row, "system": None} for row in report.to_rows()]  # noqa: E731
    assert rows(found) == rows(expected)


def test_the_command_reads_samples():
    for path in ("parquet/plain.parquet", "parquet/zstd.parquet", "arrow/plain.arrow", "arrow/lz4.feather", "arrow/stream.arrows"):
        sample = ROOT / "testdata" / path
        command = [sys.executable, "-m", "corefeval", "score", "-m", "muc", "-o", "csv", str(sample), str(sample)]
        assert ",muc,1,1,1," in subprocess.run(command, check=True, capture_output=True, text=True).stdout, path


def test_damaged_files_are_errors(tmp_path):
    for name, bytes_ in {"key.parquet": b"PAR1 and more PAR1", "key.arrow": b"ARROW1\0\0 and more ARROW1"}.items():
        path = tmp_path / name
        path.write_bytes(bytes_)
        with pytest.raises(corefeval.CorefevalError, match=name):
            score_files(key=path, response=path)
