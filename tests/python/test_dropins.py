"""Compares the evaluators of the e2e family, of coval and of AllenNLP with the originals, on random documents with
singletons, mentions of one side only, overlapping clusters, and inconsistent dictionaries."""

from __future__ import annotations

import collections
import functools
import pickle
import random
import types

import corefeval
import pytest
from conftest import optional, side_by_side
from corefeval import allennlp, coval, e2e

numpy = optional("numpy")
optional("scipy")
import originals  # noqa: E402
from originals import mention_to_cluster  # noqa: E402


def clusters(rng, mentions=30, entities=8, found=0.8):
    """Returns a random partition of some of the mentions into tuples."""
    parts = {}
    for mention in range(mentions):
        if rng.random() < found:
            parts.setdefault(rng.randrange(entities), []).append((mention, mention + rng.randrange(3)))
    return [tuple(part) for part in parts.values()]


def documents(seed, count=6):
    rng = random.Random(seed)
    for _ in range(count):
        # Both sides have the same spans in half of the cases.
        yield clusters(rng, entities=rng.choice((3, 8, 20))), clusters(rng, entities=rng.choice((3, 8, 20)))


def overlapping(rng, repeated=False):
    """Returns random clusters that can share mentions, and can repeat a mention if requested."""
    sides = [[rng.randrange(7) for _ in range(rng.randrange(1, 5))] for _ in range(rng.randrange(5))]
    return [tuple(side if repeated else dict.fromkeys(side)) for side in sides]


def close(counts):
    return pytest.approx(tuple(counts), abs=1e-9)


