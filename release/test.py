#!/usr/bin/env python3
"""Tests the scripts of a release in a copy of the files that they change, with replacements of `cargo`, `npm` and `gh` that publish nothing.

    release/test.py
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ["Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock", "CITATION.cff", "CHANGELOG.md", "pyproject.toml", "SECURITY.md"]
COPIED += ["docs/developers.md", "web/page/package.json", "web/page/package-lock.json"]
COPIED += [str(path.relative_to(ROOT)) for path in ROOT.glob("crates/*/Cargo.toml")]
ADDRESS = "https://example.org/someone/scorer"
failures = []


def check(condition, what, shown=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}\n{shown}")


class Copy:
    """A copy of the tree's files and scripts, with programs that record their arguments."""

    def __init__(self, folder):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        for name in COPIED:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        shutil.copytree(ROOT / "release", self.folder / "release")
        (self.folder / "bin").mkdir()

    def program(self, name, script):
        path = self.folder / "bin" / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.folder}/calls"\n{script}\n')
        path.chmod(0o755)

    def calls(self):
        path = self.folder / "calls"
        text = path.read_text() if path.exists() else ""
        path.unlink(missing_ok=True)
        return text

    def run(self, *typed, **variables):
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", **variables}
        done = subprocess.run([self.folder / typed[0], *typed[1:]], capture_output=True, text=True, env=environment, cwd=self.folder)
        return done.returncode, done.stdout + done.stderr

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def version(self):
        return tomllib.loads(self.read("Cargo.toml"))["workspace"]["package"]["version"]


def versions(copy):
    old = copy.version()
    status, said = copy.run("release/version", "--check")
    check(status == 0, "the versions of the tree agree", said)
    copy.run("release/version", "9.8.7", "2030-01-02")
    status, said = copy.run("release/version", "--check")
    check(status == 0 and "9.8.7" in said, "a new version is everywhere", said)
    text = copy.read("CHANGELOG.md")
    check("## Unreleased\n\n## 9.8.7 (2030-01-02)\n\n" in text and re.search(r"[^\n]\n\n## \d", text.split("9.8.7")[1]), "the changelog has it", text[:400])
    check("date-released: 2030-01-02" in copy.read("CITATION.cff"), "the citation has its day")
    page = copy.read("docs/developers.md")
    check(all(word in page for word in ("@v9.8.7", "rev: v9.8.7", "==9.8.7")) and old not in page, "the documentation shows it", page)
    before = copy.read("CHANGELOG.md")
    (copy.folder / "CHANGELOG.md").write_text(before.replace("## Unreleased\n", "## Unreleased\n\n- A line more.\n", 1))
    copy.run("release/version", "9.8.7", "2030-01-03")
    after = copy.read("CHANGELOG.md")
    check(after.count("## 9.8.7") == 1 and "- A line more.\n" in copy.run("release/notes", "9.8.7")[1], "the same version again", after[:600])
    for name in COPIED:
        text = copy.read(name)
        for found in list(re.finditer(r"9\.8\.7", text))[:1]:
            (copy.folder / name).write_text(text[: found.start()] + "9.9.9" + text[found.end() :])
            status, said = copy.run("release/version", "--check")
            check(status == 1 and name in said, f"another version in {name} is found", said)
            (copy.folder / name).write_text(text)


