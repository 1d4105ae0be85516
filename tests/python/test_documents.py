"""Documents: reading, writing, building and scoring them, with the scores of their files."""

from __future__ import annotations

import copy
import itertools
import pathlib
import pickle
import warnings

import corefeval
import pytest
from conftest import ROOT, assert_nothing_leaks, optional
from corefeval import Bridge, Document, Entity, Mention, Zero, read, score, score_files, write
from hypothesis import given, settings
from hypothesis import strategies as st

FORMATS = ROOT / "testdata" / "formats"


def samples():
    """Yields every sample of a readable format."""
    for folder in sorted(FORMATS.iterdir()):
        if folder.is_dir() and not folder.name.endswith("-broken"):
            for path in sorted(folder.iterdir()):
                if path.is_file() and path.name != "cases.json":
                    yield folder.name, path


SAMPLES = list(samples())


def readable(path, format):
    """Returns the documents of a sample; nothing if it is the text of another sample or needs options."""
    try:
        return read(path, format, quiet=True)
    except corefeval.CorefevalError:
        return []


def test_contents_of_a_file(examples):
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


def test_documents_are_immutable(examples):
    document = read(examples / "key.conll")[0]
    for thing, name in ((document, "id"), (document, "entities"), (document.entities[0], "name")):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(thing, name, 1)
    with pytest.raises(AttributeError):
        document.entities[0][0].start = 5
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del document._native
    with pytest.raises(TypeError):
        document.entities[0][0].attributes["a"] = "b"
    assert len({document, read(examples / "key.conll")[0]}) == 1


@pytest.mark.parametrize(("name", "path"), SAMPLES, ids=lambda value: getattr(value, "name", value))
def test_pickles(name, path):
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
    """Documents built from Python objects."""

    def test_all_parts(self):
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
        numpy = optional("numpy")
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
            ({"entities": [[(3, 1)]]}, ValueError, "ends before it starts"),
            ({"entities": [[(1, 1)]], "span_end": "exclusive"}, ValueError, "no word if ends are exclusive"),
            ({"entities": [[(0, 0)]], "span_end": "last"}, ValueError, "`last` is not a valid value for `span_end`"),
            ({"entities": [[(0, 2)]], "tokens": ["a", "b"]}, ValueError, "ends beyond the text of 2 words"),
            ({"entities": [[(0, 2)]], "tokens": ["a"]}, ValueError, "ends beyond the text of 1 word"),
            ({"entities": [[Mention(0, 0, head=7)]], "tokens": ["a"]}, ValueError, "head 7 is outside the text of 1 word"),
            ({"entities": [[Mention(0, 2, parts=[(0, 1), (2, 2)])]]}, ValueError, "are not in order, touch"),
            ({"entities": [[Mention(0, "b")]]}, TypeError, "'b', not the number"),
            ({"entities": [[Mention(3, 1)]]}, ValueError, "ends before it starts"),
            ({"entities": {1: [], "1": []}}, ValueError, "two entities are called `1`"),
            ({"tokens": "Ada slept"}, TypeError, "tokens is a str"),
            ({"tokens": 5}, TypeError, "tokens is a int"),
            ({"tokens": ["a", 5]}, TypeError, "tokens[1] is a int"),
            ({"tokens": [["a"], [None]]}, TypeError, "tokens[1][0] is a NoneType"),
            ({"tokens": [["a"], "b"]}, TypeError, "tokens[1] is a str"),
        ],
    )
    def test_invalid_input(self, arguments, kind, message):
        with pytest.raises(corefeval.CorefevalError) as caught:
            Document(**{"id": "a", **arguments})
        assert isinstance(caught.value, kind) and message in str(caught.value) and caught.value.hint

    def test_exceptions_of_iterators_propagate(self):
        def entities():
            yield [(0, 0)]
            raise RuntimeError("mine")

        with pytest.raises(RuntimeError, match="mine"):
            Document(id="a", entities=entities())
        with pytest.raises(RuntimeError, match="mine"):
            Document(id="a", tokens=(word for word in entities()))