class TestE2e:
    """Tests of CorefEvaluator."""

    @pytest.mark.parametrize("seed", range(60))
    def test_the_same_scores(self, seed):
        ours, theirs = e2e.CorefEvaluator(), originals.E2eEvaluator()
        for predicted, gold in documents(seed):
            arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
            ours.update(*arguments)
            theirs.update(*arguments)
        assert ours.get_prf() == pytest.approx(theirs.get_prf(), abs=1e-12)
        for evaluator, scores in zip(ours.evaluators, theirs.scores()):
            assert evaluator.get_prf() == pytest.approx(scores, abs=1e-12)
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

    def test_shapes_and_empty_input(self):
        evaluator = e2e.CorefEvaluator()
        assert evaluator.get_prf() == (0, 0, 0)
        evaluator.update([], [], {}, {})
        assert evaluator.get_prf() == (0, 0, 0)
        gold = [((0, 0), (1, 1))]
        evaluator.update([], gold, {}, mention_to_cluster(gold))
        assert evaluator.get_f1() == 0
        with pytest.raises(corefeval.InputTypeError, match="not hashable"):
            evaluator.update([([0, 0], [1, 1])], [], {1: 1, 2: 1}, {})
        with pytest.raises(corefeval.InputTypeError, match=r"\(0, 0\) is mapped to 1, which is not a cluster"):
            evaluator.update(gold, gold, mention_to_cluster(gold), {(0, 0): 1, (1, 1): 1})
        assert [one.get_counts() for one in evaluator.evaluators] == [(0, 0, 0, 1), (0, 0, 0, 2), (0, 0, 0, 1)]

    @pytest.mark.parametrize("seed", range(200))
    def test_clusters_that_overlap(self, seed):
        """The dictionary maps a mention to its last cluster, even if that is a singleton."""
        rng = random.Random(seed)
        ours, theirs = e2e.CorefEvaluator(), originals.E2eEvaluator()
        for repeated in (False, True, False):
            predicted, gold = overlapping(rng, repeated), overlapping(rng, repeated)
            arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
            ours.update(*arguments)
            theirs.update(*arguments)
        for evaluator, counts in zip(ours.evaluators, theirs.counts.values()):
            assert evaluator.get_counts() == close(counts)
        assert pickle.loads(pickle.dumps(ours)).get_prf() == ours.get_prf()

    def test_a_mention_in_a_cluster_and_in_a_singleton(self):
        predicted, gold = [("a", "b")], [("a", "b"), ("a",)]
        evaluator = e2e.CorefEvaluator()
        evaluator.update(predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold))
        assert evaluator.evaluators[1].get_prf() == (0.25, 1, 0.4)

    @pytest.mark.parametrize("seed", range(60))
    def test_contradicting_dictionaries(self, seed):
        """The dictionaries determine the counts, with a warning."""
        rng = random.Random(seed)
        predicted, gold = clusters(rng), clusters(rng)
        mappings = [mention_to_cluster(side) for side in (predicted, gold)]
        wrong = dict(mappings[1])
        for mention in list(wrong):
            if rng.random() < 0.2:
                wrong[mention] = rng.choice([rng.choice(gold), rng.choice(predicted), ("other",)])
            elif rng.random() < 0.2:
                del wrong[mention]
        wrong["absent"] = gold[0]
        expected = originals.E2eEvaluator()
        expected.update(predicted, gold, mappings[0], wrong)
        ours = e2e.CorefEvaluator()
        with pytest.warns(corefeval.CorefevalWarning, match="mention_to_gold has the mention 'absent'") as told:
            ours.update(predicted, gold, mappings[0], wrong)
        assert len(told) == 1 and told[0].filename == __file__
        assert ours.get_prf() == close(expected.get_prf())
        quiet = e2e.CorefEvaluator(quiet=True)
        quiet.update(predicted, gold, mappings[0], wrong)
        assert quiet.get_prf() == ours.get_prf()

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({}, "mention_to_gold lacks the mention 'a'"),
            ({"a": ("a", "b"), "b": ("b", "c")}, "maps the mention 'b' to .*, which is not a cluster"),
        ],
    )
    def test_warnings_about_contradictions(self, wrong, told):
        gold = [("a", "b")]
        with pytest.warns(corefeval.CorefevalWarning, match=told):
            e2e.CorefEvaluator().update(gold, gold, mention_to_cluster(gold), wrong)

    def test_lists_and_equal_clusters(self):
        gold = [["a", "b"], ["c", "d"]]
        copied = {mention: tuple(cluster) for cluster in gold for mention in cluster}
        evaluator = e2e.CorefEvaluator()
        evaluator.update(gold, gold, mention_to_cluster(gold), copied)
        assert evaluator.get_prf() == (1, 1, 1)

    @pytest.mark.parametrize("seed", range(40))
    def test_one_metric(self, seed):
        """Evaluator and the functions of the module, on clusters of all kinds."""
        rng = random.Random(seed)
        metrics = {
            e2e.muc: originals.E2eEvaluator.muc,
            e2e.b_cubed: originals.E2eEvaluator.b_cubed,
            e2e.lea: originals.e2e_lea,
        }
        given = []
        for make in (clusters, overlapping, functools.partial(overlapping, repeated=True)):
            predicted, gold = make(rng), make(rng)
            given.append((predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)))
        for ours, theirs in metrics.items():
            evaluator = e2e.Evaluator(ours, beta=2)
            expected = numpy.zeros(4)
            for document in given:
                evaluator.update(*document)
                expected += (*theirs(document[0], document[3]), *theirs(document[1], document[2]))
            counts = evaluator.p_num, evaluator.p_den, evaluator.r_num, evaluator.r_den
            assert counts == evaluator.get_counts() == close(expected)
            p, r, f = evaluator.get_prf()
            assert f == evaluator.get_f1() == e2e.f1(*counts, beta=2)
            assert f == pytest.approx(5 * p * r / (4 * p + r) if p + r else 0)
            assert e2e.evaluate_documents(given, ours, beta=2) == (p, r, f)
            again = pickle.loads(pickle.dumps(evaluator))
            assert (again.metric, again.beta, again.get_prf()) == (ours, 2, (p, r, f))
        for predicted, gold, _, _ in given:
            assert e2e.ceafe(predicted, gold) == close(originals.E2eEvaluator.ceaf_e(predicted, gold))
        assert e2e.phi4(("a", "b"), ("b",)) == originals.phi4(("a", "b"), ("b",))

    def test_custom_evaluators(self):
        """Callers can set the list of evaluators and their counts."""
        evaluator = e2e.CorefEvaluator()
        evaluator.evaluators = [*evaluator.evaluators[:2], e2e.Evaluator(e2e.lea)]
        gold, predicted = [("a", "b", "c")], [("a", "b")]
        evaluator.update(predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold))
        assert [one.metric for one in evaluator.evaluators] == [e2e.muc, e2e.b_cubed, e2e.lea]
        assert [one.get_recall() for one in evaluator.evaluators] == pytest.approx([1 / 2, 4 / 9, 1 / 3])
        assert pickle.loads(pickle.dumps(evaluator)).get_prf() == evaluator.get_prf()
        # Like callers that add up the counts of several processes.
        evaluator.evaluators[0].r_num += 1
        assert evaluator.evaluators[0].get_counts() == (1, 1, 2, 2)

    def test_mentions(self):
        evaluator = e2e.MentionEvaluator()
        assert evaluator.get_prf() == (0, 0, 0)
        evaluator.update([(0, 1), (2, 2), (0, 1)], [(0, 1), (4, 5), (6, 6)])
        assert (evaluator.tp, evaluator.fp, evaluator.fn) == (1, 1, 2)
        assert evaluator.get_prf() == pytest.approx((1 / 2, 1 / 3, 0.4))
        assert (evaluator.get_precision(), evaluator.get_recall(), evaluator.get_f1()) == evaluator.get_prf()

    def test_threads_share_an_evaluator(self):
        """Threads add and query at the same time, as in a loop with workers."""
        rng = random.Random(0)
        gold = [cluster for cluster in clusters(rng, mentions=3000, entities=600) if len(cluster) > 1]
        arguments = gold, gold, mention_to_cluster(gold), mention_to_cluster(gold)
        evaluator = e2e.CorefEvaluator()

        def work():
            for _ in range(15):
                evaluator.update(*arguments)
                assert evaluator.get_f1() == pytest.approx(1)

        side_by_side([work] * 4)
        links = sum(len(cluster) - 1 for cluster in gold)
        assert evaluator.evaluators[0].get_counts() == (*[60 * links] * 4,)


