"""What must arrive: one message posted, in the first shape that Slack takes, and never twice."""

import json
from dataclasses import replace
from typing import Final

import structlog

from channels.clock import Clock
from channels.outfile import bytes_of
from channels.slack.api import Api
from channels.slack.cards import Cards
from channels.slack.faults import Doubt, Refusal, SlackFault, Unsent, outcome_of, outcome_of_edit
from channels.slack.forms import Form, next_form
from channels.slack.limits import LIMITS, MOST_FILE_BYTES
from channels.slack.lookup import Lookup
from channels.slack.me import Me
from channels.slack.recent import Recent
from channels.slack.render import Document, attachment, content, document, has_card, may_be_persona, metadata, payload
from channels.types import OutboundMessage, Outcome, Rejected, Retryable, Sent
from channels.units import measure

log = structlog.get_logger(__name__)

LONGEST_WAIT: Final = 10.0
"""Seconds that an attempt waits for its channel's budget; beyond them it is made later."""

_ROUNDING: Final = 0.01
"""Seconds: a wait that ends a rounding error too soon would only be another one."""

_MOST_TRIES: Final = 10
_KEPT: Final = 1000
_ABSENT: Final = ("not_in_channel", "channel_not_found")


class Finals:
    """Posts. One at a time in a chat (the caller's promise), many chats at once."""

    def __init__(self, api: Api, lookup: Lookup, cards: Cards, clock: Clock) -> None:
        self._api = api
        self._lookup = lookup
        self._cards = cards
        self._clock = clock
        self._unsent: Recent[str, bool] = Recent(_KEPT)
        self._back: Recent[str, str] = Recent(_KEPT)
        self._has_cards = True

    def answer_through(self, message_id: str, response_url: str) -> None:
        """A command that came from a channel the app may not be in can be answered there."""
        self._back.put(message_id, response_url)

    async def send(self, message: OutboundMessage, me: Me) -> Outcome:
        """Never raises. What may have been delivered before is looked for first."""
        outcome = await self._found_before(message, me) or await self._post(message, me)
        if isinstance(outcome, Sent):
            await self._cards.mark(message, me)
        return outcome

    async def found_before(self, message: OutboundMessage, me: Me) -> Outcome | None:
        """The same look-up for whoever delivers in another way; the card of the job is marked as well."""
        outcome = await self._found_before(message, me)
        if isinstance(outcome, Sent):
            await self._cards.mark(message, me)
        return outcome

    async def delivered(self, message: OutboundMessage, me: Me) -> None:
        """The message stands in the chat, delivered in another way."""
        await self._cards.mark(message, me)

    async def edit(self, message: OutboundMessage, ts: str) -> None:
        """Make a message of ours say this, as the app itself; where that is refused it stays as it is. Never raises."""
        if await self._turn(message) is not None:
            return
        told = {**content(message, Form()), "metadata": metadata(message)}
        try:
            await self._api.call("chat.update", message.chat_id, ts=ts, **told)
        except SlackFault as fault:
            log.info("A message was not changed", chat=message.chat_id, reason=str(fault))

    async def _found_before(self, message: OutboundMessage, me: Me) -> Outcome | None:
        """None if it surely was not delivered. Without the right to look, it is sent (again)."""
        if (message.attempt <= 1 and not message.again) or message.delivery_id in self._unsent:
            return None
        try:
            ts = await self._lookup.delivery(message, me)
        except Refusal as refusal:
            log.warning("Slack does not let us look for a message", delivery=message.delivery_id, reason=str(refusal))
            return None
        except SlackFault as fault:
            return outcome_of_edit(fault)
        return Sent(platform_id=ts) if ts else None

    async def _post(self, message: OutboundMessage, me: Me) -> Outcome:
        """Through the forms, until one is taken."""
        if not message.text.strip():
            return Sent()
        form: Form | None = self._first_form(message, me)
        refused: Refusal | None = None
        for _ in range(_MOST_TRIES):
            if form is None:
                break
            if later := await self._turn(message):
                return later
            try:
                return await self._attempt(message, form)
            except Refusal as refusal:
                refused, form = refusal, self._after(message, form, refusal)
            except SlackFault as fault:
                return self._judge(message, fault)
        return await self._refused(message, refused)

    def _first_form(self, message: OutboundMessage, me: Me) -> Form:
        is_long = LIMITS.whole_above is not None and measure(message.text, LIMITS.unit) > LIMITS.whole_above
        return Form(
            style="upload" if message.file else "file" if is_long else "rich",
            extras=self._has_cards or message.kind != "notice" or message.job_id is None,
            persona=me.has_personas and may_be_persona(message),
        )

    def _after(self, message: OutboundMessage, form: Form, refusal: Refusal) -> Form | None:
        following = next_form(form, refusal.code)
        if following is not None:
            log.info("Slack refused a message's form", chat=message.chat_id, form=form.style, reason=str(refusal))
        return following

    async def _attempt(self, message: OutboundMessage, form: Form) -> Outcome:
        if form.style == "upload":
            return await self._hand_out(message, form)
        if form.style == "file":
            return await self._send_file(message, form, document(message))
        answer = await self._api.call("chat.postMessage", message.chat_id, **_without_channel(payload(message, form)))
        ts = str(answer.get("ts", ""))
        if message.job_id is not None and has_card(message, form):
            self._cards.keep(message.job_id, ts)
        elif message.kind == "notice" and message.job_id is not None and not form.extras and form.style == "rich":
            self._has_cards = False
        return Sent(platform_id=ts)

    async def _hand_out(self, message: OutboundMessage, form: Form) -> Outcome:
        """A file; what cannot be sent is told in words."""
        file = message.file
        content = await bytes_of(file, MOST_FILE_BYTES) if file else None
        if file is None or content is None:
            return await self._attempt(message, replace(form, style="rich"))
        return await self._send_file(message, form, attachment(message, file.name, content))

    async def _send_file(self, message: OutboundMessage, form: Form, paper: Document) -> Outcome:
        """An address, the bytes, and then the post: only the last step can be seen by anybody."""
        place = await self._api.call("files.getUploadURLExternal", filename=paper.name, length=len(paper.content))
        await self._harmlessly(paper.content, str(place["upload_url"]))
        await self._api.call(
            "files.completeUploadExternal",
            message.chat_id,
            channel_id=message.chat_id,
            files=json.dumps([{"id": place["file_id"], "title": paper.title}]),
            initial_comment=paper.comment or None,
            thread_ts=message.thread or None if form.threaded else None,
        )
        return Sent()

    async def _harmlessly(self, content: bytes, url: str) -> None:
        """Bytes that arrive twice are seen by nobody."""
        try:
            await self._api.upload(url, content)
        except Doubt as doubt:
            raise Unsent(str(doubt)) from None

    async def _refused(self, message: OutboundMessage, refusal: Refusal | None) -> Outcome:
        if refusal is None:
            return Rejected(reason="Slack refused the message in every form")
        if refusal.code in _ABSENT and (url := self._back.get(message.reply_to or "")):
            return await self._answer_back(message, url)
        return self._judge(message, refusal)

    async def _answer_back(self, message: OutboundMessage, url: str) -> Outcome:
        try:
            await self._api.post_back(url, {"response_type": "ephemeral", "text": message.display_text})
        except SlackFault as fault:
            return self._judge(message, fault)
        return Sent()

    def _judge(self, message: OutboundMessage, fault: SlackFault) -> Outcome:
        """What surely was not delivered need not be looked for at the next attempt."""
        outcome = outcome_of(fault)
        if isinstance(outcome, Retryable):
            self._unsent.put(message.delivery_id, True)
        else:
            self._unsent.drop(message.delivery_id)
        return outcome

    async def _turn(self, message: OutboundMessage) -> Retryable | None:
        """Wait until the channel may be posted to; None when it may."""
        seconds = self._api.budget.wait("chat.postMessage", message.chat_id)
        if seconds > LONGEST_WAIT:
            self._unsent.put(message.delivery_id, True)
            return Retryable(reason="Slack's limits for this channel are used up", retry_after=seconds)
        while seconds > 0:
            await self._clock.sleep(seconds + _ROUNDING)
            seconds = self._api.budget.wait("chat.postMessage", message.chat_id)
        return None


def _without_channel(told: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in told.items() if key != "channel"}
