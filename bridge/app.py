"""The composition root: the only file that names every concrete part. It wires, starts and stops them, nothing else."""

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import structlog
from aiohttp import web

from bridge.api.auth import new_login_code, prepare_accounts
from bridge.api.parts import Check, Parts, Settings
from bridge.api.server import build_app, runner
from bridge.atwork import AtWork
from bridge.changes import Changes
from bridge.commands.context import Tools
from bridge.commands.desk import Desk
from bridge.config import Config, ConfigError
from bridge.config.errors import Fault, shown
from bridge.config.rules import BUILTIN_TOOLS, warnings_of
from bridge.datadir import make_data_dir
from bridge.delivery import Courier
from bridge.engine import Engine, by_prefix, of_name
from bridge.files import Porter
from bridge.handover import NoteTaker
from bridge.intake import Intake
from bridge.lineup import Entry, Lineup
from bridge.live import LiveHub, Together
from bridge.mapping import (
    OWNER,
    api_settings,
    model_specs,
    secrets_of,
    server_specs,
)
from bridge.metrics import Metrics, read_backlog
from bridge.notices import Notices
from bridge.opening import make_channel
from bridge.pairing import Approvals, Pairing
from bridge.parting import part_together
from bridge.plugboard import Plugboard
from bridge.publisher import Publisher
from bridge.pulse import Pulse
from bridge.questions import Questions
from bridge.rate import RateLimits
from bridge.reception import Reception
from bridge.reconcile import reconcile
from bridge.replies import add_reply
from bridge.rounds import Rounds
from bridge.routing import Routing
from bridge.runfile import announced
from bridge.secrecy import Redactor
from bridge.showing import Showing
from bridge.storedchannels import Broken, all_channels
from bridge.supervisor import Supervisor
from bridge.telemetry import configure_logging
from bridge.upkeep import keep_tidy
from bridge.vault import Vault
from channels.base import Channel
from host.deps import Deps
from host.events import Scribe
from host.exclusive import exclusive
from host.filetools import FileTools
from host.mcp.outages import Outages
from host.mcp.servers import Servers
from host.models.registry import Models
from host.roster import Rosters
from host.running import Runs
from host.runtime import Host
from host.shelf import Shelf
from host.toolbox import Toolbox
from host.web import WebTools
from host.workspace import Workspaces
from store.accounts import touch_user
from store.clock import SystemClock
from store.database import Database
from store.upgrade import upgrade

log = structlog.get_logger(__name__)

PATIENCE_AT_THE_END: Final = 2.0
"""Seconds that a stop waits for another process that keeps the store locked."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A running teambridge: where it listens, and how its owner comes in once."""

    url: str
    login_link: str
    token: str
    """A bearer of the owner, good for this run only."""
    failed: asyncio.Event
    """Set when a part that must never end has ended."""


