"""Writes the samples of this folder, each with the same five rows in two documents.

    pip install pyarrow
    python testdata/arrow/make.py
"""

from __future__ import annotations

import pathlib

import pyarrow as pa
import pyarrow.feather

FOLDER = pathlib.Path(__file__).parent

ROWS = {
    "document": ["d1", "d1", "d1", "d2", "d2"],
    "mention": ["a", "b", "c", "a", "ß"],
    "entity": [7, 7, 8, 7, 7],
    "score": [0.5, 0.25, None, 1.0, 0.0],
}


def table(mention: pa.DataType, entity: pa.DataType) -> pa.Table:
    columns = {**ROWS, "document": pa.array(ROWS["document"]).dictionary_encode()}
    columns["mention"] = pa.array(ROWS["mention"], mention)
    columns["entity"] = pa.array([str(n) for n in ROWS["entity"]] if pa.types.is_large_string(entity) else ROWS["entity"], entity)
    return pa.table(columns)


def main() -> None:
    pa.feather.write_feather(table(pa.string(), pa.int64()), FOLDER / "lz4.feather", compression="lz4")
    pa.feather.write_feather(table(pa.large_string(), pa.uint8()), FOLDER / "zstd.feather", compression="zstd")
    plain = table(pa.string_view(), pa.large_string())
    with pa.OSFile(str(FOLDER / "plain.arrow"), "wb") as sink, pa.ipc.new_file(sink, plain.schema) as writer:
        writer.write_table(plain, max_chunksize=2)
    stream = table(pa.binary(), pa.int16())
    with pa.OSFile(str(FOLDER / "stream.arrows"), "wb") as sink, pa.ipc.new_stream(sink, stream.schema) as writer:
        writer.write_table(stream)


if __name__ == "__main__":
    main()
