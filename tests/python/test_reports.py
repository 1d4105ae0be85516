"""compare on documents, agree, correlate and cone return the results of the command, on files and on objects."""

from __future__ import annotations

import html
import json
import pickle
import re

import corefeval
import pytest
from corefeval import read
from test_files import command

NAMES = ("alder", "birch", "cedar")


@pytest.fixture
def paths(examples):
    return {name: examples / f"{name}.conll" for name in ("key", *NAMES)}


@pytest.fixture
def documents(paths):
    return {name: read(path) for name, path in paths.items()}


def without_places(report):
    """Returns the text of a report without the names of files and the findings of reading."""
    data = report.to_dict() if not isinstance(report, dict) else report
    told = [warning for warning in data["warnings"] if warning["code"] != "format-assumed"]
    data = {**data, "warnings": [(warning["code"], warning["count"]) for warning in told], "key": ""}

    def bare(value):
        if isinstance(value, list):
            return [bare(item) for item in value]
        if isinstance(value, dict):
            return {name: bare(item) for name, item in value.items() if name not in ("key", "response", "annotated")}
        return value.removesuffix(".conll") if isinstance(value, str) else value

    return bare(data)


def whole(report, rows):
    """Asserts the properties of every report."""
    again = pickle.loads(pickle.dumps(report))
    assert again == report and hash(again) == hash(report) and again.to_rows() == report.to_rows()
    assert json.loads(report.render("json")) == report.to_dict()
    assert len(report.to_rows()) == rows
    columns = report.to_columns()
    assert all(len(column) == rows for column in columns.values()) and list(columns) == list(report.to_rows()[0])
    shown = html.unescape(re.sub("<[^>]*>", " ", report._repr_html_()))
    # A notebook shows every number that the command prints, in tables.
    text = report.render("table")
    assert not set(re.findall(r"[\d.]+", text)) - set(re.findall(r"[\d.]+", shown)) and report.signature in shown
    assert "<table>" in report._repr_html_() and report._repr_html_().startswith(report.render("html"))
    assert "<corefeval." in repr(report) and str(report) and report.signature.startswith("corefeval:")
    with pytest.raises(AttributeError):
        report.systems = ()


def test_compare_documents(paths, documents):
    key = documents.pop("key")
    report = corefeval.compare(key=key, responses=documents, resamples=200, match="head", quiet=True)
    files = corefeval.compare_files(
        key=paths["key"], responses={name: paths[name] for name in NAMES}, resamples=200, match="head", quiet=True
    )
    assert without_places(report) == without_places(files)
    whole(report, 3 * 8)
    with pytest.raises(corefeval.PairingError, match="lacks the document"):
        corefeval.compare(key=key, responses={"a": documents["alder"][:2]})
    shared = corefeval.compare(key=key, responses={"a": documents["alder"][:2]}, shared_documents=True, quiet=True)
    assert shared.document_count == 2


