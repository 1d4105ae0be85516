"""Writes the cases of cases-real.jsonl that closed issues cover, with absolute paths.

usage: real_cases.py FROM TO
Left out: CorefUD, which is still to come.
"""
import json
import os
import sys

source, target = sys.argv[1:]
base = os.path.dirname(os.path.abspath(source))
os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
    for line in lines:
        case = json.loads(line)
        if case["format"] == "corefud":
            continue
        for side in ("key", "response"):
            case[side] = os.path.join(base, case[side])
        out.write(json.dumps(case) + "\n")
