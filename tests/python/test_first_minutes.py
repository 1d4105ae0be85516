"""First steps of new users: spans in every form, documents mixed with entities, lookups by name, and a bare environment."""

import functools
import importlib
import importlib.util
import inspect
import io
import os
import pathlib
import pickle
import pydoc
import re
import subprocess
import sys
import types
import typing

import corefeval
import pytest
from conftest import optional
from corefeval import Document, Labels, Mention

numpy = optional("numpy")

#: The modules of the package without further requirements.
MODULES = (
    "allennlp analysis clustering comparing coval documents e2e exceptions explaining labels mentions objects report scoring "
    "spacy validating"
).split()

KEY = [[(0, 1), (4, 4), (7, 9)], [(2, 2), (5, 6)]]
RESPONSE = [[(0, 1), (4, 4)], [(2, 2), (5, 6), (7, 9)]]
FORMS = {
    "lists": [[list(span) for span in entity] for entity in RESPONSE],
    "tuples of lists": tuple(tuple(list(span) for span in entity) for entity in RESPONSE),
    "arrays": [numpy.array(entity) for entity in RESPONSE],
    "rows": [[numpy.array(span) for span in entity] for entity in RESPONSE],
    "numpy integers": [[tuple(numpy.array(span)) for span in entity] for entity in RESPONSE],
    "mentions": [[Mention(*span) for span in entity] for entity in RESPONSE],
    "a mixture": [[[0, 1], Mention(4, 4)], [(numpy.int64(2), 2), numpy.array([5, 6]), (7, 9)]],
}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch, examples):
    monkeypatch.chdir(examples.parent)


@pytest.mark.parametrize("form", FORMS)
def test_spans_are_spans(form):
    spans = FORMS[form]
    expected = corefeval.score(key=KEY, response=RESPONSE)
    assert corefeval.score(key=KEY, response=spans) == expected
    assert corefeval.score(key=spans, response=spans)["lea"].f1 == 1
    # Spans are positions of words, which rules can use.
    options = {"match": "craft", "metrics": "muc"}
    assert corefeval.score(key=KEY, response=spans, **options) == corefeval.score(key=KEY, response=RESPONSE, **options)
    scorer = corefeval.Scorer()
    scorer.update(key=KEY, response=spans)
    assert scorer.report()["conll"] == expected["conll"]
    several = {str(number): KEY for number in range(3)}
    compared = corefeval.compare(
        key=several, responses={"a": dict.fromkeys(several, spans)}, metrics="muc", resamples=9, quiet=True
    )
    assert compared["a"]["muc"]["f1"] == expected["muc"].f1
    document = Document(id="a", entities=spans)
    assert document.clusters == RESPONSE


def test_ends_one_past_the_last_word():
    past = [[(first, last + 1) for first, last in entity] for entity in RESPONSE]
    options = {"span_end": "exclusive", "metrics": "muc"}
    mentions = FORMS["mentions"]
    assert corefeval.score(key=past, response=mentions, **options)["muc"].f1 == 1


def test_mentions_with_gaps_match_by_all_their_words():
    gap = Mention(0, 5, parts=((0, 1), (4, 5)))
    other = Mention(0, 5, parts=((0, 2), (4, 5)))
    assert corefeval.score(key=[[gap, (7, 7)]], response=[[gap, (7, 7)]], metrics="muc", quiet=True)["muc"].f1 == 1
    assert corefeval.score(key=[[gap, (7, 7)]], response=[[other, (7, 7)]], metrics="muc", quiet=True)["muc"].f1 == 0


@pytest.mark.parametrize(
    ("side", "options", "message"),
    [
        ([[(4, 4)], [(0, 1), (3, 2)]], {}, r"response\[1\]\[1\] is \(3, 2\), which ends before it starts"),
        ([[(0, 1), (-1, 2)]], {}, r"response\[0\]\[1\] is \(-1, 2\), which has a negative number"),
        ([[(0, 1), [3, 2]]], {}, r"response\[0\]\[1\] is \(3, 2\), which ends before it starts"),
        ([[(0, 1), (2, 2)]], {"span_end": "exclusive"}, r"response\[0\]\[1\] is \(2, 2\), which has no word"),
    ],
)
def test_invalid_spans_are_errors_everywhere(side, options, message):
    key = [[(0, 1), (4, 5)]]
    with pytest.raises(corefeval.InputValueError, match=message):
        corefeval.score(key=key, response=side, **options)
    with pytest.raises(corefeval.InputValueError, match=message):
        corefeval.Scorer(**options).update(key=key, response=side)
    with pytest.raises(corefeval.InputValueError, match=r"which (ends|has)"):
        corefeval.compare(key={"a": key}, responses={"b": {"a": side}}, quiet=True, **options)
    with pytest.raises(corefeval.CorefevalError):
        Document(id="a", entities=side, **options)


