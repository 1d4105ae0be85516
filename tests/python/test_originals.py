"""Compares the drop-ins with the original evaluators.

`.ci/originals FOLDER` fetches the originals, and COREFEVAL_ORIGINALS names the folder; then hundreds of random documents are
compared. `originals.json` records the results for the first documents, with digests of the originals, for comparisons without
a network. COREFEVAL_BLESS=1 records them again from the originals.
"""

from __future__ import annotations

import functools
import functools
import hashlib
import json
import os
import pathlib
import random
from types import SimpleNamespace

import pytest
from conftest import optional

numpy = optional("numpy")
optional("scipy")
import fetched  # noqa: E402
from corefeval import allennlp, coval, e2e  # noqa: E402
from corefeval.coval.reader import get_mention_assignments  # noqa: E402
from corefeval.spacy import score_clusters  # noqa: E402
from originals import mention_to_cluster  # noqa: E402
from test_dropins import clusters, overlapping  # noqa: E402

WHY = "the original was not fetched: run .ci/originals FOLDER, and set COREFEVAL_ORIGINALS=FOLDER"
#: Random documents: usual clusters, clusters that share mentions, clusters that repeat a mention.
MAKES = (clusters, overlapping, functools.partial(overlapping, repeated=True))
RECORDED = pathlib.Path(__file__).with_name("originals.json")


def e2e_results(module, seed):
    """Returns scores and counts of an evaluator of the e2e family on random documents."""
    rng, evaluator, results = random.Random(seed), module.CorefEvaluator(), []
    for _ in range(4):
        make = rng.choice(MAKES)
        predicted, gold = make(rng), make(rng)
        arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
        evaluator.update(*arguments)
        mentions = module.MentionEvaluator()
        mentions.update(arguments[2], arguments[3])
        results += mentions.get_prf()
        for name in ("muc", "b_cubed", "lea"):
            for side, answers in ((predicted, arguments[3]), (gold, arguments[2])):
                results += getattr(module, name)(side, answers)
    results += evaluator.get_prf()
    for one in evaluator.evaluators:
        results += (one.p_num, one.p_den, one.r_num, one.r_den)
    return results


def coval_results(module, seed):
    """Returns scores and counts of coval's evaluator on random documents."""
    rng, infos, results = random.Random(seed), {}, []
    for number in range(3):
        make = rng.choice(MAKES)
        key, system = make(rng), make(rng)
        infos[number] = key, system, get_mention_assignments(key, system), get_mention_assignments(system, key)
    for name in ("muc", "b_cubed", "ceafe", "ceafm", "lea"):
        metric = getattr(module, name)
        results += module.evaluate_documents(infos, metric, 2)
        for counts in module.get_document_evaluations(infos, metric):
            results += counts
    for key, _, answers, _ in infos.values():
        results += module.mentions(key, answers)
    sets = {number: ({*map(tuple, info[0])}, {*map(tuple, info[1])}) for number, info in infos.items()}
    results += module.evaluate_non_referrings(sets)
    return results


def allennlp_results(module, seed):
    """Returns scores and clusters of AllenNLP's metric on random documents; odd seeds allow singletons."""
    rng, singletons = random.Random(seed // 2), seed % 2 == 1
    metric = module.ConllCorefScores(allow_singletons=singletons)
    results = []
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
        metric(*(fetched.tensor([part]) for part in (spans, antecedents, chosen)), metadata)
    results += metric.get_metric()
    results += metric.get_metric(reset=True)
    assert metric.get_metric() == (0, 0, 0)
    return results


def spacy_results(module, seed):
    """Returns scores of spaCy's scorer on random documents. Tokens are characters here, so that both have the same offsets."""
    rng = random.Random(seed)
    spans = [(start, start + more) for start in range(8) for more in (1, 2)]

    def doc():
        groups = [rng.sample(spans, rng.randrange(1, 5)) for _ in range(rng.randrange(1, 14))]
        span = lambda a, b: SimpleNamespace(start=a, end=b, start_char=a, end_char=b)  # noqa: E731
        named = {f"coref_clusters_{place}": [span(*one) for one in group] for place, group in enumerate(groups, 1)}
        return SimpleNamespace(text="abcdefghij", spans={**named, "other": [span(0, 1)], "coref_clusters_heads": [span(0, 2)]})

    examples = [SimpleNamespace(reference=doc(), predicted=doc()) for _ in range(4)]
    found = module.score_coref_clusters(examples)
    return [found[name] for name in ("coref_f", "coref_p", "coref_r")]


#: For each original, the function that computes its results, the drop-in, and the number of random documents to compare.
DROPINS = {
    "e2e": (e2e_results, e2e, 300),
    "coval": (coval_results, coval.evaluator, 300),
    "allennlp": (allennlp_results, allennlp, 300),
    "spacy": (spacy_results, SimpleNamespace(score_coref_clusters=score_clusters), 200),
}


def close(results):
    return pytest.approx([float(result) for result in results], abs=1e-9)


@pytest.mark.parametrize("name", DROPINS)
def test_the_original_text(name):
    if not fetched.has(name):
        # CI fetches the originals; without a network, test_recorded_results uses the results recorded from them.
        pytest.skip(WHY)
    results, ours, seeds = DROPINS[name]
    theirs = fetched.original(name)
    for seed in range(seeds):
        assert results(ours, seed) == close(results(theirs, seed)), seed


@pytest.mark.skipif("COREFEVAL_BLESS" not in os.environ, reason="COREFEVAL_BLESS=1 records the results of the originals")
def test_recording():
    recorded = {}
    for name, (results, _, _) in DROPINS.items():
        assert fetched.has(name), WHY
        text = pathlib.Path(fetched.FOLDER, f"{name}.py").read_bytes()
        theirs = fetched.original(name)
        rows = [[round(float(result), 10) for result in results(theirs, seed)] for seed in range(10)]
        recorded[name] = {"text": hashlib.sha256(text).hexdigest(), "figures": rows}
    lines = [f' "{name}": {json.dumps(found)}' for name, found in recorded.items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


@pytest.mark.parametrize("name", DROPINS)
def test_recorded_results(name):
    results, ours, _ = DROPINS[name]
    recorded = json.loads(RECORDED.read_text())[name]
    assert len(recorded["figures"]) == 10
    for seed, expected in enumerate(recorded["figures"]):
        assert results(ours, seed) == close(expected), seed


def test_recorded_texts_are_fetched():
    """The digest of its text pins coval; archives pin packages."""
    script = (pathlib.Path(__file__).parents[2] / ".ci" / "originals").read_text()
    assert json.loads(RECORDED.read_text())["coval"]["text"] in script
