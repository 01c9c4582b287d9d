"""Groups, topics and quotes: who is spoken to, and where the answer goes."""

import json

import pytest

from tests.support.casts import ASK, always, cast, round_of
from tests.support.feishu.events import dumped, envelope, mention, message_event
from tests.support.feishu.server import BOT_ID
from tests.support.feishu.world import FeishuWorld
from tests.support.gate import Gate
from tests.support.model_reply import Reply, say
from tests.support.model_request import Request

QUESTION = f"{ASK}，绿茶市场怎么样？"


def _echo(request: Request) -> Reply:
    return say(f"听到：{request.last.strip().splitlines()[-1]}")


async def test_a_mention_is_answered_under_the_question_without_the_bots_own_name(lark: FeishuWorld) -> None:
    """T34, contract 8: the bot's own mention is taken out of what the host reads; the asker is known by name."""
    lark.model.play = cast(always("在。"))
    group = lark.group(name="小安")
    question = await group.say("你在吗", at_bot=True)
    (heard,) = await group.hears(1)
    assert heard.answers == question.id
    assert heard.thread == ""
    (asked,) = lark.model.requests
    assert "你在吗" in asked.last
    assert "SimBot" not in asked.last
    assert "@_user_1" not in asked.last
    assert "小安" in asked.whole()


async def test_words_that_are_not_for_the_bot_are_left_alone(lark: FeishuWorld) -> None:
    """T9, X6: no mention, a mention of somebody else, and @all."""
    lark.model.play = cast(always("?"))
    group = lark.group()
    await group.say("大家好")
    await group.send("text", {"text": "@_user_1 你看"}, [mention("@_user_1", "ou_colleague", "Tom")])
    await group.send("text", {"text": "@_all 开会"})
    await group.say("/status")
    (heard,) = await group.hears(1)
    assert heard.text == "当前没有人在处理。"
    assert lark.model.requests == []


@pytest.mark.parametrize("kind", ["app", "bot"])
async def test_other_bots_start_nothing(lark: FeishuWorld, kind: str) -> None:
    """X6: two bots in one group must not talk to each other for ever."""
    lark.model.play = cast(always("?"))
    group = lark.group()
    message = lark.feishu.state.write(group.room, "text", {"text": "@_user_1 hi"}, "ou_other_bot")
    told = message_event(message, group.room, [mention("@_user_1", BOT_ID, "SimBot", "bot")], kind)
    ack = await group.push(envelope(lark.feishu.app_id, "im.message.receive_v1", told))
    assert ack is not None
    assert ack.code == 200
    await group.say("/status")
    await group.hears(1)
    assert lark.model.requests == []


async def test_a_topic_is_a_session_of_its_own_and_every_message_stays_in_it(lark: FeishuWorld) -> None:
    """T34, T36: all messages of a round stand in the topic of the question."""
    lark.model.play = round_of()
    group = lark.group()
    await group.say(QUESTION, at_bot=True, thread="omt_1")
    heard = await group.hears_end()
    assert len(heard) == 6
    assert {seen.thread for seen in heard} == {"omt_1"}
    lark.model.play = cast(_echo)
    await group.say("外面", at_bot=True)
    await group.hears(7)
    assert QUESTION not in lark.model.requests[-1].whole()


async def test_topic_groups_are_answered_in_the_topic(lark: FeishuWorld) -> None:
    """T34: no message opens a topic of its own."""
    lark.model.play = round_of()
    group = lark.group("topic")
    question = await group.say(QUESTION, at_bot=True)
    heard = await group.hears_end()
    assert {seen.thread for seen in heard} == {question.thread_id}


async def test_a_quote_is_no_thread(lark: FeishuWorld) -> None:
    """Contract 8: root_id alone is a quote; the same session, and the host is told what is quoted."""
    lark.model.play = cast(_echo)
    ann = lark.person()
    first = await ann.say("第一句")
    await ann.hears(1)
    await ann.say("第二句", answers=first.id)
    heard = await ann.hears(2)
    assert heard[1].text == "听到：第二句"
    assert heard[1].thread == ""
    asked = lark.model.requests[-1]
    assert "> 第一句" in asked.last
    assert "听到：第一句" in asked.whole()


