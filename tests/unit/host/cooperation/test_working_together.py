"""C6–C9, C11: handing work on, waiting for it, slots, stopping a tree, and rights that end in the middle."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from host.errors import ToolFault
from host.permissions import Account
from host.slots import MOST
from store.accounts import change_user, hold_user
from store.agents import delete_agent, known_agent
from store.database import Database, Transaction
from store.jobs import is_busy
from store.people import Person, add_person, block
from store.sessions import lock_session, set_status
from store.shares import share_with
from store.turns import find_turn
from tests.support.cast import Cast, call, change, child_of, session, turn_of, use
from tests.support.clock import FakeClock, settle
from tests.support.house import House, Say, open_house

pytestmark = pytest.mark.both_databases


def was_asked(house: House, task: str) -> bool:
    return any(each.prompt == task for each in house.models.asked)


async def begin(house: House, cast: Cast, agent: str = "lead", task: str = "plan", **opening: str) -> str:
    cast.hold(task)
    room = (await house.open(agent, **opening)).id
    await house.tell(room, task)
    await house.until(lambda: was_asked(house, task))
    return room


async def finish(house: House, cast: Cast) -> None:
    for task in list(cast.held):
        cast.release(task)
    await house.quiet()


async def spawn(house: House, room: str, name: str, task: str) -> dict[str, str]:
    made: dict[str, str] = await use(house, room, "create_session", f"call-{name}", name=name, description=task)
    return made


async def ended(house: House, session_id: str) -> list[tuple[str, str]]:
    return [(each.data["status"], each.text) for each in await house.events(session_id) if each.kind == "turn_ended"]


async def test_work_for_a_busy_session_waits_its_turn(house: House, cast: Cast) -> None:
    """C6: first in, first out."""
    cast.hold("one")
    room = await begin(house, cast)
    child = await spawn(house, room, "child", "one")
    await house.until(lambda: was_asked(house, "one"))
    for number, task in enumerate(("two", "three")):
        queued = await use(house, room, "submit_input", f"s{number}", target="/root/child", description=task)
        assert (queued["status"], queued["session_id"]) == ("queued", child["session_id"])
    await finish(house, cast)
    assert [each.prompt for each in house.models.asked] == ["plan", "one", "two", "three"]


async def test_a_message_wakes_nobody_and_is_read_with_the_next_work(house: House, cast: Cast) -> None:
    """C6: durable, no turn; the session is not even busy with it."""
    room = await begin(house, cast)
    child = (await spawn(house, room, "child", "one"))["session_id"]
    await house.until(lambda: ("lead", "completed") in house.tally.turns)
    kept = await use(house, room, "send_message", "m1", target=child, content="use tabs")
    await use(house, room, "send_message", "m2", target=child, content="and no emoji")
    assert not await house.database.read(partial(is_busy, session_id=child))
    assert (await use(house, room, "get_result", input_id=kept["input_id"]))["status"] == "queued"
    assert [each.prompt for each in house.models.asked] == ["plan", "one"]
    await use(house, room, "submit_input", "s1", target=child, description="two")
    await house.until(lambda: len(house.tally.turns) == 2)
    prompt = house.models.asked[-1].prompt
    assert prompt.index("Lead：use tabs") < prompt.index("Lead：and no emoji") < prompt.index("two")
    assert (await use(house, room, "get_result", input_id=kept["input_id"]))["status"] == "completed"
    await use(house, room, "submit_input", "s2", target=child, description="three")
    await finish(house, cast)
    assert house.models.asked[-1].prompt == "three"


async def test_work_from_another_session_stays_as_accepted_a_persons_takes_the_switch(house: House, cast: Cast) -> None:
    """S5: what was handed to one agent is not done by the next one, nor with a later edit of it."""
    cast.hold("busy")
    other = (await house.open("coder")).id
    await house.tell(other, "busy")
    room = await begin(house, cast)
    await use(house, room, "submit_input", target=other, description="for coder")
    await house.tell(other, "for anybody")
    await house.database.write(lambda tx: house.host.switch(tx, other, Account(id="owner"), "plain"))
    await change(house, "coder", instructions="LATER EDIT")
    await finish(house, cast)
    systems = {each.prompt: each.system for each in house.models.asked}
    assert "I am coder" in systems["for coder"]
    assert "I am coder" not in systems["for anybody"]
    speakers = [event.speaker.id for event in await house.events(other) if event.kind == "member_message"]
    assert speakers == ["coder", "coder", "plain"]


async def test_messages_have_a_limit_and_archived_sessions_take_nothing(house: House, cast: Cast) -> None:
    """C6."""
    room = await begin(house, cast)
    child = (await spawn(house, room, "child", "one"))["session_id"]
    await house.until(lambda: ("lead", "completed") in house.tally.turns)
    with pytest.raises(ToolFault):
        await use(house, room, "send_message", target=child, content="x" * 100_001)

    async def archive(tx: Transaction) -> None:
        await set_status(tx, await lock_session(tx, child), "ARCHIVED")

    await house.database.write(archive)
    for tool, text in (("send_message", "content"), ("submit_input", "description")):
        with pytest.raises(ToolFault, match="archived"):
            await use(house, room, tool, target=child, **{text: "x"})
    await finish(house, cast)


async def test_cancel_turn_stops_that_turn_and_nothing_else(house: House, cast: Cast) -> None:
    """C6: the queue behind it and the sessions below it go on."""
    cast.hold("one", "deep")
    cast.parts["one"] = [Say(calls=[call("create_session", name="deep", description="deep")])]
    room = await begin(house, cast)
    child = (await spawn(house, room, "child", "one"))["session_id"]
    await house.until(lambda: was_asked(house, "deep") and len(cast.returned.get("one", [])) == 1)
    await use(house, room, "submit_input", "s1", target=child, description="two")
    turn = await turn_of(house, child)
    cancelled = await use(house, room, "cancel_turn", "c1", target=child, turn_id=turn.id)
    assert cancelled["status"] == "cancelling"
    await house.until(lambda: was_asked(house, "two"))
    assert (await turn_of(house, (await child_of(house, child, "deep")).id)).state == "live"
    assert await use(house, room, "cancel_turn", "c1", target=child, turn_id=turn.id) == cancelled
    assert (await use(house, room, "cancel_turn", "c2", target=child, turn_id=turn.id))["status"] == "stopped"
    with pytest.raises(ToolFault, match="unknown"):
        await use(house, room, "cancel_turn", "c3", target=room, turn_id=turn.id)
    await finish(house, cast)
    assert [status for status, _ in await ended(house, child)] == ["stopped", "completed"]


async def test_cancel_against_finish_has_one_outcome(house: House, cast: Cast) -> None:
    """C6: whichever commits first; the answer and the turn say the same."""
    cast.hold("one")
    room = await begin(house, cast)
    child = (await spawn(house, room, "child", "one"))["session_id"]
    await house.until(lambda: was_asked(house, "one"))
    turn = await turn_of(house, child)
    cast.release("one")
    cancelled = await use(house, room, "cancel_turn", target=child, turn_id=turn.id)
    await house.until(lambda: len(house.tally.turns) == 1)
    over = await house.database.read(partial(find_turn, turn_id=turn.id))
    assert over is not None
    assert (cancelled["status"], over.state) in (("cancelling", "stopped"), ("completed", "completed"))
    assert len(await ended(house, child)) == 1
    await finish(house, cast)


async def test_get_result_is_that_inputs_own_never_the_latest(house: House, cast: Cast) -> None:
    """C7: exactly one of input_id and turn_id."""
    room = await begin(house, cast)
    first = await spawn(house, room, "child", "one")
    second = await use(house, room, "submit_input", "s1", target=first["session_id"], description="two")
    await house.until(lambda: len(house.tally.turns) == 2)
    one = await use(house, room, "get_result", input_id=first["input_id"])
    assert (one["status"], one["result"]) == ("completed", "done: one")
    assert (await use(house, room, "get_result", input_id=second["input_id"]))["result"] == "done: two"
    assert await use(house, room, "get_result", turn_id=one["turn_id"]) == one
    for wrong in ({}, {"input_id": first["input_id"], "turn_id": one["turn_id"]}, {"input_id": "nothing"}):
        with pytest.raises(ToolFault):
            await use(house, room, "get_result", **wrong)
    await finish(house, cast)


async def test_a_waiting_turn_resumes_as_the_same_turn_with_the_results(house: House, cast: Cast) -> None:
    """C7: one turn, two requests."""
    cast.hold("one")
    cast.parts["plan"] = [
        Say(
            calls=[
                call("create_session", name="a", description="one"),
                call("create_session", name="b", description="two"),
            ]
        ),
        lambda got: Say(calls=[call("wait_inputs", input_ids=[each["input_id"] for each in got])]),
    ]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.until(lambda: was_asked(house, "one") and ("lead", "completed") in house.tally.turns)
    turn = await turn_of(house, room)
    cast.release("one")
    await house.quiet()
    waited = cast.returned["plan"][2]
    assert [(each["status"], each["result"]) for each in waited["inputs"]] == [
        ("completed", "done: one"),
        ("completed", "done: two"),
    ]
    assert not waited["wait_timed_out"]
    over = await house.database.read(partial(find_turn, turn_id=turn.id))
    assert over is not None
    assert (over.state, over.responses) == ("completed", 3)


async def test_a_wait_that_times_out_returns_what_there_is(house: House, cast: Cast, clock: FakeClock) -> None:
    """C7: and the time spent waiting is not the turn's own, which may run for 900 s."""
    await change(house, "coder", member_timeout=1e6)
    cast.hold("one")
    cast.parts["plan"] = [
        Say(
            calls=[
                call("create_session", name="a", description="one", agent_id="coder"),
                call("create_session", name="b", description="two", agent_id="coder"),
            ]
        ),
        lambda got: Say(
            calls=[call("wait_inputs", input_ids=[each["input_id"] for each in got], timeout_seconds=1800)]
        ),
    ]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.until(lambda: was_asked(house, "one") and ("coder", "completed") in house.tally.turns)
    await resting(house, room)
    for _ in range(4):
        await clock.advance(449)
    assert (await turn_of(house, room)).state == "live"
    assert len(cast.returned["plan"]) == 2
    await clock.advance(5)
    await house.until(lambda: len(cast.returned["plan"]) == 3)
    waited = cast.returned["plan"][2]
    assert waited["wait_timed_out"]
    assert [each["status"] for each in waited["inputs"]] == ["running", "completed"]
    await finish(house, cast)
    assert [status for status, _ in await ended(house, room)] == ["completed"]


