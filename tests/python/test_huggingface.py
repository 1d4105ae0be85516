"""The metric folder for Hugging Face evaluate, and the function that it calls."""

from __future__ import annotations

import warnings

import corefeval
import pytest
from conftest import optional
from corefeval.exceptions import UnparsedError
from corefeval.huggingface import METRIC, score_lines

WORDS = [
    "bc/x 0 0 Thank VBP (TOP(S(VP* thank 01 1 - * (V*) * -",
    "bc/x 0 1 you PRP (NP*) - - - - * (A1*) (A0*) (116)",
    "bc/x 0 2 everyone NN (NP*) - - - - * (A*) * (116)",
    "bc/x 0 3 she NN (NP*) - - - - * (A*) * (7)",
    "bc/x 0 4 . . *)) - - - - * * * -",
]
#: The same lines with all mentions in one entity, and their scores.
MERGED = [line.replace("(7)", "(116)") for line in WORDS]
KEY, RESPONSE = [[1, 2], [3]], [[1, 2, 3]]


def called(lines, document):
    """Returns the lines with another document id."""
    return [line.replace("bc/x 0", document) for line in lines]


def short(lines):
    """Returns the lines without document columns: word and entity."""
    return [f"{line.split()[3]}\t{line.split()[-1]}" for line in lines]


def block(name, lines):
    return [f"#begin document {name}", *lines, "#end document"]


def scored(references, predictions, **options):
    """Scores without warnings, which only some tests check."""
    return score_lines(references=references, predictions=predictions, quiet=True, **options)


def expected(key, response):
    """Returns the expected scores, from entities and documents by name."""
    report = corefeval.score(key=key, response=response, profile="coval", metrics="muc,b_cubed,ceaf_e,lea,conll", quiet=True)
    names = {"muc": "muc", "b_cubed": "bcub", "ceaf_e": "ceafe", "lea": "lea"}
    scores = {f"{name}/f1": report[metric].f1 for metric, name in names.items()}
    return {**scores, "conll_score": 100 * report["conll"].f1}


def same(scores, expected):
    return {name: scores[name] for name in expected} == pytest.approx(expected)


def test_names():
    scores = scored([WORDS], [WORDS])
    assert set(scores) == {
        *(f"{m}/{f}" for m in ("mentions", "muc", "bcub", "ceafe", "lea") for f in ("recall", "precision", "f1")),
        "conll_score",
    }
    assert scores["mentions/recall"] == scores["lea/f1"] == 1 and scores["conll_score"] == pytest.approx(100)
    assert scored([WORDS], [WORDS], keep_singletons=False)["muc/f1"] == 1


APART = expected({"a": KEY, "b": KEY}, {"a": RESPONSE, "b": KEY})
#: The elements as sentences of one document, with continued word numbers.
TOGETHER = expected([[1, 2, 6, 7], [3, 8]], [[1, 2, 3, 6, 7], [8]])


@pytest.mark.parametrize("other", ["bc/y 0", "bc/x 1", "bc/x 001"])
def test_documents_by_columns(other):
    """Other ids or parts make other documents, in one element and in several."""
    key, response = [WORDS, called(WORDS, other)], [MERGED, called(WORDS, other)]
    assert same(scored(key, response), APART)
    assert same(scored([sum(key, [])], [sum(response, [])]), APART)
    assert same(scored(key, response, elements="documents"), APART)
    assert same(scored(key, response, elements="sentences"), TOGETHER)


def test_sentences_by_columns():
    """Elements with the same id and part are sentences of one document, as all elements are in the original."""
    assert same(scored([WORDS, WORDS], [MERGED, WORDS]), TOGETHER)
    assert same(scored([WORDS, called(WORDS, "bc/x 00")], [MERGED, WORDS]), TOGETHER)
    assert same(scored([[*WORDS, "", *WORDS]], [[*MERGED, "", *WORDS]]), TOGETHER)
    assert same(scored([WORDS, WORDS], [MERGED, WORDS], elements="sentences"), TOGETHER)
    assert same(scored([WORDS, WORDS], [MERGED, WORDS], elements="documents"), APART)


def test_without_columns():
    """Each element is a document."""
    key, response = [short(WORDS), short(WORDS)], [short(MERGED), short(WORDS)]
    assert same(scored(key, response), APART)
    assert same(scored(key, response, elements="documents"), APART)
    assert same(scored(key, response, elements="sentences"), TOGETHER)


@pytest.mark.parametrize("make", [list, short])
@pytest.mark.parametrize("elements", ["auto", "documents"])
def test_whole_files(make, elements):
    """An element can contain several documents."""
    key = block("(bc/x); part 000", make(WORDS)) + block("(bc/y); part 000", make(called(WORDS, "bc/y 0")))
    response = block("(bc/x); part 000", make(MERGED)) + block("(bc/y); part 000", make(called(WORDS, "bc/y 0")))
    assert same(scored([key], [response], elements=elements), APART)


def test_names_of_one_side():
    """Documents that only one side names are paired by order."""
    assert same(scored([block("a", short(WORDS)), short(WORDS)], [short(MERGED), block("b", short(WORDS))]), APART)
    # Single documents are paired regardless of their names.
    assert scored([block("a", short(MERGED))], [block("b", short(MERGED))])["mentions/f1"] == 1
    named = [[block(name, short(WORDS)) for name in names] for names in ("ac", "bd")]
    with pytest.raises(corefeval.PairingError, match=r"references\[0\].*\n.*line 2 of references\[0\].* `a`"):
        scored(*named)


