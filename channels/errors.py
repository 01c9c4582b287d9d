"""What can go wrong in a channel, named by what the caller must do.

ChannelError
├── Refused              tell the sender so; nothing was stored but a pending person
│   ├── PairingRequired      the sender must be approved first (`code`)
│   ├── Forbidden            the sender may not speak here
│   ├── RateLimited          the sender may try again after `retry_after` seconds
│   └── Conflict             the same id came before with another body
├── BadRequest           a webhook request that must not be acknowledged
│   ├── Unverified           the signature is missing, wrong or stale (401)
│   ├── NotJson              the body is no JSON object (400)
│   └── Unprocessable        a field is missing or wrong (`path`, 422)
├── FileRefused          asking for this file again is useless
│   └── FileTooLarge         the sender may try a smaller one
├── NotRunning           the channel takes nothing now; the sender may try again (503)
├── LiveLost             the live message cannot grow any more; the final delivery says everything
└── NotConfigured        the owner must change the configuration; retrying is useless
"""


class ChannelError(Exception):
    """Any fault of a channel."""


class Refused(ChannelError):
    """The sender is told so; nothing was stored but a pending person."""


class PairingRequired(Refused):
    """The sender must be approved first."""

    def __init__(self, code: str) -> None:
        super().__init__("pairing required")
        self.code = code


class Forbidden(Refused):
    """The sender may not speak here."""


class RateLimited(Refused):
    """Too many messages; `retry_after` is in seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("rate limited")
        self.retry_after = retry_after


class Conflict(Refused):
    """The same id came before with another body."""


class BadRequest(ChannelError):
    """A webhook request that is not for us to acknowledge."""


class Unverified(BadRequest):
    """The signature is missing, wrong or stale."""


class NotJson(BadRequest):
    """The body is not a JSON object."""


class Unprocessable(BadRequest):
    """A field is missing or wrong; `path` names it (`chat.id`)."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class FileRefused(ChannelError):
    """The platform does not give out this file, now or later."""


class FileTooLarge(FileRefused):
    """The file has more than `limit` bytes: so many were allowed, or so many does the platform give out."""

    def __init__(self, words: str, limit: int) -> None:
        super().__init__(words)
        self.limit = limit


class NotRunning(ChannelError):
    """The channel takes nothing now: it is not started, or stopped. Nothing was stored; the sender may try again."""


class NotConfigured(ChannelError):
    """The owner must change the configuration; the text says what."""


class LiveLost(ChannelError):
    """The live message cannot grow any more; the final delivery will say everything."""
