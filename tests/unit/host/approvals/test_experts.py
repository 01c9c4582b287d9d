"""C12 in an expert's own session: the turn waits for a person, and goes on with what was decided."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest

from host.approvals.deciding import Decided
from host.approvals.policy import PATIENCE
from host.approvals.words import MODEL_READS, UNASKED
from host.permissions import Account
from host.switching import Choice
from store.base import Origin
from store.database import Transaction
from store.sessions import change_session, lock_session
from tests.support.asked import decide, states, waiting
from tests.support.cast import Cast, call, child_of, session, turn_of
from tests.support.clock import FakeClock
from tests.support.errands import Errands
from tests.support.house import Ask, House, Say

pytestmark = pytest.mark.both_databases

HERE = Origin(channel_id="hook", chat_id="c1", message_id="m1")
MAIL = call("mail", to="bob")


async def asks(house: House, cast: Cast, *calls: tuple[str, str], session_id: str = "", task: str = "plan") -> str:
    """A session whose turn waits for a person."""
    cast.parts[task] = [Say(text="I will.", calls=calls or [MAIL])]
    own = session_id or (await house.open("lead")).id
    await house.tell(own, task, origin=HERE)
    await house.quiet()
    return own


async def test_a_tool_that_asks_waits_and_runs_once_after_a_person_agreed(
    house: House, cast: Cast, errands: Errands
) -> None:
    """C12: nothing has run before, no run owns the turn meanwhile, and the same turn goes on."""
    own = await asks(house, cast)
    turn = await turn_of(house, own)
    assert (turn.waiting_for, turn.run, errands.done) == ("approval", "", [])
    [asked] = await waiting(house, own)
    assert (asked.tool, asked.arguments, asked.turn_id, asked.origin) == ("mail", "to: bob", turn.id, HERE)
    decided = await decide(house, asked, "once")
    assert decided.is_new
    await house.quiet()
    assert errands.done == [("mail", "lead", {"to": "bob"})]
    assert cast.returned["plan"] == ["mail: done"]
    assert (await house.said(own))[-1] == ("member_message", "lead", "done: plan")
    assert await states(house, own) == ["open", "once"]
    assert house.tally.turns == [("lead", "completed")]


async def test_the_question_names_the_tool_its_arguments_and_how_to_answer(house: House, cast: Cast) -> None:
    """Issue 8 item 5: who reads it sees what would happen, and needs no buttons."""
    own = await asks(house, cast, call("mail", to="bob", text="a\nto: eve"))
    [asked] = await waiting(house, own)
    [text] = [text for kind, _, text in await house.said(own) if kind == "notice"]
    assert text == (
        "Lead 想使用工具 mail，需要批准：\n\n```\nto: bob\ntext: a\n  to: eve\n```\n\n"
        f"/approve {asked.id} 允许一次，/approve {asked.id} session 本会话都允许，/deny {asked.id} 拒绝。"
        "一小时内没有答复视为拒绝。"
    )


async def test_a_refused_call_is_answered_in_words_and_does_not_run(house: House, cast: Cast, errands: Errands) -> None:
    """C12: the other calls of the same response run, for the first time."""
    own = await asks(house, cast, MAIL, call("count"))
    assert errands.done == [], "a call that asks nobody waits too: none of the response has begun"
    [asked] = await waiting(house, own)
    await decide(house, asked, "deny")
    await house.quiet()
    assert errands.done == [("count", "lead", {})]
    assert cast.returned["plan"] == [MODEL_READS["denied"], "count: done"]


async def test_every_call_that_asks_is_decided_before_the_turn_goes_on(
    house: House, cast: Cast, errands: Errands
) -> None:
    """C12: once, for the session, deny — each call for itself, the last decision wakes the turn."""
    own = await asks(house, cast, MAIL, call("look"))
    first, second = await waiting(house, own)
    await decide(house, first, "once")
    await house.quiet()
    assert (await turn_of(house, own)).waiting_for == "approval"
    await decide(house, second, "deny")
    await house.quiet()
    assert errands.done == [("mail", "lead", {"to": "bob"})] if first.tool == "mail" else [("look", "lead", {})]


async def test_allowed_for_the_session_asks_no_more_whatever_agent_the_session_has(
    house: House, cast: Cast, errands: Errands
) -> None:
    """C12, S3: a grant belongs to the session and survives a switch; another session asks again."""
    own = await asks(house, cast, MAIL, call("mail", to="eve"))
    await decide(house, (await waiting(house, own))[0], "session")
    await house.quiet()
    assert len(errands.done) == 2, "the other call of the same tool was answered by that too"
    await house.database.write(lambda tx: _switch(house, tx, own, "other"))
    await asks(house, cast, session_id=own, task="again")
    assert errands.done[2:] == [("mail", "other", {"to": "bob"})]
    elsewhere = await asks(house, cast, task="elsewhere")
    assert len(await waiting(house, elsewhere)) == 1


async def _switch(house: House, tx: Transaction, session_id: str, agent_id: str) -> Choice:
    return await house.host.switch(tx, session_id, Account(id="owner"), agent_id)


async def _trust(session_id: str, tx: Transaction) -> None:
    await change_session(tx, await lock_session(tx, session_id), permission_level="always_trust")


async def test_a_trusted_session_never_asks(house: House, cast: Cast, errands: Errands) -> None:
    """C12."""
    own = (await house.open("lead")).id
    await house.database.write(partial(_trust, own))
    await asks(house, cast, session_id=own)
    assert len(errands.done) == 1
    assert await states(house, own) == []


async def test_decided_twice_the_first_wins(house: House, cast: Cast, errands: Errands) -> None:
    """C12: also when two people press at the same instant."""
    own = await asks(house, cast)
    [asked] = await waiting(house, own)
    both = await asyncio.gather(decide(house, asked, "deny", "person:a"), decide(house, asked, "once", "person:b"))
    await house.quiet()
    [winner] = [each for each in both if each.is_new]
    [late] = [each for each in both if not each.is_new]
    assert winner.approval.state == late.approval.state
    assert len(errands.done) == (winner.approval.state == "once")
    assert not (await decide(house, asked, "session")).is_new
    assert (await states(house, own)) == ["open", winner.approval.state]


async def test_nobody_answers_for_an_hour(house: House, cast: Cast, errands: Errands, clock: FakeClock) -> None:
    """C12: it counts as denied, the chat hears so, and a late press is told."""
    own = await asks(house, cast)
    [asked] = await waiting(house, own)
    await clock.advance((PATIENCE - timedelta(seconds=1)).total_seconds())
    await house.quiet()
    assert len(await waiting(house, own)) == 1
    await clock.advance(1)
    await house.quiet()
    assert cast.returned["plan"] == [MODEL_READS["timed_out"]]
    late = await decide(house, asked, "once")
    assert (late.is_new, late.approval.state, errands.done) == (False, "timed_out", [])
    told = [event for event in await house.events(own) if event.data.get("approval", {}).get("state") == "timed_out"]
    assert [event.origin for event in told] == [HERE]


async def test_waiting_costs_no_running_time(house: House, cast: Cast, clock: FakeClock) -> None:
    """The limit of a turn counts what it works, not what people think."""
    own = await asks(house, cast)
    await clock.advance(1800)
    [asked] = await waiting(house, own)
    await decide(house, asked, "once")
    await house.quiet()
    assert house.tally.turns == [("lead", "completed")]


async def test_a_stop_drops_the_question(house: House, cast: Cast, errands: Errands) -> None:
    """C12: the turn is stopped; what is pressed afterwards is told so, and the next turn is not confused."""
    own = await asks(house, cast)
    [asked] = await waiting(house, own)
    assert (await house.database.write(partial(house.host.stop, session_id=own))).stopped
    await house.quiet()
    assert (await waiting(house, own), await states(house, own)) == ([], ["open", "dropped"])
    late = await decide(house, asked, "once")
    assert (late.is_new, late.approval.state) == (False, "dropped")
    assert house.tally.turns == [("lead", "stopped")]
    await house.tell(own, "next")
    await house.quiet()
    assert MODEL_READS["dropped"] in str(house.models.asked[-1].messages)
    assert errands.done == []


async def test_a_decision_meets_a_stop(house: House, cast: Cast, errands: Errands) -> None:
    """R0: whichever is first, the turn ends once, and no question stays open."""
    own = await asks(house, cast)
    [asked] = await waiting(house, own)
    stop = house.database.write(partial(house.host.stop, session_id=own))
    await asyncio.gather(stop, decide(house, asked, "once"))
    await house.quiet()
    assert len(house.tally.turns) == 1
    assert await waiting(house, own) == []


async def test_a_decision_right_after_a_stop_is_told_that_it_is_void(house: House, cast: Cast) -> None:
    """R0: the turn is to stop, though nobody has closed it yet."""
    own = await asks(house, cast)
    [asked] = await waiting(house, own)

    async def both(tx: Transaction) -> Decided:
        await house.host.stop(tx, own)
        return await house.host.decide(tx, asked.id, "once", by="user:owner")

    decided = await house.database.write(both)
    assert (decided.is_new, decided.approval.state) == (False, "dropped")
    await house.quiet()
    assert house.tally.turns == [("lead", "stopped")]


async def test_a_decision_meets_the_end_of_the_hour(
    house: House, cast: Cast, errands: Errands, clock: FakeClock
) -> None:
    """R0: one of them counts, the tool runs exactly if it was the decision."""
    own = await asks(house, cast)
    [asked] = await waiting(house, own)
    _, decided = await asyncio.gather(clock.advance(PATIENCE.total_seconds()), decide(house, asked, "once"))
    await house.quiet()
    assert len(errands.done) == decided.is_new
    assert house.tally.turns == [("lead", "completed")]


async def test_a_waiting_session_holds_no_slot_and_takes_no_task(house: House, cast: Cast, errands: Errands) -> None:
    """C6, C8: four children wait for people, a fifth works; the one that waits refuses another task."""
    cast.parts["plan"] = [
        Say(calls=[call("create_session", name=f"c{n}", description=f"ask {n}") for n in range(4)]),
    ]
    cast.parts["more"] = [
        Say(calls=[call("create_session", name="busy", description="work")]),
        Say(calls=[call("submit_input", target="/root/c0", description="on top"), call("list_sessions")]),
    ]
    for n in range(4):
        cast.parts[f"ask {n}"] = [Say(calls=[call("mail", n=n)])]
    own = (await house.open("lead")).id
    await house.tell(own, "plan", origin=HERE)
    await house.quiet()
    await house.tell(own, "more")
    await house.quiet()
    child = await child_of(house, own, "busy")
    assert (await house.said(child.id))[-1][2] == "done: work"
    waits = await waiting(house, own)
    assert {each.room_id for each in waits} == {own}
    assert {each.origin for each in waits} == {HERE}
    refusal, listing = cast.returned["more"][-2:]
    assert refusal == "/root/c0 waits for a person's approval and takes no new task until that is decided"
    marks = {row["path"]: row["waiting_for"] for row in listing["sessions"]}
    assert marks["/root/c0"] == "approval"
    assert marks["/root"] is None
    for each in waits:
        await decide(house, each, "once")
    await house.quiet()
    assert len(errands.done) == 4


async def test_a_child_asks_where_its_root_speaks(house: House, cast: Cast, errands: Errands) -> None:
    """C12: in its own session and in the root's chat, after the parent's turn has ended."""
    cast.parts["plan"] = [Say(calls=[call("create_session", name="c", description="child work")])]
    cast.parts["child work"] = [Say(calls=[MAIL])]
    own = (await house.open("lead")).id
    await house.tell(own, "plan", origin=HERE)
    await house.quiet()
    child = await child_of(house, own, "c")
    [asked] = await waiting(house, child.id)
    assert await states(house, own) == await states(house, child.id) == ["open"]
    assert (asked.room_id, asked.origin) == (own, HERE)
    await decide(house, asked, "session")
    await house.quiet()
    assert len(errands.done) == 1
    assert await states(house, own) == await states(house, child.id) == ["open", "session"]


async def test_stopping_a_tree_drops_its_questions(house: House, cast: Cast, errands: Errands) -> None:
    """C8: the child's too, where it was asked; nothing goes on by itself."""
    cast.parts["plan"] = [Say(calls=[call("create_session", name="c", description="child work"), MAIL])]
    cast.parts["child work"] = [Say(calls=[MAIL])]
    own = (await house.open("lead")).id
    await house.tell(own, "plan")
    await house.quiet()
    await decide(house, (await waiting(house, own))[0], "deny")
    await house.quiet()
    child = await child_of(house, own, "c")
    assert len(await waiting(house, own)) == 1
    await house.database.write(partial(house.host.stop_tree, session_id=own))
    await house.quiet()
    assert await waiting(house, own) == []
    assert await states(house, child.id) == ["open", "dropped"]
    assert errands.done == []


