"""Labels as arrays: Arrow data are read in place, regardless of the library that owns them."""

from __future__ import annotations

import datetime
import decimal
import gc
import subprocess
import sys

import corefeval
import pytest
from conftest import optional
from corefeval import Labels, score
from corefeval._corefeval import LabelNumbers

KEY = [0, 0, 0, 1, 1, 1, 1]
RESPONSE = [5, 5, 9, 9, 0, 0, 0]
EXPECTED = score(key=Labels(KEY), response=Labels(RESPONSE))


class OnlyArray:
    """An object with only ``__arrow_c_array__``."""

    def __init__(self, array):
        self._array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self._array.__arrow_c_array__(requested_schema)


class OnlyStream:
    """An object with only ``__arrow_c_stream__``."""

    def __init__(self, array):
        self._array = array

    def __arrow_c_stream__(self, requested_schema=None):
        return self._array.__arrow_c_stream__(requested_schema)


def bare(array):
    return OnlyStream(array) if hasattr(array, "__arrow_c_stream__") else OnlyArray(array)


def same(make, key=KEY, response=RESPONSE, expected=EXPECTED):
    """Asserts that labels of any kind give the same report, directly and through their interface."""
    for wrap in (lambda labels: labels, bare):
        assert score(key=wrap(make(key)), response=wrap(make(response))) == expected
    # Each side is read separately.
    assert score(key=bare(make(key)), response=Labels(response)) == expected
    named = [Labels(bare(make(labels)), range(len(labels))) for labels in (key, response)]
    assert score(key=named[0], response=named[1]) == score(
        key=Labels(key, range(len(key))), response=Labels(response, range(len(response)))
    )


DAY = datetime.date(2024, 2, 28)
#: Labels as values of a type of Arrow.
TYPES = {
    **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{name: float for name in ("float16", "float32", "float64")},
    **{name: str for name in ("string", "large_string", "string_view")},
    **{name: lambda label: b"\0" * label for name in ("binary", "large_binary", "binary_view")},
    "long strings": lambda label: "the same beginning, " + "and more " * label,
    "date32": lambda label: DAY + datetime.timedelta(days=label),
    "date64": lambda label: DAY + datetime.timedelta(days=label),
    "duration": lambda label: datetime.timedelta(days=label),
    "decimal128": decimal.Decimal,
    "decimal256": decimal.Decimal,
}


def arrow_type(name):
    import pyarrow

    with_arguments = {
        "long strings": lambda: pyarrow.string(),
        "duration": lambda: pyarrow.duration("s"),
        "decimal128": lambda: pyarrow.decimal128(9),
        "decimal256": lambda: pyarrow.decimal256(40),
    }
    return with_arguments[name]() if name in with_arguments else getattr(pyarrow, name)()


@pytest.mark.parametrize("name", TYPES)
class TestTypes:
    """Every type with equal values."""

    def test_arrays_and_chunks(self, name):
        pyarrow = optional("pyarrow")
        make = lambda labels: pyarrow.array([TYPES[name](label) for label in labels], arrow_type(name))  # noqa: E731
        same(make)
        # At any offset in its memory.
        same(lambda labels: make([3, 4, 1, *labels, 7])[3:-1])
        same(lambda labels: pyarrow.chunked_array([make(labels[:3]), make([]), make([1, *labels[3:]])[1:]]))
        same(lambda labels: pyarrow.table({"label": make(labels)}))
        empty = score(key=make([]), response=make([]), quiet=True)
        assert empty == score(key=Labels([]), response=Labels([]), quiet=True)

    def test_missing(self, name):
        pyarrow = optional("pyarrow")
        values = [TYPES[name](label) for label in (1, 1, 2)]
        array = pyarrow.array([None, *values[:2], None, values[2]], arrow_type(name))
        for make in (lambda: array[1:], lambda: pyarrow.chunked_array([array[1:3], array[3:]])):
            for wrap in (lambda labels: labels, bare):
                with pytest.raises(corefeval.InputValueError, match=r"label response\[2\] is missing") as caught:
                    score(key=Labels([0, 1, 2, 3]), response=wrap(make()))
                assert "if a side lacks a mention" in caught.value.hint
                with pytest.raises(corefeval.InputValueError, match=r"label key\[2\] is missing") as caught:
                    score(key=Labels(wrap(make()), "abcd"), response=Labels([0], ["a"]))
                assert "leave out the mention" in caught.value.hint

    def test_dictionaries_and_runs(self, name):
        pyarrow = optional("pyarrow")
        make = lambda labels: pyarrow.array([TYPES[name](label) for label in labels], arrow_type(name))  # noqa: E731
        if name not in ("float16", "string_view", "binary_view"):
            same(lambda labels: make([8, *labels]).dictionary_encode()[1:])
            # Chunks with separate dictionaries.
            parts = lambda labels: [make(labels[:3]), make(labels[3:])]  # noqa: E731
            same(lambda labels: pyarrow.chunked_array([part.dictionary_encode() for part in parts(labels)]))
        for ends in ("int16", "int32", "int64"):
            run_ends = lambda labels, start: pyarrow.array(range(start + 1, len(labels) + 1), ends)  # noqa: E731
            runs = lambda labels: pyarrow.RunEndEncodedArray.from_arrays(run_ends(labels, 0), make(labels))  # noqa: E731
            same(runs)
            same(lambda labels: runs([8, 8, *labels, 3])[2:-1])


