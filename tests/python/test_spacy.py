"""Clusters in Doc.spans, with stand-ins for spaCy's objects, and with spaCy if it is installed."""

from __future__ import annotations

import random
from types import SimpleNamespace

import corefeval
import pytest
from conftest import optional
from corefeval.coval.reader import get_mention_assignments
from corefeval.spacy import clusters_of, make_coref_scorer, score_clusters

optional("numpy")
optional("scipy")
import originals  # noqa: E402

TEXT = "Ada met Bob and she waved"
NOTHING = {"coref_f": None, "coref_p": None, "coref_r": None}


def stood_in(key, response, text=TEXT):
    """Returns an Example with groups of spans by name; a span is its first token and one past its last."""
    words = text.split()
    starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]

    def doc(groups):
        span = lambda a, b: SimpleNamespace(start_char=starts[a], end_char=starts[b - 1] + len(words[b - 1]))  # noqa: E731
        return SimpleNamespace(text=text, spans={name: [span(*place) for place in group] for name, group in groups.items()})

    return SimpleNamespace(reference=doc(key), predicted=doc(response))


def real(key, response, text=TEXT):
    spacy = optional("spacy", "test-dropins")
    from spacy.training import Example

    docs = []
    for groups in (response, key):
        doc = spacy.blank("en")(text)
        for name, group in groups.items():
            doc.spans[name] = [doc[a:b] for a, b in group]
        docs.append(doc)
    return Example(*docs)


@pytest.fixture(params=[stood_in, real], ids=["stood in", "real"])
def make(request):
    return request.param


KEY = {
    "coref_clusters_1": [(0, 1), (3, 4)],
    "coref_clusters_2": [(1, 2), (5, 6)],
    "other": [(2, 3)],
    # A cluster's name has a number after the prefix, so this group is not a cluster.
    "coref_clusters_heads": [(2, 3), (4, 5)],
}
RESPONSE = {"coref_clusters_1": [(0, 1), (3, 4), (5, 6)]}


def test_scores(make):
    example = make(KEY, RESPONSE)
    assert clusters_of(example.predicted) == [[(0, 3), (12, 15), (20, 25)]]
    scores = score_clusters([example, example])
    document = ([["a", "b"], ["c", "d"]], [["a", "b", "d"]])
    expected = corefeval.score(key=document[0], response=document[1], metrics="muc,b_cubed,ceaf_e,lea,conll", quiet=True)
    lea = expected["lea"]
    assert (scores["coref_r"], scores["coref_p"], scores["coref_f"]) == pytest.approx(tuple(lea))
    assert scores["coref_lea"] == {"p": lea.precision, "r": lea.recall, "f": lea.f1}
    means = [sum(tuple(expected[name])[part] for name in ("muc", "b_cubed", "ceaf_e")) / 3 for part in (1, 0)]
    assert scores["coref_conll"] == pytest.approx({"p": means[0], "r": means[1], "f": expected["conll"].f1})
    assert "coref_conll" not in score_clusters([example], metrics="muc")
    assert score_clusters([]) == NOTHING


@pytest.mark.parametrize("seed", range(30))
def test_scores_equal_the_original(seed):
    """Compares LEA with singletons, on clusters that can share spans."""
    rng = random.Random(seed)
    text = " ".join("abcdefghij")
    expected, examples = [0, 0, 0, 0], []
    for _ in range(4):
        sides = []
        for _ in range(2):
            spans = [(start, start + more) for start in range(8) for more in (1, 2)]
            sides.append([tuple(rng.sample(spans, rng.randrange(1, 5))) for _ in range(rng.randrange(1, 14))])
        groups = [{f"coref_clusters_{place}": side for place, side in enumerate(part)} for part in sides]
        examples.append(stood_in(*groups, text=text))
        # In the order of the groups, possibly more than nine: a span in two groups counts in the last.
        key, response = sides
        counts = (
            *originals.coval_lea(response, key, get_mention_assignments(response, key)),
            *originals.coval_lea(key, response, get_mention_assignments(key, response)),
        )
        expected = [one + other for one, other in zip(expected, counts)]
    scores = score_clusters(examples)
    assert scores["coref_p"] == pytest.approx(expected[0] / expected[1])
    assert scores["coref_r"] == pytest.approx(expected[2] / expected[3])


