#!/usr/bin/env python3
"""Runs the scoring program for Codabench as the platform does: the bundle is built and unzipped, the submission is unzipped
into `input/res`, and the command of `metadata.yaml` is called in the program's folder, without network if the machine allows it.

    .ci/codabench.py COMMAND [PYTHON]

PYTHON runs the scoring program; the default is the Python that runs this script.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ROOT / "examples/codabench"
EXAMPLES = ROOT / "examples"
ALDER = (EXAMPLES / "alder.conll").read_bytes()
failures = []


def check(condition, what, shown=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}\n{shown}")


def isolated():
    """Returns the prefix that disconnects a program from the network."""
    prefix = [shutil.which("unshare") or "unshare", "--user", "--net", "--map-root-user"]
    works = shutil.which("unshare") and subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    return prefix if works else []


def run(folder, files, key=None, options=None, command=True, codalab=False, damage=None):
    """Scores a submission: exit status, standard output and error, and the output folder."""
    place = Path(tempfile.mkdtemp(dir=folder))
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        bundle.extractall(place / "bundle")
    program, given, output = place / "bundle/scoring_program", place / "input", place / "output"
    output.mkdir()
    (given / "res").mkdir(parents=True)
    shutil.copytree(place / "bundle/reference_data", given / "ref")
    if key is not None:
        shutil.rmtree(given / "ref")
        (given / "ref").mkdir()
        for name, content in key.items():
            (given / "ref" / name).write_bytes(content)
    if options is not None:
        (program / "options.json").write_text(options)
    if not command:
        (program / "corefeval").unlink()
    if damage is not None:
        (program / "corefeval").write_bytes(damage)
    for name, content in files.items():
        path = given / "res" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            path.symlink_to(content)
        else:
            path.write_bytes(content)
    metadata = (program / ("metadata" if codalab else "metadata.yaml")).read_text()
    typed = re.search(r"^command: (.*)$", metadata, re.M).group(1)
    for word, path in [("/app/input", given), ("/app/output", output), ("$input", given), ("$output", output), ("$program", program)]:
        typed = typed.replace(word, str(path))
    typed = [sys.argv[2] if len(sys.argv) > 2 else sys.executable, *typed.split()[1:]]
    temporary = place / "tmp"
    temporary.mkdir()
    environment = {"PATH": "/nowhere" if not command else "/usr/bin:/bin", "TMPDIR": str(temporary)}
    done = subprocess.run([*isolated(), *typed], cwd=program, capture_output=True, text=True, env=environment)
    check(not any(temporary.iterdir()), "no temporary file is left", list(temporary.iterdir()))
    shutil.rmtree(program)
    return done, output


def good(folder):
    done, output = run(folder, {"response.conll": ALDER})
    check(done.returncode == 0, "a good submission is scored", done.stderr)
    scores = json.loads((output / "scores.json").read_text())
    check(scores["conll_f1"] == 87.0933 and scores["lea_f1"] == 82.5442, "its scores", scores)
    check("conll_f1: 87.0933" in (output / "scores.txt").read_text(), "the scores for CodaLab")
    page = (output / "detailed_results.html").read_text()
    data = json.loads(page.split('id="corefeval-data">')[1].split("</script>")[0])
    check(data["without_text"] and not any("body" in document for document in data["documents"]), "a report without text")
    # A column of the leaderboard without a score would be empty.
    columns = re.findall(r"^ +key: (\w+_f1)$", (BUNDLE / "competition.yaml").read_text(), re.M)
    check(columns and set(columns) <= set(scores), "every column has a score", columns)

    for report, has in [("full", "corefeval-data"), ("scores", "87.09"), ("none", None)]:
        done, output = run(folder, {"r.conll": ALDER}, options=json.dumps({"options": ["-m", "conll"], "report": report}))
        page = output / "detailed_results.html"
        check(done.returncode == 0 and page.exists() == (has is not None), f"report {report}", done.stderr)
        check(has is None or has in page.read_text(), f"the page of report {report}")

    other = {"r.conll": ALDER.replace(b"\tevening\t", b"\tmorning\t")}
    for report in ("full", "without-text"):
        options = json.dumps({"options": ["--check-tokens", "warn"], "report": report})
        done, output = run(folder, other, options=options)
        page = (output / "detailed_results.html").read_text()
        data = json.loads(page.split('id="corefeval-data">')[1].split("</script>")[0])
        messages = [done.stderr + done.stdout, *(finding["remedy"] for finding in data["warnings"])]
        check(str(folder) not in done.stderr + done.stdout, "warnings give files the names that the team knows", done.stderr)
        check(done.returncode == 0 and "words-differ" in page, f"a warning on the page of report {report}", done.stderr)
        check(not re.search(r"(^|\W)--[a-z]", "\n".join(messages)), f"warnings name no options, report {report}", messages)

    done, output = run(folder, {"response.conll": ALDER}, codalab=True)
    check(done.returncode == 0 and (output / "scores.txt").exists(), "the same for CodaLab", done.stderr)
    done, _ = run(folder, {"my folder/response.conll": ALDER, "__MACOSX/._response.conll": b"junk", ".DS_Store": b"x"})
    check(done.returncode == 0, "a zipped folder with the files of a Mac", done.stderr)
    parts = re.findall(r"(?s)#begin document.*?#end document\n", ALDER.decode())
    keys = re.findall(r"(?s)#begin document.*?#end document\n", (EXAMPLES / "key.conll").read_text())
    key = {f"{number}.conll": part.encode() for number, part in enumerate(keys)}
    answers = {f"{number}.conll": part.encode() for number, part in enumerate(parts)}
    done, output = run(folder, answers, key=key)
    check(done.returncode == 0, "several files", done.stderr)
    check(json.loads((output / "scores.json").read_text())["conll_f1"] == 87.0933, "scores of several files")
    del answers["1.conll"]
    return key, answers


def broken(folder, key, lacking):
    zipped = Path(tempfile.mkstemp(dir=folder)[1])
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("response.conll", ALDER)
    cut = ALDER[: len(ALDER) // 2]
    cases = {
        "empty": ({}, {}, "the submission is empty"),
        "empty file": ({"response.conll": b""}, {}, "response.conll is empty"),
        "a missing file": (lacking, {"key": key}, "lacks 1 of 3 files: 1.conll"),
        "several files for one": ({"a.conll": ALDER, "b.conll": ALDER}, {}, "none is key.conll"),
        "zipped twice": ({"response.zip": zipped.read_bytes()}, {}, "zip the files themselves"),
        "a damaged zip": ({"response.zip": zipped.read_bytes()[:50]}, {}, "zip the files themselves"),
        "another format": ({"response.conll": b"no annotation at all\n"}, {}, "do not match any known format"),
        "bytes": ({"response.conll": bytes(range(256)) * 9}, {}, "response.conll"),
        "a file that is cut": ({"response.conll": cut}, {}, "response.conll"),
        "a link": ({"response.conll": Path("/etc/hostname")}, {}, "has a link"),
        "another text": ({"response.conll": ALDER.replace(b"(", b"(other", 1).replace(b"#begin document (", b"#begin document (x")}, {}, "response.conll"),
        "wrong options": ({"r.conll": ALDER}, {"options": '{"options": ["--nothing"]}'}, "Please tell the organisers"),
        "no options": ({"r.conll": ALDER}, {"options": "[]"}, "Please tell the organisers"),
        "no key": ({"r.conll": ALDER}, {"key": {}}, "Please tell the organisers"),
        "a command of another system": ({"r.conll": ALDER}, {"damage": b"\xcf\xfa\xed\xfe" * 99}, "cannot be started here"),
        "a command without its interpreter": ({"r.conll": ALDER}, {"damage": b"#!/nowhere/python\n"}, "cannot be started here"),
        "no command": ({"r.conll": ALDER}, {"command": False}, "no command corefeval"),
    }
    for name, (files, more, wanted) in cases.items():
        done, output = run(folder, files, **more)
        messages = done.stderr
        check(done.returncode == 1, f"{name}: status {done.returncode}", messages)
        check(wanted in messages, f"{name}: {wanted}", messages)
        organisers = "Please tell the organisers" in messages
        check(organisers or not re.search(r"(^|\s)--[a-z]", messages), f"{name}: no options, which teams do not have", messages)
        check("Traceback" not in messages + done.stdout and "panicked" not in messages, f"{name}: no traceback", messages)
        check(str(folder) not in messages, f"{name}: files have the names that the team knows", messages)
        check(not (output / "scores.json").exists(), f"{name}: no scores")
        page = (output / "detailed_results.html").read_text()
        check("No score" in page, f"{name}: the page has the reason")
    done, _ = run(folder, {"response.conll": cut})
    check("the organisers' option `check-tokens no` would compare" in done.stderr, "a hint names the organisers' option", done.stderr)
    # The message is inert on the page.
    done, output = run(folder, {"<script>alert(1)<!--.conll": b""})
    check("<script>" not in (output / "detailed_results.html").read_text(), "names of files are inert")
    return len(cases)


def page(folder, command):
    """Runs the commands of the page on a shared task: the bundle, and the ranking of downloaded submissions, which are zip files."""
    text = (ROOT / "docs/shared-task.md").read_text(encoding="utf-8")
    place = folder / "page"
    (place / "bin").mkdir(parents=True)
    (place / "bin/corefeval").symlink_to(command)
    (place / "examples").symlink_to(EXAMPLES)
    shutil.copyfile(EXAMPLES / "key.conll", place / "key.conll")
    (place / "submissions").mkdir()
    for name in ("alder", "birch"):
        with zipfile.ZipFile(place / f"submissions/{name}.zip", "w") as archive:
            archive.write(EXAMPLES / f"{name}.conll", "response.conll")
    if not shutil.which("unzip"):
        program = "import sys, zipfile; zipfile.ZipFile(sys.argv[2]).extractall(sys.argv[4])"
        (place / "bin/unzip").write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}" "$@"\n')
        (place / "bin/unzip").chmod(0o755)
    typed = re.findall(r"(?m)^ {4}(python3 examples/codabench/build .*)$", text)
    typed += re.findall(r"(?ms)^```sh\n(.*?)^```$", text)
    typed += re.findall(r"(?m)^ {4}(corefeval (?:compare|board) .*)$", text)
    check(len(typed) == 4, "the commands of the page", typed)
    environment = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    for line in typed:
        done = subprocess.run(["sh", "-ec", line], cwd=place, env=environment, capture_output=True, text=True)
        check(done.returncode == 0, line, done.stdout + done.stderr)
    check((place / "bundle.zip").exists(), "the page makes a bundle")
    check((place / "site/reports/alder.html").exists() and (place / "site/reports/birch.html").exists(), "a report for each zip")


def main(command):
    # Images of platforms contain old versions of Python.
    ast.parse((BUNDLE / "scoring_program/score.py").read_text(), feature_version=(3, 6))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = [sys.executable, BUNDLE / "build", command, EXAMPLES / "key.conll", folder / "bundle.zip"]
        subprocess.run(built, check=True)
        script = folder / "script"
        script.write_text("#!/usr/bin/python3\n")
        refused = subprocess.run([*built[:2], script, *built[3:4], folder / "none.zip"], capture_output=True, text=True)
        check(refused.returncode == 1 and "not a binary for Linux" in refused.stderr, "a script is not the command", refused.stderr)
        check(not (folder / "none.zip").exists(), "no bundle of a script")
        page(folder, command)
        count = broken(folder, *good(folder))
    where = "without network" if isolated() else "with network (it cannot be disabled here)"
    print(f"Codabench: {count} broken submissions are refused, good ones are scored, {where}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
