"""The long connection: opened again and again, pinged, watched; every event answered after it was taken in."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from channels.feishu.channel import FeishuChannel
from channels.feishu.endpoint import LinkConfig, Misplaced, Unlinked, handshake_fault, refusal_of
from channels.feishu.http import Patience
from channels.feishu.settings import FeishuSettings
from tests.support.feishu import faults
from tests.support.feishu.events import dumped
from tests.unit.channels.feishu.conftest import Bench, Intake

SETTINGS = FeishuSettings(id="fs", app_id="cli_x", app_secret="s", domain="feishu")


async def test_an_event_is_answered_with_its_own_frame(bench: Bench) -> None:
    """Facts 1a: all headers and ids echoed, plus the time it took; then code 200."""
    await bench.start()
    _, event = bench.person().event_of("你好")
    ack = await bench.server.connections.push(dumped(event), parts=3, order=lambda frames: frames[::-1])
    assert ack is not None
    assert ack.code == 200
    assert ack.frame.headers[:-1] == tuple(
        (key, ack.frame.header(key)) for key in ("type", "message_id", "sum", "seq", "trace_id")
    )
    assert ack.frame.headers[-1][0] == "biz_rt"
    assert (ack.frame.seq_id, ack.frame.log_id, ack.frame.log_id_new) == (1234567, 7654321, "02176")
    assert bench.intake.texts == ["你好"]


async def test_an_event_that_is_not_stored_in_time_is_asked_for_again(bench: Bench) -> None:
    """R1, issue 5.1: answered within three seconds in any case; when it was stored after all, its copy is known."""
    bench.intake.gate = asyncio.Event()
    await bench.start()
    ann = bench.person()
    ack = await ann.push(ann.event_of("慢")[1])
    assert ack is not None
    assert ack.code == 500
    bench.intake.gate.set()
    await ann.say("下一句")
    assert bench.intake.texts == ["慢", "下一句"]


async def test_messages_of_a_chat_keep_their_order_and_delay_no_other_chat(bench: Bench) -> None:
    """R4: the first one waits for its sender's name."""
    await bench.start()
    ann, bob = bench.person(), bench.person()
    hold = faults.Fault(kind="hold", chat="")
    bench.server.script.add("people", hold)
    first = asyncio.create_task(ann.push(ann.event_of("一")[1]))
    await bench.server.until(lambda server: bool(server.of("people")))
    second = asyncio.create_task(ann.push(ann.event_of("二")[1]))
    await bob.say("别处")
    assert bench.intake.texts == ["别处"]
    hold.gate.set()
    await asyncio.gather(first, second)
    assert bench.intake.texts == ["别处", "一", "二"]


async def test_frames_of_type_card_are_pressed_buttons_too(bench: Bench) -> None:
    """The official clients drop them without an answer."""
    await bench.start()
    event = {
        "operator": {"open_id": "ou_ann"},
        "action": {"value": {"command": "/stop", "chat": "ou_ann", "thread": ""}, "tag": "button"},
    }
    payload = dumped(
        {"schema": "2.0", "header": {"event_id": "e", "event_type": "card.action.trigger"}, "event": event}
    )
    ack = await bench.server.connections.push(payload, kind="card")
    assert ack is not None
    assert ack.data == {"toast": {"type": "info", "content": "Got it"}}
    assert bench.intake.texts == ["/stop"]


async def test_what_is_no_frame_harms_nobody(bench: Bench) -> None:
    """R4."""
    await bench.start()
    socket = bench.server.connections.clients[0].socket
    for rubbish in (b"\xff", b"", b"\x08"):
        await socket.send_bytes(rubbish)
    await socket.send_str("text")
    await bench.person().say("还在")
    assert bench.intake.texts == ["还在"]


async def test_the_servers_rhythm_is_kept(bench: Bench) -> None:
    """At once, then every PingInterval; a pong changes what comes after the next one."""
    connections = bench.server.connections
    connections.pong_config = {"PingInterval": 30, "ReconnectInterval": "rubbish", "ReconnectCount": None}
    await bench.start()
    await connections.until(lambda c: bool(c.clients) and c.clients[0].pings == 1)
    await bench.person().say("the pong was read")
    await bench.clock.advance(119)
    assert connections.clients[0].pings == 1
    await bench.clock.advance(1)
    await connections.until(lambda c: c.clients[0].pings == 2)
    await bench.person().say("the pong was read")
    await bench.clock.advance(29)
    assert connections.clients[0].pings == 2
    await bench.clock.advance(1)
    await connections.until(lambda c: c.clients[0].pings == 3)
    assert connections.opened == 1


async def test_a_connection_that_the_server_ends_is_opened_again(bench: Bench) -> None:
    """R5: again and again, and what comes afterwards is heard."""
    await bench.start()
    for count in (2, 3):
        await bench.server.connections.kick()
        await bench.advance_until(1, lambda count=count: bench.server.connections.opened == count)  # type: ignore[misc]
    await bench.person().say("wieder da")
    assert bench.channel.state().connected


async def test_who_is_sent_away_at_once_does_not_come_back_at_once(bench: Bench) -> None:
    """R5: not even where the server sets no pause: an app that is refused in this way would ask without end."""
    bench.server.config["ReconnectNonce"] = 0
    await bench.start()
    for count in (2, 3, 4):
        await bench.server.connections.kick()
        await bench.advance_until(0.01, lambda count=count: bench.server.connections.opened == count)  # type: ignore[misc]
    assert bench.clock.monotonic() >= 3


