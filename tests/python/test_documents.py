"""Documents: reading, writing, making, and scoring them as their files are."""

from __future__ import annotations

import copy
import gc
import itertools
import pathlib
import pickle
import warnings

import corefeval
import pytest
from conftest import ROOT
from corefeval import Document, Mention, read, score, score_files, write
from hypothesis import given, settings
from hypothesis import strategies as st

FORMATS = ROOT / "testdata" / "formats"


def samples():
    """Every sample of a format that can be read."""
    for folder in sorted(FORMATS.iterdir()):
        if folder.is_dir() and not folder.name.endswith("-broken"):
            for path in sorted(folder.iterdir()):
                if path.is_file() and path.name != "cases.json":
                    yield folder.name, path


SAMPLES = list(samples())


def readable(path, format):
    """The documents of a sample; nothing where it is the text of another, or needs options."""
    try:
        return read(path, format, quiet=True)
    except corefeval.CorefevalError:
        return []


def test_what_a_file_says(examples):
    documents = read(examples / "key.conll")
    assert [document.name for document in documents] == ["news/ferry_line", "letters/workshop", "stories/stairs"]
    document = documents[0]
    assert (document.id, document.part, document.format) == ("news/ferry_line; part 000", 0, "conll")
    assert (document.topic, document.genre, document.zeros) == (None, None, ())
    assert document.source == str(examples / "key.conll") and document.line == 1
    assert sum(document.sentences, ()) == document.tokens
    entity = document.entities[0]
    assert entity.name == "0" and entity == tuple(document.entities)[0] and entity != entity[:]
    mention = entity[0]
    assert (mention.start, mention.end, mention.span, mention.words) == (0, 2, (0, 2), (0, 1, 2))
    assert document.text(mention) == " ".join(document.tokens[mention.start : mention.end + 1]) == "The Hamre Line"
    assert (mention.line, mention.column) == (2, 62) and mention == Mention(0, 2)
    assert document.clusters[0][0] == (0, 2)
    assert "The Hamre Line" in document._repr_html_() and "176 words" in repr(document)


def test_heads_zeros_and_relations():
    documents = [document for name, path in SAMPLES if name == "corefud" for document in readable(path, name)]
    mentions = [mention for document in documents for entity in document.entities for mention in entity]
    assert any(mention.head is not None for mention in mentions)
    assert any(len(mention.parts) > 1 and len(mention.words) < mention.end - mention.start + 1 for mention in mentions)
    assert any(document.zeros for document in documents)
    assert any(document.split_antecedents for document in documents)
    assert any(document.bridges for document in documents)
    assert any(mention.entity_type for mention in mentions)
    others = [document for name, path in SAMPLES if name in ("conll-ua", "ecb+") for document in readable(path, name)]
    assert any(document.non_referring for document in others) and any(document.topic for document in others)


def test_documents_stay_as_they_are(examples):
    document = read(examples / "key.conll")[0]
    for thing, name in ((document, "id"), (document, "entities"), (document.entities[0], "name")):
        with pytest.raises(AttributeError, match="stays as it is"):
            setattr(thing, name, 1)
    with pytest.raises(AttributeError):
        document.entities[0][0].start = 5
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del document._native
    with pytest.raises(TypeError):
        document.entities[0][0].attributes["a"] = "b"
    assert len({document, read(examples / "key.conll")[0]}) == 1


@pytest.mark.parametrize(("name", "path"), SAMPLES, ids=lambda value: getattr(value, "name", value))
def test_pickled_and_back(name, path):
    for document in readable(path, name):
        again = pickle.loads(pickle.dumps(document))
        assert again == document and hash(again) == hash(document) and again is not document
        for what in ("entities", "tokens", "sentences", "zeros", "bridges", "split_antecedents", "non_referring", "id"):
            assert getattr(again, what) == getattr(document, what)
        assert copy.deepcopy(document.entities) == document.entities
        assert document._repr_html_()


def test_damaged_pickles():
    document = Document(id="a", tokens=["Ada"], entities=[[(0, 0)]])
    restore, (format, state) = document.__reduce__()
    assert restore(format, state) == document
    for damaged in (b"", b"x", state[:-1], state.replace(b'"count":1', b'"count":0')):
        with pytest.raises(corefeval.FormatError, match="pickled"):
            restore(format, damaged)
    with pytest.raises(corefeval.SettingsError):
        restore("nothing", state)


