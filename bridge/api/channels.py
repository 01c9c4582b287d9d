"""Channels: those of the file to look at, others to make, change and delete while the program runs.

Secrets are write-only: they come in, are encrypted at rest, and only their names are ever shown.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

from aiohttp import web
from pydantic import Field, SecretStr

from bridge.api.call import Body, Call, Page
from bridge.api.editing import made_id, written_down
from bridge.api.edition import HEADER, check_edition
from bridge.api.errors import ApiError, param_invalid
from bridge.api.fields import Known, Line
from bridge.api.routes import Routes
from bridge.api.wiring import bindable, checked, refuse_private_addresses
from bridge.config import ChannelConfig
from bridge.config.values import ChannelId, PlatformId
from bridge.lineup import Entry
from bridge.qr import drawn
from bridge.shape import Shape
from bridge.storedchannels import NOT_LENT, entry_of, hidden_values, is_lent, plain_values
from bridge.supervisor import ChannelHealth
from channels.base import HasLink
from store.agents import find_agents
from store.channels import (
    ChannelRow,
    add_channel,
    change_channel,
    channel_id_is_taken,
    delete_channel,
    find_channel,
    hold_channel,
    list_channels,
)
from store.chats import Chat, list_chats
from store.database import Transaction

routes: Final = Routes("channels")

_ONE: Final = ("NOT_FOUND",)
_CHANGE: Final = ("NOT_FOUND", "FORBIDDEN", "MANAGED_BY_CONFIG", "EDIT_CONFLICT")
_IN_SHAPE: Final = ("access", "groups", "allow", "admins", "allow_chats", "live", "notices", "rate_limit")
_OFF: Final = ChannelHealth(state="connecting", reason="")


class ChannelShape(Shape):
    """A channel. `state`: connected, connecting, error or stopped (switched off); `state_reason` says why.

    `settings` are the platform's own keys, `secrets` the names of those that are set and never shown. `hook_url` is
    what the platform calls, where it calls, `link` where people begin a private chat with the bot ("": not known, or
    the platform has none). `updated_at` is the edition that `If-Match` names (null: of the file).
    """

    id: str
    platform: str
    agent_id: str
    response_mode: str
    access: str
    groups: str
    enabled: bool
    state: str
    state_reason: str
    owner_id: str
    origin: str
    allow: list[str]
    admins: list[str]
    allow_chats: list[str]
    live: bool
    notices: bool
    rate_limit: int
    settings: dict[str, str]
    secrets: list[str]
    hook_url: str
    link: str
    updated_at: datetime | None


Ids = list[PlatformId]


class _Keys(Body):
    """The keys of all platforms; each takes its own, as in the file. What is absent or null stays."""

    access: Literal["pairing", "allowlist", "open"] | None = None
    allow: Ids | None = Field(default=None, max_length=1000)
    admins: Ids | None = Field(default=None, max_length=1000)
    groups: Literal["off", "mention", "all"] | None = None
    allow_chats: Ids | None = Field(default=None, max_length=1000)
    response_mode: Literal["stream", "final"] | None = None
    live: bool | None = None
    notices: bool | None = None
    rate_limit: int | None = Field(default=None, ge=1, le=1_000_000)
    secret: SecretStr | None = Field(default=None, max_length=2000)
    callback_url: Line | None = None
    token: SecretStr | None = Field(default=None, max_length=2000)
    mode: Literal["polling", "webhook", "socket"] | None = None
    base_url: Line | None = None
    bot_token: SecretStr | None = Field(default=None, max_length=2000)
    app_token: SecretStr | None = Field(default=None, max_length=2000)
    signing_secret: SecretStr | None = Field(default=None, max_length=2000)
    app_id: Line | None = None
    app_secret: SecretStr | None = Field(default=None, max_length=2000)
    domain: Line | None = None
    encrypt_key: SecretStr | None = Field(default=None, max_length=2000)
    verification_token: SecretStr | None = Field(default=None, max_length=2000)

    def given(self) -> dict[str, Any]:
        """What the request says, as the configuration takes it."""
        said = {name: value for name, value in self if name in _Keys.model_fields and value is not None}
        return {n: v.get_secret_value() if isinstance(v, SecretStr) else v for n, v in said.items()}


class NewChannel(_Keys):
    """A channel to be made, bound to an agent of mine or shared with me."""

    id: ChannelId | None = None
    platform: Literal["feishu", "slack", "telegram", "webhook"]
    agent_id: Known
    enabled: bool = True


class ChannelChange(_Keys):
    """What to change. A secret that is not given stays."""

    agent_id: Known | None = None
    enabled: bool | None = None


class FindingShape(Shape):
    """One line of a check: the key it is about, and what is the case (what to do, if it is not well)."""

    key: str
    status: Literal["ok", "warning", "failed"]
    text: str


class CheckShape(Shape):
    """What the platform says about the credentials and permissions. `ok`: nothing failed."""

    ok: bool
    findings: list[FindingShape]


class ChatShape(Shape):
    """A chat of the channel. `served`: a group that was approved; `pairing_code`: one that waits for that."""

    id: str
    type: str
    title: str
    served: bool
    pairing_code: str | None
    created_at: datetime


@routes.add("GET", "/api/channels")
async def index(call: Call) -> Page[ChannelShape]:
    """My channels; for admins all of this instance."""

    async def look(tx: Transaction) -> list[ChannelShape]:
        of_file = [_shape_of_entry(call, each) for each in call.parts.plugboard.lineup.all() if each.origin == "config"]
        return [
            each for each in of_file + await _stored(call, tx, await list_channels(tx)) if _is_mine(call, each.owner_id)
        ]

    return Page(items=await call.read(look), next=None)


@routes.add("POST", "/api/channels", status=201, errors=("PARAM_INVALID", "AGENT_NOT_FOUND", "FORBIDDEN"))
async def create(call: Call, body: NewChannel) -> ChannelShape:
    """Make a channel and start it."""
    refuse_private_addresses(call, body.given())
    channel_id = body.id or made_id(body.platform, body.platform)[:32]
    board = call.parts.plugboard
    async with board.changing():
        config = checked(call, body.platform, {**body.given(), "id": channel_id, "agent": body.agent_id})

        async def work(tx: Transaction) -> tuple[ChannelRow, Entry]:
            await bindable(tx, body.agent_id, owner_id=call.user.id)
            if board.lineup.find(channel_id) is not None or await channel_id_is_taken(tx, channel_id):
                raise param_invalid("id", "taken")
            row = _new_row(call, tx, config, enabled=body.enabled)
            await add_channel(tx, row)
            await written_down(call, tx, "channel.create", row.id)
            return row, await _entry(call, tx, row, config)

        row, entry = await call.write(work)
        await board.plug(entry)
    return _shape_of_row(call, row, is_team=entry.is_team, secrets=list(hidden_values(config)))


@routes.add("GET", "/api/channels/{id}", errors=_ONE)
async def show(call: Call) -> ChannelShape:
    """One channel."""

    async def look(tx: Transaction) -> ChannelShape:
        entry = call.parts.plugboard.lineup.find(call.named("id"))
        if entry is not None and entry.origin == "config" and _is_mine(call, entry.owner_id):
            return _shape_of_entry(call, entry)
        return (await _stored(call, tx, [await _found(call, tx)]))[0]

    return await call.read(look)


@routes.add(
    "PATCH",
    "/api/channels/{id}",
    errors=("PARAM_INVALID", "AGENT_NOT_FOUND", *_CHANGE),
    headers=(HEADER,),
)
async def change(call: Call, body: ChannelChange) -> ChannelShape:
    """Change a channel; it goes on with its new settings at once."""
    refuse_private_addresses(call, body.given())
    board = call.parts.plugboard
    async with board.changing():
        row = await call.read(partial(_changeable, call))
        given = {**row.settings, **_opened(call, row), **body.given()}
        config = checked(call, row.platform, {**given, "id": row.id, "agent": body.agent_id or row.agent_id})

        async def work(tx: Transaction) -> tuple[ChannelRow, Entry, bool]:
            held = await _changeable(call, tx, hold=True)
            if body.agent_id is not None:
                await bindable(tx, body.agent_id, owner_id=held.owner_id)
            await change_channel(
                tx,
                held,
                agent_id=config.agent,
                settings=plain_values(config),
                secrets=call.parts.vault.seal(hidden_values(config)),
                enabled=held.enabled if body.enabled is None else body.enabled,
            )
            await written_down(call, tx, "channel.change", held.id, sorted(body.model_fields_set))
            return held, await _entry(call, tx, held, config), await is_lent(tx, held)

        row, entry, lent = await call.write(work)
        await (board.plug(entry) if lent or not entry.enabled else board.break_off(entry, NOT_LENT))
    return _shape_of_row(call, row, is_team=entry.is_team, secrets=list(hidden_values(config)))


@routes.add("DELETE", "/api/channels/{id}", status=204, errors=_CHANGE, headers=(HEADER,))
async def delete(call: Call) -> None:
    """Stop a channel and delete it; its secrets are forgotten."""
    board = call.parts.plugboard

    async def work(tx: Transaction) -> str:
        row = await _changeable(call, tx, hold=True)
        await delete_channel(tx, row)
        await written_down(call, tx, "channel.delete", row.id)
        return row.id

    async with board.changing():
        await board.unplug(await call.write(work))


@routes.add("POST", "/api/channels/{id}/check", errors=_ONE)
async def check(call: Call) -> CheckShape:
    """Ask the platform whether the channel's credentials and permissions suffice."""
    shown = await show(call)
    entry, ask = call.parts.plugboard.lineup.find(shown.id), call.parts.check
    if entry is None or ask is None:
        state: Literal["ok", "failed"] = "ok" if shown.state == "connected" else "failed"
        findings = [FindingShape(key="state", status=state, text=shown.state_reason or shown.state)]
    else:
        found = await ask(entry.config)
        findings = [FindingShape(key=each.place.lstrip("."), status=each.status, text=each.words) for each in found]
    return CheckShape(ok=all(each.status != "failed" for each in findings), findings=findings)