async def resting(house: House, room: str) -> None:
    """Until the root waits for its one child that works: of two runs one holds a slot."""
    for _ in range(100_000):
        tree = house.deps.slots._trees.get(room)
        if tree is not None and (tree.users, tree.free._value) == (2, MOST - 1):
            return await settle()
        await asyncio.sleep(0)
    raise AssertionError("it never began to wait")


async def test_the_time_allowed_counts_from_the_response_over_a_restart(
    database: Database, clock: FakeClock, tmp_path: Path, cast: Cast
) -> None:
    """C7: a run that takes the turn over waits for the rest only."""
    cast.hold("one")
    cast.parts["plan"] = [
        Say(calls=[call("create_session", name="a", description="one")]),
        lambda got: Say(calls=[call("wait_inputs", input_ids=[got[0]["input_id"]], timeout_seconds=300)]),
    ]
    async with open_house(database, clock, tmp_path, cast.script) as house:
        await house.add_expert("lead")
        room = (await house.open("lead")).id
        await house.tell(room, "plan")
        await house.until(lambda: was_asked(house, "one") and len(cast.returned.get("plan", [])) == 1)
        await resting(house, room)
        await clock.advance(200)
    cast.hold("one")
    async with open_house(database, clock, tmp_path, cast.script) as house:
        await house.until(lambda: was_asked(house, "one"))
        await resting(house, room)
        await clock.advance(99)
        assert len(cast.returned["plan"]) == 1
        await clock.advance(2)
        await house.until(lambda: len(cast.returned["plan"]) == 2)
        assert cast.returned["plan"][1]["wait_timed_out"]
        await finish(house, cast)


