"""C3: what a child works with is what it was made with, and nothing that anybody changes later reaches it."""

from functools import partial
from pathlib import Path

import pytest

from store.database import Database, Transaction
from store.sessions import change_session, lock_session
from tests.support.cast import Cast, change, child_of, session, use
from tests.support.clock import FakeClock
from tests.support.house import House, open_house

pytestmark = pytest.mark.both_databases


async def begin(house: House, cast: Cast) -> str:
    cast.hold("plan")
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.until(lambda: bool(house.models.asked))
    return room


async def finish(house: House, cast: Cast) -> None:
    for task in list(cast.held):
        cast.release(task)
    await house.quiet()


async def ends(house: House, session_id: str) -> list[tuple[str, str]]:
    return [(each.data["status"], each.text) for each in await house.events(session_id) if each.kind == "turn_ended"]


async def test_another_default_after_a_restart_is_no_other_model_for_what_was_made_before(
    database: Database, clock: FakeClock, tmp_path: Path, cast: Cast
) -> None:
    """C3, S5: the default is frozen too, for children and for accepted work; an ordinary session takes the new one."""
    async with open_house(database, clock, tmp_path, cast.script) as house:
        for each in ("lead", "plain"):
            await house.add_expert(each)
        room = await begin(house, cast)
        made = {
            name: (await use(house, room, "create_session", name, name=name, description=name, **of))["session_id"]
            for name, of in {"copy": {}, "given": {"agent_id": "plain"}}.items()
        }
        assert (await session(house, made["given"])).frozen == {}
        other = (await house.open("plain")).id
        await house.database.write(partial(house.host.stop_tree, session_id=other))
        await use(house, room, "submit_input", target=other, description="accepted")
        await finish(house, cast)
    async with open_house(database, clock, tmp_path, cast.script, default_model="new") as house:
        house.models.names = ("new",)
        await house.database.write(partial(house.host.continue_tree, session_id=other))
        for each in (*made.values(), room):
            await house.tell(each, "after the restart")
        await house.quiet()
        refused = ("failed", "没有名为 main 的模型")
        assert await ends(house, made["copy"]) == [("completed", ""), refused]
        assert await ends(house, made["given"]) == [("completed", ""), refused]
        assert await ends(house, other) == [refused]
        assert await ends(house, room) == [("completed", ""), ("completed", "")]


async def test_a_child_keeps_its_tools_of_cooperation_whatever_its_agent_is_told(house: House, cast: Cast) -> None:
    """C3: and one that was made without them gets none."""
    await house.add_expert("alone", cooperation=False)
    room = await begin(house, cast)
    for number, name in enumerate(("coder", "alone")):
        await use(house, room, "create_session", f"c{number}", name=name, description=f"as {name}", agent_id=name)
    await house.until(lambda: len(house.tally.turns) == 2)
    await change(house, "coder", cooperation=False)
    await change(house, "alone", cooperation=True)
    for name in ("coder", "alone"):
        await house.tell((await child_of(house, room, name)).id, f"{name} again")
    await finish(house, cast)
    has = {each.prompt: "create_session" in each.tools for each in house.models.asked}
    assert (has["as coder"], has["coder again"]) == (True, True)
    assert (has["as alone"], has["alone again"]) == (False, False)


async def test_a_child_has_its_parents_approval_mode_and_keeps_it(house: House, cast: Cast) -> None:
    """C3: the dispatcher's, as it is when the child is made, whoever works there."""
    room = await begin(house, cast)
    await use(house, room, "create_session", "c1", name="before", description="x", agent_id="coder")

    async def trust(level: str) -> None:
        async def work(tx: Transaction) -> None:
            await change_session(tx, await lock_session(tx, room), permission_level=level)

        await house.database.write(work)

    await trust("always_trust")
    await use(house, room, "create_session", "c2", name="after", description="x", agent_id="coder")
    await trust("default")
    levels = {name: (await child_of(house, room, name)).permission_level for name in ("before", "after")}
    assert levels == {"before": "default", "after": "always_trust"}
    await finish(house, cast)
