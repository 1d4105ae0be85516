"""Objects that cannot be scored cause an exception with place and reason, never a panic or a leak."""

from __future__ import annotations

import pickle

import corefeval
import pytest
from conftest import assert_nothing_leaks, optional
from corefeval import Bridge, Document, Labels, Mention, Scorer, Zero, score
from hypothesis import given, settings
from hypothesis import strategies as st

GOOD = [[(0, 1), (4, 4)], [(7, 9), (2, 2)]]


class Strange:
    """Raises on every access."""

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
    "lists within lists": ([[[[0, 1]], [4, 4]]], TypeError, "response[0][0] is a list, which is not hashable"),
    "a reversed span": ([[(0, 1), (4, 2)]], ValueError, "response[0][1] is (4, 2), which ends before it starts"),
    "a negative span": ([[(0, 1), (-4, 2)]], ValueError, "response[0][1] is (-4, 2), which has a negative number"),
    "a dictionary as a mention": ([[(0, 1), {"a": 1}]], TypeError, "response[0][1] is a dict, which is not"),
    "a list within a tuple": ([[("a", [1])]], TypeError, "response[0][0] is a tuple, which is not hashable"),
    "ragged spans": ([[(0, 1), (2, 3, 4)]], ValueError, "response[0][1] is a span of 3 numbers, and key[0][0]"),
    "NaN": ([[float("nan")]], ValueError, "response[0][0] is not a number (NaN)"),
    "NaN within a tuple": ([[(0, float("nan"))]], ValueError, "response[0][0] is not a number (NaN)"),
    "documents against one": ({"a": GOOD}, TypeError, "response is documents by name, but key is a list"),
    "labels against entities": (Labels([1]), TypeError, "response is labels of mentions, but key is entities"),
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
    with pytest.raises(corefeval.InputValueError, match="two documents are called `1`"):
        score(key={1: GOOD, "1": GOOD}, response={"1": GOOD})


@pytest.mark.parametrize("error", [RuntimeError("mine"), TypeError("mine"), KeyboardInterrupt()])
def test_exceptions_of_iterators_propagate(error):
    def generator():
        yield [(0, 1)]
        raise error

    for response in (generator(), [[(0, 1)], Strange(error)]):
        with pytest.raises(type(error)) as caught:
            score(key=GOOD, response=response)
        assert caught.value is error


def test_exceptions_of_hashing_propagate():
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
        numpy, pandas = optional("numpy"), optional("pandas")
        polars, pyarrow = optional("polars"), optional("pyarrow")
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
        numpy = optional("numpy")
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

    def test_spans_in_arrays_of_other_shapes(self):
        numpy = optional("numpy")
        with pytest.raises(corefeval.InputValueError, match="one is of 3|one of 3|of 3 numbers"):
            score(key=[numpy.array([[0, 1, 2]])], response=GOOD)
        with pytest.raises(corefeval.InputTypeError, match="tolist"):
            score(key=[numpy.zeros((1, 2, 2), dtype=int)], response=GOOD)


def test_tensors_are_not_compared_by_identity():
    class Tensor:
        def __dlpack__(self):
            raise NotImplementedError

    for mention in (Tensor(), (Tensor(), Tensor())):
        with pytest.raises(corefeval.InputTypeError, match="tolist"):
            score(key=[[mention]], response=GOOD)


def test_wrong_metrics():
    with pytest.raises(corefeval.InputTypeError, match="5 in metrics is not a string"):
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


NAN = float("nan")