async def test_a_colleague_inside_another_run_cannot_ask(house: House, cast: Cast, errands: Errands) -> None:
    """T17a: refused in words, unless the session it works for is trusted."""
    own = (await house.open("lead")).id
    cast.parts["plan"] = [Say(calls=[call("ask_agent", agent_id="other", message="mail it")])]
    house.models.script = partial(_colleague, cast)
    await house.tell(own, "plan")
    await house.quiet()
    assert errands.done == []
    assert UNASKED in str(house.models.asked)
    await house.database.write(partial(_trust, own))
    await house.tell(own, "plan")
    await house.quiet()
    assert len(errands.done) == 1


def _colleague(cast: Cast, asked: Ask) -> "Say | asyncio.Future[Say] | Exception":
    """The colleague mails once for each question; everybody else follows the script."""
    begins = "mail it" in asked.prompt and "ToolReturnPart" not in str(asked.messages[-1])
    return Say(calls=[MAIL]) if begins else cast.script(asked)


async def test_a_switch_while_it_waits_changes_nothing_of_the_turn(house: House, cast: Cast, errands: Errands) -> None:
    """S2: the current turn keeps its agent; the question stays."""
    own = await asks(house, cast)
    await house.database.write(lambda tx: _switch(house, tx, own, "other"))
    [asked] = await waiting(house, own)
    await decide(house, asked, "once")
    await house.quiet()
    assert errands.done == [("mail", "lead", {"to": "bob"})]
    assert (await session(house, own)).agent_id == "other"
