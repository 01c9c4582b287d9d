"""The real program, run as a process in a folder of its own: started, killed, stopped, started again."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from aiohttp import ClientConnectionError, ClientSession

from tests.support.gate import DEADLINE
from tests.support.settings import to_toml
from tests.support.stores import with_store

ROOT = Path(__file__).parents[2]


_NOBODY = 0
"""Instead of a pid: nobody will be born any more."""


def free_port() -> int:
    """A port that nobody uses now; the program gets it in its file, so that it comes back on the same one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Running(Protocol):
    """One process of the program."""

    @property
    def pid(self) -> int: ...

    async def wait(self) -> int:
        """Its exit code, negative for a signal."""


class Launcher(Protocol):
    """How a process of the program is made."""

    async def launch(self, argv: list[str], folder: Path) -> Running: ...


class Exec:
    """`python -m bridge …`, as a person would."""

    async def launch(self, argv: list[str], folder: Path) -> Running:
        with (folder / "stdout").open("ab") as out, (folder / "stderr").open("ab") as err:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bridge",
                *argv,
                cwd=ROOT,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )


@dataclass(frozen=True, kw_only=True)
class Forked:
    """A child of the Nursery."""

    pid: int
    over: asyncio.Future[int]

    async def wait(self) -> int:
        return await asyncio.shield(self.over)


class Nursery:
    """Forks the program from an interpreter that has imported it: a start costs a fifth of an exec (crashing.py)."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._ends: dict[int, asyncio.Future[int]] = {}
        self._born: asyncio.Queue[int] = asyncio.Queue()
        self._one_birth = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.support.crashing"),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self._listening = asyncio.create_task(self._listen(self._process.stdout))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def launch(self, argv: list[str], folder: Path, fuse: Mapping[str, Any] | None = None) -> Running:
        assert self._process is not None
        assert self._process.stdin is not None
        names = {name: str(folder / name) for name in ("stdout", "stderr", "tally")}
        order = {"argv": argv, "fuse": fuse or {"at": 0, "when": "never"}, **names}
        async with self._one_birth:  # a queue does not serve those who wait for it in turn
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            pid = await self._born.get()
        assert pid, "the interpreter that forks programs has ended"
        return Forked(pid=pid, over=self._end_of(pid))

    def _end_of(self, pid: int) -> asyncio.Future[int]:
        return self._ends.setdefault(pid, asyncio.get_running_loop().create_future())

    async def _listen(self, answers: asyncio.StreamReader) -> None:
        async for line in answers:
            told = json.loads(line)
            if "exit" in told:
                self._end_of(told["pid"]).set_result(told["exit"])
            else:
                self._born.put_nowait(told["pid"])
        self._born.put_nowait(_NOBODY)


class Fuse:
    """Launches from the Nursery; the next process dies at commit `at` after it was armed, "before" or "after" it."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self.at = 0
        self.when = "never"

    def burn(self, at: int, when: str) -> None:
        self.at, self.when = at, when

    async def launch(self, argv: list[str], folder: Path) -> Running:
        return await self._nursery.launch(argv, folder, {"at": self.at, "when": self.when})


class Program:
    """One installation: its folder, its configuration, and the process that runs it now.

    `patience` are the seconds until it must be ready.
    """

    def __init__(self, folder: Path, config: Mapping[str, Any], launcher: Launcher | None = None) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{config['server']['port']}"
        self.config_file = folder / "config.toml"
        self._launcher = launcher or Exec()
        self._running: Running | None = None
        self.patience = DEADLINE
        folder.mkdir(parents=True, exist_ok=True)
        self.configure(config)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    def configure(self, config: Mapping[str, Any]) -> None:
        """Write the file; it holds from the next start on."""
        self.config_file.write_text(to_toml(with_store(config, self.folder)), encoding="utf-8")

    @property
    def is_born(self) -> bool:
        """Whether there is a process, ready or not."""
        return self._running is not None

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    @property
    def stdout(self) -> str:
        return self._read("stdout")

    @property
    def stderr(self) -> str:
        return self._read("stderr")

    @property
    def commits(self) -> int:
        """How many commits were made since the fuse was armed."""
        return len(self._read("tally"))

    async def start(self) -> None:
        """Start and wait until `/readyz` says yes. Raises AssertionError with what it said if it ends before."""
        self._running = await self._launcher.launch(["serve", "--config", str(self.config_file)], self.folder)
        await self._ready(self._running)

    async def ends(self, *argv: str) -> tuple[int, str]:
        """Run a command that is expected to end by itself: its exit code and what it said on stderr."""
        self._running = await self._launcher.launch([*argv, "--config", str(self.config_file)], self.folder)
        return await self.wait(), self.stderr

    async def wait(self, within: float = DEADLINE) -> int:
        """The exit code of a process that ends by itself."""
        assert self._running is not None
        async with asyncio.timeout(within):
            code = await self._running.wait()
        self._running = None
        return code

    async def kill(self) -> None:
        """SIGKILL, if it still runs."""
        await self._signal(signal.SIGKILL)

    async def terminate(self) -> None:
        """SIGTERM: it must end well within ten seconds."""
        code = await self._signal(signal.SIGTERM, within=10)
        assert code == 0, f"exit {code}\n{self.stderr[-4000:]}"

    def arm(self) -> None:
        """Count commits, and burn the fuse, from here on."""
        os.kill(self.pid, signal.SIGUSR1)

    async def run(self, *argv: str, within: float = DEADLINE) -> tuple[int, str, str]:
        """Another command of the program with the same file: exit code, stdout, stderr."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bridge", *argv),
            cwd=ROOT,
            env=os.environ | {"TEAMBRIDGE_CONFIG": str(self.config_file)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(within):
            out, err = await process.communicate()
        return int(process.returncode or 0), out.decode(), err.decode()

    async def _signal(self, number: signal.Signals, within: float = DEADLINE) -> int | None:
        if (running := self._running) is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.kill(running.pid, number)
        return await self.wait(within)

    async def _ready(self, running: Running) -> None:
        """Nothing tells us from outside that a port has opened: ask until it answers."""
        over = asyncio.ensure_future(running.wait())
        try:
            async with asyncio.timeout(self.patience), ClientSession() as http:
                while not await self._answers(http):
                    done, _ = await asyncio.wait({over}, timeout=0.01)
                    assert not done, f"ended with {over.result()}\n{self.stderr[-4000:]}"
        finally:
            over.cancel()

    async def _answers(self, http: ClientSession) -> bool:
        try:
            async with http.get(f"{self.url}/readyz") as response:
                return response.status == 200
        except ClientConnectionError:
            return False

    def _read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
