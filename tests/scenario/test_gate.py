"""Strangers stay out: pairing, allow-lists, groups, admins (X1, X2, contract 2 and 4)."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.support.callback import Receiver
from tests.support.casts import always, cast
from tests.support.guest import Guest
from tests.support.model_server import ModelServer
from tests.support.program import Nursery
from tests.support.settings import settings, webhook
from tests.support.world import World, world

CODE = re.compile(r"\b[A-HJKMNP-Z2-9]{8}\b")


def _doors(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    def door(channel_id: str, **rules: Any) -> dict[str, Any]:
        return webhook(channel_id, "studio", callback.url(channel_id), admins=["boss"], **rules)

    channels = [
        door("paired", access="pairing", allow=["friend", 42]),
        door("listed", access="allowlist", allow=["friend"], groups="off", allow_chats=["g-served"]),
        door("wide", access="open", groups="mention", allow_chats=["g-served"]),
        door("eager", access="pairing", groups="all", allow_chats=["*"]),
        door("narrow", access="open", rate_limit=3),
    ]
    return settings(model_url=model.base_url, port=port, channels=channels)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def doors(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("doors"), _doors, launcher=nursery) as running:
        running.model.play = cast(always("请进。"))
        yield running


def _code(reply: Any) -> str:
    assert (reply.status, reply.code) == (403, "PAIRING_REQUIRED"), reply
    code = str(reply.body["error"]["details"]["pairing_code"])
    assert CODE.fullmatch(code), code
    return code


async def _served(guest: Guest) -> None:
    """The guest says something and is answered by the host."""
    before = len(guest.heard)
    reply = await guest.say("在吗")
    assert reply.body["input_id"]
    heard = await guest.hears(lambda messages: any(message.kind == "host" for message in messages[before:]))
    assert heard[-1].text == "请进。"


async def test_a_stranger_gets_a_code_and_nothing_else(doors: World) -> None:
    """X1: 403 with the code, nothing at the model, nothing in the chat."""
    asked = len(doors.model.requests)
    guest = doors.guest(channel="paired", sender="stranger-1")
    assert _code(await guest.send("在吗")) == _code(await guest.send("还在吗"))
    assert len(doors.model.requests) == asked
    assert guest.heard == []


async def test_a_stranger_cannot_use_commands(doors: World) -> None:
    """X1: a command is as closed as a question."""
    _code(await doors.guest(channel="paired", sender="stranger-2").send("/status"))


async def test_an_admin_approves_in_the_chat(doors: World) -> None:
    """X2: /pair CODE of an admin; the same id sent after the approval is a first delivery."""
    stranger, boss = doors.guest(channel="paired", sender="s-3"), doors.guest(channel="paired", sender="boss")
    code = _code(await stranger.send("在吗", message="first-try"))
    reply = await boss.say(f"/pair {code}")
    assert reply.body["command"] == "pair"
    assert reply.body["input_id"] is None
    assert (await boss.hears(1))[0].kind == "reply"
    first = await stranger.say("在吗", message="first-try")
    assert first.body["duplicate"] is False
    await stranger.hears(lambda messages: any(message.kind == "host" for message in messages))


async def test_a_used_code_is_worth_nothing(doors: World) -> None:
    """X1: the second use changes nothing and says so."""
    stranger, boss = doors.guest(channel="paired", sender="s-4"), doors.guest(channel="paired", sender="boss")
    code = _code(await stranger.send("在吗"))
    await boss.say(f"/pair {code}")
    await boss.say(f"/pair {code}")
    approved, refused = await boss.hears(2)
    assert approved.text != refused.text
    await _served(stranger)


async def test_only_an_admin_approves(doors: World) -> None:
    """X2: a served person who is no admin can approve nobody."""
    stranger, friend = doors.guest(channel="paired", sender="s-5"), doors.guest(channel="paired", sender="friend")
    code = _code(await stranger.send("在吗"))
    await friend.say(f"/pair {code}")
    assert (await friend.hears(1))[0].kind == "reply"
    _code(await stranger.send("还在吗"))


async def test_a_code_of_one_channel_opens_no_other(doors: World) -> None:
    """X3: codes and approvals belong to their channel."""
    stranger = doors.guest(channel="paired", sender="s-6")
    code = _code(await stranger.send("在吗"))
    boss = doors.guest(channel="wide", sender="boss")
    await boss.say(f"/pair {code}")
    await boss.hears(1)
    _code(await stranger.send("还在吗"))


async def test_the_command_line_approves_on_a_running_server(doors: World) -> None:
    """Contract 1: people list, approve, block through the server."""
    stranger = doors.guest(channel="paired", sender="s-7")
    code = _code(await stranger.send("在吗"))
    status, out, err = await doors.program.run("people", "list")
    assert (status, err) == (0, "")
    assert "s-7" in out
    status, out, err = await doors.program.run("people", "approve", code)
    assert (status, err) == (0, "")
    await _served(stranger)
    status, _, err = await doors.program.run("people", "approve", code)
    assert status != 0
    assert len(err.strip().splitlines()) == 1
    people = (await doors.api.ok("/api/people", state="approved"))["items"]
    (person,) = [person for person in people if person["external_id"] == "s-7"]
    assert (await doors.program.run("people", "block", person["id"]))[0] == 0
    refused = await stranger.send("在吗")
    assert (refused.status, refused.code) == (403, "FORBIDDEN")


async def test_allowed_senders_are_already_approved(doors: World) -> None:
    """Contract 2: allow works in pairing mode too, as text or number; admins are served."""
    for sender in ("friend", "42", "boss"):
        await _served(doors.guest(channel="paired", sender=sender))


async def test_an_allow_list_refuses_everybody_else(doors: World) -> None:
    await _served(doors.guest(channel="listed", sender="friend"))
    refused = await doors.guest(channel="listed", sender="stranger").send("在吗")
    assert (refused.status, refused.code) == (403, "FORBIDDEN")


async def test_an_open_channel_serves_everybody(doors: World) -> None:
    await _served(doors.guest(channel="wide", sender="anybody"))


async def test_groups_off_are_ignored(doors: World) -> None:
    guest = doors.guest(channel="listed", sender="friend", chat_type="group", chat_id="g-served")
    reply = await guest.say("在吗", mentioned=True)
    assert reply.body == {"session_id": None, "input_id": None, "duplicate": False, "ignored": "chat_not_served"}


async def test_a_served_group_is_answered_when_it_mentions_the_bot(doors: World) -> None:
    """Contract 2: in a served group everybody may speak."""
    guest = doors.guest(channel="wide", sender="anybody", chat_type="group", chat_id="g-served")
    quiet = await guest.say("闲聊")
    assert (quiet.body["session_id"], quiet.body["input_id"]) == (None, None)
    assert quiet.body["ignored"] == "not_mentioned"
    reply = await guest.say("在吗", mentioned=True)
    assert reply.body["input_id"]
    await guest.hears(1)


async def test_groups_all_are_answered_without_a_mention(doors: World) -> None:
    """Contract 2: a stranger to the channel is served in a served group."""
    await _served(doors.guest(channel="eager", sender="anybody", chat_type="group"))
    _code(await doors.guest(channel="eager", sender="anybody").send("在吗"))


async def test_an_unknown_group_is_silent_until_it_mentions_the_bot(doors: World) -> None:
    """X1: silence; one line with a code per hour when mentioned; the code serves the group."""
    group = doors.guest(channel="wide", sender="anybody", chat_type="group")
    silent = await group.say("闲聊")
    assert silent.body["ignored"] == "chat_not_served"
    told = await group.send("在吗", mentioned=True)
    code = _code_of_group(told, group) or _code_in((await group.hears(1))[0].text)
    boss = doors.guest(channel="wide", sender="boss")
    await boss.say(f"/pair {code}")
    await boss.hears(1)
    reply = await group.say("在吗", mentioned=True)
    assert reply.body["input_id"]
    await group.hears(lambda messages: any(message.kind == "host" for message in messages))


def _code_of_group(reply: Any, group: Guest) -> str:
    return _code(reply) if reply.status == 403 else ""


def _code_in(text: str) -> str:
    found = CODE.search(text)
    assert found is not None, text
    return found[0]


async def test_too_many_messages_are_429(doors: World) -> None:
    """Contract 2 and 4: per sender; others go on; Retry-After tells when."""
    busy, calm = doors.guest(channel="narrow", sender="busy"), doors.guest(channel="narrow", sender="calm")
    for _ in range(3):
        await busy.say("在吗")
    reply = await busy.send("在吗")
    assert (reply.status, reply.code) == (429, "RATE_LIMITED")
    assert 1 <= int(reply.headers["Retry-After"]) <= 60
    await _served(calm)
    await busy.hears(3)
