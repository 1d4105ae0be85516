"""Scorer, for documents one by one."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import corefeval
import pytest
from corefeval import Labels, Scorer, score
from hypothesis import given, settings
from hypothesis import strategies as st

DOCUMENTS = {
    "a": ([["x", "y"], ["z"]], [["x", "y", "z"]]),
    "b": ([[(0, 1), (2, 2)]], [[(0, 1)], [(2, 2)]]),
    "c": ([[1, 2, 3]], [[1, 2], [3, 4]]),
    "d": ([[5, 6]], [[5, 6]]),
}


def filled(names, **options):
    scorer = Scorer(quiet=True, **options)
    for name in names:
        scorer.update(key=DOCUMENTS[name][0], response=DOCUMENTS[name][1], doc_id=name)
    return scorer


def whole(**options):
    key = {name: document[0] for name, document in DOCUMENTS.items()}
    return score(
        key=key, response={name: document[1] for name, document in DOCUMENTS.items()}, quiet=True, **options
    )


def test_equal_to_one_call():
    assert filled("abcd").report() == whole()
    assert filled("abcd").report(by="document") == whole(by="document")
    assert filled("abcd", average="macro").report() == whole(average="macro")


def test_reports_count_only_new_documents():
    scorer = filled("ab")
    assert scorer._documents.counted_before() == 0
    scorer.report()
    assert scorer._documents.counted_before() == 2
    for name in "cd":
        scorer.update(key=DOCUMENTS[name][0], response=DOCUMENTS[name][1], doc_id=name)
    assert scorer.report() == whole() and scorer._documents.counted_before() == 4
    # The counts of each document are stored after the first report by document; the counts of groups of mentions are not.
    assert scorer.report(by="document") == whole(by="document") and scorer._documents.counted_before() == 4
    assert scorer.report(by="entity-size") == whole(by="entity-size")
    assert scorer.report() == whole()
    copied = pickle.loads(pickle.dumps(scorer))
    assert copied._documents.counted_before() == 0 and copied.report() == whole()


@pytest.mark.parametrize("by", [None, "document", "entity-size"])
def test_without_new_documents_the_report_is_cached(by):
    scorer = filled("ab")
    report = scorer.report(by=by)
    assert scorer.report(by=by) is report and scorer.report() is scorer.report()
    with pytest.raises(corefeval.CorefevalError):
        scorer.update(key=5, response=5)
    assert scorer.report(by=by) == report
    scorer.merge(filled("c"))
    scorer.update(key=DOCUMENTS["d"][0], response=DOCUMENTS["d"][1], doc_id="d")
    assert scorer.report(by=by) == whole(by=by) != report
    scorer.reset()
    with pytest.raises(corefeval.InputValueError, match="no document"):
        scorer.report(by=by)


def test_a_cached_report_warns_again():
    scorer = Scorer()
    scorer.update(key=[["a"]], response=[["a"]])
    for _ in range(2):
        with pytest.warns(corefeval.CorefevalWarning, match="muc-undefined"):
            scorer.report()


def test_documents_are_reported_once_and_files_about_types_every_time(tmp_path):
    weights = tmp_path / "weights.toml"
    weights.write_text("[mention-type]\nNAM = 0.5\n\n[default]\nmention-type = 1\n")
    document = corefeval.Document(id="d", entities=[[(0, 0), (2, 2)]])
    for options, same in (({}, True), ({"weights": weights}, False)):
        scorer = Scorer(quiet=True, **options)
        scorer.update(key=document, response=document)
        first = scorer.report()
        assert (scorer.report() is first) is same and scorer.report() == first


def test_findings_are_created_on_request():
    """A report can have a thousand places of one kind."""
    scorer = Scorer(quiet=True)
    for _ in range(2):
        scorer.update(key=[[(0, 1), (2, 2)]], response=[[(0, 1), (2, 2)]])
    report = scorer.report()
    assert report._findings is None and "words-unchecked" not in str(report._data)
    assert [finding.code for finding in report.warnings] == [] and report._findings is None
    assert [(finding.code, len(finding.places)) for finding in report.findings] == [("words-unchecked", 2)]
    assert report._findings is report.findings and pickle.loads(pickle.dumps(report)).findings == report.findings
    assert report.to_dict()["warnings"][0]["code"] == "words-unchecked"


@pytest.mark.parametrize("parts", [("ab", "cd"), ("", "abcd"), ("abc", "d"), ("a", "b", "c", "d")])
def test_merging(parts):
    first, *others = [filled(part) for part in parts]
    for other in others:
        first.merge(pickle.loads(pickle.dumps(other)))
    assert first.report(by="document") == whole(by="document")
    assert len(first) == 4


def part(names):
    return filled(names)


def test_across_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.map(part, ["ab", "cd"])
    scorer = parts[0]
    scorer.merge(parts[1])
    assert scorer.report(by="document") == whole(by="document")


def test_documents_without_names_are_numbered():
    scorers = [Scorer(), Scorer()]
    for number in range(12):
        scorers[number % 2].update(key=[[number, "x"]], response=[[number, "x"]])
    scorers[0].merge(scorers[1])
    report = scorers[0].report(by="document")
    assert [document.id for document in report.documents] == [str(number) for number in range(1, 13)]
    again = pickle.loads(pickle.dumps(scorers[0]))
    again.update(key=[["x", "y"]], response=[["x", "y"]])
    assert again.report(by="document").documents[-1].id == "13"


def test_names_are_unique():
    scorer = filled("a")
    with pytest.raises(corefeval.InputValueError, match="two documents are called `a`"):
        scorer.update(key=[], response=[], doc_id="a")
    with pytest.raises(corefeval.InputValueError, match="two documents are called `a`"):
        scorer.merge(filled("ab"))
    assert len(scorer) == 1
    assert scorer.report() == filled("a").report()


def test_failed_updates_add_nothing():
    scorer = filled("a")
    before = scorer.report()
    for key in ({"x": [[1]], "y": 5}, [[[]]], 5):
        with pytest.raises(corefeval.CorefevalError):
            scorer.update(key=key, response=key)
    assert scorer.report() == before
    scorer.update(key={"x": [[1, 2]]}, response={"x": Labels([0], [1])})
    assert len(scorer) == 2


def test_reset_and_empty():
    scorer = filled("ab")
    scorer.reset()
    assert len(scorer) == 0
    with pytest.raises(corefeval.InputValueError, match="no document"):
        scorer.report()
    scorer.update(key=DOCUMENTS["a"][0], response=DOCUMENTS["a"][1], doc_id="a")
    assert scorer.report() == filled("a").report()


def test_settings_must_agree():
    with pytest.raises(corefeval.SettingsError, match="different settings"):
        filled("a").merge(filled("b", singletons="drop"))
    with pytest.raises(corefeval.InputTypeError):
        filled("a").merge("b")
    other = copy.deepcopy(filled("ab", metrics="lea"))
    assert list(other.report()) == ["lea"]
    assert "2 documents" in repr(other)


entities = st.lists(st.lists(st.integers(0, 12), max_size=5), max_size=5)


@given(st.lists(st.tuples(entities, entities), min_size=1, max_size=6), st.data())
def test_the_distribution_of_documents_does_not_matter(documents, data):
    whole = Scorer(quiet=True)
    parts = [Scorer(quiet=True) for _ in range(3)]
    for number, (key, response) in enumerate(documents):
        name = f"document {number}"
        whole.update(key=key, response=response, doc_id=name)
        data.draw(st.sampled_from(parts)).update(key=key, response=response, doc_id=name)
    first, *others = (pickle.loads(pickle.dumps(part)) for part in parts)
    for other in others:
        first.merge(other)
    expected, found = whole.report(), first.report()
    assert {name: tuple(score) for name, score in found._only().items()} == {
        name: tuple(score) for name, score in expected._only().items()
    }
    assert [(f.code, f.count) for f in found.findings] == [(f.code, f.count) for f in expected.findings]


def test_a_scorer_is_not_merged_with_itself():
    scorer = corefeval.Scorer(quiet=True)
    scorer.update(key=[[1, 2]], response=[[1, 2]], doc_id="a")
    with pytest.raises(corefeval.InputValueError, match="cannot be merged with itself"):
        scorer.merge(scorer)
    assert len(scorer) == 1


@settings(deadline=None)
@given(st.lists(st.tuples(entities, entities, st.sampled_from([None, "document", "no report"])), min_size=1, max_size=8))
def test_intermediate_reports_do_not_matter(documents):
    scorer, sides = Scorer(quiet=True), ({}, {})
    for number, (key, response, by) in enumerate(documents):
        name = f"document {number}"
        sides[0][name], sides[1][name] = key, response
        scorer.update(key=key, response=response, doc_id=name)
        if by != "no report":
            report, fresh = scorer.report(by=by), score(key=sides[0], response=sides[1], by=by, quiet=True)
            assert report == fresh and report.findings == fresh.findings
