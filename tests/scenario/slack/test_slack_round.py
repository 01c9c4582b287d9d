"""A whole team round in Slack, seen by people in the workspace."""

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, round_of
from tests.support.slack.world import SlackWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
DONE = {"研究员 已完成", "写手 已完成"}


async def test_a_mention_in_a_channel_is_answered_in_a_thread_under_it(studio: SlackWorld) -> None:
    """T31, T32, T33, T34: six messages in the thread, in order; nothing at the top of the channel; four model calls."""
    studio.model.play = round_of()
    ann = studio.member("C1")
    ann.mention(QUESTION)
    heard = await ann.hears_end()
    assert [message.author for message in heard][:3] == ["Studio"] * 3
    assert heard[0].shown == NARRATION
    assert {message.author: message.shown for message in heard[3:5]} == {
        "研究员": FINDINGS["researcher"],
        "写手": FINDINGS["writer"],
    }
    assert (heard[5].author, heard[5].shown) == ("Studio", f"【**主持人总结**】{WRAP_UP}")
    assert len(heard) == 6
    assert all(message.thread_ts == ann.thread for message in heard)
    assert len(studio.model.requests) == 4


async def test_the_bot_is_not_seen_mentioning_itself(studio: SlackWorld) -> None:
    """Contract 8: the app's own mention is taken out of what the host reads."""
    studio.model.play = cast(always("在。"))
    ann = studio.member("C1")
    ann.mention("在吗")
    await ann.hears(1)
    (request,) = studio.model.requests
    assert "在吗" in request.last
    assert "UBOT" not in request.whole()


async def test_small_talk_in_direct_messages_is_answered_flat(studio: SlackWorld) -> None:
    """T9, contract 8: a flat direct message is answered flat, by the app itself."""
    studio.model.play = cast(always("你好，", "我在。"))
    ann = studio.person()
    ann.say("在吗")
    (heard,) = await ann.hears(1)
    assert (heard.author, heard.shown, heard.thread_ts) == ("Studio", "你好，我在。", "")
