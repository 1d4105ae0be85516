"""The package ``coreference-eval``, whose module has the same name as this one."""

from __future__ import annotations

import os
import warnings

from .exceptions import CorefevalWarning

#: Files that it has and this package does not have.
_ITS_FILES = (("scorer.py",), ("utils", "linear_assignment.py"))
MESSAGE = (
    "the package coreference-eval has installed its files into the folder of corefeval; "
    "uninstall coreference-eval, and install corefeval again"
)


def warn_of_namesake(stacklevel: int) -> None:
    """Warns if its files are among ours. If it was installed after this package, its ``__init__.py`` has replaced ours;
    then the package ``scorer`` calls this, which its ``__init__.py`` imports."""
    folder = os.path.dirname(__file__)
    if any(os.path.exists(os.path.join(folder, *path)) for path in _ITS_FILES):
        warnings.warn(MESSAGE, CorefevalWarning, stacklevel=stacklevel + 1)
