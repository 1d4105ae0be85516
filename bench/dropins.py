"""Times the drop-ins for coval and the e2e family against the originals, in one run.

    pip install . numpy scipy
    .ci/originals FOLDER                                   the originals' source
    COREFEVAL_ORIGINALS=FOLDER OPENBLAS_NUM_THREADS=1 python bench/dropins.py

Each metric of coval has a row, and so have coval's metrics together and the evaluator of the e2e family. Every row must be
at least as fast as the original on 1,000 documents of 20 mentions and on a document of 8,000 mentions in 2,000 entities, and
rows of several metrics 50 times as fast on the large document. Slower rows are marked, and the exit status is then 1.
Times are processor times, the medians of several rounds in which both take turns. Both get the same arguments and return the
same scores. If an original was not fetched, its algorithm in tests/python/originals.py is timed.
"""

from __future__ import annotations

import pathlib
import platform
import statistics
import sys
import time

import numpy

import corefeval
from corefeval.coval import evaluator, reader
from corefeval.e2e import CorefEvaluator

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "bench")]
import fetched  # noqa: E402
import originals  # noqa: E402
from originals import mention_to_cluster  # noqa: E402
from python import document  # noqa: E402

#: The required speedup of a drop-in over the original: for each metric, and for several on the large document.
SINGLE, LARGE = 1.0, 50.0
METRICS = ("muc", "b_cubed", "ceafe", "ceafm", "lea")
#: The metrics that papers report together.
TOGETHER = ("muc", "b_cubed", "ceafe", "lea")
#: The minimum and maximum number of rounds, and the seconds after which the minimum suffices.
ROUNDS, ENOUGH = (3, 31), 1.0


class Coval:
    """coval's algorithms, if its source was not fetched."""

    def __init__(self):
        both = lambda count: lambda g, p, of_g, of_p: (*count(p, g, of_p), *count(g, p, of_g))  # noqa: E731
        self.counts = {
            "muc": both(lambda clusters, _, places: originals.E2eEvaluator.muc(clusters, places)),
            "b_cubed": both(lambda clusters, _, places: originals.coval_b_cubed(clusters, places)),
            "ceafe": lambda g, p, *_: originals.coval_ceaf_e(p, g),
            "ceafm": lambda g, p, *_: originals.coval_ceaf_m(p, g),
            "lea": both(originals.coval_lea),
        }
        vars(self).update({name: name for name in self.counts})

    def evaluate_documents(self, infos, metric):
        """Returns recall, precision and F1."""
        counts = (self.counts[metric](*info) for info in infos.values())
        p_num, p_den, r_num, r_den = map(sum, zip(*counts))
        p, r = p_num / p_den, r_num / r_den
        return r, p, 2 * p * r / (p + r)


def prepared(count, mentions, entities):
    """Returns the input of the evaluators of e2e and of coval."""
    documents = [document(mentions, entities, seed) for seed in range(count)]
    sides = [tuple([tuple(entity) for entity in side] for side in pair) for pair in documents]
    of_e2e = [(p, g, mention_to_cluster(p), mention_to_cluster(g)) for g, p in sides]
    assigned = reader.get_mention_assignments
    return of_e2e, {number: (g, p, assigned(g, p), assigned(p, g)) for number, (g, p) in enumerate(sides)}


def timed(name, ours, theirs):
    """Returns the median times of both, which must return the same results."""
    times = ([], [])
    least, most = ROUNDS
    while len(times[0]) < least or (len(times[0]) < most and sum(map(sum, times)) < ENOUGH):
        results = []
        for function, took in zip((ours, theirs), times):
            start = time.process_time()
            results.append(function())
            took.append(time.process_time() - start)
        assert numpy.allclose(*results, rtol=1e-12, atol=1e-12), (name, results)
    return tuple(map(statistics.median, times))


def judged(name, times, least):
    """Prints a row, and returns whether the drop-in is fast enough."""
    ours, theirs = times
    ratio = theirs / ours
    verdict = "as it should be" if ratio >= least else "TOO SLOW"
    print(f"  {name:24s} {theirs:9.4f} s {ours:9.4f} s {ratio:8.1f} times as fast, at least {least:g}: {verdict}", flush=True)
    return ratio >= least


def main():
    e2e = fetched.original("e2e").CorefEvaluator if fetched.has("e2e") else originals.E2eEvaluator
    coval = fetched.original("coval") if fetched.has("coval") else Coval()
    texts = {name: "own text" if fetched.has(name) else "algorithm" for name in ("e2e", "coval")}
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, corefeval {corefeval.__version__}")
    print(f"e2e: {texts['e2e']}; coval: {texts['coval']}; processor time")
    held = True
    for count, mentions, entities, several in ((1_000, 20, 6, SINGLE), (1, 8_000, 2_000, LARGE)):
        of_e2e, of_coval = prepared(count, mentions, entities)

        def run_e2e(kind):
            evaluator = kind()
            for arguments in of_e2e:
                evaluator.update(*arguments)
            return evaluator.get_prf()

        def run_coval(module, metric):
            return module.evaluate_documents(of_coval, getattr(module, metric))

        print(f"{count:,} document{'s' * (count > 1)} of {mentions:,} mentions in {entities:,} entities: the original, the drop-in")
        # Prints all rows, even after a slow one.
        found = {m: timed(m, lambda: run_coval(evaluator, m), lambda: run_coval(coval, m)) for m in METRICS}
        rows = [(f"coval, {metric}", times, SINGLE) for metric, times in found.items()]
        rows.append((f"coval, {len(TOGETHER)} together", [sum(found[m][side] for m in TOGETHER) for side in (0, 1)], several))
        rows.append(("e2e, CorefEvaluator", timed("e2e", lambda: run_e2e(CorefEvaluator), lambda: run_e2e(e2e)), several))
        held &= all([judged(*row) for row in rows])
    print("all as they should be" if held else "NOT as they should be")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
