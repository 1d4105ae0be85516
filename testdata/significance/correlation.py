"""Writes correlation.json: SciPy's correlation coefficients and their intervals for generated points.

    pip install numpy scipy
    python3 testdata/significance/correlation.py

The tests read the file and need neither. A point is a document with one number of each of two metrics; coarse
points have many ties. `fisher` is the interval of `pearsonr`. `percentile` is the interval of `bootstrap` with the
percentile method, the mean of several runs; `expanded` has more extreme quantiles of the same samples. `student` is t
times the jackknife standard error, on the scale of artanh, computed from SciPy's coefficients.
"""
import json
import pathlib
import warnings

import numpy
import scipy
from scipy.stats import bootstrap, kendalltau, norm, pearsonr, spearmanr, t

RESAMPLES = 20_000
RUNS = 6
COEFFICIENTS = [pearsonr, spearmanr, kendalltau]


def case(name, points, seed, noise, grid, intervals):
    rng = numpy.random.default_rng(seed)
    x = rng.random(points)
    y = numpy.clip(x + noise * rng.standard_normal(points), 0, 1)
    if grid:
        x, y = numpy.round(x * grid) / grid, numpy.round(y * grid) / grid
    found = {
        "name": name,
        "x": x.tolist(),
        "y": y.tolist(),
        "coefficients": [float(coefficient(x, y).statistic) for coefficient in COEFFICIENTS],
    }
    if not intervals:
        return found
    fisher = pearsonr(x, y).confidence_interval(0.95)
    found["fisher"] = [float(fisher.low), float(fisher.high)]
    outer = norm.cdf(-numpy.sqrt(points / (points - 1)) * t.ppf(0.975, points - 1))
    runs, expanded, student = [], [], []
    for coefficient in COEFFICIENTS:
        statistic = lambda x, y, coefficient=coefficient: coefficient(x, y).statistic
        ends = [
            bootstrap(
                (x, y), statistic, n_resamples=RESAMPLES, paired=True, vectorized=False, method="percentile",
                confidence_level=0.95, rng=numpy.random.default_rng(run),
            )
            for run in range(RUNS if coefficient is pearsonr else 1)
        ]
        expanded.append(numpy.mean(
            [numpy.nanquantile(end.bootstrap_distribution, [outer, 1 - outer]) for end in ends], axis=0
        ).tolist())
        without = [numpy.delete(numpy.arange(points), place) for place in range(points)]
        scaled = numpy.arctanh([statistic(x[rest], y[rest]) for rest in without])
        error = numpy.sqrt((points - 1) * numpy.var(scaled))
        reach = t.ppf(0.975, points - 1) * error
        student.append(numpy.tanh(numpy.arctanh(statistic(x, y)) + numpy.array([-reach, reach])).tolist())
        runs.append([
            float(numpy.mean([end.confidence_interval.low for end in ends])),
            float(numpy.mean([end.confidence_interval.high for end in ends])),
            float(numpy.mean([end.standard_error for end in ends])),
        ])
    found["percentile"], found["expanded"], found["student"] = runs, expanded, student
    return found


warnings.simplefilter("ignore")
cases = [
    case("three", 3, 1, 0.2, 0, False),
    case("five with ties", 5, 2, 0.3, 4, False),
    case("a small corpus", 12, 3, 0.2, 0, True),
    case("a small corpus with ties", 30, 4, 0.3, 8, True),
    case("nothing there", 40, 5, 4.0, 0, True),
    case("large", 400, 6, 0.2, 0, False),
    case("large with ties", 700, 7, 0.4, 20, False),
]
text = json.dumps({"scipy": scipy.__version__, "resamples": RESAMPLES, "runs": RUNS, "cases": cases})
pathlib.Path(__file__).with_name("correlation.json").write_text(text + "\n")