@pytest.mark.parametrize("side", ["abc", b"abc", ["abc"], 5, [5]])
def test_text_and_numbers_are_not_entities(side):
    for sides in ({"key": side, "response": KEY}, {"key": KEY, "response": side}):
        with pytest.raises(corefeval.InputTypeError, match="is an? "):
            corefeval.score(**sides)


def test_entities_with_documents():
    key = [Document(id="a", tokens=["w"] * 12, entities=KEY), Document(id="b", part=1, tokens=["w"] * 12, entities=KEY)]
    responses = [document.with_entities(RESPONSE) for document in key]
    expected = corefeval.score(key=key, response=responses)
    by_id = {document.id: RESPONSE for document in key}
    assert list(by_id) == ["a", "b; part 001"]
    assert corefeval.score(key=key, response=by_id) == expected
    assert corefeval.score(key=by_id, response=responses)["muc"].recall == 1
    assert corefeval.score(key=key[0], response=RESPONSE) == corefeval.score(key=key[0], response=responses[0])
    scorer = corefeval.Scorer()
    scorer.update(key=key, response=by_id)
    assert scorer.report() == expected
    named = Labels([0, 0, 1, 1, 1], mentions=[span for entity in RESPONSE for span in entity])
    assert corefeval.score(key=key[0], response=named)["muc"] == corefeval.score(key=key[0], response=RESPONSE)["muc"]
    with pytest.raises(corefeval.InputTypeError, match="key is 2 documents, and response does not name"):
        corefeval.score(key=key, response=RESPONSE)
    with pytest.warns(corefeval.CorefevalWarning, match="`c`|no document|one document|lacks"):
        corefeval.score(key=key, response={**by_id, "c": RESPONSE})


def test_an_id_names_its_part():
    document = corefeval.read("examples/key.conll")[0]
    again = Document(id=document.id, tokens=document.sentences, entities=document.entities)
    assert (again.id, again.name, again.part) == (document.id, document.name, document.part)
    assert corefeval.score(key=document, response=again, quiet=True)["conll"].f1 == 1
    assert Document(id="a; part 1").name == "a; part 1"


def test_several_responses_at_once():
    report = corefeval.score(key=KEY, responses={"alder": RESPONSE, "birch": KEY}, metrics="muc,lea")
    assert report["alder"]["muc"] == corefeval.score(key=KEY, response=RESPONSE, metrics="muc")["muc"]
    assert dict(report) == {name: report.systems[name] for name in ("alder", "birch")}
    assert list(report) == ["alder", "birch"] and len(report) == 2 and "alder" in report and "muc" not in report
    with pytest.raises(KeyError, match="report\\[system\\]"):
        report["muc"]
    flat = report.to_dict(flat=True)
    assert flat["birch/muc_f1"] == 1 and set(flat) == {
        f"{system}/{metric}_{part}"
        for system in report
        for metric in ("muc", "lea")
        for part in ("recall", "precision", "f1")
    }
    with pytest.raises(corefeval.InputTypeError, match="cannot be given together"):
        corefeval.score(key=KEY, response=KEY, responses={"a": KEY})
    assert report.render(columns="rpf").split("\n")[1].split() == ["System", "R", "P", "F1", "R", "P", "F1"]
    assert report.render("csv") == report.render("csv", columns="f")
    assert "73.33" not in report.render(digits=1)
    with pytest.raises(corefeval.SettingsError, match="columns"):
        corefeval.score(key=KEY, response=RESPONSE, columns="rpf")
    files = corefeval.score_files(key="examples/key.conll", response=["examples/alder.conll", "examples/birch.conll"], quiet=True)
    assert all(files[name] is not None for name in files) and files.systems[0] is files.systems[files.systems.names[0]]


