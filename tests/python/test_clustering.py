"""Functions modelled on scikit-learn, compared with other functions of the package, with scikit-learn, and by hand."""

from __future__ import annotations

import random

import corefeval
import pytest
from conftest import optional
from corefeval import clustering
from hypothesis import given, settings
from hypothesis import strategies as st

numpy = optional("numpy")

SCORES = [name for name in clustering.__all__ if name.endswith("_score")]


def labels(seed, count=80):
    rng = random.Random(seed)
    return [rng.randrange(9) for _ in range(count)], [rng.randrange(7) for _ in range(count)]


def grouped(labels):
    """Converts labels to entities."""
    return [[place for place, label in enumerate(labels) if label == chosen] for chosen in sorted(set(labels))]


def test_labels_equal_entities():
    truth, found = labels(7)
    report = corefeval.score(key=grouped(truth), response=grouped(found), metrics="all")
    for name in SCORES:
        expected = report[name.removesuffix("_score")].f1
        function = getattr(clustering, name)
        makes = (list, tuple, iter, numpy.array, lambda given: (label for label in given))
        assert {function(make(truth), make(found)) for make in makes} == {expected}, name
    p, r, f1 = clustering.precision_recall_f1(truth, found, metric="lea")
    assert (r, p, f1) == tuple(report["lea"])
    assert clustering.b_cubed_score(range(4), [1, 2, 3, 4]) == clustering.rand_score(range(4), range(4)) == 1


#: scikit-learn's results for degenerate labels: truth, found, Rand, adjusted Rand.
DEGENERATE = [
    ([], [], 1, 1),
    ([3], [8], 1, 1),
    ([0, 0], [1, 1], 1, 1),
    ([0, 1], [5, 4], 1, 1),
    ([0] * 5, [2] * 5, 1, 1),
    ([0, 1, 2, 3], [3, 2, 1, 0], 1, 1),
    ([0, 0], [0, 1], 0, 0),
    ([0, 0, 0, 0], [0, 1, 2, 3], 0, 0),
    ([0, 1, 2, 3], [0, 0, 0, 0], 0, 0),
    ([0, 0, 1, 1], [0, 1, 0, 1], 1 / 3, -0.5),
    ([0, 0, 1, 2], [0, 0, 1, 1], 5 / 6, 4 / 7),
    ([0, 0, 1, 1], [1, 1, 0, 0], 1, 1),
]


@pytest.mark.parametrize(("truth", "found", "rand", "adjusted"), DEGENERATE)
def test_indices_by_hand(truth, found, rand, adjusted):
    assert clustering.rand_score(truth, found) == pytest.approx(rand)
    assert clustering.adjusted_rand_score(truth, found) == pytest.approx(adjusted)


ITEMS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


@settings(deadline=None)
@given(ITEMS)
def test_indices_against_scikit_learn(items):
    metrics = optional("sklearn.metrics", "test-dropins")
    truth, found = [one for one, _ in items], [other for _, other in items]
    assert clustering.rand_score(truth, found) == pytest.approx(metrics.rand_score(truth, found))
    assert clustering.adjusted_rand_score(truth, found) == pytest.approx(metrics.adjusted_rand_score(truth, found))


def test_scorer_for_scikit_learn():
    metrics = optional("sklearn.metrics", "test-dropins")
    from sklearn.cluster import KMeans

    truth, _ = labels(3, 200)
    items = numpy.array([[random.Random(place).random() + 5 * label] for place, label in enumerate(truth)])
    scorer = metrics.make_scorer(clustering.b_cubed_score)
    assert scorer(KMeans(9, n_init=5, random_state=0).fit(items), items, truth) > 0.8


class Parameter(list):
    """A tensor that requires grad."""

    requires_grad = True


@pytest.mark.parametrize(
    ("truth", "found", "error", "message"),
    [
        ([0, 1], [0], corefeval.InputValueError, "labels_true has 2 labels and labels_pred 1"),
        ([0, None], [0, 1], corefeval.InputValueError, r"labels_true\[1\] is missing"),
        ([0, 1], [0, []], corefeval.InputTypeError, r"labels_pred\[1\] is not hashable"),
        (numpy.zeros((2, 2)), [0, 1], corefeval.InputValueError, r"labels_true is an array of shape \(2, 2\)"),
        ([0, 1], "ab", corefeval.InputTypeError, "labels_pred is a str"),
        (5, [0, 1], corefeval.InputTypeError, "labels_true is a int"),
        ([0, 1], Parameter([0.0, 1.0]), corefeval.InputTypeError, r"labels_pred\.detach\(\)"),
    ],
)
@pytest.mark.parametrize("function", [clustering.b_cubed_score, clustering.adjusted_rand_score])
def test_errors_name_the_arguments(truth, found, error, message, function):
    with pytest.raises(error, match=message) as caught:
        function(truth, found)
    assert "key" not in str(caught.value) and "response" not in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "message"),
    [("muc,lea", "`muc,lea` is 2"), ("conll", "`conll` has only an F1"), ("mucc", "did you mean `muc`")],
)
def test_invalid_metrics(metric, message):
    with pytest.raises(corefeval.SettingsError, match=message):
        clustering.precision_recall_f1([0, 0], [0, 0], metric=metric)


def test_a_real_tensor():
    torch = optional("torch", "test-torch")
    assert clustering.b_cubed_score(torch.tensor([0, 0, 1]), torch.tensor([1, 1, 0])) == 1
    with pytest.raises(corefeval.InputTypeError, match=r"labels_true\.detach\(\)"):
        clustering.b_cubed_score(torch.tensor([0.0, 1.0], requires_grad=True), [0, 1])
