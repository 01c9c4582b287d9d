"""The HTTP server: tokens, arguments in every shape, faults on purpose, and events brought with redelivery."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, web

from tests.support.gate import DEADLINE
from tests.support.slack.faults import Fault, Script
from tests.support.slack.flood import Flood, Flooded
from tests.support.slack.methods import METHODS
from tests.support.slack.socket import SocketSide
from tests.support.slack.state import ALL_SCOPES, APP, BOT_USER, TEAM, Channel, Json, Message, Refused

BOT_TOKEN = "xoxb-111-simulated-token-that-nobody-may-see"
APP_TOKEN = "xapp-1-A111-simulated-token-that-nobody-may-see"
SIGNING_SECRET = "simulated-signing-secret-that-nobody-may-see"
ACK_WITHIN = 3.0
RETRIES = (0.05, 0.2, 1.0)
"""Seconds before each redelivery: Slack's are at once, a minute, five minutes."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call that reached the server: `executed` says whether it had an effect."""

    method: str
    args: Json
    at: float
    executed: bool
    verb: str = "POST"

    @property
    def channel(self) -> str:
        return str(self.args.get("channel") or self.args.get("channel_id") or "")


@dataclass(kw_only=True)
class Delivery:
    """An event on its way: how often it was brought, and whether it was acknowledged in time."""

    kind: str
    payload: Json
    attempts: int = 0
    acked: bool = False
    late: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Slack:
    """One workspace with one app. Everything that came stands in `calls`; what people see now, in `channels`."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic, retries: Sequence[float] = RETRIES) -> None:
        self.scopes: list[str] = list(ALL_SCOPES)
        self.users: dict[str, str] = {}
        self.channels: dict[str, Channel] = {}
        self.calls: list[Call] = []
        self.deliveries: list[Delivery] = []
        self.script = Script()
        self.flood = Flood(now)
        self.socket = SocketSide(self)
        self.statuses: dict[tuple[str, str], str] = {}
        self.told_statuses: dict[tuple[str, str], list[str]] = {}
        self.sessions: dict[tuple[str, str], str] = {}
        self.homes: dict[str, Json] = {}
        self.files: dict[str, Json] = {}
        self.contents: dict[str, bytes] = {}
        self.answered_back: list[Json] = []
        self.leaked: list[str] = []
        self.takes_tables = self.takes_cards = self.streams = True
        self.lets_delete_personas = True
        self.has_agent_view = False
        self.socket_error = ""
        self.blind = 0
        self.page = 999
        self.ack_within = ACK_WITHIN
        self.hook_url = ""
        self.now = now
        self._retries = retries
        self._ts = 1_700_000_000_000_000
        self._numbers = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None
        self._http: ClientSession | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        return f"{self.url}/api/"

    async def __aenter__(self) -> Self:
        self._http = ClientSession()
        await self.open_port()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.script.clear()
        for task in self._tasks:
            task.cancel()
        await self.close_port()
        assert self._http is not None
        await self._http.close()

    async def open_port(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/api/{method}", self._serve)
        app.router.add_get("/link/", self.socket.serve)
        app.router.add_post("/upload/{file}", self._upload)
        app.router.add_get("/files-pri/{file}", self._download)
        app.router.add_post("/back/{name}", self._answer_back)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]

    async def close_port(self) -> None:
        """Connections are refused from now on, at the same address, and open ones are cut."""
        await self.socket.cut()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # what people and tests do

    def channel(self, channel_id: str, **more: Any) -> Channel:
        """The conversation, made if it is new."""
        if channel_id not in self.channels:
            kind = "im" if channel_id.startswith("D") else "channel"
            self.channels[channel_id] = Channel(id=channel_id, **({"kind": kind, "name": channel_id.lower()} | more))
        return self.channels[channel_id]

    def new_ts(self) -> str:
        """The clock's time, and always later than the last: unique in a channel."""
        self._ts = max(self._ts + 1, int(time.time() * 1_000_000))
        return f"{self._ts // 1_000_000}.{self._ts % 1_000_000:06}"

    def new_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def show(self, channel: Channel, message: Message) -> None:
        """A message appears. What the app wrote comes back to it as an event, and takes its status away."""
        channel.messages[message.ts] = message
        if message.by_app:
            self.statuses.pop((channel.id, message.thread_ts), None)
            self.bring_event(message.public() | self._where(channel))

    def changed(self, channel: Channel, message: Message) -> None:
        """An edit of the app comes back as well, whoever the message was posted as."""
        event = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": self.new_ts()}
        self.bring_event(event | {"message": message.public()} | self._where(channel))

    def bring_event(self, event: Json, *, event_id: str = "", team: str = TEAM) -> Delivery:
        """An event of the Events API, to the socket or to the hook."""
        number = self.new_number()
        payload = {
            "token": "deprecated",
            "team_id": team,
            "api_app_id": APP,
            "event": {"event_ts": event.get("ts", "1.0")} | event,
            "type": "event_callback",
            "event_id": event_id or f"Ev{number:06}",
            "event_time": 1_700_000_000,
            "authorizations": [{"team_id": team, "user_id": BOT_USER, "is_bot": True}],
        }
        return self.bring("events_api", payload)

    def bring(self, kind: str, payload: Json) -> Delivery:
        """Brings a payload until it is acknowledged, as often as Slack would."""
        delivery = Delivery(kind=kind, payload=payload)
        self.deliveries.append(delivery)
        task = asyncio.create_task(self._bring(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return delivery

    def of(self, *methods: str, channel: str = "") -> list[Call]:
        """The calls of these methods (of all), in that channel."""
        return [
            call
            for call in self.calls
            if (not methods or call.method in methods) and (not channel or call.channel == channel)
        ]

    async def until(self, predicate: Callable[["Slack"], bool], within: float = DEADLINE) -> None:
        """Wait until the predicate holds; asked again after each call and each delivery."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(lambda: predicate(self))

    async def tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    # events on their way

    def _where(self, channel: Channel) -> Json:
        return {"channel": channel.id, "channel_type": channel.kind}

    async def _bring(self, delivery: Delivery) -> None:
        """Only events are brought again; commands and presses fail before the eyes of whoever made them."""
        pauses = (*self._retries, None) if delivery.kind == "events_api" else (None,)
        for attempt, pause in enumerate(pauses):
            delivery.attempts += 1
            began = time.monotonic()
            delivery.acked = await self._bring_once(delivery, attempt)
            delivery.late += time.monotonic() - began > ACK_WITHIN
            await self.tell()
            if delivery.acked or pause is None:
                break
            await asyncio.sleep(pause)
            await self._somebody_listens()
        delivery.over.set()
        await self.tell()

    async def _somebody_listens(self) -> None:
        """A program that restarts gets its events when it is back: minutes may pass between redeliveries."""
        if not self.hook_url:
            async with self._changed:
                await self._changed.wait_for(lambda: bool(self.socket.connections))
        while self.hook_url and await self._status_of(self.hook_url) == 0:  # noqa: ASYNC110  # nobody tells of a port
            await asyncio.sleep(0.05)

    async def _status_of(self, url: str) -> int:
        """0 while nobody is there."""
        assert self._http is not None
        try:
            async with self._http.get(url) as answer:
                return answer.status
        except (ClientError, TimeoutError):
            return 0

    async def _bring_once(self, delivery: Delivery, attempt: int) -> bool:
        if self.hook_url:
            return await self._post(delivery, attempt) in range(200, 300)
        return await self.socket.send(delivery.kind, delivery.payload, attempt, self.ack_within)

    async def _post(self, delivery: Delivery, attempt: int) -> int:
        assert self._http is not None
        body, kind = encode(delivery.kind, delivery.payload)
        headers = signed(body) | {"Content-Type": kind}
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": "http_timeout"}
        try:
            async with self._http.post(self.hook_url, data=body, headers=headers) as answer:
                return answer.status
        except (ClientError, TimeoutError):
            return 0

    # the Web API

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        args = await read_args(request)
        fault = self.script.take(method, str(args.get("channel") or args.get("channel_id") or ""))
        if fault is not None and (refused := await self._before(request, fault)):
            await self._note(request, method, args, executed=False)
            return refused
        try:
            self._check_token(request, method)
            result = await self._execute(method, args)
        except Refused as refusal:
            await self._note(request, method, args, executed=False)
            return web.json_response({"ok": False, "error": refusal.error} | refusal.more)
        except Flooded as flooded:
            await self._note(request, method, args, executed=False)
            return _busy(flooded.seconds)
        await self._note(request, method, args, executed=True)
        return await self._after(request, method, fault, result)

    def _check_token(self, request: web.Request, method: str) -> None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in (BOT_TOKEN, APP_TOKEN):
            raise Refused("invalid_auth" if token else "not_authed")
        wanted = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        if token != wanted:
            raise Refused("not_allowed_token_type")

    async def _execute(self, method: str, args: Json) -> Json:
        if method not in METHODS:
            raise Refused("unknown_method")
        if method == "apps.connections.open" and self.socket_error:
            raise Refused(self.socket_error)
        return {"ok": True} | await METHODS[method](self, args)

    async def _before(self, request: web.Request, fault: Fault) -> web.StreamResponse | None:
        match fault.kind:
            case "refuse":
                more = {"needed": fault.needed} if fault.needed else {}
                return web.json_response({"ok": False, "error": fault.code} | more)
            case "busy":
                return _busy(fault.retry_after)
            case "status":
                return web.Response(status=fault.status, text="<html>sorry</html>", content_type="text/html")
            case "cut_before":
                return _cut(request)
            case "hang_before":
                await self.tell()
                await fault.gate.wait()
                return web.Response(status=504)
        return None

    async def _after(self, request: web.Request, method: str, fault: Fault | None, result: Json) -> web.StreamResponse:
        headers = {"x-oauth-scopes": ",".join(self.scopes)} if method == "auth.test" else {}
        match fault.kind if fault else "":
            case "html":
                return web.Response(text="<html>welcome to the hotel</html>", content_type="text/html")
            case "garbage":
                return web.Response(text="{'ok': tru", content_type="application/json")
            case "cut_after":
                return _cut(request)
            case "hang_after":
                assert fault is not None
                await fault.gate.wait()
            case "endless":
                return await _endless(request)
        return web.json_response(result, headers=headers)

    async def _note(self, request: web.Request, method: str, args: Json, *, executed: bool) -> None:
        call = Call(method=method, args=args, at=self.now(), executed=executed, verb=request.method)
        self.calls.append(call)
        await self.tell()

    # files and response_urls

    async def _upload(self, request: web.Request) -> web.Response:
        if "Authorization" in request.headers:
            self.leaked.append("upload")
        self.contents[request.match_info["file"]] = await request.read()
        return web.Response(text="OK - 1")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Without a token, or without the scope, the login page, with status 200."""
        file = request.match_info["file"]
        is_allowed = request.headers.get("Authorization") == f"Bearer {BOT_TOKEN}" and "files:read" in self.scopes
        if not is_allowed or file not in self.contents:
            return web.Response(text="<html>Sign in to Slack</html>", content_type="text/html")
        return web.Response(body=self.contents[file], content_type=self.files[file]["mimetype"])

    async def _answer_back(self, request: web.Request) -> web.Response:
        self.answered_back.append(await request.json())
        await self.tell()
        return web.Response(text="ok")


def signed(body: bytes, secret: str = SIGNING_SECRET, at: float | None = None) -> dict[str, str]:
    """The headers that Slack puts on a request to a hook."""
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"}


def encode(kind: str, payload: Json) -> tuple[bytes, str]:
    """A payload as the hook gets it: events as JSON, commands and presses as forms."""
    if kind == "events_api":
        return json.dumps(payload).encode(), "application/json"
    form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


async def read_args(request: web.Request) -> Json:
    """Arguments from the query, a form or JSON."""
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        return args | dict(await request.json())
    args |= {key: str(value) for key, value in (await request.post()).items()}
    return args | ({"files": json.loads(args["files"])} if isinstance(args.get("files"), str) else {})


def _busy(seconds: int) -> web.Response:
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": str(seconds)})


def _cut(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    return web.Response()  # nobody reads it any more


async def _endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(status=200, headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while True:
        await response.write(b" " * 65536)
        await asyncio.sleep(0)
