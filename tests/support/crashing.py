"""The real program with a fuse: it kills itself at the n-th commit after it was armed.

`python -m tests.support.crashing` reads one JSON object a line from stdin, `{"argv", "stdout", "stderr", "tally",
"fuse"}`, forks, and runs `teambridge` with that argv in the child; it answers `{"pid"}` at once and `{"pid", "exit"}`
when the child is over. Forking an interpreter that has everything imported is what makes a kill at every commit, and a
program of its own for every test, affordable.

SIGUSR1 arms the fuse: from then on each commit of a transaction adds a byte to the file `tally`, and the process kills
itself with SIGKILL at commit `fuse["at"]`, before or after it as `fuse["when"]` says. Without a fuse it only counts.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from bridge.__main__ import main
from store.inline import Inline
from store.server import Remote

PRELOADED = (
    *("bridge.app", "bridge.cli.serve", "channels.webhook.channel", "host.models.openai", "host.models.loop"),
    *("store.migrations.run", "store.schema", "alembic.command"),
)
"""What the program imports while it starts and during its first turn, so that the children need not."""


class Fuse:
    """Counts the commits after it was armed and burns down at one of them."""

    def __init__(self, tally: str, at: int, when: str) -> None:
        self._tally = os.open(tally, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._at = at
        self._when = when
        self._armed = False
        self._commits = 0
        _around(Inline, self)
        _around(Remote, self)

    def arm(self, *_: object) -> None:
        self._armed = True

    async def pass_by(self, commit: Callable[[], Awaitable[None]]) -> None:
        """One commit, with what the fuse does before and after it."""
        self._commits += self._armed
        number = self._armed and self._commits  # another may begin before this one is through
        self._burn(number, "before")
        await commit()
        if number:
            os.write(self._tally, b".")
        self._burn(number, "after")

    def _burn(self, number: int, when: str) -> None:
        if number and number == self._at and when == self._when:
            os.kill(os.getpid(), signal.SIGKILL)


def _around(kind: type[Inline] | type[Remote], fuse: Fuse) -> None:
    """Every commit of a transaction of this kind passes by the fuse."""
    plain = kind.commit
    setattr(kind, "commit", lambda transaction: fuse.pass_by(partial(plain, transaction)))  # noqa: B010


def serve_orders() -> None:
    """Fork children as told on stdin until it ends; say how each of them ended."""
    for name in PRELOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, _reap)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os._exit(_run(json.loads(line)))
        _tell(pid=pid)


def _reap(*_: object) -> None:
    """Children that have ended, in a signal handler."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            _tell(pid=ended[0], exit=os.waitstatus_to_exitcode(ended[1]))


def _run(order: Mapping[str, Any]) -> int:
    """The child: our own files for the standard streams, the fuse, then the program; its exit code."""
    for number, name, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, order["stdout"], _APPEND),
        (2, order["stderr"], _APPEND),
    ):
        os.dup2(os.open(name, flags, 0o600), number)
    fuse = Fuse(order["tally"], order["fuse"]["at"], order["fuse"]["when"])
    signal.signal(signal.SIGUSR1, fuse.arm)
    sys.argv = ["teambridge", *order["argv"]]
    try:
        main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _tell(**fact: int) -> None:
    """One line, in one write: a signal may come in between two."""
    os.write(1, json.dumps(fact).encode() + b"\n")


_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND

if __name__ == "__main__":
    serve_orders()
