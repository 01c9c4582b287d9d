"""What every channel owes, whatever its platform."""

import asyncio
from dataclasses import replace

import pytest

from channels.base import Receipt
from channels.types import InboundEvent, OutboundMessage, OutFile, Rejected, Retryable, Sent
from tests.contract.channel.harness import RETRY_AFTER, Fault, Harness
from tests.unit.channels.samples import message


class Intake:
    """Accepts events; may fail, or wait for `gate`."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None

    async def __call__(self, event: InboundEvent) -> Receipt:
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        self.texts.append(event.text)
        return Receipt(session_id="s1", input_id=f"i{len(self.texts)}")


@pytest.fixture
def intake() -> Intake:
    return Intake()


@pytest.fixture
def sample(harness: Harness) -> OutboundMessage:
    return message(chat_id=harness.chat_id)


async def test_a_message_is_sent(harness: Harness, intake: Intake, sample: OutboundMessage) -> None:
    await harness.start(intake)
    assert isinstance(await harness.channel.send(sample), Sent)
    assert [(call.chat_id, call.text) for call in harness.calls] == [(harness.chat_id, harness.shown(sample))]


@pytest.mark.parametrize("path", ["", "/nowhere/at/all", __file__])
async def test_a_file_that_cannot_be_sent_is_told_in_words(
    harness: Harness, intake: Intake, sample: OutboundMessage, path: str
) -> None:
    """Section 7: its bytes are gone, or there are more of them than any platform takes."""
    file = OutFile(id="f1", name="a.pdf", path=path, size=10**12 if path == __file__ else 3)
    await harness.start(intake)
    assert isinstance(await harness.channel.send(replace(sample, file=file)), Sent)
    assert [call.text for call in harness.calls] == [harness.shown(sample)]


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault.BUSY, Retryable),
        (Fault.REFUSED, Rejected),
        (Fault.BROKEN, None),
        (Fault.CUT, None),
        (Fault.HANG, None),
        (Fault.GARBAGE, None),
    ],
)
async def test_a_fault_is_an_outcome_and_the_next_message_goes(
    harness: Harness, intake: Intake, sample: OutboundMessage, fault: Fault, outcome: type | None
) -> None:
    """R3: nothing that a platform does makes `send` raise, and the channel goes on (a busy chat may have to wait)."""
    await harness.start(intake)
    harness.script(fault)
    async with asyncio.timeout(5):
        assert isinstance(await harness.channel.send(sample), outcome or harness.doubt)
    following = replace(sample, delivery_id="d2", seq=13, chat_id=harness.other_chat_id)
    assert isinstance(await harness.channel.send(following), Sent)


async def test_the_pause_that_a_busy_platform_asks_for_is_told(
    harness: Harness, intake: Intake, sample: OutboundMessage
) -> None:
    """R3: 429 with Retry-After."""
    await harness.start(intake)
    harness.script(Fault.BUSY)
    outcome = await harness.channel.send(sample)
    assert isinstance(outcome, Retryable)
    assert outcome.retry_after == RETRY_AFTER


async def test_an_answer_without_end_delays_nothing(harness: Harness, intake: Intake, sample: OutboundMessage) -> None:
    """R6: the answer's status is enough, or its length is bounded."""
    await harness.start(intake)
    harness.script(Fault.ENDLESS)
    async with asyncio.timeout(5):
        assert isinstance(await harness.channel.send(sample), Sent | harness.doubt)


async def test_a_refused_connection_is_surely_not_delivered(
    harness: Harness, intake: Intake, sample: OutboundMessage
) -> None:
    """R3: and when the platform is back, the message goes."""
    await harness.start(intake)
    await harness.disconnect()
    assert isinstance(await harness.channel.send(sample), Retryable)
    await harness.reconnect()
    assert isinstance(await harness.channel.send(sample), Sent)
    assert len(harness.calls) == 1


async def test_a_retry_carries_the_same_id(harness: Harness, intake: Intake, sample: OutboundMessage) -> None:
    """R1: so that the other side can tell a repetition."""
    await harness.start(intake)
    harness.script(Fault.CUT, Fault.BROKEN, Fault.NONE)
    for _ in range(3):
        await harness.channel.send(sample)
    assert [call.delivery_id for call in harness.calls] == (["d1"] if harness.tells_ids else [""]) * 3


async def test_a_slow_chat_delays_no_other(harness: Harness, intake: Intake, sample: OutboundMessage) -> None:
    """R4"""
    await harness.start(intake)
    harness.script(Fault.HANG, chat_id=harness.other_chat_id)
    slow = asyncio.create_task(harness.channel.send(replace(sample, delivery_id="d0", chat_id=harness.other_chat_id)))
    await harness.arrived(1)
    assert isinstance(await harness.channel.send(sample), Sent)
    assert not slow.done()
    assert isinstance(await slow, harness.doubt)


async def test_start_and_stop_may_be_repeated(harness: Harness, intake: Intake, sample: OutboundMessage) -> None:
    await harness.channel.stop()
    for _ in range(2):
        await harness.start(intake)
        await harness.start(intake)
        assert harness.channel.state().connected
        assert await harness.deliver("hello")
        assert isinstance(await harness.channel.send(sample), Sent)
        await harness.channel.stop()
        await harness.channel.stop()
        assert not harness.channel.state().connected
    assert intake.texts == ["hello", "hello"]


async def test_stop_ends_what_is_under_way(harness: Harness, intake: Intake, sample: OutboundMessage) -> None:
    """R7: at any moment, without an exception and without waiting for the platform."""
    await harness.start(intake)
    harness.script(Fault.HANG)
    sending = asyncio.create_task(harness.channel.send(sample))
    await harness.arrived(1)
    await harness.channel.stop()
    assert isinstance(await sending, harness.doubt)
    assert isinstance(await harness.channel.send(sample), Retryable)


async def test_a_stopped_channel_acknowledges_nothing(harness: Harness, intake: Intake) -> None:
    """R1"""
    await harness.start(intake)
    await harness.channel.stop()
    assert not await harness.deliver("lost?")
    assert intake.texts == []


async def test_an_event_is_acknowledged_after_it_was_accepted(harness: Harness, intake: Intake) -> None:
    """R1: store, then acknowledge."""
    await harness.start(intake)
    intake.gate = asyncio.Event()
    delivering = asyncio.create_task(harness.deliver("hello"))
    await asyncio.sleep(0)
    assert not delivering.done()
    intake.gate.set()
    assert await delivering
    assert intake.texts == ["hello"]


async def test_an_event_that_was_not_accepted_is_not_acknowledged(harness: Harness, intake: Intake) -> None:
    """R1: the platform will bring it again."""
    await harness.start(intake)
    intake.fault = OSError("the disk is full")
    try:
        acknowledged = await harness.deliver("hello")
    except OSError:
        acknowledged = False
    assert not acknowledged
    intake.fault = None
    assert await harness.deliver("hello")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\x00\xff", b"[" * 100_000, b'{"chat": {"id": null}}', b"{}"])
async def test_strangers_reach_nobody(harness: Harness, intake: Intake, body: bytes) -> None:
    """X4, R4: whoever cannot prove who they are is refused before the body is looked at; the next event goes."""
    await harness.start(intake)
    assert not await harness.deliver_raw(body, authentic=False)
    assert not await harness.deliver("let me in", authentic=False)
    assert not await harness.deliver_raw(body, authentic=True)
    assert intake.texts == []
    assert await harness.deliver("hello")