@routes.add("GET", "/api/channels/{id}/qr", errors=_ONE, media="image/svg+xml")
async def qr(call: Call) -> web.Response:
    """The channel's `link` as a QR code, to be scanned with a phone."""
    link = (await show(call)).link
    if not link:
        raise ApiError("NOT_FOUND")
    return web.Response(body=drawn(link), content_type="image/svg+xml")


@routes.add("GET", "/api/channels/{id}/chats", errors=_ONE)
async def chats(call: Call) -> Page[ChatShape]:
    """The channel's chats, newest first."""
    channel_id = (await show(call)).id
    found = await call.read(partial(list_chats, channel_id=channel_id))
    return Page(items=[_chat(each) for each in found], next=None)


def _is_mine(call: Call, owner_id: str) -> bool:
    """Whoever made a channel looks after it, and admins after all of them."""
    return owner_id == call.user.id or call.user.role == "admin"


async def _found(call: Call, tx: Transaction, *, hold: bool = False) -> ChannelRow:
    row = await (hold_channel if hold else find_channel)(tx, call.named("id"))
    if row is None or not _is_mine(call, row.owner_id):
        raise ApiError("NOT_FOUND")
    return row


async def _changeable(call: Call, tx: Transaction, *, hold: bool = False) -> ChannelRow:
    entry = call.parts.plugboard.lineup.find(call.named("id"))
    if entry is not None and entry.origin == "config" and _is_mine(call, entry.owner_id):
        raise ApiError("MANAGED_BY_CONFIG")
    row = await _found(call, tx, hold=hold)
    check_edition(call, row.updated_at)
    return row


