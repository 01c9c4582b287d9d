"""Text that grows while it is written, and signs that somebody works."""

import pytest_asyncio

from tests.support.casts import ASK, FINDINGS, cast, planner
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.model_server import Play
from tests.support.telegram.world import TelegramWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"


def in_two(gate: Gate) -> Play:
    """Two sentences, the second behind the gate."""
    return lambda _: say("第一句。", gate, "第二句。")


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def without_flood(bot: TelegramWorld) -> None:
    """Nothing of an earlier test counts here."""


async def test_a_private_chat_sees_a_draft_grow_and_then_the_message(bot: TelegramWorld) -> None:
    """Issue 3, 4; T35: native drafts, finished by the real message, which is complete."""
    gate = Gate()
    bot.model.play = cast(in_two(gate))
    ann = bot.person()
    ann.say("说两句")
    await bot.telegram.until(lambda _: any(draft["text"] == "第一句。" for draft in ann.room.drafts))
    assert ann.heard == []
    gate.open()
    (heard,) = await ann.hears(1)
    assert heard.text == "第一句。第二句。"
    assert ann.room.draft is None


async def test_a_group_sees_one_message_grow(bot: TelegramWorld) -> None:
    """Issue 3, 4; T35: live and final are the same message, the final text is complete."""
    gate = Gate()
    bot.model.play = cast(in_two(gate))
    group = bot.group(-7001)
    group.say("@sim_bot 说两句")
    (heard,) = await group.hears(1)
    first = heard.text
    gate.open()
    await group.hears(lambda messages: messages[0].text == "第一句。第二句。")
    assert "第一句。第二句。".startswith(first)
    assert len(group.heard) == 1


async def test_a_member_writes_under_its_name_from_the_first_word(bot: TelegramWorld) -> None:
    """Contract 8: live text is labelled while it grows."""
    gate = Gate()
    bot.model.play = cast(planner("researcher"), researcher=lambda _: say("查到", gate, "三份资料。"))
    group = bot.group(-7002)
    group.say(f"@sim_bot {QUESTION}")
    await group.hears(lambda messages: any(message.text == "研究员：查到" for message in messages))
    gate.open()
    heard = await group.hears_end()
    assert [message.text for message in heard][-2] == "研究员：查到三份资料。"
    assert heard[-2].styled("bold") == ["研究员："]
    assert sum("研究员：" in message.text for message in heard) == 1


async def test_a_server_without_drafts_costs_beauty_only(bot: TelegramWorld) -> None:
    """Issue 3, 4: older Bot API servers; the final text comes, and nobody asks for drafts again and again."""
    bot.telegram.has_drafts = False
    try:
        for _ in range(2):
            gate = Gate()
            bot.model.play = cast(in_two(gate))
            ann = bot.person()
            ann.say("说两句")
            await gate.reached()
            gate.open()
            (heard,) = await ann.hears(1)
            assert heard.text == "第一句。第二句。"
    finally:
        bot.telegram.has_drafts = True
    assert len([call for call in bot.telegram.of("sendMessageDraft") if not call.executed]) <= 1


async def test_somebody_at_work_is_seen(bot: TelegramWorld) -> None:
    """Issue 3, 4 and 7: a typing sign, and 👀 under the question until the round is over."""
    gate = Gate()
    bot.model.play = cast(planner("researcher"), researcher=lambda _: say(gate, FINDINGS["researcher"]))
    ann = bot.person()
    asked = ann.say(QUESTION)
    question = ann.room.find(asked["message"]["message_id"])
    assert question is not None
    await gate.reached()
    await bot.telegram.until(lambda _: bool(ann.room.actions))
    assert ann.room.actions[0]["action"] == "typing"
    gate.open()
    await ann.hears_end()
    await bot.telegram.until(lambda _: question.reactions == [])
