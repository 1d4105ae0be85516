"""The extension: private; what it does is documented where the package calls it."""

from collections.abc import Iterable, Sequence
from typing import Any, final

__all__ = [
    "VERSION",
    "Document",
    "Documents",
    "LabelNumbers",
    "Rendered",
    "check_settings",
    "compare",
    "documents_of",
    "list_metrics",
    "list_options",
    "read",
    "reported",
    "run_command",
    "unwinds",
    "write",
]

VERSION: str

def run_command(typed: Sequence[str]) -> int: ...
def reported(
    subcommand: str, arguments: Sequence[str], given: Sequence[tuple[str, Sequence[Document]]]
) -> Rendered: ...
def check_settings(profile: str | None, metrics: str | None, choices: list[tuple[str, str]]) -> None: ...
def list_options() -> list[tuple[str, list[str], bool]]: ...
def list_metrics() -> list[str]: ...
def unwinds() -> bool: ...

_Finding = dict[str, Any]
_Pair = tuple[int, int]
_Given = tuple[int, int, int, int | None, Sequence[_Pair], Sequence[_Pair], Sequence[tuple[str, str]]]
_Details = tuple[list[_Pair], list[_Pair], list[tuple[str, str]]]
_Found = tuple[int, int, int, int | None, _Details | None, int, int]
_Bridge = tuple[list[_Pair], list[_Pair] | None, int | None, str]

def read(
    paths: Sequence[str], *, format: str | None, response: bool, choices: list[tuple[str, str]], strict: bool
) -> tuple[list[Document], list[_Finding]]: ...
def write(
    documents: Sequence[Document], *, format: str, choices: list[tuple[str, str]], strict: bool
) -> tuple[str | list[tuple[str, str]], list[_Finding]]: ...
def documents_of(
    name: str, sides: Sequence[tuple[str, Iterable[Iterable[Any]]]], exclusive: bool
) -> tuple[list[Document], list[_Finding]]: ...
@final
class Document:
    @staticmethod
    def make(
        name: str,
        part: int | None,
        sentences: Sequence[Sequence[str]] | None,
        entities: Sequence[str],
        given: Sequence[_Given],
        topic: str | None,
        genre: str | None,
    ) -> Document: ...
    def with_entities(self, entities: Sequence[str], given: Sequence[_Given]) -> Document: ...
    def about(self) -> tuple[str, str, int | None, str | None, str | None, str, int, str]: ...
    def tokens(self) -> list[str] | None: ...
    def places(self) -> tuple[int, list[int], list[int]]: ...
    def entities(self) -> tuple[list[str], list[_Found]]: ...
    def relations(self) -> tuple[list[tuple[int, list[int]]], list[_Bridge], list[_Found]]: ...
    def coval_mentions(
        self, key: Document, choices: list[tuple[str, str]]
    ) -> list[tuple[int, int, int, int, list[str], list[tuple[str, int]]]]: ...
    def state(self) -> tuple[str, bytes]: ...
    @staticmethod
    def from_state(format: str, bytes: bytes) -> Document: ...

@final
class LabelNumbers:
    def __new__(cls, labels: tuple[bytes, int] | list[Any] | Any, side: str, named: bool) -> LabelNumbers: ...
    def __len__(self) -> int: ...
    def entities(self, mentions: Sequence[Any]) -> list[list[Any]]: ...

_Packed = list[tuple[str, bytes]]

@final
class Documents:
    def __new__(cls, exclusive: bool = False) -> Documents: ...
    def __len__(self) -> int: ...
    def add(
        self, id: str | None, key: Iterable[Iterable[Any]] | None, response: Iterable[Iterable[Any]] | None
    ) -> None: ...
    def add_labels(self, id: str | None, key: LabelNumbers, response: LabelNumbers) -> None: ...
    def merge(self, other: Documents) -> None: ...
    def given_names(self) -> list[str]: ...
    def clear(self) -> None: ...
    def score(
        self,
        *,
        name: str,
        profile: str | None,
        metrics: str | None,
        choices: list[tuple[str, str]],
        by: str | None,
        strict: bool,
        threads: int | None,
    ) -> Rendered: ...
    def state(self) -> tuple[_Packed, _Packed, list[str], str | None, bool]: ...
    @staticmethod
    def from_state(
        key: _Packed, response: _Packed, numbers: list[str], wordless: str | None, exclusive: bool
    ) -> Documents: ...

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
