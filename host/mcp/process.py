"""A child process with everything that it starts: one process group of its own, which ends as a whole."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final, NamedTuple

_INHERITED: Final = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""What a child gets of our environment. The rest may hold secrets that are none of its business."""

_CHUNK: Final = 65_536
_PARTING: Final = 1.0
"""Seconds for a child to go once nobody writes to it, and again once it is told to."""


class Line(NamedTuple):
    """A line without its end; `cut` if it was longer."""

    text: bytes
    cut: bool


class Child:
    """A running child. `exited` is set as soon as it is dead, even if something that it started holds its pipes."""

    def __init__(self, process: Process, transport: asyncio.SubprocessTransport, exited: asyncio.Event) -> None:
        self._process = process
        self._transport = transport
        self.exited = exited

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    def lines(self, at_most: int) -> AsyncIterator[Line]:
        """What it writes to its output."""
        return _lines(self._process.stdout, at_most)

    def complaints(self, at_most: int) -> AsyncIterator[Line]:
        """What it writes to its error output."""
        return _lines(self._process.stderr, at_most)

    async def tell(self, data: bytes) -> None:
        """Write to its input. Raises OSError when it does not listen any more."""
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            raise BrokenPipeError
        stdin.write(data)
        await stdin.drain()

    async def end(self) -> None:
        """Close its input, then ask it to go, then make it and all that it started go: 2 s at most, even cancelled."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            if not await self._gone():
                self._signal(signal.SIGTERM)
                await self._gone()
        finally:
            self._signal(signal.SIGKILL)
            await self._gone()
            self._transport.close()

    async def _gone(self) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PARTING):
                await self.exited.wait()
        return self.exited.is_set()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


class _Watched(SubprocessStreamProtocol):
    """asyncio's own `Process.wait` goes on until the pipes are closed, which grandchildren may keep open."""

    def __init__(self) -> None:
        super().__init__(limit=_CHUNK, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


async def start_child(command: Sequence[str], env: Mapping[str, str]) -> Child:
    """Start it as the leader of a new session. Raises OSError, ValueError when it cannot be started."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        _Watched, *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment(env), start_new_session=True
    )
    return Child(Process(transport, protocol, loop), transport, protocol.exited)


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """What a child finds in its environment: little of ours, and what the configuration gives it."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(own)


async def _lines(reader: asyncio.StreamReader | None, at_most: int) -> AsyncIterator[Line]:
    """Each line, cut after `at_most` bytes; a line without an end is given as soon as it is too long."""
    rest, swallowing = b"", False
    while reader is not None and (chunk := await reader.read(_CHUNK)):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if not swallowing:
                yield Line(line[:at_most], len(line) > at_most)
            swallowing = False
        if swallowing or len(rest) > at_most:
            if not swallowing:
                yield Line(rest[:at_most], cut=True)
            rest, swallowing = b"", True
    if rest and not swallowing:
        yield Line(rest, cut=False)
