"""What an event leaves out is looked up before it is stored: once, briefly, and never at the event's cost."""

import asyncio

import pytest

from channels.errors import NotJson
from channels.feishu.receive import read_object
from channels.feishu.recent import Recent
from channels.feishu.turnstile import Turnstile
from tests.support.feishu import faults
from tests.support.feishu.people import Person
from tests.unit.channels.feishu.conftest import Bench


async def test_names_are_asked_for_once(bench: Bench) -> None:
    """Each look-up is a call of the month's quota."""
    await bench.start()
    room = bench.server.state.room("oc_group", "group", name="项目群")
    ann = bench.person(name="小安", room=room)
    for text in ("一", "二", "三"):
        await ann.say(text)
    assert {(event.sender.name, event.chat.title) for event in bench.intake.events} == {("小安", "项目群")}
    assert len(bench.server.of("people")) == 1
    assert len(bench.server.of("chat")) == 1


async def test_names_that_the_app_may_not_know_are_not_asked_for_again(bench: Bench) -> None:
    await bench.start()
    ann = Person(bench.server, room=bench.server.state.room("oc_group", "group"))
    bench.server.script.add("people", faults.refuse(99991672, "contact"))
    bench.server.script.add("chat", faults.refuse(99991672, "im:chat:read"))
    for text in ("一", "二"):
        await ann.say(text)
    assert [event.sender.name for event in bench.intake.events] == ["", ""]
    assert (len(bench.server.of("people")), len(bench.server.of("chat"))) == (1, 1)


async def test_a_slow_directory_costs_a_name_and_no_event(bench: Bench) -> None:
    await bench.start()
    bench.server.script.add("people", faults.Fault(kind="hang_after"))
    await bench.person().say("你好")
    assert [(event.text, event.sender.name) for event in bench.intake.events] == [("你好", "")]


async def test_a_quotation_that_cannot_be_read_is_left_out(bench: Bench) -> None:
    await bench.start()
    ann = bench.person()
    await ann.say("回复", answers="om_unknown")
    quoted = await ann.say("长" * 2000)
    await ann.say("再回复", answers=quoted.id)
    assert bench.intake.texts[0] == "回复"
    assert bench.intake.texts[2] == f"> {'长' * 1000}…\n再回复"


async def test_a_command_that_quotes_is_a_command(bench: Bench) -> None:
    await bench.start()
    ann = bench.person()
    first = await ann.say("一")
    await ann.say("/stop", answers=first.id)
    assert bench.intake.texts == ["一", "/stop"]


async def test_a_group_waits_until_the_bot_knows_its_name(bench: Bench) -> None:
    """Peers 1.14: nobody is answered by guess, and what cannot be judged in time comes again."""
    hold = faults.Fault(kind="hold")
    bench.server.script.add("info", hold)
    await bench.channel.start(bench.intake)
    await bench.server.connections.until(lambda c: bool(c.clients))
    ann = Person(bench.server, room=bench.server.state.room("oc_group", "group"))
    event = ann.event_of("在吗", at_bot=True)[1]
    ack = await ann.push(event)
    assert ack is not None
    assert ack.code == 500
    await bench.person().say("私聊")
    assert bench.intake.texts == ["私聊"]
    assert not bench.channel.state().connected
    hold.gate.set()
    await ann.push(event)
    assert bench.intake.events[-1].mentioned
    assert bench.intake.events[-1].text == "在吗"


async def test_a_bot_that_the_platform_does_not_name_is_told_in_the_state(bench: Bench) -> None:
    bench.server.script.add("info", faults.refuse(230006, "bot ability is off"))
    await bench.channel.start(bench.intake)
    await bench.server.until(lambda server: bool(server.of("info")))
    await bench.server.connections.until(lambda c: bool(c.clients))
    await bench.advance_until(0.01, lambda: "230006" in bench.channel.state().reason)
    await bench.advance_until(100, lambda: bench.channel.state().connected)


async def test_a_turnstile_lets_one_pass_at_a_time_and_forgets() -> None:
    """R6."""
    turns, order = Turnstile(), list[str]()

    async def work(name: str, pause: int) -> None:
        for _ in range(pause):
            await asyncio.sleep(0)
        order.append(name)
        if name == "fails":
            raise OSError

    works = [
        turns.pass_through("a", lambda: work("slow", 5)),
        turns.pass_through("a", lambda: work("fails", 0)),
        turns.pass_through("a", lambda: work("last", 0)),
        turns.pass_through("b", lambda: work("other", 1)),
    ]
    await asyncio.gather(*works, return_exceptions=True)
    assert order == ["other", "slow", "fails", "last"]
    assert len(turns) == 0


def test_what_is_not_used_is_forgotten() -> None:
    """R6."""
    recent: Recent[int, int] = Recent(3)
    for number in range(3):
        recent.put(number, number)
    assert recent.get(0) == 0
    recent.put(3, 3)
    assert (1 in recent, 0 in recent, len(recent)) == (False, True, 3)


@pytest.mark.parametrize("body", [b"", b"[]", b"NaN", b'{"a": Infinity}', b"\xff", b"[" * 99_999])
def test_what_is_no_object_is_no_event(body: bytes) -> None:
    with pytest.raises(NotJson):
        read_object(body)