class TestArrow:
    """Arrays built in other ways."""

    def test_booleans(self):
        pyarrow = optional("pyarrow")
        key, response = [True, True, False, True, False], [False, True, True, True, False]
        expected = score(key=Labels(key), response=Labels(response))
        same(pyarrow.array, key, response, expected)
        same(lambda labels: pyarrow.array([True, *labels])[1:], key, response, expected)

    @pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
    def test_dictionaries(self, kind):
        """Keys can have any width; the dictionary can contain unused values and duplicates."""
        pyarrow = optional("pyarrow")
        values = pyarrow.array(["never", "a", "b", None, "a", "c"])
        make = lambda keys: pyarrow.DictionaryArray.from_arrays(pyarrow.array(keys, kind), values)  # noqa: E731
        expected = score(key=Labels([0, 0, 1, 2]), response=Labels([0, 1, 1, 1]))
        assert score(key=make([1, 4, 2, 5]), response=bare(make([1, 2, 2, 2]))) == expected
        assert score(key=make([1, 4, 2, 5]), response=make([1, 2, 2, 2]), metrics="mentions") == score(
            key=Labels("aabc".__iter__()), response=Labels("abbb".__iter__()), metrics="mentions"
        )
        for missing in (make([1, 4, 3, 5]), make([1, 4, None, 5])):
            with pytest.raises(corefeval.InputValueError, match=r"key\[2\] is missing"):
                score(key=missing, response=Labels([0, 1, 2, 3]))

    @pytest.mark.parametrize("labels", [[1, 0, 1, 2, 0], [0, 2, 1, 2], [7, 7], [1 << 52, 0, 1 << 52], [3, 1, 2, 0]])
    def test_entities_are_in_the_order_of_their_first_mentions(self, labels):
        pyarrow = optional("pyarrow")
        expected = [[place for place, other in enumerate(labels) if other == label] for label in dict.fromkeys(labels)]
        array, texts = pyarrow.array(labels), pyarrow.array([str(label) for label in labels])
        held = [list(labels), array, array.cast("float64"), texts, texts.dictionary_encode()]
        held.append(pyarrow.array([9, *labels]).dictionary_encode()[1:])
        for values in held:
            assert LabelNumbers(values, "key", False).entities(list(range(len(labels)))) == expected

    def test_floats(self):
        """Equal floats are equal labels, as in lists."""
        pyarrow = optional("pyarrow")
        key, response = [0.0, -0.0, 1.5, 1.5, float("inf")], [1, 1.0, 2, 2, 3]
        for kind in ("float16", "float32", "float64"):
            labels = [pyarrow.array(side, kind) for side in (key, response)]
            assert score(key=labels[0], response=labels[1]) == score(key=Labels(key), response=Labels(response))
            nan = pyarrow.array([1.0, float("nan")], kind)
            for missing in (nan, nan.dictionary_encode() if kind != "float16" else nan):
                with pytest.raises(corefeval.InputValueError, match=r"response\[1\] is missing"):
                    score(key=Labels([0, 1]), response=missing)

    @pytest.mark.parametrize("least", [-(1 << 63), -5, 0, (1 << 62) - 3])
    def test_integers_far_apart(self, least):
        pyarrow = optional("pyarrow")
        for step in (1, 1 << 40, 1 << 58):
            same(lambda labels: pyarrow.array([least + label * step for label in labels], "int64"))
        same(lambda labels: pyarrow.array([(1 << 64) - 1 - label * (1 << 59) for label in labels], "uint64"))

    def test_bytes_of_a_fixed_number(self):
        pyarrow = optional("pyarrow")
        labels = [pyarrow.array([str(label).encode() for label in side], pyarrow.binary(1)) for side in (KEY, RESPONSE)]
        assert score(key=labels[0], response=labels[1]) == EXPECTED
        with pytest.raises(corefeval.InputValueError, match="of a fixed number"):
            score(key=bare(labels[0]), response=labels[1])

    def test_chunks_that_share_a_large_dictionary(self):
        pyarrow = optional("pyarrow")
        array = pyarrow.array([str(label) for label in RESPONSE * 100]).dictionary_encode()
        chunks = pyarrow.chunked_array([array[start : start + 7] for start in range(0, 700, 7)])
        assert score(key=chunks, response=Labels(RESPONSE * 100)) == score(
            key=Labels(RESPONSE * 100), response=Labels(RESPONSE * 100)
        )

    def test_readers_that_are_iterators(self):
        """A stream that can be read only once suffices."""
        pyarrow = optional("pyarrow")

        def reader(labels):
            return pyarrow.table({"label": pyarrow.chunked_array([labels[:2], labels[2:]])}).to_reader()

        assert score(key=reader(KEY), response=reader(RESPONSE)) == EXPECTED
        documents = {str(number): reader(KEY) for number in range(3)}
        systems = {name: {str(number): reader(RESPONSE) for number in range(3)} for name in "ab"}
        compared = corefeval.compare(key=documents, responses=systems, resamples=100, quiet=True)
        lists = corefeval.compare(
            key={name: Labels(KEY) for name in documents},
            responses={name: {number: Labels(RESPONSE) for number in documents} for name in systems},
            resamples=100,
            quiet=True,
        )
        assert compared == lists

    def test_labels_of_one_side(self):
        pyarrow = optional("pyarrow")
        expected = score(key={"a": Labels(KEY), "b": Labels(KEY)}, response={"a": Labels(RESPONSE)}, quiet=True)
        key = {name: bare(pyarrow.array(KEY)) for name in "ab"}
        assert score(key=key, response={"a": pyarrow.array(RESPONSE)}, quiet=True) == expected
        agreed = corefeval.agree(annotators={"A": bare(pyarrow.array(KEY)), "B": Labels(RESPONSE)}, quiet=True)
        assert agreed == corefeval.agree(annotators={"A": Labels(KEY), "B": Labels(RESPONSE)}, quiet=True)

    def test_mentions_as_arrays(self):
        pyarrow = optional("pyarrow")
        key = Labels(pyarrow.array(["x", "x", "y"]), pyarrow.array([1, 2, 3]))
        assert score(key=key, response=[[1, 2], [3]]) == score(key=[[1, 2], [3]], response=[[1, 2], [3]])
        with pytest.raises(corefeval.InputTypeError, match="the mentions of key are a OnlyArray"):
            score(key=Labels([1], OnlyArray(pyarrow.array([1]))), response=[[1]])


