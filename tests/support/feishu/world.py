"""Everything around the program when it speaks Feishu: the model server and the platform."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from aiohttp import ClientSession, ClientTimeout

from tests.support.api import Api
from tests.support.feishu.people import Person
from tests.support.feishu.server import APP_ID, APP_SECRET, FeishuServer
from tests.support.model_server import ModelServer
from tests.support.program import Launcher, Program, free_port
from tests.support.settings import settings


@dataclass(frozen=True, kw_only=True)
class FeishuWorld:
    """One running program and its counterparts."""

    model: ModelServer
    feishu: FeishuServer
    program: Program
    api: Api
    config: dict[str, Any]

    def person(self, **more: Any) -> Person:
        """Somebody in a private chat of their own."""
        return Person(self.feishu, **more)

    def group(self, mode: Literal["group", "topic"] = "group", **more: Any) -> Person:
        """Somebody in a group."""
        room = self.feishu.state.room(f"oc_{uuid4().hex[:12]}", mode, name="项目群")
        return Person(self.feishu, room=room, **more)

    async def deliveries(self, state: str) -> list[Any]:
        return list((await self.api.ok("/api/deliveries", state=state))["items"])


def feishu(agent: str = "studio", *, domain: str, **more: Any) -> dict[str, Any]:
    """An open channel to a team, groups included when they mention the bot."""
    base: dict[str, Any] = {"id": "fs", "platform": "feishu", "agent": agent, "access": "open", "allow_chats": ["*"]}
    return base | {"app_id": APP_ID, "app_secret": APP_SECRET, "domain": domain} | more


@asynccontextmanager
async def feishu_world(
    folder: Path,
    *,
    launcher: Launcher | None = None,
    start: bool = True,
    change: Callable[[dict[str, Any]], None] = lambda _: None,
    **channel: Any,
) -> AsyncIterator[FeishuWorld]:
    """A program in `folder` with one Feishu channel; `channel` are keys of it, `change` alters the whole file."""
    async with ModelServer() as model, FeishuServer() as server, ClientSession(timeout=ClientTimeout(total=60)) as http:
        channels = [feishu(domain=server.base_url, **channel)]
        config = settings(model_url=model.base_url, port=free_port(), channels=channels)
        change(config)
        program = Program(folder, config, launcher)
        try:
            if start:
                await program.start()
            yield FeishuWorld(model=model, feishu=server, program=program, api=Api(http, program.url), config=config)
        finally:
            await program.kill()
