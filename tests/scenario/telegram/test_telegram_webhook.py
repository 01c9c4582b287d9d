"""Mode webhook: Telegram calls us, and is told "taken" when it is durable."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from tests.support.casts import ASK, FINDINGS, WRAP_UP, round_of
from tests.support.telegram.world import TelegramWorld, telegram_world

QUESTION = f"{ASK}，绿茶市场怎么样？"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hooked(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[TelegramWorld]:
    async with telegram_world(tmp_path_factory.mktemp("hooked"), mode="webhook") as running:
        yield running


async def test_a_round_over_the_webhook(hooked: TelegramWorld) -> None:
    """Issue 3, 1: set by the program itself, with a secret and the list of what it wants."""
    hooked.model.play = round_of()
    assert hooked.telegram.hook_url == f"{hooked.program.url}/hooks/tg"
    assert set(hooked.telegram.updates.allowed) == {"message", "callback_query", "my_chat_member"}
    ann = hooked.person()
    ann.say(QUESTION)
    texts = [message.text for message in await ann.hears_end()]
    assert len(texts) == 6
    assert set(texts[3:5]) == {f"研究员：{FINDINGS['researcher']}", f"写手：{FINDINGS['writer']}"}
    assert texts[5] == f"【主持人总结】{WRAP_UP}"
    assert hooked.telegram.refused_calls == []


async def test_a_redelivery_is_taken_and_nothing_else(hooked: TelegramWorld) -> None:
    """R2."""
    ann = hooked.person()
    update = ann.say("/status")
    await ann.hears(1)
    hooked.telegram.updates.again(update)
    ann.say("/team")
    await ann.hears(2)
    assert len(ann.texts()) == 2


async def test_an_album_over_the_webhook_is_one_message(hooked: TelegramWorld) -> None:
    """Issue 3, 1: each piece is confirmed before the next one comes."""
    hooked.model.forget()
    ann = hooked.person()
    ann.album("看看", "")
    await ann.hears(1)
    assert len(hooked.model.requests) == 1


@pytest.mark.parametrize("secret", [None, "", "guess"])
@pytest.mark.parametrize("body", ["{}", "nonsense", json.dumps({"update_id": 1, "message": {}})])
async def test_strangers_are_refused(hooked: TelegramWorld, secret: str | None, body: str) -> None:
    """X4: 401, whatever they send."""
    headers = {} if secret is None else {"X-Telegram-Bot-Api-Secret-Token": secret}
    async with (
        ClientSession() as http,
        http.post(f"{hooked.program.url}/hooks/tg", data=body, headers=headers) as answer,
    ):
        assert answer.status == 401


async def test_after_a_restart_the_webhook_is_set_again_and_nothing_is_lost(hooked: TelegramWorld) -> None:
    """R1: what Telegram could not deliver meanwhile comes then."""
    await hooked.program.kill()
    ann = hooked.person()
    ann.say("/status")
    await hooked.program.start()
    assert [message.text for message in await ann.hears(1)] == ["当前没有人在处理。"]
