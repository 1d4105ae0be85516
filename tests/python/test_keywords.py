"""Keywords: the options of the command, with Python's spelling, documented and checked."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import typing

import corefeval
import pytest
from conftest import NEEDS_MYPY, ROOT, optional, side_by_side
from corefeval import Labels, _options
from test_files import command

ENTITIES = [[(0, 1), (2, 3)], [(5, 5), (7, 9)]]
DOCUMENTS = {str(number): ENTITIES for number in range(25)}
FUNCTIONS = {
    name: getattr(_options, f"{name.title().replace('_', '')}Options")
    for kind in ("score", "compare", "agree", "correlate", "cone", "errors", "explain")
    for name in (kind, f"{kind}_files")
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_keywords_are_documented(name):
    function, keywords = getattr(corefeval, name), FUNCTIONS[name].__annotations__
    shown = inspect.signature(function).parameters
    assert keywords.keys() <= shown.keys() and "options" not in shown
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in shown.values())
    for keyword in keywords:
        assert f"\n        {keyword}: " in function.__doc__, keyword


def test_type_hints_can_be_resolved():
    for name in FUNCTIONS:
        hints = typing.get_type_hints(getattr(corefeval, name))
        assert hints["quiet"] is bool and inspect.isclass(hints["return"]) or hints["return"]
    shown = inspect.signature(corefeval.Scorer).parameters
    assert _options.ScorerOptions.__annotations__.keys() <= shown.keys()


#: Options of the command that are not keywords, because they concern a terminal or outputs, which are methods of reports...
OF_TERMINALS = {"color", "for-teams", "help", "no-warnings", "output", "verbose"}
FIGURES = {"figures", "figure-title", "figure-width"}
#: ...or because they are arguments with other names (`pairs`, a key that is None), or methods of reports.
NO_KEYWORDS = {
    "score": {"columns", "details", "digits", "pair"},
    "compare": {"digits", "series", *FIGURES},
    "agree": {"columns", "digits"},
    "correlate": FIGURES,
    "cone": {"columns", "details", "digits", "key-approximate", *FIGURES},
    "errors": {"digits", *FIGURES},
    "explain": {"columns", "digits"},
}


def test_all_options_have_keywords(examples):
    for name, others in NO_KEYWORDS.items():
        text = command(name, "--help").stdout
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE))
        assert len(options) > 30
        parameters = inspect.signature(getattr(corefeval, f"{name}_files")).parameters
        missing = options - {parameter.replace("_", "-") for parameter in parameters}
        assert missing == OF_TERMINALS | others, name


def _finding(report, code):
    return next(str(finding) for finding in report.findings if finding.code == code)


def _error(call, *given, **options):
    with pytest.raises(corefeval.CorefevalError) as caught:
        call(*given, quiet=True, **options)
    return str(caught.value)


def test_messages_name_keywords(examples):
    key, alder = examples / "key.conll", examples / "alder.conll"
    score, compare = corefeval.score, corefeval.compare_files
    one = {"key": ENTITIES, "response": ENTITIES}
    assert "`x` is not a valid value for `check_tokens`" in _error(corefeval.score_files, key=key, response=alder, check_tokens="x")
    assert "weights=FILE" in _error(corefeval.score_files, key=key, response=alder, metrics="b_cubed:weight=table")
    assert "name them: {name: path}" in _error(compare, key=key, responses=[alder, alder])
    assert 'add it to metrics="muc"' in _error(compare, key=key, responses=[alder, key], metrics="muc", sort="lea")
    report = score(**{**one, "response": [[(0, 1), (2, 3)], [(5, 5)]]}, singletons="keep", quiet=True)
    assert 'score with singletons="drop", or annotate' in _finding(report, "singletons-one-sided")
    assert "without strict=True this is a warning" in _error(score, **{**one, "response": []}, strict=True)
    report = corefeval.compare(key=DOCUMENTS, responses={"a": DOCUMENTS, "b": DOCUMENTS}, resamples=10, quiet=True)
    assert "increase resamples, or lower confidence" in _finding(report, "few-resamples")


def test_numbers_to_find_are_numbers_or_strings(examples):
    files = {"key": examples / "key.conll", "response": examples / "alder.conll", "quiet": True}
    wanted = {}
    for find in (87.09, "87.09", [87.09], ["87.09"], (87.09,)):
        search = corefeval.explain_files(**files, find=find).search
        wanted[str(find)] = ([each["number"] for each in search["wanted"]], search["hits"][0]["name"])
    assert set(map(str, wanted.values())) == {"(['87.09'], 'conll')"}
    several = corefeval.explain_files(**files, find=[87.09, "muc.recall=88.31", 90]).search["wanted"]
    assert [each["number"] for each in several] == ["87.09", "88.31", "90"]
    key, response = (corefeval.read(examples / f"{name}.conll") for name in ("key", "alder"))
    assert corefeval.explain(key=key, response=response, find=87.09, quiet=True).search["hits"][0]["name"] == "conll"
    for wrong in (True, [None], {"conll": 1}.items()):
        with pytest.raises(corefeval.InputTypeError, match="give a number, a string, or a list"):
            corefeval.explain_files(**files, find=wrong)
    with pytest.raises(corefeval.SettingsError, match="find is empty"):
        corefeval.explain_files(**files, find=[])
    with pytest.raises(corefeval.SettingsError, match="not a percentage between 0 and 100"):
        corefeval.explain_files(**files, find=870.9)


def test_messages_have_parts():
    report = corefeval.score(key=ENTITIES, response=[[(0, 1), (2, 3)], [(5, 5)]], singletons="keep", quiet=True)
    finding = next(finding for finding in report.findings if finding.code == "singletons-one-sided")
    expected = ["score with ", ["value", "singletons", "drop", 'singletons="drop"'], ", or annotate them on both sides"]
    assert finding.remedy.parts == expected == pickle.loads(pickle.dumps(finding.remedy)).parts
    assert pickle.loads(pickle.dumps(report)).findings == report.findings


def test_indices_in_lists_start_at_0():
    twice = [[(0, 1), (2, 3), (0, 1)], [(5, 5), (7, 9)]]
    report = corefeval.score(key={"d": ENTITIES}, response={"d": twice}, quiet=True)
    place = report.warnings[0].places[0]
    assert place["message"].startswith("response[0][2] of document `d`: ") and "response[0][0]" in place["message"]
    with pytest.raises(corefeval.StrictError) as caught:
        corefeval.score(key={"d": ENTITIES}, response={"d": twice}, strict=True)
    assert caught.value.file == "response[0][2]" and caught.value.line is None


def test_hints_use_keywords(examples):
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
        ({"zzz": 1}, corefeval.SettingsError, "help() of the function"),
        ({"profile": 5}, corefeval.InputTypeError, "profile is a int, not a string"),
        ({"by": 5}, corefeval.InputTypeError, "by is a int"),
        ({"metrics": 5}, corefeval.InputTypeError, "metrics is a int"),
        ({"metrics": []}, corefeval.SettingsError, "metrics is empty"),
        ({"strict": "maybe"}, corefeval.InputTypeError, "strict is 'maybe'"),
        ({"threads": True}, corefeval.InputTypeError, "not a whole number"),
        ({"threads": 1.5}, corefeval.InputTypeError, "not a whole number"),
        ({"threads": 70000}, corefeval.SettingsError, "from 1 to 65535"),
        ({"name": None}, corefeval.InputTypeError, "name is a NoneType, not a string"),
        ({"name": "\ud800"}, corefeval.InputValueError, "half of a character"),
        ({"profile": "\ud800"}, corefeval.InputValueError, "half of a character"),
        ({"weights": "ace"}, corefeval.SettingsError, "lists of mentions do not have"),
        ({"settings": "profile:conll", "profile": "conll"}, corefeval.SettingsError, "leave out one of them"),
    ],
)
def test_invalid_keywords(options, error, message):
    with pytest.raises(error) as caught:
        corefeval.score(key=ENTITIES, response=ENTITIES, **options)
    assert message in str(caught.value) and caught.value.hint


def test_scorers_refer_groupings_to_report():
    with pytest.raises(corefeval.SettingsError, match=r"scorer.report\(by="):
        corefeval.Scorer(by="document")


def test_the_settings_of_a_report_are_those_of_lists_too():
    first = corefeval.score(key=ENTITIES, response=ENTITIES, singletons="drop", average="macro", profile="coval")
    again = corefeval.score(key=ENTITIES, response=ENTITIES, settings=first.signature)
    assert again.signature == first.signature


#: Settings of annotation or texts that lists of mentions cannot have.
NOT_OF_LISTS = {
    "align": "text",
    "annotation": "discourse-deixis",
    "boundary_crossing": True,
    "check_tokens": "no",
    "extra_zeros": "spurious",
    "match_details": "corefud-1.2",
    "notation": "pipe",
    "optional": "if-found",
    "order": "zeros-first",
    "place": "sentence",
    "split_parts": "whole",
    "zero_match": "dependent",
    "zeros": "drop",
}

#: Functions that take lists of mentions.
ON_LISTS = (
    lambda **options: corefeval.score(key=ENTITIES, response=ENTITIES, **options),
    lambda **options: corefeval.score(key=ENTITIES, responses={"a": ENTITIES, "b": ENTITIES}, **options),
    lambda **options: corefeval.agree(annotators={"a": ENTITIES, "b": ENTITIES}, **options),
)


@pytest.mark.parametrize("on_lists", ON_LISTS)
@pytest.mark.parametrize("name", NOT_OF_LISTS)
def test_settings_that_lists_cannot_have_are_not_signed(on_lists, name):
    """They change nothing, and a warning reports them in the words of the command."""
    usual = on_lists()
    value = {True: "yes"}.get(NOT_OF_LISTS[name], NOT_OF_LISTS[name])
    setting = f"{name.replace('_', '-')}:{value}"
    with pytest.warns(corefeval.CorefevalWarning, match=f"`{setting}` has no effect on (lists|annotators)"):
        report = on_lists(**{name: NOT_OF_LISTS[name]})
    assert report.to_rows() == usual.to_rows() and setting not in report.signature
    with pytest.raises(corefeval.StrictError, match="has no effect on"):
        on_lists(**{name: NOT_OF_LISTS[name]}, strict=True)


def test_settings_of_lists_are_signed():
    """Settings of span ends and of matching act on lists."""
    spans, longer = [[(0, 1), (4, 4)]], [[(0, 2), (4, 5)]]
    for sides in ({"response": longer}, {"responses": {"a": longer}}, {"responses": {"a": longer, "b": longer}}):
        report = corefeval.score(key=spans, **sides, metrics="muc", response_span_end="exclusive")
        assert report.signature.endswith("|format:lists|response-span-end:exclusive")
        scores = report["muc"] if "muc" in report else report["a"]["muc"]
        assert scores.f1 == 1
    report = corefeval.score(
        key=spans, responses={"a": longer, "b": spans}, metrics="muc", span_end_of="a=exclusive"
    )
    assert report["a"]["muc"].f1 == 1 and report.signature.endswith("|format:lists|span-end-of:a=exclusive")
    for name, value in (("singletons", "drop"), ("duplicates", "last"), ("average", "macro"), ("match", "overlap")):
        assert f"|{name}:{value}" in corefeval.score(key=spans, response=spans, **{name: value}).signature


def test_parameters_of_lists():
    """Bounds of CEAF apply to lists; there is no text to align."""
    bounded = corefeval.score(key=ENTITIES, response=ENTITIES, metrics="ceaf_e", ceaf_bound="0.1")
    assert bounded.signature.endswith("|format:lists|ceaf-bound:0.1")
    with pytest.warns(corefeval.CorefevalWarning, match="ceaf-bound:0.1` has no effect on these metrics"):
        corefeval.score(key=ENTITIES, response=ENTITIES, metrics="muc", ceaf_bound="0.1")
    for on_lists in ON_LISTS:
        with pytest.warns(corefeval.CorefevalWarning, match="min_aligned has no effect: no text is aligned"):
            assert "min-aligned" not in on_lists(min_aligned="0.9").signature


def test_pairs_report_a_share_of_aligned_text_without_effect(examples):
    pair = tuple(str(examples / f"{side}.conll") for side in ("key", "alder"))
    for inputs in ({"key": pair[0], "response": pair[1]}, {"pairs": [pair]}):
        with pytest.warns(corefeval.CorefevalWarning, match="min_aligned has no effect: no text is aligned"):
            corefeval.score_files(**inputs, min_aligned="0.9")


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
def test_invalid_pairs(pairs, message):
    with pytest.raises(corefeval.CorefevalError, match=message):
        corefeval.score_files(pairs=pairs)


def test_paths_are_paths(examples, tmp_path):
    """A path stays a path, even if the command would read it as NAME=PATH."""
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
    assert [system.name for system in report.systems] == ["a=b", "alder"]
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
    """Options of compare other than intervals and tests."""

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
        assert files.by == "entity-size" and files.groups.names == lists.groups.names and len(files.groups) > 2
        assert documents.groups == files.groups
        for group in files.groups:
            same = lists.groups[group.name]
            assert group["birch"]["muc"] == same["birch"]["muc"] and group.document_count == same.document_count
            assert group.systems.names == ("alder", "birch") and group.systems["birch"] == group["birch"]
        rows = files.to_rows()
        assert len(rows) == 4 * (1 + len(files.groups)) and rows[0]["group"] is None
        assert {row["group"] for row in rows[4:]} == set(files.groups.names)
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
        assert plain.systems.names == ("alder", "birch")
        assert [corefeval.compare_files(**options, cache=tmp_path / "cache") for _ in range(2)] == [plain, plain]
        assert any((tmp_path / "cache").iterdir())
        (systems / "broken.conll").write_text("#begin document (x);\n(\n")
        with pytest.raises(corefeval.PairingError, match="no document in common") as caught:
            corefeval.compare_files(**options, allow_empty=True)
        assert "skip_broken=True" in caught.value.hint
        report = corefeval.compare_files(**options, skip_broken=True)
        assert [left["name"] for left in report.systems_left_out] == ["broken"]
        with pytest.raises(corefeval.SettingsError, match="a key was given, but no response to score"):
            corefeval.compare_files(key=examples / "key.conll")

    def test_iterators_are_consumed_once(self):
        def one_by_one():
            return {"a": {"x": iter("xy"), "y": iter("zw")}.values(), "b": iter([iter("ab")])}

        same = {"a": ["xy", "zw"], "b": ["ab"]}
        same = {name: [list(entity) for entity in entities] for name, entities in same.items()}
        comparison = corefeval.compare(
            key=one_by_one(), responses={"s": same, "t": same}, metrics="muc", resamples=9, quiet=True
        )
        assert [comparison[name]["muc"]["f1"] for name in "st"] == [1, 1]


def test_reports_are_deeply_immutable():
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

    def work():
        for _ in range(100):
            scorer.update(key=ENTITIES, response=ENTITIES)
            other.update(key=ENTITIES, response=ENTITIES)
        scorer.report()
        len(other)

    side_by_side([work] * 6)
    assert len(scorer) == len(other) == 600
    side_by_side([lambda: scorer.merge(other), lambda: other.merge(scorer)])
    assert sorted((len(scorer), len(other))) == [1200, 1800]


# Windows has no timers that send signals, but the same code.
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no signal.setitimer")
def test_control_c_interrupts():
    """Ctrl-C interrupts a long resampling at once."""
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


def test_compressed_names_are_rejected_for_writing(examples, tmp_path):
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


@NEEDS_MYPY
def test_type_hints_match_the_options(tmp_path):
    """A correct program has no type errors, and a wrong program has an error in each line."""
    for text, faults in ((TYPED, []), (WRONG, [4, 6, 7, 8, 9, 10, 11, 12, 13, 14])):
        program = tmp_path / "program.py"
        program.write_text(text.lstrip("\n"))
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", tmp_path / "cache", program],
            capture_output=True, text=True, cwd=tmp_path,
        )
        found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        assert sorted(found) == [line - 1 for line in faults], done.stdout + done.stderr


def test_warnings_name_places_in_lists():
    key, response = {"d": [["a", "a", "b"], []]}, {"d": [["a", "b"], ["b"]]}
    texts = [str(finding) for finding in corefeval.score(key=key, response=response, quiet=True).findings]
    assert any(text.startswith("key[0][1] of document `d`: ") and "opens at key[0][" in text for text in texts)
    assert any(text.startswith("key[1] of document `d`: this entity has no mentions") for text in texts)
    many = {name: {str(number): side["d"] for number in range(2)} for name, side in (("k", key), ("x", response))}
    compared = corefeval.compare(key=many["k"], responses={"x": many["x"]}, resamples=9, quiet=True)
    places = [place["message"] for finding in compared.findings for place in finding.places]
    assert any(text.startswith("x[1][0] of document `1`: ") for text in places)


class TestLabelsThatDoNotBelongTogether:
    """compare, agree and correlate reject the same input as score."""

    numpy = optional("numpy")
    LABELS = {str(number): [0, 0, 1, 1, 2] for number in range(6)}

    def all_of(self, other):
        key = {name: self.numpy.array(labels) for name, labels in self.LABELS.items()}
        response = {**key, "0": other}
        return (
            lambda: corefeval.score(key=key, response=response),
            lambda: corefeval.compare(key=key, responses={"m": response}, resamples=9),
            lambda: corefeval.agree(annotators={"a": key, "b": response}, resamples=9),
            lambda: corefeval.correlate(x="muc", y="lea", key=key, responses={"m": response}, resamples=9),
        )

    def test_other_lengths(self):
        for function in self.all_of(self.numpy.array([1, 2])):
            with pytest.raises(corefeval.InputValueError, match="in document `0`: .* 5 labels and .* 2"):
                function()

    def test_entities_with_labels(self):
        for function in self.all_of([[0, 1]]):
            with pytest.raises(corefeval.InputTypeError, match="in document `0`: .* is labels of mentions"):
                function()

    def test_named_labels_are_entities(self):
        for function in self.all_of(None)[1:1]:
            function()
        named = {name: Labels(labels, "abcde") for name, labels in self.LABELS.items()}
        entities = {name: [["a", "b"], ["c", "d"], ["e"]] for name in named}
        assert corefeval.score(key=named, response=entities, quiet=True)["conll"].f1 == 1
        compared = corefeval.compare(key=named, responses={"m": entities}, resamples=9, quiet=True)
        assert compared["m"]["conll"]["f1"] == 1


def test_spans_in_place_of_entities():
    spans = [(0, 1), (4, 4)]
    both = (spans, [spans]), ([spans], spans), ([[(0, 1)], (2, 3)], [spans])
    for key, response in both:
        with pytest.raises(corefeval.InputValueError, match="is a pair of integers, not an entity"):
            corefeval.score(key=key, response=response)
        with pytest.raises(corefeval.InputValueError, match="in document `d`: .* is a pair of integers"):
            corefeval.compare(key={"d": key}, responses={"m": {"d": response}})
    # Entities of integers, or of integers and tuples, are valid.
    for side in ([[0, 1], [4, 4, 5]], [(0, 1, 2), (4, 5)], [(0, (1, 2)), (3, 4)]):
        assert corefeval.score(key=side, response=side, metrics="mentions", quiet=True)["mentions"].f1 == 1
    with pytest.raises(corefeval.InputValueError, match=r"key\[0\]\[1\] is None"):
        corefeval.score(key=[[(0, 1), None]], response=[spans])


def test_systems_can_have_any_name(examples):
    key, alder, birch = (corefeval.read(examples / f"{name}.conll") for name in ("key", "alder", "birch"))
    plain = corefeval.cone(responses={"a": alder, "b": birch}, annotated=key, resamples=50, quiet=True)
    odd = corefeval.cone(responses={"annotated": alder, "key": birch}, annotated=key, resamples=50, quiet=True)
    assert odd.systems.names == ("annotated", "key")
    assert [odd["annotated"], odd["key"]] == [plain["a"], plain["b"]]
    lists = {document.id: document.clusters for document in key}
    for responses in ({"key": alder}, {"key": {document.id: document.clusters for document in alder}}):
        side = key if isinstance(responses["key"], list) else lists
        compared = corefeval.compare(key=side, responses=responses, resamples=9, quiet=True)
        assert compared.systems.names == ("key",) and round(compared["key"]["conll"]["f1"], 4) == 0.8709


def test_warnings_name_the_calling_line(examples):
    key, alder = examples / "key.conll", examples / "alder.conll"
    read = {name: corefeval.read(path) for name, path in (("key", key), ("alder", alder))}
    lists = {"a": [["a", "a", "b"]], "b": [["a", "b"]]}
    calls = (
        lambda: corefeval.score(key=lists, response=lists),
        lambda: corefeval.compare(key=lists, responses={"m": lists}),
        lambda: corefeval.compare_files(key=key, responses=[alder]),
        lambda: corefeval.agree(annotators={"a": read["key"], "b": read["alder"]}),
        lambda: corefeval.agree_files(annotators=[key, alder]),
        lambda: corefeval.correlate(x="muc", y="lea", key=read["key"], responses={"m": read["alder"]}),
        lambda: corefeval.correlate_files(x="muc", y="lea", key=key, responses=[alder]),
        lambda: corefeval.cone(responses=read["alder"], annotated=read["key"]),
        lambda: corefeval.cone_files(responses=alder, annotated=key),
    )
    for call in calls:
        with pytest.warns(corefeval.CorefevalWarning) as caught:
            call()
        assert {warning.filename for warning in caught} == {__file__}


def test_outputs_equal_the_command(examples):
    paths = [examples / "key.conll", examples / "alder.conll"]
    for options in ({}, {"average": "macro"}, {"metrics": "lea,rand"}, {"metrics": "ace_value"}, {"by": "document"}):
        typed = [f"--{name}={value}" for name, value in options.items()]
        report = corefeval.score_files(key=paths[0], response=paths[1], quiet=True, **options)
        for output in ("table", "json", "csv", "markdown", "html", "latex", "conll"):
            printed = command("score", "-q", "-o", output, *typed, *paths)
            assert (output in report.outputs) == (printed.returncode == 0)
            if printed.returncode == 0:
                assert report.render(output, quiet=True) == printed.stdout
            else:
                with pytest.raises(corefeval.SettingsError) as caught:
                    report.render(output)
                assert caught.value.message.split(",")[0] in printed.stderr
        assert pickle.loads(pickle.dumps(report)).outputs == report.outputs


def test_parts_of_reports_are_values(examples):
    key, alder = (corefeval.read(examples / f"{name}.conll") for name in ("key", "alder"))
    report = corefeval.score(key=key, response=alder, by="document", quiet=True)
    comparison = corefeval.compare(key=key, responses={"a": alder}, by="document", resamples=9, quiet=True)
    parts = [report["blanc"], report.systems[0], report.documents[0], report.findings, comparison["a"]]
    assert not comparison.groups
    parts += [comparison.documents, comparison.documents[0], comparison.systems, key[0].entities[0][0]]
    for part in parts:
        assert pickle.loads(pickle.dumps(part)) == part == copy.deepcopy(part)
    assert dataclasses.asdict(report["muc"])["f1"] == report["muc"].f1
    assert json.loads(json.dumps(report["blanc"].details)) == report["blanc"].details
    assert len({report.systems[0], report.documents[0], comparison.documents[0]}) == 3


TYPED_KEY = """# newdoc id = a
# global.Entity = eid-etype-head-other
# sent_id = 1
1\tAda\tAda\tPROPN\t_\t_\t0\troot\t_\tEntity=(e1-person-1-)
2\tmet\tmeet\tVERB\t_\t_\t1\tdep\t_\t_
3\tBo\tBo\tPROPN\t_\t_\t1\tdep\t_\tEntity=(e2-place-1-)
4\tshe\tshe\tPRON\t_\t_\t1\tdep\t_\tEntity=(e1-person-1-)
5\tit\tit\tPRON\t_\t_\t1\tdep\t_\tEntity=(e2-place-1-)
6\thim\the\tPRON\t_\t_\t1\tdep\t_\tEntity=(e1-person-1-)

