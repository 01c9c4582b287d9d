"""Receiving: what is confirmed, and what ends it (nothing does)."""

import asyncio
import json
from collections.abc import Callable

import pytest

from channels.errors import NotJson, NotRunning, Unprocessable, Unverified
from channels.telegram.api import Patience
from channels.telegram.channel import TelegramChannel
from channels.telegram.receive import SIGNED_WITH, Setback, verified_update
from channels.telegram.settings import TelegramSettings
from channels.types import HookRequest
from tests.support.clock import FakeClock
from tests.support.telegram.faults import Fault, busy, refuse
from tests.support.telegram.server import TOKEN, BotApi
from tests.unit.channels.telegram.conftest import PATIENCE, Line, final

CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


async def test_an_update_is_confirmed_after_it_was_accepted(line: Line) -> None:
    """R1: by the offset of the next poll, not before."""
    await line.start()
    line.fault = OSError("the disk is full")
    update = line.ann().say("hi")["update_id"]
    await line.during(line.api.until(lambda api: api.polled >= 4))
    assert line.api.updates.confirmed == []
    assert line.events == []
    assert not line.channel.state().connected
    line.fault = None
    await line.during(line.got("hi"))
    await line.during(line.api.until(lambda api: api.updates.confirmed == [update]))
    assert line.channel.state().connected


async def test_what_waited_before_the_start_comes_first(line: Line) -> None:
    """R1: nothing that was said while the program was down is thrown away."""
    for text in ("one", "two", "three"):
        line.ann().say(text)
    await line.start()
    await line.during(line.got("one", "two", "three"))


async def test_one_after_the_other(line: Line) -> None:
    """R1: the offset confirms what came, and not the next one."""
    await line.start()
    for number in range(3):
        line.ann().say(str(number))
        await line.during(line.got(*map(str, range(number + 1))))


async def test_a_kill_between_accepting_and_confirming_brings_the_update_again(line: Line, clock: FakeClock) -> None:
    """R1, R2: the same key, so that the bridge knows it."""
    await line.start()
    line.api.script.add("getUpdates", Fault(kind="hang_before"))
    line.ann().say("hi")
    await line.during(line.got("hi"))
    await line.channel.stop()
    line.api.script.clear()
    await line.channel.start(line.emit)
    await line.during(line.got("hi", "hi"))
    assert len({event.event_key for event in line.events}) == 1


async def test_a_poison_update_stops_nobody(line: Line) -> None:
    """R4, facts 1.3: one update that cannot be read must not hold up the queue."""
    await line.start()
    line.api.updates.put(message={"message_id": 1, "date": 1, "chat": {"id": 42, "type": "private"}, "from": {"id": 1}})
    line.api.updates.put(poison={"x": 1})
    line.ann().say("next")
    await line.during(line.got("next"))
    await line.during(line.api.until(lambda api: len(api.updates.confirmed) == 3))


@pytest.mark.parametrize(
    "fault",
    [
        lambda: refuse(401, "Unauthorized"),
        lambda: refuse(404, "Not Found"),
        lambda: refuse(409, CONFLICT),
        lambda: busy(20),
        lambda: Fault(kind="status", code=502),
        lambda: refuse(500, "Internal Server Error: restart"),
        lambda: Fault(kind="garbage"),
        lambda: Fault(kind="nothing"),
        lambda: Fault(kind="cut_before"),
        lambda: Fault(kind="hang_before"),
        lambda: Fault(kind="endless"),
    ],
)
async def test_receiving_goes_on_after_every_fault(line: Line, fault: Callable[[], Fault]) -> None:
    """R5, facts 1.2: a single 401 or 404 ends the library's own poller for ever."""
    await line.start()
    line.api.script.add("getUpdates", fault(), fault())
    line.ann().say("one")
    line.ann().say("two")
    await line.during(line.api.until(lambda api: len(api.updates.confirmed) == 2, within=20))
    await line.got("one", "two")


async def test_a_refused_connection_is_waited_out(line: Line) -> None:
    """R5: the state tells; nothing is lost."""
    await line.start()
    await line.api.close_port()
    while line.channel.state().connected:
        await line.during(asyncio.sleep(0))
    assert line.channel.state().reason == "Telegram cannot be reached"
    line.ann().say("hi")
    await line.api.open_port()
    await line.during(line.got("hi"))


async def test_a_bot_that_is_not_reachable_at_the_start_connects_later(line: Line) -> None:
    """R5: starting takes no time, whatever the network does."""
    await line.api.close_port()
    await line.channel.start(line.emit)
    assert not line.channel.state().connected
    line.ann().say("hi")
    await line.api.open_port()
    await line.during(line.got("hi"))


async def test_a_wrong_token_is_told_and_tried_again_slowly(api: BotApi, clock: FakeClock) -> None:
    """R5, X5."""
    settings = TelegramSettings(id="tg", token="99:wrong-token-of-another-bot", base_url=api.base_url)
    line = Line(api=api, clock=clock, channel=TelegramChannel(settings, clock=clock, patience=PATIENCE))
    await line.channel.start(line.emit)
    while "401" not in line.channel.state().reason:
        await line.during(asyncio.sleep(0))
    assert "wrong-token" not in line.channel.state().reason
    await line.channel.stop()


