"""Groups, topics, albums, buttons: who is spoken to, and where the answer goes."""

from itertools import count

import pytest

from tests.support.casts import ASK, FINDINGS, always, cast, round_of
from tests.support.telegram.people import Person, migrate
from tests.support.telegram.world import TelegramWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
_chats = count(100)


@pytest.fixture
def group(bot: TelegramWorld) -> Person:
    bot.model.play = cast(always("我在。"))
    return bot.group(-1001000 - next(_chats), "supergroup", title="SG")


async def test_a_mention_is_answered_in_reply_and_the_host_does_not_read_the_name(
    bot: TelegramWorld, group: Person
) -> None:
    """Issue 3, 2: in any case of letters, UTF-16 offsets behind an emoji."""
    asked = group.say("😀 @SIM_bot 在吗")
    (heard,) = await group.hears(1)
    assert heard.reply_to == asked["message"]["message_id"]
    (request,) = bot.model.requests
    assert "😀 在吗" in request.last
    assert "sim_bot" not in request.last.lower()


async def test_what_is_not_for_the_bot_is_left_alone(bot: TelegramWorld, group: Person) -> None:
    """Issue 3, 1 and 2; X6: no mention, a command for another bot, an edit, another bot, a service message."""
    first = group.say("大家好")
    group.say("/stop@other_bot")
    group.edit(first, "大家好 @sim_bot")
    bot.telegram.updates.put(
        message=group.message(text="@sim_bot hi") | {"from": {"id": 9, "is_bot": True, "first_name": "Other"}}
    )
    bot.telegram.updates.put(message=group.message(new_chat_title="T"))
    group.say("@sim_bot 在吗")
    (heard,) = await group.hears(1)
    assert heard.text == "我在。"
    assert len(bot.model.requests) == 1


async def test_a_reply_to_the_bot_speaks_to_it(bot: TelegramWorld, group: Person) -> None:
    """Issue 3, 2."""
    group.say("@sim_bot 在吗")
    (heard,) = await group.hears(1)
    target = {"message_id": heard.id, "date": 1, "chat": group.room.public(), "from": bot.telegram.me, "text": "x"}
    group.say("然后呢", reply_to_message=target)
    await group.hears(2)
    assert "然后呢" in bot.model.requests[-1].last


async def test_commands_work_in_groups_with_and_without_the_bots_name(bot: TelegramWorld, group: Person) -> None:
    """Contract 8: `/cmd` and `/cmd@us`, but not `/cmd@other`."""
    group.say("/status")
    group.say("/status@sim_bot")
    group.say("/status@other_bot")
    group.say("/status@SIM_BOT")
    assert [message.text for message in await group.hears(3)] == ["当前没有人在处理。"] * 3
    assert bot.model.requests == []


async def test_a_topic_is_a_session_of_its_own_and_gets_the_whole_round(bot: TelegramWorld) -> None:
    """T34: forum topics are threads; General has none."""
    bot.model.play = round_of()
    room = bot.telegram.room(-1002000, "supergroup", title="Forum", is_forum=True)
    here, general = Person(bot.telegram, room=room, topic=12), Person(bot.telegram, room=room)
    here.say(f"@sim_bot {QUESTION}")
    heard = await here.hears_end()
    assert {message.thread for message in heard} == {12}
    bot.model.forget()
    general.say(f"@sim_bot {QUESTION}")
    heard = await here.hears_end(2)
    assert [message.thread for message in heard[6:]] == [None] * 6
    assert all(FINDINGS["writer"] not in request.whole() for request in bot.model.requests[:1])


async def test_a_row_of_replies_is_no_topic(bot: TelegramWorld, group: Person) -> None:
    """Issue 3, 1: `message_thread_id` without `is_topic_message`."""
    group.say("@sim_bot 在吗", message_thread_id=90)
    group.say("@sim_bot 还在吗")
    heard = await group.hears(2)
    assert {message.thread for message in heard} == {None}
    assert "在吗" in bot.model.requests[-1].whole()


async def test_a_topic_that_was_deleted_meanwhile_does_not_lose_the_answer(bot: TelegramWorld) -> None:
    """Issue 3, 3: once without the topic."""
    bot.model.play = cast(always("我在。"))
    room = bot.telegram.room(-1002001, "supergroup", title="Forum", is_forum=True)
    ann = Person(bot.telegram, room=room, topic=12)
    room.topics.clear()
    ann.say("@sim_bot 在吗")
    (heard,) = await ann.hears(1)
    assert (heard.text, heard.thread) == ("我在。", None)


async def test_a_deleted_question_does_not_fail_the_answer(bot: TelegramWorld, group: Person) -> None:
    """Issue 3, 3: an anchor that vanished."""
    asked = group.say("@sim_bot 在吗")
    question = group.room.find(asked["message"]["message_id"])
    assert question is not None
    question.deleted = True
    (heard,) = await group.hears(1)
    assert (heard.text, heard.reply_to) == ("我在。", None)


async def test_an_album_is_one_question(bot: TelegramWorld, group: Person) -> None:
    """Issue 3, 1: the caption on the second picture speaks for all three."""
    group.album("", "@sim_bot 看看这些", "")
    await group.hears(1)
    (request,) = bot.model.requests
    assert "看看这些" in request.last


async def test_a_group_that_becomes_a_supergroup_is_answered_there(bot: TelegramWorld) -> None:
    """Issue 3, 1: pending sends give 400 with the new number."""
    bot.model.play = cast(always("我在。"))
    old = bot.group(-4900, "group", title="G")
    old.say("@sim_bot 在吗")
    await old.hears(1)
    fresh = Person(bot.telegram, room=migrate(bot.telegram, old.room, -1004900))
    fresh.say("@sim_bot 还在吗")
    await fresh.hears(1)


async def test_commands_are_offered_in_both_languages(bot: TelegramWorld) -> None:
    """Issue 3, 7."""
    await bot.telegram.until(lambda api: "zh" in api.menus)
    assert bot.telegram.menus["zh"] == bot.telegram.menus[""]
    assert {"help", "new", "stop", "status"} <= set(bot.telegram.menus[""])
    assert "pair" not in bot.telegram.menus[""]


async def test_start_shows_what_can_be_done(bot: TelegramWorld) -> None:
    """Issue 3, 7: what Telegram itself sends when somebody opens the bot."""
    ann = bot.person()
    ann.say("/start")
    (heard,) = await ann.hears(1)
    assert heard.text.startswith("可用命令：")