class TestAgree:
    """Tests of agree and agree_files."""

    def test_files(self, paths):
        report = corefeval.agree_files(annotators=list(paths.values()), by="document", resamples=100, quiet=True)
        arguments = ["-q", "-o", "json", "--by", "document", "--resamples", "100", *paths.values()]
        assert report.render("json") == command("agree", *arguments).stdout
        whole(report, 12 * 8)
        assert report.annotators[0] == "key" and report.document_count == 3 and len(report.documents) == 3
        assert set(report) == {"passonneau", "jaccard", "masi", "links"} and len(report) == 4
        assert report["masi"]["low"] <= report["masi"]["alpha"] <= report["masi"]["high"]
        with pytest.raises(KeyError, match="passonneau"):
            report["nothing"]

    def test_documents(self, paths, documents):
        report = corefeval.agree(annotators=documents, by="document", resamples=100, singletons="drop", quiet=True)
        files = corefeval.agree_files(annotators=paths, by="document", resamples=100, singletons="drop", quiet=True)
        assert without_places(report) == without_places(files)

    def test_lists_of_mentions(self, documents):
        """Spans, strings and labels give the same results as documents."""
        options = {"metrics": "muc,lea", "resamples": 100, "quiet": True}
        expected = corefeval.agree(annotators={"A": documents["key"], "B": documents["alder"]}, **options)
        spans = {
            who: {document.id: document.clusters for document in documents[name]}
            for who, name in (("A", "key"), ("B", "alder"))
        }
        for make in (lambda span: span, str, lambda span: (*span, "x")):
            made = {
                who: {name: [list(map(make, entity)) for entity in entities] for name, entities in side.items()}
                for who, side in spans.items()
            }
            found = corefeval.agree(annotators=made, **options)
            assert found.to_rows() == expected.to_rows() and found.alphas == expected.alphas
            assert "|format:lists|" in found.signature and "check-tokens" not in found.signature
        one = corefeval.agree(annotators={"A": corefeval.Labels([0, 0, 1]), "B": corefeval.Labels([1, 1, 1])}, quiet=True)
        assert one.document_count == 1 and one.to_rows()[0]["key"] == "A"

    def test_invalid_input(self, documents):
        key = documents["key"]
        for annotators in ([key, key], key, 5):
            with pytest.raises(corefeval.InputTypeError, match="not a dictionary"):
                corefeval.agree(annotators=annotators)
        with pytest.raises(corefeval.InputTypeError, match="not a mention"):
            corefeval.agree(annotators={"A": key, "B": {"x": [[1]]}})
        with pytest.raises(corefeval.PairingError, match="lacks"):
            corefeval.agree(annotators={"A": {"x": [[1]], "y": [[1]]}, "B": {"x": [[1]]}})
        with pytest.raises(corefeval.SettingsError, match="which lists of mentions do not have"):
            corefeval.agree(annotators={"A": {"x": [[1]]}, "B": {"x": [[1]]}}, match="head")
        with pytest.raises(corefeval.SettingsError, match="did you mean `singletons`"):
            corefeval.agree(annotators={"A": key, "B": key}, singleton="drop")
        with pytest.raises(corefeval.InputTypeError, match=r"A\[0\]\[0\] is a list, which is not hashable"):
            corefeval.agree(annotators={"A": [[[[0], 1]]], "B": []})
        with pytest.raises(corefeval.SettingsError, match="agreement needs two annotators or more"):
            corefeval.agree(annotators={"A": key})
        with pytest.raises(RuntimeError, match="mine"):
            corefeval.agree(annotators={"A": raising(), "B": []})
        with pytest.warns(corefeval.CorefevalWarning, match="no mention"):
            corefeval.agree(annotators={"A": {"x": [[1, 2], []]}, "B": {"x": [[1, 2]]}}, resamples=10)


def test_too_few_sides_are_errors_of_the_library(paths, documents):
    key, path, lists = documents["key"], paths["key"], {"x": [["a", "b"]]}
    metrics = {"x": "muc", "y": "lea"}
    for refused in (
        lambda: corefeval.compare(key=key, responses={}),
        lambda: corefeval.compare(key=lists, responses={}),
        lambda: corefeval.compare_files(key=path, responses=[]),
        lambda: corefeval.correlate(**metrics, key=lists, responses={}),
        lambda: corefeval.correlate_files(**metrics, key=path, responses=[]),
        lambda: corefeval.cone(key=key, responses={}),
        lambda: corefeval.cone_files(key=path, responses=[]),
        lambda: corefeval.errors_files(key=path, response=[]),
    ):
        with pytest.raises(corefeval.SettingsError, match="a key was given, but no response to score"):
            refused()
    for refused in (
        lambda: corefeval.agree(annotators={}),
        lambda: corefeval.agree_files(annotators=[]),
        lambda: corefeval.cone(responses={}),
        lambda: corefeval.cone_files(responses=[]),
        lambda: corefeval.compare_files(overlap=[]),
        lambda: corefeval.score_files(overlap=[]),
    ):
        with pytest.raises(corefeval.SettingsError, match="no input was given"):
            refused()
    with pytest.raises(corefeval.SettingsError, match="agreement needs two annotators or more"):
        corefeval.agree_files(annotators=[path])


class TestLeftOut:
    """An output warns about omissions, as in the command."""

    ASKED = {"metrics": "muc,pairwise", "by": "document", "quiet": True}
    MESSAGE = "does not show `pairwise`, which the reference scorer does not have"

    def test_files(self, paths, recwarn):
        report = corefeval.score_files(key=paths["key"], response=paths["alder"], **self.ASKED)
        for output in report.outputs:
            report.render(output, quiet=True)
        again = pickle.loads(pickle.dumps(report))
        report.render("table")
        assert not recwarn.list
        for each in (report, again):
            with pytest.warns(corefeval.CorefevalWarning) as issued:
                each.render("conll")
            (warning,) = issued
            assert str(warning.message).startswith(f'render("conll") {self.MESSAGE} (and 1 more) [not-shown]')
            assert warning.filename == __file__
        # These warnings concern the output, not the report.
        assert not report.warnings

    def test_lists(self):
        report = corefeval.score(key=[["a", "b"]], response=[["a", "b"]], **self.ASKED)
        with pytest.warns(corefeval.CorefevalWarning, match=self.MESSAGE):
            report.render("conll")

    def test_scorer(self):
        scorer = corefeval.Scorer(metrics="pairwise,muc")
        scorer.update(key=[["a", "b"]], response=[["a", "b"]])
        with pytest.warns(corefeval.CorefevalWarning, match=self.MESSAGE):
            scorer.report().render("conll")

    def test_strict(self):
        report = corefeval.score(key=[["a", "b"]], response=[["a", "b"]], strict=True, **self.ASKED)
        assert "table" in report.outputs and "conll" not in report.outputs
        with pytest.raises(corefeval.StrictError, match=self.MESSAGE):
            report.render("conll")

    def test_usual_metrics(self, paths, recwarn):
        corefeval.score_files(key=paths["key"], response=paths["alder"], quiet=True).render("conll")
        assert not recwarn.list

    def test_cone(self, paths):
        report = corefeval.cone_files(key=paths["key"], responses=paths["alder"], quiet=True)
        with pytest.warns(corefeval.CorefevalWarning, match="does not show `cone_b_cubed`"):
            report.render("conll")


