"""The drop-ins against what they stand in for, on random documents with singletons and mentions of one side only."""

from __future__ import annotations

import pickle
import random

import corefeval
import pytest
from corefeval import allennlp, clustering, coval, e2e

numpy = pytest.importorskip("numpy")
pytest.importorskip("scipy")
import originals  # noqa: E402
from originals import mention_to_cluster  # noqa: E402


def clusters(rng, mentions=30, entities=8, found=0.8):
    """A random partition of some of the mentions into tuples."""
    parts = {}
    for mention in range(mentions):
        if rng.random() < found:
            parts.setdefault(rng.randrange(entities), []).append((mention, mention + rng.randrange(3)))
    return [tuple(part) for part in parts.values()]


def documents(seed, count=6):
    rng = random.Random(seed)
    for _ in range(count):
        # The spans of both sides are the same as often as not.
        yield clusters(rng, entities=rng.choice((3, 8, 20))), clusters(rng, entities=rng.choice((3, 8, 20)))


class TestE2e:
    """CorefEvaluator."""

    @pytest.mark.parametrize("seed", range(60))
    def test_the_same_figures(self, seed):
        ours, theirs = e2e.CorefEvaluator(), originals.E2eEvaluator()
        for predicted, gold in documents(seed):
            arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
            ours.update(*arguments)
            theirs.update(*arguments)
        assert ours.get_prf() == pytest.approx(theirs.get_prf(), abs=1e-12)
        for evaluator, figures in zip(ours.evaluators, theirs.figures()):
            assert evaluator.get_prf() == pytest.approx(figures, abs=1e-12)
        for evaluator, counts in zip(ours.evaluators, theirs.counts.values()):
            assert evaluator.get_counts() == pytest.approx(tuple(counts), abs=1e-9)
        assert (ours.get_precision(), ours.get_recall(), ours.get_f1()) == ours.get_prf()
        assert pickle.loads(pickle.dumps(ours)).get_prf() == ours.get_prf()

    def test_the_quirk_is_a_flag(self):
        predicted, gold = [((0, 0), (1, 1)), ((2, 2),)], [((0, 0), (1, 1)), ((2, 2),), ((3, 3),)]
        arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
        quirk, plain = e2e.CorefEvaluator(), e2e.CorefEvaluator(drop_singletons=False)
        quirk.update(*arguments)
        plain.update(*arguments)
        assert quirk.evaluators[1].get_counts() == (2, 2, 2, 2)
        assert quirk.evaluators[2].get_counts() == (1, 1, 1, 3)
        assert plain.evaluators[1].get_counts() == (3, 3, 3, 4)
        assert plain.evaluators[2].get_counts() == (2, 2, 2, 3)
        assert plain.get_f1() == corefeval.score(key=gold, response=predicted, metrics="conll")["conll"].f1

    def test_shapes_and_nothing(self):
        evaluator = e2e.CorefEvaluator()
        assert evaluator.get_prf() == (0, 0, 0)
        evaluator.update([], [], {}, {})
        assert evaluator.get_prf() == (0, 0, 0)
        evaluator.update([], [((0, 0), (1, 1))], {}, {(0, 0): 1, (1, 1): 1})
        assert evaluator.get_f1() == 0
        with pytest.raises(corefeval.InputValueError, match="mention_to_gold has 0"):
            evaluator.update([], [((0, 0), (1, 1))], {}, {})
        with pytest.raises(corefeval.InputTypeError, match="not hashable"):
            evaluator.update([([0, 0], [1, 1])], [], {1: 1, 2: 1}, {})


