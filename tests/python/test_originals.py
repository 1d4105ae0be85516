"""The drop-ins against the evaluators that they replace, in the authors' own text: `.ci/originals FOLDER` fetches it, and
COREFEVAL_ORIGINALS names the folder."""

from __future__ import annotations

import functools
import random
from types import SimpleNamespace

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("scipy")
import fetched  # noqa: E402
from corefeval import allennlp, coval, e2e  # noqa: E402
from corefeval.coval.reader import get_mention_assignments  # noqa: E402
from corefeval.spacy import score_clusters  # noqa: E402
from originals import mention_to_cluster  # noqa: E402
from test_dropins import clusters, overlapping  # noqa: E402

WHY = "its text was not fetched: run .ci/originals FOLDER, and set COREFEVAL_ORIGINALS=FOLDER"
#: Random documents: usual clusters, those that share mentions, those that have a mention twice.
MAKES = (clusters, overlapping, functools.partial(overlapping, repeated=True))


def needs(name):
    return pytest.mark.skipif(not fetched.has(name), reason=WHY)


def close(figures):
    return pytest.approx(tuple(figures), abs=1e-9)


@needs("e2e")
@pytest.mark.parametrize("seed", range(300))
def test_e2e(seed):
    theirs = fetched.original("e2e")
    rng = random.Random(seed)
    ours, original = e2e.CorefEvaluator(), theirs.CorefEvaluator()
    for _ in range(4):
        make = rng.choice(MAKES)
        predicted, gold = make(rng), make(rng)
        arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
        ours.update(*arguments)
        original.update(*arguments)
        mentions, expected = e2e.MentionEvaluator(), theirs.MentionEvaluator()
        for evaluator in (mentions, expected):
            evaluator.update(arguments[2], arguments[3])
        assert mentions.get_prf() == close(expected.get_prf())
        for name in ("muc", "b_cubed", "lea"):
            for side, answers in ((predicted, arguments[3]), (gold, arguments[2])):
                assert getattr(e2e, name)(side, answers) == close(getattr(theirs, name)(side, answers)), name
    assert ours.get_prf() == close(original.get_prf())
    for one, other in zip(ours.evaluators, original.evaluators):
        assert (one.p_num, one.p_den, one.r_num, one.r_den) == close((other.p_num, other.p_den, other.r_num, other.r_den))


@needs("coval")
@pytest.mark.parametrize("seed", range(300))
def test_coval(seed):
    theirs = fetched.original("coval")
    rng = random.Random(seed)
    infos = {}
    for number in range(3):
        make = rng.choice(MAKES)
        key, system = make(rng), make(rng)
        infos[number] = key, system, get_mention_assignments(key, system), get_mention_assignments(system, key)
    for name in ("muc", "b_cubed", "ceafe", "ceafm", "lea"):
        ours, original = getattr(coval.evaluator, name), getattr(theirs, name)
        assert coval.evaluator.evaluate_documents(infos, ours, 2) == close(theirs.evaluate_documents(infos, original, 2))
        found = coval.evaluator.get_document_evaluations(infos, ours)
        for one, other in zip(found, theirs.get_document_evaluations(infos, original)):
            assert one == close(other)
    for key, _, answers, _ in infos.values():
        assert coval.evaluator.mentions(key, answers) == theirs.mentions(key, answers)
    sets = {number: ({*map(tuple, info[0])}, {*map(tuple, info[1])}) for number, info in infos.items()}
    assert coval.evaluator.evaluate_non_referrings(sets) == close(theirs.evaluate_non_referrings(sets))


@needs("allennlp")
@pytest.mark.parametrize("singletons", [False, True])
@pytest.mark.parametrize("seed", range(150))
def test_allennlp(seed, singletons):
    rng = random.Random(seed)
    ours = allennlp.ConllCorefScores(allow_singletons=singletons)
    original = fetched.original("allennlp").ConllCorefScores(allow_singletons=singletons)
    for _ in range(3):
        count = rng.randrange(2, 12)
        spans = [(start, start + more) for start in range(10) for more in range(2)]
        spans = sorted(rng.choices(spans, k=count) if rng.random() < 0.5 else rng.sample(spans, count))
        antecedents = [list(range(count))] * count
        chosen = [rng.randrange(-1, place + singletons) for place in range(count)]
        gold = {}
        for span in dict.fromkeys([*spans, (20, 20)]):
            if rng.random() < 0.8:
                gold.setdefault(rng.randrange(6), []).append(span)
        metadata = [{"clusters": list(gold.values())}]
        ours([spans], [antecedents], [chosen], metadata)
        original(*(fetched.tensor([part]) for part in (spans, antecedents, chosen)), metadata)
    assert ours.get_metric() == close(original.get_metric())
    assert ours.get_metric(reset=True) == close(original.get_metric(reset=True))
    assert ours.get_metric() == close(original.get_metric()) == (0, 0, 0)


@needs("spacy")
@pytest.mark.parametrize("seed", range(200))
def test_spacy(seed):
    """A token is a character here, so that offsets of tokens and of characters are the same."""
    rng = random.Random(seed)
    spans = [(start, start + more) for start in range(8) for more in (1, 2)]

    def doc():
        groups = [rng.sample(spans, rng.randrange(1, 5)) for _ in range(rng.randrange(1, 14))]
        span = lambda a, b: SimpleNamespace(start=a, end=b, start_char=a, end_char=b)  # noqa: E731
        named = {f"coref_clusters_{place}": [span(*one) for one in group] for place, group in enumerate(groups, 1)}
        return SimpleNamespace(text="abcdefghij", spans={**named, "other": [span(0, 1)], "coref_clusters_heads": [span(0, 2)]})

    examples = [SimpleNamespace(reference=doc(), predicted=doc()) for _ in range(4)]
    expected = fetched.original("spacy").score_coref_clusters(examples)
    found = score_clusters(examples)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
