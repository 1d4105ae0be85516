"""Writes reference.json: the results of SciPy's bootstrap and permutation_test on generated counts.

    pip install numpy scipy
    python3 testdata/significance/reference.py

The tests read the file and need neither. Counts belong to one metric: the correct items, the items of the key and
the items of the response, a row for each document. The statistic is the F1 of the sums, 2 right / (key + response),
and the difference of two systems' F1.
"""
import json
import pathlib

import numpy
import scipy
from scipy.stats import bootstrap, permutation_test

RESAMPLES = 100_000
RUNS = 8


def f1(right, key, response, axis=-1):
    return 2 * right.sum(axis) / (key.sum(axis) + response.sum(axis))


def difference(right_a, response_a, right_b, response_b, key, axis=-1):
    return f1(right_a, key, response_a, axis) - f1(right_b, key, response_b, axis)


def interval(data, statistic, method, level):
    """Returns the mean of several runs, which differ by a twentieth of a standard deviation for few documents."""
    found = [
        bootstrap(
            data, statistic, n_resamples=RESAMPLES, paired=True, vectorized=True, confidence_level=level,
            method=method, rng=numpy.random.default_rng(seed), batch=10_000,
        )
        for seed in range(RUNS)
    ]
    mean = lambda values: float(numpy.mean(list(values)))
    return {
        "low": mean(run.confidence_interval.low for run in found),
        "high": mean(run.confidence_interval.high for run in found),
        "deviation": mean(run.standard_error for run in found),
    }


def case(name, documents, seed, skills):
    rng = numpy.random.default_rng(seed)
    # Long documents are rare and harder, so that the distribution is skewed.
    key = numpy.floor(5 + 60 * rng.random(documents) ** 4).astype(int)
    ease = 1 - 0.5 * (key - 5) / 60
    systems = []
    for skill in skills:
        right = rng.binomial(key, skill * ease)
        systems.append((right, right + rng.binomial(key, 0.25)))
    (right_a, response_a), (right_b, response_b) = systems
    pair = (right_a, response_a, right_b, response_b, key)

    def swapped(a, b, axis=-1):
        # Samples are places in the concatenated counts of both systems.
        right = numpy.concatenate([right_a, right_b])
        response = numpy.concatenate([response_a, response_b])
        keys = numpy.concatenate([key, key])
        score = lambda place: f1(right[place], keys[place], response[place], axis)
        return score(a) - score(b)

    places = (numpy.arange(documents), numpy.arange(documents) + documents)
    exact = 2**documents <= RESAMPLES
    test = permutation_test(
        places, swapped, permutation_type="samples", vectorized=True, batch=5_000,
        n_resamples=numpy.inf if exact else RESAMPLES, rng=numpy.random.default_rng(11),
    )
    intervals = [
        {
            "interval": kind,
            "confidence": level,
            "f1": interval((right_a, key, response_a), f1, method, level),
            "difference": interval(pair, difference, method, level),
        }
        for kind, method in [("bca", "BCa"), ("percentile", "percentile")]
        for level in [0.95, 0.8]
    ]
    return {
        "name": name,
        "key": key.tolist(),
        "systems": [{"right": right.tolist(), "response": response.tolist()} for right, response in systems],
        "f1": float(f1(right_a, key, response_a)),
        "difference": float(difference(*pair)),
        "p": float(test.pvalue),
        "exact": exact,
        "intervals": intervals,
    }


cases = [
    case("a small corpus", 12, 1, (0.8, 0.7)),
    case("a difference that is there", 60, 2, (0.8, 0.72)),
    case("one that may not be", 40, 3, (0.75, 0.73)),
]
text = json.dumps({"scipy": scipy.__version__, "resamples": RESAMPLES, "runs": RUNS, "cases": cases})
pathlib.Path(__file__).with_name("reference.json").write_text(text + "\n")
