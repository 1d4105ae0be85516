"""Keywords: those of the command, shown, checked and spelt as Python has them."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys
import threading

import corefeval
import pytest
from conftest import ROOT
from corefeval import _options
from corefeval._keywords import spelt
from test_files import command

ENTITIES = [[(0, 1), (2, 3)], [(5, 5), (7, 9)]]
DOCUMENTS = {str(number): ENTITIES for number in range(25)}
FUNCTIONS = {
    name: getattr(_options, f"{name.title().replace('_', '')}Options")
    for kind in ("score", "compare", "agree", "correlate", "cone")
    for name in (kind, f"{kind}_files")
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_are_shown(name):
    function, keywords = getattr(corefeval, name), FUNCTIONS[name].__annotations__
    shown = inspect.signature(function).parameters
    assert keywords.keys() <= shown.keys() and "options" not in shown
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in shown.values())
    for keyword in keywords:
        assert f"\n        {keyword}: " in function.__doc__, keyword


def test_the_command_has_no_others(examples):
    for name in ("score", "compare", "agree", "correlate", "cone"):
        text = command(name, "--help").stdout
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE))
        assert len(options) > 30
        missing = options - {name.replace("_", "-") for name in FUNCTIONS[f"{name}_files"].__annotations__}
        # What functions name themselves, what reports answer, and what is about a terminal.
        own = {"pair", "x", "y", "annotated", "key-approximate", "output", "figures", "quiet"}
        assert missing <= own | {"color", "verbose", "help"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("check the text; --check-tokens no silences this", 'check the text; check_tokens="no" silences this'),
        ("score with --singletons drop, or annotate", 'score with singletons="drop", or annotate'),
        ("an error under --strict", "an error under strict=True"),
        ("make more (--resamples), or lower --confidence", "make more (resamples), or lower confidence"),
        ("give them with --weights FILE", "give them with weights=FILE"),
        ("name it with --format to be sure", "name it with format to be sure"),
        ("--key-approximate scores responses", "key=None scores responses"),
        ("choose another --match, or none", "choose another match, or none"),
        ("it can be read with --output conll", 'it can be read with render("conll")'),
        ("`x` is no value of `check-tokens`", "`x` is no value of `check_tokens`"),
        ("build with --features parquet", "build with --features parquet"),
        ("the document `no-such--thing` - that", "the document `no-such--thing` - that"),
    ],
)
def test_the_command_speaks_python(text, expected):
    assert spelt(text) == expected and spelt(expected) == expected


def test_hints_speak_python(examples):
    fewer = {"a": DOCUMENTS, "b": {"0": ENTITIES}}
    with pytest.raises(corefeval.PairingError) as caught:
        corefeval.compare(key=DOCUMENTS, responses=fewer)
    assert "shared_documents=True" in caught.value.hint and "--" not in str(caught.value)
    paths = [examples / f"{name}.conll" for name in ("alder", "birch")]
    report = corefeval.score_files(key=examples / "key.conll", response=paths, quiet=True)
    assert report.warnings and not any("--" in str(finding) for finding in report.findings)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metric": "muc"}, corefeval.SettingsError, "did you mean `metrics`"),
        ({"key_format": "conll"}, corefeval.SettingsError, "it is a keyword of corefeval.score_files"),
        ({"baseline": "a"}, corefeval.SettingsError, "it is a keyword of corefeval.compare"),
        ({"figures": "folder"}, corefeval.SettingsError, "save_figures"),
        ({"output": "latex"}, corefeval.SettingsError, "report.render"),
        ({"zzz": 1}, corefeval.SettingsError, "help(corefeval.score)"),
        ({"profile": 5}, corefeval.InputTypeError, "profile is a int, not a string"),
        ({"by": 5}, corefeval.InputTypeError, "by is a int, not a string"),
        ({"metrics": 5}, corefeval.InputTypeError, "metrics is a int"),
        ({"metrics": []}, corefeval.SettingsError, "metrics is empty"),
        ({"strict": "maybe"}, corefeval.InputTypeError, "strict is 'maybe'"),
        ({"threads": True}, corefeval.InputTypeError, "not a whole number"),
        ({"threads": 1.5}, corefeval.InputTypeError, "not a whole number"),
        ({"threads": 70000}, corefeval.SettingsError, "fewer than 65536"),
        ({"name": None}, corefeval.InputTypeError, "name is a NoneType, not a string"),
        ({"name": "\ud800"}, corefeval.InputValueError, "half of a character"),
        ({"profile": "\ud800"}, corefeval.InputValueError, "half of a character"),
        ({"weights": "ace"}, corefeval.SettingsError, "lists of mentions do not say"),
        ({"settings": "profile:conll", "profile": "conll"}, corefeval.SettingsError, "leave out one of them"),
    ],
)
def test_what_cannot_be_given(options, error, message):
    with pytest.raises(error) as caught:
        corefeval.score(key=ENTITIES, response=ENTITIES, **options)
    assert message in str(caught.value) and caught.value.hint


def test_a_scorer_sends_groups_to_its_report():
    with pytest.raises(corefeval.SettingsError, match=r"scorer.report\(by="):
        corefeval.Scorer(by="document")


def test_the_settings_of_a_report_are_those_of_lists_too():
    first = corefeval.score(key=ENTITIES, response=ENTITIES, singletons="drop", average="macro", profile="coval")
    again = corefeval.score(key=ENTITIES, response=ENTITIES, settings=first.signature)
    assert again.signature == first.signature


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (5, "pairs is a int"),
        ("ab", "pairs is a str"),
        (["key.conll", "alder.conll"], r"pairs\[0\] is a str"),
        ([("a", "b", "c")], r"pairs\[0\] has 3 paths"),
        ([("a", 5)], r"pairs\[0\]\[1\] is a int"),
    ],
)
def test_pairs_that_are_none(pairs, message):
    with pytest.raises(corefeval.CorefevalError, match=message):
        corefeval.score_files(pairs=pairs)


def test_paths_are_paths(examples, tmp_path):
    """What the command takes for NAME=PATH is a path where a program says so."""
    alder = examples / "alder.conll"
    with pytest.raises(corefeval.ReadError, match="no such file"):
        corefeval.score_files(key=examples / "key.conll", response=f"name={alder}", quiet=True)
    odd = tmp_path / "a=b.conll"
    odd.write_bytes(alder.read_bytes())
    systems = {"one": odd, "two=three": alder, "four": os.fsencode(alder)}
    report = corefeval.score_files(key=examples / "key.conll", response=systems, metrics="muc", quiet=True)
    assert [system.name for system in report.systems] == list(systems)
    assert len({system["muc"].f1 for system in report.systems}) == 1
    report = corefeval.score_files(key=examples / "key.conll", response=[odd, alder], metrics="muc", quiet=True)
    assert [system.name for system in report.systems] == ["a=b.conll", "alder.conll"]
    with pytest.raises(corefeval.InputValueError, match="NUL"):
        corefeval.score_files(key="a\0b", response=alder)


def test_weights_from_python(examples):
    weights = examples / "weights" / "weights.toml"
    key, response = (corefeval.read(examples / f"{name}.conll") for name in ("key", "alder"))
    files = corefeval.score_files(
        key=examples / "key.conll", response=examples / "alder.conll", weights=weights, quiet=True
    )
    documents = corefeval.score(key=key, response=response, weights=weights, quiet=True)
    assert documents.signature == files.signature and list(documents.items()) == list(files.items())
    scorer = corefeval.Scorer(weights=weights, quiet=True)
    scorer.update(key=key, response=response)
    assert list(scorer.report().items()) == list(files.items())


class TestComparison:
    """What compare has of the command beside intervals and tests."""

    def test_groups(self, examples):
        paths = {name: examples / f"{name}.conll" for name in ("alder", "birch")}
        key, *responses = (corefeval.read(examples / f"{name}.conll") for name in ("key", *paths))
        options = {"by": "entity-size", "metrics": "muc,b_cubed", "resamples": 99, "quiet": True}
        files = corefeval.compare_files(key=examples / "key.conll", responses=paths, **options)
        documents = corefeval.compare(key=key, responses=dict(zip(paths, responses)), **options)
        lists = corefeval.compare(
            key={document.id: document.clusters for document in key},
            responses={
                name: {document.id: document.clusters for document in side} for name, side in zip(paths, responses)
            },
            **options,
        )
        assert files.by == "entity-size" and list(files.groups) == list(lists.groups) and len(files.groups) > 2
        assert documents.groups == files.groups
        for name, group in files.groups.items():
            assert group["birch"]["muc"] == lists.groups[name]["birch"]["muc"]
            assert group.systems == ("alder", "birch") and group.documents == lists.groups[name].documents
        rows = files.to_rows()
        assert len(rows) == 4 * (1 + len(files.groups)) and rows[0]["group"] is None
        assert {row["group"] for row in rows[4:]} == set(files.groups)
        assert files.groups["2 mentions"].pairs[0]["first"] == "alder"
        with pytest.raises(AttributeError):
            files.groups["2 mentions"].id = "x"

    def test_figures(self, examples, tmp_path):
        paths = [examples / f"{name}.conll" for name in ("key", "alder", "birch")]
        options = ["-q", "--resamples", "99", "--figures", tmp_path / "command"]
        assert command("compare", *options, *paths).returncode == 0
        comparison = corefeval.compare_files(key=paths[0], responses=paths[1:], resamples=99, quiet=True)
        comparison.save_figures(tmp_path / "python")
        written = {path.name: path.read_bytes() for path in (tmp_path / "command").iterdir()}
        assert written == {path.name: path.read_bytes() for path in (tmp_path / "python").iterdir()}
        assert {f"{name}.svg" for name in comparison.figures} == {name for name in written if name.endswith(".svg")}
        forest = comparison.figures["forest"]
        assert forest._repr_svg_().encode() == written["forest.svg"] and forest.name == "forest"
        correlation = corefeval.correlate_files(
            x="muc", y="lea", key=paths[0], responses=paths[1:], resamples=99, quiet=True
        )
        assert all(figure.svg.startswith("<svg") for figure in correlation.figures.values()) and correlation.figures
        (tmp_path / "file").write_text("")
        with pytest.raises(corefeval.ReadError, match="cannot be written"):
            comparison.save_figures(tmp_path / "file")

    def test_folders_of_systems_and_a_cache(self, examples, tmp_path):
        systems = tmp_path / "systems"
        systems.mkdir()
        for name in ("alder", "birch"):
            (systems / f"{name}.conll").write_bytes((examples / f"{name}.conll").read_bytes())
        options = {"key": examples / "key.conll", "systems": systems, "resamples": 99, "quiet": True}
        plain = corefeval.compare_files(**options)
        assert plain.systems == ("alder", "birch")
        assert [corefeval.compare_files(**options, cache=tmp_path / "cache") for _ in range(2)] == [plain, plain]
        assert any((tmp_path / "cache").iterdir())
        (systems / "broken.conll").write_text("#begin document (x);\n(\n")
        with pytest.raises(corefeval.PairingError, match="no document in common") as caught:
            corefeval.compare_files(**options)
        assert "skip_broken=True" in caught.value.hint
        report = corefeval.compare_files(**options, skip_broken=True)
        assert [left["name"] for left in report.systems_left_out] == ["broken"]
        with pytest.raises(corefeval.InputTypeError, match="responses has nothing"):
            corefeval.compare_files(key=examples / "key.conll")

    def test_iterators_are_gone_through_once(self):
        def one_by_one():
            return {"a": {"x": iter("xy"), "y": iter("zw")}.values(), "b": iter([iter("ab")])}

        same = {"a": ["xy", "zw"], "b": ["ab"]}
        same = {name: [list(entity) for entity in entities] for name, entities in same.items()}
        comparison = corefeval.compare(
            key=one_by_one(), responses={"s": same, "t": same}, metrics="muc", resamples=9, quiet=True
        )
        assert [comparison[name]["muc"]["f1"] for name in "st"] == [1, 1]


def test_reports_stay_as_they_are_to_the_bottom():
    report = corefeval.compare(key=DOCUMENTS, responses={"a": DOCUMENTS}, resamples=9, quiet=True)
    with pytest.raises(TypeError):
        report["a"]["muc"]["f1"] = 5
    with pytest.raises(TypeError):
        report["a"]["muc"]["interval"][0] = 5
    blanc = corefeval.score(key=ENTITIES, response=ENTITIES, quiet=True)["blanc"]
    with pytest.raises(TypeError):
        blanc.details["coreference_links"]["recall_num"] = 999


def test_agreement_by_ace_value_has_rows(examples):
    key, response = (corefeval.read(examples / f"{name}.conll") for name in ("key", "alder"))
    agreement = corefeval.agree(annotators={"a": key, "b": response}, metrics="ace_value", resamples=9, quiet=True)
    value = corefeval.score(key=key, response=response, metrics="ace_value", quiet=True)["ace_value"].value
    assert agreement.to_rows()[0]["value"] == value and agreement._repr_html_()


def test_threads_share_a_scorer():
    scorer = corefeval.Scorer(metrics="muc", quiet=True)
    other = corefeval.Scorer(metrics=["muc"], quiet=True)
    raised = []

    def work():
        try:
            for _ in range(100):
                scorer.update(key=ENTITIES, response=ENTITIES)
                other.update(key=ENTITIES, response=ENTITIES)
            scorer.report()
            len(other)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not raised and len(scorer) == len(other) == 600
    both = [threading.Thread(target=one.merge, args=(two,)) for one, two in ((scorer, other), (other, scorer))]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert sorted((len(scorer), len(other))) == [1200, 1800]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_control_c_is_answered():
    """Minutes of resampling end where Ctrl-C is pressed, and not when they are over."""
    code = """
