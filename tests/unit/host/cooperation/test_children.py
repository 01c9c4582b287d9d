"""C1–C5, C10: what a child is made of, for whom, and that a call happens once."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from host.agent import ToolCall
from host.cooperation.creating import create_session
from host.errors import ToolFault
from store.accounts import User, add_user, change_user, hold_user
from store.database import Transaction
from store.errors import Lost
from store.people import Person, add_person
from store.shares import share_with
from store.trees import tree_of
from store.turns import Turn, live_turn, take_over
from tests.support.cast import Cast, call, change, child_of, partaker, requests, session, turn_of, use
from tests.support.house import Ask, House, Say

pytestmark = pytest.mark.both_databases


async def begin(house: House, cast: Cast, agent: str = "lead", task: str = "plan", **opening: str) -> str:
    """A session whose turn waits in its model."""
    cast.hold(task)
    room = (await house.open(agent, **opening)).id
    await house.tell(room, task)
    await house.until(lambda: any(asked.prompt == task for asked in house.models.asked))
    return room


async def finish(house: House, cast: Cast) -> None:
    for task in list(cast.held):
        cast.release(task)
    await house.quiet()


def asked(house: House, task: str) -> Ask:
    """What the model was shown when it was first asked about the task."""
    return next(each for each in house.models.asked if each.prompt == task)


async def names(house: House, root: str) -> Sequence[str]:
    return [each.path for each in await house.database.read(partial(tree_of, root_id=root))]


async def test_a_real_run_makes_a_child_with_a_session_of_its_own(house: House, cast: Cast) -> None:
    """C2, C4: only the description reaches the child; person, app and project are the parent's."""
    cast.parts["plan"] = [
        Say(text="I hand this out.", calls=[call("create_session", name="draft", description="write it")])
    ]
    room = await house.open("lead", project_id="p1")
    await house.tell(room.id, "plan")
    await house.quiet()
    [receipt] = cast.returned["plan"]
    child = await child_of(house, room.id, "draft")
    assert receipt == {
        "session_id": child.id,
        "name": "draft",
        "path": "/root/draft",
        "parent_session_id": room.id,
        "root_session_id": room.id,
        "input_id": receipt["input_id"],
        "status": "started",
    }
    assert (child.principal, child.app_id, child.project_id, child.owner_id) == ("user:owner", "console", "p1", "owner")
    assert requests(asked(house, "write it")) == 1
    assert await house.said(child.id) == [
        ("user_message", "lead", "write it"),
        ("member_message", "lead", "done: write it"),
    ]


async def test_a_child_makes_children_and_a_name_is_taken_once_below_one_parent(house: House, cast: Cast) -> None:
    """C2: the path grows with the tree; the same name elsewhere is another session."""
    cast.parts["plan"] = [Say(calls=[call("create_session", name="a", description="deeper")])]
    cast.parts["deeper"] = [
        Say(
            calls=[
                call("create_session", name="a", description="leaf"),
                call("create_session", name="a", description="x"),
            ]
        )
    ]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.quiet()
    assert await names(house, room) == ["/root", "/root/a", "/root/a/a"]
    assert sum("already" in str(each) for each in cast.returned["deeper"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "no spaces", "description": "x"},
        {"name": "", "description": "x"},
        {"name": "n" * 65, "description": "x"},
        {"name": "umläut", "description": "x"},
        {"name": "ok", "description": "  "},
        {"name": "ok", "description": "x", "path": "/root/other"},
        {"name": "ok", "description": "x", "parent_session_id": "p"},
        {"name": "ok", "description": "x", "agent_id": "nobody"},
        {"name": "ok", "description": "x", "agent_id": "Coder"},
    ],
)
async def test_a_refused_call_leaves_no_row(house: House, cast: Cast, arguments: dict[str, str]) -> None:
    """C2, C10."""
    room = await begin(house, cast)
    with pytest.raises(ToolFault):
        await use(house, room, "create_session", **arguments)
    assert await names(house, room) == ["/root"]
    await finish(house, cast)


async def test_without_an_agent_a_child_inherits_the_run_not_a_later_edit(house: House, cast: Cast) -> None:
    """C3."""
    room = await begin(house, cast)
    await change(house, "lead", instructions="I became somebody else")
    await use(house, room, "create_session", name="child", description="inherit")
    await finish(house, cast)
    assert "I am lead" in asked(house, "inherit").system
    assert "somebody else" not in asked(house, "inherit").system


