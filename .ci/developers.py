#!/usr/bin/env python3
"""Runs the integrations for developers, and the examples of docs/developers.md: the script of the GitHub Action with good and bad inputs, all steps
of the action with the workflow of the page, the hooks with pre-commit, and the archive of a release with its completions.

    .ci/developers.py COMMAND PRE-COMMIT

Requires PyYAML, which the environment of pre-commit contains.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/developers.md").read_text(encoding="utf-8")
HOOKS, LOCAL, WORKFLOW = (yaml.safe_load(block) for block in re.findall(r"(?ms)^```yaml\n(.*?)^```$", PAGE))
failures = []

# A command `gh` for a service with one pull request, whose comments are in a file.
GH = """#!{python}
import json, re, sys
typed, path = sys.argv[1:], {path!r}
comments = json.load(open(path))
value = lambda name: typed[typed.index(name) + 1]
if typed[:2] == ["pr", "view"]:
    print(json.dumps({{"comments": comments}}))
elif typed[:2] == ["pr", "comment"]:
    url = f"https://example.org/pull/1#issuecomment-{{len(comments) + 100}}"
    comments.append({{"url": url, "viewerDidAuthor": True, "body": open(value("--body-file")).read()}})
else:
    assert typed[:3] == ["api", "--method", "PATCH"], typed
    number = re.fullmatch(r"repos/someone/data/issues/comments/(\\d+)", typed[3])[1]
    found, = [comment for comment in comments if comment["url"].endswith("-" + number)]
    found["body"] = open(value("-F").removeprefix("body=@")).read()
