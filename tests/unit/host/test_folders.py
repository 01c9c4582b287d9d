"""Which folder a run works in: T5, T18, T36, S7, C4, X3."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from host.folders import colleague_folder, own_folder, session_folder
from host.permissions import Account
from store.agents import Agent
from store.database import Database
from store.sessions import Session
from tests.support.cast import Cast, call, child_of, session
from tests.support.clock import FakeClock
from tests.support.house import Say, open_house

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _agent(agent_id: str, owner: str) -> Agent:
    return Agent(
        id=agent_id, kind="expert", name=agent_id, owner_id=owner, origin="api", created_at=NOW, updated_at=NOW
    )


def _session(session_id: str, kind: str, agent_id: str, **more: str) -> Session:
    fields = {"owner_id": "ann", "principal": "user:ann", "app_id": "console", "workspace": "", **more}
    return Session(id=session_id, kind=kind, agent_id=agent_id, created_at=NOW, updated_at=NOW, **fields)


def test_only_its_owner_works_in_the_whole_workspace() -> None:
    """T36, T5: people of a channel and borrowers have a folder of their session."""
    ada = _agent("ada", "ann")
    assert own_folder(ada, "user:ann", "s1") == "ada"
    assert own_folder(ada, "user:bob", "s1") == "ada/chats/s1"
    assert own_folder(ada, "person:p1", "s1") == "ada/chats/s1"
    assert own_folder(ada, "chat:tg:1", "s1") == "ada/chats/s1"


def test_a_session_keeps_its_folder_whatever_agent_it_has() -> None:
    """S7, S2: the files stay."""
    assert session_folder(_session("s1", "direct", "bea", workspace="ada")) == "ada"
    assert session_folder(_session("s2", "direct", "bea", workspace="ada/chats/s1")) == "ada/chats/s1"


def test_a_session_from_before_there_were_workspaces_has_one_of_its_own() -> None:
    assert session_folder(_session("s1", "direct", "bea", opened_with="ada")) == "ada/chats/s1"


def test_a_colleague_works_in_its_own_workspace_for_the_same_place() -> None:
    """T13, T18, X3."""
    side = _session("r1~ada", "side", "ada", parent_id="r1", root_id="r1")
    bea = _agent("bea", "ann")
    assert session_folder(side) == "ada/rooms/r1"
    assert colleague_folder(side, bea) == "bea/rooms/r1"
    chat = _session("s1", "direct", "ada", workspace="ada/chats/s1", principal="person:p1", root_id="s1")
    assert colleague_folder(chat, bea) == "bea/chats/s1"
    mine = _session("s2", "direct", "ada", workspace="ada", root_id="s2")
    assert colleague_folder(mine, bea) == "bea"
    assert colleague_folder(mine, _agent("eve", "eve")) == "eve/chats/s2"


async def test_sessions_keep_their_folder(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T36, C4, T13, S7: as opened by whom, inherited by children, apart for colleagues, kept when reopened."""
    cast = Cast()
    asks = [call("create_session", name="part", description="child"), call("ask_agent", agent_id="bea", message="hm?")]
    cast.parts["go"] = [Say(calls=asks)]
    async with open_house(database, clock, tmp_path, cast.script) as house:
        await house.add_expert("ada")
        await house.add_expert("bea", visibility="shared")
        mine = await house.open("ada")
        chat = await house.open("ada", principal="person:p1", app_id="tg")
        assert (mine.workspace, chat.workspace) == ("ada", f"ada/chats/{chat.id}")
        await house.tell(mine.id, "go")
        await house.quiet()
        assert (await child_of(house, mine.id, "part")).workspace == "ada"
        assert (await session(house, f"peer:{mine.id}~bea")).workspace == "bea"
        person = Account(id="owner")
        reopened = await house.database.write(
            partial(house.host.reopen, session_id=mine.id, person=person, agent_id="bea")
        )
        assert reopened.fresh.workspace == "ada"
