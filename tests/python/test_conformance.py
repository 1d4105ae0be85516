"""The conformance cases in Python: one core, one set of results.

The cases are not part of the repository: they are at ``../shared/conformance`` or ``COREFEVAL_CONFORMANCE``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re

import corefeval
import pytest
from conftest import ROOT

FOLDER = pathlib.Path(os.environ.get("COREFEVAL_CONFORMANCE", ROOT.parent / "shared" / "conformance"))
FILES = ["cases.jsonl", "cases-real.jsonl", "cases-ace.jsonl"]


@pytest.fixture(scope="module")
def check():
    """The rules of the script that checks the command."""
    script = FOLDER / "check.py"
    if not script.is_file():
        # CI has them next to the repository, but not every clone does; their licence does not allow shipping them.
        pytest.skip(f"no conformance cases at {FOLDER}")
    text = script.read_text().replace("\nmain()\n", "\n")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", None))
    module.__file__ = str(script)
    exec(compile(text, str(script), "exec"), module.__dict__)
    return module


def options(arguments):
    """Converts arguments of the command to keywords."""
    given, rest = {}, list(arguments)
    while rest:
        name = rest.pop(0).removeprefix("--").replace("-", "_")
        given[name] = rest.pop(0) if rest and not rest[0].startswith("--") else True
    assert given.pop("output") == "json"
    return given


@pytest.mark.parametrize("name", FILES)
def test_conformance(check, name):
    cases = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    assert cases
    wrong = []
    for case in cases:
        paths = {side: FOLDER / case[side] for side in ("key", "response")}
        report = corefeval.score_files(**paths, **options(check.arguments(case)), quiet=True)
        found = report.to_dict()["systems"][0]["metrics"]
        wrong += [f"{case['id']}: {difference}" for difference in check.differences(case["expect"], found)]
    assert not wrong, f"{len(wrong)} differences: {wrong[:5]}"


def entities(path):
    """Returns the entities of a CoNLL file by document: spans of words, closed innermost first."""
    documents, opened, word = {}, {}, 0
    for line in path.read_text().splitlines():
        if line.startswith("#begin document"):
            found = documents.setdefault(line, {})
            opened, word = {}, 0
        elif line.strip() and not line.startswith("#"):
            for part in re.findall(r"\(\d+\)|\(\d+|\d+\)", line.split()[-1]):
                name = part.strip("()")
                if part[0] == "(":
                    opened.setdefault(name, []).append(word)
                    found.setdefault(name, [])
                if part[-1] == ")" and opened.get(name):
                    found[name].append((opened[name].pop(), word))
            word += 1
    return {name: [entity for entity in found.values() if entity] for name, found in documents.items()}


def test_objects_equal_files(check):
    """Entities of the CoNLL cases as objects have the scores of their files, if no mention is repeated."""
    cases = [json.loads(line) for line in (FOLDER / "cases.jsonl").read_text().splitlines()]
    compared = 0
    for case in cases:
        found = options(check.arguments(case))
        if case["format"] != "conll" or found["profile"] != "conll":
            continue
        if not {"match", "singletons", "zeros"}.issuperset(case["options"]) or case["options"]["match"] != "exact":
            continue
        paths = {side: FOLDER / case[side] for side in ("key", "response")}
        files = corefeval.score_files(**paths, **found, quiet=True)
        if {finding.code for finding in files.warnings} - {"singletons-one-sided", "muc-undefined", "no-mentions"}:
            continue
        sides = {side: entities(path) for side, path in paths.items()}
        objects = corefeval.score(
            **sides, metrics=list(files), singletons=found.get("singletons"), quiet=True
        )
        assert {n: tuple(s) for n, s in objects.items()} == {n: tuple(s) for n, s in files.items()}, case["id"]
        compared += 1
    assert compared > 100, f"only {compared} cases were compared"
