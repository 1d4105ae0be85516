"""Plain, slow versions of the original scorers, rewritten from the published definitions, with their quirks.

The tests compare the drop-ins with these versions, and the benchmark measures the speedup.
"""

from __future__ import annotations

from collections import Counter

import numpy
from scipy.optimize import linear_sum_assignment


def mention_to_cluster(clusters):
    """Returns the cluster of each mention; the last of several clusters."""
    return {mention: cluster for cluster in clusters for mention in cluster}


def phi4(one, other):
    shared = sum(mention in other for mention in one)
    return 2 * shared / (len(one) + len(other))


class E2eEvaluator:
    """The scorer of the e2e family: CEAFe ignores singletons of the response, B³ ignores singletons of both sides."""

    def __init__(self):
        self.counts = {name: numpy.zeros(4) for name in ("muc", "b_cubed", "ceaf_e")}

    def update(self, predicted, gold, mention_to_predicted, mention_to_gold):
        for name, one_side in (("muc", self.muc), ("b_cubed", self.b_cubed)):
            self.counts[name] += (*one_side(predicted, mention_to_gold), *one_side(gold, mention_to_predicted))
        self.counts["ceaf_e"] += self.ceaf_e(predicted, gold)

    @staticmethod
    def muc(clusters, others):
        found = links = 0
        for cluster in clusters:
            links += len(cluster) - 1
            answers = [others[mention] for mention in cluster if mention in others]
            found += len(answers) - len(set(answers))
        return found, links

    @staticmethod
    def b_cubed(clusters, others):
        found = mentions = 0
        for cluster in clusters:
            if len(cluster) > 1:
                shared = {}
                for mention in cluster:
                    other = others.get(mention, ())
                    if len(other) > 1:
                        shared[other] = shared.get(other, 0) + 1
                found += sum(count * count for count in shared.values()) / len(cluster)
                mentions += len(cluster)
        return found, mentions

    @staticmethod
    def ceaf_e(predicted, gold):
        predicted = [cluster for cluster in predicted if len(cluster) != 1]
        similarity = assigned(gold, predicted, phi4)
        return similarity, len(predicted), similarity, len(gold)

    def scores(self):
        """Returns precision, recall and F1 of each metric."""
        for precision, all_predicted, recall, all_gold in self.counts.values():
            p = precision / all_predicted if all_predicted else 0
            r = recall / all_gold if all_gold else 0
            yield p, r, 2 * p * r / (p + r) if p + r else 0

    def get_prf(self):
        return tuple(sum(part) / 3 for part in zip(*self.scores()))


def e2e_lea(clusters, others):
    """Counts LEA as the e2e family does: link by link, without singletons."""
    larger = [cluster for cluster in clusters if len(cluster) > 1]
    found = 0.0
    for cluster in larger:
        pairs = [(a, b) for i, a in enumerate(cluster) for b in cluster[i + 1 :]]
        linked = sum(a in others and b in others and others[a] == others[b] for a, b in pairs)
        found += len(cluster) * linked / len(pairs)
    return found, sum(map(len, larger))


def allennlp_clusters(spans, antecedents, chosen):
    """Returns the clusters that AllenNLP's metric makes from antecedents, and for each span the cluster that it joined last."""
    of, clusters = {}, []
    for place, choice in enumerate(chosen):
        if choice >= 0:
            antecedent, span = spans[antecedents[place][choice]], spans[place]
            if antecedent not in of:
                of[antecedent] = len(clusters)
                clusters.append([antecedent])
            clusters[of[antecedent]].append(span)
            of[span] = of[antecedent]
    clusters = [tuple(cluster) for cluster in clusters]
    return clusters, {span: clusters[number] for span, number in of.items()}


def coval_lea(clusters, others, places):
    """Counts LEA as coval does: link by link."""
    found = importance = 0
    for cluster in clusters:
        if len(cluster) == 1:
            place = places.get(cluster[0])
            resolved = float(place is not None and len(others[place]) == 1)
        else:
            linked = 0
            for number, mention in enumerate(cluster):
                if mention in places:
                    for other in cluster[number + 1 :]:
                        linked += other in places and places[mention] == places[other]
            resolved = linked / (len(cluster) * (len(cluster) - 1) / 2)
        found += len(cluster) * resolved
        importance += len(cluster)
    return found, importance


def coval_b_cubed(clusters, places):
    """Counts B³ as coval does."""
    found = 0.0
    for cluster in clusters:
        counts = Counter(places[mention] for mention in cluster if mention in places)
        found += sum(count * count for count in counts.values()) / len(cluster)
    return found, sum(map(len, clusters))


def assigned(gold, predicted, similarity):
    """Returns the sum of similarities of the best assignment."""
    table = numpy.zeros((len(gold), len(predicted)))
    for row, ours in enumerate(gold):
        for column, theirs in enumerate(predicted):
            table[row, column] = similarity(ours, theirs)
    return table[linear_sum_assignment(-table)].sum()


def as_sets(*sides):
    return [[set(cluster) for cluster in side] for side in sides]


def coval_ceaf_e(clusters, gold_clusters):
    """Counts CEAFe as coval does, over sets."""
    similarity = assigned(*as_sets(gold_clusters, clusters), lambda a, b: 2 * len(a & b) / (len(a) + len(b)))
    return similarity, len(clusters), similarity, len(gold_clusters)


def coval_ceaf_m(clusters, gold_clusters):
    """Counts CEAFm as coval does, over sets."""
    similarity = assigned(*as_sets(gold_clusters, clusters), lambda a, b: len(a & b))
    return similarity, sum(map(len, clusters)), similarity, sum(map(len, gold_clusters))


def coval_clusters(path, keep_singletons):
    """Reads clusters by document as coval does, in the order in which their first mentions close. A mention is its sentence,
    its first and last word there, and its words."""
    documents, name = {}, None
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("#begin document "):
            name = line[len("#begin document ") :]
            clusters, opened, sentence, word, texts = documents.setdefault(name, {}), {}, 0, 0, []
        elif line.startswith("#end document"):
            name = None
        elif name and not line.strip():
            sentence, word, texts = sentence + (word > 0), 0, []
        elif name:
            *columns, last = line.split()
            texts.append(columns[3])
            for part in last.split("|") if last != "-" else ():
                number = int(part.strip("()"))
                if part[0] == "(":
                    opened.setdefault(number, []).append(word)
                if part[-1] == ")":
                    start = opened[number].pop()
                    clusters.setdefault(number, []).append((sentence, start, word, tuple(texts[start:])))
            word += 1
    return {
        name: [cluster for cluster in clusters.values() if keep_singletons or len(cluster) > 1]
        for name, clusters in documents.items()
    }
