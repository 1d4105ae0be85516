#!/usr/bin/env python3
"""Runs what developers plug in: the script of the GitHub Action with good and bad inputs, and the hooks with pre-commit.

    .ci/developers.py COMMAND [PRE-COMMIT]

Without PRE-COMMIT the hooks are not tried.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
failures = []


def check(condition, what, shown=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}\n{shown}")


def action(folder, command, **inputs):
    """Runs the script of the action: status, log, outputs and summary."""
    bin = folder / "bin"
    bin.mkdir(exist_ok=True)
    if not (bin / "corefeval").exists():
        (bin / "corefeval").symlink_to(command)
    place = Path(tempfile.mkdtemp(dir=folder))
    files = {"GITHUB_OUTPUT": place / "output", "GITHUB_STEP_SUMMARY": place / "summary", "RUNNER_TEMP": place}
    environment = {"PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(place)}
    environment.update({name: str(path) for name, path in files.items()})
    environment.update({"INPUT_" + name.upper(): value for name, value in inputs.items()})
    typed = [sys.executable, ROOT / ".github/action/check.py"]
    done = subprocess.run(typed, cwd=ROOT, env=environment, capture_output=True, text=True)
    outputs = (place / "output").read_text() if (place / "output").exists() else ""
    summary = (place / "summary").read_text() if (place / "summary").exists() else ""
    return done.returncode, done.stdout + done.stderr, outputs, summary


def try_action(folder, command):
    key, alder, birch = "examples/key.conll", "examples/alder.conll", "examples/birch.conll"
    broken = "testdata/formats/conll-broken/unclosed-at-end-of-file.conll"
    cases = [
        ("a good file", {"validate": key}, 0, "", ""),
        ("a broken file", {"validate": broken}, 1, "::warning file=", ""),
        ("warnings that may be", {"validate": broken, "fail_on": "error"}, 0, "::warning file=", ""),
        ("a score", {"key": key, "response": alder}, 0, "87.09", "score=87.0933"),
        ("too low", {"key": key, "response": alder, "minimum": "90"}, 1, "::error::F1 is 87.09, below 90", "score=87.0933"),
        ("better than the baseline", {"key": key, "response": alder, "baseline": birch}, 0, "", "difference=+19.7744"),
        ("worse", {"key": key, "response": birch, "baseline": alder}, 1, "19.77 points below", "difference=-19.7744"),
        ("worse but allowed", {"key": key, "response": birch, "baseline": alder, "threshold": "20"}, 0, "", "difference=-"),
        ("equal", {"key": key, "response": alder, "baseline": alder}, 0, "", "difference=+0.0000"),
        ("options", {"key": key, "response": alder, "options": "--singletons drop", "metric": "lea"}, 0, "LEA", "score="),
        ("nothing to do", {}, 1, "nothing to do", ""),
        ("no response", {"key": key}, 1, "no response", ""),
        ("a file that is not there", {"key": key, "response": "nowhere"}, 1, "cannot be scored", ""),
        ("a pattern without files", {"validate": "nowhere/*.conll"}, 1, "nothing matches", ""),
        ("no number", {"key": key, "response": alder, "minimum": "high"}, 1, "is not a number", ""),
        ("a script in a name", {"key": "$(touch x)", "response": "`id`"}, 1, "cannot be scored", ""),
    ]
    for name, inputs, status, said, wanted in cases:
        found, log, outputs, summary = action(folder, command, **inputs)
        check(found == status and said in log and wanted in outputs, f"action: {name}", f"status {found}\n{log}{outputs}")
        check("Traceback" not in log, f"action: {name}: no traceback", log)
        check("score=" not in wanted or summary.startswith("### corefeval"), f"action: {name}: a summary", summary)
    return len(cases)


def try_hooks(folder, command, pre_commit):
    """The hooks on a repository with a broken and a good file. The command is ours; pre-commit would install the package."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(folder / "hooks")}
    environment.update({"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"})
    environment.update({"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"})

    def run(place, *typed):
        return subprocess.run([str(part) for part in typed], cwd=place, env=environment, capture_output=True, text=True)

    ours, theirs = folder / "ours", folder / "theirs"
    for place in (ours, theirs):
        place.mkdir()
        run(place, "git", "init", "-q")
    # The manifest with the language of programs that are installed already.
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text()
    check(run(ROOT, pre_commit, "validate-manifest", ".pre-commit-hooks.yaml").returncode == 0, "the manifest is valid")
    (ours / ".pre-commit-hooks.yaml").write_text(manifest.replace("language: python", "language: system"))
    run(ours, "git", "add", "-A")
    run(ours, "git", "commit", "-qm", "hooks")
    revision = run(ours, "git", "rev-parse", "HEAD").stdout.strip()
    for hook, status in [("corefeval-validate", 1), ("corefeval-validate-fix", 1)]:
        config = f"repos:\n  - repo: {ours}\n    rev: {revision}\n    hooks:\n      - id: {hook}\n"
        (theirs / ".pre-commit-config.yaml").write_text(config)
        shutil.copyfile(ROOT / "examples/key.conll", theirs / "good.conll")
        (theirs / "notes.txt").write_text("no annotation")
        run(theirs, "git", "add", "-A")
        done = run(theirs, pre_commit, "run", "--all-files")
        check(done.returncode == 0, f"{hook} passes a good file", done.stdout + done.stderr)
        broken = (ROOT / "testdata/formats/conll-broken/unclosed-at-end-of-file.conll").read_text()
        (theirs / "broken.conll").write_text(broken)
        run(theirs, "git", "add", "-A")
        done = run(theirs, pre_commit, "run", "--all-files")
        check(done.returncode == status and "broken.conll:2:" in done.stdout, f"{hook} stops a broken file", done.stdout)
        (theirs / "broken.conll").unlink()
    return 2


def main(command, pre_commit=None):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = try_action(folder, Path(command).resolve())
        hooks = try_hooks(folder, command, Path(pre_commit).absolute()) if pre_commit else 0
    print(f"developers: {cases} uses of the action, {hooks} hooks" + ("" if hooks else " (no pre-commit here)"))
    sys.exit(bool(failures))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