def repositories(copy):
    known = "repository" in tomllib.loads(copy.read("Cargo.toml"))["workspace"]["package"]
    check((copy.run("release/version", "--ready")[0] == 0) == known, "a tree without an address is not ready")
    tag = {"GITHUB_REF_NAME": "v" + copy.version()}
    check((copy.run("release/tagged", **tag)[0] == 0) == known, "a tree without an address cannot be tagged")
    check(copy.run("release/version", "--repository", "here")[0] != 0, "a word is not accepted as an address")
    for address in ("https://example.org/other/thing", ADDRESS):
        copy.run("release/version", "--repository", address)
        status, said = copy.run("release/version", "--ready")
        check(status == 0 and address in said, "the address is everywhere", said)
    check(not any("OWNER" in copy.read(name) or "other/thing" in copy.read(name) for name in COPIED if name != "CHANGELOG.md"), "no other address")
    check(tomllib.loads(copy.read("pyproject.toml"))["project"]["urls"] == {"Repository": ADDRESS}, "for Python")
    check(json.loads(copy.read("web/page/package.json"))["repository"]["url"] == f"git+{ADDRESS}.git", "for browsers")
    for name in COPIED:
        if name.startswith("crates/"):
            check(tomllib.loads(copy.read(name))["package"]["repository"] == {"workspace": True}, name)
    check(f"repository-code: {ADDRESS}" in copy.read("CITATION.cff"), "for citations")
    text = copy.read("web/page/package.json")
    (copy.folder / "web/page/package.json").write_text(text.replace("someone/scorer", "nobody/scorer"))
    status, said = copy.run("release/version", "--check")
    check(status == 1 and "web/page/package.json" in said, "a file with another address is found", said)
    (copy.folder / "web/page/package.json").write_text(text)
    status, said = copy.run("release/tagged", **tag)
    check(status == 0, "a tagged version is ready", said)
    check(copy.run("release/tagged", GITHUB_REF_NAME="v0.0.1")[0] == 1, "another tag is not ready")


def publishing(copy):
    version = copy.version()
    names = sorted(path.parent.name for path in copy.folder.glob("crates/*/Cargo.toml") if "publish = false" not in path.read_text())
    # `cargo info` reports published crates.
    known = lambda pattern: copy.program("cargo", f'[ "$1" != info ] || case "$3" in {pattern}) ;; *) exit 101 ;; esac')
    known("nothing")
    copy.run("release/crates", "--publish")
    called = copy.calls()
    check("cargo publish" in called and not any(f"--exclude {name}\n" in called or f"--exclude {name} " in called for name in names), "all crates", called)
    known(f"corefeval-core@{version}|corefeval-system@{version}")
    copy.run("release/crates", "--publish")
    called = copy.calls()
    check("--exclude corefeval-core" in called and "--exclude corefeval-report" not in called, "the other crates", called)
    check("--exclude corefeval-py" in called and "--exclude corefeval-web" in called, "only published crates", called)
    known("*")
    status, said = copy.run("release/crates", "--publish")
    check(status == 0 and "cargo publish" not in copy.calls(), "no crate is published twice", said)

    (copy.folder / "dist").mkdir()
    for there, published in ((version, False), ("", True)):
        copy.program("npm", f'[ "$1" != view ] || echo "{there}"')
        for option, provenance in (("--publish", True), ("--publish-first", False)):
            status, said = copy.run("release/npm", option, "dist")
            called = copy.calls()
            check(status == 0 and ("npm publish" in called) == published, f"npm {option} of {there or 'nothing'}", said)
            check(not published or ("--provenance" in called) == provenance, f"the provenance of npm {option}", called)

    (copy.folder / "dist/a file").write_text("a")
    (copy.folder / "dist/b").write_text("b")
    copy.run("release/checksums", "dist")
    done = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=copy.folder / "dist", capture_output=True, text=True)
    check(done.returncode == 0 and done.stdout.count("OK") == 2, "checksums", done.stdout + done.stderr)
    for there, wanted in ((False, ["create"]), (True, ["edit", "upload"])):
        copy.program("gh", f'[ "$2" != view ] || exit {0 if there else 1}')
        status, said = copy.run("release/page", "dist")
        called = re.findall(r"gh release (\w+) v", copy.calls())
        check(status == 0 and called == ["view", *wanted], "the page of a release", said)


with tempfile.TemporaryDirectory() as folder:
    versions(Copy(folder))
    repositories(Copy(folder))
    publishing(Copy(folder))
print("scripts of a release: " + (f"{len(failures)} failures" if failures else "versions, addresses and what is published already"))
sys.exit(bool(failures))
