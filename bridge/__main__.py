"""The console script `teambridge`, also `python -m bridge`."""

import importlib
import signal
import sys


def main() -> None:
    """Run the command that the command line names, and exit with its code."""
    if "serve" in sys.argv[1:2]:
        _stop_quietly()
    program = importlib.import_module("bridge.cli.program")  # only now: a signal while this imports must be heard
    sys.exit(program.run(sys.argv[1:]))


def _stop_quietly() -> None:
    """Until the server itself listens for them, SIGTERM and SIGINT end the start: nothing has begun, exit 0."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))


if __name__ == "__main__":
    main()
