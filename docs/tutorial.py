"""A tour of the Python package, which runs: `python docs/tutorial.py` in a clone of the repository.

It reads files, scores clusters in a training loop, compares two systems with intervals, groups and plots, annotators and
metrics.
The tests run it.
"""

# %% Files: the scores of the command.

import pathlib
import random
import tempfile

import corefeval

examples = pathlib.Path(__file__).resolve().parents[1] / "examples"
report = corefeval.score_files(key=examples / "key.conll", response=examples / "alder.conll")
print(report)  # the table of the command; a notebook shows it as an HTML table

# A report is data. Ratios are fractions, counts are exact.
lea = report["lea"]
print(f"\nLEA: recall {lea.recall:.4f}, precision {lea.precision:.4f}, F1 {lea.f1:.4f}")
print(f"MUC found {report['muc'].details['recall_num']} of {report['muc'].details['recall_den']} links")

# The signature lists the settings of the scores, and reproduces them.
again = corefeval.score_files(
    key=examples / "key.conll", response=examples / "alder.conll", settings=report.signature
)
assert again["conll"] == report["conll"]

# %% Documents: the contents of a file as values.

key = corefeval.read(examples / "key.conll")
document = key[0]
print(f"\n{document}")
for entity in document.entities[:2]:
    print(f"  {entity.name}: {', '.join(document.text(mention) for mention in entity)}")

# They are scored like their files, by every rule, even if a model gives other entities to the same words.
response = [document.with_entities(document.clusters[1:]) for document in key]
report = corefeval.score(key=key, response=response, metrics="muc,lea", singletons="drop", by="document", quiet=True)
for scores in report.documents:
    print(f"  {scores.id}: LEA recall {scores['lea'].recall:.4f}")

# Back to files: the command could score these.
line = corefeval.write(response[:1], format="jsonlines", quiet=True)
print(f"  {line[:60]}…")

# A document made from Python objects can have more than lists of mentions: words, heads, names of entities, a topic.
notes = [
    corefeval.Document(id=name, topic="harbour", tokens=words.split(), entities={"ferry": [(0, 1)]})
    for name, words in {"a": "The ferry sank", "b": "That boat was old"}.items()
]
assert corefeval.score(key=notes, response=notes, scope="topic", metrics="muc")["muc"].f1 == 1

# %% Python objects: entities are lists of mentions, mentions are any hashable objects.

key = [[(0, 1), (4, 4), (7, 9)], [(2, 2), (5, 6)]]
response = [[(0, 1), (4, 4)], [(2, 2), (5, 6), (7, 9)]]
report = corefeval.score(key=key, response=response, metrics="muc,b_cubed,ceaf_e,conll")
print(f"\nCoNLL score of one document: {100 * report['conll'].f1:.2f}")

# Labels: the i-th label is the entity of the i-th mention. Arrays need no `Labels`.
truth, found = corefeval.Labels([0, 0, 0, 1, 1]), corefeval.Labels([5, 5, 8, 8, 8])
assert corefeval.score(key=truth, response=found)["muc"].f1 == report["muc"].f1

# Invalid input is an error with its place.
try:
    corefeval.score(key=key, response=[[[0, 1], [4, 4]]])
except corefeval.CorefevalError as error:
    print(f"\n{error}")

# %% A training loop: documents come one after another; a scorer adds them up.

rng = random.Random(2016)
development = {}
for number in range(60):
    mentions = [(word, word) for word in range(16)]
    development[f"document {number}"] = [mentions[start : start + 4] for start in range(0, 16, 4)]


def predict(entities, skill):
    """A mock model, which resolves mentions correctly more often the more it has learnt."""
    predicted = [[] for _ in entities]
    for place, entity in enumerate(entities):
        for mention in entity:
            predicted[place if rng.random() < skill else rng.randrange(len(entities))].append(mention)
    return predicted


print("\nepoch   MUC    B³  CEAFe  CoNLL")
history = []
scorer = corefeval.Scorer(metrics="muc,b_cubed,ceaf_e,conll", quiet=True)
for epoch in range(5):
    scorer.reset()
    for name, entities in development.items():
        scorer.update(key=entities, response=predict(entities, 0.3 + 0.15 * epoch), doc_id=name)
    report = scorer.report()
    history.append(report["conll"].f1)
    print(f"{epoch:5d}", *(f"{100 * report[metric].f1:6.2f}" for metric in report))

