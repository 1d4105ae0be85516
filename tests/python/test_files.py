"""score_files has the results, the options and the errors of the command."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

import corefeval
import pytest
from conftest import ROOT, assert_nothing_leaks
from corefeval import score_files


def command(*arguments):
    """Returns the output of the installed command without a terminal."""
    script = pathlib.Path(sys.executable).with_name("corefeval")
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return subprocess.run([script, *map(str, arguments)], capture_output=True, text=True, env=environment)


def test_equal_to_the_command(examples):
    key, response = examples / "key.conll", examples / "alder.conll"
    report = score_files(key=key, response=response)
    assert report.render("json") == command("score", "-q", "-o", "json", key, response).stdout
    assert f"{report}\n" == command("score", "-q", key, response).stdout
    report = score_files(key=key, response=str(response), profile="coval", singletons="drop", by="document")
    options = ["--profile", "coval", "--singletons", "drop", "--by", "document"]
    assert report.render("json") == command("score", "-q", "-o", "json", *options, key, response).stdout
    assert [document.id for document in report.documents]


def test_several_responses(examples):
    key = examples / "key.conll"
    report = score_files(key=key, response=[examples / "alder.conll", examples / "birch.conll"], metrics="lea", quiet=True)
    assert [system.name for system in report.systems] == ["alder", "birch"]
    with pytest.raises(LookupError, match="a score of a response"):
        report["lea"]
    named = score_files(key=key, response={"A": examples / "alder.conll"}, metrics=["lea", "muc"], quiet=True)
    assert named.systems[0].name == "A" and list(named) == ["A"] and list(named["A"]) == ["lea", "muc"]
    assert report.systems[0]["lea"] == named["A"]["lea"]
    assert report._repr_html_().count("<tr>") == 3 and ">birch</th>" in report._repr_html_()


def test_flags_and_pairs(examples):
    pairs = examples / "pairs"
    report = score_files(key=pairs / "key", response=pairs / "alder", pair_files=True, metrics="muc", quiet=True)
    assert len(report.averages) == 1
    named = [(path, pairs / "alder" / path.name) for path in sorted((pairs / "key").iterdir())]
    again = score_files(pairs=named, metrics="muc", quiet=True)
    assert again.averages[0]["muc"] == report.averages[0]["muc"]
    assert score_files(
        key=examples / "key.conll", response=examples / "alder.conll", remove_nested=False, np_only=True
    ).signature.endswith("|np-only:yes")


def test_settings_from_a_signature(examples):
    paths = {"key": examples / "key.conll", "response": examples / "alder.conll"}
    report = score_files(**paths, singletons="drop", match="exact")
    assert score_files(**paths, settings=report.signature) == report


def test_errors_have_places(tmp_path, examples):
    broken = tmp_path / "broken.jsonlines"
    good = '{"doc_key": "a", "sentences": [["Ada"]], "clusters": [[[0, 0]]]}\n'
    broken.write_text(good + "\n" + '{"doc_key": "b", "sentences": [["Ada"]], "clusters": [[[0, "x"]]]}\n')
    with pytest.raises(corefeval.FormatError) as caught:
        score_files(key=broken, response=broken)
    error = caught.value
    assert (error.file, error.line, error.code) == (str(broken), 3, "format")
    assert error.column and str(error).startswith(f"{broken}:3:")
    with pytest.raises(corefeval.ReadError, match="no such file") as caught:
        score_files(key=tmp_path / "absent", response=broken)
    assert isinstance(caught.value, OSError) and caught.value.file == str(tmp_path / "absent")
    with pytest.raises(corefeval.PairingError, match="no document in common") as caught:
        score_files(key=examples / "key.jsonlines", response=examples / "links" / "key.links")
    assert len(caught.value.related) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"singleton": "drop"}, "did you mean `singletons`"),
        ({"singletons": "dropp"}, "`dropp` is not a valid value for `singletons`"),
        ({"match": True}, "match is a bool, not a string"),
        ({"format": "connl"}, "unknown format `connl`"),
        ({"metrics": "bcubbed"}, "did you mean `b_cubed`"),
        ({"threads": 0}, "0 is not a number of threads"),
        ({"settings": "x", "profile": "conll"}, "already has a profile"),
        ({"output": "json"}, "unknown option `output`\n  hint: a report has them all"),
    ],
)
def test_invalid_options(examples, options, message):
    with pytest.raises(corefeval.CorefevalError) as caught:
        score_files(key=examples / "key.conll", response=examples / "alder.conll", **options)
    assert message in str(caught.value)


def test_invalid_paths(examples):
    for key, response in ((5, "a"), ("a", 5), ("a", [5]), ([["a"]], "a")):
        with pytest.raises(corefeval.InputTypeError):
            score_files(key=key, response=response)
    with pytest.raises(corefeval.InputTypeError, match="there is no response"):
        score_files(key="a")
    with pytest.raises(corefeval.ReadError):
        score_files(key="--help", response="-x")


# The limit is checked against memory as Linux reports it; other systems have no such check to test.
@pytest.mark.skipif(sys.platform != "linux", reason="the system does not report memory")
def test_pipes_respect_the_memory_limit(tmp_path, examples):
    pipe = tmp_path / "pipe.conll"
    os.mkfifo(pipe)

    def fill():
        with contextlib.suppress(BrokenPipeError), open(pipe, "w") as writing:
            writing.write("#begin document (a); part 000\n" + "word\t-\n" * (1 << 20) + "#end document\n")

    # Another thread continues while a pipe is read.
    for read in (
        lambda **limit: score_files(key=pipe, response=examples / "alder.conll", **limit),
        lambda **limit: corefeval.read(pipe, **limit),
        lambda **limit: corefeval.read(examples / "alder.conll", onto=pipe, **limit),
    ):
        writer = threading.Thread(target=fill)
        writer.start()
        with pytest.raises(corefeval.CorefevalError, match="1 MiB of memory"):
            read(max_memory="1M")
        writer.join()
    with pytest.raises(corefeval.SettingsError, match="max_memory"):
        corefeval.reads("", "conll", max_memory="much")


def test_warnings(examples):
    key, response = examples / "key.conll", examples / "cedar.conll"
    report = score_files(key=key, response=response, quiet=True)
    if report.warnings:
        with pytest.warns(corefeval.CorefevalWarning):
            score_files(key=key, response=response)
    noted = [finding.code for finding in report.findings if finding.severity == "note"]
    assert "format-assumed" in noted


def test_the_command_that_the_package_installs(examples):
    assert command("--version").stdout == f"corefeval {corefeval.__version__}\n"
    assert command("score").returncode == 2
    failed = command("score", "absent", "absent")
    assert failed.returncode == 1 and "no such file" in failed.stderr
    module = subprocess.run([sys.executable, "-m", "corefeval", "list", "metrics"], capture_output=True, text=True)
    assert all(metric in module.stdout for metric in corefeval.list_metrics())
    compared = command("compare", "-q", "-o", "json", *(examples / f"{n}.conll" for n in ("key", "alder", "birch")))
    assert json.loads(compared.stdout)["systems"]


def test_scoring_files_does_not_leak(examples):
    paths = {"key": examples / "key.conll", "response": examples / "alder.conll", "metrics": "muc"}
    assert_nothing_leaks(lambda: score_files(**paths))


def test_tables_of_counts(examples, tmp_path):
    """`overlap` is the option of the command, for scores and comparisons."""
    first, second = (examples / "counts" / f"part{number}.csv" for number in (1, 2))
    report = score_files(overlap=first, quiet=True)
    assert report.render("json") == command("score", "-q", "-o", "json", "--overlap", first).stdout
    named = score_files(overlap={"a": first, "b": second}, metrics="muc,lea", by="document", quiet=True)
    assert named.systems.names == ("a", "b") and named["a"]["lea"] == report["lea"] and named.systems[0].documents
    compared = corefeval.compare_files(overlap={"a": first, "b": first}, resamples=9, quiet=True)
    printed = command("compare", "-q", "-o", "json", "--resamples", "9", "--overlap", f"a={first}", f"b={first}")
    assert compared.render("json") == printed.stdout
    for call, options in (
        (corefeval.score_files, {"key": first}),
        (corefeval.score_files, {"pairs": [(first, second)]}),
        (corefeval.compare_files, {"responses": [first]}),
    ):
        with pytest.raises(corefeval.InputTypeError, match="tables of counts cannot be combined with"):
            call(overlap=[first], **options)
    with pytest.raises(corefeval.SettingsError, match="no input was given"):
        score_files(overlap=[])
    with pytest.raises(corefeval.SettingsError, match="has no effect on tables of counts"):
        score_files(overlap=first, match="head")
    # An error about a key names the keyword.
    with pytest.raises(corefeval.FormatError, match="this is a table of counts") as caught:
        score_files(key=first, response=second)
    assert "overlap=COUNTS" in caught.value.hint
    with pytest.raises(corefeval.InputTypeError, match="there is no key"):
        corefeval.compare_files(responses=[first])


def test_tables_have_the_columns_of_the_page(tmp_path):
    """The page on formats lists the names of columns; the first one that is present is read."""
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (mention|entity|document)(?: \(optional\))? \| (`.*`) \|$", page, re.MULTILINE)
    names = {role: re.findall(r"`(\w+)`", cell) for role, cell in rows}
    assert list(names) == ["mention", "entity", "document"]
    lines = ["d,m1,a,other1", "d,m2,a,other2", "e,m3,b,other3", "e,m4,b,other4"]
    key, response = tmp_path / "key.csv", tmp_path / "response.csv"
    key.write_text("\n".join(["document,mention,entity,note", *lines]), encoding="utf-8")
    for role, of_role in names.items():
        for first, second in zip(of_role, [*of_role[1:], "note"]):
            header = {"document": "document", "mention": "mention", "entity": "entity"} | {role: first}
            response.write_text("\n".join([",".join([*header.values(), second]), *lines]), encoding="utf-8")
            assert score_files(key=key, response=response, metrics="muc")["muc"].f1 == 1.0, (first, second)


def test_files_without_mentions_are_errors_and_documents_warnings(tmp_path, examples):
    key = corefeval.read(examples / "key.conll")
    empty = [document.with_entities([]) for document in key]
    path = tmp_path / "empty.conll"
    corefeval.write(empty, path, format="conll")
    with pytest.raises(corefeval.CorefevalError, match="none of its 3 documents has a mention"):
        score_files(key=examples / "key.conll", response=path)
    accepted = score_files(key=examples / "key.conll", response=path, allow_empty=True, quiet=True)
    for response in (empty, corefeval.read(path)):
        report = corefeval.score(key=key, response=response, quiet=True)
        assert report["muc"] == accepted["muc"] and report["muc"].recall == 0
        found = {finding.code: finding.count for finding in report.warnings}
        assert found["no-mentions"] == 3