#: coval's functions, and whether they take the clusters of both sides.
COVAL = {
    coval.muc: lambda system, key, in_key: originals.E2eEvaluator.muc(system, in_key),
    coval.b_cubed: lambda system, key, in_key: originals.coval_b_cubed(system, in_key),
    coval.lea: originals.coval_lea,
}


class TestCoval:
    """Tests of coval's evaluator."""

    @pytest.mark.parametrize("seed", range(80))
    def test_the_same_counts(self, seed):
        rng = random.Random(seed)
        infos = {}
        expected = {metric: numpy.zeros(4) for metric in (*COVAL, coval.ceafe, coval.ceafm)}
        makes = (clusters, clusters, overlapping, functools.partial(overlapping, repeated=True))
        for number, make in enumerate(makes if seed % 2 else makes[:2]):
            system, key = make(rng), make(rng)
            assignments = coval.reader.get_mention_assignments
            in_system, in_key = assignments(key, system), assignments(system, key)
            infos[f"document {number}"] = (key, system, in_system, in_key)
            for metric, count in COVAL.items():
                expected[metric] += (*count(system, key, in_key), *count(key, system, in_system))
            expected[coval.ceafe] += originals.coval_ceaf_e(system, key)
            expected[coval.ceafm] += originals.coval_ceaf_m(system, key)
            assert coval.mentions(key, in_system) == (len(in_system), len({m for cluster in key for m in cluster}))
        for metric, counts in expected.items():
            p, all_p, r, all_r = counts
            recall, precision = r / all_r if all_r else 0, p / all_p if all_p else 0
            assert coval.evaluate_documents(infos, metric) == close((recall, precision, coval.f1(*counts)))
            assert [sum(count) for count in coval.get_document_evaluations(infos, metric)] == close(counts)
            weighted = coval.Evaluator(metric, beta=2)
            for info in infos.values():
                weighted.update(info)
            assert (weighted.p_num, weighted.p_den, weighted.r_num, weighted.r_den) == close(counts)
            p, r, f = weighted.get_prf()
            assert (weighted.get_precision(), weighted.get_recall(), weighted.get_f1()) == (p, r, f)
            assert f == pytest.approx(5 * p * r / (4 * p + r) if p + r else 0)

    def test_lea_of_a_mention_in_two_entities(self):
        assert coval.lea([("a",), ("a", "b")], [("a",)], {"a": 0}) == (1, 3)

    @pytest.mark.parametrize("seed", range(40))
    def test_answers_of_any_kind(self, seed):
        """Equal answers are a cluster: integers however large, floats, texts, tuples and lists of mentions."""
        rng = random.Random(seed)
        names = ([0, 1.0, True, 2], [-1, 0, 10**9, 10**30], ["a", "b", None, ("a",)], [0, 1, 2, "a"], [False, 0.0, 1, 5])
        names = names[seed % len(names)]
        side = [cluster for cluster in clusters(rng) if len(cluster) > 1]
        answers = {mention: rng.choice(names) for cluster in side for mention in cluster if rng.random() < 0.8}
        for metric, count in COVAL.items():
            arguments = (side, [], answers) if metric is coval.lea else (side, answers)
            assert metric(*arguments) == close(count(side, [], answers))
        lists = {mention: [(5, number)] * number for mention, number in zip(answers, range(3))}
        tuples = {mention: tuple(answer) for mention, answer in lists.items()}
        assert coval.b_cubed(side, lists) == coval.b_cubed(side, tuples)

    def test_other_collections(self):
        """Accepts sets, generators, and mappings other than dictionaries."""
        answers = {"a": 0, "b": 0, "c": 1}
        kinds = (lambda: [["a", "b"], ["c"]], lambda: (tuple(part) for part in ("ab", "c")), lambda: ["ab", "c"])
        for make in kinds:
            for mapping in (answers, types.MappingProxyType(answers), collections.ChainMap({}, answers)):
                assert coval.muc(make(), mapping) == (1, 1)
                assert coval.b_cubed(make(), mapping) == (3, 3)
                assert coval.lea(make(), [{"a", "b"}, {"c"}], mapping) == (3, 3)
                assert coval.ceafe(make(), [{"c"}, ("b", "a")]) == (2, 2, 2, 2)
        # A missing answer does not extend the dictionary.
        empty = collections.defaultdict(int)
        assert coval.b_cubed([("a", "b")], empty) == (0, 2) and not empty

    def test_types_of_counts(self):
        """Whole counts are integers, as in the original."""
        info = [("a", "b", "c")], [("a", "b")], {"a": 0, "b": 0}, {"a": 0, "b": 0}
        for metric in (coval.muc, coval.b_cubed, coval.ceafe, coval.ceafm, coval.lea):
            p_num, p_den, r_num, r_den = (count[0] for count in coval.get_document_evaluations({0: info}, metric))
            assert (type(p_den), type(r_den)) == (int, int)
            assert type(p_num) is type(r_num) is (int if metric is coval.muc else float)
        assert [type(count) for count in coval.muc(info[0], info[2])] == [int, int]

    def test_empty_clusters(self):
        """An empty cluster has minus one link, and counts as a cluster in CEAFe."""
        answers = {"a": 0, "b": 0}
        assert coval.muc([(), ("a", "b")], answers) == (1, 0)
        assert coval.b_cubed([(), ("a", "b")], answers) == (2, 2)
        assert coval.lea([(), ("a", "b")], [("a", "b")], answers) == (2, 2)
        assert coval.ceafe([(), ("a", "b")], [("a", "b")]) == (1, 2, 1, 1)
        assert coval.ceafm([(), ("a", "b")], [("a", "b"), ()]) == (2, 2, 2, 2)

    def test_changed_evaluators(self):
        info = [("a", "b"), ("c",)], [("a", "b", "c")], dict.fromkeys("abc", 0), {"a": 0, "b": 0, "c": 1}
        evaluator = coval.Evaluator(coval.muc)
        evaluator.update(info)
        assert evaluator.get_counts() == (1, 2, 1, 1)
        evaluator.p_num = 5
        evaluator.update(info)
        assert evaluator.get_counts() == (6, 4, 2, 2)
        evaluator.metric = coval.ceafm
        evaluator.update(info)
        again = pickle.loads(pickle.dumps(evaluator))
        for one in (evaluator, again):
            assert one.get_counts() == (8, 7, 4, 5)
            one.update(info)
            assert one.get_counts() == (10, 10, 6, 8)
        evaluator.metric = lambda clusters, answers: (1, 2)
        evaluator.update(info)
        assert evaluator.get_counts() == (11, 12, 7, 10)

    def test_rejected_input(self):
        with pytest.raises(corefeval.InputTypeError, match=r"the mention \[0, 1\] is not hashable"):
            coval.muc([[[0, 1], [2, 3]]], {})
        with pytest.raises(corefeval.InputTypeError, match=r"the mention \[0, 1\] is not hashable"):
            coval.ceafe([[[0, 1], [2, 3]]], [])
        with pytest.raises(corefeval.InputTypeError, match=r"the mention 'a' is mapped to \[\[1\]\], which is not a cluster"):
            coval.b_cubed([("a", "b")], {"a": [[1]]})
        with pytest.raises(ValueError, match="a document has 3 values instead of 4"):
            coval.evaluate_documents({"a": ([], [], {})}, coval.muc)
        with pytest.raises(IndexError):
            coval.lea([("a",)], [("a",)], {"a": 1})

    def test_the_rest(self):
        assert coval.phi3({1, 2}, {2, 3}) == 1 and coval.phi4({1, 2}, {2, 3}) == 0.5
        assert coval.ceaf([(1, 2)], [(2, 3)], coval.phi4) == 0.5 and coval.ceaf([(1, 2)], [(1, 2)], coval.phi3) == 2
        with pytest.raises(corefeval.SettingsError, match="another function than phi3 and phi4"):
            coval.ceaf([(1, 2)], [(1, 2)], max)
        infos = {"a": ({1, 2}, {2, 3}), "b": (set(), {4})}
        assert coval.evaluate_non_referrings(infos) == (1 / 2, 1 / 3, pytest.approx(0.4))
        assert coval.evaluate_non_referrings({}) == (0, 0, 0)
        assert coval.muc([], {}) == coval.b_cubed([], {}) == coval.lea([], [], {}) == (0, 0)


