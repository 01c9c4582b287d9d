"""Everything around the program in a scenario: the model server, the callback receiver, an HTTP client."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout

from tests.support.api import Api
from tests.support.callback import TAKE, Receiver
from tests.support.guest import Guest
from tests.support.model_server import ModelServer
from tests.support.program import Launcher, Program, free_port
from tests.support.settings import settings, webhook


@dataclass(frozen=True, kw_only=True)
class World:
    """One running program and its counterparts."""

    model: ModelServer
    callback: Receiver
    program: Program
    http: ClientSession
    api: Api
    config: dict[str, Any]

    def guest(self, **more: Any) -> Guest:
        """A person in a new chat, unless `chat_id` names one."""
        return Guest(self.http, self.callback, self.program.url, **more)

    def reset(self) -> None:
        """Forget what the last test said and how its counterparts behaved."""
        assert not self.model.faults, self.model.faults
        assert not self.callback.unsigned, self.callback.unsigned
        self.model.forget()
        self.callback.behave = lambda message, times: TAKE

    async def again(self, **changes: Any) -> None:
        """Start the program again on the same folder and port, with other top-level keys if given."""
        if changes:
            self.program.configure(self.config | changes)
        await self.program.start()


Configure = Callable[[ModelServer, Receiver, int], Mapping[str, Any]]


def usual(model: ModelServer, callback: Receiver, port: int, **more: Any) -> dict[str, Any]:
    """The usual configuration: open channels to the team (`hook`, `second`, and `kept`, which has no callback) and to
    one expert (`solo`)."""
    groups = {"groups": "all", "allow_chats": ["*"]}
    channels = [
        webhook("hook", "studio", callback.url("hook"), admins=["boss"], rate_limit=100_000, **groups),
        webhook("second", "studio", callback.url("second")),
        webhook("kept", "studio"),
        webhook("solo", "researcher", callback.url("solo")),
    ]
    return settings(model_url=model.base_url, port=port, **({"channels": channels} | more))


@asynccontextmanager
async def world(
    folder: Path, configure: Configure = usual, *, launcher: Launcher | None = None, start: bool = True
) -> AsyncIterator[World]:
    """A program in `folder` with its counterparts, all ended together."""
    timeout = ClientTimeout(total=60)
    async with ModelServer() as model, Receiver() as callback, ClientSession(timeout=timeout) as http:
        config = dict(configure(model, callback, free_port()))
        program = Program(folder, config, launcher)
        try:
            if start:
                await program.start()
            yield World(
                model=model, callback=callback, program=program, http=http, api=Api(http, program.url), config=config
            )
        finally:
            await program.kill()
