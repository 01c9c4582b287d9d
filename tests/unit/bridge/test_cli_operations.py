"""What operators do: the same through a running server and directly on the store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from bridge.cli.errors import CommandError
from bridge.cli.operations import Operations, RemoteOperations, StoreOperations, operations
from bridge.cli.remote import connected
from bridge.config import Config
from bridge.outgoing import Draft, enqueue
from channels.types import OutboundMessage, Speaker
from store.chats import Chat, add_chat, list_chats
from store.database import Database, Transaction
from store.people import Person, find_person
from tests.support.api_server import ADMIN, open_site
from tests.support.clock import FakeClock
from tests.support.outbound import HandLanes, stored


@pytest.fixture(params=["store", "server"])
async def opened(
    request: pytest.FixtureRequest, database: Database, clock: FakeClock, tmp_path: Path
) -> AsyncIterator[Operations]:
    """Both ways to the same store."""
    if request.param == "store":
        yield StoreOperations(database)
        return
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(open_site(database, clock, tmp_path / "site"))
        remote = await stack.enter_async_context(connected(str(site.client.make_url("/")), ADMIN))
        yield RemoteOperations(remote)


@pytest.fixture
async def person(database: Database) -> Person:
    """Somebody who waits for an approval."""

    async def add(tx: Transaction) -> Person:
        waiting = Person(
            id="p1",
            app_id="hook",
            external_id="u1",
            name="Ann",
            state="pending",
            created_at=tx.now,
            code_made_at=tx.now,
        )
        waiting.pairing_code = "ABCD2345"
        tx.orm.add(waiting)
        return waiting

    return await database.write(add)


@pytest.fixture
async def dead_letter(database: Database, clock: FakeClock) -> str:
    """The id of a message that its callback refused."""
    message = OutboundMessage(
        delivery_id="d1",
        channel_id="hook",
        chat_id="c1",
        thread="",
        session_id="s1",
        seq=0,
        kind="reply",
        speaker=Speaker(id="system", name="", role="system"),
        text="hello",
        display_text="hello",
        created_at=clock.now(),
    )

    async def add(tx: Transaction) -> None:
        await enqueue(tx, [Draft(message=message, dead="410")], HandLanes(clock))

    await database.write(add)
    return message.delivery_id


async def _state(database: Database) -> str:
    found = await database.read(partial(find_person, app_id="hook", external_id="u1"))
    assert found is not None
    return found.state


async def test_people_are_listed(opened: Operations, person: Person) -> None:
    [row] = await opened.people("pending")
    assert (row.id, row.channel_id, row.external_id, row.name, row.code) == ("p1", "hook", "u1", "Ann", "ABCD2345")
    assert await opened.people("blocked") == []
    assert len(await opened.people("")) == 1


async def test_a_code_is_approved_once(opened: Operations, database: Database, person: Person) -> None:
    """X1: whoever has the code may speak from now on."""
    assert await opened.approve(" abcd2345 ") == "Ann"
    assert await _state(database) == "approved"
    with pytest.raises(CommandError, match='nobody has the pairing code "ABCD2345"'):
        await opened.approve("ABCD2345")


async def test_a_groups_code_is_approved_too(opened: Operations, database: Database) -> None:
    """Contract 8: at once, on a running server too."""

    async def add(tx: Transaction) -> None:
        group = Chat(channel_id="hook", id="g1", type="group", title="Club", created_at=tx.now)
        group.pairing_code, group.code_made_at = "GRUP2345", tx.now
        await add_chat(tx, group)

    await database.write(add)
    assert await opened.approve("grup2345") == "Club"
    (group,) = await database.read(partial(list_chats, channel_id="hook"))
    assert (group.served, group.pairing_code) == (True, None)


async def test_a_code_lives_a_day(database: Database, person: Person, clock: FakeClock) -> None:
    await clock.advance(24 * 3600 + 1)
    with pytest.raises(CommandError):
        await StoreOperations(database).approve("ABCD2345")
    assert await _state(database) == "pending"


async def test_a_person_is_blocked(opened: Operations, database: Database, person: Person) -> None:
    assert await opened.block("p1") == "Ann"
    assert await _state(database) == "blocked"
    with pytest.raises(CommandError, match='nobody has the id "p/2"'):
        await opened.block("p/2")


async def test_deliveries_are_listed(opened: Operations, dead_letter: str) -> None:
    [row] = await opened.deliveries("dead")
    assert (row.id, row.channel_id, row.chat_id, row.reason, row.text) == ("d1", "hook", "c1", "410", "hello")
    assert await opened.deliveries("sent") == []


async def test_a_delivery_is_tried_again(database: Database, dead_letter: str) -> None:
    await StoreOperations(database).retry("d1")
    assert (await stored(database, "d1")).state == "pending"


async def test_an_unknown_delivery_is_told(opened: Operations) -> None:
    with pytest.raises(CommandError, match='no delivery has the id "d/2"'):
        await opened.retry("d/2")


async def test_a_left_over_server_file_leads_to_the_store(tmp_path: Path) -> None:
    """After a kill -9 another process may have got the number of the server."""
    (tmp_path / "server.json").write_text('{"url": "http://127.0.0.1:1", "pid": 1, "token": "t"}')
    async with operations(Config(data_dir=tmp_path)) as found:
        assert isinstance(found, StoreOperations)
        assert await found.people("") == []
