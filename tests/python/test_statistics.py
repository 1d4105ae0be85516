"""Compares statistics with independent versions in NumPy and SciPy; only the reports come from corefeval."""

from __future__ import annotations

import itertools
import json
import math
import random

import pytest
from conftest import optional
from corefeval import compare, compare_files, correlate

np = optional("numpy")
optimize = optional("scipy.optimize")
stats = optional("scipy.stats")

SKILLS = {"base": 0.6, "near": 0.62, "better": 0.75, "best": 0.85, "worst": 0.35}


def made(documents, seed, skills=SKILLS):
    """Returns a key, responses that find some of its mentions and invent others, and the counts of each by document."""
    rng = random.Random(seed)
    key, responses = {}, {name: {} for name in skills}
    counts = {name: [] for name in skills}
    for number in range(documents):
        size = rng.randrange(4, 20)
        key[f"d{number}"] = [[(place, place) for place in range(size)]]
        for name, skill in skills.items():
            found = [place for place in range(size) if rng.random() < skill]
            wrong = [100 + place for place in range(size) if rng.random() < 0.2]
            responses[name][f"d{number}"] = [[(place, place) for place in found + wrong]] if found + wrong else []
            counts[name].append((2 * len(found), size + len(found) + len(wrong)))
    return key, responses, {name: np.array(rows, dtype=float) for name, rows in counts.items()}


def f1(rows):
    total = rows.sum(axis=-2)
    return total[..., 0] / total[..., 1]


def exact(a, b):
    """Returns the share of all swaps with at least the observed difference."""
    swaps = np.array(list(itertools.product([0, 1], repeat=len(a))), dtype=float)[:, :, None]
    far = f1(np.where(swaps == 1, b, a)) - f1(np.where(swaps == 1, a, b))
    return float(np.mean(np.abs(far) >= abs(f1(a) - f1(b)) - 1e-12))


def holm(values):
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(np.array(values)[order] * np.arange(len(values), 0, -1))
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(steps, 1)
    return corrected


def compared(key, responses, **options):
    return compare(key=key, responses=responses, metrics="mentions", quiet=True, **options)


def test_few_documents_use_all_swaps():
    for documents in (3, 8, 13):
        key, responses, counts = made(documents, documents)
        comparison = compared(key, responses)
        raw = [exact(counts["base"], counts[name]) for name in SKILLS if name != "base"]
        for name, p, corrected in zip((name for name in SKILLS if name != "base"), raw, holm(raw)):
            difference = comparison[name]["mentions"]["difference"]
            assert difference["p"] == pytest.approx(p, abs=1e-12)
            assert difference["p_corrected"] == pytest.approx(corrected, abs=1e-12)
            assert difference["f1"] == pytest.approx(f1(counts[name]) - f1(counts["base"]), abs=1e-12)


def test_ranks_letters_and_sets_follow_from_the_tests():
    key, responses, counts = made(12, 5)
    comparison = compared(key, responses)
    names = sorted(SKILLS, key=lambda name: -f1(counts[name]))
    pairs = list(itertools.combinations(names, 2))
    corrected = dict(zip(pairs, holm([exact(counts[a], counts[b]) for a, b in pairs])))
    others = [name for name in SKILLS if name != "base"]
    with_base = dict(zip(others, holm([exact(counts["base"], counts[name]) for name in others])))
    by_pairs = {pair for pair, p in corrected.items() if p <= 0.05}
    by_any = by_pairs | {(a, b) for a, b in pairs if "base" in (a, b) and with_base[a if b == "base" else b] <= 0.05}
    assert by_pairs and by_pairs < by_any and len(by_any) < len(pairs)
    better = set(by_any)
    for middle, first, last in itertools.product(names, repeat=3):
        if (first, middle) in better and (middle, last) in better:
            better.add((first, last))
    for a, b in pairs:
        own, other = comparison[a]["mentions"], comparison[b]["mentions"]
        assert bool(set(own["letters"]) & set(other["letters"])) == ((a, b) not in by_any)
        assert own["rank"] < other["rank"] or (a, b) not in by_any
    for name in names:
        above = sum((other, name) in better for other in names)
        below = sum((name, other) in better for other in names)
        estimate = comparison[name]["mentions"]
        assert list(estimate["rank_set"]) == [1 + above, len(names) - below]
        assert estimate["rank_set"][0] <= estimate["rank"] <= estimate["rank_set"][1]


def test_few_documents_have_no_ranks():
    key, responses, _ = made(5, 2)
    for name in SKILLS:
        estimate = compared(key, responses)[name]["mentions"]
        assert estimate["rank"] is None and estimate["letters"] is None and estimate["rank_set"] is None
        assert name == "base" or estimate["difference"]["detectable"] is None


