"""When a method may be called: Slack counts each method by itself, and posts also by channel.

docs.slack.dev, "Rate limits": tier 2 is 20 calls a minute and more, tier 3 50, tier 4 100; chat.postMessage about one a
second in a channel (short bursts are fine) and several hundred a minute in a workspace. A little less is used of each.
"""

from collections.abc import Callable
from typing import Final

from channels.pace import Budget as Span
from channels.pace import Pace

_MINUTE: Final = 60.0
_TIERS: Final[dict[int, Span]] = {
    2: Span(calls=18, seconds=_MINUTE),
    3: Span(calls=45, seconds=_MINUTE),
    4: Span(calls=90, seconds=_MINUTE),
}
_TIER: Final = {
    "chat.startStream": 2,
    "chat.stopStream": 2,
    "chat.appendStream": 4,
    "files.getUploadURLExternal": 4,
    "files.completeUploadExternal": 4,
    "users.info": 4,
    "views.publish": 4,
    "assistant.threads.setSuggestedPrompts": 4,
}
"""Of methods that are not of tier 3."""

_SPECIAL: Final[dict[str, Span]] = {
    "chat.postMessage": Span(calls=240, seconds=_MINUTE),
    "assistant.threads.setStatus": Span(calls=300, seconds=_MINUTE),
    "auth.test": Span(calls=100, seconds=_MINUTE),
}
_IN_A_CHANNEL: Final[dict[str, Span]] = {
    "chat.postMessage": Span(calls=10, seconds=10.0),
    "assistant.threads.setStatus": Span(calls=6, seconds=6.0),
}


class Budget:
    """Asks how long to wait and counts what goes out. A pause is a method's, or a channel's where Slack counts so."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._paces: dict[str, Pace] = {}

    def wait(self, method: str, channel: str = "", *, spare: int = 0) -> float:
        """Seconds until the method may be called there; `spare` calls are left for what matters more."""
        return self._of(method).wait(channel, self._monotonic(), spare=spare)

    def take(self, method: str, channel: str = "") -> None:
        """The method is called there now."""
        self._of(method).take(channel, self._monotonic())

    def silence(self, method: str, channel: str, seconds: float) -> None:
        """Slack asked for a pause: of this channel where it counts by channel, else of the method."""
        chat = channel if method in _IN_A_CHANNEL else None
        self._of(method).silence(seconds, self._monotonic(), chat=chat)

    def _of(self, method: str) -> Pace:
        if method not in self._paces:
            whole = _SPECIAL.get(method) or _TIERS[_TIER.get(method, 3)]
            own = _IN_A_CHANNEL.get(method)
            self._paces[method] = Pace(bot=(whole,), chat=(own,) if own else ())
        return self._paces[method]
