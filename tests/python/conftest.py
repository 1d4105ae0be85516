"""Shared by the tests, which run against the installed package."""

from __future__ import annotations

import concurrent.futures
import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples() -> pathlib.Path:
    """The documents that the repository ships."""
    return ROOT / "examples"


#: It comes with `.[test]`, which CI installs; what is tested runs without it.
NEEDS_MYPY = pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="mypy is not installed")


def side_by_side(tasks):
    """Runs each on a separate thread and re-raises their exceptions."""
    with concurrent.futures.ThreadPoolExecutor(len(tasks)) as threads:
        for done in [threads.submit(task) for task in tasks]:
            done.result()