class TestRefused:
    """Values that cannot be labels."""

    def test_tables(self):
        pyarrow, polars = optional("pyarrow"), optional("polars")
        table = pyarrow.table({"a": [1, 2], "b": [1, 2]})
        wide = (table, table.to_batches()[0], table.to_struct_array(), polars.DataFrame({"a": [1], "b": [2]}))
        for labels in wide:
            for wrap in (lambda labels: labels, bare):
                with pytest.raises(corefeval.InputValueError, match="key is a table of `a`, `b`, but labels") as caught:
                    score(key=wrap(labels), response=Labels([1, 2]))
                assert 'table["label"]' in caught.value.hint
        with pytest.raises(corefeval.InputValueError, match="a table of no columns"):
            score(key=pyarrow.table({}), response=Labels([]))
        with pytest.raises(corefeval.InputValueError, match=r"key\[1\] is missing"):
            score(key=pyarrow.array([{"a": 1}, None]), response=Labels([1, 2]))

    def test_lists(self):
        pyarrow, polars = optional("pyarrow"), optional("polars")
        lists = (
            pyarrow.array([[1], [2, 3]]),
            pyarrow.array([[1], [2]], pyarrow.large_list(pyarrow.int8())),
            pyarrow.array([[1], [2]], pyarrow.list_(pyarrow.int8(), 1)),
            pyarrow.array([[("a", 1)]], pyarrow.map_(pyarrow.string(), pyarrow.int8())),
            pyarrow.UnionArray.from_sparse(pyarrow.array([0], "int8"), [pyarrow.array([1])]),
            polars.Series([[1], [2]]),
        )
        for labels in lists:
            for wrap in (lambda labels: labels, bare):
                with pytest.raises(corefeval.InputTypeError, match="response is an array of .*, not of labels") as caught:
                    score(key=Labels([1, 2]), response=wrap(labels))
                assert "entities are lists of mentions" in caught.value.hint

    def test_lengths_that_differ(self):
        pyarrow = optional("pyarrow")
        with pytest.raises(corefeval.InputValueError, match="key has 2 labels and response 3"):
            score(key=bare(pyarrow.array([1, 2])), response=Labels([1, 2, 3]))
        with pytest.raises(corefeval.InputValueError, match="key has 2 labels and 3 mentions"):
            score(key=Labels(bare(pyarrow.array([1, 2])), "abc"), response=Labels([1, 2], "ab"))

    def test_objects(self):
        polars = optional("polars")
        series = polars.Series([(1, 2), tuple([1, 2])], dtype=polars.Object)
        # Arrow stores addresses, which do not show equality.
        with pytest.raises(corefeval.InputValueError, match="may be the addresses"):
            score(key=OnlyStream(series), response=Labels([1, 1]))
        assert score(key=series, response=Labels([1, 1])) == score(key=Labels([1, 1]), response=Labels([1, 1]))