class TestAllenNlp:
    """Tests of ConllCorefScores."""

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
        """A span that is its own antecedent forms a cluster with two copies of it, as in the original."""
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

    @pytest.mark.parametrize("seed", range(100))
    def test_repeated_spans(self, seed):
        """The last join counts, as in the original."""
        rng = random.Random(seed)
        count = rng.randrange(2, 9)
        spans = [(start, start) for start in rng.choices(range(5), k=count)]
        antecedents = [list(range(count))] * count
        chosen = [rng.randrange(-1, place) for place in range(count)]
        gold = [[(0, 0), (1, 1), (4, 4)], [(2, 2), (3, 3)]]
        metric, expected = allennlp.ConllCorefScores(), originals.E2eEvaluator()
        metric([spans], [antecedents], [chosen], [{"clusters": gold}])
        found = originals.allennlp_clusters(spans, antecedents, chosen)
        assert metric.get_predicted_clusters(spans, antecedents, chosen) == found
        clusters, to_gold = metric.get_gold_clusters(gold)
        expected.update(found[0], clusters, found[1], to_gold)
        assert metric.get_metric() == close(expected.get_prf())

    def test_rejected_input(self):
        with pytest.raises(corefeval.InputValueError, match="does not come before"):
            allennlp.ConllCorefScores()([[(0, 0), (1, 1)]], [[[0], [1]]], [[-1, 0]], [{"clusters": []}])
        with pytest.raises(corefeval.InputValueError, match="does not come before"):
            singletons = allennlp.ConllCorefScores(allow_singletons=True)
            singletons([[(0, 0), (1, 1)]], [[[1], [1]]], [[0, 0]], [{"clusters": []}])


def test_the_profile_of_e2e_differs_in_b_cubed_of_singletons():
    gold, predicted = [[(0, 0), (2, 2)], [(4, 4)], [(6, 6)]], [[(0, 0), (2, 2)], [(4, 4)], [(8, 8)], [(6, 6), (9, 9)]]
    for drop in (False, True):
        sides = [[tuple(entity) for entity in side if len(entity) > 1 or not drop] for side in (predicted, gold)]
        evaluator = e2e.CorefEvaluator()
        evaluator.update(*sides, *map(mention_to_cluster, sides))
        report = corefeval.score(key=sides[1], response=sides[0], profile="e2e", quiet=True)
        pairs = zip(evaluator.evaluators, (report["muc"], report["b_cubed"], report["ceaf_e"]))
        same = [ours.get_prf() == pytest.approx((score.precision, score.recall, score.f1)) for ours, score in pairs]
        assert same == [True, drop, True]