@pytest.mark.parametrize("seed", range(30))
def test_coval(seed):
    infos, expected = {}, {name: numpy.zeros(4) for name in ("muc", "b_cubed", "ceafe", "lea")}
    for number, (system, key) in enumerate(documents(seed)):
        places = [{m: place for place, c in enumerate(side) for m in c} for side in (key, system)]
        in_system = {m: places[1][m] for m in places[0] if m in places[1]}
        in_key = {m: places[0][m] for m in places[1] if m in places[0]}
        infos[f"document {number}"] = (key, system, in_system, in_key)
        muc = originals.E2eEvaluator.muc
        expected["muc"] += (*muc(system, in_key), *muc(key, in_system))
        b_cubed = originals.coval_b_cubed
        expected["b_cubed"] += (*b_cubed(system, in_key), *b_cubed(key, in_system))
        expected["ceafe"] += originals.coval_ceaf_e(system, key)
        lea = originals.coval_lea
        expected["lea"] += (*lea(system, key, in_key), *lea(key, system, in_system))
        assert coval.mentions(key, in_system) == (len(in_system), len(places[0]))
    for name, (p, all_p, r, all_r) in expected.items():
        recall, precision = r / all_r, p / all_p
        f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0
        found = coval.evaluate_documents(infos, getattr(coval, name))
        assert found == pytest.approx((recall, precision, f1), abs=1e-12)
        counts = coval.get_document_evaluations(infos, getattr(coval, name))
        assert [sum(count) for count in counts] == pytest.approx([p, all_p, r, all_r], abs=1e-9)
    weighted = coval.Evaluator(coval.muc, beta=2)
    for info in infos.values():
        weighted.update(info)
    p, r = weighted.get_precision(), weighted.get_recall()
    assert weighted.get_f1() == pytest.approx(5 * p * r / (4 * p + r) if p + r else 0)
    report = corefeval.score(
        key={name: info[0] for name, info in infos.items()},
        response={name: info[1] for name, info in infos.items()},
        profile="coval",
        metrics="ceaf_m",
        quiet=True,
    )
    assert coval.evaluate_documents(infos, coval.ceafm)[2] == pytest.approx(report["ceaf_m"].f1)


class TestAllenNlp:
    """ConllCorefScores."""

    def test_a_batch(self):
        spans = [[(0, 0), (1, 2), (3, 3), (5, 6)], [(0, 1), (2, 2), (4, 4), (7, 7)]]
        antecedents = [[[0, 0], [0, 0], [0, 1], [1, 2]]] * 2
        chosen = [[-1, 0, 1, -1], [-1, -1, 0, 1]]
        gold = [[[[0, 0], [1, 2]], [[3, 3], [5, 6]]], [[[0, 1], [4, 4]], [[2, 2], [7, 7]]]]
        metadata = [{"clusters": document} for document in gold]
        predicted = [
            allennlp.ConllCorefScores.get_predicted_clusters(*document)[0]
            for document in zip(spans, antecedents, chosen)
        ]
        assert predicted[0] == [((0, 0), (1, 2), (3, 3))]
        assert predicted[1] == [((0, 1), (4, 4), (7, 7))]
        expected = originals.E2eEvaluator()
        for document, found in zip(gold, predicted):
            clusters, mapping = allennlp.ConllCorefScores.get_gold_clusters(document)
            expected.update(found, clusters, mention_to_cluster(found), mapping)
        for make in (list, numpy.array):
            metric = allennlp.ConllCorefScores()
            metric(make(spans), make(antecedents), make(chosen), metadata)
            assert metric.get_metric() == pytest.approx(expected.get_prf(), abs=1e-12)
            assert metric.get_metric(reset=True) == pytest.approx(expected.get_prf(), abs=1e-12)
            assert metric.get_metric() == (0, 0, 0)

    @pytest.mark.parametrize("seed", range(40))
    def test_singletons_count_twice(self, seed):
        """A span that is its own antecedent is a cluster that has it twice, in the original too."""
        rng = random.Random(seed)
        metric, expected = allennlp.ConllCorefScores(allow_singletons=True), originals.E2eEvaluator()
        for _ in range(3):
            count = rng.randrange(2, 12)
            spans = sorted(rng.sample([(start, start + more) for start in range(10) for more in range(2)], count))
            antecedents = [list(range(count))] * count
            chosen = [rng.choice([-1, place, rng.randrange(place + 1)]) for place in range(count)]
            gold = {}
            for span in [*spans, (20, 20)]:
                if rng.random() < 0.8:
                    gold.setdefault(rng.randrange(6), []).append(span)
            metadata = [{"clusters": list(gold.values())}]
            metric([spans], [antecedents], [chosen], metadata)
            found, mapping = metric.get_predicted_clusters(spans, antecedents, chosen, True)
            clusters, to_gold = metric.get_gold_clusters(metadata[0]["clusters"])
            expected.update(found, clusters, mapping, to_gold)
            assert not found or max(map(len, found)) >= 2
        assert metric.get_metric() == pytest.approx(expected.get_prf(), abs=1e-12)
        for evaluator, counts in zip(metric._evaluator.evaluators, expected.counts.values()):
            assert evaluator.get_counts() == pytest.approx(tuple(counts), abs=1e-9)

    def test_what_it_refuses(self):
        with pytest.raises(corefeval.InputValueError, match="does not come before"):
            allennlp.ConllCorefScores()([[(0, 0), (1, 1)]], [[[0], [1]]], [[-1, 0]], [{"clusters": []}])
        with pytest.raises(corefeval.InputValueError, match="does not come before"):
            singletons = allennlp.ConllCorefScores(allow_singletons=True)
            singletons([[(0, 0), (1, 1)]], [[[1], [1]]], [[0, 0]], [{"clusters": []}])