import signal, corefeval
key = {str(i): [[1, 2, 3], [4, 5]] for i in range(400)}
systems = {f"s{n}": {i: [[1, 2 + int(i) * n % 2], [4, 5]] for i in key} for n in range(24)}
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    corefeval.compare(key=key, responses=systems, resamples=1_000_000, quiet=True)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=100)
    assert done.stdout == "interrupted\n", done.stderr


def test_documents_go_in_lists(examples):
    key = corefeval.read(examples / "key.conll")
    by_name = {document.id: document for document in key}
    for wrong, hint in ((by_name, "[*documents.values()]"), (by_name.values(), "[*documents]"), (set(key), "[*documents]")):
        with pytest.raises(corefeval.InputTypeError) as caught:
            corefeval.score(key=wrong, response=key)
        assert hint in caught.value.hint


def test_what_is_written_is_not_called_compressed(examples, tmp_path):
    key = corefeval.read(examples / "key.conll")
    with pytest.raises(corefeval.SettingsError, match="would not be compressed"):
        corefeval.write(key, tmp_path / "key.conll.gz", format="conll")
    assert not any(tmp_path.iterdir())
    failed = command("convert", "-t", "jsonlines", "-o", tmp_path / "x.gz", examples / "key.conll")
    assert failed.returncode == 2 and "would not be compressed" in failed.stderr and not any(tmp_path.iterdir())


