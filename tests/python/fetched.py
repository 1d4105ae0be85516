"""The original evaluators that the drop-ins replace, which `.ci/originals FOLDER` fetches.

`COREFEVAL_ORIGINALS` names the folder. Their imports other than NumPy and SciPy are large and not used in counting, so small
stand-ins replace them.
"""

from __future__ import annotations

import os
import pathlib
import re
import sys
import types
from typing import Any
from unittest import mock

import numpy

#: The folder, if it is set.
FOLDER = os.environ.get("COREFEVAL_ORIGINALS")


def has(name: str) -> bool:
    """Returns whether an original was fetched."""
    return FOLDER is not None and pathlib.Path(FOLDER, f"{name}.py").is_file()


def original(name: str) -> types.ModuleType:
    """Returns an original as a module: `e2e`, `coval`, `allennlp` or `spacy`."""
    path = pathlib.Path(FOLDER or ".", f"{name}.py")
    module = types.ModuleType(f"original.{name}")
    module.__package__ = "original"
    with mock.patch.dict(sys.modules, _stand_ins()):
        exec(compile(path.read_text(), path, "exec"), module.__dict__)
    return module


class Tensor(numpy.ndarray):
    """An array with the methods of a tensor that AllenNLP uses."""

    def cpu(self) -> Tensor:
        """Returns the tensor."""
        return self


def tensor(values: Any) -> Tensor:
    """Returns values as a tensor."""
    return numpy.array(values).view(Tensor)


class _Metric:
    """The base of AllenNLP's metrics."""

    @staticmethod
    def register(_: str) -> Any:
        return lambda kind: kind

    @staticmethod
    def detach_tensors(*tensors: Any) -> tuple[Any, ...]:
        return tensors


def _stand_ins() -> dict[str, types.ModuleType]:
    """Returns stand-ins for the modules that the originals import."""
    content: dict[str, dict[str, Any]] = {
        "torch": {"Tensor": Tensor},
        "allennlp": {},
        "allennlp.nn": {},
        "allennlp.nn.util": {"dist_reduce_sum": lambda value: value},
        "allennlp.training": {},
        "allennlp.training.metrics": {},
        "allennlp.training.metrics.metric": {"Metric": _Metric},
        "spacy": {},
        "spacy.tokens": {"Doc": object},
        "spacy.training": {"Example": object},
        "original": {},
        "original.coref_util": {
            "DEFAULT_CLUSTER_PREFIX": "coref_clusters",
            # A span group is a cluster if its name consists of the prefix and a number.
            "matches_coref_prefix": lambda prefix, key: re.fullmatch(f"{prefix}_[0-9]+", key) is not None,
        },
    }
    modules = {}
    for name, names in content.items():
        modules[name] = types.ModuleType(name)
        modules[name].__dict__.update(names)
    return modules
