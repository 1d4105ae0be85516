"""The ``evaluator`` and ``reader`` of coval, with the same arguments and scores.

    from corefeval.coval import evaluator, reader, util  # instead of: from coval.eval import evaluator, …
    infos = reader.get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span)
    evaluator.evaluate_documents(infos, evaluator.muc)

This module also exports the names of :mod:`corefeval.coval.evaluator`.
"""

from __future__ import annotations

from . import evaluator, reader, util
from .evaluator import *  # noqa: F403

__all__ = ["evaluator", "reader", "util"]
__all__ += evaluator.__all__
