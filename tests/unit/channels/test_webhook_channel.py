"""How the webhook platform answers requests."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from channels.base import Channel, KeepsMessages, Receipt, ServesHook
from channels.errors import Conflict, NotJson, NotRunning, PairingRequired, RateLimited, Unprocessable, Unverified
from channels.types import HookRequest, InboundEvent, OutboundMessage, Sent
from channels.webhook.channel import WebhookChannel
from channels.webhook.settings import WebhookSettings
from channels.webhook.signature import read_secret, sign
from tests.unit.channels.samples import MESSAGE, message

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUESTION = {"chat": {"id": "c1"}, "sender": {"id": "u1"}, "text": "hi"}
RECEIPT = Receipt(session_id="s1", input_id="i1")


class Intake:
    """Accepts everything with one receipt, or fails."""

    def __init__(self, receipt: Receipt = RECEIPT, fault: Exception | None = None) -> None:
        self.receipt = receipt
        self.fault = fault
        self.events: list[InboundEvent] = []

    async def __call__(self, event: InboundEvent) -> Receipt:
        self.events.append(event)
        if self.fault is not None:
            raise self.fault
        return self.receipt


class Round:
    """The end of a round: its messages at once, or never."""

    def __init__(self, messages: Sequence[OutboundMessage] | None) -> None:
        self.messages = messages
        self.waited: list[float] = []

    async def __call__(self, seconds: float) -> tuple[OutboundMessage, ...] | None:
        self.waited.append(seconds)
        return None if self.messages is None else tuple(self.messages)


def request(content: Any = QUESTION, *, message_id: str = "msg_1", **headers: str) -> HookRequest:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return HookRequest(headers=sign(read_secret(SECRET), message_id, NOW, body) | headers, body=body)


def make_channel(callback_url: str = "") -> WebhookChannel:
    settings = WebhookSettings(id="hook", secret=SECRET, callback_url=callback_url)
    return WebhookChannel(settings, now=lambda: NOW)


async def started(intake: Intake) -> WebhookChannel:
    channel = make_channel()
    await channel.start(intake)
    return channel


def test_it_keeps_the_interfaces() -> None:
    channel: Channel = make_channel()
    assert isinstance(channel, ServesHook)
    assert isinstance(channel, KeepsMessages)
    assert channel.answers_inline
    assert channel.limits.text is None


async def test_an_accepted_event_is_answered_with_its_ids() -> None:
    intake = Intake()
    response = await (await started(intake)).hook(request())
    assert (response.status, response.body) == (202, {"session_id": "s1", "input_id": "i1", "duplicate": False})
    assert [(event.event_key, event.text) for event in intake.events] == [("msg_1", "hi")]


@pytest.mark.parametrize(
    ("receipt", "body"),
    [
        (Receipt(session_id="s1", input_id="i1", duplicate=True), {"duplicate": True}),
        (Receipt(session_id="s1", command="stop"), {"input_id": None, "command": "stop"}),
        (Receipt(ignored="not_mentioned"), {"session_id": None, "input_id": None, "ignored": "not_mentioned"}),
    ],
)
async def test_duplicates_commands_and_ignored_events_say_so(receipt: Receipt, body: dict[str, object]) -> None:
    response = await (await started(Intake(receipt))).hook(request())
    assert response.status == 202
    assert {key: response.body[key] for key in body} == body


async def test_whoever_waits_gets_the_messages() -> None:
    round_over = Round([MESSAGE, message(delivery_id="d2", seq=13)])
    channel = await started(Intake(Receipt(session_id="s1", input_id="i1", messages=round_over)))
    response = await channel.hook(request(prefer="wait=30"))
    assert response.status == 200
    assert response.body == {"messages": [channel.payload(one) for one in round_over.messages or ()]}
    assert round_over.waited == [30]


async def test_a_round_without_messages_is_over_all_the_same() -> None:
    channel = await started(Intake(Receipt(session_id="s1", input_id="i1", messages=Round([]))))
    response = await channel.hook(request(prefer="wait=30"))
    assert (response.status, response.body) == (200, {"messages": []})


async def test_when_the_time_is_up_the_ids_are_the_answer() -> None:
    unending = Round(None)
    channel = await started(Intake(Receipt(session_id="s1", input_id="i1", messages=unending)))
    response = await channel.hook(request(prefer="wait=500"))
    assert (response.status, response.body["input_id"]) == (202, "i1")
    assert unending.waited == [120]


async def test_nobody_waits_unasked() -> None:
    round_over = Round([MESSAGE])
    channel = await started(Intake(Receipt(session_id="s1", input_id="i1", messages=round_over)))
    for headers in ({}, {"prefer": "wait=soon"}, {"prefer": "respond-async"}):
        assert (await channel.hook(request(**headers))).status == 202
    assert round_over.waited == []


async def test_the_signature_is_checked_before_the_body_is_read() -> None:
    """X4: rubbish with a wrong signature is unverified, not malformed."""
    intake = Intake()
    channel = await started(intake)
    for body in (b"{", b'{"chat": 1}', json.dumps(QUESTION).encode()):
        with pytest.raises(Unverified):
            await channel.hook(HookRequest(headers={**request().headers, "webhook-id": "other"}, body=body))
    assert intake.events == []


@pytest.mark.parametrize(("content", "error"), [(b"{", NotJson), ({"chat": {}}, Unprocessable)])
async def test_malformed_bodies_reach_nobody(content: Any, error: type[Exception]) -> None:
    intake = Intake()
    channel = await started(intake)
    with pytest.raises(error):
        await channel.hook(request(content))
    assert intake.events == []


@pytest.mark.parametrize(
    "fault", [PairingRequired("ABCD2345"), RateLimited(3), Conflict("other"), OSError("disk full")]
)
async def test_what_intake_refuses_is_not_acknowledged(fault: Exception) -> None:
    """R1: store, then acknowledge."""
    channel = await started(Intake(fault=fault))
    with pytest.raises(type(fault)) as caught:
        await channel.hook(request())
    assert caught.value is fault


async def test_a_channel_that_does_not_run_acknowledges_nothing() -> None:
    channel = make_channel()
    with pytest.raises(NotRunning):
        await channel.hook(request())
    await channel.start(Intake())
    assert channel.state().connected
    await channel.stop()
    assert not channel.state().connected
    with pytest.raises(NotRunning):
        await channel.hook(request())


async def test_without_a_callback_messages_wait_to_be_fetched() -> None:
    """Contract 4: `GET /hooks/{channel_id}/messages`, signed with an empty body."""
    channel = await started(Intake())
    assert await channel.send(MESSAGE) == Sent()
    channel.verify(request(b""))
    with pytest.raises(Unverified):
        channel.verify(HookRequest(headers={}, body=b""))


def test_nothing_shows_the_secret() -> None:
    """X5"""
    channel = make_channel("https://example.com/in?token=hunter2")
    shown = f"{channel!r} {channel}"
    assert SECRET.removeprefix("whsec_") not in shown
    assert "hunter2" not in shown
