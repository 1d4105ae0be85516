"""Reports of a growing scorer equal reports on all documents at once, and process only new documents."""

from __future__ import annotations

import pickle
import warnings

import corefeval
import pytest
from corefeval import Document, Scorer, score
from hypothesis import given, settings
from hypothesis import strategies as st

BY = [None, "document", "genre", "length", "topic", "entity-size", "mention-length", "genre,entity-size", "document,zero"]
BY_OF_LISTS = [None, "document", "entity-size", "mention-length", "document,entity-size"]
OPTIONS_OF_LISTS = [
    {},
    {"metrics": "all"},
    {"average": "macro"},
    {"average": "mentions", "metrics": "muc,blanc,conll"},
    {"singletons": "drop"},
    {"strict": True},
    {"missing_documents": "skip"},
    {"profile": "scorch"},
    {"threads": 2, "match": "overlap"},
]
OPTIONS = [
    *OPTIONS_OF_LISTS,
    {"check_tokens": "warn"},
    {"check_tokens": "no", "missing_documents": "skip"},
    {"pair_documents": "auto"},
    {"pair_documents": "order"},
    {"scope": "topic"},
    {"scope": "corpus", "check_tokens": "no"},
    {"align": "text"},
    {"entities": "named"},
    {"metrics": "muc,cone_b_cubed"},
    {"metrics": "ace_value,muc"},
    {"metrics": "links_as_written,mention_overlap,bridging"},
    {"place": "sentence", "check_tokens": "no"},
    *({"profile": profile} for profile in corefeval.list_profiles()),
]

spans = st.tuples(st.integers(0, 8), st.integers(0, 2)).map(lambda span: (span[0], sum(span)))
entities = st.lists(st.lists(spans, max_size=4), max_size=4)
objects = st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=4)


