"""The HTTP server: tokens, arguments in every shape, faults on purpose, long polls and webhook calls."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import ClientError, ClientSession, web

from tests.support.gate import DEADLINE, Gate
from tests.support.telegram.answers import Refusal, failure, success
from tests.support.telegram.faults import Fault, Script
from tests.support.telegram.flood import Flood
from tests.support.telegram.methods import METHODS
from tests.support.telegram.state import Json, Room, Updates

TOKEN = "123456:AAsimulated-token-that-nobody-may-see-0"
CONFLICT = (
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
)
_BUDGETED = ("sendmessage", "senddocument", "editmessagetext", "deletemessage", "sendmessagedraft", "sendchataction")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call that reached the server: `executed` says whether it had an effect."""

    method: str
    args: Json
    at: float
    executed: bool

    @property
    def chat(self) -> str:
        return str(self.args.get("chat_id", ""))


class BotApi:
    """One bot's server. Everything that came stands in `calls`; what chats show now, in `rooms`.

    `handed` counts how often each update was given to a poller: once, unless it was asked for again unconfirmed.
    """

    def __init__(self, *, token: str = TOKEN, now: Callable[[], float] = time.monotonic) -> None:
        self.token = token
        self.me: Json = {
            "id": int(token.partition(":")[0]),
            "is_bot": True,
            "first_name": "SimBot",
            "username": "sim_bot",
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }
        self.calls: list[Call] = []
        self.rooms: dict[int, Room] = {}
        self.updates = Updates()
        self.script = Script()
        self.flood = Flood(now)
        self.menus: dict[str, list[str]] = {}
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []
        self.gates: dict[str, Gate] = {}
        self.paths: dict[str, str] = {}
        self.presses: set[str] = set()
        self.has_drafts = True
        self.hook_url = ""
        self.hook_trouble = ""
        self.refused_calls: list[int] = []
        self.polled = 0
        self.handed: Counter[int] = Counter()
        self._now = now
        self._secret = ""
        self._hooking: asyncio.Task[None] | None = None
        self._poller: asyncio.Future[str] | None = None
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        await self.open_port()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.script.clear()
        await self.close_port()

    async def open_port(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/{path:.+}", self._download)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]

    async def close_port(self) -> None:
        """Connections are refused from now on, at the same address."""
        self.end_hook()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def room(self, chat: int, kind: str = "private", **more: Any) -> Room:
        """The chat, made if it is new."""
        if chat not in self.rooms:
            self.rooms[chat] = Room(id=chat, type=kind, **({"title": f"chat {chat}"} | more))
        return self.rooms[chat]

    def of(self, *methods: str, chat: int | None = None) -> list[Call]:
        """The calls of these methods (of all), in that chat."""
        names = {method.lower() for method in methods}
        return [
            call
            for call in self.calls
            if (not names or call.method in names) and (chat is None or call.chat == str(chat))
        ]

    async def until(self, predicate: Callable[["BotApi"], bool], within: float = DEADLINE) -> None:
        """Wait until the predicate holds; asked again after each call."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(lambda: predicate(self))

    async def poll(self, offset: int, limit: int, seconds: int, args: Json) -> list[Json]:
        """getUpdates: the older of two pollers loses; nothing is confirmed but by the offset."""
        if self.hook_url:
            raise Refusal(409, CONFLICT[1])
        if self._poller is not None and not self._poller.done():
            self._poller.set_result("conflict")
        mine = self._poller = asyncio.get_running_loop().create_future()
        if "allowed_updates" in args:
            self.updates.allowed = args["allowed_updates"]
        self.updates.confirm(offset)
        self.polled += 1
        await self._tell()
        arrived = asyncio.ensure_future(self.updates.arrived.wait())
        try:
            await asyncio.wait((arrived, mine), timeout=min(seconds, 50), return_when=asyncio.FIRST_COMPLETED)
        finally:
            arrived.cancel()
        if mine.done():
            raise Refusal(409, CONFLICT[0])
        mine.cancel()
        batch = [update for update in self.updates if update["update_id"] >= offset][:limit]
        self.handed.update(update["update_id"] for update in batch)
        return batch

    def begin_hook(self, url: str, secret: str, allowed: list[str] | None) -> None:
        self.end_hook()
        self.hook_url, self._secret = url, secret
        if allowed is not None:
            self.updates.allowed = allowed
        if self._poller is not None and not self._poller.done():
            self._poller.set_result("conflict")
        self._hooking = asyncio.create_task(self._deliver())

    def end_hook(self) -> None:
        self.hook_url = ""
        if self._hooking is not None:
            self._hooking.cancel()
            self._hooking = None

    async def _deliver(self) -> None:
        """Updates to the hook, in order, each until it is answered with 2xx."""
        headers = {"X-Telegram-Bot-Api-Secret-Token": self._secret}
        pause = 0.05
        async with ClientSession() as http:
            while True:
                await self.updates.arrived.wait()
                update = self.updates.waiting[0]
                try:
                    async with http.post(self.hook_url, json=update, headers=headers) as answer:
                        status = answer.status
                except ClientError:
                    status = 0
                if 200 <= status < 300:
                    self.updates.confirm(update["update_id"] + 1)
                    await self._tell()
                    continue
                self.refused_calls.append(status)
                await asyncio.sleep(pause)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"].lower()
        try:
            self._check_token(request.match_info["token"])
            args = await read_args(request)
            return await self._answer(request, method, args)
        except Refusal as refusal:
            return failure(refusal)

    def _check_token(self, token: str) -> None:
        if ":" not in token:
            raise Refusal(404, "Not Found")
        if token != self.token:
            raise Refusal(401, "Unauthorized")

    async def _answer(self, request: web.Request, method: str, args: Json) -> web.StreamResponse:
        if method not in METHODS:
            raise Refusal(404, "Not Found: method not found")
        fault = self.script.take(method, str(args.get("chat_id", "")))
        if fault is not None and (refused := await self._before(request, fault)):
            self._note(method, args, executed=False)
            await self._tell()
            return refused
        try:
            if method in _BUDGETED:
                self.flood.take(str(args["chat_id"]))
            result = await METHODS[method](self, args)
        except Refusal:
            self._note(method, args, executed=False)
            await self._tell()
            raise
        self._note(method, args, executed=True)
        await self._tell()
        return await self._after(request, fault, result) if fault else success(result)

    async def _before(self, request: web.Request, fault: Fault) -> web.StreamResponse | None:
        match fault.kind:
            case "refuse":
                told = {"retry_after": fault.retry_after, "migrate_to_chat_id": fault.migrate_to}
                raise_with = {key: value for key, value in told.items() if value}
                return failure(Refusal(fault.code, fault.description, **raise_with))
            case "status":
                headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after else {}
                return web.Response(status=fault.code, text="<html>sorry</html>", headers=headers)
            case "cut_before":
                return _cut(request)
            case "hang_before":
                await self._tell()
                await fault.gate.wait()
                return web.Response(status=504)
        return None

    async def _after(self, request: web.Request, fault: Fault, result: Any) -> web.StreamResponse:
        match fault.kind:
            case "garbage":
                return web.Response(text="<html>welcome to the hotel</html>", content_type="text/html")
            case "nothing":
                return web.json_response({"ok": True})
            case "cut_after":
                return _cut(request)
            case "hang_after":
                await fault.gate.wait()
            case "endless":
                return await _endless(request)
        return success(result)

    def _note(self, method: str, args: Json, *, executed: bool) -> None:
        self.calls.append(Call(method=method, args=args, at=self._now(), executed=executed))

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _download(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["token"] != self.token:
            return web.Response(status=404)
        name = request.match_info["path"].rpartition("/")[2]
        content = self.files.get(name)
        self.fetched.append(name)
        await self._tell()
        if (gate := self.gates.get(name)) is not None:
            await gate.wait()
        return web.Response(status=404) if content is None else web.Response(body=content)


async def read_args(request: web.Request) -> Json:
    """Arguments from the query, a form or JSON; objects and numbers in forms are text."""
    args: Json = {key: _value(key, value) for key, value in request.query.items()}
    if request.content_type == "application/json":
        return args | dict(await request.json())
    for key, value in (await request.post()).items():
        args[key] = _file(value) if isinstance(value, web.FileField) else _value(key, str(value))
    return args


def _file(field: web.FileField) -> tuple[str, bytes]:
    with field.file as file:
        return field.filename, file.read()


_TEXTS = ("text", "caption", "callback_query_id", "url", "secret_token", "language_code", "file_id", "action")


def _value(key: str, text: str) -> Any:
    if key in _TEXTS:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _cut(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    return web.Response()  # nobody reads it any more


async def _endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(status=200)
    await response.prepare(request)
    while True:
        await response.write(b" " * 4096)
        await asyncio.sleep(0.01)