class TestMaking:
    """Documents of Python objects."""

    def test_all_that_can_be_said(self):
        least = Mention(0, 3, head=1, parts=[(0, 1), (3, 3)], min_span=[(1, 1)], attributes={"mention-type": "NAM"})
        document = Document(
            id="note",
            part=2,
            tokens=[["The", "ferry", "also", "left"], ["It", "was", "late"]],
            entities={"ferry": [least, (4, 4)], "nobody": []},
            topic="boats",
            genre="letters",
        )
        assert (document.id, document.name, document.part) == ("note; part 002", "note", 2)
        assert (document.topic, document.genre, document.format, document.line) == ("boats", "letters", "python", 0)
        assert document.sentences == (("The", "ferry", "also", "left"), ("It", "was", "late"))
        ferry, nobody = document.entities
        assert (ferry.name, len(nobody), list(ferry)) == ("ferry", 0, [least, Mention(4, 4)])
        assert ferry[0].type == "NAM" and ferry[0].entity_type is None and ferry[0].words == (0, 1, 3)
        assert document.text(ferry[0]) == "The ferry left" and document.clusters == [[(0, 3), (4, 4)]]
        assert pickle.loads(pickle.dumps(document)) == document
        assert pickle.loads(pickle.dumps(least)) == least and hash(pickle.loads(pickle.dumps(least))) == hash(least)

    def test_ends_of_spans(self):
        inclusive = Document(id="a", entities=[[(0, 1), (4, 4)]])
        exclusive = Document(id="a", entities=[[(0, 2), [4, 5]]], span_end="exclusive")
        assert inclusive == exclusive and inclusive.tokens is None and inclusive.sentences is None
        assert inclusive.with_entities([[(0, 2)]], span_end="exclusive").clusters == [[(0, 1)]]
        assert inclusive.with_entities([[(0, 1), (9, 9)]]).clusters == [[(0, 1), (9, 9)]]
        numpy = pytest.importorskip("numpy")
        assert Document(id="a", entities=[[tuple(numpy.array([0, 1])), (4, 4)]]) == inclusive

    def test_with_entities(self, examples):
        key = read(examples / "key.conll")
        again = [document.with_entities(document.clusters) for document in key]
        assert [document.clusters for document in again] == [document.clusters for document in key]
        assert [document.tokens for document in again] == [document.tokens for document in key]
        response = {document.id: document.clusters for document in read(examples / "alder.conll")}
        found = [document.with_entities(response[document.id]) for document in key]
        files = score_files(key=examples / "key.conll", response=examples / "alder.conll", quiet=True)
        objects = score(key=key, response=found, quiet=True)
        assert dict(objects.items()) == dict(files.items()) and objects.signature == files.signature

    @pytest.mark.parametrize(
        ("arguments", "kind", "message"),
        [
            ({"id": 5}, TypeError, "id is a int"),
            ({"topic": 5}, TypeError, "topic is a int"),
            ({"part": "a"}, TypeError, "part has 'a'"),
            ({"part": -1}, ValueError, "part has -1"),
            ({"entities": 5}, TypeError, "entities are a int"),
            ({"entities": "ab"}, TypeError, "entities are a str"),
            ({"entities": [5]}, TypeError, "entities[0] is a int"),
            ({"entities": ["ab"]}, TypeError, "entities[0] is a str"),
            ({"entities": [[5]]}, TypeError, "entities[0][0] is a int"),
            ({"entities": {"x": [(0, 1), "ab"]}}, TypeError, "entities['x'][1] is a str"),
            ({"entities": [[(0, 1, 2)]]}, ValueError, "a span of 3 numbers"),
            ({"entities": [[(0, 1.5)]]}, TypeError, "1.5, not the number of a word"),
            ({"entities": [[(0, float("nan"))]]}, TypeError, "nan, not the number"),
            ({"entities": [[(0, True)]]}, TypeError, "True, not the number"),
            ({"entities": [[(-1, 1)]]}, ValueError, "has -1"),
            ({"entities": [[(0, 2**32)]]}, ValueError, "words count from 0"),
            ({"entities": [[(0, 2**70)]]}, ValueError, "words count from 0"),
            ({"entities": [[(3, 1)]]}, ValueError, "ends before it begins"),
            ({"entities": [[(1, 1)]], "span_end": "exclusive"}, ValueError, "no word where ends are exclusive"),
            ({"entities": [[(0, 0)]], "span_end": "last"}, ValueError, "`last` is no value of `span_end`"),
            ({"entities": [[(0, 2)]], "tokens": ["a", "b"]}, ValueError, "ends beyond the text of 2 words"),
            ({"entities": [[Mention(0, 0, head=7)]], "tokens": ["a"]}, ValueError, "head 7 lies beyond"),
            ({"entities": [[Mention(0, 2, parts=[(0, 1), (2, 2)])]]}, ValueError, "are not in order, touch"),
            ({"entities": [[Mention(0, "b")]]}, TypeError, "'b', not the number"),
            ({"entities": [[Mention(3, 1)]]}, ValueError, "ends before it begins"),
            ({"entities": {1: [], "1": []}}, ValueError, "two entities are called `1`"),
            ({"tokens": "Ada slept"}, TypeError, "tokens is a str"),
            ({"tokens": 5}, TypeError, "tokens is a int"),
            ({"tokens": ["a", 5]}, TypeError, "tokens[1] is a int"),
            ({"tokens": [["a"], [None]]}, TypeError, "tokens[1][0] is a NoneType"),
            ({"tokens": [["a"], "b"]}, TypeError, "tokens[1] is a str"),
        ],
    )
    def test_what_cannot_be(self, arguments, kind, message):
        with pytest.raises(corefeval.CorefevalError) as caught:
            Document(**{"id": "a", **arguments})
        assert isinstance(caught.value, kind) and message in str(caught.value) and caught.value.hint

    def test_what_iterators_raise_passes_through(self):
        def entities():
            yield [(0, 0)]
            raise RuntimeError("mine")

        with pytest.raises(RuntimeError, match="mine"):
            Document(id="a", entities=entities())
        with pytest.raises(RuntimeError, match="mine"):
            Document(id="a", tokens=(word for word in entities()))