#: Invalid relations beyond identity: keywords, kind of error, message.
BEYOND = [
    ({"zeros": 5}, TypeError, "zeros is a int, not a list"),
    ({"zeros": "5"}, TypeError, "zeros is a str, not a list"),
    ({"zeros": ["a"]}, TypeError, "zeros[0] has 'a', not the number of a word"),
    ({"zeros": [NAN]}, TypeError, "zeros[0] has nan, not the number of a word"),
    ({"zeros": [True]}, TypeError, "zeros[0] has True"),
    ({"zeros": [0, -1]}, ValueError, "zeros[1] has -1"),
    ({"zeros": [4]}, ValueError, "zeros[0] has word 4, beyond the text of 4 words"),
    ({"zeros": [1], "tokens": None}, ValueError, "zeros[0] is a zero, but the words are not known"),
    ({"entities": [[Zero(before=0)]], "tokens": None}, ValueError, "entities[0][0] is a zero, but the words are not known"),
    ({"entities": [[Zero(before=0)]], "tokens": []}, ValueError, "entities[0][0] has word 0, beyond the text of 0 words"),
    ({"entities": {"x": [(0, 0), Zero(before=4)]}}, ValueError, "entities['x'][1] has word 4, beyond the text of 4 words"),
    ({"entities": [[Zero(after=2**31)]]}, ValueError, "beyond the text of 4 words"),
    ({"zeros": [1], "entities": [[Zero(before=1)]]}, ValueError, "that word is a zero itself"),
    ({"entities": [[Zero(1)]]}, ValueError, "entities[0][0] is Zero(word=1), but that word is in the text"),
    ({"bridges": [Bridge(Zero(1), (0, 0))]}, ValueError, "bridges[0].anaphor is Zero(word=1), but that word is in the text"),
    ({"zeros": [Zero(1, 2), Zero(1, 3)]}, ValueError, "zeros[1] is Zero(word=1, number=3), which is Zero(word=1, number=2) elsewhere"),
    ({"zeros": [Zero(1, 2), Zero(0, 3)]}, ValueError, "zeros[0] is Zero(word=1, number=2), and a zero before it there has number 3"),
    ({"zeros": [Zero(before=1, number=2), Zero(after=0, number=2)]}, ValueError, "zeros[1] is Zero(after=0, number=2), and a zero"),
    ({"zeros": [Zero(before=0, dependencies=[(4, "nsubj")])]}, ValueError, "zeros[0].dependencies has word 4, beyond"),
    ({"zeros": [Zero(before=0, dependencies=[(3, "nsubj")])]}, ValueError, "depends on a word of another sentence"),
    ({"zeros": [Zero(before=2, dependencies=[(1, "nsubj")])]}, ValueError, "depends on a word of another sentence"),
    ({"zeros": [Zero(0, dependencies=[(0, "nsubj")])]}, ValueError, "zeros[0] is a zero that depends on itself"),
    ({"zeros": [Zero(0, dependencies=[(1, "a")]), Zero(1, dependencies=[(0, "b")])]}, ValueError, "depends on itself, directly or"),
    ({"bridges": 5}, TypeError, "bridges is a int, not a list"),
    ({"bridges": [5]}, TypeError, "bridges[0] is 5, not a bridge"),
    ({"bridges": [()]}, TypeError, "bridges[0] is (), not a bridge"),
    ({"bridges": [(1, 2, 3, 4, 5)]}, TypeError, "bridges[0] is (1, 2, 3, 4, 5), not a bridge"),
    ({"bridges": [Bridge((0, 0))]}, ValueError, "bridges[0] has no antecedent and no entity"),
    ({"bridges": [Bridge((0, 0), entity="cat")]}, ValueError, "bridges[0].entity is 'cat', but there is no such entity"),
    ({"bridges": [Bridge((0, 0), entity=9)]}, ValueError, "bridges[0].entity is 9, but there is no such entity"),
    ({"bridges": [Bridge((0, 0), (1, 1), relation=5)]}, TypeError, "bridges[0].relation is a int, not a name"),
    ({"bridges": [Bridge(5, (1, 1))]}, TypeError, "bridges[0].anaphor is a int, not a mention"),
    ({"bridges": [Bridge((), (1, 1))]}, ValueError, "bridges[0].anaphor is a span of 0 numbers"),
    ({"bridges": [Bridge((0, 1, 2), (1, 1))]}, ValueError, "bridges[0].anaphor is a span of 3 numbers"),
    ({"bridges": [Bridge((0, NAN), (1, 1))]}, TypeError, "bridges[0].anaphor has nan"),
    ({"bridges": [Bridge((0, 0), (3, 4))]}, ValueError, "bridges[0].antecedent is (3, 4), which ends beyond the text of 4 words"),
    ({"bridges": [Bridge((0, 0), (2, 1))]}, ValueError, "bridges[0].antecedent is (2, 1), which ends before it starts"),
    ({"bridges": [Bridge([(0, 0), (1, 1)], (3, 3))]}, ValueError, "bridges[0].anaphor: the runs [(0, 0), (1, 1)] are not in order, or touch each other"),
    ({"bridges": [Bridge([(3, 3), (0, 0)], (1, 1))]}, ValueError, "the runs [(3, 3), (0, 0)] are not in order"),
    ({"bridges": [Bridge([(0, 0), 3], (1, 1))]}, TypeError, "bridges[0].anaphor[1] is a int"),
    ({"bridges": [Bridge(Zero(before=9), (1, 1))]}, ValueError, "bridges[0].anaphor has word 9, beyond"),
    ({"bridges": [Bridge(Mention(0, 2, parts=[(0, 1), (2, 2)]), (1, 1))]}, ValueError, "bridges[0].anaphor: the parts [(0, 1), (2, 2)] are not in order"),
    ({"split_antecedents": 5}, TypeError, "split_antecedents is a int, not a list"),
    ({"split_antecedents": ["they"]}, TypeError, "split_antecedents[0] is 'they', not a pair"),
    ({"split_antecedents": [("c", "ab")]}, TypeError, "split_antecedents[0][1] is a str, not a list"),
    ({"split_antecedents": {"d": ["a", "b"]}}, ValueError, "split_antecedents[0][0] is 'd', but there is no such entity"),
    ({"split_antecedents": {"c": ["a", NAN]}}, ValueError, "split_antecedents[0][1][1] is nan, but there is no such entity"),
    ({"split_antecedents": {"c": ["a"]}}, ValueError, "split_antecedents[0] has 1 part"),
    ({"split_antecedents": {"c": []}}, ValueError, "split_antecedents[0] has 0 parts"),
    ({"split_antecedents": {"c": ["a", "b", "a"]}}, ValueError, "split_antecedents[0] has a part twice"),
    ({"split_antecedents": [("c", ["a", "b"])] * 2}, ValueError, "split_antecedents[1] is of 'c', which has a sum already"),
    ({"split_antecedents": {"c": ["a", "c"]}}, ValueError, "split_antecedents[0]: 'c' is a part of itself"),
    ({"split_antecedents": {"c": ["a", "b"], "a": ["b", "c"]}}, ValueError, "split_antecedents[1]: 'a' is a part of itself"),
    ({"non_referring": 5}, TypeError, "non_referring is a int, not a list"),
    ({"non_referring": [[5]]}, ValueError, "non_referring[0] is a span of 1 numbers"),
    ({"non_referring": [(0, 4)]}, ValueError, "non_referring[0] is (0, 4), which ends beyond the text of 4 words"),
    ({"non_referring": [Mention(0, 0, head=9)]}, ValueError, "non_referring[0]: the head 9 is outside the text"),
    ({"format": 5}, TypeError, "format is a int, not a string"),
    ({"format": "nothing"}, ValueError, "unknown format `nothing`"),
]


