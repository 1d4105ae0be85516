"""Adds up the tests that a log of `cargo test` and of the conformance cases reports.

usage: count.py LOG
Prints `N passed, N failed` and fails if anything failed or nothing ran.
"""
import re
import sys

text = open(sys.argv[1], encoding="utf-8", errors="replace").read()
passed = failed = 0
for a, b in re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed", text, re.M) + re.findall(
    r"^(\d+) passed, (\d+) failed$", text, re.M
):
    passed, failed = passed + int(a), failed + int(b)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