class TestReading:
    """read."""

    def test_several_paths(self, examples, tmp_path):
        paths = [examples / "key.conll", str(examples / "alder.conll")]
        assert read(paths) == read(paths[0]) + read(paths[1])
        empty = tmp_path / "empty"
        empty.mkdir()
        with pytest.raises(corefeval.ReadError, match="no file in this directory"):
            read(empty)
        with pytest.raises(corefeval.ReadError, match="no such file"):
            read(tmp_path / "absent")
        with pytest.raises(corefeval.SettingsError, match="did you mean `conll`"):
            read(paths, "connl")
        with pytest.raises(corefeval.SettingsError, match="of `side`"):
            read(paths, side="both")
        for wrong in (5, [5], None):
            with pytest.raises(corefeval.InputTypeError, match="not a path"):
                read(wrong)

    def test_sides_and_ends(self, tmp_path):
        path = tmp_path / "both.jsonlines"
        path.write_text('{"doc_key": "a", "tokens": ["b", "c"], "clusters": [[[0, 1]]], "predicted_clusters": [[[1, 2]]]}\n')
        assert read(path, span_end="exclusive", quiet=True)[0].clusters == [[(0, 0)]]
        assert read(path, side="response", span_end="exclusive", quiet=True)[0].clusters == [[(1, 1)]]

    def test_warnings(self):
        found = [path for name, path in SAMPLES if name == "conll"]
        told = 0
        for path in found:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    read(path, "conll")
                except corefeval.CorefevalError:
                    continue
            if caught:
                told += 1
                assert all(issubclass(warning.category, corefeval.CorefevalWarning) for warning in caught)
                with pytest.raises(corefeval.StrictError):
                    read(path, "conll", strict=True)
        assert told

    def test_places_in_broken_files(self, tmp_path):
        path = tmp_path / "broken.jsonlines"
        path.write_text('{"doc_key": "b", "sentences": [["Ada"]], "clusters": [[[0, "x"]]]}\n')
        with pytest.raises(corefeval.FormatError) as caught:
            read(path)
        assert (caught.value.file, caught.value.line) == (str(path), 1)