def test_a_single_response_by_name():
    """A loop over a dictionary of systems works for one system as for several."""
    examples = {name: f"examples/{name}.conll" for name in ("key", "alder")}
    documents = {name: corefeval.read(path) for name, path in examples.items()}
    reports = [
        corefeval.score(key=KEY, responses={"alder": RESPONSE}, by="document", metrics="muc,lea"),
        corefeval.score(key=documents["key"], responses={"alder": documents["alder"]}, by="document", metrics="muc,lea"),
        corefeval.score_files(key=examples["key"], responses={"alder": examples["alder"]}, by="document", metrics="muc,lea"),
        corefeval.score_files(key=examples["key"], response={"alder": examples["alder"]}, by="document", metrics="muc,lea"),
        corefeval.score_files(pairs={"alder": (examples["key"], examples["alder"])}, by="document", metrics="muc,lea"),
        corefeval.cone(key=documents["key"], responses={"alder": documents["alder"]}, quiet=True),
        corefeval.cone_files(key=examples["key"], responses={"alder": examples["alder"]}, quiet=True),
    ]
    for report in (*reports, pickle.loads(pickle.dumps(reports[0]))):
        assert list(report) == ["alder"] and len(report) == 1 and "muc" not in report
        assert report["alder"] is report.systems["alder"] is report.systems[0] and list(report["alder"]) == [*report.metrics]
        assert all(name.startswith("alder/") for name in report.to_dict(flat=True))
        with pytest.raises(KeyError, match="report\\[system\\]"):
            report[report.metrics[0]]
    assert len(reports[0].documents) == reports[0].document_count == 1
    # Without a dictionary the report is a mapping by metric.
    single = corefeval.score(key=KEY, response=RESPONSE, name="alder", by="document", metrics="muc,lea")
    assert list(single) == ["muc", "lea"] and set(single.to_dict(flat=True)) >= {"muc_f1"}
    assert single != pickle.loads(pickle.dumps(reports[0])) == reports[0]
    assert corefeval.score_files(key=examples["key"], response=[examples["alder"]], quiet=True)["muc"].f1
    assert corefeval.cone(key=documents["key"], responses=documents["alder"], quiet=True)["cone_b_cubed"].f1 == 1


def test_signatures_do_not_depend_on_the_number_of_responses():
    """The signature does not depend on the number of responses or their names; without words, nothing is compared."""
    documents = {str(number): KEY for number in range(3)}
    for key, profile in ((KEY, "conll"), (documents, "conll"), (KEY, "e2e")):
        reports = [
            corefeval.score(key=key, profile=profile, quiet=True, **sides)
            for sides in ({"response": key}, {"responses": {"a": key}}, {"responses": {"a": key, "b": key}})
        ]
        assert {report.signature for report in reports} == {f"corefeval:{corefeval.__version__}|profile:{profile}|format:lists"}
        assert len({tuple(finding.code for finding in report.findings) for report in reports}) == 1


def test_rows_are_found_by_name():
    report = corefeval.score(key={"a": KEY, "b": KEY}, response={"a": KEY, "b": RESPONSE}, by="document")
    assert report.documents["b"] is report.documents[1] and report.documents.names == ("a", "b")
    assert report.documents.get("c") is None and report.systems["response"] is report.systems[0]
    with pytest.raises(KeyError, match="there are a, b"):
        report.documents["c"]
    groups = corefeval.score(key=KEY, response=RESPONSE, by="entity-size").groups
    assert groups[groups.names[0]] is groups[0]
    flat = corefeval.score(key=KEY, response=[], quiet=True).to_dict(flat=True)
    assert "conll_f1" not in flat or flat["conll_f1"] == 0


def test_documents_are_found_without_their_part():
    sides = {side: corefeval.read(f"examples/{side}.conll") for side in ("key", "alder")}
    documents = corefeval.score(key=sides["key"], response=sides["alder"], by="document").documents
    assert documents["news/ferry_line"] is documents["news/ferry_line; part 000"]
    assert documents.get("news/ferry") is None and documents.get("") is None
    assert corefeval.score(key={"a": KEY}, response={"a": KEY}, by="document").documents.get("") is None
    parts = [Document(id=f"a; part 00{part}", entities=KEY) for part in (0, 1)]
    documents = corefeval.score(key=parts, response=parts, by="document").documents
    assert documents.get("a") is None and documents["a; part 001"] is documents[1]


