"""score: entities, labels, documents; the report as a value."""

from __future__ import annotations

import copy
import pickle
import threading
import time

import corefeval
import pytest
from conftest import optional
from corefeval import Labels, score

# The example of the LEA paper: key {a b c} {d e f g}, response {a b} {c d} {f g h i}.
KEY = [["a", "b", "c"], ["d", "e", "f", "g"]]
RESPONSE = [["a", "b"], ["c", "d"], ["f", "g", "h", "i"]]


def scores_of(report):
    return {name: tuple(report[name]) for name in report}


def test_the_example_of_the_lea_paper():
    report = score(key=KEY, response=RESPONSE, metrics=["lea", "muc"])
    lea = report["lea"]
    assert lea.recall == pytest.approx(5 / 21)
    assert lea.precision == pytest.approx(1 / 3)
    assert list(report) == ["lea", "muc"] == list(report.metrics)
    assert report["muc"].details["recall_num"] == 2
    assert report["muc"].details["recall_den"] == 5


@pytest.mark.parametrize(
    "rename",
    [
        lambda m: m,
        lambda m: ord(m),
        lambda m: (ord(m), ord(m) + 3),
        lambda m: ("-", ord(m)),
        lambda m: (10**30, ord(m)),
        lambda m: (ord(m), ord(m) - 0.5),
        lambda m: (0, ord(m), ord(m)),
        lambda m: (ord(m) + 0.0, ord(m)),
        lambda m: frozenset({m, "x"}),
        lambda m: ("doc", (ord(m), ord(m))),
    ],
)
def test_mentions_are_any_hashable_objects(rename):
    rename_all = lambda entities: [[rename(mention) for mention in entity] for entity in entities]  # noqa: E731
    expected = score(key=KEY, response=RESPONSE)
    assert scores_of(score(key=rename_all(KEY), response=rename_all(RESPONSE))) == scores_of(expected)


def test_entities_are_any_iterables():
    expected = score(key=KEY, response=RESPONSE)
    shapes = [tuple, set, frozenset, iter, lambda entity: (mention for mention in entity), dict.fromkeys]
    for shape in shapes[:-1]:
        for outer in (list, tuple, iter):
            report = score(key=outer([shape(e) for e in KEY]), response=outer([shape(e) for e in RESPONSE]))
            assert scores_of(report) == scores_of(expected), shape


def test_equality_follows_python():
    report = score(key=[[1, 2, (1, 2)]], response=[[1.0, True + 1, (1.0, 2)]], metrics="mentions")
    assert report["mentions"].f1 == 1.0
    report = score(key=[[(1, 2), (3, 4)]], response=[[(True, 2.0), (3, 4)]], metrics="mentions")
    assert report["mentions"].f1 == 1.0
    # A number and its string are two mentions, which is probably a mistake.
    with pytest.warns(corefeval.CorefevalWarning, match="no mention in common"):
        report = score(key=[["1"]], response=[[1]], metrics="mentions")
    assert report["mentions"].f1 == 0.0


def test_key_and_response_cannot_be_swapped():
    with pytest.raises(TypeError):
        score(KEY, RESPONSE)


def test_documents_by_name_add_up():
    key = {"one": KEY, 2: [["a", "b"]]}
    report = score(key=key, response={"one": RESPONSE, 2: [["a", "b"]]}, metrics="muc", by="document")
    assert report["muc"].details["recall_den"] == 6
    assert [document.id for document in report.documents] == ["one", "2"]
    assert report.documents[1]["muc"].f1 == 1.0


def test_missing_and_extra_documents_are_warnings():
    key, response = {"one": KEY, "two": KEY}, {"one": RESPONSE, "tow": RESPONSE}
    with pytest.warns(corefeval.CorefevalWarning) as caught:
        report = score(key=key, response=response, metrics="muc")
    assert {finding.code for finding in report.warnings} == {"missing-document", "extra-document"}
    assert "`two`" in str(caught[0].message)
    assert report["muc"].details["recall_den"] == 10
    with pytest.raises(corefeval.StrictError):
        score(key=key, response=response, strict=True)
    # Equal mentions are only known within a document.
    for function, names in ((score, {}), (corefeval.compare, {"responses": {"alder": {"two": RESPONSE}}})):
        sides = {"key": {"one": KEY}, **(names or {"response": {"two": RESPONSE}})}
        with pytest.raises(corefeval.PairingError):
            function(**sides)
        with pytest.raises(corefeval.SettingsError, match="`pair-documents:order` requires mentions that are the same"):
            function(**sides, pair_documents="order")


