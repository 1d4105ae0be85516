"""Holds the differences from published scorers that were found by comparison against what corefeval prints.

usage: differences.py COMMAND FOLDER
FOLDER has a folder for each minimal pair of files. SCORES holds what the other scorer gives there, or `Deliberate`: what
corefeval gives instead, and why. REFUSED holds files that corefeval refuses. Every deliberate difference has a row in
docs/comparison.md with the folder and both scores. A folder without a check fails.

Each folder has a source in SOURCES: the scorer and version that gave its scores. For a folder in NOT_RUN no score of
the other scorer is known: its check holds corefeval to the rule that the reason names, has a row in docs/comparison.md,
and is counted apart from scores that another scorer gave.
"""
import json
import os
import pathlib
import subprocess
import sys

UA = ["--profile", "ua", "--singletons", "keep"]
KEEP = [*UA, "--split-antecedents", "keep"]
COPY = ["--profile", "ua-corefud", "--singletons", "keep"]
PARTIAL = ["--boundary-crossing", "--match", "partial"]

# What gave the scores of the other scorer, by folder or by the beginning of its name; the longest that fits counts. The
# Python scorers were run from their sources at these commits, without their logging.
SOURCES = {
    "conll-": "reference scorer 8.01, run (as distributed with cort 0.2.4.5)",
    "conll-kacross-lea": "LEA branch of the reference scorer, recorded when the pair was found",
    "conll-key-duplicates-litbank": "reference scorer 8.01, run; LEA recorded when the pair was found",
    "coval-": "coval, run (6de3913, 0b6819d)",
    "corefud-": "corefud-scorer 1.2, run (da5cc89, 91d5745)",
    "misc": "reference scorer 8.01 and coval (6de3913, 0b6819d), run",
    "scorch-": "scorch 0.2.0, run",
    "ua-": "Universal Anaphora scorer 2.0 (3b68d4e, 0341d17, dbf3219) and the copy in corefud-scorer (2478113, 75e8075), run",
    "ua-bridging-duplicate": "Universal Anaphora scorer 2.0, recorded when the pair was found",
    "ua-nonreferring-duplicate": "Universal Anaphora scorer 2.0, recorded when the pair was found",
}

# Folders for which no score of the other scorer is known: the row of docs/comparison.md and the rule that is checked.
NOT_RUN = {
    "conll-kwithin-lea": (
        ["2 / 2", "no score recorded"],
        "LEA counts a copy of a key mention as conll-kacross-lea does; the LEA branch was not at hand"),
}


class Deliberate:
    """A score that corefeval gives for a reason, beside that of the other scorer (None where it stops)."""

    def __init__(self, ours, theirs, shown, why):
        self.ours, self.theirs, self.shown, self.why = ours, theirs, shown, why


