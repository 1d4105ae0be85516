"""Compares corefeval with published scorers on minimal pairs of files on which they once differed.

usage: differences.py COMMAND FOLDER
FOLDER has a folder for each pair of files. SCORES contains the scores of the other scorer there: counts of recall and of
precision (`1/2 2/3`; `?` for an unknown count), F1 in percent as a number, and F1 as the reference scorer prints it
(cut off after two decimals) as a text with `%`. A `Deliberate` score is a deliberate difference of corefeval, with the score
of the other scorer. Each run with deliberate scores has a row in docs/comparison.md, whose cells are compared with the
scores recorded here.
PRINTED contains printed lines that differ, REFUSED contains files that corefeval refuses. A folder without a check fails.

SOURCES names the scorer and the version that gave the scores of each folder.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

# The source of the other scorer's scores, by folder or by the start of its name; the longest match applies.
# "Transcription" means that the counting functions were condensed from the sources at the named commits, without
# command line and logging, and run.
SOURCES = {
    "conll-": "reference scorer 8.01, run (as distributed with cort 0.2.4.5); LEA by the routines of its LEA branch "
              "(ns-moosavi/LEA-coreference-scorer, 5525e301), added to it",
    "coval-": "coval (6de3913, 0b6819d), transcription",
    "corefud-": "corefud-scorer 1.2 (da5cc89, 91d5745), transcription",
    "misc": "reference scorer 8.01, run, and coval (6de3913, 0b6819d), transcription",
    "scorch-": "scorch 0.2.0, run",
    "ua-": "Universal Anaphora scorer 2.0 (3b68d4e, 0341d17, dbf3219) and the copy in corefud-scorer (2478113, "
           "75e8075), transcription",
    "ua-bridging-duplicate": "Universal Anaphora scorer 2.0, recorded when the pair was found",
    "ua-nonreferring-duplicate": "Universal Anaphora scorer 2.0, recorded when the pair was found",
}


class Deliberate:
    """A score of corefeval with its reason, and the score of the other scorer (None if it fails)."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs


# The names of the metrics in docs/comparison.md, in its order. Links have no separate name there.
LABELS = {
    "muc": "MUC", "b_cubed": "B³", "ceaf_m": "CEAFm", "ceaf_e": "CEAFe", "blanc": "BLANC", "lea": "LEA",
    "conll": "CoNLL"}

# The scores of the reference scorer if the key repeats a mention across entities, or within one entity.
ACROSS = {
    "mentions": "2/2 2/2", "muc": "0/1 0/1", "b_cubed": "2/3 1.5/2", "ceaf_m": "2/3 2/2",
    "ceaf_e": "1/2 1/1", "coreference_links": "1/1 1/1", "non_coreference_links": "0/2 0/0", "blanc": "50%",
    "lea": "2/3 0/2"}
WITHIN = {
    "mentions": "1/1 1/1", "muc": "0/1 0/0", "b_cubed": "0.5/2 1/1", "ceaf_m": "2/2 2/1",
    "ceaf_e": "1.333333/1 1.333333/1", "coreference_links": "0/1 0/0", "non_coreference_links": "0/0 0/0",
    "blanc": "0%", "lea": "2/2 0/1"}

