"""Fixtures and helpers of the tests, which run against the installed package."""

from __future__ import annotations

import concurrent.futures
import gc
import importlib.util
import pathlib
import tracemalloc

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples() -> pathlib.Path:
    """The example documents of the repository."""
    return ROOT / "examples"


#: `.[test]` installs mypy, as in CI; the tested code runs without it.
NEEDS_MYPY = pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="mypy is not installed")


def optional(module: str, extra: str = "test"):
    """Imports a module that corefeval does not need, or skips the test that uses it: users need not have it either."""
    return pytest.importorskip(module, reason=f"{module} is not installed; .[{extra}] installs it")


def side_by_side(tasks):
    """Runs each task on a separate thread and re-raises exceptions."""
    with concurrent.futures.ThreadPoolExecutor(len(tasks)) as threads:
        for done in [threads.submit(task) for task in tasks]:
            done.result()


def resident() -> int:
    """Returns the resident memory of the process in bytes; on systems without ``/proc``, its peak."""
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024
    resource = pytest.importorskip("resource", reason="this system has neither /proc nor the module resource")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def least_growth(call, count: int, limit: int, measure) -> int:
    """Returns the smallest growth of `measure`, in bytes, over rounds of `count` calls; stops at a round below `limit`.

    A leak grows in every round. Caches, free lists and the allocator's arenas grow only in some rounds, which depend on the
    tests that ran before in the same process.
    """
    for _ in range(count):
        call()
    growth = []
    while len(growth) < 60 and min(growth, default=limit) >= limit:
        gc.collect()
        before = measure()
        for _ in range(count):
            call()
        gc.collect()
        growth.append(measure() - before)
    return min(growth)


def assert_nothing_leaks(call, count: int = 50):
    """Asserts that neither Python's memory nor the memory of the process grows over many calls."""
    # Tracing starts before the first calls: otherwise objects that replace untraced ones in a cache count as growth.
    tracemalloc.start()
    try:
        # Any container (a list, a tuple, an exception) has 40 bytes or more.
        growth = least_growth(call, count, count * 40, lambda: tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert growth < count * 40, f"{growth} bytes of Python's memory in {count} calls"
    # A call that keeps a document keeps 10 KB or more.
    growth = least_growth(call, 10 * count, 4 << 20, resident)
    assert growth < 4 << 20, f"{growth} bytes of the process in {10 * count} calls"
