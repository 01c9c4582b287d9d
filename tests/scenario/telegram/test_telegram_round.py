"""A whole team round in Telegram chats."""

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, round_of
from tests.support.telegram.world import TelegramWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
NOTICES = ["已请 研究员 处理，请稍候…", "已请 写手 处理，请稍候…"]
WORDS = {f"研究员：{FINDINGS['researcher']}", f"写手：{FINDINGS['writer']}"}


async def test_a_round_in_a_private_chat_is_six_messages_in_order(bot: TelegramWorld) -> None:
    """T31, T32, T33: narration, notices, members as they finish, one wrap-up; four model calls; labels in bold."""
    bot.model.play = round_of()
    ann = bot.person()
    ann.say(QUESTION)
    heard = await ann.hears_end()
    texts = [message.text for message in heard]
    assert texts[0] == NARRATION
    assert sorted(texts[1:3]) == sorted(NOTICES)
    assert set(texts[3:5]) == WORDS
    assert texts[5] == f"【主持人总结】{WRAP_UP}"
    assert [message.styled("bold") for message in heard[3:]] == [
        [texts[3].partition("：")[0] + "："],
        [texts[4].partition("：")[0] + "："],
        ["【主持人总结】"],
    ]
    assert len(bot.model.requests) == 4


async def test_small_talk_is_one_message(bot: TelegramWorld) -> None:
    """T9."""
    bot.model.play = cast(always("你好，", "我在。"))
    ann = bot.person()
    ann.say("在吗")
    (heard,) = await ann.hears(1)
    assert heard.text == "你好，我在。"
    assert heard.entities == []
