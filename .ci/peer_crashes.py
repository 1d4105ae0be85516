"""Scores the inputs on which other scorers crash.

usage: peer_crashes.py COMMAND CONFORMANCE-FOLDER
Each input must be scored, or refused with exit status 1 and a message that starts with `error: FILE:LINE:COLUMN`.
"""
import json
import os
import re
import subprocess
import sys

command, folder = sys.argv[1:]
check = os.path.join(folder, "check.py")
with open(check, encoding="utf-8") as text:
    source = text.read().rsplit("\nmain()", 1)[0]
names = {"__file__": check, "__name__": "check"}
exec(compile(source, check, "exec"), names)

passed, failed = 0, 0
with open(os.path.join(folder, "peer-crashes.jsonl"), encoding="utf-8") as lines:
    for line in lines:
        case = json.loads(line)
        paths = [os.path.join(folder, case[side]) for side in ("key", "response")]
        run = subprocess.run(
            [command, "score", *names["arguments"](case), *paths], capture_output=True, text=True, timeout=120
        )
        if run.returncode == 0:
            good = "metrics" in json.loads(run.stdout)["systems"][0]
        else:
            good = run.returncode == 1 and re.match(r"error: \S+:\d+:\d+: ", run.stderr) is not None
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(case["id"], run.returncode, run.stderr[:200])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
