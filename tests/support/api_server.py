"""The HTTP API over a real socket: real store, real host, scripted models, and a channel a test can turn."""

import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import ClientResponse, CookieJar
from aiohttp.test_utils import TestClient, TestServer

from bridge.api.auth import issue, prepare_accounts
from bridge.api.parts import Check, Parts, Settings
from bridge.api.server import build_app
from bridge.config.schema import WebhookChannel
from bridge.lineup import Entry, Lineup
from bridge.live import LiveHub
from bridge.notices import Notices
from bridge.opening import make_channel
from bridge.pairing import Approvals, Pairing
from bridge.plugboard import Plugboard
from bridge.pulse import Pulse
from bridge.supervisor import ChannelHealth, Open
from bridge.vault import Vault
from channels.errors import ChannelError, NotConfigured, Unverified
from channels.types import ChannelState, HookRequest, HookResponse, Limits, OutboundMessage, Outcome, Sent
from host.toolbox import Source
from store.accounts import User, touch_user
from store.database import Database, Transaction
from tests.support.clock import FakeClock
from tests.support.house import House, Say, Script, open_house

ADMIN = "configured-admin-token"
SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"


class StandIn:
    """A channel that serves hooks; `answer` is what it says, or the fault it raises."""

    answers_inline = True
    limits = Limits()

    def __init__(self, channel_id: str = "hook") -> None:
        self.id = channel_id
        self.answer: HookResponse | ChannelError = HookResponse(status=202, body={"input_id": "i1"})
        self.got: list[HookRequest] = []
        self.trusts = True

    async def start(self, emit: object) -> None: ...
    async def stop(self) -> None: ...

    async def send(self, message: OutboundMessage) -> Outcome:
        return Sent()

    def state(self) -> ChannelState:
        return ChannelState(connected=True)

    async def hook(self, request: HookRequest) -> HookResponse:
        self.got.append(request)
        if isinstance(self.answer, ChannelError):
            raise self.answer
        return self.answer

    def verify(self, request: HookRequest) -> None:
        self.got.append(request)
        if not self.trusts:
            raise Unverified

    def payload(self, message: OutboundMessage) -> dict[str, object]:
        return {"delivery_id": message.delivery_id, "seq": message.seq}


class Deaf(StandIn):
    """A channel that has nothing to do with HTTP."""

    hook = None  # type: ignore[assignment]
    verify = None  # type: ignore[assignment]


@dataclass
class Switchboard:
    """The channels of the instance and how they are."""

    running: dict[str, StandIn] = field(default_factory=dict)
    states: dict[str, ChannelHealth] = field(default_factory=dict)

    def find(self, channel_id: str) -> StandIn | None:
        return self.running.get(channel_id)

    def knows(self, channel_id: str) -> bool:
        return channel_id in self.states

    def health(self) -> Mapping[str, ChannelHealth]:
        return self.states

    def add(self, channel_id: str, opener: Open) -> None:
        """As the supervisor does it, but that a channel is made and never started."""
        self.running.pop(channel_id, None)
        try:
            opener()
        except NotConfigured as refused:
            self.states[channel_id] = ChannelHealth(state="error", reason=str(refused))
        else:
            self.running[channel_id] = StandIn(channel_id)
            self.states[channel_id] = ChannelHealth(state="connected")

    async def replace(self, channel_id: str, opener: Open) -> None:
        self.add(channel_id, opener)

    async def remove(self, channel_id: str) -> None:
        self.running.pop(channel_id, None)
        self.states.pop(channel_id, None)


class Shelf:
    """Messages that wait to be fetched, and what was asked for."""

    def __init__(self) -> None:
        self.messages: list[OutboundMessage] = []
        self.asked: list[tuple[str, str | None, int]] = []

    async def messages_after(self, channel_id: str, chat_id: str | None, after: int) -> Sequence[OutboundMessage]:
        self.asked.append((channel_id, chat_id, after))
        return self.messages


