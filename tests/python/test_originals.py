"""The drop-ins against the evaluators that they replace.

`.ci/originals FOLDER` fetches the authors' own text, and COREFEVAL_ORIGINALS names the folder; then hundreds of random
documents are compared. The results of the first documents are recorded in `originals.json`, with the digests of the texts that
computed them, so that the drop-ins are compared with the originals without a network too. COREFEVAL_BLESS=1 records them
anew from the texts.
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
RECORDED = pathlib.Path(__file__).with_name("originals.json")


def e2e_figures(module, seed):
    """The scores and counts of an evaluator of the e2e family on random documents."""
    rng, evaluator, figures = random.Random(seed), module.CorefEvaluator(), []
    for _ in range(4):
        make = rng.choice(MAKES)
        predicted, gold = make(rng), make(rng)
        arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)
        evaluator.update(*arguments)
        mentions = module.MentionEvaluator()
        mentions.update(arguments[2], arguments[3])
        figures += mentions.get_prf()
        for name in ("muc", "b_cubed", "lea"):
            for side, answers in ((predicted, arguments[3]), (gold, arguments[2])):
                figures += getattr(module, name)(side, answers)
    figures += evaluator.get_prf()
    for one in evaluator.evaluators:
        figures += (one.p_num, one.p_den, one.r_num, one.r_den)
    return figures


def coval_figures(module, seed):
    """The same of coval's evaluator."""
    rng, infos, figures = random.Random(seed), {}, []
    for number in range(3):
        make = rng.choice(MAKES)
        key, system = make(rng), make(rng)
        infos[number] = key, system, get_mention_assignments(key, system), get_mention_assignments(system, key)
    for name in ("muc", "b_cubed", "ceafe", "ceafm", "lea"):
        metric = getattr(module, name)
        figures += module.evaluate_documents(infos, metric, 2)
        for counts in module.get_document_evaluations(infos, metric):
            figures += counts
    for key, _, answers, _ in infos.values():
        figures += module.mentions(key, answers)
    sets = {number: ({*map(tuple, info[0])}, {*map(tuple, info[1])}) for number, info in infos.items()}
    figures += module.evaluate_non_referrings(sets)
    return figures


def allennlp_figures(module, seed):
    """The same of AllenNLP's metric; odd seeds allow singletons."""
    rng, singletons = random.Random(seed // 2), seed % 2 == 1
    metric = module.ConllCorefScores(allow_singletons=singletons)
    figures = []
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
    figures += metric.get_metric()
    figures += metric.get_metric(reset=True)
    assert metric.get_metric() == (0, 0, 0)
    return figures


def spacy_figures(module, seed):
    """The same of spaCy's scorer. A token is a character here, so that offsets of tokens and of characters are the same."""
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


#: For each original the function that computes its results, the drop-in, and how many random documents are compared with its text.
DROPINS = {
    "e2e": (e2e_figures, e2e, 300),
    "coval": (coval_figures, coval.evaluator, 300),
    "allennlp": (allennlp_figures, allennlp, 300),
    "spacy": (spacy_figures, SimpleNamespace(score_coref_clusters=score_clusters), 200),
}


def close(figures):
    return pytest.approx([float(figure) for figure in figures], abs=1e-9)


@pytest.mark.parametrize("name", DROPINS)
def test_the_original_text(name):
    if not fetched.has(name):
        # CI fetches the originals; without a network, test_recorded_figures uses the results recorded from them.
        pytest.skip(WHY)
    figures, ours, seeds = DROPINS[name]
    theirs = fetched.original(name)
    for seed in range(seeds):
        assert figures(ours, seed) == close(figures(theirs, seed)), seed


@pytest.mark.skipif("COREFEVAL_BLESS" not in os.environ, reason="COREFEVAL_BLESS=1 records the originals' figures")
def test_recording():
    recorded = {}
    for name, (figures, _, _) in DROPINS.items():
        assert fetched.has(name), WHY
        text = pathlib.Path(fetched.FOLDER, f"{name}.py").read_bytes()
        theirs = fetched.original(name)
        rows = [[round(float(figure), 10) for figure in figures(theirs, seed)] for seed in range(10)]
        recorded[name] = {"text": hashlib.sha256(text).hexdigest(), "figures": rows}
    lines = [f' "{name}": {json.dumps(found)}' for name, found in recorded.items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


@pytest.mark.parametrize("name", DROPINS)
def test_recorded_figures(name):
    figures, ours, _ = DROPINS[name]
    recorded = json.loads(RECORDED.read_text())[name]
    assert len(recorded["figures"]) == 10
    for seed, expected in enumerate(recorded["figures"]):
        assert figures(ours, seed) == close(expected), seed


def test_recorded_texts_are_those_that_are_fetched():
    """coval is pinned by the digest of its text, packages by their archives."""
    script = (pathlib.Path(__file__).parents[2] / ".ci" / "originals").read_text()
    assert json.loads(RECORDED.read_text())["coval"]["text"] in script
