"""How the tables relate: what one names must stand in another. Pure; yields faults in the order of the file."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pydantic import SecretStr

from bridge.config.errors import Fault, KeyPath, shown
from bridge.config.schema import (
    AgentConfig,
    ChannelConfig,
    Config,
    FeishuChannel,
    McpConfig,
    ModelConfig,
    SlackChannel,
    TeamConfig,
    TelegramChannel,
)
from bridge.config.words import nearest

BUILTIN_TOOLS: Final = ("file_read", "file_write", "file_list", "web_fetch")
_SERVER_NAME: Final = re.compile(r"(?=.{1,32}$)[A-Za-z0-9]+([_-][A-Za-z0-9]+)*")
"""It stands in front of the names that models call the server's tools (`host.mcp.naming`)."""

_BAD_SERVER_NAME: Final = "is no name for a server: at most 32 letters and digits, with single - and _ between them"
_LATER: Final = "procrastinate (several machines) is not available yet; use embedded"


def faults_of(config: Config) -> Iterator[Fault]:
    """Everything that is wrong between tables, in the order of the file."""
    yield from _general(config)
    for name, model in config.models.items():
        yield from _model(("models", name), model)
    yield from _repeated_ids(config)
    for index, agent in enumerate(config.agents):
        yield from _agent(("agents", index), agent, config)
    for name, server in config.mcp.items():
        yield from _mcp(("mcp", name), server)
    for index, team in enumerate(config.teams):
        yield from _team(("teams", index), team, config)
    for index, channel in enumerate(config.channels):
        yield from _channel(("channels", index), channel, config)
    yield from _shared_secrets(config.channels)


def warnings_of(config: Config) -> Iterator[Fault]:
    """What works, but not as it is written."""
    teams = {team.id for team in config.teams}
    for index, channel in enumerate(config.channels):
        if channel.agent in teams and channel.response_mode == "final":
            problem = f'a team always answers as a stream, so "final" has no effect on channel {channel.id}'
            yield Fault(path=("channels", index, "response_mode"), problem=problem)


def _general(config: Config) -> Iterator[Fault]:
    for key in ("default_model", "small_model"):
        yield from _known_model((key,), getattr(config, key), config)
    if config.store.engine == "procrastinate":
        yield Fault(path=("store", "engine"), problem=_LATER)
    if not config.models and (config.agents or config.teams):
        yield Fault(path=("models",), problem="agents need at least one model: add a [models.main] table")


def _known_model(path: KeyPath, name: str, config: Config) -> Iterator[Fault]:
    if name and name not in config.models:
        yield Fault(path=path, problem=f'no model is named "{name}"{nearest(name, config.models)}')


def _model(path: KeyPath, model: ModelConfig) -> Iterator[Fault]:
    if model.provider != "scripted" and not model.model.strip():
        yield Fault(path=(*path, "model"), problem=f"is missing: the name that {model.provider} gives the model")


def _repeated_ids(config: Config) -> Iterator[Fault]:
    """Agents and teams are both agents, so they share their ids."""
    agents: list[tuple[KeyPath, str]] = [(("agents", i, "id"), a.id) for i, a in enumerate(config.agents)]
    teams: list[tuple[KeyPath, str]] = [(("teams", i, "id"), t.id) for i, t in enumerate(config.teams)]
    channels: list[tuple[KeyPath, str]] = [(("channels", i, "id"), c.id) for i, c in enumerate(config.channels)]
    yield from _repeats(agents + teams)
    yield from _repeats(channels)


def _repeats(places: Iterable[tuple[KeyPath, str]]) -> Iterator[Fault]:
    first: dict[str, KeyPath] = {}
    for path, value in places:
        if value in first:
            yield Fault(path=path, problem=f'"{value}" is already used by {shown(first[value])}')
        first.setdefault(value, path)


