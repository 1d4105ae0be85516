"""The types of keys and responses for type checkers. They do not exist at run time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Protocol, Union

from typing_extensions import Buffer

from .documents import Document
from .labels import Labels


class _Array(Protocol):
    def __array__(self) -> Any: ...


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


#: The entities of one document, or labels of its mentions.
Entities = Union[Iterable[Iterable[Hashable]], Labels, _Array, _ArrowStream, _ArrowArray, Buffer]

#: Documents as :func:`corefeval.read` returns them.
Documents = Union[Document, Iterable[Document]]

#: A key or a response: one document, documents by name, or documents.
Side = Union[Entities, Mapping[Any, Entities], Documents]