class Broken:
    """Returns a given value."""

    def __init__(self, array=None, stream=None):
        if array is not None:
            self.__class__ = type("Broken", (), {"__arrow_c_array__": lambda self: array()})
        else:
            self.__class__ = type("Broken", (), {"__arrow_c_stream__": lambda self: stream()})


def raises(error):
    raise error


class TestBroken:
    """Objects that violate the interface."""

    @pytest.mark.parametrize("given", [None, 1, (), (1, 2), (None,), "ab"])
    def test_missing_capsules(self, given):
        for labels in (Broken(array=lambda: given), Broken(stream=lambda: given)):
            with pytest.raises(corefeval.InputValueError, match="key is a Broken that cannot be read through the Arrow"):
                score(key=labels, response=Labels([1]))

    def test_other_capsules(self):
        pyarrow = optional("pyarrow")
        array = pyarrow.array([1, 2])
        schema, data = array.__arrow_c_array__()
        stream = pyarrow.chunked_array([array]).__arrow_c_stream__()
        for labels in (
            Broken(array=lambda: (data, schema)),
            Broken(array=lambda: (schema, schema)),
            Broken(stream=lambda: schema),
            Broken(array=lambda: (stream, data)),
        ):
            with pytest.raises(corefeval.InputValueError, match="cannot be read through the Arrow") as caught:
                score(key=labels, response=Labels([1]))
            assert "Labels([...])" in caught.value.hint

    def test_consumed_capsules(self, capfd):
        pyarrow = optional("pyarrow")
        capsules = pyarrow.array([1, 1]).__arrow_c_array__()
        stream = pyarrow.chunked_array([[1, 1]]).__arrow_c_stream__()
        for labels in (Broken(array=lambda: capsules), Broken(stream=lambda: stream)):
            assert score(key=labels, response=Labels([1, 1]))
            with pytest.raises(corefeval.InputValueError, match="cannot be read through the Arrow"):
                score(key=labels, response=Labels([1, 2]))
        assert capfd.readouterr() == ("", "")

    def test_exceptions_pass(self):
        for labels in (Broken(array=lambda: raises(KeyError("mine"))), Broken(stream=lambda: raises(KeyError("mine")))):
            with pytest.raises(KeyError, match="mine"):
                score(key=labels, response=Labels([1]))

    def test_streams_that_fail_on_the_way(self):
        pyarrow = optional("pyarrow")
        batch = pyarrow.record_batch({"label": [1, 2]})

        def batches():
            yield batch
            raise RuntimeError("mine")

        reader = pyarrow.RecordBatchReader.from_batches(batch.schema, batches())
        with pytest.raises(corefeval.InputValueError, match="RecordBatchReader that cannot be read.*mine"):
            score(key=reader, response=Labels([1, 2]))


