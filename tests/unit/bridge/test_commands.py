"""Chat commands: what is one, who may, and what each answers (contract 3)."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.commands.parse import Command, parse_command
from bridge.commands.rights import RIGHTS, may_use
from bridge.commands.table import COMMANDS
from bridge.notices import CATALOGUE
from channels.errors import PairingRequired
from store.jobs import Job
from store.sessions import Session, add_session
from store.turns import Turn
from tests.support.front import Front


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/stop", Command(name="stop")),
        ("  /STOP \n", Command(name="stop")),
        ("/cancel 研究员", Command(name="cancel", argument="研究员")),
        ("/pair\nABCD2345 ", Command(name="pair", argument="ABCD2345")),
        ("/sessions all", Command(name="sessions", argument="all")),
        ("/dance", None),
        ("/stopping", None),
        ("/stop@other", None),
        ("/", None),
        ("//stop", None),
        ("please /stop", None),
        ("stop", None),
        ("", None),
    ],
)
def test_what_is_a_command(text: str, expected: Command | None) -> None:
    """An unknown command is ordinary text."""
    assert parse_command(text) == expected


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    found = parse_command(text)
    assert found is None or found.name in RIGHTS


def test_every_command_has_a_function_a_right_and_a_line_of_help() -> None:
    assert list(COMMANDS) == list(RIGHTS)
    assert {f"help.{name}" for name in RIGHTS} == {key for key in CATALOGUE if key.startswith("help.")} - {"help.title"}


def test_who_may_use_what() -> None:
    """Contract 3; what /approve and /deny decide has a rule of its own (`may_decide`)."""
    everybody = {"help", "status", "team", "agents", "whoami", "stop", "sessions", "approve", "deny"}
    assert {name for name in RIGHTS if may_use(name, in_private=False, is_admin=False)} == everybody
    in_private = everybody | {"new", "cancel", "switch", "reopen"}
    assert {name for name in RIGHTS if may_use(name, in_private=True, is_admin=False)} == in_private
    assert all(may_use(name, in_private=private, is_admin=True) for name in RIGHTS for private in (True, False))


async def test_a_command_is_answered_without_an_input(front: Front) -> None:
    """Contract 4: `command` names it, `input_id` is null."""
    receipt = await front.say("/Help")
    assert (receipt.command, receipt.input_id, receipt.ignored) == ("help", None, None)
    assert receipt.session_id is not None
    assert await front.texts() == []


async def test_an_unknown_command_goes_to_the_host(front: Front) -> None:
    assert (await front.say("/dance now")).input_id
    assert [text for _, text in await front.texts()] == ["/dance now"]


async def test_strangers_have_no_commands(front: Front) -> None:
    """X1."""
    front.set_rules("hook", access="pairing")
    with pytest.raises(PairingRequired):
        await front.say("/status")


async def test_help_shows_what_this_person_may_use_here(front: Front) -> None:
    front.set_rules("hook", allow_chats=frozenset("*"))
    private = await front.reply("/help")
    group = await front.reply("/help", chat="g1", group=True)
    admin = await front.reply("/help", chat="g1", group=True, sender="boss")
    assert ("/new" in private, "/cancel" in private, "/pair" in private) == (True, True, False)
    assert ("/stop" in group, "/new" in group, "/pair" in group) == (True, False, False)
    assert all(f"/{name}" in admin for name in RIGHTS)
    assert ("/switch" in group, "/switch" in private) == (False, True)


async def test_in_groups_new_and_cancel_need_an_admin(front: Front) -> None:
    """Contract 3: a polite refusal, nothing else."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    here: dict[str, Any] = {"chat": "g1", "group": True}
    first = await front.say("hello", mentioned=True, **here)
    await front.give_job(str(first.session_id), "researcher", "Researcher", running=True)
    for text in ("/new", "/cancel"):
        assert "needs an admin" in await front.reply(text, **here)
    assert (await front.say("hello", mentioned=True, **here)).session_id == first.session_id
    assert (await front.rows(Job))[0].state == "running"
    assert "new session" in await front.reply("/new", sender="boss", **here)
    assert (await front.say("hello", mentioned=True, **here)).session_id != first.session_id