def raising():
    yield [(0, 1)]
    raise RuntimeError("mine")


class TestCorrelate:
    """Tests of correlate and correlate_files."""

    def test_files_and_documents(self, paths, documents):
        responses = {name: paths[name] for name in NAMES}
        options = {"x": "muc", "y": "lea", "resamples": 100, "quiet": True}
        files = corefeval.correlate_files(key=paths["key"], responses=responses, **options)
        arguments = [f"{name}={path}" for name, path in responses.items()]
        expected = command("correlate", "-q", "-o", "json", "--x", "muc", "--y", "lea", "--resamples", "100", paths["key"], *arguments)
        assert files.render("json") == expected.stdout
        key = documents.pop("key")
        report = corefeval.correlate(key=key, responses=documents, **options)
        assert without_places(report) == without_places(files)
        whole(report, 3 * sum(len(row["parts"]) for over in report for row in report[over]))
        assert list(report) == ["documents", "pooled", "systems", "entities"] and len(report) == 4
        assert report.metrics == ("muc", "lea") and report.systems.names == NAMES and report.document_count == 3
        with pytest.raises(KeyError, match="pooled"):
            report["nothing"]

    def test_lists_of_mentions(self, documents):
        sides = {name: {document.id: document.clusters for document in side} for name, side in documents.items()}
        options = {"x": "muc", "y": "lea", "over": ["documents", "pooled"], "resamples": 100, "quiet": True}
        reports = [
            corefeval.correlate(key=found["key"], responses={name: found[name] for name in NAMES}, **options)
            for found in (sides, documents)
        ]
        assert reports[0].to_rows() == reports[1].to_rows()

    def test_invalid_input(self, documents):
        key = documents["key"]
        with pytest.raises(corefeval.SettingsError, match="would be correlated with itself"):
            corefeval.correlate(x="muc", y="muc", key=key, responses={"a": key})
        with pytest.raises(corefeval.SettingsError, match="did you mean `muc`"):
            corefeval.correlate(x="mucc", y="lea", key=key, responses={"a": key})
        with pytest.raises(corefeval.InputTypeError, match="not a dictionary"):
            corefeval.correlate(x="muc", y="lea", key=key, responses=key)
        with pytest.raises(corefeval.InputTypeError, match="have the same name"):
            corefeval.correlate(x="muc", y="lea", key={"d": [[1]]}, responses={"1": {"d": [[1]]}, 1: {"d": [[1]]}})