class TestOtherLibraries:
    """Arrays of libraries other than pyarrow."""

    def test_polars(self):
        polars = optional("polars")
        for kind in (polars.Int8, polars.UInt16, polars.Int64, polars.Float64, polars.String, polars.Categorical):
            given = str if kind == polars.Categorical else int
            same(lambda labels: polars.Series([given(label) for label in labels]).cast(kind))
        enum = polars.Enum([str(label) for label in range(12)])
        same(lambda labels: polars.Series([str(label) for label in labels], dtype=enum))
        same(lambda labels: polars.concat([polars.Series(labels[:2]), polars.Series(labels[2:])], rechunk=False))
        same(lambda labels: polars.DataFrame({"label": labels}))
        # Arrow has no integers of this width.
        wide = [polars.Series(labels, dtype=polars.Int128) for labels in (KEY, RESPONSE)]
        assert score(key=wide[0], response=wide[1]) == EXPECTED

    def test_pandas(self):
        pandas, pyarrow = optional("pandas"), optional("pyarrow")
        for kind in ("int64", "Int64", "string", "category", "object", "float", "int64[pyarrow]", pandas.ArrowDtype(pyarrow.string())):
            same(lambda labels: pandas.Series(labels, dtype="int64").astype(kind))
        same(lambda labels: pandas.Series([str(label) for label in labels]).astype("category"))

    def test_nanoarrow(self):
        nanoarrow = optional("nanoarrow")
        same(lambda labels: nanoarrow.Array(labels, nanoarrow.int16()))
        same(lambda labels: nanoarrow.c_array([str(label) for label in labels], nanoarrow.string()))
        parts = lambda labels: [nanoarrow.c_array(part, nanoarrow.int8()) for part in (labels[:3], labels[3:])]  # noqa: E731
        same(lambda labels: nanoarrow.Array.from_chunks(parts(labels)))

    def test_arro3(self):
        arro3 = optional("arro3.core")
        same(lambda labels: arro3.Array(labels, arro3.DataType.uint32()))
        same(lambda labels: arro3.ChunkedArray([arro3.Array(labels, arro3.DataType.int64())]))

    def test_duckdb(self):
        duckdb = optional("duckdb")

        def relation(labels):
            return duckdb.sql("select unnest(?) as label", params=[labels])

        assert score(key=relation(KEY), response=bare(relation(RESPONSE))) == EXPECTED


ALONE = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
import corefeval, polars
key, response = polars.Series({key}), polars.Series([str(label) for label in {response}])
class Bare:
    def __init__(self, series): self.series = series
    def __arrow_c_stream__(self, requested_schema=None): return self.series.__arrow_c_stream__()
for wrap in (lambda series: series, Bare):
    print(corefeval.score(key=wrap(key), response=wrap(response.cast(polars.Categorical)))["lea"].f1)