# Folder, options, and the scores of the other scorer.
SCORES = [
    ("scorch-extra-mention", "--profile scorch", {
        "muc": 100, "b_cubed": 100, "ceaf_m": 100, "ceaf_e": 100, "blanc": 100, "conll": 100}),
    ("conll-kacross-b_cubed", "--profile conll", ACROSS),
    ("conll-kacross-blanc", "--profile conll", {
        "mentions": "1/2 1/1", "muc": "0/0 0/0", "b_cubed": "1/3 1/1", "ceaf_m": "1/3 1/1", "ceaf_e": "1/3 1/1",
        "coreference_links": "0/0 0/0", "non_coreference_links": "0/2 0/0", "blanc": "0%", "lea": "2/3 1/1"}),
    ("conll-kacross-ceaf_e", "--profile conll", ACROSS),
    ("conll-kacross-ceaf_m", "--profile conll", ACROSS),
    ("conll-kacross-lea", "--profile conll", {
        "mentions": "1/1 1/1", "muc": "0/0 0/0", "b_cubed": "1/2 1/1", "ceaf_m": "1/2 1/1", "ceaf_e": "1/2 1/1",
        "coreference_links": "0/0 0/0", "non_coreference_links": "0/1 0/0", "blanc": "0%", "lea": "2/2 1/1"}),
    ("conll-kwithin-blanc", "--profile conll", {
        "mentions": "1/2 1/1", "muc": "0/2 0/0", "b_cubed": "0.333333/3 1/1", "ceaf_m": "2/3 2/1",
        "ceaf_e": "1/1 1/1", "coreference_links": "0/2 0/0", "non_coreference_links": "0/0 0/0", "blanc": "0%",
        "lea": "1/3 0/1"}),
    ("conll-kwithin-ceaf_e", "--profile conll", WITHIN),
    ("conll-kwithin-ceaf_m", "--profile conll", WITHIN),
    ("conll-kwithin-lea", "--profile conll", WITHIN),
    ("conll-print", "--profile conll", {
        "mentions": "4/4 4/4", "muc": "0/1 0/2", "b_cubed": "3/4 2/4", "ceaf_m": "2/4 2/4",
        "ceaf_e": "1.166667/3 1.166667/2", "coreference_links": "0/1 0/3", "non_coreference_links": "2/5 2/3",
        "blanc": "25%", "lea": "0/4 0/4"}),
    ("conll-rextraacross-blanc", "--profile conll", {
        "mentions": "0/1 0/2", "muc": "0/0 0/0", "b_cubed": "0/1 0/3", "ceaf_m": "0/1 0/3", "ceaf_e": "0/1 0/3",
        "coreference_links": "0/0 0/0", "non_coreference_links": "0/0 0/2", "lea": "0/1 0/3"}),
    ("conll-rextrawithin-blanc", "--profile conll", {
        "mentions": "1/1 1/2", "muc": "0/0 0/2", "b_cubed": "1/1 0.333333/3", "ceaf_m": "1/1 1/3",
        "ceaf_e": "0.5/1 0.5/1", "coreference_links": "0/0 0/2", "non_coreference_links": "0/0 0/0",
        "lea": "0/1 0/3"}),
    ("conll-key-duplicates-litbank", "--profile conll", {
        "mentions": "370/370 370/370", "muc": "309/340 309/322", "b_cubed": "347.873515/388 357.372514/370",
        "ceaf_m": "370/388 370/370", "ceaf_e": "45.406093/48 45.406093/48",
        "coreference_links": "10125/10482 10125/10125", "non_coreference_links": "58140/59145 58140/58140",
        "blanc": "98.7%", "lea": "354.326374/388 339.438384/370"}),
    ("ua-split-only", "--profile ua --singletons keep --split-antecedents only", {
        "muc": "2/2 2/2", "b_cubed": "2/2 2/2", "ceaf_m": "2/2 2/2", "ceaf_e": "2/2 2/2",
        "coreference_links": "0/0 0/0", "non_coreference_links": "1/1 1/1", "blanc": Deliberate(100, 50),
        "lea": "2/2 2/2"}),
    ("ua-blanc-equal-split", "--profile ua --singletons keep --split-antecedents keep", {
        "muc": "2/2 2/2", "b_cubed": "5/5 5/5", "ceaf_m": "5/5 5/5", "ceaf_e": "3/3 3/3",
        "coreference_links": "3/3 3/3", "non_coreference_links": "7/7 7/7", "blanc": 100, "lea": "5/5 5/5"}),
    ("ua-blanc-f1-one", "--profile ua --singletons keep --split-antecedents keep", {
        "muc": "2.5/3 3/3", "b_cubed": "5.37037/6 6/6", "ceaf_m": "5.8/6 5.8/6",
        "ceaf_e": "2.888889/3 2.888889/3", "coreference_links": "3/4 3/4", "non_coreference_links": "8/11 8/11",
        "blanc": 73.86363636, "lea": "5.333333/6 6/6"}),
    ("ua-split-keep-duplicate", "--profile ua --singletons keep --split-antecedents keep", {
        "muc": "1/1 1/1", "b_cubed": "2/2 2/2", "ceaf_m": "2/2 2/2", "ceaf_e": "1/1 1/1",
        "coreference_links": "1/1 1/1", "non_coreference_links": "0/0 0/0", "blanc": 100, "lea": "2/2 2/2"}),
    ("ua-split-zeros", "--profile ua --singletons keep --split-antecedents keep", {
        "muc": "1.5/2 1.5/2", "b_cubed": "4.083333/5 5/5", "ceaf_m": "4.8/5 4.8/5",
        "ceaf_e": "2.944444/3 2.944444/3", "coreference_links": "1/3 1/3",
        "non_coreference_links": "6.333333/7 6.333333/7", "blanc": 61.9047619, "lea": "3.666667/5 4/5"}),
    ("ua-split-tie", "--profile ua --singletons keep --split-antecedents keep", {
        "muc": "0/6 0/6", "b_cubed": "4.875/15 2.708333/10", "ceaf_m": "3/15 3/10",
        "ceaf_e": "2.027778/9 2.027778/4", "coreference_links": "0/9 0/16",
        "non_coreference_links": "11/96 11/29", "blanc": 8.8, "lea": "1/15 1/10"}),
    ("ua-partial-response-min", "--profile ua --singletons keep --boundary-crossing --match partial", {
        "muc": "3/9 3/6", "b_cubed": "7/16 7.5/13", "ceaf_m": "8/16 8/13", "ceaf_e": "3.257143/7 3.257143/7",
        "coreference_links": "4/16 4/9", "non_coreference_links": "27/76 27/33", "blanc": 40.7706422,
        "lea": "3.666667/16 4/13"}),
    ("ua-partial-response-min", "--profile ua-corefud --singletons keep --boundary-crossing --match partial", {
        "muc": "3/9 3/6", "b_cubed": "7/16 7.5/13", "ceaf_m": "8/16 8/13", "ceaf_e": "3.257143/7 3.257143/7",
        "coreference_links": "4/16 4/9", "non_coreference_links": "27/76 27/33", "blanc": 40.7706422,
        "lea": "3.666667/16 4/13"}),
    # The scorer does not report `aligned`: the script that ran the transcription counted the paired mentions.
    ("ua-partial-response-min", "--profile ua --boundary-crossing --match partial", {
        "aligned": 7,
        "muc": "3/9 3/6", "b_cubed": "4.5/13 5.25/10", "ceaf_m": "6/13 6/10", "ceaf_e": "1.857143/4 1.857143/4",
        "coreference_links": "4/16 4/9", "non_coreference_links": "14/40 14/20", "blanc": 39.33333333,
        "lea": "3.666667/13 4/10"}),
    ("ua-partial-response-min", "--profile ua-corefud --boundary-crossing --match partial", {
        "aligned": 6,
        "muc": "3/9 3/6", "b_cubed": "4.25/13 4.75/10", "ceaf_m": "6/13 6/10",
        "ceaf_e": "1.857143/4 1.857143/4", "coreference_links": "4/16 4/9",
        "non_coreference_links": "11/40 11/20", "blanc": 34.33333333, "lea": "3.666667/13 4/10"}),
    ("ua-partial-response-min", "--profile ua --singletons keep --boundary-crossing --match craft", {
        "muc": "2/9 2/6", "b_cubed": "5.583333/16 6.5/13", "ceaf_m": "7/16 7/13",
        "ceaf_e": "2.971429/7 2.971429/7", "coreference_links": "2/16 2/9",
        "non_coreference_links": "25/76 25/33", "blanc": 30.93577982, "lea": "1.666667/16 2.666667/13"}),
    ("ua-craft-order", "--profile ua --singletons keep --match craft", {
        "muc": "3/3 3/3", "b_cubed": "4/4 4/4", "ceaf_m": "4/4 4/4", "ceaf_e": "1/1 1/1",
        "coreference_links": "6/6 6/6", "non_coreference_links": "0/0 0/0", "blanc": 100, "lea": "4/4 4/4"}),
    ("ua-craft-order", "--profile ua-corefud --singletons keep --match craft", {
        "muc": "2/3 2/3", "b_cubed": "2.25/4 2.25/4", "ceaf_m": "3/4 3/4", "ceaf_e": "0.75/1 0.75/1",
        "coreference_links": "3/6 3/6", "non_coreference_links": "0/0 0/0", "blanc": 50, "lea": "2/4 2/4"}),
    ("corefud-head-tie", "--profile corefud", {
        "muc": "0/1 0/1", "b_cubed": "0.5/2 0.5/2", "ceaf_m": "1/2 1/2", "ceaf_e": "0.5/1 0.5/1",
        "coreference_links": "0/1 0/1", "non_coreference_links": "0/0 0/0", "blanc": 0, "lea": "0/2 0/2"}),
    ("corefud-head-tie", "--profile corefud --singletons keep", {
        "muc": "0/1 0/1", "b_cubed": Deliberate("0.5/3 0.5/2", "1/3 0.5/2"), "ceaf_m": "1/3 1/2",
        "ceaf_e": Deliberate("0.5/2 0.5/1", "0.666667/2 0.666667/1"),
        "conll": Deliberate(17.77777778, 24.33862434), "coreference_links": "0/1 0/1",
        "non_coreference_links": "0/2 0/0", "blanc": 0, "lea": "0/3 0/2"}),
    ("corefud-zero-dict", "--profile corefud --zero-match dependent-1.2", {
        "muc": "1/2 2/2", "b_cubed": "2.5/4 4/4", "ceaf_m": "3/4 3/4", "ceaf_e": "1.5/2 1.5/2",
        "coreference_links": "1/2 1/2", "non_coreference_links": "2/4 2/4", "blanc": 50, "lea": "2/4 4/4"}),
    ("corefud-zero-dict", "--profile corefud", {
        "muc": Deliberate("2/2 2/2", "1/2 2/2"), "b_cubed": Deliberate("4/4 4/4", "2.5/4 4/4"),
        "ceaf_m": Deliberate("4/4 4/4", "3/4 3/4"), "ceaf_e": Deliberate("2/2 2/2", "1.5/2 1.5/2"),
        "coreference_links": Deliberate("2/2 2/2", "1/2 1/2"),
        "non_coreference_links": Deliberate("4/4 4/4", "2/4 2/4"), "blanc": Deliberate(100, 50),
        "lea": Deliberate("4/4 4/4", "2/4 4/4"), "conll": Deliberate(100, 72.86324786)}),
    ("corefud-empty-entity", "--profile corefud --zeros drop", {
        "muc": Deliberate("1/1 1/1", None), "b_cubed": Deliberate("2/2 2/2", None), "ceaf_m": "2/2 2/2",
        "ceaf_e": Deliberate("1/1 1/1", None), "coreference_links": "1/1 1/1",
        "non_coreference_links": "0/0 0/0", "blanc": 100, "lea": Deliberate("2/2 2/2", None),
        "conll": Deliberate(100, None)}),
    ("coval-minspan-index", "--profile coval --match min-span", {
        "muc": "2/6 2/9", "b_cubed": "7.8/16 6.166667/16", "ceaf_e": "4.433333/10 4.433333/7",
        "lea": "3.5/16 2.8/16"}),
    ("coval-nested-minspan", "--profile coval --match min-span --remove-nested", {
        "muc": "2/6 2/3", "b_cubed": "1.285714/7 2.25/4", "ceaf_e": "0.545455/1 0.545455/1", "lea": "1/7 2/4"}),
    ("coval-order-after-pruning", "--profile coval --np-only", {
        "muc": "0/1 1/1", "b_cubed": "1/2 3/3", "ceaf_e": "1/1 1/2", "lea": "0/2 2/3"}),
    ("ua-nonreferring-duplicate", "--profile ua --singletons keep --metrics non_referring", {
        "non_referring": "?/? 2/3"}),
    ("ua-bridging-duplicate", "--profile ua --singletons keep --metrics bridging", {"bridging": 18.18181818}),
]

