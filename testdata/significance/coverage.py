"""Simulates coverage, size and power with only NumPy and SciPy, independently of `corefeval-dev coverage`.

    pip install numpy scipy
    python3 testdata/significance/coverage.py [CASES [RESAMPLES [TABLES]]]

TABLES are joined by commas: coverage (with size), power, plan, runs, systems.

Corpora are simulated thousands of times from two populations with known F1; each is resampled as in `corefeval
compare`. Rates in percent have their Monte Carlo error. Nothing here uses corefeval.
"""
import functools
import sys

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t as student

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
RESAMPLES = int(sys.argv[2]) if len(sys.argv) > 2 else 999
TABLES = (sys.argv[3] if len(sys.argv) > 3 else "coverage,power,plan,runs,systems").split(",")
DOCUMENTS = [10, 20, 50, 150, 350]
SKILL, INVENTED = 0.6, 0.25
KINDS = ["expanded", "student", "bca", "percentile", "basic"]
POPULATIONS = ["even", "skewed"]


def documents(population, number, rng):
    """Returns the numbers of mentions, and the ease of each document, which is added to the skill of every system."""
    if population == "even":
        return rng.integers(5, 35, number), rng.uniform(-0.3, 0.3, number)
    size = np.clip(np.round(20 * np.exp(rng.standard_normal(number))), 2, 600).astype(int)
    return size, rng.uniform(-0.15, 0.15, number) - 0.06 * np.log(size / 20)


POPULATION = {population: documents(population, 400_000, np.random.default_rng(77)) for population in POPULATIONS}


def truth(population, skill):
    """Returns the F1 of infinite text, from the expectations of 400,000 documents."""
    key, ease = POPULATION[population]
    right = (key * np.clip(skill + ease, 0, 1)).sum()
    return 2 * right / (key.sum() * (1 + INVENTED) + right)


SKILLS = np.linspace(0.1, 1.1, 101)


@functools.cache
def truth_by_skill(population):
    """Returns the F1 of each of SKILLS."""
    return [truth(population, skill) for skill in SKILLS]


def skill_of(population, goal):
    return float(np.interp(goal, truth_by_skill(population), SKILLS))


def corpus(population, number, skills, rng):
    """Returns the correct mentions of each system, and the sum of the mentions of key and response, by document."""
    key, ease = documents(population, number, rng)
    right = [rng.binomial(key, np.clip(skill + ease, 0, 1)) for skill in skills]
    return [(r.astype(float), (key + r + rng.binomial(key, INVENTED)).astype(float)) for r in right]


def f1(right, both):
    return np.divide(2 * right, both, out=np.zeros_like(both, dtype=float), where=both > 0)


def drawn(number, rng):
    """Returns the number of times that each resample contains each document."""
    places = rng.integers(0, number, (RESAMPLES, number))
    places += number * np.arange(RESAMPLES)[:, None]
    return np.bincount(places.ravel(), minlength=RESAMPLES * number).reshape(RESAMPLES, number).astype(float)


def interval(kind, observed, values, left_out):
    n, tail = len(left_out), 0.025
    t = student.ppf(1 - tail, n - 1)
    if kind == "student":
        reach = t * np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
        return observed - reach, observed + reach
    shares = np.array([tail, 1 - tail])
    if kind == "expanded":
        low = norm.cdf(-np.sqrt(n / (n - 1)) * t)
        shares = np.array([low, 1 - low])
    if kind == "bca":
        bias = norm.ppf(((values < observed).sum() + 0.5 * (values == observed).sum()) / len(values))
        off = left_out.mean() - left_out
        acceleration = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
        z = bias + norm.ppf(shares)
        shares = norm.cdf(bias + z / (1 - acceleration * z))
    low, high = np.quantile(values, shares)
    return (2 * observed - high, 2 * observed - low) if kind == "basic" else (low, high)


def resampled(systems, weights):
    """Returns for each system its score, the scores of the resamples, and the scores without each document."""
    found = []
    for right, both in systems:
        found.append((
            f1(right.sum(), np.array(both.sum())).item(),
            f1(weights @ right, weights @ both),
            f1(right.sum() - right, both.sum() - both),
        ))
    return found