class TestCovalReader:
    """coval's get_coref_infos."""

    @pytest.mark.parametrize("response", ["alder", "birch", "cedar"])
    @pytest.mark.parametrize("NP_only", [False, True])
    @pytest.mark.parametrize("remove_nested", [False, True])
    @pytest.mark.parametrize("keep_singletons", [False, True])
    @pytest.mark.parametrize("min_span", [False, True])
    def test_the_figures_of_the_command(self, examples, response, NP_only, remove_nested, keep_singletons, min_span):
        key, response = examples / "key.conll", examples / f"{response}.conll"
        infos = coval.reader.get_coref_infos(str(key), response, NP_only, remove_nested, keep_singletons, min_span)
        report = corefeval.score_files(
            key=key,
            response=response,
            profile="coval",
            np_only=NP_only,
            remove_nested=remove_nested,
            singletons="keep" if keep_singletons else "drop",
            match="min-span" if min_span else "exact",
            quiet=True,
        )
        for name, metric in (("muc", "muc"), ("b_cubed", "b_cubed"), ("ceaf_e", "ceafe"), ("lea", "lea"), ("mentions",) * 2):
            found = coval.evaluate_documents(infos, getattr(coval, metric))
            assert found == pytest.approx(tuple(report[name]), abs=1e-12), name

    @pytest.mark.parametrize("keep_singletons", [False, True])
    def test_against_a_plain_reader(self, examples, keep_singletons):
        key, response = examples / "key.conll", examples / "birch.conll"
        infos = coval.reader.get_coref_infos(key, response, False, False, keep_singletons, False)
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
            assert in_ours == coval.reader.get_mention_assignments(theirs, ours)

    @pytest.mark.parametrize("response", ["alder", "birch", "cedar"])
    @pytest.mark.parametrize("NP_only", [False, True])
    @pytest.mark.parametrize("remove_nested", [False, True])
    @pytest.mark.parametrize("keep_singletons", [False, True])
    @pytest.mark.parametrize("min_span", [False, True])
    def test_steps_on_lines(self, examples, response, NP_only, remove_nested, keep_singletons, min_span):
        """The steps one by one, as callers do that have lines, give what get_coref_infos gives."""
        reader = coval.reader
        key, response = examples / "key.conll", examples / f"{response}.conll"
        expected = reader.get_coref_infos(key, response, NP_only, remove_nested, keep_singletons, min_span)
        key_lines, sys_lines = reader.get_doc_lines(key), reader.get_doc_lines(response)
        assert list(key_lines) == list(expected)
        for name, (ours, theirs, in_theirs, in_ours) in expected.items():
            clusters = []
            for lines in (key_lines, sys_lines):
                found, left_out = reader.get_doc_mentions(name, lines[name], keep_singletons)
                assert keep_singletons <= (left_out == 0)
                if NP_only or min_span:
                    found = reader.set_annotated_parse_trees(found, key_lines[name], NP_only, min_span)
                if remove_nested:
                    reader.remove_nested_coref_mentions(found, keep_singletons)
                clusters.append(found)
            assert clusters == [ours, theirs]
            assert reader.get_mention_assignments(*clusters) == in_theirs
            assert reader.get_mention_assignments(*reversed(clusters)) == in_ours

    def test_lines_that_cannot_be(self, examples):
        reader = coval.reader
        lines = reader.get_doc_lines(examples / "key.conll")
        name, sentences = next(iter(lines.items()))
        with pytest.raises(corefeval.FormatError, match="not sentences of lines"):
            reader.get_doc_mentions(name, sentences[0], True)
        with pytest.raises(corefeval.SettingsError, match="column 3"):
            reader.get_doc_mentions(name, sentences, True, word_column=1)

    def test_mentions(self, examples):
        infos = coval.reader.get_coref_infos(examples / "key.conll", examples / "key.conll", min_span=True)
        ours, theirs, _, _ = next(iter(infos.values()))
        one, other = ours[0][0], theirs[0][0]
        assert one == other and one is not other and hash(one) == hash(other) and one != "Hamre"
        assert one.words == ["The", "Hamre", "Line"] and one.get_span() == "The Hamre Line"
        mentions = [mention for cluster in ours for mention in cluster]
        assert any(mention.get_span() != " ".join(mention.words) for mention in mentions)
        assert all(mention.min_spans for mention in mentions)
        assert pickle.loads(pickle.dumps(one)) == one and repr(one).startswith("Mention(")

    def test_what_cannot_be(self, examples, tmp_path):
        with pytest.raises(corefeval.ReadError):
            coval.reader.get_coref_infos(tmp_path / "absent", tmp_path / "absent")
        one = tmp_path / "one.conll"
        one.write_text("#begin document (a); part 000\nAda\t(0)\n#end document\n")
        with pytest.raises(corefeval.PairingError, match="no document `news/ferry_line; part 000`"):
            coval.reader.get_coref_infos(examples / "key.conll", one)