async def test_with_an_agent_its_configuration_is_frozen_as_it_is_now(house: House, cast: Cast) -> None:
    """C3: what is edited between two turns of the child is never read."""
    room = await begin(house, cast)
    made = await use(house, room, "create_session", name="child", description="first", agent_id="coder")
    await house.until(lambda: ("coder", "completed") in house.tally.turns)
    await change(house, "coder", instructions="I became somebody else", model="another")
    await house.tell(made["session_id"], "second")
    await finish(house, cast)
    for task in ("first", "second"):
        assert "I am coder" in asked(house, task).system
        assert "somebody else" not in asked(house, task).system
    assert ("coder", "failed") not in house.tally.turns


async def test_an_empty_configuration_is_stored_empty_and_never_read_again(house: House, cast: Cast) -> None:
    """C3, the mutation that must fail: taking {} for "nothing frozen" and reading the agent."""
    cast.hold("first")
    room = await begin(house, cast)
    made = await use(house, room, "create_session", name="child", description="first", agent_id="plain")
    child = await session(house, made["session_id"])
    assert child.frozen == {}
    await change(house, "plain", instructions="LATER EDIT", model="missing")
    cast.release("first")
    await house.tell(child.id, "second")
    await finish(house, cast)
    assert "LATER EDIT" not in asked(house, "first").system + asked(house, "second").system
    assert house.tally.turns.count(("plain", "completed")) == 2


async def test_a_missing_model_fails_the_input_with_that_reason(house: House, cast: Cast) -> None:
    """C3: another model is never substituted."""
    await house.add_expert("broken", model="gone")
    room = await begin(house, cast)
    made = await use(house, room, "create_session", name="child", description="work", agent_id="broken")
    await finish(house, cast)
    assert not [each for each in house.models.asked if each.prompt == "work"]
    ended = [event for event in await house.events(made["session_id"]) if event.kind == "turn_ended"]
    assert [(event.data["status"], event.text) for event in ended] == [("failed", "没有名为 gone 的模型")]


async def test_a_call_happens_once_whoever_repeats_it(house: House, cast: Cast) -> None:
    """C5: the same receipt; other content is refused and changes nothing; a new turn is new work."""
    room = await begin(house, cast)
    first = await use(house, room, "create_session", name="child", description="work")
    assert await use(house, room, "create_session", name="child", description="work") == first
    for other in ({"name": "other"}, {"description": "something else"}, {"agent_id": "coder"}):
        with pytest.raises(ToolFault, match="other arguments"):
            await use(house, room, "create_session", **{"name": "child", "description": "work", **other})
    with pytest.raises(ToolFault, match="other arguments"):
        await use(house, room, "submit_input", target=first["session_id"], description="work")
    await finish(house, cast)
    assert await names(house, room) == ["/root", "/root/child"]
    cast.hold("again")
    await house.tell(room, "again")
    await house.until(lambda: house.models.asked[-1].prompt == "again")
    assert await use(house, room, "create_session", name="new", description="work") != first
    await finish(house, cast)


async def test_two_repetitions_at_once_are_one_session(house: House, cast: Cast) -> None:
    """C5: a race of a call with its own replay."""
    room = await begin(house, cast)
    both = await asyncio.gather(
        *(use(house, room, "create_session", name="child", description="work") for _ in range(2))
    )
    await finish(house, cast)
    assert both[0] == both[1]
    assert len([each for each in house.models.asked if each.prompt == "work"]) == 1


async def test_an_overtaken_run_creates_nothing(house: House, cast: Cast) -> None:
    """C5: only the run that owns the turn acts."""
    room = await begin(house, cast)
    turn = await turn_of(house, room)

    async def overtake(tx: Transaction) -> None:
        await take_over(tx, await live(tx), "another run")

    async def live(tx: Transaction) -> Turn:
        found = await live_turn(tx, room)
        assert found is not None
        return found

    mine = await partaker(house, room)
    await house.database.write(overtake)
    asked = ToolCall(id="c", number=1, position=0, name="create_session", arguments={"name": "x", "description": "x"})
    with pytest.raises(Lost):
        await create_session(house.deps, mine, asked)
    assert await names(house, room) == ["/root"]
    house.deps.runs.cancel(turn.id)