async def test_new_binds_a_fresh_session_and_leaves_the_old_one_as_it_is(front: Front) -> None:
    """R0: its open work goes on and is still published."""
    first = await front.say("hello")
    await front.start_turn(str(first.session_id))
    receipt = await front.say("/new")
    assert receipt.session_id != first.session_id
    assert (await front.say("again")).session_id == receipt.session_id
    (turn,) = await front.rows(Turn)
    assert (turn.state, turn.stopping) == ("live", False)
    assert {each.status for each in await front.rows(Session)} == {"ACTIVE"}


async def test_new_in_a_fresh_chat_opens_one_session(front: Front) -> None:
    receipt = await front.say("/new")
    assert [each.id for each in await front.rows(Session)] == [receipt.session_id]


async def test_new_in_a_thread_leaves_the_others_alone(front: Front) -> None:
    top, thread = await front.say("hello"), await front.say("hello", thread="t")
    await front.say("/new", thread="t")
    assert (await front.say("hello")).session_id == top.session_id
    assert (await front.say("hello", thread="t")).session_id != thread.session_id


@pytest.mark.both_databases
async def test_two_new_at_the_same_instant_leave_one_binding(front: Front) -> None:
    """R0."""
    await asyncio.gather(*(front.say("/new") for _ in range(3)))
    receipts = await asyncio.gather(*(front.say(f"{n}") for n in range(3)))
    assert len({receipt.session_id for receipt in receipts}) == 1


async def test_stop_while_nothing_happens(front: Front) -> None:
    assert await front.reply("/stop") == "Nothing is being generated."


async def test_stop_ends_the_current_turn_only(front: Front) -> None:
    """T16: members go on."""
    room = str((await front.say("hello")).session_id)
    await front.start_turn(room)
    await front.give_job(room, "writer", "写手", running=True)
    assert await front.reply("/stop") == "Stopped."
    assert (await front.rows(Turn))[0].stopping
    assert (await front.rows(Job))[0].state == "running"


async def test_stop_while_only_members_work(front: Front) -> None:
    """Contract 3: names joined, each once."""
    room = str((await front.say("hello")).session_id)
    for member, name in (("researcher", "研究员"), ("writer", "写手"), ("researcher", "研究员")):
        await front.give_job(room, member, name, running=False)
    expected = "The host is not generating; 研究员, 写手 are still working, /cancel cancels them."
    assert await front.reply("/stop") == expected


async def test_stop_after_new_does_not_reach_the_old_session(front: Front) -> None:
    """R0: the fresh session has nothing to stop."""
    await front.start_turn(str((await front.say("hello")).session_id))
    await front.say("/new")
    assert await front.reply("/stop") == "Nothing is being generated."
    assert not (await front.rows(Turn))[0].stopping


async def test_a_repeated_stop_stops_once(front: Front) -> None:
    """R2: the copy of a /stop does not hit the turn that came after."""
    room = str((await front.say("hello")).session_id)
    await front.start_turn(room)
    event = front.event("/stop")
    await front.accept(event)
    await front.change(Turn, "t1", state="stopped")
    await front.start_turn(room, turn_id="t2")
    assert (await front.accept(event)).duplicate
    assert {turn.id: turn.stopping for turn in await front.rows(Turn)} == {"t1": True, "t2": False}


async def test_cancel_with_nothing_open(front: Front) -> None:
    assert "nothing to cancel" in await front.reply("/cancel")
    assert "Nobody has nothing" in await front.reply("/cancel Nobody")


@pytest.mark.both_databases
async def test_status_tells_who_works_on_what_since_when(front: Front) -> None:
    assert await front.reply("/status") == "Nobody is working right now."
    room = str((await front.say("hello")).session_id)
    await front.start_turn(room)
    await front.give_job(room, "researcher", "Researcher", running=True, message="look\n it up " + "x" * 100)
    await front.clock.advance(75)
    await front.give_job(room, "writer", "Writer", running=False, message="write it")
    await front.clock.advance(7200)
    host, researcher, writer = (await front.reply("/status")).splitlines()
    assert host == "• The host is generating (for 2 h 1 min)"
    assert researcher.startswith("• Researcher is working (for 2 h 1 min): look it up xxx")
    assert researcher.endswith("x…")
    assert writer == "• Writer is queued (for 2 h 0 min): write it"


