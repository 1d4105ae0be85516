"""Runs the command under failures of its environment.

usage: chaos.py COMMAND [RUNS]
Each run has limits on file sizes, memory, open files or processes, a full disk, a signal at a random time, files that
are swapped during reading, or a second process with the same cache. It must end with the right result, with an error
and a message, or by the signal that was sent to it. An existing file must be unchanged, or new and complete. The number
of a run determines its failure, so a fault can be reproduced: chaos.py COMMAND RUNS FIRST.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

command = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
OLD = b"an older file\n"
# The messages with which Rust's runtime ends a process that runs out of memory: for an object, or for the second stack of
# a starting thread, before it runs any code of the command. A longer message would need memory.
NO_MEMORY = (b"memory allocation of", b"failed to allocate an alternative stack")


def corpus(entities, documents):
    """Writes a file whose documents have some links, by a number of entities."""
    lines = []
    for document in range(documents):
        lines.append(f"#begin document (d{document}); part 000")
        lines += [f"d\t0\t{word}\tw{word}\t({word * 7 % entities})" for word in range(60)]
        lines.append("\n#end document")
    return ("\n".join(lines) + "\n").encode()


folder = pathlib.Path(tempfile.mkdtemp(prefix="corefeval-chaos-"))
texts = [corpus(7, 150), corpus(11, 150)]
files = {name: folder / name for name in ("key.conll", "one.conll", "two.conll")}


def put(path, text):
    beside = path.with_suffix(".put")
    beside.write_bytes(text)
    os.replace(beside, path)


def reset():
    for path, text in zip(files.values(), (texts[0], texts[1], texts[0])):
        put(path, text)


key, one, two = (str(path) for path in files.values())
output = folder / "out.html"
cache = folder / "cache"
LINES = [
    ["score", key, one],
    ["score", "--by", "document", "-o", "json", key, one, two],
    ["compare", "--resamples", "100", "-o", "json", key, one, two],
    ["errors", key, one],
    ["explain", key, one],
    ["convert", key, "--to", "jsonlines", "-o", str(output)],
    ["convert", key, "--to", "corefud", "-o", str(output)],
    ["report", key, one, "-o", str(output)],
    ["compare", "--resamples", "100", "-o", "json", "--cache", str(cache), key, one, two],
]


def result(printed):
    """Returns the output without notes that the cache could not be used.

    A failure that only affects reading or writing the cache adds such a note and changes no other byte.
    """
    try:
        report = json.loads(printed)
    except ValueError:
        return printed
    if isinstance(report, dict):
        report["warnings"] = [
            finding for finding in report.get("warnings", []) if not finding["code"].startswith("cache-")
        ]
    return report


def run(line, **options):
    return subprocess.run([command, *line], capture_output=True, timeout=120, **options)


def right(line):
    """Returns the output of the command if nothing fails."""
    plain = [word for word in line if word not in ("--cache", str(cache))]
    output.unlink(missing_ok=True)
    done = run(plain)
    assert done.returncode == 0, (line, done.stderr)
    return done.stdout, output.read_bytes() if output.exists() else OLD


reset()
wanted = [right(line) for line in LINES]
# Swapped files may give the scores of either content, or of one of each.
faults = []
counts = {}


def check(number, kind, line, status, printed, errors, may_end_by=(), swapped=False):
    expected, written = wanted[LINES.index(line)]
    counts[kind] = counts.get(kind, 0) + 1
    now = output.read_bytes() if output.exists() else None
    fault = None
    if kind == "memory" and status == -signal.SIGABRT and any(text in errors for text in NO_MEMORY):
        pass
    elif b"panicked" in errors or b"stack overflow" in errors:
        fault = "a panic"
    elif status == 0:
        if not swapped and printed is not None and result(printed) != result(expected):
            fault = f"another result: {first_difference(printed, expected)}"
    elif status in (1, 2):
        if not (errors.startswith(b"error: ") or b"\nerror: " in errors):
            fault = "no message"
    elif status == 127 and b"error while loading shared libraries" in errors:
        pass  # The command could not be started.
    elif -status not in may_end_by:
        fault = f"status {status}"
    if now not in (OLD, written) and not swapped:
        fault = f"{fault or ''} a file that is neither old nor whole"
    if fault:
        faults.append(f"run {number}, {kind}, {line[0]}: {fault}: {errors[:300]!r}")


def first_difference(printed, expected):
    place = len(os.path.commonprefix([printed, expected]))
    return f"{printed[place:place + 300]!r} for {expected[place:place + 300]!r} at byte {place}"


def limited(number, chance, line):
    kind = chance.choice(["file size", "memory", "open files", "processes"])
    rows = {
        "file size": (resource.RLIMIT_FSIZE, chance.choice([0, 1, 4096, 65536])),
        # The program itself must fit.
        "memory": (resource.RLIMIT_AS, os.path.getsize(command) + (chance.choice([24, 32, 48, 64, 128]) << 20)),
        "open files": (resource.RLIMIT_NOFILE, chance.randrange(3, 9)),
        "processes": (resource.RLIMIT_NPROC, 1),
    }
    limit, value = rows[kind]
    before = (lambda: os.setuid(65534)) if kind == "processes" and os.getuid() == 0 else (lambda: None)

    def prepare():
        resource.setrlimit(limit, (value, value))
        before()

    stdout = subprocess.PIPE
    done = subprocess.run([command, *line], stdout=stdout, stderr=subprocess.PIPE, timeout=120, preexec_fn=prepare)
    check(number, kind, line, done.returncode, done.stdout, done.stderr)


def full(number, chance, line):
    with open("/dev/full", "wb") as disk:
        done = subprocess.run([command, *line], stdout=disk, stderr=subprocess.PIPE, timeout=120)
    prints = bool(wanted[LINES.index(line)][0])
    if prints and done.returncode == 0:
        faults.append(f"run {number}, full disk, {line[0]}: no error")
    check(number, "full disk", line, done.returncode, None, done.stderr)


def ended(number, chance, line):
    sent = chance.choice([signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP])
    process = subprocess.Popen([command, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(chance.random() * 0.08)
    process.send_signal(sent)
    printed, errors = process.communicate(timeout=120)
    printed = printed if process.returncode == 0 else None
    check(number, "signal", line, process.returncode, printed, errors, (sent,))


def swapped(number, chance, line):
    process = subprocess.Popen([command, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    over = threading.Event()

    def swap():
        while not over.is_set():
            path = chance.choice(list(files.values()))
            what = chance.randrange(4)
            if what < 2:
                put(path, texts[what])
            elif what == 2 and path.exists():
                os.truncate(path, chance.randrange(len(texts[0])))
            else:
                path.unlink(missing_ok=True)
            time.sleep(0.001)

    swapper = threading.Thread(target=swap)
    swapper.start()
    printed, errors = process.communicate(timeout=120)
    over.set()
    swapper.join()
    reset()
    check(number, "swapped files", line, process.returncode, printed, errors, swapped=True)
    output.write_bytes(OLD)
    if "--cache" in line:
        done = run(line)
        check(number, "after swapped files", line, done.returncode, done.stdout, done.stderr)


def together(number, chance, line):
    line = LINES[-1]
    if chance.random() < 0.5:
        shutil.rmtree(cache, ignore_errors=True)
    pair = [subprocess.Popen([command, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    if chance.random() < 0.3:
        time.sleep(chance.random() * 0.05)
        pair[0].kill()
    for process in pair:
        printed, errors = process.communicate(timeout=120)
        printed = printed if process.returncode == 0 else None
        check(number, "two processes", line, process.returncode, printed, errors, (signal.SIGKILL,))


os.chmod(folder, 0o755)
for number in range(first, first + runs):
    chance = random.Random(number)
    output.write_bytes(OLD)
    kind = chance.choice([limited, limited, full, ended, swapped, together])
    kind(number, chance, chance.choice(LINES))
    if any(path.name.startswith(".corefeval-") for path in folder.iterdir()):
        # Only a signal may leave an unfinished file.
        for path in folder.glob(".corefeval-*"):
            path.unlink()
        if kind in (limited, full):
            faults.append(f"run {number}, {kind.__name__}: a file was left behind")
    for fault in faults[:20] if len(faults) > 20 else []:
        print(fault)
    if len(faults) > 20:
        break

shutil.rmtree(folder)
for fault in faults:
    print(fault)
print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
print(f"{sum(counts.values()) - len(faults)} passed, {len(faults)} failed")
sys.exit(bool(faults))
