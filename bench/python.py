"""Compares the times of the Python package with those of the core, and the e2e drop-in with the original's algorithm.

    pip install . numpy scipy
    python bench/python.py

Prints medians and ratios of one run, and fails if one misses its limit: scoring lists of pairs or of strings, wherever they
lie in memory, takes at most three times the time of the core; the drop-in is at least fifty times as fast; and after one more
document, the report of a scorer takes at most a tenth of the time of its first report on 2,000 documents.
"""

from __future__ import annotations

import itertools
import json
import pathlib
import platform
import random
import statistics
import sys
import time

import corefeval
from corefeval._corefeval import Documents
from corefeval.coval import evaluator, reader
from corefeval.e2e import CorefEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "python"))
import originals  # noqa: E402
from originals import E2eEvaluator, mention_to_cluster  # noqa: E402

ROUNDS = 7
MOST, LEAST, FIRST = 3.0, 50.0, 10.0


def timed(function, rounds=ROUNDS, before=tuple):
    """Returns the median CPU time of a function in seconds, and its result; `before` makes its arguments in each round.

    The measured code runs in one thread, and the time excludes other work of the machine.
    """
    times = []
    for _ in range(rounds):
        arguments = before()
        start = time.process_time()
        result = function(*arguments)
        times.append(time.process_time() - start)
    return statistics.median(times), result


def as_read(side):
    """Returns the entities as a reader makes them: one after another, with separate tuples and numbers."""
    return [[tuple(mention) for mention in entity] for entity in json.loads(json.dumps(side))]


def document(mentions, entities, seed):
    """Returns a key of one document as tuples of spans in a text, and a response with a tenth of them in other entities."""
    rng = random.Random(seed)
    spans = [(place * 2, place * 2 + rng.randrange(3)) for place in range(mentions)]
    owners = [place % entities if place < entities else rng.randrange(entities) for place in range(mentions)]
    key, response = [[] for _ in range(entities)], [[] for _ in range(entities)]
    for span, owner in zip(spans, owners):
        key[owner].append(span)
        chance = rng.random()
        if chance < 0.05:
            response[rng.randrange(entities)].append((span[0], span[1] + 3))
        else:
            response[owner if chance > 0.15 else rng.randrange(entities)].append(span)
    return key, [entity for entity in response if entity]


def touched(side):
    """Returns the time in which Python visits every mention and its numbers once: the floor for scattered memory."""
    return sum(len(mention) if type(mention) is str else mention[0] + mention[1] for entity in side for mention in entity)


def core(key, response):
    """Returns the work of the core on documents that are already numbered (selection, alignment, metrics, report), and a
    function that makes its argument: each round has a copy, because documents cache their counts."""
    numbered = Documents()
    numbered.add(None, key, response)

    def uncounted():
        documents = Documents()
        documents.merge(numbered)
        return (documents,)

    return lambda documents: corefeval.Report(documents.score({}, name="")), uncounted


def small():
    """Times the drop-ins and the algorithms that they replace on many small documents."""
    documents = [
        tuple([tuple(entity) for entity in side] for side in reversed(document(20, 6, seed))) for seed in range(1_000)
    ]
    given = [(p, g, mention_to_cluster(p), mention_to_cluster(g)) for p, g in documents]
    infos = {
        number: (g, p, reader.get_mention_assignments(g, p), reader.get_mention_assignments(p, g))
        for number, (p, g) in enumerate(documents)
    }

    def e2e(kind):
        evaluator = kind()
        for arguments in given:
            evaluator.update(*arguments)
        return evaluator.get_prf()

    def coval(metric):
        return lambda: evaluator.evaluate_documents(infos, getattr(evaluator, metric))

    def original(side, places):
        return lambda: [(side(p, *places(g, of_p)), side(g, *places(p, of_g))) for g, p, of_g, of_p in infos.values()]

    rows = [
        ("CorefEvaluator", lambda: e2e(CorefEvaluator), lambda: e2e(E2eEvaluator)),
        ("coval, B³", coval("b_cubed"), original(originals.coval_b_cubed, lambda _, places: (places,))),
        ("coval, LEA", coval("lea"), original(originals.coval_lea, lambda others, places: (others, places))),
        ("coval, CEAF φ4", coval("ceafe"), lambda: [originals.coval_ceaf_e(p, g) for g, p, *_ in infos.values()]),
    ]
    print(f"{len(documents):,} documents of 20 mentions")
    for name, ours, theirs in rows:
        (took, _), (plain, _) = timed(ours, 3), timed(theirs, 3)
        print(f"  {name:16s} the original's algorithm {plain:8.3f} s   corefeval {took:8.3f} s   {plain / took:5.1f} times as fast")


