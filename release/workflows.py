#!/usr/bin/env python3
"""Checks the workflows by rules of this project: steps run scripts of the repository, which work on any machine;
only jobs request permissions; text from outside is passed in variables and never pasted into scripts.
"""

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
# The steps that only the service can run.
OF_THE_SERVICE = ("gh ", "rustup ", "echo ", "python3 -m pip install ", "npm publish ", "chmod ", "tar ", "mkdir ")
PASTED = re.compile(r"\$\{\{\s*(inputs|github\.event|github\.head_ref|steps\.\w+\.outputs)")


def steps(workflow):
    for name, job in (workflow.get("jobs") or {}).items():
        for step in job.get("steps", []):
            yield name, step


def problems():
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        if workflow.get("permissions") not in ({}, {"contents": "read"}):
            yield f"{path.name}: the workflow itself has more permissions than to read"
        for job, step in steps(workflow):
            for line in step.get("run", "").splitlines():
                line = line.strip()
                script = line.split()[0] if line else ""
                own = script and (ROOT / script).is_file()
                if line and not own and not line.startswith(OF_THE_SERVICE):
                    yield f"{path.name}: {job}: `{line}` is not a script of the repository"
            if PASTED.search(step.get("run", "")):
                yield f"{path.name}: {job}: text from outside is pasted into a script"
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for step in action["runs"]["steps"]:
        if PASTED.search(step.get("run", "")):
            yield "action.yml: text from outside is pasted into a script"


wrong = list(problems())
print("\n".join(wrong) or "workflows run scripts of the repository")
sys.exit(bool(wrong))
