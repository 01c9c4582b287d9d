"""The HTTP API of a running server, as the commands use it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from aiohttp import ClientError, ClientSession, ClientTimeout, ClientWebSocketResponse, WSServerHandshakeError

from bridge.cli.errors import BAD_INPUT, FAILED, CommandError

Json = Mapping[str, Any]
_TIMEOUT: Final = ClientTimeout(total=30, connect=5)


class Refusal(CommandError):
    """The server said no, in its own words; `status` is that of its answer."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence, FAILED if status >= 500 else BAD_INPUT)
        self.status = status


class Remote:
    """Requests to one server in the name of one token. Raises Refusal, and CommandError if nobody answers."""

    def __init__(self, session: ClientSession, url: str) -> None:
        self._session = session
        self._url = url

    async def answers(self) -> bool:
        """Whether anybody is there."""
        try:
            async with self._session.get(f"{self._url}/healthz") as response:
                return response.status == 200
        except (ClientError, TimeoutError, OSError):
            return False

    async def get(self, path: str, **query: str) -> Json:
        return await self._call("GET", path, params=query)

    async def post(self, path: str, body: Json | None = None, **headers: str) -> Json:
        return await self._call("POST", path, json=body, headers=headers)

    async def all_items(self, path: str, **query: str) -> list[Json]:
        """The items of every page of a list."""
        page = await self.get(path, **query)
        items: list[Json] = [*page["items"]]
        while page["next"]:
            page = await self.get(path, **query, cursor=page["next"])
            items += page["items"]
        return items

    @asynccontextmanager
    async def live(self, path: str) -> AsyncIterator[ClientWebSocketResponse]:
        """An open WebSocket."""
        try:
            socket = await self._session.ws_connect(f"{self._url}{path}", heartbeat=30)
        except WSServerHandshakeError as refused:
            raise CommandError(f"{self._url} refused the live connection ({refused.status})", FAILED) from None
        except (ClientError, TimeoutError, OSError):
            raise self._unreachable() from None
        async with socket:
            yield socket

    async def _call(self, method: str, path: str, **options: Any) -> Json:
        try:
            async with self._session.request(method, f"{self._url}{path}", **options) as response:
                said = await response.json(content_type=None)
        except ValueError:
            raise CommandError(f"{self._url} is not a teambridge server", FAILED) from None
        except (ClientError, TimeoutError, OSError):
            raise self._unreachable() from None
        if response.ok:
            return said if isinstance(said, dict) else {}
        raise _refusal(said, response.status)

    def _unreachable(self) -> CommandError:
        return CommandError(f"no server answers at {self._url}", FAILED)


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[Remote]:
    """A client of the server at `url`."""
    headers = {"Accept-Language": "en"} | ({"Authorization": f"Bearer {token}"} if token else {})
    async with ClientSession(headers=headers, timeout=_TIMEOUT) as session:
        yield Remote(session, url.rstrip("/"))


def _refusal(said: object, status: int) -> Refusal:
    match said:
        case {"error": {"message": str(message)}}:
            return Refusal(message, status)
    return Refusal(f"the server answered {status}", status)