async def test_status_names_a_lone_expert(front: Front) -> None:
    front.set_rules("hook", agent_id="researcher")
    await front.start_turn(str((await front.say("hello")).session_id), agent_id="researcher")
    await front.clock.advance(61)
    assert await front.reply("/status") == "• Researcher is generating (for 1 min 1 s)"


async def _left_behind(front: Front, **where: Any) -> str:
    """A room at work that /new has replaced; its id."""
    old = str((await front.say("hello", **where)).session_id)
    await front.start_turn(old)
    await _give_job(front, old, "researcher", "old work")
    await front.say("/new", **where)
    return old


async def _give_job(front: Front, room_id: str, member_id: str, message: str) -> None:
    """As `give_job`, with the side session that ending the job needs."""
    await front.give_job(room_id, member_id, member_id.title(), running=True, message=message)
    side = Session(
        id=f"{room_id}~{member_id}",
        kind="side",
        agent_id=member_id,
        owner_id="owner",
        principal="user:owner",
        app_id="console",
        created_at=front.clock.now(),
        updated_at=front.clock.now(),
    )
    await front.write(add_session, session=side)


@pytest.mark.both_databases
async def test_status_after_new_still_knows_the_old_sessions_work(front: Front) -> None:
    """/new leaves it running, and it goes on publishing here: people must be able to see it."""
    await _left_behind(front)
    fresh = str((await front.say("again")).session_id)
    await _give_job(front, fresh, "writer", "new work")
    host, old, new = (await front.reply("/status")).splitlines()
    assert host.startswith("• The host is generating")
    assert old.endswith("old work")
    assert new.endswith("new work")


@pytest.mark.both_databases
async def test_cancel_after_new_reaches_the_old_sessions_work(front: Front) -> None:
    """Jobs of both sessions are closed, and the old session's turn ends: nothing else here can end it."""
    await _left_behind(front)
    fresh = str((await front.say("again")).session_id)
    await _give_job(front, fresh, "writer", "new work")
    told = await front.reply("/cancel")
    assert told.splitlines() == [
        "Stopped what an earlier session was generating.",
        "Cancelled 2 jobs: Researcher, Writer.",
    ]
    assert {job.state for job in await front.rows(Job)} == {"cancelled"}
    assert (await front.rows(Turn))[0].stopping


async def test_cancel_of_a_member_reaches_the_old_sessions_job_only(front: Front) -> None:
    """The turn goes on: it was not named."""
    await _left_behind(front)
    assert await front.reply("/cancel Researcher") == "Cancelled 1 jobs: Researcher."
    assert not (await front.rows(Turn))[0].stopping


async def test_what_was_left_behind_is_known_in_its_own_place_only(front: Front) -> None:
    """X3, T36: neither in another thread, nor by another person who writes in the same chat."""
    await _left_behind(front, thread="t")
    others: list[dict[str, Any]] = [{}, {"thread": "u"}, {"thread": "t", "sender": "bob"}]
    for elsewhere in others:
        assert await front.reply("/status", **elsewhere) == "Nobody is working right now."
        assert "nothing to cancel" in await front.reply("/cancel", **elsewhere)


async def test_status_shows_nothing_of_other_rooms(front: Front) -> None:
    """X3: not even that a member is busy elsewhere."""
    other = str((await front.say("hello", chat="c2", sender="bob")).session_id)
    await front.start_turn(other)
    await front.give_job(other, "researcher", "Researcher", running=True, message="secret")
    assert await front.reply("/status") == "Nobody is working right now."
    assert "at work" not in await front.reply("/team")


async def test_team_shows_members_and_their_state(front: Front) -> None:
    """T22: without the host."""
    room = str((await front.say("hello")).session_id)
    await front.give_job(room, "researcher", "Researcher", running=True)
    await front.add_agent("writer", enabled=False)
    assert (await front.reply("/team")).splitlines() == [
        "Team members (2)",
        "• Researcher (researcher): at work",
        "• Writer (writer): stopped",
    ]


async def test_team_of_a_lone_expert_and_of_a_damaged_manifest(front: Front) -> None:
    """T37: a sentence, no fault."""
    front.rosters._path("studio", ".teambridge/manifest.json").write_text("{", encoding="utf-8")
    assert "cannot be read" in await front.reply("/team")
    front.set_rules("hook", agent_id="researcher")
    assert "single expert" in await front.reply("/team")


