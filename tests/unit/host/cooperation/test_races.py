"""R0 for cooperation: two things at one instant, in each order that there is, on both databases."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from host.errors import ToolFault
from host.slots import MOST
from store.database import Database
from store.inputs import has_pending
from store.jobs import session_with_work
from store.trees import tree_of
from store.turns import find_turn, live_turn
from tests.support.cast import Cast, session, turn_of, use
from tests.support.clock import FakeClock, settle
from tests.support.gate import Gate
from tests.support.house import House, open_house
from tests.support.stage import StagedDatabase

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def stage(database: Database, clock: FakeClock) -> AsyncIterator[StagedDatabase]:
    async with StagedDatabase(database.url, clock) as staged:
        yield staged


@pytest.fixture
async def house(stage: StagedDatabase, clock: FakeClock, tmp_path: Path, cast: Cast) -> AsyncIterator[House]:
    async with open_house(stage, clock, tmp_path, cast.script) as opened:
        await opened.add_expert("lead")
        yield opened


def was_asked(house: House, task: str) -> bool:
    return any(each.prompt == task for each in house.models.asked)


async def begin(house: House, cast: Cast) -> str:
    cast.hold("plan")
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.until(lambda: was_asked(house, "plan"))
    return room


async def child(house: House, cast: Cast, room: str) -> tuple[str, str]:
    """A child at work on "one", which is held: its id and its turn's."""
    cast.hold("one")
    made = await use(house, room, "create_session", "c", name="child", description="one")
    await house.until(lambda: was_asked(house, "one"))
    return made["session_id"], (await turn_of(house, made["session_id"])).id


async def finish(house: House, cast: Cast) -> None:
    for task in list(cast.held):
        cast.release(task)
    await house.quiet()


async def ends(house: House, session_id: str) -> list[str]:
    return [each.data["status"] for each in await house.events(session_id) if each.kind == "turn_ended"]


async def in_order(stage: StagedDatabase, gate: Gate, first: Coroutine[Any, Any, Any], second: Any) -> list[Any]:
    """What became of both: the first holds its locks until the second waits for them."""
    one = asyncio.create_task(first)
    await gate.reached()
    two = asyncio.create_task(second)
    await stage.blocked()
    assert not one.done()
    assert not two.done()
    gate.open()
    return list(await asyncio.gather(one, two, return_exceptions=True))


