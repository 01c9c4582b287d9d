"""Events become deliveries: once, in order, numbered by their chat."""

from functools import partial

import pytest

from bridge.notices import Notices
from bridge.outgoing import dump_message, load_message
from bridge.presenter import Rules
from bridge.publisher import BATCH, Publisher, delivery_id
from bridge.replies import add_reply
from bridge.rounds import Rounds
from channels.types import Limits, OutFile
from store.base import Origin
from store.database import Database, Transaction
from store.outbox import Delivery, deliveries_after, deliveries_of_round, find_delivery
from store.sessions import lock_session, move_cursor
from tests.support.clock import FakeClock
from tests.support.outbound import MEMBER, PERSON, HandLanes, add_question, add_room, event, say, session_of

pytestmark = pytest.mark.both_databases

NOTICES = Notices("zh-CN")


@pytest.fixture
def lanes(clock: FakeClock) -> HandLanes:
    return HandLanes(clock)


@pytest.fixture
def publisher(database: Database, clock: FakeClock, lanes: HandLanes) -> Publisher:
    rules = {"hook": Rules(), "tight": Rules(limits=Limits(text=200))}
    return Publisher(
        database=database, lanes=lanes, rules_of=rules.get, notices=NOTICES, rounds=Rounds(database, clock)
    )


async def outbox(database: Database, channel_id: str = "hook", chat_id: str | None = None) -> list[Delivery]:
    async def work(tx: Transaction) -> list[Delivery]:
        return await deliveries_after(tx, channel_id, chat_id, 0, limit=10_000)

    return await database.read(work)


async def test_a_round_comes_out_in_order(database: Database, publisher: Publisher, lanes: HandLanes) -> None:
    """T32, T33, T34, contract 4: narration, notice, answer, wrap-up, each with the question's message and thread."""
    place = Origin(channel_id="hook", chat_id="c1", thread="t1", message_id="m1")
    await add_room(database)
    await say(
        database,
        event("user_message", "?", speaker=PERSON, origin=place),
        event("host_message", "我来安排", origin=place),
        event("job_dispatched", "已请 研究员 处理，请稍候…", job_id="j1", origin=place),
        event("turn_ended", data={"status": "completed"}, origin=place),
        event("member_message", "查到了", speaker=MEMBER, job_id="j1", origin=place),
        event("wrapup", "结论", origin=place),
    )
    await publisher.drain("s1")
    messages = [load_message(row.message) for row in await outbox(database)]
    assert [(one.seq, one.kind, one.display_text) for one in messages] == [
        (1, "host", "我来安排"),
        (2, "notice", "已请 研究员 处理，请稍候…"),
        (3, "member", "研究员：查到了"),
        (4, "wrapup", "【主持人总结】结论"),
    ]
    assert {(one.thread, one.reply_to, one.session_id, one.chat_id) for one in messages} == {("t1", "m1", "s1", "c1")}
    assert [one.job_id for one in messages] == [None, "j1", "j1", None]
    assert [one.speaker.role for one in messages] == ["host", "host", "member", "host"]
    assert lanes.waiting == {"chat:hook:c1"}
    session = await session_of(database)
    assert session.published == session.seq == 6


async def test_publishing_again_changes_nothing(database: Database, publisher: Publisher) -> None:
    await add_room(database)
    await say(database, event("host_message", "一"), event("host_message", "二"))
    await publisher.drain("s1")
    before = [(row.id, row.seq) for row in await outbox(database)]
    await publisher.drain("s1")
    assert [(row.id, row.seq) for row in await outbox(database)] == before
    assert before == [(delivery_id("s1-1", 1), 1), (delivery_id("s1-2", 1), 2)]


async def test_a_cut_between_deliveries_and_cursor_cannot_be(database: Database, publisher: Publisher) -> None:
    """R1: both are one transaction. A cursor moved back by hand hits the stable ids instead of sending twice."""
    await add_room(database)
    await say(database, event("host_message", "一"))
    await publisher.drain("s1")

    async def back(tx: Transaction) -> None:
        await move_cursor(await lock_session(tx, "s1"), 0)

    await database.write(back)
    with pytest.raises(Exception, match=r"(?i)unique"):
        await publisher.drain("s1")
    assert len(await outbox(database)) == 1


async def test_more_than_a_batch_is_published_in_order(database: Database, publisher: Publisher) -> None:
    await add_room(database)
    await say(database, *(event("host_message", f"{number}") for number in range(BATCH + 5)))
    await publisher.drain("s1")
    rows = await outbox(database)
    assert [row.seq for row in rows] == list(range(1, BATCH + 6))
    assert [load_message(row.message).text for row in rows] == [f"{number}" for number in range(BATCH + 5)]


async def test_seq_is_the_chats_and_never_reused(database: Database, publisher: Publisher) -> None:
    """Contract 4: sessions and threads of a chat share the numbers; another chat has its own; replies too."""
    await add_room(database)
    await add_room(database, "s2")
    elsewhere = Origin(channel_id="hook", chat_id="c2")
    await say(database, event("host_message", "a"), event("host_message", "b", origin=elsewhere))
    await say(database, event("host_message", "c"), session_id="s2")
    for session_id in ("s1", "s2", "s1"):
        await publisher.drain(session_id)
    await say(database, event("host_message", "d"))
    await publisher.drain("s1")
    assert [(row.chat_id, row.seq) for row in await outbox(database)] == [("c1", 1), ("c1", 2), ("c1", 3), ("c2", 1)]


