"""The package ``coreference-eval``, whose module has the same name as this one."""

from __future__ import annotations

import os
import warnings

from .exceptions import CorefevalWarning

#: Files of that package that this package does not have.
_ITS_FILES = (("scorer.py",), ("utils", "linear_assignment.py"))
MESSAGE = (
    "the package coreference-eval has installed its files into the folder of corefeval; "
    "uninstall coreference-eval, and install corefeval again"
)


def warn_of_namesake(stacklevel: int) -> None:
    """Warns if files of ``coreference-eval`` are in the folder of this package. If that package was installed later, its
    ``__init__.py`` has replaced ours and imports the package ``scorer``, which calls this function."""
    folder = os.path.dirname(__file__)
    if any(os.path.exists(os.path.join(folder, *path)) for path in _ITS_FILES):
        warnings.warn(MESSAGE, CorefevalWarning, stacklevel=stacklevel + 1)
