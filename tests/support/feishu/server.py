"""The HTTP server: tokens, messages, cards, files, and the door to the long connection."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Final, Self

from aiohttp import web

from tests.support.feishu.answers import Json, Refusal, failure, success
from tests.support.feishu.connection import Connections, Postman
from tests.support.feishu.faults import Fault, Script
from tests.support.feishu.rules import check_card
from tests.support.feishu.state import Message, State
from tests.support.gate import DEADLINE

APP_ID: Final = "cli_sim"
APP_SECRET: Final = "simulated-secret-that-nobody-may-see"
BOT_ID: Final = "ou_the_bot_itself"
CONFIG: Final = {"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 0, "PingInterval": 120}
FILE_TYPES: Final = ("opus", "mp4", "pdf", "doc", "xls", "ppt", "stream")
MOST_FILE: Final = 30 * 1024 * 1024
BAD_TOKEN: Final = Refusal(99991663, "Invalid access token for authorization. Please make a test attempt")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call that reached the server, by the name of its route; `executed` says whether it had an effect."""

    name: str
    body: Json
    chat: str
    at: float
    executed: bool
    agent: str


class FeishuServer:
    """One app's platform. Everything that came stands in `calls`."""

    def __init__(
        self, *, now: Callable[[], float] = time.time, app_id: str = APP_ID, app_secret: str = APP_SECRET
    ) -> None:
        self.app_id = app_id
        self.app_secret = app_secret
        self.state = State(now)
        self.connections = Connections()
        self.postman = Postman(self.connections)
        self.script = Script()
        self.calls: list[Call] = []
        self.names: dict[str, str] = {}
        self.config: Json = dict(CONFIG)
        self.endpoint_answer: Json | None = None
        self.handshake: dict[str, str] | None = None
        self.token_lifetime = 7200
        self.tokens: list[str] = []
        self.scopes: list[str] | None = None
        self.application: Json | None = None
        self.activate_status = 2
        self.registration: list[Json] = []
        self._now = now
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
        await self.postman.close()
        await self.close_port()

    async def open_port(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        for method, path, handler in self._routes():
            app.router.add_route(method, path, self._guarded(handler.__name__.lstrip("_"), handler))
        app.router.add_post("/callback/ws/endpoint", self._endpoint)
        app.router.add_post("/open-apis/auth/v3/tenant_access_token/internal", self._token)
        app.router.add_post("/oauth/v1/app/registration", self._register)
        app.router.add_get("/ws/v2", self._connect)
        app.router.add_route("*", "/{rest:.*}", self._nowhere)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True).start()
        self._port = self._runner.addresses[0][1]

    async def close_port(self) -> None:
        """Connections are refused from now on, at the same address."""
        if self._runner is not None:
            await self.connections.kick()
            await self._runner.cleanup()
            self._runner = None

    def expire_tokens(self) -> None:
        """No token that was given is good any more."""
        self.tokens.clear()

    def of(self, *names: str, chat: str = "") -> list[Call]:
        return [call for call in self.calls if call.name in names and chat in ("", call.chat)]

    async def until(self, predicate: Callable[["FeishuServer"], bool], within: float = DEADLINE) -> None:
        """Wait until the predicate holds; asked again after each call and each change of the connection."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(lambda: predicate(self))

    def _routes(self) -> list[tuple[str, str, Callable[[web.Request, bytes], Awaitable[Any]]]]:
        im, kit = "/open-apis/im/v1", "/open-apis/cardkit/v1"
        return [
            ("GET", "/open-apis/bot/v3/info", self._info),
            ("POST", f"{im}/messages", self._send),
            ("GET", f"{im}/messages", self._history),
            ("POST", f"{im}/messages/{{id}}/reply", self._reply),
            ("GET", f"{im}/messages/{{id}}", self._message),
            ("DELETE", f"{im}/messages/{{id}}", self._recall),
            ("PATCH", f"{im}/messages/{{id}}", self._replace),
            ("GET", f"{im}/messages/{{id}}/resources/{{key}}", self._resource),
            ("POST", f"{im}/messages/{{id}}/reactions", self._react),
            ("DELETE", f"{im}/messages/{{id}}/reactions/{{mark}}", self._unreact),
            ("POST", f"{im}/files", self._upload),
            ("POST", f"{im}/images", self._upload_image),
            ("GET", f"{im}/chats/{{id}}", self._chat),
            ("POST", "/open-apis/contact/v3/users/basic_batch", self._people),
            ("GET", "/open-apis/application/v6/scopes", self._granted),
            ("GET", "/open-apis/application/v6/applications/{id}", self._application),
            ("POST", f"{kit}/cards", self._make_card),
            ("POST", f"{kit}/cards/id_convert", self._convert),
            ("PUT", f"{kit}/cards/{{id}}", self._card),
            ("PATCH", f"{kit}/cards/{{id}}/settings", self._settings),
            ("PUT", f"{kit}/cards/{{id}}/elements/{{element}}/content", self._content),
            ("DELETE", f"{kit}/cards/{{id}}/elements/{{element}}", self._drop),
        ]

    def _guarded(
        self, name: str, handler: Callable[[web.Request, bytes], Awaitable[Any]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """The token first, then the faults of the script, then the call itself."""

        async def serve(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
                await self._note(name, request, raw, executed=False)
                return failure(BAD_TOKEN)
            fault = self.script.next(name, self._chat_of(request, raw))
            if fault is not None and fault.kind in ("refuse", "status", "cut_before"):
                await self._note(name, request, raw, executed=False)
                return _broken(request, fault)
            try:
                answer = await handler(request, raw)
            except Refusal as refusal:
                await self._note(name, request, raw, executed=False)
                return failure(refusal)
            await self._note(name, request, raw, executed=True)
            return await _lost(request, fault, answer) if fault else answer

        return serve

    def _chat_of(self, request: web.Request, raw: bytes) -> str:
        anchor = self.state.messages.get(request.match_info.get("id", ""))
        card = self.state.cards.all.get(request.match_info.get("id", ""))
        if card is not None:
            anchor = self.state.messages.get(card.message_id)
        if anchor is not None:
            return anchor.chat_id
        return str(_json(raw).get("receive_id", ""))

    async def _note(self, name: str, request: web.Request, raw: bytes, *, executed: bool) -> None:
        call = Call(
            name=name,
            body=_json(raw),
            chat=self._chat_of(request, raw),
            at=self._now(),
            executed=executed,
            agent=request.headers.get("User-Agent", ""),
        )
        async with self._changed:
            self.calls.append(call)
            self._changed.notify_all()

    async def _token(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        fault = self.script.next("token", "")
        await self._note("token", request, b"{}", executed=fault is None)
        if fault is not None:
            return _broken(request, fault)
        asked = _json(raw)
        if (asked.get("app_id"), asked.get("app_secret")) != (self.app_id, self.app_secret):
            return failure(Refusal(10014, "app secret invalid", status=200))
        self.tokens.append(f"t-{len(self.calls)}-{len(self.tokens)}")
        body = {"code": 0, "msg": "ok", "tenant_access_token": self.tokens[-1], "expire": self.token_lifetime}
        return web.json_response(body)

    async def _endpoint(self, request: web.Request) -> web.StreamResponse:
        asked = _json(await request.read())
        await self._note("endpoint", request, b"{}", executed=True)
        if self.endpoint_answer is not None:
            return web.json_response(self.endpoint_answer)
        if (asked.get("AppID"), asked.get("AppSecret")) != (self.app_id, self.app_secret):
            return web.json_response({"code": 10014, "msg": "app secret invalid"})
        query = f"fpid=493&aid=552564&device_id=73{len(self.calls)}&access_key=k&service_id=33554678&ticket=t"
        url = f"ws://127.0.0.1:{self._port}/ws/v2?{query}"
        return web.json_response({"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": self.config}})

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        if self.handshake is not None:
            return web.Response(status=int(self.handshake.get("status", "403")), headers=self.handshake)
        return await self.connections.serve(request)

    async def _register(self, request: web.Request) -> web.StreamResponse:
        """The device flow of `init`: one answer of the list after the other."""
        form = dict(await request.post())
        async with self._changed:
            self.calls.append(
                Call(name="register", body=form, chat="", at=self._now(), executed=True, agent=str(form.get("action")))
            )
            self._changed.notify_all()
        return web.json_response(self.registration.pop(0))

    async def _nowhere(self, request: web.Request) -> web.StreamResponse:
        await self._note(f"{request.method} {request.path}", request, await request.read(), executed=False)
        return failure(Refusal(99991201, "no such route", status=404))

    async def _info(self, request: web.Request, raw: bytes) -> web.Response:
        bot = {
            "activate_status": self.activate_status,
            "app_name": "SimBot",
            "avatar_url": "",
            "ip_white_list": [],
            "open_id": BOT_ID,
        }
        return success(bot=bot)

    async def _send(self, request: web.Request, raw: bytes) -> web.Response:
        return success(self.state.post(raw, receive=request.query["receive_id_type"]))

    async def _reply(self, request: web.Request, raw: bytes) -> web.Response:
        return success(self.state.post(raw, reply_to=request.match_info["id"]))

    async def _history(self, request: web.Request, raw: bytes) -> web.Response:
        wanted = request.query["container_id"]
        found = [m for m in self.state.messages.values() if wanted in (m.thread_id, m.chat_id)]
        items = [self.state.described(each) for each in reversed(found)][: int(request.query.get("page_size", 20))]
        return success({"items": items, "has_more": False})

    async def _message(self, request: web.Request, raw: bytes) -> web.Response:
        message = self._known(request)
        inside = [m for m in self.state.messages.values() if m.uuid == f"inside {message.id}"]
        items = [self.state.described(message)]
        items += [self.state.described(each) | {"upper_message_id": message.id} for each in inside]
        return success({"items": items})

    async def _recall(self, request: web.Request, raw: bytes) -> web.Response:
        self._known(request).is_deleted = True
        return success({})

    async def _replace(self, request: web.Request, raw: bytes) -> web.Response:
        """Only a card may be given another content, and only by the app that sent it."""
        message = self._known(request)
        if message.kind != "interactive" or message.sender != "app":
            raise Refusal(230001, "This message is NOT a card.")
        content = _json(raw)["content"]
        check_card(content, self.state.images)
        message.content = content
        return success({})

    async def _resource(self, request: web.Request, raw: bytes) -> web.StreamResponse:
        self._known(request)
        data = self.state.files.get(request.match_info["key"])
        if data is None or request.query.get("type") not in ("image", "file"):
            raise Refusal(234001, "invalid request param")
        return web.Response(body=data, content_type="application/octet-stream")

    async def _react(self, request: web.Request, raw: bytes) -> web.Response:
        message, kind = self._known(request), _json(raw)["reaction_type"]["emoji_type"]
        if message.is_deleted:
            raise Refusal(230110, "The message was deleted")
        if kind not in ("OnIt", "THUMBSUP", "Typing", "OK", "DONE"):
            raise Refusal(231001, "reaction type is invalid")
        mark = f"reaction_{self.state.number()}"
        message.marks[mark] = kind
        return success({"reaction_id": mark})

    async def _unreact(self, request: web.Request, raw: bytes) -> web.Response:
        if self._known(request).marks.pop(request.match_info["mark"], None) is None:
            raise Refusal(231007, "reaction not found")
        return success({})

    async def _upload(self, request: web.Request, raw: bytes) -> web.Response:
        fields = _form(request.headers["Content-Type"], raw)
        if not fields.get("file"):
            raise Refusal(234010, "file is empty")
        if fields["file_type"].decode() not in FILE_TYPES or not fields.get("file_name"):
            raise Refusal(234001, "invalid request param")
        if len(fields["file"]) > MOST_FILE:
            raise Refusal(234006, "the file size exceed the max value")
        key = f"file_v3_{self.state.number()}"
        self.state.files[key] = fields["file"]
        self.state.names[key] = fields["file_name"].decode()
        return success({"file_key": key})

    async def _upload_image(self, request: web.Request, raw: bytes) -> web.Response:
        fields = _form(request.headers["Content-Type"], raw)
        image = fields.get("image", b"")
        if fields.get("image_type") != b"message" or not image:
            raise Refusal(234001, "invalid request param")
        if not image.startswith((b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF", b"BM")):
            raise Refusal(234011, "can't regonnize image format")
        key = f"img_v3_{self.state.number()}"
        self.state.files[key] = image
        self.state.images.add(key)
        return success({"image_key": key})

    async def _chat(self, request: web.Request, raw: bytes) -> web.Response:
        room = self.state.rooms.get(request.match_info["id"])
        if room is None:
            raise Refusal(232006, "invalid chat_id")
        return success({"name": room.name, "chat_mode": room.mode, "group_message_type": "chat"})

    async def _people(self, request: web.Request, raw: bytes) -> web.Response:
        wanted = _json(raw)["user_ids"]
        return success(
            {"users": [{"user_id": each, "name": self.names[each]} for each in wanted if each in self.names]}
        )

    async def _granted(self, request: web.Request, raw: bytes) -> web.Response:
        if self.scopes is None:
            raise Refusal(99991672, "Access denied")
        names = self.scopes
        return success({"scopes": [{"scope_name": n, "grant_status": 1, "scope_type": "tenant"} for n in names]})

    async def _application(self, request: web.Request, raw: bytes) -> web.Response:
        if self.application is None:
            raise Refusal(99991672, "Access denied. application:application:self_manage")
        return success({"app": self.application})

    async def _make_card(self, request: web.Request, raw: bytes) -> web.Response:
        return success(self.state.cards.create(_json(raw)))

    async def _convert(self, request: web.Request, raw: bytes) -> web.Response:
        return success(self.state.cards.convert(_json(raw)["message_id"]))

    async def _card(self, request: web.Request, raw: bytes) -> web.Response:
        return success(self.state.cards.change(request.match_info["id"], "card", _json(raw)))

    async def _settings(self, request: web.Request, raw: bytes) -> web.Response:
        return success(self.state.cards.change(request.match_info["id"], "settings", _json(raw)))

    async def _content(self, request: web.Request, raw: bytes) -> web.Response:
        what = f"content:{request.match_info['element']}"
        return success(self.state.cards.change(request.match_info["id"], what, _json(raw)))

    async def _drop(self, request: web.Request, raw: bytes) -> web.Response:
        what = f"delete:{request.match_info['element']}"
        return success(self.state.cards.change(request.match_info["id"], what, _json(raw)))

    def _known(self, request: web.Request) -> Message:
        message = self.state.messages.get(request.match_info["id"])
        if message is None:
            raise Refusal(230001, "invalid message_id")
        return message


def _json(raw: bytes) -> Json:
    try:
        value = json.loads(raw) if raw else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _form(content_type: str, raw: bytes) -> dict[str, bytes]:
    """Parts of a form, whether they have a file name or not."""
    mail = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + raw)
    parts: dict[str, bytes] = {}
    for part in mail.walk():
        name = part.get_param("name", header="content-disposition")
        if isinstance(name, str):
            payload = part.get_payload(decode=True)
            parts[name] = payload if isinstance(payload, bytes) else b""
    return parts


def _broken(request: web.Request, fault: Fault) -> web.StreamResponse:
    """The call is not executed."""
    if fault.kind == "cut_before":
        return _end(request, b"")
    if fault.refusal is not None:
        return failure(fault.refusal)
    return web.Response(status=fault.status, text="<html>Bad gateway</html>", content_type="text/html")


async def _lost(request: web.Request, fault: Fault, answer: web.Response) -> web.StreamResponse:
    """The call was executed, and the answer does not come as it should."""
    if fault.kind == "cut_after":
        return _end(request, b"")
    if fault.kind == "garbage":
        return _end(request, b"SMTP ready, and no HTTP at all\r\n\r\n")
    if fault.kind == "endless":
        return await _endless(request, answer)
    await (fault.gate.wait() if fault.kind == "hold" else asyncio.Event().wait())
    return answer


def _end(request: web.Request, last_words: bytes) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(last_words)
    request.transport.close()
    raise ConnectionResetError("as the script says")


async def _endless(request: web.Request, answer: web.Response) -> web.StreamResponse:
    response = web.StreamResponse(status=200)
    await response.prepare(request)
    await response.write(answer.body if isinstance(answer.body, bytes) else b"")
    while True:
        await response.write(b" " * 65536)