class TestClustering:
    """Functions in the manner of scikit-learn."""

    def test_the_same_as_entities(self):
        rng = random.Random(7)
        truth = [rng.randrange(9) for _ in range(80)]
        found = [rng.randrange(7) for _ in range(80)]
        group = lambda labels: [  # noqa: E731
            [place for place, label in enumerate(labels) if label == chosen] for chosen in sorted(set(labels))
        ]
        report = corefeval.score(key=group(truth), response=group(found), metrics="all")
        for name in clustering.__all__:
            if name.endswith("_score"):
                expected = report[name.removesuffix("_score")].f1
                assert getattr(clustering, name)(truth, found) == expected, name
                assert getattr(clustering, name)(numpy.array(truth), numpy.array(found)) == expected, name
        p, r, f1 = clustering.precision_recall_f1(truth, found, metric="lea")
        assert (r, p, f1) == tuple(report["lea"])
        with pytest.raises(ValueError, match="F1 only"):
            clustering.precision_recall_f1(truth, found, metric="conll")
        with pytest.raises(corefeval.InputValueError, match="key has 80 labels"):
            clustering.b_cubed_score(truth, found[1:])

    def test_with_scikit_learn(self):
        metrics = pytest.importorskip("sklearn.metrics")
        rng = random.Random(3)
        truth = [rng.randrange(9) for _ in range(200)]
        found = [rng.randrange(7) for _ in range(200)]
        assert clustering.rand_score(truth, found) == pytest.approx(metrics.rand_score(truth, found))
        adjusted = metrics.adjusted_rand_score(truth, found)
        assert clustering.adjusted_rand_score(truth, found) == pytest.approx(adjusted)
        from sklearn.cluster import KMeans

        items = numpy.array([[rng.random() + 5 * label] for label in truth])
        scorer = metrics.make_scorer(clustering.b_cubed_score)
        assert scorer(KMeans(9, n_init=5, random_state=0).fit(items), items, truth) > 0.8