def again(document):
    """Rebuilds a document from its parts."""
    return Document(
        id=document.name,
        part=document.part,
        tokens=document.sentences,
        zeros=document.zeros,
        entities=document.entities,
        topic=document.topic,
        genre=document.genre,
        split_antecedents=document.split_antecedents,
        bridges=document.bridges,
        non_referring=document.non_referring,
        format=document.format,
    )


#: The contents of a document, without places in files.
CONTENTS = ("id", "format", "tokens", "sentences", "zeros", "entities", "split_antecedents", "bridges", "non_referring")


class TestBeyondIdentity:
    """Zeros, bridging, split antecedents, and non-referring expressions."""

    TOKENS = [["Ada", "met", "Bo", "."], ["They", "left", "the", "hall", ";", "the", "door", "shut", "."]]
    ENTITIES = {"ada": [(0, 0)], "bo": [(2, 2)], "they": [(4, 4)], "hall": [(6, 7)]}

    OPTIONS = [
        {},
        {"metrics": "all"},
        {"metrics": "all", "zero_match": "dependent"},
        {"metrics": "all", "split_antecedents": "keep", "zeros": "drop"},
        {"metrics": "all", "match": "craft"},
        {"metrics": "all", "scope": "corpus"},
        {"profile": "crac-2022"},
        {"profile": "crac-2025"},
        {"profile": "codi-crac-2022-anaphora"},
        {"profile": "codi-crac-2022-bridging"},
    ]

    def made_again(self, documents):
        """Rebuilds documents; returns None if one has a sum of a single part, which files can contain."""
        made = []
        for document in documents:
            if any(len(parts) < 2 for _, parts in document.split_antecedents):
                with pytest.raises(corefeval.InputValueError, match="has 1 part"):
                    again(document)
                return None
            made.append(again(document))
            for what in CONTENTS:
                assert getattr(made[-1], what) == getattr(document, what), (document.source, what)
            assert pickle.loads(pickle.dumps(made[-1])) == made[-1] == again(made[-1])
        return made

    def check_scores(self, documents, made, options):
        """Returns whether they have the same scores, on either side."""
        outcomes = []
        for key, response in ((documents, documents), (documents, made), (made, documents), (made, made)):
            try:
                report = score(key=key, response=response, quiet=True, **options)
                outcomes.append(({name: tuple(found) for name, found in report.items()}, report.signature))
            except corefeval.CorefevalError as error:
                outcomes.append(error.message)
        assert outcomes[1:] == outcomes[:1] * 3, (documents[0].source, options)

    @pytest.mark.parametrize("options", OPTIONS, ids=str)
    def test_rebuilt_documents(self, options):
        compared = 0
        profiles = sorted((ROOT / "testdata" / "profiles").glob("*.conllu*"))
        for name, path in [*SAMPLES, *(("corefud" if path.suffix == ".conllu" else "conll-ua", path) for path in profiles)]:
            if name not in ("corefud", "conll-ua"):
                continue
            documents = readable(path, name)
            made = self.made_again(documents)
            if made:
                self.check_scores(documents, made, options)
                compared += 1
        assert compared > 60

    def test_rebuilt_responses(self):
        """A rebuilt response has the scores of its file, against the key as a file."""
        compared = 0
        for key in sorted((ROOT / "testdata" / "profiles").glob("*.key.conllu*")):
            path, profile = key.with_name(key.name.replace(".key.", ".response.")), key.name.split(".")[0]
            for options in ({"profile": profile}, {"metrics": "all"}):
                files = score_files(key=key, response=path, quiet=True, **options)
                deixis = "discourse-deixis" if "deixis" in options.get("profile", "") else None
                response = [again(document) for document in read(path, annotation=deixis, quiet=True)]
                keys = read(key, annotation=deixis, quiet=True)
                objects = score(key=keys, response=response, quiet=True, **options)
                assert dict(objects.items()) == dict(files.items()) and objects.signature == files.signature
                compared += 1
        assert compared > 20

    def test_conformance_data(self):
        """Rebuilds the data of the conformance cases, if present; files with one document, so that none is repeated."""
        import test_conformance

        folder = test_conformance.FOLDER / "data"
        if not folder.is_dir():
            # CI has them next to the repository, but not every clone does; their licence does not allow shipping them.
            pytest.skip(f"no conformance cases at {folder}")
        compared = 0
        for path in sorted([*(folder / "corefud").rglob("*"), *(folder / "ua").rglob("*")]):
            try:
                documents = read(path, quiet=True) if path.is_file() else []
            except corefeval.CorefevalError:
                continue
            made = self.made_again(documents)
            if made:
                # The order in the file determines the copy of a repeated mention that counts.
                self.check_scores(documents, made, {"metrics": "all", "duplicates": "distinct", "singletons": "keep"})
                compared += 1
        assert compared > 100

    def test_mentions_without_words(self):
        """If mentions can cross, a mention that a file opens and never closes has no words."""
        path = FORMATS / "conll-ua" / "nested.conllua"
        documents = read(path, boundary_crossing=True, quiet=True)
        mentions = [mention for document in documents for entity in document.entities for mention in entity]
        assert any(mention.without_words and mention.words == () for mention in mentions)
        assert pickle.loads(pickle.dumps(mentions)) == mentions and mentions[0] != Mention(*mentions[0].span)
        # The signature contains reading options, which built documents lack.
        options = {"metrics": "all", "singletons": "keep", "boundary_crossing": True}
        self.check_scores(documents, self.made_again(documents), options)

    @pytest.mark.parametrize("format", ["corefud", "conll-ua"])
    def test_written_and_read(self, format, tmp_path):
        document = Document(
            id="note",
            tokens=self.TOKENS,
            entities={**self.ENTITIES, "door": [(9, 10), Zero(after=11)]},
            split_antecedents={"they": ["ada", "bo"]},
            bridges=[Bridge(anaphor=(9, 10), entity="hall", relation="part")],
            non_referring=[(8, 8)] if format == "conll-ua" else [],
            format=format,
        )
        text = write(document, tmp_path / "made", format=format, quiet=True) or (tmp_path / "made").read_text()
        found = read(tmp_path / "made", format, quiet=True)[0]
        for what in ("tokens", "sentences", "zeros", "bridges", "split_antecedents", "clusters"):
            assert getattr(found, what) == getattr(document, what)
        assert [mention.span for mention in found.non_referring] == [mention.span for mention in document.non_referring]
        assert write(again(found), format=format, quiet=True) == text
        if format == "corefud":
            other = document.with_entities(self.ENTITIES, bridges=(), split_antecedents=(), non_referring=[(8, 8)])
            with pytest.warns(corefeval.CorefevalWarning, match="refer to nothing"):
                write(other, format=format)

    def test_relations(self):
        document = Document(
            id="note",
            tokens=self.TOKENS,
            entities=list(self.ENTITIES.values()),
            split_antecedents=[(2, [0, 1])],
            bridges=[((9, 10), None, 3, "part"), Bridge([(9, 10), (12, 12)], Mention(6, 7)), Bridge(Mention(9, 12, parts=[(9, 9), (12, 12)]), (6, 7))],
            non_referring=[(8, 8), Mention(11, 11)],
        )
        assert document.split_antecedents == (("2", ("0", "1")),)
        assert document.bridges == (
            Bridge(((9, 10),), None, "3", "part"),
            Bridge(((9, 10), (12, 12)), ((6, 7),)),
            Bridge(((9, 9), (12, 12)), ((6, 7),)),
        )
        assert document.non_referring == (Mention(8, 8), Mention(11, 11)) and len(document.entities) == 4
        assert again(document) == document == pickle.loads(pickle.dumps(document))
        exclusive = Document(
            id="a", entities=[[(0, 1)]], bridges=[((4, 6), [(0, 1), (2, 3)])], non_referring=[(2, 3)], span_end="exclusive"
        )
        assert exclusive.bridges == (Bridge(((4, 5),), ((0, 0), (2, 2))),) and exclusive.non_referring == (Mention(2, 2),)
        names = Document(id="a", entities={"1-Pseudo": [(0, 0)]}, non_referring=[(1, 1), (2, 2)])
        assert [entity.name for entity in names.entities] == ["1-Pseudo"] and len(names.non_referring) == 2

    def test_with_entities_warns_about_dropped_annotation(self):
        document = Document(
            id="note",
            tokens=self.TOKENS,
            entities=self.ENTITIES,
            split_antecedents={"they": ["ada", "bo"]},
            bridges=[Bridge((9, 10), entity="hall")],
            non_referring=[(8, 8), (11, 11)],
        )
        told = r"beyond identity: split_antecedents \(1\), bridges \(1\), non_referring \(2\); give it again"
        with pytest.warns(corefeval.CorefevalWarning, match=told):
            bare = document.with_entities(document.clusters)
        assert not (bare.split_antecedents or bare.bridges or bare.non_referring)
        assert bare.with_entities(bare.clusters) == bare
        with pytest.warns(corefeval.CorefevalWarning, match=r"beyond identity: non_referring \(2\);"):
            document.with_entities(document.clusters, bridges=(), split_antecedents=())
        relations = {name: getattr(document, name) for name in ("split_antecedents", "bridges", "non_referring")}
        assert document.with_entities(document.entities, **relations) == document
        with pytest.raises(corefeval.InputValueError, match="there is no such entity"):
            document.with_entities(document.clusters, **relations)

    def test_zeros_by_place(self):
        nsubj = Zero(before=11, dependencies=[(11, "nsubj"), (None, "root")])
        document = Document(
            id="note",
            tokens=self.TOKENS,
            entities={"a": [(0, 3), Zero(after=3)], "b": [Zero(before=4), nsubj, (9, 12)], "c": [nsubj, Zero(before=0)]},
            zeros=[Zero(after=12)],
            bridges=[Bridge(nsubj, Zero(before=0))],
            non_referring=[Zero(before=6)],
        )
        assert document.sentences == (
            ("_", "Ada", "met", "Bo", ".", "_"),
            ("_", "They", "left", "_", "the", "hall", ";", "the", "door", "_", "shut", ".", "_"),
        )
        assert [zero.word for zero in document.zeros] == [0, 5, 6, 9, 15, 18]
        assert document.zeros[4] == Zero(15, 1, ((16, "nsubj"), (None, "root")))
        # A zero within a mention counts as one of its words.
        assert document.clusters == [[(1, 4), (5, 5)], [(6, 6), (15, 15), (13, 17)], [(15, 15), (0, 0)]]
        assert document.bridges == (Bridge(((15, 15),), ((0, 0),)),) and document.non_referring == (Mention(9, 9),)
        assert again(document) == document
        # The reverse: the same words with inserted zeros.
        text = document.without_zeros()
        assert text.sentences == tuple(map(tuple, self.TOKENS)) and not text.zeros and not text.entities
        found = text.with_entities({"a": [(0, 3), Zero(after=3)], "b": [nsubj]})
        assert found.clusters == [[(0, 3), (4, 4)], [(12, 12)]] and found.zeros[1].dependencies == ((13, "nsubj"), (None, "root"))
        assert found.sentences[0][-1] == "_" and again(found) == found
        more = found.with_entities([[found.zeros[0], Zero(4), Zero(after=3), Zero(before=5, number=4)]])
        assert more.clusters == [[(4, 4), (4, 4), (5, 5), (6, 6)]] and [zero.number for zero in more.zeros] == [1, 2, 4, 1]

    def test_numbers_of_zeros(self):
        tokens = ["a", "b"]
        place = [Zero(before=1), Zero(after=0), Zero(after=0, number=7), Zero(before=1, number=5)]
        document = Document(id="n", tokens=tokens, entities=[place])
        assert [zero.number for zero in document.zeros] == [1, 2, 5, 7] and document.clusters == [[(1, 1), (2, 2), (4, 4), (3, 3)]]
        assert Document(id="n", tokens=["a", "_", "_"], zeros=[1, Zero(2)]).zeros == (Zero(1, 1), Zero(2, 2))
        assert Document(id="n", tokens=["_", "_"], zeros=[Zero(1, 3), 0]).zeros == (Zero(0, 1), Zero(1, 3))
        # CoNLL-U that starts with 0 is read.
        document = Document(id="n", tokens=["a"], entities=[[Zero(after=0, number=0), Zero(after=0)]], format="corefud")
        assert [zero.number for zero in document.zeros] == [0, 1] and "1.0\t_" in write(document, format="corefud", quiet=True)
        # Zeros of key and response match by their numbers.
        key = Document(id="n", tokens=tokens, entities=[[(0, 0), Zero(before=1, number=2)]])
        for number, right in ((None, 0.5), (2, 1.0)):
            response = Document(id="n", tokens=tokens, entities=[[(0, 0), Zero(before=1, number=number)]])
            assert score(key=key, response=response, metrics="mentions", quiet=True)["mentions"].f1 == right

    def test_zeros_within_mentions(self):
        for format, parts in (("python", ()), ("corefud", ()), ("conll-ua", ((0, 0), (3, 3)))):
            entities = [[(0, 1), Zero(before=1), Zero(before=1, number=9)]]
            document = Document(id="n", tokens=["a", "b"], entities=entities, format=format)
            assert document.entities[0][0].parts == parts and document.entities[0][0].span == (0, 3)
            assert Document(id="n", tokens=["a", "b"], format=format).with_entities(entities) == document
        parts = Mention(0, 4, head=4, parts=[(0, 1), (3, 4)], min_span=[(3, 4)])
        document = Document(id="n", tokens=list("abcde"), entities=[[parts, Zero(before=4)]], format="conll-ua")
        assert document.entities[0][0] == Mention(0, 5, 5, ((0, 1), (3, 3), (5, 5)), ((3, 3), (5, 5)))

    words = st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), min_size=1, max_size=3)

    @settings(max_examples=150, deadline=None)
    @given(words, st.data())
    def test_any_zeros(self, tokens, data):
        """Zeros given by place equal the zeros of a document with the same zeros in its tokens."""
        count = sum(map(len, tokens))
        place = st.builds(
            lambda word, side, number: Zero(**{side: word}, number=number),
            st.integers(0, count - 1),
            st.sampled_from(["before", "after"]),
            st.none() | st.integers(1, 9),
        )
        zeros = data.draw(st.lists(place, max_size=6, unique=True))
        spans = st.integers(0, count - 1).flatmap(lambda end: st.tuples(st.integers(0, end), st.just(end)))
        mentions = data.draw(st.lists(spans, max_size=4))
        try:
            document = Document(id="n", tokens=tokens, entities=[mentions, zeros])
        except corefeval.InputValueError as error:
            assert "has number" in error.message
            return
        assert again(document) == document and document.without_zeros().sentences == tuple(map(tuple, tokens))
        assert [[word for word in sentence if word != "_"] for sentence in document.sentences] == tokens
        starts = list(itertools.accumulate(map(len, document.sentences), initial=0))
        in_text = [word for word, form in enumerate(document.tokens) if form != "_"]
        for zero, mention in zip(zeros, document.entities[1]):
            assert mention.start == mention.end and document.tokens[mention.start] == "_"
            if zero.before is not None:
                next_word = min(word for word in in_text if word > mention.start)
                assert next_word == in_text[zero.before] and mention.start >= max(s for s in starts if s <= next_word)
            else:
                last_word = max(word for word in in_text if word < mention.start)
                assert last_word == in_text[zero.after] and mention.start < min(s for s in starts if s > last_word)
        for span, mention in zip(mentions, document.entities[0]):
            assert mention.span == (in_text[span[0]], in_text[span[1]])
        bare = Document(id="n", tokens=tokens)
        assert bare.with_entities([mentions, zeros]) == document
        report = score(key=document, response=document, metrics="mentions,zero_anaphora", quiet=True)
        assert report["mentions"].f1 == (1 if mentions or zeros else 0)

    def test_zeros_match_by_place_and_by_dependencies(self):
        tokens = [["Eva", "přišla", "a", "spala", "."]]
        key = Document(
            id="n",
            tokens=tokens,
            entities={"eva": [(0, 0), Zero(before=3, dependencies=[(3, "nsubj")])]},
            format="corefud",
        )
        assert key.tokens == ("Eva", "přišla", "a", "_", "spala", ".")
        text = key.without_zeros()
        same = text.with_entities([[(0, 0), Zero(before=3, dependencies=[(3, "nsubj")])]])
        behind = text.with_entities([[(0, 0), Zero(after=3, dependencies=[(3, "nsubj")])]])
        other = text.with_entities([[(0, 0), Zero(before=3, dependencies=[(1, "nsubj")])]])
        for response, linear, dependent in ((same, 1, 1), (behind, 0, 1), (other, 1, 1), (text.with_entities([[(0, 0)]]), 0, 0)):
            for match, right in (("linear", linear), ("dependent", dependent)):
                report = score(key=key, response=response, match="exact", zero_match=match, singletons="keep", metrics="muc,zero_anaphora", quiet=True)
                assert (report["muc"].f1, report["zero_anaphora"].f1) == (right, right)

    def test_options_about_zeros_apply_to_built_documents(self):
        """Built documents can have zeros, so no warning reports that options about zeros have no effect."""
        document = Document(id="n", tokens=["a", "b"], entities=[[(0, 0), (1, 1), Zero(before=0)]])
        report = score(key=document, response=document, zeros="drop", split_antecedents="keep", metrics="mentions,muc")
        assert report["mentions"].details["recall_den"] == 2 and not report.warnings
        assert report.to_dict()["settings"]["zeros"] == "drop" and "|split-antecedents:keep|" in f"{report.signature}|"

    def test_formats(self):
        document = Document(id="n", tokens=["a"], entities=[[(0, 0)]], format="conll-ua")
        assert "|profile:ua|format:conll-ua" in score(key=document, response=document, quiet=True).signature
        assert "bridging" in score(key=document, response=document, metrics="all", quiet=True)
        with pytest.raises(corefeval.SettingsError, match="did you mean `corefud`"):
            Document(id="n", format="corefudd")
        with pytest.raises(corefeval.InputTypeError, match="format is a NoneType"):
            Document(id="n", format=None)

    def test_values(self):
        zero = Zero(before=7, dependencies=[[7, "nsubj"]])
        assert zero == Zero(before=7, dependencies=((7, "nsubj"),)) and len({zero, pickle.loads(pickle.dumps(zero))}) == 1
        assert repr(zero) == "Zero(before=7, dependencies=((7, 'nsubj'),))" and eval(repr(zero)) == zero
        assert eval(repr(Zero(3, 2))) == Zero(3, 2) and copy.copy(zero) == zero
        with pytest.raises(AttributeError):
            zero.word = 5
        numpy = optional("numpy")
        assert Zero(before=numpy.int64(7)) == Zero(before=7)
        assert Document(id="n", tokens=["a", "_"], zeros=numpy.array([1])).zeros == (Zero(1, 1),)
        entity = Entity("x", [Mention(1, 1)])
        assert Document(id="n", tokens=["a", "_"], zeros=[1], entities=[entity]).entities == (entity,)


