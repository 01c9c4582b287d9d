"""The callback misbehaves in every way: everything arrives later, in order, nothing twice (R3, R4, contract 4)."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.callback import CUT, CUT_AFTER_READING, TAKE, Answer, Arrival, Message, hold, refuse
from tests.support.casts import ASK, round_of
from tests.support.gate import Gate
from tests.support.guest import Guest
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"
ORDER = ["host", "notice", "notice", "member", "member", "wrapup"]


@pytest.fixture(autouse=True)
def play(studio: World) -> Iterator[None]:
    studio.model.play = round_of()
    yield
    assert not studio.callback.unsigned, studio.callback.unsigned


def _of(studio: World, guest: Guest) -> list[Arrival]:
    return [arrival for arrival in studio.callback.arrivals if arrival.message.chat_id == guest.chat_id]


async def _whole_round(guest: Guest) -> list[Message]:
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ORDER
    assert [message.seq for message in heard] == sorted(message.seq for message in heard)
    return heard


@pytest.mark.parametrize("answer", [refuse(500), refuse(503), refuse(408), refuse(425), CUT])
async def test_a_passing_fault_delays_and_loses_nothing(studio: World, answer: Answer) -> None:
    """R3: the first message fails once; nothing overtakes it."""
    guest = studio.guest()
    studio.callback.behave = lambda message, times: answer if message.kind == "host" and times == 1 else TAKE
    await guest.say(QUESTION)
    await _whole_round(guest)
    arrivals = _of(studio, guest)
    assert arrivals[0].message.delivery_id == arrivals[1].message.delivery_id
    assert len(arrivals) == 7
    assert 0.8 <= arrivals[1].at - arrivals[0].at <= 3


async def test_a_message_that_was_read_and_never_answered_comes_again_under_its_id(studio: World) -> None:
    """Contract 4: a cut after the body was read is retried; the receiver recognises the delivery id."""
    guest = studio.guest()
    studio.callback.behave = lambda message, times: (
        CUT_AFTER_READING if message.kind == "wrapup" and times == 1 else TAKE
    )
    await guest.say(QUESTION)
    heard = await _whole_round(guest)
    await studio.callback.until(lambda _: len(_of(studio, guest)) == 7)
    assert Counter(arrival.message.delivery_id for arrival in _of(studio, guest))[heard[5].delivery_id] == 2


async def test_retry_after_is_kept(studio: World) -> None:
    """Contract 4: the later of own back-off and Retry-After."""
    guest = studio.guest()
    studio.callback.behave = lambda message, times: (
        refuse(429, "2") if message.kind == "notice" and times == 1 else TAKE
    )
    await guest.say(QUESTION)
    await _whole_round(guest)
    first = next(arrival for arrival in _of(studio, guest) if arrival.status == 429)
    second = [one for one in _of(studio, guest) if one.message.delivery_id == first.message.delivery_id][1]
    assert 2 <= second.at - first.at <= 5


@pytest.mark.parametrize("status", [400, 403, 404, 410])
async def test_a_refused_message_is_a_dead_letter_and_the_next_ones_go_on(studio: World, status: int) -> None:
    """Contract 4: not retried by itself, listed, retried on demand."""
    guest = studio.guest()
    studio.callback.behave = lambda message, times: refuse(status) if message.kind == "notice" else TAKE
    await guest.say(QUESTION)
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "member", "member", "wrapup"]
    letters = (await studio.api.ok("/api/deliveries", state="dead"))["items"]
    mine = [letter for letter in letters if letter["id"] in {a.message.delivery_id for a in _of(studio, guest)}]
    assert len(mine) == 2
    assert Counter(a.message.delivery_id for a in _of(studio, guest))[mine[0]["id"]] == 1
    studio.callback.behave = lambda message, times: TAKE
    retried = await studio.api.post(f"/api/deliveries/{mine[0]['id']}/retry")
    assert retried.status == 202
    await guest.hears(5)
    assert guest.heard[-1].delivery_id == mine[0]["id"]


async def test_refused_connections_are_waited_out(studio: World) -> None:
    """R3, R5: nobody listens for a while; the program stays ready and takes new questions meanwhile."""
    guest = studio.guest()
    await studio.callback.close_port()
    await guest.say(QUESTION, message_id="q1")
    await studio.model.until(lambda model: len(model.requests) == 4)
    second = await guest.say(QUESTION, message_id="q2")
    assert second.status == 202
    assert (await studio.api.ok("/readyz"))["ready"] is True
    await studio.callback.open_port()
    heard = await guest.hears_end(rounds=2)
    assert [message.reply_to for message in heard] == ["q1"] * 6 + ["q2"] * 6
    assert [message.seq for message in heard] == sorted({message.seq for message in heard})


async def test_one_stuck_chat_delays_no_other(studio: World) -> None:
    """R4: the callback hangs with one chat's message; another chat of the same channel goes on."""
    gate = Gate()
    stuck, other = studio.guest(), studio.guest()
    studio.callback.behave = lambda message, times: hold(gate) if message.chat_id == stuck.chat_id else TAKE
    await stuck.say(QUESTION)
    await gate.reached()
    await other.say(QUESTION)
    await _whole_round(other)
    assert stuck.heard == []
    gate.open()
    await _whole_round(stuck)


async def test_one_channels_outage_stops_no_other(studio: World) -> None:
    """R4: two channels of one agent."""
    gate = Gate()
    down, up = studio.guest(channel="second"), studio.guest()
    studio.callback.behave = lambda message, times: hold(gate) if message.channel_id == "second" else TAKE
    await down.say(QUESTION)
    await gate.reached()
    await up.say(QUESTION)
    await _whole_round(up)
    gate.open()
    await _whole_round(down)


async def test_pending_deliveries_survive_a_restart(studio: World) -> None:
    """R1, R3: killed while the callback is down; afterwards everything arrives, in order, under the same ids."""
    guest = studio.guest()
    studio.callback.behave = lambda message, times: refuse(503)
    await guest.say(QUESTION)
    await studio.model.until(lambda model: len(model.requests) == 4)
    await studio.program.kill()
    studio.callback.behave = lambda message, times: TAKE
    await studio.program.start()
    heard = await _whole_round(guest)
    assert {arrival.message.delivery_id for arrival in _of(studio, guest)} == {one.delivery_id for one in heard}


async def test_a_redirect_is_not_followed(studio: World) -> None:
    """A signed message goes to the configured address only: a 3xx is a refusal like other answers."""
    guest = studio.guest()
    elsewhere = Answer(status=307, keep=False, headers={"Location": studio.callback.url("solo")})
    studio.callback.behave = lambda message, times: elsewhere if message.kind == "host" else TAKE
    await guest.say(QUESTION)
    await guest.hears_end()
    assert {arrival.path for arrival in _of(studio, guest)} == {"hook"}
