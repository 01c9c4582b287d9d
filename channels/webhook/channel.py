"""The webhook platform: signed requests in, signed requests (or a list to fetch) out."""

from collections.abc import Callable
from datetime import UTC, datetime

import aiohttp

from channels.base import Emit, Receipt
from channels.errors import NotRunning
from channels.types import ChannelState, HookRequest, HookResponse, Limits, OutboundMessage, Outcome, Retryable, Sent
from channels.webhook import prefer, render
from channels.webhook.callback import TIMEOUT, Callback
from channels.webhook.receive import parse
from channels.webhook.settings import WebhookSettings
from channels.webhook.signature import read_secret, sign, verify


def _utc_now() -> datetime:
    return datetime.now(UTC)


class WebhookChannel:
    """Implements Channel, ServesHook and KeepsMessages."""

    limits = Limits()
    answers_inline = True

    def __init__(
        self,
        settings: WebhookSettings,
        *,
        now: Callable[[], datetime] = _utc_now,
        timeout: aiohttp.ClientTimeout = TIMEOUT,
    ) -> None:
        self.id = settings.id
        self._url = settings.callback_url
        self._files_url = settings.files_url
        self._key = read_secret(settings.secret)
        self._now = now
        self._timeout = timeout
        self._emit: Emit | None = None
        self._callback: Callback | None = None

    async def start(self, emit: Emit) -> None:
        """Accept requests from now on. A second start only replaces `emit`."""
        self._emit = emit
        if self._url and self._callback is None:
            self._callback = Callback(self._url, timeout=self._timeout, now=self._now)

    async def stop(self) -> None:
        """Refuse requests and cut calls that are under way. May be called twice."""
        self._emit = None
        callback, self._callback = self._callback, None
        if callback is not None:
            await callback.close()

    def state(self) -> ChannelState:
        """Connected while started: there is no connection to lose, and the callback is never probed."""
        return ChannelState(connected=True) if self._emit else ChannelState(connected=False, reason="not started")

    def verify(self, request: HookRequest) -> None:
        """Raises Unverified."""
        verify(self._key, request.headers, request.body, self._now())

    def payload(self, message: OutboundMessage) -> dict[str, object]:
        """The message as the contract's JSON."""
        return render.payload(message, self._files_url)

    async def hook(self, request: HookRequest) -> HookResponse:
        """Verify, parse, emit, answer. Raises BadRequest, Refused, NotRunning, and store faults as they are."""
        event_key = verify(self._key, request.headers, request.body, self._now())
        event = parse(event_key, request.body)
        if self._emit is None:
            raise NotRunning(f"channel {self.id} is not started")
        receipt = await self._emit(event)
        return await self._answer(receipt, prefer.wait(request.headers.get("prefer", "")))

    async def send(self, message: OutboundMessage) -> Outcome:
        """Post the message, or leave it to be fetched if there is no callback URL. Repeating is harmless: same id."""
        if not self._url:
            return Sent()
        if self._callback is None:
            return Retryable(reason="the channel is stopped")
        body = render.body(message, self._files_url)
        return await self._callback.post(body, sign(self._key, message.delivery_id, self._now(), body))

    async def _answer(self, receipt: Receipt, seconds: float | None) -> HookResponse:
        if seconds is not None and receipt.messages is not None:
            messages = await receipt.messages(seconds)
            if messages is not None:
                return HookResponse(status=200, body={"messages": [self.payload(message) for message in messages]})
        return HookResponse(status=202, body=_accepted(receipt))


def _accepted(receipt: Receipt) -> dict[str, object]:
    told = {"command": receipt.command, "ignored": receipt.ignored}
    return {
        "session_id": receipt.session_id,
        "input_id": receipt.input_id,
        "duplicate": receipt.duplicate,
        **{key: value for key, value in told.items() if value is not None},
    }