TYPED = """
import corefeval
from corefeval import Labels

key: list[list[tuple[int, int]]] = [[(0, 1)]]
report = corefeval.score(key=key, response=Labels([1]), match="head", singletons="drop", check_tokens=False)
f1: float = report["muc"].f1
comparison = corefeval.compare(key={"a": key}, responses={"s": {"a": key}}, by="genre", correction="holm", seed=1)
check: corefeval.ConeCheck = corefeval.cone(responses=corefeval.read("x"), annotated=corefeval.read("y"))
plain: corefeval.Report = corefeval.cone_files(key="x", responses="y")
text: str | dict[str, str] = corefeval.write(corefeval.read("x"), format="conll")
corefeval.Scorer(metrics=["muc"], weights="ace").update(key=key, response=key)
"""
WRONG = """
import corefeval

corefeval.score(key=5, response=[[1]])
corefeval.score(key=[[1]], response=None)
corefeval.score(key=[[[0, 1]]], response=[[(0, 1)]])
corefeval.score(key=[[1]], response=[[1]], metric="muc")
corefeval.score(key=[[1]], response=[[1]], match="hed")
corefeval.Scorer(singleton="drop")
corefeval.compare(key=[[1]], responses=[[1]])
corefeval.compare(key={}, responses={}, correction="hlm")
corefeval.compare(key={}, responses={}, resamples="many")
corefeval.agree(annotators={}, interval=0.9)
corefeval.correlate_files(x="muc", key="k", responses="r")
"""