async def test_wait_sessions_tells_of_each_end_once(house: House, cast: Cast) -> None:
    """C7: the cursor of one answer begins the next wait; when nothing can come it does not wait at all."""
    cast.hold("one", "two")
    room = await begin(house, cast)
    for name, task in (("a", "one"), ("b", "two")):
        await spawn(house, room, name, task)
    await house.until(lambda: was_asked(house, "one") and was_asked(house, "two"))
    cast.release("one")
    first = await use(house, room, "wait_sessions", targets=["/root/a", "/root/b"])
    assert [(each["turn_status"], each["at_work"]) for each in first["sessions"]] == [
        ("completed", False),
        (None, True),
    ]
    assert (first["cursor"], first["sessions"][0]["result"]) == (1, "done: one")
    cast.release("two")
    second = await use(house, room, "wait_sessions", targets=["/root/a", "/root/b"], after_cursor=1)
    assert (second["cursor"], second["wait_timed_out"]) == (2, False)
    third = await use(house, room, "wait_sessions", targets=["/root/a"], after_cursor=9)
    assert not third["wait_timed_out"]
    await finish(house, cast)


async def test_waiting_for_oneself_for_nothing_or_for_the_unknown_is_refused(house: House, cast: Cast) -> None:
    """C7."""
    room = await begin(house, cast)
    mine = (await turn_of(house, room)).input_id
    for tool, arguments in (
        ("wait_inputs", {"input_ids": []}),
        ("wait_inputs", {"input_ids": ["nothing"]}),
        ("wait_inputs", {"input_ids": [mine]}),
        ("wait_inputs", {"input_ids": [mine] * 101}),
        ("wait_inputs", {"input_ids": ["x"], "timeout_seconds": 0}),
        ("wait_inputs", {"input_ids": ["x"], "timeout_seconds": 1801}),
        ("wait_sessions", {"targets": []}),
        ("wait_sessions", {"targets": ["/root"]}),
        ("wait_sessions", {"targets": [room]}),
        ("wait_sessions", {"targets": ["/root/nobody"]}),
    ):
        with pytest.raises(ToolFault):
            await use(house, room, tool, **arguments)
    await finish(house, cast)