# Printed lines that differ on purpose: folder, options, metric, ours, and the line of the other scorer.
PRINTED = [
    ("conll-print", "--profile conll --output conll", "b_cubed",
     "Coreference: Recall: (3 / 4) 75%\tPrecision: (2 / 4) 50%\tF1: 60%",
     "Coreference: Recall: (3 / 4) 75%\tPrecision: (2 / 4) 49.99%\tF1: 59.99%"),
]

# Files that corefeval refuses: folder, options, key, response, text of the error, and the cells of the page.
REFUSED = [
    ("misc", "--profile conll", "one.conll", "dupdoc.conll", "dupdoc.conll:6:1: the document `a; part 000` ",
     "an error with both places", "the last of the two is scored (coval: both joined)"),
]


def counts(text):
    """Returns numerators and denominators of recall and precision, None if unknown."""
    return [None if number == "?" else float(number) for side in text.split() for number in side.split("/")]


def f1_of(score):
    """Returns F1 of a recorded score as a percentage, or None if it is undefined."""
    if not isinstance(score, str):
        return score
    recall_num, recall_den, precision_num, precision_den = counts(score)
    if not recall_den and not precision_den:
        return None
    recall, precision = recall_num / (recall_den or 1), precision_num / (precision_den or 1)
    return 100 * 2 * recall * precision / (recall + precision) if recall + precision else 0