json.dump(comments, open(path, "w"))
"""


def check(condition, what, shown=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}\n{shown}")


def action(folder, command, **inputs):
    """Runs the script of the action; returns status, log, outputs and summary."""
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
        ("allowed warnings", {"validate": broken, "fail_on": "error"}, 0, "::warning file=", ""),
        ("a score", {"key": key, "response": alder}, 0, "87.09", "score=87.0933"),
        ("too low", {"key": key, "response": alder, "minimum": "90"}, 1, "::error::F1 is 87.09, below 90", "score=87.0933"),
        ("better than the baseline", {"key": key, "response": alder, "baseline": birch}, 0, "", "difference=+19.7744"),
        ("worse", {"key": key, "response": birch, "baseline": alder}, 1, "19.77 points below", "difference=-19.7744"),
        ("worse but allowed", {"key": key, "response": birch, "baseline": alder, "threshold": "20"}, 0, "", "difference=-"),
        ("equal", {"key": key, "response": alder, "baseline": alder}, 0, "", "difference=+0.0000"),
        ("options", {"key": key, "response": alder, "options": "--singletons drop", "metric": "lea"}, 0, "LEA", "score="),
        ("nothing to do", {}, 1, "nothing to do", ""),
        ("no response", {"key": key}, 1, "no response", ""),
        ("a missing file", {"key": key, "response": "nowhere"}, 1, "cannot be scored", ""),
        ("a pattern without files", {"validate": "nowhere/*.conll"}, 1, "nothing matches", ""),
        ("no number", {"key": key, "response": alder, "minimum": "high"}, 1, "is not a number", ""),
        ("a script in a name", {"key": "$(touch x)", "response": "`id`"}, 1, "cannot be scored", ""),
    ]
    for name, inputs, status, message, wanted in cases:
        found, log, outputs, summary = action(folder, command, **inputs)
        check(found == status and message in log and wanted in outputs, f"action: {name}", f"status {found}\n{log}{outputs}")
        check("Traceback" not in log, f"action: {name}: no traceback", log)
        check("score=" not in wanted or summary.startswith("### corefeval"), f"action: {name}: a summary", summary)
    return len(cases)


def wheel(folder, command):
    """Makes a wheel that contains the command instead of the package, for the installation step."""
    path = folder / "corefeval-0.0.0-py3-none-any.whl"
    info = "corefeval-0.0.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        script = zipfile.ZipInfo("corefeval-0.0.0.data/scripts/corefeval")
        script.external_attr = 0o100755 << 16
        archive.writestr(script, f'#!/bin/sh\nexec {shlex.quote(str(command))} "$@"\n')
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: corefeval\nVersion: 0.0.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


class Service:
    """Runs the steps of the action as the service does: expressions are replaced, outputs and the path are passed on."""

    def __init__(self, folder, command):
        self.folder, self.wheel = Path(tempfile.mkdtemp(dir=folder)), wheel(folder, command)
        self.steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
        self.inputs = {name: row["default"] for name, row in yaml.safe_load((ROOT / "action.yml").read_text())["inputs"].items()}
        (self.folder / "bin").mkdir()
        self.comments = self.folder / "comments.json"
        self.comments.write_text("[]")
        (self.folder / "bin/gh").write_text(GH.format(python=sys.executable, path=str(self.comments)))
        (self.folder / "bin/gh").chmod(0o755)
        for name, source in (("data/key", "key"), ("output/response", "alder"), ("output/baseline", "birch")):
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / f"examples/{source}.conll", self.folder / f"{name}.conll")

    def use(self, **given):
        """Uses the action in a pull request; returns whether it passes, and its log."""
        run = Path(tempfile.mkdtemp(dir=self.folder))
        inputs = {**self.inputs, "install": str(self.wheel), **given}
        files = {name: run / name for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        known = {f"inputs.{name}": str(value).lower() if value in (True, False) else str(value) for name, value in inputs.items()}
        known.update({"github.token": "none", "github.event.number": "1", "github.event_name": "pull_request"})
        path, log, passes = f"{self.folder / 'bin'}:{os.environ['PATH']}", "", True
        for step in self.steps:
            outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines()) if files["GITHUB_OUTPUT"].exists() else {}
            known.update({f"steps.run.outputs.{name}": value for name, value in outputs.items()})
            fill = lambda text: re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: known.get(found[1], ""), text)
            if "if" in step:
                condition = re.sub(r"(inputs|github|steps)\.[\w.-]+", lambda found: repr(known.get(found[0], "")), step["if"])
                if not eval(condition.replace("&&", "and").replace("always()", "True")):
                    continue
            elif not passes:
                continue
            environment = {**os.environ, "PATH": path, "RUNNER_TEMP": str(run), "GITHUB_ACTION_PATH": str(ROOT), "HOME": str(run)}
            environment.update({"GITHUB_REPOSITORY": "someone/data", "GITHUB_WORKFLOW": "checks", "GITHUB_JOB": "coreference"})
            environment.update({name: str(file) for name, file in files.items()})
            environment.update({name: fill(text) for name, text in step.get("env", {}).items()})
            typed = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", fill(step["run"])]
            done = subprocess.run(typed, cwd=self.folder, env=environment, capture_output=True, text=True)
            passes, log = passes and done.returncode == 0, log + done.stdout + done.stderr
            if files["GITHUB_PATH"].exists():
                path = ":".join([*files["GITHUB_PATH"].read_text().split(), path])
        return passes, log

    def written(self):
        return json.loads(self.comments.read_text())


def try_service(folder, command):
    """Runs the workflow of the page, with all steps of the action."""
    service = Service(folder, command)
    uses, = [step for step in WORKFLOW["jobs"]["coreference"]["steps"] if "corefeval" in step["uses"]]
    given = uses["with"]
    passes, log = service.use(**given)
    check(passes and "87.09" in log, "the workflow of the page", log)
    check([comment["body"].startswith("<!-- corefeval ") and "87.09" in comment["body"] for comment in service.written()] == [True], "its comment", log)
    # Another comment of the same author, and a copy of the action's comment by someone else.
    others = [{"url": "https://example.org/pull/1#issuecomment-7", "viewerDidAuthor": True, "body": "Coverage: 80%"}]
    others.append({"url": "https://example.org/pull/1#issuecomment-8", "viewerDidAuthor": False, "body": service.written()[0]["body"]})
    service.comments.write_text(json.dumps(service.written() + others))
    (service.folder / "output/response.conll").write_bytes((ROOT / "examples/cedar.conll").read_bytes())
    passes, log = service.use(**given)
    check(not passes and "below the baseline" in log, "a worse response fails", log)
    first, *rest = service.written()
    check(rest == others, "other comments are unchanged", rest)
    check("**Failed**" in first["body"] and "87.09" not in first["body"], "the comment is edited", first["body"])
    passes, log = service.use(**{**given, "response": "output/baseline.conll"})
    check(passes and len(service.written()) == 4, "another use has a separate comment", log)
    # A report that is too long, and a token that cannot write.
    environment = {**os.environ, "INPUT_KEY": "k", "REPORT": str(service.folder / "long.md")}
    (service.folder / "long.md").write_text("| a row |\n" * 20_000)
    sized = "import runpy, os; body = runpy.run_path('.github/action/comment.py')['body'](open(os.environ['REPORT']).read()); print(len(body)); print(body[-50:])"
    done = subprocess.run([sys.executable, "-c", sized], cwd=ROOT, env=environment, capture_output=True, text=True)
    check(int((done.stdout.split() or ["0"])[0]) in range(60_000, 65_537) and "summary of the job" in done.stdout, "a long report is shortened", done.stderr)
    (service.folder / "bin/gh").write_text("#!/bin/sh\nexit 1\n")
    passes, log = service.use(**{**given, "response": "output/baseline.conll"})
    check(passes and "::warning::the comment could not be written" in log, "without permission there is a warning", log)
    passes, log = service.use(**{**given, "install": str(folder / "nowhere")})
    check(not passes, "a failed installation is an error", log)
    # The page names every input and output.
    rows = re.findall(r"(?m)^\| (`[^|]*`) \|", PAGE)
    check(sorted(re.findall(r"`([\w-]+)`", " ".join(rows))) == sorted(service.inputs), "every input is on the page", rows)
    typed = re.search(r"`(INPUT_KEY=… .*?)`", PAGE)[1].replace("…", "examples/key.conll", 1).replace("…", "examples/alder.conll")
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", typed], cwd=ROOT, env=environment, capture_output=True, text=True)
    check(done.returncode == 0 and "87.09" in done.stdout, typed, done.stdout + done.stderr)


def try_hooks(folder, command, pre_commit):
    """Runs the hooks on a repository with a broken and a good file. The command is that of the tree; pre-commit would install the package."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(folder / "hooks")}
    environment.update({"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"})
    environment.update({"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"})

    def run(place, *typed):
        return subprocess.run([str(part) for part in typed], cwd=place, env=environment, capture_output=True, text=True)

    ours, theirs = folder / "ours", folder / "theirs"
    for place in (ours, theirs):
        place.mkdir()
        run(place, "git", "init", "-q")
    # The manifest with the language for programs that are already installed.
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text()
    check(run(ROOT, pre_commit, "validate-manifest", ".pre-commit-hooks.yaml").returncode == 0, "the manifest is valid")
    (ours / ".pre-commit-hooks.yaml").write_text(manifest.replace("language: python", "language: system"))
    run(ours, "git", "add", "-A")
    run(ours, "git", "commit", "-qm", "hooks")
    revision = run(ours, "git", "rev-parse", "HEAD").stdout.strip()
    shown = re.findall(r"corefeval-validate[\w-]*", PAGE.split("## The GitHub Action")[0].split("```")[1])
    check(shown == [hook["id"] for hook in yaml.safe_load(manifest)], "page and manifest have the same hooks", shown)
    for hook in [*shown, None]:
        # The configuration of the page, with an existing repository; and the one without compilation.
        config = json.loads(json.dumps(HOOKS if hook else LOCAL))
        if hook:
            config["repos"][0].update(repo=str(ours), rev=revision, hooks=[{"id": hook}])
        hook = hook or "a local hook"
        (theirs / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        shutil.copyfile(ROOT / "examples/key.conll", theirs / "good.conll")
        (theirs / "notes.txt").write_text("no annotation")
        run(theirs, "git", "add", "-A")
        done = run(theirs, pre_commit, "run", "--all-files")
        check(done.returncode == 0, f"{hook} passes a good file", done.stdout + done.stderr)
        broken = (ROOT / "testdata/formats/conll-broken/unclosed-at-end-of-file.conll").read_text()
        (theirs / "broken.conll").write_text(broken)
        run(theirs, "git", "add", "-A")
        done = run(theirs, pre_commit, "run", "--all-files")
        check(done.returncode == 1 and "broken.conll:2:" in done.stdout, f"{hook} stops a broken file", done.stdout)
        (theirs / "broken.conll").unlink()
    return len(shown)


def try_archive(folder, command):
    """Checks the archive of a release: its command scores, and shells and `man` find the contents of its `share`."""
    out, prefix = folder / "archive", folder / "prefix"
    packed = subprocess.run(["release/binary", "host", out], cwd=ROOT, env={**os.environ, "COREFEVAL": str(command)}, capture_output=True, text=True)
    check(packed.returncode == 0, "the archive is packed", packed.stderr)
    archive, = out.iterdir()
    shutil.unpack_archive(archive, out)
    unpacked, = [path for path in out.iterdir() if path.is_dir()]
    shutil.copytree(unpacked / "share", prefix / "share")
    done = subprocess.run([unpacked / "corefeval", "score", "-m", "conll", "examples/key.conll", "examples/alder.conll"], cwd=ROOT, capture_output=True, text=True)
    check("87.09" in done.stdout, "the command of the archive", done.stderr)
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "README.md", "sbom.cdx.json"):
        check((unpacked / name).stat().st_size > 0, f"the archive has {name}")
    # bash-completion loads the file of this name, and the function completes subcommands.
    script = (
        f"source {shlex.quote(str(prefix / 'share/bash-completion/completions/corefeval'))}; complete -p corefeval; "
        "COMP_WORDS=(corefeval sco); COMP_CWORD=1; _corefeval corefeval sco corefeval; echo \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "--noprofile", "--norc", "-c", script], capture_output=True, text=True)
    check(done.stdout.splitlines()[-1:] == ["score"], "completion in bash", done.stdout + done.stderr)
    starts = {
        "zsh/site-functions/_corefeval": "#compdef corefeval",
        "fish/vendor_completions.d/corefeval.fish": "",
        "corefeval/completions.elv": "",
        "corefeval/completions.ps1": "",
        "man/man1/corefeval-score.1": "",
    }
    for name, start in starts.items():
        text = (prefix / "share" / name).read_text()
        check(text.startswith(start) and "corefeval" in text, f"the archive has {name}")


def main(command, pre_commit):
    with tempfile.TemporaryDirectory() as name:
        folder, command = Path(name), Path(command).resolve()
        cases = try_action(folder, command)
        try_service(folder, command)
        try_archive(folder, command)
        hooks = try_hooks(folder, command, Path(pre_commit).absolute())
    print(f"developers: {cases} uses of the action's script, the workflow of the page with its comment, {hooks} hooks, the archive with its completions")
    sys.exit(bool(failures))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