async def test_a_webhook_that_was_set_before_is_removed(line: Line) -> None:
    """Facts 1.1: it answers long polls with 409."""
    line.api.hook_url = "https://old.example.com"
    line.ann().say("hi")
    await line.start()
    await line.during(line.got("hi"))
    assert line.api.hook_url == ""


async def test_two_copies_of_the_program_are_told_and_lose_nothing(line: Line, api: BotApi, clock: FakeClock) -> None:
    """Facts 1.1: the older poller gets a 409; both go on, the inbox knows copies."""
    await line.start()
    settings = TelegramSettings(id="tg", token=TOKEN, base_url=api.base_url)
    other = Line(api=api, clock=clock, channel=TelegramChannel(settings, clock=clock, patience=PATIENCE))
    await other.channel.start(other.emit)
    for number in range(5):
        line.ann().say(str(number))
    await line.during(line.api.until(lambda api: len(api.updates.confirmed) == 5))
    await other.channel.stop()
    assert {event.text for event in line.events + other.events} == set("01234")


async def test_only_what_is_wanted_is_asked_for(line: Line) -> None:
    """Issue 3, 1: the server keeps an older list if none is given."""
    await line.start()
    assert set(line.api.updates.allowed) == {"message", "callback_query", "my_chat_member"}


async def test_a_slow_sender_does_not_delay_receiving(line: Line) -> None:
    """R4: connections of their own."""
    await line.start()
    line.api.script.add("sendMessage", *(Fault(kind="hang_before") for _ in range(80)))
    for number in range(80):
        line.api.room(1000 + number)
    sending = [asyncio.ensure_future(line.channel.send(final(chat_id=str(1000 + number)))) for number in range(80)]
    line.ann().say("hi")
    await line.got("hi")
    assert not any(task.done() for task in sending[:20])
    line.api.script.clear()
    await line.during(asyncio.wait(sending))


def test_pauses_grow_and_stay_below_a_minute() -> None:
    """R5."""
    pauses = [Setback(trouble="network", times=times).pause(0.5) for times in range(1, 40)]
    assert pauses[0] == 1.0
    assert pauses == sorted(pauses)
    assert pauses[-1] == 60.0
    assert Setback(trouble="conflict", times=40).pause(1) < 20
    assert Setback(trouble="flood", least=30).pause(0.5) > 30


SETTINGS = TelegramSettings(id="tg", token=TOKEN, mode="webhook", hook_url="https://example.com/hooks/tg")


def hooked(body: bytes, **headers: str) -> HookRequest:
    return HookRequest(headers={SIGNED_WITH: SETTINGS.hook_secret} | headers, body=body)


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (HookRequest(headers={}, body=b"{"), Unverified),
        (hooked(b"{", **{SIGNED_WITH: "guess"}), Unverified),
        (hooked(b"{", **{SIGNED_WITH: "\udcff"}), Unverified),
        (hooked(b"{"), NotJson),
        (hooked(b"[" * 100_000), NotJson),
        (hooked(b"[]"), NotJson),
        (hooked(b"{}"), Unprocessable),
        (hooked(b'{"update_id": "1"}'), Unprocessable),
    ],
)
def test_the_secret_is_looked_at_before_anything_else(request_: HookRequest, refusal: type[Exception]) -> None:
    """X4: in constant time, before parsing."""
    with pytest.raises(refusal):
        verified_update(request_, SETTINGS.hook_secret)


def test_the_secret_is_one_that_telegram_takes_and_tells_nothing_of_the_token() -> None:
    assert len(SETTINGS.hook_secret) == 64
    assert SETTINGS.hook_secret.isalnum()
    assert TOKEN not in repr(SETTINGS)


async def test_a_bot_that_fetches_has_no_hook(line: Line) -> None:
    """X4."""
    await line.start()
    with pytest.raises(Unverified):
        await line.channel.hook(hooked(b'{"update_id": 1}'))


async def test_a_hook_called_before_the_bot_knows_its_name_is_called_again(api: BotApi, clock: FakeClock) -> None:
    """R1: without its name no mention is recognised, so nothing is taken in yet."""
    settings = TelegramSettings(
        id="tg", token=TOKEN, mode="webhook", base_url=api.base_url, hook_url="http://127.0.0.1:1/hooks/tg"
    )
    line = Line(api=api, clock=clock, channel=TelegramChannel(settings, clock=clock, patience=Patience(end=0.1)))
    await api.close_port()
    await line.channel.start(line.emit)
    update = json.dumps(line.ann().say("hi")).encode()
    with pytest.raises(NotRunning):
        await line.channel.hook(HookRequest(headers={SIGNED_WITH: settings.hook_secret}, body=update))
    await line.channel.stop()