class TestReading:
    """Tests of read."""

    def test_several_paths(self, examples, tmp_path):
        paths = [examples / "key.conll", str(examples / "alder.conll")]
        assert read(paths) == read(paths[0]) + read(paths[1])
        empty = tmp_path / "empty"
        empty.mkdir()
        with pytest.raises(corefeval.ReadError, match="this directory contains no file"):
            read(empty)
        with pytest.raises(corefeval.ReadError, match="no such file"):
            read(tmp_path / "absent")
        with pytest.raises(corefeval.SettingsError, match="did you mean `conll`"):
            read(paths, "connl")
        with pytest.raises(corefeval.SettingsError, match="for `side`"):
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
    """Tests of write."""

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

    def test_equal_to_convert(self, examples, tmp_path):
        from test_files import command

        documents = read(examples / "key.conll")
        assert write(documents, format="jsonlines", quiet=True) == command("convert", "-q", "--to", "jsonlines", examples / "key.conll").stdout

    def test_losses_are_warnings(self, examples):
        documents = read(examples / "key.conll")
        with pytest.warns(corefeval.CorefevalWarning, match="cannot represent"):
            write(documents, format="jsonlines")
        with pytest.raises(corefeval.StrictError, match="cannot represent"):
            write(documents, format="jsonlines", strict=True)

    def test_files_for_each_document(self, examples, tmp_path):
        documents = read(examples / "key.conll")
        texts = write(documents, format="brat", quiet=True)
        assert len(texts) == 6
        write(documents, tmp_path / "folder", format="brat", quiet=True)
        assert {path.name: path.read_text() for path in (tmp_path / "folder").iterdir()} == texts

    def test_invalid_input(self, examples, tmp_path):
        document = read(examples / "key.conll")[0]
        with pytest.raises(corefeval.SettingsError, match="cannot be written"):
            write(document, format="pipe")
        with pytest.raises(corefeval.SettingsError, match="unknown format `python`"):
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
    """Documents have the scores of their files."""

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
                            report = score_files(
                                key=ours, response=theirs, format=name, quiet=True, allow_empty=True, **options
                            )
                        elif side == "documents":
                            response_read = read(theirs, name, side="response", quiet=True)
                            report = score(key=key, response=response_read, quiet=True, **options)
                        else:
                            # A file and itself always have documents in common.
                            files = score_files(
                                key=ours, response=ours, format=name, quiet=True, allow_empty=True, **options
                            )
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
        # Few samples have names and other data that some options need.
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
        assert "|format:conll+jsonlines" in score(key=key, response=response, quiet=True).signature
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
        for other, message in ((key[0].clusters, "does not name the document"), (corefeval.Labels([1]), "name the document|unnamed mentions")):
            for sides in ({"key": key, "response": other}, {"key": other, "response": key}):
                with pytest.raises(corefeval.InputTypeError, match=message):
                    score(**sides)
        with pytest.raises(corefeval.InputTypeError, match="unnamed mentions"):
            score(key=key[0], response=corefeval.Labels([1]))
        with pytest.raises(corefeval.PairingError):
            score(key=key, response={"a": key[0].clusters})
        with pytest.raises(corefeval.InputTypeError, match=r"\[1\] is a list, not a Document"):
            score(key=[key[0], []], response=key)

    def test_repeated_documents(self, examples):
        key = read(examples / "key.conll")
        with pytest.raises(corefeval.FormatError, match="is repeated here"):
            score(key=key + key, response=key)