class TestWriting:
    """write."""

    @pytest.mark.parametrize("format", ["conll", "jsonlines", "corefud", "conll-ua"])
    def test_and_back(self, format, examples, tmp_path):
        documents = [document.with_entities(document.clusters) for document in read(examples / "key.jsonlines")]
        text = write(documents, format=format, quiet=True)
        path = tmp_path / "written"
        assert write(documents, path, format=format, quiet=True) is None
        assert path.read_text() == text
        again = read(path, format, quiet=True)
        assert [document.tokens for document in again] == [document.tokens for document in documents]
        sets = lambda found: [{frozenset(entity) for entity in document.clusters} for document in found]  # noqa: E731
        assert sets(again) == sets(documents)

    def test_as_the_command_converts(self, examples, tmp_path):
        from test_files import command

        documents = read(examples / "key.conll")
        assert write(documents, format="jsonlines", quiet=True) == command("convert", "-q", "--to", "jsonlines", examples / "key.conll").stdout

    def test_losses_are_told(self, examples):
        documents = read(examples / "key.conll")
        with pytest.warns(corefeval.CorefevalWarning, match="cannot say"):
            write(documents, format="jsonlines")
        with pytest.raises(corefeval.StrictError, match="cannot say"):
            write(documents, format="jsonlines", strict=True)

    def test_files_for_each_document(self, examples, tmp_path):
        documents = read(examples / "key.conll")
        texts = write(documents, format="brat", quiet=True)
        assert len(texts) == 6
        write(documents, tmp_path / "folder", format="brat", quiet=True)
        assert {path.name: path.read_text() for path in (tmp_path / "folder").iterdir()} == texts

    def test_what_cannot_be(self, examples, tmp_path):
        document = read(examples / "key.conll")[0]
        with pytest.raises(corefeval.SettingsError, match="cannot be written"):
            write(document, format="muc")
        with pytest.raises(corefeval.SettingsError, match="no format `python`"):
            write(document, format="python")
        with pytest.raises(corefeval.FormatError, match="words of `a` are not known"):
            write(Document(id="a", entities=[[(0, 0)]]), format="conll")
        for wrong in (5, [5], "a", [[(0, 0)]], {"a": document}):
            with pytest.raises(corefeval.InputTypeError):
                write(wrong, format="conll")
        (tmp_path / "file").write_text("")
        for path, format in ((tmp_path / "absent" / "x", "jsonlines"), (tmp_path / "file", "brat")):
            with pytest.raises(corefeval.ReadError, match="cannot be written") as caught:
                write(document, path, format=format, quiet=True)
            assert isinstance(caught.value, OSError) and caught.value.code == "io"


