"""Shadows ``scorer.py`` of the package ``coreference-eval``, whose module is also called ``corefeval``.

If that package was installed after this one, its ``__init__.py`` has replaced ours and imports ``corefeval.scorer`` first.
Python finds a folder before a file of the same name, so this module can warn, even without NumPy, which that package
requires. In all other cases, importing this module fails as if it did not exist.
"""

from __future__ import annotations

import importlib.util
import os
import sys

from .._namesake import MESSAGE, warn_of_namesake

_path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "scorer.py")
if not os.path.exists(_path):
    raise ModuleNotFoundError(f"No module named {__name__!r}", name=__name__)
_spec = importlib.util.spec_from_file_location(__name__, _path)
assert _spec is not None and _spec.loader is not None
_theirs = importlib.util.module_from_spec(_spec)
try:
    _spec.loader.exec_module(_theirs)
except ImportError as _error:
    raise ImportError(MESSAGE) from _error
sys.modules[__name__] = _theirs
warn_of_namesake(stacklevel=3)