assert not sys.modules.get("numpy") and not sys.modules.get("pyarrow") and not sys.modules.get("pandas")
"""


@pytest.mark.parametrize("blocked", [(), ("numpy", "pyarrow", "pandas")])
def test_nothing_else_is_imported(blocked):
    optional("polars")
    script = ALONE.format(blocked=blocked, key=KEY, response=RESPONSE)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(EXPECTED["lea"].f1)] * 2


def test_pandas_without_pyarrow(monkeypatch):
    """Columns that pandas converts to Arrow only with pyarrow are read as Python objects."""
    pandas = optional("pandas")
    columns = [pandas.Series(labels, dtype="Int64") for labels in (KEY, RESPONSE)]

    def unable(self, requested_schema=None):
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pandas.Series, "__arrow_c_stream__", unable)
    assert score(key=columns[0], response=columns[1]) == EXPECTED


def test_containers_do_not_matter():
    """Lists, NumPy, Arrow and polars give byte-identical reports."""
    hypothesis, numpy = optional("hypothesis"), optional("numpy")
    pyarrow, polars = optional("pyarrow"), optional("polars")
    from hypothesis import strategies as some

    integers = some.one_of(some.integers(-3, 3), some.integers(-(1 << 63), (1 << 63) - 1))
    texts = some.one_of(some.sampled_from("abc"), some.text(max_size=40), some.just("x" * 15), some.just("x" * 16))
    labels = some.one_of(integers, some.booleans()).flatmap(
        lambda one: some.lists(some.booleans() if isinstance(one, bool) else integers, min_size=1, max_size=40)
    )

    @hypothesis.given(some.data())
    @hypothesis.settings(deadline=None, max_examples=200)
    def holds(data):
        key = data.draw(some.one_of(labels, some.lists(texts, min_size=1, max_size=40)))
        response = data.draw(some.lists(some.one_of(texts), min_size=len(key), max_size=len(key)))
        cut = data.draw(some.integers(0, len(key)))
        expected = score(key=Labels(key), response=Labels(response), metrics="all", quiet=True).render("json")
        held = {
            "numpy": lambda side: numpy.array(side, dtype=object if isinstance(side[0], str) else None),
            "arrow": pyarrow.array,
            "chunks": lambda side: pyarrow.chunked_array([pyarrow.array(side)[:cut], pyarrow.array(side)[cut:]]),
            "dictionary": lambda side: pyarrow.array(side).dictionary_encode(),
            "polars": polars.Series,
            "bare": lambda side: bare(polars.Series(side)),
        }
        made = {name: [make(key), make(response)] for name, make in held.items()}
        for name, (ours, _) in made.items():
            for other in (name, "bare"):
                report = score(key=ours, response=made[other][1], metrics="all", quiet=True)
                assert report.render("json") == expected, (name, other)

    holds()


def test_memory_is_released():
    """Memory is released, whether the data could be read or not."""
    pyarrow = optional("pyarrow")
    good = pyarrow.chunked_array([pyarrow.array([str(label) for label in RESPONSE * 1000])])
    nested, missing = pyarrow.array([[1]] * 1000), pyarrow.array([1, None] * 500)

    def calls():
        assert score(key=good, response=bare(good), metrics="mentions")
        for wrong in (nested, missing, pyarrow.table({"a": [1], "b": [2]}), Broken(array=lambda: (1, 2))):
            with pytest.raises(corefeval.CorefevalError):
                score(key=good, response=wrong)
        fresh = pyarrow.array([str(label) for label in range(1000)])
        assert score(key=fresh, response=fresh, metrics="mentions")

    calls()
    gc.collect()
    before = [sys.getrefcount(array) for array in (good, nested, missing)], pyarrow.total_allocated_bytes()
    for _ in range(100):
        calls()
    gc.collect()
    assert ([sys.getrefcount(array) for array in (good, nested, missing)], pyarrow.total_allocated_bytes()) == before


def test_arrays_of_ctypes():
    import ctypes

    for kind in (ctypes.c_int8, ctypes.c_int32, ctypes.c_uint64):
        labels = [(kind * len(values))(*values) for values in (KEY, RESPONSE)]
        assert score(key=labels[0], response=labels[1]) == EXPECTED


def test_tables_of_pandas():
    pandas = optional("pandas")
    table = [pandas.DataFrame({"label": values}) for values in (KEY, RESPONSE)]
    assert score(key=table[0], response=table[1]) == EXPECTED
    with pytest.raises(corefeval.InputValueError, match="one dimension"):
        score(key=table[0].assign(more=1), response=table[1])


def test_masked_labels_are_missing():
    numpy = optional("numpy")
    masked = numpy.ma.array(KEY, mask=[0, 0, 0, 0, 0, 0, 1])
    with pytest.raises(corefeval.InputValueError, match=r"key\[6\] is missing"):
        score(key=masked, response=numpy.array(RESPONSE))
    assert score(key=numpy.ma.array(KEY), response=numpy.array(RESPONSE)) == EXPECTED


def test_sets_have_no_order():
    with pytest.raises(corefeval.InputTypeError, match="is a set, not labels"):
        score(key=Labels({3, 1, 2}), response=Labels([1, 1, 2]))