class TestScoring:
    """Documents are scored as their files are."""

    OPTIONS = [
        {},
        {"match": "head"},
        {"match": "partial"},
        {"match": "craft"},
        {"match": "muc"},
        {"singletons": "drop", "by": "document"},
        {"zeros": "drop"},
        {"zero_match": "dependent"},
        {"scope": "corpus"},
        {"np_only": True, "remove_nested": True},
        {"profile": "coval", "match": "min-span"},
        {"split_antecedents": "keep"},
        {"metrics": "all"},
        {"metrics": "cone_b_cubed", "named": "rules"},
        {"average": "macro", "by": "length"},
    ]

    @pytest.mark.parametrize("options", OPTIONS, ids=str)
    def test_every_format_and_rule(self, options):
        compared = 0
        for name in sorted({name for name, _ in SAMPLES}):
            found = [(path, readable(path, name)) for other, path in SAMPLES if other == name]
            found = [(path, documents) for path, documents in found if documents][:12]
            for (ours, key), (theirs, response) in itertools.pairwise(found):
                outcome = []
                for side in ("files", "documents", "key alone"):
                    try:
                        if side == "files":
                            report = score_files(key=ours, response=theirs, format=name, quiet=True, **options)
                        elif side == "documents":
                            response_read = read(theirs, name, side="response", quiet=True)
                            report = score(key=key, response=response_read, quiet=True, **options)
                        else:
                            # A file and itself always have documents in common.
                            files = score_files(key=ours, response=ours, format=name, quiet=True, **options)
                            again = read(ours, name, side="response", quiet=True)
                            objects = score(key=key, response=again, quiet=True, **options)
                            assert dict(objects.items()) == dict(files.items()), (ours, options)
                            assert objects.signature == files.signature
                            assert objects.to_rows()[1:] == [
                                {**row, "system": "response"} for row in files.to_rows()[1:]
                            ]
                            compared += 1
                            continue
                        outcome.append(({name: tuple(score) for name, score in report.items()}, report.signature))
                    except corefeval.CorefevalError as error:
                        if side == "key alone":
                            with pytest.raises(type(error)):
                                score(key=key, response=key, quiet=True, **options)
                            continue
                        outcome.append((type(error), error.message))
                assert outcome[0] == outcome[1], (ours, theirs, options)
        # Names, and what else some options ask for, few samples have.
        assert compared > (10 if "named" in options else 40)

    def test_one_document_and_lists(self, examples):
        key, response = read(examples / "key.conll"), read(examples / "alder.conll")
        one = score(key=key[0], response=response[0], quiet=True)
        assert one == score(key=key[:1], response=tuple(response[:1]), quiet=True)
        assert one == score(key=iter(key[:1]), response=(document for document in response[:1]), quiet=True)
        missing = score(key=key, response=response[:2], quiet=True)
        assert [finding.code for finding in missing.warnings][0] == "missing-document"
        assert score(key=key, response=[], quiet=True)["muc"].recall == 0
        assert score(key=key, response=response, name="alder", quiet=True).systems[0].name == "alder"

    def test_formats_together(self, examples):
        key, response = read(examples / "key.conll"), read(examples / "alder.jsonlines")
        assert "|format:conll+jsonlines|" in score(key=key, response=response, quiet=True).signature
        with pytest.raises(corefeval.PairingError, match="several formats"):
            score(key=[key[0], response[1]], response=response)

    def test_names_of_entities_cross_documents(self):
        def made(names):
            return [
                Document(id=name, tokens=["Ada", "slept"], topic="t", entities={entity: [(0, 0)]})
                for name, entity in zip("ab", names)
            ]

        for scope in ("topic", "corpus"):
            report = score(key=made(["x", "x"]), response=made(["y", "z"]), scope=scope, metrics="muc", quiet=True)
            assert (report["muc"].recall, report["muc"].details["recall_den"]) == (0, 1)

    def test_groups(self):
        documents = [
            Document(id=f"{genre}{number}", genre=genre, topic="t", tokens=["a"] * 5 * number, entities=[[(0, 0), (1, 1)]])
            for genre in ("news", "letters")
            for number in (1, 40)
        ]
        report = score(key=documents, response=documents, by="genre", metrics="muc", quiet=True)
        assert [group.id for group in report.groups] == ["letters", "news"] and report.systems[0].by == "genre"
        assert {row["group"] for row in report.to_rows()} == {None, "letters", "news"} and not report.documents
        lengths = score(key=documents, response=documents, by="length", metrics="muc", quiet=True)
        assert [group.id for group in lengths.groups] == ["0 to 99 words", "100 to 249 words"]
        assert pickle.loads(pickle.dumps(lengths)) == lengths

    def test_kinds_do_not_mix(self, examples):
        key = read(examples / "key.conll")
        for other in (key[0].clusters, {"a": key[0].clusters}, corefeval.Labels([1])):
            with pytest.raises(corefeval.InputTypeError, match="with_entities"):
                score(key=key, response=other)
            with pytest.raises(corefeval.InputTypeError, match="with_entities"):
                score(key=other, response=key[0])
        with pytest.raises(corefeval.InputTypeError, match=r"\[1\] is a list, not a Document"):
            score(key=[key[0], []], response=key)

    def test_twice_the_same_document(self, examples):
        key = read(examples / "key.conll")
        with pytest.raises(corefeval.FormatError, match="a second time"):
            score(key=key + key, response=key)


