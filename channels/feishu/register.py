"""Making an app by scanning a code: the platform's device flow, with everything the bot needs already chosen.

Form posts to `{accounts}/oauth/v1/app/registration`: init, begin, and poll until somebody has confirmed. The page that
the code leads to takes the name, and the permissions, events and callbacks as base64url of gzipped JSON.
Source: lark_oapi/scene/registration.
"""

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import aiohttp

from channels.clock import Clock
from channels.errors import ChannelError
from channels.feishu.faults import Later
from channels.feishu.http import opened
from channels.feishu.raw import text, within
from channels.feishu.scopes import addons

PATH: Final = "/oauth/v1/app/registration"
ACCOUNTS: Final = {"feishu": "https://accounts.feishu.cn", "lark": "https://accounts.larksuite.com"}
SLOWER: Final = 5.0
"""Seconds that are added to the interval when the platform asks for patience."""

_MOST: Final = 65536


class NotRegistered(ChannelError):
    """No app was made; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Begun:
    """`url` is to be opened or scanned within `lifetime` seconds."""

    url: str
    device_code: str = field(repr=False)
    interval: float
    lifetime: float


@dataclass(frozen=True, kw_only=True)
class Registered:
    """The app that was made; `owner` is the open_id of whoever scanned the code, "" if it was not told."""

    app_id: str
    app_secret: str = field(repr=False)
    domain: str
    owner: str = ""


class Registration:
    """One attempt. `domain` is feishu, lark, or the address of a private deployment."""

    def __init__(self, session: aiohttp.ClientSession, domain: str, clock: Clock) -> None:
        self._session = session
        self._domain = domain
        self._clock = clock

    async def begin(self, name: str, description: str) -> Begun:
        """Ask for a code; name and description of the app are suggestions. Raises NotRegistered."""
        methods = (await self._post(action="init")).get("supported_auth_methods")
        if not isinstance(methods, list) or "client_secret" not in methods:
            raise NotRegistered("the platform does not make apps this way")
        told = await self._post(
            action="begin", archetype="PersonalAgent", auth_method="client_secret", request_user_info="open_id"
        )
        url, code = text(told.get("verification_uri_complete")), text(told.get("device_code"))
        if not url or not code:
            raise NotRegistered("the platform gave no code")
        return Begun(
            url=with_choices(url, name, description),
            device_code=code,
            interval=_number(told.get("interval"), 5.0),
            lifetime=_number(told.get("expires_in"), 600.0),
        )

    async def wait(self, begun: Begun) -> Registered:
        """Until somebody has confirmed. Raises NotRegistered when it was refused or took too long."""
        interval, until = begun.interval, self._clock.monotonic() + begun.lifetime
        while self._clock.monotonic() < until:
            told = await self._post(action="poll", device_code=begun.device_code)
            if told.get("client_id") and told.get("client_secret"):
                return self._registered(told)
            if self._belongs_to_lark(told):
                self._domain = "lark"
                continue
            interval += _patience(text(told.get("error")))
            await self._clock.sleep(interval)
        raise NotRegistered("nobody confirmed in time")

    def _registered(self, told: Mapping[str, Any]) -> Registered:
        return Registered(
            app_id=text(told.get("client_id")),
            app_secret=text(told.get("client_secret")),
            domain=self._domain,
            owner=text(within(told, "user_info").get("open_id")),
        )

    def _belongs_to_lark(self, told: Mapping[str, Any]) -> bool:
        """Whoever scanned the code is at home at the other brand: the same code goes on there."""
        return self._domain == "feishu" and within(told, "user_info").get("tenant_brand") == "lark"

    async def _post(self, **form: str) -> Mapping[str, Any]:
        """The answer's JSON, whatever its status: errors are answers, too."""
        url = f"{ACCOUNTS.get(self._domain, self._domain).rstrip('/')}{PATH}"
        try:
            async with opened(self._session, "POST", url, payload=lambda: aiohttp.FormData(form)) as response:
                value = json.loads(await response.content.read(_MOST))
        except Later as fault:
            raise NotRegistered(fault.reason) from fault
        return value if isinstance(value, Mapping) else {}


def with_choices(url: str, name: str, description: str) -> str:
    """The page's address with everything chosen that the bot needs."""
    parts = urlsplit(url)
    packed = gzip.compress(json.dumps(addons(), separators=(",", ":")).encode(), mtime=0)
    chosen = {
        "from": "sdk",
        "tp": "sdk",
        "source": "teambridge",
        "name": name,
        "desc": description,
        "addons": base64.urlsafe_b64encode(packed).decode().rstrip("="),
    }
    query = dict(parse_qsl(parts.query)) | {key: value for key, value in chosen.items() if value}
    return urlunsplit(parts._replace(query=urlencode(query)))


def _patience(error: str) -> float:
    """Seconds to add. Raises NotRegistered for what is final."""
    if error == "slow_down":
        return SLOWER
    if error == "authorization_pending":
        return 0.0
    words = {"access_denied": "it was refused", "expired_token": "the code has expired"}
    raise NotRegistered(words.get(error, f"the platform answered {error or 'nothing usable'}"))


def _number(value: object, usual: float) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else usual
