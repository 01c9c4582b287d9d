"""Commands, buttons, the bot's menu, pairing and the welcome."""

from pathlib import Path
from uuid import uuid4

from tests.scenario.feishu.conftest import ADMIN
from tests.support.casts import always, cast
from tests.support.feishu.events import envelope, person_id
from tests.support.feishu.faults import refuse
from tests.support.feishu.people import Person
from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.program import Nursery


async def test_a_new_session_begins_below_a_line_in_a_private_chat(lark: FeishuWorld) -> None:
    """Issue 5.6."""
    lark.model.play = cast(always("好。"))
    ann = lark.person()
    await ann.say("记住：甲")
    await ann.hears(1)
    await ann.say("/new")
    heard = await ann.hears(3)
    assert (heard[1].kind, heard[1].text) == ("system", "新会话")
    assert heard[2].text.startswith("已开始新会话")
    await ann.say("还记得吗")
    await ann.hears(4)
    assert "甲" not in lark.model.requests[-1].whole()


async def test_a_line_that_may_not_be_drawn_costs_nothing_else(lark: FeishuWorld) -> None:
    """The permission for it is optional."""
    ann = lark.person()
    await ann.say("/help")
    await ann.hears(1)
    lark.feishu.script.add("send", refuse(99991672, "Access denied: im:message:send_sys_msg"))
    await ann.say("/new")
    assert (await ann.hears(2))[1].text.startswith("已开始新会话")


async def test_the_stop_button_of_a_live_card_stops_it(lark: FeishuWorld) -> None:
    """Issue 5.6, T16: the visible text stays, the button goes."""
    gate = Gate()
    lark.model.play = cast(lambda _: say("很长的", "回答", gate, "永远不完"))
    ann = lark.person()
    await ann.say("讲")
    await lark.feishu.until(lambda _: any(seen.is_growing for seen in ann.heard))
    (growing,) = [seen for seen in ann.heard if seen.is_growing]
    assert growing.buttons == (("停止", "/stop"),)
    toast = await ann.press(growing, "/stop")
    assert toast["toast"]["content"] == "已收到"
    heard = await ann.hears(2)
    assert {seen.text for seen in heard} == {"很长的回答", "已停止。"}
    assert not any(seen.buttons or seen.is_growing for seen in ann.heard)
    gate.open()


async def test_an_admin_approves_a_group_with_a_button(tmp_path: Path, nursery: Nursery) -> None:
    """X1, X2, issue 5.6: one code an hour, a button that works for admins only; what was asked is answered then."""
    async with feishu_world(tmp_path, launcher=nursery, allow_chats=[], admins=[ADMIN]) as lark:
        lark.model.play = cast(always("你们好。"))
        group = lark.group()
        await group.say("在吗", at_bot=True)
        (asked,) = await group.hears(1)
        ((label, command),) = asked.buttons
        assert (label, command[:6]) == ("批准", "/pair ")
        assert command[6:] in asked.text
        await group.press(asked, command)
        await Person(lark.feishu, room=group.room, open_id=ADMIN).press(asked, command)
        heard = await group.hears(lambda seen: any("你们好" in one.text for one in seen))
        assert sum("已批准" in one.text for one in heard) == 1


async def test_a_stranger_gets_a_code_and_an_answer_after_the_approval(tmp_path: Path, nursery: Nursery) -> None:
    """X1: approved by an admin in a private chat of their own."""
    async with feishu_world(tmp_path, launcher=nursery, access="pairing", admins=[ADMIN]) as lark:
        lark.model.play = cast(always("欢迎。"))
        stranger, admin = lark.person(), lark.person(open_id=ADMIN)
        await stranger.say("你好")
        (told,) = await stranger.hears(1)
        code = told.text.partition("配对码是 ")[2][:8]
        await admin.say(f"/pair {code}")
        await admin.hears(1)
        assert (await stranger.hears(2))[1].text == "欢迎。"


async def test_an_entry_of_the_bots_menu_is_a_command_in_the_private_chat(lark: FeishuWorld) -> None:
    """Issue 5.6: the menu names only the person; the answer comes to the chat where the session is."""
    gate = Gate()
    lark.model.play = cast(lambda _: say("长", gate))
    ann = lark.person()
    await ann.say("讲")
    await gate.reached()
    await ann.choose("menu_status")
    heard = await ann.hears(lambda seen: any("正在生成" in one.text for one in seen))
    assert any("内容工作室" in one.text or "主持人" in one.text for one in heard)
    await ann.choose("stop")
    await ann.hears(lambda seen: any(one.text == "已停止。" for one in seen))
    gate.open()


async def test_the_bot_says_welcome_when_it_is_added_to_a_group(tmp_path: Path, nursery: Nursery) -> None:
    """Issue 5.6: in groups that it may serve; a private chat is greeted at its first opening only."""

    def welcome(config: dict[str, object]) -> None:
        config["teams"][0]["welcome"] = "大家好，我是内容工作室。"  # type: ignore[index]

    async with feishu_world(tmp_path, launcher=nursery, change=welcome) as lark:
        group, ann = lark.group(), lark.person()
        added = {"chat_id": group.room.id, "operator_id": person_id(group.open_id), "external": False, "name": "项目群"}
        await group.push(envelope(lark.feishu.app_id, "im.chat.member.bot.added_v1", added))
        assert (await group.hears(1))[0].text == "大家好，我是内容工作室。"
        entered = {"chat_id": ann.room.id, "operator_id": person_id(ann.open_id)}
        kind = "im.chat.access_event.bot_p2p_chat_entered_v1"
        for _ in range(2):
            await ann.push(envelope(lark.feishu.app_id, kind, entered))
        await ann.say("/status")
        assert [seen.text for seen in await ann.hears(2)] == ["大家好，我是内容工作室。", "当前没有人在处理。"]


async def test_events_of_types_that_nobody_knows_are_answered(lark: FeishuWorld) -> None:
    """Issue 5.1: an unanswered one would come four times more."""
    ann = lark.person()
    for kind in ("im.message.message_read_v1", "im.message.reaction.created_v1", "contact.user.moved_v9"):
        ack = await ann.push(envelope(lark.feishu.app_id, kind, {"reader": {}}, event_id=uuid4().hex))
        assert ack is not None
        assert ack.code == 200