def test_the_order_of_groups_is_kept():
    """A mention of groups 2 and 10 belongs to group 10, the last; in alphabetical order it would be group 2."""
    groups = [[(2 * place, 2 * place + 1), (2 * place + 1, 2 * place + 2)] for place in range(12)]
    shared = (24, 25)

    def named(*places):
        return {
            f"coref_clusters_{place}": group + [shared] * (place in places) for place, group in enumerate(groups, 1)
        }

    text = " ".join("abcdefghijklmnopqrstuvwxy")
    assert round(score_clusters([stood_in(named(2, 10), named(2), text=text)])["coref_f"], 4) == 0.9215
    assert round(score_clusters([stood_in(named(2, 10), named(10), text=text)])["coref_f"], 4) == 0.96


def test_another_prefix(make):
    key, response = ({f"my_{name}": group for name, group in groups.items()} for groups in (KEY, RESPONSE))
    example = make(key, response)
    own = score_clusters([make(KEY, RESPONSE)])
    assert score_clusters([example], span_cluster_prefix="my_coref_clusters") == own
    with pytest.warns(corefeval.CorefevalWarning, match="called `coref_clusters` and a number.*my_coref_clusters_1") as told:
        assert score_clusters([example]) == NOTHING
    assert told[0].filename == __file__
    assert score_clusters([example], quiet=True) == NOTHING
    # A response without clusters raises no warning if the key has clusters.
    assert score_clusters([make(KEY, {})])["coref_f"] == 0


def test_texts_that_differ():
    example = stood_in(KEY, RESPONSE)
    example.reference.text = "x" * 60 + " and that was it"
    example.predicted.text = "x" * 60 + " but that was it"
    with pytest.raises(corefeval.InputValueError) as caught:
        score_clusters([stood_in(KEY, RESPONSE), example])
    assert "the texts of examples[1] differ from character 61" in str(caught.value)
    assert "'…xxxxxxxxxxxxxx and that was it'" in str(caught.value) and " but that was" in str(caught.value)
    example.predicted.text = example.reference.text[:-1]
    with pytest.raises(corefeval.InputValueError, match="from character 75"):
        score_clusters([example])


def test_the_scorer_of_a_component():
    """The scorer accepts all settings of the component and uses its prefix."""
    scorer = make_coref_scorer(metrics="muc")
    scores = scorer([stood_in(KEY, RESPONSE)], span_cluster_prefix="coref_clusters", nI=64)
    assert set(scores) == {"coref_f", "coref_p", "coref_r", "coref_muc"}


def test_in_the_configuration_of_a_pipeline():
    spacy = optional("spacy", "test-dropins")
    from spacy.language import Language
    from spacy.pipeline import Pipe

    class Component(Pipe):
        def __init__(self, name, scorer):
            self.name, self.scorer, self.cfg = name, scorer, {"span_cluster_prefix": "coref_clusters", "nI": 64}

        def __call__(self, doc):
            for name, group in RESPONSE.items():
                doc.spans[name] = [doc[a:b] for a, b in group]
            return doc

    @Language.factory("corefeval_test_component", default_config={"scorer": {"@scorers": "corefeval.coref_scorer.v1"}})
    def make_component(nlp, name, scorer):
        return Component(name, scorer)

    nlp = spacy.blank("en")
    nlp.add_pipe("corefeval_test_component", config={"scorer": {"@scorers": "corefeval.coref_scorer.v1", "metrics": "muc"}})
    scores = nlp.evaluate([real(KEY, {})])
    expected = score_clusters([stood_in(KEY, RESPONSE)], metrics="muc")
    assert {name: scores[name] for name in expected} == expected