def p_randomization(first, second, rng):
    n = len(first[0])
    if n <= 13:
        swaps = (np.arange(1, 2 ** (n - 1))[:, None] >> np.arange(n) & 1).astype(float)
    else:
        swaps = rng.integers(0, 2, (RESAMPLES, n)).astype(float)
    moved = [swaps @ (b - a) for a, b in zip(first, second)]
    own = f1(first[0].sum() + moved[0], first[1].sum() + moved[1])
    other = f1(second[0].sum() - moved[0], second[1].sum() - moved[1])
    observed = f1(first[0].sum(), np.array(first[1].sum())) - f1(second[0].sum(), np.array(second[1].sum()))
    return (1 + (np.abs(own - other) >= abs(observed) - 1e-12).sum()) / (1 + len(swaps))


def p_bootstrap(found):
    observed, values = found[0][0] - found[1][0], found[0][1] - found[1][1]
    return (1 + (np.abs(values - observed) >= abs(observed) - 1e-12).sum()) / (1 + len(values))


def rate(count):
    share = count / CASES
    return f"{100 * share:.1f} ± {100 * np.sqrt(share * (1 - share) / CASES):.1f}"


def table(title, head, rows):
    print(f"\n{title}\n\n| {head} | " + " | ".join(map(str, DOCUMENTS)) + " |\n|---|" + "---:|" * len(DOCUMENTS))
    for name, counts in rows:
        print(f"| {name} | " + " | ".join(count if isinstance(count, str) else rate(count) for count in counts) + " |")


def holm_first(values):
    """Returns the p-value of the first comparison, corrected by Holm."""
    order = np.argsort(values, kind="stable")
    corrected = np.maximum.accumulate(np.array(values)[order] * (len(values) - np.arange(len(values))))
    return min(1.0, corrected[list(order).index(0)])


def power(reach, critical, own, other):
    """Returns the probability that `reach` standard errors of one corpus exceed `critical` standard errors of another, with
    these degrees of freedom. Integrates over the ratio of both errors, whose logarithm is unimodal, and uses Student's t
    for the combined error."""
    u = 0.5 * np.log(other / own) + np.sqrt(0.5 / own + 0.5 / other) * np.linspace(-10, 10, 301)
    cosine = 1 / (1 + np.exp(2 * u))
    density = 0.5 * (own * np.log(cosine) + other * np.log1p(-cosine))
    weights = np.exp(density - density.max())
    freedom = own + other
    t = reach * np.sqrt(cosine * freedom / own) - critical * np.sqrt((1 - cosine) * freedom / other)
    return (weights * student.cdf(t, freedom)).sum() / weights.sum()


def freedom(number, uneven):
    return max(1.0, number / (1 + uneven) - 1)


def critical(number, uneven, comparisons=1):
    """Returns the critical value of the swaps at the level that they attain."""
    step = 2.0 ** (1 - number) if number <= 13 else 1 / (1 + RESAMPLES)
    t = student.ppf(1 - step * np.floor(0.05 / comparisons / step + 1e-9) / 2, number - 1)
    return t * np.sqrt(1 + uneven * (t**2 + 3) / (2 * number))


def sensitivity(number, uneven, comparisons=1):
    """Returns the number of standard errors of a corpus that are significant in four of five other corpora."""
    own, c = freedom(number, uneven), critical(number, uneven, comparisons)
    return brentq(lambda reach: power(reach, c, own, own) - 0.8, 0, 1000 * c, xtol=1e-6)


def detectable(population, number, skills, comparisons, rng):
    """Returns the detectable difference of one corpus, the unevenness of its documents, and their standard deviation."""
    a, b = corpus(population, number, skills, rng)
    left_out = [f1(right.sum() - right, both.sum() - both) for right, both in (a, b)]
    error = np.sqrt((number - 1) / number) * np.linalg.norm(np.subtract(*left_out) - np.subtract(*left_out).mean())
    weights = a[1] + b[1]
    uneven = weights.var() / weights.mean() ** 2
    # The jackknife's variance is too large on average (Efron and Stein 1981).
    error /= np.sqrt(1 + uneven / number)
    return sensitivity(number, uneven, comparisons) * error, uneven, error * np.sqrt(number)


def planned(from_number, uneven, deviation, difference):
    """Returns the number of documents for a difference."""
    low, high = 8, 100_000
    while high - low > 1:
        number = (low + high) // 2
        own, other = freedom(from_number, uneven), freedom(number, uneven)
        found = power(difference / deviation * np.sqrt(number), critical(number, uneven), own, other)
        low, high = (low, number) if found >= 0.8 else (number, high)
    return high


