"""The command ``corefeval`` that the wheel installs: the same as the native one."""

from __future__ import annotations

import signal
import sys

from ._corefeval import run_command


def main() -> int:
    """Runs the command with the arguments of this process and returns its exit status."""
    # Ctrl-C ends the process as it ends the native command; Python would wait for the work to be done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return run_command(["corefeval", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