async def test_a_server_that_is_away_is_asked_less_and_less_often(bench: Bench) -> None:
    """R5: up to the server's own interval; readiness says why."""
    await bench.start()
    bench.server.config["ReconnectInterval"] = 100
    await bench.server.connections.kick()
    await bench.advance_until(1, lambda: bench.server.connections.opened == 2)
    await bench.server.close_port()
    await bench.advance_until(1, lambda: bench.channel.state().reason == "the platform is not reachable")
    await bench.server.open_port()
    await bench.advance_until(30, lambda: bench.channel.state().connected)


async def test_a_dead_socket_is_noticed(bench: Bench) -> None:
    """R5: nothing comes and nothing is refused; the websocket's own ping tells."""
    channel = FeishuChannel(
        FeishuSettings(id="fs", app_id="cli_sim", app_secret=_secret(), domain=bench.server.base_url),
        patience=Patience(beat=0.05),
    )
    bench.server.connections.is_deaf = True
    await channel.start(Intake())
    await bench.server.connections.until(lambda c: c.opened == 1)
    bench.server.connections.is_deaf = False
    await bench.server.connections.until(lambda c: c.opened == 2 and bool(c.clients) and c.clients[-1].pings > 0)
    await channel.stop()


def _secret() -> str:
    return "simulated-secret-that-nobody-may-see"


async def test_a_server_that_only_keeps_the_socket_open_is_left(bench: Bench) -> None:
    """R5: no frame for two intervals."""
    await bench.start()
    bench.server.connections.is_mute = True
    await bench.advance_until(60, lambda: bench.server.connections.opened == 2)
    assert bench.clock.monotonic() >= 240


async def test_events_during_the_end_are_let_finish(bench: Bench) -> None:
    """R7."""
    bench.intake.gate = asyncio.Event()
    await bench.start()
    ann = bench.person()
    pushing = asyncio.create_task(ann.push(ann.event_of("noch")[1]))
    await bench.server.until(lambda server: bool(server.of("people")))
    stopping = asyncio.create_task(bench.channel.stop())
    await asyncio.sleep(0)
    bench.intake.gate.set()
    await stopping
    await pushing
    assert bench.intake.texts == ["noch"]


@pytest.mark.parametrize(
    ("status", "code", "kind", "words"),
    [
        (200, 1000040351, Misplaced, 'set domain = "lark"'),
        (200, 10014, Misplaced, "app_id and app_secret"),
        (200, 1000040350, Unlinked, "too many"),
        (200, 1, Unlinked, "now"),
        (200, 1000040343, Unlinked, "now"),
        (502, 0, Unlinked, "502"),
        (200, 999, Misplaced, "999"),
    ],
)
def test_why_there_is_no_connection(status: int, code: int, kind: type, words: str) -> None:
    """Issue 5.1: fatal and transient errors told apart; a crowd waits longer."""
    fault = refusal_of(status, code, "msg", SETTINGS)
    assert type(fault) is kind
    assert words in fault.reason
    assert (fault.pause >= 120) == (code not in (0, 1, 1000040343))


@pytest.mark.parametrize(
    ("headers", "kind", "pause"),
    [
        ({"handshake-status": "514", "handshake-autherrcode": "1000040350", "handshake-msg": "m"}, Unlinked, 120),
        ({"handshake-status": "514", "handshake-autherrcode": "1", "handshake-msg": "m"}, Unlinked, 0),
        ({"handshake-status": "403", "handshake-msg": "forbidden"}, Misplaced, 300),
        ({}, Unlinked, 0),
    ],
)
def test_why_the_upgrade_was_refused(headers: dict[str, str], kind: type, pause: float) -> None:
    """And nothing of the address, which carries keys, is in the reason."""
    url = URL("wss://x/ws?access_key=secret")
    info = aiohttp.RequestInfo(url, "GET", CIMultiDictProxy(CIMultiDict()), url)
    error = aiohttp.WSServerHandshakeError(info, (), status=514, message="m", headers=CIMultiDict(headers))
    fault = handshake_fault(error)
    assert (type(fault), fault.pause) == (kind, pause)
    assert "secret" not in fault.reason


@pytest.mark.parametrize("told", [None, [], {"PingInterval": None}, {"PingInterval": -5, "ReconnectNonce": True}])
def test_absurd_parameters_change_little(told: Any) -> None:
    """A server that leaves fields out crashed others."""
    made = LinkConfig().changed(told)
    assert made.ping in (120.0, 1.0)
    assert made.nonce == 30.0


async def test_an_address_that_is_not_secure_is_not_opened(bench: Bench) -> None:
    """X5: the keys in it would go over the open network."""
    bench.server.endpoint_answer = {"code": 0, "data": {"URL": "http://evil.example/ws?service_id=1"}}
    await bench.channel.start(bench.intake)
    await bench.server.until(lambda server: bool(server.of("endpoint")))
    await bench.advance_until(0.01, lambda: "not secure" in bench.channel.state().reason)


async def test_what_the_platform_answers_is_json_inside_base64(bench: Bench) -> None:
    """An ordinary event has no data in its answer."""
    await bench.start()
    ann = bench.person()
    ack = await ann.push(ann.event_of("hi")[1])
    assert ack is not None
    assert json.loads(bench.server.connections.acked[-1].frame.payload) == {"code": 200}
