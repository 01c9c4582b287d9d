"""Events over HTTP: verified and decrypted before anybody parses them. Pure.

`X-Lark-Signature` is the SHA-256 of timestamp, nonce, encrypt key and the raw body; the body is
`{"encrypt": base64(iv[16] + AES-256-CBC)}` under the SHA-256 of the encrypt key. Only the challenge, with which the
platform checks the address, comes unsigned: whoever can encrypt it has the key.
Source: event-subscription-guide, "encrypt key" and "request URL configuration".
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from channels.errors import NotJson, Unverified
from channels.feishu.raw import text, within
from channels.feishu.receive import read_object
from channels.types import HookRequest

TOLERANCE: Final = 300
"""Seconds a request's clock may differ from ours."""

_BLOCK: Final = 16


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """The platform checks the address: answer with the same words."""

    words: str


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The plain body of a verified event."""

    body: bytes


def open_request(
    request: HookRequest, *, encrypt_key: str, verification_token: str, now: datetime
) -> Challenge | Opened:
    """What a request holds. Raises Unverified for everything that is not surely the platform's and fresh."""
    signed = any(name.startswith("x-lark-signature") for name in request.headers)
    if signed:
        _verify(request, encrypt_key, now)
    body = _decrypt_body(request.body, encrypt_key)
    payload = _object_or_nothing(body)
    if payload.get("type") == "url_verification":
        _check_token(text(payload.get("token")), verification_token)
        return Challenge(words=text(payload.get("challenge")))
    if not signed:
        raise Unverified("the signature is missing")
    _check_token(text(within(payload, "header").get("token")) or text(payload.get("token")), verification_token)
    return Opened(body=body)


def _verify(request: HookRequest, encrypt_key: str, now: datetime) -> None:
    timestamp = request.headers.get("x-lark-request-timestamp", "")
    nonce = request.headers.get("x-lark-request-nonce", "")
    given = request.headers.get("x-lark-signature", "")
    if not _is_fresh(timestamp, now):
        raise Unverified("x-lark-request-timestamp is no fresh unix time")
    wanted = signature(timestamp, nonce, encrypt_key, request.body)
    if not hmac.compare_digest(wanted.encode(), given.encode("utf-8", "surrogateescape")):
        raise Unverified("x-lark-signature does not match")


def signature(timestamp: str, nonce: str, encrypt_key: str, body: bytes) -> str:
    """The hex digest that the platform sends along."""
    prefix = f"{timestamp}{nonce}{encrypt_key}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(prefix + body).hexdigest()


def decrypt(encrypted: str, encrypt_key: str) -> bytes:
    """The plain text of an `encrypt` value. Raises ValueError."""
    data = base64.b64decode(encrypted, validate=True)
    if len(data) < 2 * _BLOCK or len(data) % _BLOCK:
        raise ValueError("the length is wrong")
    key = hashlib.sha256(encrypt_key.encode()).digest()
    decryptor = Cipher(algorithms.AES(key), modes.CBC(data[:_BLOCK])).decryptor()
    padded = decryptor.update(data[_BLOCK:]) + decryptor.finalize()
    fill = padded[-1]
    if not 1 <= fill <= _BLOCK or padded[-fill:] != bytes([fill]) * fill:
        raise ValueError("the padding is wrong")
    return padded[:-fill]


def _decrypt_body(body: bytes, encrypt_key: str) -> bytes:
    """Plain bodies are refused: with a key set, the platform sends none."""
    encrypted = _object_or_nothing(body).get("encrypt")
    if not isinstance(encrypted, str):
        raise Unverified("the body is not encrypted")
    try:
        return decrypt(encrypted, encrypt_key)
    except ValueError:
        raise Unverified("the body cannot be decrypted") from None


def _object_or_nothing(body: bytes) -> Mapping[str, Any]:
    try:
        return read_object(body)
    except NotJson:
        return {}


def _check_token(given: str, wanted: str) -> None:
    if wanted and not hmac.compare_digest(given.encode(), wanted.encode()):
        raise Unverified("the verification token does not match")


def _is_fresh(timestamp: str, now: datetime) -> bool:
    digits = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    return digits and abs(int(now.timestamp()) - int(timestamp)) <= TOLERANCE