async def test_agents_shows_only_what_the_owner_shares_and_the_channels_own(front: Front) -> None:
    """C1: no private experts, no other teams, nothing that is disabled, hidden or somebody else's."""
    await front.add_agent("shared", visibility="shared", description="knows law")
    await front.add_agent("off", visibility="shared", enabled=False)
    await front.add_agent("hidden", visibility="shared", client_visible=False)
    await front.add_agent("foreign", visibility="shared", owner_id="somebody")
    await front.add_agent("other-team", "team", visibility="shared")
    shown = (await front.reply("/agents")).splitlines()
    assert shown == ["Agents you can use", "• Studio (studio)", "• Shared (shared) knows law"]


async def test_whoami_tells_what_an_owner_needs(front: Front) -> None:
    front.set_rules("hook", allow_chats=frozenset("*"))
    text = await front.reply("/whoami", chat="g1", group=True, name="Ann")
    assert all(part in text for part in ("Ann", "ann", "g1", "hook", "not an admin", "group"))
    assert (await front.person("ann")).id in text
    assert "(admin)" in await front.reply("/whoami", sender="boss", chat="b")


async def test_sessions_are_this_persons_only(front: Front) -> None:
    """X2, X3: current marked, archived ones on request."""
    first = await front.say("hello")
    await front.say("hello", chat="c2", sender="bob")
    await front.clock.advance(60)
    second = await front.say("/new")
    listed = (await front.reply("/sessions")).splitlines()
    assert listed[0] == "Sessions (2)"
    assert str(second.session_id) in listed[1]
    assert "(current)" in listed[1]
    assert "1 min 0 s ago" in listed[2]
    await front.change(Session, first.session_id, status="ARCHIVED")
    assert str(first.session_id) not in await front.reply("/sessions")
    assert "(archived)" in await front.reply("/sessions ALL")


async def test_sessions_of_a_group_are_the_groups(front: Front) -> None:
    """X3: not those that the asking person has in private."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    await front.say("hello")
    group = await front.say("hello", chat="g1", group=True, mentioned=True)
    listed = await front.reply("/sessions", chat="g1", group=True)
    assert listed.startswith("Sessions (1)")
    assert str(group.session_id) in listed


async def test_an_admin_of_one_channel_lets_nobody_into_another(front: Front) -> None:
    """X3."""
    front.set_rules("hook", access="pairing")
    with pytest.raises(PairingRequired) as refused:
        await front.say("hello")
    assert "may have expired" in await front.reply(f"/pair {refused.value.code}", "chatty", sender="boss")
    assert (await front.person("ann")).state == "pending"


async def test_pair_needs_an_admin_everywhere(front: Front) -> None:
    """X2."""
    front.set_rules("hook", access="pairing", allow=frozenset({"bob"}))
    with pytest.raises(PairingRequired) as refused:
        await front.say("hello", name="Ann")
    code = refused.value.code
    assert "needs an admin" in await front.reply(f"/pair {code}", sender="bob", chat="b")
    assert (await front.person("ann")).state == "pending"
    assert await front.reply(f"/pair {code.lower()}", sender="boss", chat="x") == "Ann is approved."
    assert "may have expired" in await front.reply(f"/pair {code}", sender="boss", chat="x")
    assert "Usage" in await front.reply("/pair", sender="boss", chat="x")
    assert (await front.say("hello")).input_id


async def test_an_admin_pairs_an_unknown_group_from_within(front: Front) -> None:
    here: dict[str, Any] = {"chat": "g1", "group": True}
    line = await front.reply("hello", mentioned=True, title="Tea room", **here)
    code = line.split("Pairing code ")[1][:8]
    assert (await front.say(f"/pair {code}", **here)).ignored == "chat_not_served"
    assert await front.reply(f"/pair {code}", sender="boss", **here) == "The group Tea room is approved."
    assert (await front.say("hello", mentioned=True, **here)).input_id


async def test_a_command_overtakes_a_running_turn(front: Front) -> None:
    """Contract 3."""
    await front.start_turn(str((await front.say("hello", "chatty", sender="boss")).session_id or "x"))
    assert "Commands" in await front.reply("/help", "chatty", sender="boss")
