"""Everything around the program when it speaks Telegram: the model server and the Bot API."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout

from tests.support.api import Api
from tests.support.model_server import ModelServer
from tests.support.program import Launcher, Program, free_port
from tests.support.settings import settings
from tests.support.telegram.people import Person
from tests.support.telegram.server import TOKEN, BotApi


@dataclass(frozen=True, kw_only=True)
class TelegramWorld:
    """One running program and its counterparts."""

    model: ModelServer
    telegram: BotApi
    program: Program
    api: Api
    config: dict[str, Any]

    def person(self, **more: Any) -> Person:
        """Somebody in a private chat of their own."""
        return Person(self.telegram, **more)

    def group(self, chat: int = -4511, kind: str = "group", **more: Any) -> Person:
        """Somebody in a group."""
        return Person(self.telegram, room=self.telegram.room(chat, kind, **more))

    async def deliveries(self, state: str) -> list[Any]:
        return list((await self.api.ok("/api/deliveries", state=state))["items"])


def telegram(agent: str = "studio", *, base_url: str, **more: Any) -> dict[str, Any]:
    """An open channel to a team, groups included when they mention the bot."""
    base: dict[str, Any] = {"id": "tg", "platform": "telegram", "agent": agent, "access": "open", "token": TOKEN}
    return base | {"base_url": base_url, "allow_chats": ["*"]} | more


@asynccontextmanager
async def telegram_world(
    folder: Path,
    *,
    launcher: Launcher | None = None,
    start: bool = True,
    flood: bool = True,
    top: Mapping[str, Any] | None = None,
    **channel: Any,
) -> AsyncIterator[TelegramWorld]:
    """A program in `folder` with one Telegram channel; `channel` are keys of it, `top` of the whole file."""
    async with ModelServer() as model, BotApi() as api, ClientSession(timeout=ClientTimeout(total=60)) as http:
        api.flood.is_on = flood
        port = free_port()
        config = settings(model_url=model.base_url, port=port, channels=[telegram(base_url=api.base_url, **channel)])
        config |= top or {}
        config["server"]["public_url"] = f"http://127.0.0.1:{port}"
        program = Program(folder, config, launcher)
        try:
            if start:
                await program.start()
            yield TelegramWorld(model=model, telegram=api, program=program, api=Api(http, program.url), config=config)
        finally:
            await program.kill()