async def test_at_most_four_runs_of_a_tree_work_at_once(house: House, cast: Cast) -> None:
    """C8: a waiting parent holds none, so its four places are its children's."""
    tasks = [f"task {number}" for number in range(6)]
    cast.hold(*tasks)
    cast.parts["plan"] = [
        Say(calls=[call("create_session", name=f"c{n}", description=task) for n, task in enumerate(tasks)]),
        lambda got: Say(calls=[call("wait_inputs", input_ids=[each["input_id"] for each in got])]),
    ]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")

    def working() -> list[str]:
        return [task for task in tasks if was_asked(house, task)]

    await house.until(lambda: len(working()) == MOST)
    await settle()
    assert len(working()) == MOST
    assert house.deps.slots.is_full(room)
    cast.release(working()[0])
    await house.until(lambda: len(working()) == MOST + 1)
    await settle()
    assert len(working()) == MOST + 1
    await finish(house, cast)
    assert [status for status, _ in await ended(house, room)] == ["completed"]
    assert not house.deps.slots._trees


async def test_a_finished_parent_stops_nobody(house: House, cast: Cast) -> None:
    """C8."""
    cast.hold("one")
    cast.parts["plan"] = [Say(calls=[call("create_session", name="a", description="one")]), Say(text="all handed out")]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.until(lambda: ("lead", "completed") in house.tally.turns and was_asked(house, "one"))
    child = await child_of(house, room, "a")
    assert (await turn_of(house, child.id)).state == "live"
    await finish(house, cast)
    assert [status for status, _ in await ended(house, child.id)] == ["completed"]


