#!/usr/bin/env python3
"""Explains the differences between profiles on the conformance cases, and checks every explanation.

    .ci/explain.py COMMAND CASES...

Each pair of files of CASES is explained under the profiles of its format. Under each profile the scores must equal those
of `corefeval score`, to the last digit; the exact fractions must equal the scores; the steps must add up to the
difference, as fractions; and the scores after the last step must equal those of the other profile. If documents add up,
their contributions must add up too. The text for people about pairs of real corpora may have at most 450 words and
numbers, including those in tables.
Fails with a line for each fault.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

PROFILES = {
    "conll": ["conll", "coval", "e2e", "scorch", "ua", "corefud"],
    "corefud": ["corefud", "crac-2022", "crac-2023", "conll", "ua-corefud"],
    "conll-ua": ["ua", "ua-corefud", "conll", "codi-crac-2022-anaphora", "craft-2019"],
    "json": ["scorch", "conll", "e2e"],
    "jsonlines": ["conll", "e2e", "coval"],
}
METRICS = "muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,conll"
MOST_WORDS = 450
PARTS = ["recall", "precision", "f1"]


def run_text(command, *arguments):
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}\n{done.stderr}")
    return done.stdout


def run(command, *arguments):
    return json.loads(run_text(command, *arguments))


def options_of(case):
    """Returns the options of a case for reading its files; the profiles determine the rules."""
    found = ["--format", case["format"], "--check-tokens", "no", "--allow-empty", "-q", "--no-warnings"]
    if case["options"].get("boundary_crossing"):
        found.append("--boundary-crossing")
    return found


def check(command, folder, case):
    """Returns the faults of one pair of files, and the numbers of explained differences and steps."""
    key, response = str(folder / case["key"]), str(folder / case["response"])
    options, names = options_of(case), PROFILES[case["format"]]
    shared = ["-m", METRICS, "-o", "json", key, response]
    found = run(command, "explain", *options, "--profiles", ",".join(names), "--examples", "0", *shared)
    faults, steps = [], 0
    for name, profile in zip(names, found["profiles"]):
        scored = run(command, "score", *options, "--profile", name, *shared)["systems"][0]["metrics"]
        for metric, score in scored.items():
            for part in PARTS:
                if part not in score:
                    continue
                ours = profile["metrics"][metric][part]
                exact = Fraction(profile["exact"][metric][part])
                if ours != score[part]:
                    faults.append(f"{name} {metric} {part}: {ours} is explained and {score[part]} scored")
                # An undefined mean is 0, in scores and as a fraction.
                if metric == "conll" and score.get("defined", True):
                    parts = [Fraction(profile["exact"][one][part]) for one in ("muc", "b_cubed", "ceaf_e")]
                    if exact != sum(parts) / 3:
                        faults.append(f"{name} {metric} {part}: {exact} is not the mean of {parts}")
                if abs(float(exact) - score[part]) > 1e-12:
                    faults.append(f"{name} {metric} {part}: {exact} is not {score[part]}")
    for path in found["differences"]:
        ends = [next(one for one in found["profiles"] if one["name"] == path[end]) for end in ("from", "to")]
        for metric in found["metrics"]:
            # A mean of metrics has only an F1.
            for part in (part for part in PARTS if part in ends[0]["exact"][metric]):
                whole = Fraction(ends[1]["exact"][metric][part]) - Fraction(ends[0]["exact"][metric][part])
                each = sum(Fraction(step["change"][metric]["exact"][part]) for step in path["steps"])
                if each != whole or whole != Fraction(path["total"][metric]["exact"][part]):
                    faults.append(f"{path['from']} → {path['to']} {metric} {part}: {each} is not {whole}")
                for step in path["steps"]:
                    if not step["additive"]:
                        continue
                    added = sum(Fraction(one["adds"][metric]["exact"][part]) for one in step["documents"])
                    if added != Fraction(step["change"][metric]["exact"][part]):
                        faults.append(f"{path['to']} {metric} {part}: documents add {added}")
        last = path["steps"][-1]["metrics"] if path["steps"] else ends[0]["metrics"]
        for metric, score in ends[1]["metrics"].items():
            if score.get("defined", True) != last[metric].get("defined", True):
                faults.append(f"{path['from']} → {path['to']} {metric}: only one of the last step and the scores is defined")
            # A rule without effect may still change the order of sums.
            if any(abs(last[metric][part] - score[part]) > 1e-12 for part in PARTS if part in score):
                faults.append(f"{path['from']} → {path['to']} {metric}: the last step does not reach the scores")
        steps += len(path["steps"])
    if any(part in case["key"] for part in ("real-", "published")):
        text = run_text(command, "explain", *options, key, response)
        if not 0 < len(text.split()) <= MOST_WORDS:
            faults.append(f"the text for people has {len(text.split())} words")
    name = f"{case['key']} {case['response']}"
    return [f"{name}: {fault}" for fault in faults], len(found["differences"]), steps


def main():
    command, files = sys.argv[1], [Path(name) for name in sys.argv[2:]]
    cases = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["format"] in PROFILES:
                cases.setdefault((case["key"], case["response"]), (file.parent, case))
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda case: check(command, *case), cases.values()))
    faults = [fault for found, _, _ in results for fault in found]
    for fault in faults:
        print(fault)
    differences, steps = (sum(result[place] for result in results) for place in (1, 2))
    print(f"explained {differences} differences of {len(results)} pairs of files, in {steps} steps")
    wrong = sum(bool(found) for found, _, _ in results)
    print(f"{len(results) - wrong} passed, {wrong} failed")
    sys.exit(1 if faults or not steps else 0)


if __name__ == "__main__":
    main()