@dataclass(kw_only=True)
class Site:
    """A running API and everything a test may look at or change."""

    client: TestClient[Any, Any]
    parts: Parts
    house: House
    hub: LiveHub
    switchboard: Switchboard
    shelf: Shelf
    channel: StandIn
    lineup: Lineup
    learnt: list[str]
    retried: list[str]

    async def ask(self, method: str, path: str, *, token: str = ADMIN, **more: Any) -> ClientResponse:
        """A request with a bearer token ("" sends none)."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await self.client.request(method, path, headers=headers | more.pop("headers", {}), **more)

    async def get(self, path: str, **more: Any) -> ClientResponse:
        return await self.ask("GET", path, **more)

    async def post(self, path: str, **more: Any) -> ClientResponse:
        return await self.ask("POST", path, **more)

    async def body(self, method: str, path: str, *, status: int, **more: Any) -> Any:
        """The JSON of an answer that must have this status."""
        response = await self.ask(method, path, **more)
        assert response.status == status, (response.status, await response.text())
        return await response.json()

    async def refusal(self, method: str, path: str, *, status: int, **more: Any) -> tuple[str, Any]:
        """(code, details) of the error envelope of an answer that must have this status."""
        error = (await self.body(method, path, status=status, **more))["error"]
        assert set(error) == {"code", "message", "details"}
        assert error["message"]
        return error["code"], error["details"]

    async def open(self, agent_id: str = "studio", **more: Any) -> str:
        """The id of a new session."""
        return str((await self.body("POST", "/api/sessions", status=201, json={"agent_id": agent_id} | more))["id"])

    async def token_of(self, user_id: str, role: str = "member") -> str:
        """A bearer token of another user."""

        async def make(tx: Transaction) -> str:
            tx.orm.add(User(id=user_id, name=user_id.title(), role=role, created_at=tx.now))
            await tx.orm.flush()
            return (await issue(tx, user_id, "api", new_id=self.parts.new_id)).secret

        return await self.parts.database.write(make)

    @property
    def origin(self) -> str:
        return f"http://{self.client.host}:{self.client.port}"


async def _metrics() -> bytes:
    return b"# HELP teambridge_turns_total Turns that ended\n"


@asynccontextmanager
async def open_site(
    database: Database,
    clock: FakeClock,
    folder: Path,
    script: Script = lambda asked: Say(text="好的。"),
    *,
    settings: Settings | None = None,
    check: Check | None = None,
    tools: Sequence[Source] = (),
) -> AsyncIterator[Site]:
    """The API with one team (studio: researcher, writer) and one expert more (loner), all on scripted models."""
    settings = settings or Settings(locale="zh-CN", admin_token=ADMIN)
    hub, switchboard, shelf, channel = LiveHub(clock), Switchboard(), Shelf(), StandIn()
    switchboard.running["hook"] = channel
    switchboard.states["hook"] = ChannelHealth(state="connected")
    ids, retried = itertools.count(1), list[str]()

    async def retry(tx: Transaction, delivery_id: str) -> bool:
        retried.append(delivery_id)
        return True

    async def nothing() -> None: ...

    lineup, learnt = Lineup(), list[str]()
    board = Plugboard(
        lineup=lineup,
        supervisor=switchboard,
        make=lambda entry: make_channel(entry.config, clock.now, settings.public_url),
        learn=learnt.extend,
        plugged=nothing,
    )
    config = WebhookChannel(id="hook", platform="webhook", agent="studio", secret=SECRET)
    lineup.put(Entry(config=config, owner_id="owner", origin="config", is_team=True))

    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(open_house(database, clock, folder, script, live=hub, tools=tools))
        parts = Parts(
            database=database,
            host=house.host,
            hub=hub,
            channels=switchboard,
            rosters=house.rosters,
            kept=shelf,
            admission=Approvals(database, Pairing(house.lanes, new_id=lambda: f"person-{next(ids)}")),
            retry_delivery=retry,
            metrics=_metrics,
            plugboard=board,
            pulse=Pulse(database, clock, partial(touch_user, user_id=settings.owner_id)),
            vault=Vault(folder),
            shelf=house.deps.shelf,
            check=check,
            models=("main", "other"),
            tools=("web_fetch",),
            clock=clock,
            settings=settings,
            new_id=lambda: f"api-{next(ids)}",
            notices={"zh-CN": Notices("zh-CN"), "en": Notices("en")},
        )
        await prepare_accounts(database, settings, parts.new_id)
        await house.add_expert("researcher", icon=":mag:")
        await house.add_expert("writer")
        await house.add_expert("loner")
        await house.add_team("studio", ["researcher", "writer"])
        server = await stack.enter_async_context(TestServer(build_app(parts)))
        client: TestClient[Any, Any] = TestClient(server, cookie_jar=CookieJar(unsafe=True))
        await stack.enter_async_context(client)
        yield Site(
            client=client,
            parts=parts,
            house=house,
            hub=hub,
            switchboard=switchboard,
            shelf=shelf,
            channel=channel,
            lineup=lineup,
            learnt=learnt,
            retried=retried,
        )