class TestSpacy:
    """Clusters in Doc.spans."""

    @staticmethod
    def check(make):
        from corefeval.spacy import clusters_of, score_clusters

        key = {"coref_clusters_1": [(0, 1), (3, 4)], "coref_clusters_2": [(1, 2), (5, 6)], "other": [(2, 3)]}
        response = {"coref_clusters_1": [(0, 1), (3, 4), (5, 6)]}
        example = make(key, response)
        assert clusters_of(example.predicted) == [[(0, 3), (12, 15), (20, 25)]]
        scores = score_clusters([example, example])
        document = ([["a", "b"], ["c", "d"]], [["a", "b", "d"]])
        expected = corefeval.score(
            key=document[0], response=document[1], metrics="muc,b_cubed,ceaf_e,lea,conll", quiet=True
        )
        assert scores["coref_f"] == pytest.approx(expected["conll"].f1)
        lea = expected["lea"]
        assert scores["coref_lea"] == {"p": lea.precision, "r": lea.recall, "f": lea.f1}
        assert score_clusters([]) == {"coref_f": None, "coref_p": None, "coref_r": None}

    def test_without_spacy(self):
        from types import SimpleNamespace

        starts = (0, 4, 8, 12, 16, 20)

        def doc(groups):
            span = lambda a, b: SimpleNamespace(start_char=starts[a], end_char=starts[b - 1] + (5 if b == 6 else 3))  # noqa: E731
            spans = {name: [span(*place) for place in group] for name, group in groups.items()}
            return SimpleNamespace(text="Ada met Bob and she waved", spans=spans)

        self.check(lambda key, response: SimpleNamespace(reference=doc(key), predicted=doc(response)))

    def test_with_spacy(self):
        spacy = pytest.importorskip("spacy")
        from spacy.training import Example

        def make(key, response):
            docs = []
            for groups in (response, key):
                doc = spacy.blank("en")("Ada met Bob and she waved")
                for name, group in groups.items():
                    doc.spans[name] = [doc[a:b] for a, b in group]
                docs.append(doc)
            return Example(*docs)

        self.check(make)


class TestHuggingFace:
    """The metric folder of evaluate."""

    WORDS = [
        "bc/x 0 0 Thank VBP (TOP(S(VP* thank 01 1 - * (V*) * -",
        "bc/x 0 1 you PRP (NP*) - - - - * (A1*) (A0*) (116)",
        "bc/x 0 2 everyone NN (NP*) - - - - * (A*) * (116)",
        "bc/x 0 3 she NN (NP*) - - - - * (A*) * (7)",
        "bc/x 0 4 . . *)) - - - - * * * -",
    ]

    def test_lines(self):
        from corefeval.huggingface import score_lines

        scores = score_lines(references=[self.WORDS], predictions=[self.WORDS])
        assert scores["mentions/recall"] == scores["lea/f1"] == 1.0
        assert set(scores) == {
            *(f"{m}/{f}" for m in ("mentions", "muc", "bcub", "ceafe", "lea") for f in ("recall", "precision", "f1")),
            "conll_score",
        }
        assert scores["conll_score"] == pytest.approx(100)
        dropped = score_lines(references=[self.WORDS], predictions=[self.WORDS], keep_singletons=False)
        assert dropped["mentions/recall"] == 1.0 and dropped["muc/f1"] == 1.0

    def test_documents_are_not_merged(self):
        from corefeval.huggingface import score_lines

        other = [line.replace("(7)", "(116)") for line in self.WORDS]
        scores = score_lines(references=[self.WORDS, self.WORDS], predictions=[other, self.WORDS])
        key = [[1, 2], [3]]
        expected = corefeval.score(
            key={"a": key, "b": key}, response={"a": [[1, 2, 3]], "b": key}, metrics="muc,b_cubed,conll", quiet=True
        )
        assert scores["muc/f1"] == expected["muc"].f1
        assert scores["bcub/f1"] == expected["b_cubed"].f1
        assert scores["conll_score"] == pytest.approx(100 * expected["conll"].f1)
        with pytest.raises(corefeval.InputValueError, match="2 references and 1"):
            score_lines(references=[self.WORDS, self.WORDS], predictions=[self.WORDS])

    def test_with_evaluate(self):
        evaluate = pytest.importorskip("evaluate")
        from corefeval.huggingface import METRIC

        metric = evaluate.load(METRIC)
        scores = metric.compute(predictions=[self.WORDS], references=[self.WORDS])
        assert scores["bcub/f1"] == 1.0
