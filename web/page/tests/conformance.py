"""Turns the conformance cases into requests of the page, and compares its answers, with the rules of check.py.

usage: conformance.py requests CASES    prints a request a line: id, key, response (paths) and options
       conformance.py compare CASES     reads an answer a line: id and report; prints the differences and the totals
"""
import importlib.util
import json
import os
import sys

task, path = sys.argv[1:]
folder = os.path.dirname(os.path.abspath(path))
spec = importlib.util.spec_from_file_location("check", os.path.join(folder, "check.py"))
source = open(spec.origin, encoding="utf-8").read().removesuffix("\n").removesuffix("main()")
check = {"__file__": spec.origin, "__name__": "check"}
exec(compile(source, spec.origin, "exec"), check)
cases = [json.loads(line) for line in open(path, encoding="utf-8")]


def options(arguments):
    """Options by name: `--np-only` is `yes`."""
    found = {}
    for place, name in enumerate(arguments):
        if name.startswith("--"):
            value = arguments[place + 1] if place + 1 < len(arguments) else "--"
            found[name[2:]] = ["yes" if value.startswith("--") else value]
    return found


if task == "requests":
    for case in cases:
        given = options(check["arguments"](case))
        given.pop("output", None)
        sides = {side: os.path.join(folder, case[side]) for side in ("key", "response")}
        print(json.dumps({"id": case["id"], "options": given, **sides}))
else:
    answers = {}
    for line in sys.stdin:
        answer = json.loads(line)
        answers[answer["id"]] = answer
    failed = 0
    for case in cases:
        answer = answers[case["id"]]
        if "error" in answer:
            found = [answer["error"]]
        else:
            found = list(check["differences"](case["expect"], answer["report"]["systems"][0]["metrics"]))
        if found:
            failed += 1
            print(case["id"], *found[:6], sep="\n    ")
    print(f"{len(cases) - failed} of {len(cases)} cases agree")
    sys.exit(1 if failed or not cases else 0)
