"""S1–S7 inside the host: who may be chosen, what a switch changes and what it leaves, what a reopening carries over."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from host.errors import AgentUnavailable, Archived, Busy, NotSwitchable
from host.permissions import Account
from store.agents import find_agent, save_agent
from store.database import Database, Transaction
from store.sessions import Session, find_session, lock_session, set_status
from store.usage import usage_since
from tests.support.clock import START, FakeClock
from tests.support.house import Ask, House, Say, open_house

pytestmark = pytest.mark.both_databases

ME = Account(id="owner")
UNCHANGED = (
    "owner_id",
    "principal",
    "app_id",
    "session_key",
    "project_id",
    "workspace",
    "model_id",
    "permission_level",
    "execution_mode",
    "is_git",
)


def answer(asked: Ask) -> Say:
    return Say(text=f"heard as {'writer' if 'I am writer' in asked.system else 'critic'}")


@pytest.fixture
async def house(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(database, clock, tmp_path, answer) as opened:
        for each in ("writer", "critic"):
            await opened.add_expert(each, instructions=f"I am {each}", model="main")
        await opened.add_team("studio", ["writer", "critic"])
        yield opened


async def switch(house: House, session_id: str, agent_id: str) -> str:
    choice = await house.database.write(lambda tx: house.host.switch(tx, session_id, ME, agent_id))
    return choice.model


async def session(house: House, session_id: str) -> Session:
    found = await house.database.read(partial(find_session, session_id=session_id))
    assert found is not None
    return found


async def archive(tx: Transaction, session_id: str) -> None:
    await set_status(tx, await lock_session(tx, session_id), "ARCHIVED")


async def change(house: House, agent_id: str, **values: object) -> None:
    async def work(tx: Transaction) -> None:
        agent = await find_agent(tx, agent_id)
        assert agent is not None
        for name, value in values.items():
            setattr(agent, name, value)
        await save_agent(tx, agent)

    await house.database.write(work)


async def test_a_switch_takes_effect_with_the_next_turn_and_leaves_history_alone(house: House) -> None:
    """S2, S5: the request that reaches the model has the new agent's instructions and the old messages."""
    room = (await house.open("writer")).id
    await house.tell(room, "first")
    await house.quiet()
    before = [(event.kind, event.text) for event in await house.events(room)]
    await switch(house, room, "critic")
    assert [(event.kind, event.text) for event in await house.events(room)] == before
    await house.tell(room, "second")
    await house.quiet()
    asked = house.models.asked[-1]
    assert "I am critic" in asked.system
    assert "I am writer" not in asked.system
    assert "heard as writer" in str(asked.messages)


async def test_a_switch_writes_only_the_agents_column(house: House) -> None:
    """S2: not even the time of the last change."""
    opened = await house.open("writer")
    before = await session(house, opened.id)
    house.clock._seconds += 60
    await switch(house, opened.id, "critic")
    after = await session(house, opened.id)
    changed = [
        column.name
        for column in Session.__table__.columns
        if getattr(before, column.name) != getattr(after, column.name)
    ]
    assert changed == ["agent_id"]