# Folder, options, and scores of the other scorer: percentages of F1, or counts as `metric.count`.
SCORES = [
    ("scorch-extra-mention", ["--profile", "scorch"], {
        "muc": 100, "b_cubed": 100, "ceaf_m": 100, "ceaf_e": 100, "blanc": 100, "conll": 100}),
    ("conll-kacross-lea", ["--profile", "conll"], {"lea.recall_num": 2, "lea.recall_den": 2}),
    ("conll-kacross-ceaf_m", ["--profile", "conll"], {"ceaf_m": 80}),
    ("conll-kacross-ceaf_e", ["--profile", "conll"], {"ceaf_e": 66.66666667}),
    ("conll-kacross-b_cubed", ["--profile", "conll"], {"b_cubed": 70.58823529}),
    ("conll-kacross-blanc", ["--profile", "conll"], {"blanc.non_coreference_links.recall_den": 2}),
    ("conll-kwithin-ceaf_e", ["--profile", "conll"], {"ceaf_e": 133.33333333}),
    ("conll-kwithin-ceaf_m", ["--profile", "conll"], {"ceaf_m": 133.33333333}),
    ("conll-kwithin-blanc", ["--profile", "conll"], {"blanc.coreference_links.recall_den": 2}),
    # Of NOT_RUN.
    ("conll-kwithin-lea", ["--profile", "conll"], {"lea.recall_num": 2, "lea.recall_den": 2}),
    ("conll-key-duplicates-litbank", ["--profile", "conll"], {
        "b_cubed": 92.99, "ceaf_m": 97.62, "ceaf_e": 94.59, "lea": 91.53, "blanc": 98.7}),
    ("conll-rextraacross-blanc", ["--profile", "conll"], {"blanc.non_coreference_links.precision_den": 2}),
    ("conll-rextrawithin-blanc", ["--profile", "conll"], {"blanc.coreference_links.precision_den": 2}),
    ("conll-print", ["--profile", "conll", "--output", "conll"], {
        "printed": Deliberate(
            "Coreference: Recall: (3 / 4) 75%\tPrecision: (2 / 4) 50%\tF1: 60%",
            "Coreference: Recall: (3 / 4) 75%\tPrecision: (2 / 4) 49.99%\tF1: 59.99%",
            ["precision 50%, F1 60%", "49.99%, 59.99%"],
            "the reference scorer adds doubles, and cuts 50 % to 49.99; corefeval never prints below the exact value")}),
    ("ua-split-only", [*UA, "--split-antecedents", "only"], {"muc.recall_num": 2, "muc.recall_den": 2}),
    ("ua-blanc-equal-split", KEEP, {"blanc": 100}),
    ("ua-blanc-f1-one", KEEP, {
        "blanc.coreference_links.recall_num": 3, "blanc.coreference_links.recall_den": 4}),
    ("ua-split-keep-duplicate", KEEP, {"ceaf_e": 100, "blanc": 100}),
    ("ua-split-zeros", KEEP, {"muc": 75}),
    ("coval-order-after-pruning", ["--profile", "coval", "--np-only"], {"conll": 44.44444444}),
    ("coval-nested-minspan", ["--profile", "coval", "--match", "min-span", "--remove-nested"], {
        "b_cubed": 27.69230769}),
    ("ua-nonreferring-duplicate", [*UA, "--metrics", "non_referring"], {
        "non_referring.precision_num": 2, "non_referring.precision_den": 3}),
    ("ua-bridging-duplicate", [*UA, "--metrics", "bridging"], {"bridging": 18.18181818}),
    ("ua-partial-response-min", [*UA, *PARTIAL], {
        "muc": 40, "b_cubed": 49.76303318, "ceaf_m": 55.17241379, "ceaf_e": 46.53061224}),
    ("ua-partial-response-min", [*COPY, *PARTIAL], {
        "muc": 40, "b_cubed": 49.76303318, "ceaf_m": 55.17241379, "ceaf_e": 46.53061224}),
    # With singletons dropped the versions differ. Recall counts the mentions that are aligned.
    ("ua-partial-response-min", ["--profile", "ua", *PARTIAL], {"mentions.recall_num": 7, "b_cubed": 41.72185430}),
    ("ua-partial-response-min", ["--profile", "ua-corefud", *PARTIAL], {
        "mentions.recall_num": 6, "b_cubed": 38.72901679}),
    ("ua-partial-response-min", [*UA, "--boundary-crossing", "--match", "craft"], {"b_cubed": 41.10429448}),
    ("ua-craft-order", [*UA, "--match", "craft"], {"muc": 100, "b_cubed": 100, "ceaf_m": 100, "ceaf_e": 100}),
    ("ua-craft-order", [*COPY, "--match", "craft"], {
        "muc": 66.66666667, "b_cubed": 56.25, "ceaf_m": 75, "ceaf_e": 75}),
    ("ua-split-tie", KEEP, {
        "muc": 0, "b_cubed": 29.54545455, "ceaf_m": 24, "ceaf_e": 31.19658120, "lea": 8}),
    ("coval-minspan-index", ["--profile", "coval", "--match", "min-span"], {
        "muc": 26.66666667, "b_cubed": 43.04892601, "ceaf_e": 52.15686275, "lea": 19.44444444}),
    ("corefud-head-tie", ["--profile", "corefud"], {"muc": 0, "b_cubed": 25, "ceaf_m": 50, "ceaf_e": 50}),
    ("corefud-head-tie", ["--profile", "corefud", "--singletons", "keep"], {
        "muc": 0,
        "b_cubed": Deliberate(
            20, 28.57142857, ["20.00", "28.57"],
            "two key mentions are equally good: the scorer takes what SciPy's solver takes, corefeval the earlier one")}),
    ("corefud-empty-entity", ["--profile", "corefud", "--zeros", "drop"], {
        "conll": Deliberate(
            100, None, ["100.00", "stops"],
            "an entity of zeros alone: the scorer keeps it without mentions and divides by its size")}),
    ("corefud-zero-dict", ["--profile", "corefud"], {
        "conll": Deliberate(
            100, 72.86, ["100.00", "72.86"],
            "a perfect answer: corefud-scorer 1.2 loses pairs of zeros; --zero-match dependent-1.2 repeats it")}),
    ("corefud-zero-dict", ["--profile", "corefud", "--zero-match", "dependent-1.2"], {
        "conll": 72.86, "muc.recall_num": 1, "muc.recall_den": 2, "muc.precision_num": 2, "muc.precision_den": 2,
        "b_cubed.recall_num": 2.5, "b_cubed.precision_num": 4, "lea.recall_num": 2, "lea.precision_num": 4,
        "ceaf_m": 75, "ceaf_e": 75, "blanc": 50}),
]