async def test_a_stopped_tree_stays_stopped_over_a_restart_and_goes_on_when_told(
    database: Database, clock: FakeClock, tmp_path: Path, cast: Cast
) -> None:
    """C8: nothing is lost of its queues."""
    cast.hold("one")
    async with open_house(database, clock, tmp_path, cast.script) as house:
        await house.add_expert("lead")
        room = await begin(house, cast)
        child = (await spawn(house, room, "child", "one"))["session_id"]
        await use(house, room, "submit_input", "s", target=child, description="two")
        await house.until(lambda: was_asked(house, "one"))
        assert await house.database.write(partial(house.host.stop_tree, session_id=child)) == 2
        await house.quiet()
        assert [status for status, _ in await ended(house, room)] == ["stopped"]
        assert not was_asked(house, "two")
    cast.held.clear()
    async with open_house(database, clock, tmp_path, cast.script) as house:
        await house.quiet()
        await house.tell(room, "more")
        await house.quiet()
        assert house.models.asked == []
        assert await house.database.write(partial(house.host.continue_tree, session_id=room)) == 2
        await house.quiet()
        assert {each.prompt for each in house.models.asked} == {"two", "more"}
        assert [status for status, _ in await ended(house, child)] == ["stopped", "completed"]


@pytest.mark.parametrize("stop_first", [True, False])
async def test_stop_against_continue_ends_as_the_later_one_says(house: House, cast: Cast, stop_first: bool) -> None:
    """C8: both at once, in either order."""
    cast.hold("one")
    room = await begin(house, cast)
    child = (await spawn(house, room, "child", "one"))["session_id"]
    await house.until(lambda: was_asked(house, "one"))
    await use(house, room, "submit_input", "s", target=child, description="two")
    order = [house.host.stop_tree, house.host.continue_tree]
    await asyncio.gather(
        *(house.database.write(partial(each, session_id=room)) for each in (order if stop_first else order[::-1]))
    )
    await house.quiet()
    paused = (await session(house, room)).paused
    assert was_asked(house, "two") is not paused
    await house.database.write(partial(house.host.continue_tree, session_id=room))
    await house.quiet()
    assert was_asked(house, "two")


Harm = Callable[[Transaction], Awaitable[None]]


async def shut_out(tx: Transaction) -> None:
    user = await hold_user(tx, "owner")
    assert user is not None
    await change_user(tx, user, enabled=False)


async def withdraw(tx: Transaction) -> None:
    await share_with(tx, "lent", [])


async def delete(tx: Transaction) -> None:
    agent = await known_agent(tx, "lent")
    assert agent is not None
    await delete_agent(tx, agent)


HARMS: list[tuple[Harm, str]] = [
    (shut_out, "该用户已停用"),
    (withdraw, "该专家不再共享给你"),
    (delete, "该专家已被删除"),
]


@pytest.mark.parametrize(("harm", "reason"), HARMS)
async def test_a_right_that_is_lost_ends_the_run_at_the_next_model_boundary(
    house: House, cast: Cast, harm: Harm, reason: str
) -> None:
    """C9: what the model says after that is not said, its calls are not made."""
    child = await lent_child(house, cast)
    await house.database.write(harm)
    cast.held.pop("work").set_result(Say(text="too late", calls=[call("create_session", name="x", description="x")]))
    await house.until(lambda: ("lent", "failed") in house.tally.turns)
    assert await ended(house, child) == [("failed", reason)]
    assert "too late" not in str(await house.said(child))
    assert not was_asked(house, "x")
    await finish(house, cast)


@pytest.mark.parametrize(("harm", "reason"), HARMS)
async def test_a_right_that_is_lost_ends_a_run_that_waits_before_the_model_is_asked_again(
    house: House, cast: Cast, harm: Harm, reason: str
) -> None:
    """C9: the tool boundary."""
    cast.hold("slow")
    cast.parts["work"] = [
        Say(calls=[call("create_session", name="slow", description="slow", agent_id="lead")]),
        lambda got: Say(calls=[call("wait_inputs", input_ids=[got[0]["input_id"]])]),
    ]
    child = await lent_child(house, cast)
    await house.until(lambda: was_asked(house, "slow") and len(cast.returned["work"]) == 1)
    await settle(200)
    await house.database.write(harm)
    cast.release("slow")
    await house.until(lambda: ("lent", "failed") in house.tally.turns)
    assert await ended(house, child) == [("failed", reason)]
    assert len([each for each in house.models.asked if each.prompt == "work"]) == 2
    await finish(house, cast)