def ours_of(metrics, name):
    """Returns the result of corefeval for a recorded name: counts, F1 and whether it is defined."""
    metric = metrics["blanc"][name] if name.endswith("_links") else metrics["mentions" if name == "aligned" else name]
    sides = [metric.get(f"{side}_{part}") for side in ("recall", "precision") for part in ("num", "den")]
    return sides, 100 * metric["f1"] if metric.get("defined", True) else None


def meets(want, have):
    """Returns whether corefeval's score equals the recorded one: counts have six decimals here, F1 eight."""
    sides, f1 = have
    if isinstance(want, str) and "/" in want:
        known = [(count, side) for count, side in zip(counts(want), sides) if count is not None]
        return all(side is not None and abs(count - side) < 1e-6 for count, side in known)
    if f1 is None:
        return False
    if isinstance(want, str):
        return int(100 * f1 + 1e-7) / 100 == float(want.removesuffix("%"))
    return abs(f1 - want) < 1e-6


def cells(scores):
    """Returns the cells of docs/comparison.md for the deliberate scores of a run: corefeval's and the other scorer's."""
    def cell(side):
        chosen = [name for name in LABELS if isinstance(scores.get(name), Deliberate)]
        named = [(LABELS[name], getattr(scores[name], side)) for name in chosen]
        stopped = [label for label, score in named if score is None]
        shown = [f"{label} {f1_of(score):.2f}" for label, score in named if score is not None]
        return ", ".join(shown + ([f"stops in {', '.join(stopped)}"] if stopped else []))
    return cell("ours"), cell("theirs")


