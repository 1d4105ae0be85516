"""coval's reader, against the original and against the command."""

from __future__ import annotations

import gzip
import pickle

import corefeval
import pytest
from conftest import optional
from corefeval import coval
from corefeval.coval import evaluator, reader, util
from corefeval.exceptions import UnparsedError

optional("numpy")
optional("scipy")
import originals  # noqa: E402

#: The arguments of get_coref_infos.
CHOICES = [
    dict(NP_only=NP_only, remove_nested=remove_nested, keep_singletons=keep_singletons, min_span=min_span)
    for NP_only in (False, True)
    for remove_nested in (False, True)
    for keep_singletons in (False, True)
    for min_span in (False, True)
]
of_the_examples = pytest.mark.parametrize(
    ("response", "asked"),
    [(response, asked) for response in ("alder", "birch", "cedar") for asked in CHOICES],
    ids=lambda given: given if isinstance(given, str) else ",".join(name for name, value in given.items() if value),
)


@of_the_examples
def test_scores_equal_the_command(examples, response, asked):
    key, response = examples / "key.conll", examples / f"{response}.conll"
    infos = reader.get_coref_infos(str(key), response, **asked)
    report = corefeval.score_files(
        key=key,
        response=response,
        profile="coval",
        np_only=asked["NP_only"],
        remove_nested=asked["remove_nested"],
        singletons="keep" if asked["keep_singletons"] else "drop",
        match="min-span" if asked["min_span"] else "exact",
        quiet=True,
    )
    for name, metric in (("muc", "muc"), ("b_cubed", "b_cubed"), ("ceaf_e", "ceafe"), ("lea", "lea"), ("mentions",) * 2):
        found = coval.evaluate_documents(infos, getattr(coval, metric))
        assert found == pytest.approx(tuple(report[name]), abs=1e-12), name


@pytest.mark.parametrize("keep_singletons", [False, True])
def test_against_a_plain_reader(examples, keep_singletons):
    key, response = examples / "key.conll", examples / "birch.conll"
    infos = reader.get_coref_infos(key, response, False, False, keep_singletons, False)
    plain = [originals.coval_clusters(path, keep_singletons) for path in (key, response)]
    assert list(infos) == list(plain[0])
    for name, (ours, theirs, in_theirs, in_ours) in infos.items():
        for clusters, expected in ((ours, plain[0][name]), (theirs, plain[1][name])):
            found = [[(m.sent_num, m.start, m.end, tuple(m.words)) for m in cluster] for cluster in clusters]
            assert found == expected
            assert all(mention.doc_name == name for cluster in clusters for mention in cluster)
        assert in_theirs == {
            mention: place for cluster in ours for mention in cluster for place, other in enumerate(theirs) if mention in other
        }
        assert in_ours == reader.get_mention_assignments(theirs, ours)


@of_the_examples
def test_steps_on_lines(examples, response, asked):
    """The steps for callers with lines give the result of get_coref_infos."""
    key, response = examples / "key.conll", examples / f"{response}.conll"
    expected = reader.get_coref_infos(key, response, **asked)
    key_lines, sys_lines = reader.get_doc_lines(key), reader.get_doc_lines(response)
    assert list(key_lines) == list(expected)
    for name, (ours, theirs, in_theirs, in_ours) in expected.items():
        clusters = []
        for lines in (key_lines, sys_lines):
            found, left_out = reader.get_doc_mentions(name, lines[name], asked["keep_singletons"])
            assert asked["keep_singletons"] <= (left_out == 0)
            if asked["NP_only"] or asked["min_span"]:
                found = reader.set_annotated_parse_trees(found, key_lines[name], asked["NP_only"], asked["min_span"])
            if asked["remove_nested"]:
                reader.remove_nested_coref_mentions(found, asked["keep_singletons"])
            clusters.append(found)
        assert clusters == [ours, theirs]
        assert reader.get_mention_assignments(*clusters) == in_theirs
        assert reader.get_mention_assignments(*reversed(clusters)) == in_ours


def test_invalid_lines(examples):
    lines = reader.get_doc_lines(examples / "key.conll")
    name, sentences = next(iter(lines.items()))
    with pytest.raises(corefeval.FormatError, match="not sentences of lines"):
        reader.get_doc_mentions(name, sentences[0], True)
    with pytest.raises(corefeval.SettingsError, match="column 3"):
        reader.get_doc_mentions(name, sentences, True, word_column=1)