def test_messages_name_what_was_given():
    report = corefeval.score(key=KEY, response=RESPONSE)
    with pytest.raises(KeyError, match='request them with by="document"'):
        report.documents["x"]
    with pytest.raises(IndexError, match='request them with by="document"'):
        report.documents[0]
    with pytest.raises(KeyError, match="the report has no groups"):
        report.groups["x"]
    assert report.documents[:1] == () and not report.documents
    compared = corefeval.compare(key={"x": KEY, "y": KEY}, responses={"a": {"x": KEY, "y": KEY}, "b": {"x": KEY, "y": RESPONSE}}, quiet=True)
    with pytest.raises(KeyError, match='request them with by="document"'):
        compared.documents["x"]
    with pytest.raises(KeyError, match="the only response; its scores are report\\[metric\\]"):
        corefeval.score(key=KEY, response=RESPONSE, name="alder")["alder"]
    documents = corefeval.read("examples/key.conll")
    for sides in ({"key": documents}, {"key": {"a": KEY}}):
        with pytest.raises(corefeval.InputTypeError, match="'a'\\] is documents, but a dictionary maps") as caught:
            corefeval.score(**sides, response={"a": documents})
        assert "responses={name: documents}" in str(caught.value.hint)


def test_places_are_whole_numbers():
    for entity in ([[3.5, 3], (4, 4)], [[3.0, 3.0]], numpy.array([[3.5, 3], [4, 4]])):
        with pytest.raises(corefeval.InputTypeError, match=r"key\[0\]\[0\] is \[3.*\], and places are whole numbers"):
            corefeval.score(key=[entity], response=[[(0, 1)]])
    with pytest.raises(corefeval.InputTypeError, match="not hashable"):
        corefeval.score(key=[[{1, 2}, (4, 4)]], response=[[(0, 1)]])


def test_texts_and_open_files():
    path = pathlib.Path("examples/key.conll")
    expected = corefeval.read(path)
    texts = [corefeval.reads(path.read_text()), corefeval.reads(path.read_bytes(), "conll")]
    with open(path) as text, open(path, "rb") as content:
        texts += [corefeval.read(text), corefeval.read([content])]
    texts.append(corefeval.read(io.StringIO(path.read_text())))
    for documents in texts:
        assert [document.clusters for document in documents] == [document.clusters for document in expected]
    assert texts[2][0].source == str(path)
    with pytest.raises(corefeval.FormatError) as error:
        corefeval.reads("#begin document (a); part 000\na\t0\t0\tw\t(0\nmore\n", "conll", name="mine", strict=True)
    assert error.value.file == "mine"
    with pytest.raises(corefeval.InputTypeError):
        corefeval.reads(path)


def test_lists_of_names():
    assert "conll" in corefeval.list_profiles() and "corefud" in corefeval.list_formats()
    options = corefeval.list_options()
    assert options["singletons"] == ["keep", "drop"] and options["match"][0] == "exact"


def test_defaults_are_visible():
    shown = inspect.signature(corefeval.compare).parameters
    defaults = {name: shown[name].default for name in ("resamples", "seed", "test", "correction", "confidence", "strict")}
    assert defaults == {
        "resamples": 10000,
        "seed": 2016,
        "test": "randomization",
        "correction": "holm",
        "confidence": 0.95,
        "strict": False,
    }
    text = " ".join(corefeval.score.__doc__.split())
    assert "the default is the profile's, ``keep`` in ``conll``" in text
    metrics = ",".join(corefeval.score(key=KEY, response=RESPONSE).metrics)
    help_of_score = pydoc.render_doc(corefeval.score)
    for shown in (f"metrics=<by profile: {metrics}>", "singletons=<by profile: keep>", "check_tokens=<by profile: warn>"):
        assert shown in help_of_score, shown
    # Shown defaults may be given, and change nothing.
    given = {name: each.default for name, each in inspect.signature(corefeval.score).parameters.items() if each.default is not each.empty}
    assert corefeval.score(**{**given, "key": KEY, "response": RESPONSE}) == corefeval.score(key=KEY, response=RESPONSE)
    # The documentation of every keyword of every function has a default.
    for name in ("score", "score_files", "compare_files", "agree_files", "correlate_files", "cone_files", "errors", "explain"):
        function = getattr(corefeval, name)
        kinds = typing.get_type_hints(function, include_extras=True)
        about = re.split(r"^        (?=\w+(?:, \w+)*: )", function.__doc__, flags=re.MULTILINE)
        lines = {line.split(":")[0]: line for line in about}
        for keyword in set(inspect.signature(function).parameters) & set(_options_of(name)):
            assert "default" in lines[keyword], (name, keyword, lines[keyword])


def _options_of(name):
    """Returns the keywords of a function that are options of the command."""
    from corefeval import _options

    return getattr(_options, f"{name.title().replace('_', '')}Options").__annotations__