# Files that corefeval refuses: folder, options, key, response, what the error says, and what the other scorer does.
REFUSED = [
    ("misc", ["--profile", "conll"], "one.conll", "dupdoc.conll", "dupdoc.conll:6:1: the document `a; part 000` ",
     "the reference scorer reads the last of two documents of one name, coval joins them"),
]


def found(run, name):
    """What corefeval gives for a figure."""
    value = json.loads(run.stdout)["systems"][0]["metrics"]
    for part in name.split("."):
        value = value[part]
    return 100 * value["f1"] if isinstance(value, dict) else value


def source(name):
    """What gave the scores of a folder, None if nothing did."""
    known = [beginning for beginning in SOURCES if name.startswith(beginning)]
    return None if name in NOT_RUN or not known else SOURCES[max(known, key=len)]


def meets(want, have):
    if isinstance(want, str):
        return want in have
    tolerance = 0.0101 if round(want, 2) == want else 1e-6
    return abs(have - want) < tolerance


def main():
    command, folder = sys.argv[1:]
    page = (pathlib.Path(__file__).parent.parent / "docs/comparison.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")]
    known = {name for name, *_ in [*SCORES, *REFUSED]}
    missing = [f"a check of {name}" for name in sorted(os.listdir(folder)) if name not in known | {"README.md"}]
    shown = {name: [] for name, *_ in REFUSED}
    for name, _, scores in SCORES:
        shown.update({name: score.shown for score in scores.values() if isinstance(score, Deliberate)})
    shown.update({name: texts for name, (texts, _) in NOT_RUN.items()})
    missing += [f"a source of {name}" for name in sorted(known - set(NOT_RUN)) if source(name) is None]
    for name, texts in shown.items():
        if not any(all(text in row for text in [f"`{name}`", *texts]) for row in rows):
            missing.append(f"a row of {name} in docs/comparison.md with {texts}")
    passed = deliberate = failed = own = 0
    for name, options, scores in SCORES:
        place = os.path.join(folder, name)
        if not os.path.isdir(place):
            missing.append(name)
            continue
        files = {os.path.splitext(file)[0]: os.path.join(place, file) for file in os.listdir(place)}
        output = [] if "--output" in options else ["--output", "json"]
        arguments = [command, "score", *options, *output, files["key"], files["response"]]
        run = subprocess.run(arguments, capture_output=True, text=True, timeout=120)
        if run.returncode:
            failed += len(scores)
            print(f"FAILED {name}: {run.stderr.strip()[:300]}")
            continue
        for score, want in scores.items():
            ours = run.stdout if score == "printed" else found(run, score)
            shown_ours = "not printed" if score == "printed" else ours
            if not isinstance(want, Deliberate):
                if meets(want, ours):
                    passed += name not in NOT_RUN
                    own += name in NOT_RUN
                else:
                    failed += 1
                    print(f"FAILED {name} {' '.join(options)} {score}: {shown_ours} against {want}")
            elif meets(want.ours, ours):
                deliberate += 1
                print(f"deliberate {name} {score}: {want.ours} against {want.theirs}: {want.why}")
            else:
                failed += 1
                print(f"FAILED {name} {' '.join(options)} {score}: {shown_ours}, no longer {want.ours}")
    for name, options, key, response, message, why in REFUSED:
        files = [os.path.join(folder, name, file) for file in (key, response)]
        run = subprocess.run([command, "score", *options, *files], capture_output=True, text=True, timeout=120)
        if run.returncode == 1 and message in run.stderr:
            deliberate += 1
            print(f"deliberate {name}: refused: {why}")
        else:
            failed += 1
            print(f"FAILED {name}: not refused: {run.stderr.strip()[:300]}")
    for name in missing:
        print(f"missing: {name}")
    for name, (_, why) in NOT_RUN.items():
        print(f"not compared with another scorer: {name}: {why}")
    print(f"{passed} passed, {own} of our own, {deliberate} deliberate, {failed + len(missing)} failed")
    sys.exit(bool(failed or missing))


main()