async def test_list_agents_shows_what_the_person_may_run(house: House, cast: Cast) -> None:
    """C1: own and lent, enabled; no teams, no stranger's, no more than three keys."""
    await house.database.write(lambda tx: add_user(tx, User(id="bob", name="Bob", role="admin", created_at=tx.now)))
    await house.add_expert("theirs", owner_id="bob")
    await house.add_expert("lent", owner_id="bob")
    await house.add_expert("public", owner_id="bob", visibility="shared")
    await house.add_expert("asleep", enabled=False)
    await house.add_team("studio", ["lead", "coder"])
    await house.database.write(lambda tx: share_with(tx, "lent", ["owner"]))
    room = await begin(house, cast)
    found = await use(house, room, "list_agents")
    assert {each["id"] for each in found["agents"]} == {"lead", "coder", "plain", "lent", "public"}
    assert {"id": "coder", "name": "Coder", "description": "writes code"} in found["agents"]
    with pytest.raises(ToolFault):
        await use(house, room, "list_agents", everything=True)
    await finish(house, cast)


async def test_people_of_a_channel_see_only_what_its_owner_shares(house: House, cast: Cast) -> None:
    """C1: and whom they came for."""
    await house.add_expert("public", visibility="shared")
    await house.database.write(
        lambda tx: add_person(tx, Person(id="p1", app_id="hook", external_id="u1", created_at=tx.now))
    )
    room = await begin(house, cast, principal="person:p1", app_id="hook")
    found = await use(house, room, "list_agents")
    assert [each["id"] for each in found["agents"]] == ["lead", "public"]
    with pytest.raises(ToolFault, match="unknown"):
        await use(house, room, "create_session", name="x", description="x", agent_id="coder")
    await finish(house, cast)


async def test_a_disabled_agent_or_person_is_refused_before_anything_is_written(house: House, cast: Cast) -> None:
    """C3."""
    await house.add_expert("asleep", enabled=False)
    room = await begin(house, cast)
    with pytest.raises(ToolFault, match="disabled"):
        await use(house, room, "create_session", name="x", description="x", agent_id="asleep")

    async def shut_out(tx: Transaction) -> None:
        user = await hold_user(tx, "owner")
        assert user is not None
        await change_user(tx, user, enabled=False)

    await house.database.write(shut_out)
    with pytest.raises(ToolFault, match="disabled"):
        await use(house, room, "create_session", name="x", description="x", agent_id="coder")
    assert await names(house, room) == ["/root"]
    await finish(house, cast)


async def test_the_calls_leave_one_settled_line_each(house: House, cast: Cast) -> None:
    """D4: what the transcript shows of them."""
    cast.parts["plan"] = [Say(calls=[call("list_agents"), call("list_sessions"), call("list_sessions", scope="nope")])]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.quiet()
    lines = [event.data for event in await house.events(room) if event.kind == "tool"]
    assert [(each["title"], each["status"], each["count"]) for each in lines] == [
        ("查看智能体", "running", None),
        ("查看了本项目会话", "running", None),
        ("查看了本项目会话", "running", None),
        ("查看智能体", "completed", 3),
        ("查看了本项目会话", "completed", 1),
        ("查看了本项目会话", "failed", None),
    ]
    assert [each["call"] for each in lines[:3]] == [each["call"] for each in lines[3:]]


async def test_text_that_no_database_takes_is_handed_on_with_a_mark_in_its_place(house: House, cast: Cast) -> None:
    """C2, C10: models write NUL and halves of characters into arguments and answers; PostgreSQL takes neither."""
    cast.parts["plan"] = [
        Say(
            calls=[
                call("create_session", name="child", description="a\x00b\ud800c"),
                call("submit_input", target="\x00", description="x"),
                call("get_result", input_id="\x00"),
            ]
        ),
        Say(text="done\x00"),
    ]
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.quiet()
    made, *refused = cast.returned["plan"]
    assert [each.split(" '")[0] for each in refused] == ["there is no session", "there is no input"]
    assert (await house.said(made["session_id"]))[0] == ("user_message", "lead", "a\ufffdb\ufffdc")
    assert (await house.said(room))[-1] == ("member_message", "lead", "done\ufffd")