def test_documents_groups_and_systems_are_consistent():
    """Rows are found by index and by name; counts of documents are called `document_count`."""
    key = {str(number): KEY for number in range(9)}
    response = dict.fromkeys(key, RESPONSE)
    options = {"resamples": 9, "quiet": True}
    responses = {"a": key, "b": response}
    compared = corefeval.compare(key=key, responses=responses, by="document", metrics="muc", **options)
    errors = corefeval.errors(key=key, responses=responses, quiet=True)
    reports = [
        corefeval.score(key=key, responses=responses, by="document", metrics="muc", quiet=True).systems["b"],
        compared,
        corefeval.agree(annotators=responses, by="document", metrics="muc", **options),
        errors,
    ]
    for report in reports:
        assert report.documents.names == tuple(key) and report.documents["3"] is not None, report
    assert errors.documents["3"]["a"]["errors"]["missed_link"] == 0 == errors.documents[3]["a"]["errors"]["wrong_link"]
    assert list(errors.documents["3"]) == ["a", "b"] and "id" not in errors.documents["3"]["a"]
    assert sum(row["b"]["errors"]["missed_link"] for row in errors.documents) == errors["b"]["links"]["recall"]["total"] > 0
    assert compared.documents["3"].systems["b"]["muc"] == compared.documents["3"]["b"]["muc"] and not compared.groups
    by_size = [
        corefeval.score(key=key, response=response, by="entity-size", metrics="muc", quiet=True),
        corefeval.compare(key=key, responses=responses, by="entity-size", metrics="muc", **options),
    ]
    for report in by_size:
        assert report.groups["2 mentions"].name == report.groups.names[0] and not report.documents, report
    systems = [
        corefeval.score(key=key, responses=responses, quiet=True),
        compared,
        corefeval.correlate(x="muc", y="lea", key=key, responses=responses, **options),
        errors,
        compared.documents["3"],
    ]
    for report in systems:
        assert report.systems.names == ("a", "b") and report.systems["b"].name == report.systems[1].name == "b", report
    of_files = {"key": "examples/key.conll", "quiet": True}
    alder, birch = "examples/alder.conll", "examples/birch.conll"
    counted = [
        *[(report, 9) for report in (*systems[:4], systems[0]["a"], reports[2], *by_size)],
        (corefeval.score(key=KEY, response=[], quiet=True), 1),
        (corefeval.score(key=key, response={"1": KEY}, quiet=True), 9),
        (corefeval.score_files(response=[alder, birch], **of_files), 3),
        (corefeval.score_files(pairs=[(of_files["key"], alder), (alder, birch)], quiet=True), 6),
        (corefeval.errors_files(response=[alder, birch], **of_files), 3),
        (corefeval.cone_files(responses=[alder, birch], quiet=True), 3),
        (corefeval.cone_files(responses=[alder, birch], annotated=of_files["key"], quiet=True), 3),
        (corefeval.cone_files(responses=alder, correlate=True, **of_files), 3),
    ]
    for report, count in counted:
        assert report.document_count == count, report


def test_public_names_are_documented():
    """Public names are in `__all__` and documented, and modules export nothing else."""
    for name in ("", *MODULES, "coval.evaluator", "coval.reader", "coval.util"):
        module = importlib.import_module(f"corefeval.{name}".rstrip("."))
        own = {
            name: value
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        }
        assert own.keys() <= set(module.__all__) <= vars(module).keys(), (module.__name__, own.keys() - set(module.__all__))
        assert all(value.__doc__ for value in own.values())


class Span(types.SimpleNamespace):
    """A span of spaCy."""


def spacy_document():
    words = [types.SimpleNamespace(text=word) for word in ["Ada", "slept", ".", "She", "snored", "."]]

    class Doc(list):
        spans = {"coref_clusters_1": [Span(start=0, end=1), Span(start=3, end=4)], "other": [Span(start=0, end=2)]}
        sents = (words[:3], words[3:])

        def has_annotation(self, name):
            return name == "SENT_START"

    return Doc(words)


