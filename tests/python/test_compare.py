"""compare and compare_files return the results of the command, as dictionaries and rows."""

from __future__ import annotations

import json
import pickle
import random

import corefeval
import pytest
from corefeval import Labels, compare, compare_files
from test_files import command


def systems(documents=30, seed=5):
    rng = random.Random(seed)
    key, responses = {}, {"good": {}, "bad": {}}
    for number in range(documents):
        mentions = [(place, place) for place in range(12)]
        key[f"d{number}"] = [mentions[:4], mentions[4:8], mentions[8:]]
        for name, chance in (("good", 0.1), ("bad", 0.5)):
            entities = [[], [], []]
            for place, mention in enumerate(mentions):
                entities[rng.randrange(3) if rng.random() < chance else place // 4].append(mention)
            responses[name][f"d{number}"] = entities
    return key, responses


KEY, RESPONSES = systems()


def test_results():
    comparison = compare(key=KEY, responses=RESPONSES, resamples=999, metrics="muc,b_cubed,ceaf_e,conll", quiet=True)
    assert comparison.systems.names == ("good", "bad") and comparison.baseline == "good"
    assert comparison.document_count == 30
    conll = comparison["bad"]["conll"]
    assert conll["difference"]["f1"] < 0 and conll["difference"]["p"] == 0.001
    assert conll["interval"][0] < conll["f1"] < conll["interval"][1]
    assert conll["rank"] == 2 and not conll["best"]
    with pytest.raises(KeyError, match="there are good, bad"):
        comparison["worse"]
    rows = comparison.to_rows()
    assert len(rows) == 8
    columns = comparison.to_columns()
    assert columns["p"][:4] == [None] * 4 and len(columns["low"]) == 8
    assert {pair["metric"] for pair in comparison.pairs} == {"muc", "b_cubed", "ceaf_e", "conll"}
    for name in RESPONSES:
        report = corefeval.score(key=KEY, response=RESPONSES[name], quiet=True)
        assert report["conll"].f1 == pytest.approx(comparison[name]["conll"]["f1"], abs=1e-12)


def test_equal_to_the_command(examples):
    paths = {name: examples / f"{name}.conll" for name in ("alder", "birch")}
    comparison = compare_files(
        key=examples / "key.conll", responses=paths, baseline="birch", seed=7, resamples=500, quiet=True
    )
    named = [f"{name}={path}" for name, path in paths.items()]
    options = ["-q", "-o", "json", "--baseline", "birch", "--seed", "7", "--resamples", "500"]
    assert comparison.render("json") == command("compare", *options, examples / "key.conll", *named).stdout
    assert comparison.to_dict() == json.loads(comparison.render("json"))
    assert "birch" in str(comparison) and "\\begin" in comparison.render("latex")


def test_objects_and_files_agree(tmp_path):
    def write(name, documents):
        lines = []
        for number, entities in documents.items():
            words = [["w"] for _ in range(12)]
            lines.append(json.dumps({"doc_key": number, "sentences": words, "clusters": entities}))
        path = tmp_path / f"{name}.jsonlines"
        path.write_text("\n".join(lines))
        return path

    paths = {name: write(name, documents) for name, documents in RESPONSES.items()}
    files = compare_files(key=write("key", KEY), responses=paths, resamples=300, quiet=True)
    objects = compare(key=KEY, responses=RESPONSES, resamples=300, quiet=True)
    assert files.to_rows() == objects.to_rows()
    assert files.pairs == objects.pairs


def test_the_seed_determines_the_results():
    options = {"metrics": "lea", "resamples": 200, "test": "bootstrap", "interval": "percentile"}
    options.update(confidence=0.9, quiet=True)
    one = compare(key=KEY, responses=RESPONSES, threads=1, **options)
    assert one == compare(key=KEY, responses=RESPONSES, threads=2, **options)
    assert one != compare(key=KEY, responses=RESPONSES, seed=1, **options)
    assert "|test:bootstrap|" in one.signature and "confidence:0.9" in one.signature
    again = pickle.loads(pickle.dumps(one))
    assert again == one and again.to_rows() == one.to_rows() and again._repr_html_() == one._repr_html_()
    with pytest.raises(AttributeError):
        one.baseline = "x"


def test_equal_rows_have_equal_hashes():
    responses = {**RESPONSES, "worse": RESPONSES["bad"]}
    one = compare(key=KEY, responses=responses, resamples=9, metrics="muc", by="document", quiet=True)
    bad, worse = one.systems["bad"], one.systems["worse"]
    assert bad == worse and hash(bad) == hash(worse) and len({bad, worse, one.systems["good"]}) == 2
    groups = {}
    for group in one.documents:
        assert all(group == other for other in groups.get(hash(group), []))
        groups.setdefault(hash(group), []).append(group)
    pairs = [(a, b) for a in one.documents for b in one.documents if a == b]
    assert len(pairs) > len(one.documents) and all(hash(a) == hash(b) for a, b in pairs)


def test_missing_documents():
    fewer = {**RESPONSES, "bad": {name: d for name, d in RESPONSES["bad"].items() if name != "d3"}}
    with pytest.raises(corefeval.PairingError, match="`bad` lacks the document `d3`"):
        compare(key=KEY, responses=fewer)
    shared = compare(key=KEY, responses=fewer, shared_documents=True, resamples=99, metrics="muc", quiet=True)
    assert shared.document_count == 29


def test_iterators_and_labels():
    key = {name: iter([iter(entity) for entity in entities]) for name, entities in KEY.items()}
    options = {"metrics": "muc", "resamples": 99}
    assert compare(key=key, responses=RESPONSES, **options) == compare(key=KEY, responses=RESPONSES, **options)
    labels = {str(number): Labels([0, 0, 1, 1]) for number in range(25)}
    other = {str(number): Labels([0, 0, 1, 2]) for number in range(25)}
    assert compare(key=labels, responses={"a": labels, "b": other}, **options)["b"]["muc"]["rank"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "worse"}, "the baseline `worse` is not one of the systems"),
        ({"metrics": "muc", "sort": "lea"}, "cannot be sorted by `lea`"),
        ({"test": "t-test"}, "`t-test` is not a valid value for `test`"),
        ({"resamples": 0}, "`0` is not a valid value"),
        ({"confidence": 95}, "`95` is not a valid value"),
    ],
)
def test_invalid_settings(options, message):
    with pytest.raises(corefeval.SettingsError, match=message):
        compare(key=KEY, responses=RESPONSES, **options)


def test_few_documents_are_a_warning():
    key, responses = systems(documents=4)
    with pytest.warns(corefeval.CorefevalWarning, match="few-documents"):
        compare(key=key, responses=responses, metrics="muc", resamples=99)


def test_wrong_objects():
    with pytest.raises(corefeval.InputTypeError, match="`key` is a list, and others are documents by name"):
        compare(key=[[1]], responses={"a": {}})
    with pytest.raises(corefeval.InputTypeError, match="`a` is a list, and others are documents by name"):
        compare(key=KEY, responses={"a": [[1]]})
    with pytest.raises(corefeval.PairingError, match="there is only one document"):
        compare(key=[[1, 2]], responses={"a": [[1, 2]]})
    with pytest.raises(corefeval.SettingsError, match="a key was given, but no response to score"):
        compare(key=KEY, responses={})
    with pytest.raises(corefeval.InputTypeError):
        compare_files(key="a", responses=5)