@pytest.mark.parametrize(("keywords", "kind", "message"), BEYOND, ids=[message for *_, message in BEYOND])
def test_invalid_parts_of_documents(keywords, kind, message):
    whole = {"id": "n", "tokens": [["a", "b"], ["c", "d"]], "entities": {"a": [(0, 0)], "b": [(1, 1)], "c": [(2, 3)]}}
    calls = [lambda: Document(**{**whole, **keywords})]
    if not {"zeros", "tokens", "format"}.intersection(keywords):
        calls.append(lambda: Document(id="n", tokens=whole["tokens"]).with_entities(**{"entities": whole["entities"], **keywords}))
    for call in calls:
        with pytest.raises(corefeval.CorefevalError) as caught:
            call()
        assert isinstance(caught.value, kind) and message in str(caught.value) and caught.value.hint


words = st.integers(0, 2)
junk = st.recursive(
    st.integers(-1, 5) | st.sampled_from([None, True, 1.0, NAN, "a", 2**31, 2**70, Zero(before=9), Mention(1, "b")]),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)


def rarely(usual):
    """Returns random junk in some cases."""
    return st.integers(0, 19).flatmap(lambda number: usual if number else junk)


dependencies = st.lists(st.tuples(words | st.none(), st.sampled_from(["nsubj", ""])), max_size=2)
spans = st.tuples(words, words).map(lambda pair: (min(pair), max(pair)))
zeros = st.builds(lambda side, word, of: Zero(**{side: word}, dependencies=of), st.sampled_from(["before", "after", "word"]), words, dependencies)
mentions = st.one_of(spans, spans, spans, zeros, zeros, st.builds(Mention, words, st.just(2), words), rarely(spans))
names = st.sampled_from(["0", "1", 2])
bridges = st.builds(Bridge, mentions | st.just([(0, 0), (2, 2)]), mentions | st.none(), names | st.none(), st.sampled_from(["", "part"]))
splits = st.lists(st.tuples(names, st.lists(names, min_size=2, max_size=2, unique_by=str)), max_size=2)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([None, [], ["a", "b", "c"], [["a", "b"], [], ["c"]], [["a"], ["b", "c"]]]),
    st.fixed_dictionaries(
        {},
        optional={
            "zeros": st.lists(words | zeros, max_size=2),
            "entities": st.lists(st.lists(mentions, max_size=3), min_size=3, max_size=4),
            "bridges": rarely(st.lists(bridges, max_size=2)),
            "split_antecedents": rarely(splits),
            "non_referring": rarely(st.lists(mentions, max_size=2)),
            "span_end": st.sampled_from(["inclusive", "exclusive"]),
            "format": st.sampled_from(["python", "corefud", "conll-ua"]),
        },
    ),
)
def test_arbitrary_input(tokens, keywords):
    """Any objects give a document or an error of the package; documents can be scored and written."""
    try:
        document = Document(id="n", tokens=tokens, **keywords)
    except corefeval.CorefevalError as error:
        assert error.hint
        return
    assert pickle.loads(pickle.dumps(document)) == document
    for options in ({"profile": "corefud"}, {"metrics": "all", "split_antecedents": "keep", "zero_match": "dependent"}):
        score(key=document, response=document, quiet=True, **options)
    if tokens:
        for format in ("corefud", "conll-ua"):
            assert corefeval.write(document, format=format, quiet=True)