@pytest.mark.parametrize("word", ["#", "#hashtag", "#begin", "#end", "# of", "#\u2028", "# a\xa0b"])
def test_words_that_start_with_a_number_sign(word):
    """All lines except #begin document and #end document are words."""
    lines = [f"{word} (0)", "Ada (0)"]
    assert scored([lines], [lines])["mentions/recall"] == 1
    assert scored([lines], [[lines[0], "Ada -"]])["mentions/recall"] == 0.5
    assert scored([lines], [[f"{word} -", lines[1]]])["mentions/recall"] == 0.5


def test_warnings_are_issued():
    key, response = [short(WORDS), short(WORDS)], [short(WORDS), [*short(WORDS)[:-1], ".\t(5"]]
    with pytest.warns(corefeval.CorefevalWarning, match=r"predictions\[1\]:5: .*never closes.*\[unclosed-mention\]") as told:
        score_lines(references=key, predictions=response)
    assert told[0].filename == __file__
    with pytest.warns(corefeval.CorefevalWarning, match=r"the words .* differ .*\(line 1 of references\[1\] there\)"):
        score_lines(references=key, predictions=[key[0], ["Than\t-", *key[1][1:]]])
    # An option that the function lacks is one of corefeval.score.
    with pytest.warns(corefeval.CorefevalWarning, match=r'; corefeval\.score\(check_tokens="no"\) silences this$'):
        score_lines(references=key, predictions=[key[0], ["Than\t-", *key[1][1:]]])
    with pytest.warns(corefeval.CorefevalWarning, match="keep_singletons=False"):
        score_lines(references=[key[0]], predictions=[short(MERGED)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score_lines(references=key, predictions=response, quiet=True)


@pytest.mark.parametrize("asked", ["min_span", "NP_only"])
def test_without_a_parse(asked):
    """A key without a parse is an error; the original raises a NotImplementedError."""
    unparsed = [line.replace(line.split()[5], "-") for line in called(WORDS, "bc/y 0")]
    assert scored([WORDS], [WORDS], **{asked: True})["conll_score"] == pytest.approx(100)
    for key, place in (([WORDS, unparsed], r"references\[1\]:1"), ([short(WORDS)], r"references\[0\]:1")):
        with pytest.raises(UnparsedError, match=rf"{place}: the document .* has no parse") as caught:
            scored(key, key, **{asked: True})
        assert isinstance(caught.value, NotImplementedError) and isinstance(caught.value, corefeval.SettingsError)


@pytest.mark.parametrize(
    ("references", "predictions", "error", "message"),
    [
        ([WORDS, WORDS], [WORDS], corefeval.InputValueError, "2 references and 1 predictions"),
        ([], [], corefeval.InputValueError, "no lines"),
        ([WORDS], [short(WORDS)], corefeval.InputValueError, r"predictions\[0\]:1: a line lacks the columns"),
        ([WORDS], ["\n".join(WORDS)], corefeval.InputTypeError, r"predictions\[0\] is a str, not lines"),
        ([[*WORDS, 5]], [WORDS], corefeval.InputTypeError, r"line 6 of references\[0\] is a int"),
        ([["\n".join(WORDS)]], [WORDS], corefeval.InputTypeError, r"line 1 of references\[0\] is several lines"),
        (
            [short(WORDS), short(WORDS)],
            [short(WORDS), [*short(WORDS), "more\t-"]],
            corefeval.PairingError,
            r"references\[1\]:.*\n.*\n  line 6 of predictions\[1\]: the response has `more`",
        ),
        (
            [block("a", short(WORDS)) + block("a", short(WORDS))],
            [block("a", short(WORDS)) + block("a", short(WORDS))],
            corefeval.FormatError,
            r"references\[0\]:9.*is repeated here\n  line 2 of references\[0\]: the first time",
        ),
        (
            [block("a", WORDS), block("a", WORDS)],
            [WORDS, WORDS],
            corefeval.InputValueError,
            r"references\[1\] begins `a`, which references\[0\] has already begun",
        ),
    ],
)
def test_errors_name_elements(references, predictions, error, message):
    with pytest.raises(error, match=message) as caught:
        scored(references, predictions)
    assert "/" not in str(caught.value).replace("bc/x", "") and "part 000); part" not in str(caught.value)


def test_invalid_settings():
    with pytest.raises(corefeval.SettingsError, match="`documents,` is not a valid value for `elements`"):
        scored([WORDS], [WORDS], elements="documents,")
    with pytest.raises(corefeval.InputValueError, match=r"predictions\[0\] begins the document `a`"):
        scored([WORDS], [block("a", WORDS)], elements="sentences")


def test_with_evaluate():
    evaluate = optional("evaluate", "test-dropins")
    metric = evaluate.load(METRIC)
    assert metric.compute(predictions=[WORDS], references=[WORDS])["bcub/f1"] == 1
    given = {"references": [WORDS, WORDS], "predictions": [MERGED, WORDS]}
    assert same(metric.compute(**given, quiet=True), TOGETHER)
    assert same(metric.compute(**given, elements="documents", quiet=True), APART)
    with pytest.raises(NotImplementedError, match="no parse"):
        metric.compute(predictions=[short(WORDS)], references=[short(WORDS)], min_span=True)