async def test_a_reply_to_the_bot_is_a_mention(lark: FeishuWorld) -> None:
    """Contract 8: also to a message that was sent before the program knew its id."""
    lark.model.play = cast(_echo)
    group = lark.group()
    await group.say("开始", at_bot=True)
    (heard,) = await group.hears(1)
    await group.say("继续", answers=heard.id)
    assert (await group.hears(2))[1].text == "听到：继续"
    other = await group.say("闲聊")
    await group.say("不是给机器人的", answers=other.id)
    await group.say("/status")
    assert len(await group.hears(3)) == 3


async def test_a_recalled_message_is_not_answered(lark: FeishuWorld) -> None:
    """Issue 5.1: recall cancels a queued input."""
    gate = Gate()
    lark.model.play = cast(lambda request: say(gate, f"答{request.last.strip()[-1]}"))
    ann = lark.person()
    await ann.say("一")
    await gate.reached()
    second = await ann.say("二")
    await ann.say("三")
    await ann.recall(second)
    await ann.say("/whoami")  # commands act in the order of their chat: when it is answered, the recall is done
    await ann.hears(1)
    gate.open()
    assert [seen.text for seen in await ann.hears(3)][1:] == ["答一", "答三"]


async def test_a_question_that_was_recalled_meanwhile_is_answered_all_the_same(lark: FeishuWorld) -> None:
    """T34, R1: what takes no reply any more gets a message of its own, in its topic if there is one."""
    gate = Gate()
    lark.model.play = cast(lambda _: say(gate, "好"))
    group = lark.group()
    await group.say("先说一句", thread="omt_2")
    question = await group.say("问", at_bot=True, thread="omt_2")
    flat = await group.say("问", at_bot=True)
    await gate.reached()
    question.is_deleted = flat.is_deleted = True
    gate.open()
    heard = await group.hears(2)
    assert sorted(seen.thread for seen in heard) == ["", "omt_2"]


async def test_files_and_what_cannot_be_read_reach_the_host_by_name(lark: FeishuWorld) -> None:
    """Issue 5.1: nothing crashes; what is no text is named."""
    lark.model.play = cast(always("好。"))
    ann = lark.person()
    await ann.send("sticker", {"file_key": "k"})
    await ann.send("hologram", {"x": 1})
    await ann.send("location", {"name": "西湖", "longitude": "120.1", "latitude": "30.2"})
    await ann.hears(3)
    said = [request.last for request in lark.model.requests]
    assert "表情包" in said[0]
    assert "hologram" in said[1]
    assert "西湖" in said[2]


async def test_a_forwarded_bundle_brings_its_messages(lark: FeishuWorld) -> None:
    lark.model.play = cast(always("好。"))
    ann = lark.person()
    bundle = lark.feishu.state.write(
        ann.room, "merge_forward", {"content": "Merged and Forwarded Message"}, ann.open_id
    )
    for text in ("第一条", "第二条"):
        lark.feishu.state.write(ann.room, "text", {"text": text}, "ou_x", uuid=f"inside {bundle.id}")
    event = envelope(lark.feishu.app_id, "im.message.receive_v1", message_event(bundle, ann.room, []))
    await lark.feishu.connections.push(dumped(event))
    await ann.hears(1)
    assert "> 第一条\n> 第二条" in lark.model.requests[0].last


async def test_mass_mentions_of_a_model_ring_nobody(lark: FeishuWorld) -> None:
    """X6: the words stay readable."""
    words = '<at id=all></at> 请看 <at user_id="ou_1">Tom</at> @所有人'
    lark.model.play = cast(always(words))
    ann = lark.person()
    await ann.say("通知大家")
    (heard,) = await ann.hears(1)
    assert heard.text == words
    assert lark.feishu.state.rung == []
    assert "<at" not in json.dumps([call.body for call in lark.feishu.of("card", "make_card", "content", "send")])
