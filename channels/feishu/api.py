"""The platform's API as this channel calls it: with a fresh token, every code looked at, nothing called in vain."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import quote

import aiohttp

from channels.clock import Clock
from channels.feishu.faults import BAD_TOKEN, Exhausted, FeishuFault, Later, Refusal, fault_of
from channels.feishu.http import Answer, Patience, Payload, ask, make_session, opened
from channels.feishu.settings import FeishuSettings
from channels.feishu.tokens import Token, Tokens

BOT_PATH: Final = "/open-apis/bot/v3/info"
TOKEN_PATH: Final = "/open-apis/auth/v3/tenant_access_token/internal"  # noqa: S105 - an address


class Api:
    """One app. Make it where a loop runs; close it."""

    def __init__(self, settings: FeishuSettings, clock: Clock, patience: Patience) -> None:
        self._settings = settings
        self._clock = clock
        self._tokens = Tokens(self._fetch_token, clock)
        self._patience = patience
        self._exhausted_until = float("-inf")
        self.session = make_session(patience, is_local=settings.is_local)

    @property
    def is_exhausted(self) -> bool:
        """Whether the month's calls are used up, as far as we know: then nothing is called for a while."""
        return self._clock.monotonic() < self._exhausted_until

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        payload: Payload = None,
        seconds: float | None = None,
    ) -> Mapping[str, Any]:
        """The whole answer of a successful call. Raises Later, Refusal."""
        self._check_quota()
        for _ in range(2):
            token = await self._tokens.get()
            answer = await self._ask(method, path, token, query, payload, seconds)
            if answer.code == 0:
                return answer.body
            if answer.code not in BAD_TOKEN:
                raise self._fault(answer)
            self._tokens.drop(token)
        raise Later("the platform does not accept the token that it gave", 5.0)

    async def data(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, payload: Payload = None
    ) -> Mapping[str, Any]:
        """The `data` of the answer; an empty object if there is none."""
        data = (await self.call(method, path, query=query, payload=payload)).get("data")
        return data if isinstance(data, Mapping) else {}

    async def upload(self, path: str, form: Callable[[], aiohttp.FormData]) -> Mapping[str, Any]:
        """The `data` of the answer to a file, which may take longer to send. Raises Later, Refusal."""
        data = (await self.call("POST", path, payload=form, seconds=self._patience.file)).get("data")
        return data if isinstance(data, Mapping) else {}

    @asynccontextmanager
    async def download(self, path: str, query: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """A file, not read yet. Raises Later, Refusal."""
        self._check_quota()
        headers = _bearer(await self._tokens.get())
        url = f"{self._settings.base_url}{path}"
        async with opened(self.session, "GET", url, query=query, headers=headers) as response:
            if response.status == 429 or response.status >= 500:
                raise Later(f"the platform answered {response.status} for the file")
            if response.status != 200 or "json" in response.content_type:
                raise Refusal(response.status, "the file cannot be fetched", response.status)
            yield response

    async def close(self) -> None:
        """Cut what is under way; those calls end as Later."""
        await self.session.close()

    async def _ask(
        self,
        method: str,
        path: str,
        token: str,
        query: Mapping[str, str] | None,
        payload: Payload,
        seconds: float | None,
    ) -> Answer:
        url = f"{self._settings.base_url}{path}"
        headers = _bearer(token)
        return await ask(self.session, method, url, query=query, payload=payload, headers=headers, seconds=seconds)

    async def _fetch_token(self) -> Token:
        asked = {"app_id": self._settings.app_id, "app_secret": self._settings.app_secret}
        answer = await ask(self.session, "POST", f"{self._settings.base_url}{TOKEN_PATH}", payload=asked)
        token, lifetime = answer.body.get("tenant_access_token"), answer.body.get("expire")
        if answer.code != 0:
            raise self._fault(answer)
        if not isinstance(token, str) or not token.isprintable() or not isinstance(lifetime, int | float):
            raise Later("the platform's answer was unusable")
        return Token(value=token, lifetime=float(lifetime))

    def _fault(self, answer: Answer) -> FeishuFault:
        fault = fault_of(answer.status, answer.code, answer.message, answer.headers)
        if isinstance(fault, Exhausted):
            self._exhausted_until = self._clock.monotonic() + fault.retry_after
        return fault

    def _check_quota(self) -> None:
        left = self._exhausted_until - self._clock.monotonic()
        if left > 0:
            raise Exhausted("the tenant's monthly quota of API calls is used up (99991403)", left)


def segment(name: str) -> str:
    """An id as one segment of a path, whatever it holds."""
    return quote(name, safe="")


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
