"""`teambridge backup` while a round runs, `teambridge restore` elsewhere, and the round goes on there (contract 1)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.casts import ASK, FINDINGS, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.program import Nursery, Program
from tests.support.world import World, world

QUESTION = f"{ASK}，绿茶市场怎么样？"


@pytest_asyncio.fixture(loop_scope="session")
async def anywhere(tmp_path: Path, nursery: Nursery) -> AsyncIterator[World]:
    async with world(tmp_path / "here", launcher=nursery) as running:
        yield running


@pytest.fixture
def fresh(anywhere: World) -> World:
    """One whose store is a file."""
    if not _is_in_a_file(anywhere):
        pytest.skip("the store is no file")
    return anywhere


def _is_in_a_file(running: World) -> bool:
    return (running.program.folder / "data" / "teambridge.db").exists()


def _is_one_sentence(err: str) -> bool:
    return len(err.strip().splitlines()) == 1 and "Traceback" not in err


async def test_a_round_goes_on_where_it_was_restored(fresh: World, nursery: Nursery, tmp_path: Path) -> None:
    """Members at work when the backup is made; elsewhere they work again and the wrap-up comes, once."""
    gate = Gate()
    fresh.model.play = cast(planner(*FINDINGS), **{name: lambda request: say(gate, "没人听见") for name in FINDINGS})
    guest = fresh.guest()
    await guest.say(QUESTION)
    await fresh.model.until(lambda model: gate.waiting == 2)
    await guest.hears(3)
    backup = tmp_path / "b.tar.gz"
    status, out, err = await fresh.program.run("backup", str(backup))
    assert (status, err) == (0, ""), err
    assert str(backup) in out
    await fresh.program.kill()

    elsewhere = Program(tmp_path / "there", fresh.config, nursery)
    status, _, err = await elsewhere.run("restore", str(backup))
    assert (status, err) == (0, ""), err
    fresh.model.play = round_of()
    gate.open()
    async with elsewhere:
        heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "notice", "notice", "member", "member", "wrapup"]


async def test_a_restore_gives_way_to_a_running_server(fresh: World, tmp_path: Path) -> None:
    """Exit 2 with one sentence, --force or not; the server does not notice."""
    backup = tmp_path / "b.tar.gz"
    assert (await fresh.program.run("backup", str(backup)))[0] == 0
    for more in ((), ("--force",)):
        status, _, err = await fresh.program.run("restore", str(backup), *more)
        assert (status, _is_one_sentence(err)) == (2, True), err
        assert "stop it first" in err
    assert (await fresh.api.ok("/readyz"))["ready"] is True


async def test_commands_that_cannot_be_done_end_in_one_sentence(fresh: World, tmp_path: Path) -> None:
    """Contract 1: exit 2, nothing changed."""
    backup = tmp_path / "b.tar.gz"
    assert (await fresh.program.run("backup", str(backup)))[0] == 0
    await fresh.program.terminate()
    spoilt = tmp_path / "spoilt.tar.gz"
    spoilt.write_bytes(backup.read_bytes()[: backup.stat().st_size // 2])
    for words in (
        ("backup", str(backup)),
        ("backup", str(tmp_path / "nowhere" / "b.tar.gz")),
        ("restore", str(tmp_path / "none.tar.gz")),
        ("restore", str(backup)),
        ("restore", str(spoilt), "--force"),
    ):
        status, out, err = await fresh.program.run(*words)
        assert (status, out, _is_one_sentence(err)) == (2, "", True), (words, err)
    await fresh.program.start()
    assert await fresh.api.ok("/api/teams")


async def test_force_puts_the_old_installation_aside(fresh: World, tmp_path: Path) -> None:
    backup = tmp_path / "b.tar.gz"
    assert (await fresh.program.run("backup", str(backup)))[0] == 0
    await fresh.program.terminate()
    status, out, err = await fresh.program.run("restore", str(backup), "--force")
    assert (status, err) == (0, "")
    assert "before-restore-" in out
    await fresh.program.start()
    await fresh.guest().say("在吗")


async def test_the_store_of_postgresql_is_left_to_pg_dump(anywhere: World, tmp_path: Path) -> None:
    """One sentence says so; the rest is kept, and comes back under the same configuration."""
    if _is_in_a_file(anywhere):
        pytest.skip("the store is a file")
    backup = tmp_path / "b.tar.gz"
    status, out, err = await anywhere.program.run("backup", str(backup))
    assert (status, err) == (0, "")
    assert "pg_dump" in out
    status, _, err = await anywhere.program.run("restore", str(backup), "--force")
    assert (status, _is_one_sentence(err)) == (2, True), err
    await anywhere.program.terminate()
    assert (await anywhere.program.run("restore", str(backup), "--force"))[0] == 0
    await anywhere.program.start()
    assert await anywhere.api.ok("/api/teams")
