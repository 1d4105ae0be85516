"""What the tests share. They run against the installed package, wherever that is."""

from __future__ import annotations

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples() -> pathlib.Path:
    """The documents that the repository ships."""
    return ROOT / "examples"