async def serve(config: Config, source: Path | None, check: Check | None = None) -> int:
    """Run until SIGTERM or SIGINT; the process's exit code. Raises ConfigError, AlreadyServing, StoreError."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with run_program(config, source, check) as program:
        sys.stdout.write(f"{program.login_link}\n")
        sys.stdout.flush()
        waits = [asyncio.ensure_future(each.wait()) for each in (stop, program.failed)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
    return 1 if program.failed.is_set() else 0


@asynccontextmanager
async def run_program(config: Config, source: Path | None, check: Check | None = None) -> AsyncIterator[Program]:
    """Everything started in the order of the data, and stopped in its reverse. `check` asks a platform about a channel.

    Stopping: no more requests, runs parked, what was said posted, channels closed, store closed.
    """
    redactor = Redactor(secrets_of(config))
    configure_logging(redactor)
    _warn(config)
    clock = SystemClock()
    _settle_in(config, source)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database(config.database_url, clock))
        await stack.enter_async_context(exclusive(database, config.data_dir, clock))
        await upgrade(database)
        wiring = _Wiring(config, database, clock, redactor, check)
        await _apply_file(wiring, source)
        await _line_up(wiring, source)
        stack.push_async_callback(wiring.models.close)
        await stack.enter_async_context(wiring.tool_servers)
        stack.push_async_callback(part_together, wiring.supervisor.stop, wiring.tool_servers.stop)
        stack.callback(wiring.showing.stop)
        stack.callback(wiring.at_work.stop)
        stack.callback(wiring.questions.stop)
        stack.callback(wiring.notes.stop)
        failed = await _start_lanes(stack, wiring)
        await wiring.supervisor.start()
        program = await _open_doors(stack, wiring, failed)
        _keep_in_background(stack, keep_tidy(database, clock, wiring.shelf), wiring.models.warm())
        stack.callback(database.hurry, PATIENCE_AT_THE_END)
        yield program


def _settle_in(config: Config, source: Path | None) -> None:
    """A data directory that only its owner reads: what people say is in it. Raises ConfigError."""
    os.umask(0o077)
    try:
        make_data_dir(config.data_dir)
    except (OSError, ValueError) as fault:
        problem = f"cannot be used: {getattr(fault, 'strerror', None) or fault}"
        raise Fault(path=("data_dir",), problem=problem).named(str(source) if source else "") from fault


class _Wiring:
    """Every part, made and connected in the order of the data; nothing runs yet."""

    def __init__(
        self, config: Config, database: Database, clock: SystemClock, redactor: Redactor, check: Check | None
    ) -> None:
        self.config, self.database, self.clock, self.check = config, database, clock, check
        self.notices, self.metrics = Notices(config.locale), Metrics()
        self.engine = Engine(clock, self.metrics.lane_failed)
        self.lineup, self.vault = Lineup(), Vault(config.data_dir)
        self.supervisor = Supervisor(
            {},
            emit_for=lambda channel_id: partial(self.intake.accept, channel_id),
            started=self._resume,
            clock=clock,
        )
        self.plugboard = Plugboard(
            lineup=self.lineup,
            supervisor=self.supervisor,
            make=self._make_channel,
            learn=redactor.learn,
            plugged=self._go_on,
        )
        self._show()
        self._seat_host()
        self._open_intake()
        self._prepare_delivery()

    def _show(self) -> None:
        """Live text: to readers of the API, and to chats that can show it."""
        self.hub = LiveHub(self.clock)
        self.at_work = AtWork(self.supervisor.find)
        self.questions = Questions(self.database, self.supervisor.find)
        self.showing = Showing(
            database=self.database,
            lanes=self.engine,
            clock=self.clock,
            find=self.supervisor.find,
            is_live=self.lineup.is_live,
            notices=self.notices,
            new_id=_new_id,
            wake_now=self.engine.wake_now,
        )

    def _seat_host(self) -> None:
        live = Together(self.hub, self.showing, self.at_work, self.questions)
        self.models = Models(model_specs(self.config))
        self.shelf = Shelf(self.config.data_dir / "files")
        self.workspaces = Workspaces(self.config.data_dir / "workspaces")
        self.rosters = Rosters(self.config.data_dir / "workspaces", self.config.locale)
        scribe = Scribe(self.engine, live, _new_id)
        outages = Outages(database=self.database, scribe=scribe, say=self.notices.say)
        self.tool_servers = Servers(server_specs(self.config), self.clock, outages.tell)
        files = FileTools(database=self.database, workspaces=self.workspaces, shelf=self.shelf, new_id=_new_id)
        self.host = Host(
            Deps(
                database=self.database,
                clock=self.clock,
                lanes=self.engine,
                live=live,
                scribe=scribe,
                models=self.models,
                rosters=self.rosters,
                runs=Runs(),
                meter=self.metrics,
                say=self.notices.say,
                locale=self.config.locale,
                default_model=self.config.default_model,
                small_model=self.config.small_model,
                new_id=_new_id,
                shelf=self.shelf,
                workspaces=self.workspaces,
                toolbox=Toolbox(files, WebTools(), self.tool_servers),
            )
        )
        self.porter = Porter(
            database=self.database,
            host=self.host,
            shelf=self.shelf,
            find=self.supervisor.find,
            say=self.notices.say,
            clock=self.clock,
        )

    def _open_intake(self) -> None:
        self.rounds = Rounds(self.database, self.clock)
        self.pairing = Pairing(self.engine, new_id=_new_id)
        routing = Routing(self.host)
        reply = partial(add_reply, lanes=self.engine, notices=self.notices, limits_of=self.lineup.limits)
        self.notes = NoteTaker(database=self.database, host=self.host, add_reply=reply, notices=self.notices)
        tools = Tools(
            host=self.host,
            rosters=self.rosters,
            pairing=self.pairing,
            notices=self.notices,
            follow_up=self.notes.take,
        )
        reception = Reception(
            host=self.host,
            routing=routing,
            desk=Desk(routing, tools),
            pairing=self.pairing,
            rates=RateLimits(),
            notices=self.notices,
            add_reply=reply,
            new_id=_new_id,
        )
        self.intake = Intake(
            database=self.database,
            clock=self.clock,
            lanes=self.engine,
            reception=reception,
            changes=Changes(host=self.host, lanes=self.engine, add_reply=reply),
            rules=self.lineup.gates,
            rounds=self.rounds.wait,
            count=self.metrics.inbound,
        )

    def _prepare_delivery(self) -> None:
        self.publisher = Publisher(
            database=self.database,
            lanes=self.engine,
            rules_of=self.lineup.shown,
            notices=self.notices,
            rounds=self.rounds,
        )
        self.courier = Courier(
            database=self.database,
            lanes=self.engine,
            channels=self.supervisor,
            posts=self.showing,
            clock=self.clock,
            metrics=self.metrics,
            shelf=self.shelf,
        )

    def _make_channel(self, entry: Entry) -> Channel:
        server = self.config.server
        own_url = f"http://{server.host}:{server.port}"
        return make_channel(
            entry.config, self.clock.now, server.public_url, self.config.locale, entry.home, own_url=own_url
        )

    async def _resume(self, channel_id: str) -> None:
        await self.courier.resume(channel_id)

    async def _go_on(self) -> None:
        """A channel came or changed: what lies in the inbox for it, and what it left open, is seen to."""
        await self.intake.recover()
        await self.showing.recover()

    def api_parts(self, settings: Settings) -> Parts:
        return Parts(
            database=self.database,
            host=self.host,
            hub=self.hub,
            channels=self.supervisor,
            rosters=self.rosters,
            kept=self.rounds,
            admission=Approvals(self.database, self.pairing),
            retry_delivery=self.courier.retry,
            metrics=self._measure,
            plugboard=self.plugboard,
            pulse=Pulse(self.database, self.clock, partial(touch_user, user_id=settings.owner_id)),
            vault=self.vault,
            shelf=self.shelf,
            check=self.check,
            models=self.models.names,
            tools=(*BUILTIN_TOOLS, *self.config.mcp),
            default_model=self.config.default_model,
            offline_models=[name for name, model in self.config.models.items() if model.provider == "scripted"],
            clock=self.clock,
            settings=settings,
            new_id=_new_id,
            notices={"zh-CN": Notices("zh-CN"), "en": Notices("en")},
        )

    async def _measure(self) -> bytes:
        up = {channel_id: health.state == "connected" for channel_id, health in self.supervisor.health().items()}
        return self.metrics.render(await read_backlog(self.database), up, self.engine.failing)


async def _apply_file(wiring: _Wiring, source: Path | None) -> None:
    """The file's agents and teams into the store. Raises ConfigError."""
    apply = partial(
        reconcile,
        config=wiring.config,
        rosters=wiring.rosters,
        fail_jobs=wiring.host.fail_jobs_of,
        say=wiring.notices.say,
        source=source.name if source else "",
    )
    for damage in (await wiring.database.write(apply)).damaged:
        log.error("A team's manifest is damaged and was left as it is", path=damage.path, problem=damage.problem)


