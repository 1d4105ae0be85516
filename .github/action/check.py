"""The script of the GitHub Action: validates files, scores a response, and compares it with a baseline.

Inputs are variables of the environment (INPUT_KEY and so on; see action.yml). Writes the results as Markdown to the summary of the
job and to a file, and fails if a file has problems or if the score is too low.
"""

import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile


class Wrong(Exception):
    """An invalid input."""


def given(name):
    return os.environ.get("INPUT_" + name, "").strip()


def number(name):
    try:
        return float(given(name)) if given(name) else None
    except ValueError:
        raise Wrong(f"{name.lower()}: `{given(name)}` is not a number") from None


def call(*typed):
    """Runs corefeval and returns its status and its output. Its messages go to the log."""
    done = subprocess.run(["corefeval", *typed], stdout=subprocess.PIPE, encoding="utf-8")
    return done.returncode, done.stdout


def paths(patterns):
    """Yields the files that match the patterns; a pattern without a match is an error. Names cannot become options."""
    for pattern in shlex.split(patterns):
        found = sorted(glob.glob(pattern, recursive=True))
        if not found:
            raise Wrong(f"validate: nothing matches `{pattern}`")
        yield from (path if not path.startswith("-") else os.path.join(".", path) for path in found)


def validate():
    """Prints findings as annotations; returns true if they fail the job."""
    files = list(paths(given("VALIDATE")))
    status, output = call("validate", "-o", "github", "--fail-on", given("FAIL_ON") or "warning", *files)
    print(output, end="")
    return status != 0


def score():
    """Returns the score, the difference from the baseline if there is one, and the results as Markdown."""
    metric, options = given("METRIC") or "conll", shlex.split(given("OPTIONS"))
    if not given("RESPONSE"):
        raise Wrong("there is a key and no response")
    response = "response=" + given("RESPONSE")
    systems = [response] if not given("BASELINE") else ["baseline=" + given("BASELINE"), response]
    subcommand = "compare" if given("BASELINE") else "score"
    chosen = options if "-m" in options or "--metrics" in options else ["-m", metric, *options]
    typed = [subcommand, *chosen, given("KEY"), *systems]
    status, output = call(*typed, "-q", "-o", "json")
    if status:
        raise Wrong("the response cannot be scored; the reason is above")
    found = {system["name"]: system["metrics"] for system in json.loads(output)["systems"]}
    if metric not in found["response"]:
        raise Wrong(f"metric: `{metric}` is not among those of the options")
    f1 = {name: 100 * metrics[metric]["f1"] for name, metrics in found.items()}
    markdown = call(*typed, "-q", "--no-warnings", "-o", "markdown")[1]
    return f1["response"], f1["response"] - f1["baseline"] if "baseline" in f1 else None, markdown


def write(variable, text):
    """Appends to one of GitHub's files, if it runs there."""
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


def main():
    failures, outputs = [], {}
    try:
        threshold, minimum = number("THRESHOLD") or 0.0, number("MINIMUM")
        if given("VALIDATE") and validate():
            failures.append("validation found problems")
        if given("KEY"):
            f1, difference, markdown = score()
            outputs = {"score": f"{f1:.4f}"}
            if minimum is not None and f1 < minimum:
                failures.append(f"F1 is {f1:.2f}, below {minimum:g}")
            if difference is not None:
                outputs["difference"] = f"{difference:+.4f}"
                # Scores with the same printed digits count as equal.
                if difference < -threshold - 1e-9:
                    failures.append(f"F1 is {-difference:.2f} points below the baseline, more than {threshold:g}")
            verdict = "".join(f"**Failed**: {failure}.\n\n" for failure in failures)
            page = f"### corefeval\n\n{verdict}{markdown}"
            folder = os.environ.get("RUNNER_TEMP") or tempfile.gettempdir()
            outputs["report"] = os.path.join(folder, "corefeval.md")
            with open(outputs["report"], "w", encoding="utf-8") as file:
                file.write(page)
            write("GITHUB_STEP_SUMMARY", page)
            print(markdown)
        elif not given("VALIDATE"):
            raise Wrong("neither `validate` nor `key` is given, so there is nothing to do")
    except (Wrong, ValueError) as error:
        failures.append(str(error))
    write("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))
    for failure in failures:
        print(f"::error::{failure}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