def _agent(path: KeyPath, agent: AgentConfig, config: Config) -> Iterator[Fault]:
    yield from _known_model((*path, "model"), agent.model, config)
    known = (*BUILTIN_TOOLS, *config.mcp)
    for index, tool in enumerate(agent.tools):
        if tool not in known:
            yield Fault(path=(*path, "tools", index), problem=f'no tool is named "{tool}"{nearest(tool, known)}')


def _mcp(path: KeyPath, server: McpConfig) -> Iterator[Fault]:
    if bool(server.command) == bool(server.url):
        yield Fault(path=path, problem="needs either command or url")
    if not _SERVER_NAME.fullmatch(str(path[-1])):
        yield Fault(path=path, problem=_BAD_SERVER_NAME)
    if server.env and server.url:
        yield Fault(path=(*path, "env"), problem="goes with command; a server at a url is given headers")
    if server.headers and server.command:
        yield Fault(path=(*path, "headers"), problem="goes with url; a server that is started is given env")
    if path[-1] in BUILTIN_TOOLS:
        yield Fault(path=path, problem="is the name of a built-in tool; choose another one")


def _team(path: KeyPath, team: TeamConfig, config: Config) -> Iterator[Fault]:
    yield from _members((*path, "members"), team.members, config)
    yield from _known_model((*path, "model"), team.model, config)


def _members(path: KeyPath, members: Sequence[str], config: Config) -> Iterator[Fault]:
    experts = [agent.id for agent in config.agents]
    teams = {team.id for team in config.teams}
    for index, member in enumerate(members):
        place = (*path, index)
        if member in teams:
            yield Fault(path=place, problem=f'"{member}" is a team; only experts can be members')
        elif member not in experts:
            yield Fault(path=place, problem=f'no expert has the id "{member}"{nearest(member, experts)}')
        elif member in members[:index]:
            yield Fault(path=place, problem=f'"{member}" is named twice')
    if len(members) < 2:
        yield Fault(path=path, problem="a team needs at least 2 experts")


def _channel(path: KeyPath, channel: ChannelConfig, config: Config) -> Iterator[Fault]:
    agents = [*(agent.id for agent in config.agents), *(team.id for team in config.teams)]
    if channel.agent not in agents:
        problem = f'no team or expert has the id "{channel.agent}"{nearest(channel.agent, agents)}'
        yield Fault(path=(*path, "agent"), problem=problem)
    yield from channel_faults(path, channel, config.server.public_url)


def channel_faults(path: KeyPath, channel: ChannelConfig, public_url: str) -> Iterator[Fault]:
    """What the keys of one channel need of each other."""
    if isinstance(channel, TelegramChannel) and channel.mode == "webhook" and not public_url:
        yield Fault(path=(*path, "mode"), problem="webhook needs server.public_url, the address Telegram shall call")
    if isinstance(channel, SlackChannel) and not _any(channel.app_token, channel.signing_secret):
        yield Fault(path=path, problem="needs app_token (socket mode) or signing_secret (events over HTTP)")
    if isinstance(channel, FeishuChannel) and channel.mode == "webhook" and not _any(channel.encrypt_key):
        yield Fault(path=(*path, "encrypt_key"), problem="is missing: mode webhook takes encrypted events only")


def _any(*secrets: SecretStr) -> bool:
    return any(secret.get_secret_value() for secret in secrets)


def _shared_secrets(channels: Sequence[ChannelConfig]) -> Iterator[Fault]:
    """Who holds a channel's secret speaks for all its senders: no secret may open two channels."""
    first: dict[str, KeyPath] = {}
    for index, channel in enumerate(channels):
        for key, value in channel:
            if not isinstance(value, SecretStr) or not value.get_secret_value():
                continue
            path: KeyPath = ("channels", index, key)
            known = first.setdefault(value.get_secret_value(), path)
            if known[1] != index:
                yield Fault(path=path, problem=f"is the same as {shown(known)}; each channel needs its own")