def test_results_of_models():
    document = Document.from_spacy(spacy_document(), id="a")
    assert document.clusters == [[(0, 0), (3, 3)]] and len(document.sentences) == 2
    output = {"tokens": ["Ada", "slept", ".", "She"], "clusters_token_offsets": [((0, 0), (3, 3))]}
    assert Document.from_maverick(output, id="a").clusters == [[(0, 0), (3, 3)]]
    with pytest.raises(corefeval.InputTypeError, match="not output of Maverick"):
        Document.from_maverick({"tokens": []}, id="a")
    clusters = [[(0, 12), (20, 23)], [(14, 18)]]
    result = types.SimpleNamespace(text="Ada Lovelace, they, she slept.", get_clusters=lambda as_strings: clusters)
    made = Document.from_fastcoref(result, id="a")
    assert [[made.text(mention) for mention in entity] for entity in made.entities] == [["Ada Lovelace", "she"], ["they"]]
    tokens = [["Ada", "Lovelace,"], ["they", ",", "she", "slept", "."]]
    assert Document.from_fastcoref(result, id="a", tokens=tokens).clusters == [[(0, 1), (4, 4)], [(2, 2)]]
    with pytest.raises(corefeval.InputValueError, match="does not follow in the text"):
        Document.from_fastcoref(result, id="a", tokens=["she", "they"])
    for wrong in ("abc", [result]):
        with pytest.raises(corefeval.InputTypeError, match="not a CorefResult of fastcoref") as told:
            Document.from_fastcoref(wrong, id="a")
        assert "predict" in str(told.value.hint)


def test_notebooks_show_documents_and_comparisons():
    words = ["<b>Ada</b>", "saw", "her", "cat"]
    document = Document(id="<i>", tokens=words, entities=[[(0, 0), (2, 2)], [(2, 3), (0, 2)]])
    shown = document._repr_html_()
    assert "<bdi>&lt;b&gt;Ada&lt;/b&gt;</bdi>" in shown and "&lt;i&gt;" in shown and "<i>" not in shown
    # Five brackets open and close, because crossing mentions need no nesting.
    assert shown.count("[<sub>") == shown.count("]</b>") == 4
    assert shown.index("[<sub>2</sub>") < shown.index("[<sub>1</sub>"), "the longer mention opens first"
    assert "<table>" in Document(id="a", entities=KEY)._repr_html_()
    key = {str(number): KEY for number in range(20)}
    responses = {"a": key, "b": dict.fromkeys(key, RESPONSE)}
    compared = corefeval.compare(key=key, responses=responses, metrics="muc", resamples=99, quiet=True)
    assert compared.figures["forest"].svg in compared._repr_html_()


#: A script that can import only the standard library and this package.
BARE = """
import importlib.abc, inspect, pydoc, sys
class Bare(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in sys.stdlib_module_names | {"corefeval"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Bare())
import corefeval
members = dict(inspect.getmembers(corefeval))
assert {"score", "Document", "e2e", "coval", "spacy"} <= members.keys(), sorted(members)
assert not hasattr(corefeval, "torchmetrics") and "torchmetrics" in dir(corefeval)
try:
    corefeval.torchmetrics
except AttributeError as error:
    assert "needs the package" in str(error), error
try:
    from corefeval import torchmetrics
except ImportError:
    pass
else:
    raise AssertionError
assert "score" in pydoc.render_doc(corefeval)
assert corefeval.score(key=[["a", "b"]], response=[["a", "b"]])["muc"].f1 == 1
"""