@pytest.mark.parametrize("id", ["a", "0"])
def test_findings_name_built_documents(id):
    def found(*entities):
        key = Document(id=id, tokens=["Ada", "she"], entities=list(entities))
        report = score(key=key, response=Document(id=id, tokens=["Ada", "she"], entities=[[(0, 0), (1, 1)]]), quiet=True)
        return next(finding for finding in report.findings if finding.code == "duplicate-mention").places[0]["message"]

    beginning = f"document `{id}`: the key has the mention of word 1"
    assert found([(0, 0), (0, 0)], [(1, 1)]) == f"{beginning} twice in entity `0`"
    assert found([(0, 0)], [(0, 0), (1, 1)]) == f"{beginning} in entity `0` and again in entity `1`"


def test_findings_about_lists_name_the_other_place():
    report = score(key={"a": [[(0, 0), (0, 0)], [(1, 1)]]}, response={"a": [[(0, 0), (1, 1)]]}, quiet=True)
    finding = next(finding for finding in report.findings if finding.code == "duplicate-mention")
    assert finding.places[0]["message"] == (
        "key[0][1] of document `a`: the key has the mention of word 1 twice in entity `0` (the other copy opens at key[0][0])"
    )


class TestPlainObjects:
    """match and other options about words, on lists of mentions."""

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
        with pytest.raises(corefeval.InputValueError, match="ends are exclusive"):
            score(key=key, response=response, match="craft", span_end="exclusive", metrics="mentions", quiet=True)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"match": "head"}, "`match:head` requires heads"),
            ({"match": "partial"}, "`match:partial` requires heads"),
            ({"match": "min-span"}, "`match:min-span` requires a parse"),
            ({"scope": "topic"}, "names of entities"),
            ({"np_only": True}, "a parse"),
            ({"by": "length"}, "do not have the length"),
            ({"match": "hed"}, "is not a valid value for `match`"),
        ],
    )
    def test_options_that_lists_do_not_support(self, options, message):
        spans = [[(0, 1), (4, 4)]]
        with pytest.raises(corefeval.SettingsError, match=message) as caught:
            score(key=spans, response=spans, **options)
        assert caught.value.hint

    def test_mentions_other_than_spans(self):
        for mentions in ([["a", "b"]], [[(0, 1), "a"]]):
            with pytest.raises(corefeval.SettingsError, match="are not known"):
                score(key=mentions, response=mentions, match="craft")
        reversed_span = [[(3, 1), (4, 4)]]
        with pytest.raises(corefeval.InputValueError, match=r"key\[0\]\[0\] is \(3, 1\), which ends before"):
            score(key=reversed_span, response=reversed_span, match="craft")
        labels = corefeval.Labels([0, 0, 1])
        with pytest.raises(corefeval.SettingsError, match="are not known"):
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
        """Pairs of numbers have the scores of documents with these spans."""
        unique = lambda side: [sorted(e) for e in side]  # noqa: E731
        plain = score(key=unique(key), response=unique(response), match=match, metrics="all", quiet=True)
        made = [Document(id="a", entities=unique(side)) for side in (key, response)]
        documents = score(key=made[0], response=made[1], match=match, metrics="all", quiet=True)
        assert {n: tuple(s) for n, s in plain.items()} == {n: tuple(s) for n, s in documents.items()}


