"""A whole team round in Feishu chats."""

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, round_of
from tests.support.feishu.world import FeishuWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
NOTICES = ["已请 研究员 处理，请稍候…", "已请 写手 处理，请稍候…"]


async def test_a_round_in_a_private_chat_is_six_messages_in_order(lark: FeishuWorld) -> None:
    """T31, T32, T33, T35: narration, notices, members under their own names and colours, one wrap-up; four calls."""
    lark.model.play = round_of()
    ann = lark.person()
    await ann.say(QUESTION)
    heard = await ann.hears_end()
    assert (heard[0].title, heard[0].text) == ("内容工作室", NARRATION)
    assert sorted(seen.text for seen in heard[1:3]) == sorted(NOTICES)
    assert {seen.title for seen in heard[1:3]} == {""}
    assert {(seen.title, seen.text) for seen in heard[3:5]} == {
        ("研究员", FINDINGS["researcher"]),
        ("写手", FINDINGS["writer"]),
    }
    assert (heard[5].title, heard[5].text) == ("【主持人总结】", WRAP_UP)
    assert len({seen.colour for seen in heard[3:6]}) == 3
    assert len(heard) == 6
    assert len(lark.model.requests) == 4


async def test_small_talk_is_one_card(lark: FeishuWorld) -> None:
    """T9."""
    lark.model.play = cast(always("你好，", "我在。"))
    ann = lark.person()
    await ann.say("在吗")
    (heard,) = await ann.hears(1)
    assert heard.text == "你好，我在。"
    assert heard.buttons == ()