@pytest.mark.parametrize(("harm", "reason"), HARMS)
async def test_a_right_that_is_lost_ends_queued_work_before_it_begins(
    house: House, cast: Cast, harm: Harm, reason: str
) -> None:
    """C9: at the claim."""
    child = await lent_child(house, cast)
    await house.tell(child, "next")
    await house.database.write(harm)
    cast.release("work")
    await house.until(lambda: house.tally.turns.count(("lent", "failed")) == 2)
    assert await ended(house, child) == [("failed", reason)] * 2
    assert not was_asked(house, "next")
    await finish(house, cast)


async def lent_child(house: House, cast: Cast) -> str:
    """A child of a borrowed expert at work."""
    await house.add_expert("lent", owner_id="bob")
    await house.database.write(lambda tx: share_with(tx, "lent", ["owner"]))
    room = await begin(house, cast)
    if "work" not in cast.parts:
        cast.hold("work")
    made = await use(house, room, "create_session", name="child", description="work", agent_id="lent")
    await house.until(lambda: was_asked(house, "work"))
    return str(made["session_id"])


async def test_a_blocked_person_of_a_channel_is_not_worked_for(house: House, cast: Cast) -> None:
    """C9."""
    blocked = Person(id="p1", app_id="hook", external_id="u1", created_at=house.clock.now())

    async def meet(tx: Transaction) -> None:
        await add_person(tx, blocked)

    async def shut(tx: Transaction) -> None:
        found = await tx.orm.get(Person, "p1")
        assert found is not None
        await block(tx, found)

    await house.database.write(meet)
    room = await begin(house, cast, principal="person:p1", app_id="hook")
    await house.database.write(shut)
    await finish(house, cast)
    assert await ended(house, room) == [("failed", "该用户已停用")]


async def test_other_people_and_other_apps_are_not_there(house: House, cast: Cast) -> None:
    """C10: no word tells whether they exist."""
    other_person = (await house.open("lead", owner_id="bob", principal="user:bob")).id
    other_app = (await house.open("lead", app_id="hook")).id
    theirs = await house.tell(other_person, "secret")
    room = await begin(house, cast)
    for target in (other_person, other_app, "nothing"):
        for tool, more in (("submit_input", "description"), ("send_message", "content")):
            with pytest.raises(ToolFault, match=f"there is no session '{target}'"):
                await use(house, room, tool, target=target, **{more: "x"})
        with pytest.raises(ToolFault, match="there is no session"):
            await use(house, room, "wait_sessions", targets=[target])
    for tool, arguments in (("get_result", {"input_id": theirs}), ("wait_inputs", {"input_ids": [theirs]})):
        with pytest.raises(ToolFault, match="there is no input"):
            await use(house, room, tool, **arguments)
    await finish(house, cast)


async def test_a_host_has_none_of_the_tools_and_a_member_reads_only_its_own(house: House, cast: Cast) -> None:
    """C11."""
    await house.add_team("studio", ["lead", "coder"])
    cast.parts["question"] = [Say(text="one moment", calls=[call("ask_agent", agent_id="coder", message="look")])]
    cast.hold("look")
    other = (await house.open("coder")).id
    mine = await house.tell(other, "private")
    await house.until(lambda: was_asked(house, "private"))
    cast.parts["look"] = [Say(calls=[call("list_sessions", scope="all"), call("get_result", input_id=mine)])]
    room = (await house.open("studio")).id
    await house.tell(room, "question")
    await house.until(lambda: any("look" in each.prompt for each in house.models.asked))
    host = next(each for each in house.models.asked if each.prompt == "question")
    member = next(each for each in house.models.asked if "look" in each.prompt)
    assert set(host.tools) == {"agent_list", "ask_agent", "memory_search", "memory_save", "current_time"}
    assert set(member.tools) == {
        "ask_agent", "memory_search", "memory_save", "current_time", "list_sessions", "get_result"
    }  # fmt: skip
    await finish(house, cast)
    found, refused = cast.returned[member.prompt]
    assert [each["session_id"] for each in found["sessions"]] == [f"{room}~coder"]
    assert "no input" in refused


async def test_an_agent_may_do_without(house: House, cast: Cast) -> None:
    """Contract 7: `cooperation = false`."""
    await change(house, "lead", cooperation=False)
    room = (await house.open("lead")).id
    await house.tell(room, "hello")
    await house.quiet()
    assert set(house.models.asked[-1].tools) == {"ask_agent", "memory_search", "memory_save", "current_time"}