class TestScorer:
    """Scorers of documents."""

    def test_equal_to_one_call(self, examples):
        key, response = read(examples / "key.conll"), read(examples / "alder.conll")
        whole = score(key=key, response=response, by="document", match="head", quiet=True)
        scorers = [corefeval.Scorer(match="head", quiet=True) for _ in range(2)]
        scorers[0].update(key=key[0], response=response[0])
        scorers[1].update(key=key[1:], response=response[1:])
        scorers[0].merge(pickle.loads(pickle.dumps(scorers[1])))
        assert len(scorers[0]) == 3 and scorers[0].report(by="document") == whole
        with pytest.raises(corefeval.InputValueError, match="two documents are called"):
            scorers[0].merge(scorers[1])
        with pytest.raises(corefeval.InputValueError, match="two documents are called"):
            scorers[0].update(key=key, response=response)
        with pytest.raises(corefeval.InputTypeError, match="leave out doc_id"):
            scorers[0].update(key=key, response=response, doc_id="a")
        with pytest.raises(corefeval.InputTypeError, match="does not name the document|not a mention"):
            corefeval.Scorer(quiet=True).update(key=[[1]], response=key)
        assert scorers[0].report(by="document") == whole
        scorers[0].reset()
        assert len(scorers[0]) == 0
        with pytest.raises(corefeval.SettingsError, match="requires heads"):
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

    def test_settings_that_lists_do_not_support(self):
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
    "zeros": lambda: Document(
        id="a",
        tokens=["a"] * 9,
        entities=[[Zero(before=n, dependencies=[(n, "nsubj")]), (n, n)] for n in range(9)],
        split_antecedents={2: [0, 1]},
        bridges=[Bridge((3, 4), entity="0")],
        non_referring=[(5, 5)],
    ).zeros,
    "fails": lambda: pytest.raises(corefeval.CorefevalError, Document, id="a", entities=[[(1, 0)]]),
    "zeros fail": lambda: pytest.raises(corefeval.CorefevalError, Document, id="a", tokens=["a"], entities=[[Zero(after=1)]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    assert_nothing_leaks(CALLS[name])


def test_paths_are_pathlike(examples):
    assert isinstance(examples, pathlib.Path) and read(str(examples / "key.conll")) == read(examples / "key.conll")


def test_files_of_a_directory_can_share_ids(examples):
    with pytest.raises(corefeval.FormatError, match="is repeated here"):
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
    with pytest.raises(corefeval.CorefevalError, match="has no mention-type"):
        score(key=key, response=response, by="mention-type", quiet=True)
    # Sizes do not require a text; distances do.
    plain = score(key=[[1, 2, 3], [4]], response=[[1, 2], [3], [4]], by="entity-size")
    assert [group.id for group in plain.groups] == ["1 mention", "2 mentions", "3 to 4 mentions"]
    with pytest.raises(corefeval.CorefevalError, match="distance"):
        score(key=[[1, 2, 3], [4]], response=[[1, 2], [3, 4]], by="distance")