async def _line_up(wiring: _Wiring, source: Path | None) -> None:
    """Every channel that is to run, those of the file and those of the store. Raises ConfigError."""
    look = partial(
        all_channels,
        configs=wiring.config.channels,
        rosters=wiring.rosters,
        vault=wiring.vault,
        owner_id=OWNER,
        source=source.name if source else "",
    )
    for found in await wiring.database.read(look):
        if isinstance(found, Broken):
            wiring.plugboard.prepare_broken(found.channel_id, found.reason, found.entry)
        else:
            wiring.plugboard.prepare(found)


def _warn(config: Config) -> None:
    """What works otherwise than it is written is logged."""
    for fault in warnings_of(config):
        log.warning("The configuration does not work as it is written", key=shown(fault.path), problem=fault.problem)


async def _start_lanes(stack: AsyncExitStack, wiring: _Wiring) -> asyncio.Event:
    """Start the engine with every lane that has open work; the event that tells when it died."""
    drain = by_prefix(
        {
            "room": of_name(wiring.host.drain_room),
            "member": of_name(wiring.host.drain_member),
            "title": of_name(wiring.host.drain_title),
            "approval": of_name(wiring.host.drain_approval),
            "files": of_name(wiring.porter.drain),
            "publish": of_name(wiring.publisher.drain),
            "inbox": wiring.intake.drain,
            "chat": wiring.courier.drain,
            "live": wiring.showing.drain,
        }
    )
    for lane in (await wiring.database.read(wiring.host.open_work)).lanes:
        wiring.engine.wake_now(lane)
    await wiring.intake.recover()
    await wiring.showing.recover()
    failed = asyncio.Event()
    running = asyncio.create_task(wiring.engine.run(drain), name="engine")
    running.add_done_callback(partial(_report, failed))
    stack.push_async_callback(_end, running)
    return failed


async def _open_doors(stack: AsyncExitStack, wiring: _Wiring, failed: asyncio.Event) -> Program:
    """The HTTP server, last: whoever reaches it finds everything running."""
    config, token = wiring.config, secrets.token_urlsafe(32)
    listening = _listen(config.server.host, config.server.port)
    settings = api_settings(config, port=listening.getsockname()[1], run_token=token)
    await prepare_accounts(wiring.database, settings, _new_id)
    code = await new_login_code(wiring.database, settings, _new_id)
    serving = runner(build_app(wiring.api_parts(settings)))
    await serving.setup()
    stack.push_async_callback(serving.cleanup)
    stack.callback(wiring.rounds.stop)
    await web.SockSite(serving, listening).start()
    url = f"http://{settings.host}:{settings.port}"
    stack.enter_context(announced(config.data_dir, url=url, token=token))
    return Program(url=url, login_link=f"{url}/login?code={code}", token=token, failed=failed)


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket, bound before anything is told about it. Raises ConfigError."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as fault:
        raise ConfigError(f"server.port: cannot listen on {host}:{port}: {fault.strerror}") from fault


def _keep_in_background(stack: AsyncExitStack, *works: Coroutine[Any, Any, None]) -> None:
    for work in works:
        stack.push_async_callback(_end, asyncio.create_task(work))


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait((task,))


def _report(failed: asyncio.Event, task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("The engine ended", exc_info=fault)
        failed.set()


def _new_id() -> str:
    return str(uuid4())