def outcome(report):
    """Returns everything that a report shows and warns about, or the error."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            found = report()
        except corefeval.CorefevalError as error:
            return type(error).__name__, str(error), [str(warning.message) for warning in issued]
    messages = [str(warning.message) for warning in issued]
    assert messages == [str(finding) for finding in found.warnings]
    # Rows are created on access, before the whole report and after it.
    rows = [(row.id, {name: tuple(value) for name, value in row.items()}) for row in (*found.documents, *found.groups)]
    assert pickle.loads(pickle.dumps(found)) == found
    return found.to_dict(), found.to_rows(), found.findings, rows, found.systems[0].by


def replayed(updates, options):
    scorer = Scorer(**options)
    for update in updates:
        scorer.update(**update)
    return scorer


@st.composite
def documents(draw):
    """Draws a key and a response, whose words, ids and annotation can differ."""
    name = draw(st.sampled_from("abcdefgh"))
    tokens = draw(st.sampled_from([[["Ada", "b"], ["c"] * 10], [["Ada", "x"], ["c"] * 10], [["c"] * 12], None]))
    about = {"genre": draw(st.sampled_from(["nw", "bc", None])), "topic": draw(st.sampled_from(["1", "2", None]))}
    formats = st.sampled_from(["python"] * 8 + ["corefud"])
    ids = st.sampled_from([name, name, f"{name}_0"])
    key = Document(id=draw(ids), entities=draw(entities), tokens=tokens, format=draw(formats), **about)
    tokens = draw(st.sampled_from([tokens, tokens, [["Ada", "x"], ["c"] * 10], [["c"] * 11]]))
    response = Document(id=draw(ids), entities=draw(entities), tokens=tokens, format=draw(formats))
    # One side can be added later, or never.
    which = draw(st.sampled_from(["both", "both", "both", "both", "key", "response"]))
    return {"key": [key] if which != "response" else [], "response": [response] if which != "key" else []}


@settings(deadline=None)
@given(st.lists(st.tuples(documents(), st.sampled_from(BY)), min_size=1, max_size=6), st.sampled_from(OPTIONS), st.data())
def test_documents_added_after_a_report(steps, options, data):
    scorer, updates = Scorer(**options), []
    for update, by in steps:
        action = data.draw(st.sampled_from(["update"] * 5 + ["merge", "pickle", "reset"]))
        if action == "reset":
            scorer.reset()
            updates = []
        elif action == "pickle":
            scorer = pickle.loads(pickle.dumps(scorer))
        try:
            scorer.merge(replayed([update], options)) if action == "merge" else scorer.update(**update)
        except corefeval.InputValueError as error:
            assert "two documents are called" in str(error)
        else:
            updates.append(update)
        # Two groupings: data stored for one report must not appear in another.
        for by in (by, data.draw(st.sampled_from(BY)), by):
            found = outcome(lambda: scorer.report(by=by))
            assert found == outcome(lambda: replayed(updates, options).report(by=by))
            if len(scorer):
                sides = {side: [document for update in updates for document in update[side]] for side in ("key", "response")}
                assert found == outcome(lambda: score(**sides, by=by, **options))


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.tuples(entities, entities), st.tuples(objects, objects)),
            st.sampled_from(["named", "unnamed", "dictionary", "dictionary", "key", "response"]),
            st.sampled_from(BY_OF_LISTS),
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(OPTIONS_OF_LISTS),
    st.data(),
)
def test_lists_added_after_a_report(steps, options, data):
    scorer, updates = Scorer(**options), []
    for number, ((key, response), how, by) in enumerate(steps):
        name = f"d{number}"
        update = {
            "named": {"key": key, "response": response, "doc_id": name},
            "unnamed": {"key": key, "response": response},
            "dictionary": {"key": {name: key, f"{name}, too": key}, "response": {name: response, f"{name}, too": key}},
            "key": {"key": {name: key}, "response": {}},
            "response": {"key": {}, "response": {name: response}},
        }[how]
        if data.draw(st.booleans()) and how != "unnamed":
            scorer.merge(replayed([update], options))
        else:
            scorer.update(**update)
        updates.append(update)
        for by in (by, data.draw(st.sampled_from(BY_OF_LISTS)), by):
            assert outcome(lambda: scorer.report(by=by)) == outcome(lambda: replayed(updates, options).report(by=by))


def test_conflicting_reading_options_are_an_error_until_reset(tmp_path):
    scorer = Scorer(quiet=True)
    documents = {end: tmp_path / f"{end}.jsonlines" for end in ("inclusive", "exclusive")}
    for end, path in documents.items():
        path.write_text(f'{{"doc_key": "{end}", "sentences": [["a", "b", "c"]], "clusters": [[[0, 1], [1, 2]]]}}\n')
        (document,) = corefeval.read(path, span_end=end)
        scorer.update(key=document, response=document)
        if end == "inclusive":
            assert scorer.report()["muc"].f1 == 1
    for _ in range(2):
        with pytest.raises(corefeval.SettingsError, match="`exclusive` was read with span_end='exclusive'"):
            scorer.report()
    scorer.reset()
    scorer.update(key=document, response=document)
    assert scorer.report()["muc"].f1 == 1


def test_only_new_documents_are_counted():
    """Counting is incremental for every kind of document and every grouping."""
    tokens = [["Ada", "b", "c", "d"]]

    def both(number):
        key = Document(id=f"d{number}", entities=[[(0, 0), (2, 2)], [(1, 1), (3, 3)]], tokens=tokens, genre="nw")
        return {"key": key, "response": key.with_entities([[(0, 0), (2, 2), (3, 3)]])}

    scorer = Scorer(quiet=True)
    for number in range(6):
        scorer.update(**both(number))
        assert scorer._growing.counted_before() == number
        for by in BY[1:4]:
            scorer.report(by=by)
            assert scorer._growing.counted_before() == number + 1
    scorer.merge(replayed([both(number) for number in range(6, 9)], {"quiet": True}))
    assert scorer._growing.counted_before() == 6
    assert scorer.report(by="genre") == score(
        key=[*scorer._key.values()], response=[*scorer._response.values()], by="genre", quiet=True
    )
    assert scorer._growing.counted_before() == 9


def test_rows_are_read_on_request():
    scorer = Scorer(quiet=True)
    for number in range(3):
        scorer.update(key=[["x", "y"]], response=[["x", "y"]], doc_id=f"d{number}")
    report = scorer.report(by="document")
    assert "documents" not in report.systems[0]._data and not report.groups
    assert report.documents.names == ("d0", "d1", "d2") and report.documents["d1"]["muc"].f1 == 1
    assert report.documents is report.documents and "documents" in report.systems[0]._data
    by_group = scorer.report(by="entity-size").systems[0]
    assert by_group.by == "entity-size" and "groups" not in by_group._data
    copied = pickle.loads(pickle.dumps(by_group))
    assert copied.groups.names == by_group.groups.names == ("2 mentions",) and copied.by == "entity-size"
