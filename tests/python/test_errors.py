"""`corefeval.errors`: rows, counts, the page, and rejected input."""

import base64
import csv
import html
import inspect
import io
import json
import pickle
import re
import subprocess
import sys
import zlib

import corefeval
import pytest
from conftest import optional
from corefeval import Document

TOKENS = [["Ada", "sold", "her", "boat", "."], ["She", "kept", "the", "oars", "."]]
KEY = Document(id="boat", tokens=TOKENS, entities=[[(0, 0), (2, 2), (5, 5)], [(3, 3), (7, 8)]])
RESPONSE = KEY.with_entities([[(0, 0), (2, 2)], [(5, 5), (7, 8)]])


@pytest.fixture(scope="module")
def read():
    return lambda name: corefeval.read(f"examples/{name}.conll")


@pytest.fixture(scope="module")
def found(read):
    responses = {name: read(name) for name in ("alder", "birch")}
    return corefeval.errors(key=read("key"), responses=responses, quiet=True)


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch, examples):
    monkeypatch.chdir(examples.parent)


def test_errors_by_hand():
    found = corefeval.errors(key=KEY, response=RESPONSE, name="a", metrics="muc", quiet=True)
    # `She` is in the entity of the oars instead of Ada's. `boat` would have been first in its entity, so the part without it
    # is split off, and `boat` is not a missing mention.
    transform = {kind: count for kind, count in found["a"]["transform"].items() if count}
    assert transform == {"conflated_entities": 1, "divided_entity": 2}
    rows = [(row["kind"], row["mention"], row["other"], row["distance"]) for row in found.to_rows()]
    assert rows == [
        ("conflated_entities", "She", "the oars", 0),
        ("divided_entity", "She", "Ada", 1),
        ("divided_entity", "the oars", "boat", 1),
        ("missed_link", "She", "her", 1),
        ("missed_link", "the oars", "boat", 1),
        ("wrong_link", "the oars", "She", 0),
    ]
    assert (found["a"]["links"]["recall"]["total"], found["a"]["links"]["precision"]["total"]) == (2, 1)
    missed = [row for row in found.to_rows() if row["kind"] == "missed_link"]
    assert {row["type"] for row in missed if row["mention"] == "She"} == {"pronoun"}
    assert found.systems.names == ("a",) and list(found) == ["a"] and len(found) == 1
    assert found.common is None and found.tree == "accessibility"


def test_mentions_have_their_own_names():
    found = corefeval.errors(key=[["a", "b"], ["c"]], response=[["a", "c"], ["b"]], metrics="muc", quiet=True)
    rows = {(row["kind"], row["mention"], row["other"]) for row in found.to_rows()}
    assert ("missed_link", "b", "a") in rows and ("wrong_link", "c", "a") in rows
    assert all(row["start"] is row["sentence"] is row["type"] is None for row in found.to_rows())
    assert "{{a}} [[b]]" in found.render("table")
    body = data(found.page(compared=False))["documents"][0]["body"]
    assert json.loads(zlib.decompress(base64.b64decode(body), wbits=-15))["words"] == ["a", "b", "c"]
    # Texts of different mentions may be the same.
    found = corefeval.errors(key=[[1, "1"]], response=[[1], ["1"]], metrics="muc", quiet=True)
    assert [row["mention"] for row in found.to_rows() if row["kind"] == "missed_link"] == ["'1'"]
    # Spans are places.
    found = corefeval.errors(key=[[(0, 1), (4, 4)]], response=[[(0, 1)], [(4, 4)]], metrics="muc", quiet=True)
    assert [(row["mention"], row["start"]) for row in found.to_rows() if row["kind"] == "missed_link"] == [("4", 4)]


def test_keywords_have_the_defaults_of_the_command():
    parameters = inspect.signature(corefeval.errors).parameters
    assert (parameters["tree"].default, parameters["types"].default) == ("accessibility", "head")
    assert "[default: accessibility]" in corefeval.errors.__doc__


