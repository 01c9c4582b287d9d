"""Telegram misbehaves in every way: everything arrives, in order, and nothing twice silently (R1, R3)."""

from itertools import count

import pytest

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, round_of
from tests.support.model_reply import say
from tests.support.telegram.faults import Fault, busy, refuse
from tests.support.telegram.people import Person, migrate
from tests.support.telegram.world import TelegramWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
_chats = count(8000)


@pytest.fixture
def ann(bot: TelegramWorld) -> Person:
    bot.model.play = round_of()
    return bot.person()


async def whole_round(person: Person, marked: int = 0) -> None:
    """The six messages in order, each once; so many may be marked as maybe shown before."""
    texts = [message.text for message in await person.hears_end()]
    plain = [text.removeprefix("↻ ") for text in texts]
    assert plain[0] == NARRATION
    assert plain[-1] == f"【主持人总结】{WRAP_UP}"
    assert len(set(plain)) == 6
    assert sum(text.startswith("↻ ") for text in texts) == marked


@pytest.mark.parametrize(
    "fault",
    [
        busy(1),
        refuse(401, "Unauthorized"),
        refuse(404, "Not Found"),
    ],
    ids=["429", "401", "404"],
)
async def test_what_was_surely_not_sent_is_sent_later(bot: TelegramWorld, ann: Person, fault: Fault) -> None:
    """R3: in order; nothing overtakes it."""
    fault.retry_after = min(fault.retry_after, 1)
    bot.telegram.script.add("sendMessage", fault)
    ann.say(QUESTION)
    if fault.code == 429:
        await whole_round(ann)
    else:  # only the owner can help: tried again after half a minute
        await bot.telegram.until(lambda api: bool(api.of("sendMessage", chat=ann.user)))
        assert (await bot.deliveries("pending"))[-1:] != []


async def test_an_answered_failure_is_repeated_marked(bot: TelegramWorld, ann: Person) -> None:
    """Architecture 7: a 5xx was hardly executed."""
    bot.telegram.script.add(
        "sendMessage", Fault(kind="status", code=502), refuse(500, "Internal Server Error: restart")
    )
    ann.say(QUESTION)
    await whole_round(ann, marked=1)


async def test_a_cut_that_was_executed_is_repeated_marked_once(bot: TelegramWorld, ann: Person) -> None:
    """R1, contract 3: the chat sees it twice, and the second one says so."""
    bot.telegram.script.add("sendMessage", Fault(kind="cut_after"))
    ann.say(QUESTION)
    heard = await ann.hears_end()
    assert [message.text for message in heard[:2]] == [NARRATION, f"↻ {NARRATION}"]
    assert len(heard) == 7


async def test_a_second_cut_stays_visible_and_the_round_goes_on(bot: TelegramWorld, ann: Person) -> None:
    """Architecture 7."""
    bot.telegram.script.add("sendMessage", Fault(kind="cut_before"), Fault(kind="cut_before"))
    ann.say(QUESTION)
    heard = await ann.hears_end()
    assert NARRATION not in {message.text.removeprefix("↻ ") for message in heard}
    assert len(heard) == 5
    assert len(await bot.deliveries("uncertain")) == 1


async def test_an_outage_of_the_whole_api_delays_and_loses_nothing(bot: TelegramWorld, ann: Person) -> None:
    """R3, R5: refused connections in both directions."""
    ann.say("/status")
    await ann.hears(1)
    await bot.telegram.close_port()
    ann.say(QUESTION)
    await bot.telegram.open_port()
    await whole_round_after(ann)


async def whole_round_after(person: Person) -> None:
    texts = [message.text for message in await person.hears_end()]
    assert texts[1] == NARRATION
    assert len(texts) == 7


async def test_the_answer_to_somebody_who_blocked_the_bot_comes_when_they_come_back(bot: TelegramWorld) -> None:
    """Issue 3, 5: parked, not lost, not asked for again and again."""
    bot.model.play = cast(always("答案在此。"))
    ann = bot.person()
    ann.room.blocked = "bot was blocked by the user"
    ann.say("在吗")
    await bot.telegram.until(lambda api: bool(api.of("sendMessage", chat=ann.user)))
    ann.unblock()
    assert [message.text for message in await ann.hears(1)] == ["答案在此。"]


async def test_what_waits_for_a_group_that_moved_is_sent_to_its_new_number(bot: TelegramWorld) -> None:
    """Issue 3, 1: the binding moves along, so the room remembers."""
    bot.model.play = cast(lambda request: say(f"听到了{len(request.messages)}"))
    old = bot.group(-4000 - next(_chats), "group", title="G")
    old.say("@sim_bot 记住：我喜欢绿茶")
    await old.hears(1)
    fresh = Person(bot.telegram, room=migrate(bot.telegram, old.room, -1004900 - next(_chats)))
    fresh.say("@sim_bot 我喜欢什么")
    await fresh.hears(1)
    assert "我喜欢绿茶" in bot.model.requests[-1].whole()


async def test_one_stuck_chat_delays_no_other(bot: TelegramWorld) -> None:
    """R4."""
    bot.model.play = cast(always("我在。"))
    stuck, other = bot.person(), bot.person()
    fault = Fault(kind="hang_after", chat=stuck.chat_id)
    bot.telegram.script.add("sendMessage", fault)
    stuck.say("在吗")
    await bot.telegram.until(lambda api: bool(api.of("sendMessage", chat=stuck.user)))
    other.say("在吗")
    await other.hears(1)
    fault.gate.set()


async def test_the_same_message_again_is_answered_once(bot: TelegramWorld, ann: Person) -> None:
    """R2: the same update, and the same message in another update."""
    update = ann.say(QUESTION)
    bot.telegram.updates.again(update)
    bot.telegram.updates.put(message=update["message"])
    await whole_round(ann)
    ann.say("/status")
    assert (await ann.hears(7))[-1].text == "当前没有人在处理。"
    assert len(bot.model.requests) == 4


async def test_a_model_that_writes_what_telegram_refuses_is_read_all_the_same(bot: TelegramWorld) -> None:
    """Issue 3, 3: links, HTML, tables, mentions; formatted, not as a fallback."""
    bot.model.play = cast(
        always("看 [文件](./src/a.py)、<b>原样</b>、@everyone。\n\n| 名字 | 值 |\n|---|---|\n| 研究员 | 1 |\n")
    )
    ann = bot.person()
    ann.say("写点什么")
    (heard,) = await ann.hears(1)
    assert heard.text.startswith("看 文件 (./src/a.py)、<b>原样</b>、@\u2060everyone。")
    assert heard.styled("pre")[0].startswith("名字   | 值")
    assert [call.executed for call in bot.telegram.of("sendMessage", chat=ann.user)] == [True]


async def test_a_long_answer_is_several_messages_with_their_numbers(bot: TelegramWorld) -> None:
    """Contract 3 and 8: every part has its label and number; code stays whole."""
    code = "\n".join(f"print({number})" for number in range(700))
    bot.model.play = round_of(findings=FINDINGS, wrap_up=f"代码如下：\n\n```python\n{code}\n```\n\n完。")
    ann = bot.person()
    ann.say(QUESTION)
    heard = await ann.hears(lambda messages: messages[-1:] != [] and messages[-1].text.endswith("完。"))
    parts = [message for message in heard if message.text.startswith("【主持人总结】")]
    assert len(parts) >= 2
    assert [part.styled("bold")[0] for part in parts] == [
        f"【主持人总结】 ({number}/{len(parts)})" for number in range(1, len(parts) + 1)
    ]
    assert "".join("".join(part.styled("pre")) for part in parts).count("print(") == 700