def intervals_and_sizes():
    score, difference, size = [], [], []
    for population in POPULATIONS:
        skills = [SKILL, SKILL + 0.05]
        truths = [truth(population, skill) for skill in skills]
        covers = np.zeros((2, len(KINDS), len(DOCUMENTS)), dtype=int)
        rejects = np.zeros((2, len(DOCUMENTS)), dtype=int)
        for place, number in enumerate(DOCUMENTS):
            rng = np.random.default_rng([2016, number, POPULATIONS.index(population)])
            for _ in range(CASES):
                weights = drawn(number, rng)
                (a, b) = resampled(corpus(population, number, skills, rng), weights)
                for row, kind in enumerate(KINDS):
                    low, high = interval(kind, b[0], b[1], b[2])
                    covers[0, row, place] += low <= truths[1] <= high
                    low, high = interval(kind, b[0] - a[0], b[1] - a[1], b[2] - a[2])
                    covers[1, row, place] += low <= truths[1] - truths[0] <= high
                equal = corpus(population, number, [SKILL, SKILL], rng)
                rejects[0, place] += p_randomization(*equal, rng) <= 0.05
                rejects[1, place] += p_bootstrap(resampled(equal, weights)) <= 0.05
        score += [(f"{population}, `{kind}`", covers[0, row]) for row, kind in enumerate(KINDS)]
        difference += [(f"{population}, `{kind}`", covers[1, row]) for row, kind in enumerate(KINDS)]
        size += [(f"{population}, `{test}`", rejects[row]) for row, test in enumerate(["randomization", "bootstrap"])]
    table("Coverage of the score at 95%", "population, interval", score)
    table("Coverage of the difference at 95%", "population, interval", difference)
    table("Size of the tests at 5%", "population, test", size)


def powers():
    rows = []
    for population in POPULATIONS:
        for comparisons in (1, 5):
            finds = []
            for number in DOCUMENTS:
                rng = np.random.default_rng([7, number, comparisons])
                true = truth(population, SKILL)

                def apart(difference):
                    return [skill_of(population, true + half * difference) for half in (-0.5, 0.5)]

                usual = 0.06
                for _ in range(2):
                    usual = np.median([detectable(population, number, apart(usual), comparisons, rng)[0] for _ in range(200)])
                count = 0
                for _ in range(CASES):
                    # The detectable difference of one corpus is the true difference in another.
                    skills = apart(detectable(population, number, apart(usual), comparisons, rng)[0])
                    base, *others = corpus(population, number, skills + skills[:1] * (comparisons - 1), rng)
                    first = p_randomization(base, others[0], rng)
                    # The other p-values can only help if the first is not the smallest.
                    count += first * comparisons <= 0.05 or (first <= 0.05 and comparisons > 1 and
                        holm_first([first] + [p_randomization(base, other, rng) for other in others[1:]]) <= 0.05)
                finds.append(count)
            rows.append((f"{population}, {comparisons}", finds))
    table("Power at the detectable difference of another corpus", "population, comparisons", rows)


def plans():
    rows = []
    for population in POPULATIONS:
        skill = skill_of(population, truth(population, SKILL) + 0.03)
        cells = []
        for number in DOCUMENTS:
            rng = np.random.default_rng([8, number])
            found = [planned(number, *detectable(population, number, [SKILL, skill], 1, rng)[1:], 0.03) for _ in range(CASES)]
            enough = int(np.median(found))
            count = sum(
                p_randomization(*corpus(population, own, [SKILL, skill], rng), rng) <= 0.05 for own in found
            )
            cells.append(f"{rate(count)} ({enough})")
        rows.append((population, cells))
    table("Power with the planned number of documents, for 3 points", "population", rows)


def over_runs(scores, left_out, number):
    """Returns the variance and the degrees of freedom of the difference of two systems with the same number of runs. Runs and
    documents are crossed, and their interaction is counted once."""
    runs = scores.shape[1]
    means = left_out.mean(axis=1)
    less = means[0] - means[1]
    factor = (number - 1) / number
    of_documents = factor * ((less - less.mean()) ** 2).sum()
    rest = left_out - means[:, None] - left_out.mean(axis=2, keepdims=True) + means.mean(axis=1)[:, None, None]
    both = factor * (rest**2).sum(axis=(1, 2)) / (runs - 1) / runs
    of_runs = scores.var(ddof=1, axis=1).sum() / runs
    alone = max(0.0, of_documents - both.sum())
    under = of_runs**2 / (2 * (runs - 1))
    if alone > 0:
        under += (of_documents**2 + (both**2).sum() / (runs - 1)) / (number - 1)
    return of_runs + alone, (of_runs + alone) ** 2 / under