def _opened(call: Call, row: ChannelRow) -> Mapping[str, str]:
    """The stored secrets; those that cannot be read any more must be given anew."""
    entry = call.parts.plugboard.lineup.find(row.id)
    return {} if entry is None else hidden_values(entry.config)


def _new_row(call: Call, tx: Transaction, config: ChannelConfig, *, enabled: bool) -> ChannelRow:
    return ChannelRow(
        id=config.id,
        platform=config.platform,
        owner_id=call.user.id,
        agent_id=config.agent,
        settings=plain_values(config),
        secrets=call.parts.vault.seal(hidden_values(config)),
        created_at=tx.now,
        updated_at=tx.now,
        enabled=enabled,
    )


async def _entry(call: Call, tx: Transaction, row: ChannelRow, config: ChannelConfig) -> Entry:
    rosters = call.parts.rosters
    return await entry_of(tx, rosters, config, owner_id=row.owner_id, origin="api", enabled=row.enabled)


async def _stored(call: Call, tx: Transaction, rows: list[ChannelRow]) -> list[ChannelShape]:
    agents = await find_agents(tx, sorted({row.agent_id for row in rows}))
    teams = {each.id for each in agents.values() if each.kind == "team"}
    return [_shape_of_row(call, row, is_team=row.agent_id in teams, secrets=list(_opened(call, row))) for row in rows]


def _shape_of_entry(call: Call, entry: Entry) -> ChannelShape:
    row = ChannelRow(
        id=entry.id,
        platform=entry.config.platform,
        owner_id=entry.owner_id,
        agent_id=entry.config.agent,
        settings=plain_values(entry.config),
        enabled=entry.enabled,
    )
    return _shape_of_row(call, row, is_team=entry.is_team, secrets=list(hidden_values(entry.config)), origin="config")


def _shape_of_row(
    call: Call, row: ChannelRow, *, is_team: bool, secrets: list[str], origin: str = "api"
) -> ChannelShape:
    values = dict(row.settings)
    mode = values.pop("response_mode")
    now = call.parts.channels.health().get(row.id, _OFF)
    return ChannelShape(
        id=row.id,
        platform=row.platform,
        agent_id=row.agent_id,
        response_mode="stream" if is_team else mode,
        enabled=row.enabled,
        state=now.state if row.enabled else "stopped",
        state_reason=now.reason if row.enabled else "",
        owner_id=row.owner_id,
        origin=origin,
        **{name: values.pop(name) for name in _IN_SHAPE},
        settings={name: str(value) for name, value in values.items()},
        secrets=sorted(secrets),
        hook_url=f"{call.parts.settings.address}/hooks/{row.id}",
        link=_link(call, row.id),
        updated_at=row.updated_at,
    )


def _link(call: Call, channel_id: str) -> str:
    channel = call.parts.channels.find(channel_id)
    if not isinstance(channel, HasLink):
        return ""
    return channel.link()


def _chat(chat: Chat) -> ChatShape:
    return ChatShape(
        id=chat.id,
        type=chat.type,
        title=chat.title,
        served=chat.served,
        pairing_code=chat.pairing_code,
        created_at=chat.created_at,
    )