async def test_of_two_replays_of_one_call_the_second_finds_the_receipt(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C5: the second waits for the first's locks, and makes nothing."""
    room = await begin(house, cast)
    gate = stage.hold("_create", "inside")
    again = [use(house, room, "create_session", "c", name="child", description="work") for _ in range(2)]
    first, second = await in_order(stage, gate, *again)
    assert first == second
    assert [each.path for each in await stage.read(partial(tree_of, root_id=room))] == ["/root", "/root/child"]
    await finish(house, cast)
    assert [each.prompt for each in house.models.asked].count("work") == 1


async def test_of_two_replays_with_other_content_the_second_is_refused(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C5: whichever came first."""
    room = await begin(house, cast)
    target, _ = await child(house, cast, room)
    gate = stage.hold("_submit", "inside")
    both = [use(house, room, "submit_input", "s", target=target, description=task) for task in ("two", "three")]
    first, second = await in_order(stage, gate, *both)
    assert first["status"] == "queued"
    assert isinstance(second, ToolFault)
    await finish(house, cast)
    assert (was_asked(house, "two"), was_asked(house, "three")) == (True, False)


async def test_two_children_of_one_name_at_once_are_one_child_and_one_refusal(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C2: two calls of one response run side by side."""
    room = await begin(house, cast)
    gate = stage.hold("_create", "inside")
    both = [use(house, room, "create_session", f"c{n}", name="child", description=f"work {n}") for n in range(2)]
    first, second = await in_order(stage, gate, *both)
    assert first["path"] == "/root/child"
    assert "already" in str(second)
    await finish(house, cast)
    assert (was_asked(house, "work 0"), was_asked(house, "work 1")) == (True, False)


async def test_a_continue_that_waits_for_a_stop_lets_go_what_it_held(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C8: stop first, continue second: the queue goes on, the turn that ran is stopped."""
    room = await begin(house, cast)
    target, _ = await child(house, cast, room)
    await use(house, room, "submit_input", "s", target=target, description="two")
    gate = stage.hold("stop_tree", "inside")
    stop, go_on = (partial(each, session_id=room) for each in (house.host.stop_tree, house.host.continue_tree))
    assert (await in_order(stage, gate, stage.write(stop), stage.write(go_on)))[0] == 2
    await house.quiet()
    assert not (await session(house, room)).paused
    assert await ends(house, target) == ["stopped", "completed"]


async def test_a_continue_before_a_stop_changes_nothing_of_the_stop(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C8: continue first, stop second: everything is held."""
    room = await begin(house, cast)
    target, _ = await child(house, cast, room)
    await use(house, room, "submit_input", "s", target=target, description="two")
    gate = stage.hold("continue_tree", "inside")
    stop, go_on = (partial(each, session_id=room) for each in (house.host.stop_tree, house.host.continue_tree))
    assert (await in_order(stage, gate, stage.write(go_on), stage.write(stop)))[1] == 2
    await house.quiet()
    assert (await session(house, room)).paused
    assert await ends(house, target) == ["stopped"]
    assert not was_asked(house, "two")


async def test_what_is_claimed_in_the_instant_of_a_stop_is_stopped_before_its_model_is_asked(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C8: the claim is through first; the stop finds the turn, though no run is there to be cancelled."""
    cast.hold("first")
    room = (await house.open("lead")).id
    gate = stage.hold("_next", "behind")
    await house.tell(room, "first")
    await gate.reached()
    assert await stage.write(partial(house.host.stop_tree, session_id=room)) == 1
    gate.open()
    await house.quiet()
    assert await ends(house, room) == ["stopped"]
    assert not was_asked(house, "first")


async def test_what_waits_for_its_claim_in_the_instant_of_a_stop_is_not_claimed(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C8: the stop is through first."""
    room = (await house.open("lead")).id
    gate = stage.hold("stop_tree", "inside")
    claim = stage.hold("_next", "before")
    await house.tell(room, "first")
    await claim.reached()
    stopping = asyncio.create_task(stage.write(partial(house.host.stop_tree, session_id=room)))
    await gate.reached()
    claim.open()
    await stage.blocked()
    gate.open()
    assert await stopping == 0
    await house.quiet()
    assert not was_asked(house, "first")
    await stage.write(partial(house.host.continue_tree, session_id=room))
    await house.quiet()
    assert await ends(house, room) == ["completed"]


async def test_a_cancel_that_waits_for_the_finish_finds_the_turn_completed(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C6: the finish is through first."""
    room = await begin(house, cast)
    target, turn_id = await child(house, cast, room)
    gate = stage.hold("_store", "inside")
    cast.release("one")
    await gate.reached()
    cancelling = asyncio.create_task(use(house, room, "cancel_turn", "x", target=target, turn_id=turn_id))
    await stage.blocked()
    gate.open()
    assert (await cancelling)["status"] == "completed"
    await finish(house, cast)
    assert await ends(house, target) == ["completed"]
    assert (await house.said(target))[-1] == ("member_message", "lead", "done: one")


async def test_a_finish_that_waits_for_the_cancel_is_a_stop_that_keeps_its_words(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C6: the cancel is through first; what was said stays, marked stopped, and the turn ends once."""
    room = await begin(house, cast)
    target, turn_id = await child(house, cast, room)
    gate = stage.hold("_cancel", "inside")
    cancelling = asyncio.create_task(use(house, room, "cancel_turn", "x", target=target, turn_id=turn_id))
    await gate.reached()
    cast.release("one")
    await stage.blocked()
    gate.open()
    assert (await cancelling)["status"] == "cancelling"
    await finish(house, cast)
    assert await ends(house, target) == ["stopped"]
    turn = await stage.read(partial(find_turn, turn_id=turn_id))
    assert turn is not None
    assert turn.state == "stopped"


async def test_a_cancel_between_claim_and_run_stops_the_turn_before_its_model_is_asked(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C6: there is a turn and no run that could be cancelled yet; what is queued behind it goes on."""
    room = await begin(house, cast)
    cast.hold("one")
    gate = stage.hold("_next", "behind")
    made = await use(house, room, "create_session", "c", name="child", description="one")
    await use(house, room, "submit_input", "s", target="/root/child", description="two")
    await gate.reached()
    turn = await turn_of(house, made["session_id"])
    cancelled = await use(house, room, "cancel_turn", "x", target="/root/child", turn_id=turn.id)
    assert cancelled["status"] == "cancelling"
    gate.open()
    await house.until(lambda: was_asked(house, "two"))
    assert not was_asked(house, "one")
    await finish(house, cast)
    assert await ends(house, made["session_id"]) == ["stopped", "completed"]


async def test_an_end_between_the_look_and_the_wait_is_not_missed(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C7: it rings before anybody waits for it; the wait goes on at once, not when its time is up."""
    room = await begin(house, cast)
    cast.hold("one")
    made = await use(house, room, "create_session", "c", name="child", description="one")
    await house.until(lambda: was_asked(house, "one"))
    gate = stage.hold("_inputs_now", "behind")
    waiting = asyncio.create_task(use(house, room, "wait_inputs", "w", input_ids=[made["input_id"]]))
    await gate.reached()
    cast.release("one")
    await house.until(lambda: bool(house.tally.turns))
    gate.open()
    waited = await waiting
    assert [each["status"] for each in waited["inputs"]] == ["completed"]
    assert not waited["wait_timed_out"]
    await finish(house, cast)


async def test_of_two_runs_for_the_last_slot_the_second_claims_nothing_until_it_is_given_back(
    house: House, cast: Cast, stage: StagedDatabase
) -> None:
    """C8: the slot is taken before the claim; who waits for it has no turn, and its input stays in the queue."""
    room = await begin(house, cast)

    async def hand_out(task: str) -> str:
        cast.hold(task)
        made: dict[str, str] = await use(house, room, "create_session", task, name=task, description=task)
        return made["session_id"]

    for number in range(MOST - 2):
        await hand_out(f"busy{number}")
        await house.until(lambda number=number: was_asked(house, f"busy{number}"))  # type: ignore[misc]
    gate = stage.hold("_next", "before")
    await hand_out("last")
    await gate.reached()
    assert house.deps.slots.is_full(room)
    beyond = await hand_out("beyond")
    await stage.read(partial(session_with_work, session_id=beyond))
    await settle(100)
    assert await stage.read(partial(live_turn, session_id=beyond)) is None
    gate.open()
    await house.until(lambda: was_asked(house, "last"))
    assert await stage.read(partial(has_pending, session_id=beyond))
    cast.release("last")
    await house.until(lambda: was_asked(house, "beyond"))
    await finish(house, cast)
    assert await ends(house, beyond) == ["completed"]
    assert not house.deps.slots._trees