def two_levels():
    """Tests two systems with the same mean skill, each with several runs whose skills differ randomly."""
    rows = []
    for population in POPULATIONS:
        for runs in (2, 3, 5):
            counts = []
            for number in DOCUMENTS:
                rng = np.random.default_rng([9, number, runs])
                count = 0
                for _ in range(CASES):
                    skills = SKILL + 0.01 * rng.standard_normal(2 * runs)
                    systems = corpus(population, number, skills, rng)
                    scores = np.array([f1(right.sum(), np.array(both.sum())) for right, both in systems]).reshape(2, runs)
                    left_out = np.array([f1(right.sum() - right, both.sum() - both) for right, both in systems])
                    variance, freedom = over_runs(scores, left_out.reshape(2, runs, number), number)
                    t = abs(scores[0].mean() - scores[1].mean()) / np.sqrt(variance)
                    count += 2 * student.sf(t, freedom) <= 0.05
                counts.append(count)
            rows.append((f"{population}, {runs}", counts))
    table("Size of the test of two systems with several runs each at 5%", "population, runs of each system", rows)


def pearson(x, y):
    """Returns Pearson's r over the last axes."""
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    return (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))


def over_systems():
    """Simulates Pearson's r of two metrics over systems, which find mentions and link them with separate skills; both
    documents and systems are drawn."""
    linked, deviation, kinds, rows = 0.5, 0.05, ["expanded", "percentile", "fisher"], []
    for population in POPULATIONS:
        rng = np.random.default_rng(79)
        key, ease = documents(population, 2000, rng)
        skills = np.array([SKILL, linked]) + deviation * rng.standard_normal((20_000, 2))
        found, all_mentions = np.empty((2, len(skills))), key.sum() * (1 + INVENTED)
        for place, (skill, link) in enumerate(skills):
            right = key * np.clip(skill + ease, 0, 1)
            found[:, place] = np.array([right.sum(), (right * np.clip(link + ease, 0, 1)).sum()]) / (all_mentions + right.sum())
        true = pearson(*found)
        for systems in (8, 14, 30):
            covers = np.zeros((len(kinds), len(DOCUMENTS)), dtype=int)
            for place, number in enumerate(DOCUMENTS):
                rng = np.random.default_rng([10, number, systems])
                for _ in range(CASES):
                    key, ease = documents(population, number, rng)
                    skills = np.array([SKILL, linked]) + deviation * rng.standard_normal((systems, 2))
                    right = rng.binomial(key, np.clip(skills[:, :1] + ease, 0, 1))
                    links = rng.binomial(right, np.clip(skills[:, 1:] + ease, 0, 1))
                    counts = [right, links, key + right + rng.binomial(key, INVENTED, right.shape)]
                    right, links, both = (count.sum(axis=1).astype(float) for count in counts)
                    r = pearson(right / both, links / both)
                    weights = drawn(number, rng)
                    right, links, both = (weights @ count.T for count in counts)
                    chosen = rng.integers(0, systems, (RESAMPLES, systems))
                    values = pearson(*(np.take_along_axis(part / both, chosen, axis=1) for part in (right, links)))
                    few = min(number, systems)
                    outer = norm.cdf(-np.sqrt(few / (few - 1)) * student.ppf(0.975, few - 1))
                    reach = 1.959964 / np.sqrt(systems - 3)
                    for row, (low, high) in enumerate([
                        np.nanquantile(values, [outer, 1 - outer]),
                        np.nanquantile(values, [0.025, 0.975]),
                        np.tanh(np.arctanh(r) + np.array([-reach, reach])),
                    ]):
                        covers[row, place] += low <= true <= high
            rows += [(f"{population}, {systems}, `{kind}`", covers[row]) for row, kind in enumerate(kinds)]
    table("Coverage of Pearson's r over systems at 95%", "population, systems, interval", rows)


def main():
    print(f"{CASES} corpora each, {RESAMPLES} resamples")
    for name, make in [("coverage", intervals_and_sizes), ("power", powers), ("plan", plans), ("runs", two_levels), ("systems", over_systems)]:
        if name in TABLES:
            make()


if __name__ == "__main__":
    main()