def test_odd_input_is_a_warning():
    with pytest.warns(corefeval.CorefevalWarning, match="again in entity"):
        score(key=[["a", "b"], ["b", "c"]], response=[["a", "b"]], metrics="muc")
    with pytest.warns(corefeval.CorefevalWarning, match="no mention"):
        report = score(key=[["a", "b"], []], response=[["a", "b"]], metrics="muc")
    (place,) = report.warnings[0].places
    assert (place["file"], place["line"]) == ("key", 2)
    report = score(key=[["a", "b"], []], response=[["a", "b"]], metrics="muc", quiet=True)
    assert report.warnings


def test_profiles_and_choices():
    key, response = [["a", "b"], ["c"]], [["a", "b"], ["d"]]
    assert score(key=key, response=response, metrics="ceaf_e", singletons="drop")["ceaf_e"].f1 == 1.0
    e2e = score(key=key, response=response, profile="e2e")
    assert list(e2e) == ["muc", "b_cubed", "ceaf_e", "conll"]
    assert e2e["ceaf_e"].precision == 1.0 and e2e["ceaf_e"].recall == 0.5
    assert "|profile:e2e|format:lists" in e2e.signature
    assert score(key=key, response=response, profile="corefud", match="exact", metrics="muc")["muc"].f1 == 1.0


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"metrics": "mucc"}, "did you mean `muc`?"),
        ({"metrics": ["mention_overlap"]}, "score_files"),
        ({"metrics": "ace_value"}, "score_files"),
        ({"profile": "conl"}, "did you mean `conll`?"),
        ({"profile": "corefud"}, "score_files"),
        ({"match": "head"}, 'match="exact"'),
        ({"scope": "corpus"}, 'scope="document"'),
        ({"singletons": "dropp"}, "did you mean `drop`?"),
        ({"by": "genr"}, "did you mean `genre`?"),
        ({"by": "length"}, "score_files"),
        ({"singleton": "drop"}, "did you mean `singletons`?"),
        ({"span_end": "last"}, "inclusive, exclusive"),
    ],
)
def test_invalid_settings(options, hint):
    with pytest.raises(corefeval.SettingsError) as caught:
        score(key=KEY, response=RESPONSE, **options)
    assert hint in caught.value.hint
    assert caught.value.code == "settings"
    assert isinstance(caught.value, corefeval.CorefevalError) and isinstance(caught.value, ValueError)


