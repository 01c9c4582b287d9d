"""Where the long connection is to be opened, and what the platform says when it will not open one.

LinkFault
├── Unlinked     try again soon
└── Misplaced    only the owner can help (a wrong secret, the other brand): try again, but rarely
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import aiohttp

from channels.feishu.faults import Later
from channels.feishu.http import ask
from channels.feishu.settings import FeishuSettings

PATH: Final = "/callback/ws/endpoint"

BUSY: Final = frozenset({1, 1000040343})
TOO_MANY: Final = 1000040350
WRONG_BRAND: Final = 1000040351
BAD_SECRET: Final = frozenset({10003, 10014})

CROWDED_PAUSE: Final = 120.0
OWNERS_PAUSE: Final = 300.0
"""Seconds until the next try when there are too many connections, and when only the owner can help."""


class LinkFault(Exception):
    """The connection cannot be opened now; `reason` is a sentence, `pause` the least seconds until the next try."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pause = pause


class Unlinked(LinkFault):
    """Try again soon."""


class Misplaced(LinkFault):
    """Only the owner can help."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, OWNERS_PAUSE)


@dataclass(frozen=True, kw_only=True)
class LinkConfig:
    """The server's parameters, in seconds: between pings, the most before a first reconnect, and between later ones.

    How often to reconnect is not among them: we never give up.
    """

    ping: float = 120.0
    nonce: float = 30.0
    interval: float = 120.0

    def changed(self, told: object) -> "LinkConfig":
        """With the parameters of an answer or a pong; what is missing or absurd stays as it is."""
        if not isinstance(told, Mapping):
            return self
        return replace(
            self,
            ping=_seconds(told.get("PingInterval"), 1, 600, self.ping),
            nonce=_seconds(told.get("ReconnectNonce"), 0, 120, self.nonce),
            interval=_seconds(told.get("ReconnectInterval"), 0, 600, self.interval),
        )


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """`url` carries keys and is never logged."""

    url: str
    service: int
    config: LinkConfig


async def find_endpoint(session: aiohttp.ClientSession, settings: FeishuSettings, known: LinkConfig) -> Endpoint:
    """Ask the platform. No token is needed. Raises LinkFault."""
    asked = {"AppID": settings.app_id, "AppSecret": settings.app_secret}
    try:
        answer = await ask(session, "POST", f"{settings.base_url}{PATH}", payload=asked, headers={"locale": "zh"})
    except Later as fault:
        raise Unlinked(fault.reason) from fault
    if answer.code != 0 or answer.status != 200:
        raise refusal_of(answer.status, answer.code, answer.message, settings)
    return _read(answer.body.get("data"), settings, known)


def refusal_of(status: int, code: int, message: str, settings: FeishuSettings) -> LinkFault:
    """What the platform means by a code, as a sentence that says what to do."""
    if code == WRONG_BRAND:
        return Misplaced(
            f'the app does not belong to {settings.domain} (1000040351): set domain = "{settings.other_brand}"'
        )
    if code in BAD_SECRET:
        return Misplaced(f"the platform refuses app_id and app_secret ({code}): copy them again from the console")
    if code == TOO_MANY:
        return Unlinked("the app has too many long connections (1000040350): stop other programs", CROWDED_PAUSE)
    if status != 200 or code in BUSY or code < 0:
        return Unlinked(f"the platform gives no connection now (HTTP {status}, code {code})")
    return Misplaced(f"the platform gives no connection (code {code}: {message})"[:300])


def handshake_fault(error: aiohttp.WSServerHandshakeError) -> LinkFault:
    """The refusal of an upgrade, told in headers of its answer."""
    headers: Mapping[str, str] = error.headers or {}
    status = headers.get("handshake-status", "") or str(error.status)
    if headers.get("handshake-autherrcode", "") == str(TOO_MANY):
        return Unlinked("the app has too many long connections (1000040350): stop other programs", CROWDED_PAUSE)
    if status == "403":
        said = headers.get("handshake-msg", "")
        return Misplaced(f"the platform forbids the connection (403 {said})"[:200].replace(" )", ")"))
    return Unlinked(f"the platform refused the connection ({status})")


def told_config(payload: bytes) -> Any:
    """The parameters in a pong; None if there are none."""
    try:
        return json.loads(payload) if payload else None
    except (ValueError, RecursionError):
        return None


def _read(data: object, settings: FeishuSettings, known: LinkConfig) -> Endpoint:
    url = data.get("URL") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(url, str):
        raise Unlinked("the platform's answer was unusable")
    parts = urlsplit(url)
    if parts.scheme != "wss" and not (parts.scheme == "ws" and settings.is_local):
        raise Unlinked("the platform named an address that is not secure")
    service = parse_qs(parts.query).get("service_id", [""])[0]
    return Endpoint(
        url=url,
        service=int(service) if service.isascii() and service.isdigit() and len(service) < 10 else 0,
        config=known.changed(data.get("ClientConfig")),
    )


def _seconds(told: object, least: float, most: float, known: float) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float):
        return known
    return min(max(float(told), least), most)
