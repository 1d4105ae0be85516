"""Runs a script that checks the command, with the page instead of the command.

usage: through.py SCRIPT ARGUMENTS...    where the script expects the path of the command, ARGUMENTS have `page`

The script's command lines are written to file descriptor 3 as lines of JSON: a number and the typed line. The number, the exit
status, standard output and standard error are read from file descriptor 4.
"""
import itertools
import json
import os
import runpy
import subprocess
import sys
import threading
from concurrent.futures import Future

asked, answers = open(3, "w", encoding="utf-8"), open(4, encoding="utf-8")
numbers, waiting = itertools.count(), {}
run_program = subprocess.run


def run(line, **options):
    if line[0] != "page":
        return run_program(line, **options)
    number, answer = next(numbers), Future()
    waiting[number] = answer
    # One write for each line, so that lines of several threads do not mix.
    asked.write(json.dumps([number, line[1:]]) + "\n")
    asked.flush()
    status, stdout, stderr = answer.result()
    return subprocess.CompletedProcess(line, status, stdout, stderr)


def receive():
    for line in answers:
        number, *answer = json.loads(line)
        waiting.pop(number).set_result(answer)


threading.Thread(target=receive, daemon=True).start()
subprocess.run = run
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