@pytest.mark.skipif(not __import__("importlib.util").util.find_spec("mypy"), reason="mypy is not installed")
def test_types_are_those_of_the_options(tmp_path):
    """A program that is right has no fault, and one that is wrong has one in each line."""
    for text, faults in ((TYPED, []), (WRONG, [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])):
        program = tmp_path / "program.py"
        program.write_text(text.lstrip("\n"))
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", tmp_path / "cache", program],
            capture_output=True, text=True, cwd=tmp_path,
        )
        found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        assert sorted(found) == [line - 1 for line in faults], done.stdout + done.stderr


def test_warnings_say_where_in_lists():
    key, response = {"d": [["a", "a", "b"], []]}, {"d": [["a", "b"], ["b"]]}
    texts = [str(finding) for finding in corefeval.score(key=key, response=response, quiet=True).findings]
    assert any(text.startswith("key[0][1] of document `d`: ") and "is in key[0])" in text for text in texts)
    assert any(text.startswith("key[1] of document `d`: this entity has no mention") for text in texts)
    many = {name: {str(number): side["d"] for number in range(2)} for name, side in (("k", key), ("x", response))}
    compared = corefeval.compare(key=many["k"], responses={"x": many["x"]}, resamples=9, quiet=True)
    places = [place["message"] for finding in compared.findings for place in finding.places]
    assert any(text.startswith("x[1][0] of document `1`: ") for text in places)