# Plots: `matplotlib.pyplot.plot(history)` if it is installed; bars of characters otherwise.
for epoch, f1 in enumerate(history):
    print(f"{epoch:5d} {'#' * round(50 * f1)}")
assert history[-1] > history[0]

# %% Several processes: each has a scorer, and scorers are merged. The order has no effect.

halves = [corefeval.Scorer(quiet=True) for _ in range(2)]
for number, (name, entities) in enumerate(development.items()):
    halves[number % 2].update(key=entities, response=entities[:-1], doc_id=name)
halves[0].merge(halves[1])
print(f"\n{len(halves[0])} documents, LEA recall {halves[0].report()['lea'].recall:.4f}")

# %% Two systems: is the difference more than chance?

systems = {
    "alder": {name: predict(entities, 0.75) for name, entities in development.items()},
    "birch": {name: predict(entities, 0.85) for name, entities in development.items()},
}
comparison = corefeval.compare(
    key=development, responses=systems, metrics="muc,b_cubed,ceaf_e,conll", resamples=2000, quiet=True
)
for system in comparison:
    conll = comparison[system]["conll"]
    low, high = conll["interval"]
    print(f"{system}: {100 * conll['f1']:.2f} [{100 * low:.2f}, {100 * high:.2f}], rank {conll['rank']}")
difference = comparison["birch"]["conll"]["difference"]
print(f"birch − alder: {100 * difference['f1']:+.2f}, p = {difference['p']:.4f}")

# The intervals as a plot of characters, from 50 to 100.
for row in comparison.to_rows():
    if row["metric"] == "conll":
        low, high = (round(100 * row[end]) - 50 for end in ("low", "high"))
        print(f"{row['system']:6s} |{' ' * low}{'-' * (high - low + 1)}")

# %% Where do they differ? The same by group, and as plots.

paths = {name: examples / f"{name}.conll" for name in ("alder", "birch", "cedar")}
comparison = corefeval.compare_files(
    key=examples / "key.conll", responses=paths, metrics="muc,b_cubed,conll", by="entity-size", resamples=500, quiet=True
)
for group in comparison.groups:
    scores = ", ".join(f"{system} {100 * group[system]['b_cubed']['f1']:.2f}" for system in group)
    print(f"B³ on entities of {group.name}: {scores}")
with tempfile.TemporaryDirectory() as folder:
    comparison.save_figures(folder)  # in a notebook: comparison.figures["forest"]
    print("\nplots:", ", ".join(sorted(path.name for path in pathlib.Path(folder).glob("*.png"))))

# %% Two annotators, two metrics.

agreement = corefeval.agree(
    annotators={"Ann": systems["alder"], "Bob": systems["birch"]}, metrics="conll", resamples=500, quiet=True
)
alpha = agreement["passonneau"]
print(f"\nα {alpha['alpha']:.3f} [{alpha['low']:.3f}, {alpha['high']:.3f}]")
correlation = corefeval.correlate(x="muc", y="lea", key=development, responses=systems, resamples=500, quiet=True)
for row in correlation.to_rows():
    if (row["over"], row["part"], row["coefficient"]) == ("pooled", "f1", "spearman"):
        print(f"MUC and LEA over {row['points']} points: ρ = {row['value']:.3f}")

# %% Groups: documents by genre, by length and all other groupings of the command.

genres = [
    corefeval.Document(id=name, genre=("news", "letters")[number % 2], entities=entities)
    for number, (name, entities) in enumerate(development.items())
]
found = [document.with_entities(systems["alder"][document.id]) for document in genres]
for group in corefeval.score(key=genres, response=found, by="genre", quiet=True).groups:
    print(f"{group.id:8s} LEA {100 * group['lea'].f1:.2f}")

# %% Data frames: rows or columns, as you like.

rows = comparison.to_rows()
columns = report.to_columns()
print(f"\n{len(rows)} rows; columns {', '.join(columns)}")
# pandas.DataFrame(rows), polars.DataFrame(columns), pyarrow.table(columns)