def test_rows_equal_the_command(found):
    rows = list(csv.DictReader(io.StringIO(found.render("csv"))))
    assert len(rows) == len(found.to_rows()) > 20
    columns = found.to_columns()
    assert list(columns) == list(rows[0])
    assert [row["mention"].removeprefix("'") for row in rows] == [word.removeprefix("'") for word in columns["mention"]]
    command = [sys.executable, "-m", "corefeval", "errors", "-q", "-o", "jsonlines"]
    paths = ["examples/key.conll", "alder=examples/alder.conll", "birch=examples/birch.conll"]
    printed = subprocess.run([*command, *paths], capture_output=True, check=True, encoding="utf-8").stdout
    assert printed == found.render("jsonlines")
    for system in found:
        counts = {**found[system]["transform"], "missed_link": found[system]["links"]["recall"]["total"]}
        for kind, count in counts.items():
            assert sum(row["kind"] == kind and row["system"] == system for row in found.to_rows()) == count


def test_costs_lead_from_the_response_to_the_key(read):
    found = corefeval.errors(key=read("key"), response=read("cedar"), metrics="muc,lea", quiet=True)
    score = corefeval.score(key=read("key"), response=read("cedar"), metrics="muc,lea", quiet=True)
    for metric in ("muc", "lea"):
        steps = [row for row in found.costs() if row["metric"] == metric]
        assert steps[0]["corrected"] == "none" and steps[0]["f1"] == score[metric].f1
        assert steps[-1]["corrected"] == "rest" and steps[-1]["f1"] == 1
        assert len(steps) == 9 and all(row["f1_alone"] is not None for row in steps[1:-1])
    assert {row["by"] for row in found.outcomes()} >= {"type", "pronoun"}
    assert found.figures["costs"].svg.startswith("<svg")


def test_sets_are_analysed_in_one_order():
    names = [f"m{number}" for number in range(12)]
    key, response = [set(names)], [frozenset(names[1:6]), set(names[6:])]
    found = corefeval.errors(key=key, response=response, metrics="muc", quiet=True)
    ordered = [sorted(entity) for entity in response]
    assert found.to_rows() == corefeval.errors(key=[sorted(names)], response=ordered, metrics="muc", quiet=True).to_rows()
    by_name = corefeval.errors(key={"d": key}, response={"d": response}, metrics="muc", quiet=True)
    assert [row["mention"] for row in by_name.to_rows()] == [row["mention"] for row in found.to_rows()]


def test_costs_begin_with_the_score_of_repeated_mentions():
    key = [["a", "b", "c"], ["a", "d"]]
    found = corefeval.errors(key=key, response=key, metrics="muc", quiet=True)
    steps = {row["corrected"]: row["f1"] for row in found.costs()}
    assert steps["none"] == 1.0
    assert steps["response"] == corefeval.score(key=key, response=key, metrics="muc", quiet=True)["muc"].f1 < 1.0


def test_links_equal_those_of_muc(read):
    for system in ("alder", "birch", "cedar"):
        found = corefeval.errors(key=read("key"), response=read(system), quiet=True)["response"]["links"]
        muc = corefeval.score(key=read("key"), response=read(system), metrics="muc", quiet=True)["muc"].details
        assert found["recall"]["total"] == muc["recall_den"] - muc["recall_num"]
        assert found["precision"]["total"] == muc["precision_den"] - muc["precision_num"]


def test_common_errors(found):
    links = found.common["recall"]
    assert links["all"] <= min(system["total"] for system in links["systems"]) <= links["any"]


def test_rows_have_the_number_of_systems_that_make_the_error(found):
    for kind, side in (("missed_link", "recall"), ("wrong_link", "precision")):
        for system in found.common[side]["systems"]:
            rows = [row for row in found.to_rows() if (row["system"], row["kind"]) == (system["name"], kind)]
            made_by = [row["made_by"] for row in rows]
            counts = [found.common[side]["all"], system["alone"]]
            assert [made_by.count(2), made_by.count(1)] == counts and len(rows) == sum(counts)
    assert {row["made_by"] for row in found.to_rows() if not row["kind"].endswith("_link")} == {None}


def test_lists_of_mentions_have_errors_without_words():
    key, response = [[(0, 0), (2, 2), (5, 5)]], [[(0, 0), (2, 2)]]
    found = corefeval.errors(key=key, response=response, quiet=True)
    assert found["response"]["transform"]["missing_mention"] == 1
    (row,) = [row for row in found.to_rows() if row["kind"] == "missing_mention"]
    assert (row["start"], row["end"], row["mention"]) == (5, 6, "5")
    many = corefeval.errors(key={"a": key, "b": key}, responses={"x": {"a": response, "b": key}}, quiet=True)
    assert [document["id"] for document in many["x"]["documents"]] == ["a", "b"]