async def test_a_running_turn_keeps_its_agent_and_what_waits_takes_the_new_one(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """S2, S5: allowed while running; inputs queued before are not stranded."""
    slow: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    answers = iter([slow])

    def script(asked: Ask) -> "Say | asyncio.Future[Say]":
        return next(answers, answer(asked))

    async with open_house(database, clock, tmp_path, script) as house:
        for each in ("writer", "critic"):
            await house.add_expert(each, instructions=f"I am {each}")
        room = (await house.open("writer")).id
        await house.tell(room, "first")
        await house.until(lambda: len(house.models.asked) == 1)
        await house.tell(room, "second")
        await switch(house, room, "critic")
        slow.set_result(Say(text="done"))
        await house.quiet()
        assert [speaker for kind, speaker, _ in await house.said(room) if kind == "member_message"] == [
            "writer",
            "critic",
        ]


@pytest.mark.parametrize(
    ("values", "reason"),
    [({"enabled": False}, "agent_disabled"), ({"client_visible": False}, "agent_not_visible")],
)
async def test_who_cannot_be_chosen(house: House, values: dict[str, object], reason: str) -> None:
    """S1: enabled, then visible; the same for switching and reopening."""
    await change(house, "critic", **values)
    room = (await house.open("writer")).id
    with pytest.raises(AgentUnavailable) as refused:
        await switch(house, room, "critic")
    assert refused.value.reason == reason
    with pytest.raises(AgentUnavailable):
        await house.database.write(lambda tx: house.host.reopen(tx, room, ME, "critic"))


async def test_someone_elses_private_agent_does_not_exist(house: House) -> None:
    """S1: unknown and foreign are the same answer."""
    await house.add_expert("theirs", owner_id="bob")
    room = (await house.open("writer")).id
    for agent_id in ("theirs", "nobody"):
        with pytest.raises(AgentUnavailable) as refused:
            await switch(house, room, agent_id)
        assert refused.value.reason == "unknown"


async def test_the_explicit_model_is_kept_else_the_new_agents_applies(house: House) -> None:
    """S3."""
    await change(house, "critic", model="other")
    plain, explicit = await house.open("writer"), await house.open("writer", model_id="mine")
    assert await switch(house, plain.id, "critic") == "other"
    assert await switch(house, explicit.id, "critic") == "mine"


async def test_teams_and_archived_sessions_keep_their_agent(house: House) -> None:
    """S4: teams on either side, side sessions, the archive."""
    room, direct = await house.open("studio"), await house.open("writer")
    with pytest.raises(NotSwitchable):
        await switch(house, room.id, "writer")
    with pytest.raises(NotSwitchable):
        await switch(house, direct.id, "studio")
    await house.database.write(partial(archive, session_id=direct.id))
    with pytest.raises(Archived):
        await switch(house, direct.id, "critic")


async def test_reopening_carries_everything_over_and_archives_the_old_one(house: House) -> None:
    """S7: every field compared; the title is new; one transaction."""
    old = await house.open("writer", project_id="p1", model_id="main", session_key="dm:x:y")
    done = await house.database.write(lambda tx: house.host.reopen(tx, old.id, ME, "critic"))
    fresh = await session(house, done.fresh.id)
    assert {name: getattr(fresh, name) for name in UNCHANGED} == {name: getattr(old, name) for name in UNCHANGED}
    assert (fresh.agent_id, fresh.title, fresh.status) == ("critic", "未命名会话", "ACTIVE")
    assert (await session(house, old.id)).status == "ARCHIVED"


async def test_the_same_key_reopens_once(house: House) -> None:
    """S7: Idempotency-Key replays the same session and the same note."""
    old = await house.open("writer")
    await house.tell(old.id, "hello")
    await house.quiet()
    reopen = partial(house.host.reopen, session_id=old.id, person=ME, agent_id="critic", key="k")
    first = await house.database.write(reopen)
    note = await house.host.write_note(first)
    second = await house.database.write(reopen)
    assert second.fresh.id == first.fresh.id
    assert await house.host.write_note(second) == note == "heard as critic"


async def test_a_busy_session_is_not_reopened(house: House) -> None:
    """S7: a pending input is enough."""
    old = await house.open("writer")
    await house.tell(old.id, "hello")
    with pytest.raises(Busy):
        await house.database.write(lambda tx: house.host.reopen(tx, old.id, ME, "critic"))
    await house.quiet()


async def test_local_sessions_are_switched_but_not_reopened(house: House) -> None:
    """S3, S7: order owner, target, CLOUD, busy."""
    local = await house.open("writer", execution_mode="LOCAL")
    assert await switch(house, local.id, "critic") == "main"
    with pytest.raises(NotSwitchable):
        await house.database.write(lambda tx: house.host.reopen(tx, local.id, ME, "writer"))


async def test_a_note_that_fails_is_null_and_the_session_stands(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """S7: any failure → null; nothing of it in the ledger."""
    answers: list[Say | Exception] = [Say(text="hi"), ModelHTTPError(401, "main")]
    async with open_house(database, clock, tmp_path, lambda _: answers.pop(0)) as house:
        for each in ("writer", "critic"):
            await house.add_expert(each)
        old = await house.open("writer")
        await house.tell(old.id, "hello")
        await house.quiet()
        done = await house.database.write(lambda tx: house.host.reopen(tx, old.id, ME, "critic"))
        assert await house.host.write_note(done) is None
        assert (await session(house, done.fresh.id)).status == "ACTIVE"


async def test_the_ledger_knows_what_each_answer_was_for(house: House) -> None:
    """S7: scenes chat and agent_handover_summary."""
    old = await house.open("writer")
    await house.tell(old.id, "hello")
    await house.quiet()
    done = await house.database.write(lambda tx: house.host.reopen(tx, old.id, ME, "critic"))
    await house.host.write_note(done)
    sums = await house.database.read(partial(usage_since, owner_id="owner", since=START))
    assert [(each.scene, each.answers) for each in sums] == [("agent_handover_summary", 1), ("chat", 1)]