def source(name):
    """Returns the scorer behind the scores of a folder, or None."""
    known = [beginning for beginning in SOURCES if name.startswith(beginning)]
    return SOURCES[max(known, key=len)] if known else None


def rows_of_page():
    """Returns the cells of all tables of docs/comparison.md except the reason, by row."""
    page = (pathlib.Path(__file__).parent.parent / "docs/comparison.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row[:4]] for row in rows]


def main():
    command, folder = sys.argv[1:]
    page, problems = rows_of_page(), []
    known = {entry[0] for entry in [*SCORES, *PRINTED, *REFUSED]}
    problems += [f"no check of {name}" for name in sorted(os.listdir(folder)) if name not in known | {"README.md"}]
    problems += [f"no source of {name}" for name in sorted(known) if source(name) is None]
    passed = deliberate = 0

    def show(name, options, ours, theirs):
        nonlocal deliberate
        row = [f"`{name}`", f"`{options}`", ours, theirs]
        if row not in page:
            problems.append(f"no row in docs/comparison.md: | {' | '.join(row)} |")
        deliberate += 1
        print(f"deliberate {name} {options}: {ours} against {theirs}")

    def run(name, options, *files):
        files = [os.path.join(folder, name, file) for file in files]
        return subprocess.run([command, "score", *options.split(), *files], capture_output=True, text=True, timeout=120)

    def pair(name):
        place = os.path.join(folder, name)
        files = {os.path.splitext(file)[0]: file for file in os.listdir(place)} if os.path.isdir(place) else {}
        return files.get("key", "key"), files.get("response", "response")

    for name, options, scores in SCORES:
        metrics = "" if "--metrics" in options else " --metrics mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,conll"
        done = run(name, f"{options}{metrics} --output json", *pair(name))
        if done.returncode:
            problems.append(f"{name} {options}: {done.stderr.strip()[:300]}")
            continue
        found = json.loads(done.stdout)["systems"][0]["metrics"]
        for score, want in scores.items():
            expected = want.ours if isinstance(want, Deliberate) else want
            ours = ours_of(found, score)
            right = ours[0][0] == want if score == "aligned" else meets(expected, ours)
            if not right:
                problems.append(f"{name} {options} {score}: counts {ours[0]}, F1 {ours[1]}; recorded {expected}")
            passed += right and not isinstance(want, Deliberate)
        if any(isinstance(want, Deliberate) for want in scores.values()):
            show(name, options, *cells(scores))
    for name, options, metric, ours, theirs in PRINTED:
        done = run(name, options, *pair(name))
        if done.returncode or ours not in done.stdout:
            problems.append(f"{name} {options}: not printed: {ours}")
        percent = re.compile(r"Precision: \([^)]*\) (\S+)\tF1: (\S+)")
        label = LABELS[metric]
        shown = [percent.search(line).groups() for line in (ours, theirs)]
        show(name, options, *(f"{label} precision {precision}, F1 {f1}" for precision, f1 in shown))
    for name, options, key, response, message, ours, theirs in REFUSED:
        done = run(name, options, key, response)
        if done.returncode != 1 or message not in done.stderr:
            problems.append(f"{name}: not refused: {done.stderr.strip()[:300]}")
        show(name, options, ours, theirs)
    for problem in problems:
        print(f"FAILED {problem}")
    print(f"{deliberate} deliberate differences; scores equal to those of the other scorer:")
    print(f"{passed} passed, {len(problems)} failed")
    sys.exit(bool(problems))


main()