def growing(count):
    """Times the first report on `count` documents, and later ones, each after one more document."""
    tokens = [[f"w{place}" for place in range(45)]]

    def of_lists(number):
        key, response = document(20, 6, number)
        return {"key": {f"d{number}": key}, "response": {f"d{number}": response}}

    def of_documents(number):
        key, response = document(20, 6, number)
        made = corefeval.Document(id=f"d{number}", entities=key, tokens=tokens)
        return {"key": made, "response": made.with_entities(response)}

    print(f"Scorer.report() on {count:,} documents of 20 mentions, then each time after one more")
    least = []
    for kind, made in (("lists of mentions", of_lists), ("Document objects", of_documents)):
        for options, by in (({}, None), ({"average": "macro"}, None), ({}, "document"), ({}, "entity-size")):
            scorer = corefeval.Scorer(quiet=True, **options)
            for number in range(count):
                scorer.update(**made(number))
            first, _ = timed(lambda: scorer.report(by=by), 1)
            numbers = itertools.count(count)
            later, _ = timed(lambda: scorer.report(by=by), 51, lambda: scorer.update(**made(next(numbers))) or ())
            least.append(first / later)
            shown = ", ".join([*(f'{name}="{value}"' for name, value in options.items()), *([f'by="{by}"'] if by else [])])
            print(f"  {kind:18s} {shown:17s} first {1e3 * first:8.2f} ms   later {1e3 * later:8.3f} ms   {first / later:6.0f} times as fast")
    return min(least)


def main():
    print(f"Python {platform.python_version()}, corefeval {corefeval.__version__}, {platform.machine()}")
    key, response = document(1_000_000, 200_000, 1)
    run, uncounted = core(key, response)
    own, expected = timed(run, before=uncounted)
    print(f"1,000,000 mentions in 200,000 entities, one document, medians of {ROUNDS}, processor time")
    print(f"  the core, documents numbered             {own:8.3f} s")
    kinds = {
        "lists of pairs": tuple(as_read(side) for side in (key, response)),
        "the same, scattered in memory": (key, response),
        "lists of strings": tuple([[f"{a}-{b}" for a, b in e] for e in side] for side in (key, response)),
    }
    ratios = {}
    for name, (ours, theirs) in kinds.items():
        took, report = timed(lambda: corefeval.score(key=ours, response=theirs, quiet=True))
        assert report["lea"] == expected["lea"]
        ratios[name] = took / own
        floor, _ = timed(lambda: (touched(ours), touched(theirs)), 3)
        print(f"  score, {name:32s}  {took:8.3f} s   {took / own:5.2f} of the core's   (visiting each: {floor:.3f} s)")

    predicted, gold = (
        [tuple(entity) for entity in side if len(entity) > 1] for side in reversed(document(8_000, 2_000, 2))
    )
    arguments = predicted, gold, mention_to_cluster(predicted), mention_to_cluster(gold)

    def evaluate(kind):
        evaluator = kind()
        evaluator.update(*arguments)
        return evaluator.get_prf()

    ours, found = timed(lambda: evaluate(CorefEvaluator))
    theirs, plain = timed(lambda: evaluate(E2eEvaluator), 3)
    # Each mention is visited once; the original compares each entity with each.
    assert all(abs(one - other) < 1e-9 for one, other in zip(found, plain)), (found, plain)
    print(f"CorefEvaluator, one document of {len(gold)} and {len(predicted)} entities")
    print(f"  the original's algorithm                 {theirs:8.3f} s")
    print(f"  corefeval.e2e                            {ours:8.5f} s   {theirs / ours:5.0f} times as fast")
    small()
    growing(200)
    held = growing(2_000) >= FIRST and max(ratios.values()) <= MOST and theirs / ours >= LEAST
    print("all as they should be" if held else "NOT as they should be")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
