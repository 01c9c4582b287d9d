"""`teambridge chat`: talk to a team in the terminal."""

import asyncio
import json
import os
import threading
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final, TextIO

import typer
from aiohttp import ClientWebSocketResponse, WSMsgType
from rich.console import Console

from bridge.answers import Answer, read_answer
from bridge.app import run_program
from bridge.cli.errors import FAILED, CommandError
from bridge.cli.options import ConfigFile
from bridge.cli.remote import Json, Remote, connected
from bridge.cli.screen import Screen
from bridge.commands.parse import parse_command
from bridge.config import find_config, load_config
from bridge.config.language import own_language
from bridge.notices import Locale, Notices
from bridge.runfile import find_running
from bridge.telemetry import VARIABLE as LOG_VARIABLE

_QUIT: Final = "/quit"
_STOP: Final = "/stop"
_ANSWERS: Final = ("approve", "deny")


def chat(
    agent: Annotated[str, typer.Option(metavar="ID", help="A team or an expert; else the first team.")] = "",
    url: Annotated[str, typer.Option(help="A running server; else the one of the configuration.")] = "",
    token: Annotated[str, typer.Option(envvar="TEAMBRIDGE_TOKEN", help="A token of that server.")] = "",
    config: ConfigFile = None,
) -> None:
    """Talk to a team. /stop stops the host, /approve and /deny decide about a tool, /quit or Ctrl-D ends the chat."""
    asyncio.run(_chat(agent, url, token, config))


async def _chat(agent: str, url: str, token: str, config: Path | None) -> None:
    async with _server(url, token, config) as (remote, locale):
        chosen = await _choose(remote, agent)
        session = await remote.post("/api/sessions", {"agent_id": chosen["id"]})
        screen = Screen(Console(), Notices(locale))
        async with remote.live(f"/api/sessions/{session['id']}/live?after=0") as socket:
            typer.echo(f"{chosen['name']} ({chosen['id']}) — /stop, /approve, /deny, /quit")
            await Conversation(remote, str(session["id"]), screen).hold(socket, _lines(typer.get_text_stream("stdin")))


@asynccontextmanager
async def _server(url: str, token: str, given: Path | None) -> AsyncIterator[tuple[Remote, Locale]]:
    """The named server, else the one that runs with this configuration, else one in this process."""
    if url:
        async with connected(url, token) as remote:
            yield remote, own_language(os.environ) or "en"
        return
    path = find_config(given)
    config = load_config(path)
    running = find_running(config.data_dir)
    if running is not None:
        async with connected(running.url, running.token) as remote:
            yield remote, config.locale
        return
    os.environ.setdefault(LOG_VARIABLE, "error")
    async with run_program(config, path) as program, connected(program.url, program.token) as remote:
        yield remote, config.locale


async def _choose(remote: Remote, wanted: str) -> Json:
    """The agent to talk to. Raises CommandError if there is none."""
    agents = await remote.all_items("/api/agents")
    teams_first = sorted(agents, key=lambda agent: agent["kind"] != "team")
    for agent in teams_first:
        if wanted in ("", agent["id"]):
            return agent
    known = ", ".join(agent["id"] for agent in teams_first)
    raise CommandError(f'no agent has the id "{wanted}"; there are {known}' if known else "there are no agents yet")


class Conversation:
    """What is typed goes to the session, what happens there to the screen."""

    def __init__(self, remote: Remote, session_id: str, screen: Screen) -> None:
        self._remote = remote
        self._path = f"/api/sessions/{session_id}"
        self._screen = screen
        self._seen = 0
        self._happened = asyncio.Event()

    async def hold(self, socket: ClientWebSocketResponse, lines: AsyncIterator[str]) -> None:
        """Until /quit, or until the input ends and everything that was asked is answered."""
        works = {asyncio.ensure_future(self._listen(socket)), asyncio.ensure_future(self._speak(lines))}
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)
            self._screen.close()
        for work in done:
            work.result()

    async def _listen(self, socket: ClientWebSocketResponse) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            frame = json.loads(message.data)
            self._screen.show(frame)
            if frame["type"] == "event":
                self._seen = frame["event"]["seq"]
                self._happened.set()
        raise CommandError("the server closed the connection", FAILED)

    async def _speak(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            text = line.strip()
            if text == _QUIT:
                return
            if text == _STOP:
                await self._remote.post(f"{self._path}/stop")
            elif (command := parse_command(text)) is not None and command.name in _ANSWERS:
                await self._answer(read_answer(command.name, command.argument))
            elif text:
                key = {"Idempotency-Key": str(uuid.uuid4())}
                await self._remote.post(f"{self._path}/inputs", {"text": text}, **key)
        await self._rest()

    async def _answer(self, answer: Answer) -> None:
        """Decide about what waits, if it is clear what is meant."""
        waiting = [each["id"] for each in await self._remote.all_items(f"{self._path}/approvals")]
        meant = [each for each in waiting if answer.code in ("", each)]
        if len(meant) == 1:
            await self._remote.post(f"{self._path}/approvals/{meant[0]}", {"decision": answer.decision})
        else:
            self._screen.tell("approval.several" if meant else "approval.nothing", codes=", ".join(meant))

    async def _rest(self) -> None:
        """Wait until nothing is going on and all of it was shown; looks again whenever something happened."""
        while await self._is_busy():
            await self._happened.wait()
            self._happened.clear()

    async def _is_busy(self) -> bool:
        """Jobs are asked for twice: the turn between may have closed and dispatched some."""
        jobs = await self._jobs()
        session = await self._remote.get(self._path)
        is_open = any(not closed for closed in jobs.values())
        return session["phase"] != "IDLE" or is_open or self._seen < session["seq"] or jobs != await self._jobs()

    async def _jobs(self) -> dict[str, bool]:
        """Which jobs there are, and whether each is closed."""
        return {job["id"]: bool(job["closed_at"]) for job in await self._remote.all_items(f"{self._path}/jobs")}


async def _lines(source: TextIO) -> AsyncIterator[str]:
    """Lines as they are typed. A thread reads them, for nothing else can wait for a terminal everywhere; it is a
    daemon, so that it holds nobody up when the program ends."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        line = "…"
        while line:
            line = source.readline()
            loop.call_soon_threadsafe(typed.put_nowait, line)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while line := await typed.get():
        yield line


def register(application: typer.Typer) -> None:
    application.command()(chat)