class TestCone:
    """Tests of cone and cone_files."""

    def test_with_a_key(self, paths, documents):
        files = corefeval.cone_files(key=paths["key"], responses=[paths["alder"], paths["birch"]], quiet=True)
        assert files.render("json") == command("cone", "-q", "-o", "json", paths["key"], paths["alder"], paths["birch"]).stdout
        report = corefeval.cone(
            key=documents["key"], responses={name: documents[name] for name in ("alder", "birch")}, quiet=True
        )
        assert without_places(report) == without_places(files)
        assert [system.name for system in report.systems] == ["alder", "birch"]

    def test_without_a_key(self, paths, documents, tmp_path):
        written = tmp_path / "key.conll"
        files = corefeval.cone_files(responses=paths["alder"], without="parts", write_key=written, quiet=True)
        assert isinstance(files, corefeval.Report) and read(written)[0].clusters
        report = corefeval.cone(responses={"alder": documents["alder"]}, without=["parts"], quiet=True)
        assert without_places(report) == without_places(files)

    def test_the_check(self, paths, documents):
        files = corefeval.cone_files(responses=[paths["alder"]], annotated=paths["key"], resamples=100, quiet=True)
        arguments = ["--key-approximate", "--annotated", paths["key"], "--resamples", "100", paths["alder"]]
        assert files.render("json") == command("cone", "-q", "-o", "json", *arguments).stdout
        annotated = documents["key"]
        report = corefeval.cone(responses={"alder": documents["alder"]}, annotated=annotated, resamples=100, quiet=True)
        assert isinstance(report, corefeval.ConeCheck) and without_places(report) == without_places(files)
        whole(report, 10)
        assert report.systems.names == tuple(report) == ("alder",) and len(report) == 1
        with pytest.raises(KeyError, match="alder"):
            report["nothing"]

    def test_comparisons_on_a_key_of_names(self, paths, documents):
        names = ("alder", "birch")
        names_key = paths["key"]
        options = {"compare": True, "resamples": 100, "quiet": True, "read_key": names_key}
        files = corefeval.cone_files(responses={name: paths[name] for name in names}, **options)
        given = ["--key-approximate", "--compare", "--resamples", "100", "--read-key", names_key, *(paths[name] for name in names)]
        assert files.render("json") == command("cone", "-q", "-o", "json", *given).stdout
        report = corefeval.cone(responses={name: documents[name] for name in names}, **options)
        assert isinstance(report, corefeval.Comparison) and without_places(report) == without_places(files)
        assert report["birch"]["cone_b_cubed"]["difference"]["p"] is not None

    def test_correlations(self, paths, documents):
        files = corefeval.cone_files(key=paths["key"], responses=paths["alder"], correlate=True, smallest=2, quiet=True)
        assert isinstance(files, corefeval.ConeCorrelation)
        expected = command("cone", "-q", "-o", "json", "--correlate", "--smallest", "2", paths["key"], paths["alder"])
        assert files.render("json") == expected.stdout
        report = corefeval.cone(
            key=documents["key"], responses={"alder": documents["alder"]}, correlate=True, smallest=2, quiet=True
        )
        assert without_places(report) == without_places(files)
        whole(report, sum(len(row["parts"]) for names in report for row in report[names]))
        assert list(report) == ["named", "approximated", "complement"] and report.document_count == 3
        assert report.systems["alder"]["named_entities"] >= report.systems["alder"]["missed"]
        assert report.signature.endswith("|smallest:2") and report.figures
        with pytest.raises(KeyError, match="named"):
            report["nothing"]
        of_parts = {"correlate": True, "unit": "part", "confidence": 0.9, "quiet": True}
        report = corefeval.cone_files(key=paths["key"], responses=paths["alder"], **of_parts)
        assert report.signature.endswith("|unit:part|confidence:0.9")

    @pytest.mark.parametrize(
        ("with_key", "options", "message"),
        [
            (True, {"compare": True}, "compare has no effect on scores against a key"),
            (True, {"compare": True, "correlate": True}, "compare has no effect on the correlations of CONE"),
            (False, {"correlate": True}, "there is no key"),
            (True, {"correlate": True, "metrics": "muc"}, "metrics has no effect"),
            (True, {"correlate": True, "by": "document"}, "by has no effect"),
            (True, {"correlate": True, "resamples": 9}, "resamples has no effect on the correlations"),
            (True, {"unit": "part"}, "unit has no effect on scores without intervals"),
            (False, {"confidence": 0.9}, "confidence has no effect on scores without intervals"),
            (True, {"smallest": 2}, "correlate=True"),
            (False, {"write_format": "jsonlines"}, "write_format has no effect on a key that is not written"),
            (False, {"write_key": "k", "read_key": "k"}, "write_key has no effect on a key that is read"),
            (True, {"write_key": "k"}, "write_key has no effect on scores against a key"),
            (True, {"correlate": True, "smallest": 0}, "`0` is not a valid value for `smallest`"),
        ],
    )
    def test_conflicting_options(self, documents, with_key, options, message):
        key = documents["key"] if with_key else None
        with pytest.raises(corefeval.SettingsError) as caught:
            corefeval.cone(key=key, responses=documents["alder"], **options)
        assert message in str(caught.value)
        with pytest.raises(corefeval.InputTypeError, match="compare is 1"):
            corefeval.cone(responses=documents["alder"], compare=1)

    def test_invalid_input(self, documents):
        key, alder = documents["key"], documents["alder"]
        with pytest.raises(corefeval.SettingsError, match="annotated has no effect on scores against a key"):
            corefeval.cone(key=key, responses=alder, annotated=key)
        with pytest.raises(corefeval.InputTypeError, match="found by their words"):
            corefeval.cone(key=[[1]], responses=[[1]])
        with pytest.raises(corefeval.SettingsError):
            corefeval.cone(responses=alder, heuristics="nothing")
        with pytest.raises(corefeval.SettingsError, match="heuristics"):
            corefeval.cone(key=key, responses=alder, heuristics="exact")


def test_panics_become_exceptions():
    """Applies to every build of the extension: a build that aborts on panics would end the tests here."""
    from corefeval._corefeval import unwinds

    assert unwinds()
