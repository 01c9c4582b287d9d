"""Text that grows in the agent view's threads, signs that somebody works, and buttons that stop it."""

from itertools import count

import pytest

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.slack.people import Person
from tests.support.slack.world import SlackWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
_channels = count(500)


@pytest.fixture
def ann(studio: SlackWorld) -> Person:
    """Ann in the agent view: what she writes at the top begins a thread, where she looks."""
    studio.slack.has_agent_view = True
    return studio.person()


def _ask(ann: Person, text: str) -> None:
    ann.thread = ann.say(text)


async def test_a_private_thread_sees_the_message_grow(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 4; T35: one native stream, which the final words complete."""
    gate = Gate()
    studio.model.play = cast(lambda _: say("第一句。", gate, "第二句。"))
    _ask(ann, "说两句")
    await ann.hears(lambda messages: bool(messages) and messages[0].text == "第一句")
    assert ann.heard[0].state == "in_progress"
    gate.open()
    await ann.hears(lambda messages: messages[0].state == "completed")
    (heard,) = ann.heard
    assert (heard.shown, heard.edits) == ("第一句。第二句。", 0)


async def test_a_whole_round_in_a_private_thread(studio: SlackWorld, ann: Person) -> None:
    """T31, T32, T34: streamed or posted, every message stands there once, under its speaker's name."""
    studio.model.play = round_of()
    _ask(ann, QUESTION)
    heard = await ann.hears_end()
    assert heard[0].shown == NARRATION
    assert {one.author: one.shown for one in heard if one.username} == {
        "研究员": FINDINGS["researcher"],
        "写手": FINDINGS["writer"],
    }
    assert heard[-1].shown.replace("*", "") == f"【主持人总结】{WRAP_UP}"
    assert len(heard) == 6
    assert {one.state for one in heard} <= {"", "completed"}


async def test_a_member_streams_under_its_own_name(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 4: the persona is there from the first word, and still at the end."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda _: say("查到了", gate, "三份资料。"))
    _ask(ann, QUESTION)
    await ann.hears(lambda messages: any(one.author == "研究员" and one.text == "查到" for one in messages))
    gate.open()
    heard = await ann.hears_end()
    assert [one.shown for one in heard if one.author == "研究员"] == ["查到了三份资料。"]


async def test_a_channel_sees_one_post_when_it_is_finished(studio: SlackWorld) -> None:
    """Issue 4, 4: a stream would be seen by one person only."""
    gate = Gate()
    studio.model.play = cast(lambda _: say("第一句。", gate, "第二句。"))
    ann = studio.member(f"C{next(_channels)}")
    before = len(studio.slack.of("chat.startStream"))
    ann.mention("说两句")
    await gate.reached()
    gate.open()
    (heard,) = await ann.hears(1)
    assert heard.shown == "第一句。第二句。"
    assert len(studio.slack.of("chat.startStream")) == before


async def test_the_status_line_says_who_is_working(studio: SlackWorld) -> None:
    """Issue 4, 4: in a channel's thread, and 👀 under the question until the round is over."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda _: say(gate, FINDINGS["researcher"]))
    ann = studio.member(f"C{next(_channels)}")
    asked = ann.mention(QUESTION)
    await gate.reached()
    place = (ann.chat_id, ann.thread)
    await studio.slack.until(lambda slack: "研究员" in slack.statuses.get(place, ""))
    assert ann.channel.messages[asked].reactions == {"eyes"}
    gate.open()
    await ann.hears_end()
    await studio.slack.until(lambda slack: not slack.statuses.get(place))
    await studio.slack.until(lambda _: not ann.channel.messages[asked].reactions)


async def test_task_cards_say_who_is_done(studio: SlackWorld) -> None:
    """Issue 4, 4: in progress, then complete, in place; the stop buttons go."""
    gate = Gate()
    studio.model.play = cast(
        planner(*FINDINGS),
        researcher=always(FINDINGS["researcher"]),
        writer=lambda _: say(gate, FINDINGS["writer"]),
    )
    ann = studio.member(f"C{next(_channels)}")
    ann.mention(QUESTION)
    await ann.hears(lambda messages: [one.card for one in messages if one.card].count("complete") == 1)
    cards = {one.shown: one for one in ann.heard if one.card}
    assert cards["研究员 已完成"].buttons == []
    assert [button["text"]["text"] for button in cards["已请 写手 处理，请稍候…"].buttons] == ["停止"]
    gate.open()
    heard = await ann.hears_end()
    assert [one.card for one in heard if one.card] == ["complete", "complete"]


async def test_the_stop_button_of_a_card_takes_the_job_back(studio: SlackWorld) -> None:
    """Issue 4, 6; T28, T29: an admin presses it in a channel; the failure is shown once, the host concludes."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda _: say(gate, "zu spät"))
    boss = studio.member(f"C{next(_channels)}", user="UBOSS", name="Boss")
    boss.mention(QUESTION)
    await gate.reached()
    (notice,) = await _cards(boss)
    boss.press(notice, "停止")
    heard = await boss.hears_end()
    gate.open()
    assert sum("研究员 没能完成" in one.shown and not one.card for one in heard) == 1
    assert [one.card for one in heard if one.card] == ["error"]


async def _cards(person: Person) -> list:  # type: ignore[type-arg]
    await person.hears(lambda messages: any(one.card for one in messages))
    return [one for one in person.heard if one.card]


async def test_slacks_own_stop_button_stops_the_host(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 6; T16: what was written stays, marked as said, and the next question is answered."""
    gate = Gate()
    studio.model.play = cast(lambda request: say("第一句，", gate, "没有了") if "说" in request.last else say("在。"))
    _ask(ann, "说很多")
    await ann.hears(lambda messages: bool(messages) and messages[0].text.startswith("第一句"))
    ann.stop_stream(ann.heard[0])
    await ann.hears(lambda messages: {one.shown for one in messages} == {"第一句，", "已停止。"})
    gate.open()
    assert len(ann.heard) == 2
    await studio.slack.until(lambda slack: slack.sessions.get((ann.chat_id, ann.thread)) == "active")
    ann.say("在吗")
    await ann.hears(lambda messages: any(one.shown == "在。" for one in messages))


async def test_slash_commands_work_everywhere(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 6; contract 3: with and without arguments, as a question, and in a channel without the app."""
    ann.thread = ""
    ann.command("status")
    await ann.hears(1)
    ann.command("")
    await ann.hears(lambda messages: any("研究员" in one.shown for one in messages))
    studio.model.play = cast(always("我在。"))
    ann.command("在吗")
    await ann.hears(lambda messages: any(one.shown == "我在。" for one in messages))
    outsider = Person(studio.slack, channel=studio.slack.channel(f"C{next(_channels)}", has_app=False))
    outsider.command("status")
    await studio.slack.until(lambda slack: bool(slack.answered_back))
    assert studio.slack.answered_back[0]["response_type"] == "ephemeral"


async def test_the_home_tab_shows_the_team(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 6: with the members of the configuration."""
    studio.slack.bring_event({"type": "app_home_opened", "user": ann.user, "channel": ann.chat_id, "tab": "home"})
    await studio.slack.until(lambda slack: ann.user in slack.homes)
    shown = str(studio.slack.homes[ann.user])
    assert all(name in shown for name in ("内容工作室", "研究员", "写手", "评审"))