"""


def test_types_of_files_equal_types_of_documents(tmp_path):
    """Weights, ACE-value and groups use the same data for files and for documents."""
    key, response, weights = tmp_path / "key.conllu", tmp_path / "response.conllu", tmp_path / "weights.toml"
    key.write_text(TYPED_KEY)
    response.write_text(TYPED_KEY.replace("6\thim\the\tPRON\t_\t_\t1\tdep\t_\tEntity=(e1-person-1-)", "6\thim\the\tPRON\t_\t_\t1\tdep\t_\tEntity=(e2-place-1-)"))
    weights.write_text("[entity-type]\nperson = 1\nplace = 0.25\n")
    table = {
        "metrics": "b_cubed:weight=entity-type,lea:importance=entity-type,ceaf_m:weight=entity-type",
        "weights": weights,
    }
    for options in (table, {"metrics": "ace_value"}, {"by": "entity-type"}, {"by": "part-of-speech"}):
        files = corefeval.score_files(key=key, response=response, quiet=True, **options)
        documents = corefeval.score(
            key=corefeval.read(key), response=corefeval.read(response), quiet=True, **options
        )
        assert list(files.items()) == list(documents.items()) and files.groups == documents.groups
    plain = corefeval.score_files(key=key, response=response, metrics="b_cubed", quiet=True)["b_cubed"]
    weighed = corefeval.score_files(key=key, response=response, quiet=True, **table)
    assert weighed["b_cubed:weight=entity-type"].f1 != plain.f1


def test_numbers_of_numpy_are_numbers():
    numpy = optional("numpy")
    options = {"seed": numpy.int64(4), "threads": numpy.int32(2), "confidence": numpy.float32(0.5), "resamples": 9}
    report = corefeval.compare(key=DOCUMENTS, responses={"a": DOCUMENTS}, quiet=True, **options)
    assert "|seed:4|" in report.signature
    with pytest.raises(corefeval.InputTypeError, match="np_only is"):
        corefeval.score(key=ENTITIES, response=ENTITIES, np_only=numpy.array([1, 2]))


def test_pairs_have_names(examples):
    key, alder, birch = (examples / f"{name}.conll" for name in ("key", "alder", "birch"))
    report = corefeval.score_files(pairs={"one": (key, alder), "two": (key, birch)}, metrics="muc", quiet=True)
    assert [system.name for system in report.systems] == ["one", "two"] and report.averages


@pytest.mark.parametrize(
    "call",
    [
        lambda: corefeval.score_files(key="k"),
        lambda: corefeval.score_files(response="r"),
        lambda: corefeval.score_files(key="k", response=[]),
        lambda: corefeval.score_files(pairs=[]),
        lambda: corefeval.score_files(key="k", response="r", pairs=[("a", "b")]),
        lambda: corefeval.score_files(key="examples/key.conll", response=object()),
        lambda: corefeval.compare_files(key="k", responses=iter(())),
        lambda: corefeval.agree_files(annotators="path"),
        lambda: corefeval.correlate(x="muc", y="muc", key=DOCUMENTS, responses={"a": DOCUMENTS}),
        lambda: corefeval.compare(key=DOCUMENTS, responses={1: DOCUMENTS, "1": DOCUMENTS}),
        lambda: corefeval.compare_files(key="examples/key.conll", responses=["examples/key.conll"] * 2),
        lambda: corefeval.compare(key=DOCUMENTS, responses={"a": DOCUMENTS}, sort="lea", metrics="muc"),
        lambda: corefeval.Scorer(weights="absent.toml"),
    ],
)
def test_messages_do_not_mention_the_command(call, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(corefeval.CorefevalError) as caught:
        call()
    text = str(caught.value)
    assert caught.value.hint and not re.search(r"--[a-z]|<[A-Z]|NAME=|required arguments|\[KEY\]", text), text


@pytest.mark.parametrize(
    ("sample", "reading"),
    [
        ("conll-ua", {"annotation": "discourse-deixis"}),
        ("conll-ua", {"boundary_crossing": True}),
        ("jsonlines", {"span_end": "exclusive"}),
        ("conll", {"ids_by_file": True}),
    ],
)
def test_documents_are_scored_as_they_were_read(sample, reading, tmp_path):
    """The signature contains the reading options, whether passed to read or with files."""
    folder = ROOT / "testdata" / "formats" / sample
    scored = 0
    for path in sorted(folder.glob("*")):
        one = tmp_path / f"folder of {path.name}"
        one.mkdir()
        (one / path.name).write_bytes(path.read_bytes())
        options = {"metrics": "muc,mentions", "quiet": True}
        try:
            files = corefeval.score_files(
                key=one, response=one, format=sample, allow_empty=True, **reading, **options
            )
            documents = corefeval.read(one, sample, quiet=True, **reading)
        except corefeval.CorefevalError:
            continue
        report = corefeval.score(key=documents, response=pickle.loads(pickle.dumps(documents)), **options)
        assert report.signature == files.signature and list(report.items()) == list(files.items())
        scored += 1
    assert scored >= 3
    name = next(iter(reading))
    if name == "ids_by_file":
        # The option only applies to files.
        return
    other = {"annotation": "identity", "boundary_crossing": False, "span_end": "inclusive"}[name]
    with pytest.raises(corefeval.SettingsError, match="was read with"):
        corefeval.score(key=documents, response=documents, **{name: other})
    made = documents[0].with_entities([])
    with pytest.raises(corefeval.SettingsError, match="was read with"):
        corefeval.score(key=made, response=made, **{name: other})