def test_mentions(examples):
    infos = reader.get_coref_infos(examples / "key.conll", examples / "key.conll", min_span=True)
    ours, theirs, _, _ = next(iter(infos.values()))
    one, other = ours[0][0], theirs[0][0]
    assert one == other and one is not other and hash(one) == hash(other) and one != "Hamre"
    assert one.words == ["The", "Hamre", "Line"] and one.get_span() == "The Hamre Line"
    mentions = [mention for cluster in ours for mention in cluster]
    assert any(mention.get_span() != " ".join(mention.words) for mention in mentions)
    assert all(mention.min_spans for mention in mentions)
    assert pickle.loads(pickle.dumps(one)) == one and repr(one).startswith("Mention(")


def test_invalid_input(examples, tmp_path):
    with pytest.raises(corefeval.ReadError):
        reader.get_coref_infos(tmp_path / "absent", tmp_path / "absent")
    one = tmp_path / "one.conll"
    one.write_text("#begin document (a); part 000\nAda\t(0)\n#end document\n")
    with pytest.raises(corefeval.PairingError, match="no document `news/ferry_line; part 000`"):
        reader.get_coref_infos(examples / "key.conll", one)


ODD = """\
#begin document foo
bc/x 0 0 Ada NNP (S(NP*) - - - - * (0)
bc/x 0 1 left VBD (VP*)) - - - - * -
#end document
#begin document (bar); part 12
Ada\t(0)

she\t(0)
#end document
"""


def test_names_of_documents(tmp_path):
    """get_coref_infos and get_doc_lines use the same names, in any form."""
    path, packed = tmp_path / "odd.conll", tmp_path / "odd.conll.gz"
    path.write_text(ODD)
    packed.write_bytes(gzip.compress(ODD.encode()))
    for key in (path, packed):
        infos = reader.get_coref_infos(key, path)
        assert list(infos) == list(reader.get_doc_lines(key)) == ["foo\n", "(bar); part 12\n"]
        assert infos["foo\n"][0][0][0].doc_name == "foo\n"
    with pytest.raises(corefeval.ReadError, match="absent: this file cannot be read"):
        reader.get_doc_lines(tmp_path / "absent")
    packed.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(corefeval.FormatError, match="Zstandard"):
        reader.get_doc_lines(packed)


def test_without_a_parse(tmp_path, examples):
    """Words without a parse have no minimum spans; the original returns no results either."""
    path = tmp_path / "odd.conll"
    path.write_text(ODD)
    for asked in ({"min_span": True}, {"NP_only": True}):
        with pytest.raises(UnparsedError, match="odd.conll:5: `bar; part 012` has no parse") as caught:
            reader.get_coref_infos(path, path, **asked)
        assert isinstance(caught.value, (NotImplementedError, corefeval.SettingsError))
    assert util.check_gold_parse_annotation(path) and util.check_gold_parse_annotation(examples / "key.conll")
    path.write_text(ODD[ODD.index("#begin document (bar)") :])
    assert not util.check_gold_parse_annotation(path)
    with pytest.raises(NotImplementedError, match="no parser"):
        util.parse_key_file(path)


def test_modules_of_coval():
    """`from coval.conll import reader, util` and `from coval.eval import evaluator` have counterparts."""
    assert coval.muc is evaluator.muc and coval.reader is reader and coval.util is util
    assert set(evaluator.__all__) <= set(coval.__all__)


def test_an_unclosed_mention_is_a_warning(tmp_path):
    """The command warns too; the original skips the mention silently."""
    path = tmp_path / "open.conll"
    path.write_text("#begin document (a); part 000\nAda\t(0)\nleft\t(1\nshe\t(0)\n#end document\n")
    with pytest.warns(corefeval.CorefevalWarning, match=r"open\.conll:3.*\[unclosed-mention\]") as issued:
        infos = reader.get_coref_infos(path, path)
    assert len(issued) == 2 and {warning.filename for warning in issued} == {__file__}
    ((name, (ours, _, _, _)),) = infos.items()
    assert [[mention.start for mention in cluster] for cluster in ours] == [[0, 2]]
    with pytest.warns(corefeval.CorefevalWarning, match=r"\(a\); part 000:3.*\[unclosed-mention\]") as issued:
        found, _ = reader.get_doc_mentions(name, reader.get_doc_lines(path)[name], True)
    assert found == ours and [warning.filename for warning in issued] == [__file__]