async def test_a_wrap_up_of_several_rounds_belongs_to_each(database: Database, publisher: Publisher) -> None:
    await add_room(database)
    await say(database, event("host_message", "a", rounds=["r1"]), event("wrapup", "b", rounds=["r2", "r1", "r2"]))
    await publisher.drain("s1")

    async def texts(tx: Transaction) -> list[list[str]]:
        rounds = [await deliveries_of_round(tx, name) for name in ("r1", "r2", "r3")]
        return [[row.message["text"] for row in rows] for rows in rounds]

    assert await database.read(texts) == [["a", "b"], ["b"], []]


async def test_only_the_first_message_of_a_round_answers_its_question(
    database: Database, publisher: Publisher, clock: FakeClock
) -> None:
    await add_room(database)
    await add_question(database)
    asked = clock.now()
    await clock.advance(2)
    await say(database, event("host_message", "a"), event("host_message", "b"))
    await publisher.drain("s1")
    await say(database, event("wrapup", "c"))
    await publisher.drain("s1")
    assert [row.asked_at for row in await outbox(database)] == [asked, None, None]


@pytest.mark.parametrize("kind", ["side", "peer", "child"])
async def test_workshops_are_not_posted(database: Database, publisher: Publisher, lanes: HandLanes, kind: str) -> None:
    """T8: a member's own session has the same words and the same origin; the room's event shows them once."""
    await add_room(database, kind=kind)
    await say(database, event("member_message", "entwurf", speaker=MEMBER))
    await publisher.drain("s1")
    assert await outbox(database) == []
    assert lanes.waiting == set()
    assert (await session_of(database)).published == 1


async def test_events_without_an_origin_only_move_the_cursor(database: Database, publisher: Publisher) -> None:
    await add_room(database)
    await say(database, event("host_message", "for the console", origin=None), event("host_message", "for the chat"))
    await publisher.drain("s1")
    assert [row.message["text"] for row in await outbox(database)] == ["for the chat"]
    assert (await session_of(database)).published == 2


async def test_a_vanished_channel_gets_dead_letters_and_blocks_nothing(
    database: Database, publisher: Publisher, lanes: HandLanes
) -> None:
    await add_room(database)
    gone = Origin(channel_id="old", chat_id="c9")
    await say(database, event("host_message", "a", origin=gone), event("host_message", "b"))
    await publisher.drain("s1")
    (dead,) = await outbox(database, "old")
    assert (dead.state, dead.reason) == ("dead", "配置中已没有渠道 old")
    assert [row.state for row in await outbox(database)] == ["pending"]
    assert lanes.waiting == {"chat:hook:c1"}


async def test_an_unknown_session_is_no_fault(publisher: Publisher) -> None:
    await publisher.drain("nobody")


async def test_parts_of_a_long_text_are_deliveries_of_their_own(database: Database, publisher: Publisher) -> None:
    await add_room(database)
    tight = Origin(channel_id="tight", chat_id="c1")
    await say(database, event("host_message", "word " * 200, origin=tight))
    await publisher.drain("s1")
    rows = await outbox(database, "tight")
    assert len(rows) > 3
    assert [row.id for row in rows] == [delivery_id("s1-1", part) for part in range(1, len(rows) + 1)]
    assert {row.event_id for row in rows} == {"s1-1"}


async def test_a_reply_is_a_message_of_the_system(database: Database, lanes: HandLanes) -> None:
    """Contract 4: kind reply, speaker id and role system; long ones are split, empty ones are none."""

    async def work(tx: Transaction) -> None:
        reply = partial(
            add_reply, tx, lanes=lanes, notices=NOTICES, channel_id="hook", chat_id="c1", thread="t", reply_to="m7"
        )
        assert await reply(session_id="s1", text="") == ()
        (one,) = await reply(session_id="s1", text="已停止。")
        assert (one.kind, one.speaker.id, one.speaker.role, one.seq) == ("reply", "system", "system", 1)
        assert (one.thread, one.reply_to, one.display_text, one.text) == ("t", "m7", "已停止。", "已停止。")
        found = await find_delivery(tx, one.delivery_id)
        assert found is not None
        assert load_message(found.message) == one
        long = await reply(text="word " * 100, limits_of={"hook": Limits(text=200)}.__getitem__)
        assert [part.seq for part in long] == list(range(2, 2 + len(long)))
        assert long[0].text.startswith("word")
        assert long[0].display_text.startswith(f"(1/{len(long)}) word")

    await database.write(work)
    assert lanes.waiting == {"chat:hook:c1"}


async def test_messages_survive_the_store_unchanged(database: Database, publisher: Publisher) -> None:
    await add_room(database)
    await say(database, event("member_message", "\u2028 ⟦🙂⟧ \\", speaker=MEMBER, job_id="j"))
    await publisher.drain("s1")
    (row,) = await outbox(database)
    message = load_message(row.message)
    assert load_message(dump_message(message)) == message
    assert message.text == "\u2028 ⟦🙂⟧ \\"


async def test_a_file_is_a_delivery_of_its_own(database: Database, publisher: Publisher) -> None:
    """Issue 8, 4: with an id of its own, and the same file when it is read again."""
    await add_room(database)
    files = [{"id": "f1", "name": "a.pdf", "size": 3, "mime": "application/pdf"}]
    await say(database, event("member_message", "见附件", speaker=MEMBER, job_id="j", data={"files": files}))
    await publisher.drain("s1")
    words, file = [load_message(row.message) for row in await outbox(database)]
    assert words.file is None
    assert file.file == OutFile(id="f1", name="a.pdf", path="", mime="application/pdf", size=3)
    assert (file.event_id, file.seq) == (words.event_id, words.seq + 1)
    assert file.delivery_id != words.delivery_id
    assert load_message(dump_message(file)) == file
