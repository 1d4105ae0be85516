"""corefeval.validate, and reading answers onto a key."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import corefeval
import pytest

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "testdata/formats/conll-broken"
ANSWERS = ROOT / "examples/answers"


def test_findings_have_code_place_and_text() -> None:
    found = corefeval.validate(BROKEN / "closed-twice.conll", BROKEN / "document-twice.conll")
    assert not found
    assert [(problem["code"], problem["severity"], problem["line"]) for problem in found.problems] == [
        ("unopened-mention", "warning", 4),
        ("repeated-document", "error", 7),
    ]
    assert found.counts == {"errors": 1, "warnings": 1, "notes": 0}
    assert json.loads(found.render("sarif"))["version"] == "2.1.0"
    assert found.render("github").startswith("::warning file=")
    assert found.to_rows()[0]["text"] == "4)"


def test_findings_are_the_problems_by_code() -> None:
    found = corefeval.validate(BROKEN)
    assert {finding.code for finding in found.findings} == {problem["code"] for problem in found.problems}
    counts = found.counts
    for severity in ("error", "warning", "note"):
        each = [finding.count for finding in found.findings if finding.severity == severity]
        assert sum(each) == counts[f"{severity}s"]
    assert sum(len(finding.places) for finding in found.findings) == len(found.problems)
    assert {finding.code for finding in found.warnings} <= {finding.code for finding in found.findings}
    one = corefeval.validate(BROKEN / "closed-twice.conll")
    finding = one.findings[0]
    assert (finding.code, finding.severity, finding.count, finding.places[0]["line"]) == ("unopened-mention", "warning", 1, 4)
    problem = one.problems[0]
    assert str(finding).startswith(f"{problem['file']}:{problem['line']}:{problem['column']}: {problem['message']}")
    assert not corefeval.validate(ROOT / "examples/key.conll").findings
    # The report shows the problems; notebooks do not repeat them.
    assert one._repr_html_() == one.render("html")


def test_clean_files_are_truthy() -> None:
    assert corefeval.validate(ROOT / "examples/key.conll")
    assert corefeval.validate(ROOT / "examples/alder.conll", against=ROOT / "examples/key.conll")


def test_corrections(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    text = "#begin document (a); part 000\nIda\t(1)|()\nher\t(1)\n#end document\n"
    file.write_text(text)
    assert corefeval.validate(file).problems[0]["fixable"]
    assert corefeval.validate(file, fix="beside")
    assert file.read_text() == text
    assert (tmp_path / "a.fixed.conll").read_text() == text.replace("|()", "")
    assert corefeval.validate(file, fix="in-place").files[0]["fixed"]["codes"] == {"empty-id": 1}
    with pytest.raises(corefeval.SettingsError):
        corefeval.validate(file, fix="elsewhere")  # type: ignore[arg-type]


def test_options_equal_the_command(tmp_path: Path) -> None:
    key = ROOT / "examples/key.conll"
    with pytest.raises(corefeval.SettingsError, match="did you mean `singletons`"):
        corefeval.validate(key, singeltons="drop")  # type: ignore[call-arg]
    with pytest.raises(corefeval.InputTypeError, match="allow_empty=True"):
        corefeval.validate(key, allow_empty="perhaps")  # type: ignore[arg-type]
    empty = tmp_path / "empty.conll"
    empty.write_text("#begin document (a); part 000\nIda\t-\n#end document\n")
    assert [problem["code"] for problem in corefeval.validate(empty).problems] == ["no-annotation"]
    assert corefeval.validate(empty, allow_empty=True)
    assert corefeval.validate(key, ids_by_file=True, profile=None, response=False, fix=None)


@pytest.mark.parametrize("answer", ["bracketed.txt", "tagged.txt", "pipe.txt", "strings.json"])
def test_answers_are_read_onto_a_key(answer: str) -> None:
    key = corefeval.read(ANSWERS / "key.conll")
    for onto in (ANSWERS / "key.conll", key, key[0]):
        found = corefeval.read(ANSWERS / answer, onto=onto, quiet=True)
        assert [document.id for document in found] == [document.id for document in key]
        assert corefeval.score(key=key, response=found, metrics="conll")["conll"].f1 == 1.0
    text = (ANSWERS / answer).read_text()
    assert corefeval.reads(text, onto=key, quiet=True)[0].tokens == key[0].tokens
    with pytest.raises(corefeval.FormatError):
        corefeval.read(ANSWERS / answer, quiet=True)


def test_options_for_placing_an_answer() -> None:
    key = corefeval.read(ANSWERS / "key.conll")
    changed = ANSWERS / "changed.txt"
    found = corefeval.read(changed, onto=key, align="text", notation="link", quiet=True)
    assert sum(map(len, found[0].clusters)) == 6 and len(found[0].unplaced) == 1
    with pytest.raises(corefeval.PairingError):
        corefeval.read(changed, onto=key, align="words", quiet=True)
    assert corefeval.read(changed, onto=key, min_aligned=0.5, quiet=True) == found
    with pytest.raises(corefeval.PairingError, match="min_aligned"):
        corefeval.read(changed, onto=key, min_aligned=0.9, quiet=True)
    with pytest.raises(corefeval.SettingsError, match="min_aligned"):
        corefeval.reads("[Ines](#1)", onto=key, min_aligned="most")


#: Answers with changed texts, in each family: words added, replaced and dropped, and mentions that the key lacks.
CHANGED = {
    "bracketed": "[Ines](#1) has sold [[her](#1) old boat](#2). [She](#1) misses [it](#2). [Her anchor](#3) rusts.",
    "tagged": '<m id="1">Ines</m> sold <m id="2"><m id="1">her</m> boat</m>. <m id="1">She</m> misses <m id="2">it</m>. <m id="3">Every day</m>.',
    "pipe": "Ines|[e1] sold her|[e1],[e2 boat|e2] . She|[e1] misses it|[e2] every|[e3 day|e3] .",
    "json-answer": '{"clusters": [["Ines", "her", "She", "Anna"], ["her boat", "it"], ["the anchor"]]}',
}


@pytest.mark.parametrize("family", CHANGED)
def test_answers_have_the_scores_of_the_command(family: str, tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text(CHANGED[family])
    file = ANSWERS / "key.conll"
    key = corefeval.read(file)
    found = corefeval.read(answer, onto=key, quiet=True)
    assert found[0].unplaced
    texts = {found[0].text(mention) for mention in found[0].unplaced}
    assert texts <= {"Her anchor", "Every day", "every day", "Anna", "the anchor"}, texts
    files = corefeval.score_files(key=file, response=answer, response_format=family, quiet=True)
    same_scores(corefeval.score(key=key, response=found, quiet=True), files)
    # The words after the text are not a sentence, and a written document omits them.
    assert found[0].sentences == key[0].sentences and found[0].without_zeros().tokens == key[0].tokens
    assert pickle.loads(pickle.dumps(found[0])) == found[0]
    with pytest.warns(corefeval.CorefevalWarning, match="mentions that have no place in the text"):
        written = corefeval.write(found, format="conll")
    assert isinstance(written, str)
    back = corefeval.reads(written)
    assert back[0].tokens == key[0].tokens
    assert sum(map(len, back[0].clusters)) == sum(map(len, found[0].clusters)) - len(found[0].unplaced)


def test_extra_zeros_have_the_scores_of_the_command(tmp_path: Path) -> None:
    key, answer = ROOT / "testdata/formats/corefud/empty-node.conllu", tmp_path / "answer.txt"
    words = corefeval.read(key)[0].without_zeros().tokens
    assert words is not None
    answer.write_text(" ".join([f"{words[0]}|[e1]", *words[1:], "##|[e1] ##|[e1]"]))
    for options in ({}, {"extra_zeros": "drop"}):
        found = corefeval.read(answer, format="pipe", onto=key, quiet=True, **options)
        files = corefeval.score_files(key=key, response=answer, response_format="pipe", quiet=True, **options)
        assert len(found[0].entities[0]) == (2 if options else 3)
        same_scores(corefeval.score(key=corefeval.read(key), response=found, quiet=True), files)


def same_scores(one: corefeval.Report, other: corefeval.Report) -> None:
    assert list(one) == list(other)
    for metric in one:
        assert one[metric] == other[metric]


def test_a_key_and_a_response_with_errors(tmp_path: Path) -> None:
    key, response = tmp_path / "key.jsonlines", tmp_path / "response.jsonlines"
    line = '{"doc_key": "a", "sentences": [["Ida", "her"]], "clusters": [[[0, 0], [1, %d]]]}\n'
    key.write_text(line % 7)
    response.write_text(line % 9)
    found = corefeval.validate(response, against=key)
    errors = [problem for problem in found.problems if problem["severity"] == "error"]
    assert [(Path(error["file"]), error["line"], error["text"]) for error in errors] == [
        (key, 1, "[1, 7]"),
        (response, 1, "[1, 9]"),
    ]
