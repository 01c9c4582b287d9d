"""Channels, threads and direct messages: who is spoken to, and where the answer goes."""

import asyncio
from itertools import count

import pytest

from tests.support.casts import ASK, FINDINGS, WRAP_UP, always, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.slack.people import MENTION, Person
from tests.support.slack.state import BOT, BOT_USER
from tests.support.slack.world import SlackWorld

QUESTION = f"{ASK}，绿茶市场怎么样？"
_channels = count(100)


@pytest.fixture
def ann(studio: SlackWorld) -> Person:
    """Ann in a channel of her own, and a host that always answers."""
    studio.model.play = cast(always("我在。"))
    return studio.member(f"C{next(_channels)}")


async def test_a_mention_is_one_input_although_it_comes_as_two_events(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 1; R2: `message` and `app_mention` of one post, in either order."""
    ann.mention("在吗")
    await ann.hears(1)
    await ann.acknowledged()
    assert len(ann.sent) == 2
    assert len(studio.model.requests) == 1


async def test_a_thread_goes_on_without_a_mention(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 2: also somebody else's words in it; the top of the channel stays quiet."""
    ann.mention("在吗")
    await ann.hears(1)
    ann.say("然后呢")
    await ann.hears(2)
    bob = studio.member(ann.chat_id, name="Bob", thread=ann.thread)
    bob.say("我也想知道")
    await ann.hears(3)
    assert "我也想知道" in studio.model.requests[-1].last
    assert [one for one in ann.channel.top() if one.by_app] == []


async def test_what_is_not_for_the_app_is_left_alone(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 1; X6: chatter, other people's threads, edits, other bots, joins, and the app's own messages."""
    first = ann.say("大家好")
    ann.edit(first, f"大家好 {MENTION}")
    place = {"channel": ann.chat_id, "channel_type": "channel"}
    told = [
        {"type": "message", "subtype": "bot_message", "bot_id": "BX", "text": f"{MENTION} hi", "ts": "1.1"} | place,
        {"type": "message", "bot_id": "BX", "user": "UX", "text": f"{MENTION} hi", "ts": "1.2"} | place,
        {"type": "message", "bot_id": BOT, "user": BOT_USER, "text": f"{MENTION} hi", "ts": "1.3"} | place,
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": f"{MENTION} joined", "ts": "1.4"} | place,
        {"type": "message", "user": "U1", "text": "thread", "ts": "1.6", "thread_ts": "1.5"} | place,
    ]
    for event in told:
        studio.slack.bring_event(event)
    ann.mention("在吗")
    await ann.hears(1)
    await studio.slack.until(lambda slack: all(one.over.is_set() for one in slack.deliveries))
    assert all(one.acked for one in studio.slack.deliveries)
    assert len(studio.model.requests) == 1


async def test_the_apps_own_messages_come_back_and_start_nothing(studio: SlackWorld, ann: Person) -> None:
    """X6: its posts under members' names, and the changes of its task cards, are brought to it as events."""
    studio.model.play = round_of()
    ann.mention(QUESTION)
    await ann.hears_end()
    await studio.slack.until(lambda slack: all(one.acked for one in slack.deliveries))
    own = [one for one in studio.slack.deliveries if one.payload.get("event", {}).get("bot_id") == BOT]
    assert len(own) >= 6
    assert len(studio.model.requests) == 4


async def test_two_threads_are_two_sessions(studio: SlackWorld, ann: Person) -> None:
    """T36, contract 8."""
    ann.mention("我的暗号是山楂")
    await ann.hears(1)
    other = studio.member(ann.chat_id)
    other.mention("暗号是什么")
    await other.hears(1)
    assert "山楂" not in studio.model.requests[-1].whole()


async def test_members_answers_stay_in_the_thread_while_somebody_asks_elsewhere(
    studio: SlackWorld, ann: Person
) -> None:
    """T34: every message of a round goes to the thread that the question came from."""
    gate = Gate()
    studio.model.play = cast(
        planner("researcher"), researcher=lambda _: say(gate, FINDINGS["researcher"]), writer=always("?")
    )
    ann.mention(QUESTION)
    await gate.reached()
    studio.model.play = cast(
        lambda request: say("在。") if "在吗" in request.last else planner("researcher")(request),
        researcher=lambda _: say(gate, FINDINGS["researcher"]),
    )
    other = studio.member(ann.chat_id)
    other.mention("在吗")
    await other.hears(1)
    gate.open()
    heard = await ann.hears_end()
    assert [one.shown for one in heard][-2:] == [FINDINGS["researcher"], f"【**主持人总结**】{WRAP_UP}"]
    assert len(other.heard) == 1


async def test_the_thread_so_far_reaches_the_host_once(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 2: at the first mention inside an existing thread."""
    bob = studio.member(ann.chat_id, name="Bob")
    bob.thread = bob.say("冰箱里还有两瓶冷泡茶")
    bob.say("谁来评估一下？")
    ann.thread = bob.thread
    ann.mention("请看上面")
    await ann.hears(1)
    (request,) = studio.model.requests
    assert "Bob" in request.last
    assert "冰箱里还有两瓶冷泡茶" in request.last
    ann.mention("再说一次")
    await ann.hears(2)
    assert "冷泡茶" not in studio.model.requests[-1].last


async def test_an_unknown_channel_is_approved_by_a_button(studio: SlackWorld, ann: Person) -> None:
    """Issue 4, 6; X1: the code comes once with its button; an admin's press serves the channel and answers."""
    await studio.program.terminate()
    studio.program.configure(studio.config | {"channels": [studio.config["channels"][0] | {"allow_chats": []}]})
    await studio.program.start()
    try:
        ann.mention("在吗")
        (told,) = await ann.hears(1)
        assert "配对码" in told.shown
        ann.press(told, "批准")
        boss = studio.member(ann.chat_id, user="UBOSS", name="Boss", thread=ann.thread)
        boss.press(told, "批准")
        heard = await ann.hears(lambda messages: any(one.shown == "我在。" for one in messages))
        assert any("已批准" in one.shown for one in heard)
    finally:
        await studio.program.terminate()
        studio.program.configure(studio.config)
        await studio.program.start()


async def test_direct_messages_of_two_people_share_nothing(studio: SlackWorld) -> None:
    """T36, X3."""
    studio.model.play = cast(always("好。"))
    ann, bob = studio.person(), studio.person(name="Bob")
    ann.say("我的暗号是山楂")
    await ann.hears(1)
    bob.say("暗号是什么")
    await bob.hears(1)
    assert "山楂" not in studio.model.requests[-1].whole()


async def test_copies_at_the_same_instant_are_one(studio: SlackWorld, ann: Person) -> None:
    """R2: the same event ten times at once, over whatever connection."""
    text = f"{MENTION} 在吗"
    ts = studio.slack.new_ts()
    event = {"type": "message", "user": ann.user, "text": text, "ts": ts} | {"channel": ann.chat_id}
    copies = [studio.slack.bring_event(event | {"channel_type": "channel"}, event_id="EvSame") for _ in range(10)]
    await studio.slack.until(lambda _: all(one.acked for one in copies))
    other = studio.slack.bring_event(event | {"channel_type": "channel"}, event_id="EvOther")
    await studio.slack.until(lambda _: other.acked)
    await studio.slack.until(lambda slack: bool(slack.of("chat.postMessage", channel=ann.chat_id)))
    await asyncio.sleep(0)
    assert len(studio.model.requests) == 1


async def test_a_redelivery_after_a_restart_is_known(studio: SlackWorld, ann: Person) -> None:
    """R2: hours later, by another process."""
    ann.mention("在吗")
    await ann.hears(1)
    first = ann.sent[0].payload
    await studio.program.terminate()
    await studio.program.start()
    again = studio.slack.bring("events_api", first)
    await studio.slack.until(lambda _: again.acked)
    ann.say("还在吗")
    await ann.hears(2)
    assert len(studio.model.requests) == 2
