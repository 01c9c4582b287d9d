"""Closed by default: strangers, codes, links, unknown groups (X1, X2)."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.casts import always, cast
from tests.support.telegram.world import TelegramWorld, telegram_world

ADMIN = 77
CODE = re.compile(r"\b[A-HJKMNP-Z2-9]{8}\b")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def closed(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[TelegramWorld]:
    folder = tmp_path_factory.mktemp("closed")
    async with telegram_world(folder, access="pairing", allow_chats=[], admins=[ADMIN]) as running:
        running.model.play = cast(always("我在。"))
        yield running


async def code_of(world: TelegramWorld, text: str) -> str:
    found = CODE.search(text)
    assert found is not None, text
    return found[0]


async def test_a_stranger_gets_a_code_and_an_answer_after_the_link_was_opened(closed: TelegramWorld) -> None:
    """X1, issue 3, 7: the admin opens t.me/bot?start=CODE; the first message is answered then."""
    stranger, admin = closed.person(), closed.person(user=ADMIN)
    stranger.say("在吗")
    (told,) = await stranger.hears(1)
    assert closed.model.requests == []
    admin.say(f"/start {await code_of(closed, told.text)}")
    await admin.hears(1)
    assert (await stranger.hears(2))[1].text == "我在。"


async def test_a_stranger_who_opens_a_link_approves_nobody(closed: TelegramWorld) -> None:
    """X2: a code is approved by admins only."""
    one, two = closed.person(), closed.person()
    one.say("在吗")
    code = await code_of(closed, (await one.hears(1))[0].text)
    two.say(f"/start {code}")
    await two.hears(1)
    one.say("在吗")
    two.say("/status")
    pending = (await closed.api.ok("/api/people", state="pending"))["items"]
    assert {person["external_id"] for person in pending} >= {str(one.user), str(two.user)}


async def test_an_unknown_group_is_met_with_silence_and_one_code_when_it_asks(closed: TelegramWorld) -> None:
    """X1: once an hour; approved from within by an admin."""
    closed.model.forget()
    group = closed.group(-9100)
    admin = closed.group(-9100)
    admin.user = ADMIN
    group.say("大家好")
    group.say("@sim_bot 在吗")
    group.say("@sim_bot 在吗")
    (told,) = await group.hears(1)
    assert closed.model.requests == []
    admin.say(f"/pair {await code_of(closed, told.text)}")
    await group.hears(lambda messages: any(message.text == "我在。" for message in messages))
