"""What an event does not tell: names, titles, the thread so far, and whether Slack's agent view is behind it."""

from typing import Any

import pytest

from channels.types import InboundEvent
from tests.support.slack.app import App
from tests.support.slack.faults import Fault, refuse
from tests.support.slack.state import BOT_USER, TEAM, Message

MENTION = f"<@{BOT_USER}>"


async def _hear(app: App, text: str, **more: Any) -> InboundEvent:
    event = {"type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": app.slack.new_ts()}
    payload = {
        "type": "event_callback",
        "event_id": f"Ev{app.slack.new_number()}",
        "event": event | {"text": text} | more,
        "authorizations": [{"team_id": TEAM}],
    }
    assert await app.post("events_api", payload) == 200
    return app.events[-1]


@pytest.fixture(autouse=True)
def people(app: App) -> None:
    app.slack.users |= {"U1": "Ann", "U2": "Bob"}
    app.slack.channel("C1", name="general")
    app.slack.channel("D1", user="U1")


def _thread(app: App, *messages: tuple[str, str]) -> str:
    """Somebody's thread in C1; its first `ts`."""
    first = ""
    for user, text in messages:
        message = Message(ts=app.slack.new_ts(), text=text, user=user, thread_ts=first)
        app.slack.channels["C1"].messages[message.ts] = message
        first = first or message.ts
    return first


async def test_people_and_places_have_their_names(app: App) -> None:
    event = await _hear(app, "<@U2> said so")
    assert (event.sender.name, event.chat.title, event.text) == ("Ann", "general", "@Bob said so")
    private = await _hear(app, "hi", channel="D1", channel_type="im")
    assert private.chat.title == "Ann"


async def test_names_are_asked_for_once(app: App) -> None:
    """R3: users.info has a limit, and most events come from the same few people."""
    for _ in range(5):
        await _hear(app, "<@U2> again")
    assert len(app.slack.of("users.info")) == 2
    assert len(app.slack.of("conversations.info")) == 1


async def test_a_slow_answer_does_not_hold_up_an_event(app: App) -> None:
    """Issue 4, 1: stored and acknowledged within three seconds; the name is there for the next one."""
    fault = Fault(kind="hang_after")
    app.slack.script.add("users.info", fault)
    assert (await _hear(app, "hello")).sender.name == ""
    fault.gate.set()
    await app.until(lambda: app.slack.calls[-1].executed)
    assert (await _hear(app, "hello again")).sender.name == "Ann"


async def test_without_the_scope_people_are_ids(app: App) -> None:
    app.slack.scopes.remove("users:read")
    event = await _hear(app, "<@U2> said so")
    assert (event.sender.name, event.text) == ("", "@U2 said so")
    await _hear(app, "again")
    assert len(app.slack.of("users.info")) == 2, "not asked again at once"


async def test_the_first_mention_in_a_thread_brings_the_thread_so_far(app: App) -> None:
    """Issue 4, 2: with names, oldest first, once."""
    thread = _thread(app, ("U1", "who knows tea?"), ("U2", "not me, ask <@U1>"), ("U2", ""))
    event = await _hear(app, f"{MENTION} please help", thread_ts=thread)
    assert event.context == ("Ann: who knows tea?", "Bob: not me, ask @Ann")
    assert event.text == "please help"
    again = await _hear(app, f"{MENTION} and now?", thread_ts=thread)
    assert again.context == ()


async def test_a_thread_that_the_app_wrote_in_needs_no_context(app: App) -> None:
    """Issue 4, 2: once, also after a restart."""
    thread = _thread(app, ("U1", "who knows tea?"))
    answer = Message(ts=app.slack.new_ts(), text="we do", by_app=True, thread_ts=thread)
    app.slack.channels["C1"].messages[answer.ts] = answer
    assert (await _hear(app, f"{MENTION} go on", thread_ts=thread)).context == ()


async def test_a_mention_at_the_top_has_no_context(app: App) -> None:
    assert (await _hear(app, f"{MENTION} hello")).context == ()
    assert app.slack.of("conversations.replies") == []


async def test_a_long_thread_gives_its_newest_lines(app: App) -> None:
    """R6: bounded."""
    app.slack.page = 40
    thread = _thread(app, *(("U1", f"line {number} " + "x" * 600) for number in range(120)))
    context = (await _hear(app, f"{MENTION} sum up", thread_ts=thread)).context
    assert len(context) == 50
    assert context[-1].startswith("Ann: line 119 ")
    assert max(map(len, context)) < 520


async def test_a_thread_that_cannot_be_read_brings_the_question_all_the_same(app: App) -> None:
    app.slack.script.add("conversations.replies", refuse("missing_scope"))
    thread = _thread(app, ("U1", "before"))
    event = await _hear(app, f"{MENTION} hello", thread_ts=thread)
    assert (event.text, event.context) == ("hello", ())


async def test_flat_direct_messages_stay_flat(app: App) -> None:
    """Contract 8: an app without the agent view; it is asked once."""
    for _ in range(2):
        assert (await _hear(app, "hi", channel="D1", channel_type="im")).thread == ""
    assert len(app.slack.of("assistant.threads.setSuggestedPrompts")) == 1


async def test_in_the_agent_view_each_message_at_the_top_begins_a_thread(app: App) -> None:
    """Issue 4, 2: direct messages flat or per thread, as Slack's agent view does."""
    app.slack.has_agent_view = True
    event = await _hear(app, "hi", channel="D1", channel_type="im")
    assert event.thread == event.message_id
    reply = await _hear(app, "more", channel="D1", channel_type="im", thread_ts=event.message_id)
    assert reply.thread == event.message_id


async def test_the_agent_view_tells_itself_by_its_events(app: App) -> None:
    app.slack.scopes.remove("assistant:write")
    await app.restart()
    assert (await _hear(app, "hi", channel="D1", channel_type="im")).thread == ""
    payload = {"type": "event_callback", "event_id": "EvX", "authorizations": []}
    changed = {"type": "app_context_changed", "channel": "D1", "user": "U1", "context": {"entities": []}}
    await app.post("events_api", payload | {"event": changed})
    app.slack.scopes.append("assistant:write")
    await app.restart()
    await app.post("events_api", payload | {"event": changed})
    event = await _hear(app, "hi", channel="D1", channel_type="im")
    assert event.thread == event.message_id


async def test_a_slash_command_means_the_thread_its_giver_last_spoke_in(app: App) -> None:
    """Issue 4, 6: Slack keeps commands out of threads; a question begins at the top all the same."""

    async def command(text: str, user: str = "U1") -> InboundEvent:
        payload = {"channel_id": "C1", "user_id": user, "text": text, "trigger_id": app.slack.new_ts()}
        await app.post("slash_commands", payload | {"command": "/team"})
        return app.events[-1]

    assert (await command("status")).thread == ""
    asked = await _hear(app, f"{MENTION} hello")
    await _hear(app, "chatter of another thread", thread_ts="1.000001")
    assert (await command("stop")).thread == asked.message_id
    assert (await command("")).thread == asked.message_id
    assert (await command("what now?")).thread == ""
    assert (await command("stop", "U2")).thread == ""


async def test_the_home_tab_shows_the_team(app: App) -> None:
    """Issue 4, 6."""
    payload = {"type": "event_callback", "event_id": "EvH", "authorizations": []}
    opened = {"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home"}
    assert await app.post("events_api", payload | {"event": opened}) == 200
    await app.until(lambda: "U1" in app.slack.homes)
    assert app.slack.homes["U1"]["type"] == "home"
    assert app.events == []
