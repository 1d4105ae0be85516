"""The command ``corefeval`` that the wheel installs, which equals the native command."""

from __future__ import annotations

import signal
import sys

from ._corefeval import run_command
from ._namesake import warn_of_namesake


def main() -> int:
    """Runs the command with the arguments of this process and returns its exit status."""
    # Ctrl-C ends the process, as with the native command; Python would wait until the work is done.
    if not {"__version__", "scorer"} & vars(sys.modules[__package__]).keys():
        # The package's own ``__init__.py`` was replaced, and nothing has warned.
        warn_of_namesake(stacklevel=1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return run_command(["corefeval", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
