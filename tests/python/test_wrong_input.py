"""Objects that cannot be scored: an exception that says where and why, never a panic, and nothing leaks."""

from __future__ import annotations

import gc
import pickle
import tracemalloc

import corefeval
import pytest
from corefeval import Labels, Scorer, score

GOOD = [[(0, 1), (4, 4)], [(7, 9), (2, 2)]]


class Strange:
    """Raises where it is asked for something."""

    def __init__(self, error):
        self.error = error

    def __hash__(self):
        raise self.error

    def __iter__(self):
        yield (0, 1)
        raise self.error


CASES = {
    "a number": (5, TypeError, "response is a int, not a list of entities"),
    "nothing": (None, TypeError, "response is None"),
    "text": ("clusters", TypeError, "response is a str"),
    "bytes": (b"clusters", TypeError, "response is a bytes"),
    "a flat list of numbers": ([0, 0, 1], TypeError, "response[0] is a int, not an entity"),
    "a list of texts": (["a", "b"], TypeError, "response[0] is a str, not an entity"),
    "an entity that is a dictionary": ([{"a": 1}], TypeError, "response[0] is a dict"),
    "an entity that is missing": ([[(0, 1)], None], TypeError, "response[1] is a NoneType"),
    "spans as lists": ([[[0, 1], [4, 4]]], TypeError, "response[0][0] is a list, which is not hashable"),
    "a dictionary as a mention": ([[(0, 1), {"a": 1}]], TypeError, "response[0][1] is a dict, which is not"),
    "a list within a tuple": ([[("a", [1])]], TypeError, "response[0][0] is a tuple, which is not hashable"),
    "ragged spans": ([[(0, 1), (2, 3, 4)]], ValueError, "response[0][1] is a span of 3 numbers, and key[0][0]"),
    "NaN": ([[float("nan")]], ValueError, "response[0][0] is not a number (NaN)"),
    "NaN within a tuple": ([[(0, float("nan"))]], ValueError, "response[0][0] is not a number (NaN)"),
    "documents against one": ({"a": GOOD}, TypeError, "response is documents by name, and key is a list"),
    "labels against entities": (Labels([1]), TypeError, "response is labels of mentions, and key is entities"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_response(name):
    response, kind, message = CASES[name]
    with pytest.raises(corefeval.CorefevalError) as caught:
        score(key=GOOD, response=response)
    assert isinstance(caught.value, kind)
    assert message in str(caught.value)
    assert caught.value.code == "input" and caught.value.hint
    assert caught.value.file is None and caught.value.line is None


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_key(name):
    key, kind, _ = CASES[name]
    with pytest.raises(corefeval.CorefevalError) as caught:
        score(key=key, response=GOOD)
    assert isinstance(caught.value, kind)


def test_wrong_documents_by_name():
    with pytest.raises(corefeval.InputTypeError, match="is None"):
        score(key={"a": None}, response={"a": GOOD})
    with pytest.raises(corefeval.InputValueError, match="two documents called `1`"):
        score(key={1: GOOD, "1": GOOD}, response={"1": GOOD})


@pytest.mark.parametrize("error", [RuntimeError("mine"), TypeError("mine"), KeyboardInterrupt()])
def test_what_iterators_raise_passes_through(error):
    def generator():
        yield [(0, 1)]
        raise error

    for response in (generator(), [[(0, 1)], Strange(error)]):
        with pytest.raises(type(error)) as caught:
            score(key=GOOD, response=response)
        assert caught.value is error


def test_what_hashing_raises_passes_through():
    error = RuntimeError("mine")
    with pytest.raises(RuntimeError) as caught:
        score(key=GOOD, response=[[Strange(error)]])
    assert caught.value is error
    with pytest.raises(corefeval.InputTypeError) as caught:
        score(key=GOOD, response=[[Strange(TypeError("mine"))]])
    assert str(caught.value.__cause__) == "mine"


class TestLabels:
    """Wrong labels."""

    @pytest.mark.parametrize("labels", [[0, None], [0, float("nan")], ["a", None]])
    def test_missing(self, labels):
        for make in (Labels, lambda values: Labels(values, "ab")):
            with pytest.raises(corefeval.InputValueError, match=r"response\[1\] is missing"):
                score(key=make([0, 1]), response=make(labels))

    def test_missing_in_arrays(self):
        numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
        polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
        for labels in (
            numpy.array([0, numpy.nan]),
            pandas.Series([0, None]),
            pandas.Series([0, None], dtype="Int64"),
            pandas.Series(["a", None], dtype="string"),
            polars.Series([0, None]),
            polars.Series([0.0, float("nan")]),
            pyarrow.array([0, None]),
            pyarrow.array(["a", None]),
        ):
            with pytest.raises(corefeval.InputValueError, match=r"response\[1\] is missing"):
                score(key=numpy.array([0, 1]), response=labels)

    def test_lengths_that_differ(self):
        with pytest.raises(corefeval.InputValueError, match="key has 2 labels and response 3"):
            score(key=Labels([0, 1]), response=Labels([0, 1, 1]))
        with pytest.raises(corefeval.InputValueError, match="key has 2 labels and 3 mentions"):
            score(key=Labels([0, 1], "abc"), response=Labels([0, 1], "ab"))
        with pytest.raises(corefeval.InputTypeError, match="is labels"):
            score(key=Labels([0, 1], "ab"), response=Labels([0, 1]))

    def test_shapes(self):
        numpy = pytest.importorskip("numpy")
        for labels in (numpy.zeros((2, 2), dtype=int), numpy.array(3), numpy.array([["a"]])):
            with pytest.raises(corefeval.InputValueError, match="one dimension"):
                score(key=labels, response=labels)

    def test_types(self):
        with pytest.raises(corefeval.InputTypeError, match=r"label key\[0\] is not hashable"):
            score(key=Labels([[0]]), response=Labels([1]))
        with pytest.raises(corefeval.InputTypeError, match="key is a str"):
            score(key=Labels("ab"), response=Labels("ab"))
        with pytest.raises(corefeval.InputTypeError):
            score(key=Labels(5), response=Labels([1]))

    def test_spans_in_arrays(self):
        numpy = pytest.importorskip("numpy")
        with pytest.raises(corefeval.InputTypeError, match="tolist"):
            score(key=[numpy.array([[0, 1]])], response=GOOD)


def test_tensors_are_not_compared_by_identity():
    class Tensor:
        def __dlpack__(self):
            raise NotImplementedError

    for mention in (Tensor(), (Tensor(), Tensor())):
        with pytest.raises(corefeval.InputTypeError, match="tolist"):
            score(key=[[mention]], response=GOOD)


def test_wrong_metrics():
    with pytest.raises(corefeval.InputTypeError, match="5 in metrics is no string"):
        score(key=GOOD, response=GOOD, metrics=[5])
    with pytest.raises(corefeval.SettingsError):
        Scorer(metrics="nothing")


def test_errors_are_pickled():
    for error in (
        corefeval.FormatError("broken", file="a", line=3, column=4, code="format", hint="mend", related=["b:1: x"]),
        corefeval.ReadError("gone", file="a", code="io"),
        corefeval.InputTypeError("odd"),
    ):
        other = pickle.loads(pickle.dumps(error))
        assert type(other) is type(error)
        assert str(other) == str(error) and other.line == error.line and other.related == error.related
    assert str(error) == "odd"


def test_a_scorer_within_its_own_iterator():
    scorer = Scorer()

    def entities():
        scorer.update(key=GOOD, response=GOOD)
        yield [(0, 1)]

    scorer.update(key=entities(), response=GOOD)
    assert len(scorer) == 2


MENTIONS = [[f"mention {entity} {m}" for m in range(5)] for entity in range(200)]
SPANS = [[(entity, m) for m in range(5)] for entity in range(200)]
LABELS = Labels([m % 40 for m in range(1000)])


def fails(response):
    try:
        score(key=GOOD, response=response)
    except (corefeval.CorefevalError, RuntimeError):
        return
    raise AssertionError("this should fail")


def scorer_and_back():
    scorer = Scorer(quiet=True)
    scorer.update(key=MENTIONS, response=MENTIONS)
    pickle.loads(pickle.dumps(scorer)).report()


CALLS = {
    "mentions": lambda: score(key=MENTIONS, response=MENTIONS[1:], quiet=True).render("latex"),
    "spans": lambda: score(key=SPANS, response=SPANS[1:], quiet=True, by="document"),
    "labels": lambda: score(key=LABELS, response=LABELS, quiet=True),
    "a scorer": scorer_and_back,
    "ragged spans": lambda: fails(CASES["ragged spans"][0]),
    "spans as lists": lambda: fails(CASES["spans as lists"][0]),
    "a number": lambda: fails(5),
    "an iterator that raises": lambda: fails([[Strange(RuntimeError())]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    """Neither memory of Python nor of the process grows over many calls."""
    resource = pytest.importorskip("resource")
    call, count = CALLS[name], 50
    for _ in range(count):
        call()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    growth = []
    # Python keeps lists of free objects, which have to fill up first. No object has less than 40 bytes with its place.
    while len(growth) < 10 and min(growth, default=count * 40) >= count * 40:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            call()
        gc.collect()
        growth.append(tracemalloc.get_traced_memory()[0] - before)
    tracemalloc.stop()
    assert min(growth) < count * 40, f"{growth} bytes"
    # In KiB on Linux: documents of 100 KB that stayed would be 5 MB more a round.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 4_000


@pytest.mark.parametrize("threads", [0, -1, 1 << 70, "x", 1.5, True])
def test_threads_that_cannot_be(threads):
    key = [[1, 2]]
    for call in (
        lambda: corefeval.score(key=key, response=key, threads=threads),
        lambda: corefeval.Scorer(threads=threads),
        lambda: corefeval.compare(key={"a": key, "b": key}, responses={"x": {"a": key, "b": key}}, threads=threads),
        lambda: corefeval.score_files(key="k", response="r", threads=threads),
    ):
        with pytest.raises(corefeval.CorefevalError, match="threads"):
            call()
