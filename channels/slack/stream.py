"""Live text: Slack's native streams, where every reader sees them grow.

That is in private threads. In channels only one reader would, and a private chat's bare top has no thread that a stream
must be in: there one message comes when it is finished.
"""

from typing import Final

import structlog

from channels.clock import Clock
from channels.errors import LiveLost
from channels.slack.api import Api
from channels.slack.endings import Endings
from channels.slack.faults import Doubt, Refusal, SlackFault
from channels.slack.growing import Growing
from channels.slack.me import Me
from channels.slack.recent import Recent
from channels.slack.render import may_be_persona
from channels.types import LivePost, OutboundMessage, Outcome, Retryable

log = structlog.get_logger(__name__)

_NEVER: Final = frozenset(
    {"channel_type_not_supported", "unknown_method", "missing_scope", "not_agent_app", "method_not_supported"}
)
"""Refusals after which this process streams no more."""

_KEPT: Final = 1000


class Stream:
    """The live posts of one app."""

    def __init__(self, api: Api, endings: Endings, clock: Clock) -> None:
        self._api = api
        self._endings = endings
        self._clock = clock
        self._growing: dict[str, Growing] = {}
        self._never_begun: Recent[str, bool] = Recent(_KEPT)
        self._works = True

    def streams(self, post: LivePost) -> bool:
        """In private threads, while Slack lets us begin."""
        is_fit = self._works and post.chat_type == "private" and bool(post.thread)
        return is_fit and self._api.budget.wait("chat.startStream", post.chat_id) == 0

    async def open(self, post: LivePost, text: str, me: Me) -> str:
        """Begin the message; its `ts`. Raises LiveLost."""
        one = Growing(post, self._api, self._clock, is_persona=me.has_personas and may_be_persona(post))
        try:
            handle = await one.begin(text)
        except SlackFault as fault:
            raise self._not_begun(post, fault) from fault
        self._growing[post.id] = one
        return handle

    async def grow(self, post: LivePost, text: str) -> None:
        """Returns at once; raises LiveLost."""
        one = self._growing.get(post.id)
        if one is None:
            raise LiveLost("the message is not open")
        one.grow(text)

    async def finish(self, post: LivePost, message: OutboundMessage, me: Me) -> Outcome:
        """Make it say exactly this."""
        one = await self._ended(post)
        outcome = await self._endings.finish(post, one, message, me, begun=post.id not in self._never_begun)
        return self._settled(post, outcome)

    async def abandon(self, post: LivePost, me: Me) -> Outcome:
        """Take it back."""
        one = await self._ended(post)
        return self._settled(post, await self._endings.abandon(post, one, me, begun=post.id not in self._never_begun))

    async def close(self) -> None:
        """The posts stay as they are; the next start closes them."""
        for one in self._growing.values():
            await one.end()
        self._growing.clear()

    async def _ended(self, post: LivePost) -> Growing | None:
        one = self._growing.get(post.id)
        if one is not None:
            await one.end()
        return one

    def _settled(self, post: LivePost, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Retryable):
            self._growing.pop(post.id, None)
        return outcome

    def _not_begun(self, post: LivePost, fault: SlackFault) -> LiveLost:
        """After a doubt the message may stand there all the same, without anybody knowing its `ts`."""
        if not isinstance(fault, Doubt):
            self._never_begun.put(post.id, True)
        if isinstance(fault, Refusal) and fault.code in _NEVER:
            self._works = False
            log.warning("Slack streams no text for this app", reason=str(fault))
        return LiveLost(f"the live message could not begin ({fault})")
