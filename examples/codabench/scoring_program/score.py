#!/usr/bin/env python3
"""The scoring program of a shared task, for Codabench and CodaLab.

    score.py INPUT OUTPUT

INPUT/ref contains the key and INPUT/res the unzipped submission; the scores are written to OUTPUT. `options.json` next to this
file contains the options of the command. The script searches for the command `corefeval` next to this file, then on the path. It
requires only Python 3.6 or later, and no network.

A submission that cannot be scored gets a message in the log and in `detailed_results.html`, no scores, and exit status 1.
"""

import atexit
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Files that platforms and operating systems add to archives.
JUNK = ("__MACOSX", "Thumbs.db", "desktop.ini", "metadata", "metadata.yaml")
REPORTS = ("full", "without-text", "scores", "none")
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>:root { color-scheme: light dark; font-family: system-ui, sans-serif } body { margin: 2rem }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { padding: 0.3rem 0.6rem; text-align: end; white-space: nowrap }
tr > :first-child { padding-inline-start: 0; text-align: start } tbody tr { border-top: 1px solid #8886 } pre { white-space: pre-wrap }</style>
<main><h1>%s</h1>
%s</main>
</html>
"""


class Refused(Exception):
    """The reason why a submission has no scores, for its team."""


def log(text):
    print(text, flush=True)


def options():
    """Returns the organisers' options of the command."""
    path = os.path.join(HERE, "options.json")
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        score, report = found.get("options", []), found.get("report", "scores")
        if not all(isinstance(option, str) for option in score) or report not in REPORTS:
            raise ValueError("`options` is a list of strings, and `report` one of " + ", ".join(REPORTS))
        return score, report
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise Refused("the scoring program is not set up: options.json: %s\nPlease tell the organisers." % error)


def command():
    """Returns the command line that calls corefeval."""
    beside = os.path.join(HERE, "corefeval")
    if os.path.isfile(beside):
        if not os.access(beside, os.X_OK):
            # Archives lose permissions, and the program's folder can be read-only.
            try:
                folder = tempfile.mkdtemp(prefix="corefeval-")
                atexit.register(shutil.rmtree, folder, ignore_errors=True)
                beside = shutil.copyfile(beside, os.path.join(folder, "corefeval"))
                os.chmod(beside, 0o700)
            except OSError as error:
                raise Refused("the scoring program cannot be made executable: %s\nPlease tell the organisers." % error)
        return beside
    found = shutil.which("corefeval")
    if found is None:
        raise Refused("the scoring program is not set up: no command corefeval.\nPlease tell the organisers.")
    return found


def files_in(folder):
    """Returns the annotation files below a folder, relative to it."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in JUNK and not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(place, name)
            if name in JUNK or name.startswith("."):
                continue
            if os.path.islink(path):
                raise Refused("the submission has a link: %s. Submit the files themselves." % os.path.relpath(path, folder))
            found.append(os.path.relpath(path, folder))
    return found


def is_archive(path):
    with open(path, "rb") as file:
        start = file.read(6)
    return start[:4] in (b"PK\x03\x04", b"PK\x05\x06") or start in (b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07")


def sides(key, response):
    """Returns the two arguments of the command: two files, or two folders with files of the same names."""
    keys = files_in(key) if os.path.isdir(key) else []
    if not keys:
        raise Refused("the scoring program is not set up: there is no key.\nPlease tell the organisers.")
    answers = files_in(response) if os.path.isdir(response) else []
    if not answers:
        raise Refused("the submission is empty: zip %s and submit that." % " and ".join(keys[:3]))
    for name in answers:
        path = os.path.join(response, name)
        if is_archive(path):
            raise Refused("the submission holds the archive %s: zip the files themselves, not a zip file of them." % name)
        if os.path.getsize(path) == 0:
            raise Refused("%s is empty (0 bytes)." % name)
    # A folder was zipped with its name.
    top = {name.split(os.sep)[0] for name in answers}
    if len(top) == 1 and all(os.sep in name for name in answers) and not any(name in keys for name in answers):
        (folder,) = top
        response, answers = os.path.join(response, folder), [name[len(folder) + 1 :] for name in answers]
    if len(keys) == 1:
        same = [name for name in answers if name == keys[0]]
        if len(answers) > 1 and not same:
            raise Refused("the submission has %d files, and none is %s: %s" % (len(answers), keys[0], ", ".join(answers[:5])))
        return os.path.join(key, keys[0]), os.path.join(response, (same or answers)[0])
    lacking = [name for name in keys if name not in answers]
    if lacking:
        raise Refused(
            "the submission lacks %d of %d files: %s\nIt has: %s"
            % (len(lacking), len(keys), ", ".join(lacking[:10]), ", ".join(answers[:10]))
        )
    return key, response


def run(arguments, folders):
    """Runs the command and returns its output. Messages use the team's names of files."""
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise Refused(
            "the scoring program is not set up: the command corefeval cannot be started here (%s): "
            "the bundle needs a binary for Linux\nPlease tell the organisers." % error.strerror
        )
    messages = done.stderr.decode("utf-8", "replace").strip()
    for folder in folders:
        messages = messages.replace(folder + os.sep, "")
    if done.returncode != 0:
        if done.returncode == 2:
            raise Refused("the scoring program is not set up: %s\nPlease tell the organisers." % messages)
        raise Refused(messages or "corefeval ended with status %d and without a message" % done.returncode)
    if messages:
        log(messages)
    return done.stdout.decode("utf-8")


def main(given, output):
    folders = key, response = os.path.join(given, "ref"), os.path.join(given, "res")
    page = os.path.join(output, "detailed_results.html")
    try:
        os.makedirs(output, exist_ok=True)
        chosen, report = options()
        corefeval = command()
        inputs = list(sides(key, response))
        found = json.loads(run([corefeval, "score", "--for-teams", "-q", "-o", "json"] + chosen + inputs, folders))
        scores = {}
        for metric, values in found["systems"][0]["metrics"].items():
            for name in ("recall", "precision", "f1"):
                if values.get("defined", True) and name in values:
                    scores["%s_%s" % (metric, name)] = round(100 * values[name], 4)
        if report in ("full", "without-text"):
            more = ["--without-text"] if report == "without-text" else []
            run([corefeval, "report", "--for-teams", "-q", "--no-warnings", "--title", "Report", "-o", page] + chosen + more + inputs, folders)
        elif report == "scores":
            table = run([corefeval, "score", "--for-teams", "-q", "--no-warnings", "-o", "html"] + chosen + inputs, folders)
            with open(page, "w", encoding="utf-8") as file:
                file.write(PAGE % ("Scores", "Scores", table))
    except Refused as error:
        message = str(error)
        print("error: " + message if not message.startswith("error: ") else message, file=sys.stderr, flush=True)
        with open(page, "w", encoding="utf-8") as file:
            file.write(PAGE % ("No score", "No score", "<pre>%s</pre>" % html.escape(message)))
        return 1
    with open(os.path.join(output, "scores.json"), "w", encoding="utf-8") as file:
        json.dump(scores, file, indent=1, sort_keys=True)
    # The scores for CodaLab.
    with open(os.path.join(output, "scores.txt"), "w", encoding="utf-8") as file:
        file.writelines("%s: %s\n" % pair for pair in sorted(scores.items()))
    for name, score in sorted(scores.items()):
        log("%s: %s" % (name, score))
    log(found["signature"])
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: score.py INPUT OUTPUT")
    sys.exit(main(*sys.argv[1:]))