@pytest.mark.parametrize("documents", [20, 80])
def test_intervals_and_detectable_differences(documents):
    key, responses, counts = made(documents, 3)
    comparison = compared(key, responses, resamples=20_000, plan=1.5)
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, documents, (20_000, documents))
    better, base = (f1(counts[name][drawn]) for name in ("better", "base"))
    estimate, n = comparison["better"]["mentions"], documents
    shares = [0.025, 0.975]
    if documents < 50:
        assert comparison.to_dict()["interval_used"] == "expanded"
        shares[0] = stats.norm.cdf(-np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
        shares[1] = 1 - shares[0]
    else:
        assert comparison.to_dict()["interval_used"] == "bca"
        rows = counts["better"]
        left_out = np.array([f1(np.delete(rows, place, axis=0)) for place in range(n)])
        bias = stats.norm.ppf(np.mean(better < f1(rows)) + 0.5 * np.mean(better == f1(rows)))
        off = left_out.mean() - left_out
        skew = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
        z = bias + stats.norm.ppf(shares)
        shares = stats.norm.cdf(bias + z / (1 - skew * z))
    wanted = np.quantile(better, shares)
    assert np.abs(np.array(estimate["interval"]) - wanted).max() < 0.1 * better.std()
    both = [counts[name] for name in ("better", "base")]
    less = np.array([np.subtract(*(f1(np.delete(rows, place, axis=0)) for rows in both)) for place in range(n)])
    error = np.sqrt((n - 1) / n * ((less - less.mean()) ** 2).sum())
    assert error == pytest.approx((better - base).std(ddof=1) * np.sqrt(n / (n - 1)), rel=0.1)
    weights = counts["better"][:, 1] + counts["base"][:, 1]
    uneven = weights.var() / weights.mean() ** 2
    # The jackknife's variance is too large on average.
    error /= np.sqrt(1 + uneven / n)

    places, masses = np.polynomial.legendre.leggauss(200)
    shares, masses = (places + 1) / 2, masses / 2

    def quantile(number):
        """Returns the q for which q S + Z exceeds c S' in four of five cases: S of these documents, S' of `number` others."""
        p = math.floor(0.05 / 4 * 20_001) / 20_001
        t = stats.t.ppf(1 - p / 2, number - 1)
        critical = t * np.sqrt(1 + uneven * (t**2 + 3) / (2 * number))
        here, there = (count / (1 + uneven) - 1 for count in (documents, number))
        ours, theirs = (np.sqrt(stats.chi2.ppf(shares, freedom) / freedom) for freedom in (here, there))

        def power(q):
            return masses @ stats.norm.cdf(q * ours[:, None] - critical * theirs) @ masses

        return optimize.brentq(lambda q: power(q) - 0.8, 0, 100)

    difference = estimate["difference"]
    assert difference["detectable"] == pytest.approx(quantile(n) * error, rel=2e-3)

    def reach(number):
        """Returns the difference that a test on `number` documents detects in four of five cases, with the standard error of n."""
        return error * np.sqrt(n / number) * quantile(number)

    planned = difference["planned"]
    assert reach(1.02 * planned) <= 0.015 < reach(0.98 * planned)


def test_correlations_that_share_a_metric():
    key, responses, _ = made(40, 9)
    options = {"over": "pooled", "points": True, "quiet": True, "resamples": 500}
    both = [
        correlate(x=x, y="lea", than=than, key=key, responses=responses, **options).to_dict()
        for x, than in (("b_cubed", "muc"), ("muc", "b_cubed"))
    ]
    parts = [found["correlations"][0]["parts"]["f1"] for found in both]
    points = [{(row["system"], row["document"]): (row["x"], row["y"]) for row in part["list"]} for part in parts]
    shared = [place for place in points[0] if place in points[1]]
    # Scores within rounding are ties.
    x, y = (np.round([points[0][place][axis] for place in shared], 11) for axis in (0, 1))
    third = np.round([points[1][place][0] for place in shared], 11)
    closeness = parts[0]["closeness"]
    assert closeness["points"] == len(shared)
    for name, coefficient in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        found = closeness[name]
        assert found["first"] == pytest.approx(coefficient(x, y).statistic, abs=1e-9)
        assert found["third"] == pytest.approx(coefficient(third, y).statistic, abs=1e-9)
        # Swapping the systems changes the sign of the difference and its interval.
        other = parts[1]["closeness"][name]
        assert other["difference"] == pytest.approx(-found["difference"], abs=1e-12)
        assert other["p"] == pytest.approx(found["p"], abs=1e-12)
    first, second, between = (np.corrcoef(*two)[0, 1] for two in ((x, y), (third, y), (x, third)))
    n = len(shared)
    determinant = np.linalg.det([[1, first, second], [first, 1, between], [second, between, 1]])
    under = 2 * determinant * (n - 1) / (n - 3) + ((first + second) / 2) ** 2 * (1 - between) ** 3
    t = (first - second) * np.sqrt((n - 1) * (1 + between) / under)
    assert closeness["williams"] == pytest.approx(2 * stats.t.sf(abs(t), n - 3), abs=1e-9)
    fisher = stats.pearsonr(*np.array(list(points[0].values())).T).confidence_interval(0.95)
    assert parts[0]["pearson"]["fisher"] == pytest.approx([fisher.low, fisher.high], abs=1e-9)
    # Student's t with the jackknife over documents, which leaves out all systems of a document.
    all_points = np.round([[*point] for point in points[0].values()], 11)
    documents = np.array([document for _, document in points[0]])
    left_out = [all_points[documents != document].T for document in sorted(set(documents))]
    for name, coefficient in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        scaled = np.arctanh([coefficient(*rest).statistic for rest in left_out])
        n = len(scaled)
        reach = stats.t.ppf(0.975, n - 1) * np.sqrt((n - 1) * scaled.var())
        ends = np.tanh(np.arctanh(coefficient(*all_points.T).statistic) + np.array([-reach, reach]))
        assert parts[0][name]["interval"] == pytest.approx(ends, abs=1e-8)


def over_runs_and_documents(systems, n):
    """Returns standard error and degrees of freedom of a mean over runs, or of the difference between two such means, by the
    analysis of variance of runs and documents; `systems` contains the counts of the runs of each system."""
    means, runs, both, frees = [], [], [], []
    for rows in systems:
        left_out = np.array([[f1(np.delete(run, place, axis=0)) for place in range(n)] for run in rows])
        means.append(left_out.mean(axis=0))
        if len(rows) > 1:
            rest = left_out - left_out.mean(axis=0) - left_out.mean(axis=1, keepdims=True) + left_out.mean()
            both.append((n - 1) / n * (rest**2).sum() / (len(rows) - 1) / len(rows))
            runs.append(np.var([f1(run) for run in rows], ddof=1) / len(rows))
            frees.append(len(rows) - 1)
    less = means[0] if len(means) == 1 else means[0] - means[1]
    of_documents = (n - 1) / n * ((less - less.mean()) ** 2).sum()
    runs, both, frees = map(np.array, (runs, both, frees))
    alone = max(0.0, of_documents - both.sum())
    equal = len(frees) == 2 and frees[0] == frees[1]
    under = runs.sum() ** 2 / frees.sum() if equal else (runs**2 / frees).sum()
    if alone > 0:
        under += (of_documents**2 + (both**2 / frees).sum()) / (n - 1)
    return np.sqrt(runs.sum() + alone), (runs.sum() + alone) ** 2 / under


@pytest.mark.parametrize(("documents", "numbers"), [(8, (3, 3)), (25, (2, 4)), (60, (1, 5)), (40, (2, 2))])
def test_several_runs_of_a_system(tmp_path, documents, numbers):
    rng = np.random.default_rng(documents)
    means = {"base": 0.6, "ours": 0.7}
    skills = {
        f"{name}-{run}": means[name] + 0.03 * rng.standard_normal()
        for name, number in zip(means, numbers)
        for run in range(number)
    }
    key, responses, counts = made(documents, documents, skills)

    def write(path, side):
        path.parent.mkdir(exist_ok=True)
        rows = ({"doc_key": name, "sentences": [["a"] * 130], "clusters": entities} for name, entities in side.items())
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    paths = {name: write(tmp_path / name.split("-")[0] / f"{name}.jsonlines", side) for name, side in responses.items()}
    folders = {name: paths[f"{name}-0"] for name in means if f"{name}-1" not in paths}
    found = compare_files(
        key=write(tmp_path / "key.jsonlines", key),
        responses=folders,
        runs=[str(tmp_path / name) for name in means if name not in folders],
        metrics="mentions",
        baseline="base",
        quiet=True,
    )
    systems = {name: [rows for run, rows in counts.items() if run.startswith(name)] for name in means}
    scores = {name: np.mean([f1(rows) for rows in systems[name]]) for name in means}
    for name in means:
        if len(systems[name]) > 1:
            error, freedom = over_runs_and_documents([systems[name]], documents)
            reach = stats.t.ppf(0.975, freedom) * error
            wanted = [scores[name] - reach, scores[name] + reach]
            assert found[name]["mentions"]["interval"] == pytest.approx(wanted, abs=1e-9)
    error, freedom = over_runs_and_documents([systems["ours"], systems["base"]], documents)
    difference = found["ours"]["mentions"]["difference"]
    less = scores["ours"] - scores["base"]
    reach = stats.t.ppf(0.975, freedom) * error
    assert difference["interval"] == pytest.approx([less - reach, less + reach], abs=1e-9)
    assert difference["p"] == pytest.approx(2 * stats.t.sf(abs(less) / error, freedom), rel=1e-8)
    assert (difference["p"] <= 0.05) == (min(difference["interval"]) > 0 or max(difference["interval"]) < 0)
    # The runs are too few to predict the results of their test.
    assert difference["detectable"] is None