def test_a_bare_environment():
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_files_of_a_namesake_cause_a_warning(tmp_path):
    ours = pathlib.Path(corefeval.__file__).parent
    (tmp_path / "corefeval" / "utils").mkdir(parents=True)
    for path in ours.iterdir():
        if path.name not in ("__pycache__", "utils"):
            os.symlink(path, tmp_path / "corefeval" / path.name)
    # The folder is the package's own folder.
    (tmp_path / "corefeval" / "__init__.py").unlink()
    (tmp_path / "corefeval" / "__init__.py").write_text((ours / "__init__.py").read_text())
    command = [sys.executable, "-W", "error::UserWarning", "-c", "import corefeval"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    assert subprocess.run(command, env=environment, capture_output=True, cwd=tmp_path).returncode == 0
    (tmp_path / "corefeval" / "utils" / "linear_assignment.py").write_text("")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0 and "coreference-eval" in done.stderr
    # Installed later it replaces our module, and the command warns.
    (tmp_path / "corefeval" / "__init__.py").write_text("")
    main = [sys.executable, "-c", "import sys; from corefeval._command import main; sys.argv[1:] = ['--version']; main()"]
    done = subprocess.run(main, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert "coreference-eval" in done.stderr and done.returncode == 0, done.stderr
    # Unchanged, that package imports its scorer, but Python finds ours first.
    (tmp_path / "corefeval" / "__init__.py").write_text("from corefeval.scorer import Scorer")
    (tmp_path / "corefeval" / "scorer.py").write_text("class Scorer: theirs = True")
    used = [sys.executable, "-c", "import corefeval\nassert corefeval.Scorer.theirs and 'scorer.py' in corefeval.scorer.__file__"]
    for command in (main, used):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
        assert done.stderr.count("CorefevalWarning: the package coreference-eval") == 1 and done.returncode == 0, done.stderr
    # Its scorer needs NumPy; our message does not.
    (tmp_path / "corefeval" / "scorer.py").write_text("import absent_numpy")
    for command in (main, used):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
        assert "ImportError: the package coreference-eval has installed its files" in done.stderr, done.stderr
        assert "No module named 'absent_numpy'" in done.stderr and done.returncode == 1, done.stderr


def test_the_module_of_the_namesake_does_not_exist():
    with pytest.raises(ModuleNotFoundError, match="No module named 'corefeval.scorer'"):
        importlib.import_module("corefeval.scorer")
    assert not hasattr(corefeval, "scorer")


def test_ends_are_set_for_one_side():
    """The hint of the warning about ends works."""
    key = [[(0, 1), (3, 3)], [(5, 6), (8, 8)]]
    later = [[(first, last + 1) for first, last in entity] for entity in key]
    report = corefeval.score(key=key, response=later, quiet=True)
    assert report["muc"].f1 == 0 and any('response_span_end="exclusive"' in str(finding) for finding in report.findings)
    arrays = [numpy.array(entity) for entity in later]
    mentions = [[corefeval.Mention(first, last - 1) for first, last in entity] for entity in later]
    for response in (later, arrays, mentions, {"d": later}):
        document = isinstance(response, dict)
        ours = {"d": key} if document else key
        report = corefeval.score(key=ours, response=response, response_span_end="exclusive", quiet=True)
        assert report["conll"].f1 == 1 and "|response-span-end:exclusive" in report.signature
        assert corefeval.score(key=response, response=ours, key_span_end="exclusive", quiet=True)["conll"].f1 == 1
        several = corefeval.score(key=ours, responses={"a": response}, response_span_end="exclusive", quiet=True)
        assert several.systems["a"]["conll"].f1 == 1
        scorer = corefeval.Scorer(quiet=True, response_span_end="exclusive")
        scorer.update(key=ours, response=response)
        assert pickle.loads(pickle.dumps(scorer)).report()["conll"].f1 == 1
    # Documents have their spans; entities mixed with them are read as the option specifies.
    known = corefeval.Document(id="d", entities=key)
    report = corefeval.score(key=known, response=later, response_span_end="exclusive", quiet=True)
    assert report["conll"].f1 == 1
    for options in ({"span_end": "exclusive"}, {"key_span_end": "exclusive"}, {"response_span_end": "inclusive"}):
        with pytest.raises(corefeval.SettingsError, match="but documents already have their spans"):
            corefeval.score(key=known, response=known, **options)


def test_the_hint_about_span_end_of_works():
    inclusive = [[(0, 1), (3, 3)], [(5, 6), (8, 8)]]
    later = [[(first, last + 1) for first, last in entity] for entity in inclusive]
    both = {"x": inclusive, "y": inclusive}
    sides = {"ada": both, "bo": {"x": later, "y": later}}

    def advised(report) -> str:
        return next((found[1] for found in (re.search(r'span_end_of="([^"]+)"', str(each)) for each in report.findings) if found), "")

    score = functools.partial(corefeval.score, key=both, responses=sides, quiet=True)
    assert advised(score()) == "bo=exclusive"
    report = score(span_end_of="bo=exclusive")
    assert report["bo"]["conll"].f1 == 1 and not advised(report)
    agree = functools.partial(corefeval.agree, annotators=sides, quiet=True)
    assert advised(agree()) == "bo=exclusive" and not advised(agree(span_end_of=["bo=exclusive"]))
    compare = functools.partial(corefeval.compare, key=both, responses=sides, quiet=True)
    assert advised(compare()) == "bo=exclusive" and not advised(compare(span_end_of="ada=inclusive,bo=exclusive"))
    known = [corefeval.Document(id=name, entities=inclusive) for name in ("x", "y")]
    beside = corefeval.score(key=known, responses=sides, span_end_of="bo=exclusive", quiet=True)
    assert beside["bo"]["conll"].f1 == 1 and beside["ada"]["conll"].f1 == 1
    for options, told in (
        ({"responses": sides, "span_end_of": "by=exclusive"}, "names `by`, which is not a side"),
        ({"responses": sides, "span_end_of": "bo"}, "`bo` is not a valid value for `span_end_of`"),
        ({"response": both, "span_end_of": "response=exclusive"}, "one of several responses"),
        ({"responses": {"a": known}, "span_end_of": "a=exclusive"}, "`a` is documents, which already have their spans"),
    ):
        with pytest.raises(corefeval.SettingsError, match=told):
            corefeval.score(key=both if "known" not in told else known, **options)


def test_nothing_in_common_is_never_silent():
    for key, response in (
        ([["a", "b"]], [["c", "d"]]),
        ([[(0, 1), (3, 3)]], [[(10, 11), (13, 13)]]),
        ({"x": [["a", "b"]], "y": []}, {"x": [], "y": [["a", "b"]]}),
    ):
        for profile in ("conll", "scorch"):
            for side in ({"response": response}, {"responses": {"a": response}}):
                report = corefeval.score(key=key, profile=profile, quiet=True, **side)
                assert any(finding.code == "nothing-shared" for finding in report.warnings), (key, profile, side)


def test_undefined_scores_are_none_in_lists():
    """An undefined score is 0 with ``defined`` false, as in JSON; in lists it is None."""
    pandas = optional("pandas") if importlib.util.find_spec("pandas") else None
    report = corefeval.score(key=[["a"]], response=[["a"]], metrics="muc,b_cubed", quiet=True)
    muc, cubed = report["muc"], report["b_cubed"]
    assert not muc.defined and muc.undefined == ("recall", "precision", "f1") and muc.f1 == muc.recall == 0
    assert cubed.defined and cubed.undefined == () and cubed.f1 == 1
    row = report.to_rows()[0]
    assert row["metric"] == "muc" and all(row[part] is None for part in ("recall", "precision", "f1", "value"))
    assert report.to_dict(flat=True) == {"b_cubed_recall": 1, "b_cubed_precision": 1, "b_cubed_f1": 1}
    assert "recall=None, precision=None, f1=None" in repr(muc) and "f1=1.0" in repr(cubed)
    assert "muc=–" in repr(report) and "b_cubed=100.00" in repr(report)
    if pandas is not None:
        assert pandas.DataFrame(report.to_rows()).loc[0, ["recall", "precision", "f1"]].isna().all()
    # One side has no links: only its ratio is undefined.
    half = corefeval.score(key=[["a", "b"]], response=[["a"], ["b"]], metrics="muc", quiet=True)
    assert half["muc"].defined and "precision" in half["muc"].undefined and "recall" not in half["muc"].undefined
    [row] = half.to_rows()
    assert row["precision"] is None and row["recall"] == 0 and "muc_precision" not in half.to_dict(flat=True)
    assert "precision=None" in repr(half["muc"])


def test_score_files_accepts_open_files_and_several_responses():
    paths = [f"examples/{name}.conll" for name in ("key", "alder", "birch")]
    expected = corefeval.score_files(key=paths[0], response=paths[1], metrics="conll", quiet=True)
    with open(paths[0], "rb") as key, open(paths[1], encoding="utf-8") as response:
        assert corefeval.score_files(key=key, response=response, metrics="conll", quiet=True) == expected
    several = corefeval.score_files(key=paths[0], response=paths[1:], quiet=True)
    assert corefeval.score_files(key=paths[0], responses=paths[1:], quiet=True) == several
    with open(paths[1], "rb") as ours:
        named = corefeval.score_files(key=paths[0], responses={"ours": ours, "theirs": paths[2]}, quiet=True)
    assert list(named) == ["ours", "theirs"] and named["ours"]["conll"].f1 == several["alder"]["conll"].f1
    # An unnamed input is named by its keyword, in messages too.
    text = "#begin document (x); part 000\na\t(1\nb\t(2)\n#end document\n"
    with pytest.raises(corefeval.FormatError) as raised:
        corefeval.score_files(key=paths[0], response=io.BytesIO(b'{"doc_key": "x", "clusters": [[[0'), quiet=True)
    assert raised.value.file == "response" and raised.value.line == 1
    warned = corefeval.score_files(key=io.StringIO(text), response=io.StringIO(text), quiet=True)
    assert {place["place"] for place in warned.warnings[0].places} == {"key:2:3", "response:2:3"}
    with pytest.raises(corefeval.InputTypeError, match="response and responses cannot be given together"):
        corefeval.score_files(key=paths[0], response=paths[1], responses=paths[1:])


def test_ambiguous_metrics_are_errors():
    report = corefeval.score(key=KEY, response=RESPONSE)
    for name in ("ceaf", "CEAF"):
        with pytest.raises(KeyError, match="names more than one metric; choose `ceaf_m`"):
            report[name]
    assert "annotations" not in dir(corefeval)
