"""The extension: private; what it does is documented where the package calls it."""

from collections.abc import Iterable, Sequence
from typing import Any, final

__all__ = [
    "VERSION",
    "Documents",
    "Rendered",
    "compare",
    "compare_files",
    "list_metrics",
    "list_options",
    "run_command",
    "score_files",
]

VERSION: str

def run_command(typed: Sequence[str]) -> int: ...
def score_files(arguments: Sequence[str]) -> Rendered: ...
def compare_files(arguments: Sequence[str]) -> Rendered: ...
def list_options() -> list[tuple[str, list[str], bool]]: ...
def list_metrics() -> list[str]: ...

_Labels = tuple[bytes, int] | list[Any]
_Packed = list[tuple[str, bytes]]

@final
class Documents:
    def __new__(cls) -> Documents: ...
    def __len__(self) -> int: ...
    def add(
        self, id: str | None, key: Iterable[Iterable[Any]] | None, response: Iterable[Iterable[Any]] | None
    ) -> None: ...
    def add_labels(self, id: str | None, key: _Labels, response: _Labels) -> None: ...
    def merge(self, other: Documents) -> None: ...
    def clear(self) -> None: ...
    def score(
        self,
        *,
        name: str,
        profile: str | None,
        metrics: str | None,
        choices: list[tuple[str, str]],
        by_document: bool,
        strict: bool,
        threads: int | None,
    ) -> Rendered: ...
    def state(self) -> tuple[_Packed, _Packed, list[str]]: ...
    @staticmethod
    def from_state(key: _Packed, response: _Packed, numbers: list[str]) -> Documents: ...

@final
class Rendered:
    def render(self, output: str) -> str: ...
    def outputs(self) -> list[str]: ...

def compare(
    systems: list[tuple[str, Documents]],
    *,
    profile: str | None,
    metrics: str | None,
    choices: list[tuple[str, str]],
    method: list[tuple[str, str]],
    baseline: str | None,
    sort: str | None,
    shared_documents: bool,
    strict: bool,
    threads: int | None,
) -> Rendered: ...
