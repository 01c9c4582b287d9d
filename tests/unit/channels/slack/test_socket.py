"""Socket Mode: connections that overlap, end, die and are refused (R5)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest_asyncio

from tests.support.clock import FakeClock
from tests.support.slack.app import PATIENCE, App, open_app
from tests.support.slack.server import Delivery


@pytest_asyncio.fixture
async def app(clock: FakeClock) -> AsyncIterator[App]:
    async with open_app(clock, is_socket=True) as opened:
        yield opened


def _say(app: App, text: str, **more: Any) -> Delivery:
    event = {"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "ts": app.slack.new_ts()}
    return app.slack.bring_event(event | {"text": text} | more)


async def _heard(app: App, *texts: str) -> None:
    await app.until(lambda: [event.text for event in app.events] == list(texts))


async def test_an_event_is_acknowledged_on_the_connection_that_brought_it(app: App) -> None:
    """Issue 4, 1."""
    delivery = _say(app, "hello")
    await app.until(lambda: delivery.acked)
    assert app.slack.socket.acks[0][1].keys() == {"envelope_id"}
    await _heard(app, "hello")


async def test_at_a_refresh_two_connections_overlap(app: App) -> None:
    """Issue 4, 1: the new one is greeted before the old one goes, and both deliver meanwhile."""
    await app.slack.socket.disconnect("warning")
    await app.until(lambda: len(app.slack.socket.connections) == 2, step=0.1)
    assert app.channel.state().connected
    deliveries = [_say(app, str(number)) for number in range(20)]
    await app.until(lambda: all(one.acked for one in deliveries))
    assert {number for number, _ in app.slack.socket.acks} == {1, 2}
    await app.until(lambda: len(app.slack.socket.connections) == 1, step=1.0)
    assert app.slack.socket.opened == 2
    assert app.channel.state().connected


async def test_a_connection_that_is_cut_is_made_again(app: App) -> None:
    """R5: readyz tells while it is away."""
    await app.slack.socket.cut()
    await app.until(lambda: "lost" in app.channel.state().reason)
    assert not app.channel.state().connected
    await app.until(lambda: app.channel.state().connected, step=0.5)
    delivery = _say(app, "back?")
    await app.until(lambda: delivery.acked)


async def test_an_outage_is_waited_out(app: App) -> None:
    """R3, R5: refused connections, for minutes."""
    await app.slack.close_port()
    await app.until(lambda: "cannot be reached" in app.channel.state().reason, step=0.5)
    await app.clock.advance(600)
    await app.slack.open_port()
    await app.until(lambda: app.channel.state().connected, step=5.0)


async def test_a_dead_connection_is_noticed(clock: FakeClock) -> None:
    """R5: it looks open, and answers no ping."""
    async with open_app(clock, is_socket=True, patience=replace(PATIENCE, beat=0.1)) as app:
        app.slack.socket.deaf = True
        await app.until(lambda: not app.channel.state().connected)
        app.slack.socket.deaf = False
        await app.until(lambda: app.channel.state().connected, step=0.5)
        assert app.slack.socket.opened == 2


async def test_a_connection_that_delivers_nothing_is_replaced(app: App) -> None:
    """R5: it answers pings and is dead all the same; a fresh one costs nothing, and there is no gap."""
    await app.clock.advance(1700)
    assert app.slack.socket.opened == 1
    await app.until(lambda: app.slack.socket.opened == 2, step=20.0)
    assert app.channel.state().connected


async def test_a_connection_that_is_not_greeted_is_tried_again(clock: FakeClock) -> None:
    async with open_app(clock, is_socket=True, start=False) as app:
        app.slack.socket.greets = False
        await app.channel.start(app.emit)
        await app.until(lambda: app.channel.state().reason == "Slack does not greet the connection")
        app.slack.socket.greets = True
        await app.until(lambda: app.channel.state().connected, step=0.5)


async def test_socket_mode_switched_off_is_told_and_does_not_loop(app: App) -> None:
    """Issue 4, 1."""
    app.slack.socket_error = "link_disabled"
    await app.slack.socket.disconnect("link_disabled", closes=True)
    await app.until(lambda: "switched off" in app.channel.state().reason)
    asked = len(app.slack.of("apps.connections.open"))
    await app.clock.advance(59)
    assert len(app.slack.of("apps.connections.open")) == asked
    app.slack.socket_error = ""
    await app.until(lambda: app.channel.state().connected, step=5.0)


async def test_a_bad_app_token_is_told_and_does_not_loop(clock: FakeClock) -> None:
    """Issue 4, 1."""
    async with open_app(clock, is_socket=True, start=False) as app:
        app.slack.socket_error = "invalid_auth"
        await app.channel.start(app.emit)
        await app.until(lambda: "app token" in app.channel.state().reason)
        await app.clock.advance(45)
        assert len(app.slack.of("apps.connections.open")) == 1


async def test_a_bad_bot_token_is_told(clock: FakeClock) -> None:
    """Issue 4, 1: before anything is received, because an event would be lost on a wrong answer of auth.test."""
    async with open_app(clock, is_socket=True, start=False) as app:
        app.configure(bot_token="xoxb-wrong")
        await app.channel.start(app.emit)
        await app.until(lambda: "invalid_auth" in app.channel.state().reason)
        assert app.slack.socket.opened == 0


async def test_too_many_connections_are_told(app: App) -> None:
    await app.slack.socket.disconnect("too_many_websockets")
    await app.until(lambda: "ten connections" in app.channel.state().reason)
    await app.until(lambda: app.slack.socket.connections == [])


async def _opened(app: App, count: int) -> None:
    await app.until(lambda: app.slack.socket.opened >= count, step=0.1)


async def test_a_flapping_server_is_not_stormed(app: App) -> None:
    """R5: who is sent away at once does not come back at once."""
    for _ in range(5):
        await app.slack.socket.disconnect("refresh_requested", closes=True)
        opened = app.slack.socket.opened
        before = app.clock.monotonic()
        await _opened(app, opened + 1)
        assert app.clock.monotonic() - before >= 0.9


async def test_rubbish_on_the_wire_ends_nothing(app: App) -> None:
    """R4."""
    for raw in ("not json", "[]", "{}", '{"type": "events_api"}', '{"envelope_id": 3, "type": "x", "payload": {}}'):
        await app.slack.socket.raw(raw)
    delivery = _say(app, "still there?")
    await app.until(lambda: delivery.acked)
    assert app.slack.socket.opened == 1


async def test_what_nobody_wants_is_acknowledged(app: App) -> None:
    """Facts 0, 9: an unhandled event would come again and again."""
    poison = {"type": "message", "channel": "D1", "user": "U1", "text": "without a ts"}
    for event in ({"type": "reaction_added"}, {"type": "message"}, {"type": "brand_new_event"}, poison):
        await app.slack.bring_event(event).over.wait()
        assert app.slack.deliveries[-1].acked
    view = app.slack.bring("interactive", {"type": "view_submission"})
    unknown = app.slack.bring("brand_new_envelope", {})
    await app.until(lambda: view.acked and unknown.acked)
    assert app.events == []


async def test_a_slow_store_costs_a_redelivery_and_nothing_else(app: App) -> None:
    """R1, R2: never acknowledged before it is stored; the copies have the same keys."""
    app.slack.ack_within = 0.05
    app.slack._retries = (0.0,)
    app.gate = asyncio.Event()
    delivery = _say(app, "slow")
    await app.until(lambda: delivery.attempts == 2)
    app.gate.set()
    await app.until(lambda: len(app.events) == 2)
    assert len({(event.event_key, event.message_id) for event in app.events}) == 1


async def test_a_store_that_fails_gets_the_event_again(app: App) -> None:
    """R1."""
    app.slack.ack_within = 0.05
    app.slack._retries = (0.0,)
    app.fault = OSError("the disk is full")
    delivery = _say(app, "hello")
    await app.until(lambda: delivery.attempts == 2)
    app.fault = None
    await app.until(lambda: delivery.over.is_set() or delivery.acked)
    await _heard(app, "hello")


async def test_messages_of_a_chat_keep_their_order(app: App) -> None:
    """Contract 3: although names are asked for, and each frame is its own work."""
    app.slack.users["U1"] = "Ann"
    deliveries = [_say(app, str(number)) for number in range(10)]
    await app.until(lambda: all(one.acked for one in deliveries))
    assert [event.text for event in app.events] == [str(number) for number in range(10)]


async def test_a_slow_chat_delays_no_other(app: App) -> None:
    """R4: what is asked about one event holds up its own chat, and that not for long."""
    app.slack.users["U2"] = "Bob"
    app.gate = asyncio.Event()
    _say(app, "stuck")
    await app.until(lambda: bool(app.slack.of("users.info")))
    gate, app.gate = app.gate, None
    other = _say(app, "free", channel="D2", user="U2")
    await app.until(lambda: other.acked)
    gate.set()


async def test_a_stop_lets_what_is_being_stored_be_acknowledged(app: App) -> None:
    """R7."""
    app.gate = asyncio.Event()
    delivery = _say(app, "last words")
    await app.until(lambda: bool(app.slack.of("users.info")))
    stopping = asyncio.create_task(app.channel.stop())
    app.gate.set()
    await stopping
    await app.until(delivery.over.is_set)
    assert [event.text for event in app.events] == ["last words"]
    assert app.slack.socket.connections == []