@pytest.mark.parametrize(
    ("place", "kind", "message"),
    [
        ({}, ValueError, "has no place, or several"),
        ({"word": 1, "before": 1}, ValueError, "has no place, or several"),
        ({"before": 1, "after": 0}, ValueError, "has no place, or several"),
        ({"before": -1}, ValueError, "before of a Zero has -1"),
        ({"after": 1.0}, TypeError, "after of a Zero has 1.0"),
        ({"word": NAN}, TypeError, "word of a Zero has nan"),
        ({"word": None, "before": "7"}, TypeError, "before of a Zero has '7'"),
        ({"before": 2**32}, ValueError, "words count from 0"),
        ({"before": 1, "number": -1}, ValueError, "number of a Zero has -1"),
        ({"before": 1, "number": 1.5}, TypeError, "number of a Zero has 1.5"),
        ({"before": 1, "dependencies": 5}, TypeError, "dependencies are 5, not pairs"),
        ({"before": 1, "dependencies": "nsubj"}, TypeError, "dependencies are 'nsubj', not pairs"),
        ({"before": 1, "dependencies": (7, "nsubj")}, TypeError, "a dependency is 7, not pairs"),
        ({"before": 1, "dependencies": [(NAN, "nsubj")]}, TypeError, "dependencies of a Zero has nan"),
        ({"before": 1, "dependencies": [([7], "nsubj")]}, TypeError, "dependencies of a Zero has [7]"),
        ({"before": 1, "dependencies": [(-1, "nsubj")]}, ValueError, "dependencies of a Zero has -1"),
        ({"before": 1, "dependencies": [(7,)]}, TypeError, "a dependency is (7,), not pairs"),
        ({"before": 1, "dependencies": [("nsubj", 7)]}, TypeError, "a dependency is ('nsubj', 7), not pairs"),
    ],
)
def test_invalid_zeros(place, kind, message):
    with pytest.raises(corefeval.CorefevalError) as caught:
        Zero(**place)
    assert isinstance(caught.value, kind) and message in str(caught.value) and caught.value.hint


def test_words_of_a_document_are_not_zeros():
    document = Document(id="n", tokens=["a", "_"], zeros=[1])
    for zero, message in (
        (Zero(0), "entities[0][0] is Zero(word=0), but that word is in the text"),
        (Zero(1, 5), "entities[0][0] is Zero(word=1, number=5), which is Zero(word=1, number=1) elsewhere"),
        (Zero(2), "beyond the text of 2 words"),
        (Zero(after=1), "that word is a zero itself"),
    ):
        with pytest.raises(corefeval.InputValueError) as caught:
            document.with_entities([[zero]])
        assert message in str(caught.value)


def test_exceptions_of_relation_iterators_propagate():
    def raising():
        yield (0, 0)
        raise RuntimeError("mine")

    for name in ("zeros", "bridges", "split_antecedents", "non_referring"):
        with pytest.raises((RuntimeError, corefeval.CorefevalError)) as caught:
            Document(id="n", tokens=["a", "b"], entities=[[(0, 0)]], **{name: raising()})
        assert str(caught.value) == "mine"


MENTIONS = [[f"mention {entity} {m}" for m in range(5)] for entity in range(200)]
SPANS = [[(entity, entity + mention) for mention in range(4)] for entity in range(500)]
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
    "spans as lists": lambda: score(key=GOOD, response=[[[0, 1], [4, 4]]], quiet=True),
    "lists within lists": lambda: fails(CASES["lists within lists"][0]),
    "a number": lambda: fails(5),
    "an iterator that raises": lambda: fails([[Strange(RuntimeError())]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    assert_nothing_leaks(CALLS[name])


@pytest.mark.parametrize("threads", [0, -1, 1 << 70, "x", 1.5, True])
def test_invalid_threads(threads):
    key = [[1, 2]]
    for call in (
        lambda: corefeval.score(key=key, response=key, threads=threads),
        lambda: corefeval.Scorer(threads=threads),
        lambda: corefeval.compare(key={"a": key, "b": key}, responses={"x": {"a": key, "b": key}}, threads=threads),
        lambda: corefeval.score_files(key="k", response="r", threads=threads),
    ):
        with pytest.raises(corefeval.CorefevalError, match="threads"):
            call()