def test_files_and_documents_agree(read, found):
    paths = {"alder": "examples/alder.conll", "birch": "examples/birch.conll"}
    files = corefeval.errors_files(key="examples/key.conll", response=paths, quiet=True)
    assert files.to_rows() == found.to_rows() and files.costs() == found.costs()
    chosen = corefeval.errors_files(
        key="examples/key.conll", response="examples/birch.conll", kinds=["missed_link"], tree="closest", quiet=True
    )
    assert {row["kind"] for row in chosen.to_rows()} == {"missed_link"} and chosen.tree == "closest"


def test_data_frames_accept_the_rows(found):
    polars = optional("polars")
    frame = polars.DataFrame(found.to_columns())
    assert frame.height == len(found.to_rows()) and frame["distance"].dtype == polars.Int64
    pandas = optional("pandas")
    by_kind = pandas.DataFrame(found.to_rows()).groupby(["system", "kind"]).size()
    assert by_kind["alder", "missed_link"] == found["alder"]["links"]["recall"]["total"]


def data(page):
    return json.loads(page.split('id="corefeval-data">')[1].split("</script>")[0])


def test_the_page(found, tmp_path):
    page = data(found.page(title="A & B", documents=1))
    assert page["title"] == "A & B" and page["bodies"] == {"shown": 1, "total": 3}
    assert [system["name"] for system in page["systems"]] == ["alder", "birch"]
    assert "comparison" in page and "comparison" not in data(found.page(compared=False))
    assert data(found.page(documents=["stories/stairs; part 000"], compared=False))["bodies"]["shown"] == 1
    assert data(found.page(without_text=True, compared=False))["without_text"] is True
    found.save_page(tmp_path / "report.html", compared=False)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == found.page(compared=False)
    with pytest.raises(corefeval.ReadError, match="cannot be written"):
        found.save_page(tmp_path / "no" / "report.html")
    with pytest.raises(corefeval.SettingsError, match="the key has no document `nothing`"):
        found.page(documents=["nothing"], compared=False)
    with pytest.raises(corefeval.SettingsError, match="negative"):
        found.page(documents=-1)
    with pytest.raises(corefeval.InputTypeError):
        found.page(documents="stories/stairs; part 000")


def test_notebooks_show_the_page_in_a_frame(found):
    shown = found._repr_html_()
    frame = re.fullmatch(r'<iframe title="([^"]*)" sandbox="allow-scripts" style="[^"]*" srcdoc="([^"]*)"></iframe>', shown)
    assert frame and frame[1] == "Errors of alder, birch"
    assert data(html.unescape(frame[2]))["kind"] == "corefeval-viewer"


def test_hostile_text_stays_in_its_attribute():
    words = ['"><script>alert(1)</script>', "</script>", "it"]
    key = Document(id='"><b>', tokens=words, entities=[[(0, 0), (2, 2)]])
    found = corefeval.errors(key=key, response=key.with_entities([]), name='"><img src=x>', quiet=True)
    shown = found._repr_html_()
    assert shown.count("<") == 2 and shown.count(">") == 2
    assert data(found.page())["documents"][0]["id"] == '"><b>'


def test_reports_are_values(found):
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.to_rows() == found.to_rows() and again.costs() == found.costs()
    assert "<table>" in again._repr_html_() and again.figures["costs"].svg == found.figures["costs"].svg
    with pytest.raises(corefeval.SettingsError, match="pickled"):
        again.page()
    with pytest.raises(AttributeError):
        found.tree = "closest"
    assert str(found).startswith(" ") and "alder" in repr(found)
    assert found.outputs == ("table", "json", "csv", "jsonlines", "markdown", "html", "latex")
    with pytest.raises(corefeval.SettingsError, match="does not support errors"):
        found.render("conll")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, corefeval.InputTypeError, "there is no response"),
        ({"response": [[1]], "responses": {"a": [[1]]}}, corefeval.InputTypeError, "cannot be given together"),
        ({"responses": [[[1]]]}, corefeval.InputTypeError, "not a dictionary"),
        ({"response": [[1]], "kinds": "mising_mention"}, corefeval.SettingsError, "mising_mention"),
        ({"response": [[1]], "tree": "oak"}, corefeval.SettingsError, "oak"),
        ({"response": [[1]], "by": "genre"}, corefeval.SettingsError, "unknown option `by`"),
    ],
)
def test_invalid_input_is_rejected(options, error, message):
    with pytest.raises(error, match=message):
        corefeval.errors(key=[[1, 2]], quiet=True, **options)