class TestLabels:
    """Labels of mentions."""

    KEY = [0, 0, 0, 1, 1, 1, 1]
    RESPONSE = [5, 5, 9, 9, 0, 0, 0]
    EXPECTED = scores_of(score(key=[[0, 1, 2], [3, 4, 5, 6]], response=[[0, 1], [2, 3], [4, 5, 6]]))

    def same(self, make):
        report = score(key=make(self.KEY), response=make(self.RESPONSE))
        assert scores_of(report) == self.EXPECTED

    def test_lists(self):
        self.same(Labels)
        self.same(lambda labels: Labels([str(label) for label in labels]))
        self.same(lambda labels: Labels(labels, "abcdefg"))

    def test_buffers(self):
        import array

        for code in "bBhHiIlLqQ":
            self.same(lambda labels: array.array(code, labels))
            self.same(lambda labels: memoryview(array.array(code, labels)))
        self.same(lambda labels: memoryview(array.array("q", [x for label in labels for x in (label, 7)]))[::2])

    def test_numpy(self):
        numpy = optional("numpy")
        for kind in ("i1", "u1", "i2", "u4", "i8", "u8", ">i4", "f8", "U3", "object"):
            self.same(lambda labels: numpy.array(labels).astype(kind))
        self.same(lambda labels: numpy.repeat(numpy.array(labels), 2)[::2])
        assert score(key=numpy.array([True, False]), response=numpy.array([1, 2]), metrics="rand")

    def test_pandas(self):
        pandas = optional("pandas")
        for kind in ("int64", "Int64", "string", "category"):
            self.same(lambda labels: pandas.Series(labels, dtype="int64").astype(kind))

    def test_polars(self):
        polars = optional("polars")
        self.same(polars.Series)
        self.same(lambda labels: polars.Series([str(label) for label in labels]))
        self.same(lambda labels: polars.Series([str(label) for label in labels]).cast(polars.Categorical))

    def test_arrow(self):
        pyarrow = optional("pyarrow")
        self.same(pyarrow.array)
        self.same(lambda labels: pyarrow.chunked_array([labels[:3], labels[3:]]))
        self.same(lambda labels: pyarrow.array([str(label) for label in labels]))
        self.same(lambda labels: pyarrow.array(labels).dictionary_encode())

    def test_separate_mentions(self):
        key, response = Labels([0, 0, 1], ["a", "b", "c"]), Labels([4, 4], ["b", "c"])
        expected = score(key=[["a", "b"], ["c"]], response=[["b", "c"]], quiet=True)
        assert scores_of(score(key=key, response=response, quiet=True)) == scores_of(expected)
        assert scores_of(score(key=[["a", "b"], ["c"]], response=response, quiet=True)) == scores_of(expected)

    def test_documents_of_labels(self):
        numpy = optional("numpy")
        key = {"one": numpy.array(self.KEY), "two": Labels([0])}
        report = score(key=key, response={"one": numpy.array(self.RESPONSE)}, metrics="mentions", quiet=True)
        assert report["mentions"].details["recall_den"] == 8


class TestReport:
    """The report as a value."""

    report = score(key={"one": KEY, "two": KEY}, response={"one": RESPONSE, "two": KEY}, by="document")

    def test_as_data(self):
        data = self.report.to_dict()
        assert data["systems"][0]["metrics"]["lea"]["f1"] == self.report["lea"].f1
        data["systems"].clear()
        assert self.report.to_dict()["systems"]
        rows = self.report.to_rows()
        assert len(rows) == 3 * len(self.report)
        muc = next(row for row in rows if row["metric"] == "muc" and row["document"] == "two")
        assert (muc["f1"], muc["recall_num"], muc["recall_den"], muc["value"]) == (1.0, 5, 5, None)
        columns = self.report.to_columns()
        assert {len(column) for column in columns.values()} == {len(rows)}

    def test_into_frames(self):
        pandas, polars = optional("pandas"), optional("polars")
        pyarrow = optional("pyarrow")
        columns, rows = self.report.to_columns(), self.report.to_rows()
        frame = pandas.DataFrame(columns)
        assert frame.equals(pandas.DataFrame(rows))
        assert polars.DataFrame(columns).equals(polars.from_dicts(rows, infer_schema_length=None))
        assert pyarrow.table(columns).num_rows == len(rows)

    def test_as_text(self):
        assert "LEA" in str(self.report) and "corefeval:" in str(self.report)
        assert self.report.render("json") == self.report.render("json")
        assert "\\begin{tabular}" in self.report.render("latex")
        with pytest.raises(corefeval.SettingsError, match="unknown output"):
            self.report.render("tabel")
        html = score(key=[["<b>"]], response=[["<b>"]], name="<i>", quiet=True)._repr_html_()
        assert "<table>" in html and "<i>" not in html
        several = score(key=[["|", "a"]], response=[["|", "a"]], name="a|b", by="document", quiet=True)
        assert ">LEA</th>" in several._repr_html_() and several._repr_html_().count("<table>") == 2
        undefined = score(key=[["a"]], response=[["a"]], metrics="muc", quiet=True)._repr_html_()
        assert undefined.count(">–</td>") == 3
        assert "LEA" in self.report._repr_html_() and "lea=" in repr(self.report)

    def test_immutability(self):
        with pytest.raises(AttributeError):
            self.report.signature = "x"
        with pytest.raises(AttributeError):
            self.report._data = {}
        with pytest.raises(AttributeError):
            self.report["muc"].f1 = 1.0
        with pytest.raises(TypeError):
            self.report["muc"].details["f1"] = 1.0
        with pytest.raises(AttributeError):
            self.report.systems[0]._scores = {}
        with pytest.raises(KeyError, match="the metrics are"):
            self.report["nothing"]

    def test_pickles_and_copies(self):
        for other in (pickle.loads(pickle.dumps(self.report)), copy.deepcopy(self.report)):
            assert other == self.report and hash(other) == hash(self.report)
            assert str(other) == str(self.report)
            assert other["lea"] == self.report["lea"]
            assert other.outputs == self.report.outputs
            with pytest.raises(corefeval.SettingsError):
                other.render("tabel")
            assert pickle.loads(pickle.dumps(other)) == other
        assert pickle.loads(pickle.dumps(self.report["blanc"])) == self.report["blanc"]
        system = pickle.loads(pickle.dumps(self.report.systems[0]))
        assert system == self.report.systems[0] and system.documents == self.report.documents
        assert system.documents[1].id == "two" and copy.copy(self.report.findings) == self.report.findings
        assert self.report != score(key=KEY, response=KEY)

    def test_metrics_with_parameters_and_means(self):
        report = score(key=KEY, response=RESPONSE, metrics="b_cubed:weight=entity,conll")
        assert report["b_cubed:weight=entity"].recall is not None
        assert report["conll"].recall is None and tuple(report["conll"])[2] == report["conll"].f1


