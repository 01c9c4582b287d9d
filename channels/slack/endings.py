"""How a live message ends: completed, replaced by the final words, or taken back. Idempotent as far as Slack allows.

A persona is lost by any edit, so a persona's message is completed, or taken back and posted anew; a message of the app
itself is edited. Everything that stays in doubt is tried again, and what may have arrived is looked for first.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog

from channels.slack.api import Api
from channels.slack.faults import Refusal, SlackFault, outcome_of_edit
from channels.slack.finals import Finals
from channels.slack.forms import Form, Style, is_about_content
from channels.slack.growing import Growing
from channels.slack.lookup import Found, Lookup, payload_of
from channels.slack.me import Me
from channels.slack.pieces import Piece
from channels.slack.render import body, content, may_be_persona, metadata, persona
from channels.types import LivePost, OutboundMessage, Outcome, Retryable, Sent

log = structlog.get_logger(__name__)

_STYLES: Final[tuple[Style, ...]] = ("rich", "fenced", "plain")
_EARLIER: Final = timedelta(minutes=1)


class Endings:
    """Ends live posts of this process (`one`) and of an earlier one (None: they are found in the thread)."""

    def __init__(self, api: Api, finals: Finals, lookup: Lookup) -> None:
        self._api = api
        self._finals = finals
        self._lookup = lookup

    async def finish(
        self, post: LivePost, one: Growing | None, message: OutboundMessage, me: Me, *, begun: bool
    ) -> Outcome:
        """Make it say exactly this. `begun`: a message of this post may exist."""
        if found := await self._finals.found_before(message, me):
            return found
        try:
            if one is not None and (done := await self._completed(one, message)):
                outcome: Outcome = done
            else:
                outcome = await self._replaced(post, one, message, me, begun=begun)
        except SlackFault as fault:
            return outcome_of_edit(fault)
        if isinstance(outcome, Sent):
            await self._finals.delivered(message, me)
        return outcome

    async def abandon(self, post: LivePost, one: Growing | None, me: Me, *, begun: bool) -> Outcome:
        """Take it back; what Slack does not let us delete stays, closed."""
        try:
            pieces = await self._pieces(post, one, me, begun=begun)
            await self._taken_back(pieces, post.chat_id)
        except SlackFault as fault:
            outcome = outcome_of_edit(fault)
            return outcome if isinstance(outcome, Retryable) else Sent()
        return Sent()

    async def _completed(self, one: Growing, message: OutboundMessage) -> Outcome | None:
        """Add what readers have not seen yet; None if what they saw is not the beginning of the final words."""
        shown = one.shown
        final = body(message, is_persona=one.is_persona, gap=shown.gap if shown.head else None)
        seen = shown.head + shown.told
        if shown.doubtful or not final.startswith(seen) or (one.is_persona and not may_be_persona(message)):
            return None
        rest = final[len(seen) :]
        try:
            return await self._close_with(one, rest, message)
        except Refusal as refusal:
            shown.last.is_open = False
            log.info("A live message could not be completed", post=one.post.id, reason=str(refusal))
            return None

    async def _close_with(self, one: Growing, rest: str, message: OutboundMessage) -> Outcome | None:
        last = one.shown.last
        if last.is_open and not last.takes(rest):
            return None
        if last.is_open:
            await one.close(last, markdown_text=rest or None, metadata=metadata(message))
        else:
            await one.start(rest)
            one.shown.told += rest
            await one.close(one.shown.last, metadata=metadata(message))
        return Sent(platform_id=one.shown.last.ts)

    async def _replaced(
        self, post: LivePost, one: Growing | None, message: OutboundMessage, me: Me, *, begun: bool
    ) -> Outcome:
        """The final words in the place of the live ones. Raises SlackFault."""
        pieces = await self._pieces(post, one, me, begun=begun)
        if me.has_personas and may_be_persona(message):
            left = await self._taken_back(pieces, post.chat_id)
        else:
            left = [*pieces[:1], *await self._taken_back(pieces[1:], post.chat_id)]
            await self._closed(left, post.chat_id)
        if left and (outcome := await self._rewritten(left[0], message)):
            return outcome
        outcome = await self._finals.send(message, me)
        if isinstance(outcome, Sent):
            await self._taken_back(left, post.chat_id)
        return outcome

    async def _rewritten(self, piece: Piece, message: OutboundMessage) -> Outcome | None:
        """Edit a message so that the app itself says this; None if Slack does not let us. The name is in the text."""
        for style in _STYLES:
            told = content(message, Form(style=style))
            try:
                await self._api.call("chat.update", message.chat_id, ts=piece.ts, **told, metadata=metadata(message))
            except Refusal as refusal:
                if not is_about_content(refusal.code):
                    return None
            else:
                return Sent(platform_id=piece.ts)
        return None

    async def _pieces(self, post: LivePost, one: Growing | None, me: Me, *, begun: bool) -> list[Piece]:
        if one is not None:
            return list(one.shown.pieces)
        return await self._orphans(post, me) if begun or post.handle else []

    async def _orphans(self, post: LivePost, me: Me) -> list[Piece]:
        """What an earlier process left of the post: its speaker's streamed messages that no delivery has closed."""
        name = persona(post.speaker)["username"] if me.has_personas and may_be_persona(post) else ""
        try:
            return [
                _piece(message)
                async for message in self._lookup.ours(me, post.chat_id, post.thread, post.created_at - _EARLIER)
                if message.get("ts") == post.handle or _is_left_by(message, post, name)
            ]
        except Refusal as refusal:
            log.warning("Slack does not let us look for a live message", post=post.id, reason=str(refusal))
            return [Piece(ts=post.handle)] if post.handle else []

    async def _closed(self, pieces: Sequence[Piece], chat_id: str) -> None:
        """One that is closed already is no harm. Raises Busy, Doubt, Unsent."""
        for piece in pieces:
            if piece.is_open:
                try:
                    await self._api.call("chat.stopStream", chat_id, ts=piece.ts)
                except Refusal as refusal:
                    log.debug("A live message was closed already", ts=piece.ts, reason=str(refusal))
                piece.is_open = False

    async def _taken_back(self, pieces: Sequence[Piece], chat_id: str) -> list[Piece]:
        """Delete them; those that Slack does not let us delete. Raises Busy, Doubt, Unsent."""
        await self._closed(pieces, chat_id)
        left = []
        for piece in pieces:
            try:
                await self._api.call("chat.delete", chat_id, ts=piece.ts)
            except Refusal as refusal:
                if refusal.code != "message_not_found":
                    left.append(piece)
        return left


def _is_left_by(message: Found, post: LivePost, name: str) -> bool:
    """A persona is known by its name; without personas the label in the text is all there is."""
    if "streaming_state" not in message or payload_of(message) or str(message.get("username") or "") != name:
        return False
    label = post.label.strip(" :：")
    return bool(name) or not label or label in str(message.get("text", ""))[: len(label) + 20]


def _piece(message: Found) -> Piece:
    return Piece(ts=str(message["ts"]), is_open=message.get("streaming_state") == "in_progress")
