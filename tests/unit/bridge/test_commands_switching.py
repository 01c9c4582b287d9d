"""/switch and /reopen in a chat (S6, S7)."""

import pytest

from store.chats import Binding
from store.sessions import Session
from tests.support.front import Front

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
async def experts(front: Front) -> None:
    front.set_rules("hook", agent_id="writer")
    await front.add_agent("writer", visibility="shared")
    await front.add_agent("critic", visibility="shared")
    await front.add_agent("secret")


async def test_the_sessions_agent_wins_over_the_channels(front: Front) -> None:
    """S6: the bound session is switched, and stays bound."""
    await front.say("hello")
    answer = await front.reply("/switch critic")
    assert answer == "Switched to Critic: it answers from the next turn on, with the model main."
    await front.say("again")
    (first, _), (second, _) = await front.texts()
    assert first == second
    (session,) = await front.rows(Session)
    assert session.agent_id == "critic"


@pytest.mark.parametrize("target", ["secret", "nobody"])
async def test_people_of_a_channel_know_only_what_is_shared(front: Front, target: str) -> None:
    """S1, X2: the owner's private agents do not exist for them."""
    assert await front.reply(f"/switch {target}") == f"There is no agent {target} for you; /agents lists them."
    assert await front.reply(f"/reopen {target}") == f"There is no agent {target} for you; /agents lists them."


async def test_a_teams_chat_cannot_be_switched(front: Front) -> None:
    """S4."""
    front.set_rules("hook", agent_id="studio")
    assert await front.reply("/switch critic") == "This session cannot change its agent."
    assert await front.reply("/reopen critic") == "This session cannot be reopened."


async def test_reopening_moves_the_binding(front: Front) -> None:
    """S7: what is said afterwards goes to the new session; the old one is archived."""
    answer = await front.reply("/reopen critic")
    assert answer.startswith("Reopened with Critic (model main)")
    await front.say("hello")
    (binding,) = await front.rows(Binding)
    ((session_id, _),) = await front.texts()
    assert session_id == binding.session_id
    states = {session.agent_id: session.status for session in await front.rows(Session)}
    assert states == {"writer": "ARCHIVED", "critic": "ACTIVE"}


async def test_nothing_is_reopened_while_something_waits(front: Front) -> None:
    """S7: a pending input."""
    await front.say("hello")
    assert await front.reply("/reopen critic") == "Work is still going on; reopen when it is done or cancelled."


async def test_in_groups_both_need_an_admin(front: Front) -> None:
    """Contract 3."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    for command in ("/switch critic", "/reopen critic"):
        refused = await front.reply(command, chat="g1", group=True)
        allowed = await front.reply(command, chat="g1", group=True, sender="boss")
        assert refused != allowed