def test_scoring_releases_the_interpreter():
    entities = [[(entity, entity + mention) for mention in range(4)] for entity in range(60_000)]
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    documents = corefeval._corefeval.Documents()
    documents.add(None, entities, [entity[::-1] for entity in entities])
    thread = threading.Thread(target=tick)
    thread.start()
    most = 0
    try:
        # On a busy machine the other thread may get no time during one call, but a blocked interpreter never gives it any.
        for _ in range(50):
            start = time.perf_counter()
            documents.score({"threads": ["1"]}, name="")
            end = time.perf_counter()
            most = max(most, sum(start < moment < end for moment in ticks[-1000:]))
            if most > 3:
                break
    finally:
        done.set()
        thread.join()
    assert most > 3, f"{most} ticks in {end - start:.3f} s"


def test_threads_do_not_matter():
    key = {str(number): [[(number, number + m) for m in range(number % 7 + 2)]] for number in range(900)}
    response = {name: [entity[: len(entity) // 2 + 1] for entity in document] for name, document in key.items()}
    reports = [score(key=key, response=response, threads=threads, by="document") for threads in (1, 2, 5)]
    assert reports[0] == reports[1] == reports[2]


def test_the_version_equals_the_distribution():
    import importlib.metadata

    assert corefeval.__version__ == importlib.metadata.version("corefeval")


def test_groups_that_lists_lack():
    for by in ("genre", "topic", "length", "entity-type", "part-of-speech", "distance"):
        with pytest.raises(corefeval.SettingsError, match=f"do not have the {by}") as caught:
            score(key=KEY, response=RESPONSE, by=by)
        assert "give documents" in caught.value.hint
    with pytest.raises(corefeval.SettingsError, match="`by:mention-length` depends on the words of mentions") as caught:
        score(key=[["a", "b"]], response=[["a", "b"]], by="mention-length")
    assert "spans as pairs" in caught.value.hint
    report = score(key=[[(0, 1), (4, 4)]], response=[[(0, 1), (4, 4)]], by="mention-length", quiet=True)
    assert [group.id for group in report.groups] == ["1 word", "2 words"]


def test_metrics_are_found_by_any_of_their_names():
    report = corefeval.score(key=[["a", "b"]], response=[["a", "b"]], metrics=["b3", "ceafe"])
    assert report["b3"] == report["B³"] == report["BCUB"] == report["b_cubed"]
    assert "ceaf_4" in report and report.get("phi4") == report["ceaf_e"]
    assert list(report) == ["b_cubed", "ceaf_e"]
    # The first name is ambiguous; the second is not a string.
    assert "ceaf" not in report and 0 not in report
    with pytest.raises(KeyError, match="'lea' was not computed; the metrics are b_cubed, ceaf_e"):
        report["lea"]
