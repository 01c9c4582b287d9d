"""Everything around the program when it speaks Slack: the model server and the workspace."""

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
from tests.support.slack.people import Person
from tests.support.slack.server import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, Slack


@dataclass(frozen=True, kw_only=True)
class SlackWorld:
    """One running program and its counterparts."""

    model: ModelServer
    slack: Slack
    program: Program
    api: Api
    config: dict[str, Any]

    def person(self, **more: Any) -> Person:
        """Somebody in direct messages of their own."""
        return Person(self.slack, **more)

    def member(self, channel: str = "C1", **more: Any) -> Person:
        """Somebody in a channel."""
        return Person(self.slack, channel=self.slack.channel(channel), **more)

    async def deliveries(self, state: str) -> list[Any]:
        return list((await self.api.ok("/api/deliveries", state=state))["items"])


def slack_channel(agent: str = "studio", *, base_url: str, mode: str = "socket", **more: Any) -> dict[str, Any]:
    """An open channel to a team, channels of the workspace included when they mention the app."""
    base: dict[str, Any] = {"id": "slack", "platform": "slack", "agent": agent, "access": "open"}
    secret = {"app_token": APP_TOKEN} if mode == "socket" else {"signing_secret": SIGNING_SECRET}
    return base | {"bot_token": BOT_TOKEN, "base_url": base_url, "allow_chats": ["*"]} | secret | more


@asynccontextmanager
async def slack_world(
    folder: Path,
    *,
    launcher: Launcher | None = None,
    start: bool = True,
    mode: str = "socket",
    top: Mapping[str, Any] | None = None,
    **channel: Any,
) -> AsyncIterator[SlackWorld]:
    """A program in `folder` with one Slack channel; `channel` are keys of it, `top` of the whole file."""
    async with ModelServer() as model, Slack() as slack, ClientSession(timeout=ClientTimeout(total=60)) as http:
        port = free_port()
        channels = [slack_channel(base_url=slack.base_url, mode=mode, **channel)]
        config = settings(model_url=model.base_url, port=port, channels=channels) | dict(top or {})
        if mode == "http":
            slack.hook_url = f"http://127.0.0.1:{port}/hooks/slack"
        program = Program(folder, config, launcher)
        try:
            if start:
                await program.start()
            yield SlackWorld(model=model, slack=slack, program=program, api=Api(http, program.url), config=config)
        finally:
            await program.kill()
