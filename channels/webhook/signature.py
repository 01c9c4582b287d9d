"""Standard Webhooks signatures, both ways (https://www.standardwebhooks.com, symmetric scheme `v1`)."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime

from channels.errors import NotConfigured, Unverified

TOLERANCE = 300
"""Seconds a request's clock may differ from ours."""

_PREFIX = "whsec_"
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_secret(secret: str) -> bytes:
    """The key inside a `whsec_…` text. Raises NotConfigured without repeating the text."""
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except ValueError:
        key = b""
    if not secret.startswith(_PREFIX) or not key:
        raise NotConfigured("secret must be whsec_ and the base64 of a random key (for example of 32 bytes)")
    return key


def sign(key: bytes, message_id: str, now: datetime, body: bytes) -> dict[str, str]:
    """The three headers that let the other side verify `body`."""
    timestamp = str(int(now.timestamp()))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(_digest(key, message_id, timestamp, body)).decode()}",
    }


def verify(key: bytes, headers: Mapping[str, str], body: bytes, now: datetime) -> str:
    """The request's `webhook-id`, once the signature is right and fresh. Header names in lower case.

    Raises Unverified; the comparison takes the same time wherever the signatures differ.
    """
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")
    if not (message_id and timestamp and signatures):
        raise Unverified("a webhook-… header is missing")
    if _SURROGATE.search(message_id):  # how servers hand over header bytes that are no text
        raise Unverified("webhook-id is not UTF-8")
    if not _is_fresh(timestamp, now):
        raise Unverified("webhook-timestamp is no fresh unix time")
    wanted = _digest(key, message_id, timestamp, body)
    if not any(hmac.compare_digest(wanted, given) for given in _v1_signatures(signatures)):
        raise Unverified("webhook-signature does not match")
    return message_id


def _is_fresh(timestamp: str, now: datetime) -> bool:
    digits = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    return digits and abs(int(now.timestamp()) - int(timestamp)) <= TOLERANCE


def _digest(key: bytes, message_id: str, timestamp: str, body: bytes) -> bytes:
    return hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()


def _v1_signatures(header: str) -> list[bytes]:
    """The decoded `v1` signatures; other versions and rubbish count as absent."""
    found = []
    for signature in header.split():
        version, _, encoded = signature.partition(",")
        if version == "v1":
            found.append(_decoded(encoded))
    return found


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        return b""