class TestPlainObjects:
    """match, and what else looks at words, on lists of mentions."""

    def test_craft(self):
        key, response = [[(0, 3), (5, 9)]], [[(1, 2), (6, 6)]]
        assert score(key=key, response=response, metrics="muc", quiet=True)["muc"].f1 == 0
        assert score(key=key, response=response, match="craft", metrics="muc", quiet=True)["muc"].f1 == 1
        made = [Document(id="a", entities=entities) for entities in (key, response)]
        assert score(key=made[0], response=made[1], match="craft", metrics="muc", quiet=True)["muc"].f1 == 1

    def test_ends_of_spans(self):
        key, response = [[(0, 3), (5, 9)]], [[(1, 4), (5, 9)]]
        inclusive = score(key=key, response=response, match="craft", metrics="mentions", quiet=True)
        assert inclusive["mentions"].f1 == 0.5
        key, response = [[(0, 3), (4, 6)]], [[(0, 3), (3, 4)]]
        inclusive, exclusive = (
            score(key=key, response=response, match="craft", span_end=end, metrics="mentions", quiet=True)
            for end in ("inclusive", "exclusive")
        )
        assert inclusive["mentions"].f1 == exclusive["mentions"].f1 == 0.5
        key, response = [[(0, 4), (7, 9)]], [[(0, 3), (4, 4)]]
        assert score(key=key, response=response, match="craft", metrics="mentions", quiet=True)["mentions"].f1 == 0.5
        with pytest.raises(corefeval.SettingsError, match="do not say which they are"):
            score(key=key, response=response, match="craft", span_end="exclusive", metrics="mentions", quiet=True)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"match": "head"}, "`match:head` asks for heads"),
            ({"match": "partial"}, "`match:partial` asks for heads"),
            ({"match": "min-span"}, "`match:min-span` asks for a parse"),
            ({"scope": "topic"}, "names of entities"),
            ({"np_only": True}, "a parse"),
            ({"by": "length"}, "do not say the length"),
            ({"match": "hed"}, "is no value of `match`"),
        ],
    )
    def test_what_lists_do_not_say(self, options, message):
        spans = [[(0, 1), (4, 4)]]
        with pytest.raises(corefeval.SettingsError, match=message) as caught:
            score(key=spans, response=spans, **options)
        assert caught.value.hint

    def test_mentions_that_are_no_spans(self):
        for mentions in ([["a", "b"]], [[(3, 1), (4, 4)]], [[(0, 1), "a"]]):
            with pytest.raises(corefeval.SettingsError, match="do not say which they are"):
                score(key=mentions, response=mentions, match="craft")
        labels = corefeval.Labels([0, 0, 1])
        with pytest.raises(corefeval.SettingsError, match="do not say which they are"):
            score(key=labels, response=labels, remove_nested=True)

    def test_nested_mentions(self):
        key = [[(0, 5), (2, 3), (8, 8)]]
        report = score(key=key, response=[[(0, 5), (8, 8)]], remove_nested=True, metrics="muc", quiet=True)
        assert report["muc"].recall == 1.0

    spans = st.tuples(st.integers(0, 9), st.integers(0, 3)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    entities = st.lists(st.lists(spans, min_size=1, max_size=4, unique=True), max_size=4)

    @settings(max_examples=60, deadline=None)
    @given(entities, entities, st.sampled_from(["exact", "craft"]))
    def test_as_documents(self, key, response, match):
        """Pairs of numbers score as the documents that have them for spans."""
        unique = lambda side: [sorted(e) for e in side]  # noqa: E731
        plain = score(key=unique(key), response=unique(response), match=match, metrics="all", quiet=True)
        made = [Document(id="a", entities=unique(side)) for side in (key, response)]
        documents = score(key=made[0], response=made[1], match=match, metrics="all", quiet=True)
        assert {n: tuple(s) for n, s in plain.items()} == {n: tuple(s) for n, s in documents.items()}


class TestScorer:
    """Scorers of documents."""

    def test_as_all_at_once(self, examples):
        key, response = read(examples / "key.conll"), read(examples / "alder.conll")
        whole = score(key=key, response=response, by="document", match="head", quiet=True)
        scorers = [corefeval.Scorer(match="head", quiet=True) for _ in range(2)]
        scorers[0].update(key=key[0], response=response[0])
        scorers[1].update(key=key[1:], response=response[1:])
        scorers[0].merge(pickle.loads(pickle.dumps(scorers[1])))
        assert len(scorers[0]) == 3 and scorers[0].report(by="document") == whole
        with pytest.raises(corefeval.InputValueError, match="two documents called"):
            scorers[0].merge(scorers[1])
        with pytest.raises(corefeval.InputValueError, match="two documents called"):
            scorers[0].update(key=key, response=response)
        with pytest.raises(corefeval.InputTypeError, match="leave out doc_id"):
            scorers[0].update(key=key, response=response, doc_id="a")
        with pytest.raises(corefeval.InputTypeError, match="with_entities"):
            corefeval.Scorer(quiet=True).update(key=[[1]], response=key)
        assert scorers[0].report(by="document") == whole
        scorers[0].reset()
        assert len(scorers[0]) == 0
        with pytest.raises(corefeval.SettingsError, match="asks for heads"):
            scorers[0].update(key=[[(0, 1)]], response=[[(0, 1)]])
        scorers[0].update(key=key[0], response=response[0])
        assert len(scorers[0]) == 1

    def test_kinds_do_not_mix(self, examples):
        key = read(examples / "key.conll")
        plain, documents = corefeval.Scorer(quiet=True), corefeval.Scorer(quiet=True)
        plain.update(key=[[1, 2]], response=[[1, 2]])
        documents.update(key=key, response=key)
        with pytest.raises(corefeval.InputTypeError, match="both kinds"):
            plain.update(key=key, response=key)
        with pytest.raises(corefeval.InputTypeError, match="both kinds"):
            documents.update(key=[[1, 2]], response=[[1, 2]])
        with pytest.raises(corefeval.InputTypeError, match="use a scorer for each"):
            plain.merge(documents)

    def test_settings_that_lists_cannot_have(self):
        scorer = corefeval.Scorer(scope="corpus")
        with pytest.raises(corefeval.SettingsError, match="names of entities"):
            scorer.update(key=[[1]], response=[[1]])
        assert len(scorer) == 0


CALLS = {
    "read": lambda: read(ROOT / "examples" / "key.conll", quiet=True),
    "make": lambda: Document(id="a", tokens=["a"] * 50, entities=[[(n, n) for n in range(50)]]).entities,
    "write": lambda: write(Document(id="a", tokens=["a"], entities=[[(0, 0)]]), format="conll"),
    "pickle": lambda: pickle.loads(pickle.dumps(Document(id="a", tokens=["a"], entities=[[(0, 0)]]))),
    "score": lambda document=Document(id="a", tokens=["a"] * 90, entities=[[(n, n) for n in range(90)]]): score(
        key=document, response=document.with_entities([[(0, 0)]]), quiet=True
    ),
    "fails": lambda: pytest.raises(corefeval.CorefevalError, Document, id="a", entities=[[(1, 0)]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    """The process does not grow over many calls."""
    resource = pytest.importorskip("resource")
    for _ in range(200):
        CALLS[name]()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(600):
        CALLS[name]()
    gc.collect()
    # In KiB on Linux: what is made in a call has some 10 KB, which would be 6 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 3_000


def test_paths_are_pathlike(examples):
    assert isinstance(examples, pathlib.Path) and read(str(examples / "key.conll")) == read(examples / "key.conll")


def test_files_of_a_directory_may_use_the_same_ids(examples):
    with pytest.raises(corefeval.FormatError, match="a second time"):
        read(examples / "pairs" / "key", quiet=True)
    key, response = (read(examples / "pairs" / side, ids_by_file=True, quiet=True) for side in ("key", "alder"))
    assert {document.name for document in key} == {"cs_mill/note", "de_garden/note", "en_harbour/note"}
    both = score(key=key, response=response, metrics="muc", quiet=True)
    files = score_files(
        key=examples / "pairs" / "key",
        response=examples / "pairs" / "alder",
        ids_by_file=True,
        metrics="muc",
        quiet=True,
    )
    assert both["muc"].f1 == files["muc"].f1


def test_groups_of_mentions_add_up(examples):
    key, response = read(examples / "key.conll", quiet=True), read(examples / "cedar.conll", quiet=True)
    for by in ("entity-size", "distance", "part-of-speech", "mention-length", "zero"):
        report = score(key=key, response=response, metrics=["mentions", "muc"], by=by, quiet=True)
        for metric in ("mentions", "muc"):
            for count in ("recall_num", "recall_den", "precision_num", "precision_den"):
                found = sum(group[metric].details[count] for group in report.groups)
                assert found == pytest.approx(report[metric].details[count]), (by, metric, count)
    with pytest.raises(corefeval.CorefevalError, match="does not say the mention-type"):
        score(key=key, response=response, by="mention-type", quiet=True)
    # Sizes are there without any text; distances are not.
    plain = score(key=[[1, 2, 3], [4]], response=[[1, 2], [3], [4]], by="entity-size")
    assert [group.id for group in plain.groups] == ["1 mention", "2 mentions", "3 to 4 mentions"]
    with pytest.raises(corefeval.CorefevalError, match="distance"):
        score(key=[[1, 2, 3], [4]], response=[[1, 2], [3, 4]], by="distance")
