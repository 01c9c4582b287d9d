"""Slack's request signatures, scheme v0 (docs.slack.dev, "Verifying requests from Slack")."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from channels.errors import Unverified

TOLERANCE: Final = 300
"""Seconds a request's clock may differ from ours."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
    """Raises Unverified. Header names in lower case; the comparison takes the same time wherever the texts differ."""
    timestamp, given = headers.get("x-slack-request-timestamp", ""), headers.get("x-slack-signature", "")
    if not secret or not timestamp or not given:
        raise Unverified("the signature is missing")
    if not _is_fresh(timestamp, now):
        raise Unverified("x-slack-request-timestamp is no fresh unix time")
    if not hmac.compare_digest(sign(secret, timestamp, body).encode(), given.encode("utf-8", "surrogateescape")):
        raise Unverified("x-slack-signature does not match")


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature that Slack puts on a request."""
    return f"v0={hmac.new(secret.encode(), f'v0:{timestamp}:'.encode() + body, hashlib.sha256).hexdigest()}"


def _is_fresh(timestamp: str, now: datetime) -> bool:
    digits = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    return digits and abs(int(now.timestamp()) - int(timestamp)) <= TOLERANCE
