"""SIGTERM at any moment: exit 0 within ten seconds, and the next start continues (R7)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.callback import TAKE, hold
from tests.support.casts import ASK, FINDINGS, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.program import Nursery
from tests.support.world import World, world

QUESTION = f"{ASK}，绿茶市场怎么样？"
ORDER = ["host", "notice", "notice", "member", "member", "wrapup"]


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(tmp_path: Path, nursery: Nursery) -> AsyncIterator[World]:
    async with world(tmp_path, launcher=nursery) as running:
        yield running


async def test_sigterm_in_the_middle_of_members_work(fresh: World) -> None:
    """R7, T30: parked, not failed: even more often than a job has attempts."""
    gate = Gate()
    fresh.model.play = cast(
        planner(*FINDINGS),
        researcher=lambda request: say("半句", gate, FINDINGS["researcher"]),
        writer=lambda request: say(gate, FINDINGS["writer"]),
    )
    guest = fresh.guest()
    await guest.say(QUESTION)
    for times in range(1, 5):
        await fresh.model.until(lambda model, times=times: gate.waiting == 2)  # type: ignore[misc]
        await fresh.program.terminate()
        await fresh.model.until(lambda model: gate.waiting == 0)
        await fresh.program.start()
    fresh.model.play = round_of()
    gate.open()
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ORDER
    assert fresh.program.stderr.count("Traceback") == 0


async def test_sigterm_while_the_host_speaks(fresh: World) -> None:
    gate = Gate()
    fresh.model.play = cast(lambda request: say("说到一半", gate))
    guest = fresh.guest()
    await guest.say(QUESTION)
    await gate.reached()
    await fresh.program.terminate()
    fresh.model.play = round_of()
    await fresh.program.start()
    assert [message.kind for message in await guest.hears_end()] == ORDER


async def test_sigterm_while_the_callback_hangs(fresh: World) -> None:
    """Nothing that was not taken is lost, nothing is told under another id."""
    gate = Gate()
    fresh.model.play = round_of()
    fresh.callback.behave = lambda message, times: hold(gate)
    guest = fresh.guest()
    await guest.say(QUESTION)
    await gate.reached()
    await fresh.program.terminate()
    fresh.callback.behave = lambda message, times: TAKE
    gate.open()
    await fresh.program.start()
    assert [message.kind for message in await guest.hears_end()] == ORDER


async def test_sigterm_with_watchers_and_waiters(fresh: World) -> None:
    """An open live connection and a request that waits do not hold the program up."""
    gate = Gate()
    fresh.model.play = cast(planner("researcher"), researcher=lambda request: say(gate, FINDINGS["researcher"]))
    guest = fresh.guest()
    accepted = await guest.say(QUESTION)
    async with fresh.api.live(accepted.body["session_id"]):
        await gate.reached()
        await fresh.program.terminate()


async def test_sigterm_at_rest_leaves_nothing_behind(fresh: World) -> None:
    await fresh.program.terminate()
    assert not (fresh.program.folder / "data" / "server.json").exists()
    assert "Traceback" not in fresh.program.stderr


async def test_a_second_serve_on_the_same_folder_gives_up(fresh: World) -> None:
    """Architecture 6: it waits ten seconds, then exits 2 with one sentence; the first goes on."""
    config = fresh.config | {"server": fresh.config["server"] | {"port": 0}}
    fresh.program.configure(config)
    status, _, err = await fresh.program.run("serve")
    assert status == 2
    assert len(err.strip().splitlines()) == 1
    assert (await fresh.api.ok("/readyz"))["ready"] is True


async def test_sigterm_while_another_process_locks_the_store(fresh: World) -> None:
    """R7: a locked SQLite file does not hold the end up, however much waits to be written; what was accepted stays."""
    store = fresh.program.folder / "data" / "teambridge.db"
    if not store.exists():
        pytest.skip("the store is no file")
    gate = Gate()
    fresh.model.play = cast(
        planner(*FINDINGS),
        researcher=lambda request: say("半句", gate, FINDINGS["researcher"]),
        writer=lambda request: say(gate, FINDINGS["writer"]),
    )
    guests = [fresh.guest() for _ in range(4)]
    for guest in guests:
        await guest.say(QUESTION)
    await fresh.model.until(lambda model: gate.waiting >= 2)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        gate.open()
        late = [asyncio.create_task(fresh.guest().send(QUESTION)) for _ in range(4)]
        await fresh.program.terminate()
        await asyncio.gather(*late, return_exceptions=True)
    fresh.model.play = round_of()
    await fresh.program.start()
    for guest in guests:
        assert [message.kind for message in await guest.hears_end()] == ORDER
