"""CEAF of arbitrary objects."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

import corefeval


def jaccard(one: frozenset[int], other: frozenset[int]) -> Fraction:
    """Returns the share of common members."""
    return Fraction(len(one & other), len(one | other))


def test_a_case_by_hand() -> None:
    """With 1/2 and 1/3 in one row and 1/3 in the other the best map takes 1/2 and 1/3, or only one of them."""
    key = [{"Ada", "Bo"}, {"Rome"}]
    response = [{"Ada"}, {"Bo", "Rome"}]
    score = corefeval.ceaf(key, response, lambda one, other: len(one & other) / len(one | other))
    assert (score.recall, score.precision, score.f1) == (0.5, 0.5, 0.5)
    assert score.details["map"] == ((0, 0), (1, 1))
    assert score.metric == "ceaf"


def test_entities_have_the_score_of_the_metric() -> None:
    """φ3 and φ4 of sets of mentions give CEAF of these entities, with the best of all maps."""
    random = Random(7)
    for _ in range(60):
        sides = []
        for _ in range(2):
            mentions = random.sample(range(9), random.randint(4, 9))
            cuts = [0, *sorted(random.sample(range(1, 4), random.randint(1, 3))), 9]
            sides.append([frozenset(mentions[start:end]) for start, end in zip(cuts, cuts[1:], strict=False)])
        key, response = sides
        # Some have singletons on one side only, which causes a warning.
        sides = [[sorted(entity) for entity in side] for side in (key, response)]
        scores = corefeval.score(key=sides[0], response=sides[1], metrics="ceaf_m,ceaf_e", quiet=True)
        phi_3 = corefeval.ceaf(key, response, lambda one, other: len(one & other))
        phi_4 = corefeval.ceaf(key, response, lambda a, b: Fraction(2 * len(a & b), len(a) + len(b)))
        assert tuple(phi_3) == pytest.approx(tuple(scores["ceaf_m"]))
        assert tuple(phi_4) == pytest.approx(tuple(scores["ceaf_e"]))
        found = corefeval.ceaf(key, response, jaccard)
        short, long = sorted((key, response), key=len)
        best = max(
            sum(jaccard(one, other) for one, other in zip(short, chosen, strict=False))
            for chosen in permutations(long, len(short))
        )
        assert found.details["recall_num"] == pytest.approx(float(best))


def test_invalid_similarities_are_rejected() -> None:
    """Text, negative numbers, and values that would make recall exceed 1."""
    with pytest.raises(corefeval.InputTypeError, match="not a number"):
        corefeval.ceaf([1], [1], lambda one, other: "much")
    with pytest.raises(corefeval.InputValueError, match="outside 0"):
        corefeval.ceaf([1], [1], lambda one, other: -1)
    with pytest.raises(corefeval.InputValueError, match="more similar"):
        corefeval.ceaf([1], [2], lambda one, other: 2, own=lambda one: 1)


def test_scores_of_empty_sides_are_undefined() -> None:
    """Two empty sides are 0 and marked as undefined; one empty side is a score of 0."""
    nothing = corefeval.ceaf([], [], jaccard)
    assert tuple(nothing) == (0.0, 0.0, 0.0) and nothing.details["defined"] is False
    one_side = corefeval.ceaf([], [frozenset({1})], jaccard)
    assert tuple(one_side) == (0.0, 0.0, 0.0) and "defined" not in one_side.details
    assert (one_side.details["recall_den"], one_side.details["precision_den"]) == (0, 1)
